#include "run_map.h"

#include "alloc.h"
#include "chart.h"
#include "drawing.h"
#include "file.h"
#include "ground_window.h"
#include "hillshade.h"
#include "model_data.h"
#include "out_of_memory.h"
#include "run_scene.h"
#include "ruts.h"
#include "statistics.h"
#include "svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- ruts as a picture

/// Sample spacing in cells above which ruts are painted; fractions by which the shallowest and the deepest ruts darken
/// a pixel, and berms lighten it.
static const double COARSE_SPACING = 3, LEAST_DARKNESS = 0.25, MOST_DARKNESS = 0.6, BERM_LIGHTNESS = 0.1;

/// Whether heights sampled this far apart [m] would miss the shape of ruts: then they are painted, not shaded.
static bool rut_picture_is_coarse(const GrRuts *ruts, double spacing)
{
    return spacing > COARSE_SPACING * ruts->def.cell;
}

/// Finds the largest change of height among the nodes in each pixel; depths take precedence over heights.
static void collect(const GrPicture *picture, const GrRuts *ruts, double *strongest, double *deepest)
{
    const GrBox2 b = picture->box;
    const double across = picture->width / (b.x_upper - b.x_lower), up = picture->height / (b.y_upper - b.y_lower);
    GrRutsPeek peek = {NULL};
    for (int k = 0; k < gr_ruts_tile_count(ruts); k++) {
        int64_t i, j;
        const GrRutsTileView tile = gr_ruts_peek(ruts, k, &peek);
        gr_ruts_tile_place(ruts, k, &i, &j);
        for (int n = 0; n < GR_RUT_NODES * GR_RUT_NODES; n++) {
            const int64_t node_i = i + n % GR_RUT_NODES, node_j = j + n / GR_RUT_NODES;
            const double x = (double)node_i * ruts->def.cell, y = (double)node_j * ruts->def.cell;
            const double column = floor((x - b.x_lower) * across), row = floor((b.y_upper - y) * up);
            if (tile.heights[n] != 0 && column >= 0 && row >= 0 && column < picture->width && row < picture->height) {
                double *at = &strongest[(size_t)row * (size_t)picture->width + (size_t)column];
                const bool deeper = tile.heights[n] < 0 && tile.heights[n] < *at;
                const bool higher = tile.heights[n] > 0 && *at >= 0 && tile.heights[n] > *at;
                *at = deeper || higher ? tile.heights[n] : *at;
                *deepest = fmin(*deepest, tile.heights[n]);
            }
        }
    }
    gr_ruts_peek_end(&peek);
}

/// Darkens pixels with ruts, deeper ones more, and lightens those with only berms.
static void rut_picture_paint(GrPicture *picture, const GrRuts *ruts)
{
    const size_t count = (size_t)picture->width * (size_t)picture->height;
    double *strongest = gr_calloc(count, sizeof *strongest), deepest = 0;
    if (strongest == NULL) {
        return;
    }
    collect(picture, ruts, strongest, &deepest);
    for (size_t k = 0; k < count; k++) {
        const double z = strongest[k];
        const double light = z < 0   ? 1 - LEAST_DARKNESS - (MOST_DARKNESS - LEAST_DARKNESS) * z / deepest
                             : z > 0 ? 1 + BERM_LIGHTNESS
                                     : 1;
        for (size_t c = 0; c < 3; c++) {
            picture->pixels[3 * k + c] = (unsigned char)fmin(255, picture->pixels[3 * k + c] * light);
        }
    }
    gr_free(strongest);
}

// ---- the map

enum { WIDTH = 820, HEIGHT_MAX = 620, LEFT = 56, RIGHT = 170, BELOW = 50 }; // the legend on the right
enum { NARROW_WIDTH = 316, NARROW_HEIGHT_MAX = 420, NARROW_LEFT = 46, NARROW_RIGHT = 16, NARROW_BELOW = 144 }; // below
enum { PICTURE = 560, CONTOUR_NODES = 90, CONTOUR_COUNT = 8, SHADES = 9 };
enum { MOST_DOTS = 2000 };                     // rocks that are drawn although they are smaller than a pixel
static const double MARGIN = 1.5, SHAPE = 0.4; // least margin [m]; least ratio of the shorter to the longer side
static const double CLOSE_UP_HALF_SIDE = 2,
                    CLOSE_UP_SHAPE = 0.6; // half a side of the close-up [m]; its height over its width

/// Colours of slip from low to high: viridis, as tracks have in 3D (viewer/src/colours.ts).
static const char *const SLIP_COLORS[SHADES] = {"#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c",
                                                "#28ae80", "#5ec962", "#addc30", "#fde725"};

/// The window of the ground and its place on the page.
typedef struct Map {
    GrBox2 box;
    bool narrow;
    double scale;               ///< [px/m]
    double left, width, height; ///< [px]
} Map;

static GrPoint2 to_page(const Map *map, double x, double y)
{
    return (GrPoint2){map->left + (x - map->box.x_lower) * map->scale, 10 + (map->box.y_upper - y) * map->scale};
}

static void widen(double *lower, double *upper, double least)
{
    const double missing = least - (*upper - *lower);
    if (missing > 0) {
        *lower -= missing / 2;
        *upper += missing / 2;
    }
}

static Map fit_map(GrBox2 box, bool narrow)
{
    Map map = {.box = box, .narrow = narrow, .left = narrow ? NARROW_LEFT : LEFT};
    map.scale = fmin((narrow ? NARROW_WIDTH : WIDTH) / (box.x_upper - box.x_lower),
                     (narrow ? NARROW_HEIGHT_MAX : HEIGHT_MAX) / (box.y_upper - box.y_lower));
    map.width = map.scale * (box.x_upper - box.x_lower);
    map.height = map.scale * (box.y_upper - box.y_lower);
    return map;
}

static Map make_map(const GrRecordDef *def, const GrTrack *track)
{
    GrBox2 box = gr_box_empty();
    for (int i = 0; i < track->count; i++) {
        gr_box_include(&box, track->points[i].x, track->points[i].y, 0);
    }
    for (int i = 0; i < def->path_count; i++) {
        gr_box_include(&box, def->path[i].x, def->path[i].y, 0);
    }
    if (!(box.x_upper >= box.x_lower)) {
        gr_box_include(&box, 0, 0, MARGIN);
    }
    const double longest = fmax(box.x_upper - box.x_lower, box.y_upper - box.y_lower);
    const double margin = fmax(MARGIN, 0.1 * longest);
    box = (GrBox2){box.x_lower - margin, box.y_lower - margin, box.x_upper + margin, box.y_upper + margin};
    widen(&box.x_lower, &box.x_upper, SHAPE * (box.y_upper - box.y_lower));
    widen(&box.y_lower, &box.y_upper, SHAPE * (box.x_upper - box.x_lower));
    return fit_map(box, false);
}

static void put_picture(GrBuffer *svg, const Map *map, const GrPicture *picture)
{
    const GrPoint2 corner = to_page(map, picture->box.x_lower, picture->box.y_upper);
    const double width = map->scale * (picture->box.x_upper - picture->box.x_lower);
    const double height = map->scale * (picture->box.y_upper - picture->box.y_lower);
    gr_svg_picture(svg, picture, (GrSvgFrame){corner, width, height});
}

/// A rock from above.
typedef struct Circle {
    double x, y, diameter;
} Circle;

/// Rocks of the recording, then those of the model's field.
static int circle_count(const GrRecordDef *def)
{
    return def->rock_count + gr_rocks_seen_field(def->model);
}

static Circle circle_of(const GrRecordDef *def, int i)
{
    if (i < def->rock_count) {
        const GrRecordRock *rock = &def->rocks[i];
        return (Circle){rock->pose.position.x, rock->pose.position.y, rock->half.x + rock->half.y};
    }
    const GrRock *rock = &def->model->rigid.late.field->rocks[i - def->rock_count];
    return (Circle){rock->x, rock->y, rock->diameter};
}

/// Rocks smaller than a pixel are drawn as dots, unless there are so many on the map that dots would cover it.
static double least_diameter(const GrRecordDef *def, const Map *map)
{
    int inside = 0;
    for (int i = 0; i < circle_count(def) && inside <= MOST_DOTS; i++) {
        const Circle rock = circle_of(def, i);
        inside += gr_box_holds(&map->box, rock.x, rock.y, 0);
    }
    return inside > MOST_DOTS ? 1 / map->scale : 0;
}

static void draw_shading(GrBuffer *svg, const GrRecordDef *def, const Map *map)
{
    const bool plain = def->terrain == NULL && def->ruts == NULL && def->rock_count == 0; // one colour
    GrGroundPicture ground = {.terrain = def->terrain, .ruts = def->ruts, .box = map->box, .most = plain ? 2 : PICTURE};
    GrPicture picture;
    const GrGridFrame frame = gr_ground_picture_frame(&ground);
    const bool coarse = def->ruts != NULL && rut_picture_is_coarse(def->ruts, frame.dx);
    ground.ruts = coarse ? NULL : def->ruts;
    if (gr_ground_picture_render(&ground, &picture, NULL) != GR_OK) {
        return;
    }
    const double least = least_diameter(def, map);
    for (int i = 0; i < circle_count(def); i++) {
        const Circle rock = circle_of(def, i);
        if (rock.diameter >= least) {
            gr_picture_dome(&picture, rock.x, rock.y, rock.diameter);
        }
    }
    if (coarse) {
        rut_picture_paint(&picture, def->ruts);
    }
    put_picture(svg, map, &picture);
    gr_free(picture.pixels);
}

static void draw_rocks(GrBuffer *svg, const GrRecordDef *def, const Map *map)
{
    const double least = least_diameter(def, map);
    for (int i = 0; i < circle_count(def); i++) {
        const Circle rock = circle_of(def, i);
        if (rock.diameter >= least && gr_box_holds(&map->box, rock.x, rock.y, 0)) {
            gr_svg_circle(svg, to_page(map, rock.x, rock.y), fmax(1, 0.5 * rock.diameter * map->scale),
                          (GrSvgStyle){.stroke = "#4a3d36", .stroke_width = 0.8});
        }
    }
}

/// Where a contour level crosses from corner a to corner b of a cell, 0 … 1; NAN: it does not.
static double crossing(double a, double b, double level)
{
    return (a < level) != (b < level) ? (level - a) / (b - a) : (double)NAN;
}

/// The line of one level through one cell, as a piece of an SVG path. A saddle gives two pieces, paired arbitrarily.
static void contour_cell(GrBuffer *svg, const Map *map, const GrGridFrame *f, const double *z, int64_t at, double level)
{
    const double sw = z[at], se = z[at + 1], nw = z[at + f->nx], ne = z[at + f->nx + 1];
    const int64_t row = at / f->nx;
    const double x = f->x0 + (double)(at - row * f->nx) * f->dx, y = f->y0 + (double)row * f->dy;
    const double south = crossing(sw, se, level), north = crossing(nw, ne, level), west = crossing(sw, nw, level),
                 east = crossing(se, ne, level);
    const double ends[4][2] = {
        {x + south * f->dx, y}, {x + f->dx, y + east * f->dy}, {x + north * f->dx, y + f->dy}, {x, y + west * f->dy}};
    int count = 0;
    for (int k = 0; k < 4; k++) {
        if (isfinite(ends[k][0]) && isfinite(ends[k][1])) {
            const GrPoint2 p = to_page(map, ends[k][0], ends[k][1]);
            gr_buffer_puts(svg, count++ % 2 == 0 ? "M" : "L");
            gr_buffer_fixed(svg, p.x, 1);
            gr_buffer_puts(svg, " ");
            gr_buffer_fixed(svg, p.y, 1);
        }
    }
}

/// Returns the height interval of the lines [m]; 0: none.
static double draw_contours(GrBuffer *svg, const GrRecordDef *def, const Map *map)
{
    const GrGroundPicture ground = {.terrain = def->terrain, .box = map->box, .most = CONTOUR_NODES};
    const GrGridFrame frame = gr_ground_picture_frame(&ground), *f = &frame;
    double *z = gr_calloc((size_t)(f->nx * f->ny), sizeof *z);
    if (z == NULL) {
        return 0;
    }
    gr_ground_picture_heights(&ground, f, z);
    double low = (double)INFINITY, high = -(double)INFINITY;
    for (int64_t i = 0; i < f->nx * f->ny; i++) {
        low = z[i] < low ? z[i] : low;
        high = z[i] > high ? z[i] : high;
    }
    const double interval = high - low > 1e-6 ? gr_axis_round_length((high - low) / CONTOUR_COUNT * 1.6) : 0;
    const int first = interval > 0 ? (int)ceil(low / interval) : 0, last = interval > 0 ? (int)(high / interval) : -1;
    for (int k = first; k <= last; k++) {
        gr_buffer_puts(svg, "<path d=\"");
        for (int64_t at = 0; at < f->nx * (f->ny - 1); at++) {
            const double sum = z[at] + z[at + f->nx] + (at % f->nx < f->nx - 1 ? z[at + 1] + z[at + f->nx + 1] : 0);
            if (at % f->nx < f->nx - 1 && isfinite(sum)) {
                contour_cell(svg, map, f, z, at, k * interval);
            }
        }
        gr_buffer_printf(svg, "\" fill=\"none\" stroke=\"#fff\" stroke-opacity=\"0.45\" stroke-width=\"%s\"/>\n",
                         k % 5 == 0 ? "1.5" : "0.8");
    }
    gr_free(z);
    return interval;
}

static void draw_path(GrBuffer *svg, const GrRecordDef *def, const Map *map, const GrTrack *track)
{
    GrPoint2 *points = gr_calloc((size_t)def->path_count + 1, sizeof *points);
    if (points == NULL || def->path_count == 0) {
        gr_free(points);
        return;
    }
    int count = 0;
    if (track->count > 0) {
        points[count++] = to_page(map, track->points[0].x, track->points[0].y);
    }
    for (int i = 0; i < def->path_count; i++) {
        points[count++] = to_page(map, def->path[i].x, def->path[i].y);
    }
    gr_svg_polyline(svg, points, count, (GrSvgStyle){.stroke = "#fff", .stroke_width = 1.6, .dash = "7 6"});
    gr_free(points);
}

/// Upper end of the colour scale: a round number above 95 % of the slips.
static double slip_scale(const GrTrack *track)
{
    double sorted[GR_TRACK_MAX];
    memcpy(sorted, track->values, sizeof(double) * (size_t)track->count);
    gr_sort(sorted, track->count);
    const double most = track->count > 0 ? sorted[track->count * 19 / 20] : 0;
    return most <= 0.1 ? 0.1 : most <= 0.2 ? 0.2 : most <= 0.5 ? 0.5 : 1;
}

static int shade_of(double slip, double most)
{
    const int shade = slip > 0 ? (int)(slip / most * SHADES) : 0;
    return shade < SHADES ? shade : SHADES - 1;
}

/// Pieces of one colour as one line each, over a white outline.
static void draw_track(GrBuffer *svg, const Map *map, const GrTrack *track, double most)
{
    GrPoint2 *points = gr_calloc((size_t)track->count + 1, sizeof *points);
    if (points == NULL) {
        return;
    }
    for (int i = 0; i < track->count; i++) {
        points[i] = to_page(map, track->points[i].x, track->points[i].y);
    }
    gr_svg_polyline(svg, points, track->count, (GrSvgStyle){.stroke = "#fff", .stroke_width = 7, .opacity = 0.75});
    for (int i = 0; i + 1 < track->count;) {
        const int shade = shade_of(track->values[i + 1], most);
        int end = i + 1;
        while (end + 1 < track->count && shade_of(track->values[end + 1], most) == shade) {
            end++;
        }
        gr_svg_polyline(svg, points + i, end - i + 1, (GrSvgStyle){.stroke = SLIP_COLORS[shade], .stroke_width = 4});
        i = end;
    }
    gr_free(points);
}

static void draw_mark(GrBuffer *svg, GrPoint2 at, const char *text, const char *fill, const char *ink)
{
    gr_svg_circle(svg, at, 10, (GrSvgStyle){.fill = fill, .stroke = "#222", .stroke_width = 1.2});
    gr_svg_text(svg, (GrPoint2){at.x, at.y + 4},
                (GrSvgFont){.size = 12, .color = ink, .anchor = GR_SVG_MIDDLE, .bold = true}, text);
}

static void draw_marks(GrBuffer *svg, const GrRecordDef *def, const Map *map, const GrTrack *track)
{
    for (int i = 0; i < def->path_count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i + 1);
        draw_mark(svg, to_page(map, def->path[i].x, def->path[i].y), number, "#fff", "#222");
    }
    if (track->count > 0) {
        const GrVec3 first = track->points[0], last = track->points[track->count - 1];
        draw_mark(svg, to_page(map, first.x, first.y), "S", "#009e73", "#fff");
        draw_mark(svg, to_page(map, last.x, last.y), "E", "#c9141c", "#fff");
    }
}

/// Frame with coordinates along its left and lower sides.
static void draw_frame(GrBuffer *svg, const Map *map)
{
    const GrAxis x =
        gr_axis_make(map->box.x_lower, map->box.x_upper, (int)fmax(2, map->width / (map->narrow ? 70 : 110)), false);
    const GrAxis y =
        gr_axis_make(map->box.y_lower, map->box.y_upper, (int)fmax(2, map->height / (map->narrow ? 50 : 90)), false);
    const double bottom = 10 + map->height;
    char label[GR_NUMBER_SIZE];
    gr_svg_rect(svg, map->left, 10, map->width, map->height, (GrSvgStyle){.stroke = "#444"});
    for (int i = 0; i < x.tick_count; i++) {
        const double at = to_page(map, x.ticks[i], 0).x;
        gr_axis_label(&x, x.ticks[i], label);
        gr_svg_line(svg, (GrPoint2){at, bottom}, (GrPoint2){at, bottom + 5}, (GrSvgStyle){.stroke = "#444"});
        gr_svg_text(svg, (GrPoint2){at, bottom + 19}, (GrSvgFont){.anchor = GR_SVG_MIDDLE, .color = "#333"}, label);
    }
    for (int i = 0; i < y.tick_count; i++) {
        const double at = to_page(map, 0, y.ticks[i]).y;
        gr_axis_label(&y, y.ticks[i], label);
        gr_svg_line(svg, (GrPoint2){map->left - 5, at}, (GrPoint2){map->left, at}, (GrSvgStyle){.stroke = "#444"});
        gr_svg_text(svg, (GrPoint2){map->left - 9, at + 4}, (GrSvgFont){.anchor = GR_SVG_END, .color = "#333"}, label);
    }
    gr_svg_text(svg, (GrPoint2){map->left + map->width / 2, bottom + 38},
                (GrSvgFont){.size = 13, .anchor = GR_SVG_MIDDLE}, "x (east) [m]");
    gr_svg_text(svg, (GrPoint2){14, 10 + map->height / 2},
                (GrSvgFont){.size = 13, .anchor = GR_SVG_MIDDLE, .rotate = -90}, "y (north) [m]");
}

/// The colours of slip in a column, from high to low, or in a row, from low to high.
static void draw_slip_legend(GrBuffer *svg, const Map *map, double most, GrPoint2 at)
{
    gr_svg_text(svg, at, (GrSvgFont){.size = 13, .bold = true}, "mean slip [%]");
    for (int i = 0; i < SHADES; i++) {
        const GrPoint2 corner =
            map->narrow ? (GrPoint2){at.x + 22 * i, at.y + 8} : (GrPoint2){at.x, at.y + 6 + 16 * (SHADES - 1 - i)};
        gr_svg_rect(svg, corner.x, corner.y, map->narrow ? 22 : 24, 16, (GrSvgStyle){.fill = SLIP_COLORS[i]});
        if (i == SHADES - 1 || i == 0 || i == SHADES / 2) {
            char label[GR_NUMBER_SIZE];
            const GrPoint2 place =
                map->narrow ? (GrPoint2){corner.x + 11, corner.y + 30} : (GrPoint2){corner.x + 32, corner.y + 12};
            gr_number_round(i == 0 ? 0 : i == SHADES - 1 ? 100 * most : 50 * most, 2, label);
            gr_svg_text(svg, place, (GrSvgFont){.anchor = map->narrow ? GR_SVG_MIDDLE : GR_SVG_START}, label);
        }
    }
}

/// Colours of slip (none: `most` 0), the interval of contours, the scale bar: right of the map or below it.
static void draw_legend(GrBuffer *svg, const Map *map, double most, double interval)
{
    GrPoint2 at = map->narrow ? (GrPoint2){map->left, map->height + 72} : (GrPoint2){map->left + map->width + 18, 24};
    if (most > 0) {
        draw_slip_legend(svg, map, most, at);
        at.y += map->narrow ? 66 : 184;
    }
    if (interval > 0) {
        char number[GR_NUMBER_SIZE], text[64];
        gr_number_round(interval, 3, number);
        snprintf(text, sizeof text, "contours: %s m", number);
        gr_svg_text(svg, at, (GrSvgFont){.color = "#555"}, text);
    }
    at = map->narrow ? (GrPoint2){at.x + (interval > 0 ? 130 : 0), at.y - 4} : (GrPoint2){at.x, at.y + 34};
    gr_mark_scale_bar(svg, at, gr_axis_round_length((map->narrow ? 70 : 90) / map->scale), map->scale);
}

/// Opens a document up to the clip of the map's contents.
static void begin_map(GrBuffer *svg, const Map *map, const char *id, const char *title)
{
    char clip[64];
    gr_svg_begin(svg, map->left + map->width + (map->narrow ? NARROW_RIGHT : RIGHT),
                 map->height + 10 + (map->narrow ? NARROW_BELOW : BELOW), title);
    snprintf(clip, sizeof clip, "%s%s", id, map->narrow ? "-narrow" : "");
    gr_svg_rect(svg, map->left, 10, map->width, map->height, (GrSvgStyle){.fill = "#b99a7d"});
    gr_svg_begin_clip(svg, clip, map->left, 10, map->width, map->height);
}

/// Ground with rocks, and contours if asked for; returns their interval [m].
static double draw_ground(GrBuffer *svg, const GrRecordDef *def, const Map *map, const char *id, bool contours)
{
    gr_buffer_printf(svg, "<g id=\"%s-ground\">\n", id);
    draw_shading(svg, def, map);
    const double interval = contours ? draw_contours(svg, def, map) : 0;
    draw_rocks(svg, def, map);
    gr_svg_end_group(svg);
    return interval;
}

/// The ground of the wide drawing once more.
static void repeat_ground(GrBuffer *svg, const Map *map, const Map *wide, const char *id)
{
    enum { DECIMALS = 6 };
    const double scale = map->scale / wide->scale;
    gr_buffer_printf(svg, "<use href=\"#%s-ground\" transform=\"translate(", id);
    gr_buffer_fixed(svg, map->left - scale * wide->left, DECIMALS);
    gr_buffer_puts(svg, " ");
    gr_buffer_fixed(svg, 10 - scale * 10, DECIMALS);
    gr_buffer_puts(svg, ") scale(");
    gr_buffer_fixed(svg, scale, DECIMALS);
    gr_buffer_puts(svg, ")\"/>\n");
}

GrStatus gr_run_map_draw(const GrRecordDef *def, const GrTrack *track, GrBuffer svg[2], GrErrorLog *log)
{
    static const char ID[] = "run-map";
    const double most = slip_scale(track);
    const Map wide = make_map(def, track);
    double interval = 0;
    for (int narrow = 0; narrow < 2; narrow++) {
        const Map map = fit_map(wide.box, narrow == 1);
        begin_map(&svg[narrow], &map, ID, "Map of the run");
        if (narrow == 0) {
            interval = draw_ground(&svg[0], def, &map, ID, true);
        } else {
            repeat_ground(&svg[1], &map, &wide, ID);
        }
        draw_path(&svg[narrow], def, &map, track);
        draw_track(&svg[narrow], &map, track, most);
        draw_marks(&svg[narrow], def, &map, track);
        gr_svg_end_group(&svg[narrow]);
        draw_frame(&svg[narrow], &map);
        draw_legend(&svg[narrow], &map, most, interval);
        gr_svg_end(&svg[narrow]);
    }
    return svg[0].failed || svg[1].failed ? gr_out_of_memory(log, NULL) : GR_OK;
}

GrStatus gr_run_map_close_up(const GrRecordDef *def, const GrTrack *track, GrBuffer svg[2], GrErrorLog *log)
{
    static const char ID[] = "close-up";
    const GrVec3 at = track->count > 0 ? track->points[track->count - 1] : (GrVec3){0, 0, 0};
    const GrBox2 box = {at.x - CLOSE_UP_HALF_SIDE, at.y - CLOSE_UP_HALF_SIDE * CLOSE_UP_SHAPE,
                        at.x + CLOSE_UP_HALF_SIDE, at.y + CLOSE_UP_HALF_SIDE * CLOSE_UP_SHAPE};
    const Map wide = fit_map(box, false);
    for (int narrow = 0; narrow < 2; narrow++) {
        const Map map = fit_map(box, narrow == 1);
        begin_map(&svg[narrow], &map, ID, "Ruts at the end of the run");
        if (narrow == 0) {
            draw_ground(&svg[0], def, &map, ID, false);
        } else {
            repeat_ground(&svg[1], &map, &wide, ID);
        }
        gr_svg_end_group(&svg[narrow]);
        draw_frame(&svg[narrow], &map);
        draw_legend(&svg[narrow], &map, 0, 0);
        gr_svg_end(&svg[narrow]);
    }
    return svg[0].failed || svg[1].failed ? gr_out_of_memory(log, NULL) : GR_OK;
}
