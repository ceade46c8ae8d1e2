#include "terrain_command.h"

#include "alloc.h"
#include "map_figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- options that the subcommands share: how a raster is read, which window, which picture

GrRasterArguments gr_default_raster_arguments(void)
{
    return (GrRasterArguments){.height_scale = NAN, .height_offset = NAN, .nodata = NAN, .band = 1};
}

void gr_raster_options_add(GrOption *options, GrRasterArguments *a)
{
    const GrOption list[GR_RASTER_OPTION_COUNT] = {
        {.name = "window",
         .value = "KIND:A,B,C,D",
         .text = &a->window,
         .help =
             "part of the map: px:COLUMN,ROW,COLUMNS,ROWS, map:WEST,SOUTH,EAST,NORTH or lonlat:WEST,SOUTH,EAST,NORTH"},
        {.name = "cell", .value = "METRES", .number = &a->cell, .help = "pixel size, if the file has no georeference"},
        {.name = "height-scale", .value = "S", .number = &a->height_scale, .help = "height = S * value + offset"},
        {.name = "height-offset", .value = "METRES", .number = &a->height_offset, .help = "offset of the heights"},
        {.name = "nodata", .value = "VALUE", .number = &a->nodata, .help = "stored value that means: no data"},
        {.name = "band", .value = "N", .number = &a->band, .help = "band of the file, from 1 (default 1)"},
        {.name = "coarsest",
         .value = "METRES",
         .number = &a->coarsest,
         .help = "largest cell size that is fine enough: read an overview of the file"},
        {.name = "subtract-radius",
         .flag = &a->subtract_radius,
         .help = "heights are distances from the body's centre"},
        {.name = "layout",
         .value = "matrix|xyz",
         .text = &a->layout,
         .help = "layout of a text file, if it is ambiguous"},
    };
    memcpy(options, list, sizeof list);
}

bool gr_numbers_read(const char *text, double *out, int count)
{
    for (int k = 0; k < count; k++) {
        char word[64];
        const size_t length = strcspn(text, ",");
        if (length == 0 || length >= sizeof word || (text[length] == ',') != (k + 1 < count)) {
            return false;
        }
        memcpy(word, text, length);
        word[length] = '\0';
        if (!gr_options_number(word, &out[k])) {
            return false;
        }
        text += length + 1;
    }
    return true;
}

static GrStatus read_window(const char *text, GrWindow *out, GrErrorLog *log)
{
    static const struct {
        const char *name;
        GrWindowKind kind;
    } KINDS[] = {{"px:", GR_WINDOW_PIXEL}, {"map:", GR_WINDOW_MAP}, {"lonlat:", GR_WINDOW_LONLAT}};
    for (int k = 0; k < 3; k++) {
        const size_t length = strlen(KINDS[k].name);
        if (strncmp(text, KINDS[k].name, length) == 0 && gr_numbers_read(text + length, out->v, 4)) {
            out->kind = KINDS[k].kind;
            const bool ordered = out->v[0] < out->v[2] && out->v[1] < out->v[3];
            if (out->kind != GR_WINDOW_PIXEL && !ordered) {
                return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--window"},
                                    "'%s': west must be below east and south below north", text);
            }
            return GR_OK;
        }
    }
    return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--window"},
                        "found '%s', allowed: px:COLUMN,ROW,COLUMNS,ROWS, map:WEST,SOUTH,EAST,NORTH or "
                        "lonlat:WEST,SOUTH,EAST,NORTH",
                        text);
}

GrStatus gr_raster_options_read(const GrRasterArguments *a, GrRasterOptions *out, GrErrorLog *log)
{
    *out = gr_default_raster_options();
    out->cell = a->cell;
    out->height_scale = a->height_scale;
    out->height_offset = a->height_offset;
    out->nodata = a->nodata;
    out->band = (int)a->band;
    out->subtract_radius = a->subtract_radius;
    out->coarsest = a->coarsest;
    if (!(a->coarsest >= 0)) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--coarsest"}, "must be above 0, not %g",
                            a->coarsest);
    }
    if (a->cell < 0) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--cell"}, "must be above 0, not %g", a->cell);
    }
    if (a->layout != NULL) {
        if (strcmp(a->layout, "matrix") != 0 && strcmp(a->layout, "xyz") != 0) {
            return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--layout"},
                                "'%s' is neither matrix nor xyz", a->layout);
        }
        out->layout = a->layout[0] == 'm' ? GR_TEXT_MATRIX : GR_TEXT_XYZ;
    }
    return a->window != NULL ? read_window(a->window, &out->window, log) : GR_OK;
}

GrStatus gr_picture_check(const GrPictureArguments *picture, GrErrorLog *log)
{
    return picture->plain && picture->png == NULL
               ? gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--plain"},
                              "leaves axes and legend off a picture: give one with --png FILE")
               : GR_OK;
}

const char *gr_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

GrStatus gr_terrain_draw(const GrPictureArguments *picture, const GrGridFrame *frame, GrSource source, GrErrorLog *log)
{
    if (picture->png == NULL) {
        return GR_OK;
    }
    GrPicture map;
    const GrMapCaption caption = {.title = gr_path_name(picture->title),
                                  .legend = picture->legend != NULL ? picture->legend : "height [m]"};
    GrStatus status = gr_hillshade_render(frame, source, GR_PICTURE_PIXELS, &map, log);
    if (status == GR_OK) {
        status = gr_map_figure_write(picture->png, &map, picture->plain ? NULL : &caption, log);
    }
    gr_free(map.pixels);
    return status;
}

void gr_terrain_wrote(const char *path, bool json)
{
    fprintf(json ? stderr : stdout, "wrote %s\n", path);
}

int gr_terrain_end(GrStatus status, const GrErrorLog *log)
{
    gr_report_log(log);
    if (status != GR_OK && log->error_count == 0) {
        gr_report_error("%s", gr_status_text(status));
    }
    return gr_report_exit_code(status);
}
