/// Inside of the page of a study.
#ifndef GR_STUDY_PAGE_PARTS_H
#define GR_STUDY_PAGE_PARTS_H

#include "study_page.h"

/// Measures with figures; the others are in the table only.
enum { GR_STUDY_PAGE_MEASURES = 12 };

/// Runs to look at: extremes of each measure, and failures.
GrStatus gr_study_page_runs(const GrStudyPage *def, GrBuffer *page, GrErrorLog *log);

/// Tells the script of the page (study.js) that its dots are runs, and the command that repeats them.
void gr_study_page_mark(const GrStudyPage *def, GrBuffer *page);

#endif
