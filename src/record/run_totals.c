#include "run_totals.h"

#include "alloc.h"
#include "elementary.h"
#include "model_data.h"

bool gr_run_totals_init(GrRunTotals *totals, const GrModel *model)
{
    const size_t count = (size_t)model->wheel_count + 1;
    const GrVec3 gravity = model->tree.gravity;
    *totals = (GrRunTotals){.model = model,
                            .sums = gr_calloc(count, sizeof *totals->sums),
                            .changes = gr_calloc(count, sizeof *totals->changes),
                            .states = gr_calloc(count, sizeof *totals->states),
                            .up = gr_norm(gravity) > 0 ? gr_normalize(gr_neg(gravity)) : gr_vec3(0, 0, 1)};
    totals->summary.wheels = gr_calloc(count, sizeof *totals->summary.wheels);
    totals->summary.wheel_count = model->wheel_count;
    if (totals->sums == NULL || totals->changes == NULL || totals->states == NULL || totals->summary.wheels == NULL) {
        gr_run_totals_free(totals);
        return false;
    }
    return true;
}

void gr_run_totals_free(GrRunTotals *totals)
{
    gr_free(totals->sums);
    gr_free(totals->changes);
    gr_free(totals->states);
    gr_run_summary_free(&totals->summary);
    *totals = (GrRunTotals){0};
}

void gr_run_totals_add(GrRunTotals *totals, const GrSample *sample)
{
    GrRunSummary *s = &totals->summary;
    const GrVec3 at = sample->pose.position;
    const double dt = totals->count > 0 ? sample->time - s->time : 0;
    if (totals->count == 0) {
        totals->start = at;
        totals->climbs.last = gr_dot(at, totals->up);
    }
    for (int i = 0; i < s->wheel_count; i++) {
        gr_wheel_sums_add(&totals->sums[i], totals->model, i, &sample->wheels[i], dt);
        totals->changes[i] += totals->count > 0 && totals->states[i] != sample->wheels[i].state;
        totals->states[i] = sample->wheels[i].state;
    }
    gr_climb_sums_add(&totals->climbs, gr_dot(at, totals->up));
    totals->span += dt;
    totals->count++;
    s->time = s->outcome_time = sample->time;
    s->distance = sample->distance;
    s->progress = gr_hypot(at.x - totals->start.x, at.y - totals->start.y);
    s->roll_max = fmax(s->roll_max, fabs(sample->roll));
    s->pitch_max = fmax(s->pitch_max, fabs(sample->pitch));
    s->cross_track_max = fmax(s->cross_track_max, fabs(sample->cross_track));
    s->odometry_error = gr_hypot(sample->odometry.x - at.x, sample->odometry.y - at.y);
    s->energy = sample->energy;
    s->way_points_reached = sample->way_point;
    if (sample->step > 0) { // none before the first
        s->step_min = s->step_min > 0 ? fmin(s->step_min, sample->step) : sample->step;
        s->step_max = fmax(s->step_max, sample->step);
    }
}

const GrRunSummary *gr_run_totals_finish(GrRunTotals *totals, double wall_time)
{
    GrRunSummary *s = &totals->summary;
    for (int i = 0; i < s->wheel_count; i++) {
        s->wheels[i] = gr_wheel_sums_result(&totals->sums[i], totals->span);
        s->wheels[i].chatter = totals->span > 0 ? (double)totals->changes[i] / totals->span : 0;
    }
    s->climb = totals->climbs.climb;
    s->descent = totals->climbs.descent;
    s->energy_per_metre = s->distance > 0 ? s->energy.electric / s->distance : (double)NAN;
    s->wall_time = wall_time;
    s->real_time_factor = wall_time > 0 ? s->time / wall_time : 0;
    return s;
}
