/// Builds a tree whose root has mass from the links and joints of a URDF, and the bodies and joints of a rover from it.
#include "joint_kind.h"
#include "rover_parts.h"
#include "urdf_tree.h"
#include "vec3.h"

#include <stdio.h>
#include <string.h>

// A URDF's tree may begin with a link that only has a name (base_footprint, base_link). A rover's chassis has mass, so
// the tree is re-rooted: the fixed joint below such a root is reversed, and its frame becomes a child of the body with
// the mass.

/// Records the joint above each link.
static bool link_up(GrUrdf *urdf, GrUrdfTree *tree)
{
    urdf->field[0] = '\0';
    for (int i = 0; i < tree->joint_count; i++) {
        const GrJointDef *joint = &tree->joints[i].joint;
        GrUrdfLink *child = &tree->links[joint->child];
        if (child->joint >= 0) {
            gr_urdf_error(urdf, tree->joints[i].node, "joints", GR_ERROR_MODEL,
                          "the link '%s' is the child of '%s' and of '%s'", child->body.name,
                          tree->joints[child->joint].joint.name, joint->name);
        } else {
            child->joint = i;
        }
    }
    return urdf->status == GR_OK;
}

/// The only link without a joint above it; −1 after an error.
static int find_root(GrUrdf *urdf, const GrUrdfTree *tree)
{
    int root = -1;
    for (int i = 0; i < tree->link_count; i++) {
        if (tree->links[i].joint < 0 && root >= 0) {
            gr_urdf_error(urdf, tree->links[i].node, "links", GR_ERROR_MODEL,
                          "the links '%s' and '%s' are both without a joint above them; a rover is one tree",
                          tree->links[root].body.name, tree->links[i].body.name);
            return -1;
        }
        root = tree->links[i].joint < 0 ? i : root;
    }
    if (root < 0) {
        gr_urdf_error(urdf, NULL, "links", GR_ERROR_MODEL,
                      "every link is the child of a joint; the joints form a cycle");
    }
    return root;
}

/// Mass of a link and of all that is fixed to it below.
static double mass_below(const GrUrdfTree *tree, int link, int depth)
{
    double mass = tree->links[link].body.mass;
    for (int i = 0; i < tree->joint_count && depth < tree->link_count; i++) {
        const GrJointDef *joint = &tree->joints[i].joint;
        if (joint->parent == link && joint->kind == GR_JOINT_FIXED) {
            mass += mass_below(tree, joint->child, depth + 1);
        }
    }
    return mass;
}

/// Whether a link is only the frame in which the rover floats.
static bool is_world(const GrUrdfTree *tree, int link)
{
    bool floats = false;
    for (int i = 0; i < tree->joint_count; i++) {
        floats = floats || (tree->joints[i].joint.parent == link && tree->joints[i].joint.kind == GR_JOINT_FREE);
    }
    return floats && tree->links[link].joint < 0;
}

/// Links that move, and the root, need a mass; it may also come from what is fixed to them.
static void give_masses(GrUrdf *urdf, GrUrdfTree *tree)
{
    const double radius = 0.1; // of a uniform ball [m]
    for (int i = 0; i < tree->link_count; i++) {
        GrUrdfLink *link = &tree->links[i];
        const GrJointDef *above = link->joint >= 0 ? &tree->joints[link->joint].joint : NULL;
        if ((above != NULL && above->kind == GR_JOINT_FIXED) || is_world(tree, i) || mass_below(tree, i, 0) > 0) {
            continue;
        }
        if (tree->massless > 0) {
            const double moment = 0.4 * tree->massless * radius * radius;
            link->body.mass = tree->massless;
            link->body.inertia = (GrSym3){moment, moment, moment, 0, 0, 0};
            snprintf(urdf->field, sizeof urdf->field, "links.%s", link->body.name);
            gr_urdf_warning(urdf, link->node, NULL, "has no mass; massless_kg gives it %g kg", tree->massless);
        } else if (above != NULL) {
            gr_urdf_error(
                urdf, link->node, "links", GR_ERROR_MODEL,
                "the link '%s' moves (joint '%s'), but neither it nor what is fixed to it has a mass; give it "
                "an <inertial>, or massless_kg in the side file",
                link->body.name, above->name);
        }
    }
    urdf->field[0] = '\0';
}

/// The fixed or floating joint below a massless root that is to be reversed: the first to a link with mass, else the
/// first; −1: none.
static int fixed_below(const GrUrdfTree *tree, int root)
{
    int best = -1;
    for (int i = 0; i < tree->joint_count; i++) {
        const GrJointDef *joint = &tree->joints[i].joint;
        const bool floats = joint->kind == GR_JOINT_FREE; // from a link such as `world`; the chassis floats anyway
        if (joint->parent == root && (joint->kind == GR_JOINT_FIXED || floats)) {
            if (tree->links[joint->child].body.mass > 0) {
                return i;
            }
            best = best < 0 && tree->links[root].joint != i ? i : best;
        }
    }
    return best;
}

static GrPose inverse(GrPose pose)
{
    const GrQuat back = gr_quat_conjugate(pose.rotation);
    return (GrPose){gr_neg(gr_quat_rotate(back, pose.position)), back};
}

/// Reverses joints until the root has mass; returns the new root, −1 after an error.
static int turn(GrUrdf *urdf, GrUrdfTree *tree, int root)
{
    for (int i = 0; tree->links[root].body.mass == 0 && i <= tree->link_count; i++) {
        const int down = fixed_below(tree, root);
        if (down < 0 || i == tree->link_count) {
            gr_urdf_error(
                urdf, tree->links[root].node, "links", GR_ERROR_MODEL,
                "the root link '%s' has no <inertial>, and no fixed joint below it leads to a link that has one; give "
                "one to it, or massless_kg in the side file",
                tree->links[root].body.name);
            return -1;
        }
        GrJointDef *joint = &tree->joints[down].joint;
        const int child = joint->child;
        joint->child = root;
        joint->parent = child;
        joint->kind = GR_JOINT_FIXED;
        joint->pose = inverse(joint->pose);
        tree->links[root].joint = down;
        tree->links[child].joint = -1;
        root = child;
    }
    return root;
}

static bool place_link(GrUrdf *urdf, GrUrdfTree *tree, int index, GrRoverDef *rover)
{
    GrUrdfLink *link = &tree->links[index];
    link->index = gr_rover_add_body(rover, &link->body);
    if (link->index < 0) {
        gr_urdf_out_of_memory(urdf, link->node);
        return false;
    }
    link->body.shapes = NULL; // now owned by the rover
    if (link->joint < 0) {
        return true;
    }
    const GrUrdfJoint *source = &tree->joints[link->joint];
    GrJointDef joint = source->joint;
    joint.parent = tree->links[joint.parent].index;
    joint.child = link->index;
    if (source->effort > 0) {
        joint.motor.torque_limit = source->effort;
    }
    if (gr_rover_add_joint(rover, &joint) < 0) {
        gr_urdf_out_of_memory(urdf, link->node);
        return false;
    }
    return true;
}

static bool place_links(GrUrdf *urdf, GrUrdfTree *tree, int root, GrRoverDef *rover)
{
    bool good = place_link(urdf, tree, root, rover);
    for (bool progress = true; progress && good;) {
        progress = false;
        for (int i = 0; i < tree->link_count && good; i++) {
            const GrUrdfLink *link = &tree->links[i];
            if (link->index < 0 && link->joint >= 0 && tree->links[tree->joints[link->joint].joint.parent].index >= 0) {
                good = place_link(urdf, tree, i, rover);
                progress = true;
            }
        }
    }
    for (int i = 0; i < tree->link_count && good; i++) {
        if (tree->links[i].index < 0) {
            gr_urdf_error(urdf, tree->links[i].node, "links", GR_ERROR_MODEL,
                          "the link '%s' is not connected to the root '%s'; the joints above it form a cycle",
                          tree->links[i].body.name, tree->links[root].body.name);
            good = false;
        }
    }
    return good;
}

static void place_mimic(GrUrdf *urdf, const GrUrdfJoint *joint, GrRoverDef *rover)
{
    GrCouplingDef coupling = {.joint = gr_find_joint(rover, joint->joint.name),
                              .of = gr_find_joint(rover, joint->mimic),
                              .ratio = joint->multiplier,
                              .offset = joint->offset};
    snprintf(urdf->field, sizeof urdf->field, "joints.%s", joint->joint.name);
    if (coupling.of < 0 || !gr_joint_kind_is_scalar(rover->joints[coupling.of].kind) || coupling.of == coupling.joint) {
        gr_urdf_error(urdf, joint->node, "mimic", GR_ERROR_NAME, "it mimics the joint '%s', which is %s", joint->mimic,
                      coupling.of < 0 ? "not there" : "fixed, of several axes, or itself");
        return;
    }
    if (gr_rover_add_coupling(rover, &coupling) < 0) {
        gr_urdf_out_of_memory(urdf, joint->node);
    }
}

bool gr_urdf_place(GrUrdf *urdf, GrUrdfTree *tree, GrRoverDef *rover)
{
    if (!link_up(urdf, tree)) {
        return false;
    }
    int root = find_root(urdf, tree);
    give_masses(urdf, tree);
    root = root >= 0 ? turn(urdf, tree, root) : -1;
    if (root < 0 || !place_links(urdf, tree, root, rover)) {
        return false;
    }
    for (int i = 0; i < tree->joint_count; i++) {
        if (tree->joints[i].mimic[0] != '\0') {
            place_mimic(urdf, &tree->joints[i], rover);
        }
    }
    return urdf->status == GR_OK;
}
