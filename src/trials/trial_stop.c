/// Coast and brake: from a speed to rest.
#include "elementary.h"
#include "trial_run.h"

#include "alloc.h"
#include "mission_data.h"
#include "out_of_memory.h"
#include "wheel_contact.h"

#include <string.h>

static const double REST_SPEED_SHARE = 1e-3; // of the initial speed: below this the rover stands still
static const double JERK_WINDOW = 0.05;      // [s] over which the largest deceleration is taken

GrStopDef gr_default_stop_def(void)
{
    return (GrStopDef){.motors = true, .speed = 0.5, .deceleration = INFINITY, .run_up = 2, .limit = 120};
}

static GrStatus check(const GrStopDef *stop, GrErrorLog *log)
{
    if (!(stop->speed > 0) || !(stop->deceleration > 0) || !(stop->run_up >= 0) || !(stop->limit > stop->run_up)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                            "speed %g m/s, deceleration %g m/s², run-up %g s or time %g s out of range; allowed: above "
                            "0, run-up shorter than the time",
                            stop->speed, stop->deceleration, stop->run_up, stop->limit);
    }
    return GR_OK;
}

/// Sets the rover rolling at a speed without slip.
static void set_rolling(GrTrialRun *run, double speed, double rise)
{
    const GrModel *m = run->m;
    gr_data_set_base_velocity(run->d, gr_vec3(speed, 0, rise), gr_vec3(0, 0, 0));
    for (int i = 0; i < m->joint_count; i++) {
        for (int w = 0; w < m->wheel_count; w++) {
            if (m->wheels[w].body == m->joint_body[i]) {
                const double radius = m->soil_wheels != NULL ? m->soil_wheels[w].radius
                                                             : m->wheels[w].radius + m->wheels[w].grouser_height;
                const double rate = gr_wheel_sign(m, w) * speed / radius;
                gr_data_set_joint(m, run->d, i, gr_data_joint_position(m, run->d, i), rate);
                gr_data_set_command(m, run->d, i, rate);
            }
        }
    }
}

static double forward_speed(const GrTrialRun *run)
{
    const GrSample *s = &run->sample;
    return s->velocity.x * gr_cos(s->heading) + s->velocity.y * gr_sin(s->heading);
}

static bool run_up(GrTrialRun *run, const GrStopDef *stop)
{
    GrControlState *control = gr_mission_control(run->mission);
    control->manual =
        (GrDriveCommand){.mode = gr_drive_best_mode(&run->mission->control.geometry), .speed = stop->speed};
    for (int i = 0; i < run->m->wheel_count; i++) {
        control->speed[i] = stop->speed;
    }
    bool going = true;
    while (going && run->sample.time < stop->run_up) {
        going = gr_trial_step(run);
    }
    control->manual = (GrDriveCommand){.mode = GR_DRIVE_STOP};
    if (isinf(stop->deceleration)) {
        memset(control->speed, 0, sizeof control->speed);
    }
    return going;
}

/// Largest deceleration over a moving window.
typedef struct Window {
    double time, speed; ///< at the start of the window
    double most;        ///< [m/s²]
} Window;

static void look(Window *window, double time, double speed)
{
    if (time - window->time >= JERK_WINDOW) {
        window->most = fmax(window->most, (window->speed - speed) / (time - window->time));
        window->time = time;
        window->speed = speed;
    }
}

static GrEnergySample since(GrEnergySample now, GrEnergySample begin)
{
    return (GrEnergySample){
        .motor = now.motor - begin.motor,
        .electric = now.electric - begin.electric,
        .braking = now.braking - begin.braking,
        .mechanical = now.mechanical - begin.mechanical,
        .soil = now.soil - begin.soil,
        .joints = now.joints - begin.joints,
        .residual = now.residual - begin.residual,
    };
}

/// Runs until the first standstill. Afterwards a rover may rock on its soil and motors for a long time.
static void roll_out(GrTrialRun *run, GrStopResult *out)
{
    const GrBalance begin = gr_balance(run->m, run->d);
    gr_mission_sample(run->mission, &run->sample);
    const GrSample *s = &run->sample;
    const GrEnergySample account = s->energy;
    const GrVec3 from = s->pose.position;
    const double start = s->time;
    const GrVec3 ahead = gr_vec3(gr_cos(s->heading), gr_sin(s->heading), 0);
    Window window = {.time = start, .speed = forward_speed(run)};
    out->speed = window.speed;
    out->energy = begin.kinetic;
    double loose = 0, slipped = 0, rolled = 0;
    bool going = true, still = false;
    while (going && !still) {
        going = gr_trial_step(run);
        const double speed = forward_speed(run);
        double slip = 0;
        for (int i = 0; i < run->m->wheel_count; i++) {
            slip += s->wheels[i].slip / run->m->wheel_count;
        }
        rolled += fabs(speed) * s->step;
        slipped += slip * fabs(speed) * s->step;
        loose += gr_trial_contacts(run) < run->m->wheel_count ? s->step : 0;
        out->hop = fmax(out->hop, s->pose.position.z - from.z);
        still = speed < REST_SPEED_SHARE * out->speed;
        look(&window, s->time, speed);
    }
    const GrVec3 moved = gr_sub(s->pose.position, from);
    const GrBalance end = gr_balance(run->m, run->d);
    out->time = s->time - start;
    out->distance = gr_dot(moved, ahead);
    out->drift = gr_dot(moved, gr_vec3(-ahead.y, ahead.x, 0));
    out->deceleration = out->speed * out->speed / (2 * out->distance);
    out->deceleration_most = window.most;
    out->slip = rolled > 0 ? slipped / rolled : 0;
    out->airborne = s->time > start ? loose / (s->time - start) : 0;
    out->balance = since(s->energy, account);
    const double given = begin.kinetic + begin.gravity + begin.spring - end.kinetic - end.gravity - end.spring;
    out->resistance = (given + out->balance.motor) / out->distance;
    const GrTrialOutcome late = forward_speed(run) > 0.5 * out->speed ? GR_TRIAL_SLIDES : GR_TRIAL_UNSETTLED;
    out->outcome = still ? GR_TRIAL_DONE : gr_trial_outcome_of(run->outcome, late);
    out->peaks = run->peaks;
}

static GrStatus run_stop(const GrTrialDef *def, const GrStopDef *stop, GrTrialLog *samples, GrStopResult *out,
                         GrErrorLog *log)
{
    GrTrialRun run;
    GrMissionDef mission = gr_trial_mission_def(def, stop->limit);
    if (!isinf(stop->deceleration)) {
        mission.control.wheel_acceleration = stop->deceleration;
    }
    GrStatus status = gr_trial_open(def, NULL, &mission, samples, &run, log);
    if (status == GR_OK) {
        status = gr_mission_place(run.mission, &(GrStart){0}, log);
    }
    if (status == GR_OK) {
        set_rolling(&run, stop->speed, stop->motors ? 0 : stop->rise);
        gr_account_open(run.m, run.d, &run.mission->s.account);
        if (!stop->motors || run_up(&run, stop)) {
            roll_out(&run, out);
        } else {
            out->outcome = gr_trial_outcome_of(run.outcome, GR_TRIAL_UNSETTLED);
        }
    }
    gr_trial_close(&run);
    return status;
}

GrStatus gr_trial_stop(const GrTrialDef *def, const GrStopDef *stop, GrTrialLog *samples, GrStopResult *out,
                       GrErrorLog *log)
{
    *out = (GrStopResult){0};
    const GrStatus status = check(stop, log);
    if (status != GR_OK || stop->motors) {
        return status == GR_OK ? run_stop(def, stop, samples, out, log) : status;
    }
    GrTrialDef loose = *def;
    GrRoverDef rover;
    if (!gr_trial_with_drives(def->rover, GR_MOTOR_NONE, &rover)) {
        return gr_out_of_memory(log, NULL);
    }
    loose.rover = &rover;
    const GrStatus done = run_stop(&loose, stop, samples, out, log);
    gr_free(rover.joints);
    return done;
}
