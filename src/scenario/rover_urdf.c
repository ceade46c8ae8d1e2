#include "rover_urdf.h"

#include "alloc.h"
#include "rover_parts.h"
#include "text.h"
#include "urdf_tree.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
        gr_urdf_warn(&urdf, out);
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
