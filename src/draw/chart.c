#include "chart.h"

#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- axes

/// The round number (1, 2, 5 × 10^n) next above `raw`, or next below it.
static double round_step(double raw, bool up)
{
    const double power = pow(10, floor(log10(raw)));
    const double m = raw / power;
    const double slack = 1e-9;
    if (up) {
        return power * (m <= 1 + slack ? 1 : m <= 2 + slack ? 2 : m <= 5 + slack ? 5 : 10);
    }
    return power * (m >= 10 - slack ? 10 : m >= 5 - slack ? 5 : m >= 2 - slack ? 2 : 1);
}

double gr_axis_round_length(double length)
{
    return round_step(length, false);
}

GrAxis gr_axis_make(double lower, double upper, int wanted, bool widen)
{
    if (!isfinite(lower) || !isfinite(upper) || lower > upper) {
        lower = 0;
        upper = 1;
    }
    const double magnitude = fmax(fabs(lower), fabs(upper));
    if (upper - lower <= 1e-12 * magnitude || upper - lower < 1e-290) {
        const double half = magnitude > 0 ? 0.1 * magnitude : 0.5;
        lower -= half;
        upper += half;
    }
    GrAxis axis = {.lower = lower, .upper = upper};
    axis.step = round_step((upper - lower) / wanted, true);
    const double slack = 1e-9 * axis.step;
    double first = ceil((lower - slack) / axis.step);
    double last = floor((upper + slack) / axis.step);
    if (widen) {
        first = floor((lower + slack) / axis.step);
        last = ceil((upper - slack) / axis.step);
        axis.lower = first * axis.step;
        axis.upper = last * axis.step;
    }
    const int count = (int)fmin(last - first + 1, GR_MAX_TICKS);
    for (int i = 0; i < count; i++) {
        axis.ticks[axis.tick_count++] = (first + i) * axis.step;
    }
    return axis;
}

void gr_axis_label(const GrAxis *axis, double tick, char out[GR_NUMBER_SIZE])
{
    char text[GR_NUMBER_SIZE];
    const double size = fmax(fabs(axis->lower), fabs(axis->upper));
    const int decimals = (int)fmax(0, -floor(log10(axis->step) + 1e-9));
    if (size >= 1e6 || decimals > 5) {
        gr_number_round(fabs(tick) < 1e-9 * axis->step ? 0 : tick, 6, text);
        snprintf(out, GR_NUMBER_SIZE, "%s%s", text[0] == '-' ? "\xe2\x88\x92" : "", text + (text[0] == '-'));
        return;
    }
    // Whole number of steps in integer arithmetic: no locale, no "-0.00".
    double scale = 1;
    for (int i = 0; i < decimals; i++) {
        scale *= 10;
    }
    const long long n = llround(fabs(tick) * scale), s = (long long)scale;
    snprintf(out, GR_NUMBER_SIZE, "%s%lld", tick < 0 && n > 0 ? "\xe2\x88\x92" : "", n / s);
    if (decimals > 0) {
        const size_t length = strlen(out);
        snprintf(out + length, GR_NUMBER_SIZE - length, ".%0*lld", decimals, n % s);
    }
}

// ---- charts

enum { BOTTOM = 46, TOP = 10, RIGHT = 14, NAME_WIDTH = 22, LABEL_WIDTH = 44 };

static double longest_label(const GrAxis *axis)
{
    double longest = 0;
    char label[GR_NUMBER_SIZE];
    for (int i = 0; i < axis->tick_count; i++) {
        gr_axis_label(axis, axis->ticks[i], label);
        longest = fmax(longest, gr_svg_text_width(label, 12));
    }
    return longest;
}

/// Widens the shorter of the two ranges until both axes have the same scale.
static void match_scales(GrChart *chart)
{
    const double sx = (chart->x.upper - chart->x.lower) / chart->width,
                 sy = (chart->y.upper - chart->y.lower) / chart->height, scale = fmax(sx, sy);
    const double x = (chart->x.upper + chart->x.lower) / 2, y = (chart->y.upper + chart->y.lower) / 2;
    const double half_x = scale * chart->width / 2, half_y = scale * chart->height / 2;
    chart->x = gr_axis_make(x - half_x, x + half_x, 5, false);
    chart->y = gr_axis_make(y - half_y, y + half_y, 5, false);
}

GrPoint2 gr_chart_at(const GrChart *c, double x, double y)
{
    return (GrPoint2){c->left + c->width * (x - c->x.lower) / (c->x.upper - c->x.lower),
                      c->top + c->height * (c->y.upper - y) / (c->y.upper - c->y.lower)};
}

/// Every `step`-th tick, so that labels have room.
static void draw_numbers(GrBuffer *svg, const GrChart *c)
{
    const GrSvgStyle grid = {.stroke = "#e8e8e8"};
    const double bottom = c->top + c->height;
    char label[GR_NUMBER_SIZE];
    const double room = c->width / fmax(1, (c->x.upper - c->x.lower) / c->x.step);
    const int step = (int)ceil((longest_label(&c->x) + 8) / fmax(room, 1));
    for (int i = 0; i < c->x.tick_count; i += step) {
        const double x = gr_chart_at(c, c->x.ticks[i], 0).x;
        gr_axis_label(&c->x, c->x.ticks[i], label);
        gr_svg_line(svg, (GrPoint2){x, c->top}, (GrPoint2){x, bottom}, grid);
        gr_svg_text(svg, (GrPoint2){x, bottom + 16}, (GrSvgFont){.anchor = GR_SVG_MIDDLE, .color = "#333"}, label);
    }
}

static void draw_names(GrBuffer *svg, const GrChart *c, const GrChartDef *def)
{
    const int width = (int)fmin(NAME_WIDTH, c->width / def->x_name_count / 6.6);
    char text[GR_CHART_TEXT];
    for (int i = 0; i < def->x_name_count; i++) {
        const double x = gr_chart_at(c, i, 0).x;
        gr_chart_shorten(def->x_names[i], width > 3 ? width : 3, text);
        gr_svg_text(svg, (GrPoint2){x, c->top + c->height + 16}, (GrSvgFont){.anchor = GR_SVG_MIDDLE, .color = "#333"},
                    text);
    }
}

static void draw_heights(GrBuffer *svg, const GrChart *c)
{
    char label[GR_NUMBER_SIZE];
    for (int i = 0; i < c->y.tick_count; i++) {
        const double y = gr_chart_at(c, 0, c->y.ticks[i]).y;
        gr_axis_label(&c->y, c->y.ticks[i], label);
        gr_svg_line(svg, (GrPoint2){c->left, y}, (GrPoint2){c->left + c->width, y}, (GrSvgStyle){.stroke = "#e8e8e8"});
        gr_svg_text(svg, (GrPoint2){c->left - 6, y + 4}, (GrSvgFont){.anchor = GR_SVG_END, .color = "#333"}, label);
    }
}

static GrAxis make_axis(const double range[2], int ticks, bool tight)
{
    const double margin = tight && range[1] > range[0] ? 0.03 * (range[1] - range[0]) : 0;
    return gr_axis_make(range[0] - margin, range[1] + margin, tight ? ticks + 1 : ticks, !tight);
}

GrChart gr_chart_draw(GrBuffer *svg, const GrChartDef *def)
{
    GrChart c = {.top = def->at.y + TOP, .height = def->height - TOP - (def->x_label != NULL ? BOTTOM : 26)};
    const bool named = def->x_names != NULL;
    c.x = named ? (GrAxis){.lower = -0.5, .upper = def->x_name_count - 0.5, .step = 1}
                : make_axis(def->x, 5, def->tight_x);
    c.y = make_axis(def->y, def->height < 200 ? 3 : 5, def->tight_y);
    c.left = def->at.x + longest_label(&c.y) + (def->y_label != NULL ? 32 : 12);
    c.width = def->at.x + def->width - RIGHT - def->right - c.left;
    if (def->same_scale) {
        match_scales(&c);
    }
    named ? draw_names(svg, &c, def) : draw_numbers(svg, &c);
    draw_heights(svg, &c);
    gr_svg_rect(svg, c.left, c.top, c.width, c.height, (GrSvgStyle){.stroke = "#666"});
    char text[GR_CHART_TEXT];
    if (def->x_label != NULL) {
        gr_chart_shorten(def->x_label, LABEL_WIDTH, text);
        gr_svg_text(svg, (GrPoint2){c.left + c.width / 2, c.top + c.height + 36},
                    (GrSvgFont){.size = 13, .anchor = GR_SVG_MIDDLE}, text);
    }
    if (def->y_label != NULL) {
        gr_chart_shorten(def->y_label, (int)(def->height / 8), text);
        gr_svg_text(svg, (GrPoint2){def->at.x + 15, c.top + c.height / 2},
                    (GrSvgFont){.size = 13, .anchor = GR_SVG_MIDDLE, .rotate = -90}, text);
    }
    return c;
}

void gr_chart_begin_points(GrBuffer *svg, const char *color, double opacity)
{
    gr_buffer_printf(svg, "<g fill=\"%s\" fill-opacity=\"", color);
    gr_buffer_fixed(svg, opacity, 2);
    gr_buffer_puts(svg, "\">\n");
}

static void put_title(GrBuffer *svg, const char *text)
{
    gr_buffer_puts(svg, "<title>");
    gr_buffer_xml(svg, text);
    gr_buffer_puts(svg, "</title>");
}

void gr_chart_point(GrBuffer *svg, GrPoint2 at, double radius, const char *text)
{
    gr_buffer_puts(svg, "<circle cx=\"");
    gr_buffer_fixed(svg, at.x, 1);
    gr_buffer_puts(svg, "\" cy=\"");
    gr_buffer_fixed(svg, at.y, 1);
    gr_buffer_puts(svg, "\" r=\"");
    gr_buffer_fixed(svg, radius, 1);
    gr_buffer_puts(svg, "\">");
    put_title(svg, text);
    gr_buffer_puts(svg, "</circle>\n");
}

void gr_chart_bar(GrBuffer *svg, GrPoint2 a, GrPoint2 b, const char *color, const char *text)
{
    gr_buffer_puts(svg, "<g>");
    put_title(svg, text);
    gr_svg_rect(svg, fmin(a.x, b.x), fmin(a.y, b.y), fabs(a.x - b.x), fabs(a.y - b.y), (GrSvgStyle){.fill = color});
    gr_svg_end_group(svg);
}

void gr_chart_color(double part, char out[8])
{
    static const int stops[][3] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {243, 222, 40}};
    const int last = (int)(sizeof stops / sizeof stops[0]) - 1;
    const double at = last * (part > 0 ? fmin(part, 1) : 0);
    const int i = at < last ? (int)at : last - 1;
    int rgb[3];
    for (int k = 0; k < 3; k++) {
        rgb[k] = (int)lround(stops[i][k] + (at - i) * (stops[i + 1][k] - stops[i][k]));
    }
    snprintf(out, 8, "#%02x%02x%02x", (unsigned)rgb[0] & 255u, (unsigned)rgb[1] & 255u, (unsigned)rgb[2] & 255u);
}

void gr_chart_shorten(const char *text, int width, char out[GR_CHART_TEXT])
{
    const int length = gr_text_width(text);
    const char *from = text;
    for (int left = length; left > width - 1 && length > width && *from != '\0'; left--) {
        const int step = gr_text_utf8_length(from);
        from += step > 0 ? step : 1;
    }
    snprintf(out, GR_CHART_TEXT, "%s%s", from != text ? "…" : "", from);
}
