#include "rut_picture.h"

#include "alloc.h"
#include "ruts.h"

#include <math.h>

/// Sample spacing in cells above which ruts are painted; fractions by which the shallowest and the deepest ruts darken
/// a pixel, and berms lighten it.
static const double COARSE_SPACING = 3, LEAST_DARKNESS = 0.25, MOST_DARKNESS = 0.6, BERM_LIGHTNESS = 0.1;

bool gr_rut_picture_is_coarse(const GrRuts *ruts, double spacing)
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

void gr_rut_picture_paint(GrPicture *picture, const GrRuts *ruts)
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
