#include "run_history.h"

#include "alloc.h"
#include "chart.h"
#include "contact_mode.h"
#include "elementary.h"
#include "plot.h"
#include "svg.h"

#include <math.h>
#include <string.h>

// ---- the track

static const double FINEST_SPACING = 0.01; // [m]

void gr_track_add(GrTrack *track, GrVec3 point, double value)
{
    if (track->count > 0) {
        const GrVec3 *last = &track->points[track->count - 1];
        const double gone = gr_hypot(gr_hypot(point.x - last->x, point.y - last->y), point.z - last->z);
        if (!(gone >= fmax(track->spacing, FINEST_SPACING))) { // also for NaN
            return;
        }
    }
    if (track->count == GR_TRACK_MAX) {
        for (int i = 0; 2 * i < GR_TRACK_MAX; i++) {
            track->points[i] = track->points[2 * i];
            track->values[i] = track->values[2 * i];
        }
        track->count = GR_TRACK_MAX / 2;
        track->spacing = 2 * fmax(track->spacing, FINEST_SPACING);
    }
    track->points[track->count] = point;
    track->values[track->count++] = value;
}

// ---- the history

const GrFigureRow gr_figures[GR_FIGURE_COUNT] = {
    [GR_FIGURE_SLIP] = {GR_SECTION_WHEELS, "slip", "slip [%]", 1, 100},
    [GR_FIGURE_SINKAGE] = {GR_SECTION_WHEELS, "sinkage", "sinkage [mm]", 0.1, 1000},
    [GR_FIGURE_LOAD] = {GR_SECTION_WHEELS, "wheel load", "load [N]", 0.1, 1},
    [GR_FIGURE_TORQUE] = {GR_SECTION_WHEELS, "drive torque", "torque [N m]", 0.01, 1},
    [GR_FIGURE_WHEEL_POWER] = {GR_SECTION_WHEELS, "mechanical drive power", "power [W]", 0.01, 1},
    [GR_FIGURE_SLIP_ANGLE] = {GR_SECTION_WHEELS, "slip angle", "slip angle [°]", 0.1, 1},
    [GR_FIGURE_BLEND] = {GR_SECTION_WHEELS, "blending across borders of soils", "share of other soils [%]", 1, 100},
    [GR_FIGURE_POWER] = {GR_SECTION_ENERGY, "mechanical power of all motors", "power [W]", 0.01, 1},
    [GR_FIGURE_ENERGY] = {GR_SECTION_ENERGY, "mechanical energy since the start", "energy [J]", 0.01, 1},
    [GR_FIGURE_RESIDUAL] = {GR_SECTION_ENERGY, "residual of the balance", "energy [J]", 1e-6, 1},
    [GR_FIGURE_LIGHT] = {GR_SECTION_ENERGY, "light: the Sun in sight", "share of its disc [-]", 0.1, 1},
    [GR_FIGURE_SUPPLY] = {GR_SECTION_ENERGY, "electric power", "power [W]", 0.1, 1},
    [GR_FIGURE_BATTERY] = {GR_SECTION_ENERGY, "battery", "charge [Wh]", 0.01, 1},
    [GR_FIGURE_ATTITUDE] = {GR_SECTION_ROVER, "attitude", "angle [°]", 0.1, 1},
    [GR_FIGURE_SPEED] = {GR_SECTION_ROVER, "speed", "speed [m/s]", 1e-3, 1},
    [GR_FIGURE_OFF_PATH] = {GR_SECTION_ROVER, "off the path, off by odometry", "distance [m]", 1e-3, 1},
    [GR_FIGURE_HEIGHT] = {GR_SECTION_ROVER, "height of the chassis", "z [m]", 0.01, 1},
    [GR_FIGURE_LOCALISATION] = {GR_SECTION_ROVER, "error of localisation", "distance [m]", 1e-3, 1},
    [GR_FIGURE_HEADING] = {GR_SECTION_ROVER, "error of heading", "angle [°]", 0.01, 1},
    [GR_FIGURE_JOINT_ANGLE] = {GR_SECTION_JOINTS, "joints", "angle [°]", 0.1, 1},
};

static bool list_quantities(GrRunHistory *h, const GrModel *model)
{
    GrChannels channels;
    if (!gr_channels_init(&channels, model, h->parts)) {
        return false;
    }
    h->quantities = gr_calloc((size_t)channels.count, sizeof *h->quantities);
    for (int i = 0; i < channels.count && h->quantities != NULL; i++) {
        const GrFigure figure = channels.items[i].row->plot.figure;
        if (figure != GR_FIGURE_NONE) {
            h->quantities[h->quantity_count++] = (GrHistoryQuantity){channels.items[i], gr_figures[figure].scale};
        }
    }
    gr_channels_free(&channels);
    return h->quantities != NULL;
}

bool gr_run_history_init(GrRunHistory *h, const GrModel *model, unsigned parts)
{
    *h = (GrRunHistory){.wheel_count = gr_model_wheel_count(model), .parts = parts, .samples_each = 1};
    if (!list_quantities(h, model)) {
        return false;
    }
    const size_t room = (size_t)GR_HISTORY_BUCKETS * (size_t)h->quantity_count;
    h->values = gr_calloc((size_t)h->quantity_count + 1, sizeof *h->values);
    h->time = gr_calloc(GR_HISTORY_BUCKETS, sizeof *h->time);
    h->distance = gr_calloc(GR_HISTORY_BUCKETS, sizeof *h->distance);
    h->lowest = gr_calloc(room, sizeof *h->lowest);
    h->highest = gr_calloc(room, sizeof *h->highest);
    h->sum = gr_calloc(room, sizeof *h->sum);
    h->noted = gr_calloc(room, sizeof *h->noted);
    h->states =
        gr_calloc((size_t)GR_HISTORY_BUCKETS * ((size_t)h->wheel_count + 1) * GR_HISTORY_STATES, sizeof *h->states);
    if (h->time == NULL || h->distance == NULL || h->lowest == NULL || h->highest == NULL || h->states == NULL ||
        h->sum == NULL || h->noted == NULL || h->values == NULL) {
        gr_run_history_free(h);
        return false;
    }
    return true;
}

void gr_run_history_free(GrRunHistory *h)
{
    gr_free(h->quantities);
    gr_free(h->values);
    gr_free(h->time);
    gr_free(h->distance);
    gr_free(h->lowest);
    gr_free(h->highest);
    gr_free(h->sum);
    gr_free(h->noted);
    gr_free(h->states);
    *h = (GrRunHistory){0};
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
    h->distance[to][1] = h->distance[from][1];
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
    memcpy(h->distance[to], h->distance[from], sizeof h->distance[to]);
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
    h->distance[bucket][0] = sample->distance;
    memset(states_of(h, bucket), 0, sizeof(unsigned) * (size_t)h->wheel_count * GR_HISTORY_STATES);
    for (int i = 0; i < h->quantity_count; i++) {
        h->lowest[bucket * h->quantity_count + i] = (double)INFINITY;
        h->highest[bucket * h->quantity_count + i] = -(double)INFINITY;
        h->sum[bucket * h->quantity_count + i] = 0;
        h->noted[bucket * h->quantity_count + i] = 0;
    }
}

/// Adds the values to the last bucket; NaN is ignored. In vector registers.
static void note_values(GrRunHistory *h)
{
    const int first = (h->count - 1) * h->quantity_count;
    double *restrict lowest = h->lowest + first, *restrict highest = h->highest + first, *restrict sum = h->sum + first;
    unsigned *restrict noted = h->noted + first;
    for (int i = 0; i < h->quantity_count; i++) {
        const double value = h->values[i];
        lowest[i] = value < lowest[i] ? value : lowest[i];
        highest[i] = value > highest[i] ? value : highest[i];
        sum[i] += isnan(value) ? 0 : value;
    }
    for (int i = 0; i < h->quantity_count; i++) {
        noted[i] += !isnan(h->values[i]);
    }
}

static void note_state(GrRunHistory *h, int wheel, int state)
{
    if (state >= 0 && state < GR_HISTORY_STATES) {
        states_of(h, h->count - 1)[wheel * GR_HISTORY_STATES + state]++;
    }
}

void gr_run_history_add(GrRunHistory *h, const GrSample *sample)
{
    if (h->count == 0 || h->filled >= h->samples_each) {
        open_bucket(h, sample);
    }
    h->filled++;
    h->time[h->count - 1][1] = sample->time;
    h->distance[h->count - 1][1] = sample->distance;
    for (int i = 0; i < h->quantity_count; i++) {
        h->values[i] = h->quantities[i].scale * gr_channel_value(&h->quantities[i].channel, sample, 0);
    }
    note_values(h);
    for (int i = 0; i < h->wheel_count; i++) {
        note_state(h, i, sample->wheels[i].state);
    }
}

void gr_run_history_band(const GrRunHistory *h, int quantity, bool by_distance, GrHistoryBand *out)
{
    out->count = h->count;
    for (int i = 0; i < h->count; i++) {
        const double *at = by_distance ? h->distance[i] : h->time[i];
        const int k = i * h->quantity_count + quantity;
        const bool ends = i == 0 || i == h->count - 1; // the line extends to both ends
        out->x[i] = !ends ? 0.5 * (at[0] + at[1]) : i == 0 ? at[0] : at[1];
        out->mean[i] = h->noted[k] > 0 ? h->sum[k] / h->noted[k] : (double)NAN;
        out->lower[i] = h->lowest[k];
        out->upper[i] = h->highest[k];
    }
}

/// The state that a wheel had most often in a bucket.
static int run_history_state(const GrRunHistory *h, int bucket, int wheel)
{
    const unsigned *counts = states_of(h, bucket) + (ptrdiff_t)wheel * GR_HISTORY_STATES;
    int best = 0;
    for (int i = 1; i < GR_HISTORY_STATES; i++) {
        best = counts[i] > counts[best] ? i : best;
    }
    return best;
}

// ---- contact states of all wheels as bands

static const double WIDTH = 436, LABELS = 122, ROW = 22, TOP = 8, RIGHT = 14;

const char *gr_state_color(int state)
{
    static const char *const COLORS[] = {
        [GR_RIGID_NO_CONTACT] = "#e3e3e3",   [GR_RIGID_CONTACT] = "#9ecae1",        [GR_RIGID_ROLLING] = "#0072b2",
        [GR_RIGID_SLIDING] = "#cc79a7",      [GR_SOFT_NO_CONTACT] = "#ececec",      [GR_SOFT_CONTACT] = "#a6dbc8",
        [GR_SOFT_STUCK_ROLL] = "#009e73",    [GR_SOFT_SLIP_ACCELERATE] = "#e69f00", [GR_SOFT_SLIP_BRAKE] = "#56b4e9",
        [GR_STONE_NO_COLLISION] = "#d9d4cf", [GR_STONE_COLLISION] = "#c08a5a",      [GR_STONE_ROLLING] = "#7d5a3c",
        [GR_STONE_SLIDING] = "#d55e00",
    };
    return state >= 0 && state < GR_CONTACT_MODE_COUNT ? COLORS[state] : "#000";
}

bool gr_state_seen(const GrRunHistory *h, int state)
{
    for (int i = 0; i < h->count; i++) {
        for (int k = 0; k < h->wheel_count; k++) {
            if (run_history_state(h, i, k) == state) {
                return true;
            }
        }
    }
    return false;
}

static double to_page(const GrAxis *axis, double value)
{
    return LABELS + (WIDTH - LABELS - RIGHT) * (value - axis->lower) / (axis->upper - axis->lower);
}

/// A wheel's row: adjacent buckets of one state are drawn as one piece.
static void draw_row(GrBuffer *svg, const GrRunHistory *h, const GrAxis *axis, double (*at)[2], int wheel)
{
    for (int i = 0; i < h->count;) {
        const int state = run_history_state(h, i, wheel);
        int end = i + 1;
        while (end < h->count && run_history_state(h, end, wheel) == state) {
            end++;
        }
        const double from = to_page(axis, at[i][0]);
        const double to = to_page(axis, end < h->count ? at[end][0] : at[end - 1][1]);
        gr_svg_rect(svg, from, TOP + wheel * ROW, fmax(to - from, 0.5), ROW - 5,
                    (GrSvgStyle){.fill = gr_state_color(state)});
        i = end;
    }
}

static void draw_ticks(GrBuffer *svg, const GrAxis *axis, double bottom)
{
    gr_plot_data_ticks(svg);
    for (int i = 0; i < axis->tick_count; i++) {
        char label[GR_NUMBER_SIZE];
        const double x = to_page(axis, axis->ticks[i]);
        gr_axis_label(axis, axis->ticks[i], label);
        gr_svg_line(svg, (GrPoint2){x, bottom - 3}, (GrPoint2){x, bottom + 3}, (GrSvgStyle){.stroke = "#444"});
        gr_svg_text(svg, (GrPoint2){x, bottom + 16}, (GrSvgFont){.anchor = GR_SVG_MIDDLE, .color = "#333"}, label);
    }
    gr_svg_end_group(svg);
}

GrStatus gr_state_bands_draw(const GrRunHistory *h, const GrModel *model, bool by_distance, GrBuffer *svg)
{
    double(*at)[2] = by_distance ? h->distance : h->time;
    const GrAxis axis =
        gr_axis_make(h->count > 0 ? fmin(at[0][0], 0) : 0, h->count > 0 ? at[h->count - 1][1] : 1, 5, false);
    const double bottom = TOP + h->wheel_count * ROW;
    gr_svg_begin(svg, WIDTH, bottom + 46, by_distance ? "Contact states by distance" : "Contact states by time");
    const char *label = by_distance ? "distance [m]" : "time [s]";
    const GrPlotData data = {.title = "contact states",
                             .x_label = label,
                             .left = LABELS,
                             .top = TOP,
                             .width = WIDTH - LABELS - RIGHT,
                             .height = h->wheel_count * ROW,
                             .x = {axis.lower, axis.upper},
                             .y = {0, h->wheel_count}};
    gr_plot_data_begin(svg, &data);
    for (int i = 0; i < h->wheel_count; i++) {
        gr_svg_text(svg, (GrPoint2){LABELS - 8, TOP + i * ROW + 13}, (GrSvgFont){.size = 11.5, .anchor = GR_SVG_END},
                    gr_model_wheel_name(model, i));
    }
    gr_svg_begin_clip(svg, "clip-states", data.left, data.top, data.width, data.height);
    for (int i = 0; i < h->wheel_count; i++) {
        gr_plot_data_series(svg, gr_model_wheel_name(model, i), gr_plot_color(i + 1));
        draw_row(svg, h, &axis, at, i);
        gr_svg_end_group(svg);
    }
    gr_svg_end_group(svg);
    draw_ticks(svg, &axis, bottom);
    gr_svg_text(svg, (GrPoint2){(LABELS + WIDTH) / 2, bottom + 37}, (GrSvgFont){.size = 13, .anchor = GR_SVG_MIDDLE},
                label);
    gr_svg_end_group(svg);
    gr_svg_end(svg);
    return svg->failed ? GR_ERROR_MEMORY : GR_OK;
}
