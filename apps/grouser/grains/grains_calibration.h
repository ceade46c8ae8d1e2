/// What grains answer to a calibration: runs in beds of their own, a quadratic through each answer, the best parameters
/// and their intervals.
#ifndef GR_GRAINS_CALIBRATION_H
#define GR_GRAINS_CALIBRATION_H

#include "grains_command.h"
#include "options.h"

enum {
    GR_CALIBRATION_FREE = 4,
    GR_CALIBRATION_TERMS = 15,
    GR_CALIBRATION_RUNS = 500,
    GR_CALIBRATION_PLATES = 8,
    GR_CALIBRATION_ANSWERS = 1 + 2 * GR_CALIBRATION_PLATES
};
enum { GR_CALIBRATION_SPARE = 4 }; // runs beyond those that a quadratic needs

/// What may be free, with its usual bounds.
typedef struct GrCalibrationKnown {
    const char *name;
    size_t offset;
    double lower, upper, least, most; ///< usual bounds; what the bounds may be
} GrCalibrationKnown;

typedef struct GrCalibrationFree {
    const GrCalibrationKnown *known;
    double lower, upper;
    double best, low, high; ///< what was found, with an interval of 90 %
    bool determined;
} GrCalibrationFree;

/// A measured number and what the runs answer for it.
typedef struct GrCalibrationAnswer {
    char name[64];
    const char *unit;
    double measured, error;
    double term[GR_CALIBRATION_TERMS]; ///< of the quadratic
    double scatter;                    ///< of runs about it
    double surface, checked;           ///< at the best: of the quadratic, and of a run
} GrCalibrationAnswer;

/// Presses of one size: in ln F over ln z a line, whose level and slope are answers.
typedef struct GrCalibrationPlate {
    double diameter, deepest;
    double *depth, *force; ///< owned
    int count;
    double *checked; ///< owned: forces in the calibrated grains
} GrCalibrationPlate;

typedef struct GrCalibrationRun {
    double at[GR_CALIBRATION_FREE]; ///< 0 .. 1
    double answer[GR_CALIBRATION_ANSWERS];
    bool failed;
} GrCalibrationRun;

typedef struct GrCalibration {
    GrBedDef bed;
    const char *path, *repose, *presses, *free, *output, *csv, *html;
    GrTextList overrides;
    GrGrainsOptions common; ///< threads and device
    GrBinWork work;
    double runs, speed, press_error;
    bool json;
    GrCalibrationFree frees[GR_CALIBRATION_FREE];
    int free_count;
    GrCalibrationAnswer answers[GR_CALIBRATION_ANSWERS];
    int answer_count;
    GrCalibrationPlate plates[GR_CALIBRATION_PLATES];
    int plate_count;
    GrCalibrationRun *all;
    int run_count, failed;
    double inverse[GR_CALIBRATION_TERMS * GR_CALIBRATION_TERMS]; ///< of the normal equations
    double correlation[GR_CALIBRATION_FREE][GR_CALIBRATION_FREE];
    double misfit; ///< at the best: mean of the squared deviations, in standard deviations
} GrCalibration;

typedef struct GrPressLine {
    double level, slope, scatter, spread; ///< level: at the mean of ln z; spread: of ln z
} GrPressLine;

/// Through ln F over ln z of at least three presses.
GrPressLine gr_press_line(const double *depth, const double *force, int count);

/// Terms of a quadratic of n variables.
int gr_calibration_terms(int n);
double gr_calibration_value(const GrCalibrationFree *f, double at);

/// The bed with the parameters at a point, and grains that lie in it by chance as `seed` says.
GrBedDef gr_calibration_bed(const GrCalibration *c, const double *at, int seed);

/// Fills what is found: runs, answers, intervals, correlations, and the misfit at the best.
GrStatus gr_calibration_run(GrCalibration *c, GrErrorLog *log);

#endif
