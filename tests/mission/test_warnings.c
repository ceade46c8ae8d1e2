/// Runs with unreliable numbers give a warning, and reliable ones do not: one row for each warning about steps, falls
/// and the range of the models. The expectation of a row follows from the physics of its scenario, stated beside it.
#include "file.h"
#include "mission_data.h"
#include "scenario_data.h"
#include "support/run_scenario.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct Row {
    const char *what;
    const char *words; ///< of the warning
    bool expected;
    const char *yaml;
} Row;

#define CLAY_OF(soil)                                                                                                  \
    "rover: viper_like\n"                                                                                              \
    "gravity: moon\n"                                                                                                  \
    "soil: " soil "\n"                                                                                                 \
    "terrain:\n"                                                                                                       \
    "  seed: 793\n"                                                                                                    \
    "  add:\n"                                                                                                         \
    "    - plane: {slope_deg: 6.22, toward_deg: 244}\n"                                                                \
    "    - fractal: {hurst: 0.683, rms_m: 0.0207, lag_m: 1, smallest_m: 0.4}\n"                                        \
    "    - ripples: {wavelength_m: 3.55, height_m: 0.177}\n"                                                           \
    "start: {heading_deg: 327.7}\n"                                                                                    \
    "drive: {speed_mps: 0.205, path: [[2.646, -0.7548], [4.394, -0.3275]]}\n"                                          \
    "stop: {time_s: 16}\n"
#define CLAY CLAY_OF("{use: wong_lean_clay_22}")

#define DROP "start: {height_m: 0.006, roll_deg: 3.12, pitch_deg: -4.83}\nstop: {time_s: 4}\n"
#define FALL "start: {height_m: 0.141, roll_deg: -1.42, pitch_deg: 4.44}\nstop: {time_s: 3}\n"
#define HARD                                                                                                           \
    "rover: el_dorado2\ngravity: moon\nsoil: {use: wong_sandy_loam_22}\n"                                              \
    "start: {height_m: 0.02, pitch_deg: 4.5}\nstop: {time_s: 2}\n"
// the edge of a ramp of 3 cm under the left wheels
#define EDGE                                                                                                           \
    "rover: rashid_like\ngravity: mars\nsoil: mars_dlr_drift\n"                                                        \
    "terrain: {size_m: 8, cell_m: 0.02, add: [step: {height_m: 0.03, at_m: 0.14, width_m: 0.04, toward_deg: 88}]}\n"   \
    "drive: {script: [{time_s: 0, mode: skid, speed_mps: 0.1}]}\nstop: {time_s: 3}\n"
#define CLIMB "rover: curiosity_like\ngravity: mars\nsoil: marssim_sand\nstop: {time_s: 10}\n"

static const Row ROWS[] = {
    {"wheels sink 19 µm into clay: their contact is 3 mm long, and 20 ms at 0.2 m/s are 4 mm",
     "contact with this stiff", true, CLAY "step: {pace: fixed, step_ms: 20}\n"},
    {"and bounce on elastic clay so that the velocities change more in a step than the drive needs energy",
     "the integrator damps", true,
     CLAY_OF("{use: wong_lean_clay_22, set: {unloading_rebound: 0}}") "step: {pace: fixed, step_ms: 20}\n"},
    {"clay that rebounds by a tenth of the sinkage does not let them bounce", "the integrator damps", false,
     CLAY "step: {pace: fixed, step_ms: 20}\n"},
    {"the pace chooses steps of a part of that contact", "contact with this stiff", false, CLAY},
    {"with those the wheels stay on the ground", "the integrator damps", false, CLAY},
    {"a damping ratio of 0.06 under each wheel: the rover bounces", "bounces after a fall", true,
     "rover: curiosity_like\ngravity: mars\nsoil: {use: marssim_sand, law: rheological}\n" DROP},
    {"plastic soil gives nothing back", "bounces after a fall", false,
     "rover: curiosity_like\ngravity: mars\nsoil: {use: marssim_sand, law: bekker}\n" DROP},
    {"a wheel that hops on elastic soil comes down beside the rut that it made", "beside its own rut", true,
     "rover: rashid_like\ngravity: 7.15\nsoil: {use: wong_sandy_loam_26, set: {unloading_rebound: 0}}\nruts: "
     "scm\n" FALL},
    {"soil that rebounds by a tenth of the sinkage does not let it hop", "beside its own rut", false,
     "rover: rashid_like\ngravity: 7.15\nsoil: {use: wong_sandy_loam_26}\nruts: scm\n" FALL},
    {"wheels that fall by 20 mm are stopped within a few steps of 5 ms", "lands within a few long steps", true,
     HARD "step: {pace: fixed, step_ms: 5}\n"},
    {"and within ten times as many of 0.5 ms", "lands within a few long steps", false,
     HARD "step: {pace: fixed, step_ms: 0.5}\n"},
    {"which the pace chooses itself", "lands within a few long steps", false, HARD},
    {"ground that keeps nothing has no ruts to land beside", "beside its own rut", false,
     "rover: rashid_like\ngravity: 7.15\nsoil: {use: wong_sandy_loam_26}\n" FALL},
    {"1 mm above a slope of 15° wheels touch nothing, on rigid ground", "wheels start in the ground", false,
     "rover: rashid_like\ngravity: moon\nsoil: none\nterrain: {add: [plane: {slope_deg: 15, toward_deg: 30}]}\n"
     "start: {height_m: 0.001, pitch_deg: 5, roll_deg: -7}\nstop: {time_s: 0.05}\n"},
    {"and on soil", "wheels start in the ground", false,
     "rover: ex1_like\ngravity: 0.005\nsoil: {use: wong_dry_sand, law: rheological}\n"
     "terrain: {add: [plane: {slope_deg: 15, toward_deg: 334}]}\n"
     "start: {height_m: 0.001, pitch_deg: 5}\nstop: {time_s: 0.05}\n"},
    {"snow takes in half a wheel", "one contact plane", true,
     "rover: rashid_like\ngravity: earth\nsoil: {use: wong_snow_us}\nruts: trace\nstop: {time_s: 1}\n"},
    {"sand takes in a few millimetres", "one contact plane", false,
     "rover: rashid_like\ngravity: moon\nsoil: {use: marssim_sand}\nruts: trace\nstop: {time_s: 1}\n"},
    {"with 16 slices the deepest is near the edge of a wheel", "too few", false, EDGE "step: {slices: 16}\n"},
    {"level ground is the same across a wheel", "too few", false,
     "rover: rashid_like\ngravity: mars\nsoil: mars_dlr_drift\nstep: {slices: 2}\n"
     "drive: {script: [{time_s: 0, mode: skid, speed_mps: 0.1}]}\nstop: {time_s: 3}\n"},
    {"sand with an angle of friction of 35° is near its limit on 32°", "slips by more than 0.6", true,
     CLIMB "terrain: {add: [plane: {slope_deg: 32, toward_deg: 0}]}\ndrive: {speed_mps: 0.05, path: [[8, 0]]}\n"},
    {"and far from it on the level", "slips by more than 0.6", false,
     CLIMB "terrain: {add: [plane: {slope_deg: 0, toward_deg: 0}]}\ndrive: {speed_mps: 0.05, path: [[8, 0]]}\n"},
};

/// `path` is a template of mkstemps.
static void write_yaml(char *path, const char *yaml)
{
    const int file = mkstemps(path, 5);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(gr_file_write(path, yaml, strlen(yaml), NULL), GR_OK);
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const Row *row = &ROWS[i];
        char path[] = "/tmp/grouser_warning_XXXXXX.yaml";
        write_yaml(path, row->yaml);
        GrRunSummary summary = gr_test_run(path, NULL, NULL, NULL);
        unlink(path);
        const bool warned = gr_test_warned(&summary, row->words);
        for (int k = 0; warned != row->expected && k < summary.warning_count; k++) {
            print_message("  it warns: %s\n", summary.warnings[k].text);
        }
        print_message("%s: \"%s\" %s\n", row->what, row->words, warned ? "warned" : "not warned");
        assert_int_equal(warned, row->expected);
        gr_run_summary_free(&summary);
    }
}

/// The warning about slices says by how much twice as many change the mean sinkage.
static void test_slices(void **state)
{
    (void)state;
    char path[] = "/tmp/grouser_slices_XXXXXX.yaml";
    write_yaml(path, EDGE);
    for (int slices = 2; slices <= 3; slices++) {
        double sinkage[2], told = 0;
        for (int k = 0; k < 2; k++) {
            char override[32];
            snprintf(override, sizeof override, "step.slices=%d", slices << k);
            const char *const overrides[] = {override, NULL};
            GrRunSummary summary = gr_test_run(path, overrides, NULL, NULL);
            sinkage[k] = summary.wheels[0].sinkage_mean;
            for (int i = 0; i < summary.warning_count && k == 0; i++) {
                const char *about = strstr(summary.warnings[i].text, "by about ");
                told = about != NULL ? strtod(about + strlen("by about "), NULL) / 100 : told;
            }
            gr_run_summary_free(&summary);
        }
        print_message("%d slices: twice as many change the sinkage by %.3f, told %.3f\n", slices,
                      sinkage[1] / sinkage[0] - 1, told);
        assert_true(told > 0.05);
        const double found = sinkage[1] / sinkage[0] - 1;
        assert_true(found > told / 2 && found < 2 * told);
    }
    unlink(path);
}

/// A warning reports the residual force if the search for equilibrium did not fully converge, and the force on a
/// dropped rover that starts in the ground.
static void test_unbalanced_start(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    assert_int_equal(gr_scenario_load("crossing", NULL, &scenario, &log), GR_OK);
    assert_int_equal(gr_world_create(scenario, &world, &log), GR_OK);
    for (int k = 0; k < 2; k++) {
        GrRunSummary summary;
        world->mission->s.start_force = k == 0 ? 1e-9 : 5e-5;
        world->mission->s.start_push = k == 0 ? 1e-3 : 3;
        assert_int_equal(gr_mission_summary(world->mission, &summary, &log), GR_OK);
        assert_int_equal(gr_test_warned(&summary, "not quite in equilibrium"), k == 1);
        assert_int_equal(gr_test_warned(&summary, "5e-05 of the weight"), k == 1);
        assert_int_equal(gr_test_warned(&summary, "out with 3 times the weight"), k == 1);
        gr_run_summary_free(&summary);
    }
    gr_world_free(world);
    gr_scenario_free(scenario);
}

/// Energy that no motor gave: a warning from one per cent of what the run turned over, which is half the sum of all
/// that was given, stored and lost, and the energy of a rise by 1 mm.
static void test_lost_energy(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    assert_int_equal(gr_scenario_load("crossing", NULL, &scenario, &log), GR_OK);
    assert_int_equal(gr_world_create(scenario, &world, &log), GR_OK);
    GrMission *mission = world->mission;
    gr_mission_advance(mission, 20);
    GrRunSummary summary;
    assert_int_equal(gr_mission_summary(mission, &summary, &log), GR_OK);
    const GrEnergySample e = summary.energy;
    assert_int_equal(gr_test_warned(&summary, "the energy balance is off"), 0);
    gr_run_summary_free(&summary);
    const double turned = (fabs(e.motor) + fabs(e.mechanical) + fabs(e.soil) + fabs(e.joints) + fabs(e.pull)) / 2 +
                          1e-3 * mission->weight;
    const double shares[] = {0.007, 0.015, 0.05};
    for (int k = 0; k < 3; k++) { // the ground gave this much
        const GrAccount kept = mission->s.account;
        mission->s.account.contact += shares[k] * turned - e.residual;
        assert_int_equal(gr_mission_summary(mission, &summary, &log), GR_OK);
        assert_near_rel(summary.energy.residual, shares[k] * turned, 1e-9);
        assert_int_equal(gr_test_warned(&summary, "the energy balance is off"), k > 0);
        gr_run_summary_free(&summary);
        mission->s.account = kept;
    }
    gr_world_free(world);
    gr_scenario_free(scenario);
}

/// A rover that stands for a moment turns nothing over. What it may be off by is one per cent of what a wheel takes to
/// sink by a twentieth of its radius under all of the weight: 0.1 m, 10 kg on the Moon: 0.8 mJ.
static void test_little_energy(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    const char *const overrides[] = {"stop={time_s: 0.02}", NULL};
    assert_int_equal(gr_scenario_load("crossing", overrides, &scenario, &log), GR_OK);
    assert_int_equal(gr_world_create(scenario, &world, &log), GR_OK);
    GrMission *mission = world->mission;
    gr_mission_advance(mission, 2);
    double radius = INFINITY;
    for (int i = 0; i < scenario->rover.wheel_count; i++) {
        radius = fmin(radius, scenario->rover.wheels[i].radius);
    }
    const double limit = 0.01 * 0.05 * radius * mission->weight, shares[] = {0.7, 1.5};
    for (int k = 0; k < 2; k++) {
        GrRunSummary summary;
        const GrAccount kept = mission->s.account;
        assert_int_equal(gr_mission_summary(mission, &summary, &log), GR_OK);
        mission->s.account.contact += shares[k] * limit - summary.energy.residual;
        gr_run_summary_free(&summary);
        assert_int_equal(gr_mission_summary(mission, &summary, &log), GR_OK);
        assert_near_rel(summary.energy.residual, shares[k] * limit, 1e-9);
        assert_int_equal(gr_test_warned(&summary, "the energy balance is off"), k == 1);
        gr_run_summary_free(&summary);
        mission->s.account = kept;
    }
    gr_world_free(world);
    gr_scenario_free(scenario);
}

#define MARS_DROP(height, time, step)                                                                                  \
    "rover: rashid_like\ngravity: mars\nsoil: marssim_sand\nstart: {height_m: " height "}\nstop: {time_s: " time       \
    "}\nstep: {pace: fixed, step_ms: " step "}\n"

/// A first-order step moves with its last velocity: in flight positions are ahead of the energy by ½ m g² dt t, which
/// is not an error and vanishes at rest: no warning in flight, in the landing, or after it. Energy that is missing is
/// one.
static void test_flight(void **state)
{
    (void)state;
    const char *const yaml[] = {MARS_DROP("3", "0.05", "5"), MARS_DROP("0.05", "1", "5"),
                                MARS_DROP("0.05", "1", "0.5")};
    for (int k = 0; k < 3; k++) {
        GrErrorLog log = {0};
        GrScenario *scenario = NULL;
        GrWorld *world = NULL;
        GrRunSummary summary;
        char path[] = "/tmp/grouser_warning_XXXXXX.yaml";
        write_yaml(path, yaml[k]);
        assert_int_equal(gr_scenario_load(path, NULL, &scenario, &log), GR_OK);
        unlink(path);
        assert_int_equal(gr_world_create(scenario, &world, &log), GR_OK);
        assert_int_equal(gr_run(world, NULL, &summary, &log), GR_OK);
        assert_int_equal(gr_test_warned(&summary, "the energy balance is off"), 0);
        const double g = -scenario->gravity.z, mass = world->mission->weight / g;
        if (k == 0) {
            assert_near_rel(summary.energy.residual, 0.5 * mass * g * g * 0.005 * 0.05, 1e-6);
        } else if (k == 2) {
            assert_true(fabs(summary.energy.residual) < 1e-6 * mass * g * 0.05);
        }
        const double fall = k == 0 ? 0.5 * mass * g * g * 0.05 * 0.05 : mass * g * 0.05;
        gr_run_summary_free(&summary);
        world->mission->s.account.contact += 0.03 * fall; // the ground gave this much
        assert_int_equal(gr_mission_summary(world->mission, &summary, &log), GR_OK);
        assert_int_equal(gr_test_warned(&summary, "the energy balance is off"), 1);
        gr_run_summary_free(&summary);
        gr_world_free(world);
        gr_scenario_free(scenario);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows),
                                       cmocka_unit_test(test_slices),
                                       cmocka_unit_test(test_unbalanced_start),
                                       cmocka_unit_test(test_lost_energy),
                                       cmocka_unit_test(test_little_energy),
                                       cmocka_unit_test(test_flight)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
