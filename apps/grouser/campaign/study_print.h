/// The results of a study as text and as JSON.
#ifndef GR_STUDY_PRINT_H
#define GR_STUDY_PRINT_H

#include "study_summary.h"

#include <stdio.h>

void gr_study_print(const GrStudyTable *table, const GrStudySummary *summary, const char *path, FILE *file);
GrStatus gr_study_print_json(const GrStudyTable *table, const GrStudySummary *summary, FILE *file);

#endif
