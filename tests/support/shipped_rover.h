/// A shipped rover in a test: loaded, perhaps with ideal drive motors, and made into a model with its data.
#ifndef GR_TEST_SHIPPED_ROVER_H
#define GR_TEST_SHIPPED_ROVER_H

#include "grouser/model.h"
#include "grouser/sim.h"
#include "test.h"

static inline void load_rover(const char *name, GrRoverDef *out)
{
    char path[512];
    snprintf(path, sizeof path, "%s/data/rovers/%s.yaml", GR_TEST_SOURCE_DIR, name);
    assert_int_equal(gr_rover_load(path, NULL, out, NULL), GR_OK);
}

/// Drive motors keep their speed whatever the torque.
static inline void make_motors_ideal(GrRoverDef *rover)
{
    for (int i = 0; i < rover->joint_count; i++) {
        if (rover->joints[i].role == GR_ROLE_DRIVE) {
            rover->joints[i].motor.kind = GR_MOTOR_SPEED;
        }
    }
}

/// What hinders it is printed.
static inline GrModel *make_model(const GrRoverDef *rover, const GrOptions *options, GrData **data)
{
    GrErrorLog log = {0};
    GrModel *m = NULL;
    if (gr_model_create(rover, options, &m, &log) != GR_OK) {
        print_error("%s: %s\n", log.items[0].field, log.items[0].text);
    }
    assert_non_null(m);
    gr_data_create(m, data, NULL);
    assert_non_null(*data);
    return m;
}

#endif
