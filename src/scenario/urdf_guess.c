#include "urdf_guess.h"

#include "alloc.h"
#include "body_shapes.h"
#include "elementary.h"
#include "file.h"
#include "json.h"
#include "messages.h"
#include "number.h"
#include "out_of_memory.h"
#include "rover_pose.h"
#include "rover_urdf.h"
#include "urdf_xml.h"
#include "vec3.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/// What a joint does.
typedef enum Part { PART_NONE, PART_DRIVE, PART_STEER, PART_PIVOT, PART_FOLLOWS, PART_HELD } Part;

typedef struct Wheel {
    int body, joint;
    GrPose pose; ///< in its body
    double radius, width;
    const char *source; ///< of the sizes; NULL: collision shapes
} Wheel;

/// The rover, and what is known of its parts.
typedef struct Guess {
    const GrRoverDef *rover;
    GrPose *poses; ///< of the bodies, in the frame of the root
    int *above;    ///< [body] the joint that carries it; −1: none
    Part *parts;   ///< [joint]
    Wheel *wheels; ///< [wheel_count]
    int wheel_count;
    int forward;     ///< index into gr_urdf_forward
    int left, right; ///< joints of a differential; −1: none
    double mass;
    double massless; ///< the mass of links that had none; 0: all have one
} Guess;

// ---- names

/// Whether a word occurs in a name, in any case.
static bool has_word(const char *name, const char *word)
{
    for (; *name != '\0'; name++) {
        if (strncasecmp(name, word, strlen(word)) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_any(const char *name, const char *const *words, int count)
{
    bool any = false;
    for (int i = 0; i < count; i++) {
        any = any || has_word(name, words[i]);
    }
    return any;
}

/// Whether one of the words is a part of the name between characters other than letters and digits: F, FL, rear.
static bool has_part(const char *name, const char *const *words, int count)
{
    while (*name != '\0') {
        size_t length = 0;
        while (isalnum((unsigned char)name[length])) {
            length++;
        }
        for (int i = 0; i < count; i++) {
            if (strlen(words[i]) == length && strncasecmp(name, words[i], length) == 0) {
                return true;
            }
        }
        name += length > 0 ? length : 1;
    }
    return false;
}

// ---- joints

static GrVec3 axis_of(const Guess *g, int joint)
{
    const GrJointDef *j = &g->rover->joints[joint];
    return gr_quat_rotate(g->poses[j->child].rotation, gr_normalize(j->axis));
}

static bool is_endless(const GrJointDef *joint)
{
    return joint->kind == GR_JOINT_REVOLUTE && !(joint->upper - joint->lower < 4 * GR_PI);
}

static bool moves(const GrJointDef *joint)
{
    return joint->kind == GR_JOINT_REVOLUTE || joint->kind == GR_JOINT_PRISMATIC;
}

static bool is_below(const Guess *g, int body, int joint)
{
    for (int above = g->above[body]; above >= 0; above = g->above[g->rover->joints[above].parent]) {
        if (above == joint) {
            return true;
        }
    }
    return false;
}

static int wheels_below(const Guess *g, int joint)
{
    int count = 0;
    for (int i = 0; i < g->wheel_count; i++) {
        count += is_below(g, g->wheels[i].body, joint);
    }
    return count;
}

static int find_coupling(const GrRoverDef *rover, int joint)
{
    for (int i = 0; i < rover->coupling_count; i++) {
        if (rover->couplings[i].joint == joint || rover->couplings[i].of == joint) {
            return i;
        }
    }
    return -1;
}

/// Whether a body is fixed to another, through any number of fixed joints.
static bool is_fixed_to(const Guess *g, int body, int to)
{
    while (body != to && g->above[body] >= 0 && g->rover->joints[g->above[body]].kind == GR_JOINT_FIXED) {
        body = g->rover->joints[g->above[body]].parent;
    }
    return body == to;
}

/// The rover's left in the frame of the root.
static GrVec3 left_of(const Guess *g)
{
    return gr_quat_rotate(gr_quat_axis_angle(gr_vec3(0, 0, 1), 0.5 * GR_PI * g->forward), gr_vec3(0, 1, 0));
}

// ---- wheels

/// The extent of all shapes that turn with a wheel about its axle: the furthest, and the sides of all that reach nearly
/// as far, so that a hub does not count. False where there are none.
static bool measure(const Guess *g, const Wheel *wheel, bool drawn, GrWheelExtent *out)
{
    const double near = 0.85; // of the furthest
    const GrPose frame = gr_pose_mul(g->poses[wheel->body], wheel->pose);
    *out = (GrWheelExtent){0, (double)INFINITY, -(double)INFINITY};
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < g->rover->body_count; k++) {
            const GrBodyDef *body = &g->rover->bodies[k];
            for (int i = 0; is_fixed_to(g, k, wheel->body) && i < body->shape_count; i++) {
                if (body->shapes[i].only_drawn != drawn) {
                    continue;
                }
                const GrWheelExtent e = gr_wheel_extent(&body->shapes[i], g->poses[k], frame);
                if (pass == 0) {
                    out->reach = fmax(out->reach, e.reach);
                } else if (e.reach >= near * out->reach) {
                    out->right = fmin(out->right, e.right);
                    out->left = fmax(out->left, e.left);
                }
            }
        }
    }
    return out->reach > 0 && out->left > out->right;
}

/// Sizes of the uniform cylinder with the body's inertia: I_axle = m r²/2, I_across = m (3 r² + w²)/12.
static bool measure_inertia(const Guess *g, const Wheel *wheel, GrWheelExtent *out)
{
    const GrBodyDef *body = &g->rover->bodies[wheel->body];
    const GrMat3 back = gr_quat_to_mat3(gr_quat_conjugate(wheel->pose.rotation));
    const GrSym3 i = gr_sym3_rotate(&back, body->inertia);
    const double r2 = body->mass > 0 ? 2 * i.yy / body->mass : 0;
    const double w2 = body->mass > 0 ? 12 * 0.5 * (i.xx + i.zz) / body->mass - 3 * r2 : 0;
    if (!(r2 > 0) || body->mass == g->massless) {
        return false;
    }
    const double half = 0.5 * sqrt(w2 > 0.01 * r2 ? w2 : 0.25 * r2);
    *out = (GrWheelExtent){sqrt(r2), -half, half};
    return true;
}

/// Frame with y along a direction.
static GrQuat turn_y_to(GrVec3 axle)
{
    const GrVec3 y = {0, 1, 0}, axis = gr_cross(y, axle);
    const double s = gr_norm(axis), c = gr_dot(y, axle);
    if (s < 1e-9) {
        return c > 0 ? gr_quat_identity() : gr_quat_axis_angle(gr_vec3(0, 0, 1), GR_PI);
    }
    return gr_quat_axis_angle(gr_scale(1 / s, axis), gr_atan2(s, c));
}

/// Places the wheel frame, y to the left, and takes its sizes from what there is.
static void fill_wheel(const Guess *g, Wheel *wheel)
{
    const GrJointDef *joint = &g->rover->joints[wheel->joint];
    const double sign = gr_dot(axis_of(g, wheel->joint), left_of(g)) < 0 ? -1 : 1;
    const GrVec3 axle = gr_scale(sign, gr_normalize(joint->axis));
    GrWheelExtent extent;
    wheel->pose = (GrPose){gr_vec3(0, 0, 0), turn_y_to(axle)};
    wheel->source = NULL;
    if (measure(g, wheel, false, &extent)) {
        // as they are
    } else if (measure(g, wheel, true, &extent)) {
        wheel->source = "of what is drawn, without a collision shape";
    } else if (measure_inertia(g, wheel, &extent)) {
        wheel->source = "of a uniform cylinder with the link's inertia: no shape could be read";
    } else {
        extent = (GrWheelExtent){0.1, -0.05, 0.05};
        wheel->source = "invented: the link has neither shape nor inertia";
    }
    wheel->radius = extent.reach;
    wheel->width = extent.left - extent.right;
    wheel->pose.position = gr_scale(0.5 * (extent.left + extent.right), axle);
}

/// Whether the link has a cylinder about the axis of its joint.
static bool has_cylinder(const Guess *g, int joint)
{
    const GrJointDef *j = &g->rover->joints[joint];
    const GrBodyDef *body = &g->rover->bodies[j->child];
    bool found = false;
    for (int i = 0; i < body->shape_count; i++) {
        const GrShapeDef *shape = &body->shapes[i];
        const GrVec3 along = gr_quat_rotate(shape->pose.rotation, gr_vec3(0, 1, 0));
        found = found || (shape->kind == GR_SHAPE_CYLINDER && fabs(gr_dot(along, gr_normalize(j->axis))) > 0.99 &&
                          gr_norm(gr_cross(shape->pose.position, gr_normalize(j->axis))) < 0.1 * shape->radius);
    }
    return found;
}

/// Whether a joint carries a wheel: it turns without end about a level axis, nothing moves below it, and it or its link
/// is named so, or has a cylinder about the axis.
static bool is_wheel(const Guess *g, int joint)
{
    static const char *const NAMES[] = {"wheel", "tire", "tyre", "rim", "roue", "rad_"};
    static const char *const OTHERS[] = {"steer", "caster", "castor"};
    const GrJointDef *j = &g->rover->joints[joint];
    const char *link = g->rover->bodies[j->child].name;
    if (!is_endless(j) || fabs(axis_of(g, joint).z) > 0.5) {
        return false;
    }
    for (int i = 0; i < g->rover->joint_count; i++) {
        if (i != joint && moves(&g->rover->joints[i]) && is_below(g, g->rover->joints[i].child, joint)) {
            return false;
        }
    }
    const bool other = has_any(link, OTHERS, 3) && !has_any(link, NAMES, 6);
    return !other && (has_any(link, NAMES, 6) || has_any(j->name, NAMES, 6) || has_cylinder(g, joint));
}

/// The direction of travel: across the axles, towards wheels that are named front, else along x or y.
static int find_forward(const Guess *g)
{
    static const char *const FRONT[] = {"front", "f", "fl", "fr", "lf", "rf", "vorn"};
    static const char *const REAR[] = {"rear", "back", "b", "bl", "br", "rl", "rr", "r", "lr", "rb", "lb"};
    double along_y = 0;
    GrVec3 front = {0, 0, 0};
    for (int i = 0; i < g->wheel_count; i++) {
        const Wheel *w = &g->wheels[i];
        const GrVec3 axis = axis_of(g, w->joint);
        const char *name = g->rover->bodies[w->body].name;
        along_y += fabs(axis.y) - fabs(axis.x);
        const double side = has_part(name, FRONT, 7) || has_word(name, "front")                            ? 1
                            : has_part(name, REAR, 11) || has_word(name, "rear") || has_word(name, "back") ? -1
                                                                                                           : 0;
        front = gr_add(front, gr_scale(side, g->poses[w->body].position));
    }
    const double ahead = along_y >= 0 ? front.x : front.y;
    return (along_y >= 0 ? 0 : 1) + (ahead < -1e-6 ? 2 : 0);
}

static void find_wheels(Guess *g)
{
    for (int i = 0; i < g->rover->joint_count; i++) {
        if (is_wheel(g, i)) {
            g->parts[i] = PART_DRIVE;
            g->wheels[g->wheel_count++] = (Wheel){.joint = i, .body = g->rover->joints[i].child};
        }
    }
    g->forward = find_forward(g);
    for (int i = 0; i < g->wheel_count; i++) {
        fill_wheel(g, &g->wheels[i]);
    }
}

/// Some frames have z down.
static void warn_upside_down(const Guess *g, const char *path, GrErrorLog *log)
{
    double height = 0;
    for (int i = 0; i < g->wheel_count; i++) {
        height += g->poses[g->wheels[i].body].position.z;
    }
    const double com = gr_rover_mass_properties(g->rover, g->poses).com.z;
    if (g->wheel_count > 0 && height / g->wheel_count > com) {
        gr_warning_add(
            log, (GrLocation){.file = path},
            "the wheels are %.3g m above the centre of mass: does z of the root link '%.100s' point up, as it "
            "must?",
            height / g->wheel_count - com, g->rover->bodies[0].name);
    }
}

// ---- other joints

/// The nearest upright joint above a wheel that carries no other wheel steers it.
static void find_steering(Guess *g)
{
    for (int i = 0; i < g->wheel_count; i++) {
        int above = g->above[g->rover->joints[g->wheels[i].joint].parent];
        for (; above >= 0; above = g->above[g->rover->joints[above].parent]) {
            const GrJointDef *j = &g->rover->joints[above];
            if (j->kind == GR_JOINT_REVOLUTE && fabs(axis_of(g, above).z) > 0.9 && wheels_below(g, above) == 1) {
                g->parts[above] = PART_STEER;
                break;
            }
        }
    }
}

/// Whether a joint hangs on another that moves.
static bool is_first(const Guess *g, int joint)
{
    for (int above = g->above[g->rover->joints[joint].parent]; above >= 0;
         above = g->above[g->rover->joints[above].parent]) {
        if (moves(&g->rover->joints[above])) {
            return false;
        }
    }
    return true;
}

/// Joints that carry several wheels are pivots of the suspension. Two of them on the chassis, left and right, are the
/// rockers of a differential. More of them, or rockers without one, would let the chassis fall: they are held.
static void find_pivots(Guess *g)
{
    int first = 0, sides[2] = {-1, -1}, uncoupled = 0;
    for (int i = 0; i < g->rover->joint_count; i++) {
        const bool pivot = moves(&g->rover->joints[i]) && g->parts[i] == PART_NONE && wheels_below(g, i) > 0;
        const bool coupled = find_coupling(g->rover, i) >= 0;
        if (pivot && coupled) {
            g->parts[i] = PART_FOLLOWS;
        } else if (pivot && is_first(g, i)) {
            const double side = gr_dot(left_of(g), g->poses[g->rover->joints[i].child].position);
            first++;
            uncoupled += wheels_below(g, i) > 1;
            sides[side > 0 ? 0 : 1] = i;
        } else if (pivot && wheels_below(g, i) > 1) {
            g->parts[i] = PART_PIVOT;
        }
    }
    if (first == 2 && uncoupled == 2 && sides[0] >= 0 && sides[1] >= 0) {
        g->left = sides[0];
        g->right = sides[1];
        g->parts[g->left] = g->parts[g->right] = PART_PIVOT;
    }
    for (int i = 0; i < g->rover->joint_count; i++) {
        if (moves(&g->rover->joints[i]) && g->parts[i] == PART_NONE) {
            g->parts[i] = find_coupling(g->rover, i) >= 0 && wheels_below(g, i) > 0 ? PART_FOLLOWS : PART_HELD;
        }
    }
}

// ---- the file

static void put_key(GrBuffer *out, const char *name)
{
    bool plain = isalpha((unsigned char)name[0]) || name[0] == '_';
    for (const char *c = name; *c != '\0'; c++) {
        plain = plain && (isalnum((unsigned char)*c) || *c == '_' || *c == '-');
    }
    gr_buffer_puts(out, "  ");
    if (plain) {
        gr_buffer_puts(out, name);
    } else {
        GrJson json = gr_json_to_buffer(out, false); // a JSON string is a YAML string
        gr_json_string(&json, NULL, name);
    }
    gr_buffer_puts(out, ":");
}

static double mass_on(const Guess *g, int joint)
{
    double mass = 0;
    for (int k = 0; k < g->rover->body_count; k++) {
        mass += is_below(g, k, joint) ? g->rover->bodies[k].mass : 0;
    }
    return mass;
}

/// Gains that turn a wheel against the whole weight, and hold parts within a few degrees.
static void put_joint(const Guess *g, int joint, GrBuffer *out)
{
    const double gravity = 9.81;
    double radius = 0.1;
    for (int i = 0; i < g->wheel_count; i++) {
        radius = g->wheels[i].joint == joint || g->parts[joint] == PART_STEER ? g->wheels[i].radius : radius;
    }
    const double turn = g->mass * gravity * radius; // the weight at the rim [N m]
    const double carried = wheels_below(g, joint) > 0 ? 4 * g->mass : mass_on(g, joint);
    put_key(out, g->rover->joints[joint].name);
    switch (g->parts[joint]) {
    case PART_DRIVE:
        gr_buffer_printf(out, " {role: drive, motor: {kind: pid, kp: %.3g, ki: %.3g}} # review: gains\n", turn,
                         2 * turn);
        break;
    case PART_STEER:
        gr_buffer_printf(out, " {role: steer, motor: {kind: position, kp: %.3g, kd: %.3g}} # review: steers? gains\n",
                         20 * turn, 2 * turn);
        break;
    default:
        gr_buffer_printf(out, " {motor: {kind: position, kp: %.3g, kd: %.3g}} # review: held where it is; gains\n",
                         fmax(100 * carried, 1e-3), fmax(10 * carried, 1e-4));
    }
}

static void put_numbers(GrBuffer *out, const char *key, GrVec3 v)
{
    const double values[] = {v.x, v.y, v.z};
    gr_buffer_printf(out, "    %s: [", key);
    for (int i = 0; i < 3; i++) {
        gr_buffer_printf(out, "%s%.6g", i > 0 ? ", " : "", fabs(values[i]) < 1e-9 ? 0 : values[i]);
    }
    gr_buffer_puts(out, "]\n");
}

static void put_wheels(const Guess *g, GrBuffer *out)
{
    gr_buffer_puts(out, g->wheel_count > 0 ? "\nwheels: # of the URDF's links\n" : "");
    for (int i = 0; i < g->wheel_count; i++) {
        const Wheel *w = &g->wheels[i];
        const GrVec3 turn = gr_scale(180 / GR_PI, gr_quat_to_rpy(w->pose.rotation));
        put_key(out, g->rover->bodies[w->body].name);
        gr_buffer_puts(out, "\n");
        if (gr_norm(w->pose.position) > 1e-6) {
            put_numbers(out, "at_m", w->pose.position);
        }
        if (gr_norm(turn) > 1e-6) {
            put_numbers(out, "rotation_deg", turn);
        }
        const char *remark = w->source != NULL ? "review: " : "",
                   *source = w->source != NULL ? w->source : "of its shapes";
        gr_buffer_printf(out, "    radius_m: %.4g # %s%s\n    width_m: %.4g\n", w->radius, remark, source, w->width);
    }
}

static void put_differential(const Guess *g, GrBuffer *out)
{
    if (g->left < 0) {
        return;
    }
    const double ratio = gr_dot(axis_of(g, g->left), axis_of(g, g->right)) > 0 ? -1 : 1;
    gr_buffer_puts(out, "\ncouplings:\n  differential: {joint: ");
    GrJson right = gr_json_to_buffer(out, false);
    gr_json_string(&right, NULL, g->rover->joints[g->right].name);
    gr_buffer_puts(out, ", of: ");
    GrJson left = gr_json_to_buffer(out, false);
    gr_json_string(&left, NULL, g->rover->joints[g->left].name);
    gr_buffer_printf(out, ", ratio: %g} # review: rockers that a differential connects\n", ratio);
}

static void put_file(const Guess *g, const char *path, double massless, GrBuffer *out, GrUrdfGuess *found)
{
    const char *slash = strrchr(path, '/'), *file = slash != NULL ? slash + 1 : path;
    gr_buffer_puts(out,
                   "# Guessed from the URDF by grouser rover from-urdf. Check the lines marked \"review\".\nurdf: ");
    GrJson json = gr_json_to_buffer(out, false);
    gr_json_string(&json, NULL, file);
    gr_buffer_puts(out, "\n");
    if (g->forward != 0) {
        gr_buffer_printf(out, "forward: %s # review: of the chassis' axes\n", gr_urdf_forward[g->forward]);
    }
    if (found->massless) {
        gr_buffer_printf(out, "massless_kg: %.6g # review: mass of each link that moves without one\n", massless);
    }
    bool any = false;
    for (int i = 0; i < g->rover->joint_count; i++) {
        const Part part = g->parts[i];
        found->steered += part == PART_STEER;
        found->pivots += part == PART_PIVOT || part == PART_FOLLOWS;
        found->held += part == PART_HELD;
        if (part == PART_DRIVE || part == PART_STEER || part == PART_HELD) {
            gr_buffer_puts(out, any ? "" : "\njoints: # of the URDF; those that are not here move freely\n");
            put_joint(g, i, out);
            any = true;
        }
    }
    put_differential(g, out);
    put_wheels(g, out);
    found->wheels = g->wheel_count;
}

static GrStatus guess(const GrRoverDef *rover, const char *path, double massless, GrBuffer *out, GrUrdfGuess *found,
                      GrErrorLog *log)
{
    double *positions = gr_calloc((size_t)rover->joint_count + 1, sizeof *positions);
    Guess g = {.rover = rover,
               .poses = gr_calloc((size_t)rover->body_count + 1, sizeof *g.poses),
               .above = gr_calloc((size_t)rover->body_count + 1, sizeof *g.above),
               .parts = gr_calloc((size_t)rover->joint_count + 1, sizeof *g.parts),
               .wheels = gr_calloc((size_t)rover->joint_count + 1, sizeof *g.wheels),
               .massless = found->massless ? massless : 0,
               .left = -1,
               .right = -1};
    GrStatus status = GR_OK;
    if (positions == NULL || g.poses == NULL || g.above == NULL || g.parts == NULL || g.wheels == NULL) {
        status = gr_out_of_memory(log, path);
    } else if (gr_rover_initial_positions(rover, positions, log) != GR_OK ||
               gr_rover_body_poses(rover, positions, g.poses, log) != GR_OK) {
        status = GR_ERROR_MODEL;
    } else {
        for (int k = 0; k < rover->body_count; k++) {
            g.above[k] = -1;
            g.mass += rover->bodies[k].mass;
        }
        for (int i = 0; i < rover->joint_count; i++) {
            g.above[rover->joints[i].child] = i;
        }
        find_wheels(&g);
        warn_upside_down(&g, path, log);
        find_steering(&g);
        find_pivots(&g);
        put_file(&g, path, massless, out, found);
        status = out->failed ? gr_out_of_memory(log, path) : GR_OK;
    }
    gr_free(positions);
    gr_free(g.poses);
    gr_free(g.above);
    gr_free(g.parts);
    gr_free(g.wheels);
    return status;
}

/// Reads the URDF as it is; with `massless` where links move that have no mass.
static GrStatus read_rover(const char *path, double massless, GrRoverDef *rover, GrErrorLog *log)
{
    char *text, keys[64];
    size_t length;
    GrDocument *side = NULL;
    GrStatus status = gr_file_read(path, GR_URDF_BYTES, &text, &length, log);
    if (status != GR_OK) {
        return status;
    }
    if (massless > 0) {
        gr_print(keys, sizeof keys, "{massless_kg: %.17g}", massless);
        status = gr_document_parse(keys, strlen(keys), path, &side, log);
    }
    if (status == GR_OK && side != NULL) {
        gr_document_prepare(side, NULL);
    }
    status = status == GR_OK ? gr_rover_parse_urdf(text, length, path, side, rover, log) : status;
    gr_document_free(side);
    gr_free(text);
    return status;
}

GrStatus gr_urdf_guess_side(const char *path, double massless, GrBuffer *out, GrUrdfGuess *found, GrErrorLog *log)
{
    GrRoverDef rover;
    GrErrorLog quiet = {.quiet = true};
    *found = (GrUrdfGuess){0};
    found->massless = read_rover(path, 0, &rover, &quiet) != GR_OK;
    if (found->massless) {
        const GrStatus status = read_rover(path, massless, &rover, log);
        if (status != GR_OK) {
            return status;
        }
    } else {
        gr_messages_repeat(&quiet, log);
    }
    const GrStatus status = guess(&rover, path, massless, out, found, log);
    gr_rover_free(&rover);
    return status;
}
