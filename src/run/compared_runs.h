/// Runs side by side: figures and curves of each, from a run in progress or from the folder of a finished one.
///
///     GrComparedRun runs[2] = {{0}};
///     gr_compared_run_read("a.run", &runs[0], log);
///     gr_compared_run_read("b.run", &runs[1], log);
///     gr_compared_runs_fill(runs, 2, &comparison);
///     gr_compared_runs_page(runs, 2, &page);
///     gr_compared_run_free(&runs[0]);
#ifndef GR_COMPARED_RUNS_H
#define GR_COMPARED_RUNS_H

#include "comparison.h"
#include "run_tables.h"

/// Of the rover at one time.
typedef struct GrRunPlace {
    double distance, x, y; ///< driven and horizontal [m]
    double slip;           ///< mean of the wheels
    double sinkage;        ///< of the deepest wheel [m]
    double work;           ///< of the drive motors [J]
} GrRunPlace;

/// Zero-initialise; free with gr_compared_run_free().
typedef struct GrComparedRun {
    const char *label;
    char soil[GR_NAME_SIZE];        ///< runs on the same one see the same samples
    double figures[GR_RUN_FIGURES]; ///< as in gr_run_figures
    char outcome[GR_NAME_SIZE];
    double *samples;  ///< [GR_RUN_FIGURES + 1][sample_count], the last row 1 where the sample succeeds; owned, or NULL
    int sample_count; ///< 0: none
    GrRunPlace *places; ///< owned
    int count, capacity;
    bool succeeded;
    bool failed; ///< an allocation failed
} GrComparedRun;

/// Takes a sample of a run in progress.
void gr_compared_run_add(GrComparedRun *run, const GrSample *sample, int wheel_count);

/// Takes the figures of its end.
void gr_compared_run_end(GrComparedRun *run, const GrRunSummary *summary);

/// Reads summary.json and run.csv of a folder.
GrStatus gr_compared_run_read(const char *folder, GrComparedRun *out, GrErrorLog *log);

/// Fills the comparison; it points into the runs. Figures of runs that fail count as the worst, unless all do.
void gr_compared_runs_fill(GrComparedRun *runs, int count, GrComparison *out);

/// Overlaid curves.
void gr_compared_runs_page(const GrComparedRun *runs, int count, GrPage *page);

void gr_compared_run_free(GrComparedRun *run);

#endif
