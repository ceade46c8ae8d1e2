/// TerRA fitted to SCM: the sinkage of a wheel that rolls, slips, and rolls again, by both laws.
#ifndef GR_FIT_TERRA_H
#define GR_FIT_TERRA_H

#include "rig.h"

enum { GR_TERRA_RUNS = 64, GR_TERRA_LEGS = 3, GR_TERRA_SAMPLES = 12, GR_TERRA_PARAMS = 5 };

/// A drive at one load: at a slip of 0.1, at `slip`, and at 0.1 again, or at another.
typedef struct GrTerraRun {
    double load, slip;                                                                     ///< [N], of the second leg
    double then;                                                                           ///< of the third; 0: 0.1
    double scm[GR_TERRA_LEGS * GR_TERRA_SAMPLES], terra[GR_TERRA_LEGS * GR_TERRA_SAMPLES]; ///< sinkage [m]
    double mean_error, largest_error; ///< |terra − scm| over scm, without the settling at the start [-]
    int first;                        ///< first window that counts: the wheel has left its initial imprint
    bool held;                        ///< held back from the fit
} GrTerraRun;

typedef struct GrTerraFitDef {
    GrRigDef rig; ///< soil (its law is ignored), wheel, cell, flow
    GrTerraRun *runs;
    int run_count; ///< load, slip and held are given
    void (*progress)(void *context, double done, double total);
    void *context;
} GrTerraFitDef;

typedef struct GrTerraFit {
    GrSoilDef soil;                            ///< law terra
    const char *names[GR_TERRA_PARAMS];        ///< of the fitted parameters, as in `grouser show soil`
    double value[GR_TERRA_PARAMS];             ///< in the file's unit
    bool at_bound[GR_TERRA_PARAMS];            ///< the optimum is at a bound
    double start_error, fit_error, held_error; ///< mean over the runs [-]; held: NAN when there is none
    double fit_largest, held_largest;          ///< [-]
    int evaluations;
} GrTerraFit;

/// Compares both laws without a search: `soil` as law terra against the rig's soil as law scm. Fills the runs;
/// `largest` is the largest error of a window of any run [-].
GrStatus gr_terra_compare(GrTerraFitDef *def, const GrSoilDef *soil, double *largest, GrErrorLog *log);

/// Fills the runs too. GR_ERROR_UNSUPPORTED in a build without NLopt.
GrStatus gr_fit_terra(GrTerraFitDef *def, GrTerraFit *out, GrErrorLog *log);

#endif
