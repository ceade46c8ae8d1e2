/// The imprint of a wheel in a grid of ruts, whatever law gave its force: the wheel's shape, where the law let it sink,
/// presses the nodes as SCM does.
///
///     s ← max(s, (1 − ρ)(s + p)),  surface down by as much        p: depth of the wheel's surface below the soil's
///
/// with the plastic sinkage s that a node remembers and the part ρ that springs back. A node keeps the deepest of all
/// places of the wheel: neither the step nor standing still changes it. Displaced soil rises and slumps where the
/// body's flow is on. The imprint appears one reach behind the wheel (rut_track.h).
#ifndef GR_IMPRINT_H
#define GR_IMPRINT_H

#include "rut_track.h"
#include "scm.h"

/// A wheel at the end of a step.
typedef struct GrImprintMotion {
    GrVec3 centre; ///< [m]
    GrVec3 axle;   ///< unit, to the left
    double angle;  ///< that the wheel has turned, for its lugs [rad]
    bool down;     ///< it stands in soil
} GrImprintMotion;

/// Where imprints go, and what they need to be made.
typedef struct GrImprint {
    const GrScmBody *body;
    GrRuts *ruts;
    GrScmScratch *scratch;
    GrScmNode *nodes; ///< room for GrScmBody::node_max
    GrScmLedger *ledger;
} GrImprint;

GrRutWay gr_imprint_way(const GrScmBody *body);

/// Tiles that a step of up to one reach may ask for at most.
int gr_imprint_tiles(const GrScmBody *body);

/// Carries a track on to the end of a step, and presses what the wheel has come away from.
void gr_imprint_advance(GrImprint *imprint, GrRutTrack *track, const GrImprintMotion *motion);

/// Presses all that is still remembered, as when the wheel is lifted away.
void gr_imprint_finish(GrImprint *imprint, GrRutTrack *track);

#endif
