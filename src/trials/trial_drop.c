/// Drop and touchdown: free fall, impact, rest; the whole rover, one wheel, or the rear wheels while the others stand.
#include "elementary.h"
#include "trial_run.h"

#include "out_of_memory.h"

#include <string.h>

static const double REST_SPEED = 1e-3; // [m/s] below this the rover is at rest
static const double END_SPEED = 1e-7;  // [m/s] below this the test ends
static const double END_TIME = 0.25;   // [s]

GrDropDef gr_default_drop_def(void)
{
    return (GrDropDef){.height = 0.2, .limit = 30};
}

static GrStatus check(const GrDropDef *drop, GrErrorLog *log)
{
    if (!(drop->height > 0) || !(drop->limit > 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                            "height %g m or time %g s out of range; allowed: both above 0", drop->height, drop->limit);
    }
    const bool still = gr_norm(drop->velocity) == 0 && drop->roll == 0 && drop->pitch == 0;
    if (drop->rear && !still) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                            "a drop of the rear wheels starts at rest: it takes no velocity, roll or pitch");
    }
    return GR_OK;
}

// ---- the rear wheels alone

/// What holds the rear wheels up: a spring with a damper under each hub, and drag on the chassis, which ends swinging
/// on springs without dampers and rolling on free wheels.
typedef struct Supports {
    const GrRoverDef *rover;
    int count;
    int wheel[GR_DRIVE_WHEELS_MAX];
    double height[GR_DRIVE_WHEELS_MAX]; ///< of the hub [m]
    double stiffness, damping;          ///< [N/m], [N s/m]
    double drag;                        ///< of the chassis [N s/m, N m s]
} Supports;

static const double SUPPORT_TRAVEL = 5e-5; // [m] under a wheel's share of the weight
static const double REAR_SHARE = 0.1;      // of the wheelbase: wheels that close to the rearmost are rear wheels
static const double RAISE_SPEED = 0.1;     // [m/s]
static const double HELD_SPEED = 1e-5;     // [m/s, rad/s] below this the raised rover rests
static const double DRAG_TIME = 0.1;       // [s] in which drag would stop the chassis
static const double HOLD_LIMIT = 30;       // [s]
static const double REAR_TOUCH = 1e-6;     // of the weight: the rear wheels have touched the ground

static GrVec3 hub_at(const GrModel *m, const GrData *d, int wheel)
{
    return gr_add(gr_base_position(&d->tree), gr_wheel_centre(m, d, wheel));
}

static void hold(void *context, const GrModel *m, GrData *d, double dt)
{
    const Supports *s = context;
    double dtwist[36] = {0}, dpose[36] = {0};
    (void)dt;
    dtwist[35] = -s->damping;
    dpose[35] = -s->stiffness;
    for (int i = 0; i < s->count; i++) {
        const int body = s->rover->wheels[s->wheel[i]].body;
        const GrVec3 at = hub_at(m, d, s->wheel[i]);
        const double speed = gr_data_point_velocity(m, d, body, at).z;
        const GrVec3 force = gr_vec3(0, 0, s->stiffness * (s->height[i] - at.z) - s->damping * speed);
        gr_data_add_wrench(m, d, body, at, force, gr_vec3(0, 0, 0));
        gr_data_add_jacobian(m, d, body, at, dtwist, dpose);
    }
    GrVec3 linear, angular;
    gr_data_base_velocity(d, &linear, &angular);
    gr_data_add_wrench(m, d, 0, gr_base_position(&d->tree), gr_scale(-s->drag, linear), gr_scale(-s->drag, angular));
}

/// The rearmost wheels as the rover stands.
static Supports find_rear(const GrTrialRun *run)
{
    const GrModel *m = run->m;
    const int count = m->wheel_count < GR_DRIVE_WHEELS_MAX ? m->wheel_count : GR_DRIVE_WHEELS_MAX;
    const GrQuat back = gr_quat_conjugate(gr_data_base_pose(run->d).rotation);
    double along[GR_DRIVE_WHEELS_MAX], rear = INFINITY, front = -INFINITY;
    Supports s = {.rover = run->def->rover};
    for (int i = 0; i < count; i++) {
        along[i] = gr_quat_rotate(back, gr_wheel_centre(m, run->d, i)).x;
        rear = fmin(rear, along[i]);
        front = fmax(front, along[i]);
    }
    for (int i = 0; i < count; i++) {
        if (along[i] <= rear + REAR_SHARE * (front - rear)) {
            s.wheel[s.count++] = i;
        }
    }
    const double mass = gr_balance(m, run->d).mass / count;
    s.stiffness = mass * run->def->gravity / SUPPORT_TRAVEL;
    s.damping = 2 * sqrt(s.stiffness * mass);
    s.drag = mass * count / DRAG_TIME;
    return s;
}

/// Wheels that turn freely in the air may go on.
static bool chassis_rests(const GrData *d)
{
    GrVec3 linear, angular;
    gr_data_base_velocity(d, &linear, &angular);
    return gr_norm(linear) < HELD_SPEED && gr_norm(angular) < HELD_SPEED;
}

/// Raises the rear wheels slowly and waits until the rover rests there; then time begins and the supports are gone.
static GrStatus raise_rear(GrTrialRun *run, double height, Supports *s, GrErrorLog *log)
{
    *s = find_rear(run);
    GrStatus status = s->count < run->m->wheel_count ? GR_OK : GR_ERROR_MODEL;
    if (status != GR_OK) {
        return gr_error_add(log, status, (GrLocation){.field = "wheels"},
                            "a drop of the rear wheels needs others that stand: these are all in one line");
    }
    double ground[GR_DRIVE_WHEELS_MAX] = {0}, time = 0;
    bool rests = false;
    for (int i = 0; i < s->count; i++) { // of the hub of a wheel that just touches the undisturbed ground
        const GrWheel *wheel = &run->m->wheels[s->wheel[i]];
        ground[i] = gr_wheel_on_soil(run->m, s->wheel[i]) ? run->m->soil_wheels[s->wheel[i]].radius
                                                          : wheel->radius + wheel->grouser_height;
    }
    gr_data_set_force(run->d, hold, s);
    while (status == GR_OK && !rests && time < HOLD_LIMIT + height / RAISE_SPEED) {
        for (int i = 0; i < s->count; i++) {
            s->height[i] = ground[i] + fmin(height, RAISE_SPEED * time);
        }
        status = gr_step_by(run->m, run->d, run->def->step);
        time += run->def->step;
        rests = time > 2 * height / RAISE_SPEED && chassis_rests(run->d);
    }
    gr_data_set_force(run->d, NULL, NULL);
    if (status != GR_OK || !rests) {
        return gr_error_add(log, GR_ERROR_NUMERIC, (GrLocation){.field = "--heights"},
                            "the rover does not come to rest with its rear wheels raised by %g mm: it slides or tips "
                            "over",
                            1000 * height);
    }
    memset(run->d->tree.velocity, 0, sizeof(double) * (size_t)run->m->tree.dof_count);
    run->d->tree.time[0] = 0;
    return GR_OK;
}

static double rear_load(const GrTrialRun *run, const Supports *s)
{
    double sum = 0;
    for (int i = 0; i < s->count; i++) {
        sum += run->sample.wheels[s->wheel[i]].load;
    }
    return sum;
}

/// Mean downward speed of the rear hubs.
static double rear_speed(const GrTrialRun *run, const Supports *s)
{
    double sum = 0;
    for (int i = 0; i < s->count; i++) {
        sum -= gr_data_point_velocity(run->m, run->d, s->rover->wheels[s->wheel[i]].body,
                                      hub_at(run->m, run->d, s->wheel[i]))
                   .z;
    }
    return sum / s->count;
}

/// The rear wheels fall until the first of them touches. What the energy of the fall became: motion and springs.
static void fall_rear(GrTrialRun *run, const Supports *s, GrDropResult *out)
{
    const GrBalance start = gr_balance(run->m, run->d);
    out->contact_time = (double)NAN;
    out->rear_count = s->count;
    while (gr_trial_step(run)) {
        if (rear_load(run, s) > REAR_TOUCH * out->weight) {
            out->contact_time = run->sample.time;
            return;
        }
        const GrBalance now = gr_balance(run->m, run->d);
        const double released = start.gravity - now.gravity;
        out->contact_speed = rear_speed(run, s);
        out->energy_kept = (now.kinetic + now.spring - start.spring) / released;
        out->contact_expected = out->contact_speed / sqrt(fmax(out->energy_kept, 1e-9));
    }
}

/// The centre of mass in flight, against x0 + v t + g t² / 2. Returns after the last step without contact.
static void fly(GrTrialRun *run, GrDropResult *out)
{
    const GrVec3 g = run->m->tree.gravity, up = gr_scale(-1 / gr_norm(g), g);
    const GrBalance start = gr_balance(run->m, run->d);
    const GrVec3 v0 = gr_scale(1 / start.mass, start.linear);
    out->contact_time = (double)NAN;
    while (gr_trial_step(run)) {
        if (gr_trial_contacts(run) > 0) {
            out->contact_time = run->sample.time;
            return;
        }
        const double t = run->sample.time;
        const GrBalance now = gr_balance(run->m, run->d);
        const GrVec3 parabola = gr_madd(gr_madd(start.com, t, v0), 0.5 * t * t, g);
        out->fall_error = fmax(out->fall_error, gr_norm(gr_sub(now.com, parabola)));
        out->fall_bound = 0.5 * gr_norm(g) * t * run->def->step;
        out->contact_speed = -gr_dot(now.linear, up) / now.mass;
        out->contact_expected = gr_norm(g) * t - gr_dot(v0, up);
    }
}

/// From the first contact on, until nothing moves any more.
static void land(GrTrialRun *run, const Supports *rear, GrDropResult *out)
{
    const GrVec3 g = run->m->tree.gravity, up = gr_scale(-1 / gr_norm(g), g);
    const GrVec3 touched = run->sample.pose.position;
    double moved = run->sample.time, lowest = INFINITY, dead = 0;
    bool going = true;
    while (going && dead < END_TIME) {
        going = gr_trial_step(run);
        const double speed = gr_trial_motion(run), height = gr_dot(gr_balance(run->m, run->d).com, up);
        moved = speed > REST_SPEED ? run->sample.time : moved;
        dead = speed < END_SPEED ? dead + run->sample.step : 0;
        lowest = fmin(lowest, height);
        out->bounce = fmax(out->bounce, height - lowest);
        out->rear_rest = rear_load(run, rear);
        out->rear_peak = fmax(out->rear_peak, out->rear_rest);
    }
    const bool rests = run->sample.time > moved;
    out->rest_time = rests ? moved - out->contact_time : (double)NAN;
    out->outcome = gr_trial_outcome_of(run->outcome, rests ? GR_TRIAL_DONE : GR_TRIAL_UNSETTLED);
    out->slide = gr_hypot(run->sample.pose.position.x - touched.x, run->sample.pose.position.y - touched.y);
}

static void finish(GrTrialRun *run, GrDropResult *out)
{
    out->peaks = run->peaks;
    out->energy = run->sample.energy;
    for (int i = 0; i < run->m->wheel_count; i++) {
        out->rest_load += run->sample.wheels[i].load;
        out->rest_sinkage = fmax(out->rest_sinkage, run->sample.wheels[i].sinkage);
    }
}

GrStatus gr_trial_drop(const GrTrialDef *def, const GrDropDef *drop, GrTrialLog *samples, GrDropResult *out,
                       GrErrorLog *log)
{
    *out = (GrDropResult){.rest_time = (double)NAN};
    GrStatus status = check(drop, log);
    if (status != GR_OK) {
        return status;
    }
    GrTrialRun run;
    Supports rear = {0};
    const GrMissionDef mission = gr_trial_mission_def(def, drop->limit);
    status = gr_trial_open(def, NULL, &mission, samples, &run, log);
    if (status == GR_OK) {
        const GrStart start = {.height = drop->rear ? 0 : drop->height,
                               .velocity = drop->velocity,
                               .roll = drop->roll,
                               .pitch = drop->pitch};
        status = gr_mission_place(run.mission, &start, log);
    }
    if (status == GR_OK && drop->rear) {
        status = raise_rear(&run, drop->height, &rear, log);
    }
    if (status == GR_OK) {
        out->weight = gr_balance(run.m, run.d).mass * def->gravity;
        if (drop->rear) {
            fall_rear(&run, &rear, out);
        } else {
            fly(&run, out);
        }
        out->outcome = gr_trial_outcome_of(run.outcome, GR_TRIAL_UNSETTLED);
        if (run.outcome == GR_OUTCOME_RUNNING) {
            land(&run, &rear, out);
        }
        finish(&run, out);
    }
    gr_trial_close(&run);
    return status;
}

GrStatus gr_trial_lone_wheel(const GrRoverDef *rover, int wheel, double mass, GrRoverDef *out, GrErrorLog *log)
{
    *out = gr_default_rover_def();
    if (wheel < 0 || wheel >= rover->wheel_count || !(mass > 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0}, "wheel %d of %d, mass %g kg: there is no such wheel",
                            wheel, rover->wheel_count, mass);
    }
    GrWheelDef alone = rover->wheels[wheel];
    GrBodyDef body = gr_default_body_def();
    memcpy(body.name, alone.name, sizeof body.name);
    memcpy(out->name, alone.name, sizeof out->name);
    body.mass = mass;
    body.inertia = gr_inertia_cylinder_y(mass, alone.radius, alone.width);
    alone.body = 0;
    alone.pose = (GrPose){.rotation = {1, 0, 0, 0}};
    if (gr_rover_add_body(out, &body) < 0 || gr_rover_add_wheel(out, &alone) < 0) {
        gr_rover_free(out);
        return gr_out_of_memory(log, NULL);
    }
    return GR_OK;
}
