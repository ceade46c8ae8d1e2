/// Choice of the step: fixed, by the way of the wheel hubs (O23), or by an estimate of the error.
#ifndef GR_PACE_H
#define GR_PACE_H

#include "data.h"
#include "grouser/mission.h"

/// A longer step while the rover pushes a loose rock is warned about [s]. Wheels and rocks exchange blows: at 5 ms the
/// motors' work over a field of loose rocks was a third of that at 2 and 1 ms, which agree.
static const double GR_LONGEST_PUSH = 0.002;

/// What the choice of a step remembers. Zero-initialise it.
typedef struct GrLookout {
    double due;     ///< when to look ahead for stone again [s]
    bool stone;     ///< what the last look found
    double landing; ///< the shortest step since a landing began [s]
    double calm;    ///< when that landing is over [s]
    double rocking; ///< step in which a rover that fell rocks to rest [s]; 0: it does not
} GrLookout;

/// Makes every length that a step may have shorter by `factor`, and the tolerance of its error, which is of second
/// order, smaller by its square: what a check of convergence compares with.
void gr_pace_refine(GrMissionDef *def, double factor);

/// Length of the next step. `last`: the step before [s], `next`: of gr_pace_adapt() [s]; 0: none yet. Writes to `d`
/// only what the next evaluation of hard contacts writes.
double gr_pace_choose(const GrMissionDef *def, const GrModel *m, GrData *d, double last, double next,
                      GrLookout *lookout);

/// Largest error of a hub's position in the step just made, estimated as dt²/2 times its acceleration: what the first
/// order leaves out.
double gr_pace_error(const GrModel *m, const GrData *d, double dt);

/// Step that would just meet the tolerance, between a fifth and twice the one that gave `error`, within the bounds.
double gr_pace_adapt(const GrMissionDef *def, double error, double dt);

#endif
