/// Contact as functional mock-up units of both versions: the forces of grouser/contact.h in co-simulation and model
/// exchange, a ground that instances in separately loaded binaries share, saved states, and refusals.
#include "importer.h"

#include "fmu_unit_data.h"
#include "scenario_data.h"
#include "vec3.h"

#include <math.h>

static Import wheel, terrain;
static const double STEP = 0.005;

static const char TRACK_FILE[] = "title: ruts in level ground\n"
                                 "rover: rashid_like\n"
                                 "soil: ishigami2007\n"
                                 "gravity: moon\n"
                                 "ruts: {kind: scm, cell_m: 0.01}\n"
                                 "drive: {speed_mps: 0.1, path: [[0.5, 0], [1, 0]]}\n"
                                 "stop: {time_s: 60}\n";

static int prepare(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    open_binary();
    assert_int_equal(gr_file_write("./track.yaml", TRACK_FILE, strlen(TRACK_FILE), &log), GR_OK);
    unpack_as(GR_FMU_WHEEL, "./track.yaml", NULL, "wheel", &wheel);
    unpack_as(GR_FMU_TERRAIN, "./track.yaml", NULL, "terrain", &terrain);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    gr_fmu_unit_free(wheel.unit);
    gr_fmu_unit_free(terrain.unit);
    return 0;
}

// ---- a wheel that rolls with slip along x, 2 cm in the ground of the scenario

static double ground_height(void)
{
    static double height = NAN;
    double z = 0;
    GrVec3 normal;
    if (isnan(height)) {
        assert_true(gr_contact_ground_at(gr_fmu_contact_unit(wheel.unit->contact), 0, 0, &z, &normal));
        height = z;
    }
    return height;
}

static GrPartMotion rolling(double time)
{
    const double r = wheel.unit->scenario->rover.wheels[0].radius, speed = 0.05, rate = speed / (0.8 * r);
    return (GrPartMotion){
        .pose = {{speed * time, 0, ground_height() + r - 0.02}, gr_quat_axis_angle(gr_vec3(0, 1, 0), rate * time)},
        .linear = {speed, 0, 0},
        .angular = {0, rate, 0},
        .angle = rate * time};
}

static void give(const GrPartMotion *m, double out[14])
{
    const double values[14] = {m->pose.position.x, m->pose.position.y,
                               m->pose.position.z, m->pose.rotation.w,
                               m->pose.rotation.x, m->pose.rotation.y,
                               m->pose.rotation.z, m->linear.x,
                               m->linear.y,        m->linear.z,
                               m->angular.x,       m->angular.y,
                               m->angular.z,       m->angle};
    memcpy(out, values, sizeof values);
}

static void references(uint32_t vr[14])
{
    const uint32_t first = vr_of(&wheel, "position.x");
    for (uint32_t i = 0; i < 14; i++) {
        vr[i] = first + i;
    }
    assert_int_equal(vr[13], vr_of(&wheel, "angle"));
}

/// The same drive through grouser/contact.h.
static GrPartForce reference(int steps)
{
    GrFmuContact *own = NULL;
    GrErrorLog log = {0};
    const GrFmuUnitDef def = {.contact = GR_FMU_WHEEL};
    assert_int_equal(gr_fmu_contact_make(&own, &def, wheel.unit->scenario, 0, NULL, &log), GR_OK);
    GrContact *unit = gr_fmu_contact_unit(own);
    GrPartForce force = {0};
    for (int i = 0; i < steps; i++) {
        const GrPartMotion at = rolling(i * STEP), end = rolling((i + 1) * STEP);
        assert_int_equal(gr_contact_evaluate(unit, &at, STEP, &force), GR_OK);
        assert_int_equal(gr_contact_accept(unit, &end, STEP), GR_OK);
    }
    gr_fmu_contact_free(own);
    return force;
}

static void near_reference(GrVec3 found, GrVec3 wanted)
{
    assert_true(wanted.z > 10);
    assert_near(gr_norm(gr_sub(found, wanted)), 0, 1e-9 * gr_norm(wanted));
}

static GrVec3 force2(fmi2Component c)
{
    return gr_vec3(real2(&wheel, c, "force.x"), real2(&wheel, c, "force.y"), real2(&wheel, c, "force.z"));
}

static void name_ground(const Import *import, fmi2Component c, const char *name)
{
    const fmi2ValueReference vr = vr_of(import, "ground");
    assert_int_equal(fmi2.SetString(c, &vr, 1, &name), fmi2OK);
}

static fmi2Component make_wheel(const char *ground)
{
    static Heard heard;
    fmi2Component c = make2(&wheel, &heard);
    assert_non_null(c);
    if (ground != NULL) {
        name_ground(&wheel, c, ground);
    }
    assert_int_equal(fmi2.SetupExperiment(c, 0, 0, 0, 0, 0), fmi2OK);
    assert_int_equal(fmi2.EnterInitializationMode(c), fmi2OK);
    assert_int_equal(fmi2.ExitInitializationMode(c), fmi2OK);
    return c;
}

/// `lift`: above the usual height [m].
static void roll_at(fmi2Component c, int from, int to, double lift)
{
    uint32_t vr[14];
    double values[14];
    references(vr);
    for (int i = from; i < to; i++) {
        GrPartMotion at = rolling(i * STEP);
        at.pose.position.z += lift;
        give(&at, values);
        assert_int_equal(fmi2.SetReal(c, vr, 14, values), fmi2OK);
        assert_int_equal(fmi2.DoStep(c, i * STEP, STEP, 1), fmi2OK);
    }
}

static void roll2(fmi2Component c, int from, int to)
{
    roll_at(c, from, to, 0);
}

static void test_co_simulation(void **state)
{
    (void)state;
    const GrPartForce wanted = reference(200);
    fmi2Component c = make_wheel(NULL);
    roll2(c, 0, 200);
    near_reference(force2(c), wanted.force);
    assert_near(real2(&wheel, c, "sinkage"), wanted.wheel.sinkage, 1e-9);
    assert_near(real2(&wheel, c, "slip"), wanted.wheel.slip, 1e-9);
    assert_near(real2(&wheel, c, "derivative.force.z.velocity.z"), wanted.derivative[35],
                1e-6 * fabs(wanted.derivative[35]));
    fmi2.FreeInstance(c);
    Heard heard = {0};
    fmi3Instance i = make3(&wheel, &heard, false, false);
    uint32_t vr[14];
    double values[14];
    references(vr);
    assert_int_equal(fmi3.EnterInitializationMode(i, false, 0, 0, false, 0), fmi3OK);
    assert_int_equal(fmi3.ExitInitializationMode(i), fmi3OK);
    for (int k = 0; k < 200; k++) {
        bool event, end, early;
        double last;
        const GrPartMotion at = rolling(k * STEP);
        give(&at, values);
        assert_int_equal(fmi3.SetFloat64(i, vr, 14, values, 14), fmi3OK);
        assert_int_equal(fmi3.DoStep(i, k * STEP, STEP, true, &event, &end, &early, &last), fmi3OK);
    }
    const uint32_t out[3] = {vr_of(&wheel, "force.x"), vr_of(&wheel, "force.y"), vr_of(&wheel, "force.z")};
    assert_int_equal(fmi3.GetFloat64(i, out, 3, values, 3), fmi3OK);
    near_reference(gr_vec3(values[0], values[1], values[2]), wanted.force);
    fmi3.FreeInstance(i);
}

// ---- model exchange: the host integrates the memory of the soil by Runge-Kutta steps, as an importer does

enum { STATES_MAX = 200, STAGES = 4, SHORT = 10 };

/// A unit in the hands of an importer: through the header, FMI 2 or FMI 3.
typedef struct Exchange {
    GrContact *unit;
    fmi2Component c;
    fmi3Instance i;
    size_t states, events;
} Exchange;

static void exchange_at(const Exchange *e, double time, const double *y)
{
    uint32_t vr[14];
    double values[14];
    const GrPartMotion at = rolling(time);
    references(vr);
    give(&at, values);
    if (e->c != NULL) {
        assert_int_equal(fmi2.SetTime(e->c, time), fmi2OK);
        assert_int_equal(fmi2.SetReal(e->c, vr, 14, values), fmi2OK);
        assert_int_equal(fmi2.SetContinuousStates(e->c, y, e->states), fmi2OK);
    } else if (e->i != NULL) {
        assert_int_equal(fmi3.SetTime(e->i, time), fmi3OK);
        assert_int_equal(fmi3.SetFloat64(e->i, vr, 14, values, 14), fmi3OK);
        assert_int_equal(fmi3.SetContinuousStates(e->i, y, e->states), fmi3OK);
    } else {
        gr_contact_set_states(e->unit, y);
    }
}

static void exchange_rates(const Exchange *e, double time, const double *y, double *rates)
{
    exchange_at(e, time, y);
    if (e->c != NULL) {
        assert_int_equal(fmi2.GetDerivatives(e->c, rates, e->states), fmi2OK);
    } else if (e->i != NULL) {
        assert_int_equal(fmi3.GetContinuousStateDerivatives(e->i, rates, e->states), fmi3OK);
    } else {
        GrPartForce force;
        const GrPartMotion at = rolling(time);
        assert_int_equal(gr_contact_evaluate(e->unit, &at, 0, &force), GR_OK);
        gr_contact_rates(e->unit, rates);
    }
}

static void exchange_accept(const Exchange *e, double time, double dt)
{
    if (e->c != NULL) {
        fmi2Boolean event, stop;
        assert_int_equal(fmi2.CompletedIntegratorStep(e->c, 1, &event, &stop), fmi2OK);
        assert_false(event || stop);
    } else if (e->i != NULL) {
        bool event, stop;
        assert_int_equal(fmi3.CompletedIntegratorStep(e->i, true, &event, &stop), fmi3OK);
        assert_false(event || stop);
    } else {
        const GrPartMotion at = rolling(time);
        assert_int_equal(gr_contact_accept(e->unit, &at, dt), GR_OK);
    }
}

/// Memory of the soil after the drive.
static void exchange_drive(const Exchange *e, double *y)
{
    static const double at[STAGES] = {0, 0.5, 0.5, 1}, weight[STAGES] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const double dt = STEP / SHORT;
    double rates[STATES_MAX] = {0}, stage[STATES_MAX], end[STATES_MAX];
    memset(y, 0, sizeof end);
    for (int k = 0; k < 200 * SHORT; k++) {
        memcpy(end, y, sizeof end);
        for (int s = 0; s < STAGES; s++) {
            for (size_t i = 0; i < e->states; i++) {
                stage[i] = y[i] + at[s] * dt * rates[i];
            }
            exchange_rates(e, (k + at[s]) * dt, stage, rates);
            for (size_t i = 0; i < e->states; i++) {
                end[i] += weight[s] * dt * rates[i];
            }
        }
        memcpy(y, end, sizeof end);
        exchange_at(e, (k + 1) * dt, y);
        exchange_accept(e, (k + 1) * dt, dt);
    }
}

/// The header's own unit, for what both versions must find.
static GrPartForce exchange_reference(GrFmuContact **own, Exchange *e, double *y)
{
    GrErrorLog log = {0};
    const GrFmuUnitDef def = {.contact = GR_FMU_WHEEL, .exchange = true};
    assert_int_equal(gr_fmu_contact_make(own, &def, wheel.unit->scenario, 0, NULL, &log), GR_OK);
    *e = (Exchange){.unit = gr_fmu_contact_unit(*own)};
    e->states = (size_t)gr_contact_state_count(e->unit);
    assert_true(e->states > 40 && e->states < STATES_MAX);
    exchange_drive(e, y);
    const GrPartMotion at = rolling(200 * STEP);
    GrPartForce force;
    gr_contact_set_states(e->unit, y);
    assert_int_equal(gr_contact_evaluate(e->unit, &at, 0, &force), GR_OK);
    e->events = (size_t)force.events;
    return force;
}

static void test_exchange_2(const GrPartForce *wanted, const Exchange *own, const double *wanted_states)
{
    Heard heard = {0};
    double y[STATES_MAX], events[GR_CONTACT_EVENTS];
    const fmi2CallbackFunctions functions = {hear2, calloc, free, NULL, &heard};
    fmi2Component c = fmi2.Instantiate("unit", fmi2ModelExchange, TOKEN, wheel.uri, &functions, 0, 0);
    assert_non_null(c);
    assert_int_equal(fmi2.SetupExperiment(c, 0, 0, 0, 0, 0), fmi2OK);
    assert_int_equal(fmi2.EnterInitializationMode(c), fmi2OK);
    assert_int_equal(fmi2.ExitInitializationMode(c), fmi2OK);
    fmi2EventInfo info;
    assert_int_equal(fmi2.NewDiscreteStates(c, &info), fmi2OK);
    assert_false(info.newDiscreteStatesNeeded || info.valuesOfContinuousStatesChanged);
    assert_int_equal(fmi2.EnterContinuousTimeMode(c), fmi2OK);
    assert_int_equal(fmi2.GetEventIndicators(c, events, own->events), fmi2OK);
    assert_true(events[0] < 0); // in the air until the host places it
    assert_int_equal(fmi2.GetContinuousStates(c, y, 0), fmi2Error);
    const Exchange e = {.c = c, .states = own->states};
    exchange_drive(&e, y);
    for (size_t i = 0; i < e.states; i++) {
        assert_near(y[i], wanted_states[i], 1e-9 * (1 + fabs(wanted_states[i])));
    }
    near_reference(force2(c), wanted->force);
    assert_near(real2(&wheel, c, "memory.roll"), y[0], 1e-12);
    assert_int_equal(fmi2.GetEventIndicators(c, events, own->events), fmi2OK);
    assert_true(events[0] > 0);
    assert_true(events[own->events - 3] < 0); // a slice has touched: nobody has told the unit yet
    assert_int_equal(fmi2.EnterEventMode(c), fmi2OK);
    assert_int_equal(fmi2.NewDiscreteStates(c, &info), fmi2OK);
    assert_int_equal(fmi2.EnterContinuousTimeMode(c), fmi2OK);
    assert_int_equal(fmi2.GetEventIndicators(c, events, own->events), fmi2OK);
    for (size_t i = own->events - 3; i < own->events; i++) {
        assert_true(events[i] > 0);
    }
    assert_int_equal(fmi2.GetEventIndicators(c, events, own->events + 1), fmi2Error);
    assert_int_equal(fmi2.SetTime(c, 0.5), fmi2Error); // before the last completed step
    assert_int_equal(fmi2.DoStep(c, 1, STEP, 1), fmi2Error);
    y[0] = (double)NAN;
    assert_int_equal(fmi2.SetContinuousStates(c, y, e.states), fmi2Error);
    fmi2.FreeInstance(c);
}

static void test_exchange_3(const GrPartForce *wanted, const Exchange *own)
{
    Heard heard = {0};
    double y[STATES_MAX], values[3];
    fmi3Instance i = fmi3.InstantiateModelExchange("unit", TOKEN, wheel.resources, false, false, &heard, hear3);
    assert_non_null(i);
    size_t indicators = 0, states = 0;
    assert_int_equal(fmi3.EnterInitializationMode(i, false, 0, 0, false, 0), fmi3OK);
    assert_int_equal(fmi3.ExitInitializationMode(i), fmi3OK);
    assert_int_equal(fmi3.GetNumberOfEventIndicators(i, &indicators), fmi3OK);
    assert_int_equal(fmi3.GetNumberOfContinuousStates(i, &states), fmi3OK);
    assert_true(indicators == own->events && states == own->states);
    assert_int_equal(fmi3.GetNominalsOfContinuousStates(i, y, states), fmi3OK);
    for (size_t k = 0; k < states; k++) {
        assert_true(y[k] > 0);
    }
    assert_int_equal(fmi3.EnterContinuousTimeMode(i), fmi3OK);
    const Exchange e = {.i = i, .states = states};
    exchange_drive(&e, y);
    const uint32_t out[3] = {vr_of(&wheel, "force.x"), vr_of(&wheel, "force.y"), vr_of(&wheel, "force.z")};
    assert_int_equal(fmi3.GetFloat64(i, out, 3, values, 3), fmi3OK);
    near_reference(gr_vec3(values[0], values[1], values[2]), wanted->force);
    fmi3.FreeInstance(i);
}

/// In model exchange outputs follow inputs and states at once. The importer's solver comes to the forces of
/// co-simulation, whose steps are long.
static void test_model_exchange(void **state)
{
    (void)state;
    GrFmuContact *unit = NULL;
    Exchange own;
    double y[STATES_MAX];
    const GrPartForce wanted = exchange_reference(&unit, &own, y), stepped = reference(200);
    print_message("load %.3f N, pull %.3f N; in steps of %g ms %.3f N, %.3f N\n", wanted.force.z, wanted.force.x,
                  1e3 * STEP, stepped.force.z, stepped.force.x);
    assert_near(wanted.force.z, stepped.force.z, 0.01 * stepped.force.z);
    assert_near(wanted.force.x, stepped.force.x, 0.01 * stepped.force.z);
    test_exchange_2(&wanted, &own, y);
    test_exchange_3(&wanted, &own);
    gr_fmu_contact_free(unit);
}

/// A copy of the binary at another place has its own variables in memory, and yet the same grounds: an importer unpacks
/// each unit for itself.
static void test_shared_ground(void **state)
{
    (void)state;
    static const char copy[] = "copy_of_unit.so";
    char path[4096], here[2048], *data = NULL;
    size_t size;
    GrErrorLog log = {0};
    const Fmi2 first = fmi2;
    assert_int_equal(gr_file_read(GR_TEST_FMU, 1 << 28, &data, &size, &log), GR_OK);
    assert_int_equal(gr_file_write(copy, data, size, &log), GR_OK);
    free(data);
    fmi2Component a = make_wheel("track"), alone = make_wheel("elsewhere");
    roll2(a, 0, 1600);
    roll_at(alone, 0, 600, 0.01);
    const double fresh = force2(alone).z;
    assert_non_null(getcwd(here, sizeof here));
    snprintf(path, sizeof path, "%s/%s", here, copy);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(handle);
#define TAKE_AGAIN(name) take(handle, "fmi2" #name, &fmi2.name);
    FMI2_LIST(TAKE_AGAIN)
    assert_true(fmi2.DoStep != first.DoStep);
    fmi2Component b = make_wheel("track");
    roll_at(b, 0, 600, 0.01); // less deep than the rut
    print_message("load %.2f N behind the first wheel, %.2f N on fresh ground\n", force2(b).z, fresh);
    assert_true(fresh > 10 && force2(b).z < 0.99 * fresh); // the same to the bit on grounds of their own
    // the ground as a unit has the rut of both
    Heard heard = {0};
    fmi2Component t = make2(&terrain, &heard);
    name_ground(&terrain, t, "track");
    assert_int_equal(fmi2.SetupExperiment(t, 0, 0, 0, 0, 0), fmi2OK);
    assert_int_equal(fmi2.EnterInitializationMode(t), fmi2OK);
    assert_int_equal(fmi2.ExitInitializationMode(t), fmi2OK);
    assert_int_equal(put2(&terrain, t, "place.x", 0.1), fmi2OK);
    assert_int_equal(fmi2.DoStep(t, 0, STEP, 1), fmi2OK);
    assert_true(real2(&terrain, t, "found") == 1);
    assert_true(real2(&terrain, t, "height") < ground_height() - 0.005);
    fmi2.FreeInstance(t);
    fmi2.FreeInstance(b);
    dlclose(handle);
    fmi2 = first;
    roll2(a, 1600, 1610); // the ground outlives the copy
    assert_true(force2(a).z > 0);
    fmi2.FreeInstance(a);
    fmi2.FreeInstance(alone);
    unlink(copy);
}

static void test_saved_state(void **state)
{
    (void)state;
    fmi2Component c = make_wheel(NULL);
    roll2(c, 0, 50);
    fmi2FMUstate saved = NULL;
    assert_int_equal(fmi2.GetFMUstate(c, &saved), fmi2OK);
    roll2(c, 50, 100);
    const uint64_t hash = hash2(&wheel, c);
    const GrVec3 force = force2(c);
    assert_int_equal(fmi2.SetFMUstate(c, saved), fmi2OK);
    assert_true(hash2(&wheel, c) != hash);
    roll2(c, 50, 100);
    assert_true(hash2(&wheel, c) == hash);
    const GrVec3 again = force2(c);
    assert_memory_equal(&force, &again, sizeof force);
    assert_int_equal(fmi2.FreeFMUstate(c, &saved), fmi2OK);
    const fmi2ValueReference vr = vr_of(&wheel, "ground");
    const char *late = "too late";
    assert_int_equal(fmi2.SetString(c, &vr, 1, &late), fmi2Error);
    fmi2.FreeInstance(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_co_simulation),
        cmocka_unit_test(test_model_exchange),
        cmocka_unit_test(test_shared_ground),
        cmocka_unit_test(test_saved_state),
    };
    return cmocka_run_group_tests(tests, prepare, finish);
}
