/// Landers of the terrain's terms as rigid parts of the scene.
///
/// The term raises the ground, so that a rover is placed on the deck. Boxes whose upper faces lie in that ground carry
/// the wheels there: where something rigid carries a wheel, the soil does not.
#include "lander.h"

#include "grouser/assets.h"
#include "text.h"
#include "vec3.h"

#include <math.h>

/// Parameters of the term, in its order.
enum { LENGTH, WIDTH, HEIGHT, RAMP, TRACK, GAP, TOWARD, X, Y, VALUES };

/// Thickness of a ramp, and how far the deck reaches into the ground [m].
static const double PLATE = 0.1;

/// Cells across a ramp's track. Interpolation rounds the made ground off within two cells of an edge, where soil can
/// lie above the ramp; half of the track is left then.
static const double CELLS_ACROSS = 8;

static bool add_box(GrSceneDef *scene, GrVec3 size, GrPose lander, GrVec3 position, GrQuat rotation)
{
    GrPartDef part = gr_default_part_def();
    part.shape.kind = GR_SHAPE_BOX;
    part.shape.size = size;
    gr_text_copy(part.shape.group, sizeof part.shape.group, GR_LANDER_GROUP);
    part.pose = gr_pose_mul(lander, (GrPose){position, rotation});
    return gr_scene_add_part(scene, &part) >= 0;
}

/// One track of a ramp, in front (`end` = 1) or behind (−1), left (`side` = 1) or right (−1).
static bool add_track(GrSceneDef *scene, GrPose lander, const double *v, double end, double side)
{
    const double slope = v[RAMP] * GR_DEGREE, run = v[HEIGHT] / tan(slope);
    const GrVec3 middle = {end * 0.5 * (v[LENGTH] + run), side * 0.5 * (v[GAP] + v[TRACK]), -0.5 * v[HEIGHT]};
    const GrVec3 normal = {end * sin(slope), 0, cos(slope)};
    return add_box(scene, gr_vec3(run / cos(slope), v[TRACK], PLATE), lander, gr_madd(middle, -0.5 * PLATE, normal),
                   gr_quat_axis_angle(gr_vec3(0, 1, 0), end * slope));
}

static GrStatus add_lander(const double *v, GrTerrain *terrain, GrSceneDef *scene, GrErrorLog *log)
{
    const double cell = 1; // around the middle, whose height is needed here [m]
    const GrBox2 around = {v[X] - cell, v[Y] - cell, v[X] + cell, v[Y] + cell};
    GrPose lander = {{v[X], v[Y], 0}, gr_quat_axis_angle(gr_vec3(0, 0, 1), v[TOWARD] * GR_DEGREE)};
    const GrStatus status = gr_terrain_prefetch(terrain, around, log);
    if (status != GR_OK) {
        return status;
    }
    if (gr_terrain_height(terrain, v[X], v[Y], &lander.position.z) != GR_GROUND_OK) { // off the map
        gr_warning_add(log, (GrLocation){.field = "terrain.add"}, "the lander at (%g, %g) is off the map", v[X], v[Y]);
        return GR_OK;
    }
    bool made = add_box(scene, gr_vec3(v[LENGTH], v[WIDTH], v[HEIGHT] + PLATE), lander,
                        gr_vec3(0, 0, -0.5 * (v[HEIGHT] + PLATE)), (GrQuat){1, 0, 0, 0});
    for (int k = 0; k < 4 && v[HEIGHT] > 0; k++) {
        made = made && add_track(scene, lander, v, k < 2 ? 1 : -1, k % 2 ? 1 : -1);
    }
    return made ? GR_OK : gr_error_add(log, GR_ERROR_MEMORY, (GrLocation){0}, "no memory for a lander");
}

GrStatus gr_add_landers(const GrTerrainPlan *plan, GrTerrain *terrain, GrSceneDef *scene, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (int i = 0; terrain != NULL && i < plan->term_count && status == GR_OK; i++) {
        double values[VALUES];
        if (gr_surface_term_values(plan->terms[i], "lander", values, VALUES)) {
            if (CELLS_ACROSS * plan->cell > values[TRACK]) {
                gr_warning_add(log, (GrLocation){.field = "terrain.cell_m"},
                               "cells of %g m are coarse for a lander's tracks of %g m: soil can lie on their edges; "
                               "%g m or less resolves them",
                               plan->cell, values[TRACK], values[TRACK] / CELLS_ACROSS);
            }
            status = add_lander(values, terrain, scene, log);
        }
    }
    return status;
}
