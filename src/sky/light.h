/// Light on a map over a time: for every node the mean share of the Sun's disc in sight, and the longest night.
#ifndef GR_LIGHT_H
#define GR_LIGHT_H

#include "horizon.h"

typedef struct GrLightDef {
    const GrHorizon *horizon;
    GrSkyView *views; ///< [count], `interval` apart
    int count;        ///< 1 or more
    double interval;  ///< [s] > 0
    int threads;      ///< 0: all processors
} GrLightDef;

/// Maps [ny][nx] from the south; NAN without data.
typedef struct GrLight {
    float *share; ///< mean share of the disc in sight, 0 to 1
    float *night; ///< longest time without any of it [s]
} GrLight;

/// Views from `start` on, at times [s] of the Sun's definition.
GrStatus gr_light_views(const GrSunDef *sun, GrSkyTarget target, double start, GrLightDef *def, GrErrorLog *log);

GrStatus gr_light_make(const GrLightDef *def, GrLight *out, GrErrorLog *log);
void gr_light_free(GrLight *light);

/// Looks over `around`, which must be in memory, from the corners of `fields` x `fields` equal parts of the map, beyond
/// its borders. `heights` is the map itself. Frame and terrain have the same coordinates. Free the points with
/// gr_free().
GrStatus gr_far_view_make(const GrTerrain *around, const GrHorizonDef *map, int fields, GrFarView *out,
                          GrErrorLog *log);

#endif
