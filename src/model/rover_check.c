/// Checks of a rover definition: every part and field, all problems in one pass.
#include "grouser/localise.h"
#include "grouser/model.h"
#include "grouser/sense.h"

#include "alloc.h"
#include "body_shapes.h"
#include "joint_kind.h"
#include "number.h"
#include "out_of_memory.h"
#include "text.h"
#include "vec3.h"

#include <stdio.h>
#include <string.h>

typedef enum Part { PART_ROVER, PART_BODY, PART_JOINT, PART_COUPLING, PART_WHEEL } Part;

typedef struct Check {
    const GrRoverDef *rover;
    GrErrorLog *log;
    GrStatus status; ///< status of the first error
    char field[GR_ERROR_FIELD_SIZE];
} Check;

static const char *part_name(const Check *c, Part part, int index)
{
    switch (part) {
    case PART_BODY:
        return c->rover->bodies[index].name;
    case PART_JOINT:
        return c->rover->joints[index].name;
    case PART_WHEEL:
        return c->rover->wheels[index].name;
    case PART_COUPLING:
    case PART_ROVER:
        break;
    }
    return "";
}

static GrLocation place(Check *c, Part part, int index, const char *field)
{
    static const char *const families[] = {"", "bodies", "joints", "couplings", "wheels"};
    if (part == PART_ROVER) {
        snprintf(c->field, sizeof c->field, "%s", field);
    } else if (part_name(c, part, index)[0] != '\0') {
        snprintf(c->field, sizeof c->field, "%s.%s.%s", families[part], part_name(c, part, index), field);
    } else {
        snprintf(c->field, sizeof c->field, "%s[%d].%s", families[part], index, field);
    }
    return (GrLocation){.field = c->field};
}

GR_PRINTF(6, 7)
static void fail(Check *c, GrStatus status, Part part, int index, const char *field, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    gr_vprint(text, sizeof text, format, args);
    va_end(args);
    gr_error_add(c->log, status, place(c, part, index, field), "%s", text);
    if (c->status == GR_OK) {
        c->status = status;
    }
}

static void require(Check *c, bool ok, Part part, int index, const char *field, double found, const char *allowed)
{
    if (!ok) {
        fail(c, GR_ERROR_VALUE, part, index, field, "found %g, allowed: %s", found, allowed);
    }
}

static bool is_finite_vec(GrVec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static void check_name(Check *c, Part part, int index)
{
    const char *name = part_name(c, part, index);
    if (name[0] == '\0') {
        fail(c, GR_ERROR_NAME, part, index, "name", "has no name");
        return;
    }
    for (const char *at = name; *at != '\0'; at++) {
        if (gr_text_is_control(at)) {
            fail(c, GR_ERROR_NAME, part, index, "name", "the name '%s' has a control character", name);
            return;
        }
    }
    for (int i = 0; i < index; i++) {
        if (strcmp(part_name(c, part, i), name) == 0) {
            fail(c, GR_ERROR_NAME, part, index, "name", "the name '%s' is used twice", name);
            return;
        }
    }
}

static double determinant(GrSym3 s)
{
    return s.xx * (s.yy * s.zz - s.yz * s.yz) - s.xy * (s.xy * s.zz - s.yz * s.xz) + s.xz * (s.xy * s.yz - s.yy * s.xz);
}

/// Positive semidefinite by its principal minors, within a tolerance relative to the largest entry; with a negative
/// tolerance, positive definite by that much.
static bool is_positive(GrSym3 s, double tolerance)
{
    const double scale = fmax(s.xx, fmax(s.yy, s.zz));
    const double t = tolerance * scale;
    return s.xx >= -t && s.yy >= -t && s.zz >= -t && s.xx * s.yy - s.xy * s.xy >= -t * scale &&
           s.xx * s.zz - s.xz * s.xz >= -t * scale && s.yy * s.zz - s.yz * s.yz >= -t * scale &&
           determinant(s) >= -t * scale * scale;
}

/// tr(I)/2 1 − I is the tensor of the second moments of the mass. Like the inertia itself, it must be positive
/// semidefinite.
bool gr_inertia_is_physical(GrSym3 s)
{
    const double rounding = 1e-9, definite = -1e-15;
    const double half = (s.xx + s.yy + s.zz) / 2;
    const GrSym3 second = {half - s.xx, half - s.yy, half - s.zz, -s.xy, -s.xz, -s.yz};
    return isfinite(half) && isfinite(s.xy) && isfinite(s.xz) && isfinite(s.yz) && half > 0 &&
           is_positive(s, definite) && is_positive(second, rounding);
}

static void check_inertia(Check *c, int index)
{
    const GrBodyDef *body = &c->rover->bodies[index];
    const GrSym3 s = body->inertia;
    const bool is_zero = s.xx == 0 && s.yy == 0 && s.zz == 0 && s.xy == 0 && s.xz == 0 && s.yz == 0;
    if (!(body->mass == 0 && is_zero) && !gr_inertia_is_physical(s)) {
        fail(c, GR_ERROR_VALUE, PART_BODY, index, "inertia",
             "not physically possible: it must be positive definite, and no principal moment larger than the sum of "
             "the other two; found xx %g, yy %g, zz %g, xy %g, xz %g, yz %g",
             s.xx, s.yy, s.zz, s.xy, s.xz, s.yz);
    }
}

static void check_body(Check *c, int i)
{
    const GrBodyDef *body = &c->rover->bodies[i];
    check_name(c, PART_BODY, i);
    require(c, isfinite(body->mass) && body->mass >= 0, PART_BODY, i, "mass", body->mass, ">= 0 kg");
    if (!is_finite_vec(body->com)) {
        fail(c, GR_ERROR_VALUE, PART_BODY, i, "com", "is not finite");
    }
    check_inertia(c, i);
    if (body->mass == 0 && body->inertia.xx + body->inertia.yy + body->inertia.zz > 0) {
        fail(c, GR_ERROR_VALUE, PART_BODY, i, "inertia", "a body without mass has no inertia");
    }
}

static void check_motor(Check *c, int i)
{
    const GrMotorDef *m = &c->rover->joints[i].motor;
    const struct {
        const char *field;
        double value;
    } gains[] = {
        {"motor.kp", m->kp}, {"motor.ki", m->ki}, {"motor.kd", m->kd}, {"motor.rotor_inertia", m->rotor_inertia}};
    for (int k = 0; k < 4; k++) {
        require(c, isfinite(gains[k].value) && gains[k].value >= 0, PART_JOINT, i, gains[k].field, gains[k].value,
                ">= 0");
    }
    require(c, m->torque_limit > 0, PART_JOINT, i, "motor.torque_limit", m->torque_limit, "> 0");
    if (m->kind == GR_MOTOR_DC) {
        require(c, isfinite(m->stall_torque) && m->stall_torque > 0, PART_JOINT, i, "motor.stall_torque",
                m->stall_torque, "> 0 N m");
        require(c, isfinite(m->no_load_speed) && m->no_load_speed > 0, PART_JOINT, i, "motor.no_load_speed",
                m->no_load_speed, "> 0 rad/s");
    }
    if (m->kind == GR_MOTOR_PID || m->kind == GR_MOTOR_DC || m->kind == GR_MOTOR_POSITION) {
        require(c, m->kp > 0, PART_JOINT, i, "motor.kp", m->kp, "> 0 for a controller");
    }
}

/// Reports properties that a joint of this kind cannot have.
static void check_takes(Check *c, int i)
{
    const GrJointDef *j = &c->rover->joints[i];
    const GrJointKindRow *kind = gr_joint_kind(j->kind);
    const GrQuat turn = j->initial_pose.rotation;
    const struct {
        const char *field;
        unsigned bit;
        bool given;
    } parts[] = {
        {"motor", GR_JOINT_TAKES_ALONG, j->motor.kind != GR_MOTOR_NONE},
        {"motor.rotor_inertia", GR_JOINT_TAKES_ALONG, j->motor.rotor_inertia != 0},
        {"role", GR_JOINT_TAKES_ALONG, j->role != GR_ROLE_PASSIVE},
        {"limits", GR_JOINT_TAKES_ALONG, isfinite(j->lower) || isfinite(j->upper)},
        {"friction", GR_JOINT_TAKES_ALONG, j->friction != 0},
        {"rest", GR_JOINT_TAKES_ALONG, j->rest != 0},
        {"initial", GR_JOINT_TAKES_ALONG, j->initial != 0},
        {"stiffness", GR_JOINT_TAKES_SPRING, j->stiffness != 0},
        {"damping", GR_JOINT_TAKES_SPRING, j->damping != 0},
        {"pitch", GR_JOINT_TAKES_PITCH, j->pitch != 0},
        {"initial_pose.rotation", GR_JOINT_TAKES_ROTATION, turn.x != 0 || turn.y != 0 || turn.z != 0},
        {"initial_pose.position", GR_JOINT_TAKES_PLACE, gr_norm(j->initial_pose.position) != 0},
    };
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
        const bool read =
            kind->axis_count > 0 || k == 0; // nothing of a fixed joint is used, but a motor on it is a mistake
        if (parts[k].given && read && (kind->takes & parts[k].bit) == 0) {
            char text[300];
            gr_joint_refusal(j->kind, parts[k].bit, text, sizeof text);
            fail(c, GR_ERROR_MODEL, PART_JOINT, i, parts[k].field, "%s", text);
        }
    }
}

static bool is_pose(GrPose pose)
{
    const GrQuat r = pose.rotation;
    const double unit = r.w * r.w + r.x * r.x + r.y * r.y + r.z * r.z;
    return is_finite_vec(pose.position) && fabs(unit - 1) < 1e-6;
}

static void check_joint(Check *c, int i)
{
    const GrJointDef *j = &c->rover->joints[i];
    check_name(c, PART_JOINT, i);
    if (j->parent < 0 || j->parent >= c->rover->body_count || j->child < 0 || j->child >= c->rover->body_count) {
        fail(c, GR_ERROR_NAME, PART_JOINT, i, "parent", "parent or child is not a body of this rover");
        return;
    }
    if ((unsigned)j->kind >= GR_JOINT_KIND_COUNT) {
        fail(c, GR_ERROR_VALUE, PART_JOINT, i, "kind", "found %d, allowed: 0 .. %d", (int)j->kind,
             GR_JOINT_KIND_COUNT - 1);
        return;
    }
    if (!is_pose(j->pose)) {
        fail(c, GR_ERROR_VALUE, PART_JOINT, i, "pose", "position is not finite or rotation is not a unit quaternion");
    }
    check_takes(c, i);
    check_motor(c, i);
    if (j->kind == GR_JOINT_FIXED) {
        return;
    }
    const GrJointKindRow *kind = gr_joint_kind(j->kind);
    if ((kind->takes & GR_JOINT_TAKES_ROTATION) && !is_pose(j->initial_pose)) {
        fail(c, GR_ERROR_VALUE, PART_JOINT, i, "initial_pose",
             "position is not finite or rotation is not a unit quaternion");
    }
    require(c, !(kind->takes & GR_JOINT_TAKES_PITCH) || (isfinite(j->pitch) && j->pitch != 0), PART_JOINT, i, "pitch",
            j->pitch, "a finite number that is not 0 m/rad");
    const double length = kind->takes & GR_JOINT_TAKES_AXIS ? gr_norm(j->axis) : 1;
    require(c, isfinite(length) && length > 1e-9, PART_JOINT, i, "axis", length, "a vector that is not zero");
    if (!(j->lower < j->upper)) {
        fail(c, GR_ERROR_VALUE, PART_JOINT, i, "limits", "the lower limit %g is not below the upper limit %g", j->lower,
             j->upper);
    } else if (!(j->initial >= j->lower && j->initial <= j->upper)) {
        fail(c, GR_ERROR_VALUE, PART_JOINT, i, "initial", "found %g, allowed: %g .. %g (the limits)", j->initial,
             j->lower, j->upper);
    }
    const struct {
        const char *field;
        double value;
    } gains[] = {{"stop_stiffness", j->stop_stiffness},
                 {"stop_damping", j->stop_damping},
                 {"stiffness", j->stiffness},
                 {"damping", j->damping},
                 {"friction", j->friction}};
    for (int k = 0; k < 5; k++) {
        require(c, isfinite(gains[k].value) && gains[k].value >= 0, PART_JOINT, i, gains[k].field, gains[k].value,
                ">= 0");
    }
    require(c, isfinite(j->friction_travel) && j->friction_travel > 0, PART_JOINT, i, "friction_travel",
            j->friction_travel, "> 0");
    require(c, isfinite(j->rest), PART_JOINT, i, "rest", j->rest, "a finite number");
}

/// Every body but the first must be the child of one joint, and following the parents must always end at the first.
static void check_tree(Check *c)
{
    const GrRoverDef *rover = c->rover;
    int *carrier = gr_malloc(sizeof(int) * (size_t)rover->body_count);
    if (carrier == NULL) {
        c->status = gr_out_of_memory(c->log, NULL);
        return;
    }
    for (int b = 0; b < rover->body_count; b++) {
        carrier[b] = -1;
    }
    for (int i = 0; i < rover->joint_count; i++) {
        const int child = rover->joints[i].child;
        if (child == 0) {
            fail(c, GR_ERROR_MODEL, PART_JOINT, i, "child", "the first body, '%s', floats: no joint can carry it",
                 rover->bodies[0].name);
        } else if (carrier[child] >= 0) {
            fail(c, GR_ERROR_MODEL, PART_JOINT, i, "child", "body '%s' is already carried by joint '%s'",
                 rover->bodies[child].name, rover->joints[carrier[child]].name);
        } else {
            carrier[child] = i;
        }
    }
    for (int b = 1; b < rover->body_count; b++) {
        int at = b, hops = 0;
        while (at != 0 && carrier[at] >= 0 && hops <= rover->body_count) {
            at = rover->joints[carrier[at]].parent;
            hops++;
        }
        if (hops > rover->body_count) {
            fail(c, GR_ERROR_MODEL, PART_BODY, b, "parent", "'%s' is its own ancestor: its parents form a cycle",
                 rover->bodies[b].name);
        } else if (at != 0) {
            fail(c, GR_ERROR_MODEL, PART_BODY, b, "parent", "'%s' is not connected to the first body, '%s'",
                 rover->bodies[b].name, rover->bodies[0].name);
        }
    }
    gr_free(carrier);
}

static void check_coupling(Check *c, int i)
{
    const GrRoverDef *rover = c->rover;
    const GrCouplingDef *coupling = &rover->couplings[i];
    if (coupling->joint < 0 || coupling->joint >= rover->joint_count || coupling->of < 0 ||
        coupling->of >= rover->joint_count) {
        fail(c, GR_ERROR_NAME, PART_COUPLING, i, "joint", "names no joint of this rover");
        return;
    }
    require(c, isfinite(coupling->ratio) && coupling->ratio != 0, PART_COUPLING, i, "ratio", coupling->ratio,
            "a finite number that is not 0");
    require(c, isfinite(coupling->offset), PART_COUPLING, i, "offset", coupling->offset, "a finite number");
    const int ends[2] = {coupling->joint, coupling->of};
    for (int k = 0; k < 2; k++) {
        const GrJointKind kind = rover->joints[ends[k]].kind;
        if ((unsigned)kind < GR_JOINT_KIND_COUNT && !gr_joint_kind_is_scalar(kind)) {
            fail(c, GR_ERROR_MODEL, PART_COUPLING, i, "joint", "a %s joint cannot be coupled",
                 gr_joint_kind(kind)->name);
        }
    }
    for (int k = 0; k < i; k++) {
        if (rover->couplings[k].joint == coupling->joint) {
            fail(c, GR_ERROR_MODEL, PART_COUPLING, i, "joint", "joint '%s' already follows another joint",
                 rover->joints[coupling->joint].name);
        }
    }
    int at = coupling->of, hops = 0;
    for (int k = 0; k < rover->coupling_count && hops <= rover->coupling_count; k++) {
        if (rover->couplings[k].joint == at && at != coupling->joint) {
            at = rover->couplings[k].of;
            hops++;
            k = -1;
        }
    }
    if (at == coupling->joint || hops > rover->coupling_count) {
        fail(c, GR_ERROR_MODEL, PART_COUPLING, i, "of", "joint '%s' follows itself",
             rover->joints[coupling->joint].name);
    }
}

/// A wheel's angle is the position of the joint that carries it.
static void check_wheel_joint(Check *c, int i)
{
    for (int k = 0; k < c->rover->joint_count; k++) {
        const GrJointDef *j = &c->rover->joints[k];
        if (j->child == c->rover->wheels[i].body && (unsigned)j->kind < GR_JOINT_KIND_COUNT &&
            !(gr_joint_kind(j->kind)->takes & GR_JOINT_TAKES_WHEEL)) {
            fail(c, GR_ERROR_MODEL, PART_WHEEL, i, "body",
                 "hangs on the %s joint '%s'; allowed: a body on a revolute, prismatic or fixed joint",
                 gr_joint_kind(j->kind)->name, j->name);
        }
    }
}

static void check_wheel(Check *c, int i)
{
    const GrWheelDef *w = &c->rover->wheels[i];
    check_name(c, PART_WHEEL, i);
    check_wheel_joint(c, i);
    if (w->body < 0 || w->body >= c->rover->body_count) {
        fail(c, GR_ERROR_NAME, PART_WHEEL, i, "body", "is not a body of this rover");
    } else if (w->rimless && c->rover->bodies[w->body].shape_count == 0) {
        fail(c, GR_ERROR_VALUE, PART_WHEEL, i, "rim", "a wheel without a rim needs a body with shapes to stand on");
    }
    require(c, isfinite(w->radius) && w->radius > 0, PART_WHEEL, i, "radius", w->radius, "> 0 m");
    require(c, isfinite(w->width) && w->width > 0, PART_WHEEL, i, "width", w->width, "> 0 m");
    require(c, w->grouser_count >= 0, PART_WHEEL, i, "grouser_count", w->grouser_count, ">= 0");
    require(c, isfinite(w->grouser_height) && w->grouser_height >= 0, PART_WHEEL, i, "grouser_height",
            w->grouser_height, ">= 0 m");
    require(c, isfinite(w->grouser_thickness) && w->grouser_thickness >= 0, PART_WHEEL, i, "grouser_thickness",
            w->grouser_thickness, ">= 0 m");
    require(c, w->crown >= 0 && w->crown < w->radius, PART_WHEEL, i, "crown", w->crown, ">= 0 m and below the radius");
    require(c, fabs(w->grouser_angle) < 80 * GR_PI / 180, PART_WHEEL, i, "grouser_angle", w->grouser_angle,
            "between -80 and 80 degrees, in radians");
    char text[GR_WHEEL_TEXT];
    if (w->surface != NULL && !gr_wheel_surface_fits(w, text, sizeof text)) {
        fail(c, GR_ERROR_VALUE, PART_WHEEL, i, "surface", "%s", text);
    }
    if (w->side != NULL && !gr_side_wall_fits(w, text, sizeof text)) {
        fail(c, GR_ERROR_VALUE, PART_WHEEL, i, "side", "%s", text);
    }
    require(c, w->stiffness > 0, PART_WHEEL, i, "stiffness", w->stiffness, "> 0 N/m (infinite: rigid)");
    require(c, isfinite(w->damping) && w->damping >= 0, PART_WHEEL, i, "damping", w->damping, ">= 0 N s/m");
}

GrStatus gr_rover_check(const GrRoverDef *rover, GrErrorLog *log)
{
    Check c = {.rover = rover, .log = log};
    if (rover->body_count < 0 || rover->joint_count < 0 || rover->coupling_count < 0 || rover->wheel_count < 0) {
        fail(&c, GR_ERROR_MODEL, PART_ROVER, 0, "bodies",
             "a number of bodies, joints, couplings or wheels is negative");
        return c.status;
    }
    if (rover->body_count == 0) {
        fail(&c, GR_ERROR_MODEL, PART_ROVER, 0, "bodies", "a rover needs at least one body");
        return c.status;
    }
    for (int i = 0; i < rover->body_count; i++) {
        check_body(&c, i);
    }
    for (int i = 0; i < rover->joint_count; i++) {
        check_joint(&c, i);
    }
    if (c.status == GR_OK) {
        check_tree(&c);
    }
    for (int i = 0; i < rover->coupling_count; i++) {
        check_coupling(&c, i);
    }
    for (int i = 0; i < rover->wheel_count; i++) {
        check_wheel(&c, i);
    }
    const GrStatus sensors = gr_sensors_check(rover, log);
    const GrStatus localisation = sensors == GR_OK ? gr_localisation_check(rover, log) : GR_OK;
    return c.status != GR_OK ? c.status : sensors != GR_OK ? sensors : localisation;
}
