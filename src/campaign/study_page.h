/// The page of a study: how its runs ended, the distribution of every measure, what it depends on, and the runs to look
/// at, with the command that repeats each.
///
/// Its size does not grow with the number of runs: at most GR_STUDY_POINTS of them are drawn as points in a figure, and
/// fewer where there are many figures. All runs count for statistics, bands and histograms.
#ifndef GR_STUDY_PAGE_H
#define GR_STUDY_PAGE_H

#include "buffer.h"
#include "page.h"
#include "study_view.h"

enum { GR_STUDY_POINTS = 1500 };

/// A page while it is written.
typedef struct GrStudyPage {
    const GrStudyTable *table;
    const GrStudySummary *summary;
    const char *path; ///< of the study, for commands
    bool running;     ///< the page renews itself
    GrStudyView view;
} GrStudyPage;

/// Sections of another author after the head of the page.
typedef struct GrStudySections {
    void *context;
    GrStatus (*put)(void *context, GrStudyPage *def, GrPage *page, GrErrorLog *log); ///< NULL: none
    bool answers; ///< they begin with the answer: it is not that of the study's question
} GrStudySections;

/// The whole page of the study at `path`. `running`: more runs follow.
GrStatus gr_study_page_make(const char *path, bool running, GrStudySections sections, GrBuffer *out, GrErrorLog *log);

/// The same, written to `file`.
GrStatus gr_study_page_write(const char *path, bool running, GrStudySections sections, const char *file,
                             GrErrorLog *log);

/// Cards that follow those of an answer: how many runs, and their time.
void gr_study_page_run_cards(const GrStudyPage *def, GrPage *page);

// Tables of a study, also for the terminal.

void gr_study_table_outcomes(const GrStudyTable *table, const GrStudySummary *summary, GrTable *out);
/// `expressions`: with the expression of each measure.
void gr_study_table_measures(const GrStudyTable *table, const GrStudySummary *summary, bool expressions, GrTable *out);

enum { GR_STUDY_DESIGNS = 20 };

/// The first GR_STUDY_DESIGNS designs, with the bands of their measures.
void gr_study_table_designs(const GrStudyTable *table, const GrStudyBands *bands, GrTable *out);
/// What the bands of designs are, or what the samples are of which each is one place or world of a mission.
/// `prediction`: of the study; not NULL without designs.
enum { GR_STUDY_SAMPLES_TEXT = 200 };
void gr_study_say_samples(const char *prediction, bool designs, char *out, size_t size);

/// The command that repeats a run.
void gr_study_page_command(const char *path, int64_t id, GrBuffer *out);

#endif
