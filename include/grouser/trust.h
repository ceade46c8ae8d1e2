/// How far to trust a result: the law, the sources of its parameters, its known errors, and the gravity under which it
/// was fitted. Every report and JSON output of a run, a test or the rig includes it.
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
    char law[300];         ///< law of the soil or of rigid contact
    char parameters[1200]; ///< which are published, derived or fitted, assumed, defaults of the program, or set by the
                           ///< user
    char error[1200];      ///< errors found in comparisons with measurements and other programs
    char gravity[400];     ///< gravity of the fit and of the run
    char line[600];        ///< summary in one line
} GrTrust;

/// Number of comparisons with measured wheels and rovers in `grouser validate`, and of those that pass. A test checks
/// both.
enum { GR_TRUST_COMPARED = 130, GR_TRUST_PASSED = 27 };

/// Trust in results on a soil. `sources`: from gr_soil_load(); NULL: unknown. `gravity`: of the run [m/s²].
GR_API void gr_trust_of_soil(const GrSoilDef *soil, const GrSoilSources *sources, double gravity, GrTrust *out);

/// Trust in results on rigid ground and obstacles. `scene`: its contact laws apply; NULL: the default laws.
GR_API void gr_trust_of_rigid_ground(const GrSceneDef *scene, double gravity, GrTrust *out);

/// One known error of a law: the row of `grouser validate` that gives it, its value, and a text.
typedef struct GrTrustError {
    GrSoilLaw law;
    const char *name, *quantity; ///< name of the case and of the quantity
    double value;                ///< value that `grouser validate` finds
    const char *text;            ///< format with one %g for the value
} GrTrustError;

/// Known errors by index from 0; NULL beyond the last.
GR_API const GrTrustError *gr_trust_error(int index);

#ifdef __cplusplus
}
#endif
#endif
