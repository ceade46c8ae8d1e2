/// Every number of run.csv and summary.json is the quantity that its name says, in the unit that its name says: a
/// sample and a summary of different numbers go through the files. A column or key with a unit that is not here fails.
#include "csv.h"
#include "document.h"
#include "run_csv.h"
#include "run_summary.h"
#include "support/shipped_rover.h"
#include "support/units.h"

#include "grouser/model.h"

#include <stdlib.h>

typedef enum Part { BODY, ENERGY, SUPPLY, LOCALISATION, WHEEL, JOINT, SLIDER, PARTS } Part;

/// A column, without the name of its wheel or joint, and where its value is in the struct of its part.
typedef struct Row {
    Part part;
    const char *name;
    size_t offset;
} Row;

#define OF(part, type, name, member)                                                                                   \
    {                                                                                                                  \
        part, name, offsetof(type, member)                                                                             \
    }

static const Row ROWS[] = {
    OF(BODY, GrSample, "time_s", time),
    OF(BODY, GrSample, "distance_m", distance),
    OF(BODY, GrSample, "x_m", pose.position.x),
    OF(BODY, GrSample, "y_m", pose.position.y),
    OF(BODY, GrSample, "z_m", pose.position.z),
    OF(BODY, GrSample, "roll_deg", roll),
    OF(BODY, GrSample, "pitch_deg", pitch),
    OF(BODY, GrSample, "heading_deg", heading),
    OF(BODY, GrSample, "vx_m_per_s", velocity.x),
    OF(BODY, GrSample, "vy_m_per_s", velocity.y),
    OF(BODY, GrSample, "vz_m_per_s", velocity.z),
    OF(BODY, GrSample, "wx_deg_per_s", angular_velocity.x),
    OF(BODY, GrSample, "wy_deg_per_s", angular_velocity.y),
    OF(BODY, GrSample, "wz_deg_per_s", angular_velocity.z),
    OF(BODY, GrSample, "imu_ax_m_per_s2", acceleration.x),
    OF(BODY, GrSample, "imu_ay_m_per_s2", acceleration.y),
    OF(BODY, GrSample, "imu_az_m_per_s2", acceleration.z),
    OF(BODY, GrSample, "odometry_x_m", odometry.x),
    OF(BODY, GrSample, "odometry_y_m", odometry.y),
    OF(BODY, GrSample, "odometry_heading_deg", odometry.heading),
    OF(BODY, GrSample, "command_speed_m_per_s", command.speed),
    OF(BODY, GrSample, "command_curvature_per_m", command.curvature),
    OF(BODY, GrSample, "command_yaw_rate_deg_per_s", command.yaw_rate),
    OF(BODY, GrSample, "command_crab_deg", command.crab),
    OF(BODY, GrSample, "cross_track_m", cross_track),
    OF(BODY, GrSample, "power_W", power),
    OF(BODY, GrSample, "belly_force_N", belly_force),
    OF(BODY, GrSample, "self_force_N", self_force),
    OF(BODY, GrSample, "step_s", step),
    OF(BODY, GrSample, "speed_m_per_s", more[0]),
    OF(BODY, GrSample, "odometry_error_m", more[1]),
    OF(ENERGY, GrEnergySample, "electric_J", electric),
    OF(ENERGY, GrEnergySample, "braking_J", braking),
    OF(ENERGY, GrEnergySample, "motor_J", motor),
    OF(ENERGY, GrEnergySample, "mechanical_J", mechanical),
    OF(ENERGY, GrEnergySample, "soil_J", soil),
    OF(ENERGY, GrEnergySample, "wheels_J", wheels),
    OF(ENERGY, GrEnergySample, "joints_J", joints),
    OF(ENERGY, GrEnergySample, "pull_J", pull),
    OF(ENERGY, GrEnergySample, "residual_J", residual),
    OF(SUPPLY, GrSupplySample, "sun_azimuth_deg", azimuth),
    OF(SUPPLY, GrSupplySample, "sun_elevation_deg", elevation),
    OF(SUPPLY, GrSupplySample, "solar_W", solar),
    OF(SUPPLY, GrSupplySample, "load_W", load),
    OF(SUPPLY, GrSupplySample, "battery_Wh", charge),
    OF(LOCALISATION, GrLocalisationSample, "delay_s", delay),
    OF(LOCALISATION, GrLocalisationSample, "x_m", position.x),
    OF(LOCALISATION, GrLocalisationSample, "y_m", position.y),
    OF(LOCALISATION, GrLocalisationSample, "z_m", position.z),
    OF(LOCALISATION, GrLocalisationSample, "error_m", error),
    OF(LOCALISATION, GrLocalisationSample, "error_3sigma_m", sigma),
    OF(LOCALISATION, GrLocalisationSample, "error_up_m", error_up),
    OF(LOCALISATION, GrLocalisationSample, "error_up_3sigma_m", sigma_up),
    OF(LOCALISATION, GrLocalisationSample, "heading_error_deg", heading_error),
    OF(LOCALISATION, GrLocalisationSample, "heading_3sigma_deg", heading_sigma),
    OF(BODY, GrSample, "angular_ax_rad_per_s2", angular_acceleration.x),
    OF(BODY, GrSample, "angular_ay_rad_per_s2", angular_acceleration.y),
    OF(BODY, GrSample, "angular_az_rad_per_s2", angular_acceleration.z),
    OF(WHEEL, GrWheelSample, "slip_angle_deg", slip_angle),
    OF(WHEEL, GrWheelSample, "sinkage_m", sinkage),
    OF(WHEEL, GrWheelSample, "deflection_m", deflection),
    OF(WHEEL, GrWheelSample, "fx_N", force.x),
    OF(WHEEL, GrWheelSample, "fy_N", force.y),
    OF(WHEEL, GrWheelSample, "fz_N", force.z),
    OF(WHEEL, GrWheelSample, "load_N", load),
    OF(WHEEL, GrWheelSample, "torque_Nm", torque),
    OF(WHEEL, GrWheelSample, "speed_rad_per_s", speed),
    OF(WHEEL, GrWheelSample, "power_W", power),
    OF(WHEEL, GrWheelSample, "x_m", centre.x),
    OF(WHEEL, GrWheelSample, "y_m", centre.y),
    OF(WHEEL, GrWheelSample, "z_m", centre.z),
    OF(JOINT, GrJointSample, "angle_deg", angle),
    OF(JOINT, GrJointSample, "rate_deg_per_s", rate),
    OF(JOINT, GrJointSample, "torque_Nm", torque),
    OF(JOINT, GrJointSample, "load_force_N", force),
    OF(JOINT, GrJointSample, "load_moment_Nm", moment),
    OF(JOINT, GrJointSample, "fx_N", load_force.x),
    OF(JOINT, GrJointSample, "fy_N", load_force.y),
    OF(JOINT, GrJointSample, "fz_N", load_force.z),
    OF(JOINT, GrJointSample, "mx_Nm", load_moment.x),
    OF(JOINT, GrJointSample, "my_Nm", load_moment.y),
    OF(JOINT, GrJointSample, "mz_Nm", load_moment.z),
    OF(JOINT, GrJointSample, "ax_m_per_s2", felt.x),
    OF(JOINT, GrJointSample, "ay_m_per_s2", felt.y),
    OF(JOINT, GrJointSample, "az_m_per_s2", felt.z),
    OF(JOINT, GrJointSample, "acceleration_rad_per_s2", acceleration),
    OF(SLIDER, GrJointSample, "position_m", angle),
    OF(SLIDER, GrJointSample, "rate_m_per_s", rate),
    OF(SLIDER, GrJointSample, "motor_force_N", torque),
    OF(SLIDER, GrJointSample, "load_force_N", force),
    OF(SLIDER, GrJointSample, "load_moment_Nm", moment),
    OF(SLIDER, GrJointSample, "fx_N", load_force.x),
    OF(SLIDER, GrJointSample, "fy_N", load_force.y),
    OF(SLIDER, GrJointSample, "fz_N", load_force.z),
    OF(SLIDER, GrJointSample, "mx_Nm", load_moment.x),
    OF(SLIDER, GrJointSample, "my_Nm", load_moment.y),
    OF(SLIDER, GrJointSample, "mz_Nm", load_moment.z),
    OF(SLIDER, GrJointSample, "ax_m_per_s2", felt.x),
    OF(SLIDER, GrJointSample, "ay_m_per_s2", felt.y),
    OF(SLIDER, GrJointSample, "az_m_per_s2", felt.z),
    OF(SLIDER, GrJointSample, "acceleration_m_per_s2", acceleration),
};

static const char *const OWNERS[PARTS] = {"", "energy", "supply", "localisation"};

/// Numbers that are all different, over a struct; what is not a number in it is set afterwards.
static void fill(void *out, size_t size, double first)
{
    for (size_t i = 0; i < size / sizeof(double); i++) {
        const double value = first + 0.0625 * (double)i;
        memcpy((char *)out + i * sizeof value, &value, sizeof value);
    }
}

static double at(const void *base, size_t offset)
{
    double value;
    memcpy(&value, (const char *)base + offset, sizeof value);
    return value;
}

static GrModel *model;
static GrSample sample;

static void make_sample(void)
{
    assert_true(gr_sample_init(model, 0, &sample));
    fill(&sample, offsetof(GrSample, wheels), 1);
    for (int i = 0; i < gr_model_wheel_count(model); i++) {
        fill(&sample.wheels[i], sizeof sample.wheels[i], 100 + i);
        sample.wheels[i].state = sample.wheels[i].stone = 0;
        sample.wheels[i].soil = 0;
    }
    for (int i = 0; i < gr_model_joint_count(model); i++) {
        fill(&sample.joints[i], sizeof sample.joints[i], 300 + i);
    }
    sample.command.mode = GR_DRIVE_STOP;
    sample.way_point = 0;
}

/// The part of a column, the struct that has its value, and its name alone.
static Part part_of(const char *column, const void **base, const char **name)
{
    const char *dot = strrchr(column, '.');
    char owner[GR_NAME_SIZE] = "";
    *name = dot != NULL ? dot + 1 : column;
    snprintf(owner, sizeof owner, "%.*s", dot != NULL ? (int)(dot - column) : 0, column);
    const void *bases[] = {&sample, &sample.energy, &sample.supply, &sample.localisation};
    for (int i = BODY; i <= LOCALISATION; i++) {
        if (strcmp(owner, OWNERS[i]) == 0) {
            *base = bases[i];
            return (Part)i;
        }
    }
    for (int i = 0; i < gr_model_wheel_count(model); i++) {
        if (strcmp(owner, gr_model_wheel_name(model, i)) == 0) {
            *base = &sample.wheels[i];
            return WHEEL;
        }
    }
    for (int i = 0; i < gr_model_joint_count(model); i++) {
        if (strncmp(owner, "joint.", 6) == 0 && strcmp(owner + 6, gr_model_joint_name(model, i)) == 0) {
            *base = &sample.joints[i];
            return gr_model_joint_slides(model, i) ? SLIDER : JOINT;
        }
    }
    print_error("whose is the column %s?\n", column);
    fail();
    return PARTS;
}

static void test_columns(void **state)
{
    (void)state;
    static const char *const SOILS[] = {"sand"};
    const GrRecordDef def = {.model = model, .soil_names = SOILS, .soil_count = 1, .supplied = true, .localised = true};
    bool seen[sizeof ROWS / sizeof ROWS[0]] = {false};
    GrCsv csv;
    make_sample();
    GrRunCsv *writer = gr_run_csv_open("run.csv", &def, 0, NULL);
    assert_non_null(writer);
    assert_int_equal(gr_run_csv_add(writer, &sample, 0, NULL), GR_OK);
    assert_int_equal(gr_run_csv_close(writer, NULL), GR_OK);
    assert_int_equal(gr_csv_load("run.csv", &csv, NULL), GR_OK);
    for (int c = 0; c < csv.column_count; c++) {
        const char *column = csv.names[c], *name;
        const void *base = NULL;
        double factor;
        const Part part = part_of(column, &base, &name);
        size_t row = 0;
        while (row < sizeof ROWS / sizeof ROWS[0] && !(ROWS[row].part == part && strcmp(ROWS[row].name, name) == 0)) {
            row++;
        }
        if (row == sizeof ROWS / sizeof ROWS[0]) {
            if (gr_test_unit(name, &factor)) {
                print_error("the column %s has a unit and no row in this test\n", column);
                fail();
            }
            continue;
        }
        seen[row] = true;
        const double expected = gr_test_in_unit(name, at(base, ROWS[row].offset));
        const double found = strtod(gr_csv_cell(&csv, 0, c), NULL);
        if (!(fabs(found - expected) <= 2e-5 * fabs(expected))) {
            print_error("%s: found %.9g, expected %.9g\n", column, found, expected);
            fail();
        }
    }
    for (size_t row = 0; row < sizeof ROWS / sizeof ROWS[0]; row++) {
        if (!seen[row]) {
            print_error("no column %s\n", ROWS[row].name);
            fail();
        }
    }
    gr_csv_free(&csv);
    gr_sample_free(&sample);
}

// ---- summary.json

/// A key by its path, and its member of GrRunSummary, or of the first element of a list.
static const struct {
    const char *path;
    Part list; ///< BODY: of the summary itself; ENERGY: way-point; SUPPLY: wheel; LOCALISATION: own contact; WHEEL:
               ///< warning
    size_t offset;
} KEYS[] = {
#define KEY(path, member)                                                                                              \
    {                                                                                                                  \
        path, BODY, offsetof(GrRunSummary, member)                                                                     \
    }
    KEY("outcome_time_s", outcome_time),
    KEY("time_s", time),
    KEY("wall_time_s", wall_time),
    KEY("distance_m", distance),
    KEY("progress_m", progress),
    KEY("climb_m", climb),
    KEY("descent_m", descent),
    KEY("roll_max_deg", roll_max),
    KEY("pitch_max_deg", pitch_max),
    KEY("cross_track_max_m", cross_track_max),
    KEY("odometry_error_m", odometry_error),
    KEY("step_min_s", step_min),
    KEY("step_max_s", step_max),
    KEY("energy_per_metre_J_per_m", energy_per_metre),
    KEY("energy.electric_J", energy.electric),
    KEY("energy.braking_J", energy.braking),
    KEY("energy.motor_J", energy.motor),
    KEY("energy.mechanical_J", energy.mechanical),
    KEY("energy.soil_J", energy.soil),
    KEY("energy.wheels_J", energy.wheels),
    KEY("energy.joints_J", energy.joints),
    KEY("energy.pull_J", energy.pull),
    KEY("energy.residual_J", energy.residual),
    KEY("supply.dark_longest_s", supply.dark_longest),
    KEY("supply.solar_J", supply.solar),
    KEY("supply.wasted_J", supply.wasted),
    KEY("supply.load_J", supply.load),
    KEY("supply.drives_J", supply.drives),
    KEY("supply.battery_capacity_Wh", supply.capacity),
    KEY("supply.battery_start_Wh", supply.charge_start),
    KEY("supply.battery_end_Wh", supply.charge_end),
    KEY("supply.battery_min_Wh", supply.charge_min),
    KEY("localisation.error_m", localisation.end.error),
    KEY("localisation.error_3sigma_m", localisation.end.sigma),
    KEY("localisation.error_max_m", localisation.error_max),
    KEY("localisation.error_rms_m", localisation.error_rms),
    KEY("localisation.error_up_m", localisation.end.error_up),
    KEY("localisation.heading_error_deg", localisation.end.heading_error),
    KEY("localisation.heading_3sigma_deg", localisation.end.heading_sigma),
    KEY("localisation.delay_s", localisation.end.delay),
    {"way_points.x_m", ENERGY, offsetof(GrArrival, point.x)},
    {"way_points.y_m", ENERGY, offsetof(GrArrival, point.y)},
    {"way_points.asked_s", ENERGY, offsetof(GrArrival, point.time)},
    {"way_points.arrived_s", ENERGY, offsetof(GrArrival, time)},
    {"way_points.off_m", ENERGY, offsetof(GrArrival, off)},
    {"way_points.distance_m", ENERGY, offsetof(GrArrival, distance)},
    {"wheels.sinkage_mean_m", SUPPLY, offsetof(GrWheelSummary, sinkage_mean)},
    {"wheels.sinkage_max_m", SUPPLY, offsetof(GrWheelSummary, sinkage_max)},
    {"wheels.deflection_mean_m", SUPPLY, offsetof(GrWheelSummary, deflection_mean)},
    {"wheels.deflection_max_m", SUPPLY, offsetof(GrWheelSummary, deflection_max)},
    {"wheels.load_mean_N", SUPPLY, offsetof(GrWheelSummary, load_mean)},
    {"wheels.load_max_N", SUPPLY, offsetof(GrWheelSummary, load_max)},
    {"wheels.torque_mean_Nm", SUPPLY, offsetof(GrWheelSummary, torque_mean)},
    {"wheels.torque_max_Nm", SUPPLY, offsetof(GrWheelSummary, torque_max)},
    {"wheels.energy_J", SUPPLY, offsetof(GrWheelSummary, energy)},
    {"wheels.chatter_per_s", SUPPLY, offsetof(GrWheelSummary, chatter)},
    {"wheels.states.time_s", SUPPLY, offsetof(GrWheelSummary, state_time)},
    {"self_contacts.first_s", LOCALISATION, offsetof(GrSelfContact, first)},
    {"self_contacts.time_s", LOCALISATION, offsetof(GrSelfContact, time)},
    {"self_contacts.force_max_N", LOCALISATION, offsetof(GrSelfContact, force_max)},
    {"warnings.first_s", WHEEL, offsetof(GrWarning, first)},
};

static GrArrival arrival;
static GrWheelSummary wheel;
static GrWarning warning;
static GrSelfContact contact;
static GrRunSummary summary;

static void make_summary(void)
{
    fill(&summary.outcome_time, sizeof(double), 0.5);
    fill(&summary.time, offsetof(GrRunSummary, steps) - offsetof(GrRunSummary, time), 1);
    fill(&summary.step_min, 2 * sizeof(double), 400);
    fill(&arrival, sizeof arrival, 500);
    fill(&wheel, sizeof wheel, 600);
    memset(wheel.state_entries, 0, sizeof wheel.state_entries);
    wheel.state_entries[0] = 1;
    summary.supply.given = summary.localisation.given = true;
    arrival.state = GR_ARRIVAL_REACHED;
    summary.way_points = &arrival;
    summary.wheels = &wheel;
    summary.way_point_count = summary.wheel_count = summary.self_contact_count = summary.warning_count = 1;
    contact = (GrSelfContact){.first = 701, .time = 702, .force_max = 703};
    warning.first = 801;
    summary.self_contacts = &contact;
    summary.warnings = &warning;
    summary.state_hash = 1;
}

/// Checks the numbers of an object and of what is in it; `path`: of the object, with a dot.
static void check_node(const GrNode *node, const char *path)
{
    const void *bases[] = {&summary, &arrival, &wheel, &contact, &warning};
    for (const GrNode *child = node->first; child != NULL; child = child->next) {
        char full[200];
        double factor;
        const bool listed = node->kind == GR_NODE_LIST, nested = child->kind != GR_NODE_SCALAR;
        snprintf(full, sizeof full, "%s%s%s", path, listed ? "" : child->key, nested && !listed ? "." : "");
        if (nested) {
            check_node(child, full);
            continue;
        }
        size_t row = 0;
        while (row < sizeof KEYS / sizeof KEYS[0] && strcmp(KEYS[row].path, full) != 0) {
            row++;
        }
        if (row < sizeof KEYS / sizeof KEYS[0]) {
            const double expected = gr_test_in_unit(full, at(bases[KEYS[row].list], KEYS[row].offset));
            if (!(fabs(strtod(child->text, NULL) - expected) <= 1e-9 * fabs(expected))) {
                print_error("%s: found %s, expected %.9g\n", full, child->text, expected);
                fail();
            }
        } else if (strcmp(full, "way_points.late_s") == 0) {
            assert_near(strtod(child->text, NULL), arrival.time - arrival.point.time, 1e-9);
        } else if (gr_test_unit(full, &factor)) {
            print_error("the key %s has a unit and no row in this test\n", full);
            fail();
        }
    }
}

static void test_summary(void **state)
{
    (void)state;
    GrBuffer text = {0};
    GrDocument *document;
    make_summary();
    const GrRunHead head = {.name = "n", .model = model};
    assert_int_equal(gr_run_summary_format(&head, &summary, &text), GR_OK);
    assert_int_equal(gr_document_parse(text.data, text.size, "summary.json", &document, NULL), GR_OK);
    check_node(document->root, "");
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        const char *dot = strrchr(KEYS[i].path, '.');
        assert_non_null(strstr(text.data, dot != NULL ? dot + 1 : KEYS[i].path));
    }
    gr_document_free(document);
    gr_buffer_free(&text);
}

static int open_model(void **state)
{
    (void)state;
    GrRoverDef rover;
    load_rover("ex1_like", &rover); // it has joints that slide
    gr_model_create(&rover, NULL, &model, NULL);
    gr_rover_free(&rover);
    return model != NULL ? 0 : -1;
}

static int close_model(void **state)
{
    (void)state;
    gr_model_free(model);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_summary),
    };
    return cmocka_run_group_tests(tests, open_model, close_model);
}
