/// Reads rovers from URDF, and warns about what Grouser does not use of it.
#include "rover_urdf.h"

#include "alloc.h"
#include "number.h"
#include "rover_parts.h"
#include "text.h"
#include "urdf_tree.h"
#include "usual.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- warnings: elements that are not used, and numbers that are allowed but implausible. Tools write the same element
// for every joint, so each kind gives one warning, at its first occurrence, with a count.

static bool is_inside(const xmlNode *node, const char *element)
{
    return node->parent != NULL && gr_urdf_is(node->parent, element);
}

/// Whether an attribute has this text.
static bool has_text(const xmlNode *node, const char *attribute, const char *expected)
{
    char text[GR_NAME_SIZE];
    return gr_urdf_peek(node, attribute, text, sizeof text) && strcmp(text, expected) == 0;
}

/// A number of an attribute; 0 when it is absent or not a number.
static double number_of(const xmlNode *node, const char *attribute)
{
    double value;
    char text[GR_NAME_SIZE];
    return gr_urdf_peek(node, attribute, text, sizeof text) && gr_number_parse(text, &value) ? value : 0;
}

/// The rover's joint that an element of a <joint> refers to; NULL: none.
static const GrJointDef *joint_of(const xmlNode *node, const GrRoverDef *rover)
{
    char name[GR_NAME_SIZE];
    const bool named = is_inside(node, "joint") && gr_urdf_peek(node->parent, "name", name, sizeof name);
    const int index = named ? gr_find_joint(rover, name) : -1;
    return index >= 0 ? &rover->joints[index] : NULL;
}

static bool in_robot(const xmlNode *node, const GrRoverDef *rover)
{
    return rover != NULL && is_inside(node, "robot");
}
static bool in_joint(const xmlNode *node, const GrRoverDef *rover)
{
    return rover != NULL && is_inside(node, "joint");
}
static bool in_fixed(const xmlNode *node, const GrRoverDef *rover)
{
    return in_joint(node, rover) && has_text(node->parent, "type", "fixed");
}
static bool in_floating(const xmlNode *node, const GrRoverDef *rover)
{
    return in_joint(node, rover) && has_text(node->parent, "type", "floating");
}
static bool in_several_axes(const xmlNode *node, const GrRoverDef *rover)
{
    return in_floating(node, rover) || (in_joint(node, rover) && has_text(node->parent, "type", "planar"));
}
static bool in_continuous(const xmlNode *node, const GrRoverDef *rover)
{
    return in_joint(node, rover) && has_text(node->parent, "type", "continuous") &&
           (number_of(node, "lower") != 0 || number_of(node, "upper") != 0);
}
static bool has_velocity(const xmlNode *node, const GrRoverDef *rover)
{
    return in_joint(node, rover) && !in_several_axes(node, rover) && number_of(node, "velocity") > 0;
}
static bool has_idle_effort(const xmlNode *node, const GrRoverDef *rover)
{
    const GrJointDef *joint = joint_of(node, rover);
    return joint != NULL && joint->kind != GR_JOINT_FIXED && joint->motor.kind == GR_MOTOR_NONE &&
           !in_several_axes(node, rover) && number_of(node, "effort") > 0;
}

/// The table: element, attribute ("": the whole element), condition under which it is ignored, reason.
static const struct {
    const char *element, *attribute;
    bool (*ignored)(const xmlNode *node, const GrRoverDef *rover);
    const char *why;
} ROWS[] = {
    {"gazebo", "", in_robot, "friction and contact are given by the scenario (hard, soil)"},
    {"transmission", "", in_robot, "motors are given by the side file (joints)"},
    {"calibration", "", in_joint, "joints are where their positions say"},
    {"safety_controller", "", in_joint, "limits are end stops, and control is the scenario's"},
    {"axis", "", in_fixed, "the joint is fixed"},
    {"limit", "", in_fixed, "the joint is fixed"},
    {"dynamics", "", in_fixed, "the joint is fixed"},
    {"mimic", "", in_fixed, "the joint is fixed"},
    {"axis", "", in_floating, "a floating joint has none"},
    {"limit", "", in_several_axes, "the joint has several axes, without end stops"},
    {"dynamics", "", in_several_axes, "the joint has several axes, without damping and friction"},
    {"mimic", "", in_several_axes, "the joint has several axes and follows none"},
    {"limit", "lower and upper", in_continuous, "a continuous joint has no end stops"},
    {"limit", "velocity", has_velocity, "a motor of kind dc has a no-load speed (side file)"},
    {"limit", "effort", has_idle_effort, "it limits a motor, and the side file gives the joint none"},
};

/// The element after `node` in the order of the file, `root` and what is below it.
static xmlNode *next_of(const xmlNode *root, xmlNode *node)
{
    if (node->children != NULL) {
        return node->children;
    }
    while (node != root && node->next == NULL) {
        node = node->parent;
    }
    return node != root ? node->next : NULL;
}

static void warn_ignored(GrUrdf *urdf, xmlNode *root, const GrRoverDef *rover)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        const xmlNode *first = NULL;
        int count = 0;
        for (xmlNode *node = root; node != NULL; node = next_of(root, node)) {
            if (gr_urdf_is(node, ROWS[i].element) && node->ns == NULL && ROWS[i].ignored(node, rover)) {
                first = count++ == 0 ? node : first;
            }
        }
        if (count > 0) {
            const bool part = ROWS[i].attribute[0] != '\0';
            gr_urdf_warning_of(urdf, &ROWS[i], first, NULL, "%s%s<%s> has no effect (%d of them): %s",
                               ROWS[i].attribute, part ? " of " : "", ROWS[i].element, count, ROWS[i].why);
        }
    }
}

/// Attributes whose range is that of a key of rover files.
static const struct {
    const char *element, *attribute;
    int count;
    const char *key, *path;
} NUMBERS[] = {
    {"mass", "value", 1, "mass_kg", "bodies.link.mass_kg"},
    {"box", "size", 3, "size_m", "bodies.link.shapes[0].box.size_m"},
    {"cylinder", "radius", 1, "radius_m", "bodies.link.shapes[0].cylinder.radius_m"},
    {"cylinder", "length", 1, "length_m", "bodies.link.shapes[0].cylinder.length_m"},
    {"sphere", "radius", 1, "radius_m", "bodies.link.shapes[0].sphere.radius_m"},
};

static void warn_unusual(GrUrdf *urdf, xmlNode *node)
{
    GrUrdf quiet = *urdf; // what is faulty was reported where it is read, or is in an element that is ignored
    quiet.log = NULL;
    for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++) {
        const GrUsual *row = gr_usual_of(NUMBERS[i].key, NUMBERS[i].path);
        double values[3];
        if (row == NULL || !gr_urdf_is(node, NUMBERS[i].element) ||
            !gr_urdf_numbers(&quiet, node, NUMBERS[i].attribute, false, values, NUMBERS[i].count)) {
            continue;
        }
        for (int k = 0; k < NUMBERS[i].count; k++) {
            if (values[k] < row->lower || values[k] > row->upper) {
                gr_urdf_warning_of(urdf, &NUMBERS[i], node, NUMBERS[i].attribute, GR_USUAL_TEXT, values[k], row->what,
                                   row->lower, row->upper);
                break;
            }
        }
    }
}

/// Warns about elements without effect and about implausible numbers; the rover must be complete, side file included.
static void urdf_warn(GrUrdf *urdf, const GrRoverDef *rover)
{
    xmlNode *root = gr_urdf_root(urdf);
    urdf->field[0] = '\0';
    for (xmlNode *node = root; node != NULL; node = next_of(root, node)) {
        warn_unusual(urdf, node);
    }
    warn_ignored(urdf, root, rover);
}

// ---- rovers

/// `joints:` of the side file: role, motor, and everything that URDF cannot express.
static void read_side_joints(GrNode *root, GrRoverDef *rover)
{
    GrNode *joints = gr_field_mapping(root, "joints", GR_OPTIONAL);
    const char **names = gr_calloc((size_t)rover->joint_count + 1, sizeof *names);
    for (int i = 0; i < rover->joint_count && names != NULL; i++) {
        names[i] = rover->joints[i].name;
    }
    for (GrNode *node = joints != NULL ? joints->first : NULL; node != NULL && names != NULL; node = node->next) {
        const int index = gr_find_joint(rover, node->key);
        node->used = true;
        if (index < 0) {
            gr_node_error(node, GR_ERROR_NAME, "the URDF has no joint '%.60s'%s", node->key,
                          gr_suggestion(node->document->log, node->key, names, rover->joint_count).text);
        } else if (rover->joints[index].kind == GR_JOINT_FIXED) {
            gr_node_error(node, GR_ERROR_VALUE, "the joint is fixed in the URDF; there is nothing to set");
        } else if (gr_node_is_mapping(node)) {
            gr_read_joint_dynamics(node, &rover->joints[index]);
            gr_fields_end(node);
        }
    }
    gr_free(names);
}

static void read_side(GrNode *root, GrRoverDef *rover)
{
    char name[GR_NAME_SIZE];
    gr_text_copy(name, sizeof name, rover->name);
    gr_read_heading(root, rover);
    if (gr_node_find(root, "name") == NULL) {
        gr_text_copy(rover->name, sizeof rover->name, name); // the URDF's own name
    }
    gr_field(root, "urdf", GR_OPTIONAL);
    read_side_joints(root, rover);
    gr_read_wheels(root, rover);
    gr_read_couplings(root, rover);
    gr_read_sensors(root, rover);
    gr_read_localisation(root, rover);
    gr_fields_end(root);
    gr_rover_warn_ignored(root, rover);
}

/// The name of the <robot>; where that is empty, the file's.
static bool read_name(GrUrdf *urdf, GrRoverDef *out)
{
    xmlNode *robot = gr_urdf_root(urdf);
    char name[2];
    if (!gr_urdf_peek(robot, "name", name, sizeof name) || name[0] != '\0') {
        return gr_urdf_text(urdf, robot, "name", true, out->name, sizeof out->name);
    }
    const char *slash = strrchr(urdf->file, '/'), *stem = slash != NULL ? slash + 1 : urdf->file;
    snprintf(out->name, sizeof out->name, "%.*s", (int)strcspn(stem, "."), stem);
    gr_urdf_warning(urdf, robot, NULL, "the robot's name is empty; the file's is used: %s", out->name);
    return out->name[0] != '\0';
}

static void read_urdf(GrUrdf *urdf, double massless, GrRoverDef *out)
{
    GrUrdfTree tree = {.massless = massless};
    if (read_name(urdf, out) && gr_urdf_read_tree(urdf, &tree)) {
        gr_urdf_place(urdf, &tree, out);
    }
    gr_urdf_free_tree(&tree);
}

const char *const gr_urdf_forward[GR_URDF_FORWARD_COUNT] = {"x", "y", "-x", "-y"};

/// Turns the frame of the chassis so that its x is forward.
static void turn_chassis(int forward, GrRoverDef *rover)
{
    const GrQuat back = gr_quat_axis_angle(gr_vec3(0, 0, 1), -0.5 * GR_PI * forward);
    const GrPose turn = {gr_vec3(0, 0, 0), back};
    const GrMat3 r = gr_quat_to_mat3(back);
    GrBodyDef *chassis = &rover->bodies[0];
    if (forward == 0) {
        return;
    }
    chassis->com = gr_quat_rotate(back, chassis->com);
    chassis->inertia = gr_sym3_rotate(&r, chassis->inertia);
    for (int i = 0; i < chassis->shape_count; i++) {
        chassis->shapes[i].pose = gr_pose_mul(turn, chassis->shapes[i].pose);
    }
    for (int i = 0; i < rover->joint_count; i++) {
        if (rover->joints[i].parent == 0) {
            rover->joints[i].pose = gr_pose_mul(turn, rover->joints[i].pose);
        }
    }
}

GrStatus gr_rover_parse_urdf(const char *text, size_t length, const char *file, GrDocument *side, GrRoverDef *out,
                             GrErrorLog *log)
{
    GrUrdf urdf = {.file = file, .log = log};
    double massless = 0;
    int forward = 0;
    *out = gr_default_rover_def();
    if (side != NULL) {
        gr_field_number(side->root, "massless_kg", GR_OPTIONAL, GR_POSITIVE, &massless);
        gr_field_choice(side->root, "forward", GR_OPTIONAL, gr_urdf_forward, GR_URDF_FORWARD_COUNT, &forward);
    }
    if (gr_urdf_open(&urdf, text, length)) {
        read_urdf(&urdf, massless, out);
    }
    if (urdf.status == GR_OK) {
        turn_chassis(forward, out);
    }
    GrStatus status = urdf.status;
    if (status == GR_OK && side != NULL) {
        read_side(side->root, out);
        status = side->status;
    }
    if (status == GR_OK) {
        urdf_warn(&urdf, out);
    }
    gr_urdf_close(&urdf);
    status = status == GR_OK ? urdf.status : status;
    // An effort limit belongs to a motor; a joint without a motor has none.
    for (int i = 0; i < out->joint_count; i++) {
        if (out->joints[i].motor.kind == GR_MOTOR_NONE) {
            out->joints[i].motor = gr_default_motor_def();
        }
    }
    if (status != GR_OK) {
        gr_rover_free(out);
    }
    return status;
}
