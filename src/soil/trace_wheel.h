/// The trace of a wheel on a grid of ruts (Ka24).
///
/// Along the track, at the angle φ that the wheel has turned while it passed (one grouser of N is at the bottom at
/// φ = 0):
///
///     Z = μ(F_z, s) − A(F_z, s)/2 · cos(N φ)        crests lie 2πr(1 − s)/N apart, as the wheel has turned
///     z(y) = sign(Z) min(|Z|, (b/2 − |y|) tan θ)    trapezoid, walls at the angle of repose
///
///      −b/2            b/2
///     ───┐\            /┌─── ground before
///          \__________/      depth Z
///
/// The height of a node is set to the lowest of what is there and what the wheel leaves, never added to: neither the
/// length of a step nor a wheel that stands and spins changes it. A wheel does not stand in its own fresh trace, since
/// the laws measure sinkage from ground that is whole: what it leaves appears one radius behind it.
#ifndef GR_TRACE_WHEEL_H
#define GR_TRACE_WHEEL_H

#include "grouser/soil.h"
#include "grouser/terrain.h"
#include "grouser/trace.h"
#include "rut_track.h"

enum {
    GR_TRACE_LIGHT = 1, ///< a load below those the regression was fitted to
    GR_TRACE_HEAVY = 2, ///< or above
    GR_TRACE_FULL = 4,  ///< no tile was left for a node
};

/// A number of GrTraceDef as files have it.
typedef struct GrTraceField {
    const char *key;
    size_t offset; ///< in GrTraceDef
    double lower, upper;
    bool open;     ///< `lower` itself is not allowed
    bool required; ///< a file must have it
} GrTraceField;

/// NULL beyond the last.
const GrTraceField *gr_trace_field(int index);
double gr_trace_field_get(const GrTraceDef *def, const GrTraceField *field);
void gr_trace_field_set(GrTraceDef *def, const GrTraceField *field, double value);

/// A regression made ready for a wheel.
typedef struct GrTraceWheel {
    GrTraceDef def;
    double by_load;    ///< load of the wheel that was tested over the load of this one, at like sinkage
    double by_length;  ///< radius over that of the wheel that was tested
    double by_grouser; ///< the same for the height of grousers; 0: none
    double grousers;   ///< N
    double half_width; ///< [m]
    double tan_repose; ///< slope of the walls
    GrRutWay way;
} GrTraceWheel;

/// A wheel at the end of a step.
typedef struct GrTraceMotion {
    GrVec3 point;  ///< on the ground, below the wheel's middle [m]
    GrVec3 ahead;  ///< forward, in the contact plane
    GrVec3 normal; ///< of the ground, upward
    double angle;  ///< that the wheel has turned [rad], forward > 0
    double load;   ///< normal force [N]; none, or less: in the air
    double slip;
} GrTraceMotion;

typedef struct GrTraceShape {
    double mean, swing; ///< μ < 0 below the ground, A [m]
    int flags;          ///< GR_TRACE_…
} GrTraceShape;

/// `cell`: spacing of the ruts' nodes [m].
void gr_trace_prepare(const GrTraceDef *def, const GrSoilDef *soil, const GrSoilWheelDef *wheel, double cell,
                      GrTraceWheel *out);

/// μ and A of a wheel. Another wheel than the one tested, or another gravity, is compared at like F_z/(ρ g b r²), as
/// cohesionless soil asks for: lengths then go with the radius, and A with the height of the grousers, of which it is
/// never more. Below the lightest load both go to 0 with the load.
GrTraceShape gr_trace_shape(const GrTraceWheel *w, double load, double slip);

/// Tiles that a call of gr_trace_advance() may need at most, for steps of up to two spacings.
int gr_trace_tiles(const GrTraceWheel *w, double cell);

/// Carries a track on to the end of a step and leaves in the ruts what the wheel has come away from. Returns flags.
int gr_trace_advance(const GrTraceWheel *w, GrRutTrack *track, const GrTraceMotion *motion, GrRuts *ruts);

/// Leaves all that is still remembered, as when the wheel is lifted away. Returns flags.
int gr_trace_finish(const GrTraceWheel *w, GrRutTrack *track, GrRuts *ruts);

#endif
