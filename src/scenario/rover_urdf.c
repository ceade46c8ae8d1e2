#include "rover_urdf.h"

#include "alloc.h"
#include "rover_parts.h"
#include "text.h"
#include "urdf_tree.h"

#include <math.h>
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

static void read_urdf(GrUrdf *urdf, GrRoverDef *out)
{
    GrUrdfTree tree = {0};
    if (gr_urdf_text(urdf, xmlDocGetRootElement(urdf->tree), "name", true, out->name, sizeof out->name) &&
        gr_urdf_read_tree(urdf, &tree)) {
        gr_urdf_place(urdf, &tree, out);
    }
    gr_urdf_free_tree(&tree);
}

GrStatus gr_rover_parse_urdf(const char *text, size_t length, const char *file, GrDocument *side, GrRoverDef *out,
                             GrErrorLog *log)
{
    GrUrdf urdf = {.file = file, .log = log};
    *out = gr_default_rover_def();
    if (gr_urdf_open(&urdf, text, length)) {
        read_urdf(&urdf, out);
    }
    GrStatus status = urdf.status;
    if (status == GR_OK && side != NULL) {
        read_side(side->root, out);
        status = side->status;
    }
    if (status == GR_OK) {
        gr_urdf_warn(&urdf, out);
    }
    if (urdf.tree != NULL) {
        xmlFreeDoc(urdf.tree);
    }
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
