#include "drawing_marks.h"

#include "joint_kind.h"
#include "number.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char INK[] = "#3a3f47";
static const char PIVOT[] = "#c0271f";
static const char STEER[] = "#b35c00";
static const char WALK[] = "#00705a";

static void arrow_head(GrBuffer *svg, GrPoint2 tip, double dx, double dy, const char *color)
{
    const double length = 8, half = 2.4;
    const GrPoint2 head[] = {tip,
                             {tip.x - length * dx - half * dy, tip.y - length * dy + half * dx},
                             {tip.x - length * dx + half * dy, tip.y - length * dy - half * dx}};
    gr_svg_polygon(svg, head, 3, (GrSvgStyle){.fill = color});
}

void gr_mark_arrow(GrBuffer *svg, GrPoint2 tail, GrPoint2 head)
{
    const double length = hypot(head.x - tail.x, head.y - tail.y);
    gr_svg_line(svg, tail, head, (GrSvgStyle){.stroke = "#666"});
    arrow_head(svg, head, (head.x - tail.x) / length, (head.y - tail.y) / length, "#666");
}

void gr_mark_extension(GrBuffer *svg, GrPoint2 a, GrPoint2 b)
{
    gr_svg_line(svg, a, b, (GrSvgStyle){.stroke = "#9aa0a8", .stroke_width = 0.7});
}

void gr_mark_dimension(GrBuffer *svg, GrPoint2 a, GrPoint2 b, double length, const char *prefix)
{
    const double distance = hypot(b.x - a.x, b.y - a.y);
    if (distance < 2) {
        return;
    }
    char number[GR_NUMBER_SIZE], text[80];
    gr_number_round(length, 3, number);
    snprintf(text, sizeof text, "%s%s", prefix, number);
    const double dx = (b.x - a.x) / distance, dy = (b.y - a.y) / distance;
    const double gap = gr_svg_text_width(text, 12) / 2 + 6; // the line is interrupted for the text
    const GrPoint2 middle = {(a.x + b.x) / 2, (a.y + b.y) / 2};
    const GrSvgStyle line = {.stroke = INK, .stroke_width = 0.9};
    const bool fits = distance > 2 * gap + 20;
    if (fits) {
        gr_svg_line(svg, a, (GrPoint2){middle.x - gap * dx, middle.y - gap * dy}, line);
        gr_svg_line(svg, (GrPoint2){middle.x + gap * dx, middle.y + gap * dy}, b, line);
    } else {
        gr_svg_line(svg, a, b, line);
    }
    if (distance > 30) {
        arrow_head(svg, b, dx, dy, INK);
        arrow_head(svg, a, -dx, -dy, INK);
    }
    // Text that does not fit into the line is put beside it.
    const bool upright = fabs(dy) > fabs(dx);
    const double aside = fits ? 4 : upright ? 14 : -7;
    gr_svg_text(svg, (GrPoint2){middle.x + (upright ? aside : 0), middle.y + (upright ? 0 : aside)},
                (GrSvgFont){.size = 12, .color = INK, .anchor = GR_SVG_MIDDLE, .rotate = upright ? -90 : 0}, text);
}

static const char *role_color(GrJointRole role)
{
    return role == GR_ROLE_STEER ? STEER : role == GR_ROLE_WALK ? WALK : PIVOT;
}

static void mark_ring(GrBuffer *svg, GrPoint2 p, const char *color)
{
    gr_svg_circle(svg, p, 5, (GrSvgStyle){.fill = "#fff", .stroke = color, .stroke_width = 1.8});
    gr_svg_circle(svg, p, 1.5, (GrSvgStyle){.fill = color});
}

static void mark_axis(GrBuffer *svg, GrPoint2 a, GrPoint2 b, const char *color)
{
    gr_svg_line(svg, a, b, (GrSvgStyle){.stroke = color, .stroke_width = 1.4, .dash = "9 3 2 3"});
}

void gr_mark_joint(GrBuffer *svg, const GrCamera *camera, const GrJointDef *joint, GrVec3 at, GrVec3 axis, double half)
{
    if (joint->role == GR_ROLE_DRIVE) {
        return;
    }
    const double along_view = fabs(gr_dot(axis, camera->toward));
    const char *color = role_color(joint->role);
    if (along_view > 0.8) {
        mark_ring(svg, gr_camera_project(camera, at), color);
    } else if (along_view < 0.6) {
        mark_axis(svg, gr_camera_project(camera, gr_madd(at, -half, axis)),
                  gr_camera_project(camera, gr_madd(at, half, axis)), color);
    }
}

void gr_mark_com(GrBuffer *svg, GrPoint2 at, double radius)
{
    gr_svg_circle(svg, at, radius, (GrSvgStyle){.fill = "#fff", .stroke = "#111", .stroke_width = 1.4});
    // Two opposite quadrants, their arcs approximated by polygons.
    for (int quarter = 0; quarter < 2; quarter++) {
        GrPoint2 pie[10] = {at};
        for (int i = 0; i <= 8; i++) {
            const double angle = GR_PI * (quarter + i / 16.0);
            pie[i + 1] = (GrPoint2){at.x + radius * cos(angle), at.y - radius * sin(angle)};
        }
        gr_svg_polygon(svg, pie, 10, (GrSvgStyle){.fill = "#111"});
    }
}

void gr_mark_ground(GrBuffer *svg, double left, double right, double y)
{
    const int strokes = (int)((right - left - 6) / 9);
    for (int i = 0; i < strokes; i++) {
        const double x = left + 6 + 9 * i;
        gr_svg_line(svg, (GrPoint2){x, y}, (GrPoint2){x - 7, y + 7},
                    (GrSvgStyle){.stroke = "#c4bdb0", .stroke_width = 0.9});
    }
    gr_svg_line(svg, (GrPoint2){left, y}, (GrPoint2){right, y}, (GrSvgStyle){.stroke = "#8a8172", .stroke_width = 1.4});
}

void gr_mark_scale_bar(GrBuffer *svg, GrPoint2 at, double length, double scale)
{
    const double width = length * scale;
    const GrSvgStyle dark = {.fill = "#222", .stroke = "#222", .stroke_width = 0.8};
    const GrSvgStyle light = {.fill = "#fff", .stroke = "#222", .stroke_width = 0.8};
    for (int i = 0; i < 4; i++) {
        gr_svg_rect(svg, at.x + i * width / 4, at.y - 3, width / 4, 6, i % 2 == 0 ? dark : light);
    }
    char number[GR_NUMBER_SIZE], text[GR_NUMBER_SIZE + 2];
    gr_number_round(length, 3, number);
    snprintf(text, sizeof text, "%s m", number);
    gr_svg_text(svg, (GrPoint2){at.x + width + 8, at.y + 4}, (GrSvgFont){0}, text);
}

static double legend_text(GrBuffer *svg, GrPoint2 at, const char *text)
{
    gr_svg_text(svg, (GrPoint2){at.x + 14, at.y + 4}, (GrSvgFont){.color = "#444"}, text);
    return at.x + 14 + gr_svg_text_width(text, 12) + 46;
}

void gr_mark_legend(GrBuffer *svg, const GrRoverDef *rover, GrPoint2 at)
{
    static const struct {
        GrJointRole role;
        const char *text;
    } rows[] = {{GR_ROLE_PASSIVE, "passive joint"}, {GR_ROLE_STEER, "steering axis"}, {GR_ROLE_WALK, "walking joint"}};
    gr_mark_com(svg, at, 7);
    at.x = legend_text(svg, at, "centre of mass");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool used = false;
        for (int j = 0; j < rover->joint_count; j++) {
            used =
                used || (rover->joints[j].role == rows[i].role && gr_joint_kind(rover->joints[j].kind)->axis_count > 0);
        }
        if (!used) {
            continue;
        }
        mark_axis(svg, (GrPoint2){at.x - 30, at.y}, (GrPoint2){at.x - 9, at.y}, role_color(rows[i].role));
        mark_ring(svg, (GrPoint2){at.x + 2, at.y}, role_color(rows[i].role));
        at.x = legend_text(svg, at, rows[i].text);
    }
}
