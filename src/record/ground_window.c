#include "ground_window.h"

#include "alloc.h"
#include "base64.h"
#include "out_of_memory.h"
#include "png.h"
#include "ruts.h"
#include "terrain_data.h"
#include "terrain_view.h"

#include <math.h>
#include <string.h>

/// Points that are looked at together.
enum { FEW = 64 };

GrBox2 gr_box_empty(void)
{
    const double inf = (double)INFINITY;
    return (GrBox2){inf, inf, -inf, -inf};
}

void gr_box_include(GrBox2 *box, double x, double y, double margin)
{
    box->x_lower = fmin(box->x_lower, x - margin);
    box->y_lower = fmin(box->y_lower, y - margin);
    box->x_upper = fmax(box->x_upper, x + margin);
    box->y_upper = fmax(box->y_upper, y + margin);
}

bool gr_box_holds(const GrBox2 *box, double x, double y, double margin)
{
    return x - margin >= box->x_lower && x + margin <= box->x_upper && y - margin >= box->y_lower &&
           y + margin <= box->y_upper;
}

static int64_t nodes(double length, double cell)
{
    const int64_t count = (int64_t)(length / cell + 1e-9) + 1;
    return count < 2 ? 2 : count;
}

GrGridFrame gr_window_frame(const GrTerrain *terrain, const GrBox2 *box, double finest, int most)
{
    GrBox2 b = *box;
    if (terrain != NULL) {
        const GrBox2 map = gr_terrain_box(terrain);
        b = (GrBox2){fmax(b.x_lower, map.x_lower), fmax(b.y_lower, map.y_lower), fmin(b.x_upper, map.x_upper),
                     fmin(b.y_upper, map.y_upper)};
        if (!(b.x_upper > b.x_lower && b.y_upper > b.y_lower)) { // off the map: the requested box, all unknown
            b = *box;
        }
    }
    const double width = b.x_upper - b.x_lower, height = b.y_upper - b.y_lower;
    const double cell = fmax(finest, fmax(width, height) / (most - 1));
    return (GrGridFrame){nodes(width, cell), nodes(height, cell), b.x_lower, b.y_lower, cell, cell};
}

/// A view of the terrain that may load tiles; NULL: without a terrain, or where it would read too many cells.
static GrTerrainView *open_view(const GrTerrain *terrain, const GrGridFrame *frame)
{
    const double width = (double)(frame->nx - 1) * frame->dx, height = (double)(frame->ny - 1) * frame->dy;
    return terrain != NULL && gr_terrain_view_cost(terrain, frame->dx, width, height) <= GR_WINDOW_CELLS
               ? gr_terrain_view_open(terrain, frame->dx)
               : NULL;
}

double gr_window_height(const GrTerrain *terrain, const GrRuts *ruts, double x, double y)
{
    double z = 0;
    if (terrain != NULL && gr_terrain_height(terrain, x, y, &z) != GR_GROUND_OK) {
        return (double)NAN;
    }
    return ruts != NULL ? z + gr_ruts_slope(ruts, x, y).z : z;
}

void gr_window_drop(const GrTerrain *terrain, double cell, GrVec3 *points, int count)
{
    GrTerrainView *view = terrain != NULL ? gr_terrain_view_open(terrain, cell) : NULL;
    GrTerrain *near = view != NULL ? gr_terrain_view_terrain(view) : NULL;
    for (int i = 0; i < count; i++) {
        GrVec3 *p = &points[i];
        p->z = gr_window_height(terrain, NULL, p->x, p->y);
        if (isnan(p->z) && near != NULL) {
            GrErrorLog quiet = {.quiet = true};
            gr_terrain_prefetch(near, (GrBox2){p->x, p->y, p->x, p->y}, &quiet);
            gr_terrain_drop(near, 1, p);
        }
    }
    gr_terrain_view_close(view);
}

/// As gr_window_height(), point by point.
static void read_row(const GrTerrain *terrain, const GrRuts *ruts, const GrGridFrame *frame, double y, double *out)
{
    for (int64_t first = 0; first < frame->nx; first += FEW) {
        const int count = frame->nx - first < FEW ? (int)(frame->nx - first) : FEW;
        GrVec3 points[FEW];
        for (int i = 0; i < count; i++) {
            points[i] = (GrVec3){frame->x0 + (double)(first + i) * frame->dx, y, 0};
        }
        if (terrain != NULL) {
            gr_terrain_drop(terrain, count, points); // NAN where there is none
        }
        for (int i = 0; i < count; i++) {
            out[first + i] = points[i].z;
        }
        for (int i = 0; ruts != NULL && i < count; i++) {
            out[first + i] += gr_ruts_slope(ruts, points[i].x, y).z;
        }
    }
}

void gr_window_heights(const GrTerrain *terrain, const GrRuts *ruts, const GrGridFrame *frame, double *out)
{
    GrTerrainView *view = open_view(terrain, frame);
    GrTerrain *near = view != NULL ? gr_terrain_view_terrain(view) : NULL;
    const GrTerrain *seen = near != NULL ? near : terrain;
    for (int64_t j = 0; j < frame->ny; j++) {
        const double y = frame->y0 + (double)j * frame->dy;
        if (near != NULL) { // row by row, so that the tiles in memory are few
            GrErrorLog quiet = {.quiet = true};
            gr_terrain_prefetch(near, (GrBox2){frame->x0, y, frame->x0 + (double)(frame->nx - 1) * frame->dx, y},
                                &quiet); // what cannot be read is unknown
        }
        read_row(seen, ruts, frame, y, out + j * frame->nx);
    }
    gr_terrain_view_close(view);
}

// ---- as a picture

static const double FINEST = 1e-3; // smallest distance between nodes [m]

typedef struct Heights {
    const double *values;
    int64_t nx;
} Heights;

static GrStatus read_heights(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    (void)log;
    const Heights *h = context;
    for (int j = 0; j < window.nj; j++) {
        memcpy(out + (ptrdiff_t)j * window.ni, h->values + (window.j0 + j) * h->nx + window.i0,
               sizeof(double) * (size_t)window.ni);
    }
    return GR_OK;
}

GrGridFrame gr_ground_picture_frame(const GrGroundPicture *ground)
{
    return gr_window_frame(ground->terrain, &ground->box, FINEST, ground->most);
}

void gr_ground_picture_heights(const GrGroundPicture *ground, const GrGridFrame *frame, double *out)
{
    gr_window_heights(ground->terrain, ground->ruts, frame, out);
}

GrStatus gr_ground_picture_render(const GrGroundPicture *ground, GrPicture *out, GrErrorLog *log)
{
    const GrGridFrame frame = gr_ground_picture_frame(ground);
    double *values = gr_malloc(sizeof *values * (size_t)(frame.nx * frame.ny));
    if (values == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    gr_window_heights(ground->terrain, ground->ruts, &frame, values);
    Heights heights = {values, frame.nx};
    const GrStatus status =
        gr_hillshade_render(&frame, (GrSource){.read = read_heights, .context = &heights}, ground->most, out, log);
    gr_free(values);
    return status;
}

GrStatus gr_svg_picture(GrBuffer *svg, const GrPicture *picture, GrSvgFrame frame)
{
    GrBuffer png = {0};
    const GrStatus status = gr_png_put(&png, picture->pixels, picture->width, picture->height);
    if (status == GR_OK) {
        const char *const names[] = {"x", "y", "width", "height"};
        const double values[] = {frame.at.x, frame.at.y, frame.width, frame.height};
        gr_buffer_puts(svg, "<image");
        for (int i = 0; i < 4; i++) {
            gr_buffer_printf(svg, " %s=\"", names[i]);
            gr_buffer_fixed(svg, values[i], 1);
            gr_buffer_puts(svg, "\"");
        }
        gr_buffer_puts(svg, " preserveAspectRatio=\"none\" href=\"data:image/png;base64,");
        gr_base64_put(svg, png.data, png.size);
        gr_buffer_puts(svg, "\"/>\n");
    }
    gr_buffer_free(&png);
    return status;
}
