/// The recent path of a wheel that leaves a rut: points at even distances, independent of the steps, kept until the
/// wheel is far enough away.
///
///     points   o---o---o---o---o--. now         spacing: reach/16
///              leave(a, b)        (wheel)
///              |<---- reach ----->|
///
/// Force laws measure sinkage from undisturbed ground: a wheel must not stand in its own fresh rut, so the rut appears
/// one reach behind it. Since points are spaced by distance, the rut depends neither on the length of a step nor on how
/// long a wheel stands still.
#ifndef GR_RUT_TRACK_H
#define GR_RUT_TRACK_H

#include <stdbool.h>
#include <stdint.h>

enum { GR_RUT_POINTS = 48 };

/// A point of the path.
typedef struct GrRutPoint {
    double x, y;             ///< of its middle [m]
    double ahead_x, ahead_y; ///< unit, horizontal
    double left[2];          ///< two numbers of the rut, whose meaning depends on its kind
    double angle;            ///< rotation of the wheel [rad]
    int64_t joined;          ///< 1: connected to the point before, else 0
} GrRutPoint;

/// The part of the path that is not in the ruts yet; all zero: empty. Plain data without padding, to be copied, saved
/// and hashed as it is.
typedef struct GrRutTrack {
    GrRutPoint points[GR_RUT_POINTS]; ///< ring, oldest first
    GrRutPoint now;                   ///< at the end of the last step
    int64_t first, count;
    int64_t down; ///< 1: the wheel was on the ground
} GrRutTrack;

typedef struct GrRutSampling {
    double reach;   ///< distance behind the wheel at which its rut appears [m]
    double spacing; ///< of the points [m]
} GrRutSampling;

/// Stamps point `a` and the segment from it to `b`; NULL: the track ends at `a`. Returns flags.
typedef int (*GrRutLeaveFn)(void *context, const GrRutPoint *a, const GrRutPoint *b);

/// Reach and spacing for a wheel with radius `tip` over the tips of its lugs [m], on ruts with this cell [m].
GrRutSampling gr_rut_sampling(double tip, double cell);

/// Interpolates between two points at the fraction t.
GrRutPoint gr_rut_point_between(const GrRutPoint *a, const GrRutPoint *b, double t);

/// Extends a track to the end of a step; a wheel that is not `down` only updates its position. Returns the flags of
/// stamped segments.
int gr_rut_track_advance(GrRutTrack *track, const GrRutSampling *sampling, const GrRutPoint *to, bool down,
                         GrRutLeaveFn leave, void *context);

/// Stamps the rest of the track, for example when the wheel is lifted.
int gr_rut_track_finish(GrRutTrack *track, GrRutLeaveFn leave, void *context);

#endif
