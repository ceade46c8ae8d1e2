/// grouser terrain soilmap: makes a map of soils by rules on slope, height and noise, or from a raster of classes.
#include "alloc.h"
#include "json.h"
#include "map_figure.h"
#include "report.h"
#include "soil_map_data.h"
#include "soil_rules.h"
#include "terrain_command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void print_report(const GrSoilMap *map, bool json)
{
    const int64_t cells = map->frame.nx * map->frame.ny;
    double shares[256] = {0};
    for (int64_t k = 0; k < cells; k++) {
        shares[map->classes[k]] += 1.0 / (double)cells;
    }
    if (!json) {
        for (int k = 0; k < map->name_count; k++) {
            printf("%d %s: %.2f %%\n", k + 1, map->names[k], 100 * shares[k + 1]);
        }
        if (shares[0] > 0) {
            printf("no soil: %.2f %%\n", 100 * shares[0]);
        }
        return;
    }
    GrJson out = gr_json_to_file(stdout, true);
    gr_json_begin_object(&out, NULL);
    gr_json_begin_array(&out, "soils");
    for (int k = 0; k < map->name_count; k++) {
        gr_json_begin_object(&out, NULL);
        gr_json_integer(&out, "class", k + 1);
        gr_json_string(&out, "soil", map->names[k]);
        gr_json_number(&out, "share", shares[k + 1]);
        gr_json_end(&out);
    }
    gr_json_end(&out);
    gr_json_number(&out, "share_without_soil", shares[0]);
    gr_json_end(&out);
    gr_json_finish(&out); // main() checks stdout
}

/// Colours of no soil and of the first eight; further soils repeat them.
static const unsigned char COLORS[9][3] = {{40, 44, 60},    {222, 196, 150}, {150, 104, 84},
                                           {116, 134, 120}, {190, 120, 70},  {126, 126, 150},
                                           {200, 180, 90},  {90, 110, 150},  {170, 150, 170}};

static const unsigned char *color_of(int soil)
{
    return COLORS[soil == 0 ? 0 : 1 + (soil - 1) % 8];
}

/// One colour per soil; a small map is drawn with several pixels per cell.
static GrStatus render(const GrSoilMap *map, GrPicture *out)
{
    enum { MAX_ENLARGEMENT = 8 };
    const GrGridFrame *f = &map->frame;
    const int64_t longer = f->nx > f->ny ? f->nx : f->ny, step = (longer + GR_PICTURE_PIXELS - 1) / GR_PICTURE_PIXELS;
    const int fit = (int)(GR_PICTURE_PIXELS * step / longer), enlarge = fit > MAX_ENLARGEMENT ? MAX_ENLARGEMENT : fit;
    const int columns = (int)(f->nx / step), rows = (int)(f->ny / step);
    const double west = f->x0 - 0.5 * f->dx, north = f->y0 + ((double)f->ny - 0.5) * f->dy;
    *out = (GrPicture){
        .width = columns * enlarge,
        .height = rows * enlarge,
        .box = {west, north - (double)(rows * step) * f->dy, west + (double)(columns * step) * f->dx, north}};
    out->pixels = gr_malloc(3 * (size_t)out->width * (size_t)out->height);
    if (out->pixels == NULL) {
        return GR_ERROR_MEMORY;
    }
    for (int row = 0; row < out->height; row++) {
        for (int column = 0; column < out->width; column++) {
            const int64_t i = column / enlarge * step, j = f->ny - 1 - row / enlarge * step;
            const int soil = map->classes[j * f->nx + i];
            out->has_voids |= soil == 0;
            memcpy(out->pixels + 3 * ((size_t)row * (size_t)out->width + (size_t)column), color_of(soil), 3);
        }
    }
    return GR_OK;
}

static GrStatus draw(const GrPictureArguments *how, const GrSoilMap *map, GrErrorLog *log)
{
    GrPicture picture;
    GrMapClass *classes = gr_calloc((size_t)map->name_count + 1, sizeof *classes);
    GrStatus status = classes != NULL ? render(map, &picture) : GR_ERROR_MEMORY;
    if (status == GR_OK) {
        for (int k = 0; k <= map->name_count; k++) {
            const int soil = k < map->name_count ? k + 1 : 0;
            classes[k].name = soil > 0 ? map->names[soil - 1] : "no soil";
            memcpy(classes[k].color, color_of(soil), 3);
        }
        const GrMapCaption caption = {.title = gr_path_name(how->title),
                                      .legend = "soil",
                                      .classes = classes,
                                      .class_count = map->name_count + picture.has_voids};
        status = gr_map_figure_write(how->png, &picture, how->plain ? NULL : &caption, log);
        gr_free(picture.pixels);
    }
    gr_free(classes);
    return status;
}

typedef struct SoilArguments {
    GrTextList rules;
    const char *legend, *out;
    GrPictureArguments picture;
    double wavelength, seed;
    bool json;
} SoilArguments;

static GrStatus make(const char *path, const SoilArguments *a, GrErrorLog *log)
{
    GrRasterOptions options = gr_default_raster_options();
    options.assume_metre = true;
    GrRaster raster;
    GrStatus status = gr_raster_open(path, &options, &raster, log);
    if (status != GR_OK) {
        return status;
    }
    GrSoilMap map = {0};
    if (a->legend != NULL) {
        status = gr_soil_map_open(&map, path, a->legend, NULL, log);
    } else {
        status = gr_soil_rules_apply(a->rules.items, a->rules.count, &raster.frame, raster.source, a->wavelength,
                                     (uint64_t)a->seed, &map, log);
    }
    if (status == GR_OK && a->out != NULL) {
        status = gr_soil_map_write(&map, a->out, &raster.place, log);
    }
    if (status == GR_OK && a->picture.png != NULL) {
        status = draw(&a->picture, &map, log);
    }
    if (status == GR_OK) {
        print_report(&map, a->json);
        if (a->out != NULL) {
            gr_terrain_wrote(a->out, a->json);
        }
        if (a->picture.png != NULL) {
            gr_terrain_wrote(a->picture.png, a->json);
        }
    }
    gr_soil_map_free(&map);
    gr_raster_close(&raster);
    return status;
}

static int run(int argc, char **argv)
{
    SoilArguments a = {.wavelength = 20, .seed = 1};
    const GrOption options[] = {
        {.name = "rule",
         .value = "RULE",
         .list = &a.rules,
         .help = "SOIL: CONDITION and …; the first that applies counts"},
        {.name = "legend",
         .value = "TEXT",
         .text = &a.legend,
         .help = "the file is a raster of classes: '1=ES-1 2=ES-2'"},
        {.name = "wavelength",
         .value = "METRES",
         .number = &a.wavelength,
         .help = "wavelength of the noise (default 20)"},
        {.name = "seed", .value = "N", .number = &a.seed, .help = "seed of the noise (default 1)"},
        {.name = "out", .letter = 'o', .value = "FILE", .text = &a.out, .help = "GeoTIFF of class numbers"},
        {.name = "png", .value = "FILE", .text = &a.picture.png, .help = "draw it"},
        {.name = "plain", .flag = &a.picture.plain, .help = "the picture without axes and legend"},
        {.name = "json", .flag = &a.json, .help = "print JSON"},
    };
    const char *files[1];
    int exit_code;
    if (gr_options_parse(&gr_terrain_soilmap, options, sizeof options / sizeof options[0], argc, argv, files, 1, 1,
                         &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrStatus status = GR_OK;
    if ((a.rules.count > 0) == (a.legend != NULL)) {
        status = gr_error_add(&log, GR_ERROR_USAGE, (GrLocation){0}, "give --rule, once or more, or --legend");
    }
    if (status == GR_OK) {
        status = gr_picture_check(&a.picture, &log);
    }
    if (status == GR_OK) {
        a.picture.title = files[0];
        status = make(files[0], &a, &log);
    }
    return gr_terrain_end(status, &log);
}

const GrCommand gr_terrain_soilmap = {
    .name = "terrain soilmap",
    .summary = "make a map of soils, by rules or from a raster of classes",
    .usage = "terrain soilmap MAP --rule RULE... [-o SOILS.tif] [OPTION]...",
    .details = "Rules name a soil and conditions on slope_deg, height_m and noise (-1 to 1), with < and >, and "
               "outlines in metres,\ninside(X Y, X Y, ...) and near(R: X Y, X Y, ...), joined by "
               "'and'.\nThe first rule that applies counts; a rule without conditions always applies.\nWith --legend "
               "the file is a raster of class numbers, explained by the legend.",
    .example = "  grouser terrain soilmap gale.tif --rule 'bedrock: slope_deg>15' --rule 'drift: noise>0.3' \\\n"
               "    --rule ES-2 -o soils.tif --png soils.png",
    .run = run,
};
