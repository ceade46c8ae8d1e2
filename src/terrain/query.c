/// Terrain queries of a simulation step: point, line and patch, with and without ruts.
#include "ruts.h"
#include "terrain_data.h"

#include "vec3.h"

/// Cubic step from 0 at t ≤ 0 to 1 at t ≥ 1 and its derivative: 3 t² − 2 t³, C1.
static inline double smooth_step(double t, double *derivative)
{
    if (t >= 1) {
        *derivative = 0;
        return 1;
    }
    *derivative = 6 * t * (1 - t);
    return t * t * (3 - 2 * t);
}

/// Position of a point in units of a layer's cells.
typedef struct Place {
    double u, v;
} Place;

static inline bool find_place(const GrLayer *layer, double x, double y, Place *p)
{
    p->u = (x - layer->def.frame.x0) * layer->per_dx;
    p->v = (y - layer->def.frame.y0) * layer->per_dy;
    return p->u >= 0 && p->v >= 0 && p->u <= layer->cells_x && p->v <= layer->cells_y;
}

/// Weight of a layer with a margin at a point inside it, and the weight's slope: product of the smooth steps from the
/// four borders.
static GrSlope margin_weight(const GrLayer *layer, Place p)
{
    const double margin = layer->def.margin;
    const double width = layer->cells_x * layer->def.frame.dx, height = layer->cells_y * layer->def.frame.dy;
    const double east = p.u * layer->def.frame.dx, north = p.v * layer->def.frame.dy;
    double dx, dy;
    const bool near_west = east < width - east, near_south = north < height - north;
    const double wx = smooth_step((near_west ? east : width - east) / margin, &dx);
    const double wy = smooth_step((near_south ? north : height - north) / margin, &dy);
    return (GrSlope){wx * wy, (near_west ? dx : -dx) / margin * wy, (near_south ? dy : -dy) / margin * wx};
}

/// Cell of a place, from its south-west node; u and v are in [0, 1].
typedef struct Cell {
    uint64_t tile;
    ptrdiff_t node; ///< in the tile
} Cell;

static inline Cell find_cell(const GrLayer *layer, Place *p)
{
    int64_t i = (int64_t)p->u, j = (int64_t)p->v;
    // The last node belongs to the last cell.
    i -= (double)i >= layer->cells_x;
    j -= (double)j >= layer->cells_y;
    p->u -= (double)i;
    p->v -= (double)j;
    const int64_t ti = i & (GR_TILE_CELLS - 1), tj = j & (GR_TILE_CELLS - 1);
    return (Cell){gr_tile_key(i >> GR_TILE_SHIFT, j >> GR_TILE_SHIFT), (tj + 1) * GR_TILE_STRIDE + ti + 1};
}

static inline GrGround layer_slope(const GrLayer *layer, Place p, GrSlope *out)
{
    const Cell cell = find_cell(layer, &p);
    const double *nodes = gr_tiles_find(&layer->tiles, cell.tile);
    if (nodes == NULL) {
        return GR_GROUND_NOT_LOADED;
    }
    *out = gr_interpolate(layer->def.interpolation, nodes + cell.node, GR_TILE_STRIDE, p.u, p.v, layer->per_dx,
                          layer->per_dy);
    return isnan(out->z) ? GR_GROUND_VOID : GR_GROUND_OK;
}

/// z ← z + w (z_layer − z) where a layer replaces, z ← z + w z_layer where it adds; slopes by the product rule.
static inline void blend(GrSlope *total, GrSlope weight, GrSlope layer, bool replace)
{
    const double z = replace ? layer.z - total->z : layer.z;
    const double gx = replace ? layer.gx - total->gx : layer.gx;
    const double gy = replace ? layer.gy - total->gy : layer.gy;
    total->gx += weight.z * gx + weight.gx * z;
    total->gy += weight.z * gy + weight.gy * z;
    total->z += weight.z * z;
}

/// Layers [lowest, top] at a point, from below; `present` has a bit for each that contributes there.
static GrGround blend_layers(const GrTerrain *terrain, int lowest, unsigned present, double x, double y, GrSlope *out)
{
    GrSlope total = {0, 0, 0};
    for (int k = lowest; k < terrain->layer_count; k++) {
        const GrLayer *layer = &terrain->layers[k];
        Place place;
        if ((present >> k & 1u) == 0 || !find_place(layer, x, y, &place)) {
            continue;
        }
        GrSlope slope, weight = {1, 0, 0};
        const GrGround found = layer_slope(layer, place, &slope);
        if (found != GR_GROUND_OK) {
            return found;
        }
        // The lowest layer has nothing below to blend with.
        if (k > lowest && layer->def.margin > 0) {
            weight = margin_weight(layer, place);
        }
        blend(&total, weight, slope, layer->def.mode == GR_LAYER_REPLACE);
    }
    *out = total;
    return GR_GROUND_OK;
}

/// The only layer that contributes at a point, which is nearly always the case, and the point in it; NULL: none or
/// several contribute.
static inline const GrLayer *find_sole_layer(const GrTerrain *terrain, double x, double y, Place *place)
{
    for (int k = terrain->layer_count - 1; k >= 0; k--) {
        const GrLayer *layer = &terrain->layers[k];
        if (find_place(layer, x, y, place)) {
            const bool whole = layer->def.margin == 0 || margin_weight(layer, *place).z == 1;
            return whole && layer->def.mode == GR_LAYER_REPLACE ? layer : NULL;
        }
    }
    return NULL;
}

/// Ground at a point from several layers, or only from those that are soil.
static GrGround layers_slope(const GrTerrain *terrain, bool soil_only, double x, double y, GrSlope *out)
{
    // Go down to the topmost layer that hides all below it.
    unsigned present = 0;
    int lowest = -1;
    for (int k = terrain->layer_count - 1; k >= 0; k--) {
        const GrLayer *layer = &terrain->layers[k];
        Place place;
        if ((soil_only && layer->def.rigid) || !find_place(layer, x, y, &place)) {
            continue;
        }
        const bool whole = layer->def.margin == 0 || margin_weight(layer, place).z == 1;
        const bool replaces = layer->def.mode == GR_LAYER_REPLACE;
        present |= 1u << k;
        lowest = replaces ? k : lowest;
        if (whole && replaces) {
            break;
        }
    }
    return lowest < 0 ? GR_GROUND_OUTSIDE : blend_layers(terrain, lowest, present, x, y, out);
}

static inline GrGround terrain_slope(const GrTerrain *terrain, double x, double y, GrSlope *out)
{
    Place place;
    const GrLayer *layer = find_sole_layer(terrain, x, y, &place);
    const GrGround found = layer != NULL ? layer_slope(layer, place, out) : layers_slope(terrain, false, x, y, out);
    if (found != GR_GROUND_OK) {
        *out = (GrSlope){NAN, NAN, NAN};
    }
    return found;
}

GrGround gr_terrain_slope(const GrTerrain *terrain, double x, double y, GrSlope *out)
{
    return terrain_slope(terrain, x, y, out);
}

static inline GrVec3 normal_of(GrSlope slope)
{
    const double scale = 1 / sqrt(1 + slope.gx * slope.gx + slope.gy * slope.gy);
    return gr_vec3(-slope.gx * scale, -slope.gy * scale, scale);
}

static inline GrGround ground_slope(const GrTerrain *terrain, const GrRuts *ruts, double x, double y, GrSlope *out)
{
    const GrGround found = terrain_slope(terrain, x, y, out);
    if (ruts != NULL && found == GR_GROUND_OK) {
        const GrSlope change = gr_ruts_slope(ruts, x, y);
        *out = (GrSlope){out->z + change.z, out->gx + change.gx, out->gy + change.gy};
    }
    return found;
}

GrGround gr_terrain_height(const GrTerrain *terrain, double x, double y, double *z)
{
    return gr_ground_height(terrain, NULL, x, y, z);
}

GrGround gr_terrain_height_normal(const GrTerrain *terrain, double x, double y, double *z, GrVec3 *normal)
{
    GrSlope slope;
    const GrGround found = terrain_slope(terrain, x, y, &slope);
    *z = slope.z;
    *normal = normal_of(slope);
    return found;
}

GrGround gr_terrain_soil_normal(const GrTerrain *terrain, double x, double y, double *z, GrVec3 *normal)
{
    GrSlope slope = {NAN, NAN, NAN};
    const GrGround found = layers_slope(terrain, true, x, y, &slope);
    *z = slope.z;
    *normal = normal_of(slope);
    return found;
}

enum { FEW_POINTS = 4 };

/// The cells of up to FEW_POINTS points; false when one of them is not in a single bicubic layer, or its tile is not in
/// memory.
static bool find_few(const GrTerrain *terrain, int count, const GrVec3 *points, Place *places, const double **nodes)
{
    const GrLayer *last = NULL;
    const double *tile_nodes = NULL;
    uint64_t tile = GR_TILE_NO_KEY;
    for (int k = 0; k < count; k++) {
        const GrLayer *layer = find_sole_layer(terrain, points[k].x, points[k].y, &places[k]);
        if (layer == NULL || layer->def.interpolation != GR_BICUBIC) {
            return false;
        }
        const Cell cell = find_cell(layer, &places[k]);
        if (layer != last || cell.tile != tile) { // usually all are in one tile
            last = layer;
            tile = cell.tile;
            tile_nodes = gr_tiles_find(&layer->tiles, tile);
        }
        if (tile_nodes == NULL) {
            return false;
        }
        nodes[k] = tile_nodes + cell.node;
    }
    return true;
}

/// Finds all cells before all heights, so that their memory accesses overlap.
static bool drop_few(const GrTerrain *terrain, int count, GrVec3 *points)
{
    Place places[FEW_POINTS];
    const double *nodes[FEW_POINTS];
    bool found = true;
    if (find_few(terrain, count, points, places, nodes)) {
        for (int k = 0; k < count; k++) {
            points[k].z = gr_bicubic_height(nodes[k], GR_TILE_STRIDE, places[k].u, places[k].v);
            found = found && !isnan(points[k].z);
        }
        return found;
    }
    for (int k = 0; k < count; k++) {
        found = gr_terrain_height(terrain, points[k].x, points[k].y, &points[k].z) == GR_GROUND_OK && found;
    }
    return found;
}

bool gr_terrain_drop(const GrTerrain *terrain, int count, GrVec3 *points)
{
    bool found = true;
    for (int k = 0; k < count; k += FEW_POINTS) {
        found = drop_few(terrain, count - k < FEW_POINTS ? count - k : FEW_POINTS, points + k) && found;
    }
    return found;
}

GrGround gr_ground_height(const GrTerrain *terrain, const GrRuts *ruts, double x, double y, double *z)
{
    GrSlope slope;
    const GrGround found = ground_slope(terrain, ruts, x, y, &slope);
    *z = slope.z;
    return found;
}

GrGround gr_ground_height_normal(const GrTerrain *terrain, const GrRuts *ruts, double x, double y, double *z,
                                 GrVec3 *normal)
{
    GrSlope slope;
    const GrGround found = ground_slope(terrain, ruts, x, y, &slope);
    *z = slope.z;
    *normal = normal_of(slope);
    return found;
}

GrGround gr_ground_profile(const GrTerrain *terrain, const GrRuts *ruts, double x, double y, double step_x,
                           double step_y, int count, double *z, GrVec3 *normals)
{
    GrGround worst = GR_GROUND_OK;
    for (int k = 0; k < count; k++) {
        GrSlope slope;
        const GrGround found = ground_slope(terrain, ruts, x + k * step_x, y + k * step_y, &slope);
        worst = found > worst ? found : worst;
        z[k] = slope.z;
        if (normals != NULL) {
            normals[k] = normal_of(slope);
        }
    }
    return worst;
}

GrGround gr_ground_patch(const GrTerrain *terrain, const GrRuts *ruts, double x, double y, double cell, int nx, int ny,
                         double *z)
{
    GrGround worst = GR_GROUND_OK;
    for (int j = 0; j < ny; j++) {
        const GrGround found =
            gr_ground_profile(terrain, ruts, x, y + j * cell, cell, 0, nx, z + (ptrdiff_t)j * nx, NULL);
        worst = found > worst ? found : worst;
    }
    return worst;
}
