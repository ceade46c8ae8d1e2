/// How far to trust a result: which law, where its parameters come from, what is known of its error, and under which
/// gravity it was fitted. Every page and every JSON object of a run, a test or the rig carries one.
///
/// Example:
///
///     GrErrorLog log = {0};
///     GrSoilDef soil;
///     GrSoilSources sources;
///     if (gr_soil_load("ishigami2007", NULL, &soil, &sources, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     GrTrust trust;
///     gr_trust_of_soil(&soil, &sources, 3.71, &trust); // on Mars
///     printf("%s\n", trust.law); // prints: wong_reece
#ifndef GROUSER_TRUST_H
#define GROUSER_TRUST_H

#include "grouser/scene.h"
#include "grouser/soil_file.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct GrTrust {
    char law[300];         ///< of the soil, or of hard contact
    char parameters[1200]; ///< which are published, derived or fitted, assumed, the program's defaults, or the user's
    char error[1200];      ///< what comparisons with measurements and other programs found
    char gravity[400];     ///< of the fit and of the run
    char line[600];        ///< all of it in one line
} GrTrust;

/// Comparisons with measured wheels and rovers in `grouser validate`, and those that pass. A test counts them again.
enum { GR_TRUST_COMPARED = 70, GR_TRUST_PASSED = 15 };

/// `sources`: as gr_soil_load() gave them; NULL: not known. `gravity`: of the run [m/s²].
GR_API void gr_trust_of_soil(const GrSoilDef *soil, const GrSoilSources *sources, double gravity, GrTrust *out);

/// Ground and obstacles that are hard. `scene`: whose laws act; NULL: the default ones.
GR_API void gr_trust_of_rigid_ground(const GrSceneDef *scene, double gravity, GrTrust *out);

/// One error that is known of a law: the row of `grouser validate` that gives it, its value, and words for it.
typedef struct GrTrustError {
    GrSoilLaw law;
    const char *name, *quantity; ///< of the case, and of its figure
    double value;                ///< that `grouser validate` finds
    const char *text;            ///< with one %g for the value
} GrTrustError;

/// NULL beyond the last.
GR_API const GrTrustError *gr_trust_error(int index);

#ifdef __cplusplus
}
#endif
#endif
