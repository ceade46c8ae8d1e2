/// Reads joints of rover files: axis, limits, springs, friction, motors. The units in keys depend on whether a joint
/// rotates or slides.
#include "rover_parts.h"

#include "joint_kind.h"
#include "rover_def.h"
#include "text.h"
#include "vec3.h"

#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { ALONG = GR_JOINT_TAKES_ALONG };

static void read_quantities(GrNode *node, const GrJointQuantity *table, GrJointKind kind, void *out)
{
    const bool slides = gr_joint_kind_slides(kind);
    for (const GrJointQuantity *q = table; q->key.name != NULL; q++) {
        double value;
        const bool taken = gr_joint_kind(kind)->takes & q->needs;
        if (taken && gr_field_number(node, slides ? q->sliding : q->key.name, GR_OPTIONAL, q->key.range, &value)) {
            const bool is_angle = strstr(q->key.name, "_deg") != NULL;
            value = is_angle && !slides ? value * GR_PI / 180 : value;
            memcpy((char *)out + q->key.offset, &value, sizeof value);
        }
    }
}

/// Requires the keys that a motor of this kind needs.
static void require_motor_keys(GrNode *node, const GrMotorDef *motor, bool slides)
{
    const bool has_gains =
        motor->kind == GR_MOTOR_PID || motor->kind == GR_MOTOR_DC || motor->kind == GR_MOTOR_POSITION;
    if (has_gains) {
        gr_field(node, "kp", GR_REQUIRED);
    }
    if (motor->kind == GR_MOTOR_DC) {
        gr_field(node, slides ? "stall_force_N" : "stall_torque_Nm", GR_REQUIRED);
        gr_field(node, slides ? "no_load_speed_m_per_s" : "no_load_speed_rad_per_s", GR_REQUIRED);
    }
}

static void read_motor(GrNode *node, GrJointDef *joint)
{
    GrMotorDef *motor = &joint->motor;
    int kind = motor->kind;
    gr_field_choice(node, "kind", GR_REQUIRED, gr_motor_kind_names, GR_MOTOR_KINDS, &kind);
    motor->kind = (GrMotorKind)kind;
    read_quantities(node, gr_motor_quantities, joint->kind, motor);
    require_motor_keys(node, motor, gr_joint_kind_slides(joint->kind));
    gr_fields_end(node);
}

static void read_limits(GrNode *node, bool slides, GrJointDef *joint)
{
    const char *key = slides ? "limits_m" : "limits_deg";
    double limits[2];
    if (gr_field_numbers(node, key, GR_OPTIONAL, GR_ANY_OR_INFINITE, limits, 2)) {
        const double scale = slides ? 1 : GR_PI / 180;
        joint->lower = limits[0] * scale;
        joint->upper = limits[1] * scale;
        if (limits[0] > limits[1]) {
            gr_node_error(gr_node_find(node, key), GR_ERROR_VALUE, "the lower limit %g is above the upper limit %g",
                          limits[0], limits[1]);
        }
    }
}

static void check_initial(GrNode *node, bool slides, const GrJointDef *joint)
{
    const bool inside = joint->initial >= joint->lower && joint->initial <= joint->upper;
    if (!inside && joint->lower <= joint->upper) {
        const double scale = slides ? 1 : 180 / GR_PI;
        const GrNode *initial = gr_node_find(node, slides ? "initial_m" : "initial_deg");
        gr_node_error(initial != NULL ? initial : node, GR_ERROR_VALUE,
                      "the initial position %g is outside of the limits; allowed: %g to %g", joint->initial * scale,
                      joint->lower * scale, joint->upper * scale);
    }
}

/// Refuses a key that other kinds have, but not this one.
static void refuse(GrNode *node, const char *key, GrJointKind kind, unsigned needs)
{
    GrNode *given = gr_node_find(node, key);
    if (given != NULL && !given->used) {
        char text[300];
        given->used = true;
        gr_joint_refusal(kind, needs, text, sizeof text);
        gr_node_error(given, GR_ERROR_FIELD, "%s", text);
    }
}

static void refuse_what_it_does_not_take(GrNode *node, GrJointKind kind)
{
    static const struct {
        const char *key;
        unsigned needs;
    } keys[] = {{"axis", GR_JOINT_TAKES_AXIS},
                {"motor", ALONG},
                {"role", ALONG},
                {"limits_deg", ALONG},
                {"limits_m", ALONG},
                {"initial_rotation_deg", GR_JOINT_TAKES_ROTATION},
                {"initial_at_m", GR_JOINT_TAKES_PLACE}};
    const unsigned takes = gr_joint_kind(kind)->takes;
    for (int i = 0; i < COUNT(keys); i++) {
        if ((takes & keys[i].needs) == 0) {
            refuse(node, keys[i].key, kind, keys[i].needs);
        }
    }
    for (const GrJointQuantity *q = gr_joint_quantities; q->key.name != NULL; q++) {
        if ((takes & q->needs) == 0) {
            refuse(node, q->key.name, kind, q->needs);
            refuse(node, q->sliding, kind, q->needs);
        }
    }
}

/// Initial pose of the body of a spherical or free joint in the joint frame.
static void read_initial_pose(GrNode *node, GrJointDef *joint)
{
    double rpy[3];
    if (gr_field_numbers(node, "initial_rotation_deg", GR_OPTIONAL, GR_ANY, rpy, 3)) {
        joint->initial_pose.rotation = gr_quat_from_rpy(rpy[0] * GR_DEGREE, rpy[1] * GR_DEGREE, rpy[2] * GR_DEGREE);
    }
    if (gr_joint_kind(joint->kind)->takes & GR_JOINT_TAKES_PLACE) {
        gr_field_vec3(node, "initial_at_m", GR_OPTIONAL, GR_ANY, &joint->initial_pose.position);
    }
}

/// Role, end stops and motor, which need a scalar position.
static void read_along(GrNode *node, GrJointDef *joint)
{
    const bool slides = gr_joint_kind_slides(joint->kind);
    int role = joint->role;
    gr_field_choice(node, "role", GR_OPTIONAL, gr_joint_role_names, GR_JOINT_ROLES, &role);
    joint->role = (GrJointRole)role;
    read_limits(node, slides, joint);
}

void gr_read_joint_dynamics(GrNode *node, GrJointDef *joint)
{
    if (joint->kind == GR_JOINT_FIXED) {
        return;
    }
    const unsigned takes = gr_joint_kind(joint->kind)->takes;
    if (takes & ALONG) {
        read_along(node, joint);
    }
    read_quantities(node, gr_joint_quantities, joint->kind, joint);
    if (takes & GR_JOINT_TAKES_PITCH) {
        GrNode *pitch = gr_field(node, "pitch_m_per_rad", GR_REQUIRED);
        if (pitch != NULL && joint->pitch == 0) {
            gr_node_error(pitch, GR_ERROR_VALUE,
                          "found 0; allowed: any number except 0 (a joint without pitch is revolute)");
        }
    }
    if (takes & GR_JOINT_TAKES_ROTATION) {
        read_initial_pose(node, joint);
    }
    GrNode *motor = takes & ALONG ? gr_field_mapping(node, "motor", GR_OPTIONAL) : NULL;
    if (takes & ALONG) {
        check_initial(node, gr_joint_kind_slides(joint->kind), joint);
    }
    if (motor != NULL) {
        read_motor(motor, joint);
    }
    refuse_what_it_does_not_take(node, joint->kind);
}

/// x, -x, y, ... or a vector.
static void read_axis(GrNode *node, GrVec3 *axis)
{
    static const char *const names[] = {"x", "y", "z", "-x", "-y", "-z"};
    static const GrVec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    GrNode *value = gr_field(node, "axis", GR_REQUIRED);
    int choice;
    if (value == NULL) {
        return;
    }
    if (value->kind == GR_NODE_LIST) {
        double v[3];
        if (gr_node_numbers(value, GR_ANY, v, 3)) {
            *axis = gr_vec3(v[0], v[1], v[2]);
            if (gr_norm(*axis) == 0) {
                gr_node_error(value, GR_ERROR_VALUE, "the axis must not be zero");
            }
        }
    } else if (gr_node_choice(value, names, COUNT(names), &choice)) {
        *axis = axes[choice];
    }
}

void gr_read_joint(GrNode *node, GrJointDef *joint)
{
    const char *names[GR_JOINT_KIND_COUNT];
    for (int i = 0; i < GR_JOINT_KIND_COUNT; i++) {
        names[i] = gr_joint_kind((GrJointKind)i)->name;
    }
    int kind = GR_JOINT_FIXED;
    const bool known = gr_field_choice(node, "kind", GR_REQUIRED, names, GR_JOINT_KIND_COUNT, &kind);
    joint->kind = (GrJointKind)kind;
    gr_field_text(node, "name", GR_OPTIONAL, joint->name, sizeof joint->name);
    gr_keys_take(node, gr_pose_keys, &joint->pose);
    if (gr_joint_kind(joint->kind)->takes & GR_JOINT_TAKES_AXIS) {
        read_axis(node, &joint->axis);
    }
    gr_read_joint_dynamics(node, joint);
    if (known) {
        gr_fields_end(node); // without the kind, it is not known which keys are allowed
    }
}
