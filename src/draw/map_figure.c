#include "map_figure.h"

#include "alloc.h"
#include "lettering.h"
#include "number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Lengths in pixels of a figure whose letters have the size TEXT; larger pictures have larger ones.
enum { TEXT = 18, USUAL = 900 /* pixels of a picture */, LENGTHS = 13, TITLE_SIZE = 160 };

typedef struct Sizes {
    double text; ///< size of letters
    int above;   ///< height of capitals
    int height;  ///< from the top of capitals to the lowest of letters
    int space;   ///< least between two labels
    int margin, gap, tick, line;
    int column_gap; ///< between picture and legend
    int swatch;     ///< width of the legend's colours
    int arrow;      ///< height of the arrow tips of the legend
    int bar_least, bar_most;
    int row; ///< of a class in the legend
} Sizes;

static Sizes make_sizes(const GrPicture *p)
{
    enum { LARGEST = 8 }; // times the usual size
    const double scale = fmin(LARGEST, fmax(1, fmax(p->width, p->height) / (double)USUAL)), text = TEXT * scale;
    const int above = (int)ceil(GR_LETTERING_CAPITAL * text), height = above + (int)ceil(GR_LETTERING_BELOW * text);
    const int one = (int)lround(scale);
    return (Sizes){.text = text,
                   .above = above,
                   .height = height,
                   .space = 12 * one,
                   .margin = 16 * one,
                   .gap = 8 * one,
                   .tick = 6 * one,
                   .line = 2 * one,
                   .column_gap = 28 * one,
                   .swatch = 26 * one,
                   .arrow = 13 * one,
                   .bar_least = 160 * one,
                   .bar_most = 420 * one,
                   .row = height + 12 * one};
}

typedef unsigned char Color[3];

static const Color INK = {34, 34, 34}, PAPER = {255, 255, 255};

static int text_width(const Sizes *z, const char *text)
{
    return (int)ceil(gr_lettering_width(text, z->text));
}

static void fill(GrMapFigure *f, int x, int y, int width, int height, const Color color)
{
    for (int row = y < 0 ? 0 : y; row < y + height && row < f->height; row++) {
        for (int column = x < 0 ? 0 : x; column < x + width && column < f->width; column++) {
            memcpy(f->pixels + 3 * ((size_t)row * (size_t)f->width + (size_t)column), color, 3);
        }
    }
}

/// Text from its upper left corner; `upward`: from its lower left corner, rotated by 90 deg to read upwards.
static void write_text(GrMapFigure *f, const Sizes *z, int x, int y, const char *text, bool upward)
{
    const GrPixels pixels = {f->pixels, f->width, f->height};
    gr_lettering_draw(pixels, upward ? x + z->above : x, upward ? y : y + z->above, z->text, upward, text, INK);
}

/// Origin of an axis: a round number below the map where labels would otherwise have six digits or more.
static double choose_origin(double lower, double upper)
{
    enum { LONGEST = 100000 };
    if (fmax(fabs(lower), fabs(upper)) < LONGEST) {
        return 0;
    }
    const double round = pow(10, ceil(log10(upper - lower)));
    return floor(lower / round) * round;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

static int clamp(int value, int lower, int upper)
{
    return value < lower ? lower : value > upper ? upper : value;
}

static int widest_label(const Sizes *z, const GrAxis *axis)
{
    int widest = 0;
    for (int k = 0; k < axis->tick_count; k++) {
        char label[GR_NUMBER_SIZE];
        gr_axis_label(axis, axis->ticks[k], label);
        widest = most(widest, text_width(z, label));
    }
    return widest;
}

static void name_axis(const char *direction, double origin, char out[TITLE_SIZE])
{
    if (origin == 0) {
        snprintf(out, TITLE_SIZE, "%s [m]", direction);
    } else {
        gr_print(out, TITLE_SIZE, "%s [m] from %.0f", direction, origin);
    }
}

static bool has_height_legend(const GrPicture *p, const GrMapCaption *caption)
{
    return caption->classes == NULL && p->z_high > p->z_low;
}

static int legend_bar_height(const Sizes *z, const GrPicture *p)
{
    return clamp(p->height - z->height - z->gap, z->bar_least, z->bar_most);
}

/// The rows of swatches: the classes, or the single height of flat ground, and voids.
static int make_rows(const GrPicture *p, const GrMapCaption *caption, GrMapClass out[2], char flat[GR_NUMBER_SIZE])
{
    int count = 0;
    if (caption->classes == NULL && !has_height_legend(p, caption) && p->z_high == p->z_low) {
        gr_number_round(p->z_low, 6, flat);
        out[count].name = flat;
        gr_hillshade_color(p, p->z_low, out[count++].color);
    }
    if (p->has_voids) {
        out[count].name = "no data";
        memcpy(out[count++].color, GR_VOID_COLOR, 3);
    }
    return count;
}

typedef struct Layout {
    Sizes sizes;
    char title[TITLE_SIZE], east[TITLE_SIZE], north[TITLE_SIZE], bar[GR_NUMBER_SIZE + 4], flat[GR_NUMBER_SIZE];
    GrMapClass own[2];
    const GrMapClass *rows; ///< swatches with names
    int row_count;
    int legend_left, legend_height;
} Layout;

static void write_captions(const GrPicture *p, const GrMapCaption *caption, GrMapFigure *f, Layout *l)
{
    char width[GR_NUMBER_SIZE], height[GR_NUMBER_SIZE], length[GR_NUMBER_SIZE];
    const double across = p->box.x_upper - p->box.x_lower, up = p->box.y_upper - p->box.y_lower;
    gr_number_round(across, 4, width);
    gr_number_round(up, 4, height);
    snprintf(l->title, sizeof l->title, "%.64s, %s m x %s m", caption->title, width, height);
    name_axis("east", f->east, l->east);
    name_axis("north", f->north, l->north);
    f->bar_length = gr_axis_round_length(across / 4);
    f->bar_pixels = (int)lround(f->bar_length / across * p->width);
    gr_number_round(f->bar_length, 4, length);
    snprintf(l->bar, sizeof l->bar, "%s m", length);
}

static void lay_out(const GrPicture *p, const GrMapCaption *caption, GrMapFigure *f, Layout *l)
{
    l->sizes = make_sizes(p);
    const Sizes *z = &l->sizes;
    const int text = (int)z->text;
    const GrBox2 b = p->box;
    f->east = choose_origin(b.x_lower, b.x_upper);
    f->north = choose_origin(b.y_lower, b.y_upper);
    f->x = gr_axis_make(b.x_lower - f->east, b.x_upper - f->east, clamp(p->width / (6 * text), 2, 12), false);
    f->y = gr_axis_make(b.y_lower - f->north, b.y_upper - f->north, clamp(p->height / (4 * text), 2, 12), false);
    write_captions(p, caption, f, l);
    l->rows = caption->classes != NULL ? caption->classes : l->own;
    l->row_count = caption->classes != NULL ? caption->class_count : make_rows(p, caption, l->own, l->flat);
    int names = 0;
    for (int k = 0; k < l->row_count; k++) {
        names = most(names, text_width(z, l->rows[k].name));
    }
    l->legend_height = z->height + z->gap + z->row * l->row_count;
    if (has_height_legend(p, caption)) {
        const int height = legend_bar_height(z, p);
        f->z = gr_axis_make(p->z_low, p->z_high, clamp(height / (2 * text), 4, 12), false);
        names = most(names, z->tick + widest_label(z, &f->z));
        l->legend_height += height + z->gap;
    }
    f->left = z->margin + z->height + z->gap + widest_label(z, &f->y) + z->tick + z->line + z->gap;
    f->top = z->margin + z->height + z->gap + z->above / 2;
    // For a tiny map the texts beside it determine the space.
    const int across = most(p->width, most(text_width(z, l->east), f->bar_pixels + z->gap + text_width(z, l->bar)));
    l->legend_left = f->left + across + z->column_gap;
    const int right = l->legend_left + most(text_width(z, caption->legend), z->swatch + z->gap + names);
    const int bottom = f->top + p->height + z->line + z->tick + z->gap + 2 * (z->height + z->gap) + z->height;
    f->width = z->margin + most(right, z->margin + text_width(z, l->title));
    f->height = z->margin + most(bottom, f->top + most(l->legend_height, text_width(z, l->north)));
}

static void draw_east_axis(GrMapFigure *f, const GrPicture *p, const Layout *l)
{
    const Sizes *z = &l->sizes;
    const int bottom = f->top + p->height + z->line;
    int free_from = 0;
    for (int k = 0; k < f->x.tick_count; k++) {
        char label[GR_NUMBER_SIZE];
        const double share = (f->x.ticks[k] - f->x.lower) / (f->x.upper - f->x.lower);
        gr_axis_label(&f->x, f->x.ticks[k], label);
        const int x = f->left + (int)lround(share * p->width), width = text_width(z, label);
        fill(f, x - z->line / 2, bottom, z->line, z->tick, INK);
        if (x - width / 2 >= free_from) { // a small map has no room for all labels
            write_text(f, z, x - width / 2, bottom + z->tick + z->gap / 2, label, false);
            free_from = x + width / 2 + z->space;
        }
    }
    const int x = f->left + (p->width - text_width(z, l->east)) / 2;
    write_text(f, z, most(x, f->left), bottom + z->tick + z->gap + z->height, l->east, false);
}

static void draw_north_axis(GrMapFigure *f, const GrPicture *p, const Layout *l)
{
    const Sizes *z = &l->sizes;
    int free_below = f->height;
    for (int k = 0; k < f->y.tick_count; k++) {
        char label[GR_NUMBER_SIZE];
        const double share = (f->y.ticks[k] - f->y.lower) / (f->y.upper - f->y.lower);
        const int y = f->top + p->height - (int)lround(share * p->height), right = f->left - z->line - z->tick;
        gr_axis_label(&f->y, f->y.ticks[k], label);
        fill(f, right, y - z->line / 2, z->tick, z->line, INK);
        if (y + z->above / 2 <= free_below) {
            write_text(f, z, right - z->gap / 2 - text_width(z, label), y - z->above / 2, label, false);
            free_below = y - z->above / 2 - z->gap;
        }
    }
    const int length = text_width(z, l->north), from = f->top + (p->height + length) / 2;
    write_text(f, z, z->margin, most(from, f->top + length), l->north, true);
}

static void draw_scale_bar(GrMapFigure *f, const GrPicture *p, const Layout *l)
{
    const Sizes *z = &l->sizes;
    const int thick = 2 * z->line;
    f->bar_left = f->left;
    f->bar_row = f->top + p->height + z->line + z->tick + 2 * (z->gap + z->height) + z->gap + z->above / 2;
    fill(f, f->bar_left, f->bar_row - thick / 2, f->bar_pixels, thick, INK);
    fill(f, f->bar_left, f->bar_row - z->tick, z->line, 2 * z->tick, INK);
    fill(f, f->bar_left + f->bar_pixels - z->line, f->bar_row - z->tick, z->line, 2 * z->tick, INK);
    write_text(f, z, f->bar_left + f->bar_pixels + z->gap, f->bar_row - z->above / 2, l->bar, false);
}

/// Draws the colour bar of heights; an arrow tip at either end stands for values beyond it.
static int draw_height_bar(GrMapFigure *f, const GrPicture *p, const Sizes *z, int x, int top)
{
    const int height = legend_bar_height(z, p), first = top + z->arrow, inner = height - 2 * z->arrow;
    for (int row = 0; row < height; row++) {
        const double up = (first + inner - 0.5 - (top + row)) / inner;
        const int beyond = row < z->arrow ? z->arrow - row : row >= z->arrow + inner ? row - z->arrow - inner + 1 : 0;
        Color color;
        gr_hillshade_color(p, p->z_low + up * (p->z_high - p->z_low), color);
        fill(f, x + beyond - (beyond > 0), top + row, z->swatch - 2 * (beyond - (beyond > 0)), 1, color);
    }
    for (int k = 0; k < f->z.tick_count; k++) {
        char label[GR_NUMBER_SIZE];
        const double share = (f->z.ticks[k] - f->z.lower) / (f->z.upper - f->z.lower);
        const int y = first + inner - (int)lround(share * inner);
        gr_axis_label(&f->z, f->z.ticks[k], label);
        fill(f, x + z->swatch, y - z->line / 2, z->tick, z->line, INK);
        write_text(f, z, x + z->swatch + z->tick + z->gap, y - z->above / 2, label, false);
    }
    return top + height + z->gap;
}

static void draw_legend(GrMapFigure *f, const GrPicture *p, const GrMapCaption *caption, const Layout *l)
{
    const Sizes *z = &l->sizes;
    int y = f->top;
    write_text(f, z, l->legend_left, y, caption->legend, false);
    y += z->height + z->gap;
    if (has_height_legend(p, caption)) {
        y = draw_height_bar(f, p, z, l->legend_left, y);
    }
    for (int k = 0; k < l->row_count; k++, y += z->row) {
        fill(f, l->legend_left, y, z->swatch, z->height, l->rows[k].color);
        write_text(f, z, l->legend_left + z->swatch + z->gap, y + (z->height - z->above) / 2, l->rows[k].name, false);
    }
}

GrStatus gr_map_figure_make(const GrPicture *p, const GrMapCaption *caption, GrMapFigure *out)
{
    Layout layout = {0};
    *out = (GrMapFigure){0};
    lay_out(p, caption, out, &layout);
    const Sizes *z = &layout.sizes;
    out->pixels = gr_malloc(3 * (size_t)out->width * (size_t)out->height);
    if (out->pixels == NULL) {
        return GR_ERROR_MEMORY;
    }
    fill(out, 0, 0, out->width, out->height, PAPER);
    fill(out, out->left - z->line, out->top - z->line, p->width + 2 * z->line, p->height + 2 * z->line, INK);
    const size_t line = 3 * (size_t)p->width;
    for (int row = 0; row < p->height; row++) {
        memcpy(out->pixels + 3 * ((size_t)(out->top + row) * (size_t)out->width + (size_t)out->left),
               p->pixels + line * (size_t)row, line);
    }
    write_text(out, z, z->margin, z->margin, layout.title, false);
    draw_east_axis(out, p, &layout);
    draw_north_axis(out, p, &layout);
    draw_scale_bar(out, p, &layout);
    draw_legend(out, p, caption, &layout);
    return GR_OK;
}

GrStatus gr_map_figure_write(const char *path, const GrPicture *p, const GrMapCaption *caption, GrErrorLog *log)
{
    if (caption == NULL) {
        return gr_picture_write(path, p->pixels, p->width, p->height, log);
    }
    GrMapFigure figure;
    GrStatus status = gr_map_figure_make(p, caption, &figure);
    if (status == GR_OK) {
        status = gr_picture_write(path, figure.pixels, figure.width, figure.height, log);
    }
    gr_free(figure.pixels);
    return status;
}
