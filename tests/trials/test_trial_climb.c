/// Steps and rocks against the statics of a planar rocker-bogie with friction, solved here on its own.
///
/// Both sides of the rover do the same, so chassis, rockers and front wheels are one body, and the bogies with middle
/// and rear wheels another one on a pivot. The front wheel stands on the ground and meets the obstacle, whose normal
/// rises by φ. All wheels spin (their motors hold one speed and the rover stands), so every contact pulls ahead with
/// μ times its normal force. Four unknown normal forces, four equations: two of force, one of moment, and one of the
/// bogie's moment about its pivot.
///
///            chassis o----.                       n
///                    \     \ pivot               \ φ
///           middle ( )-o-( ) rear     front ( ) --·-- obstacle
///
/// The wheel leaves the ground, and the rover climbs, where its normal force on the ground ends: that is the height
/// looked for. A step's edge at h meets a wheel of radius R at sin φ = 1 − h/R; a half cylinder of radius H at
/// sin φ = R / (R + H).
#include "grouser/trial.h"
#include "rover_pose.h"
#include "test.h"
#include "vec3.h"

#include <stdlib.h>
#include <string.h>

static const double EARTH = 9.80665;

/// Allowed differences between simulation and statics. Contacts deflect by some hundredths of a millimetre; the
/// bisection adds no error. Observed: below 2 % for steps, 3 % for rocks.
static const double STEP_BAND = 0.04, ROCK_BAND = 0.08, LOAD_BAND = 0.01;

typedef struct Part {
    double mass, x, z; ///< [kg], centre of mass [m]
} Part;

/// Plane of the rover: z is up from the ground on which it stands.
typedef struct Planar {
    Part all, bogie;         ///< the bogie with its wheels
    double pivot_x, pivot_z; ///< [m]
    double wheels[3];        ///< x of front, middle, rear [m]
    double radius;           ///< [m]
} Planar;

static void add(Part *part, double mass, GrVec3 at)
{
    const double sum = part->mass + mass;
    part->x = (part->mass * part->x + mass * at.x) / sum;
    part->z = (part->mass * part->z + mass * at.z) / sum;
    part->mass = sum;
}

static Planar planar_of(const GrRoverDef *rover)
{
    static const char *const OF_BOGIE[] = {"bogie", "steer_rear", "wheel_middle", "wheel_rear"};
    static const char *const ROWS[] = {"wheel_front_left", "wheel_middle_left", "wheel_rear_left"};
    Planar p = {.radius = rover->wheels[0].radius + rover->wheels[0].grouser_height};
    GrPose *poses = calloc((size_t)rover->body_count, sizeof *poses);
    double *positions = calloc((size_t)rover->joint_count, sizeof *positions);
    assert_int_equal(gr_rover_body_poses(rover, positions, poses, NULL), GR_OK);
    double hub = 0;
    for (int i = 0; i < rover->body_count; i++) {
        const GrBodyDef *body = &rover->bodies[i];
        const GrVec3 com = gr_add(poses[i].position, gr_quat_rotate(poses[i].rotation, body->com));
        add(&p.all, body->mass, com);
        for (int k = 0; k < 4; k++) {
            if (strncmp(body->name, OF_BOGIE[k], strlen(OF_BOGIE[k])) == 0) {
                add(&p.bogie, body->mass, com);
            }
        }
        for (int k = 0; k < 3; k++) {
            if (strcmp(body->name, ROWS[k]) == 0) {
                p.wheels[k] = poses[i].position.x;
                hub = poses[i].position.z;
            }
        }
        if (strcmp(body->name, "bogie_left") == 0) {
            p.pivot_x = poses[i].position.x;
            p.pivot_z = poses[i].position.z;
        }
    }
    p.all.z += p.radius - hub;
    p.bogie.z += p.radius - hub;
    p.pivot_z += p.radius - hub;
    free(poses);
    free(positions);
    return p;
}

/// Gauss's elimination with pivots.
static void solve4(double a[4][5], double x[4])
{
    for (int i = 0; i < 4; i++) {
        int pivot = i;
        for (int r = i + 1; r < 4; r++) {
            pivot = fabs(a[r][i]) > fabs(a[pivot][i]) ? r : pivot;
        }
        for (int c = 0; c < 5; c++) {
            const double keep = a[i][c];
            a[i][c] = a[pivot][c];
            a[pivot][c] = keep;
        }
        for (int r = 0; r < 4; r++) {
            const double factor = a[r][i] / a[i][i];
            for (int c = i; c < 5 && r != i; c++) {
                a[r][c] -= factor * a[i][c];
            }
        }
    }
    for (int i = 0; i < 4; i++) {
        x[i] = a[i][4] / a[i][i];
    }
}

/// Normal forces on obstacle, front ground, middle and rear, over the weight of the rover.
static void mobilised(const Planar *p, double friction, double sine, double forces[4])
{
    const double cosine = sqrt(1 - sine * sine), r = p->radius;
    const struct {
        double x, z, nx, nz;
        bool of_bogie;
    } contacts[4] = {{p->wheels[0] + r * cosine, r - r * sine, -cosine, sine, false},
                     {p->wheels[0], 0, 0, 1, false},
                     {p->wheels[1], 0, 0, 1, true},
                     {p->wheels[2], 0, 0, 1, true}};
    double a[4][5];
    for (int k = 0; k < 4; k++) {
        const double fx = contacts[k].nx + friction * contacts[k].nz, fz = contacts[k].nz - friction * contacts[k].nx;
        a[0][k] = fx;
        a[1][k] = fz;
        a[2][k] = (contacts[k].x - p->all.x) * fz - (contacts[k].z - p->all.z) * fx;
        a[3][k] = contacts[k].of_bogie ? (contacts[k].x - p->pivot_x) * fz - (contacts[k].z - p->pivot_z) * fx : 0;
    }
    a[0][4] = 0;
    a[1][4] = 1;
    a[2][4] = 0;
    a[3][4] = (p->bogie.x - p->pivot_x) * p->bogie.mass / p->all.mass;
    solve4(a, forces);
}

/// Sine of φ at which the front wheel leaves the ground. Below it, it stays.
static double least_sine(const Planar *p, double friction)
{
    double lower = 0, upper = 1, forces[4];
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (lower + upper);
        mobilised(p, friction, middle, forces);
        *(forces[1] > 0 ? &lower : &upper) = middle;
    }
    return upper;
}

static GrTrialDef hard_trial(const GrRoverDef *rover, double friction)
{
    GrTrialDef def = gr_default_trial_def();
    def.rover = rover;
    def.friction = friction;
    def.step = 0.002;
    return def;
}

static GrRoverDef load(const char *name)
{
    char path[512];
    GrRoverDef rover;
    snprintf(path, sizeof path, "%s/data/rovers/%s.yaml", GR_TEST_SOURCE_DIR, name);
    assert_int_equal(gr_rover_load(path, NULL, &rover, NULL), GR_OK);
    return rover;
}

static GrCrossResult climb_to(const GrTrialDef *def, GrClimbDef climb, double height)
{
    GrCrossResult result;
    climb.height = height;
    assert_int_equal(gr_trial_climb(def, &climb, NULL, &result, NULL), GR_OK);
    return result;
}

static void set_torque_limit(GrRoverDef *rover, double limit)
{
    for (int i = 0; i < rover->joint_count; i++) {
        if (rover->joints[i].role == GR_ROLE_DRIVE) {
            rover->joints[i].motor.torque_limit = limit;
        }
    }
}

/// Without limits on tilt, torque and touching traction alone decides. Just below the height of the statics the rover
/// gets over, just above it its wheels spin.
static void hold_against_statics(GrObstacle obstacle, double friction, double band)
{
    GrRoverDef rover = load("curiosity_like");
    set_torque_limit(&rover, 1e4);
    const Planar p = planar_of(&rover);
    const double sine = least_sine(&p, friction);
    const double height = obstacle == GR_OBSTACLE_STEP ? p.radius * (1 - sine) : p.radius * (1 / sine - 1);
    const GrTrialDef def = hard_trial(&rover, friction);
    GrClimbDef climb = gr_default_climb_def();
    climb.obstacle = obstacle;
    climb.speed = 0.1; // v²/gR is 0.004: still quasi-static
    climb.limits = (GrCrossLimits){.tilt = 3, .load = 100, .touch = true};
    const GrCrossResult below = climb_to(&def, climb, (1 - band) * height);
    const GrCrossResult above = climb_to(&def, climb, (1 + band) * height);
    print_message("%s, friction %g: statics %.1f mm (%.3f radii); %s below, %s above\n",
                  obstacle == GR_OBSTACLE_STEP ? "step" : "rock", friction, 1000 * height, height / p.radius,
                  gr_trial_outcome_name(below.outcome), gr_trial_outcome_name(above.outcome));
    assert_int_equal(below.outcome, GR_TRIAL_DONE);
    assert_int_equal(above.outcome, GR_TRIAL_SPINS);
    gr_rover_free(&rover);
}

static void test_step_statics(void **state)
{
    (void)state;
    static const double frictions[] = {0.6, 0.5, 0.7};
    for (int i = 0; i < GR_TEST_LONG(3, 1); i++) {
        hold_against_statics(GR_OBSTACLE_STEP, frictions[i], STEP_BAND);
    }
}

static void test_rock_statics(void **state)
{
    (void)state;
    if (!GR_TEST_LONG(true, false)) {
        skip(); // test_limits drives over a rock too
    }
    hold_against_statics(GR_OBSTACLE_ROCK, 0.6, ROCK_BAND);
}

/// Against a wall that is too high, all wheels spin; they carry what statics says.
static void test_wall_loads(void **state)
{
    (void)state;
    GrRoverDef rover = load("curiosity_like");
    const Planar p = planar_of(&rover);
    const double friction = 0.6, weight = p.all.mass * EARTH;
    const GrTrialDef def = hard_trial(&rover, friction);
    double forces[4];
    GrTrialLog samples = {0};
    GrClimbDef climb = gr_default_climb_def();
    GrCrossResult result;
    climb.height = 2 * p.radius;
    assert_int_equal(gr_trial_climb(&def, &climb, &samples, &result, NULL), GR_OK);
    assert_int_equal(result.outcome, GR_TRIAL_SPINS);
    mobilised(&p, friction, 0, forces);
    const double *last = samples.rows[samples.count - 1].values;
    print_message("against a wall: rear %.1f N (statics %.1f), middle %.1f N (%.1f)\n", last[GR_TRIAL_LOAD_MOST],
                  forces[3] * weight / 2, last[GR_TRIAL_LOAD_LEAST], forces[2] * weight / 2);
    // rear wheels are loaded most, middle wheels least; contacts and stops deflect slightly
    assert_near(last[GR_TRIAL_LOAD_MOST], forces[3] * weight / 2, LOAD_BAND * weight / 6);
    assert_near(last[GR_TRIAL_LOAD_LEAST], forces[2] * weight / 2, LOAD_BAND * weight / 6);
    gr_trial_log_free(&samples);
    gr_rover_free(&rover);
}

/// Limits end a crossing that traction alone would allow, and each says so by its own name.
static void test_limits(void **state)
{
    (void)state;
    GrRoverDef rover = load("curiosity_like");
    const GrTrialDef def = hard_trial(&rover, 0.6);
    GrClimbDef climb = gr_default_climb_def();
    const double height = 0.15;
    const GrCrossResult free_way = climb_to(&def, climb, height);
    assert_int_equal(free_way.outcome, GR_TRIAL_DONE);
    assert_near(free_way.tilt, free_way.peaks.pitch, 1e-3); // straight up: no roll
    climb.limits.tilt = 0.5 * free_way.tilt;
    assert_int_equal(climb_to(&def, climb, height).outcome, GR_TRIAL_TILTED);
    climb.limits = gr_default_cross_limits();
    climb.limits.load = 0.9 * free_way.peaks.wheel_load / (899 * EARTH);
    assert_int_equal(climb_to(&def, climb, height).outcome, GR_TRIAL_OVERLOADED);
    climb.limits = gr_default_cross_limits();
    GrRoverDef low = load("exomars_like");
    const GrTrialDef under = hard_trial(&low, 0.6);
    climb.obstacle = GR_OBSTACLE_ROCK; // of 0.4 m, under a ground clearance of 0.32 m
    assert_int_equal(climb_to(&under, climb, 0.4).outcome, GR_TRIAL_TOUCHED);
    gr_rover_free(&low);
    climb.limits.load = 0;
    GrCrossResult result;
    GrErrorLog log = {0};
    assert_int_equal(gr_trial_climb(&def, &climb, NULL, &result, &log), GR_ERROR_VALUE);
    assert_non_null(strstr(log.items[0].text, "allowed: both above 0"));
    gr_rover_free(&rover);
}

/// Motors that are too weak for the friction stall; they do not spin.
static void test_stall(void **state)
{
    (void)state;
    GrRoverDef rover = load("curiosity_like");
    set_torque_limit(&rover, 100); // friction takes up to about 300 N m
    const GrTrialDef def = hard_trial(&rover, 0.6);
    GrClimbDef climb = gr_default_climb_def();
    climb.speed = 0.2; // [m/s]; the time allowed, in which nothing moves, is shorter
    assert_int_equal(climb_to(&def, climb, 0.15).outcome, GR_TRIAL_STALLS);
    gr_rover_free(&rover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step_statics), cmocka_unit_test(test_rock_statics), cmocka_unit_test(test_wall_loads),
        cmocka_unit_test(test_limits),       cmocka_unit_test(test_stall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
