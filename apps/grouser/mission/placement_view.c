/// Landers from the side: the ground along a ramp, body, feet and ramps, to scale.
#include "placement_page.h"

#include "alloc.h"
#include "chart.h"
#include "page.h"
#include "study_view.h"
#include "text.h"
#include "vec3.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 560, HEIGHT = 250, SHOWN = 4, PROFILE = 240, CORNERS = 2 * GR_LANDER_CORNERS };

/// A view: world points to distance along a horizontal direction, and height.
typedef struct View {
    const GrLanderDef *lander;
    const GrLanderPlacement *placement;
    const GrSite *site;
    GrLanderSpot spot;
    double cosine, sine; ///< of the azimuth of the view's axis
    GrChart chart;
} View;

static GrPoint2 to_view(const View *v, GrVec3 p)
{
    return (GrPoint2){(p.x - v->spot.x) * v->cosine + (p.y - v->spot.y) * v->sine, p.z};
}

static GrVec3 to_world(const View *v, GrVec3 local)
{
    return gr_add(v->placement->pose.position, gr_quat_rotate(v->placement->pose.rotation, local));
}

static int by_x(const void *a, const void *b)
{
    const GrPoint2 *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}

static double turn(GrPoint2 a, GrPoint2 b, GrPoint2 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// Draws the outline of convex points of the body frame (Andrew's monotone chain).
static void draw_hull(const View *v, const GrVec3 *points, int count, GrSvgStyle style, GrBuffer *svg)
{
    GrPoint2 sorted[CORNERS] = {0}, hull[2 * CORNERS + 1];
    int n = 0;
    for (int i = 0; i < count; i++) {
        sorted[i] = to_view(v, to_world(v, points[i]));
    }
    qsort(sorted, (size_t)count, sizeof sorted[0], by_x);
    for (int pass = 0; pass < 2; pass++) {
        const int first = n;
        for (int i = 0; i < count; i++) {
            const GrPoint2 p = sorted[pass == 0 ? i : count - 1 - i];
            while (n >= first + 2 && turn(hull[n - 2], hull[n - 1], p) <= 0) {
                n--;
            }
            hull[n++] = p;
        }
        n--; // the last point begins the other half
    }
    for (int i = 0; i < n; i++) {
        hull[i] = gr_chart_at(&v->chart, hull[i].x, hull[i].y);
    }
    gr_svg_polygon(svg, hull, n, style);
}

static void draw_box(const View *v, GrVec3 low, GrVec3 high, GrSvgStyle style, GrBuffer *svg)
{
    GrVec3 corners[8];
    for (int i = 0; i < 8; i++) {
        corners[i] = gr_vec3(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
    }
    draw_hull(v, corners, 8, style, svg);
}

/// The ground along the axis, `side` to its left. Filled: down to the lower edge.
static void draw_profile(const View *v, double side, bool fill, GrBuffer *svg)
{
    GrPoint2 points[PROFILE + 3];
    int n = 0;
    const GrAxis *x = &v->chart.x;
    for (int i = 0; i <= PROFILE; i++) {
        const double s = x->lower + (x->upper - x->lower) * i / PROFILE;
        const double z = gr_site_height(v->site, v->spot.x + s * v->cosine - side * v->sine,
                                        v->spot.y + s * v->sine + side * v->cosine);
        if (isfinite(z)) {
            points[n++] = gr_chart_at(&v->chart, s, z);
        }
    }
    if (fill && n > 1) {
        const double bottom = v->chart.top + v->chart.height;
        points[n] = (GrPoint2){points[n - 1].x, bottom};
        points[n + 1] = (GrPoint2){points[0].x, bottom};
        gr_svg_polygon(svg, points, n + 2, (GrSvgStyle){.fill = "#d9c2a3", .stroke = "#7a5c3a", .stroke_width = 1.2});
    } else if (n > 1) {
        gr_svg_polyline(svg, points, n, (GrSvgStyle){.stroke = "#7a5c3a", .stroke_width = 0.9, .dash = "5 3"});
    }
}

static void draw_feet(const View *v, GrBuffer *svg)
{
    const GrLanderDef *d = v->lander;
    for (int i = 0; i < d->foot_count; i++) {
        const GrVec3 f = d->feet[i].position;
        const double r = fmax(d->feet[i].radius, 0.05);
        const GrVec3 knee = {0.6 * f.x + 0.4 * d->com.x, 0.6 * f.y + 0.4 * d->com.y,
                             d->deck_height - d->deck_thickness};
        const GrPoint2 a = to_view(v, to_world(v, f)), b = to_view(v, to_world(v, knee));
        const bool down = v->placement->feet_down >> i & 1;
        gr_svg_line(svg, gr_chart_at(&v->chart, a.x, a.y), gr_chart_at(&v->chart, b.x, b.y),
                    (GrSvgStyle){.stroke = "#666", .stroke_width = 2.2});
        draw_box(v, gr_vec3(f.x - r, f.y - r, f.z), gr_vec3(f.x + r, f.y + r, f.z + 0.06),
                 (GrSvgStyle){.fill = down ? "#333" : "#fff", .stroke = "#333"}, svg);
    }
}

static void draw_ramp(const View *v, int index, GrBuffer *svg)
{
    const GrLanderRamp *r = &v->lander->ramps[index];
    const double a = v->placement->ramps[index].hinge;
    const GrVec3 out = {cos(r->direction), sin(r->direction), 0}, left = {-out.y, out.x, 0}, up = {0, 0, 1};
    const GrVec3 along = gr_madd(gr_scale(cos(a), out), -sin(a), up),
                 normal = gr_madd(gr_scale(sin(a), out), cos(a), up);
    GrVec3 corners[8];
    for (int i = 0; i < 8; i++) {
        const GrVec3 p = gr_madd(r->hinge, i & 1 ? r->length : 0, along);
        corners[i] = gr_madd(gr_madd(p, i & 2 ? r->width / 2 : -r->width / 2, left), i & 4 ? -r->thickness : 0, normal);
    }
    draw_hull(v, corners, 8, (GrSvgStyle){.fill = "#0072b2", .stroke = "#003c5e", .stroke_width = 0.8, .opacity = 0.75},
              svg);
}

static void draw_body(const View *v, GrBuffer *svg)
{
    const GrLanderDef *d = v->lander;
    GrVec3 corners[CORNERS];
    const double half_x = d->deck_length / 2, half_y = d->deck_width / 2, top = d->deck_height;
    for (int i = 0; i < d->corner_count; i++) {
        corners[2 * i] = gr_vec3(d->corners[i][0], d->corners[i][1], d->underside);
        corners[2 * i + 1] = gr_vec3(d->corners[i][0], d->corners[i][1], top - d->deck_thickness);
    }
    if (d->corner_count > 0) {
        draw_hull(v, corners, 2 * d->corner_count, (GrSvgStyle){.fill = "#c8ccd2", .stroke = "#555"}, svg);
    }
    draw_box(v, gr_vec3(d->deck_x - half_x, d->deck_y - half_y, top - d->deck_thickness),
             gr_vec3(d->deck_x + half_x, d->deck_y + half_y, top), (GrSvgStyle){.fill = "#8d949e", .stroke = "#444"},
             svg);
    const GrPoint2 com = to_view(v, to_world(v, d->com));
    gr_svg_circle(svg, gr_chart_at(&v->chart, com.x, com.y), 3.5, (GrSvgStyle){.fill = "#e69f00", .stroke = "#222"});
}

/// Heights to show: those of the ground and of the lander.
static void find_heights(const View *v, double reach, double out[2])
{
    out[1] = to_world(v, gr_vec3(0, 0, v->lander->deck_height)).z + 0.6;
    out[0] = INFINITY;
    for (int i = 0; i <= PROFILE; i++) {
        const double s = reach * (2.0 * i / PROFILE - 1);
        const double z = gr_site_height(v->site, v->spot.x + s * v->cosine, v->spot.y + s * v->sine);
        out[0] = isfinite(z) ? fmin(out[0], z) : out[0];
        out[1] = isfinite(z) ? fmax(out[1], z) : out[1];
    }
    out[0] -= 0.3;
}

/// Ramps along the axis of ramp `first`, on both sides; they share a drawing.
static bool same_axis(const GrLanderDef *d, int a, int b)
{
    return fabs(sin(d->ramps[a].direction - d->ramps[b].direction)) < 1e-6;
}

static void draw_side(View *v, int first, GrBuffer *svg)
{
    const GrLanderDef *d = v->lander;
    const double reach = gr_lander_reach(d) + 0.3;
    double heights[2], widest = 0;
    const double heading = v->spot.heading + d->ramps[first].direction;
    v->cosine = cos(heading);
    v->sine = sin(heading);
    for (int i = 0; i < d->foot_count; i++) {
        const GrVec3 f = gr_sub(d->feet[i].position, d->com);
        widest = fmax(widest, fabs(f.y * cos(d->ramps[first].direction) - f.x * sin(d->ramps[first].direction)));
    }
    find_heights(v, reach, heights);
    gr_svg_begin(svg, WIDTH, HEIGHT, d->name);
    v->chart = gr_chart_draw(svg, &(GrChartDef){.width = WIDTH,
                                                .height = HEIGHT,
                                                .x_label = "along the ramp [m]",
                                                .y_label = "height [m]",
                                                .x = {-reach, reach},
                                                .y = {heights[0], heights[1]},
                                                .tight_x = true,
                                                .tight_y = true,
                                                .same_scale = true});
    gr_svg_begin_clip(svg, "view", v->chart.left, v->chart.top, v->chart.width, v->chart.height);
    draw_profile(v, 0, true, svg);
    draw_profile(v, widest, false, svg);
    draw_profile(v, -widest, false, svg);
    draw_feet(v, svg);
    for (int i = 0; i < d->ramp_count; i++) {
        if (same_axis(d, first, i)) {
            draw_ramp(v, i, svg);
        }
    }
    draw_body(v, svg);
    gr_svg_end_group(svg);
    gr_svg_end(svg);
}

static void describe_ramps(const View *v, int first, GrBuffer *out)
{
    static const char *const touches[] = {"hangs", "end on the ground", "rests on a bump"};
    for (int i = 0; i < v->lander->ramp_count; i++) {
        const GrRampState *r = &v->placement->ramps[i];
        if (same_axis(v->lander, first, i)) {
            gr_buffer_printf(out, "%s %s%s %.1f° %s the horizontal, %s, step %.2f m", i == first ? ". Ramps:" : ";",
                             v->lander->ramps[i].name, i == first ? " (to the right)" : "", fabs(r->slope) / GR_DEGREE,
                             r->slope < 0 ? "above" : "below", touches[r->touch], r->step);
        }
    }
    gr_buffer_puts(out, ".");
}

/// One drawing for each axis of ramps; `head` begins their captions.
static void put_sides(View *v, const char *head, GrPage *page)
{
    const GrLanderDef *d = v->lander;
    for (int i = 0; i < d->ramp_count; i++) {
        bool drawn = false;
        for (int k = 0; k < i; k++) {
            drawn = drawn || same_axis(d, i, k);
        }
        if (drawn) {
            continue;
        }
        GrBuffer svg = {0}, caption = {0};
        draw_side(v, i, &svg);
        gr_buffer_puts(&caption, head);
        describe_ramps(v, i, &caption);
        page->failed = page->failed || caption.failed;
        gr_page_figure(page, &svg, caption.data);
        gr_buffer_free(&caption);
    }
}

/// Places the lander as a run of the study did.
static GrStatus placement_repeat(const GrStudyTable *t, int row, GrPlacer *placer, GrLanderPlacement *out,
                                 GrErrorLog *log)
{
    static char texts[GR_CAMPAIGN_VARIABLES][GR_VARIABLE_PATH + GR_VARIABLE_TEXT];
    const char *overrides[GR_CAMPAIGN_VARIABLES + 1];
    int count = 0;
    for (; count < t->variable_count && count < GR_CAMPAIGN_VARIABLES; count++) {
        const char *name = t->texts[(size_t)row * (size_t)t->variable_count + (size_t)count];
        name != NULL ? snprintf(texts[count], sizeof texts[0], "%s=%s", t->columns[count].name, name)
                     : snprintf(texts[count], sizeof texts[0], "%s=%.17g", t->columns[count].name,
                                gr_study_value(t, row, count));
        overrides[count] = texts[count];
    }
    overrides[count] = NULL;
    return gr_placer_run(placer, overrides, out, log);
}

/// The standing run with the smallest margin that has not been taken; −1: none.
static int next_worst(const GrShares *s, const double *deviations, const int *taken, int count)
{
    int worst = -1;
    double least = INFINITY;
    for (int row = 0; row < s->count; row++) {
        bool is_new = s->table->succeeded[row];
        for (int k = 0; k < count; k++) {
            is_new = is_new && taken[k] != row;
        }
        const double margin = is_new ? gr_placement_margin(s, deviations, row) : (double)INFINITY;
        if (margin < least) {
            least = margin;
            worst = row;
        }
    }
    return worst;
}

static void write_head(const GrShares *s, int row, const GrPlacerPlan *plan, GrBuffer *out)
{
    gr_buffer_printf(out, "Run %" PRId64 " at (%.1f, %.1f) m, heading %.0f°", s->table->ids[row], plan->spot.x,
                     plan->spot.y, plan->spot.heading / GR_DEGREE);
    for (int i = 0; i < s->goal_count; i++) {
        char words[GR_LABEL_SIZE];
        const char *unit = gr_label_words(s->table->columns[s->columns[i]].name, words);
        gr_buffer_printf(out, "%s %s %s", i == 0 ? ":" : ",", words,
                         gr_show(gr_study_value(s->table, row, s->columns[i]), 3, unit).text);
    }
}

/// Draws one run, unless its lander does not stand.
static GrStatus put_run(const GrShares *s, int row, GrPlacer *placer, GrPage *page, GrErrorLog *log)
{
    GrLanderPlacement placement;
    const GrStatus status = placement_repeat(s->table, row, placer, &placement, log);
    if (status != GR_OK || placement.stand != GR_STAND_STANDS) {
        return status;
    }
    const GrPlacerPlan *plan = gr_placer_plan(placer);
    const GrSite site = gr_placer_site(placer);
    View view = {.lander = &plan->lander, .placement = &placement, .site = &site, .spot = plan->spot};
    GrBuffer head = {0};
    write_head(s, row, plan, &head);
    put_sides(&view, head.data != NULL ? head.data : "", page);
    page->failed = page->failed || head.failed;
    gr_buffer_free(&head);
    return GR_OK;
}

GrStatus gr_placement_worst(const GrShares *s, GrPlacer *placer, GrPage *page, GrErrorLog *log)
{
    double deviations[GR_CAMPAIGN_WISHES];
    int taken[SHOWN], count = 0;
    GrStatus status = GR_OK;
    gr_placement_deviations(s, deviations);
    for (int row; count < SHOWN && status == GR_OK && (row = next_worst(s, deviations, taken, count)) >= 0;) {
        taken[count++] = row;
        status = put_run(s, row, placer, page, log);
    }
    return status;
}
