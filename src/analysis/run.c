#include "grouser/run.h"

#include "mission.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

static double wall_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static GrStatus hand_on(GrMission *mission, const GrRunHooks *hooks, double duration, GrSample *sample, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    if (hooks != NULL && hooks->sample != NULL) {
        gr_mission_sample(mission, sample);
        status = hooks->sample(hooks->context, sample, log);
    }
    if (hooks != NULL && hooks->progress != NULL) {
        hooks->progress(hooks->context, gr_data_time(gr_mission_data(mission)), duration);
    }
    return status;
}

GrStatus gr_run(GrWorld *world, const GrRunHooks *hooks, GrRunSummary *out, GrErrorLog *log)
{
    GrMission *mission = world->mission;
    const double duration = world->scenario->mission.duration, period = 1 / world->scenario->record_rate;
    const double begin = wall_time();
    GrSample sample;
    *out = (GrRunSummary){0};
    if (!gr_sample_init(world->model, gr_mission_rock_count(mission), &sample)) {
        return gr_error_add(log, GR_ERROR_MEMORY, (GrLocation){0}, "out of memory");
    }
    GrStatus status = hand_on(mission, hooks, duration, &sample, log);
    GrOutcome outcome = GR_OUTCOME_RUNNING;
    for (long k = 1; outcome == GR_OUTCOME_RUNNING && status == GR_OK; k++) {
        if (hooks != NULL && hooks->stop != NULL && hooks->stop(hooks->context)) {
            gr_mission_end(mission, GR_OUTCOME_INTERRUPTED, "stopped by the user");
            break;
        }
        outcome = gr_mission_advance(mission, (double)k * period);
        status = hand_on(mission, hooks, duration, &sample, log);
    }
    gr_sample_free(&sample);
    const double wall = wall_time() - begin;
    const GrStatus end = gr_mission_summary(mission, out, log);
    out->wall_time = wall;
    out->real_time_factor = wall > 0 ? out->time / wall : 0;
    return status != GR_OK ? status : end;
}

static GrScenario half_step(const GrScenario *scenario)
{
    GrScenario half = *scenario; // owns nothing: never freed
    GrMissionDef *m = &half.mission;
    m->step /= 2;
    m->step_min /= 2;
    m->step_max /= 2;
    m->step_hard /= 2;
    m->hub_travel /= 2;
    m->tolerance /= 4;
    const int twice = 2 * half.slices;
    half.rut_cell /= half.soil.law == GR_SOIL_SCM && half.ruts_from[0] == '\0' ? 2 : 1; // given ruts have theirs
    half.slices = half.slices > 1 ? (twice < GR_SLICES_MAX ? twice : GR_SLICES_MAX) : 1;
    return half;
}

/// Mean over the wheels of the number at `offset` in their summaries.
static double mean_of(const GrRunSummary *s, size_t offset)
{
    double sum = 0;
    for (int i = 0; i < s->wheel_count; i++) {
        double value;
        memcpy(&value, (const unsigned char *)&s->wheels[i] + offset, sizeof value);
        sum += value;
    }
    return s->wheel_count > 0 ? sum / s->wheel_count : 0;
}

static void fill_rows(const GrRunSummary *a, const GrRunSummary *b, GrConvergence out[GR_CONVERGENCE_COUNT])
{
    static const struct {
        const char *quantity, *unit;
        size_t offset;
        bool absolute; ///< changes are told as they are, not over the value
    } wheels[] = {
        {"mean slip", "", offsetof(GrWheelSummary, slip_mean), true},
        {"mean sinkage", "m", offsetof(GrWheelSummary, sinkage_mean), false},
        {"mean torque", "N m", offsetof(GrWheelSummary, torque_mean), false},
        {"largest load", "N", offsetof(GrWheelSummary, load_max), false},
    };
    const double work = fabs(a->energy.motor);
    const GrConvergence whole[] = {
        {"time", "s", a->time, b->time, 0, a->time},
        {"distance", "m", a->distance, b->distance, 0, a->distance},
        {"progress", "m", a->progress, b->progress, 0, a->distance},
        {"motor work", "J", a->energy.motor, b->energy.motor, 0, work},
        {"energy residual", "J", a->energy.residual, b->energy.residual, 0, work},
    };
    enum { WHOLE = sizeof whole / sizeof whole[0] };
    memcpy(out, whole, sizeof whole);
    for (int i = 0; i < GR_CONVERGENCE_COUNT - WHOLE; i++) {
        const double value = mean_of(a, wheels[i].offset), half = mean_of(b, wheels[i].offset);
        out[WHOLE + i] =
            (GrConvergence){wheels[i].quantity, wheels[i].unit, value, half, 0, wheels[i].absolute ? 1 : fabs(value)};
    }
    for (int i = 0; i < GR_CONVERGENCE_COUNT; i++) {
        out[i].change = out[i].scale > 0 ? (out[i].half - out[i].value) / out[i].scale : 0;
    }
}

static void compare(const GrRunSummary *full, const GrRunSummary *half, GrHalfStep *out)
{
    *out = (GrHalfStep){.outcome = full->outcome, .half_outcome = half->outcome};
    fill_rows(full, half, out->rows);
    for (int i = 0; i < GR_CONVERGENCE_COUNT - 1; i++) { // the last row is the largest load
        const double size = fabs(out->rows[i].change);
        out->worst = size > out->worst ? size : isnan(size) ? (double)INFINITY : out->worst;
    }
}

GrStatus gr_run_convergence(const GrScenario *scenario, const GrRunSummary *full, const GrRunHooks *hooks,
                            GrHalfStep *out, GrErrorLog *log)
{
    const GrScenario half = half_step(scenario);
    GrWorld world;
    GrRunSummary summary;
    GrStatus status = gr_world_create(&half, &world, log);
    if (status == GR_OK) {
        status = gr_run(&world, hooks, &summary, log);
        if (status == GR_OK) {
            compare(full, &summary, out);
        }
        gr_run_summary_free(&summary);
        gr_world_free(&world);
    }
    return status;
}
