/// The trace of a wheel on a grid of ruts (Ka24).
///
/// Along the track, as a function of the wheel's rotation φ when it passed (one of N grousers is at the bottom at
/// φ = 0):
///
///     Z = μ(F_z, s) − A(F_z, s)/2 · cos(N φ)        crests are 2πr(1 − s)/N apart
///     z(y) = sign(Z) min(|Z|, (b/2 − |y|) tan θ)    trapezoid, walls at the angle of repose
///
///      −b/2            b/2
///     ───┐\            /┌─── ground before
///          \__________/      depth Z
///
/// The height of a node is set to the minimum of its present height and the wheel's, never added to, so that it depends
/// neither on the length of a step nor on a wheel that spins on the spot. A wheel does not stand in its own fresh
/// trace, since the laws measure sinkage from undisturbed ground: the trace appears one radius behind it.
#ifndef GR_TRACE_WHEEL_H
#define GR_TRACE_WHEEL_H

#include "grouser/soil.h"
#include "grouser/terrain.h"
#include "grouser/trace.h"
#include "rut_track.h"

enum {
    GR_TRACE_LIGHT = 1, ///< the load is below those of the regression
    GR_TRACE_HEAVY = 2, ///< the load is above those of the regression
    GR_TRACE_FULL = 4,  ///< no free tile for a node
};

/// A number of GrTraceDef as given in files.
typedef struct GrTraceField {
    const char *key;
    size_t offset; ///< in GrTraceDef
    double lower, upper;
    bool open;     ///< `lower` itself is not allowed
    bool required; ///< a file must give it
} GrTraceField;

/// NULL beyond the last.
const GrTraceField *gr_trace_field(int index);
double gr_trace_field_get(const GrTraceDef *def, const GrTraceField *field);
void gr_trace_field_set(GrTraceDef *def, const GrTraceField *field, double value);

/// A regression prepared for a wheel.
typedef struct GrTraceWheel {
    GrTraceDef def;
    double by_load;    ///< ratio of the tested wheel's load to the load of this one, at equal relative sinkage
    double by_length;  ///< ratio of the radius to that of the tested wheel
    double by_grouser; ///< ratio of the grouser heights; 0: none
    double grousers;   ///< N
    double half_width; ///< [m]
    double tan_repose; ///< slope of the walls
    GrRutSampling sampling;
} GrTraceWheel;

/// A wheel at the end of a step.
typedef struct GrTraceMotion {
    GrVec3 point;  ///< on the ground, below the wheel's middle [m]
    GrVec3 ahead;  ///< forward, in the contact plane
    GrVec3 normal; ///< of the ground, upward
    double angle;  ///< rotation of the wheel [rad], forward > 0
    double load;   ///< normal force [N]; ≤ 0: in the air
    double slip;
} GrTraceMotion;

typedef struct GrTraceShape {
    double mean, swing; ///< μ < 0 below the ground, A [m]
    int flags;          ///< GR_TRACE_…
} GrTraceShape;

/// `cell`: spacing of the ruts' nodes [m].
void gr_trace_prepare(const GrTraceDef *def, const GrSoilDef *soil, const GrSoilWheelDef *wheel, double cell,
                      GrTraceWheel *out);

/// μ and A of a wheel. A wheel other than the tested one, or another gravity, is compared at equal F_z/(ρ g b r²), the
/// similarity of cohesionless soil: lengths then scale with the radius, and A with the height of the grousers, which it
/// never exceeds. Below the lightest load both decrease to 0 with the load.
GrTraceShape gr_trace_shape(const GrTraceWheel *w, double load, double slip);

/// Most tiles that a call of gr_trace_advance() can need, for steps of up to two spacings.
int gr_trace_tiles(const GrTraceWheel *w, double cell);

/// Extends a track to the end of a step and stamps the part that the wheel has left behind into the ruts. Returns
/// flags.
int gr_trace_advance(const GrTraceWheel *w, GrRutTrack *track, const GrTraceMotion *motion, GrRuts *ruts);

/// Stamps the rest of the track, for example when the wheel is lifted. Returns flags.
int gr_trace_finish(const GrTraceWheel *w, GrRutTrack *track, GrRuts *ruts);

#endif
