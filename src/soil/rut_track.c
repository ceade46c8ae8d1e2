#include "rut_track.h"

#include <math.h>
#include <stddef.h>

/// Number of points over one reach.
static const double POINTS_A_REACH = 16;

GrRutSampling gr_rut_sampling(double tip, double cell)
{
    return (GrRutSampling){tip + cell, (tip + cell) / POINTS_A_REACH};
}

GrRutPoint gr_rut_point_between(const GrRutPoint *a, const GrRutPoint *b, double t)
{
    const double x = a->ahead_x + t * (b->ahead_x - a->ahead_x), y = a->ahead_y + t * (b->ahead_y - a->ahead_y);
    const double length = sqrt(x * x + y * y);
    return (GrRutPoint){
        .x = a->x + t * (b->x - a->x),
        .y = a->y + t * (b->y - a->y),
        .ahead_x = length > 0 ? x / length : a->ahead_x,
        .ahead_y = length > 0 ? y / length : a->ahead_y,
        .left = {a->left[0] + t * (b->left[0] - a->left[0]), a->left[1] + t * (b->left[1] - a->left[1])},
        .angle = a->angle + t * (b->angle - a->angle),
        .joined = 1,
    };
}

static GrRutPoint *point_at(GrRutTrack *track, int64_t k)
{
    return &track->points[(track->first + k) % GR_RUT_POINTS];
}

/// Stamps the oldest point and the segment to the next, and removes it.
static int leave_oldest(GrRutTrack *track, GrRutLeaveFn leave, void *context)
{
    const GrRutPoint *a = point_at(track, 0), *b = point_at(track, 1);
    const int flags = leave(context, a, track->count > 1 && b->joined ? b : NULL);
    track->first = (track->first + 1) % GR_RUT_POINTS;
    track->count--;
    return flags;
}

/// A wheel that moves to and fro may fill the ring within its own reach; then the oldest point is stamped anyway.
static int push(GrRutTrack *track, const GrRutPoint *point, GrRutLeaveFn leave, void *context)
{
    const int flags = track->count == GR_RUT_POINTS ? leave_oldest(track, leave, context) : 0;
    *point_at(track, track->count++) = *point;
    return flags;
}

/// Fraction of the segment from a to b at which the distance from `last` reaches `spacing`; above 1 when it does not.
static double next_point(const GrRutPoint *last, const GrRutPoint *a, const GrRutPoint *b, double spacing)
{
    const double x = a->x - last->x, y = a->y - last->y, dx = b->x - a->x, dy = b->y - a->y;
    const double square = dx * dx + dy * dy, along = x * dx + y * dy, short_by = spacing * spacing - x * x - y * y;
    if (!(square > 0)) {
        return 2;
    }
    return (-along + sqrt(fmax(0, along * along + square * short_by))) / square;
}

/// Adds points at even spacings along the path to `to`, independently of the steps.
static int walk(GrRutTrack *track, const GrRutSampling *sampling, const GrRutPoint *to, GrRutLeaveFn leave,
                void *context)
{
    GrRutPoint from = track->now;
    int flags = 0;
    for (;;) {
        const double t = next_point(point_at(track, track->count - 1), &from, to, sampling->spacing);
        if (!(t <= 1)) {
            return flags;
        }
        from = gr_rut_point_between(&from, to, fmax(0, t));
        flags |= push(track, &from, leave, context);
    }
}

static int release(GrRutTrack *track, const GrRutSampling *sampling, const GrRutPoint *at, GrRutLeaveFn leave,
                   void *context)
{
    int flags = 0;
    while (track->count > 1) {
        const GrRutPoint *end = point_at(track, 1);
        const double x = end->x - at->x, y = end->y - at->y;
        if (end->joined && x * x + y * y < sampling->reach * sampling->reach) {
            break;
        }
        flags |= leave_oldest(track, leave, context);
    }
    return flags;
}

int gr_rut_track_advance(GrRutTrack *track, const GrRutSampling *sampling, const GrRutPoint *to, bool down,
                         GrRutLeaveFn leave, void *context)
{
    int flags = 0;
    if (down) {
        const double dx = to->x - track->now.x, dy = to->y - track->now.y;
        const bool near = dx * dx + dy * dy < sampling->reach * sampling->reach; // otherwise it was placed elsewhere
        flags = track->down && near ? walk(track, sampling, to, leave, context) : push(track, to, leave, context);
        track->now = *to;
    }
    track->down = down;
    return flags | release(track, sampling, to, leave, context);
}

int gr_rut_track_finish(GrRutTrack *track, GrRutLeaveFn leave, void *context)
{
    int flags = 0;
    if (track->count > 0 && track->down) { // the last segment ends at the wheel
        GrRutPoint end = track->now;
        end.joined = 1;
        flags = push(track, &end, leave, context);
    }
    while (track->count > 0) {
        flags |= leave_oldest(track, leave, context);
    }
    track->down = 0;
    return flags;
}
