/// A body of one shape, or a rover, on soil that bodies press; for tests of the laws scm and rft.
#ifndef GR_BODY_RIG_H
#define GR_BODY_RIG_H

#include "data.h"
#include "grouser/mission.h"
#include "support/shipped_rover.h"
#include "test.h"

#include <stdlib.h>

static const double GRAVITY = 9.80665;

static const GrVec3 BLOCK = {0.4, 0.3, 0.2};

typedef struct Rig {
    GrRoverDef rover;
    GrModel *m;
    GrData *d;
} Rig;

static inline void finish_rig(Rig *r, GrOptions options, const GrSoilDef *soil)
{
    options.surface.soil = soil;
    r->m = make_model(&r->rover, &options, &r->d);
}

static inline void destroy(Rig *r)
{
    gr_data_free(r->d);
    gr_model_free(r->m);
    gr_rover_free(&r->rover);
}

static inline void run(Rig *r, double duration)
{
    const int steps = (int)lround(duration / r->m->options.step);
    for (int i = 0; i < steps; i++) {
        assert_int_equal(gr_step(r->m, r->d), GR_OK);
    }
}

static inline GrShapeDef box_of(GrVec3 size)
{
    GrShapeDef shape = gr_default_shape_def();
    shape.kind = GR_SHAPE_BOX;
    shape.size = size;
    return shape;
}

/// One body of a shape, with the inertia of BLOCK, without wheels, on the plane z = 0 with gravity tilted about y.
static inline Rig make_body(const GrSoilDef *soil, GrShapeDef shape, double mass, double slope, GrIntegrator integrator)
{
    Rig r = {.rover = gr_default_rover_def()};
    GrBodyDef body = gr_default_body_def();
    snprintf(body.name, sizeof body.name, "block");
    snprintf(r.rover.name, sizeof r.rover.name, "block");
    body.mass = mass;
    body.inertia = gr_inertia_box(mass, BLOCK);
    assert_true(gr_body_add_shape(&body, &shape) >= 0);
    assert_true(gr_rover_add_body(&r.rover, &body) >= 0);
    GrOptions options = gr_default_options();
    options.integrator = integrator;
    options.gravity = gr_vec3(-GRAVITY * sin(slope), 0, -GRAVITY * cos(slope));
    finish_rig(&r, options, soil);
    return r;
}

/// BLOCK a little above the ground.
static inline Rig make_block_on(const GrSoilDef *soil, double mass, double slope)
{
    Rig r = make_body(soil, box_of(BLOCK), mass, slope, GR_INTEGRATOR_LINEAR);
    gr_data_set_base_pose(r.d, (GrPose){{0.0013, 0.0041, 0.5 * BLOCK.z + 0.001}, {1, 0, 0, 0}});
    return r;
}

/// Force of the ground on all bodies.
static inline GrVec3 ground_force(const Rig *r)
{
    GrVec3 sum = {0, 0, 0};
    for (int i = 0; i < r->m->wheel_count; i++) {
        sum = gr_add(sum, gr_data_wheel(r->m, r->d, i).world_force);
    }
    for (int k = 0; k < r->m->soil_shape_count; k++) {
        sum = gr_add(sum, r->d->soil_touch[k].force);
    }
    return sum;
}

/// A ridge along x with a flat top.
typedef struct Ridge {
    double high, half, slope; ///< [m], half the width of its top [m], of its flanks
} Ridge;

static inline bool ridge(const void *context, double x, double y, double *z, GrVec3 *normal)
{
    (void)x;
    const Ridge *r = context;
    const double top = r->high - r->slope * fmax(0, fabs(y) - r->half);
    *z = fmax(0, top);
    *normal =
        top > 0 && fabs(y) > r->half ? gr_normalize(gr_vec3(0, y > 0 ? r->slope : -r->slope, 1)) : gr_vec3(0, 0, 1);
    return true;
}

/// After a fall a rover rests on the ground as it fell, carried by it, and not below it.
static inline void check_tipped(const Rig *r)
{
    GrVec3 v, w;
    gr_data_base_velocity(r->d, &v, &w);
    const double mass = gr_balance(r->m, r->d).mass, height = gr_data_base_pose(r->d).position.z;
    const GrVec3 up = gr_quat_rotate(gr_data_base_pose(r->d).rotation, gr_vec3(0, 0, 1));
    print_message("tipped: height %.3f m, tilt %.1f deg, speed %.1e m/s, carried %.4f of the weight\n", height,
                  acos(up.z) * 57.29577951308232, gr_norm(v), ground_force(r).z / (mass * GRAVITY));
    assert_true(gr_norm(v) < 1e-3);
    assert_near_rel(ground_force(r).z, mass * GRAVITY, 1e-2);
    assert_true(height > 0.05 && height < 0.5);
    assert_true(up.z < 0.5); // it has not stood up by itself
}

/// Drops rashid_like on a ridge of soil. Its belly is 0.15 m above the ground.
static inline void check_ridge(const GrSoilDef *soil, const Ridge *shape, GrOutcome outcome)
{
    Rig r = {.rover = gr_default_rover_def()};
    load_rover("rashid_like", &r.rover);
    GrOptions options = gr_default_options();
    options.surface.height = ridge;
    options.surface.context = shape;
    finish_rig(&r, options, soil);
    GrMissionDef def = gr_default_mission_def();
    def.duration = 3;
    GrMission *mission = NULL;
    assert_int_equal(gr_mission_create(r.m, NULL, &def, &mission, NULL), GR_OK);
    const GrStart start = {.height = 0.06};
    assert_int_equal(gr_mission_place(mission, &start, NULL), GR_OK);
    gr_mission_advance(mission, INFINITY);
    GrRunSummary summary;
    assert_int_equal(gr_mission_summary(mission, &summary, NULL), GR_OK);
    print_message("ridge of %g m: %s, %s\n", shape->high, gr_outcome_name(summary.outcome), summary.cause);
    assert_int_equal(summary.outcome, outcome);
    assert_true(summary.energy.soil > 0);
    gr_run_summary_free(&summary);
    gr_mission_free(mission);
    destroy(&r);
}

/// Hash of a rover that drives off for a while; frees it.
static inline uint64_t driven_hash(Rig *r, double duration)
{
    gr_data_set_base_pose(r->d, (GrPose){{0, 0, 0.21}, {1, 0, 0, 0}});
    for (int i = 0; i < r->m->joint_count; i++) {
        gr_data_set_command(r->m, r->d, i, r->m->joint_roles[i] == GR_ROLE_DRIVE ? 0.5 : 0);
    }
    run(r, duration);
    assert_true(gr_data_wheel(r->m, r->d, 0).sinkage > 0);
    const uint64_t hash = gr_data_hash(r->m, r->d);
    destroy(r);
    return hash;
}

/// A copy, and a run that is saved and restored, continue with the same bits.
static inline void check_copies(Rig *r)
{
    GrData *copy = NULL, *restored = NULL;
    gr_data_create(r->m, &copy, NULL);
    gr_data_create(r->m, &restored, NULL);
    const size_t size = gr_data_size(r->m, r->d);
    void *saved = malloc(size);
    gr_data_copy(r->m, copy, r->d);
    assert_int_equal(gr_data_save(r->m, r->d, saved), GR_OK);
    assert_int_equal(gr_data_restore(r->m, restored, saved, size, NULL), GR_OK);
    for (int i = 0; i < 200; i++) {
        assert_int_equal(gr_step(r->m, r->d), GR_OK);
        assert_int_equal(gr_step(r->m, copy), GR_OK);
        assert_int_equal(gr_step(r->m, restored), GR_OK);
    }
    assert_true(gr_data_hash(r->m, copy) == gr_data_hash(r->m, r->d));
    assert_true(gr_data_hash(r->m, restored) == gr_data_hash(r->m, r->d));
    free(saved);
    gr_data_free(copy);
    gr_data_free(restored);
}

#endif
