/// Localisation: the filter is consistent, that is, its errors have the covariance that it expects. One drive is
/// measured by many sets of sensors, which differ in their random errors alone.
///
/// The normalised squared error of the position (NEES), averaged over M sets, has 3 M degrees of freedom: M times it is
/// a chi-square (Bar-Shalom, Li & Kirubarajan 2001, section 5.4).
#include "localiser.h"

#include "grouser/run.h"

#include "mission_data.h"
#include "scenario_data.h"
#include "test.h"

enum { SETS = 40, TIMES = 3 };
static const double SPACING = 20; // of the times that are looked at [s]
// of the mean over 40 sets: 0.1 % and 99.9 % of the chi-square of 120 and of 40 degrees of freedom, over 40
static const double POSITION_LEAST = 77.76 / SETS, POSITION_MOST = 173.62 / SETS;
static const double HEADING_LEAST = 17.92 / SETS, HEADING_MOST = 73.40 / SETS;

typedef struct Set {
    GrScenario *scenario, *believed; ///< of its own, since the seeds differ; and as the filter has it
    GrSense *sense;
    GrLocaliser *localiser;
} Set;

typedef struct Drive {
    GrWorld *world;
    Set sets[SETS];
    double nees[TIMES], heading[TIMES], error[TIMES], sigma[TIMES];
} Drive;

/// Without the sensors that are not used.
static void load(GrScenario **out, int seed, const char *const *overrides)
{
    assert_int_equal(gr_scenario_load("crossing", overrides, out, NULL), GR_OK);
    GrScenario *s = *out;
    for (int i = 0; i < s->rover.sensor_count; i++) {
        GrSensorDef *sensor = &s->rover.sensors[i];
        const bool used = sensor->kind == GR_SENSOR_IMU || sensor->kind == GR_SENSOR_ENCODER ||
                          sensor->kind == GR_SENSOR_VISUAL ||
                          (sensor->kind == GR_SENSOR_STARS && s->rover.localisation->stars >= 0);
        sensor->seed = seed;
        if (!used) { // one that takes no time
            sensor->kind = GR_SENSOR_INCLINOMETER;
            sensor->rate = 0.001;
        }
    }
}

/// The filter believes that visual odometry has `trust` times its noise.
static void start(Drive *drive, const char *const *overrides, double trust)
{
    GrErrorLog log = {0};
    for (int k = 0; k < SETS; k++) {
        load(&drive->sets[k].scenario, 1 + k, overrides);
        load(&drive->sets[k].believed, 1 + k, overrides);
        GrScenario *believed = drive->sets[k].believed;
        GrSensorDef *visual = &believed->rover.sensors[believed->rover.localisation->visual];
        visual->drift *= trust;
        visual->noise *= trust;
        visual->scale *= trust;
    }
    assert_int_equal(gr_world_create(drive->sets[0].scenario, &drive->world, &log), GR_OK);
    for (int k = 0; k < SETS; k++) {
        Set *set = &drive->sets[k];
        const GrSenseDef def = {
            .model = drive->world->model, .rover = &set->scenario->rover, .terrain = drive->world->terrain};
        gr_sense_create(&def, &set->sense, &log);
        set->localiser = gr_localiser_create(&set->believed->rover, drive->world->model, &log);
        assert_non_null(set->sense);
        assert_non_null(set->localiser);
        gr_localiser_start(set->localiser, gr_mission_data(drive->world->mission));
    }
}

static void measure(Drive *drive)
{
    const GrData *d = gr_mission_data(drive->world->mission);
    for (int k = 0; k < SETS; k++) {
        Set *set = &drive->sets[k];
        GrMeasurement m;
        assert_int_equal(gr_sense_update(set->sense, d, NULL), GR_OK);
        while (gr_sense_next(set->sense, &m)) {
            assert_int_equal(gr_localiser_take(set->localiser, &m, NULL), GR_OK);
        }
        gr_localiser_update(set->localiser, gr_data_time(d));
    }
}

static void look(Drive *drive, int time)
{
    for (int k = 0; k < SETS; k++) {
        GrLocalisationSample s;
        gr_localiser_sample(drive->sets[k].localiser, (time + 1) * SPACING, &s);
        drive->nees[time] += s.nees / SETS;
        drive->heading[time] += s.heading_error * s.heading_error / (s.heading_sigma * s.heading_sigma) / SETS;
        drive->error[time] += s.error * s.error / SETS;
        drive->sigma[time] += s.sigma * s.sigma / SETS;
    }
}

static void run(Drive *drive, const char *const *overrides, double trust)
{
    memset(drive, 0, sizeof *drive);
    start(drive, overrides, trust);
    measure(drive);
    for (int i = 0; i < TIMES; i++) {
        const double until = (i + 1) * SPACING;
        while (gr_data_time(gr_mission_data(drive->world->mission)) < until) {
            assert_int_equal(gr_mission_step(drive->world->mission, until), GR_OUTCOME_RUNNING);
            measure(drive);
        }
        look(drive, i);
        print_message("%g s: NEES of the position %.2f, of the heading %.2f, error %.4f m, expected %.4f m\n", until,
                      drive->nees[i], drive->heading[i], sqrt(drive->error[i]), sqrt(drive->sigma[i]));
    }
    for (int k = 0; k < SETS; k++) {
        gr_sense_free(drive->sets[k].sense);
        gr_localiser_free(drive->sets[k].localiser);
    }
    gr_world_free(drive->world);
    for (int k = 0; k < SETS; k++) {
        gr_scenario_free(drive->sets[k].scenario);
        gr_scenario_free(drive->sets[k].believed);
    }
}

static const char *const OVERRIDES[] = {"rover=rashid_like_sensing", NULL};
static const char *const STARS[] = {"rover=rashid_like_sensing", "rover:localisation.star_tracker=stars", NULL};

static void check_consistent(const Drive *drive)
{
    for (int i = 0; i < TIMES; i++) {
        assert_true(drive->nees[i] > POSITION_LEAST && drive->nees[i] < POSITION_MOST);
        assert_true(drive->heading[i] > HEADING_LEAST && drive->heading[i] < HEADING_MOST);
    }
}

static void consistent(void **unused)
{
    (void)unused;
    static Drive plain, stars;
    run(&plain, OVERRIDES, 1);
    check_consistent(&plain);
    run(&stars, STARS, 1);
    check_consistent(&stars);
    assert_true(stars.sigma[TIMES - 1] < plain.sigma[TIMES - 1]); // a known heading helps
}

/// A filter that trusts its sensors too much is found out.
static void inconsistent(void **unused)
{
    (void)unused;
    static Drive drive;
    run(&drive, OVERRIDES, 0.3);
    assert_true(drive.nees[TIMES - 1] > POSITION_MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(consistent), cmocka_unit_test(inconsistent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
