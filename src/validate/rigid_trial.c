#include "rigid_trial.h"

#include "out_of_memory.h"

#include <math.h>
#include <stddef.h>

bool gr_rigid_plane(const void *context, double x, double y, double *height, GrVec3 *normal)
{
    const GrVec3 *n = context;
    *height = -(n->x * x + n->y * y) / n->z;
    *normal = *n;
    return true;
}

int gr_rigid_add_loose(GrRigidDef *def, GrConvex convex, double mass, GrSym3 inertia, GrPose pose, GrTwist twist,
                       int material)
{
    GrRigidBodyDef body = gr_default_rigid_body_def(GR_RIGID_LOOSE);
    body.mass = mass;
    body.inertia = inertia;
    body.pose = pose;
    body.twist = twist;
    const int index = gr_rigid_add_body(def, &body);
    const bool shaped = index >= 0 && gr_rigid_add_shape(def, index, convex, gr_pose_identity(), material) >= 0;
    return shaped ? index : -1;
}

GrStatus gr_rigid_trial_start(GrRigidDef *def, double dt, GrRigidTrial *out, GrErrorLog *log)
{
    *out = (GrRigidTrial){.w = gr_rigid_world_create(def, log), .dt = dt};
    gr_rigid_def_free(def);
    if (out->w == NULL) {
        return GR_ERROR_MODEL;
    }
    out->s = gr_rigid_state_create(out->w);
    return out->s != NULL ? GR_OK : gr_out_of_memory(log, NULL);
}

void gr_rigid_trial_free(GrRigidTrial *trial)
{
    gr_rigid_state_free(trial->s);
    gr_rigid_world_free(trial->w);
}

GrStatus gr_rigid_trial_step(GrRigidTrial *trial)
{
    const GrStatus status = gr_rigid_evaluate(trial->w, trial->s, NULL, NULL, trial->dt, NULL);
    return status == GR_OK ? gr_rigid_commit(trial->w, trial->s, NULL, trial->dt) : status;
}

GrStatus gr_rigid_trial_run(GrRigidTrial *trial, double duration)
{
    const int steps = (int)lround(duration / trial->dt);
    GrStatus status = GR_OK;
    for (int i = 0; i < steps && status == GR_OK; i++) {
        status = gr_rigid_trial_step(trial);
    }
    return status;
}
