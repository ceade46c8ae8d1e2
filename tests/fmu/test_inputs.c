/// What a host can do to a rover: commands, forces, gravity, soil. Results are held against statics and kinematics.
#include "importer.h"

#include "data.h"

#include <malloc.h>

static Import parked;

/// A rover that stands on level soil and waits for commands.
static const char PARKED_FILE[] = "title: parked\n"
                                  "rover: rashid_like\n"
                                  "soil: ishigami2007\n"
                                  "gravity: moon\n"
                                  "stop: {time_s: 100}\n";

static const double MOON = 1.62; // [m/s²]

static double total_load(fmi2Component c)
{
    double sum = 0;
    for (int i = 0; i < parked.variables.count; i++) {
        const char *name = parked.variables.items[i].name, *dot = strrchr(name, '.');
        if (strncmp(name, "wheels.", 7) == 0 && dot != NULL && strcmp(dot, ".load") == 0) {
            sum += real2(&parked, c, name);
        }
    }
    return sum;
}

static double mass(void)
{
    const GrRoverDef *rover = &gr_fmu_unit_scenario(parked.unit)->rover;
    double sum = 0;
    for (int i = 0; i < rover->body_count; i++) {
        sum += rover->bodies[i].mass;
    }
    return sum;
}

/// Sets an input of all wheels.
static void put_wheels(fmi2Component c, const char *input, double value)
{
    int found = 0;
    for (int i = 0; i < parked.variables.count; i++) {
        const char *name = parked.variables.items[i].name, *dot = strrchr(name, '.');
        if (strncmp(name, "wheels.", 7) == 0 && dot != NULL && strcmp(dot + 1, input) == 0) {
            assert_int_equal(put2(&parked, c, name, value), fmi2OK);
            found++;
        }
    }
    assert_true(found > 0);
}

/// Name of a variable of the first wheel.
static const char *of_wheel(const char *name)
{
    static char full[GR_NAME_SIZE + 64];
    snprintf(full, sizeof full, "wheels.%s.%s", gr_fmu_unit_scenario(parked.unit)->rover.wheels[0].name, name);
    return full;
}

static void force_carries_weight(void **state)
{
    (void)state;
    Heard heard = {0};
    fmi2Component c = start2(&parked, &heard);
    const double weight = mass() * MOON;
    drive2(c, 0, 1, 0.1);
    assert_near_rel(total_load(c), weight, 1e-6);
    assert_int_equal(put2(&parked, c, "force.z", 0.4 * weight), fmi2OK);
    drive2(c, 1, 11, 0.1);
    assert_near_rel(total_load(c), 0.6 * weight, 1e-3);
    assert_int_equal(put2(&parked, c, "force.z", 0), fmi2OK);
    drive2(c, 11, 21, 0.1);
    assert_near_rel(total_load(c), weight, 1e-3);
    fmi2.FreeInstance(c);
}

/// A moment shifts load from side to side: M = sum of load times lever.
static void moment_shifts_load(void **state)
{
    (void)state;
    Heard heard = {0};
    fmi2Component c = start2(&parked, &heard);
    const GrRoverDef *rover = &gr_fmu_unit_scenario(parked.unit)->rover;
    const double moment = 0.05 * mass() * MOON;
    assert_int_equal(put2(&parked, c, "moment.x", moment), fmi2OK);
    drive2(c, 0, 10, 0.1);
    double lever = 0;
    for (int i = 0; i < rover->wheel_count; i++) {
        char name[GR_NAME_SIZE + 64];
        snprintf(name, sizeof name, "wheels.%s.load", rover->wheels[i].name);
        const double load = real2(&parked, c, name);
        snprintf(name, sizeof name, "wheels.%s.centre.y", rover->wheels[i].name);
        lever += load * real2(&parked, c, name);
    }
    // about the x axis: loads to the left turn it like a positive moment
    assert_near(lever, -moment, 0.1 * moment);
    fmi2.FreeInstance(c);
}

/// A force against the heading is the towed load of a scenario: the same slip.
static void force_is_as_pull(void **state)
{
    (void)state;
    static const char *const towing[] = {"drive.pull_N=30", NULL}, *const free_of_load[] = {"drive.pull_N=0", NULL};
    Import pulled, pushed;
    Heard heard = {0};
    unpack("drawbar", towing, "pulled", &pulled);
    unpack("drawbar", free_of_load, "pushed", &pushed);
    fmi2Component a = start2(&pulled, &heard), b = start2(&pushed, &heard);
    assert_int_equal(put2(&pushed, b, "force.x", -30), fmi2OK);
    drive2(a, 0, 20, 0.1);
    drive2(b, 0, 20, 0.1);
    char slip[GR_NAME_SIZE + 64];
    snprintf(slip, sizeof slip, "wheels.%s.slip", gr_fmu_unit_scenario(pulled.unit)->rover.wheels[0].name);
    assert_true(real2(&pulled, a, slip) > 0.1);
    assert_near(real2(&pulled, a, slip), real2(&pushed, b, slip), 1e-6);
    assert_near(real2(&pulled, a, "position.x"), real2(&pushed, b, "position.x"), 1e-6);
    fmi2.FreeInstance(a);
    fmi2.FreeInstance(b);
    gr_fmu_unit_free(pulled.unit);
    gr_fmu_unit_free(pushed.unit);
}

static void gravity_changes_weight(void **state)
{
    (void)state;
    Heard heard = {0};
    fmi2Component before = make2(&parked, &heard);
    assert_int_equal(put2(&parked, before, "gravity.z", -3.71), fmi2OK);
    assert_int_equal(fmi2.EnterInitializationMode(before), fmi2OK);
    assert_near_rel(total_load(before), mass() * 3.71, 1e-6); // outputs follow parameters before the first step
    assert_int_equal(fmi2.ExitInitializationMode(before), fmi2OK);
    fmi2.FreeInstance(before);
    fmi2Component later = start2(&parked, &heard);
    drive2(later, 0, 1, 0.1);
    const double sinkage = real2(&parked, later, of_wheel("sinkage"));
    assert_int_equal(put2(&parked, later, "gravity.z", -3.71), fmi2OK);
    drive2(later, 1, 11, 0.1);
    assert_near_rel(total_load(later), mass() * 3.71, 1e-3);
    assert_true(real2(&parked, later, of_wheel("sinkage")) > 1.2 * sinkage);
    assert_near(real2(&parked, later, "time"), 11, 1e-9);
    fmi2.FreeInstance(later);
}

static void soil_changes_sinkage(void **state)
{
    (void)state;
    Heard heard = {0};
    fmi2Component c = make2(&parked, &heard);
    assert_int_equal(fmi2.EnterInitializationMode(c), fmi2OK);
    const double firm = real2(&parked, c, of_wheel("sinkage")), k = real2(&parked, c, "soil.k_phi");
    assert_int_equal(put2(&parked, c, "soil.k_phi", k / 4), fmi2OK);
    const double soft = real2(&parked, c, of_wheel("sinkage"));
    assert_true(soft > 1.5 * firm);
    assert_int_equal(put2(&parked, c, "soil.k_phi", k), fmi2OK);
    assert_true(real2(&parked, c, of_wheel("sinkage")) == firm);
    fmi2.FreeInstance(c);
}

/// drive.speed: the rover moves at that speed less slip.
static void drives_by_speed(void **state)
{
    (void)state;
    Heard heard = {0};
    fmi2Component c = start2(&parked, &heard);
    assert_int_equal(put2(&parked, c, "command.source", GR_FMU_BY_DRIVE), fmi2OK);
    assert_int_equal(put2(&parked, c, "drive.speed", 0.05), fmi2OK);
    drive2(c, 0, 10, 0.1);
    const double before = real2(&parked, c, "position.x"), slip = real2(&parked, c, of_wheel("slip"));
    drive2(c, 10, 20, 0.1);
    assert_near_rel(real2(&parked, c, "position.x") - before, 0.5 * (1 - slip), 0.02);
    assert_int_equal(put2(&parked, c, "command.source", GR_FMU_BY_SCENARIO), fmi2OK);
    drive2(c, 20, 30, 0.1);
    assert_near(real2(&parked, c, "velocity.x"), 0, 1e-4); // given back: the scenario's rover stands
    fmi2.FreeInstance(c);
}

/// wheels.*.command as a speed: the wheels have it, and the rover rolls.
static void drives_by_wheel_speed(void **state)
{
    (void)state;
    Heard heard = {0};
    fmi2Component c = start2(&parked, &heard);
    assert_int_equal(put2(&parked, c, "command.source", GR_FMU_BY_WHEELS), fmi2OK);
    put_wheels(c, "command", 0.5);
    drive2(c, 0, 10, 0.1);
    assert_near(real2(&parked, c, of_wheel("speed")), 0.5, 0.01);
    assert_true(real2(&parked, c, "velocity.x") > 0.02);
    put_wheels(c, "command", 0);
    drive2(c, 10, 20, 0.1);
    assert_near(real2(&parked, c, "velocity.x"), 0, 1e-4);
    fmi2.FreeInstance(c);
}

/// wheels.*.command as a torque: the motors give it, and a torque below the resistance moves nothing.
static void drives_by_wheel_torque(void **state)
{
    (void)state;
    Heard heard = {0};
    fmi2Component c = make2(&parked, &heard);
    assert_int_equal(put2(&parked, c, "wheel_command", GR_FMU_COMMAND_TORQUE), fmi2OK);
    assert_int_equal(fmi2.EnterInitializationMode(c), fmi2OK);
    assert_int_equal(fmi2.ExitInitializationMode(c), fmi2OK);
    assert_int_equal(fmi2.DoStep(c, 0, 0.1, 1), fmi2Error); // control cannot drive by torque
    assert_non_null(strstr(heard.last, "command.source: must be wheels"));
    assert_int_equal(put2(&parked, c, "command.source", GR_FMU_BY_WHEELS), fmi2OK);
    put_wheels(c, "command", 0.01);
    drive2(c, 0, 5, 0.1);
    assert_near(real2(&parked, c, of_wheel("torque")), 0.01, 1e-9);
    const double slow = real2(&parked, c, of_wheel("speed"));
    put_wheels(c, "command", 0.6);
    drive2(c, 5, 6, 0.1);
    assert_near(real2(&parked, c, of_wheel("torque")), 0.6, 1e-9);
    assert_true(real2(&parked, c, of_wheel("speed")) > slow + 0.1);
    fmi2.FreeInstance(c);
}

/// An input that nothing reads is a warning.
static void warns_of_unread_inputs(void **state)
{
    (void)state;
    Heard heard = {0};
    fmi2Component c = start2(&parked, &heard);
    assert_int_equal(fmi2.SetDebugLogging(c, 1, 0, NULL), fmi2OK);
    assert_int_equal(put2(&parked, c, "drive.speed", 0.1), fmi2OK);
    assert_int_equal(fmi2.DoStep(c, 0, 0.1, 1), fmi2Warning);
    assert_non_null(strstr(heard.last, "has no effect: command.source is scenario"));
    assert_int_equal(fmi2.DoStep(c, 0.1, 0.1, 1), fmi2OK); // once
    fmi2.FreeInstance(c);
}

/// Memory in use does not grow with instances that come and go. The smallest block that malloc() gives has 16 bytes:
/// one for each instance would be twice what is allowed here for its lists of free blocks.
static void leaks_nothing(void **state)
{
    (void)state;
    const int rounds = GR_TEST_LONG(GR_TEST_STUDY(10000, 2000), 20);
    size_t before = 0;
    for (int i = -rounds / 10; i < rounds; i++) {
        if (i == 0) {
            before = mallinfo2().uordblks;
        }
        Heard heard = {0};
        fmi2Component c = make2(&parked, &heard);
        assert_non_null(c);
        fmi2.FreeInstance(c);
    }
#ifdef GR_TEST_SANITIZED // it has an allocator and a search for leaks of its own
    (void)before;
#else
    assert_in_range(mallinfo2().uordblks, 0, before + 8 * (size_t)rounds);
#endif
}

static int begin(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    open_binary();
    assert_int_equal(gr_file_write("./parked.yaml", PARKED_FILE, strlen(PARKED_FILE), &log), GR_OK);
    unpack("./parked.yaml", NULL, "parked", &parked);
    return 0;
}

static int end(void **state)
{
    (void)state;
    gr_fmu_unit_free(parked.unit);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(force_carries_weight),   cmocka_unit_test(moment_shifts_load),
        cmocka_unit_test(force_is_as_pull),       cmocka_unit_test(gravity_changes_weight),
        cmocka_unit_test(soil_changes_sinkage),   cmocka_unit_test(drives_by_speed),
        cmocka_unit_test(drives_by_wheel_speed),  cmocka_unit_test(drives_by_wheel_torque),
        cmocka_unit_test(warns_of_unread_inputs), cmocka_unit_test(leaks_nothing),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
