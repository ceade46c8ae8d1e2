/// Landers among the terms of a terrain, built as rigid parts of the scene.
///
/// Boxes carry the wheels; the ground below them is that of the other terms. A rigid layer of the terrain shows deck
/// and ramps on maps and is used for placing a rover, but not for contact. The alternative, a deck of raised ground,
/// was dropped: soil at its edges and between its nodes was above the boxes and carried the wheels there.
#include "lander.h"

#include "elementary.h"
#include "grouser/assets.h"
#include "out_of_memory.h"
#include "terrain_data.h"
#include "text.h"
#include "vec3.h"
#include "whole.h"

#include <math.h>

/// Parameters of the term, in its order.
enum { LENGTH, WIDTH, HEIGHT, RAMP, TRACK, GAP, TOWARD, X, Y, VALUES };

/// Thickness of a ramp, and depth of the deck below the ground [m].
static const double PLATE = 0.1;

/// Cells of a lander's layer: this many across a track, but none finer than SMALLEST [m].
static const double CELLS_ACROSS = 8, SMALLEST = 0.01;

bool gr_is_lander(const char *term)
{
    double length;
    return gr_surface_term_values(term, "lander", &length, 1);
}

/// Frame of nodes around a lander, for any orientation.
static GrGridFrame frame_of(const double *v, double cell)
{
    const double run = v[HEIGHT] / gr_tan(v[RAMP] * GR_DEGREE);
    const double reach = gr_hypot(0.5 * v[LENGTH] + run, fmax(0.5 * v[WIDTH], 0.5 * v[GAP] + v[TRACK]));
    const double half = ceil(reach / cell) + 1;
    return (GrGridFrame){
        gr_whole(2 * half) + 1, gr_whole(2 * half) + 1, v[X] - half * cell, v[Y] - half * cell, cell, cell};
}

GrStatus gr_add_lander_layers(const GrTerrainPlan *plan, GrTerrain *terrain, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (int i = 0; i < plan->term_count && status == GR_OK; i++) {
        double v[VALUES];
        if (!gr_surface_term_values(plan->terms[i], "lander", v, VALUES)) {
            continue;
        }
        const char *term = plan->terms[i];
        GrLayerDef layer = gr_default_layer_def(); // bilinear: no overshoot at the edges
        layer.mode = GR_LAYER_ADD;
        layer.rigid = true;
        layer.frame = frame_of(v, fmax(SMALLEST, fmin(plan->cell, v[TRACK] / CELLS_ACROSS)));
        const GrGridFrame *f = &layer.frame;
        const GrBox2 box = {f->x0, f->y0, f->x0 + (double)(f->nx - 1) * f->dx, f->y0 + (double)(f->ny - 1) * f->dy};
        GrSurface *surface = NULL;
        gr_surface_create(&term, 1, plan->seed, box, &surface, log);
        status = surface != NULL ? gr_terrain_add_surface(terrain, &layer, surface, log) : GR_ERROR_VALUE;
    }
    return status;
}

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
    const double slope = v[RAMP] * GR_DEGREE, run = v[HEIGHT] / gr_tan(slope);
    const GrVec3 middle = {end * 0.5 * (v[LENGTH] + run), side * 0.5 * (v[GAP] + v[TRACK]), -0.5 * v[HEIGHT]};
    const GrVec3 normal = {end * gr_sin(slope), 0, gr_cos(slope)};
    return add_box(scene, gr_vec3(run / gr_cos(slope), v[TRACK], PLATE), lander, gr_madd(middle, -0.5 * PLATE, normal),
                   gr_quat_axis_angle(gr_vec3(0, 1, 0), end * slope));
}

static GrStatus add_lander(const double *v, GrTerrain *terrain, GrSceneDef *scene, GrErrorLog *log)
{
    const double cell = 1; // size of the box around the middle, whose height is needed [m]
    const GrBox2 around = {v[X] - cell, v[Y] - cell, v[X] + cell, v[Y] + cell};
    GrPose lander = {{v[X], v[Y], 0}, gr_quat_axis_angle(gr_vec3(0, 0, 1), v[TOWARD] * GR_DEGREE)};
    const GrStatus status = gr_terrain_prefetch(terrain, around, log);
    if (status != GR_OK) {
        return status;
    }
    GrVec3 normal;
    if (gr_terrain_soil_normal(terrain, v[X], v[Y], &lander.position.z, &normal) != GR_GROUND_OK) { // off the map
        gr_warning_add(log, (GrLocation){.field = "terrain.add"}, "the lander at (%g, %g) is off the map", v[X], v[Y]);
        return GR_OK;
    }
    lander.position.z += v[HEIGHT];
    bool made = add_box(scene, gr_vec3(v[LENGTH], v[WIDTH], v[HEIGHT] + PLATE), lander,
                        gr_vec3(0, 0, -0.5 * (v[HEIGHT] + PLATE)), (GrQuat){1, 0, 0, 0});
    for (int k = 0; k < 4 && v[HEIGHT] > 0; k++) {
        made = made && add_track(scene, lander, v, k < 2 ? 1 : -1, k % 2 ? 1 : -1);
    }
    return made ? GR_OK : gr_out_of_memory(log, NULL);
}

GrStatus gr_add_lander_parts(const GrTerrainPlan *plan, GrTerrain *terrain, GrSceneDef *scene, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (int i = 0; terrain != NULL && i < plan->term_count && status == GR_OK; i++) {
        double values[VALUES];
        if (gr_surface_term_values(plan->terms[i], "lander", values, VALUES)) {
            status = add_lander(values, terrain, scene, log);
        }
    }
    return status;
}
