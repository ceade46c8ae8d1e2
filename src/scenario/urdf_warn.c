/// Warnings about elements of a URDF that Grouser does not use, and about numbers that are allowed but implausible.
///
/// Tools write the same element for every joint, so each kind gives one warning, at its first occurrence, with a count.
#include "number.h"
#include "rover_parts.h"
#include "urdf_tree.h"
#include "usual.h"

#include <math.h>
#include <string.h>

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

void gr_urdf_warn(GrUrdf *urdf, const GrRoverDef *rover)
{
    xmlNode *root = gr_urdf_root(urdf);
    urdf->field[0] = '\0';
    for (xmlNode *node = root; node != NULL; node = next_of(root, node)) {
        warn_unusual(urdf, node);
    }
    warn_ignored(urdf, root, rover);
}
