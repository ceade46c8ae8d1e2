/// Every number with a unit that campaigns can measure is the quantity of its name, in that unit: of a placed lander,
/// and of a run's summary. A name with a unit that is not here fails.
#include "channel.h"
#include "subject_placement.h"
#include "summary_value.h"
#include "support/shipped_rover.h"
#include "support/units.h"

static GrLanderDef lander;
static GrLanderPlacement placed;
static GrRunSummary summary;
static GrWheelSummary wheels[8];
static GrModel *model;

typedef struct Row {
    const char *name;
    const double *at;
} Row;

static const Row PLACED[] = {
    {"tilt_deg", &placed.tilt},
    {"tilt_toward_deg", &placed.tilt_toward},
    {"stability_deg", &placed.stability},
    {"clearance_m", &placed.clearance},
    {"front.slope_deg", &placed.ramps[0].slope},
    {"front.hinge_deg", &placed.ramps[0].hinge},
    {"front.roll_deg", &placed.ramps[0].roll},
    {"front.to_ground_deg", &placed.ramps[0].to_ground},
    {"front.step_m", &placed.ramps[0].step},
    {"rear.slope_deg", &placed.ramps[1].slope},
    {"rear.hinge_deg", &placed.ramps[1].hinge},
    {"rear.roll_deg", &placed.ramps[1].roll},
    {"rear.to_ground_deg", &placed.ramps[1].to_ground},
    {"rear.step_m", &placed.ramps[1].step},
    {"ramps.slope_max_deg", &placed.ramps[1].slope}, // largest and smallest magnitudes, with their signs
    {"ramps.slope_min_deg", &placed.ramps[0].slope},
    {"ramps.roll_max_deg", &placed.ramps[0].roll},
    {"ramps.step_max_m", &placed.ramps[1].step},
    {"ramps.step_min_m", &placed.ramps[0].step},
    {"ramps.to_ground_max_deg", &placed.ramps[0].to_ground},
    {"ramps.to_ground_min_deg", &placed.ramps[1].to_ground},
};

static const Row SUMMED[] = {
    {"time_s", &summary.time},
    {"outcome_time_s", &summary.outcome_time},
    {"energy_per_metre_J_per_m", &summary.energy_per_metre},
    {"distance_m", &summary.distance},
    {"progress_m", &summary.progress},
    {"climb_m", &summary.climb},
    {"descent_m", &summary.descent},
    {"roll_max_deg", &summary.roll_max},
    {"pitch_max_deg", &summary.pitch_max},
    {"cross_track_max_m", &summary.cross_track_max},
    {"odometry_error_m", &summary.odometry_error},
    {"energy.electric_J", &summary.energy.electric},
    {"energy.braking_J", &summary.energy.braking},
    {"energy.motor_J", &summary.energy.motor},
    {"energy.mechanical_J", &summary.energy.mechanical},
    {"energy.soil_J", &summary.energy.soil},
    {"energy.wheels_J", &summary.energy.wheels},
    {"energy.joints_J", &summary.energy.joints},
    {"energy.pull_J", &summary.energy.pull},
    {"energy.residual_J", &summary.energy.residual},
    {"W.sinkage_mean_m", &wheels[0].sinkage_mean}, // W: the first wheel
    {"W.sinkage_max_m", &wheels[0].sinkage_max},
    {"W.deflection_mean_m", &wheels[0].deflection_mean},
    {"W.deflection_max_m", &wheels[0].deflection_max},
    {"W.load_mean_N", &wheels[0].load_mean},
    {"W.load_max_N", &wheels[0].load_max},
    {"W.torque_mean_Nm", &wheels[0].torque_mean},
    {"W.torque_max_Nm", &wheels[0].torque_max},
    {"W.energy_J", &wheels[0].energy},
    {"W.chatter_per_s", &wheels[0].chatter},
};

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

/// Compares a value with its row. False: the name has a unit, but no row.
static bool check(const Row *rows, int count, const char *name, double found)
{
    double factor;
    for (int i = 0; i < count; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            const double expected = gr_test_in_unit(name, *rows[i].at);
            if (!(fabs(found - expected) <= 1e-12 * fabs(expected))) {
                fail_msg("%s: found %.9g, expected %.9g", name, found, expected);
            }
            return true;
        }
    }
    return !gr_test_unit(name, &factor);
}

static void fill(double *out, size_t count, double first)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = first + 0.0625 * (double)i;
    }
}

static void test_placements(void **state)
{
    (void)state;
    static char names[64][GR_TERM_NAME];
    lander.corner_count = 4;
    lander.ramp_count = 2;
    strcpy(lander.ramps[0].name, "front");
    strcpy(lander.ramps[1].name, "rear");
    placed = (GrLanderPlacement){
        .stand = GR_STAND_STANDS, .tilt = 0.11, .tilt_toward = 0.12, .stability = 0.13, .clearance = 0.14};
    placed.ramps[0] = (GrRampState){.hinge = 0.21, .slope = 0.22, .roll = -0.53, .to_ground = 0.64, .step = 0.25};
    placed.ramps[1] = (GrRampState){.hinge = 0.31, .slope = -0.32, .roll = 0.33, .to_ground = 0.34, .step = 0.35};
    const int count = gr_placement_names(&lander, names, 64);
    assert_true(count > COUNT(PLACED));
    for (int i = 0; i < count; i++) {
        double value = NAN;
        assert_true(gr_placement_value(&lander, &placed, names[i], &value));
        if (!check(PLACED, COUNT(PLACED), names[i], value)) {
            fail_msg("%s has a unit and no row in this test", names[i]);
        }
    }
}

static bool take(void *context, const char *name)
{
    int *count = context;
    const char *dot = strchr(name, '.'), *first = gr_model_wheel_name(model, 0);
    char own[300];
    double value = NAN;
    assert_true(gr_summary_value(model, &summary, name, &value));
    const bool of_first = strncmp(name, first, strlen(first)) == 0 && name[strlen(first)] == '.';
    snprintf(own, sizeof own, "%s%s", of_first ? "W" : "", of_first ? dot : name);
    bool other = strncmp(name, "wheels.", 7) == 0; // combined: tests/apps/test_campaign.c
    for (int i = 1; i < gr_model_wheel_count(model); i++) {
        const char *wheel = gr_model_wheel_name(model, i);
        other = other || (strncmp(name, wheel, strlen(wheel)) == 0 && name[strlen(wheel)] == '.');
    }
    if (!other && !check(SUMMED, COUNT(SUMMED), own, value)) {
        fail_msg("%s has a unit and no row in this test", name);
    }
    (*count)++;
    return true;
}

static void test_summaries(void **state)
{
    (void)state;
    GrRoverDef rover;
    int count = 0;
    load_rover("rashid_like", &rover);
    gr_model_create(&rover, NULL, &model, NULL);
    gr_rover_free(&rover);
    assert_non_null(model);
    fill(&summary.outcome_time, 1, 0.5);
    fill(&summary.time, (offsetof(GrRunSummary, supply) - offsetof(GrRunSummary, time)) / sizeof(double), 1);
    summary.energy_per_metre = 99;
    for (int i = 0; i < gr_model_wheel_count(model); i++) {
        fill(&wheels[i].slip_mean, sizeof wheels[i] / sizeof(double), 200 + i);
    }
    summary.wheels = wheels;
    summary.wheel_count = gr_model_wheel_count(model);
    gr_summary_list(model, take, &count);
    assert_true(count > COUNT(SUMMED));
    gr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_placements),
        cmocka_unit_test(test_summaries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
