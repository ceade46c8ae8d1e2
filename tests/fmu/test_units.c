/// Every variable of a unit with a dimension: outputs show the quantity that their name says, and units are those of SI
/// with the right exponents and factor. A variable with a unit that the table lacks fails.
#include "test.h"

#include "fmu_variables.h"

#include "scenario_data.h"

#include <math.h>
#include <string.h>

typedef struct Row {
    GrFmuMeaning meaning;
    const char *name; ///< after the last name of a wheel or joint
    const char *unit;
    size_t offset; ///< in the struct of its owner; inputs of the drive: in the command
    GrChannelOwner owner;
} Row;

static const Row ROWS[] = {
#define SAMPLE(name, unit, member)                                                                                     \
    {                                                                                                                  \
        GR_FMU_IS_CHANNEL, name, unit, offsetof(GrSample, member), GR_OWNER_ROVER                                      \
    }
    SAMPLE("position.x", "m", pose.position.x),
    SAMPLE("position.y", "m", pose.position.y),
    SAMPLE("position.z", "m", pose.position.z),
    SAMPLE("rotation.w", "", pose.rotation.w),
    SAMPLE("rotation.x", "", pose.rotation.x),
    SAMPLE("rotation.y", "", pose.rotation.y),
    SAMPLE("rotation.z", "", pose.rotation.z),
    SAMPLE("roll", "rad", roll),
    SAMPLE("pitch", "rad", pitch),
    SAMPLE("heading", "rad", heading),
    SAMPLE("velocity.x", "m/s", velocity.x),
    SAMPLE("velocity.y", "m/s", velocity.y),
    SAMPLE("velocity.z", "m/s", velocity.z),
    SAMPLE("angular_velocity.x", "rad/s", angular_velocity.x),
    SAMPLE("angular_velocity.y", "rad/s", angular_velocity.y),
    SAMPLE("angular_velocity.z", "rad/s", angular_velocity.z),
    SAMPLE("imu.x", "m/s2", acceleration.x),
    SAMPLE("imu.y", "m/s2", acceleration.y),
    SAMPLE("imu.z", "m/s2", acceleration.z),
    SAMPLE("angular_acceleration.x", "rad/s2", angular_acceleration.x),
    SAMPLE("angular_acceleration.y", "rad/s2", angular_acceleration.y),
    SAMPLE("angular_acceleration.z", "rad/s2", angular_acceleration.z),
    SAMPLE("distance", "m", distance),
    SAMPLE("odometry.x", "m", odometry.x),
    SAMPLE("odometry.y", "m", odometry.y),
    SAMPLE("odometry.heading", "rad", odometry.heading),
    SAMPLE("path.off", "m", cross_track),
    SAMPLE("power", "W", power),
    SAMPLE("energy.motors", "J", energy.electric),
    SAMPLE("energy.soil", "J", energy.soil),
    SAMPLE("energy.braking", "J", energy.braking),
    SAMPLE("energy.net", "J", energy.motor),
    SAMPLE("energy.mechanical", "J", energy.mechanical),
    SAMPLE("energy.wheels", "J", energy.wheels),
    SAMPLE("energy.joints", "J", energy.joints),
    SAMPLE("energy.pull", "J", energy.pull),
    SAMPLE("energy.residual", "J", energy.residual),
    SAMPLE("command_speed", "m/s", command.speed),
    SAMPLE("command_curvature", "1/m", command.curvature),
    SAMPLE("command_yaw_rate", "rad/s", command.yaw_rate),
    SAMPLE("command_crab", "rad", command.crab),
    SAMPLE("self_force", "N", self_force),
    SAMPLE("step", "s", step),
    SAMPLE("speed", "m/s", more[0]),
    SAMPLE("odometry_error", "m", more[1]),
    SAMPLE("belly_force", "N", belly_force),
#define WHEEL(name, unit, member)                                                                                      \
    {                                                                                                                  \
        GR_FMU_IS_CHANNEL, name, unit, offsetof(GrWheelSample, member), GR_OWNER_WHEEL                                 \
    }
    WHEEL("slip", "", slip),
    WHEEL("slip_angle", "rad", slip_angle),
    WHEEL("sinkage", "m", sinkage),
    WHEEL("load", "N", load),
    WHEEL("force.x", "N", force.x),
    WHEEL("force.y", "N", force.y),
    WHEEL("force.z", "N", force.z),
    WHEEL("torque", "N.m", torque),
    WHEEL("speed", "rad/s", speed),
    WHEEL("power", "W", power),
    WHEEL("centre.x", "m", centre.x),
    WHEEL("centre.y", "m", centre.y),
    WHEEL("centre.z", "m", centre.z),
    WHEEL("deflection", "m", deflection),
#define JOINT(name, unit, member)                                                                                      \
    {                                                                                                                  \
        GR_FMU_IS_CHANNEL, name, unit, offsetof(GrJointSample, member), GR_OWNER_JOINT                                 \
    }
    JOINT("position", "", angle), // rad or m, by the kind of joint
    JOINT("rate", "", rate),
    JOINT("torque", "N.m", torque),
    JOINT("force", "N", torque),
    JOINT("load_force", "N", force),
    JOINT("load_moment", "N.m", moment),
    JOINT("load.force.x", "N", load_force.x),
    JOINT("load.force.y", "N", load_force.y),
    JOINT("load.force.z", "N", load_force.z),
    JOINT("load.moment.x", "N.m", load_moment.x),
    JOINT("load.moment.y", "N.m", load_moment.y),
    JOINT("load.moment.z", "N.m", load_moment.z),
    JOINT("accelerometer.x", "m/s2", felt.x),
    JOINT("accelerometer.y", "m/s2", felt.y),
    JOINT("accelerometer.z", "m/s2", felt.z),
    JOINT("acceleration", "", acceleration), // rad/s2 or m/s2, by the kind of joint
    {GR_FMU_IS_DRIVE, "drive.speed", "m/s", offsetof(GrDriveCommand, speed), GR_OWNER_ROVER},
    {GR_FMU_IS_DRIVE, "drive.curvature", "1/m", offsetof(GrDriveCommand, curvature), GR_OWNER_ROVER},
    {GR_FMU_IS_DRIVE, "drive.yaw_rate", "rad/s", offsetof(GrDriveCommand, yaw_rate), GR_OWNER_ROVER},
    {GR_FMU_IS_DRIVE, "drive.crab", "rad", offsetof(GrDriveCommand, crab), GR_OWNER_ROVER},
    {GR_FMU_IS_WHEEL_STEER, "steer", "rad", 0, GR_OWNER_ROVER},
    {GR_FMU_IS_PATH_SPEED, "path.speed", "m/s", 0, GR_OWNER_ROVER},
    {GR_FMU_IS_TIME, "time", "s", 0, GR_OWNER_ROVER},
    {GR_FMU_IS_GRAVITY, "gravity.x", "m/s2", 0, GR_OWNER_ROVER},
    {GR_FMU_IS_GRAVITY, "gravity.y", "m/s2", 0, GR_OWNER_ROVER},
    {GR_FMU_IS_GRAVITY, "gravity.z", "m/s2", 0, GR_OWNER_ROVER},
    {GR_FMU_IS_FORCE, "force.x", "N", 0, GR_OWNER_ROVER},
    {GR_FMU_IS_FORCE, "force.y", "N", 0, GR_OWNER_ROVER},
    {GR_FMU_IS_FORCE, "force.z", "N", 0, GR_OWNER_ROVER},
    {GR_FMU_IS_MOMENT, "moment.x", "N.m", 0, GR_OWNER_ROVER},
    {GR_FMU_IS_MOMENT, "moment.y", "N.m", 0, GR_OWNER_ROVER},
    {GR_FMU_IS_MOMENT, "moment.z", "N.m", 0, GR_OWNER_ROVER},
};

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0 &&
           (length == tail || text[length - tail - 1] == '.');
}

static const Row *find_row(const GrFmuVariable *v)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        const bool owned = v->meaning == GR_FMU_IS_WHEEL_STEER ||
                           (v->meaning == GR_FMU_IS_CHANNEL && v->channel.owner != GR_OWNER_ROVER);
        if (ROWS[i].meaning == v->meaning && ROWS[i].owner == v->channel.owner &&
            (owned ? ends_with(v->name, ROWS[i].name) : strcmp(v->name, ROWS[i].name) == 0)) {
            return &ROWS[i];
        }
    }
    return NULL;
}

/// Where the value is in the struct of its owner.
static size_t offset_of(const GrFmuVariable *v)
{
    const size_t sizes[] = {
        [GR_OWNER_ROVER] = 0, [GR_OWNER_WHEEL] = sizeof(GrWheelSample), [GR_OWNER_JOINT] = sizeof(GrJointSample)};
    const GrChannel *c = &v->channel;
    return v->meaning != GR_FMU_IS_CHANNEL ? v->offset : c->offset - (size_t)c->index * sizes[c->owner];
}

static void check_variables(const char *scenario_name)
{
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrFmuVariables list;
    assert_int_equal(gr_scenario_load(scenario_name, NULL, &scenario, NULL), GR_OK);
    assert_int_equal(gr_world_create(scenario, &world, NULL), GR_OK);
    assert_int_equal(gr_fmu_variables_list(world, &list, NULL), GR_OK);
    for (int i = 0; i < list.count; i++) {
        const GrFmuVariable *v = &list.items[i];
        const Row *row = find_row(v);
        if (row == NULL) {
            if (v->unit[0] != '\0' && v->meaning != GR_FMU_IS_SOIL) {
                fail_msg("%s has a unit and no row in this test", v->name);
            }
            continue;
        }
        const bool joint = v->meaning == GR_FMU_IS_CHANNEL && v->channel.owner == GR_OWNER_JOINT;
        const bool slides = joint && gr_model_joint_slides(world->model, v->channel.index);
        const char *rates = strcmp(row->name, "rate") == 0 ? "/s" : strcmp(row->name, "acceleration") == 0 ? "/s2" : "";
        char unit[16];
        snprintf(unit, sizeof unit, "%s%s", slides ? "m" : "rad", rates);
        if (!joint || row->unit[0] != '\0') {
            snprintf(unit, sizeof unit, "%s", row->unit);
        }
        if (strcmp(v->unit, unit) != 0 || offset_of(v) != row->offset) {
            fail_msg("%s: found unit %s and offset %zu, expected %s and %zu", v->name, v->unit, offset_of(v), unit,
                     row->offset);
        }
        if (v->meaning == GR_FMU_IS_CHANNEL) { // the value of the sample itself, in SI
            assert_near(v->factor * v->channel.row->scale, 1, 1e-15);
        }
    }
    gr_fmu_variables_free(&list);
    gr_world_free(world);
    gr_scenario_free(scenario);
}

static void test_variables(void **state)
{
    (void)state;
    check_variables("crossing"); // a path
    check_variables("own_track");
}

/// Exponents of kg, m, s and rad, and the factor to SI.
static void test_units(void **state)
{
    (void)state;
    static const GrFmuUnitRow EXPECTED[] = {
        {"m", 0, 1, 0, 0, 1},       {"s", 0, 0, 1, 0, 1},
        {"rad", 0, 0, 0, 1, 1},     {"deg", 0, 0, 0, 1, 0.017453292519943295},
        {"m/s", 0, 1, -1, 0, 1},    {"rad/s", 0, 0, -1, 1, 1},
        {"rad/s2", 0, 0, -2, 1, 1}, {"m/s2", 0, 1, -2, 0, 1},
        {"1/m", 0, -1, 0, 0, 1},    {"N", 1, 1, -2, 0, 1},
        {"N.m", 1, 2, -2, 0, 1},    {"W", 1, 2, -3, 0, 1},
        {"J", 1, 2, -2, 0, 1},
    };
    int count = 0;
    for (const GrFmuUnitRow *row; (row = gr_fmu_unit_row(count)) != NULL; count++) {
        size_t k = 0;
        while (k < sizeof EXPECTED / sizeof EXPECTED[0] && strcmp(EXPECTED[k].name, row->name) != 0) {
            k++;
        }
        if (k == sizeof EXPECTED / sizeof EXPECTED[0]) {
            fail_msg("the unit %s has no row in this test", row->name);
        }
        assert_int_equal(row->kg, EXPECTED[k].kg);
        assert_int_equal(row->m, EXPECTED[k].m);
        assert_int_equal(row->s, EXPECTED[k].s);
        assert_int_equal(row->rad, EXPECTED[k].rad);
        assert_near(row->factor, EXPECTED[k].factor, 1e-15);
    }
    assert_int_equal(count, sizeof EXPECTED / sizeof EXPECTED[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
