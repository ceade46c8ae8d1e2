/// The rig with a prescribed motion, against the dynamic rig at steady slip: by load, by sinkage and by pull.
#include "test.h"

#include "motion_rig.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 121 };

static const double DEGREE = 3.14159265358979323846 / 180, STEADY_TOLERANCE = 0.01, PERIOD = 0.25;

static GrMotionRigDef make_def(void)
{
    GrMotionRigDef def = {.rig = gr_default_rig_def(), .by_force = {false, false, true}, .mass = 6.6, .step = 0.005};
    def.rig.soil.damping = 200;
    return def;
}

/// Driving at this slip and slip angle.
static void fill(const GrMotionRigDef *def, double slip, double slip_angle, GrMotionRow *rows)
{
    const double travel = 0.05, rim = travel * cos(slip_angle) / (1 - slip);
    for (int i = 0; i < ROWS; i++) {
        rows[i] = (GrMotionRow){.time = i * PERIOD,
                                .position = {travel * i * PERIOD, 0, NAN},
                                .force = {NAN, NAN, def->rig.load},
                                .speed = rim / def->rig.wheel.radius,
                                .slip_angle = slip_angle};
    }
}

static void run(const GrMotionRigDef *def, const GrMotionRow *rows, GrMotionRow *out, double *depth)
{
    GrMotionRig rig;
    GrErrorLog log = {0};
    assert_int_equal(gr_motion_rig_make(def, &rig, &log), GR_OK);
    assert_int_equal(gr_motion_rig_run(&rig, rows, ROWS, out, &log), GR_OK);
    if (depth != NULL) { // in the middle of the track
        const double cell = def->rig.cell;
        *depth = -gr_ruts_get(gr_contact_ruts(rig.trench), llround(0.5 * rows[ROWS - 1].position[0] / cell), 0);
    }
    gr_motion_rig_free(&rig);
}

static GrRigPoint steady(const GrMotionRigDef *def, double slip, double slip_angle)
{
    GrRig rig;
    GrRigPoint point;
    GrRigDef own = def->rig;
    own.dynamic = true;
    assert_int_equal(gr_rig_make(&own, &rig, NULL), GR_OK);
    assert_int_equal(gr_rig_point(&rig, slip, slip_angle, &point), GR_OK);
    return point;
}

static void test_load(void **state)
{
    (void)state;
    const GrMotionRigDef def = make_def();
    static const double angles[] = {0, 8};
    for (int k = 0; k < 2; k++) {
        GrMotionRow rows[ROWS], out[ROWS];
        const double angle = angles[k] * DEGREE;
        double depth;
        fill(&def, 0.2, angle, rows);
        run(&def, rows, out, &depth);
        const GrRigPoint wanted = steady(&def, 0.2, angle);
        const GrMotionRow *last = &out[ROWS - 1];
        // the rig's forces are along the wheel and across it, against the side slip; those here along the track
        const double along = cos(angle) * last->force[0] - sin(angle) * last->force[1];
        const double across = sin(angle) * last->force[0] + cos(angle) * last->force[1];
        print_message("pull %.3f (%.3f) N, side %.3f (%.3f) N, sinkage %.3f (%.3f) mm, trench %.2f mm\n", along,
                      wanted.f_x, across, wanted.f_y, 1000 * last->position[2], 1000 * wanted.sinkage, 1000 * depth);
        assert_near(last->force[2], def.rig.load, STEADY_TOLERANCE * def.rig.load);
        assert_near(along, wanted.f_x, STEADY_TOLERANCE * def.rig.load);
        assert_near(fabs(across), fabs(wanted.f_y), STEADY_TOLERANCE * def.rig.load);
        assert_near(last->position[2], wanted.sinkage, STEADY_TOLERANCE * wanted.sinkage);
        assert_near(last->torque, wanted.torque, STEADY_TOLERANCE * def.rig.load * def.rig.wheel.radius);
        assert_near(last->slip, 0.2, 0.002);
        assert_near(depth, wanted.sinkage, 0.2 * wanted.sinkage); // it drives in the trench that it leaves
    }
}

/// The sinkage that a load gives, prescribed, gives the load.
static void test_sinkage(void **state)
{
    (void)state;
    GrMotionRigDef def = make_def();
    GrMotionRow rows[ROWS], out[ROWS];
    const double sinkage = steady(&def, 0.2, 0).sinkage;
    fill(&def, 0.2, 0, rows);
    for (int i = 0; i < ROWS; i++) {
        rows[i].position[2] = sinkage;
    }
    def.by_force[2] = false;
    run(&def, rows, out, NULL);
    assert_near(out[ROWS - 1].position[2], sinkage, 1e-9);
    assert_near(out[ROWS - 1].force[2], def.rig.load, STEADY_TOLERANCE * def.rig.load);
}

/// The pull of a slip, prescribed along x together with the load, gives the slip.
static void test_pull(void **state)
{
    (void)state;
    GrMotionRigDef def = make_def();
    GrMotionRow rows[ROWS], out[ROWS];
    const double pull = steady(&def, 0.2, 0).f_x;
    fill(&def, 0.2, 0, rows);
    for (int i = 0; i < ROWS; i++) {
        rows[i].force[0] = pull;
    }
    def.by_force[0] = true;
    run(&def, rows, out, NULL);
    assert_near(out[ROWS - 1].slip, 0.2, 0.01);
    assert_near(out[ROWS - 1].force[0], pull, STEADY_TOLERANCE * def.rig.load);
    assert_true(out[ROWS - 1].position[0] > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_sinkage),
        cmocka_unit_test(test_pull),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
