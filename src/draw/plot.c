#include "plot.h"

#include "alloc.h"
#include "chart.h"
#include "number.h"
#include "svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the data of a plot in its page

static void put_text(GrBuffer *svg, const char *attribute, const char *text)
{
    if (text != NULL && text[0] != '\0') {
        gr_buffer_printf(svg, " %s=\"", attribute);
        gr_buffer_xml(svg, text);
        gr_buffer_puts(svg, "\"");
    }
}

void gr_plot_data_begin(GrBuffer *svg, const GrPlotData *data)
{
    enum { DECIMALS = 2 }; // of drawn coordinates
    const double rectangle[] = {data->left, data->top, data->width, data->height};
    const double ranges[] = {data->x[0], data->x[1], data->y[0], data->y[1]};
    gr_buffer_puts(svg, "<g data-plot=\"");
    for (int i = 0; i < 4; i++) {
        gr_buffer_fixed(svg, rectangle[i], DECIMALS);
        gr_buffer_puts(svg, " ");
    }
    for (int i = 0; i < 4; i++) {
        gr_buffer_number(svg, ranges[i]);
        gr_buffer_puts(svg, i < 3 ? " " : "\"");
    }
    put_text(svg, "data-x", data->x_label);
    put_text(svg, "data-y", data->y_label);
    put_text(svg, "data-title", data->title);
    gr_buffer_puts(svg, ">\n");
}

void gr_plot_data_ticks(GrBuffer *svg)
{
    gr_buffer_puts(svg, "<g data-ticks=\"x\">\n");
}

void gr_plot_data_series(GrBuffer *svg, const char *name, const char *color)
{
    gr_buffer_puts(svg, "<g data-series=\"");
    gr_buffer_xml(svg, name != NULL ? name : "");
    gr_buffer_printf(svg, "\" data-color=\"%s\">\n", color);
}

// ---- drawing

enum { PALETTE_SIZE = 8 };
static const double ROW = 18; // of a legend [px]

/// One panel on the page: its axes and the rectangle that they span.
typedef struct Frame {
    GrAxis x, y;
    double left, top, width, height; // of the rectangle between the axes [px]
    double strip;                    // height above the rectangle for a legend that does not fit inside [px]
} Frame;

const char *gr_plot_color(int number)
{
    static const char *const palette[PALETTE_SIZE] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                      "#56b4e9", "#e69f00", "#7f7f7f", "#7a4dff"};
    return number == GR_PLOT_GUIDE ? "#cfcfcf" : palette[(number - 1) % PALETTE_SIZE];
}

static int series_color(const GrPanel *panel, int index)
{
    return panel->series[index].color != 0 ? panel->series[index].color : index % PALETTE_SIZE + 1;
}

static GrPoint2 to_page(const Frame *frame, double x, double y)
{
    return (GrPoint2){frame->left + frame->width * (x - frame->x.lower) / (frame->x.upper - frame->x.lower),
                      frame->top + frame->height * (frame->y.upper - y) / (frame->y.upper - frame->y.lower)};
}

static double at(const double *values, size_t stride, double scale, int i)
{
    const char *bytes = (const char *)values + (size_t)i * (stride != 0 ? stride : sizeof *values);
    double value;
    memcpy(&value, bytes, sizeof value);
    return scale != 0 ? scale * value : value;
}

static double x_of(const GrSeries *s, int i)
{
    return at(s->x, s->x_stride, s->x_scale, i);
}

/// y, or an end of the band.
static double y_of(const GrSeries *s, const double *values, int i)
{
    return at(values, s->y_stride, s->y_scale, i);
}

static GrPoint2 point_of(const Frame *frame, const GrSeries *s, int i)
{
    return to_page(frame, x_of(s, i), y_of(s, s->y, i));
}

static void data_range(const GrPanel *panel, double x[2], double y[2])
{
    x[0] = y[0] = (double)INFINITY;
    x[1] = y[1] = -(double)INFINITY;
    for (int i = 0; i < panel->series_count; i++) {
        const GrSeries *series = &panel->series[i];
        for (int j = 0; j < series->count; j++) {
            const double sx = x_of(series, j), sy = y_of(series, series->y, j);
            if (!isfinite(sx) || !isfinite(sy)) {
                continue;
            }
            x[0] = fmin(x[0], sx);
            x[1] = fmax(x[1], sx);
            y[0] = fmin(y[0], y_of(series, series->lower != NULL ? series->lower : series->y, j));
            y[1] = fmax(y[1], y_of(series, series->upper != NULL ? series->upper : series->y, j));
        }
    }
    const double missing = panel->y_least - (y[1] - y[0]);
    if (missing > 0) {
        y[0] -= missing / 2;
        y[1] += missing / 2;
    }
}

static Frame make_frame(const GrPanel *panel, GrPoint2 at, double width, double height, double strip)
{
    const double left = at.x, top = at.y;
    double x[2], y[2];
    data_range(panel, x, y);
    const bool x_given = panel->x_lower != 0 || panel->x_upper != 0;
    const bool y_given = panel->y_lower != 0 || panel->y_upper != 0;
    Frame frame = {.top = top + (panel->title != NULL ? 34 : 14) + strip, .strip = strip};
    frame.x =
        gr_axis_make(x_given ? panel->x_lower : x[0], x_given ? panel->x_upper : x[1], (int)(width / 85), !x_given);
    frame.y =
        gr_axis_make(y_given ? panel->y_lower : y[0], y_given ? panel->y_upper : y[1], (int)(height / 55), !y_given);
    double widest = 0;
    for (int i = 0; i < frame.y.tick_count; i++) {
        char label[GR_NUMBER_SIZE];
        gr_axis_label(&frame.y, frame.y.ticks[i], label);
        widest = fmax(widest, gr_svg_text_width(label, 12));
    }
    frame.left = left + 36 + widest;
    frame.width = left + width - 18 - frame.left;
    frame.height = top + height - 48 - frame.top;
    return frame;
}

static void draw_axes(GrBuffer *svg, const GrPanel *panel, const Frame *f, double panel_left)
{
    const GrSvgStyle grid = {.stroke = "#e4e4e4"};
    const GrSvgStyle tick = {.stroke = "#444"};
    const double bottom = f->top + f->height;
    char label[GR_NUMBER_SIZE];
    gr_plot_data_ticks(svg);
    for (int i = 0; i < f->x.tick_count; i++) {
        const double x = to_page(f, f->x.ticks[i], 0).x;
        gr_axis_label(&f->x, f->x.ticks[i], label);
        gr_svg_line(svg, (GrPoint2){x, f->top}, (GrPoint2){x, bottom}, grid);
        gr_svg_line(svg, (GrPoint2){x, bottom}, (GrPoint2){x, bottom + 5}, tick);
        gr_svg_text(svg, (GrPoint2){x, bottom + 19}, (GrSvgFont){.anchor = GR_SVG_MIDDLE, .color = "#333"}, label);
    }
    gr_svg_end_group(svg);
    for (int i = 0; i < f->y.tick_count; i++) {
        const double y = to_page(f, 0, f->y.ticks[i]).y;
        gr_axis_label(&f->y, f->y.ticks[i], label);
        gr_svg_line(svg, (GrPoint2){f->left, y}, (GrPoint2){f->left + f->width, y}, grid);
        gr_svg_line(svg, (GrPoint2){f->left - 5, y}, (GrPoint2){f->left, y}, tick);
        gr_svg_text(svg, (GrPoint2){f->left - 9, y + 4}, (GrSvgFont){.anchor = GR_SVG_END, .color = "#333"}, label);
    }
    if (panel->zero_line && f->y.lower < 0 && f->y.upper > 0) {
        const double y = to_page(f, 0, 0).y;
        gr_svg_line(svg, (GrPoint2){f->left, y}, (GrPoint2){f->left + f->width, y},
                    (GrSvgStyle){.stroke = "#888", .stroke_width = 1.2});
    }
    gr_svg_rect(svg, f->left, f->top, f->width, f->height, tick);
    const double middle_x = f->left + f->width / 2, middle_y = f->top + f->height / 2;
    if (panel->x_label != NULL) {
        gr_svg_text(svg, (GrPoint2){middle_x, bottom + 40}, (GrSvgFont){.size = 13, .anchor = GR_SVG_MIDDLE},
                    panel->x_label);
    }
    if (panel->y_label != NULL) {
        gr_svg_text(svg, (GrPoint2){panel_left + 14, middle_y},
                    (GrSvgFont){.size = 13, .anchor = GR_SVG_MIDDLE, .rotate = -90}, panel->y_label);
    }
    if (panel->title != NULL) {
        gr_svg_text(svg, (GrPoint2){middle_x, f->top - f->strip - 12},
                    (GrSvgFont){.size = 14, .anchor = GR_SVG_MIDDLE, .bold = true}, panel->title);
    }
}

static bool has_line(GrSeriesKind kind)
{
    return kind != GR_SERIES_POINTS;
}

static bool has_points(GrSeriesKind kind)
{
    return kind == GR_SERIES_POINTS || kind == GR_SERIES_LINE_POINTS;
}

/// Markers differ in shape too, so that a black-and-white print can be read.
static void draw_marker(GrBuffer *svg, GrPoint2 p, int color)
{
    const double r = 3.6;
    const GrSvgStyle style = {.fill = "#fff", .stroke = gr_plot_color(color), .stroke_width = 1.6};
    const GrPoint2 square[] = {{p.x - r, p.y - r}, {p.x + r, p.y - r}, {p.x + r, p.y + r}, {p.x - r, p.y + r}};
    const double d = 1.3 * r;
    const GrPoint2 diamond[] = {{p.x, p.y - d}, {p.x + d, p.y}, {p.x, p.y + d}, {p.x - d, p.y}};
    const GrPoint2 triangle[] = {{p.x, p.y - d}, {p.x + d, p.y + r}, {p.x - d, p.y + r}};
    switch (color % 4) {
    case 2:
        gr_svg_polygon(svg, square, 4, style);
        break;
    case 3:
        gr_svg_polygon(svg, triangle, 3, style);
        break;
    case 0:
        gr_svg_polygon(svg, diamond, 4, style);
        break;
    default:
        gr_svg_circle(svg, p, r, style);
    }
}

static GrSvgStyle line_style(const GrSeries *series, int color)
{
    const double usual = color == GR_PLOT_GUIDE ? 1 : 2;
    return (GrSvgStyle){.stroke = gr_plot_color(color),
                        .stroke_width = series->width > 0 ? series->width : usual,
                        .dash = series->kind == GR_SERIES_DASHED ? "7 5" : NULL};
}

/// Whether a line and its band, if it has one, are drawn at a point.
static bool is_drawn(const GrSeries *series, int i)
{
    const bool banded = series->lower != NULL && series->upper != NULL;
    return isfinite(x_of(series, i)) && isfinite(y_of(series, series->y, i)) &&
           (!banded || (isfinite(y_of(series, series->lower, i)) && isfinite(y_of(series, series->upper, i))));
}

/// The band between the lowest and the highest values, in a light colour under the lines. It breaks where the line
/// does.
static void draw_band(GrBuffer *svg, const Frame *frame, const GrSeries *series, int color)
{
    GrPoint2 *points = gr_malloc((2 * (size_t)series->count + 1) * sizeof *points);
    if (points == NULL) {
        svg->failed = true;
        return;
    }
    for (int start = 0, end; start < series->count; start = end + 1) {
        for (end = start; end < series->count && is_drawn(series, end); end++) {
        }
        const int count = end - start;
        for (int i = 0; i < count; i++) {
            const double x = x_of(series, start + i);
            points[i] = to_page(frame, x, y_of(series, series->upper, start + i));
            points[2 * count - 1 - i] = to_page(frame, x, y_of(series, series->lower, start + i));
        }
        if (count > 0) {
            gr_svg_polygon(svg, points, 2 * count, (GrSvgStyle){.fill = gr_plot_color(color), .opacity = 0.18});
        }
    }
    gr_free(points);
}

static void draw_series(GrBuffer *svg, const Frame *frame, const GrSeries *series, int color)
{
    GrPoint2 *points = gr_malloc((size_t)(series->count > 0 ? series->count : 1) * sizeof *points);
    if (points == NULL) {
        svg->failed = true;
        return;
    }
    int run = 0; // points of the current unbroken piece of the line
    for (int i = 0; i <= series->count; i++) {
        if (i < series->count && is_drawn(series, i)) {
            points[run++] = point_of(frame, series, i);
            continue;
        }
        if (run > 0) {
            gr_svg_polyline(svg, points, run, line_style(series, color));
        }
        run = 0;
    }
    gr_free(points);
}

/// Draws markers of points inside the frame; those on its border are drawn whole.
static void draw_markers(GrBuffer *svg, const Frame *f, const GrSeries *series, int color)
{
    for (int i = 0; i < series->count; i++) {
        const GrPoint2 p = point_of(f, series, i);
        if (p.x > f->left - 1 && p.x < f->left + f->width + 1 && p.y > f->top - 1 && p.y < f->top + f->height + 1) {
            draw_marker(svg, p, color);
        }
    }
}

static bool inside(GrPoint2 p, GrPoint2 corner, double width, double height)
{
    return p.x > corner.x && p.x < corner.x + width && p.y > corner.y && p.y < corner.y + height;
}

/// Counts how much of a series a legend box would cover: its points, and for a line also eight points on each segment.
/// `values`: y of the series, or an end of its band.
static int covered(const GrSeries *series, const double *values, const Frame *frame, GrPoint2 corner, double width,
                   double height)
{
    const int parts = has_line(series->kind) ? 8 : 1;
    int count = 0;
    for (int i = 0; i < series->count && values != NULL; i++) {
        const GrPoint2 to = to_page(frame, x_of(series, i), y_of(series, values, i));
        const GrPoint2 from = i > 0 ? to_page(frame, x_of(series, i - 1), y_of(series, values, i - 1)) : to;
        for (int part = 1; part <= parts; part++) {
            const double share = (double)part / parts;
            const GrPoint2 p = {from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)};
            count += inside(p, corner, width, height);
        }
    }
    return count;
}

static bool has_name(const GrSeries *series)
{
    return series->name != NULL && series->name[0] != '\0';
}

/// One entry of a legend, vertically centred at a height.
static void draw_entry(GrBuffer *svg, const GrPanel *panel, int index, GrPoint2 at)
{
    const GrSeries *series = &panel->series[index];
    const int color = series_color(panel, index);
    if (has_line(series->kind)) {
        gr_svg_line(svg, (GrPoint2){at.x + 10, at.y}, (GrPoint2){at.x + 36, at.y}, line_style(series, color));
    }
    if (has_points(series->kind)) {
        draw_marker(svg, (GrPoint2){at.x + 23, at.y}, color);
    }
    gr_svg_text(svg, (GrPoint2){at.x + 44, at.y + 4}, (GrSvgFont){0}, series->name);
}

static double entry_width(const GrSeries *series)
{
    return gr_svg_text_width(series->name, 12) + 54;
}

/// A corner of the frame for the legend: position, size, and how much of the data the legend would hide there.
typedef struct Corner {
    GrPoint2 at;
    double width, height;
    int hides;
} Corner;

/// The corner where the legend hides least.
static Corner find_corner(const GrPanel *panel, const Frame *frame)
{
    Corner best = {.height = 10, .hides = -1};
    for (int i = 0; i < panel->series_count; i++) {
        if (has_name(&panel->series[i])) {
            best.width = fmax(best.width, entry_width(&panel->series[i]));
            best.height += ROW;
        }
    }
    const double right = frame->left + frame->width - best.width - 8,
                 bottom = frame->top + frame->height - best.height - 8;
    const GrPoint2 corners[] = {
        {right, frame->top + 8}, {frame->left + 8, frame->top + 8}, {right, bottom}, {frame->left + 8, bottom}};
    for (int i = 0; i < 4; i++) {
        int count = 0;
        for (int j = 0; j < panel->series_count; j++) {
            const GrSeries *s = &panel->series[j];
            const double *const values[] = {s->y, s->lower, s->upper};
            for (int k = 0; k < 3 && series_color(panel, j) != GR_PLOT_GUIDE; k++) {
                count += covered(s, values[k], frame, corners[i], best.width, best.height);
            }
        }
        if (best.hides < 0 || count < best.hides) {
            best.at = corners[i];
            best.hides = count;
        }
    }
    return best;
}

static void draw_in_corner(GrBuffer *svg, const GrPanel *panel, const Corner *corner)
{
    gr_svg_rect(svg, corner->at.x, corner->at.y, corner->width, corner->height,
                (GrSvgStyle){.fill = "#fff", .stroke = "#ccc", .opacity = 0.92});
    GrPoint2 at = {corner->at.x, corner->at.y + 14};
    for (int i = 0; i < panel->series_count; i++) {
        if (has_name(&panel->series[i])) {
            draw_entry(svg, panel, i, at);
            at.y += ROW;
        }
    }
}

/// Draws the legend in rows above the frame and returns their height; without `svg` it only measures.
static double lay_above(GrBuffer *svg, const GrPanel *panel, const Frame *frame)
{
    GrPoint2 at = {frame->left, frame->top - frame->strip + 8};
    double height = ROW;
    for (int i = 0; i < panel->series_count; i++) {
        if (!has_name(&panel->series[i])) {
            continue;
        }
        const double width = entry_width(&panel->series[i]);
        if (at.x > frame->left && at.x + width > frame->left + frame->width) {
            at = (GrPoint2){frame->left, at.y + ROW};
            height += ROW;
        }
        if (svg != NULL) {
            draw_entry(svg, panel, i, at);
        }
        at.x += width;
    }
    return height + 4;
}

/// Opens a layer of a series.
static void begin_series(GrBuffer *svg, const GrPanel *panel, int index)
{
    const GrSeries *series = &panel->series[index];
    gr_plot_data_series(svg, has_name(series) ? series->name : series->key, gr_plot_color(series_color(panel, index)));
}

/// Bands first, then guides, then lines; points last, over the lines.
static void draw_data(GrBuffer *svg, const GrPanel *panel, const Frame *frame)
{
    // All drawings of one page share their ids. The id is made from the rectangle, so equal ids mean equal clips.
    char id[64];
    gr_print(id, sizeof id, "clip-%.0f-%.0f-%.0f-%.0f", 10 * frame->left, 10 * frame->top, 10 * frame->width,
             10 * frame->height);
    gr_svg_begin_clip(svg, id, frame->left, frame->top, frame->width, frame->height);
    for (int i = 0; i < panel->series_count; i++) {
        if (panel->series[i].lower != NULL && panel->series[i].upper != NULL) {
            begin_series(svg, panel, i);
            draw_band(svg, frame, &panel->series[i], series_color(panel, i));
            gr_svg_end_group(svg);
        }
    }
    for (int guide = 1; guide >= 0; guide--) {
        for (int i = 0; i < panel->series_count; i++) {
            const int color = series_color(panel, i);
            if (has_line(panel->series[i].kind) && (color == GR_PLOT_GUIDE) == (guide == 1)) {
                begin_series(svg, panel, i);
                draw_series(svg, frame, &panel->series[i], color);
                gr_svg_end_group(svg);
            }
        }
    }
    gr_svg_end_group(svg);
    for (int i = 0; i < panel->series_count; i++) {
        if (has_points(panel->series[i].kind)) {
            begin_series(svg, panel, i);
            draw_markers(svg, frame, &panel->series[i], series_color(panel, i));
            gr_svg_end_group(svg);
        }
    }
}

static void draw_panel(GrBuffer *svg, const GrPanel *panel, GrPoint2 at, double width, double height)
{
    Frame frame = make_frame(panel, at, width, height, 0);
    bool named = false;
    for (int i = 0; i < panel->series_count; i++) {
        named = named || has_name(&panel->series[i]);
    }
    const Corner corner = find_corner(panel, &frame);
    const bool above = named && corner.hides > 0;
    if (above) {
        frame = make_frame(panel, at, width, height, lay_above(NULL, panel, &frame));
    }
    gr_plot_data_begin(svg, &(GrPlotData){.title = panel->title,
                                          .x_label = panel->x_label,
                                          .y_label = panel->y_label,
                                          .left = frame.left,
                                          .top = frame.top,
                                          .width = frame.width,
                                          .height = frame.height,
                                          .x = {frame.x.lower, frame.x.upper},
                                          .y = {frame.y.lower, frame.y.upper}});
    draw_axes(svg, panel, &frame, at.x);
    draw_data(svg, panel, &frame);
    gr_svg_end_group(svg);
    if (above) {
        lay_above(svg, panel, &frame);
    } else if (named) {
        draw_in_corner(svg, panel, &corner);
    }
}

GrStatus gr_plot_write(const GrPlot *plot, GrBuffer *svg)
{
    const int columns = plot->columns > 0 ? plot->columns : 1;
    const int rows = (plot->panel_count + columns - 1) / columns;
    const double width = plot->panel_width > 0 ? plot->panel_width : 560;
    const double height = plot->panel_height > 0 ? plot->panel_height : 340;
    const double header = (plot->title != NULL ? 34 : 8) + (plot->subtitle != NULL ? 20 : 0);
    const double page = width * columns + 16;
    gr_svg_begin(svg, page, header + height * rows + 8, plot->title);
    if (plot->title != NULL) {
        gr_svg_text(svg, (GrPoint2){page / 2, 26}, (GrSvgFont){.size = 17, .anchor = GR_SVG_MIDDLE, .bold = true},
                    plot->title);
    }
    if (plot->subtitle != NULL) {
        gr_svg_text(svg, (GrPoint2){page / 2, 46}, (GrSvgFont){.size = 12.5, .anchor = GR_SVG_MIDDLE, .color = "#555"},
                    plot->subtitle);
    }
    for (int i = 0; i < plot->panel_count; i++) {
        const int row = i / columns;
        const GrPoint2 at = {8 + width * (i % columns), header + height * row};
        draw_panel(svg, &plot->panels[i], at, width, height);
    }
    gr_svg_end(svg);
    return svg->failed ? GR_ERROR_MEMORY : GR_OK;
}
