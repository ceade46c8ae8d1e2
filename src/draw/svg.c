#include "svg.h"

#include "text.h"

#include <math.h>

enum { DECIMALS = 2 };

void gr_svg_begin(GrBuffer *svg, double width, double height, const char *title)
{
    gr_buffer_puts(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"");
    gr_buffer_fixed(svg, width, DECIMALS);
    gr_buffer_puts(svg, "\" height=\"");
    gr_buffer_fixed(svg, height, DECIMALS);
    gr_buffer_puts(svg, "\" viewBox=\"0 0 ");
    gr_buffer_fixed(svg, width, DECIMALS);
    gr_buffer_puts(svg, " ");
    gr_buffer_fixed(svg, height, DECIMALS);
    gr_buffer_puts(svg, "\" font-family=\"'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif\""
                        " stroke-linejoin=\"round\" stroke-linecap=\"round\">\n");
    if (title != NULL) {
        gr_buffer_puts(svg, "<title>");
        gr_buffer_xml(svg, title);
        gr_buffer_puts(svg, "</title>\n");
    }
    gr_svg_rect(svg, 0, 0, width, height, (GrSvgStyle){.fill = "#fff"});
}

void gr_svg_end(GrBuffer *svg)
{
    gr_buffer_puts(svg, "</svg>\n");
}

static void put_attribute(GrBuffer *svg, const char *name, double value)
{
    gr_buffer_printf(svg, " %s=\"", name);
    gr_buffer_fixed(svg, value, DECIMALS);
    gr_buffer_puts(svg, "\"");
}

static void put_style(GrBuffer *svg, GrSvgStyle style)
{
    gr_buffer_printf(svg, " fill=\"%s\"", style.fill != NULL ? style.fill : "none");
    if (style.stroke != NULL) {
        gr_buffer_printf(svg, " stroke=\"%s\"", style.stroke);
        if (style.stroke_width > 0 && style.stroke_width != 1) {
            put_attribute(svg, "stroke-width", style.stroke_width);
        }
    }
    if (style.dash != NULL) {
        gr_buffer_printf(svg, " stroke-dasharray=\"%s\"", style.dash);
    }
    if (style.opacity > 0) {
        put_attribute(svg, "opacity", style.opacity);
    }
    gr_buffer_puts(svg, "/>\n");
}

void gr_svg_line(GrBuffer *svg, GrPoint2 a, GrPoint2 b, GrSvgStyle style)
{
    gr_buffer_puts(svg, "<line");
    put_attribute(svg, "x1", a.x);
    put_attribute(svg, "y1", a.y);
    put_attribute(svg, "x2", b.x);
    put_attribute(svg, "y2", b.y);
    put_style(svg, style);
}

static void put_points(GrBuffer *svg, const char *element, const GrPoint2 *points, int count, GrSvgStyle style)
{
    gr_buffer_printf(svg, "<%s points=\"", element);
    for (int i = 0; i < count; i++) {
        if (i > 0) {
            gr_buffer_puts(svg, " ");
        }
        gr_buffer_fixed(svg, points[i].x, DECIMALS);
        gr_buffer_puts(svg, ",");
        gr_buffer_fixed(svg, points[i].y, DECIMALS);
    }
    gr_buffer_puts(svg, "\"");
    put_style(svg, style);
}

void gr_svg_polyline(GrBuffer *svg, const GrPoint2 *points, int count, GrSvgStyle style)
{
    put_points(svg, "polyline", points, count, style);
}

void gr_svg_polygon(GrBuffer *svg, const GrPoint2 *points, int count, GrSvgStyle style)
{
    put_points(svg, "polygon", points, count, style);
}

static void put_box(GrBuffer *svg, double x, double y, double width, double height)
{
    gr_buffer_puts(svg, "<rect");
    put_attribute(svg, "x", x);
    put_attribute(svg, "y", y);
    put_attribute(svg, "width", fmax(width, 0));
    put_attribute(svg, "height", fmax(height, 0));
}

void gr_svg_rect(GrBuffer *svg, double x, double y, double width, double height, GrSvgStyle style)
{
    put_box(svg, x, y, width, height);
    put_style(svg, style);
}

void gr_svg_circle(GrBuffer *svg, GrPoint2 center, double radius, GrSvgStyle style)
{
    gr_buffer_puts(svg, "<circle");
    put_attribute(svg, "cx", center.x);
    put_attribute(svg, "cy", center.y);
    put_attribute(svg, "r", radius);
    put_style(svg, style);
}

void gr_svg_text(GrBuffer *svg, GrPoint2 at, GrSvgFont font, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    gr_buffer_puts(svg, "<text");
    put_attribute(svg, "x", at.x);
    put_attribute(svg, "y", at.y);
    put_attribute(svg, "font-size", font.size > 0 ? font.size : 12);
    gr_buffer_printf(svg, " fill=\"%s\"", font.color != NULL ? font.color : "#222");
    if (font.anchor != GR_SVG_START) {
        gr_buffer_printf(svg, " text-anchor=\"%s\"", anchors[font.anchor]);
    }
    if (font.bold) {
        gr_buffer_puts(svg, " font-weight=\"600\"");
    }
    if (font.italic) {
        gr_buffer_puts(svg, " font-style=\"italic\"");
    }
    if (font.rotate != 0) {
        gr_buffer_puts(svg, " transform=\"rotate(");
        gr_buffer_fixed(svg, font.rotate, DECIMALS);
        gr_buffer_puts(svg, " ");
        gr_buffer_fixed(svg, at.x, DECIMALS);
        gr_buffer_puts(svg, " ");
        gr_buffer_fixed(svg, at.y, DECIMALS);
        gr_buffer_puts(svg, ")\"");
    }
    gr_buffer_puts(svg, ">");
    gr_buffer_xml(svg, text);
    gr_buffer_puts(svg, "</text>\n");
}

void gr_svg_begin_clip(GrBuffer *svg, const char *id, double x, double y, double width, double height)
{
    gr_buffer_printf(svg, "<clipPath id=\"%s\">", id);
    put_box(svg, x, y, width, height);
    gr_buffer_printf(svg, "/></clipPath>\n<g clip-path=\"url(#%s)\">\n", id);
}

void gr_svg_end_group(GrBuffer *svg)
{
    gr_buffer_puts(svg, "</g>\n");
}

double gr_svg_text_width(const char *text, double size)
{
    return 0.56 * size * gr_text_width(text);
}
