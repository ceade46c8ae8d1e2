/// What the tests in grains have found, in the terminal, as JSON, as CSV and as a page.
#ifndef GR_GRAINS_REPORT_H
#define GR_GRAINS_REPORT_H

#include "grains_command.h"

enum { GR_GRAINS_CASES = 64 };

typedef struct GrGrainsCase {
    GrBinRigDef def;
    GrBinRigAnswer answer;
    GrBinTrace trace;        ///< of a wheel
    GrBinRigSample *samples; ///< owned
    int sample_count;
} GrGrainsCase;

typedef struct GrGrainsStudy {
    GrBinRigKind kind;
    GrSurfaceMesh mesh; ///< of the body; empty: none
    GrGrainsCase cases[GR_GRAINS_CASES];
    int count;
} GrGrainsStudy;

/// Runs the cases from copies of `bin`, with a progress bar and the snapshots that are asked for.
GrStatus gr_grains_run(const GrGrainsOptions *o, const GrBin *bin, GrGrainsStudy *study, GrErrorLog *log);
void gr_grains_study_free(GrGrainsStudy *study);

/// The curves as CSV: presses that `fit soil --plates` reads, or shear stress over displacement.
void gr_grains_curves(const GrGrainsStudy *study, GrBuffer *csv);
/// One row for each case; of a wheel with the columns that `fit soil --data` reads.
GrTable gr_grains_table(const GrGrainsStudy *study);

/// `bin`: the bed before the tests.
GrStatus gr_grains_write(const GrGrainsOptions *o, const GrGrainsStudy *study, const GrBin *bin, GrErrorLog *log);

#endif
