#include "run_totals.h"

#include "alloc.h"
#include "elementary.h"
#include "vec3.h"

bool gr_run_totals_init(GrRunTotals *totals, int wheel_count)
{
    const size_t count = (size_t)wheel_count + 1;
    *totals = (GrRunTotals){.sums = gr_calloc(count, sizeof *totals->sums),
                            .rolled = gr_calloc(count, sizeof *totals->rolled),
                            .states = gr_calloc(count, sizeof *totals->states)};
    totals->summary.wheels = gr_calloc(count, sizeof *totals->summary.wheels);
    totals->summary.wheel_count = wheel_count;
    if (totals->sums == NULL || totals->rolled == NULL || totals->states == NULL || totals->summary.wheels == NULL) {
        gr_run_totals_free(totals);
        return false;
    }
    return true;
}

void gr_run_totals_free(GrRunTotals *totals)
{
    gr_free(totals->sums);
    gr_free(totals->rolled);
    gr_free(totals->states);
    gr_run_summary_free(&totals->summary);
    *totals = (GrRunTotals){0};
}

static void add_wheel(GrRunTotals *totals, int i, const GrWheelSample *w, double dt)
{
    GrWheelSummary *s = &totals->summary.wheels[i], *sum = &totals->sums[i];
    const double rolled = fabs(w->speed) * dt;
    totals->rolled[i] += rolled;
    sum->slip_mean += w->slip * rolled;
    sum->sinkage_mean += w->sinkage * dt;
    sum->load_mean += w->load * dt;
    sum->torque_mean += w->torque * dt;
    s->energy += w->power * dt;
    sum->airborne += w->load > 0 ? 0 : dt;
    sum->chatter += totals->count > 0 && totals->states[i] != w->state;
    totals->states[i] = w->state;
    s->slip_max = fmax(s->slip_max, fabs(w->slip));
    s->sinkage_max = fmax(s->sinkage_max, w->sinkage);
    s->load_max = fmax(s->load_max, w->load);
    s->torque_max = fmax(s->torque_max, fabs(w->torque));
}

void gr_run_totals_add(GrRunTotals *totals, const GrSample *sample)
{
    GrRunSummary *s = &totals->summary;
    const GrVec3 at = sample->pose.position;
    const double dt = totals->count > 0 ? sample->time - s->time : 0;
    if (totals->count == 0) {
        totals->start = totals->last = at;
        s->step_min = s->step_max = sample->step;
    }
    for (int i = 0; i < s->wheel_count; i++) {
        add_wheel(totals, i, &sample->wheels[i], dt);
    }
    const double rise = at.z - totals->last.z;
    s->climb += fmax(rise, 0);
    s->descent += fmax(-rise, 0);
    totals->last = at;
    totals->span += dt;
    totals->count++;
    s->time = s->outcome_time = sample->time;
    s->distance = sample->distance;
    s->progress = gr_norm(gr_sub(at, totals->start));
    s->roll_max = fmax(s->roll_max, fabs(sample->roll));
    s->pitch_max = fmax(s->pitch_max, fabs(sample->pitch));
    s->cross_track_max = fmax(s->cross_track_max, fabs(sample->cross_track));
    s->odometry_error = gr_hypot(sample->odometry.x - at.x, sample->odometry.y - at.y);
    s->energy = sample->energy;
    s->way_points_reached = sample->way_point;
    s->step_min = fmin(s->step_min, sample->step);
    s->step_max = fmax(s->step_max, sample->step);
}

const GrRunSummary *gr_run_totals_finish(GrRunTotals *totals, double wall_time)
{
    GrRunSummary *s = &totals->summary;
    const double over_time = totals->span > 0 ? 1 / totals->span : 0;
    for (int i = 0; i < s->wheel_count; i++) {
        GrWheelSummary *w = &s->wheels[i];
        const GrWheelSummary *sum = &totals->sums[i];
        w->slip_mean = totals->rolled[i] > 0 ? sum->slip_mean / totals->rolled[i] : 0;
        w->sinkage_mean = over_time * sum->sinkage_mean;
        w->load_mean = over_time * sum->load_mean;
        w->torque_mean = over_time * sum->torque_mean;
        w->chatter = over_time * sum->chatter;
        w->airborne = over_time * sum->airborne;
    }
    s->energy_per_metre = s->distance > 0 ? s->energy.electric / s->distance : (double)NAN;
    s->wall_time = wall_time;
    s->real_time_factor = wall_time > 0 ? s->time / wall_time : 0;
    return s;
}
