/// A whole run of a scenario, and its repetition with half the step.
#include "grouser/run.h"

#include "scenario_data.h"

#include "alloc.h"
#include "check.h"
#include "clock.h"
#include "mission_data.h"
#include "out_of_memory.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

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

/// Steps to a time or an outcome, with the same steps as gr_mission_advance().
static GrOutcome advance(GrMission *mission, const GrRunHooks *hooks, double until, double duration, GrStatus *status,
                         GrErrorLog *log)
{
    if (hooks != NULL && hooks->advance != NULL) {
        *status = hooks->advance(hooks->driver, mission, until, log);
        return mission->s.outcome;
    }
    if (hooks == NULL || hooks->step == NULL) {
        return gr_mission_advance(mission, until);
    }
    const double end = fmin(until, duration);
    while (*status == GR_OK && mission->s.outcome == GR_OUTCOME_RUNNING && gr_data_time(mission->d) < end) {
        gr_mission_step(mission, end);
        *status = hooks->step(hooks->context, mission->d, log);
    }
    return mission->s.outcome;
}

GrStatus gr_run(GrWorld *world, const GrRunHooks *hooks, GrRunSummary *out, GrErrorLog *log)
{
    GrMission *mission = world->mission;
    const double duration = world->scenario->mission.duration, period = 1 / world->scenario->record_rate;
    const double begin = gr_wall_time();
    GrSample sample;
    *out = (GrRunSummary){0};
    GR_CHECK(hooks == NULL || hooks->advance == NULL || hooks->step == NULL);
    if (!gr_sample_init(world->model, gr_mission_rock_count(mission), &sample)) {
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = hand_on(mission, hooks, duration, &sample, log);
    GrOutcome outcome = GR_OUTCOME_RUNNING;
    if (hooks != NULL && hooks->step != NULL && status == GR_OK) {
        status = hooks->step(hooks->context, gr_mission_data(mission), log);
    }
    for (long k = 1; outcome == GR_OUTCOME_RUNNING && status == GR_OK; k++) {
        if (hooks != NULL && hooks->stop != NULL && hooks->stop(hooks->context)) {
            gr_mission_end(mission, GR_OUTCOME_INTERRUPTED, (GrEnd){.reason = GR_END_INTERRUPTED});
            break;
        }
        outcome = advance(mission, hooks, (double)k * period, duration, &status, log);
        const GrStatus handed = hand_on(mission, hooks, duration, &sample, log);
        status = status == GR_OK ? handed : status;
    }
    gr_sample_free(&sample);
    const double wall = gr_wall_time() - begin;
    const GrStatus end = gr_mission_summary(mission, out, log);
    out->wall_time = wall;
    out->real_time_factor = wall > 0 ? out->time / wall : 0;
    return status != GR_OK ? status : end;
}

static GrScenario *half_step(const GrScenario *scenario)
{
    GrScenario *half = gr_scenario_share(scenario);
    if (half == NULL) {
        return NULL;
    }
    gr_pace_refine(&half->mission, 2);
    const int twice = 2 * half->slices;
    // given ruts have their own cell size
    half->rut_cell /= gr_soil_law_on_grid(half->soil.law) && half->ruts_from[0] == '\0' ? 2 : 1;
    half->slices = half->slices > 1 ? (twice < GR_SLICES_MAX ? twice : GR_SLICES_MAX) : 1;
    return half;
}

/// Combines the wheels' values at `offset` of their summaries into one of the rover.
static double sum_up(const GrRunSummary *s, size_t offset, GrSummaryOf of)
{
    double sum = 0, largest = -INFINITY;
    for (int i = 0; i < s->wheel_count; i++) {
        double value;
        memcpy(&value, (const unsigned char *)&s->wheels[i] + offset, sizeof value);
        sum += value;
        largest = value > largest ? value : largest;
    }
    if (s->wheel_count == 0) {
        return 0;
    }
    return of == GR_OF_LARGEST ? largest : of == GR_OF_MEAN ? sum / s->wheel_count : sum;
}

static double scale_of(const GrRunSummary *s, GrSummaryScale scale, double value)
{
    switch (scale) {
    case GR_SCALE_VALUE:
        return fabs(value);
    case GR_SCALE_DISTANCE:
        return s->distance;
    case GR_SCALE_WORK:
        return fmax(fabs(s->energy.electric), fabs(s->energy.soil));
    case GR_SCALE_ONE:
        break;
    }
    return 1;
}

/// Every number of the summary, from `a` and from `b`.
static void fill_rows(const GrRunSummary *a, const GrRunSummary *b, GrConvergence out[GR_CONVERGENCE_COUNT])
{
    int n = 0;
    out[n++] = (GrConvergence){"time", "s", a->time, b->time, 0, a->time, false};
#define GR_ROW(member, name, unit, factor, text, scale, event)                                                         \
    out[n++] = (GrConvergence){                                                                                        \
        text, unit, (factor)*a->member, (factor)*b->member, 0, (factor)*scale_of(a, GR_SCALE_##scale, a->member),      \
        event};
    GR_SUMMARY_NUMBER_LIST(GR_ROW)
#undef GR_ROW
#define GR_ROW(member, name, text)                                                                                     \
    out[n++] = (GrConvergence){text, "J", a->energy.member, b->energy.member, 0, scale_of(a, GR_SCALE_WORK, 0), false};
    GR_SUMMARY_ENERGY_LIST(GR_ROW)
#undef GR_ROW
    out[n++] = (GrConvergence){"energy per metre",        "J/m", a->energy_per_metre, b->energy_per_metre, 0,
                               fabs(a->energy_per_metre), false};
#define GR_ROW(member, name, unit, text, scale, of, event)                                                             \
    const double member##_a = sum_up(a, offsetof(GrWheelSummary, member), GR_OF_##of);                                 \
    const double member##_b = sum_up(b, offsetof(GrWheelSummary, member), GR_OF_##of);                                 \
    out[n++] = (GrConvergence){text, unit, member##_a, member##_b, 0, scale_of(a, GR_SCALE_##scale, member##_a), event};
    GR_WHEEL_NUMBER_LIST(GR_ROW)
#undef GR_ROW
    for (int i = 0; i < GR_CONVERGENCE_COUNT; i++) {
        const double change = out[i].half - out[i].value;
        out[i].scale = out[i].scale > 0 ? out[i].scale : fabs(change); // what was zero has changed as a whole
        out[i].change = change != 0 ? change / out[i].scale : 0;
    }
}

static void compare(const GrRunSummary *full, const GrRunSummary *half, GrHalfStep *out)
{
    *out = (GrHalfStep){.outcome = full->outcome, .half_outcome = half->outcome};
    fill_rows(full, half, out->rows);
    for (int i = 0; i < GR_CONVERGENCE_COUNT; i++) {
        const double size = out->rows[i].event ? 0 : fabs(out->rows[i].change);
        out->worst = size > out->worst ? size : isnan(size) ? (double)INFINITY : out->worst;
    }
}

GrStatus gr_run_convergence(const GrScenario *scenario, const GrRunSummary *full, const GrRunHooks *hooks,
                            GrHalfStep *out, GrErrorLog *log)
{
    GrScenario *half = half_step(scenario);
    GrWorld *world = NULL;
    GrRunSummary summary;
    GrStatus status = half != NULL ? gr_world_create(half, &world, log) : gr_out_of_memory(log, scenario->file);
    if (status == GR_OK && world != NULL) {
        status = gr_run(world, hooks, &summary, log);
        if (status == GR_OK) {
            compare(full, &summary, out);
        }
        gr_run_summary_free(&summary);
        gr_world_free(world);
    }
    gr_free(half);
    return status;
}
