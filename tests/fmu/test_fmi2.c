/// A host of FMI 2.0 over the binary of this build: bits, states, inputs, wrong calls.
#include "importer.h"

#include "grouser/run.h"

#include "random.h"
#include "scenario_data.h"

#include <pthread.h>

static const double LENGTH = GR_TEST_LONG(20, 5); // [s]

static Import crossing;

static GrStatus ignore(void *context, const GrSample *sample, GrErrorLog *log)
{
    (void)context;
    (void)sample;
    (void)log;
    return GR_OK;
}

/// The same scenario by the library's own loop, with samples as `grouser run` takes them.
static uint64_t hash_of_run(const char *scenario, double length)
{
    char stop[64];
    snprintf(stop, sizeof stop, "stop.time_s=%g", length);
    const char *const overrides[] = {stop, NULL};
    GrErrorLog log = {0};
    GrScenario *s = NULL;
    GrWorld *world = NULL;
    GrRunSummary summary;
    assert_int_equal(gr_scenario_load(scenario, overrides, &s, &log), GR_OK);
    assert_int_equal(gr_world_create(s, &world, &log), GR_OK);
    assert_int_equal(gr_run(world, &(GrRunHooks){.sample = ignore}, &summary, &log), GR_OK);
    assert_near(summary.time, length, 1e-9);
    const uint64_t hash = gr_data_hash(world->model, gr_mission_data(world->mission));
    gr_run_summary_free(&summary);
    gr_world_free(world);
    gr_scenario_free(s);
    return hash;
}

static void says_version(void **state)
{
    (void)state;
    assert_string_equal(fmi2.GetVersion(), "2.0");
    assert_string_equal(fmi2.GetTypesPlatform(), "default");
}

/// Any communication step that is a multiple of the recording's period gives the bits of grouser run.
static void has_bits_of_run(void **state)
{
    (void)state;
    static const double STEPS[] = {0.05, 0.5, 1};
    const uint64_t expected = hash_of_run("crossing", LENGTH);
    for (int k = 0; k < 3; k++) {
        Heard heard = {0};
        fmi2Component c = start2(&crossing, &heard);
        drive2(c, 0, LENGTH, STEPS[k]);
        assert_int_equal(hash2(&crossing, c), expected);
        assert_near(real2(&crossing, c, "time"), LENGTH, 1e-9);
        fmi2.FreeInstance(c);
    }
}

/// So do steps of varying length, and hosts that add up their steps.
static void has_bits_with_varying_steps(void **state)
{
    (void)state;
    const uint64_t expected = hash_of_run("crossing", LENGTH);
    GrRandom random = gr_random_stream(3, "steps");
    Heard heard = {0};
    fmi2Component c = start2(&crossing, &heard);
    double time = 0;
    while (time < LENGTH - 0.01) {
        double step = 0.05 * (double)(1 + gr_random_below(&random, 9));
        step = time + step > LENGTH ? LENGTH - time : step;
        assert_int_equal(fmi2.DoStep(c, time, step, 1), fmi2OK);
        time += step;
    }
    assert_int_equal(hash2(&crossing, c), expected);
    fmi2.FreeInstance(c);
}

/// Ruts that the wheels have left, rocks and steps that rigid contacts shorten, a fall, soils by position.
static void has_bits_on_other_ground(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"own_track", "rock_field", "step", "drop", "mixed_soils", "leave_lander"};
    const double length = GR_TEST_LONG(3, 1);
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        Import import;
        Heard heard = {0};
        unpack(NAMES[i], NULL, NAMES[i], &import);
        fmi2Component c = start2(&import, &heard);
        drive2(c, 0, length, 0.5);
        assert_int_equal(hash2(&import, c), hash_of_run(NAMES[i], length));
        fmi2.FreeInstance(c);
        gr_fmu_unit_free(import.unit);
    }
}

// ---- saved states

static void goes_on_from_saved_state(void **state)
{
    (void)state;
    const double half = LENGTH / 2;
    Heard heard = {0};
    fmi2Component c = start2(&crossing, &heard);
    drive2(c, 0, half, 0.05);
    fmi2FMUstate saved = NULL;
    assert_int_equal(fmi2.GetFMUstate(c, &saved), fmi2OK);
    const double slip = real2(&crossing, c, "wheels.wheel_front_left.slip"),
                 force = real2(&crossing, c, "joints.rocker_left.torque");
    drive2(c, half, LENGTH, 0.05);
    const uint64_t expected = hash2(&crossing, c);

    assert_int_equal(fmi2.SetFMUstate(c, saved), fmi2OK);
    assert_true(real2(&crossing, c, "wheels.wheel_front_left.slip") == slip);
    assert_true(real2(&crossing, c, "joints.rocker_left.torque") == force);
    assert_near(real2(&crossing, c, "time"), half, 1e-9);
    drive2(c, half, LENGTH, 0.05);
    assert_int_equal(hash2(&crossing, c), expected);

    // in another instance, from bytes
    size_t size = 0;
    assert_int_equal(fmi2.SerializedFMUstateSize(c, saved, &size), fmi2OK);
    fmi2Byte *bytes = malloc(size);
    assert_int_equal(fmi2.SerializeFMUstate(c, saved, bytes, size), fmi2OK);
    fmi2Component other = make2(&crossing, &heard);
    fmi2FMUstate copy = NULL;
    assert_int_equal(fmi2.DeSerializeFMUstate(other, bytes, size, &copy), fmi2OK);
    assert_int_equal(fmi2.SetFMUstate(other, copy), fmi2OK);
    drive2(other, half, LENGTH, 0.05);
    assert_int_equal(hash2(&crossing, other), expected);

    // damaged bytes are refused
    for (size_t cut = 0; cut < size; cut += size / 7 + 1) {
        fmi2FMUstate bad = NULL;
        assert_int_equal(fmi2.DeSerializeFMUstate(other, bytes, cut, &bad), fmi2Error);
        assert_null(bad);
        bytes[cut] = (fmi2Byte)(bytes[cut] ^ 1);
        assert_int_equal(fmi2.DeSerializeFMUstate(other, bytes, size, &bad), fmi2Error);
        bytes[cut] = (fmi2Byte)(bytes[cut] ^ 1);
    }
    fmi2.FreeFMUstate(other, &copy);
    fmi2.FreeFMUstate(c, &saved);
    free(bytes);
    fmi2.FreeInstance(other);
    fmi2.FreeInstance(c);
}

/// A state keeps its parameters.
static void state_keeps_parameters(void **state)
{
    (void)state;
    Heard heard = {0};
    fmi2Component c = start2(&crossing, &heard);
    fmi2FMUstate saved = NULL;
    assert_int_equal(put2(&crossing, c, "soil.phi", 30), fmi2OK);
    drive2(c, 0, 1, 0.05);
    assert_int_equal(fmi2.GetFMUstate(c, &saved), fmi2OK);
    drive2(c, 1, 3, 0.05);
    const uint64_t expected = hash2(&crossing, c);
    assert_int_equal(put2(&crossing, c, "soil.phi", 45), fmi2OK);
    drive2(c, 3, 4, 0.05);
    assert_int_equal(fmi2.SetFMUstate(c, saved), fmi2OK);
    assert_near(real2(&crossing, c, "soil.phi"), 30, 0);
    drive2(c, 1, 3, 0.05);
    assert_int_equal(hash2(&crossing, c), expected);
    fmi2.FreeFMUstate(c, &saved);
    fmi2.FreeInstance(c);
}

static void starts_again_after_reset(void **state)
{
    (void)state;
    Heard heard = {0};
    fmi2Component c = start2(&crossing, &heard);
    drive2(c, 0, 2, 0.05);
    const uint64_t expected = hash2(&crossing, c);
    assert_int_equal(put2(&crossing, c, "gravity.z", -1.62), fmi2OK);
    drive2(c, 2, 3, 0.05);
    assert_int_equal(fmi2.Reset(c), fmi2OK);
    assert_int_equal(fmi2.EnterInitializationMode(c), fmi2OK);
    assert_int_equal(fmi2.ExitInitializationMode(c), fmi2OK);
    drive2(c, 0, 2, 0.05);
    assert_int_equal(hash2(&crossing, c), expected);
    fmi2.FreeInstance(c);
}

// ---- several instances

static void *drive_alone(void *hash)
{
    Heard heard = {0};
    fmi2Component c = make2(&crossing, &heard);
    fmi2.EnterInitializationMode(c);
    fmi2.ExitInitializationMode(c);
    for (int k = 0; k < 40; k++) {
        fmi2.DoStep(c, 0.05 * k, 0.05, 1);
    }
    const fmi2ValueReference vr = vr_of(&crossing, "state_hash");
    fmi2String text = "";
    fmi2.GetString(c, &vr, 1, &text);
    *(uint64_t *)hash = strtoull(text, NULL, 16);
    fmi2.FreeInstance(c);
    return NULL;
}

/// Instances in threads, and two that take turns, do not disturb each other.
static void instances_are_independent(void **state)
{
    (void)state;
    enum { COUNT = 4 };
    const uint64_t expected = hash_of_run("crossing", 2);
    pthread_t threads[COUNT];
    uint64_t hashes[COUNT] = {0};
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, drive_alone, &hashes[i]), 0);
    }
    for (int i = 0; i < COUNT; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(hashes[i], expected);
    }
    Heard heard = {0};
    fmi2Component a = start2(&crossing, &heard), b = start2(&crossing, &heard);
    assert_int_equal(put2(&crossing, b, "soil.phi", 30), fmi2OK);
    for (int k = 0; k < 40; k++) {
        assert_int_equal(fmi2.DoStep(a, 0.05 * k, 0.05, 1), fmi2OK);
        assert_int_equal(fmi2.DoStep(b, 0.05 * k, 0.05, 1), fmi2OK);
    }
    assert_int_equal(hash2(&crossing, a), expected);
    assert_true(hash2(&crossing, b) != expected);
    fmi2.FreeInstance(a);
    fmi2.FreeInstance(b);
}

// ---- the state machine

typedef enum Mode { INSTANTIATED = 1, INITIALIZATION = 2, STEP = 4, TERMINATED = 8, ALWAYS = 15 } Mode;

typedef struct Walk {
    fmi2Component c;
    double time;
    fmi2FMUstate saved;
    Mode saved_mode;
    double saved_time;
} Walk;

static fmi2Status call_setup(Walk *w)
{
    return fmi2.SetupExperiment(w->c, 0, 0, 0, 0, 0);
}

static fmi2Status call_enter(Walk *w)
{
    return fmi2.EnterInitializationMode(w->c);
}

static fmi2Status call_exit(Walk *w)
{
    return fmi2.ExitInitializationMode(w->c);
}

static fmi2Status call_get(Walk *w)
{
    const fmi2ValueReference vr = vr_of(&crossing, "position.x");
    double value;
    return fmi2.GetReal(w->c, &vr, 1, &value);
}

static fmi2Status call_get_whole(Walk *w)
{
    const fmi2ValueReference vr = vr_of(&crossing, "outcome");
    int value;
    return fmi2.GetInteger(w->c, &vr, 1, &value);
}

static fmi2Status call_set(Walk *w)
{
    return put2(&crossing, w->c, "path.speed", 0.1);
}

static fmi2Status call_set_fixed(Walk *w)
{
    const fmi2ValueReference vr = vr_of(&crossing, "wheel_command");
    const int speed = 0;
    return fmi2.SetInteger(w->c, &vr, 1, &speed);
}

static fmi2Status call_step(Walk *w)
{
    const fmi2Status status = fmi2.DoStep(w->c, w->time, 0.01, 1);
    w->time += status == fmi2OK ? 0.01 : 0;
    return status;
}

static fmi2Status call_terminate(Walk *w)
{
    return fmi2.Terminate(w->c);
}

static fmi2Status call_reset(Walk *w)
{
    w->time = 0;
    return fmi2.Reset(w->c);
}

static fmi2Status call_save(Walk *w)
{
    return fmi2.GetFMUstate(w->c, &w->saved);
}

static fmi2Status call_cancel(Walk *w)
{
    return fmi2.CancelStep(w->c);
}

static fmi2Status call_status(Walk *w)
{
    double time;
    return fmi2.GetRealStatus(w->c, fmi2LastSuccessfulTime, &time);
}

static const struct {
    const char *name;
    fmi2Status (*call)(Walk *);
    unsigned allowed;
    Mode next; ///< 0: the same
} CALLS[] = {
    {"SetupExperiment", call_setup, INSTANTIATED, 0},
    {"EnterInitializationMode", call_enter, INSTANTIATED, INITIALIZATION},
    {"ExitInitializationMode", call_exit, INITIALIZATION, STEP},
    {"GetReal", call_get, INITIALIZATION | STEP | TERMINATED, 0},
    {"GetInteger", call_get_whole, INITIALIZATION | STEP | TERMINATED, 0},
    {"SetReal", call_set, INSTANTIATED | INITIALIZATION | STEP, 0},
    {"SetInteger of a fixed parameter", call_set_fixed, INSTANTIATED | INITIALIZATION, 0},
    {"DoStep", call_step, STEP, 0},
    {"Terminate", call_terminate, STEP, TERMINATED},
    {"Reset", call_reset, ALWAYS, INSTANTIATED},
    {"GetFMUstate", call_save, ALWAYS, 0},
    {"CancelStep", call_cancel, 0, 0},
    {"GetRealStatus", call_status, STEP | TERMINATED, 0},
};

/// Calls at random, legal and illegal: legal ones succeed, illegal ones fail with a message and change nothing.
static void keeps_order(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(1, "calls");
    Heard heard = {0};
    Walk w = {.c = make2(&crossing, &heard)};
    Mode mode = INSTANTIATED;
    int seen[sizeof CALLS / sizeof CALLS[0]][2] = {{0}};
    for (int i = 0; i < 1000; i++) {
        const size_t k = (size_t)gr_random_below(&random, sizeof CALLS / sizeof CALLS[0]);
        if (i % 10 != 0 && CALLS[k].call == call_reset) {
            continue; // or it would seldom come far
        }
        const bool allowed = (CALLS[k].allowed & mode) != 0;
        const int messages = heard.count;
        const fmi2Status status = CALLS[k].call(&w);
        if ((status == fmi2OK) != allowed || (!allowed && heard.count == messages)) {
            fail_msg("%s in mode %d: status %d, %s", CALLS[k].name, (int)mode, (int)status, heard.last);
        }
        mode = allowed && CALLS[k].next != 0 ? CALLS[k].next : mode;
        seen[k][allowed]++;
    }
    for (size_t k = 0; k < sizeof CALLS / sizeof CALLS[0]; k++) {
        assert_true(seen[k][0] > 0 || CALLS[k].allowed == ALWAYS);
        assert_true(seen[k][1] > 0 || CALLS[k].allowed == 0);
    }
    fmi2.FreeFMUstate(w.c, &w.saved);
    fmi2.FreeInstance(w.c);
}

// ---- wrong calls

static void refuses_wrong_instances(void **state)
{
    (void)state;
    Heard heard = {0};
    const fmi2CallbackFunctions functions = {hear2, calloc, free, NULL, &heard};
    assert_null(fmi2.Instantiate("a", fmi2CoSimulation, "{other}", crossing.uri, &functions, 0, 0));
    assert_non_null(strstr(heard.last, "token"));
    assert_null(fmi2.Instantiate("a", fmi2ModelExchange, TOKEN, crossing.uri, &functions, 0, 0));
    assert_non_null(strstr(heard.last, "co-simulation only"));
    assert_null(fmi2.Instantiate("", fmi2CoSimulation, TOKEN, crossing.uri, &functions, 0, 0));
    assert_null(fmi2.Instantiate("a", fmi2CoSimulation, TOKEN, "file:///nowhere", &functions, 0, 0));
    assert_null(fmi2.Instantiate("a", fmi2CoSimulation, TOKEN, "https://a/b", &functions, 0, 0));
    assert_null(fmi2.Instantiate("a", fmi2CoSimulation, TOKEN, NULL, NULL, 0, 0));
    assert_null(fmi2.Instantiate(NULL, fmi2CoSimulation, NULL, crossing.uri, NULL, 0, 0));
    fmi2.FreeInstance(NULL);
    assert_int_equal(fmi2.DoStep(NULL, 0, 1, 1), fmi2Error);
    assert_int_equal(fmi2.Reset(NULL), fmi2Error);
}

/// A URI may have escaped characters, and a host without a logger is fine.
static void finds_resources(void **state)
{
    (void)state;
    char uri[4000] = "file:";
    for (const char *c = crossing.resources; *c != '\0'; c++) {
        const size_t used = strlen(uri);
        snprintf(uri + used, sizeof uri - used, *c == '/' ? "/" : "%%%02X", (unsigned)*c);
    }
    fmi2Component c = fmi2.Instantiate("a", fmi2CoSimulation, TOKEN, uri, NULL, 0, 1);
    assert_non_null(c);
    assert_int_equal(fmi2.DoStep(c, 0, 1, 1), fmi2Error);
    fmi2.FreeInstance(c);
}

static void refuses_wrong_values(void **state)
{
    (void)state;
    Heard heard = {0};
    fmi2Component c = start2(&crossing, &heard);
    const fmi2ValueReference beyond = (fmi2ValueReference)crossing.variables.count,
                             out = vr_of(&crossing, "position.x");
    double value = 1;
    int whole = 1;
    assert_int_equal(fmi2.GetReal(c, &beyond, 1, &value), fmi2Error);
    assert_int_equal(fmi2.SetReal(c, &beyond, 1, &value), fmi2Error);
    assert_int_equal(fmi2.SetReal(c, &out, 1, &value), fmi2Error);
    assert_int_equal(fmi2.GetInteger(c, &out, 1, &whole), fmi2Error);
    assert_int_equal(fmi2.GetBoolean(c, &out, 1, &whole), fmi2Error);
    assert_int_equal(put2(&crossing, c, "soil.phi", 61), fmi2Error);
    assert_non_null(strstr(heard.last, "soil.phi: found 61, allowed: 0 to 60"));
    assert_int_equal(put2(&crossing, c, "soil.phi", (double)NAN), fmi2Error);
    assert_int_equal(put2(&crossing, c, "command.source", 3), fmi2Error);
    assert_int_equal(put2(&crossing, c, "drive.speed", (double)INFINITY), fmi2Error);
    assert_int_equal(fmi2.DoStep(c, 0, 0, 1), fmi2Error);
    assert_int_equal(fmi2.DoStep(c, 0, -1, 1), fmi2Error);
    assert_int_equal(fmi2.DoStep(c, 0, (double)NAN, 1), fmi2Error);
    assert_int_equal(fmi2.DoStep(c, 0.5, 0.05, 1), fmi2Error);
    assert_non_null(strstr(heard.last, "the unit is at 0 s"));
    assert_int_equal(fmi2.SetFMUstate(c, NULL), fmi2Error);
    const fmi2String unknown[] = {"logNothing"};
    assert_int_equal(fmi2.SetDebugLogging(c, 1, 1, unknown), fmi2Error);
    drive2(c, 0, 1, 0.05); // none of these has harmed it
    assert_int_equal(hash2(&crossing, c), hash_of_run("crossing", 1));
    fmi2.FreeInstance(c);
}

static int begin(void **state)
{
    (void)state;
    open_binary();
    unpack("crossing", NULL, "crossing", &crossing);
    return 0;
}

static int end(void **state)
{
    (void)state;
    gr_fmu_unit_free(crossing.unit);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_version),
        cmocka_unit_test(has_bits_of_run),
        cmocka_unit_test(has_bits_with_varying_steps),
        cmocka_unit_test(has_bits_on_other_ground),
        cmocka_unit_test(goes_on_from_saved_state),
        cmocka_unit_test(state_keeps_parameters),
        cmocka_unit_test(starts_again_after_reset),
        cmocka_unit_test(instances_are_independent),
        cmocka_unit_test(keeps_order),
        cmocka_unit_test(refuses_wrong_instances),
        cmocka_unit_test(finds_resources),
        cmocka_unit_test(refuses_wrong_values),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
