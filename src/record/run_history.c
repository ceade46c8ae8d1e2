#include "run_history.h"

#include "alloc.h"

#include <math.h>
#include <string.h>

bool gr_run_history_init(GrRunHistory *h, const GrModel *model)
{
    *h = (GrRunHistory){
        .wheel_count = gr_model_wheel_count(model), .joint_count = gr_model_joint_count(model), .samples_each = 1};
    h->quantity_count = GR_HISTORY_ROVER_COUNT + h->wheel_count * GR_HISTORY_WHEEL_COUNT + h->joint_count;
    const size_t room = (size_t)GR_HISTORY_BUCKETS * (size_t)h->quantity_count;
    h->time = gr_calloc(GR_HISTORY_BUCKETS, sizeof *h->time);
    h->way = gr_calloc(GR_HISTORY_BUCKETS, sizeof *h->way);
    h->lowest = gr_calloc(room, sizeof *h->lowest);
    h->highest = gr_calloc(room, sizeof *h->highest);
    h->sum = gr_calloc(room, sizeof *h->sum);
    h->noted = gr_calloc(room, sizeof *h->noted);
    h->states =
        gr_calloc((size_t)GR_HISTORY_BUCKETS * ((size_t)h->wheel_count + 1) * GR_HISTORY_STATES, sizeof *h->states);
    if (h->time == NULL || h->way == NULL || h->lowest == NULL || h->highest == NULL || h->states == NULL ||
        h->sum == NULL || h->noted == NULL) {
        gr_run_history_free(h);
        return false;
    }
    return true;
}

void gr_run_history_free(GrRunHistory *h)
{
    gr_free(h->time);
    gr_free(h->way);
    gr_free(h->lowest);
    gr_free(h->highest);
    gr_free(h->sum);
    gr_free(h->noted);
    gr_free(h->states);
    *h = (GrRunHistory){0};
}

int gr_history_of_rover(GrHistoryRover quantity)
{
    return quantity;
}

int gr_history_of_wheel(int wheel, GrHistoryWheel quantity)
{
    return GR_HISTORY_ROVER_COUNT + wheel * GR_HISTORY_WHEEL_COUNT + (int)quantity;
}

int gr_history_of_joint(const GrRunHistory *h, int joint)
{
    return GR_HISTORY_ROVER_COUNT + h->wheel_count * GR_HISTORY_WHEEL_COUNT + joint;
}

static unsigned *states_of(const GrRunHistory *h, int bucket)
{
    return h->states + (size_t)bucket * (size_t)h->wheel_count * GR_HISTORY_STATES;
}

/// Merges bucket `from` into bucket `to`.
static void join(GrRunHistory *h, int to, int from)
{
    const size_t n = (size_t)h->quantity_count, a = (size_t)to * n, b = (size_t)from * n;
    h->time[to][1] = h->time[from][1];
    h->way[to][1] = h->way[from][1];
    for (size_t i = 0; i < n; i++) {
        h->lowest[a + i] = fmin(h->lowest[a + i], h->lowest[b + i]);
        h->highest[a + i] = fmax(h->highest[a + i], h->highest[b + i]);
        h->sum[a + i] += h->sum[b + i];
        h->noted[a + i] += h->noted[b + i];
    }
    for (int i = 0; i < h->wheel_count * GR_HISTORY_STATES; i++) {
        states_of(h, to)[i] += states_of(h, from)[i];
    }
}

static void move(GrRunHistory *h, int to, int from)
{
    if (to == from) {
        return;
    }
    const size_t n = (size_t)h->quantity_count, a = (size_t)to * n, b = (size_t)from * n;
    memcpy(h->time[to], h->time[from], sizeof h->time[to]);
    memcpy(h->way[to], h->way[from], sizeof h->way[to]);
    memcpy(h->lowest + a, h->lowest + b, n * sizeof *h->lowest);
    memcpy(h->highest + a, h->highest + b, n * sizeof *h->highest);
    memcpy(h->sum + a, h->sum + b, n * sizeof *h->sum);
    memcpy(h->noted + a, h->noted + b, n * sizeof *h->noted);
    memcpy(states_of(h, to), states_of(h, from), sizeof(unsigned) * (size_t)h->wheel_count * GR_HISTORY_STATES);
}

static void halve(GrRunHistory *h)
{
    for (int i = 0; i < GR_HISTORY_BUCKETS / 2; i++) {
        move(h, i, 2 * i);
        join(h, i, 2 * i + 1);
    }
    h->count = GR_HISTORY_BUCKETS / 2;
    h->samples_each *= 2;
    h->filled = h->samples_each;
}

static void open_bucket(GrRunHistory *h, const GrSample *sample)
{
    if (h->count == GR_HISTORY_BUCKETS) {
        halve(h);
    }
    const int bucket = h->count++;
    h->filled = 0;
    h->time[bucket][0] = sample->time;
    h->way[bucket][0] = sample->distance;
    memset(states_of(h, bucket), 0, sizeof(unsigned) * (size_t)h->wheel_count * GR_HISTORY_STATES);
    for (int i = 0; i < h->quantity_count; i++) {
        h->lowest[bucket * h->quantity_count + i] = (double)INFINITY;
        h->highest[bucket * h->quantity_count + i] = -(double)INFINITY;
        h->sum[bucket * h->quantity_count + i] = 0;
        h->noted[bucket * h->quantity_count + i] = 0;
    }
}

static void note(GrRunHistory *h, int quantity, double value)
{
    const int at = (h->count - 1) * h->quantity_count + quantity;
    h->lowest[at] = value < h->lowest[at] ? value : h->lowest[at]; // ignores NaN
    h->highest[at] = value > h->highest[at] ? value : h->highest[at];
    h->sum[at] += isnan(value) ? 0 : value;
    h->noted[at] += !isnan(value);
}

static void note_rover(GrRunHistory *h, const GrSample *s)
{
    note(h, GR_HISTORY_ROLL, s->roll / GR_DEGREE);
    note(h, GR_HISTORY_PITCH, s->pitch / GR_DEGREE);
    note(h, GR_HISTORY_SPEED, sqrt(s->velocity.x * s->velocity.x + s->velocity.y * s->velocity.y));
    note(h, GR_HISTORY_COMMAND_SPEED, s->command.speed);
    note(h, GR_HISTORY_POWER, s->power);
    note(h, GR_HISTORY_ELECTRIC, s->energy.electric);
    note(h, GR_HISTORY_BRAKING, s->energy.braking);
    note(h, GR_HISTORY_MECHANICAL, s->energy.mechanical);
    note(h, GR_HISTORY_SOIL, s->energy.soil);
    note(h, GR_HISTORY_JOINTS, s->energy.joints);
    note(h, GR_HISTORY_PULL, s->energy.pull);
    note(h, GR_HISTORY_RESIDUAL, s->energy.residual);
    note(h, GR_HISTORY_CROSS_TRACK, s->cross_track);
    const double dx = s->odometry.x - s->pose.position.x, dy = s->odometry.y - s->pose.position.y;
    note(h, GR_HISTORY_ODOMETRY_ERROR, sqrt(dx * dx + dy * dy));
    note(h, GR_HISTORY_HEIGHT, s->pose.position.z);
    note(h, GR_HISTORY_BELLY, s->belly_force);
}

static void note_wheel(GrRunHistory *h, int wheel, const GrWheelSample *w)
{
    note(h, gr_history_of_wheel(wheel, GR_HISTORY_SLIP), w->slip);
    note(h, gr_history_of_wheel(wheel, GR_HISTORY_SLIP_ANGLE), w->slip_angle / GR_DEGREE);
    note(h, gr_history_of_wheel(wheel, GR_HISTORY_SINKAGE), 1000 * w->sinkage);
    note(h, gr_history_of_wheel(wheel, GR_HISTORY_LOAD), w->load);
    note(h, gr_history_of_wheel(wheel, GR_HISTORY_TORQUE), w->torque);
    note(h, gr_history_of_wheel(wheel, GR_HISTORY_WHEEL_POWER), w->power);
    if (w->state >= 0 && w->state < GR_HISTORY_STATES) {
        states_of(h, h->count - 1)[wheel * GR_HISTORY_STATES + w->state]++;
    }
}

void gr_run_history_add(GrRunHistory *h, const GrSample *sample)
{
    if (h->count == 0 || h->filled >= h->samples_each) {
        open_bucket(h, sample);
    }
    h->filled++;
    h->time[h->count - 1][1] = sample->time;
    h->way[h->count - 1][1] = sample->distance;
    note_rover(h, sample);
    for (int i = 0; i < h->wheel_count; i++) {
        note_wheel(h, i, &sample->wheels[i]);
    }
    for (int i = 0; i < h->joint_count; i++) {
        note(h, gr_history_of_joint(h, i), sample->joints[i].angle);
    }
}

void gr_run_history_band(const GrRunHistory *h, int quantity, double scale, bool by_way, GrHistoryBand *out)
{
    out->count = h->count;
    for (int i = 0; i < h->count; i++) {
        const double *at = by_way ? h->way[i] : h->time[i];
        const int k = i * h->quantity_count + quantity;
        const bool ends = i == 0 || i == h->count - 1; // the line extends to both ends
        out->x[i] = !ends ? 0.5 * (at[0] + at[1]) : i == 0 ? at[0] : at[1];
        out->mean[i] = h->noted[k] > 0 ? scale * h->sum[k] / h->noted[k] : (double)NAN;
        out->lower[i] = scale * h->lowest[k];
        out->upper[i] = scale * h->highest[k];
    }
}

int gr_run_history_state(const GrRunHistory *h, int bucket, int wheel)
{
    const unsigned *counts = states_of(h, bucket) + (ptrdiff_t)wheel * GR_HISTORY_STATES;
    int best = 0;
    for (int i = 1; i < GR_HISTORY_STATES; i++) {
        best = counts[i] > counts[best] ? i : best;
    }
    return best;
}
