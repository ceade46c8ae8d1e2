#include "trial_run.h"

#include "account.h"
#include "alloc.h"
#include "elementary.h"
#include "mission_data.h"
#include "named.h"
#include "out_of_memory.h"
#include "soil_wheel.h"

#include <string.h>

static const double TIPPED_ANGLE = 80 * GR_PI / 180; // [rad] to the vertical

void gr_trial_log_free(GrTrialLog *samples)
{
    gr_free(samples->rows);
    *samples = (GrTrialLog){0};
}

static const GrNamed OUTCOMES[] = {GR_TRIAL_OUTCOME_LIST(GR_NAMED_ROW)};

const char *gr_trial_outcome_name(GrTrialOutcome outcome)
{
    return GR_NAMED_GET(OUTCOMES, outcome, name);
}

const char *gr_trial_outcome_text(GrTrialOutcome outcome)
{
    return GR_NAMED_GET(OUTCOMES, outcome, text);
}

GrTrialDef gr_default_trial_def(void)
{
    return (GrTrialDef){.damping_ratio = 0.5, .friction = 0.6, .gravity = 9.80665, .step = 0.005};
}

GrMissionDef gr_trial_mission_def(const GrTrialDef *def, double limit)
{
    GrMissionDef mission = gr_default_mission_def();
    mission.duration = limit;
    mission.control_period = 0;
    mission.pace = GR_PACE_FIXED;
    mission.step = def->step;
    mission.tip_angle = TIPPED_ANGLE;
    mission.stuck_time = INFINITY;
    mission.belly_share = INFINITY;
    mission.stop_at_goal = false;
    return mission;
}

static GrStatus check(const GrTrialDef *def, GrErrorLog *log)
{
    if (!(def->gravity > 0) || !(def->step > 0) || !(def->step <= 0.1) || !(fabs(def->slope) < GR_PI / 2)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                            "gravity %g, step %g or slope %g out of range; allowed: gravity > 0 m/s², step above 0 to "
                            "0.1 s, slope within ±90 deg",
                            def->gravity, def->step, def->slope * 180 / GR_PI);
    }
    return GR_OK;
}

GrSceneDef gr_trial_scene(const GrTrialDef *def)
{
    GrSceneDef scene = gr_default_scene_def();
    scene.rigid_ground = def->soil == NULL;
    for (int i = 0; i < scene.material_count; i++) {
        scene.materials[i].friction = def->friction;
    }
    return scene;
}

static GrStatus make_model(const GrTrialDef *def, const GrSceneDef *scene, GrModel **out, GrErrorLog *log)
{
    GrOptions options = gr_default_options();
    const GrRoverDef *rover = def->rover;
    const double along = -def->gravity * gr_sin(def->slope);
    GrSoilDef soil;
    options.gravity =
        gr_vec3(along * gr_cos(def->heading), -along * gr_sin(def->heading), -def->gravity * gr_cos(def->slope));
    options.step = def->step;
    options.surface.scene = scene;
    if (def->soil != NULL && rover->wheel_count > 0) {
        double mass = 0;
        for (int i = 0; i < rover->body_count; i++) {
            mass += rover->bodies[i].mass / rover->wheel_count;
        }
        soil = *def->soil;
        soil.damping = gr_soil_impact_damping(def->soil, rover->wheels[0].radius, rover->wheels[0].width, mass,
                                              def->gravity, def->damping_ratio);
        options.surface.soil = &soil;
    }
    gr_model_create(rover, &options, out, log);
    return *out != NULL ? GR_OK : GR_ERROR_MODEL;
}

GrStatus gr_trial_open(const GrTrialDef *def, const GrSceneDef *scene, const GrMissionDef *mission, GrTrialLog *samples,
                       GrTrialRun *run, GrErrorLog *log)
{
    *run = (GrTrialRun){
        .def = def, .samples = samples, .peaks = {.force_joint = -1, .moment_joint = -1, .load_least = INFINITY}};
    GrStatus status = check(def, log);
    GrSceneDef plain = gr_default_scene_def();
    if (status == GR_OK && scene == NULL) {
        gr_scene_def_free(&plain);
        plain = gr_trial_scene(def);
    }
    if (status == GR_OK) {
        status = make_model(def, scene != NULL ? scene : &plain, &run->m, log);
    }
    gr_scene_def_free(&plain);
    if (status != GR_OK) {
        return status;
    }
    if (run->m->wheel_count == 0) {
        return gr_error_add(log, GR_ERROR_MODEL, (GrLocation){.field = "wheels"},
                            "a rover without wheels cannot be tested");
    }
    if (gr_mission_create(run->m, NULL, mission, &run->mission, log) != GR_OK) {
        return GR_ERROR_MODEL;
    }
    run->d = gr_mission_data(run->mission);
    if (!gr_sample_init(run->m, gr_mission_rock_count(run->mission), &run->sample)) {
        return gr_out_of_memory(log, NULL);
    }
    return GR_OK;
}

void gr_trial_close(GrTrialRun *run)
{
    gr_sample_free(&run->sample);
    gr_mission_free(run->mission);
    gr_model_free(run->m);
    *run = (GrTrialRun){0};
}

static void raise_to(double value, double *peak)
{
    *peak = fabs(value) > *peak ? fabs(value) : *peak;
}

static void note_peaks(GrTrialRun *run)
{
    GrTrialPeaks *p = &run->peaks;
    const GrSample *s = &run->sample;
    double load = 0;
    for (int i = 0; i < run->m->wheel_count; i++) {
        const GrWheelSample *w = &s->wheels[i];
        load += w->load;
        p->load_least = w->load < p->load_least ? w->load : p->load_least;
        p->wheel = w->load > p->wheel_load ? i : p->wheel;
        raise_to(fmax(w->load, 0), &p->wheel_load);
        raise_to(w->sinkage, &p->sinkage);
        raise_to(w->slip, &p->slip);
        raise_to(w->torque, &p->torque);
        const double deflection = gr_wheel_deflection(run->m, run->d, i);
        raise_to(deflection, &p->deflection);
        raise_to(deflection / run->m->wheels[i].radius, &p->deflection_share);
    }
    for (int i = 0; i < run->m->joint_count; i++) {
        const GrJointSample *j = &s->joints[i];
        p->force_joint = j->force > p->joint_force ? i : p->force_joint;
        p->moment_joint = j->moment > p->joint_moment ? i : p->moment_joint;
        raise_to(j->force, &p->joint_force);
        raise_to(j->moment, &p->joint_moment);
    }
    raise_to(load, &p->load);
    raise_to(gr_norm(s->acceleration), &p->acceleration);
    raise_to(s->roll, &p->roll);
    raise_to(s->pitch, &p->pitch);
}

static void fill_row(const GrTrialRun *run, GrTrialRow *row)
{
    const GrSample *s = &run->sample;
    const int count = run->m->wheel_count;
    double load = 0, most = -INFINITY, least = INFINITY, slip = 0, sinkage = 0, torque = 0;
    for (int i = 0; i < count; i++) {
        const GrWheelSample *w = &s->wheels[i];
        load += w->load;
        most = fmax(most, w->load);
        least = fmin(least, w->load);
        slip += w->slip / count;
        sinkage = fmax(sinkage, w->sinkage);
        torque = fabs(w->torque) > fabs(torque) ? w->torque : torque;
    }
    double *v = row->values;
    v[GR_TRIAL_TIME] = s->time;
    v[GR_TRIAL_AHEAD] = s->pose.position.x;
    v[GR_TRIAL_ASIDE] = s->pose.position.y;
    v[GR_TRIAL_HEIGHT] = s->pose.position.z;
    v[GR_TRIAL_HEADING] = run->turned;
    v[GR_TRIAL_SPEED] = s->velocity.x * gr_cos(s->heading) + s->velocity.y * gr_sin(s->heading);
    v[GR_TRIAL_RISE] = s->velocity.z;
    v[GR_TRIAL_YAW_RATE] = s->angular_velocity.z;
    v[GR_TRIAL_ROLL] = s->roll;
    v[GR_TRIAL_PITCH] = s->pitch;
    v[GR_TRIAL_FELT] = gr_norm(s->acceleration);
    v[GR_TRIAL_LOAD] = load;
    v[GR_TRIAL_LOAD_MOST] = most;
    v[GR_TRIAL_LOAD_LEAST] = least;
    v[GR_TRIAL_SLIP] = slip;
    v[GR_TRIAL_SINKAGE] = sinkage;
    v[GR_TRIAL_TORQUE] = torque;
    v[GR_TRIAL_POWER] = s->power;
}

static void note_trace(GrTrialRun *run)
{
    GrTrialLog *samples = run->samples;
    if (samples == NULL || samples->failed) {
        return;
    }
    if (samples->count == samples->capacity) {
        const int capacity = samples->capacity > 0 ? 2 * samples->capacity : 1024;
        GrTrialRow *rows = gr_realloc(samples->rows, sizeof *rows * (size_t)capacity);
        if (rows == NULL) {
            samples->failed = true;
            return;
        }
        samples->rows = rows;
        samples->capacity = capacity;
    }
    fill_row(run, &samples->rows[samples->count++]);
}

bool gr_trial_step(GrTrialRun *run)
{
    run->outcome = gr_mission_step(run->mission, INFINITY);
    if (run->outcome == GR_OUTCOME_DIVERGED || run->outcome == GR_OUTCOME_FAILED) {
        return false;
    }
    gr_mission_sample(run->mission, &run->sample);
    run->turned += remainder(run->sample.heading - run->heading, 2 * GR_PI);
    run->heading = run->sample.heading;
    note_peaks(run);
    note_trace(run);
    if (run->def->progress != NULL) {
        run->def->progress(run->def->context, run->sample.time / run->mission->def.duration);
    }
    return run->outcome == GR_OUTCOME_RUNNING;
}

GrTrialOutcome gr_trial_outcome_of(GrOutcome outcome, GrTrialOutcome late)
{
    switch (outcome) {
    case GR_OUTCOME_TIPPED:
        return GR_TRIAL_TIPPED;
    case GR_OUTCOME_BELLY:
        return GR_TRIAL_BELLY;
    case GR_OUTCOME_STUCK:
        return GR_TRIAL_STUCK;
    case GR_OUTCOME_LEFT_MAP:
        return GR_TRIAL_LEFT;
    case GR_OUTCOME_DIVERGED:
        return GR_TRIAL_DIVERGED;
    case GR_OUTCOME_FAILED:
        return GR_TRIAL_FAILED;
    default:
        return late;
    }
}

double gr_trial_motion(const GrTrialRun *run)
{
    const GrBalance balance = gr_balance(run->m, run->d);
    return sqrt(2 * balance.kinetic / balance.mass);
}

int gr_trial_contacts(const GrTrialRun *run)
{
    int count = 0;
    for (int i = 0; i < run->m->wheel_count; i++) {
        count += run->sample.wheels[i].load > 0;
    }
    return count;
}

bool gr_trial_with_drives(const GrRoverDef *rover, GrMotorKind kind, GrRoverDef *out)
{
    *out = *rover;
    out->joints = gr_calloc((size_t)rover->joint_count + 1, sizeof *out->joints);
    if (out->joints == NULL) {
        return false;
    }
    memcpy(out->joints, rover->joints, sizeof *out->joints * (size_t)rover->joint_count);
    for (int i = 0; i < rover->joint_count; i++) {
        if (out->joints[i].role == GR_ROLE_DRIVE) {
            out->joints[i].motor.kind = kind;
        }
    }
    return true;
}
