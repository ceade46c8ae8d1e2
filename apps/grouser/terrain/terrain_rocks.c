/// grouser terrain rocks: places random rocks on a map or a rectangle.
#include "grouser/assets.h"
#include "grouser/scene.h"

#include "alloc.h"
#include "buffer.h"
#include "file.h"
#include "json.h"
#include "map_figure.h"
#include "out_of_memory.h"
#include "raster.h"
#include "report.h"
#include "stones.h"
#include "terrain_command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// The names of GrStoneShape, in its order; NULL at the end.
static const char *const stone_shape_names[] = {"ellipsoid", "hull", "noise", "deviation", NULL};

/// Height between four nodes.
static GrStatus ground_at(const GrGridFrame *f, GrSource source, double x, double y, double *z, GrErrorLog *log)
{
    const double u = fmin(fmax((x - f->x0) / f->dx, 0), (double)(f->nx - 1));
    const double v = fmin(fmax((y - f->y0) / f->dy, 0), (double)(f->ny - 1));
    const int64_t i = (int64_t)fmin(floor(u), fmax(0, (double)(f->nx - 2)));
    const int64_t j = (int64_t)fmin(floor(v), fmax(0, (double)(f->ny - 2)));
    const int ni = f->nx > 1 ? 2 : 1, nj = f->ny > 1 ? 2 : 1;
    double h[4];
    const GrStatus status = source.read(source.context, (GrGridWindow){i, j, ni, nj}, h, log);
    const double s = u - (double)i, t = v - (double)j;
    const double low = h[0] + s * (h[ni - 1] - h[0]);
    const double *north = &h[(nj - 1) * ni];
    *z = low + t * (north[0] + s * (north[ni - 1] - north[0]) - low);
    return status;
}

static void put_rock(const GrRockMesh *rock, GrPose pose, int number, int *before, GrBuffer *text)
{
    char name[32];
    snprintf(name, sizeof name, "rock_%d", number);
    for (int i = 0; i < rock->mesh.vertex_count; i++) {
        GrVec3 *p = &rock->mesh.vertices[i];
        *p = gr_add(pose.position, gr_quat_rotate(pose.rotation, *p));
    }
    gr_surface_mesh_obj(&rock->mesh, name, *before, text);
    *before += rock->mesh.vertex_count;
}

/// Writes the rocks as objects of an OBJ file, each with its highest point at its height above the ground of `frame`
/// and `source`, as scenarios place them.
static GrStatus rock_field_mesh_write(const char *path, const GrRockField *field, const GrRockFieldUse *use,
                                      const GrGridFrame *frame, GrSource source, GrErrorLog *log)
{
    GrBuffer text = {0};
    int before = 0;
    GrStatus status = GR_OK;
    for (int i = 0; i < field->count && status == GR_OK; i++) {
        GrStoneDef stone = gr_stone_of_field(field, use, i);
        GrRockMesh rock = {0};
        GrPose pose;
        status = ground_at(frame, source, stone.place.x, stone.place.y, &stone.place.z, log);
        status = status == GR_OK ? gr_stone_rock(&stone, &rock, &pose, log) : status;
        if (status == GR_OK && isfinite(stone.place.z)) {
            put_rock(&rock, pose, i + 1, &before, &text);
        }
        gr_rock_free(&rock);
    }
    status = status == GR_OK && text.failed ? gr_out_of_memory(log, path) : status;
    status = status == GR_OK ? gr_file_write(path, text.data != NULL ? text.data : "", text.size, log) : status;
    gr_buffer_free(&text);
    return status;
}

// ---- command

typedef struct RockArguments {
    const char *size, *law, *out, *density, *mesh, *shape;
    GrPictureArguments picture;
    double k, coefficient, exponent, smallest, largest, fraction, gap, ratio, seed;
    bool json;
} RockArguments;

/// Density from a raster: nearest pixel, 0 outside and where it has no data.
typedef struct Density {
    GrRaster raster;
    double *values;
} Density;

static double density_at(void *context, double x, double y)
{
    const Density *density = context;
    const GrGridFrame *f = &density->raster.frame;
    const double i = nearbyint((x - f->x0) / f->dx), j = nearbyint((y - f->y0) / f->dy);
    if (!(i >= 0 && j >= 0 && i < (double)f->nx && j < (double)f->ny)) {
        return 0;
    }
    const double v = density->values[(int64_t)j * f->nx + (int64_t)i];
    return isnan(v) ? 0 : v;
}

static GrStatus open_density(const char *path, Density *density, GrErrorLog *log)
{
    GrRasterOptions options = gr_default_raster_options();
    GrStatus status = gr_raster_open(path, &options, &density->raster, log);
    if (status != GR_OK) {
        return status;
    }
    const GrGridFrame *f = &density->raster.frame;
    density->values = gr_malloc((size_t)(f->nx * f->ny) * sizeof *density->values);
    status = density->values != NULL
                 ? density->raster.source.read(density->raster.source.context,
                                               (GrGridWindow){0, 0, (int)f->nx, (int)f->ny}, density->values, log)
                 : GR_ERROR_MEMORY;
    for (int64_t k = 0; k < f->nx * f->ny && status == GR_OK; k++) {
        if (density->values[k] < 0 || density->values[k] > 1) {
            status =
                gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path},
                             "a density is between 0 (no rocks) and 1 (as the law says), not %g", density->values[k]);
        }
    }
    return status;
}

static GrStatus write_csv(const char *path, const GrRockField *field, GrErrorLog *log)
{
    GrBuffer csv = {0};
    gr_buffer_puts(&csv, "x_m,y_m,diameter_m,height_m,yaw_rad\n");
    for (int k = 0; k < field->count; k++) {
        const GrRock *r = &field->rocks[k];
        const double v[5] = {r->x, r->y, r->diameter, r->height, r->yaw};
        for (int c = 0; c < 5; c++) {
            gr_buffer_puts(&csv, c > 0 ? "," : "");
            gr_buffer_number(&csv, v[c]);
        }
        gr_buffer_puts(&csv, "\n");
    }
    const GrStatus status = csv.failed ? GR_ERROR_MEMORY : gr_file_write(path, csv.data, csv.size, log);
    gr_buffer_free(&csv);
    return status;
}

static void print_report(const GrRockFieldDef *def, const GrRockField *field, bool json)
{
    if (!json) {
        printf("%d rocks of %g to %g m; they cover %.3f %% of the area, requested %.3f %%\n", field->count,
               def->diameter_lower, def->diameter_upper, 100 * field->covered, 100 * field->asked);
        return;
    }
    GrJson out = gr_json_to_file(stdout, true);
    gr_json_begin_object(&out, NULL);
    gr_json_integer(&out, "rocks", field->count);
    gr_json_number(&out, "area_m2", (def->box.x_upper - def->box.x_lower) * (def->box.y_upper - def->box.y_lower));
    gr_json_number(&out, "area_fraction", field->covered);
    gr_json_number(&out, "area_fraction_asked", field->asked);
    gr_json_integer(&out, "not_placed", field->not_placed);
    gr_json_number(&out, "diameter_max_m", field->count > 0 ? field->rocks[0].diameter : 0);
    gr_json_end(&out);
    gr_json_finish(&out); // main() checks stdout
}

static GrStatus flat(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    (void)context;
    (void)window.i0;
    (void)window.j0;
    (void)log;
    memset(out, 0, (size_t)window.ni * (size_t)window.nj * sizeof *out);
    return GR_OK;
}

/// About 200 nearly square cells along the longer side.
static GrGridFrame flat_frame(const double size[2])
{
    const double cell = fmax(size[0], size[1]) / 200;
    const double nx = fmax(1, nearbyint(size[0] / cell)), ny = fmax(1, nearbyint(size[1] / cell));
    return (GrGridFrame){(int64_t)nx + 1, (int64_t)ny + 1, -0.5 * size[0], -0.5 * size[1], size[0] / nx, size[1] / ny};
}

static GrStatus draw(const GrPictureArguments *how, const GrGridFrame *frame, GrSource source, const GrRockField *field,
                     GrErrorLog *log)
{
    GrPicture picture;
    char title[GR_FILE_PATH_SIZE];
    snprintf(title, sizeof title, "%d rocks on %s", field->count, gr_path_name(how->title));
    const GrMapCaption caption = {.title = title, .legend = "height [m]"};
    GrStatus status = gr_hillshade_render(frame, source, GR_PICTURE_PIXELS, &picture, log);
    for (int k = 0; k < field->count && status == GR_OK; k++) {
        gr_picture_dome(&picture, field->rocks[k].x, field->rocks[k].y, field->rocks[k].diameter);
    }
    if (status == GR_OK) {
        status = gr_map_figure_write(how->png, &picture, how->plain ? NULL : &caption, log);
    }
    gr_free(picture.pixels);
    return status;
}

/// Law and numbers from what was typed.
static GrStatus read_def(const RockArguments *a, GrRockFieldDef *def, GrErrorLog *log)
{
    *def = gr_default_rock_field_def();
    def->k = a->k;
    def->diameter_lower = a->smallest;
    def->diameter_upper = a->largest;
    def->area_fraction = a->fraction;
    def->gap = a->gap;
    def->height_ratio = a->ratio;
    def->seed = (uint64_t)a->seed;
    def->coefficient = a->coefficient;
    def->exponent = a->exponent;
    const bool known = gr_rock_law_set(def, a->law);
    return known ? GR_OK
                 : gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--law"},
                                "found '%s', allowed: golombek (Mars), viper, intercrater, haworth (Moon), power",
                                a->law);
}

/// The rocks as one mesh file; their shapes are those of a scenario with the same seed.
static GrStatus write_mesh(const RockArguments *a, const GrRockField *field, const GrRaster *raster, GrErrorLog *log)
{
    GrRockFieldUse use = {.seed = (uint64_t)a->seed};
    for (int i = 0; stone_shape_names[i] != NULL; i++) {
        if (strcmp(stone_shape_names[i], a->shape) == 0) {
            use.shape = (GrStoneShape)i;
            return rock_field_mesh_write(a->mesh, field, &use, &raster->frame, raster->source, log);
        }
    }
    return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--shape"},
                        "found '%s', allowed: ellipsoid, hull, noise, deviation", a->shape);
}

static GrStatus sow(const char *map, const RockArguments *a, GrErrorLog *log)
{
    GrRockFieldDef def;
    GrRaster raster = {0};
    Density density = {0};
    GrStatus status = read_def(a, &def, log);
    double size[2];
    if (status == GR_OK && map != NULL) {
        GrRasterOptions options = gr_default_raster_options();
        options.assume_metre = true;
        status = gr_raster_open(map, &options, &raster, log);
    } else if (status == GR_OK && a->size != NULL && gr_numbers_read(a->size, size, 2)) {
        raster.frame = flat_frame(size);
        raster.source.read = flat;
    } else if (status == GR_OK) {
        status = gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--size"},
                              "give a map, or the size of an area: --size EAST,NORTH in metres");
    }
    const GrGridFrame *f = &raster.frame;
    def.box = (GrBox2){f->x0, f->y0, f->x0 + (double)(f->nx - 1) * f->dx, f->y0 + (double)(f->ny - 1) * f->dy};
    if (status == GR_OK && a->density != NULL) {
        status = open_density(a->density, &density, log);
        def.density = density_at;
        def.density_context = &density;
    }
    GrRockField field = {0};
    if (status == GR_OK) {
        status = gr_rock_field_make(&def, &field, log);
    }
    if (status == GR_OK && a->out != NULL) {
        status = write_csv(a->out, &field, log);
    }
    if (status == GR_OK && a->mesh != NULL) {
        status = write_mesh(a, &field, &raster, log);
    }
    if (status == GR_OK && a->picture.png != NULL) {
        status = draw(&a->picture, f, raster.source, &field, log);
    }
    if (status == GR_OK) {
        print_report(&def, &field, a->json);
        if (a->out != NULL) {
            gr_terrain_wrote(a->out, a->json);
        }
        if (a->mesh != NULL) {
            gr_terrain_wrote(a->mesh, a->json);
        }
        if (a->picture.png != NULL) {
            gr_terrain_wrote(a->picture.png, a->json);
        }
    }
    gr_rock_field_free(&field);
    gr_raster_close(&raster);
    gr_raster_close(&density.raster);
    gr_free(density.values);
    return status;
}

static int run(int argc, char **argv)
{
    const GrRockFieldDef d = gr_default_rock_field_def();
    RockArguments a = {.law = "golombek",
                       .shape = "hull",
                       .k = d.k,
                       .coefficient = d.coefficient,
                       .exponent = d.exponent,
                       .smallest = d.diameter_lower,
                       .largest = d.diameter_upper,
                       .ratio = d.height_ratio,
                       .seed = 1};
    const GrOption options[] = {
        {.name = "size", .value = "EAST,NORTH", .text = &a.size, .help = "size of the area, if no map is given [m]"},
        {.name = "law",
         .value = "NAME",
         .text = &a.law,
         .help = "golombek (default), viper, intercrater, haworth, power"},
        {.name = "k", .value = "K", .number = &a.k, .help = "golombek: share of area under rocks (default 0.05)"},
        {.name = "coefficient", .value = "C", .number = &a.coefficient, .help = "power: rocks per m2 are C D^-P"},
        {.name = "exponent", .value = "P", .number = &a.exponent, .help = "power: the exponent P"},
        {.name = "smallest", .value = "METRES", .number = &a.smallest, .help = "diameter (default 0.05)"},
        {.name = "largest", .value = "METRES", .number = &a.largest, .help = "diameter (default 2)"},
        {.name = "area-fraction", .value = "F", .number = &a.fraction, .help = "scale the law to cover this share"},
        {.name = "gap", .value = "METRES", .number = &a.gap, .help = "least distance between rocks (default 0)"},
        {.name = "height-ratio", .value = "R", .number = &a.ratio, .help = "height over diameter (default 0.5)"},
        {.name = "density", .value = "FILE", .text = &a.density, .help = "raster of 0 (none) to 1 (as the law says)"},
        {.name = "seed", .value = "N", .number = &a.seed, .help = "default 1"},
        {.name = "out",
         .letter = 'o',
         .value = "FILE",
         .text = &a.out,
         .help = "CSV: x_m,y_m,diameter_m,height_m,yaw_rad"},
        {.name = "mesh", .value = "FILE", .text = &a.mesh, .help = "OBJ: the rocks as one mesh, an object each"},
        {.name = "shape",
         .value = "NAME",
         .text = &a.shape,
         .help = "of the mesh: hull (default), ellipsoid, noise, deviation"},
        {.name = "png", .value = "FILE", .text = &a.picture.png, .help = "draw map and rocks"},
        {.name = "plain", .flag = &a.picture.plain, .help = "the picture without axes and legend"},
        {.name = "json", .flag = &a.json, .help = "print JSON"},
    };
    const char *files[1] = {NULL};
    int exit_code;
    if (gr_options_parse(&gr_terrain_rocks, options, sizeof options / sizeof options[0], argc, argv, files, 0, 1,
                         &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    a.picture.title = files[0] != NULL ? files[0] : "flat ground";
    GrStatus status = gr_picture_check(&a.picture, &log);
    if (status == GR_OK) {
        status = sow(files[0], &a, &log);
    }
    return gr_terrain_end(status, &log);
}

const GrCommand gr_terrain_rocks = {
    .name = "terrain rocks",
    .summary = "place random rocks by the size laws of Mars and Moon",
    .usage = "terrain rocks [MAP] [--size EAST,NORTH] [--law NAME] [-o ROCKS.csv] [OPTION]...",
    .details =
        "Draws rocks by the area law of Golombek and Rapp (Mars) or a power law (Moon), places them without "
        "overlap\nfrom the largest to the smallest, and writes their positions. The same seed gives the same "
        "rocks.\nGolombek's k is the share of area under rocks of all sizes: those of D and more cover k exp(-q D).",
    .example = "  grouser terrain rocks --size 100,100 --k 0.1 -o rocks.csv --png rocks.png\n"
               "  grouser terrain rocks moon.tif --law viper --smallest 0.1 -o rocks.csv\n"
               "  grouser terrain rocks --size 20,20 --k 0.1 --shape noise --mesh rocks.obj",
    .run = run,
};
