/// Small rigid worlds for tests: as gr_rigid_trial_..., with assertions in place of return values.
#ifndef GR_RIGID_BENCH_H
#define GR_RIGID_BENCH_H

#include "rigid_trial.h"
#include "test.h"

#define gr_plane_ground gr_rigid_plane

typedef GrRigidTrial GrRigidBench;

/// Takes the definition.
static inline GrRigidBench gr_rigid_bench(GrRigidDef *def, double dt)
{
    GrErrorLog log = {0};
    GrRigidBench b;
    if (gr_rigid_trial_start(def, dt, &b, &log) != GR_OK) {
        print_error("%s: %s\n", log.items[0].field, log.items[0].text);
    }
    assert_non_null(b.w);
    assert_non_null(b.s);
    return b;
}

static inline void gr_rigid_bench_free(GrRigidBench *b)
{
    gr_rigid_trial_free(b);
}

static inline void gr_rigid_bench_step(GrRigidBench *b)
{
    assert_int_equal(gr_rigid_trial_step(b), GR_OK);
}

static inline void gr_rigid_bench_run(GrRigidBench *b, double duration)
{
    assert_int_equal(gr_rigid_trial_run(b, duration), GR_OK);
}

static inline int gr_add_loose(GrRigidDef *def, GrConvex convex, double mass, GrSym3 inertia, GrPose pose,
                               GrTwist twist, int material)
{
    const int index = gr_rigid_add_loose(def, convex, mass, inertia, pose, twist, material);
    assert_true(index >= 0);
    return index;
}

#endif
