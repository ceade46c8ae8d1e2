/// Every key with a unit is read into the quantity that it names, in SI units: files in which all numbers are
/// different, and a table of where each key goes. A key with a unit that a file has and the table lacks fails, and so
/// does one that the readers know and no file has.
#include "alloc.h"
#include "document.h"
#include "file.h"
#include "messages.h"
#include "sensor_param.h"
#include "soil_param.h"
#include "support/units.h"
#include "vec3.h"

#include "grain_study_yaml.h"
#include "grains_yaml.h"
#include "grouser/localise.h"
#include "grouser/sense.h"
#include "scenario_data.h"

#include <ctype.h>
#include <stdlib.h>

/// A key by the path that messages show, and where its number, or the first of its numbers, is.
typedef struct Row {
    const char *path;
    const double *at;
    const GrQuat *turn; ///< of roll, pitch and yaw; NULL: numbers
} Row;

static Row table[128]; ///< of a file with many keys
static int table_count;

static char known[65536]; ///< keys with a unit in all files, each between spaces

// ---- comparing a file with what was read from it

static double number_of(const GrNode *node)
{
    assert_int_equal(node->kind, GR_NODE_SCALAR);
    return strtod(node->text, NULL);
}

static void compare(const char *path, double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-12 * fmax(1e-3, fabs(expected)))) {
        print_error("%s: found %.15g, expected %.15g\n", path, found, expected);
        fail();
    }
}

/// R = R_z(yaw) R_y(pitch) R_x(roll), written out.
static void compare_turn(const char *path, const GrNode *list, GrQuat found)
{
    const double r = number_of(list->first) * GR_PI / 180, p = number_of(list->first->next) * GR_PI / 180;
    const double y = number_of(list->first->next->next) * GR_PI / 180;
    const GrVec3 x_axis = gr_quat_rotate(found, gr_vec3(1, 0, 0)), z_axis = gr_quat_rotate(found, gr_vec3(0, 0, 1));
    compare(path, x_axis.x, cos(y) * cos(p));
    compare(path, x_axis.y, sin(y) * cos(p));
    compare(path, x_axis.z, -sin(p));
    compare(path, z_axis.x, cos(y) * sin(p) * cos(r) + sin(y) * sin(r));
    compare(path, z_axis.y, sin(y) * sin(p) * cos(r) - cos(y) * sin(r));
    compare(path, z_axis.z, cos(p) * cos(r));
}

/// Compares all numbers below a node, in their order, with those at `at`.
static const double *compare_numbers(const char *path, const GrNode *node, double factor, const double *at)
{
    if (node->kind == GR_NODE_SCALAR) {
        compare(path, *at, number_of(node) / factor);
        return at + 1;
    }
    for (const GrNode *child = node->first; child != NULL; child = child->next) {
        at = compare_numbers(path, child, factor, at);
    }
    return at;
}

/// Checks every key with a unit below a node. Returns how many rows of the table were used.
static int check_node(const GrNode *node, const Row *rows, int count)
{
    int used = 0;
    for (const GrNode *child = node->first; child != NULL; child = child->next) {
        char path[GR_PATH_SIZE];
        double factor;
        if (node->kind == GR_NODE_LIST || !gr_test_unit(child->key, &factor)) {
            used += check_node(child, rows, count);
            continue;
        }
        const char *field = gr_node_location(child, path, sizeof path).field;
        int row = 0;
        while (row < count && strcmp(rows[row].path, field) != 0) {
            row++;
        }
        if (row == count) {
            print_error("the key %s has a unit and no row in this test\n", field);
            fail();
        }
        if (rows[row].turn != NULL) {
            compare_turn(field, child, *rows[row].turn);
        } else if (rows[row].at != NULL) {
            compare_numbers(field, child, factor, rows[row].at);
        }
        const size_t length = strlen(known);
        snprintf(known + length, sizeof known - length, "%s ", child->key);
        used++;
    }
    return used;
}

static const char *path_of(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/tests/scenario/units/%s.yaml", GR_TEST_SOURCE_DIR, name);
    return path;
}

static void check_file(const char *name, const Row *rows, int count)
{
    GrDocument *document;
    assert_int_equal(gr_document_load(path_of(name), &document, NULL), GR_OK);
    assert_int_equal(check_node(document->root, rows, count), count);
    gr_document_free(document);
}

static void add_rows(const Row *rows, int count)
{
    assert_true(table_count + count <= (int)(sizeof table / sizeof table[0]));
    memcpy(&table[table_count], rows, (size_t)count * sizeof *rows);
    table_count += count;
}

static void load(const char *name, GrScenario **s)
{
    GrErrorLog log = {0};
    if (gr_scenario_load(path_of(name), NULL, s, &log) != GR_OK) {
        fail_msg("%s: %s", gr_messages_at(&log, 0)->field, gr_messages_at(&log, 0)->text);
    }
}

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))
#define AT(path, at)                                                                                                   \
    {                                                                                                                  \
        path, &(at), NULL                                                                                              \
    }
#define TURN(path, q)                                                                                                  \
    {                                                                                                                  \
        path, NULL, &(q)                                                                                               \
    }
#define ELSEWHERE(path)                                                                                                \
    {                                                                                                                  \
        path, NULL, NULL                                                                                               \
    }

static void add_bodies(const GrRoverDef *r)
{
    const GrBodyDef *b = r->bodies;
    const Row rows[] = {
        AT("bodies.base.mass_kg", b[0].mass),
        AT("bodies.base.com_m", b[0].com.x),
        AT("bodies.base.inertia_kgm2", b[0].inertia.xx),
        AT("bodies.base.shapes[0].box.size_m", b[0].shapes[0].size.x),
        AT("bodies.base.shapes[0].box.at_m", b[0].shapes[0].pose.position.x),
        TURN("bodies.base.shapes[0].box.rotation_deg", b[0].shapes[0].pose.rotation),
        AT("bodies.base.shapes[1].cylinder.radius_m", b[0].shapes[1].radius),
        AT("bodies.base.shapes[1].cylinder.length_m", b[0].shapes[1].length),
        AT("bodies.base.shapes[2].rod.from_m", b[0].shapes[2].from.x),
        AT("bodies.base.shapes[2].rod.to_m", b[0].shapes[2].to.x),
        AT("bodies.base.shapes[2].rod.radius_m", b[0].shapes[2].radius),
    };
    add_rows(rows, COUNT(rows));
}

static void add_joints(const GrRoverDef *r)
{
    const GrBodyDef *b = r->bodies;
    const GrJointDef *arm = &r->joints[0], *slide = &r->joints[1];
    const Row rows[] = {
        AT("bodies.arm.mass_kg", b[1].mass),
        ELSEWHERE("bodies.arm.inertia_of.sphere.radius_m"),
        AT("bodies.arm.joint.at_m", arm->pose.position.x),
        TURN("bodies.arm.joint.rotation_deg", arm->pose.rotation),
        AT("bodies.arm.joint.limits_deg", arm->lower),
        AT("bodies.arm.joint.stop_stiffness_Nm_per_rad", arm->stop_stiffness),
        AT("bodies.arm.joint.stop_damping_Nms_per_rad", arm->stop_damping),
        AT("bodies.arm.joint.stiffness_Nm_per_rad", arm->stiffness),
        AT("bodies.arm.joint.rest_deg", arm->rest),
        AT("bodies.arm.joint.damping_Nms_per_rad", arm->damping),
        AT("bodies.arm.joint.friction_Nm", arm->friction),
        AT("bodies.arm.joint.friction_travel_deg", arm->friction_travel),
        AT("bodies.arm.joint.initial_deg", arm->initial),
        AT("bodies.arm.joint.motor.torque_limit_Nm", arm->motor.torque_limit),
        AT("bodies.arm.joint.motor.stall_torque_Nm", arm->motor.stall_torque),
        AT("bodies.arm.joint.motor.no_load_speed_rad_per_s", arm->motor.no_load_speed),
        AT("bodies.arm.joint.motor.rotor_inertia_kgm2", arm->motor.rotor_inertia),
        AT("bodies.slide.mass_kg", b[2].mass),
        ELSEWHERE("bodies.slide.inertia_of.sphere.radius_m"),
        AT("bodies.slide.joint.limits_m", slide->lower),
        AT("bodies.slide.joint.stop_stiffness_N_per_m", slide->stop_stiffness),
        AT("bodies.slide.joint.stop_damping_Ns_per_m", slide->stop_damping),
        AT("bodies.slide.joint.stiffness_N_per_m", slide->stiffness),
        AT("bodies.slide.joint.rest_m", slide->rest),
        AT("bodies.slide.joint.damping_Ns_per_m", slide->damping),
        AT("bodies.slide.joint.friction_N", slide->friction),
        AT("bodies.slide.joint.friction_travel_m", slide->friction_travel),
        AT("bodies.slide.joint.initial_m", slide->initial),
        AT("bodies.slide.joint.motor.force_limit_N", slide->motor.torque_limit),
        AT("bodies.slide.joint.motor.stall_force_N", slide->motor.stall_torque),
        AT("bodies.slide.joint.motor.no_load_speed_m_per_s", slide->motor.no_load_speed),
        AT("bodies.slide.joint.motor.rotor_mass_kg", slide->motor.rotor_inertia),
    };
    add_rows(rows, COUNT(rows));
}

static void add_others(const GrRoverDef *r)
{
    const GrBodyDef *b = r->bodies;
    const GrJointDef *screw = &r->joints[2], *load_joint = &r->joints[3];
    const GrWheelDef *w = &r->wheels[0];
    const Row rows[] = {
        AT("bodies.screw.mass_kg", b[3].mass),
        ELSEWHERE("bodies.screw.inertia_of.sphere.radius_m"),
        AT("bodies.screw.joint.pitch_m_per_rad", screw->pitch),
        AT("bodies.load.mass_kg", b[4].mass),
        ELSEWHERE("bodies.load.inertia_of.sphere.radius_m"),
        AT("bodies.load.joint.initial_at_m", load_joint->initial_pose.position.x),
        TURN("bodies.load.joint.initial_rotation_deg", load_joint->initial_pose.rotation),
        AT("bodies.second.mass_kg", b[5].mass),
        ELSEWHERE("bodies.second.inertia_of.sphere.radius_m"),
        AT("bodies.third.mass_kg", b[6].mass),
        ELSEWHERE("bodies.third.inertia_of.sphere.radius_m"),
        AT("bodies.wheel.mass_kg", b[7].mass),
        ELSEWHERE("bodies.wheel.inertia_of.sphere.radius_m"),
        AT("wheels.wheel.at_m", w->pose.position.x),
        TURN("wheels.wheel.rotation_deg", w->pose.rotation),
        AT("wheels.wheel.radius_m", w->radius),
        AT("wheels.wheel.width_m", w->width),
        AT("wheels.wheel.stiffness_N_per_m", w->stiffness),
        AT("wheels.wheel.damping_Ns_per_m", w->damping),
        AT("wheels.wheel.crown_m", w->crown),
        AT("wheels.wheel.grousers.height_m", w->grouser_height),
        AT("wheels.wheel.grousers.thickness_m", w->grouser_thickness),
        AT("wheels.wheel.grousers.angle_deg", w->grouser_angle),
        AT("couplings.turning.offset_deg", r->couplings[0].offset),
        AT("couplings.sliding.offset_m", r->couplings[1].offset),
        AT("sensors.imu.at_m", r->sensors[0].pose.position.x),
        TURN("sensors.imu.rotation_deg", r->sensors[0].pose.rotation),
        AT("localisation.side_slip_deg", r->localisation->side_slip),
        AT("localisation.slip_time_s", r->localisation->slip_time),
        AT("localisation.start_position_m", r->localisation->start_position),
        AT("localisation.start_attitude_deg", r->localisation->start_attitude),
    };
    add_rows(rows, COUNT(rows));
}

static void test_rover(void **state)
{
    (void)state;
    GrRoverDef r;
    GrErrorLog log = {0};
    table_count = 0;
    if (gr_rover_load(path_of("rover"), NULL, &r, &log) != GR_OK) {
        fail_msg("%s: %s", log.items[0].field, log.items[0].text);
    }
    assert_string_equal(r.joints[1].name, "slide");
    add_bodies(&r);
    add_joints(&r);
    add_others(&r);
    check_file("rover", table, table_count);
    assert_near(r.bodies[1].inertia.yy, 0.4 * 2.1 * 0.1 * 0.1, 1e-15); // of a ball
    gr_rover_free(&r);
}

static void test_lander(void **state)
{
    (void)state;
    GrLanderDef l;
    GrErrorLog log = {0};
    if (gr_lander_load(path_of("lander"), &l, &log) != GR_OK) {
        fail_msg("%s: %s", log.items[0].field, log.items[0].text);
    }
    const GrLanderRamp *ramp = &l.ramps[0];
    const Row rows[] = {
        AT("mass_centre_m", l.com.x),
        AT("feet[0].at_m", l.feet[0].position.x),
        AT("feet[0].radius_m", l.feet[0].radius),
        AT("feet[1].at_m", l.feet[1].position.x),
        AT("feet[2].at_m", l.feet[2].position.x),
        AT("feet[3].at_m", l.feet[3].position.x),
        AT("underside.corners_m", l.corners[0][0]),
        AT("underside.height_m", l.underside),
        AT("deck.size_m", l.deck_length),
        AT("deck.height_m", l.deck_height),
        AT("deck.thickness_m", l.deck_thickness),
        AT("deck.at_m", l.deck_x),
        AT("ramps.front.direction_deg", ramp->direction),
        AT("ramps.front.hinge_m", ramp->hinge.x),
        AT("ramps.front.length_m", ramp->length),
        AT("ramps.front.width_m", ramp->width),
        AT("ramps.front.gap_m", ramp->gap),
        AT("ramps.front.thickness_m", ramp->thickness),
        AT("ramps.front.range_deg", ramp->first),
    };
    check_file("lander", rows, COUNT(rows));
}

static void add_start(const GrScenario *s)
{
    const GrMissionDef *m = &s->mission;
    const Row rows[] = {
        ELSEWHERE("gravity.tilt_deg"),
        ELSEWHERE("gravity.toward_deg"),
        AT("start.x_m", s->start.x),
        AT("start.y_m", s->start.y),
        AT("start.heading_deg", s->start.heading),
        AT("start.height_m", s->start.height),
        AT("start.velocity_mps", s->start.velocity.x),
        AT("start.angular_velocity_dps", s->start.angular_velocity.x),
        AT("start.roll_deg", s->start.roll),
        AT("start.pitch_deg", s->start.pitch),
        AT("sun.azimuth_deg", m->sun.azimuth),
        AT("sun.elevation_deg", m->sun.elevation),
        AT("power.panel.area_m2", m->supply.panel_area),
        AT("power.panel.tilt_deg", m->supply.panel_tilt),
        AT("power.panel.toward_deg", m->supply.panel_toward),
        AT("power.battery.capacity_Wh", m->supply.capacity),
        AT("power.load_W", m->supply.load),
        AT("power.dark_load_W", m->supply.dark_load),
    };
    add_rows(rows, COUNT(rows));
}

static void add_drive(const GrScenario *s)
{
    const GrMissionDef *m = &s->mission;
    const GrControlDef *c = &m->control;
    const Row rows[] = {
        AT("drive.script[0].time_s", s->script[0].time),
        AT("drive.script[0].speed_mps", s->script[0].command.speed),
        AT("drive.script[0].curvature_per_m", s->script[0].command.curvature),
        AT("drive.script[0].crab_deg", s->script[0].command.crab),
        AT("drive.script[1].time_s", s->script[1].time),
        AT("drive.script[1].yaw_rate_dps", s->script[1].command.yaw_rate),
        AT("drive.manual[0].time_s", s->manual[0].time),
        AT("drive.manual[0].speed_mps", s->manual[0].command.speed),
        AT("drive.manual[0].yaw_rate_dps", s->manual[0].command.yaw_rate),
        AT("drive.steer_rate_dps", c->steer_rate),
        AT("drive.wheel_acceleration_mps2", c->wheel_acceleration),
        AT("drive.pull_N", m->pull),
        AT("drive.control_period_s", m->control_period),
        AT("drive.slip_time_s", c->slip_time),
        AT("drive.stride_m", c->stride),
        AT("stop.time_s", m->duration),
        AT("stop.tip_deg", m->tip_angle),
        AT("stop.stuck_s", m->stuck_time),
        AT("stop.overload_N", m->overload),
        AT("stop.belly_s", m->belly_time),
        AT("step.min_ms", m->step_min),
        AT("step.max_ms", m->step_max),
        AT("step.hard_ms", m->step_hard),
        AT("step.push_ms", m->step_push),
        AT("step.hub_travel_mm", m->hub_travel),
        AT("step.landing_travel_mm", m->landing_travel),
    };
    add_rows(rows, COUNT(rows));
}

static void add_ground(const GrScenario *s)
{
    const GrTerrainPlan *t = &s->terrain;
    const Row rows[] = {
        AT("ruts.cell_m", s->rut_cell),
        AT("record.rate_Hz", s->record_rate),
        AT("record.ruts_resolution_mm", s->record_ruts),
        AT("terrain.size_m", t->size_x),
        AT("terrain.cell_m", t->cell),
        AT("terrain.margin_m", t->margin),
        ELSEWHERE("terrain.add[0].plane.slope_deg"), // tests/assets/test_surface.c
        ELSEWHERE("terrain.layers[0].add[0].plane.slope_deg"),
        AT("terrain.layers[0].size_m", t->layers[0].size_x),
        AT("terrain.layers[0].cell_m", t->layers[0].cell),
        AT("terrain.layers[0].x_m", t->layers[0].x),
        AT("terrain.layers[0].y_m", t->layers[0].y),
        AT("terrain.layers[0].margin_m", t->layers[0].margin),
        AT("terrain.rocks.coefficient_per_m2", t->rocks.coefficient),
        AT("terrain.rocks.smallest_m", t->rocks.diameter_lower),
        AT("terrain.rocks.largest_m", t->rocks.diameter_upper),
        AT("terrain.rocks.gap_m", t->rocks.gap),
        AT("terrain.rocks.clear_m", t->clear_radius),
        AT("terrain.rocks.loose_below_m", t->loose_below),
        AT("terrain.rocks.on_tracks.every_m", t->track_rocks.spacing),
        AT("terrain.rocks.on_tracks.diameter_m", t->track_rocks.diameter),
        AT("terrain.rocks.on_tracks.from_m", t->track_rocks.from),
        AT("soil_map.wavelength_m", s->soil_map.wavelength),
        AT("soil_map.cell_m", s->soil_map.cell),
        AT("soil_map.border_m", s->soil_map.border),
        AT("hard.zones[0].circle_m", s->zones[0].x),
        ELSEWHERE("hard.zones[1].box_m"),
        AT("hard.zones[2].polygon_m", s->zones[2].corners[0][0]),
        AT("hard.rock_zones[0].facing_deg", s->scene.rock_zones[0].facing_lower),
        ELSEWHERE("hard.materials.ice.young_Pa"),
    };
    add_rows(rows, COUNT(rows));
}

static void test_drive(void **state)
{
    (void)state;
    GrScenario *s = NULL;
    table_count = 0;
    load("drive", &s);
    add_start(s);
    add_drive(s);
    add_ground(s);
    check_file("drive", table, table_count);
    // the ground appears to rise towards 60 degrees: the pull is away from there
    compare("gravity.x", s->gravity.x, -10 * 0.5 * 0.5);
    compare("gravity.y", s->gravity.y, -10 * 0.5 * sqrt(0.75));
    compare("gravity.z", s->gravity.z, -10 * sqrt(0.75));
    double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < s->zones[1].corner_count; i++) {
        for (int k = 0; k < 2; k++) {
            least[k] = fmin(least[k], s->zones[1].corners[i][k]);
            most[k] = fmax(most[k], s->zones[1].corners[i][k]);
        }
    }
    assert_true(least[0] == 1.24 && least[1] == 1.25 && most[0] == 12.6 && most[1] == 12.7);
    assert_true(s->scene.materials[s->zones[0].material].young == 1280000);
    gr_scenario_free(s);
}

static void test_path_and_sun(void **state)
{
    (void)state;
    GrScenario *s = NULL;
    load("path", &s);
    const GrControlDef *c = &s->mission.control;
    const Row rows[] = {
        AT("sun.lon_deg", s->mission.sun.lon),     AT("sun.lat_deg", s->mission.sun.lat),
        AT("sun.north_deg", s->mission.sun.north), AT("drive.speed_mps", c->cruise_speed),
        AT("drive.speed_max_mps", c->speed_max),   AT("drive.look_ahead_m", c->look_ahead),
        AT("drive.tolerance_m", c->tolerance),     AT("drive.turn_angle_deg", c->turn_angle),
        AT("drive.turn_done_deg", c->turn_done),   AT("step.tolerance_mm", s->mission.tolerance),
    };
    check_file("path", rows, COUNT(rows));
    assert_true(s->path[1].x == 7 && s->path[1].y == 8);
    gr_scenario_free(s);
}

static void test_moves(void **state)
{
    (void)state;
    GrScenario *s = NULL;
    load("moves", &s);
    const Row rows[] = {
        AT("step.step_ms", s->mission.step),
        AT("drive.script[0].time_s", s->moves[0].time),
        AT("drive.script[0].position_deg", s->moves[0].position),
        AT("drive.script[0].over_s", s->moves[0].duration),
        AT("drive.script[1].time_s", s->moves[1].time),
        AT("drive.script[1].position_m", s->moves[1].position),
        AT("drive.script[1].over_s", s->moves[1].duration),
    };
    check_file("moves", rows, COUNT(rows));
    gr_scenario_free(s);
}

static void test_landing(void **state)
{
    (void)state;
    GrScenario *s = NULL;
    load("landing", &s);
    const Row rows[] = {
        AT("lander.x_m", s->lander.spot.x),
        AT("lander.y_m", s->lander.spot.y),
        AT("lander.heading_deg", s->lander.spot.heading),
        AT("lander.beyond_m", s->lander.beyond),
        AT("lander.start_m", s->lander.forward),
    };
    check_file("landing", rows, COUNT(rows));
    gr_scenario_free(s);
}

/// Tables of parameters have a factor each, which must be that of the unit in the key.
static void test_tables(void **state)
{
    (void)state;
    for (int i = 0; i < gr_sensor_param_count(); i++) {
        const GrSensorParam *p = gr_sensor_param(i);
        compare(p->key, p->scale, 1 / gr_test_in_unit(p->key, 1));
        const size_t length = strlen(known);
        snprintf(known + length, sizeof known - length, "%s ", p->key);
    }
    for (int i = 0; i < gr_soil_param_count(); i++) {
        GrSoilDef soil = gr_default_soil_def();
        const GrSoilParam *p = gr_soil_param(i);
        gr_soil_param_set(&soil, i, 0.25);
        double value;
        memcpy(&value, (const char *)&soil + p->offset, sizeof value);
        compare(p->key, value, 0.25 / (strcmp(p->unit, "°") == 0 ? 180 / GR_PI : 1));
    }
}

static void test_grains(void **state)
{
    (void)state;
    GrGrainDef g;
    GrBedDef bed;
    GrErrorLog log = {0};
    assert_int_equal(gr_grains_load(path_of("grains"), &g, &log), GR_OK);
    const Row grains[] = {
        AT("diameter_m", g.diameter),
        AT("density_kg_per_m3", g.density),
        AT("young_Pa", g.young),
        AT("young_mineral_Pa", g.young_mineral),
        AT("surface_energy_J_per_m2", g.surface_energy),
    };
    check_file("grains", grains, COUNT(grains));
    assert_int_equal(gr_bed_load(path_of("bed"), NULL, &bed, &log), GR_OK);
    const Row rows[] = {
        AT("diameter_m", bed.bin.grains.diameter),
        AT("size_m", bed.bin.size[0]),
        AT("depth_m", bed.depth),
        AT("filled_m", bed.filled),
        AT("bulk_density_kg_per_m3", bed.bulk_density),
        ELSEWHERE("gravity_m_per_s2"),
        ELSEWHERE("slope_deg"),
    };
    check_file("bed", rows, COUNT(rows));
    assert_near(bed.bin.gravity[0], 3.71 * sin(11 * GR_PI / 180), 1e-12);
    assert_near(bed.bin.gravity[1], 0, 0);
    assert_near(bed.bin.gravity[2], -3.71 * cos(11 * GR_PI / 180), 1e-12);
}

static void test_grain_study(void **state)
{
    (void)state;
    GrGrainStudyDef s;
    GrErrorLog log = {0};
    assert_int_equal(gr_grain_study_load(path_of("grain_study"), NULL, &s, &log), GR_OK);
    const Row rows[] = {
        AT("plates.diameters_m", s.diameters.value[0]),
        AT("plates.depth_m", s.plate.travel),
        AT("plates.speed_mps", s.plate.speed),
        AT("shear.inner_m", s.shear.inner),
        AT("shear.outer_m", s.shear.diameter),
        AT("shear.pressures_Pa", s.pressures.value[0]),
        AT("shear.travel_m", s.shear.travel),
        AT("shear.speed_mps", s.shear.speed),
        AT("wheel.radius_m", s.wheel.wheel.radius),
        AT("wheel.width_m", s.wheel.wheel.width),
        AT("wheel.grouser_height_m", s.wheel.wheel.grouser_height),
        AT("wheel.grouser_thickness_m", s.wheel.wheel.grouser_thickness),
        AT("wheel.load_N", s.wheel.load),
        AT("wheel.travel_m", s.wheel.travel),
        AT("wheel.speed_mps", s.wheel.speed),
    };
    check_file("grain_study", rows, COUNT(rows));
    assert_int_equal(s.diameters.count, 2);
    assert_true(s.diameters.value[1] == 0.052 && s.pressures.value[1] == 620);
}

// ---- completeness

/// Names in the readers that are not keys of these files, with the reason.
static const char OTHERS[] =
    " xi_gravity_m_per_s2 "                                // a former key, which messages name
    " window_m window_lonlat_deg pixel_m height_offset_m " // of maps, tests/terrain/test_raster.c
    " load_max_N load_min_N "                              // of traces, tests/soil/test_trace.c
    " massless_kg "                                        // of side files, test_urdf_rovers.c
    " slip_angle_deg load_N "                              // of spreads, test_soil_spread.c
    " steer_deg ";                                         // of wheels, tests/control/test_drive_twist.c

static bool is_listed(const char *list, const char *key)
{
    char word[136];
    snprintf(word, sizeof word, " %s ", key);
    return strstr(list, word) != NULL;
}

/// Every text in quotes of a source file that reads keys and ends with a unit is a key of the files above.
static void scan(const char *name)
{
    char path[512], *text;
    size_t length;
    double factor;
    snprintf(path, sizeof path, "%s/src/scenario/%s", GR_TEST_SOURCE_DIR, name);
    assert_int_equal(gr_file_read(path, 1 << 20, &text, &length, NULL), GR_OK);
    for (char *at = strchr(text, '"'); at != NULL; at = strchr(at + 1, '"')) {
        const size_t size = strspn(at + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        char key[128];
        snprintf(key, sizeof key, "%.*s", (int)size, at + 1);
        if (at[size + 1] == '"' && islower((unsigned char)key[0]) && gr_test_unit(key, &factor) &&
            !is_listed(known, key) && !is_listed(OTHERS, key)) {
            print_error("%s reads %s, which no file of this test has\n", name, key);
            fail();
        }
    }
    gr_free(text);
}

static void test_no_key_is_missing(void **state)
{
    (void)state;
    GrNameList files = {0};
    char folder[512];
    snprintf(folder, sizeof folder, "%s/src/scenario", GR_TEST_SOURCE_DIR);
    assert_int_equal(gr_folder_list(folder, ".c", &files, NULL), GR_OK);
    assert_true(files.count > 50);
    for (int i = 0; i < files.count; i++) {
        if (strncmp(files.names[i], "usual", 5) != 0) { // ranges of keys of all files
            scan(files.names[i]);
        }
    }
    gr_name_list_free(&files);
}

int main(void)
{
    strcpy(known, " ");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rover),
        cmocka_unit_test(test_lander),
        cmocka_unit_test(test_drive),
        cmocka_unit_test(test_path_and_sun),
        cmocka_unit_test(test_moves),
        cmocka_unit_test(test_landing),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_grains),
        cmocka_unit_test(test_grain_study),
        cmocka_unit_test(test_no_key_is_missing), // the last: it needs those before
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
