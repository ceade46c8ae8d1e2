/// Where the rover was: at most GR_TRACK_MAX points, however long the run; when they are used up every other one goes.
#ifndef GR_TRACK_H
#define GR_TRACK_H

#include "grouser/vec.h"

enum { GR_TRACK_MAX = 1024 };

/// Zero-initialise.
typedef struct GrTrack {
    GrVec3 points[GR_TRACK_MAX];
    double values[GR_TRACK_MAX]; ///< something to colour it by
    int count;
    double spacing; ///< between points [m]; 0 at first
} GrTrack;

void gr_track_add(GrTrack *track, GrVec3 point, double value);

#endif
