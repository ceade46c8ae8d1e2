/// Choice of the step: fixed, by the travel of the wheel hubs (O23), or by an estimate of the error.
#ifndef GR_PACE_H
#define GR_PACE_H

#include "data.h"
#include "grouser/mission.h"

/// A longer step gives a warning while the rover pushes a loose rock [s]. Wheels and rocks collide repeatedly: at 5 ms
/// the motors' work over a field of loose rocks was a third of that at 2 and 1 ms, which agree.
static const double GR_LONGEST_PUSH = 0.002;

/// State of the step choice. Zero-initialise it.
typedef struct GrLookout {
    double due;     ///< time of the next look ahead for rocks [s]
    bool stone;     ///< whether the last look found any
    double landing; ///< shortest step since the landing began [s]
    double calm;    ///< time at which that landing is over [s]
    double rocking; ///< step while a dropped rover rocks to rest [s]; 0: it does not rock
} GrLookout;

/// Divides every limit on the step length by `factor`, and the error tolerance, which is of second order, by its
/// square. Used for convergence checks.
void gr_pace_refine(GrMissionDef *def, double factor);

/// Length of the next step. `last`: the previous step [s]; `next`: result of gr_pace_adapt() [s], 0: none yet. Modifies
/// `d` only where the next evaluation of rigid contacts overwrites it.
double gr_pace_choose(const GrMissionDef *def, const GrModel *m, GrData *d, double last, double next,
                      GrLookout *lookout);

/// Contact lengths that a wheel rolls in a second [1/s], for its contact with the soil under its share of the weight;
/// 0: not in soil, or so deep that no step is too long.
double gr_pace_rolled(const GrModel *m, const GrData *d, int wheel);

/// Largest error of a hub's position in the step just made, estimated as dt²/2 times its acceleration, the first term
/// that a first-order step neglects.
double gr_pace_error(const GrModel *m, const GrData *d, double dt);

/// Step that just meets the tolerance, between a fifth and twice the one that gave `error`, within the bounds.
double gr_pace_adapt(const GrMissionDef *def, double error, double dt);

#endif
