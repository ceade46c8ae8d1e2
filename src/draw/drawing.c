#include "drawing.h"

#include "alloc.h"
#include "chart.h"
#include "joint_kind.h"
#include "number.h"
#include "out_of_memory.h"
#include "painter.h"
#include "rover_pose.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- marks

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

static void gr_mark_arrow(GrBuffer *svg, GrPoint2 tail, GrPoint2 head)
{
    const double length = hypot(head.x - tail.x, head.y - tail.y);
    gr_svg_line(svg, tail, head, (GrSvgStyle){.stroke = "#666"});
    arrow_head(svg, head, (head.x - tail.x) / length, (head.y - tail.y) / length, "#666");
}

/// Thin line from the measured feature to the dimension line.
static void gr_mark_extension(GrBuffer *svg, GrPoint2 a, GrPoint2 b)
{
    gr_svg_line(svg, a, b, (GrSvgStyle){.stroke = "#9aa0a8", .stroke_width = 0.7});
}

/// Line with an arrow at both ends and the length [m] in its middle, after `prefix`.
static void gr_mark_dimension(GrBuffer *svg, GrPoint2 a, GrPoint2 b, double length, const char *prefix)
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

/// A ring when the joint's axis points at the viewer, a dash-dotted line along the axis when it lies in the page.
/// `half`: half the length of that line [m]. Driven wheels get no mark: their axle is obvious.
static void gr_mark_joint(GrBuffer *svg, const GrCamera *camera, const GrJointDef *joint, GrVec3 at, GrVec3 axis,
                          double half)
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

/// Quartered disc.
static void gr_mark_com(GrBuffer *svg, GrPoint2 at, double radius)
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

/// Ground line with hatching under it.
static void gr_mark_ground(GrBuffer *svg, double left, double right, double y)
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

/// Explains the symbols used in this rover's drawing.
static void gr_mark_legend(GrBuffer *svg, const GrRoverDef *rover, GrPoint2 at)
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

// ---- the drawing

/// Everything that the views need, computed once.
typedef struct Sheet {
    const GrRoverDef *rover;
    GrPose *poses;
    GrDrawnRover scene;
    GrMassProperties mass;
    GrRoverSize size;
    double scale;     ///< of the three parallel views [px/m]
    double width;     ///< of the page [px]
    double row[3];    ///< tops of the two rows, and the end of the second [px]
    double column[3]; ///< left ends of the two columns, and the right end of the second [px]
} Sheet;

static const double PAGE_WIDTH = 1280, MARGIN = 64, HEADER = 96, GUTTER_X = 100, GUTTER_Y = 74, FOOTER = 168;
static const double MAX_HEIGHT = 860;  // two rows together [px]
static const double MIN_TOP_ROW = 430; // [px] room for the perspective view of a narrow rover

static GrVec3 wheel_center(const Sheet *sheet, int wheel)
{
    const GrWheelDef *w = &sheet->rover->wheels[wheel];
    return gr_pose_mul(sheet->poses[w->body], w->pose).position;
}

static GrRoverSize measure(const Sheet *sheet)
{
    const GrVec3 extent = gr_sub(sheet->scene.upper, sheet->scene.lower);
    GrRoverSize size = {
        .length = extent.x, .width = extent.y, .ground = sheet->scene.lower.z, .clearance = (double)NAN};
    GrVec3 low = {(double)INFINITY, (double)INFINITY, (double)INFINITY}, high = gr_neg(low);
    for (int i = 0; i < sheet->rover->wheel_count; i++) {
        const GrVec3 c = wheel_center(sheet, i);
        low = gr_vec3(fmin(low.x, c.x), fmin(low.y, c.y), fmin(low.z, c.z - sheet->rover->wheels[i].radius));
        high = gr_vec3(fmax(high.x, c.x), fmax(high.y, c.y), 0);
    }
    if (sheet->rover->wheel_count > 0) {
        size.wheelbase = high.x - low.x;
        size.track = high.y - low.y;
        size.ground = low.z;
    }
    size.height = sheet->scene.upper.z - size.ground;
    if (isfinite(sheet->scene.belly)) {
        size.clearance = sheet->scene.belly - size.ground;
    }
    return size;
}

static void close_sheet(Sheet *sheet)
{
    gr_free(sheet->poses);
    gr_drawn_rover_free(&sheet->scene);
}

static GrStatus open_sheet(const GrRoverDef *rover, Sheet *sheet, GrErrorLog *log)
{
    *sheet = (Sheet){.rover = rover};
    const size_t joints = (size_t)rover->joint_count + 1, bodies = (size_t)rover->body_count + 1;
    double *positions = gr_calloc(joints, sizeof *positions);
    sheet->poses = gr_calloc(bodies, sizeof *sheet->poses);
    if (positions == NULL || sheet->poses == NULL) {
        gr_free(positions);
        close_sheet(sheet);
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = gr_rover_initial_positions(rover, positions, log);
    if (status == GR_OK) {
        status = gr_rover_body_poses(rover, positions, sheet->poses, log);
    }
    gr_free(positions);
    if (status == GR_OK) {
        status = gr_drawn_rover_make(rover, sheet->poses, &sheet->scene);
        if (status != GR_OK) {
            gr_out_of_memory(log, NULL);
        }
    }
    if (status == GR_OK && sheet->scene.point_count == 0) {
        status = gr_error_add(log, GR_ERROR_MODEL, (GrLocation){0}, "rover %s has nothing to draw", rover->name);
    }
    if (status != GR_OK) {
        close_sheet(sheet);
        return status;
    }
    sheet->mass = gr_rover_mass_properties(rover, sheet->poses);
    sheet->size = measure(sheet);
    return GR_OK;
}

GrStatus gr_rover_size(const GrRoverDef *rover, GrRoverSize *out, GrErrorLog *log)
{
    Sheet sheet;
    const GrStatus status = open_sheet(rover, &sheet, log);
    if (status == GR_OK) {
        *out = sheet.size;
        close_sheet(&sheet);
    }
    return status;
}

/// Chooses one scale for the three parallel views, as large as the page allows.
static void lay_out(Sheet *sheet)
{
    const GrRoverSize *size = &sheet->size;
    const double inner = PAGE_WIDTH - 2 * MARGIN - GUTTER_X;
    const double second = fmax(size->width, 0.85 * size->length); // room for the perspective view
    sheet->scale = fmin(inner / (size->length + second), MAX_HEIGHT / (size->width + size->height));
    sheet->width = PAGE_WIDTH;
    const double spare = inner - sheet->scale * (size->length + second);
    sheet->column[0] = MARGIN + 20 + spare / 4;
    sheet->column[1] = sheet->column[0] + sheet->scale * size->length + GUTTER_X;
    sheet->column[2] = PAGE_WIDTH - MARGIN / 2;
    sheet->row[0] = HEADER;
    sheet->row[1] = sheet->row[0] + fmax(sheet->scale * size->width, MIN_TOP_ROW) + GUTTER_Y;
    sheet->row[2] = sheet->row[1] + sheet->scale * size->height;
}

static GrVec3 box_center(const Sheet *sheet)
{
    return gr_scale(0.5, gr_add(sheet->scene.lower, sheet->scene.upper));
}

/// Parallel camera whose target, the middle of the rover, appears in the middle of its cell.
static GrCamera parallel_camera(const Sheet *sheet, GrVec3 toward, GrVec3 up, GrPoint2 center)
{
    return (GrCamera){.right = gr_cross(up, toward),
                      .up = up,
                      .toward = toward,
                      .target = box_center(sheet),
                      .center = center,
                      .scale = sheet->scale};
}

static void draw_view_title(GrBuffer *svg, double x, double y, const char *title)
{
    gr_svg_text(svg, (GrPoint2){x, y}, (GrSvgFont){.size = 13, .color = "#666", .anchor = GR_SVG_MIDDLE}, title);
}

static void draw_marks(const Sheet *sheet, GrBuffer *svg, const GrCamera *camera)
{
    for (int i = 0; i < sheet->rover->joint_count; i++) {
        const GrJointDef *joint = &sheet->rover->joints[i];
        const GrJointKindRow *kind = gr_joint_kind(joint->kind);
        if (kind->axis_count == 0 || kind->separates) {
            continue;
        }
        const GrPose frame = gr_pose_mul(sheet->poses[joint->parent], joint->pose);
        const GrVec3 given = gr_quat_rotate(frame.rotation, gr_normalize(joint->axis));
        // a joint without an axis is drawn as a ring in every view
        const GrVec3 axis = kind->takes & GR_JOINT_TAKES_AXIS ? given : camera->toward;
        gr_mark_joint(svg, camera, joint, frame.position, axis, 0.055 * sheet->size.height);
    }
    gr_mark_com(svg, gr_camera_project(camera, sheet->mass.com), 8);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

enum { MAX_STATIONS = 16 };

/// Distinct coordinates of wheel centres along x (axis 0) or y (axis 1), in ascending order.
static int wheel_stations(const Sheet *sheet, int axis, double stations[MAX_STATIONS])
{
    int count = 0;
    for (int i = 0; i < sheet->rover->wheel_count; i++) {
        const GrVec3 c = wheel_center(sheet, i);
        const double value = axis == 0 ? c.x : c.y;
        bool known = false;
        for (int j = 0; j < count; j++) {
            known = known || fabs(stations[j] - value) < 0.01 * sheet->size.length;
        }
        if (!known && count < MAX_STATIONS) {
            stations[count++] = value;
        }
    }
    qsort(stations, (size_t)count, sizeof *stations, compare_doubles);
    return count;
}

/// Chain of dimensions between stations, with the total below it when there is more than one link.
static void draw_chain(const Sheet *sheet, GrBuffer *svg, const GrCamera *camera, int axis, double y)
{
    double stations[MAX_STATIONS];
    const int count = wheel_stations(sheet, axis, stations);
    const GrVec3 middle = box_center(sheet);
    double page[MAX_STATIONS] = {0};
    for (int i = 0; i < count; i++) {
        const GrVec3 at =
            gr_vec3(axis == 0 ? stations[i] : middle.x, axis == 1 ? stations[i] : middle.y, sheet->size.ground);
        const GrPoint2 p = gr_camera_project(camera, at);
        page[i] = p.x;
        gr_mark_extension(svg, (GrPoint2){p.x, p.y + 8}, (GrPoint2){p.x, y + 5 + (count > 2 ? 30 : 0)});
    }
    const char *name = axis == 0 ? "wheelbase " : "track ";
    for (int i = 0; i + 1 < count; i++) {
        gr_mark_dimension(svg, (GrPoint2){page[i], y}, (GrPoint2){page[i + 1], y}, stations[i + 1] - stations[i],
                          count == 2 ? name : "");
    }
    if (count > 2) {
        gr_mark_dimension(svg, (GrPoint2){page[0], y + 30}, (GrPoint2){page[count - 1], y + 30},
                          stations[count - 1] - stations[0], name);
    }
}

static GrStatus draw_top(const Sheet *sheet, GrBuffer *svg)
{
    const double middle_x = sheet->column[0] + sheet->scale * sheet->size.length / 2;
    const double half = sheet->scale * sheet->size.width / 2;
    const GrPoint2 center = {middle_x, 0.5 * (sheet->row[0] + sheet->row[1] - GUTTER_Y)};
    const GrCamera camera = parallel_camera(sheet, gr_vec3(0, 0, 1), gr_vec3(0, 1, 0), center);
    const GrStatus status = gr_paint_scene(svg, &sheet->scene, &camera);
    draw_marks(sheet, svg, &camera);
    const double top = center.y - half, bottom = center.y + half;
    const GrVec3 lower = sheet->scene.lower, upper = sheet->scene.upper;
    const double left = gr_camera_project(&camera, lower).x, right = gr_camera_project(&camera, upper).x;
    gr_mark_extension(svg, (GrPoint2){left, bottom + 4}, (GrPoint2){left, bottom + 24});
    gr_mark_extension(svg, (GrPoint2){right, bottom + 4}, (GrPoint2){right, bottom + 24});
    gr_mark_dimension(svg, (GrPoint2){left, bottom + 19}, (GrPoint2){right, bottom + 19}, sheet->size.length, "");
    gr_mark_extension(svg, (GrPoint2){left - 4, top}, (GrPoint2){left - 27, top});
    gr_mark_extension(svg, (GrPoint2){left - 4, bottom}, (GrPoint2){left - 27, bottom});
    gr_mark_dimension(svg, (GrPoint2){left - 22, bottom}, (GrPoint2){left - 22, top}, sheet->size.width, "");
    gr_mark_arrow(svg, (GrPoint2){right + 14, center.y}, (GrPoint2){right + 50, center.y});
    gr_svg_text(svg, (GrPoint2){right + 32, center.y - 8},
                (GrSvgFont){.size = 11, .color = "#666", .anchor = GR_SVG_MIDDLE}, "forward");
    draw_view_title(svg, middle_x, top - 12, "top");
    return status;
}

/// Ground line of the side and front views.
static double draw_ground(const Sheet *sheet, GrBuffer *svg, const GrCamera *camera, double left, double right)
{
    const GrVec3 on_ground = {sheet->scene.lower.x, sheet->scene.lower.y, sheet->size.ground};
    const double y = gr_camera_project(camera, on_ground).y;
    gr_mark_ground(svg, left - 16, right + 16, y);
    return y;
}

static GrStatus draw_side(const Sheet *sheet, GrBuffer *svg)
{
    const double left = sheet->column[0], right = left + sheet->scale * sheet->size.length;
    const double low = sheet->scene.lower.z;
    // row[2] is the ground; grousers reach below it
    const double center_y = sheet->row[2] - sheet->scale * (0.5 * (sheet->scene.upper.z + low) - sheet->size.ground);
    const GrCamera camera =
        parallel_camera(sheet, gr_vec3(0, -1, 0), gr_vec3(0, 0, 1), (GrPoint2){(left + right) / 2, center_y});
    const double ground = draw_ground(sheet, svg, &camera, left, right);
    const GrStatus status = gr_paint_scene(svg, &sheet->scene, &camera);
    draw_marks(sheet, svg, &camera);
    gr_mark_extension(svg, (GrPoint2){left - 4, sheet->row[1]}, (GrPoint2){left - 27, sheet->row[1]});
    gr_mark_dimension(svg, (GrPoint2){left - 22, ground}, (GrPoint2){left - 22, sheet->row[1]}, sheet->size.height, "");
    draw_chain(sheet, svg, &camera, 0, ground + 36);
    draw_view_title(svg, (left + right) / 2, sheet->row[1] - 12, "side, from the right");
    return status;
}

static GrStatus draw_front(const Sheet *sheet, GrBuffer *svg)
{
    const double middle_x = 0.5 * (sheet->column[1] + sheet->column[2]);
    const double half = 0.5 * sheet->scale * sheet->size.width;
    const double low = sheet->scene.lower.z;
    const double center_y = sheet->row[2] - sheet->scale * (0.5 * (sheet->scene.upper.z + low) - sheet->size.ground);
    const GrCamera camera = parallel_camera(sheet, gr_vec3(1, 0, 0), gr_vec3(0, 0, 1), (GrPoint2){middle_x, center_y});
    const double ground = draw_ground(sheet, svg, &camera, middle_x - half, middle_x + half);
    const GrStatus status = gr_paint_scene(svg, &sheet->scene, &camera);
    draw_marks(sheet, svg, &camera);
    if (isfinite(sheet->size.clearance) && sheet->size.clearance > 0) {
        const double belly = ground - sheet->scale * sheet->size.clearance;
        const double x = middle_x + 0.25 * half;
        gr_mark_dimension(svg, (GrPoint2){x, ground}, (GrPoint2){x, belly}, sheet->size.clearance, "");
    }
    draw_chain(sheet, svg, &camera, 1, ground + 36);
    draw_view_title(svg, middle_x, sheet->row[1] - 12, "front");
    return status;
}

/// Lines of round spacing on the ground under the rover.
typedef struct Grid {
    double step, x0, x1, y0, y1;
    int columns, rows;
} Grid;

static Grid make_grid(const Sheet *sheet)
{
    const GrVec3 lower = sheet->scene.lower, upper = sheet->scene.upper;
    const double step = gr_axis_round_length(0.2 * fmax(sheet->size.length, sheet->size.width));
    const double left = floor(lower.x / step), right = ceil(upper.x / step);
    const double near = floor(lower.y / step), far = ceil(upper.y / step);
    return (Grid){step, step * left, step * right, step * near, step * far, (int)(right - left), (int)(far - near)};
}

static void draw_grid(const Grid *grid, GrBuffer *svg, const GrCamera *camera, double z)
{
    const GrSvgStyle style = {.stroke = "#dcdad4", .stroke_width = 0.8};
    for (int i = 0; i <= grid->columns; i++) {
        const double x = grid->x0 + i * grid->step;
        gr_svg_line(svg, gr_camera_project(camera, gr_vec3(x, grid->y0, z)),
                    gr_camera_project(camera, gr_vec3(x, grid->y1, z)), style);
    }
    for (int i = 0; i <= grid->rows; i++) {
        const double y = grid->y0 + i * grid->step;
        gr_svg_line(svg, gr_camera_project(camera, gr_vec3(grid->x0, y, z)),
                    gr_camera_project(camera, gr_vec3(grid->x1, y, z)), style);
    }
}

/// Rectangle on the page.
typedef struct Frame {
    double left, right, top, bottom;
} Frame;

static void widen(Frame *frame, GrPoint2 p)
{
    *frame = (Frame){fmin(frame->left, p.x), fmax(frame->right, p.x), fmin(frame->top, p.y), fmax(frame->bottom, p.y)};
}

/// Chooses scale and centre so that the rover and its grid fill the cell.
static void fit_camera(const Sheet *sheet, const Grid *grid, Frame cell, GrCamera *camera)
{
    const double inf = (double)INFINITY, z = sheet->size.ground;
    Frame used = {inf, -inf, inf, -inf};
    for (int i = 0; i < sheet->scene.point_count; i++) {
        widen(&used, gr_camera_project(camera, sheet->scene.points[i]));
    }
    for (int i = 0; i < 4; i++) {
        const GrVec3 corner = {i & 1 ? grid->x1 : grid->x0, i & 2 ? grid->y1 : grid->y0, z};
        widen(&used, gr_camera_project(camera, corner));
    }
    camera->scale =
        fmin((cell.right - cell.left) / (used.right - used.left), (cell.bottom - cell.top) / (used.bottom - used.top));
    camera->center = (GrPoint2){0.5 * (cell.left + cell.right - camera->scale * (used.left + used.right)),
                                0.5 * (cell.top + cell.bottom - camera->scale * (used.top + used.bottom))};
}

static GrStatus draw_perspective(const Sheet *sheet, GrBuffer *svg)
{
    GrCamera camera = gr_camera_from(gr_vec3(0.80, -1, 0.58));
    camera.target = box_center(sheet);
    camera.distance = 3.2 * gr_norm(gr_sub(sheet->scene.upper, sheet->scene.lower));
    const Grid grid = make_grid(sheet);
    const Frame cell = {sheet->column[1] - 14, sheet->column[2], sheet->row[0] - 24, sheet->row[1] - 36};
    fit_camera(sheet, &grid, cell, &camera);
    draw_grid(&grid, svg, &camera, sheet->size.ground);
    GrStatus status = gr_paint_shadow(svg, &sheet->scene, &camera, sheet->size.ground, "#d3d1cb");
    if (status == GR_OK) {
        status = gr_paint_scene(svg, &sheet->scene, &camera);
    }
    return status;
}

static void draw_header(const Sheet *sheet, GrBuffer *svg)
{
    const GrRoverDef *rover = sheet->rover;
    gr_svg_text(svg, (GrPoint2){MARGIN / 2, 38}, (GrSvgFont){.size = 21, .bold = true},
                rover->title[0] != '\0' ? rover->title : rover->name);
    char mass[GR_NUMBER_SIZE], radius[GR_NUMBER_SIZE], width[GR_NUMBER_SIZE], line[256];
    gr_number_round(sheet->mass.mass, 4, mass);
    int length = snprintf(line, sizeof line, "%s kg, %d degrees of freedom", mass, gr_rover_degrees_of_freedom(rover));
    if (rover->wheel_count > 0) {
        const GrWheelDef *wheel = &rover->wheels[0];
        gr_number_round(2 * wheel->radius, 3, radius);
        gr_number_round(wheel->width, 3, width);
        snprintf(line + length, sizeof line - (size_t)length, ", %d wheels \xc3\x98 %s \xc3\x97 %s m",
                 rover->wheel_count, radius, width);
    }
    gr_svg_text(svg, (GrPoint2){MARGIN / 2, 60}, (GrSvgFont){.size = 13, .color = "#555"}, line);
}

static void draw_footer(const Sheet *sheet, GrBuffer *svg)
{
    const double y = sheet->row[2] + FOOTER - 34;
    const double length = gr_axis_round_length(0.3 * sheet->size.length);
    gr_mark_scale_bar(svg, (GrPoint2){MARGIN, y}, length, sheet->scale);
    gr_mark_legend(svg, sheet->rover, (GrPoint2){MARGIN + sheet->scale * length + 70, y});
    gr_svg_text(svg, (GrPoint2){PAGE_WIDTH - MARGIN / 2, y + 4},
                (GrSvgFont){.size = 11, .color = "#777", .anchor = GR_SVG_END},
                "dimensions in metres; wheels stand on their rims");
}

GrStatus gr_rover_draw(const GrRoverDef *rover, GrBuffer *svg, GrErrorLog *log)
{
    Sheet sheet;
    GrStatus status = open_sheet(rover, &sheet, log);
    if (status != GR_OK) {
        return status;
    }
    lay_out(&sheet);
    gr_svg_begin(svg, sheet.width, sheet.row[2] + FOOTER, rover->title);
    draw_header(&sheet, svg);
    typedef GrStatus DrawView(const Sheet *sheet, GrBuffer *svg);
    static DrawView *const views[] = {draw_perspective, draw_top, draw_side, draw_front};
    for (int i = 0; i < 4 && status == GR_OK; i++) {
        status = views[i](&sheet, svg);
    }
    draw_footer(&sheet, svg);
    gr_svg_end(svg);
    close_sheet(&sheet);
    if (status != GR_OK || svg->failed) {
        return gr_out_of_memory(log, NULL);
    }
    return GR_OK;
}
