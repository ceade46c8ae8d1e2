#include "world_lander.h"

#include "grouser/assets.h"

#include "alloc.h"
#include "elementary.h"
#include "out_of_memory.h"
#include "rover_pose.h"
#include "terrain_data.h"
#include "text.h"
#include "vec3.h"
#include "whole.h"

#include <math.h>

/// Height of the footpads that are drawn and touched [m].
static const double PAD = 0.06;
/// Heights around a lander that are loaded in addition to its reach [m].
static const double MARGIN = 2;

/// Extents of the wheels in the frame of the chassis.
typedef struct Wheels {
    double rear, front;  ///< of the centres, along x [m]
    double inner, outer; ///< distances of their faces from the middle: the smallest and the largest [m]
} Wheels;

static GrStatus find_wheels(const GrRoverDef *rover, Wheels *out, GrErrorLog *log)
{
    double *positions = gr_calloc((size_t)rover->joint_count + 1, sizeof *positions);
    GrPose *poses = gr_calloc((size_t)rover->body_count + 1, sizeof *poses);
    GrStatus status = positions != NULL && poses != NULL ? gr_rover_initial_positions(rover, positions, log)
                                                         : gr_out_of_memory(log, NULL);
    status = status == GR_OK ? gr_rover_body_poses(rover, positions, poses, log) : status;
    *out = (Wheels){.rear = INFINITY, .front = -INFINITY, .inner = INFINITY};
    for (int i = 0; poses != NULL && i < rover->wheel_count && status == GR_OK; i++) {
        const GrWheelDef *w = &rover->wheels[i];
        const GrVec3 at = gr_pose_mul(poses[w->body], w->pose).position;
        out->rear = fmin(out->rear, at.x);
        out->front = fmax(out->front, at.x);
        out->inner = fmin(out->inner, fabs(at.y) - w->width / 2);
        out->outer = fmax(out->outer, fabs(at.y) + w->width / 2);
    }
    gr_free(positions);
    gr_free(poses);
    return status;
}

static void warn_size(const GrLanderPlan *plan, const Wheels *w, GrErrorLog *log)
{
    const GrLanderRamp *r = &plan->lander.ramps[plan->ramp];
    const GrLocation at = {.field = "lander.ramp"};
    const double shift = fabs(plan->left);
    if (w->outer + shift > r->width / 2) {
        gr_warning_add(log, at, "the wheels reach %.3g m from the middle, and the ramp '%s' only %.3g m",
                       w->outer + shift, r->name, r->width / 2);
    }
    if (r->gap > 0 && w->inner - shift < r->gap / 2) {
        gr_warning_add(log, at, "the tracks of the ramp '%s' begin %.3g m from the middle, and the wheels at %.3g m",
                       r->name, r->gap / 2, w->inner - shift);
    }
    const double along = fabs(gr_cos(r->direction)), across = fabs(gr_sin(r->direction));
    const double deck = along * plan->lander.deck_length + across * plan->lander.deck_width;
    if (w->front - w->rear > deck) {
        gr_warning_add(log, at, "the deck is %.3g m long, and the wheels are %.3g m apart", deck, w->front - w->rear);
    }
}

GrStatus gr_world_place_lander(const GrScenario *s, GrTerrain *terrain, const GrRockField *rocks,
                               GrLanderPlacement *out, GrErrorLog *log)
{
    const GrLanderPlan *plan = &s->lander;
    const double reach = gr_lander_reach(&plan->lander) + MARGIN;
    const GrBox2 box = {plan->spot.x - reach, plan->spot.y - reach, plan->spot.x + reach, plan->spot.y + reach};
    const GrSite site = {terrain, rocks->rocks, rocks->count};
    const GrLocation at = {.field = "lander"};
    Wheels wheels;
    GrStatus status = terrain != NULL ? gr_terrain_prefetch(terrain, box, log) : GR_OK;
    status = status == GR_OK ? gr_lander_place(&plan->lander, &site, plan->spot, out, log) : status;
    if (status != GR_OK) {
        return status;
    }
    if (out->stand != GR_STAND_STANDS) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "the lander does not stand at (%g, %g) with heading %g deg: %s",
                            plan->spot.x, plan->spot.y, plan->spot.heading / GR_DEGREE, gr_stand_name(out->stand));
    }
    if (plan->lander.corner_count > 0 && out->clearance < 0) {
        gr_warning_add(log, at, "the body of the lander is %.3g m below the ground, so the lander would stand higher",
                       -out->clearance);
    }
    const GrRampState *ramp = &out->ramps[plan->ramp];
    if (ramp->touch == GR_RAMP_HANGS) {
        gr_warning_add(log, (GrLocation){.field = "lander.ramp"},
                       "the ramp '%s' ends %.3g m above the ground, at the end of its hinge's range",
                       plan->lander.ramps[plan->ramp].name, ramp->step);
    }
    status = find_wheels(&s->rover, &wheels, log);
    if (status == GR_OK) {
        warn_size(plan, &wheels, log);
    }
    return status;
}

/// A part at a place of the lander's body.
static bool add_part(GrSceneDef *scene, GrShapeDef shape, GrPose body, GrPose local)
{
    GrPartDef part = gr_default_part_def();
    shape.pose = part.shape.pose;
    part.shape = shape;
    gr_text_copy(part.shape.group, sizeof part.shape.group, GR_LANDER_GROUP);
    part.pose = gr_pose_mul(body, local);
    return gr_scene_add_part(scene, &part) >= 0;
}

static bool add_box(GrSceneDef *scene, GrPose body, GrVec3 size, GrPose local)
{
    return add_part(scene, (GrShapeDef){.kind = GR_SHAPE_BOX, .size = size}, body, local);
}

/// A track of a ramp, or the whole plate: its middle is `side` to the left of the ramp's [m].
typedef struct Track {
    double side, width;
} Track;

static bool add_track(GrSceneDef *scene, GrPose body, const GrLanderRamp *r, double hinge, Track track)
{
    const GrQuat turn =
        gr_quat_mul(gr_quat_axis_angle(gr_vec3(0, 0, 1), r->direction), gr_quat_axis_angle(gr_vec3(0, 1, 0), hinge));
    const GrVec3 middle = gr_quat_rotate(turn, gr_vec3(r->length / 2, track.side, -r->thickness / 2));
    return add_box(scene, body, gr_vec3(r->length, track.width, r->thickness),
                   (GrPose){gr_add(r->hinge, middle), turn});
}

static bool add_ramp(GrSceneDef *scene, GrPose body, const GrLanderRamp *r, double hinge)
{
    const double width = (r->width - r->gap) / 2, side = (r->width + r->gap) / 4;
    if (r->gap == 0) {
        return add_track(scene, body, r, hinge, (Track){0, r->width});
    }
    return add_track(scene, body, r, hinge, (Track){side, width}) &&
           add_track(scene, body, r, hinge, (Track){-side, width});
}

/// The body below the deck, as a box around its underside.
static bool add_body(GrSceneDef *scene, GrPose pose, const GrLanderDef *d)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    const double top = d->deck_height - d->deck_thickness;
    for (int i = 0; i < d->corner_count; i++) {
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], d->corners[i][k]);
            high[k] = fmax(high[k], d->corners[i][k]);
        }
    }
    const GrVec3 size = {high[0] - low[0], high[1] - low[1], top - d->underside};
    const GrVec3 middle = {(high[0] + low[0]) / 2, (high[1] + low[1]) / 2, (top + d->underside) / 2};
    return d->corner_count == 0 || !(size.z > 0) || add_box(scene, pose, size, (GrPose){middle, gr_quat_identity()});
}

bool gr_world_add_lander(const GrLanderPlan *plan, const GrLanderPlacement *placement, GrSceneDef *scene)
{
    const GrLanderDef *d = &plan->lander;
    const GrPose body = placement->pose;
    const GrVec3 deck = {d->deck_x, d->deck_y, d->deck_height - d->deck_thickness / 2};
    bool made = add_box(scene, body, gr_vec3(d->deck_length, d->deck_width, d->deck_thickness),
                        (GrPose){deck, gr_quat_identity()});
    made = made && add_body(scene, body, d);
    for (int i = 0; i < d->ramp_count; i++) {
        made = made && add_ramp(scene, body, &d->ramps[i], placement->ramps[i].hinge);
    }
    for (int i = 0; i < d->foot_count; i++) { // a cylinder lies along its y axis
        const GrShapeDef pad = {.kind = GR_SHAPE_CYLINDER, .radius = fmax(d->feet[i].radius, PAD / 2), .length = PAD};
        const GrVec3 middle = gr_add(d->feet[i].position, gr_vec3(0, 0, PAD / 2));
        made = made && add_part(scene, pad, body, (GrPose){middle, gr_quat_axis_angle(gr_vec3(1, 0, 0), GR_PI / 2)});
    }
    return made;
}

GrStatus gr_world_lander_start(const GrScenario *s, const GrLanderPlacement *placement, GrStart *out, GrErrorLog *log)
{
    const GrLanderPlan *plan = &s->lander;
    const GrLanderDef *d = &plan->lander;
    const double direction = d->ramps[plan->ramp].direction;
    Wheels wheels;
    const GrStatus status = find_wheels(&s->rover, &wheels, log);
    if (status != GR_OK) {
        return status;
    }
    // the middle between the first and the last wheel is over the middle of the deck, moved as asked
    const double forward = plan->forward - (wheels.front + wheels.rear) / 2;
    const GrVec3 ahead = {gr_cos(direction), gr_sin(direction), 0}, left = {-ahead.y, ahead.x, 0};
    const GrVec3 deck = {d->deck_x, d->deck_y, d->deck_height};
    const GrVec3 at = gr_madd(gr_madd(deck, forward, ahead), plan->left, left);
    const GrPose body = placement->pose;
    const GrVec3 world = gr_add(body.position, gr_quat_rotate(body.rotation, at));
    const GrVec3 along = gr_quat_rotate(body.rotation, ahead);
    *out = (GrStart){.x = world.x,
                     .y = world.y,
                     .heading = gr_atan2(along.y, along.x),
                     .deck = world,
                     .deck_normal = gr_quat_rotate(body.rotation, gr_vec3(0, 0, 1))};
    return GR_OK;
}

// ---- landers among the terms of a terrain
//
// Landers among the terms of a terrain, built as rigid parts of the scene.
//
// Boxes carry the wheels; the ground below them is that of the other terms. A rigid layer of the terrain shows deck
// and ramps on maps and is used for placing a rover, but not for contact. The alternative, a deck of raised ground,
// was dropped: soil at its edges and between its nodes was above the boxes and carried the wheels there.

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

static bool add_term_box(GrSceneDef *scene, GrVec3 size, GrPose lander, GrVec3 position, GrQuat rotation)
{
    GrPartDef part = gr_default_part_def();
    part.shape.kind = GR_SHAPE_BOX;
    part.shape.size = size;
    gr_text_copy(part.shape.group, sizeof part.shape.group, GR_LANDER_GROUP);
    part.pose = gr_pose_mul(lander, (GrPose){position, rotation});
    return gr_scene_add_part(scene, &part) >= 0;
}

/// One track of a ramp, in front (`end` = 1) or behind (−1), left (`side` = 1) or right (−1).
static bool add_term_track(GrSceneDef *scene, GrPose lander, const double *v, double end, double side)
{
    const double slope = v[RAMP] * GR_DEGREE, run = v[HEIGHT] / gr_tan(slope);
    const GrVec3 middle = {end * 0.5 * (v[LENGTH] + run), side * 0.5 * (v[GAP] + v[TRACK]), -0.5 * v[HEIGHT]};
    const GrVec3 normal = {end * gr_sin(slope), 0, gr_cos(slope)};
    return add_term_box(scene, gr_vec3(run / gr_cos(slope), v[TRACK], PLATE), lander,
                        gr_madd(middle, -0.5 * PLATE, normal), gr_quat_axis_angle(gr_vec3(0, 1, 0), end * slope));
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
    bool made = add_term_box(scene, gr_vec3(v[LENGTH], v[WIDTH], v[HEIGHT] + PLATE), lander,
                             gr_vec3(0, 0, -0.5 * (v[HEIGHT] + PLATE)), (GrQuat){1, 0, 0, 0});
    for (int k = 0; k < 4 && v[HEIGHT] > 0; k++) {
        made = made && add_term_track(scene, lander, v, k < 2 ? 1 : -1, k % 2 ? 1 : -1);
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
