/// Common parts of the tests of control: geometries of shipped rovers and of made-up ones, and a rover that never
/// slips.
#ifndef GR_CONTROL_TEST_H
#define GR_CONTROL_TEST_H

#include "control_parts.h"
#include "random.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

static const char *const ROVERS[] = {"el_dorado2.yaml",
                                     "curiosity_like.yaml",
                                     "exomars_like.yaml",
                                     "lrv_like.yaml",
                                     "rashid_like.yaml",
                                     "viper_like.yaml",
                                     "urdf_example/pebble.grouser.yaml"};
enum { ROVER_COUNT = sizeof ROVERS / sizeof ROVERS[0] };

static inline GrDriveGeometry load_geometry(const char *file)
{
    char path[512];
    GrRoverDef rover;
    GrDriveGeometry g;
    snprintf(path, sizeof path, "%s/data/rovers/%s", GR_TEST_SOURCE_DIR, file);
    assert_int_equal(gr_rover_load(path, NULL, &rover, NULL), GR_OK);
    const GrOptions options = gr_default_options();
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(&rover, &options, &m, NULL), GR_OK);
    assert_int_equal(gr_drive_geometry(m, &g, NULL), GR_OK);
    gr_model_free(m);
    gr_rover_free(&rover);
    return g;
}

/// A body that moves exactly as the wheels are commanded; steering and legs follow without delay.
typedef struct Ideal {
    const GrControl *control;
    GrControlState state;
    GrControlObservation seen;
    GrControlOutput out;
} Ideal;

/// The twist of the plan with the wheels' ramp: what a rover without slip does with these joint commands.
static inline void ideal_step(Ideal *r, double dt)
{
    gr_control_update(r->control, &r->state, &r->seen, &r->out);
    const GrDriveGeometry *g = &r->control->geometry;
    for (int k = 0; k < r->out.count; k++) {
        for (int i = 0; i < g->wheel_count; i++) {
            const GrDriveWheel *w = &g->wheels[i];
            GrWheelJoints *joints = &r->seen.wheels[i];
            const double command = r->out.command[k];
            if (r->out.joint[k] == w->drive) {
                joints->drive_velocity = command;
            } else if (r->out.joint[k] == w->steer) {
                joints->steer_velocity = (command - joints->steer_position) / dt;
                joints->steer_position = command;
            } else if (r->out.joint[k] == w->walk) {
                joints->walk_velocity = (command - joints->walk_position) / dt;
                joints->walk_position = command;
            }
        }
    }
    GrOdometry o = {0};
    gr_odometry_twist(r->control, &r->seen, &o);
    const double turn = o.yaw_rate * dt, half = r->seen.heading + 0.5 * turn;
    const double chord = fabs(turn) > 1e-9 ? 2 * sin(0.5 * turn) / turn : 1;
    r->seen.x += chord * dt * (cos(half) * o.v_x - sin(half) * o.v_y);
    r->seen.y += chord * dt * (sin(half) * o.v_x + cos(half) * o.v_y);
    r->seen.heading += turn;
    r->seen.v_x = o.v_x;
    r->seen.v_y = o.v_y;
    r->seen.yaw_rate = o.yaw_rate;
    r->seen.time += dt;
}

#endif
