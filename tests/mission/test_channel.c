/// The table of channels: names, places, values that are computed, and how a rover's channels are found.
#include "scenario_data.h"
#include "test.h"

#include "channel.h"
#include "vec3.h"

#include <string.h>

static GrScenario *scenario = NULL;
static GrWorld *world = NULL;
static GrSample sample;

static void start(void)
{
    GrErrorLog log = {0};
    assert_int_equal(gr_scenario_load("crossing", NULL, &scenario, &log), GR_OK);
    assert_int_equal(gr_world_create(scenario, &world, &log), GR_OK);
    assert_true(gr_sample_init(world->model, gr_mission_rock_count(world->mission), &sample));
    gr_mission_advance(world->mission, 3);
    gr_mission_sample(world->mission, &sample);
}

static void end(void)
{
    gr_sample_free(&sample);
    gr_world_free(world);
    gr_scenario_free(scenario);
}

/// Every name occurs once in a run, and every value has its own place.
static void test_names_and_places(void **state)
{
    (void)state;
    start();
    GrChannels channels;
    assert_true(gr_channels_init(&channels, world->model, GR_PART_ALL));
    assert_true(channels.count > 100);
    char *names = test_calloc((size_t)channels.count, GR_CHANNEL_NAME);
    for (int i = 0; i < channels.count; i++) {
        char *name = names + (ptrdiff_t)i * GR_CHANNEL_NAME;
        const GrChannel *a = &channels.items[i];
        gr_channel_name(world->model, a, name);
        for (int k = 0; k < i; k++) {
            const GrChannel *b = &channels.items[k];
            assert_string_not_equal(name, names + (ptrdiff_t)k * GR_CHANNEL_NAME);
            assert_true(a->owner != b->owner || a->offset != b->offset);
        }
        GrChannel found;
        const bool number = a->row->kind == GR_CHANNEL_NUMBER || a->row->kind == GR_CHANNEL_INTEGER;
        assert_int_equal(gr_channel_find(world->model, name, &found), number);
        if (number) {
            assert_ptr_equal(found.row, a->row);
            assert_int_equal(found.offset, a->offset);
        }
    }
    test_free(names);
    gr_channels_free(&channels);
    end();
}

static double value_of(const char *name, int k)
{
    GrChannel channel;
    assert_true(gr_channel_find(world->model, name, &channel));
    assert_true(k < channel.width);
    return gr_channel_value(&channel, &sample, k);
}

/// Members in the units of their names, computed values from their definition, and all wheels by one name.
static void test_values(void **state)
{
    (void)state;
    start();
    const double dx = sample.odometry.x - sample.pose.position.x, dy = sample.odometry.y - sample.pose.position.y;
    const double vx = sample.velocity.x, vy = sample.velocity.y;
    assert_true(vx * vx + vy * vy > 0);
    assert_near_rel(value_of("speed_m_per_s", 0), sqrt(vx * vx + vy * vy), 1e-14);
    assert_near_rel(value_of("odometry_error_m", 0), sqrt(dx * dx + dy * dy), 1e-14);
    assert_near(value_of("pitch_deg", 0), sample.pitch * 180 / 3.14159265358979324, 1e-12);
    assert_near(value_of("energy.soil_J", 0), sample.energy.soil, 0);
    for (int i = 0; i < gr_model_wheel_count(world->model); i++) {
        char name[GR_CHANNEL_NAME];
        snprintf(name, sizeof name, "%s.load_N", gr_model_wheel_name(world->model, i));
        assert_true(sample.wheels[i].load > 0);
        assert_near(value_of(name, 0), sample.wheels[i].load, 0);
        assert_near(value_of("*.load_N", i), sample.wheels[i].load, 0);
    }
    GrChannel none;
    assert_false(gr_channel_find(world->model, "*.load", &none));
    assert_false(gr_channel_find(world->model, "load_N", &none));
    assert_false(gr_channel_find(world->model, "energy", &none));
    end();
}

static void test_units(void **state)
{
    (void)state;
    const struct {
        const char *name, *text, *si;
        double factor;
    } rows[] = {{"imu_ax_m_per_s2", "m/s²", "m/s2", 1},
                {"wz_deg_per_s", "°/s", "rad/s", 0.017453292519943295},
                {"acceleration_rad_per_s2", "rad/s²", "rad/s2", 1},
                {"battery_Wh", "Wh", "J", 3600},
                {"load_moment_Nm", "N m", "N.m", 1},
                {"x_m", "m", "m", 1},
                {"nees", "", "", 1},
                {"_m", "", "", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const GrChannelUnit *unit = gr_channel_unit(rows[i].name);
        assert_string_equal(unit->text, rows[i].text);
        assert_string_equal(unit->si, rows[i].si);
        assert_near_rel(unit->factor, rows[i].factor, 1e-15);
    }
}

/// Newton's law of each wheel: what its joint transmits, what the ground exerts and its weight are mass times
/// acceleration. Forces in joint axes, which are fixed in the joint's parent; the wheel's centre is its centre of mass.
static void test_joint_loads_move_the_wheels(void **state)
{
    (void)state;
    const double near = 0.01; // of the weight of the rover: frames are those of the step's beginning
    start();
    const GrRoverDef *rover = &scenario->rover;
    const double weight = gr_norm(scenario->gravity) * gr_balance(world->model, gr_mission_data(world->mission)).mass;
    int checked = 0;
    for (int i = 0; i < rover->wheel_count; i++) {
        const GrWheelView wheel = gr_data_wheel(world->model, gr_mission_data(world->mission), i);
        for (int k = 0; k < rover->joint_count; k++) {
            const GrJointDef *joint = &rover->joints[k];
            const int index = gr_model_find_joint(world->model, joint->name);
            const GrBodyDef *body = &rover->bodies[joint->child];
            if (joint->child != rover->wheels[i].body || index < 0 || gr_norm(body->com) > 1e-9) {
                continue;
            }
            const GrQuat axes = gr_quat_mul(sample.bodies[joint->parent].rotation, joint->pose.rotation);
            const GrVec3 ground = gr_quat_rotate(gr_quat_conjugate(axes), gr_add(wheel.world_force, wheel.rock_force));
            const GrJointSample *load = &sample.joints[index];
            const GrVec3 sum = gr_add(load->load_force, ground), inertia = gr_scale(body->mass, load->felt);
            assert_true(gr_norm(ground) > near * weight);
            assert_near(gr_norm(gr_sub(sum, inertia)), 0, near * weight);
            assert_near_rel(gr_norm(load->load_force), load->force, 1e-12);
            assert_near_rel(gr_norm(load->load_moment), load->moment, 1e-12);
            checked++;
        }
    }
    assert_true(checked >= 4);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names_and_places), cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_units),
                                       cmocka_unit_test(test_joint_loads_move_the_wheels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
