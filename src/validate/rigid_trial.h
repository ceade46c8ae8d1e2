/// Small rigid worlds without driven bodies: a plane, a few loose bodies, and a run of some seconds.
#ifndef GR_RIGID_TRIAL_H
#define GR_RIGID_TRIAL_H

#include "rigid.h"

typedef struct GrRigidTrial {
    GrRigidWorld *w;
    GrRigidState *s;
    double dt; ///< [s]
} GrRigidTrial;

/// GrGroundFn of a plane through the origin; `context` is its unit normal, a GrVec3.
bool gr_rigid_plane(const void *context, double x, double y, double *height, GrVec3 *normal);

/// A loose body of one convex shape with its centre of mass at the origin; returns its index among the bodies, −1 when
/// out of memory.
int gr_rigid_add_loose(GrRigidDef *def, GrConvex convex, double mass, GrSym3 inertia, GrPose pose, GrTwist twist,
                       int material);

/// Takes ownership of the definition, even after an error; free the trial in any case.
GrStatus gr_rigid_trial_start(GrRigidDef *def, double dt, GrRigidTrial *out, GrErrorLog *log);
void gr_rigid_trial_free(GrRigidTrial *trial);

GrStatus gr_rigid_trial_step(GrRigidTrial *trial);
GrStatus gr_rigid_trial_run(GrRigidTrial *trial, double duration);

#endif
