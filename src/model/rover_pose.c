#include "rover_pose.h"

#include "alloc.h"
#include "joint_kind.h"
#include "out_of_memory.h"
#include "vec3.h"

GrStatus gr_rover_initial_positions(const GrRoverDef *rover, double *positions, GrErrorLog *log)
{
    for (int i = 0; i < rover->joint_count; i++) {
        positions[i] = rover->joints[i].initial;
    }
    // A follower may lead another; without a cycle all positions are known after as many rounds as there are couplings.
    for (int round = 0; round <= rover->coupling_count; round++) {
        bool settled = true;
        for (int i = 0; i < rover->coupling_count; i++) {
            const GrCouplingDef *c = &rover->couplings[i];
            const double position = c->ratio * positions[c->of] + c->offset;
            settled = settled && position == positions[c->joint];
            positions[c->joint] = position;
        }
        if (settled) {
            return GR_OK;
        }
    }
    return gr_error_add(log, GR_ERROR_MODEL, (GrLocation){0}, "rover %s: couplings form a cycle", rover->name);
}

/// Joint frame in the parent, then the joint's own motion: by its position, or by its initial pose if it has several
/// axes.
static GrPose joint_transform(const GrJointDef *joint, double position)
{
    const GrJointKindRow *kind = gr_joint_kind(joint->kind);
    const GrVec3 axis = gr_normalize(joint->axis);
    GrPose motion = gr_pose_identity();
    if (kind->takes & GR_JOINT_TAKES_ROTATION) {
        motion = joint->initial_pose;
    } else if (kind->axis_count == 1 && gr_joint_kind_slides(joint->kind)) {
        motion.position = gr_scale(position, axis);
    } else if (kind->axis_count == 1) {
        motion.rotation = gr_quat_axis_angle(axis, position);
        motion.position = gr_scale(joint->kind == GR_JOINT_SCREW ? joint->pitch * position : 0, axis);
    }
    return gr_pose_mul(joint->pose, motion);
}

GrStatus gr_rover_body_poses(const GrRoverDef *rover, const double *positions, GrPose *poses, GrErrorLog *log)
{
    if (rover->body_count == 0) {
        return GR_OK;
    }
    bool *known = gr_calloc((size_t)rover->body_count, sizeof *known);
    if (known == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    poses[0] = gr_pose_identity();
    known[0] = true;
    int placed = 1;
    for (bool progress = true; progress;) {
        progress = false;
        for (int i = 0; i < rover->joint_count; i++) {
            const GrJointDef *joint = &rover->joints[i];
            if (!known[joint->parent] || known[joint->child]) {
                continue;
            }
            poses[joint->child] = gr_pose_mul(poses[joint->parent], joint_transform(joint, positions[i]));
            known[joint->child] = true;
            placed++;
            progress = true;
        }
    }
    gr_free(known);
    if (placed < rover->body_count) {
        return gr_error_add(log, GR_ERROR_MODEL, (GrLocation){0},
                            "rover %s: %d of its %d bodies are not connected to body %s", rover->name,
                            rover->body_count - placed, rover->body_count, rover->bodies[0].name);
    }
    return GR_OK;
}

GrMassProperties gr_rover_mass_properties(const GrRoverDef *rover, const GrPose *poses)
{
    GrMassProperties sum = {0};
    for (int i = 0; i < rover->body_count; i++) {
        const GrBodyDef *body = &rover->bodies[i];
        const GrVec3 com = gr_add(poses[i].position, gr_quat_rotate(poses[i].rotation, body->com));
        sum.mass += body->mass;
        sum.com = gr_madd(sum.com, body->mass, com);
    }
    if (sum.mass > 0) {
        sum.com = gr_scale(1 / sum.mass, sum.com);
    }
    for (int i = 0; i < rover->body_count; i++) {
        const GrBodyDef *body = &rover->bodies[i];
        const GrMat3 rotation = gr_quat_to_mat3(poses[i].rotation);
        const GrVec3 com = gr_add(poses[i].position, gr_quat_rotate(poses[i].rotation, body->com));
        sum.inertia = gr_sym3_add(sum.inertia, gr_sym3_rotate(&rotation, body->inertia));
        sum.inertia = gr_sym3_add(sum.inertia, gr_sym3_point(body->mass, gr_sub(com, sum.com)));
    }
    return sum;
}

int gr_rover_degrees_of_freedom(const GrRoverDef *rover)
{
    int count = 6;
    for (int i = 0; i < rover->joint_count; i++) {
        count += gr_joint_kind(rover->joints[i].kind)->axis_count;
    }
    return count - rover->coupling_count;
}
