/// Discs above a horizon, and maps of horizons.
#ifndef GR_HORIZON_H
#define GR_HORIZON_H

#include "grouser/sky.h"
#include "grouser/terrain.h"

#include <stdint.h>

/// Elevation of the horizon by azimuth, both [rad].
typedef double (*GrHorizonFn)(const void *context, double azimuth);

/// Share of the disc's area above the horizon, 0 to 1. The horizon is asked at 15 azimuths across the disc, as Gauss's
/// rule for a circle chooses them; a straight horizon gives the share to 0.002.
double gr_disc_share(const GrSkyView *view, GrHorizonFn horizon, const void *context);

// Horizon maps: the elevation of the terrain's skyline around every node of a grid, by azimuth.
//
// For each azimuth the grid is swept along parallel lines, from the far end to the near one, with the upper convex
// hull of what lies ahead on a stack: the skyline of a node is the tangent from it to the hull of the line that passes
// nearest, at most an eighth of a cell beside it. The next twelve cells are looked at one by one on the node's own
// line, where that would matter. The time grows with the number of nodes, not with the distance that is seen.
// Curvature of the body lowers what is far: by d²/2R at the distance d. Beyond the map, and what is known to lie
// around it, there is a plain at the height of the lowest node.
//
// Azimuths are independent, so that results do not depend on the number of threads.

/// The highest point beyond the map that is seen from near a node of a coarse grid, in one azimuth.
typedef struct GrFarPoint {
    double distance; ///< [m]; 0: there is none
    double height;   ///< [m]
} GrFarPoint;

/// What lies beyond the map, seen from the corners of `columns` x `rows` equal fields.
typedef struct GrFarView {
    int columns, rows;
    GrFarPoint *points; ///< [azimuth][rows + 1][columns + 1]
} GrFarView;

typedef struct GrHorizonDef {
    GrGridFrame frame;
    const float *heights; ///< [ny][nx] from the south; NAN: no data, which hides nothing
    int azimuths;         ///< 4 .. 3600, the first one is north, clockwise
    double eye;           ///< height of the observer above the ground [m] ≥ 0
    double radius;        ///< of the body [m]; INFINITY: flat
    int threads;          ///< 0: all processors
    const GrFarView *far; ///< NULL: nothing beyond the map
} GrHorizonDef;

/// Stored in units of GR_HORIZON_UNIT; GR_HORIZON_VOID: the node has no data.
typedef struct GrHorizon {
    GrGridFrame frame;
    int azimuths;
    int16_t *angles; ///< [azimuth][ny][nx]; elevation of the skyline
} GrHorizon;

#define GR_HORIZON_UNIT (0.005 * GR_DEGREE) ///< [rad]
#define GR_HORIZON_VOID INT16_MIN

GrStatus gr_horizon_make(const GrHorizonDef *def, GrHorizon *out, GrErrorLog *log);
void gr_horizon_free(GrHorizon *horizon);

/// Elevation of the skyline of a node in any azimuth [rad], linear between the stored ones; NAN without data.
double gr_horizon_at(const GrHorizon *horizon, int64_t i, int64_t j, double azimuth);

/// Share of a disc that a node sees; 0 without data.
double gr_horizon_share(const GrHorizon *horizon, int64_t i, int64_t j, const GrSkyView *view);

#endif
