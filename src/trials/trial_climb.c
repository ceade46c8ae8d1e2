/// Steps and rocks: the rover drives straight over an obstacle.
#include "trial_cross.h"

#include "out_of_memory.h"

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
