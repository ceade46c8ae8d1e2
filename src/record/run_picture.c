#include "run_picture.h"

#include "elementary.h"
#include "ground_window.h"
#include "model_data.h"
#include "out_of_memory.h"
#include "raster_view.h"
#include "run_scene.h"
#include "stones.h"
#include "world.h"

#include <math.h>

enum { OVER = 3 }; // pixels of the view per pixel of the text, both ways

static const double FIELD = 40 * GR_DEGREE, SUN_HEIGHT = 30 * GR_DEGREE, VIEW_HEIGHT = 24 * GR_DEGREE;
static const double DISTANCE = 2.1;  // of the eye, over the size of the rover
static const double REACH = 200;     // [m]
static const double ROCKS_NEAR = 60; // rocks beyond are too small to see [m]

static const GrColor MOON = {0.42, 0.42, 0.43}, MARS = {0.52, 0.32, 0.20}, EARTH = {0.52, 0.45, 0.34},
                     ROCK = {0.30, 0.28, 0.27};

static double height(const void *context, double x, double y)
{
    const GrRecordDef *def = context;
    return gr_window_height(def->terrain, def->ruts, x, y);
}

static GrColor color_of_ground(const GrModel *model)
{
    const double g = gr_norm(model->options.gravity);
    return g < 2.5 ? MOON : g < 6 ? MARS : EARTH;
}

static void draw_rover(GrRasterView *view, const GrDrawnRover *scene)
{
    for (int i = 0; i < scene->face_count; i++) {
        const GrPartFace *face = &scene->faces[i];
        gr_raster_face(view, &scene->points[face->first], face->count, face->normal, face->color);
    }
}

static void draw_hull(GrRasterView *view, const GrConvexMesh *mesh, GrPose pose)
{
    GrVec3 corners[64];
    for (int f = 0; f < mesh->face_count; f++) {
        const int count = mesh->starts[f + 1] - mesh->starts[f];
        for (int k = 0; k < count && k < 64; k++) {
            const GrVec3 local = mesh->vertices[mesh->loops[mesh->starts[f] + k]];
            corners[k] = gr_add(pose.position, gr_quat_rotate(pose.rotation, local));
        }
        gr_raster_face(view, corners, count < 64 ? count : 64, gr_quat_rotate(pose.rotation, mesh->normals[f]), ROCK);
    }
}

static bool draw_seen_rock(void *context, int rock, const GrStoneDef *def, bool fresh)
{
    GrRasterView *view = context;
    GrStone stone;
    (void)rock;
    (void)fresh;
    if (gr_norm(gr_sub(def->place, view->eye)) < ROCKS_NEAR && gr_stone_make(def, &stone, NULL) == GR_OK) {
        draw_hull(view, stone.mesh, stone.body.pose);
        gr_convex_mesh_free(stone.mesh);
    }
    return true;
}

/// Without memory for them the picture has none.
static void draw_seen_rocks(GrRasterView *view, const GrRecordDef *def)
{
    GrRocksSeen *seen = gr_rocks_seen_total(def->model) > 0 ? gr_rocks_seen_create(def->model, def->terrain) : NULL;
    if (seen != NULL) {
        gr_rocks_seen_look(seen, view->eye, draw_seen_rock, view);
        gr_rocks_seen_free(seen);
    }
}

static void draw_rocks(GrRasterView *view, const GrModel *m, const GrSample *sample)
{
    const GrRigidWorld *world = m->rigid.world;
    for (int k = 0; k < sample->rock_count && k < gr_model_loose_count(m); k++) {
        draw_hull(view, m->rigid.loose_mesh[k], sample->rocks[k]);
    }
    for (int s = 0; world != NULL && s < world->shape_count; s++) {
        const GrRigidBody *body = &world->bodies[world->shapes[s].body];
        const GrPlacedConvex *placed = &world->fixed[s];
        if (body->motion == GR_RIGID_FIXED && placed->convex->kind == GR_CONVEX_MESH &&
            gr_norm(gr_sub(placed->position, view->eye)) < ROCKS_NEAR) {
            draw_hull(view, placed->convex->mesh, (GrPose){placed->position, gr_quat_from_mat3(&placed->rotation)});
        }
    }
}

/// From behind and from the left, over the rover's shoulder, above the ground.
static void place_camera(GrRasterView *view, const GrRecordDef *def, const GrDrawnRover *scene, double heading)
{
    const GrVec3 target = gr_scale(0.5, gr_add(scene->lower, scene->upper));
    const double size = gr_norm(gr_sub(scene->upper, scene->lower)), from = heading + 145 * GR_DEGREE;
    GrVec3 eye =
        gr_madd(target, DISTANCE * size,
                gr_vec3(gr_cos(VIEW_HEIGHT) * gr_cos(from), gr_cos(VIEW_HEIGHT) * gr_sin(from), gr_sin(VIEW_HEIGHT)));
    const double ground = height(def, eye.x, eye.y);
    eye.z = isnan(ground) ? eye.z : fmax(eye.z, ground + 0.2 * size);
    gr_raster_view_look(view, eye, target);
    const double sun = heading - 60 * GR_DEGREE;
    view->sun = gr_vec3(gr_cos(SUN_HEIGHT) * gr_cos(sun), gr_cos(SUN_HEIGHT) * gr_sin(sun), gr_sin(SUN_HEIGHT));
}

GrStatus gr_run_picture(const GrRecordDef *def, const GrSample *sample, GrPictureForm form, GrBuffer *out,
                        GrErrorLog *log)
{
    GrRasterView view;
    GrDrawnRover scene;
    if (gr_drawn_rover_make(def->rover, sample->bodies, &scene) != GR_OK) {
        return gr_out_of_memory(log, def->name);
    }
    const bool good = gr_raster_view_init(&view, OVER * form.columns, OVER * 2 * (form.columns / 3), FIELD);
    if (good) {
        place_camera(&view, def, &scene, sample->heading);
        draw_rover(&view, &scene);
        draw_rocks(&view, def->model, sample);
        draw_seen_rocks(&view, def);
        const GrRasterGround ground = {height, def, color_of_ground(def->model), REACH, &scene};
        gr_raster_ground(&view, &ground);
        gr_raster_print(&view, OVER, form.colors, out);
        gr_raster_view_free(&view);
    }
    gr_drawn_rover_free(&scene);
    return good && !out->failed ? GR_OK : gr_out_of_memory(log, def->name);
}
