/// How far to trust a result: how well the law predicts a measured wheel, the sources of its parameters, and the
/// gravity under which it was fitted. Every report and JSON output of a run, a test or the rig includes it.
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
    char parameters[1100]; ///< which are published, derived or fitted, assumed, defaults of the program, or set by the
                           ///< user
    char error[1100];      ///< how well the law predicts a measured wheel
    char gravity[400];     ///< gravity of the fit and of the run
    char line[1100];       ///< all that applies, in one paragraph
} GrTrust;

/// Trust in results on a soil. `sources`: from gr_soil_load(); NULL: unknown. `gravity`: of the run [m/s²].
GR_API void gr_trust_of_soil(const GrSoilDef *soil, const GrSoilSources *sources, double gravity, GrTrust *out);

/// Trust in results on rigid ground and obstacles. `scene`: its contact laws apply; NULL: the default laws.
GR_API void gr_trust_of_rigid_ground(const GrSceneDef *scene, double gravity, GrTrust *out);

/// How well a law predicts a measured wheel: a row of `grouser validate --only 'score/*'`, rounded to two digits. A
/// test compares the two.
typedef struct GrTrustScore {
    GrSoilLaw law;
    bool digs;           ///< of soils with digging or ploughing
    const char *name;    ///< of the row
    const char *form;    ///< form of the law, and what was fitted
    double median, most; ///< error of the pull over the load: of half of the conditions, and of 90 %
    double ordered;      ///< share of pairs of conditions that are ordered as measured; mean of pull, side and sinkage
    double contained;    ///< share of measured numbers inside the 90 % band; NAN: no band
} GrTrustScore;

/// Scores by index from 0; NULL beyond the last.
GR_API const GrTrustScore *gr_trust_score(int index);

#ifdef __cplusplus
}
#endif
#endif
