/// A host of FMI 3.0 over the binary of this build: bits, events, early return, order of calls.
#include "importer.h"

#include "random.h"

static Import crossing, goal;

/// Parked before two way-points close by: way-points and the end come within seconds.
static const char GOAL_FILE[] = "title: two way-points\n"
                                "rover: rashid_like\n"
                                "soil: ishigami2007\n"
                                "gravity: moon\n"
                                "drive: {speed_mps: 0.1, path: [[0.5, 0], [1, 0]]}\n"
                                "stop: {time_s: 60}\n";

static fmi3Instance start3(const Import *import, Heard *heard, bool events, bool early)
{
    fmi3Instance i = make3(import, heard, events, early);
    assert_non_null(i);
    assert_int_equal(fmi3.EnterInitializationMode(i, false, 0, 0, false, 0), fmi3OK);
    assert_int_equal(fmi3.ExitInitializationMode(i), fmi3OK);
    if (events) {
        assert_int_equal(fmi3.EnterStepMode(i), fmi3OK);
    }
    return i;
}

static uint64_t hash3(const Import *import, fmi3Instance i)
{
    const fmi3ValueReference vr = vr_of(import, "state_hash");
    fmi3String text = NULL;
    assert_int_equal(fmi3.GetString(i, &vr, 1, &text, 1), fmi3OK);
    return strtoull(text, NULL, 16);
}

typedef struct Step {
    fmi3Status status;
    bool event, terminate, early;
    double time;
} Step;

static Step step3(fmi3Instance i, double time, double step)
{
    Step s = {0};
    s.status = fmi3.DoStep(i, time, step, true, &s.event, &s.terminate, &s.early, &s.time);
    return s;
}

static int64_t choice3(const Import *import, fmi3Instance i, const char *name)
{
    const fmi3ValueReference vr = vr_of(import, name);
    int64_t value = -1;
    assert_int_equal(fmi3.GetInt64(i, &vr, 1, &value, 1), fmi3OK);
    return value;
}

static int32_t integer3(const Import *import, fmi3Instance i, const char *name)
{
    const fmi3ValueReference vr = vr_of(import, name);
    int32_t value = -1;
    assert_int_equal(fmi3.GetInt32(i, &vr, 1, &value, 1), fmi3OK);
    return value;
}

/// Both versions are one unit.
static void has_bits_of_fmi2(void **state)
{
    (void)state;
    assert_string_equal(fmi3.GetVersion(), "3.0");
    const double length = GR_TEST_LONG(5, 2);
    Heard heard = {0};
    fmi2Component c = start2(&crossing, &heard);
    fmi3Instance i = start3(&crossing, &heard, false, false);
    drive2(c, 0, length, 0.05);
    for (int k = 0; k < (int)(length / 0.05 + 0.5); k++) {
        const Step s = step3(i, 0.05 * k, 0.05);
        assert_int_equal(s.status, fmi3OK);
        assert_false(s.event || s.terminate || s.early);
        assert_near(s.time, 0.05 * (k + 1), 1e-12);
    }
    assert_int_equal(hash3(&crossing, i), hash2(&crossing, c));
    fmi2.FreeInstance(c);
    fmi3.FreeInstance(i);
}

/// Steps return at a way-point, in event mode, and go on with the same bits.
static void returns_early_at_events(void **state)
{
    (void)state;
    Heard heard = {0};
    fmi3Instance plain = start3(&goal, &heard, false, false), eventful = start3(&goal, &heard, true, true);
    double time = 0;
    int events = 0;
    while (time < 8) {
        const Step s = step3(eventful, time, 8 - time);
        assert_int_equal(s.status, fmi3OK);
        assert_true(s.time > time);
        assert_int_equal(s.early, s.time < 8);
        if (s.event) {
            bool again = true, terminate = true, nominals, values, defined;
            double next;
            events++;
            assert_int_equal(integer3(&goal, eventful, "path.way_point"), events);
            assert_int_equal(fmi3.EnterEventMode(eventful), fmi3OK);
            assert_int_equal(
                fmi3.UpdateDiscreteStates(eventful, &again, &terminate, &nominals, &values, &defined, &next), fmi3OK);
            assert_false(again || terminate);
            assert_int_equal(fmi3.EnterStepMode(eventful), fmi3OK);
        }
        time = s.time;
    }
    assert_int_equal(events, 1);
    const Step s = step3(plain, 0, 8);
    assert_int_equal(s.status, fmi3OK);
    assert_int_equal(hash3(&goal, plain), hash3(&goal, eventful));
    fmi3.FreeInstance(plain);
    fmi3.FreeInstance(eventful);
}

/// The end of a drive is not a failure: the request to end and the time, with an early return for a host that takes it.
static void says_when_drive_ends(void **state)
{
    (void)state;
    for (int early = 0; early < 2; early++) {
        Heard heard = {0};
        fmi3Instance i = start3(&goal, &heard, false, early != 0);
        const Step s = step3(i, 0, 50);
        assert_int_equal(s.status, fmi3OK);
        assert_true(s.terminate);
        assert_int_equal(s.early, early);
        assert_true(s.time > 5 && s.time < 20);
        assert_string_equal(gr_fmu_choice_item(GR_FMU_CHOICE_OUTCOME, (int)choice3(&goal, i, "outcome")),
                            "reached_goal");
        assert_int_equal(fmi3.Terminate(i), fmi3OK);
        fmi3.FreeInstance(i);
    }
    Heard heard = {0};
    fmi2Component c = start2(&goal, &heard);
    double last = 0;
    int ended = 0;
    assert_int_equal(fmi2.DoStep(c, 0, 50, 1), fmi2Discard);
    assert_int_equal(fmi2.GetRealStatus(c, fmi2LastSuccessfulTime, &last), fmi2OK);
    assert_int_equal(fmi2.GetBooleanStatus(c, fmi2Terminated, &ended), fmi2OK);
    assert_true(ended && last > 5 && last < 20);
    assert_int_equal(fmi2.DoStep(c, last, 1, 1), fmi2Error);
    assert_int_equal(fmi2.Terminate(c), fmi2OK);
    fmi2.FreeInstance(c);
}

/// Time of the host need not start at 0.
static void starts_at_any_time(void **state)
{
    (void)state;
    Heard heard = {0};
    fmi3Instance a = start3(&crossing, &heard, false, false), b = make3(&crossing, &heard, false, false);
    assert_int_equal(fmi3.EnterInitializationMode(b, false, 0, 100, true, 200), fmi3OK);
    assert_int_equal(fmi3.ExitInitializationMode(b), fmi3OK);
    for (int k = 0; k < 20; k++) {
        assert_int_equal(step3(a, 0.05 * k, 0.05).status, fmi3OK);
        assert_int_equal(step3(b, 100 + 0.05 * k, 0.05).status, fmi3OK);
    }
    assert_int_equal(hash3(&crossing, a), hash3(&crossing, b));
    fmi3.FreeInstance(a);
    fmi3.FreeInstance(b);
}

static void restores_states(void **state)
{
    (void)state;
    Heard heard = {0};
    fmi3Instance i = start3(&crossing, &heard, false, false), other = make3(&crossing, &heard, false, false);
    fmi3FMUState saved = NULL, copy = NULL;
    size_t size = 0;
    assert_int_equal(step3(i, 0, 1).status, fmi3OK);
    assert_int_equal(fmi3.GetFMUState(i, &saved), fmi3OK);
    assert_int_equal(fmi3.SerializedFMUStateSize(i, saved, &size), fmi3OK);
    uint8_t *bytes = malloc(size);
    assert_int_equal(fmi3.SerializeFMUState(i, saved, bytes, size), fmi3OK);
    assert_int_equal(fmi3.SerializeFMUState(i, saved, bytes, size - 1), fmi3Error);
    assert_int_equal(fmi3.DeserializeFMUState(other, bytes, size, &copy), fmi3OK);
    assert_int_equal(fmi3.SetFMUState(other, copy), fmi3OK);
    assert_int_equal(step3(i, 1, 1).status, fmi3OK);
    assert_int_equal(step3(other, 1, 1).status, fmi3OK);
    assert_int_equal(hash3(&crossing, i), hash3(&crossing, other));
    free(bytes);
    fmi3.FreeFMUState(i, &saved);
    fmi3.FreeFMUState(other, &copy);
    fmi3.FreeInstance(i);
    fmi3.FreeInstance(other);
}

// ---- the state machine

typedef enum Mode { INSTANTIATED = 1, INITIALIZATION = 2, EVENT = 4, STEP = 8, TERMINATED = 16, ALWAYS = 31 } Mode;

typedef struct Walk {
    fmi3Instance i;
    double time;
    fmi3FMUState saved;
} Walk;

static fmi3Status call_enter(Walk *w)
{
    return fmi3.EnterInitializationMode(w->i, false, 0, 0, false, 0);
}

static fmi3Status call_exit(Walk *w)
{
    return fmi3.ExitInitializationMode(w->i);
}

static fmi3Status call_enter_event(Walk *w)
{
    return fmi3.EnterEventMode(w->i);
}

static fmi3Status call_update(Walk *w)
{
    bool flags[5];
    double next;
    return fmi3.UpdateDiscreteStates(w->i, &flags[0], &flags[1], &flags[2], &flags[3], &flags[4], &next);
}

static fmi3Status call_enter_step(Walk *w)
{
    return fmi3.EnterStepMode(w->i);
}

static fmi3Status call_get(Walk *w)
{
    const fmi3ValueReference vr = vr_of(&crossing, "position.x");
    double value;
    return fmi3.GetFloat64(w->i, &vr, 1, &value, 1);
}

static fmi3Status call_set(Walk *w)
{
    const fmi3ValueReference vr = vr_of(&crossing, "path.speed");
    const double value = 0.1;
    return fmi3.SetFloat64(w->i, &vr, 1, &value, 1);
}

static fmi3Status call_step(Walk *w)
{
    const Step s = step3(w->i, w->time, 0.01);
    w->time = s.status == fmi3OK ? s.time : w->time;
    return s.status;
}

static fmi3Status call_terminate(Walk *w)
{
    return fmi3.Terminate(w->i);
}

static fmi3Status call_reset(Walk *w)
{
    w->time = 0;
    return fmi3.Reset(w->i);
}

static fmi3Status call_save(Walk *w)
{
    return fmi3.GetFMUState(w->i, &w->saved);
}

static fmi3Status call_evaluate(Walk *w)
{
    return fmi3.EvaluateDiscreteStates(w->i);
}

static fmi3Status call_configure(Walk *w)
{
    return fmi3.EnterConfigurationMode(w->i);
}

static fmi3Status call_states(Walk *w)
{
    size_t count;
    return fmi3.GetNumberOfContinuousStates(w->i, &count);
}

static const struct {
    const char *name;
    fmi3Status (*call)(Walk *);
    unsigned allowed;
    Mode next; ///< 0: the same
} CALLS[] = {
    {"EnterInitializationMode", call_enter, INSTANTIATED, INITIALIZATION},
    {"ExitInitializationMode", call_exit, INITIALIZATION, EVENT},
    {"EnterEventMode", call_enter_event, STEP, EVENT},
    {"UpdateDiscreteStates", call_update, EVENT, 0},
    {"EnterStepMode", call_enter_step, EVENT, STEP},
    {"GetFloat64", call_get, INITIALIZATION | EVENT | STEP | TERMINATED, 0},
    {"SetFloat64", call_set, INSTANTIATED | INITIALIZATION | EVENT | STEP, 0},
    {"DoStep", call_step, STEP, 0},
    {"Terminate", call_terminate, EVENT | STEP, TERMINATED},
    {"Reset", call_reset, ALWAYS, INSTANTIATED},
    {"GetFMUState", call_save, ALWAYS, 0},
    {"EvaluateDiscreteStates", call_evaluate, 0, 0},
    {"EnterConfigurationMode", call_configure, 0, 0},
    {"GetNumberOfContinuousStates", call_states, 0, 0},
};

/// Calls at random, legal and illegal: legal ones succeed, illegal ones fail with a message and change nothing.
static void keeps_order(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(2, "calls");
    Heard heard = {0};
    Walk w = {.i = make3(&crossing, &heard, true, true)};
    Mode mode = INSTANTIATED;
    int seen[sizeof CALLS / sizeof CALLS[0]][2] = {{0}};
    for (int i = 0; i < 1000; i++) {
        const size_t k = (size_t)gr_random_below(&random, sizeof CALLS / sizeof CALLS[0]);
        if (i % 10 != 0 && CALLS[k].call == call_reset) {
            continue; // or it would seldom come far
        }
        const bool allowed = (CALLS[k].allowed & mode) != 0;
        const int messages = heard.count;
        const fmi3Status status = CALLS[k].call(&w);
        if ((status == fmi3OK) != allowed || (!allowed && heard.count == messages)) {
            fail_msg("%s in mode %d: status %d, %s", CALLS[k].name, (int)mode, (int)status, heard.last);
        }
        mode = allowed && CALLS[k].next != 0 ? CALLS[k].next : mode;
        seen[k][allowed]++;
    }
    for (size_t k = 0; k < sizeof CALLS / sizeof CALLS[0]; k++) {
        assert_true(seen[k][0] > 0 || CALLS[k].allowed == ALWAYS);
        assert_true(seen[k][1] > 0 || CALLS[k].allowed == 0);
    }
    fmi3.FreeFMUState(w.i, &w.saved);
    fmi3.FreeInstance(w.i);
}

static void refuses_wrong_calls(void **state)
{
    (void)state;
    Heard heard = {0};
    assert_null(fmi3.InstantiateCoSimulation("a", "{other}", crossing.resources, false, false, false, false, NULL, 0,
                                             &heard, hear3, NULL));
    assert_null(fmi3.InstantiateModelExchange("a", TOKEN, crossing.resources, false, false, &heard, hear3));
    assert_null(fmi3.InstantiateScheduledExecution("a", TOKEN, crossing.resources, false, false, &heard, hear3, NULL,
                                                   NULL, NULL));
    assert_int_equal(heard.count, 3);
    const fmi3ValueReference some = 1;
    assert_null(fmi3.InstantiateCoSimulation("a", TOKEN, crossing.resources, false, false, false, false, &some, 1,
                                             &heard, hear3, NULL));
    assert_null(fmi3.InstantiateCoSimulation("a", TOKEN, NULL, false, false, false, false, NULL, 0, NULL, NULL, NULL));
    fmi3.FreeInstance(NULL);
    assert_int_equal(fmi3.Terminate(NULL), fmi3Error);
    fmi3Instance i = start3(&crossing, &heard, false, false);
    const fmi3ValueReference x = vr_of(&crossing, "position.x");
    double values[2];
    float small[1];
    bool flag;
    assert_int_equal(fmi3.GetFloat64(i, &x, 1, values, 2), fmi3Error);
    assert_int_equal(fmi3.GetFloat32(i, &x, 1, small, 1), fmi3Error);
    assert_int_equal(fmi3.GetBoolean(i, &x, 1, &flag, 1), fmi3Error);
    assert_int_equal(fmi3.EnterEventMode(i), fmi3Error); // the instance was made without it
    assert_int_equal(fmi3.DoStep(i, 0, 0.05, true, NULL, NULL, NULL, NULL), fmi3Error);
    assert_int_equal(fmi3.SetTime(i, 1), fmi3Error);
    assert_int_equal(fmi3.ActivateModelPartition(i, 1, 0), fmi3Error);
    fmi3.FreeInstance(i);
}

static int begin(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    open_binary();
    unpack("crossing", NULL, "crossing", &crossing);
    assert_int_equal(gr_file_write("./goal.yaml", GOAL_FILE, strlen(GOAL_FILE), &log), GR_OK);
    unpack("./goal.yaml", NULL, "goal", &goal);
    return 0;
}

static int end(void **state)
{
    (void)state;
    gr_fmu_unit_free(crossing.unit);
    gr_fmu_unit_free(goal.unit);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_bits_of_fmi2),     cmocka_unit_test(returns_early_at_events),
        cmocka_unit_test(says_when_drive_ends), cmocka_unit_test(starts_at_any_time),
        cmocka_unit_test(restores_states),      cmocka_unit_test(keeps_order),
        cmocka_unit_test(refuses_wrong_calls),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
