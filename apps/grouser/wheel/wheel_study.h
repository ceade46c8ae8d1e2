/// The study of `grouser wheel`: one run for each soil and law, over all slip angles and slips, and its output.
#ifndef GR_WHEEL_STUDY_H
#define GR_WHEEL_STUDY_H

#include "comparison.h"
#include "grouser/trust.h"
#include "page.h"
#include "rig.h"
#include "soil_spread.h"
#include "statistics.h"
#include "wheel_data.h"

#include <stdio.h>

struct GrProgress;

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
    GrSoilSpread spread;
    GrSoilSources sources;
    GrRigPoint *samples;            ///< points of each sample of the soil, [sample][angle · slip_count + slip]
    GrRigFeatures *sample_features; ///< [sample][angle]
    GrRigPoint *low, *high;         ///< bands of `points`; a number is NAN where it has none
    GrRigFeatures *features_low, *features_high; ///< bands of `features`
    int samples_missing;                         ///< points of samples that have no equilibrium, nominal ones do
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
    int sample_count; ///< of the soils; 0: no bands
    GrWheelData data;
    const char *data_path;   ///< NULL: no data
    GrWheelSurface *surface; ///< of a wheel with a mesh, from --mesh or a rover; NULL: a cylinder
    GrSideWall *side;        ///< of a rover's wheel; NULL: flat
} GrWheelStudy;

/// Computes the study of a command line as typed after `grouser wheel`; a wrong option is also printed. Zero-initialise
/// `out` and free it with gr_wheel_study_free().
GrStatus gr_wheel_study_line(int argc, char **argv, GrWheelStudy *out, GrErrorLog *log);

/// Computes every run; `log` receives only fatal errors.
GrStatus gr_wheel_study_run(GrWheelStudy *study, GrErrorLog *log);
void gr_wheel_study_free(GrWheelStudy *study);

/// Points and points of interest of one rig over the slips and slip angles of the study. `bar`: called with the number
/// of points done; may be NULL.
void gr_wheel_sweep(const GrWheelStudy *study, const GrRig *rig, GrRigPoint *points, GrRigFeatures *features,
                    struct GrProgress *bar, double done);

/// A number of a point of the rig, under its name in files.
typedef struct GrWheelFigure {
    const char *key;
    size_t offset;     ///< in GrRigPoint
    bool missing_high; ///< where there is no equilibrium it counts as above all others, otherwise as below
    int error;         ///< its error after a fit, a GrSpreadQuantity; −1: none
    GrBand possible;   ///< bands end there
} GrWheelFigure;

enum { GR_WHEEL_FIGURES = 8 };
extern const GrWheelFigure gr_wheel_figures[GR_WHEEL_FIGURES];
double gr_wheel_figure(const GrRigPoint *point, int figure);

/// Number of samples where none is given: 0 for laws and modes with which bands take minutes.
int gr_wheel_usual_samples(const GrWheelStudy *study);

/// Runs all soils on samples of their spread, in threads, and computes the bands: quantiles of 5 % and 95 %. Where the
/// spread comes from a fit, the error that remained is added to each sample as an independent normal one.
GrStatus gr_wheel_bands(GrWheelStudy *study, GrErrorLog *log);

/// Whether points of this study have a band of a figure.
bool gr_wheel_has_band(const GrWheelStudy *study, int figure);

/// How far a point is outside of what the data of the fit cover, as gr_conditions_outside(); 1 with another law.
double gr_wheel_outside(const GrWheelRun *run, const GrRigPoint *point);

/// Laws of the same soil see the same samples; different soils vary independently of each other.
enum { GR_WHEEL_COMPARED_TEXT = 80 };
typedef struct GrWheelComparison {
    GrComparison comparison;
    char texts[GR_COMPARED_QUANTITIES][2][GR_WHEEL_COMPARED_TEXT]; ///< keys and words of its quantities
    double *samples;                                               ///< owned: free with gr_free()
} GrWheelComparison;

/// Compares the runs; the comparison points into both. False when out of memory.
bool gr_wheel_compare(const GrWheelStudy *study, GrWheelComparison *out);

/// "pulls at most 21.3 N (90 %: 15 … 28) at slip 0.62, and by itself needs slip 0.08 (90 %: 0.02 … 0.15)"
void gr_wheel_answer(const GrWheelStudy *study, int run, int angle, char *out, size_t size);
/// Whether the points are inside the range of the fitted data; empty without a fit.
void gr_wheel_say_range(const GrWheelStudy *study, int run, char *out, size_t size);

/// "a,b,c", "from:to:count" or one number -> values that the caller frees, each times `scale`; count ≤ 0 after an
/// error.
int gr_wheel_values(const char *option, const char *text, double lower, double upper, double scale, double **out,
                    GrErrorLog *log);

void gr_wheel_json(const GrWheelStudy *study, FILE *file);
void gr_wheel_csv(const GrWheelStudy *study, GrBuffer *csv);
/// What the page shows and what the terminal prints (gr_page_print()).
void gr_wheel_page(const GrWheelStudy *study, GrPage *page);

/// "load 64.68 N, r 90 mm, b 110 mm"
void gr_wheel_describe(const GrRigDef *def, char *out, size_t size);

#endif
