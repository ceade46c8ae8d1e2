/// The way of a wheel that leaves something behind: points at even distances, wherever steps end, kept until the wheel
/// is far enough away.
///
///     points   o---o---o---o---o--. now         spacing: reach/16
///              leave(a, b)        (wheel)
///              |<---- reach ----->|
///
/// Force laws measure sinkage from ground that is whole: a wheel must not stand in its own fresh rut, so what it leaves
/// appears one reach behind it. Because points lie by distance, what is left depends neither on the length of a step
/// nor on how long a wheel stands.
#ifndef GR_RUT_TRACK_H
#define GR_RUT_TRACK_H

#include <stdbool.h>
#include <stdint.h>

enum { GR_RUT_POINTS = 48 };

/// Where a wheel was.
typedef struct GrRutPoint {
    double x, y;             ///< of its middle [m]
    double ahead_x, ahead_y; ///< unit, horizontal
    double left[2];          ///< what it leaves: two numbers whose meaning is that of the kind of rut
    double angle;            ///< that it has turned [rad]
    int64_t joined;          ///< to the point before: 1, else 0
} GrRutPoint;

/// What a wheel left and is still too close to; zero: nothing. Plain data without gaps, to be copied, saved and hashed
/// as it is.
typedef struct GrRutTrack {
    GrRutPoint points[GR_RUT_POINTS]; ///< ring, oldest first
    GrRutPoint now;                   ///< at the end of the last step
    int64_t first, count;
    int64_t down; ///< 1: the wheel was on the ground
} GrRutTrack;

typedef struct GrRutWay {
    double reach;   ///< how far behind the wheel its rut appears [m]
    double spacing; ///< of the points [m]
} GrRutWay;

/// Leaves what belongs to point `a`, and to the way from it to `b`; NULL: the track ends at `a`. Returns flags.
typedef int (*GrRutLeaveFn)(void *context, const GrRutPoint *a, const GrRutPoint *b);

/// Of a wheel with this radius, over the tips of its lugs [m], on ruts with this cell [m].
GrRutWay gr_rut_way(double tip, double cell);

/// Between two points, at part t of the way.
GrRutPoint gr_rut_point_between(const GrRutPoint *a, const GrRutPoint *b, double t);

/// Carries a track on to the end of a step; a wheel that is not `down` has a place and no more. Returns the flags of
/// what was left.
int gr_rut_track_advance(GrRutTrack *track, const GrRutWay *way, const GrRutPoint *to, bool down, GrRutLeaveFn leave,
                         void *context);

/// Leaves all that is still remembered, as when the wheel is lifted away.
int gr_rut_track_finish(GrRutTrack *track, GrRutLeaveFn leave, void *context);

#endif
