/// A body of one shape, or a rover, on soil that bodies press; for tests of the laws scm and rft.
#ifndef GR_BODY_RIG_H
#define GR_BODY_RIG_H

#include "data.h"
#include "support/shipped_rover.h"
#include "test.h"

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

#endif
