/// Rovers as other programs write them, from the URDF alone: a side file is guessed, and the rover drives on soil with
/// its weight on its wheels.
#include "file.h"
#include "support/run_scenario.h"
#include "urdf_guess.h"

#include "grouser/rover.h"

#include <stdlib.h>

typedef struct Rover {
    const char *file;
    int wheels, steered, pivots, held;
    double radius; ///< of its wheels, as the URDF has it [m]
    double mass;   ///< [kg]
    bool massless;
} Rover;

// Leo's wheels are as large as their outline, not as the cylinder that is named first. The sizes of m2020 are invented.
static const Rover ROVERS[] = {
    {"leo/leo.urdf", 4, 0, 2, 0, 0.0644, 1.6 + 2 * 1.4 + 4 * 0.28, false},
    {"osr/osr.urdf", 6, 4, 4, 0, 0.0762, 5 + 2 * (0.8 + 0.5) + 4 * 0.3 + 6 * 0.4, false},
    {"curiosity.urdf", 6, 4, 2, 5, 0.25, 718.24, false},
    {"m2020.urdf", 6, 4, 4, 0, 0.1, 15 * 0.1, true},
    {"husky.urdf", 4, 0, 0, 0, 0.1651, 46.034 + 4 * 2.637, false},
    {"jackal.urdf", 4, 0, 0, 0, 0.098, 16.523 + 4 * 0.477 + 0.1, false},
    {"triathlete/urdf/TriATHLETE.URDF", 3, 3, 0, 9, 0.355, 69 + 3 * (4 * 10 + 13.9 + 0.0006), false},
};

enum { ROVER_COUNT = sizeof ROVERS / sizeof ROVERS[0] };

/// The test's own copies, so that side files lie beside them.
static int copy_rovers(void **state)
{
    (void)state;
    return system("cp -r '" GR_TEST_SOURCE_DIR "/tests/scenario/urdf/.' .");
}

static void write_text(const char *path, const char *text)
{
    assert_int_equal(gr_file_write(path, text, strlen(text), NULL), GR_OK);
}

/// Guesses the side file of a rover and writes it where it is found.
static GrUrdfGuess guess(const Rover *rover)
{
    char side[256];
    GrErrorLog log = {0};
    GrBuffer text = {0};
    GrUrdfGuess found;
    assert_int_equal(gr_urdf_guess_side(rover->file, 0.1, &text, &found, &log), GR_OK);
    assert_int_equal(log.error_count, 0);
    snprintf(side, sizeof side, "%.*s.grouser.yaml", (int)strlen(rover->file) - 5, rover->file);
    write_text(side, text.data);
    gr_buffer_free(&text);
    return found;
}

static void test_guesses(void **state)
{
    (void)state;
    for (int i = 0; i < ROVER_COUNT; i++) {
        const Rover *r = &ROVERS[i];
        const GrUrdfGuess found = guess(r);
        GrRoverDef rover;
        print_message("%s\n", r->file);
        assert_int_equal(found.wheels, r->wheels);
        assert_int_equal(found.steered, r->steered);
        assert_int_equal(found.pivots, r->pivots);
        assert_int_equal(found.held, r->held);
        assert_true(found.massless == r->massless);
        assert_int_equal(gr_rover_load(r->file, NULL, &rover, NULL), GR_OK);
        assert_int_equal(rover.wheel_count, r->wheels);
        double mass = 0;
        for (int k = 0; k < rover.body_count; k++) {
            mass += rover.bodies[k].mass;
        }
        assert_near(mass, r->mass, 1e-6 * r->mass);
        for (int k = 0; k < rover.wheel_count; k++) {
            assert_near(rover.wheels[k].radius, r->radius, 2e-3 * r->radius); // 1.57 in place of pi/2 costs 0.1 %
        }
        gr_rover_free(&rover);
    }
}

static void write_scenario(const Rover *rover)
{
    char text[400];
    snprintf(text, sizeof text,
             "rover: %s\nsoil: lunar_apollo\ngravity: earth\n"
             "drive: {script: [{time_s: 0, mode: skid, speed_mps: 0.05}]}\nstop: {time_s: 1}\n",
             rover->file);
    write_text("drive.yaml", text);
}

static GrVec3 last_place;

static GrStatus keep_place(void *context, const GrSample *sample, GrErrorLog *log)
{
    (void)context;
    (void)log;
    last_place = sample->pose.position;
    return GR_OK;
}

/// Every wheel carries its part of the weight, and the rover drives forward: no motor turns its wheel the wrong way.
static void test_wheels_carry_the_weight(void **state)
{
    (void)state;
    const GrRunHooks hooks = {.sample = keep_place};
    for (int i = 0; i < ROVER_COUNT; i++) {
        guess(&ROVERS[i]);
        write_scenario(&ROVERS[i]);
        GrRunSummary s = gr_test_run("drive.yaml", NULL, NULL, &hooks);
        double load = 0;
        for (int k = 0; k < s.wheel_count; k++) {
            load += s.wheels[k].load_mean;
            assert_true(s.wheels[k].load_mean > 0.3 * ROVERS[i].mass * 9.80665 / s.wheel_count);
            assert_true(s.wheels[k].sinkage_mean > 0);
            assert_true(s.wheels[k].slip_mean > 0 && s.wheels[k].slip_mean < 0.3);
        }
        print_message("%s: %g N on its wheels, at x = %g m\n", ROVERS[i].file, load, last_place.x);
        assert_near(load, ROVERS[i].mass * 9.80665, 0.02 * load);
        assert_true(last_place.x > 0.02 && fabs(last_place.y) < 1e-3);
        assert_false(gr_test_warned(&s, "never touched"));
        gr_run_summary_free(&s);
    }
}

/// The cylinder that is named first is smaller than the outline: with its radius, the outline would stand on the soil.
static void test_wheels_smaller_than_their_shapes(void **state)
{
    (void)state;
    static const char *const SMALL[] = {"wheels.wheel_FL_link.radius_m=0.057", NULL};
    GrRoverDef rover;
    GrErrorLog log = {0};
    guess(&ROVERS[0]);
    assert_int_equal(gr_rover_load(ROVERS[0].file, SMALL, &rover, NULL), GR_OK);
    assert_int_not_equal(gr_model_create(&rover, NULL, &(GrModel *){NULL}, &log), GR_OK);
    gr_rover_free(&rover);
    assert_int_equal(log.error_count, 2); // the larger cylinder, and the outline
    assert_non_null(strstr(log.items[1].field, "wheel_FL_link"));
    assert_non_null(strstr(log.items[1].text, "0.057 m"));
    assert_non_null(strstr(log.items[1].text, "0.0644 m"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guesses),
        cmocka_unit_test(test_wheels_carry_the_weight),
        cmocka_unit_test(test_wheels_smaller_than_their_shapes),
    };
    return cmocka_run_group_tests(tests, copy_rovers, NULL);
}
