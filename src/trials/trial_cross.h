/// Common parts of crossing tests: the footprint of the rover, and the drive until all wheels have passed a line.
#ifndef GR_TRIAL_CROSS_H
#define GR_TRIAL_CROSS_H

#include "trial_run.h"

/// Positions of a rover's wheels in its initial pose, chassis axes [m].
typedef struct GrFootprint {
    double rear, front;              ///< of the rims
    double left_inner, left_outer;   ///< of the wheels at y > 0
    double right_inner, right_outer; ///< of those at y < 0, positive
    double radius;                   ///< largest, with grousers
} GrFootprint;

typedef struct GrCrossing {
    const GrSceneDef *scene;
    GrStart start;
    double wait;  ///< before it drives [s]
    double speed; ///< of the rims [m/s]
    double meets; ///< x of a rim from which on slip is averaged [m]
    double past;  ///< x that the centre of every wheel must pass [m]
    double climb; ///< height that wheels pass over, those of the left side if `one_side` [m]; 0: not checked
    bool one_side;
    double limit; ///< longest simulated time [s]
    GrCrossLimits limits;
} GrCrossing;

GrStatus gr_trial_cross(const GrTrialDef *def, const GrCrossing *crossing, GrTrialLog *samples, GrCrossResult *out,
                        GrErrorLog *log);

#endif
