/// The imprint of a wheel in a grid of ruts, for any law of its force: the wheel's shape, at the sinkage that the law
/// gave, presses the nodes as SCM does.
///
///     s ← max(s, (1 − ρ)(s + p)),  surface down by as much        p: depth of the wheel's surface below the soil's
///
/// with the plastic sinkage s that a node remembers and the fraction ρ that rebounds. A node keeps the deepest position
/// of the wheel, so the result depends neither on the step nor on the time that the wheel stands still. Displaced soil
/// rises and slumps where the body's flow is on. The imprint appears one reach behind the wheel (rut_track.h).
#ifndef GR_IMPRINT_H
#define GR_IMPRINT_H

#include "rut_track.h"
#include "scm.h"

/// A wheel at the end of a step.
typedef struct GrImprintMotion {
    GrVec3 centre; ///< [m]
    GrVec3 axle;   ///< unit, to the left
    double angle;  ///< rotation of the wheel, for its lugs [rad]
    bool down;     ///< it is in soil
} GrImprintMotion;

/// Target of imprints, and the memory to make them.
typedef struct GrImprint {
    const GrScmBody *body;
    GrRuts *ruts;
    GrScmScratch *scratch;
    GrScmNodes nodes; ///< memory, with room for GrScmBody::node_max
    GrScmLedger *ledger;
} GrImprint;

/// Presses a wheel at rest, which does not dig: slip sinkage is part of the law that gave the sinkage. What it
/// displaces rises beside and before it, seen along the pose's velocity, but for the share `thrown`, 0 … 1, which rises
/// behind it, where its rim drags it.
void gr_imprint_press(const GrImprint *imprint, const GrScmPose *pose, double thrown);

/// The pose of a wheel, at rest.
GrScmPose gr_imprint_pose(const GrImprintMotion *motion);

GrRutSampling gr_imprint_sampling(const GrScmBody *body);

/// Most tiles that a step of up to one reach can need.
int gr_imprint_tiles(const GrScmBody *body);

/// Extends a track to the end of a step, and presses the part that the wheel has left behind.
void gr_imprint_advance(GrImprint *imprint, GrRutTrack *track, const GrImprintMotion *motion);

/// Presses the rest of the track, for example when the wheel is lifted.
void gr_imprint_finish(GrImprint *imprint, GrRutTrack *track);

#endif
