/// The study of `grouser wheel`: one run for each soil and law, over all slip angles and slips, and its output.
#ifndef GR_WHEEL_STUDY_H
#define GR_WHEEL_STUDY_H

#include "buffer.h"
#include "grouser/trust.h"
#include "rig.h"
#include "wheel_data.h"

#include <stdio.h>

enum { GR_WHEEL_RUNS = 12, GR_WHEEL_LABEL = GR_NAME_SIZE + 64 };

/// Root-mean-square difference from the measured data; NAN where there is none.
typedef struct GrWheelMisfit {
    double rms[GR_QUANTITIES];
    int count[GR_QUANTITIES];
} GrWheelMisfit;

/// One soil with one law.
typedef struct GrWheelRun {
    char label[GR_WHEEL_LABEL]; ///< distinguishes it from the other runs
    GrRig rig;
    GrTrust trust;
    GrRigPoint *points;      ///< [angle · slip_count + slip]
    GrRigFeatures *features; ///< [angle]
    GrWheelMisfit misfit;
    int flag_counts[GR_FLAG_COUNT]; ///< points that raised the flag
    int missing;                    ///< points without equilibrium
} GrWheelRun;

typedef struct GrWheelStudy {
    GrWheelRun runs[GR_WHEEL_RUNS];
    int run_count;
    double *slips;
    int slip_count;
    double *angles; ///< [rad]
    int angle_count;
    GrWheelData data;
    const char *data_path;   ///< NULL: no data
    GrWheelSurface *surface; ///< of a wheel with a mesh, from --mesh or a rover; NULL: a cylinder
} GrWheelStudy;

/// Computes the study of a command line as typed after `grouser wheel`; a wrong option is also printed. Zero-initialise
/// `out` and free it with gr_wheel_study_free().
GrStatus gr_wheel_study_line(int argc, char **argv, GrWheelStudy *out, GrErrorLog *log);

/// Computes every run; `log` receives only fatal errors.
GrStatus gr_wheel_study_run(GrWheelStudy *study, GrErrorLog *log);
void gr_wheel_study_free(GrWheelStudy *study);

/// "a,b,c", "from:to:count" or one number -> values that the caller frees, each times `scale`; count ≤ 0 after an
/// error.
int gr_wheel_values(const char *option, const char *text, double lower, double upper, double scale, double **out,
                    GrErrorLog *log);

void gr_wheel_print(const GrWheelStudy *study, FILE *file);
void gr_wheel_json(const GrWheelStudy *study, FILE *file);
void gr_wheel_csv(const GrWheelStudy *study, GrBuffer *csv);
void gr_wheel_page(const GrWheelStudy *study, GrBuffer *page);

/// "load 64.68 N, r 90 mm, b 110 mm"
void gr_wheel_describe(const GrRigDef *def, char *out, size_t size);

#endif
