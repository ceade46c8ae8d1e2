#include "map_figure.h"

#include "alloc.h"
#include "number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- letters

enum { FIRST = 32, LAST = 126, A_ROW = 16, LETTER_ADVANCE = GR_GLYPH_WIDTH + 1 };

/// Blocks of sixteen characters in ASCII order from the space on, six columns each. The very last one stands for
/// characters that the font lacks.
/// clang-format off
static const char GLYPHS[6][GR_GLYPH_HEIGHT][A_ROW * LETTER_ADVANCE] = {
    {
        "        #    # #   # #    #   ##  #  ##     #      #   #                                      #",
        "        #    # #   # #   #### ##  # #  #    #     #     #   # # #   #                         #",
        "        #         ##### # #      #  # #          #       #   ###    #                        # ",
        "        #          # #   ###    #    #           #       #  ##### #####        ###          #  ",
        "        #         #####   # #  #    # # #        #       #   ###    #                      #   ",
        "                   # #  ####  #  ## #  #          #     #   # # #   #     ##         ##   #    ",
        "        #          # #    #   #  ##  ## #          #   #                  ##         ##   #    ",
        "                                                                          #                    ",
        "                                                                         #                     ",
    },
    {
        "  #     #    ###   ###     #  #####   ##  #####  ###   ###                 #         #     ### ",
        " # #   ##   #   # #   #   ##  #      #        # #   # #   #               #           #   #   #",
        "#   # # #       #     #  # #  ####  #        #  #   # #   #  ##     ##   #    #####    #      #",
        "#   #   #      #    ##  #  #      # ####     #   ###   ####  ##     ##  #               #    # ",
        "#   #   #     #       # #####     # #   #   #   #   #     #              #    #####    #    #  ",
        " # #    #    #    #   #    #  #   # #   #   #   #   #    #   ##     ##    #           #        ",
        "  #   ##### #####  ###     #   ###   ###    #    ###   ##    ##     ##     #         #      #  ",
        "                                                                    #                          ",
        "                                                                   #                           ",
    },
    {
        " ###    #   ####   ###  ####  ##### #####  ###  #   #  ###    ### #   # #     #   # #   #  ### ",
        "#   #  # #  #   # #   # #   # #     #     #   # #   #   #      #  #  #  #     ## ## ##  # #   #",
        "# ### #   # #   # #     #   # #     #     #     #   #   #      #  # #   #     # # # ##  # #   #",
        "# # # #   # ####  #     #   # ####  ####  # ### #####   #      #  ##    #     # # # # # # #   #",
        "# ##  ##### #   # #     #   # #     #     #   # #   #   #      #  # #   #     #   # #  ## #   #",
        "#     #   # #   # #   # #   # #     #     #   # #   #   #   #  #  #  #  #     #   # #  ## #   #",
        " ###  #   # ####   ###  ####  ##### #      ###  #   #  ###   ##   #   # ##### #   # #   #  ### ",
        "                                                                                               ",
        "                                                                                               ",
    },
    {
        "####   ###  ####   ###  ##### #   # #   # #   # #   # #   # #####  ###  #      ###    #        ",
        "#   # #   # #   # #   #   #   #   # #   # #   # #   # #   #     #  #    #        #   # #       ",
        "#   # #   # #   # #       #   #   # #   # #   #  # #   # #     #   #     #       #  #   #      ",
        "####  #   # ####   ###    #   #   # #   # # # #   #     #     #    #      #      #             ",
        "#     # # # # #       #   #   #   #  # #  # # #  # #    #    #     #       #     #             ",
        "#     #  #  #  #  #   #   #   #   #  # #  ## ## #   #   #   #      #        #    #             ",
        "#      ## # #   #  ###    #    ###    #   #   # #   #   #   #####  #        #    #             ",
        "                                                                   ###         ###        #####",
        "                                                                                               ",
    },
    {
        " #          #               #         ##        #       #      #  #      ##                    ",
        "  #         #               #        #          #                 #       #                    ",
        "       ###  ####   ###   ####  ###  ####   #### ####   ##     ##  #  #    #   ## #  ####   ### ",
        "          # #   # #     #   # #   #  #    #   # #   #   #      #  # #     #   # # # #   # #   #",
        "       #### #   # #     #   # #####  #    #   # #   #   #      #  ##      #   # # # #   # #   #",
        "      #   # #   # #     #   # #      #    #   # #   #   #      #  # #     #   # # # #   # #   #",
        "       #### ####   ###   ####  ###   #     #### #   #  ###     #  #  #   ###  # # # #   #  ### ",
        "                                              #                #                               ",
        "                                           ###               ##                                ",
    },
    {
        "                         #                                           #    #    #          #####",
        "                         #                                          #     #     #         #   #",
        "####   #### # ##   #### ####  #   # #   # #   # #   # #   # #####   #     #     #    #    #   #",
        "#   # #   # ##    #      #    #   # #   # #   #  # #  #   #    #   #      #      #  # # # #   #",
        "#   # #   # #      ###   #    #   # #   # # # #   #   #   #   #     #     #     #      #  #   #",
        "#   # #   # #         #  #    #   #  # #  # # #  # #  #   #  #      #     #     #         #   #",
        "####   #### #     ####    ##   ####   #    # #  #   #  #### #####    #    #    #          #####",
        "#         #                                               #                                    ",
        "#         #                                            ###                                     ",
    },
};
// clang-format on

bool gr_glyph_bit(int character, int column, int row)
{
    if (column < 0 || column >= GR_GLYPH_WIDTH || row < 0 || row >= GR_GLYPH_HEIGHT) {
        return false;
    }
    const int k = (character >= FIRST && character <= LAST ? character : LAST + 1) - FIRST;
    return GLYPHS[k / A_ROW][row][k % A_ROW * LETTER_ADVANCE + column] == '#';
}

// ---- the figure

/// Lengths in pixels. Text is drawn at twice the size of the font.
enum {
    TEXT_SCALE = 2,
    ADVANCE = TEXT_SCALE * (GR_GLYPH_WIDTH + 1),
    TEXT_ABOVE = TEXT_SCALE * GR_GLYPH_ABOVE,
    TEXT_HEIGHT = TEXT_SCALE * GR_GLYPH_HEIGHT,
    MARGIN = 16,
    GAP = 8,
    TICK = 6,
    LINE = 2,
    COLUMN_GAP = 28, ///< between picture and legend
    SWATCH = 26,     ///< width of the legend's colours
    ARROW = 13,      ///< height of the arrow tips of the legend
    BAR_LEAST = 160,
    BAR_MOST = 420,
    ROW = TEXT_HEIGHT + 12, ///< of a class in the legend
    TITLE_SIZE = 160
};

typedef unsigned char Color[3];

static const Color INK = {34, 34, 34}, PAPER = {255, 255, 255};

/// One character for each drawn glyph: the minus sign of axis labels becomes a hyphen, any other character beyond ASCII
/// a box.
static int next_character(const char **text)
{
    static const char MINUS[] = "\xe2\x88\x92";
    const unsigned char lead = (unsigned char)**text;
    if (lead < 0x80) {
        ++*text;
        return lead;
    }
    const bool minus = strncmp(*text, MINUS, sizeof MINUS - 1) == 0;
    do {
        ++*text;
    } while (((unsigned char)**text & 0xC0) == 0x80);
    return minus ? '-' : lead;
}

static int text_width(const char *text)
{
    int count = 0;
    while (*text != '\0') {
        next_character(&text);
        count++;
    }
    return count > 0 ? count * ADVANCE - TEXT_SCALE : 0;
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
static void write_text(GrMapFigure *f, int x, int y, const char *text, bool upward)
{
    for (int at = 0; *text != '\0'; at += ADVANCE) {
        const int character = next_character(&text);
        for (int row = 0; row < GR_GLYPH_HEIGHT; row++) {
            for (int column = 0; column < GR_GLYPH_WIDTH; column++) {
                if (gr_glyph_bit(character, column, row)) {
                    const int along = at + column * TEXT_SCALE, down = row * TEXT_SCALE;
                    fill(f, upward ? x + down : x + along, upward ? y - along - TEXT_SCALE : y + down, TEXT_SCALE,
                         TEXT_SCALE, INK);
                }
            }
        }
    }
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

static int widest_label(const GrAxis *axis)
{
    int widest = 0;
    for (int k = 0; k < axis->tick_count; k++) {
        char label[GR_NUMBER_SIZE];
        gr_axis_label(axis, axis->ticks[k], label);
        widest = most(widest, text_width(label));
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

static int legend_bar_height(const GrPicture *p)
{
    return clamp(p->height - TEXT_HEIGHT - GAP, BAR_LEAST, BAR_MOST);
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
    const GrBox2 b = p->box;
    f->east = choose_origin(b.x_lower, b.x_upper);
    f->north = choose_origin(b.y_lower, b.y_upper);
    f->x = gr_axis_make(b.x_lower - f->east, b.x_upper - f->east, clamp(p->width / 110, 2, 12), false);
    f->y = gr_axis_make(b.y_lower - f->north, b.y_upper - f->north, clamp(p->height / 80, 2, 12), false);
    write_captions(p, caption, f, l);
    l->rows = caption->classes != NULL ? caption->classes : l->own;
    l->row_count = caption->classes != NULL ? caption->class_count : make_rows(p, caption, l->own, l->flat);
    int names = 0;
    for (int k = 0; k < l->row_count; k++) {
        names = most(names, text_width(l->rows[k].name));
    }
    l->legend_height = TEXT_HEIGHT + GAP + ROW * l->row_count;
    if (has_height_legend(p, caption)) {
        const int height = legend_bar_height(p);
        f->z = gr_axis_make(p->z_low, p->z_high, clamp(height / 40, 4, 12), false);
        names = most(names, TICK + widest_label(&f->z));
        l->legend_height += height + GAP;
    }
    f->left = MARGIN + TEXT_HEIGHT + GAP + widest_label(&f->y) + TICK + LINE + GAP;
    f->top = MARGIN + TEXT_HEIGHT + GAP + TEXT_ABOVE / 2;
    // For a tiny map the texts beside it determine the space.
    const int across = most(p->width, most(text_width(l->east), f->bar_pixels + GAP + text_width(l->bar)));
    l->legend_left = f->left + across + COLUMN_GAP;
    const int right = l->legend_left + most(text_width(caption->legend), SWATCH + GAP + names);
    const int bottom = f->top + p->height + LINE + TICK + GAP + 2 * (TEXT_HEIGHT + GAP) + TEXT_HEIGHT;
    f->width = MARGIN + most(right, MARGIN + text_width(l->title));
    f->height = MARGIN + most(bottom, f->top + most(l->legend_height, text_width(l->north)));
}

static void draw_east_axis(GrMapFigure *f, const GrPicture *p, const Layout *l)
{
    const int bottom = f->top + p->height + LINE;
    int free_from = 0;
    for (int k = 0; k < f->x.tick_count; k++) {
        char label[GR_NUMBER_SIZE];
        const double share = (f->x.ticks[k] - f->x.lower) / (f->x.upper - f->x.lower);
        gr_axis_label(&f->x, f->x.ticks[k], label);
        const int x = f->left + (int)lround(share * p->width), width = text_width(label);
        fill(f, x - LINE / 2, bottom, LINE, TICK, INK);
        if (x - width / 2 >= free_from) { // a small map has no room for all labels
            write_text(f, x - width / 2, bottom + TICK + GAP / 2, label, false);
            free_from = x + width / 2 + ADVANCE;
        }
    }
    const int x = f->left + (p->width - text_width(l->east)) / 2;
    write_text(f, most(x, f->left), bottom + TICK + GAP + TEXT_HEIGHT, l->east, false);
}

static void draw_north_axis(GrMapFigure *f, const GrPicture *p, const Layout *l)
{
    int free_below = f->height;
    for (int k = 0; k < f->y.tick_count; k++) {
        char label[GR_NUMBER_SIZE];
        const double share = (f->y.ticks[k] - f->y.lower) / (f->y.upper - f->y.lower);
        const int y = f->top + p->height - (int)lround(share * p->height), right = f->left - LINE - TICK;
        gr_axis_label(&f->y, f->y.ticks[k], label);
        fill(f, right, y - LINE / 2, TICK, LINE, INK);
        if (y + TEXT_ABOVE / 2 <= free_below) {
            write_text(f, right - GAP / 2 - text_width(label), y - TEXT_ABOVE / 2, label, false);
            free_below = y - TEXT_ABOVE / 2 - GAP;
        }
    }
    const int length = text_width(l->north), from = f->top + (p->height + length) / 2;
    write_text(f, MARGIN, most(from, f->top + length), l->north, true);
}

static void draw_scale_bar(GrMapFigure *f, const GrPicture *p, const Layout *l)
{
    enum { THICK = 4 };
    f->bar_left = f->left;
    f->bar_row = f->top + p->height + LINE + TICK + 2 * (GAP + TEXT_HEIGHT) + GAP + TEXT_ABOVE / 2;
    fill(f, f->bar_left, f->bar_row - THICK / 2, f->bar_pixels, THICK, INK);
    fill(f, f->bar_left, f->bar_row - TICK, LINE, 2 * TICK, INK);
    fill(f, f->bar_left + f->bar_pixels - LINE, f->bar_row - TICK, LINE, 2 * TICK, INK);
    write_text(f, f->bar_left + f->bar_pixels + GAP, f->bar_row - TEXT_ABOVE / 2, l->bar, false);
}

/// Draws the colour bar of heights; an arrow tip at either end stands for values beyond it.
static int draw_height_bar(GrMapFigure *f, const GrPicture *p, int x, int top)
{
    const int height = legend_bar_height(p), first = top + ARROW, inner = height - 2 * ARROW;
    for (int row = 0; row < height; row++) {
        const double up = (first + inner - 0.5 - (top + row)) / inner;
        const int beyond = row < ARROW ? ARROW - row : row >= ARROW + inner ? row - ARROW - inner + 1 : 0;
        Color color;
        gr_hillshade_color(p, p->z_low + up * (p->z_high - p->z_low), color);
        fill(f, x + beyond - (beyond > 0), top + row, SWATCH - 2 * (beyond - (beyond > 0)), 1, color);
    }
    for (int k = 0; k < f->z.tick_count; k++) {
        char label[GR_NUMBER_SIZE];
        const double share = (f->z.ticks[k] - f->z.lower) / (f->z.upper - f->z.lower);
        const int y = first + inner - (int)lround(share * inner);
        gr_axis_label(&f->z, f->z.ticks[k], label);
        fill(f, x + SWATCH, y - LINE / 2, TICK, LINE, INK);
        write_text(f, x + SWATCH + TICK + GAP, y - TEXT_ABOVE / 2, label, false);
    }
    return top + height + GAP;
}

static void draw_legend(GrMapFigure *f, const GrPicture *p, const GrMapCaption *caption, const Layout *l)
{
    int y = f->top;
    write_text(f, l->legend_left, y, caption->legend, false);
    y += TEXT_HEIGHT + GAP;
    if (has_height_legend(p, caption)) {
        y = draw_height_bar(f, p, l->legend_left, y);
    }
    for (int k = 0; k < l->row_count; k++, y += ROW) {
        fill(f, l->legend_left, y, SWATCH, TEXT_HEIGHT, l->rows[k].color);
        write_text(f, l->legend_left + SWATCH + GAP, y + (TEXT_HEIGHT - TEXT_ABOVE) / 2, l->rows[k].name, false);
    }
}

GrStatus gr_map_figure_make(const GrPicture *p, const GrMapCaption *caption, GrMapFigure *out)
{
    Layout layout = {0};
    *out = (GrMapFigure){0};
    lay_out(p, caption, out, &layout);
    out->pixels = gr_malloc(3 * (size_t)out->width * (size_t)out->height);
    if (out->pixels == NULL) {
        return GR_ERROR_MEMORY;
    }
    fill(out, 0, 0, out->width, out->height, PAPER);
    fill(out, out->left - LINE, out->top - LINE, p->width + 2 * LINE, p->height + 2 * LINE, INK);
    const size_t line = 3 * (size_t)p->width;
    for (int row = 0; row < p->height; row++) {
        memcpy(out->pixels + 3 * ((size_t)(out->top + row) * (size_t)out->width + (size_t)out->left),
               p->pixels + line * (size_t)row, line);
    }
    write_text(out, MARGIN, MARGIN, layout.title, false);
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
