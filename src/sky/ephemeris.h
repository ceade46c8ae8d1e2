/// Places of Sun and Earth as seen from the middle of the Moon or of Mars, and how these bodies are turned.
#ifndef GR_EPHEMERIS_H
#define GR_EPHEMERIS_H

#include "grouser/sky.h"

/// A body at an instant. Vectors are in the International Celestial Reference Frame [m].
typedef struct GrEphemeris {
    GrVec3 sun, earth; ///< from the middle of the body
    GrVec3 motion;     ///< of the body around the Sun [m/s]; Mars only
    GrVec3 x, y, z;    ///< axes of the body: z its pole, x in the prime meridian
} GrEphemeris;

/// `days`: since 2000-01-01T12:00:00 UTC. False in a build without liberfa.
bool gr_ephemeris(GrSkyBody body, double days, GrEphemeris *out);

#endif
