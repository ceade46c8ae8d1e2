/// Track of the rover: at most GR_TRACK_MAX points, however long the run; when all are used, every other one is
/// dropped.
#ifndef GR_TRACK_H
#define GR_TRACK_H

#include "grouser/vec.h"

enum { GR_TRACK_MAX = 1024 };

/// Zero-initialise.
typedef struct GrTrack {
    GrVec3 points[GR_TRACK_MAX];
    double values[GR_TRACK_MAX]; ///< values that colour the track
    int count;
    double spacing; ///< between points [m]; 0 at first
} GrTrack;

void gr_track_add(GrTrack *track, GrVec3 point, double value);

#endif
