/// Charts of many points: a frame with axes, and points whose text a browser shows where the pointer rests on them.
///
///     GrBuffer svg = {0};
///     gr_svg_begin(&svg, 420, 300, "slip");
///     const GrChart chart = gr_chart_draw(&svg, &(GrChartDef){.width = 420, .height = 300, .x = {0, 1}, …});
///     gr_chart_begin_points(&svg, gr_plot_color(1), 0.5);
///     gr_chart_point(&svg, gr_chart_at(&chart, 0.3, 2), 2.4, "run 17: 0.3, 2");
///     gr_svg_end_group(&svg);
///     gr_svg_end(&svg);
///
/// For lines with a cursor and zoom see plot.h. A drawing may have several charts.
#ifndef GR_CHART_H
#define GR_CHART_H

#include "number.h"
#include "svg.h"

#include <stdbool.h>

// Ticks of an axis at round numbers.

enum { GR_MAX_TICKS = 24 };

typedef struct GrAxis {
    double lower, upper; ///< lower < upper
    double step;         ///< between ticks: 1, 2 or 5 times a power of ten
    int tick_count;
    double ticks[GR_MAX_TICKS];
} GrAxis;

/// Axis over [lower, upper] with about `wanted` ticks (2 .. 12). `widen`: move the ends out to the next ticks. A range
/// that is empty or not finite is widened to one that can be drawn.
GrAxis gr_axis_make(double lower, double upper, int wanted, bool widen);

/// 1, 2 or 5 times a power of ten, at most `length` (> 0).
double gr_axis_round_length(double length);

/// Tick text with as many decimals as the step needs; the minus sign is U+2212.
void gr_axis_label(const GrAxis *axis, double tick, char out[GR_NUMBER_SIZE]);

typedef struct GrChartDef {
    GrPoint2 at;                ///< upper left corner [px]
    double width, height;       ///< with labels [px]
    const char *x_label;        ///< NULL: none
    const char *y_label;        ///< NULL: none
    double x[2], y[2];          ///< values that must fit in
    bool tight_x, tight_y;      ///< the axis ends a little beyond the values and not at the next ticks
    bool same_scale;            ///< a unit of x is as long as one of y: maps
    const char *const *x_names; ///< NULL: numbers; else names of the places 0, 1, 2 … along x
    int x_name_count;
    double right; ///< room to the right of the frame [px]
} GrChartDef;

typedef struct GrChart {
    double left, top, width, height; ///< of the frame [px]
    GrAxis x, y;
} GrChart;

/// Draws the frame, the axes and their labels.
GrChart gr_chart_draw(GrBuffer *svg, const GrChartDef *def);

GrPoint2 gr_chart_at(const GrChart *chart, double x, double y);

/// Opens a group of points of one colour; ends with gr_svg_end_group().
void gr_chart_begin_points(GrBuffer *svg, const char *color, double opacity);
void gr_chart_point(GrBuffer *svg, GrPoint2 at, double radius, const char *text);

/// A bar with a text that shows under the pointer.
void gr_chart_bar(GrBuffer *svg, GrPoint2 a, GrPoint2 b, const char *color, const char *text);

/// A colour from dark blue by green to yellow; even in lightness, and clear to colour-blind readers. `part` 0 … 1.
void gr_chart_color(double part, char out[8]);

/// The end of a text that is longer than `width` characters, after an ellipsis: the end of a path says most.
enum { GR_CHART_TEXT = 200 };
void gr_chart_shorten(const char *text, int width, char out[GR_CHART_TEXT]);

#endif
