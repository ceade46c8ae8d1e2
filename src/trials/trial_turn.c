/// Turn: on the spot, or on a circle.
#include "elementary.h"
#include "trial_run.h"

#include "mission_data.h"
#include "steering.h"

static const double WARM_UP_SHARE = 0.25; // fraction of the turn before averaging starts
static const double STUCK_SHARE = 0.01;   // below this fraction of the wanted yaw rate the rover does not turn

GrTurnDef gr_default_turn_def(void)
{
    return (GrTurnDef){.mode = GR_DRIVE_MODE_COUNT,
                       .speed = 0.05,
                       .angle = GR_PI,
                       .skid_factor = 1,
                       .acceleration = 0.1,
                       .limit = 600};
}

static GrStatus check(const GrTurnDef *turn, GrErrorLog *log)
{
    if (!(turn->speed > 0) || !(turn->angle > 0) || !(turn->skid_factor > 0) || !(turn->acceleration > 0) ||
        !(turn->limit > 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                            "speed %g m/s, angle %g rad, skid factor %g, acceleration %g m/s² or time %g s out of "
                            "range; allowed: all above 0",
                            turn->speed, turn->angle, turn->skid_factor, turn->acceleration, turn->limit);
    }
    return GR_OK;
}

static GrStatus make_command(const GrTurnDef *turn, const GrDriveGeometry *g, GrDriveCommand *out, GrErrorLog *log)
{
    const bool spot = turn->radius == 0;
    const GrDriveMode best = spot ? GR_DRIVE_POINT_TURN : gr_drive_best_mode(g);
    *out = (GrDriveCommand){.mode = turn->mode == GR_DRIVE_MODE_COUNT ? best : turn->mode};
    if (!gr_drive_supports(g, out->mode)) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "mode"},
                            "the rover lacks the joints of mode %s", gr_drive_mode_name(out->mode));
    }
    if (spot) {
        out->yaw_rate = turn->speed / g->reach;
    } else {
        out->speed = turn->speed;
        out->curvature = 1 / turn->radius;
    }
    return GR_OK;
}

/// Sums over time; divided by `time` at the end.
typedef struct Sums {
    double time, distance, turned;
    GrTurnWheel wheels[GR_DRIVE_WHEELS_MAX];
} Sums;

/// Velocity of the rover's centre, over the plane.
static double centre_speed(const GrTrialRun *run, const GrDrivePlan *plan)
{
    const GrSample *s = &run->sample;
    const GrVec3 arm = gr_quat_rotate(s->pose.rotation, gr_vec3(plan->centre_x, plan->centre_y, 0));
    const GrVec3 v = gr_add(s->velocity, gr_cross(s->angular_velocity, arm));
    return gr_hypot(v.x, v.y);
}

static double steer_of(const GrTrialRun *run, const GrDriveWheel *w)
{
    return w->steer >= 0 ? w->steer_sign * gr_data_joint_position(run->m, run->d, w->steer) : 0;
}

static void gather(const GrTrialRun *run, const GrDrivePlan *plan, Sums *sums)
{
    const GrSample *s = &run->sample;
    const double dt = s->step;
    sums->time += dt;
    sums->distance += dt * centre_speed(run, plan);
    sums->turned += dt * fabs(s->angular_velocity.z);
    for (int i = 0; i < run->m->wheel_count; i++) {
        const GrWheelSample *w = &s->wheels[i];
        GrTurnWheel *sum = &sums->wheels[i];
        sum->steer += dt * steer_of(run, &run->mission->control.geometry.wheels[i]);
        sum->slip += dt * w->slip;
        sum->slip_angle += dt * w->slip_angle;
        sum->side_force += dt * w->force.y;
        sum->torque += dt * w->torque;
        sum->sinkage += dt * w->sinkage;
    }
}

static void conclude(const GrTrialRun *run, const GrDrivePlan *plan, const Sums *sums, GrTurnResult *out)
{
    const GrDriveGeometry *g = &run->mission->control.geometry;
    out->radius = sums->distance / sums->turned;
    out->yaw_rate = copysign(sums->turned / sums->time, run->turned);
    for (int i = 0; i < run->m->wheel_count; i++) {
        const GrTurnWheel *sum = &sums->wheels[i];
        double sideways;
        const GrPlaneTwist twist = {plan->v_x, plan->v_y, plan->yaw_rate};
        const double rolling = gr_wheel_rolling(&g->wheels[i], plan->steer[i], twist, &sideways);
        out->wheels[i] = (GrTurnWheel){
            .steer = sum->steer / sums->time,
            .slip = sum->slip / sums->time,
            .slip_angle = sum->slip_angle / sums->time,
            .slip_angle_plan = gr_atan2(sideways, fabs(rolling)),
            .side_force = sum->side_force / sums->time,
            .torque = sum->torque / sums->time,
            .sinkage = sum->sinkage / sums->time,
        };
    }
}

static GrVec3 centre(const GrTrialRun *run, const GrDrivePlan *plan)
{
    const GrPose pose = gr_data_base_pose(run->d);
    return gr_add(pose.position, gr_quat_rotate(pose.rotation, gr_vec3(plan->centre_x, plan->centre_y, 0)));
}

static void drive(GrTrialRun *run, const GrTurnDef *turn, const GrDriveCommand *command, GrTurnResult *out)
{
    GrDrivePlan plan;
    Sums sums = {0};
    gr_drive_plan(&run->mission->control.geometry, command, &plan);
    gr_mission_control(run->mission)->manual = *command;
    const GrVec3 start = centre(run, &plan);
    bool going = true;
    while (going && fabs(run->turned) < turn->angle) {
        going = gr_trial_step(run);
        if (fabs(run->turned) >= WARM_UP_SHARE * turn->angle) {
            gather(run, &plan, &sums);
        }
    }
    const GrVec3 end = centre(run, &plan);
    const double degrees = fabs(run->turned) * 180 / GR_PI;
    out->time = run->sample.time;
    out->turned = run->turned;
    out->radius_plan = 1 / plan.curvature;
    out->yaw_rate_plan = plan.yaw_rate;
    out->drift = gr_hypot(end.x - start.x, end.y - start.y);
    out->energy_per_degree = run->sample.energy.electric / degrees;
    out->torque = run->peaks.torque;
    out->peaks = run->peaks;
    const bool turns = fabs(run->turned) > STUCK_SHARE * fabs(plan.yaw_rate) * run->sample.time;
    out->outcome = fabs(run->turned) >= turn->angle
                       ? GR_TRIAL_DONE
                       : gr_trial_outcome_of(run->outcome, turns ? GR_TRIAL_UNSETTLED : GR_TRIAL_STUCK);
    if (sums.time > 0) {
        conclude(run, &plan, &sums, out);
    } else {
        out->radius = out->yaw_rate = (double)NAN;
    }
}

GrStatus gr_trial_turn(const GrTrialDef *def, const GrTurnDef *turn, GrTrialLog *samples, GrTurnResult *out,
                       GrErrorLog *log)
{
    *out = (GrTurnResult){0};
    GrStatus status = check(turn, log);
    if (status != GR_OK) {
        return status;
    }
    GrTrialRun run;
    GrDriveCommand command;
    GrMissionDef mission = gr_trial_mission_def(def, turn->limit);
    mission.control.skid_factor = turn->skid_factor;
    mission.control.wheel_acceleration = turn->acceleration;
    status = gr_trial_open(def, NULL, &mission, samples, &run, log);
    if (status == GR_OK) {
        status = make_command(turn, &run.mission->control.geometry, &command, log);
    }
    if (status == GR_OK) {
        status = gr_mission_place(run.mission, &(GrStart){0}, log);
    }
    if (status == GR_OK) {
        out->mode = command.mode;
        out->wheel_count = run.m->wheel_count;
        drive(&run, turn, &command, out);
    }
    gr_trial_close(&run);
    return status;
}
