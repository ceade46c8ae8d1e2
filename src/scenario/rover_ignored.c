/// Keys of a rover's file that change nothing: a table of keys, when each is ignored, and why.
///
/// A file is judged on its own: only keys without effect in any situation give a warning. Where it depends on the
/// scenario (the crown of a rim matters only on rock), only values that the scenario sets itself are judged. Nor is a
/// file judged for the effect of an override: a wheel whose motor is removed keeps its gains.
/// tests/scenario/test_rover_ignored.c checks both against runs: a key with a warning does not change any bit of the
/// result, and one without a warning does.
#include "rover_parts.h"

#include <string.h>

typedef enum Place { BODY, INERTIA, SHAPE, JOINT, MOTOR, WHEEL, GROUSERS } Place;

/// The part of the rover that a mapping of the file became.
typedef struct Item {
    const GrRoverDef *rover;
    const GrBodyDef *body;
    const GrJointDef *joint;
    const GrWheelDef *wheel;
    const char *shape; ///< the kind of a shape, as in the file
    bool typed;        ///< an override sets something in this body, joint or wheel
} Item;

static bool always(const Item *item)
{
    return item != NULL;
}
static bool massless(const Item *item)
{
    return item->body->mass == 0;
}
static bool is_sphere(const Item *item)
{
    return strcmp(item->shape, "sphere") == 0;
}
static bool no_stops(const Item *item)
{
    return isinf(item->joint->lower) && isinf(item->joint->upper);
}
static bool no_spring(const Item *item)
{
    return item->joint->stiffness == 0;
}
static bool no_friction(const Item *item)
{
    return item->joint->friction == 0;
}
static bool no_motor(const Item *item)
{
    return item->joint->motor.kind == GR_MOTOR_NONE;
}
static bool unmoved_role(const Item *item)
{
    return item->joint->role != GR_ROLE_PASSIVE && no_motor(item);
}
static bool follows(const Item *item)
{
    bool found = false;
    for (int i = 0; i < item->rover->coupling_count; i++) {
        found = found || &item->rover->joints[item->rover->couplings[i].joint] == item->joint;
    }
    return found;
}
static bool ideal_speed(const Item *item)
{
    return item->joint->motor.kind == GR_MOTOR_SPEED;
}
static bool no_gains(const Item *item)
{
    return item->joint->motor.kind == GR_MOTOR_TORQUE || item->joint->motor.kind == GR_MOTOR_SPEED;
}
static bool not_dc(const Item *item)
{
    return item->joint->motor.kind != GR_MOTOR_DC;
}
static bool stiff_wheel(const Item *item)
{
    return isinf(item->wheel->stiffness);
}
static bool no_rim(const Item *item)
{
    return item->wheel->rimless;
}
static bool no_grousers(const Item *item)
{
    return item->wheel->grouser_count == 0 || item->wheel->grouser_height == 0;
}
static bool no_shape(const Item *item)
{
    return no_grousers(item) || item->wheel->grouser_thickness == 0;
}
static bool straight(const Item *item)
{
    return item->wheel->grouser_pattern == GR_GROUSERS_STRAIGHT;
}

/// The table: place, beginning of the key (the rest is its unit), condition under which it is ignored, reason. The
/// first matching row counts.
static const struct {
    Place place;
    const char *key;
    bool (*ignored)(const Item *item);
    const char *why;
} ROWS[] = {
    {BODY, "com_m", massless, "the body has no mass"},
    {BODY, "inertia_of", massless, "the body has no mass"},
    {INERTIA, "at_m", always, "the inertia is about the body's centre of mass (com_m)"},
    {INERTIA, "rotation_deg", is_sphere, "a sphere has no orientation"},
    {SHAPE, "rotation_deg", is_sphere, "a sphere has no orientation"},
    {JOINT, "role", unmoved_role, "control acts on motors, and this joint has none"},
    {JOINT, "stop_stiffness_", no_stops, "the joint has no end stops (limits)"},
    {JOINT, "stop_damping_", no_stops, "the joint has no end stops (limits)"},
    {JOINT, "rest_", no_spring, "the joint has no spring (stiffness)"},
    {JOINT, "friction_travel_", no_friction, "the joint has no friction"},
    {JOINT, "initial_", follows, "the joint follows another one (couplings)"},
    {MOTOR, "k", no_motor, "there is no motor (kind: none)"},
    {MOTOR, "torque_limit_", no_motor, "there is no motor (kind: none)"},
    {MOTOR, "force_limit_", no_motor, "there is no motor (kind: none)"},
    {MOTOR, "kp", no_gains, "it applies only to the kinds pid, dc and position"},
    {MOTOR, "ki", no_gains, "it applies only to the kinds pid, dc and position"},
    {MOTOR, "kd", no_gains, "it applies only to the kinds pid, dc and position"},
    {MOTOR, "torque_limit_", ideal_speed, "an ideal motor (kind: speed) applies any torque that is needed"},
    {MOTOR, "force_limit_", ideal_speed, "an ideal motor (kind: speed) applies any force that is needed"},
    {MOTOR, "stall_", not_dc, "it applies only to the kind dc"},
    {MOTOR, "no_load_speed_", not_dc, "it applies only to the kind dc"},
    {WHEEL, "damping_", stiff_wheel, "the wheel is rigid (stiffness_N_per_m)"},
    {WHEEL, "crown_m", no_rim, "the wheel has no rim"},
    {WHEEL, "mesh", no_rim, "the wheel has no rim"},
    {GROUSERS, "thickness_m", no_grousers, "there are none: count or height_m is 0"},
    {GROUSERS, "lugs", no_grousers, "there are none: count or height_m is 0"},
    {GROUSERS, "pattern", no_shape, "there are none: count, height_m or thickness_m is 0"},
    {GROUSERS, "angle_deg", no_shape, "there are none: count, height_m or thickness_m is 0"},
    {GROUSERS, "angle_deg", straight, "it applies only to the patterns slanted and chevron"},
};

static bool begins(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/// Whether an override sets something inside this node.
static bool has_typed(const GrNode *node)
{
    bool found = gr_node_is_override(node);
    for (const GrNode *child = node->first; child != NULL && !found; child = child->next) {
        found = has_typed(child);
    }
    return found;
}

static void check(Place place, const GrNode *mapping, const Item *item)
{
    const bool there = mapping != NULL && mapping->kind == GR_NODE_MAPPING;
    for (const GrNode *node = there ? mapping->first : NULL; node != NULL; node = node->next) {
        if (item->typed && !gr_node_is_override(node)) {
            continue;
        }
        for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
            // "kind" is the only key that tells what a motor is
            const bool mine =
                ROWS[i].place == place && begins(node->key, ROWS[i].key) && strcmp(node->key, "kind") != 0;
            if (mine && ROWS[i].ignored(item)) {
                gr_node_warning_once(node, "has no effect: %s", ROWS[i].why);
                break;
            }
        }
    }
}

/// Checks the mapping below the key that names the kind of a shape.
static void check_shape(Place place, const GrNode *node, Item *item)
{
    const GrNode *inner = node != NULL ? node->first : NULL;
    if (inner != NULL && inner->key != NULL) {
        item->shape = inner->key;
        check(place, inner, item);
    }
}

static void check_joint(const GrNode *node, Item *item)
{
    check(JOINT, node, item);
    check(MOTOR, gr_node_find(node, "motor"), item);
}

static void check_body(const GrNode *node, Item *item)
{
    check(BODY, node, item);
    check_shape(INERTIA, gr_node_find(node, "inertia_of"), item);
    const GrNode *shapes = gr_node_find(node, "shapes");
    for (const GrNode *shape = shapes != NULL ? shapes->first : NULL; shape != NULL; shape = shape->next) {
        check_shape(SHAPE, shape, item);
    }
    for (int i = 0; i < item->rover->joint_count; i++) {
        if (&item->rover->bodies[item->rover->joints[i].child] == item->body) {
            item->joint = &item->rover->joints[i];
            check_joint(gr_node_find(node, "joint"), item);
        }
    }
}

static const GrNode *first_of(const GrNode *root, const char *section)
{
    const GrNode *node = gr_node_find(root, section);
    return node != NULL ? node->first : NULL;
}

void gr_rover_warn_ignored(const GrNode *root, const GrRoverDef *rover)
{
    Item item = {.rover = rover};
    if (root->document->status != GR_OK) {
        return;
    }
    for (const GrNode *node = first_of(root, "bodies"); node != NULL; node = node->next) {
        item.typed = has_typed(node);
        item.body = &rover->bodies[gr_find_body(rover, node->key)];
        check_body(node, &item);
    }
    for (const GrNode *node = first_of(root, "joints"); node != NULL; node = node->next) {
        item.typed = has_typed(node);
        item.joint = &rover->joints[gr_find_joint(rover, node->key)];
        check_joint(node, &item);
    }
    int wheel = 0;
    for (const GrNode *node = first_of(root, "wheels"); node != NULL && wheel < rover->wheel_count; node = node->next) {
        item.typed = has_typed(node);
        item.wheel = &rover->wheels[wheel++];
        check(WHEEL, node, &item);
        check(GROUSERS, gr_node_find(node, "grousers"), &item);
    }
    gr_document_warn_params(root->document);
}
