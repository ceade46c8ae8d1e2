/// Reads the elements of a URDF: inertia, geometry, joints.
#include "alloc.h"
#include "file.h"
#include "grouser/model.h"
#include "joint_kind.h"
#include "mesh_shape.h"
#include "rover_parts.h"
#include "text.h"
#include "urdf_tree.h"
#include "vec3.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static void set_field(GrUrdf *urdf, const char *kind, const char *name)
{
    snprintf(urdf->field, sizeof urdf->field, "%s.%s", kind, name);
}

static bool positive(GrUrdf *urdf, xmlNode *node, const char *attribute, double *out)
{
    if (!gr_urdf_numbers(urdf, node, attribute, true, out, 1)) {
        return false;
    }
    if (*out <= 0) {
        gr_urdf_error(urdf, node, NULL, GR_ERROR_VALUE, "%s=\"%g\" of <%s> is out of range; allowed: more than 0",
                      attribute, *out, (const char *)node->name);
        return false;
    }
    return true;
}

static void read_inertial(GrUrdf *urdf, xmlNode *inertial, GrBodyDef *body)
{
    static const char *const known[] = {"origin", "mass", "inertia"};
    static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    gr_urdf_check_children(urdf, inertial, known, COUNT(known));
    const GrPose origin = gr_urdf_origin(urdf, inertial);
    xmlNode *mass = gr_urdf_child(urdf, inertial, "mass");
    xmlNode *inertia = gr_urdf_child(urdf, inertial, "inertia");
    if (mass == NULL || inertia == NULL) {
        gr_urdf_error(urdf, inertial, "inertial", GR_ERROR_FIELD, "<inertial> needs <mass> and <inertia>");
        return;
    }
    double v[6];
    bool good = gr_urdf_numbers(urdf, mass, "value", true, &body->mass, 1);
    if (good && body->mass == 0) {
        gr_urdf_warning(urdf, mass, NULL, "a mass of 0: the link counts as one without <inertial>");
        return;
    }
    good = good && positive(urdf, mass, "value", &body->mass);
    for (int i = 0; i < 6; i++) {
        good = gr_urdf_numbers(urdf, inertia, names[i], true, &v[i], 1) && good;
    }
    body->com = origin.position;
    if (!good) {
        return;
    }
    const GrMat3 r = gr_quat_to_mat3(origin.rotation);
    body->inertia = gr_sym3_rotate(&r, (GrSym3){v[0], v[1], v[2], v[3], v[4], v[5]});
    if (!gr_inertia_is_physical((GrSym3){v[0], v[1], v[2], v[3], v[4], v[5]})) {
        gr_urdf_error(urdf, inertia, "inertial", GR_ERROR_VALUE,
                      "this inertia is not physically possible; it must be positive definite, and each principal "
                      "moment at most the sum of the other two");
    }
}

/// Path of a URDF's mesh: relative to the file; for package://NAME/PATH and ../PATH also to the parent of the file's
/// folder. A path that leaves these folders by another '..' is not followed.
static bool find_mesh(const GrUrdf *urdf, const char *name, char path[GR_FILE_PATH_SIZE])
{
    static const char PACKAGE[] = "package://", FILES[] = "file://", UP[] = "../";
    const bool package = strncmp(name, PACKAGE, sizeof PACKAGE - 1) == 0;
    const bool up = strncmp(name, UP, sizeof UP - 1) == 0;
    const char *rest = name;
    if (package) {
        const char *slash = strchr(name + sizeof PACKAGE - 1, '/');
        rest = slash != NULL ? slash + 1 : "";
    } else if (up) {
        rest = name + sizeof UP - 1;
    } else if (strncmp(name, FILES, sizeof FILES - 1) == 0) {
        rest = name + sizeof FILES - 1;
    }
    char above[GR_FILE_PATH_SIZE];
    if (rest[0] == '\0' || strstr(up ? rest : name, "..") != NULL || snprintf(above, sizeof above, "../%s", rest) < 0) {
        return false;
    }
    if (!up && gr_file_beside(urdf->file, rest, path) && gr_file_exists(path)) {
        return true;
    }
    return (package || up) && gr_file_beside(urdf->file, above, path) && gr_file_exists(path);
}

static bool is_readable(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && (strcasecmp(dot, ".obj") == 0 || strcasecmp(dot, ".stl") == 0);
}

/// The shape of <mesh filename scale>. False when it is missing or cannot be read, which is a warning.
static bool read_mesh(GrUrdf *urdf, xmlNode *mesh, GrShapeDef *shape)
{
    char name[GR_FILE_PATH_SIZE], path[GR_FILE_PATH_SIZE];
    double scale[3] = {1, 1, 1};
    GrErrorLog quiet = {.quiet = true};
    gr_urdf_numbers(urdf, mesh, "scale", false, scale, 3);
    if (!gr_urdf_text(urdf, mesh, "filename", true, name, sizeof name)) {
        return false;
    }
    if (!is_readable(name)) {
        gr_urdf_warning(urdf, mesh, NULL,
                        "the mesh %.150s is left out: COLLADA and other formats are not read. Convert it to STL or OBJ "
                        "and name that file here, or only the link's other shapes remain",
                        name);
        return false;
    }
    if (!find_mesh(urdf, name, path)) {
        gr_urdf_warning(urdf, mesh, NULL,
                        "the mesh %.150s is left out: there is no such file beside the URDF, or for package:// and ../ "
                        "in the folder above; only the link's other shapes remain",
                        name);
        return false;
    }
    if (gr_shape_read_mesh(path, gr_vec3(scale[0], scale[1], scale[2]), shape, &quiet) != GR_OK) {
        const GrError *why = &quiet.items[0];
        gr_urdf_warning(urdf, mesh, NULL, "the mesh %.150s is left out: line %d: %s", name, why->line, why->text);
        return false;
    }
    return true;
}

/// False for a mesh that cannot be read, or after an error.
static bool read_geometry(GrUrdf *urdf, xmlNode *element, GrShapeDef *shape)
{
    xmlNode *geometry = gr_urdf_child(urdf, element, "geometry");
    if (geometry == NULL) {
        gr_urdf_error(urdf, element, NULL, GR_ERROR_FIELD, "<%s> needs <geometry>", (const char *)element->name);
        return false;
    }
    *shape = gr_default_shape_def();
    shape->pose = gr_urdf_origin(urdf, element);
    xmlNode *box = gr_urdf_child(urdf, geometry, "box");
    xmlNode *cylinder = gr_urdf_child(urdf, geometry, "cylinder");
    xmlNode *sphere = gr_urdf_child(urdf, geometry, "sphere");
    xmlNode *mesh = gr_urdf_child(urdf, geometry, "mesh");
    if (box != NULL) {
        double size[3];
        if (!gr_urdf_numbers(urdf, box, "size", true, size, 3)) {
            return false;
        }
        shape->size = gr_vec3(size[0], size[1], size[2]);
        return true;
    }
    if (cylinder != NULL) {
        // The axis is z in URDF and y here: a rotation by 90 deg about x takes y to z.
        shape->kind = GR_SHAPE_CYLINDER;
        shape->pose.rotation = gr_quat_mul(shape->pose.rotation, gr_quat_axis_angle(gr_vec3(1, 0, 0), GR_PI / 2));
        const bool good = positive(urdf, cylinder, "radius", &shape->radius);
        return positive(urdf, cylinder, "length", &shape->length) && good;
    }
    if (sphere != NULL) {
        shape->kind = GR_SHAPE_SPHERE;
        return positive(urdf, sphere, "radius", &shape->radius);
    }
    if (mesh != NULL) {
        return read_mesh(urdf, mesh, shape);
    }
    gr_urdf_error(urdf, geometry, NULL, GR_ERROR_FIELD, "<geometry> needs one of box, cylinder, sphere, mesh");
    return false;
}

static bool is_same_pose(GrPose a, GrPose b)
{
    return gr_norm(gr_sub(a.position, b.position)) == 0 && a.rotation.w == b.rotation.w &&
           a.rotation.x == b.rotation.x && a.rotation.y == b.rotation.y && a.rotation.z == b.rotation.z;
}

static bool is_same_shape(const GrShapeDef *a, const GrShapeDef *b)
{
    return a->kind == b->kind && a->kind != GR_SHAPE_MESH && is_same_pose(a->pose, b->pose) &&
           gr_norm(gr_sub(a->size, b->size)) == 0 && a->radius == b->radius && a->length == b->length;
}

/// The first `drawn` shapes are of <visual>, the others of <collision>. If there are both, each keeps its purpose;
/// identical shapes are kept once.
static void part_shapes(GrBodyDef *body, int drawn)
{
    const int count = body->shape_count;
    bool same = count == 2 * drawn;
    for (int i = 0; i < drawn && same; i++) {
        same = is_same_shape(&body->shapes[i], &body->shapes[drawn + i]);
    }
    if (same) {
        body->shape_count = drawn; // none of them is a mesh, which would be freed
    } else if (drawn > 0 && count > drawn) {
        for (int i = 0; i < count; i++) {
            body->shapes[i].only_drawn = i < drawn;
            body->shapes[i].only_touches = i >= drawn;
        }
    }
}

/// Shapes of all <visual>, or of all <collision>.
static void read_shapes(GrUrdf *urdf, xmlNode *link, const char *name, GrBodyDef *body)
{
    static const char *const known[] = {"origin", "geometry", "material"};
    for (xmlNode *node = link->children; node != NULL; node = node->next) {
        GrShapeDef shape;
        if (!gr_urdf_is(node, name)) {
            continue;
        }
        gr_urdf_check_children(urdf, node, known, COUNT(known));
        if (read_geometry(urdf, node, &shape) && gr_body_add_shape(body, &shape) < 0) {
            gr_shape_free(&shape);
            gr_urdf_out_of_memory(urdf, node);
        }
    }
}

static void read_link(GrUrdf *urdf, xmlNode *node, GrUrdfLink *link)
{
    static const char *const known[] = {"inertial", "visual", "collision"};
    *link = (GrUrdfLink){.node = node, .body = gr_default_body_def(), .joint = -1, .index = -1};
    gr_text_copy(urdf->field, sizeof urdf->field, "links");
    if (!gr_urdf_text(urdf, node, "name", true, link->body.name, sizeof link->body.name)) {
        return;
    }
    set_field(urdf, "links", link->body.name);
    gr_urdf_check_children(urdf, node, known, COUNT(known));
    xmlNode *inertial = gr_urdf_child(urdf, node, "inertial");
    if (inertial != NULL) {
        read_inertial(urdf, inertial, &link->body);
    }
    read_shapes(urdf, node, "visual", &link->body);
    const int drawn = link->body.shape_count;
    read_shapes(urdf, node, "collision", &link->body);
    part_shapes(&link->body, drawn);
}

static int find_link(const GrUrdfTree *tree, const char *name)
{
    for (int i = 0; i < tree->link_count; i++) {
        if (strcmp(tree->links[i].body.name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/// The link that <parent> or <child> names; −1 after an error.
static int read_link_name(GrUrdf *urdf, const GrUrdfTree *tree, xmlNode *joint, const char *element)
{
    char name[GR_NAME_SIZE];
    xmlNode *node = gr_urdf_child(urdf, joint, element);
    if (node == NULL) {
        gr_urdf_error(urdf, joint, NULL, GR_ERROR_FIELD, "<joint> needs <%s>", element);
        return -1;
    }
    if (!gr_urdf_text(urdf, node, "link", true, name, sizeof name)) {
        return -1;
    }
    const int link = find_link(tree, name);
    const char **names = link < 0 ? gr_calloc((size_t)tree->link_count + 1, sizeof *names) : NULL;
    if (names != NULL) {
        for (int i = 0; i < tree->link_count; i++) {
            names[i] = tree->links[i].body.name;
        }
        gr_urdf_error(urdf, node, element, GR_ERROR_NAME, "there is no link '%s'%s", name,
                      gr_suggestion(urdf->log, name, names, tree->link_count).text);
        gr_free(names);
    } else if (link < 0) {
        gr_urdf_out_of_memory(urdf, node);
    }
    return link;
}

/// The kind; sets whether the joint has limits. False after an error.
static bool read_joint_kind(GrUrdf *urdf, xmlNode *node, GrJointDef *joint, bool *limited)
{
    static const char *const names[] = {"fixed", "revolute", "prismatic", "continuous", "planar", "floating"};
    static const GrJointKind kinds[] = {GR_JOINT_FIXED,    GR_JOINT_REVOLUTE, GR_JOINT_PRISMATIC,
                                        GR_JOINT_REVOLUTE, GR_JOINT_PLANAR,   GR_JOINT_FREE};
    char type[GR_NAME_SIZE];
    if (!gr_urdf_text(urdf, node, "type", true, type, sizeof type)) {
        return false;
    }
    int kind = 0;
    while (kind < COUNT(names) && strcmp(type, names[kind]) != 0) {
        kind++;
    }
    *limited = kind == 1 || kind == 2;
    if (kind < COUNT(names)) {
        joint->kind = kinds[kind];
        return true;
    }
    gr_urdf_error(urdf, node, "type", GR_ERROR_VALUE, "'%s' is not a type of joint%s", type,
                  gr_suggestion(urdf->log, type, names, COUNT(names)).text);
    return false;
}

/// A joint whose limits are equal cannot move: it is fixed where they are.
static void lock(GrUrdf *urdf, const xmlNode *limit, GrJointDef *joint)
{
    const double at = joint->lower, length = gr_norm(joint->axis);
    const GrVec3 axis = length > 0 ? gr_scale(1 / length, joint->axis) : joint->axis;
    GrPose moved = gr_pose_identity();
    if (joint->kind == GR_JOINT_REVOLUTE) {
        moved.rotation = gr_quat_axis_angle(axis, at);
    } else {
        moved.position = gr_scale(at, axis);
    }
    gr_urdf_warning(urdf, limit, "limit", "lower and upper are both %g: the joint cannot move and counts as fixed", at);
    joint->pose = gr_pose_mul(joint->pose, moved);
    joint->kind = GR_JOINT_FIXED;
    joint->lower = -(double)INFINITY;
    joint->upper = (double)INFINITY;
}

static void read_limit(GrUrdf *urdf, xmlNode *node, bool limited, GrUrdfJoint *joint)
{
    xmlNode *limit = gr_urdf_child(urdf, node, "limit");
    if (limit == NULL) {
        if (limited) {
            gr_urdf_error(urdf, node, NULL, GR_ERROR_FIELD,
                          "a joint of this type needs <limit>; use type=\"continuous\" for "
                          "a turning joint without end stops");
        }
        return;
    }
    gr_urdf_numbers(urdf, limit, "effort", false, &joint->effort, 1);
    if (!limited) {
        return;
    }
    joint->joint.lower = joint->joint.upper = 0; // URDF's default for absent attributes
    gr_urdf_numbers(urdf, limit, "lower", false, &joint->joint.lower, 1);
    gr_urdf_numbers(urdf, limit, "upper", false, &joint->joint.upper, 1);
    if (joint->joint.lower > joint->joint.upper) {
        gr_urdf_error(urdf, limit, "limit", GR_ERROR_VALUE, "the lower limit %g is above the upper limit %g",
                      joint->joint.lower, joint->joint.upper);
    } else if (joint->joint.lower == joint->joint.upper) {
        lock(urdf, limit, &joint->joint);
    }
}

static void read_dynamics(GrUrdf *urdf, xmlNode *node, GrJointDef *joint)
{
    xmlNode *dynamics = gr_urdf_child(urdf, node, "dynamics");
    if (dynamics == NULL) {
        return;
    }
    gr_urdf_numbers(urdf, dynamics, "damping", false, &joint->damping, 1);
    gr_urdf_numbers(urdf, dynamics, "friction", false, &joint->friction, 1);
    if (joint->damping < 0 || joint->friction < 0) {
        gr_urdf_error(urdf, dynamics, "dynamics", GR_ERROR_VALUE, "damping and friction must not be negative");
    }
}

static void read_motion(GrUrdf *urdf, xmlNode *node, bool limited, GrUrdfJoint *joint)
{
    double axis[3] = {1, 0, 0};
    xmlNode *axis_node = gr_urdf_child(urdf, node, "axis");
    if (axis_node != NULL) {
        gr_urdf_numbers(urdf, axis_node, "xyz", true, axis, 3);
    }
    joint->joint.axis = gr_vec3(axis[0], axis[1], axis[2]);
    if (gr_norm(joint->joint.axis) == 0) {
        gr_urdf_error(urdf, axis_node, "axis", GR_ERROR_VALUE, "the axis must not be zero");
    }
    if (!gr_joint_kind_is_scalar(joint->joint.kind)) {
        return; // planar, floating: the rest has no effect, which is a warning
    }
    read_limit(urdf, node, limited, joint);
    if (joint->joint.kind == GR_JOINT_FIXED) {
        return;
    }
    read_dynamics(urdf, node, &joint->joint);
    xmlNode *mimic = gr_urdf_child(urdf, node, "mimic");
    if (mimic != NULL && gr_urdf_text(urdf, mimic, "joint", true, joint->mimic, sizeof joint->mimic)) {
        gr_urdf_numbers(urdf, mimic, "multiplier", false, &joint->multiplier, 1);
        gr_urdf_numbers(urdf, mimic, "offset", false, &joint->offset, 1);
    }
}

static void read_joint(GrUrdf *urdf, const GrUrdfTree *tree, xmlNode *node, GrUrdfJoint *joint)
{
    static const char *const known[] = {
        "origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "calibration", "safety_controller"};
    bool limited = false;
    *joint = (GrUrdfJoint){.node = node, .joint = gr_default_joint_def(), .multiplier = 1};
    joint->joint.parent = joint->joint.child = -1;
    gr_text_copy(urdf->field, sizeof urdf->field, "joints");
    if (!gr_urdf_text(urdf, node, "name", true, joint->joint.name, sizeof joint->joint.name)) {
        return;
    }
    set_field(urdf, "joints", joint->joint.name);
    gr_urdf_check_children(urdf, node, known, COUNT(known));
    joint->joint.parent = read_link_name(urdf, tree, node, "parent");
    joint->joint.child = read_link_name(urdf, tree, node, "child");
    joint->joint.pose = gr_urdf_origin(urdf, node);
    if (read_joint_kind(urdf, node, &joint->joint, &limited) && joint->joint.kind != GR_JOINT_FIXED) {
        read_motion(urdf, node, limited, joint);
    }
}

static void check_twins(GrUrdf *urdf, const GrUrdfTree *tree)
{
    urdf->field[0] = '\0';
    for (int i = 0; i < tree->link_count; i++) {
        if (find_link(tree, tree->links[i].body.name) != i) {
            gr_urdf_error(urdf, tree->links[i].node, "links", GR_ERROR_NAME, "a second link '%s'",
                          tree->links[i].body.name);
        }
    }
    for (int i = 0; i < tree->joint_count; i++) {
        for (int j = 0; j < i; j++) {
            if (strcmp(tree->joints[i].joint.name, tree->joints[j].joint.name) == 0) {
                gr_urdf_error(urdf, tree->joints[i].node, "joints", GR_ERROR_NAME, "a second joint '%s'",
                              tree->joints[i].joint.name);
                break;
            }
        }
    }
}

bool gr_urdf_read_tree(GrUrdf *urdf, GrUrdfTree *tree)
{
    static const char *const known[] = {"link", "joint", "material", "transmission", "gazebo"};
    enum { MOST = 2048 };
    xmlNode *robot = gr_urdf_root(urdf);
    gr_urdf_check_children(urdf, robot, known, COUNT(known));
    int links = 0, joints = 0;
    for (xmlNode *node = robot->children; node != NULL; node = node->next) {
        links += gr_urdf_is(node, "link");
        joints += gr_urdf_is(node, "joint");
    }
    if (links == 0 || links > MOST || joints > MOST) {
        gr_urdf_error(urdf, robot, NULL, GR_ERROR_MODEL, "has %d links and %d joints; allowed: 1 to %d links", links,
                      joints, MOST);
        return false;
    }
    tree->links = gr_calloc((size_t)links, sizeof *tree->links);
    tree->joints = gr_calloc((size_t)joints + 1, sizeof *tree->joints);
    if (tree->links == NULL || tree->joints == NULL) {
        gr_urdf_out_of_memory(urdf, robot);
        return false;
    }
    for (xmlNode *node = robot->children; node != NULL; node = node->next) {
        if (gr_urdf_is(node, "link")) {
            read_link(urdf, node, &tree->links[tree->link_count++]);
        }
    }
    for (xmlNode *node = robot->children; node != NULL; node = node->next) {
        if (gr_urdf_is(node, "joint")) {
            read_joint(urdf, tree, node, &tree->joints[tree->joint_count++]);
        }
    }
    if (urdf->status == GR_OK) {
        check_twins(urdf, tree);
    }
    return urdf->status == GR_OK;
}

void gr_urdf_free_tree(GrUrdfTree *tree)
{
    for (int i = 0; i < tree->link_count; i++) {
        gr_shapes_free(tree->links[i].body.shapes, tree->links[i].body.shape_count);
    }
    gr_free(tree->links);
    gr_free(tree->joints);
}
