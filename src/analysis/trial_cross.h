/// What crossings share: the size of the rover, and the drive to a line that all wheels pass.
#ifndef GR_TRIAL_CROSS_H
#define GR_TRIAL_CROSS_H

#include "trial_run.h"

/// Where the wheels of a rover are at its initial pose, chassis axes [m].
typedef struct GrFootprint {
    double rear, front;              ///< of the rims
    double left_inner, left_outer;   ///< of the wheels at y > 0
    double right_inner, right_outer; ///< of those at y < 0, positive
    double radius;                   ///< largest, with grousers
} GrFootprint;

GrStatus gr_footprint(const GrRoverDef *rover, GrFootprint *out, GrErrorLog *log);

/// A fixed box with its top face's middle at a place, turned about y by `pitch` (nose down).
GrPartDef gr_trial_box(GrVec3 top, GrVec3 size, double pitch);

typedef struct GrCrossing {
    const GrSceneDef *scene;
    GrStart start;
    double wait;  ///< before it drives [s]
    double speed; ///< of the rims [m/s]
    double meets; ///< x of a rim from which on slip is counted [m]
    double past;  ///< x that the centre of every wheel must pass [m]
    double limit; ///< longest simulated time [s]
    GrCrossLimits limits;
} GrCrossing;

GrStatus gr_trial_cross(const GrTrialDef *def, const GrCrossing *crossing, GrTrialLog *samples, GrCrossResult *out,
                        GrErrorLog *log);

#endif
