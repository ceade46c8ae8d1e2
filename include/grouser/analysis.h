/// Questions that are answered by a calculation rather than a run.
#ifndef GROUSER_ANALYSIS_H
#define GROUSER_ANALYSIS_H

#include "grouser/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a rover stands on a hard horizontal plane z = 0.
typedef struct GrStance {
    double weight;      ///< [N]
    GrVec3 com;         ///< centre of mass over the plane, in axes turned with the rover's heading [m]
    double roll, pitch; ///< of the chassis [rad]
    double clearance;   ///< height of the chassis frame's origin over the plane [m]
    double residual;    ///< largest unbalanced force over the weight
} GrStance;

/// Settles `d` on the plane under the model's gravity and gives the load of each wheel [gr_model_wheel_count()] in N.
/// Every wheel gives way alike (a ten-thousandth of its radius under its share of the weight), which decides how loads
/// are shared where the suspension alone does not. Fails when there are no wheels, no gravity, or no stance.
GR_API GrStatus gr_stand_on_plane(const GrModel *m, GrData *d, double *wheel_loads, GrStance *stance, GrErrorLog *log);

#ifdef __cplusplus
}
#endif
#endif
