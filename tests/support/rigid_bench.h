/// Small rigid worlds for tests: planes, single bodies, a run of so many seconds.
#ifndef GR_RIGID_BENCH_H
#define GR_RIGID_BENCH_H

#include "rigid.h"
#include "test.h"

/// A plane through the origin with a unit normal.
static inline bool gr_plane_ground(const void *context, double x, double y, double *height, GrVec3 *normal)
{
    const GrVec3 *n = context;
    *height = -(n->x * x + n->y * y) / n->z;
    *normal = *n;
    return true;
}

typedef struct GrRigidBench {
    GrRigidWorld *w;
    GrRigidState *s;
    double dt;
} GrRigidBench;

/// Takes the definition.
static inline GrRigidBench gr_rigid_bench(GrRigidDef *def, double dt)
{
    GrErrorLog log = {0};
    GrRigidBench b = {.w = gr_rigid_world_create(def, &log), .dt = dt};
    if (b.w == NULL) {
        print_error("%s: %s\n", log.items[0].field, log.items[0].text);
    }
    assert_non_null(b.w);
    b.s = gr_rigid_state_create(b.w);
    assert_non_null(b.s);
    gr_rigid_def_free(def);
    return b;
}

static inline void gr_rigid_bench_free(GrRigidBench *b)
{
    gr_rigid_state_free(b->s);
    gr_rigid_world_free(b->w);
}

/// One step of a world without driven bodies.
static inline void gr_rigid_bench_step(GrRigidBench *b)
{
    assert_int_equal(gr_rigid_evaluate(b->w, b->s, NULL, NULL, b->dt, NULL), GR_OK);
    assert_int_equal(gr_rigid_commit(b->w, b->s, NULL, b->dt), GR_OK);
}

static inline void gr_rigid_bench_run(GrRigidBench *b, double duration)
{
    const int steps = (int)lround(duration / b->dt);
    for (int i = 0; i < steps; i++) {
        gr_rigid_bench_step(b);
    }
}

/// A loose body of one convex shape with its centre of mass in the origin; returns its number among the bodies.
static inline int gr_add_loose(GrRigidDef *def, GrConvex convex, double mass, GrSym3 inertia, GrPose pose,
                               GrTwist twist, int material)
{
    GrRigidBodyDef body = gr_default_rigid_body_def(GR_RIGID_LOOSE);
    body.mass = mass;
    body.inertia = inertia;
    body.pose = pose;
    body.twist = twist;
    const int index = gr_rigid_add_body(def, &body);
    assert_true(gr_rigid_add_shape(def, index, convex, gr_pose_identity(), material) >= 0);
    return index;
}

#endif
