/// Whether one point on a map sees another: the line between them clears the ground.
#ifndef GR_SIGHT_H
#define GR_SIGHT_H

#include "grouser/terrain.h"

/// Heights of a grid, [ny][nx] from the south; NAN: no data, which hides nothing.
typedef struct GrSightMap {
    GrGridFrame frame;
    const float *heights;
    double radius; ///< of the body [m]; INFINITY: flat
} GrSightMap;

/// Height by bilinear interpolation; NAN off the map or without data.
double gr_sight_height(const GrSightMap *map, double x, double y);

/// Both points are absolute: x, y, z. Ground is looked at twice a cell.
bool gr_sight_clear(const GrSightMap *map, GrVec3 from, GrVec3 to);

#endif
