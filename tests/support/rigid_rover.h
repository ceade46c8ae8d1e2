/// A rover on rigid ground: hands poses and twists of its bodies to a rigid world and the loads back to the rover.
#ifndef GR_RIGID_ROVER_H
#define GR_RIGID_ROVER_H

#include "data.h"
#include "dynamics.h"
#include "rigid.h"
#include "test.h"

enum { GR_RIGID_ROVER_BODIES = 32 };

typedef struct GrRigidRover {
    GrModel *m;
    GrData *d;
    GrRigidWorld *w;
    GrRigidState *s;
    int bodies[GR_RIGID_ROVER_BODIES]; ///< body of the rover for each driven body
    int count;
    double dt;
    GrStatus status; ///< of the last evaluation
    GrRigidLoad loads[GR_RIGID_ROVER_BODIES];
} GrRigidRover;

static inline void gr_rigid_rover_motion(const GrRigidRover *r, GrPose *poses, GrTwist *twists)
{
    for (int i = 0; i < r->count; i++) {
        poses[i] = gr_data_body_pose(r->m, r->d, r->bodies[i]);
        twists[i] = (GrTwist){r->d->tree.frame[r->m->places[r->bodies[i]].body].twist.ang,
                              gr_data_point_velocity(r->m, r->d, r->bodies[i], poses[i].position)};
    }
}

static inline void gr_rigid_rover_force(void *context, const GrModel *m, GrData *d, double dt)
{
    GrRigidRover *r = context;
    GrPose poses[GR_RIGID_ROVER_BODIES];
    GrTwist twists[GR_RIGID_ROVER_BODIES];
    gr_rigid_rover_motion(r, poses, twists);
    r->status = gr_rigid_evaluate(r->w, r->s, poses, twists, dt, r->loads);
    for (int i = 0; i < r->count; i++) {
        const GrRigidLoad *load = &r->loads[i];
        if (load->touches) {
            gr_data_add_wrench(m, d, r->bodies[i], poses[i].position, load->wrench.force, load->wrench.moment);
            gr_data_add_jacobian(m, d, r->bodies[i], poses[i].position, (const double *)load->dtwist.m,
                                 (const double *)load->dpose.m);
        }
    }
}

/// Takes the world's definition; `bodies` are the rover's bodies in the order of the driven ones.
static inline void gr_rigid_rover_init(GrRigidRover *r, const GrRoverDef *rover, const GrOptions *options,
                                       GrRigidDef *def, const int *bodies, int count)
{
    GrErrorLog log = {0};
    *r = (GrRigidRover){.count = count, .dt = options->step};
    gr_model_create(rover, options, &r->m, &log);
    r->w = gr_rigid_world_create(def, &log);
    if (log.count > 0) {
        print_error("%s: %s\n", log.items[0].field, log.items[0].text);
    }
    assert_non_null(r->m);
    assert_non_null(r->w);
    assert_int_equal(gr_rigid_driven_count(r->w), count);
    gr_data_create(r->m, &r->d, NULL);
    r->s = gr_rigid_state_create(r->w);
    assert_non_null(r->d);
    assert_non_null(r->s);
    memcpy(r->bodies, bodies, sizeof(int) * (size_t)count);
    gr_rigid_def_free(def);
    gr_data_set_force(r->d, gr_rigid_rover_force, r);
}

static inline void gr_rigid_rover_step(GrRigidRover *r)
{
    GrPose poses[GR_RIGID_ROVER_BODIES];
    GrTwist twists[GR_RIGID_ROVER_BODIES];
    assert_int_equal(gr_step_by(r->m, r->d, r->dt), GR_OK);
    assert_int_equal(r->status, GR_OK);
    gr_tree_kinematics(&r->m->tree, &r->d->tree); // twists at the end of the step
    gr_rigid_rover_motion(r, poses, twists);
    assert_int_equal(gr_rigid_commit(r->w, r->s, twists, r->dt), GR_OK);
}

static inline void gr_rigid_rover_run(GrRigidRover *r, double duration)
{
    const int steps = (int)lround(duration / r->dt);
    for (int i = 0; i < steps; i++) {
        gr_rigid_rover_step(r);
    }
}

/// Sum of the normal forces of the last evaluation.
static inline double gr_rigid_rover_normal(const GrRigidRover *r)
{
    double sum = 0;
    for (int i = 0; i < gr_rigid_contact_count(r->s); i++) {
        sum += gr_rigid_contact(r->w, r->s, i).normal_force;
    }
    return sum;
}

static inline void gr_rigid_rover_free(GrRigidRover *r)
{
    gr_data_free(r->d);
    gr_model_free(r->m);
    gr_rigid_state_free(r->s);
    gr_rigid_world_free(r->w);
}

#endif
