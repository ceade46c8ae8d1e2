#include "ground_picture.h"

#include "alloc.h"
#include "base64.h"
#include "ground_window.h"
#include "out_of_memory.h"
#include "png.h"

#include <string.h>

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
