#include "state_bands.h"

#include "axis.h"
#include "contact_mode.h"
#include "plot.h"
#include "plot_data.h"
#include "svg.h"

#include <math.h>

static const double WIDTH = 596, LABELS = 130, ROW = 22, TOP = 8, RIGHT = 14;

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
            if (gr_run_history_state(h, i, k) == state) {
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
        const int state = gr_run_history_state(h, i, wheel);
        int end = i + 1;
        while (end < h->count && gr_run_history_state(h, end, wheel) == state) {
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
        gr_axis_make(h->count > 0 ? fmin(at[0][0], 0) : 0, h->count > 0 ? at[h->count - 1][1] : 1, 7, false);
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
