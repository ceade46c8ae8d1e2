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

GrStatus gr_footprint(const GrRoverDef *rover, GrFootprint *out, GrErrorLog *log)
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

GrPartDef gr_trial_box(GrVec3 top, GrVec3 size, double pitch)
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
