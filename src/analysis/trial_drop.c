/// Drop and touchdown: free fall, impact, rest.
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
    return GR_OK;
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
static void land(GrTrialRun *run, GrDropResult *out)
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
    const GrMissionDef mission = gr_trial_mission_def(def, drop->limit);
    status = gr_trial_open(def, NULL, &mission, samples, &run, log);
    if (status == GR_OK) {
        const GrStart start = {
            .height = drop->height, .velocity = drop->velocity, .roll = drop->roll, .pitch = drop->pitch};
        status = gr_mission_place(run.mission, &start, log);
    }
    if (status == GR_OK) {
        out->weight = gr_balance(run.m, run.d).mass * def->gravity;
        fly(&run, out);
        out->outcome = gr_trial_outcome_of(run.outcome, GR_TRIAL_UNSETTLED);
        if (run.outcome == GR_OUTCOME_RUNNING) {
            land(&run, out);
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
