/// The queries of a simulation's step: point, line and patch, with and without ruts.
#include "ruts.h"
#include "terrain.h"

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

/// Share of a layer at a point, with its slope: product of the steps from the four borders. False outside.
static inline bool layer_weight(const GrLayer *layer, double x, double y, GrSlope *weight)
{
    const double u = (x - layer->def.frame.x0) * layer->per_dx;
    const double v = (y - layer->def.frame.y0) * layer->per_dy;
    if (!(u >= 0 && v >= 0 && u <= layer->cells_x && v <= layer->cells_y)) {
        return false;
    }
    *weight = (GrSlope){1, 0, 0};
    const double margin = layer->def.margin;
    if (margin > 0) {
        const double width = layer->cells_x * layer->def.frame.dx, height = layer->cells_y * layer->def.frame.dy;
        const double east = x - layer->def.frame.x0, north = y - layer->def.frame.y0;
        double dx, dy;
        const bool near_west = east < width - east, near_south = north < height - north;
        const double wx = smooth_step((near_west ? east : width - east) / margin, &dx);
        const double wy = smooth_step((near_south ? north : height - north) / margin, &dy);
        *weight = (GrSlope){wx * wy, (near_west ? dx : -dx) / margin * wy, (near_south ? dy : -dy) / margin * wx};
    }
    return true;
}

static inline GrGround layer_slope(const GrLayer *layer, double x, double y, GrSlope *out)
{
    const double u = (x - layer->def.frame.x0) * layer->per_dx;
    const double v = (y - layer->def.frame.y0) * layer->per_dy;
    int64_t i = (int64_t)u, j = (int64_t)v;
    // The last node belongs to the last cell.
    i -= (double)i >= layer->cells_x;
    j -= (double)j >= layer->cells_y;
    const double *nodes = gr_tiles_find(&layer->tiles, gr_tile_key(i >> GR_TILE_SHIFT, j >> GR_TILE_SHIFT));
    if (nodes == NULL) {
        return GR_GROUND_NOT_LOADED;
    }
    const int64_t ti = i & (GR_TILE_CELLS - 1), tj = j & (GR_TILE_CELLS - 1);
    *out = gr_interpolate(layer->def.interpolation, nodes + (tj + 1) * GR_TILE_STRIDE + ti + 1, GR_TILE_STRIDE,
                          u - (double)i, v - (double)j, layer->per_dx, layer->per_dy);
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

GrGround gr_terrain_slope(const GrTerrain *terrain, double x, double y, GrSlope *out)
{
    *out = (GrSlope){NAN, NAN, NAN};
    // From the top down to the layer that hides all below it.
    GrSlope weights[GR_MAX_LAYERS];
    unsigned present = 0;
    int lowest = -1;
    for (int k = terrain->layer_count - 1; k >= 0; k--) {
        const GrLayer *layer = &terrain->layers[k];
        if (!layer_weight(layer, x, y, &weights[k]) || weights[k].z == 0) {
            continue;
        }
        present |= 1u << k;
        if (layer->def.mode == GR_LAYER_REPLACE) {
            lowest = k;
            if (weights[k].z == 1) {
                break;
            }
        }
    }
    if (lowest < 0) {
        return GR_GROUND_OUTSIDE;
    }
    GrSlope total = {0, 0, 0};
    for (int k = lowest; k < terrain->layer_count; k++) {
        if ((present >> k & 1u) == 0) {
            continue;
        }
        GrSlope slope;
        const GrGround found = layer_slope(&terrain->layers[k], x, y, &slope);
        if (found != GR_GROUND_OK) {
            return found;
        }
        // With nothing below it, a border has nothing to blend with.
        const GrSlope weight = k == lowest ? (GrSlope){1, 0, 0} : weights[k];
        blend(&total, weight, slope, terrain->layers[k].def.mode == GR_LAYER_REPLACE);
    }
    *out = total;
    return GR_GROUND_OK;
}

static inline GrVec3 normal_of(GrSlope slope)
{
    const double scale = 1 / sqrt(1 + slope.gx * slope.gx + slope.gy * slope.gy);
    return gr_vec3(-slope.gx * scale, -slope.gy * scale, scale);
}

static inline GrGround ground_slope(const GrTerrain *terrain, const GrRuts *ruts, double x, double y, GrSlope *out)
{
    const GrGround found = gr_terrain_slope(terrain, x, y, out);
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
    const GrGround found = gr_terrain_slope(terrain, x, y, &slope);
    *z = slope.z;
    *normal = normal_of(slope);
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
