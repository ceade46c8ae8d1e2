#include "track.h"

#include "elementary.h"

#include <math.h>

static const double FINEST_SPACING = 0.01; // [m]

void gr_track_add(GrTrack *track, GrVec3 point, double value)
{
    if (track->count > 0) {
        const GrVec3 *last = &track->points[track->count - 1];
        const double gone = gr_hypot(gr_hypot(point.x - last->x, point.y - last->y), point.z - last->z);
        if (!(gone >= fmax(track->spacing, FINEST_SPACING))) { // also for NaN
            return;
        }
    }
    if (track->count == GR_TRACK_MAX) {
        for (int i = 0; 2 * i < GR_TRACK_MAX; i++) {
            track->points[i] = track->points[2 * i];
            track->values[i] = track->values[2 * i];
        }
        track->count = GR_TRACK_MAX / 2;
        track->spacing = 2 * fmax(track->spacing, FINEST_SPACING);
    }
    track->points[track->count] = point;
    track->values[track->count++] = value;
}
