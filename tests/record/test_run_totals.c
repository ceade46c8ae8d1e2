/// Figures of a summary: each has one definition, whether steps or samples are summed; a mean is never beyond the
/// largest value; a force of the caller is not a load.
#include "mission_data.h"
#include "random.h"
#include "run_summary.h"
#include "support/shipped_rover.h"
#include "test.h"

static const double ROUNDING = 1e-12, GRAVITY = 3.72076;
static const double RESOLUTION = 0.02; // of what samples of 0.1 s miss, relative

static void assert_ordered(const GrWheelSummary *w)
{
    assert_true(fabs(w->slip_mean) <= w->slip_max + ROUNDING && w->slip_max <= 1 + ROUNDING);
    assert_true(w->sinkage_mean >= 0 && w->sinkage_mean <= w->sinkage_max + ROUNDING);
    assert_true(w->load_mean <= w->load_max * (1 + ROUNDING));
    assert_true(w->torque_mean >= 0 && w->torque_mean <= w->torque_max * (1 + ROUNDING));
    assert_true(w->airborne >= -ROUNDING && w->airborne <= 1);
}

/// Wheels that spin in bursts, roll a few millimetres, or lose contact.
static void test_means_and_extremes(void **state)
{
    (void)state;
    static const GrContactMode modes[] = {GR_SOFT_NO_CONTACT, GR_SOFT_STUCK_ROLL, GR_SOFT_SLIP_ACCELERATE,
                                          GR_RIGID_NO_CONTACT, GR_STONE_ROLLING};
    GrRandom random = gr_random_stream(1, "sums");
    GrRoverDef rover = gr_default_rover_def();
    load_rover("rashid_like", &rover);
    const GrOptions options = gr_default_options();
    GrData *d;
    GrModel *m = make_model(&rover, &options, &d);
    for (int run = 0; run < 500; run++) {
        GrWheelSums sums = {0};
        const double most = gr_random_uniform(&random, 1e-4, 0.5), sense = run % 2 == 0 ? 1 : -1;
        const int steps = 1 + (int)gr_random_below(&random, 60);
        double time = 0;
        for (int k = 0; k < steps; k++) {
            const GrWheelSample sample = {.slip = sense * gr_random_uniform(&random, run % 3 == 0 ? 0.85 : -0.2, 1),
                                          .speed = gr_random_uniform(&random, -most, 2 * most),
                                          .sinkage = gr_random_unit(&random),
                                          .load = gr_random_uniform(&random, -1, 10),
                                          .torque = gr_random_uniform(&random, -2, 1),
                                          .state = (int)modes[gr_random_below(&random, 5)]};
            const double dt = gr_random_unit(&random);
            gr_wheel_sums_add(&sums, m, 0, &sample, dt);
            time += dt;
        }
        const GrWheelSummary w = gr_wheel_sums_result(&sums, time);
        assert_ordered(&w);
    }
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
}

/// Lifts each wheel's body by a force [N].
static void lift(void *context, const GrModel *m, GrData *d, double dt)
{
    (void)dt;
    for (int body = 0; body < m->def_body_count; body++) {
        for (int i = 0; i < m->wheel_count; i++) {
            if (m->places[body].body == m->wheels[i].body) {
                const GrVec3 at = gr_add(gr_data_base_pose(d).position, gr_wheel_centre(m, d, i));
                gr_data_add_wrench(m, d, body, at, gr_vec3(0, 0, *(double *)context), gr_vec3(0, 0, 0));
            }
        }
    }
}

static void compare(const GrRunSummary *steps, const GrRunSummary *samples)
{
    assert_near_rel(samples->distance, steps->distance, ROUNDING);
    assert_near_rel(samples->progress, steps->progress, ROUNDING);
    assert_near(samples->climb, steps->climb, RESOLUTION);
    assert_near(samples->descent, steps->descent, RESOLUTION);
    assert_true(samples->step_min > 0 && samples->step_min <= samples->step_max);
    for (int i = 0; i < steps->wheel_count; i++) {
        const GrWheelSummary *a = &steps->wheels[i], *b = &samples->wheels[i];
        assert_ordered(a);
        assert_ordered(b);
        assert_near(b->slip_mean, a->slip_mean, RESOLUTION);
        assert_near(b->slip_max, a->slip_max, RESOLUTION);
        assert_near_rel(b->sinkage_mean, a->sinkage_mean, RESOLUTION);
        assert_near_rel(b->load_mean, a->load_mean, RESOLUTION);
        assert_near_rel(b->torque_mean, a->torque_mean, RESOLUTION);
        assert_near(b->airborne, a->airborne, RESOLUTION);
    }
}

/// A drive on a slope of 8 degrees, with and without the caller's force.
static void test_steps_and_samples(void **state)
{
    (void)state;
    GrRoverDef rover = gr_default_rover_def();
    load_rover("rashid_like", &rover);
    const GrSoilDef soil = gr_default_soil_def();
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(-GRAVITY * sin(0.14), 0, -GRAVITY * cos(0.14));
    options.surface.soil = &soil;
    GrData *d;
    GrModel *m = make_model(&rover, &options, &d);
    static const GrWayPoint path[] = {{10, 0, NAN}};
    GrMissionDef def = gr_default_mission_def();
    def.control.source = GR_CONTROL_PATH;
    def.control.path = path;
    def.control.path_count = 1;
    def.control.cruise_speed = 0.1;
    const double weight = gr_balance(m, d).mass * GRAVITY;
    for (int lifted = 0; lifted < 2; lifted++) {
        double up = 0.1 * weight;
        GrMission *mission = NULL;
        gr_mission_create(m, NULL, &def, &mission, NULL);
        GrSample sample;
        GrRunTotals totals;
        GrRunSummary summary;
        assert_true(gr_sample_init(m, 0, &sample) && gr_run_totals_init(&totals, m));
        assert_int_equal(gr_mission_place(mission, &(GrStart){0}, NULL), GR_OK);
        if (lifted > 0) {
            gr_data_set_force(gr_mission_data(mission), lift, &up);
        }
        for (int k = 0; k <= 40; k++) {
            gr_mission_advance(mission, 0.1 * k);
            gr_mission_sample(mission, &sample);
            gr_run_totals_add(&totals, &sample);
        }
        assert_int_equal(gr_mission_summary(mission, &summary, NULL), GR_OK);
        compare(&summary, gr_run_totals_finish(&totals, 1));
        double load = 0;
        for (int i = 0; i < summary.wheel_count; i++) {
            load += summary.wheels[i].load_mean;
        }
        print_message("load %.4f of the weight, climb %.3f m\n", load / weight, summary.climb);
        // the force is along z of the plane, the load along gravity
        assert_near_rel(load, weight - lifted * m->wheel_count * up * cos(0.14), RESOLUTION);
        gr_run_summary_free(&summary);
        gr_run_totals_free(&totals);
        gr_sample_free(&sample);
        gr_mission_free(mission);
    }
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_means_and_extremes),
                                       cmocka_unit_test(test_steps_and_samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
