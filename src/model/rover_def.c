/// Defaults of rovers; their copies, names and poses.
#include "rover_def.h"

#include "grouser/localise.h"
#include "grouser/rover.h"
#include "grouser/sense.h"
#include "grouser/soil.h"

#include "alloc.h"
#include "check.h"
#include "convex_mesh.h"
#include "surface_mesh.h"

#include <math.h>
#include <string.h>

GrShapeDef gr_default_shape_def(void)
{
    return (GrShapeDef){.kind = GR_SHAPE_BOX, .pose.rotation.w = 1};
}

GrBodyDef gr_default_body_def(void)
{
    return (GrBodyDef){0};
}

GrMotorDef gr_default_motor_def(void)
{
    return (GrMotorDef){.kind = GR_MOTOR_NONE, .torque_limit = INFINITY};
}

GrJointDef gr_default_joint_def(void)
{
    return (GrJointDef){
        .kind = GR_JOINT_FIXED,
        .role = GR_ROLE_PASSIVE,
        .pose.rotation.w = 1,
        .initial_pose.rotation.w = 1,
        .axis = {0, 1, 0},
        .lower = -INFINITY,
        .upper = INFINITY,
        .stop_stiffness = 1e4,
        .stop_damping = 1e2,
        .friction_travel = 1e-3,
        .motor = gr_default_motor_def(),
    };
}

GrWheelDef gr_default_wheel_def(void)
{
    return (GrWheelDef){.pose.rotation.w = 1, .stiffness = INFINITY, .grouser_angle = 20 * GR_PI / 180};
}

GrRoverDef gr_default_rover_def(void)
{
    return (GrRoverDef){.cookie = GR_COOKIE};
}

/// Grows `*items` by one element and copies `item` there; returns its index, or −1 when out of memory.
static int append(void **items, int *count, const void *item, size_t size)
{
    void *grown = gr_realloc(*items, (size_t)(*count + 1) * size);
    if (grown == NULL) {
        return -1;
    }
    memcpy((char *)grown + (size_t)*count * size, item, size);
    *items = grown;
    return (*count)++;
}

int gr_rover_add_body(GrRoverDef *rover, const GrBodyDef *body)
{
    return append((void **)&rover->bodies, &rover->body_count, body, sizeof *body);
}

int gr_rover_add_joint(GrRoverDef *rover, const GrJointDef *joint)
{
    return append((void **)&rover->joints, &rover->joint_count, joint, sizeof *joint);
}

int gr_rover_add_coupling(GrRoverDef *rover, const GrCouplingDef *coupling)
{
    return append((void **)&rover->couplings, &rover->coupling_count, coupling, sizeof *coupling);
}

int gr_rover_add_wheel(GrRoverDef *rover, const GrWheelDef *wheel)
{
    return append((void **)&rover->wheels, &rover->wheel_count, wheel, sizeof *wheel);
}

int gr_rover_add_note(GrRoverDef *rover, const GrNote *note)
{
    return append((void **)&rover->notes, &rover->note_count, note, sizeof *note);
}

int gr_rover_add_sensor(GrRoverDef *rover, const GrSensorDef *sensor)
{
    return append((void **)&rover->sensors, &rover->sensor_count, sensor, sizeof *sensor);
}

int gr_body_add_shape(GrBodyDef *body, const GrShapeDef *shape)
{
    return append((void **)&body->shapes, &body->shape_count, shape, sizeof *shape);
}

GrStatus gr_shape_set_mesh(GrShapeDef *shape, const GrVec3 *points, int count, GrErrorLog *log)
{
    shape->kind = GR_SHAPE_MESH;
    shape->hull = gr_convex_mesh_create(points, count, log);
    return shape->hull != NULL ? GR_OK : GR_ERROR_VALUE;
}

void gr_shape_free(GrShapeDef *shape)
{
    gr_convex_mesh_free(shape->hull);
    gr_surface_mesh_delete(shape->drawn);
    shape->hull = NULL;
    shape->drawn = NULL;
}

void gr_shapes_free(GrShapeDef *shapes, int count)
{
    for (int i = 0; shapes != NULL && i < count; i++) {
        gr_shape_free(&shapes[i]);
    }
    gr_free(shapes);
}

void gr_rover_free(GrRoverDef *rover)
{
    for (int i = 0; i < rover->body_count; i++) {
        gr_shapes_free(rover->bodies[i].shapes, rover->bodies[i].shape_count);
    }
    for (int i = 0; i < rover->wheel_count; i++) {
        gr_free(rover->wheels[i].mesh);
        gr_surface_mesh_delete(rover->wheels[i].drawn);
        gr_wheel_surface_free(rover->wheels[i].surface);
        gr_side_wall_free(rover->wheels[i].side);
    }
    gr_free(rover->bodies);
    gr_free(rover->joints);
    gr_free(rover->couplings);
    gr_free(rover->wheels);
    gr_free(rover->notes);
    gr_free(rover->sensors);
    gr_free(rover->localisation);
    *rover = gr_default_rover_def();
}

GrSym3 gr_inertia_box(double mass, GrVec3 size)
{
    const double x2 = size.x * size.x, y2 = size.y * size.y, z2 = size.z * size.z;
    return (GrSym3){.xx = mass * (y2 + z2) / 12, .yy = mass * (x2 + z2) / 12, .zz = mass * (x2 + y2) / 12};
}

GrSym3 gr_inertia_cylinder_y(double mass, double radius, double length)
{
    const double across = mass * (3 * radius * radius + length * length) / 12;
    return (GrSym3){.xx = across, .yy = mass * radius * radius / 2, .zz = across};
}

GrSym3 gr_inertia_sphere(double mass, double radius)
{
    const double i = 0.4 * mass * radius * radius;
    return (GrSym3){.xx = i, .yy = i, .zz = i};
}

// ---- names

const char *const gr_joint_role_names[GR_JOINT_ROLES] = {
    [GR_ROLE_PASSIVE] = "passive", [GR_ROLE_DRIVE] = "drive", [GR_ROLE_STEER] = "steer", [GR_ROLE_WALK] = "walk"};

const char *const gr_grouser_pattern_names[GR_GROUSER_PATTERNS] = {
    [GR_GROUSERS_STRAIGHT] = "straight", [GR_GROUSERS_SLANTED] = "slanted", [GR_GROUSERS_CHEVRON] = "chevron"};

const char *const gr_motor_kind_names[GR_MOTOR_KINDS] = {
    [GR_MOTOR_NONE] = "none", [GR_MOTOR_TORQUE] = "torque", [GR_MOTOR_SPEED] = "speed",
    [GR_MOTOR_PID] = "pid",   [GR_MOTOR_DC] = "dc",         [GR_MOTOR_POSITION] = "position"};

// ---- copies

static bool has_meshes(const GrRoverDef *rover)
{
    bool found = false;
    for (int i = 0; i < rover->wheel_count; i++) {
        found = found || rover->wheels[i].mesh != NULL || rover->wheels[i].drawn != NULL ||
                rover->wheels[i].surface != NULL || rover->wheels[i].side != NULL;
    }
    for (int i = 0; i < rover->body_count; i++) {
        for (int k = 0; k < rover->bodies[i].shape_count; k++) {
            found = found || rover->bodies[i].shapes[k].hull != NULL || rover->bodies[i].shapes[k].drawn != NULL;
        }
    }
    return found;
}

/// A copy of an array; NULL for an empty one.
static void *copy_items(const void *items, int count, size_t size, bool *failed)
{
    void *copy = count > 0 ? gr_malloc((size_t)count * size) : NULL;
    if (copy != NULL) {
        memcpy(copy, items, (size_t)count * size);
    }
    *failed = *failed || (count > 0 && copy == NULL);
    return copy;
}

bool gr_rover_copy(GrRoverDef *to, const GrRoverDef *from)
{
    bool failed = false;
    *to = gr_default_rover_def();
    if (has_meshes(from)) {
        return false;
    }
    GrRoverDef copy = *from;
    copy.bodies = copy_items(from->bodies, from->body_count, sizeof *from->bodies, &failed);
    copy.joints = copy_items(from->joints, from->joint_count, sizeof *from->joints, &failed);
    copy.couplings = copy_items(from->couplings, from->coupling_count, sizeof *from->couplings, &failed);
    copy.wheels = copy_items(from->wheels, from->wheel_count, sizeof *from->wheels, &failed);
    copy.notes = copy_items(from->notes, from->note_count, sizeof *from->notes, &failed);
    copy.sensors = copy_items(from->sensors, from->sensor_count, sizeof *from->sensors, &failed);
    copy.localisation = copy_items(from->localisation, from->localisation != NULL, sizeof *from->localisation, &failed);
    for (int i = 0; copy.bodies != NULL && i < copy.body_count; i++) {
        GrBodyDef *body = &copy.bodies[i];
        body->shapes = copy_items(body->shapes, body->shape_count, sizeof *body->shapes, &failed);
        body->shape_count = body->shapes != NULL ? body->shape_count : 0;
    }
    if (failed) {
        copy.body_count = copy.bodies != NULL ? copy.body_count : 0;
        copy.wheel_count = copy.wheels != NULL ? copy.wheel_count : 0;
        gr_rover_free(&copy);
        return false;
    }
    *to = copy;
    return true;
}
