/// The skyline of a terrain from any place on it, and how much of a disc in the sky stands above it.
///
/// A march in the direction of the disc finds the skyline: in a coarse copy of the whole terrain, and near the rover in
/// the terrain's own nodes, which are in memory there.
#ifndef GR_OUTLOOK_H
#define GR_OUTLOOK_H

#include "grouser/sky.h"
#include "grouser/terrain.h"

typedef struct GrOutlook GrOutlook;

/// `body` gives the curvature where the terrain does not. The terrain must outlive it.
GrStatus gr_outlook_open(const GrTerrain *terrain, GrSkyBody body, GrOutlook **out, GrErrorLog *log);
void gr_outlook_close(GrOutlook *outlook);

/// Share of a disc above the ground that is further than `from` [m] away; NULL: a plain.
double gr_outlook_share(const GrOutlook *outlook, GrVec3 at, double from, const GrSkyView *view);

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
