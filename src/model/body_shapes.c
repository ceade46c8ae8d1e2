#include "body_shapes.h"

#include "grouser/soil.h"

#include "alloc.h"
#include "elementary.h"
#include "number.h"
#include "out_of_memory.h"
#include "rover_pose.h"

#include <math.h>
#include <stdio.h>

/// A shape that exceeds its wheel by at most this fraction of the radius only draws the wheel.
static const double WHEEL_MARGIN = 0.01;

/// The wheel of a body; NULL: none.
static const GrWheelDef *wheel_of(const GrRoverDef *rover, int body)
{
    for (int i = 0; i < rover->wheel_count; i++) {
        if (rover->wheels[i].body == body) {
            return &rover->wheels[i];
        }
    }
    return NULL;
}

GrWheelExtent gr_wheel_extent(const GrShapeDef *shape, GrPose body, GrPose wheel)
{
    enum { DIRECTIONS = 32 };
    GrPose in_body;
    const GrConvex convex = gr_convex_of_part(shape, &in_body);
    const GrPose place = gr_pose_mul(body, in_body);
    const GrQuat back = gr_quat_conjugate(gr_quat_normalize(wheel.rotation));
    const GrVec3 centre = gr_quat_rotate(back, gr_sub(place.position, wheel.position));
    const GrQuat turn = gr_quat_normalize(gr_quat_mul(back, place.rotation));
    const GrPlacedConvex placed = {&convex, gr_quat_to_mat3(turn), centre};
    const GrBounds bounds = gr_placed_bounds(&placed);
    double reach = 0;
    for (int i = 0; i < DIRECTIONS; i++) {
        const double angle = 2 * GR_PI * i / DIRECTIONS;
        const GrVec3 across = {gr_cos(angle), 0, gr_sin(angle)};
        reach = fmax(reach, gr_dot(across, gr_placed_support(&placed, across)));
    }
    return (GrWheelExtent){reach, bounds.lower.y, bounds.upper.y};
}

static double reach_allowed(const GrWheelDef *wheel)
{
    return (1 + WHEEL_MARGIN) * (wheel->radius + wheel->grouser_height);
}

/// Whether a shape lies inside the cylinder over the grousers of its wheel.
static bool is_inside_wheel(const GrWheelDef *wheel, const GrShapeDef *shape)
{
    const GrWheelExtent extent = gr_wheel_extent(shape, gr_pose_identity(), wheel->pose);
    const double half = 0.5 * wheel->width + WHEEL_MARGIN * (wheel->radius + wheel->grouser_height);
    return extent.reach <= reach_allowed(wheel) && extent.right >= -half && extent.left <= half;
}

/// The wheel with a rim that turns together with body k of the definition; −1: none.
static int turns_with(const GrRoverDef *rover, const GrModel *m, int k)
{
    const int body = m->places[k].body;
    for (int i = 0; body > 0 && !gr_motion_slides(m->tree.joints[body].motion) && i < rover->wheel_count; i++) {
        if (m->wheels[i].body == body && !rover->wheels[i].rimless) {
            return i;
        }
    }
    return -1;
}

/// Compares one shape of body k with wheel i.
static GrStatus check_reach(const GrRoverDef *rover, const GrModel *m, int i, int k, const GrShapeDef *shape,
                            GrErrorLog *log)
{
    const GrWheelDef *wheel = &rover->wheels[i];
    const double reach =
        gr_wheel_extent(shape, m->places[k].pose, gr_pose_mul(m->places[wheel->body].pose, wheel->pose)).reach;
    if (reach <= reach_allowed(wheel)) {
        return GR_OK;
    }
    char field[GR_NAME_SIZE + 32];
    snprintf(field, sizeof field, "wheels.%s.radius", wheel->name);
    return gr_error_add(
        log, GR_ERROR_VALUE, (GrLocation){.field = field},
        "found %.4g m over the grousers, but the shape %d of '%.100s', which turns with the wheel, reaches "
        "%.4g m from the axle and would stand on the ground in its place; allowed: a wheel as large as "
        "its shapes, or shapes inside it",
        wheel->radius + wheel->grouser_height, (int)(shape - rover->bodies[k].shapes), rover->bodies[k].name, reach);
}

GrStatus gr_wheel_shapes_check(const GrRoverDef *rover, const GrModel *m, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (int k = 0; k < rover->body_count; k++) {
        const GrBodyDef *body = &rover->bodies[k];
        const int wheel = turns_with(rover, m, k);
        for (int j = 0; wheel >= 0 && j < body->shape_count; j++) {
            if (!body->shapes[j].only_drawn && check_reach(rover, m, wheel, k, &body->shapes[j], log) != GR_OK) {
                status = GR_ERROR_VALUE;
            }
        }
    }
    return status;
}

/// Box with the body's mass and inertia: edge² = 6 (I_yy + I_zz − I_xx)/m. False where no box has them.
static bool inertia_box(const GrBodyDef *body, GrVec3 *size)
{
    const GrSym3 i = body->inertia;
    const double x = 6 * (i.yy + i.zz - i.xx) / body->mass, y = 6 * (i.xx + i.zz - i.yy) / body->mass;
    const double z = 6 * (i.xx + i.yy - i.zz) / body->mass;
    if (!(body->mass > 0 && x > 0 && y > 0 && z > 0)) {
        return false;
    }
    *size = gr_vec3(sqrt(x), sqrt(y), sqrt(z));
    return true;
}

/// Height of the lowest point of all wheels at the rover's initial position, in the frame of body 0.
static double lowest_wheel(const GrRoverDef *rover, const GrPose *poses)
{
    double lowest = INFINITY;
    for (int i = 0; i < rover->wheel_count; i++) {
        const GrPose pose = gr_pose_mul(poses[rover->wheels[i].body], rover->wheels[i].pose);
        lowest = fmin(lowest, pose.position.z - rover->wheels[i].radius);
    }
    return rover->wheel_count > 0 ? lowest : -(double)INFINITY;
}

/// Context of the visit.
typedef struct Visit {
    const GrRoverDef *rover;
    const GrModel *m;
    GrBodyShapeFn visit;
    void *context;
    double lowest; ///< height of the lowest point of the wheels [m]
} Visit;

/// Visits the shapes of body k of the definition; `at` is its pose.
static void visit_body(const Visit *v, int k, GrPose at)
{
    const GrBodyDef *body = &v->rover->bodies[k];
    const GrBodyPlace *place = &v->m->places[k];
    const GrWheelDef *wheel = wheel_of(v->rover, k);
    if (turns_with(v->rover, v->m, k) >= 0) {
        return; // the wheel itself makes contact
    }
    for (int i = 0; i < body->shape_count; i++) {
        GrPose in_body;
        const GrConvex convex = gr_convex_of_part(&body->shapes[i], &in_body);
        const bool own = wheel == NULL || (!wheel->rimless && !is_inside_wheel(wheel, &body->shapes[i]));
        if (own && !body->shapes[i].only_drawn) {
            v->visit(v->context, place->body, &body->shapes[i], convex, gr_pose_mul(place->pose, in_body));
        }
    }
    GrVec3 size;
    if (wheel == NULL && body->shape_count == 0 && inertia_box(body, &size)) {
        const GrPose middle = {body->com, {1, 0, 0, 0}};
        const GrConvex box = gr_convex_cuboid(size);
        const GrPose standing = gr_pose_mul(at, middle);
        const GrPlacedConvex placed = {&box, gr_quat_to_mat3(standing.rotation), standing.position};
        if (gr_placed_bounds(&placed).lower.z > v->lowest) {
            v->visit(v->context, place->body, NULL, box, gr_pose_mul(place->pose, middle));
        }
    }
}

GrStatus gr_body_shapes_visit(const GrRoverDef *rover, const GrModel *m, GrBodyShapeFn visit, void *context,
                              GrErrorLog *log)
{
    GrPose *poses = gr_calloc((size_t)rover->body_count + 1, sizeof *poses);
    double *positions = gr_calloc((size_t)rover->joint_count + 1, sizeof *positions);
    GrStatus status = GR_OK;
    if (poses == NULL || positions == NULL) {
        status = gr_out_of_memory(log, NULL);
    } else if (gr_rover_initial_positions(rover, positions, log) == GR_OK &&
               gr_rover_body_poses(rover, positions, poses, log) == GR_OK) {
        const Visit v = {rover, m, visit, context, lowest_wheel(rover, poses)};
        for (int t = 0; t < m->tree.body_count; t++) {
            for (int k = 0; k < rover->body_count; k++) {
                if (m->places[k].body == t) {
                    visit_body(&v, k, poses[k]);
                }
            }
        }
    } else {
        status = GR_ERROR_MODEL;
    }
    gr_free(poses);
    gr_free(positions);
    return status;
}

// ---- surfaces of wheels

/// Of the size of the wheel.
static const double WITHIN = 0.05;

bool gr_wheel_surface_fits(const GrWheelDef *wheel, char *text, size_t size)
{
    GrSoilWheelDef shape = gr_default_soil_wheel_def();
    gr_wheel_surface_describe(wheel->surface, &shape);
    const double tip = shape.radius + shape.grouser_height;
    const double radius = wheel->radius + (wheel->grouser_count > 0 ? wheel->grouser_height : 0);
    if (fabs(tip - radius) > WITHIN * radius) {
        gr_print(text, size,
                 "the mesh reaches %g m from the axle (y), and the wheel, with its grousers, %g m; they may differ by "
                 "%g %%",
                 tip, radius, 100 * WITHIN);
        return false;
    }
    if (fabs(shape.width - wheel->width) > WITHIN * wheel->width) {
        gr_print(text, size, "the mesh is %g m wide along the axle (y), and the wheel %g m; they may differ by %g %%",
                 shape.width, wheel->width, 100 * WITHIN);
        return false;
    }
    return true;
}

bool gr_side_wall_fits(const GrWheelDef *wheel, char *text, size_t size)
{
    const double reach = gr_side_wall_reach(wheel->side), least = 0.5 * wheel->radius;
    const double most = (1 + WITHIN) * (wheel->radius + (wheel->grouser_count > 0 ? wheel->grouser_height : 0));
    if (reach < least || reach > most) {
        gr_print(text, size, "the side wall reaches %g m from the axle (y); allowed: %g to %g m, for this wheel", reach,
                 least, most);
        return false;
    }
    return true;
}

unsigned gr_rover_soil_use(const GrRoverDef *rover)
{
    for (int i = 0; i < rover->wheel_count; i++) {
        if (rover->wheels[i].side != NULL) {
            return GR_SOIL_USE_SIDES;
        }
    }
    return 0;
}
