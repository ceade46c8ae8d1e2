#include "ground_picture.h"

#include "base64.h"
#include "ground_window.h"
#include "png.h"

static const double FINEST = 1e-3; // smallest distance between nodes [m]

typedef struct Heights {
    const GrGroundPicture *ground;
    GrGridFrame frame;
} Heights;

static GrStatus read_heights(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    (void)log;
    const Heights *h = context;
    for (int j = 0; j < window.nj; j++) {
        for (int i = 0; i < window.ni; i++) {
            const double x = h->frame.x0 + (double)(window.i0 + i) * h->frame.dx;
            const double y = h->frame.y0 + (double)(window.j0 + j) * h->frame.dy;
            out[j * window.ni + i] = gr_window_height(h->ground->terrain, h->ground->ruts, x, y);
        }
    }
    return GR_OK;
}

GrGridFrame gr_ground_picture_frame(const GrGroundPicture *ground)
{
    return gr_window_frame(ground->terrain, &ground->box, FINEST, ground->most);
}

void gr_ground_picture_heights(const GrGroundPicture *ground, const GrGridFrame *frame, double *out)
{
    Heights heights = {ground, *frame};
    read_heights(&heights, (GrGridWindow){0, 0, (int)frame->nx, (int)frame->ny}, out, NULL);
}

GrStatus gr_ground_picture_render(const GrGroundPicture *ground, GrPicture *out, GrErrorLog *log)
{
    Heights heights = {ground, gr_ground_picture_frame(ground)};
    return gr_hillshade_render(&heights.frame, (GrSource){.read = read_heights, .context = &heights}, ground->most, out,
                               log);
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
