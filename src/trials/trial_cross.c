#include "trial_cross.h"

#include "alloc.h"
#include "elementary.h"
#include "mission_data.h"
#include "out_of_memory.h"
#include "rover_pose.h"

static const double STUCK_TIME = 20;    // [s] over which progress is judged
static const double STUCK_SHARE = 0.01; // least progress, as a fraction of the distance travelled by the rims
static const double STALL_TIME = 5;     // [s] over which motors at their limit are averaged
static const double LIMIT_SHARE = 0.99; // of a motor's torque limit: above this it is at its limit
static const double CLIMB_SHARE = 0.8;  // of the obstacle's height, that every wheel rises; flexible wheels rise less
static const double TOUCH_SHARE = 1e-3; // of the weight: above this a part other than a wheel is in contact

GrCrossLimits gr_default_cross_limits(void)
{
    return (GrCrossLimits){.tilt = 30 * GR_PI / 180, .load = (double)INFINITY};
}

static void include_wheel(const GrWheelDef *wheel, GrPose pose, GrFootprint *out)
{
    const double radius = wheel->radius + wheel->grouser_height, half = 0.5 * wheel->width;
    const GrVec3 at = pose.position;
    out->front = fmax(out->front, at.x + radius);
    out->rear = fmin(out->rear, at.x - radius);
    out->radius = fmax(out->radius, radius);
    if (at.y > 0) {
        out->left_inner = fmin(out->left_inner, at.y - half);
        out->left_outer = fmax(out->left_outer, at.y + half);
    } else {
        out->right_inner = fmin(out->right_inner, -at.y - half);
        out->right_outer = fmax(out->right_outer, -at.y + half);
    }
}

static GrStatus gr_footprint(const GrRoverDef *rover, GrFootprint *out, GrErrorLog *log)
{
    GrPose *poses = gr_calloc((size_t)rover->body_count + 1, sizeof *poses);
    double *positions = gr_calloc((size_t)rover->joint_count + 1, sizeof *positions);
    *out = (GrFootprint){.rear = INFINITY, .front = -INFINITY, .left_inner = INFINITY, .right_inner = INFINITY};
    GrStatus status = poses != NULL && positions != NULL ? GR_OK : GR_ERROR_MEMORY;
    if (status == GR_OK) {
        status = gr_rover_initial_positions(rover, positions, log);
    } else {
        gr_out_of_memory(log, NULL);
    }
    if (status == GR_OK) {
        status = gr_rover_body_poses(rover, positions, poses, log);
    }
    if (status == GR_OK && rover->wheel_count == 0) {
        status =
            gr_error_add(log, GR_ERROR_MODEL, (GrLocation){.field = "wheels"}, "a rover without wheels cannot drive");
    }
    for (int i = 0; i < rover->wheel_count && status == GR_OK; i++) {
        const GrWheelDef *wheel = &rover->wheels[i];
        include_wheel(wheel, gr_pose_mul(poses[wheel->body], wheel->pose), out);
    }
    gr_free(poses);
    gr_free(positions);
    return status;
}

/// A fixed box with the centre of its top face at a point, rotated about y by `pitch` (nose down).
static GrPartDef gr_trial_box(GrVec3 top, GrVec3 size, double pitch)
{
    GrPartDef part = gr_default_part_def();
    const GrQuat turn = gr_quat_exp(gr_vec3(0, pitch, 0));
    part.shape.kind = GR_SHAPE_BOX;
    part.shape.size = size;
    part.pose.rotation = turn;
    part.pose.position = gr_add(top, gr_quat_rotate(turn, gr_vec3(0, 0, -0.5 * size.z)));
    return part;
}

/// Radius over the grousers, on which a wheel rolls on rigid ground.
static double rolling_radius(const GrTrialRun *run, int wheel)
{
    return run->m->wheels[wheel].radius + run->m->wheels[wheel].grouser_height;
}

/// x of the foremost rim, and of the rearmost centre.
static void find_ends(const GrTrialRun *run, double *front, double *rear)
{
    *front = -INFINITY;
    *rear = INFINITY;
    for (int i = 0; i < run->m->wheel_count; i++) {
        const double x = run->sample.wheels[i].centre.x;
        *front = fmax(*front, x + rolling_radius(run, i));
        *rear = fmin(*rear, x);
    }
}

static double rim_speed(const GrTrialRun *run)
{
    double speed = 0;
    for (int i = 0; i < run->m->wheel_count; i++) {
        speed += fabs(run->sample.wheels[i].speed) * rolling_radius(run, i) / run->m->wheel_count;
    }
    return speed;
}

/// Torque limit of the motor that turns a wheel [N m]; INFINITY: none.
static double torque_limit(const GrRoverDef *rover, int wheel)
{
    for (int i = 0; i < rover->joint_count; i++) {
        if (rover->joints[i].role == GR_ROLE_DRIVE && rover->joints[i].child == rover->wheels[wheel].body) {
            return rover->joints[i].motor.torque_limit;
        }
    }
    return INFINITY;
}

static int motors_at_limit(const GrTrialRun *run)
{
    int count = 0;
    for (int i = 0; i < run->m->wheel_count; i++) {
        count += fabs(run->sample.wheels[i].torque) >= LIMIT_SHARE * torque_limit(run->def->rover, i);
    }
    return count;
}

/// Angle between the chassis' own upward axis and the plane's normal.
static double tilt_of(const GrSample *s)
{
    return gr_acos(fmin(1, fmax(-1, gr_quat_rotate(s->pose.rotation, gr_vec3(0, 0, 1)).z)));
}

/// DONE as long as no limit is exceeded.
static GrTrialOutcome exceeded(const GrTrialRun *run, const GrCrossLimits *limits, double weight)
{
    if (tilt_of(&run->sample) > limits->tilt) {
        return GR_TRIAL_TILTED;
    }
    if (run->peaks.wheel_load > limits->load * weight) {
        return GR_TRIAL_OVERLOADED;
    }
    return !limits->touch && run->sample.belly_force > TOUCH_SHARE * weight ? GR_TRIAL_TOUCHED : GR_TRIAL_DONE;
}

/// Reason why the rover did not get over the obstacle, from its wheels. `stalled`: motors at their limit, mean over
/// STALL_TIME.
static GrTrialOutcome failure_of(const GrTrialRun *run, double stalled)
{
    const GrTrialOutcome outcome = gr_trial_outcome_of(run->outcome, GR_TRIAL_LATE);
    if (outcome != GR_TRIAL_STUCK && outcome != GR_TRIAL_LATE) {
        return outcome;
    }
    if (stalled > 0.5) { // more than half a motor on average
        return GR_TRIAL_STALLS;
    }
    return outcome == GR_TRIAL_STUCK ? GR_TRIAL_SPINS : outcome;
}

/// How high each wheel has been.
typedef struct Rise {
    GrVec3 start[GR_DRIVE_WHEELS_MAX]; ///< its centre there [m]
    double most[GR_DRIVE_WHEELS_MAX];  ///< above the start [m]
} Rise;

static int rise_count(const GrTrialRun *run)
{
    return run->m->wheel_count < GR_DRIVE_WHEELS_MAX ? run->m->wheel_count : GR_DRIVE_WHEELS_MAX;
}

static Rise begin_rise(const GrTrialRun *run)
{
    Rise rise = {0};
    for (int i = 0; i < rise_count(run); i++) {
        rise.start[i] = run->sample.wheels[i].centre;
    }
    return rise;
}

static void follow_rise(const GrTrialRun *run, Rise *rise)
{
    for (int i = 0; i < rise_count(run); i++) {
        rise->most[i] = fmax(rise->most[i], run->sample.wheels[i].centre.z - rise->start[i].z);
    }
}

/// Whether a wheel that had the obstacle in front of it passed it without climbing it.
static bool went_round(const GrTrialRun *run, const GrCrossing *crossing, const Rise *rise)
{
    for (int i = 0; i < rise_count(run); i++) {
        const bool meets = !crossing->one_side || rise->start[i].y > 0;
        if (meets && rise->most[i] < CLIMB_SHARE * crossing->climb) {
            return true;
        }
    }
    return false;
}

static void drive(GrTrialRun *run, const GrCrossing *crossing, GrCrossResult *out)
{
    double front = 0, rear = 0, travelled = 0, rolled = 0, stalled = 0;
    bool going = true;
    const double begin = gr_data_time(run->d), weight = gr_balance(run->m, run->d).mass * run->def->gravity;
    GrTrialOutcome limit = GR_TRIAL_DONE;
    gr_mission_sample(run->mission, &run->sample);
    const double energy = run->sample.energy.electric;
    const GrVec3 from = run->sample.pose.position;
    Rise rise = begin_rise(run);
    run->peaks = (GrTrialPeaks){.force_joint = -1, .moment_joint = -1, .load_least = INFINITY};
    gr_mission_control(run->mission)->manual =
        (GrDriveCommand){.mode = gr_drive_best_mode(&run->mission->control.geometry), .speed = crossing->speed};
    do {
        going = gr_trial_step(run);
        find_ends(run, &front, &rear);
        follow_rise(run, &rise);
        if (front > crossing->meets) {
            travelled += gr_norm(run->sample.velocity) * run->sample.step;
            rolled += rim_speed(run) * run->sample.step;
        }
        stalled += (motors_at_limit(run) - stalled) * run->sample.step / (run->sample.step + STALL_TIME);
        out->tilt = fmax(out->tilt, tilt_of(&run->sample));
        limit = exceeded(run, &crossing->limits, weight);
    } while (going && limit == GR_TRIAL_DONE && rear < crossing->past);
    const GrVec3 moved = gr_sub(run->sample.pose.position, from);
    out->time = run->sample.time - begin;
    out->distance = gr_norm(moved);
    out->drift = moved.y;
    out->slip = rolled > 0 ? 1 - travelled / rolled : 0;
    out->energy = run->sample.energy.electric - energy;
    out->peaks = run->peaks;
    if (limit != GR_TRIAL_DONE) {
        out->outcome = limit;
    } else if (rear < crossing->past) {
        out->outcome = failure_of(run, stalled);
    } else {
        out->outcome = went_round(run, crossing, &rise) ? GR_TRIAL_AROUND : GR_TRIAL_DONE;
    }
}

static GrStatus check_limits(const GrCrossLimits *limits, GrErrorLog *log)
{
    return limits->tilt > 0 && limits->load > 0
               ? GR_OK
               : gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                              "limits of %g rad of tilt or %g weights on a wheel out of range; allowed: both above 0",
                              limits->tilt, limits->load);
}

GrStatus gr_trial_cross(const GrTrialDef *def, const GrCrossing *crossing, GrTrialLog *samples, GrCrossResult *out,
                        GrErrorLog *log)
{
    GrTrialRun run;
    GrMissionDef mission = gr_trial_mission_def(def, crossing->limit);
    mission.stuck_time = STUCK_TIME;
    mission.stuck_share = STUCK_SHARE;
    *out = (GrCrossResult){0};
    GrStatus status = check_limits(&crossing->limits, log);
    if (status != GR_OK) {
        return status;
    }
    status = gr_trial_open(def, crossing->scene, &mission, samples, &run, log);
    if (status == GR_OK) {
        status = gr_mission_place(run.mission, &crossing->start, log);
    }
    if (status == GR_OK) {
        bool going = true;
        while (going && gr_data_time(run.d) < crossing->wait) {
            going = gr_trial_step(&run);
        }
        drive(&run, crossing, out);
    }
    gr_trial_close(&run);
    return status;
}

// ---- climbs

static const double GAP = 0.1;             // [m] between the foremost rim and the obstacle at the start
static const double SPARE_WIDTH = 2;       // [m] by which the obstacle is wider than the rover
static const double STEP_DEPTH = 0.3;      // [m] depth of a step below the ground
static const double SETTLE_TIME = 1;       // [s]
static const double TIME_LIMIT_FACTOR = 8; // time limit, as a multiple of the undisturbed time

GrClimbDef gr_default_climb_def(void)
{
    return (GrClimbDef){.height = 0.1, .speed = 0.05, .limits = gr_default_cross_limits()};
}

static GrPartDef make_obstacle(const GrClimbDef *climb, const GrFootprint *foot, double face)
{
    const double half = fmax(foot->left_outer, foot->right_outer) + SPARE_WIDTH;
    const double inner = climb->one_side ? 0.5 * foot->left_inner : -half;
    const double width = half - inner, middle = 0.5 * (half + inner);
    if (climb->obstacle == GR_OBSTACLE_STEP) {
        const double length = 3 * (foot->front - foot->rear) + 2;
        return gr_trial_box(gr_vec3(face + 0.5 * length, middle, climb->height),
                            gr_vec3(length, width, climb->height + STEP_DEPTH), 0);
    }
    GrPartDef part = gr_default_part_def();
    part.shape.kind = GR_SHAPE_CYLINDER; // its axis is y
    part.shape.radius = climb->height;
    part.shape.length = width;
    part.stone = true;
    part.pose = (GrPose){{face + climb->height, middle, 0}, {1, 0, 0, 0}};
    return part;
}

GrStatus gr_trial_climb(const GrTrialDef *def, const GrClimbDef *climb, GrTrialLog *samples, GrCrossResult *out,
                        GrErrorLog *log)
{
    GrFootprint foot;
    if (!(climb->height > 0) || !(climb->speed > 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                            "height %g m or speed %g m/s out of range; allowed: both above 0", climb->height,
                            climb->speed);
    }
    GrStatus status = gr_footprint(def->rover, &foot, log);
    if (status != GR_OK) {
        return status;
    }
    const double face = foot.front + GAP;
    const double behind = climb->obstacle == GR_OBSTACLE_ROCK ? 2 * climb->height : 0;
    const GrPartDef part = make_obstacle(climb, &foot, face);
    GrSceneDef scene = gr_trial_scene(def);
    const GrCrossing crossing = {
        .scene = &scene,
        .wait = SETTLE_TIME,
        .speed = climb->speed,
        .meets = face - foot.radius,
        .past = face + behind + foot.radius,
        .climb = climb->height,
        .one_side = climb->one_side,
        .limit = SETTLE_TIME + 10 + TIME_LIMIT_FACTOR * (face + behind + 2 * foot.radius - foot.rear) / climb->speed,
        .limits = climb->limits,
    };
    status = gr_scene_add_part(&scene, &part) >= 0 ? gr_trial_cross(def, &crossing, samples, out, log)
                                                   : gr_out_of_memory(log, NULL);
    gr_scene_def_free(&scene);
    return status;
}

void gr_climb_search_free(GrClimbSearch *search)
{
    gr_trial_log_free(&search->best_log);
    gr_trial_log_free(&search->failure_log);
}

/// Keeps an attempt as the highest that was crossed, or as the lowest that failed.
static void keep(double height, const GrCrossResult *result, GrTrialLog *samples, GrClimbSearch *out)
{
    const bool done = result->outcome == GR_TRIAL_DONE;
    GrTrialLog *place = done ? &out->best_log : &out->failure_log;
    gr_trial_log_free(place);
    *place = *samples;
    *(done ? &out->best : &out->failure) = *result;
    *(done ? &out->highest : &out->failed) = height;
}

GrStatus gr_trial_highest(const GrTrialDef *def, const GrClimbDef *climb, double step, double tolerance,
                          GrClimbSearch *out, GrErrorLog *log)
{
    return gr_trial_highest_below(def, climb, step, tolerance, INFINITY, out, log);
}

GrStatus gr_trial_highest_below(const GrTrialDef *def, const GrClimbDef *climb, double step, double tolerance,
                                double below, GrClimbSearch *out, GrErrorLog *log)
{
    double by = step;
    *out = (GrClimbSearch){0};
    if (!(step > 0) || !(tolerance > 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                            "step %g m or tolerance %g m out of range; allowed: both above 0", step, tolerance);
    }
    while (by >= tolerance) {
        GrClimbDef trial = *climb;
        GrCrossResult result = {0};
        GrTrialLog samples = {0};
        trial.height = out->highest + by;
        if (trial.height >= below) {
            by /= 2;
            continue;
        }
        const GrStatus status = gr_trial_climb(def, &trial, &samples, &result, log);
        if (status != GR_OK) {
            gr_trial_log_free(&samples);
            gr_climb_search_free(out);
            return status;
        }
        keep(trial.height, &result, &samples, out);
        by = result.outcome == GR_TRIAL_DONE && by == step ? by : by / 2;
    }
    return GR_OK;
}

// ---- leaving a lander
//
// Egress: down from a lander's deck over two ramps.
//
//      ________ deck_height
//     |  deck  |\___   ramp_angle
//     |________|    \____ ________ ground
//              0         foot                x

static const double EGRESS_GAP = 0.1;             // [m] between the foremost rim and the deck's edge
static const double START_HEIGHT = 1e-3;          // [m] height over the deck at the start
static const double RAMP_THICKNESS = 0.08;        // [m] of the ramps
static const double EGRESS_SETTLE_TIME = 2;       // [s]
static const double EGRESS_TIME_LIMIT_FACTOR = 4; // time limit, as a multiple of the undisturbed time

GrEgressDef gr_default_egress_def(void)
{
    return (GrEgressDef){.deck_height = 0.5,
                         .ramp_angle = 20 * GR_PI / 180,
                         .ramp_margin = 0.05,
                         .speed = 0.05,
                         .limits = gr_default_cross_limits()};
}

static GrStatus check(const GrEgressDef *e, GrErrorLog *log)
{
    if (!(e->deck_height > 0) || !(e->ramp_angle > 0 && e->ramp_angle <= GR_PI / 3) || !(e->ramp_margin >= 0) ||
        !(e->speed > 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                            "deck %g m, ramp %g deg, margin %g m or speed %g m/s out of range; allowed: deck and speed "
                            "above 0, ramp above 0 to 60 deg, margin not negative",
                            e->deck_height, e->ramp_angle * 180 / GR_PI, e->ramp_margin, e->speed);
    }
    return GR_OK;
}

/// A ramp for wheels between two distances from the middle; its top surface runs from the deck's edge to below the
/// ground.
static GrPartDef make_ramp(const GrEgressDef *e, double inner, double outer, double side)
{
    const double from = inner - e->ramp_margin, to = outer + e->ramp_margin;
    const double length = (e->deck_height + RAMP_THICKNESS) / gr_sin(e->ramp_angle);
    const GrVec3 top = gr_vec3(0.5 * length * gr_cos(e->ramp_angle), 0.5 * side * (from + to),
                               e->deck_height - 0.5 * length * gr_sin(e->ramp_angle));
    return gr_trial_box(top, gr_vec3(length, to - from, RAMP_THICKNESS), e->ramp_angle);
}

GrStatus gr_trial_egress(const GrTrialDef *def, const GrEgressDef *egress, GrTrialLog *samples, GrCrossResult *out,
                         GrErrorLog *log)
{
    GrFootprint foot;
    GrStatus status = check(egress, log);
    if (status == GR_OK) {
        status = gr_footprint(def->rover, &foot, log);
    }
    if (status != GR_OK) {
        return status;
    }
    const double length = foot.front - foot.rear + 2 * EGRESS_GAP + foot.radius, h = egress->deck_height;
    const double width = 2 * (fmax(foot.left_outer, foot.right_outer) + egress->ramp_margin) + 0.2;
    const double bottom = h / gr_tan(egress->ramp_angle);
    const GrPartDef parts[] = {
        gr_trial_box(gr_vec3(-0.5 * length, 0, h), gr_vec3(length, width, h + 0.2), 0),
        make_ramp(egress, foot.left_inner, foot.left_outer, 1),
        make_ramp(egress, foot.right_inner, foot.right_outer, -1),
    };
    GrSceneDef scene = gr_trial_scene(def);
    for (int i = 0; i < 3 && status == GR_OK; i++) {
        status = gr_scene_add_part(&scene, &parts[i]) >= 0 ? GR_OK : gr_out_of_memory(log, NULL);
    }
    const GrCrossing crossing = {
        .scene = &scene,
        .start = {.x = -EGRESS_GAP - foot.front, .heading = egress->misaligned, .height = h + START_HEIGHT},
        .wait = EGRESS_SETTLE_TIME,
        .speed = egress->speed,
        .meets = 0,
        .past = bottom + foot.radius,
        .limit = EGRESS_SETTLE_TIME + 10 +
                 EGRESS_TIME_LIMIT_FACTOR * (length + bottom / gr_cos(egress->ramp_angle) + 2) / egress->speed,
        .limits = egress->limits,
    };
    if (status == GR_OK) {
        status = gr_trial_cross(def, &crossing, samples, out, log);
    }
    gr_scene_def_free(&scene);
    return status;
}
