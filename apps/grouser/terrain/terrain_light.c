/// grouser terrain light: where and how long the Sun shines on a map, or the Earth or an antenna is in sight.
#include "alloc.h"
#include "json.h"
#include "light.h"
#include "map_figure.h"
#include "outlook.h"
#include "report.h"
#include "terrain_horizon.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_INSTANTS = 1000000, BANDS = 2, COLORS = 10 };

typedef struct LightArguments {
    GrHorizonArguments horizon;
    const char *body, *from, *to, *antenna, *out;
    double lon, lat, every, azimuth, elevation;
    bool earth, json;
    GrPictureArguments picture;
} LightArguments;

/// What is asked for.
typedef struct Study {
    GrSunDef sun;
    GrSkyTarget target;
    GrLightDef light;
    double antenna[3]; ///< x, y, height above the ground; NAN: none
} Study;

static GrStatus wrong(GrErrorLog *log, const char *field, const char *text)
{
    return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = field}, "%s", text);
}

/// The body that a name contains.
static bool find_body(const char *name, GrSkyBody *out)
{
    char lower[64] = "";
    for (size_t k = 0; k + 1 < sizeof lower && name[k] != '\0'; k++) {
        lower[k] = (char)tolower((unsigned char)name[k]);
    }
    for (int body = 0; body < GR_SKY_BODY_COUNT; body++) {
        if (strstr(lower, gr_sky_body_name((GrSkyBody)body)) != NULL) {
            *out = (GrSkyBody)body;
            return true;
        }
    }
    return false;
}

/// The body of a map, by the name of its datum or by its radius.
static bool find_map_body(const GrGeoreference *place, GrSkyBody *out)
{
    bool found = find_body(place->body, out);
    for (int body = 0; !found && body < GR_SKY_BODY_COUNT; body++) {
        const double radius = gr_sky_body_radius((GrSkyBody)body);
        found = fabs(place->radius - radius) < 0.005 * radius;
        *out = (GrSkyBody)body;
    }
    return found;
}

static GrStatus read_body(const LightArguments *a, const GrRaster *raster, GrSunDef *sun, GrErrorLog *log)
{
    if (a->body != NULL ? find_body(a->body, &sun->body) : find_map_body(&raster->place, &sun->body)) {
        return GR_OK;
    }
    return a->body != NULL ? wrong(log, "--body", "must be moon or mars")
                           : wrong(log, "--body", "the map does not name its body: give --body moon or --body mars");
}

/// The place is that of the map unless it is given.
static GrStatus read_place(const LightArguments *a, const GrRaster *raster, GrSunDef *sun, GrErrorLog *log)
{
    const double lon = isnan(a->lon) ? raster->lon : a->lon, lat = isnan(a->lat) ? raster->lat : a->lat;
    if (isnan(lon) || isnan(lat)) {
        return wrong(log, "--lat", "the map has no place on its body: give --lon and --lat in degrees");
    }
    if (fabs(lat) > 90 || fabs(lon) > 360) {
        return wrong(log, "--lat", "must be within 90 degrees, and --lon within 360");
    }
    sun->north = isnan(a->lon) && isnan(a->lat) ? raster->north : 0;
    sun->lon = lon * GR_DEGREE;
    sun->lat = lat * GR_DEGREE;
    return GR_OK;
}

static GrStatus read_times(const LightArguments *a, Study *study, GrErrorLog *log)
{
    double end;
    if (!gr_date_parse(a->from, &study->sun.start)) {
        return wrong(log, "--from", "must be a date such as 2027-03-01 or 2027-03-01T06:00:00Z, from 1900 to 2100");
    }
    end = study->sun.start;
    if (a->to != NULL && !gr_date_parse(a->to, &end)) {
        return wrong(log, "--to", "must be a date such as 2027-03-01 or 2027-03-01T06:00:00Z, from 1900 to 2100");
    }
    if (!(a->every > 0) || end < study->sun.start) {
        return wrong(log, "--every", "must be above 0, and --to must not be before --from");
    }
    const double count = floor((end - study->sun.start) * 24 / a->every + 1e-9) + 1;
    if (count > MOST_INSTANTS) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--every"},
                            "%.0f instants are more than %d: give a longer interval", count, MOST_INSTANTS);
    }
    study->light.count = (int)count;
    study->light.interval = a->every * 3600;
    return GR_OK;
}

static GrStatus read_sun(const LightArguments *a, const GrRaster *raster, Study *study, GrErrorLog *log)
{
    study->sun = gr_default_sun_def();
    study->target = a->earth ? GR_SKY_EARTH : GR_SKY_SUN;
    study->light.count = 1;
    study->light.interval = 3600;
    const bool fixed = !isnan(a->azimuth) || !isnan(a->elevation), dated = a->from != NULL;
    if (fixed == dated) {
        return wrong(log, "--from", "give --from DATE [--to DATE], or --azimuth and --elevation in degrees");
    }
    if (fixed) {
        study->sun.kind = GR_SUN_FIXED;
        study->sun.azimuth = a->azimuth * GR_DEGREE;
        study->sun.elevation = a->elevation * GR_DEGREE;
        GrSkyBody body;
        const bool known = a->body != NULL ? find_body(a->body, &body) : find_map_body(&raster->place, &body);
        study->sun.body = known ? body : GR_SKY_MOON;
        if (a->earth || isnan(a->azimuth) || isnan(a->elevation)) {
            return wrong(log, "--azimuth", "goes with --elevation, and not with --earth");
        }
        return gr_sun_check(&study->sun, log);
    }
    study->sun.kind = GR_SUN_DATE;
    GrStatus status = read_body(a, raster, &study->sun, log);
    status = status == GR_OK ? read_place(a, raster, &study->sun, log) : status;
    status = status == GR_OK ? read_times(a, study, log) : status;
    return status == GR_OK ? gr_sun_check(&study->sun, log) : status;
}

static GrStatus read_antenna(const LightArguments *a, Study *study, GrErrorLog *log)
{
    study->antenna[0] = (double)NAN;
    if (a->antenna == NULL) {
        return GR_OK;
    }
    return gr_numbers_read(a->antenna, study->antenna, 3) && study->antenna[2] >= 0
               ? GR_OK
               : wrong(log, "--antenna",
                       "takes EAST,NORTH,HEIGHT: a place in the map's metres, and metres above its ground");
}

/// 1 where a node sees the antenna, 0 elsewhere.
static GrStatus look_for_antenna(const GrSkyMap *map, const GrHorizonArguments *a, const double antenna[3],
                                 GrLight *out, GrErrorLog *log)
{
    const GrGridFrame *f = &map->raster.frame;
    const GrSightMap sight = {*f, map->heights, map->radius};
    const double ground = gr_sight_height(&sight, antenna[0], antenna[1]);
    if (isnan(ground)) {
        return wrong(log, "--antenna", "is off the map, or where it has no data");
    }
    const GrVec3 top = {antenna[0], antenna[1], ground + antenna[2]};
    const size_t nodes = (size_t)(f->nx * f->ny);
    *out = (GrLight){gr_malloc(nodes * sizeof(float)), gr_calloc(nodes, sizeof(float))};
    for (size_t k = 0; out->share != NULL && out->night != NULL && k < nodes; k++) {
        const int64_t i = (int64_t)k % f->nx, j = (int64_t)k / f->nx;
        const GrVec3 eye = {f->x0 + (double)i * f->dx, f->y0 + (double)j * f->dy, (double)map->heights[k] + a->eye};
        out->share[k] = isnan(map->heights[k]) ? NAN : gr_sight_clear(&sight, eye, top) ? 1 : 0;
    }
    return out->share != NULL && out->night != NULL ? GR_OK : GR_ERROR_MEMORY;
}

static GrStatus shine(const char *path, const LightArguments *a, GrSkyMap *map, Study *study, GrLight *out,
                      GrErrorLog *log)
{
    if (!isnan(study->antenna[0])) {
        return look_for_antenna(map, &a->horizon, study->antenna, out, log);
    }
    GrLightDef *light = &study->light;
    light->horizon = &map->horizon;
    light->threads = (int)a->horizon.threads;
    light->views = gr_malloc((size_t)light->count * sizeof *light->views);
    GrStatus status = light->views != NULL ? GR_OK : GR_ERROR_MEMORY;
    status = status == GR_OK ? gr_light_views(&study->sun, study->target, 0, light, log) : status;
    status = status == GR_OK ? gr_sky_map_look(path, &a->horizon, map, log) : status;
    status = status == GR_OK ? gr_light_make(light, out, log) : status;
    return status;
}

// ---- results

typedef struct Band {
    const GrGridFrame *frame;
    const float *values;
    double scale;
} Band;

static GrStatus read_band(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    (void)log;
    const Band *band = context;
    for (int j = 0; j < window.nj; j++) {
        for (int i = 0; i < window.ni; i++) {
            *out++ = band->scale * (double)band->values[(window.j0 + j) * band->frame->nx + window.i0 + i];
        }
    }
    return GR_OK;
}

static GrStatus write(const char *path, const GrSkyMap *map, const GrLight *light, GrErrorLog *log)
{
    Band bands[BANDS] = {{&map->raster.frame, light->share, 1}, {&map->raster.frame, light->night, 1 / 3600.0}};
    const GrRasterBand rows[BANDS] = {{"share in sight", "", {.read = read_band, .context = &bands[0]}},
                                      {"longest time out of sight", "h", {.read = read_band, .context = &bands[1]}}};
    GrRasterWrite how = gr_default_raster_write();
    how.bands = rows;
    how.band_count = BANDS;
    return gr_raster_write(path, &map->raster.frame, &map->raster.place, rows[0].source, &how, NULL, NULL, log);
}

/// From dark to light; the first is for 0 to 10 %.
static const unsigned char LIGHT_COLORS[COLORS][3] = {{13, 8, 35},    {45, 16, 75},   {86, 20, 97},   {126, 33, 98},
                                                      {168, 50, 86},  {205, 73, 64},  {232, 107, 37}, {246, 150, 20},
                                                      {250, 199, 55}, {252, 246, 160}};
static const char *const LIGHT_NAMES[COLORS] = {"0 - 10 %",  "10 - 20 %", "20 - 30 %", "30 - 40 %", "40 - 50 %",
                                                "50 - 60 %", "60 - 70 %", "70 - 80 %", "80 - 90 %", "90 - 100 %"};

static GrStatus draw(const LightArguments *a, const GrSkyMap *map, const GrLight *light, GrErrorLog *log)
{
    const GrGridFrame *f = &map->raster.frame;
    const int64_t longer = f->nx > f->ny ? f->nx : f->ny, step = (longer + GR_PICTURE_PIXELS - 1) / GR_PICTURE_PIXELS;
    const int enlarge = longer < GR_PICTURE_PIXELS / 2 ? (int)(GR_PICTURE_PIXELS / 2 / longer) + 1 : 1;
    const int columns = (int)(f->nx / step), rows = (int)(f->ny / step);
    const double west = f->x0 - 0.5 * f->dx, north = f->y0 + ((double)f->ny - 0.5) * f->dy;
    GrPicture picture = {
        .width = columns * enlarge,
        .height = rows * enlarge,
        .box = {west, north - (double)(rows * step) * f->dy, west + (double)(columns * step) * f->dx, north}};
    picture.pixels = gr_malloc(3 * (size_t)picture.width * (size_t)picture.height);
    if (picture.pixels == NULL) {
        return GR_ERROR_MEMORY;
    }
    for (int row = 0; row < picture.height; row++) {
        for (int column = 0; column < picture.width; column++) {
            const int64_t i = column / enlarge * step, j = f->ny - 1 - row / enlarge * step;
            const float share = light->share[j * f->nx + i];
            const int bin = isnan(share) ? 0 : (int)fminf(share * COLORS, COLORS - 1);
            picture.has_voids |= isnan(share);
            memcpy(picture.pixels + 3 * ((size_t)row * (size_t)picture.width + (size_t)column),
                   isnan(share) ? GR_VOID_COLOR : LIGHT_COLORS[bin], 3);
        }
    }
    GrMapClass classes[COLORS + 1];
    for (int k = 0; k < COLORS; k++) {
        classes[k].name = LIGHT_NAMES[COLORS - 1 - k];
        memcpy(classes[k].color, LIGHT_COLORS[COLORS - 1 - k], 3);
    }
    classes[COLORS].name = "no data";
    memcpy(classes[COLORS].color, GR_VOID_COLOR, 3);
    const GrMapCaption caption = {.title = gr_path_name(a->picture.title),
                                  .legend = a->to == NULL                    ? "in sight"
                                            : a->earth || a->antenna != NULL ? "time in sight"
                                                                             : "time in the sun",
                                  .classes = classes,
                                  .class_count = COLORS + picture.has_voids};
    const GrStatus status = gr_map_figure_write(a->picture.png, &picture, a->picture.plain ? NULL : &caption, log);
    gr_free(picture.pixels);
    return status;
}

typedef struct Totals {
    double mean, dark; ///< mean share; share of the nodes that never see it
    int64_t best, steadiest;
} Totals;

static Totals sum_up(const GrGridFrame *f, const GrLight *light)
{
    Totals t = {0, 0, -1, -1};
    int64_t count = 0;
    for (int64_t k = 0; k < f->nx * f->ny; k++) {
        if (isnan(light->share[k])) {
            continue;
        }
        count++;
        t.mean += (double)light->share[k];
        t.dark += light->share[k] <= 0;
        t.best = t.best < 0 || light->share[k] > light->share[t.best] ? k : t.best;
        t.steadiest = t.steadiest < 0 || light->night[k] < light->night[t.steadiest] ? k : t.steadiest;
    }
    t.mean /= count > 0 ? (double)count : (double)NAN;
    t.dark /= count > 0 ? (double)count : (double)NAN;
    return t;
}

static double east_of(const GrGridFrame *f, int64_t node)
{
    return f->x0 + (double)(node % f->nx) * f->dx;
}

static double north_of(const GrGridFrame *f, int64_t node)
{
    const int64_t row = node / f->nx;
    return f->y0 + (double)row * f->dy;
}

static void put_node(GrJson *json, const char *name, const GrGridFrame *f, const GrLight *light, int64_t k)
{
    gr_json_begin_object(json, name);
    gr_json_number(json, "east_m", east_of(f, k));
    gr_json_number(json, "north_m", north_of(f, k));
    gr_json_number(json, "share", (double)light->share[k]);
    gr_json_number(json, "longest_night_h", (double)light->night[k] / 3600);
    gr_json_end(json);
}

static void print_json(const GrGridFrame *f, const Study *study, const GrLight *light, const Totals *t)
{
    GrJson json = gr_json_to_file(stdout, true);
    gr_json_begin_object(&json, NULL);
    gr_json_number(&json, "mean_share", t->mean);
    gr_json_number(&json, "dark_share", t->dark);
    gr_json_number(&json, "hours", study->light.count * study->light.interval / 3600);
    if (t->best >= 0) {
        put_node(&json, "best", f, light, t->best);
        put_node(&json, "steadiest", f, light, t->steadiest);
    }
    if (study->light.views != NULL) {
        gr_json_number(&json, "first_azimuth_deg", study->light.views[0].azimuth / GR_DEGREE);
        gr_json_number(&json, "first_elevation_deg", study->light.views[0].elevation / GR_DEGREE);
    }
    gr_json_end(&json);
    gr_json_finish(&json); // main() checks stdout
}

static void print_text(const GrGridFrame *f, const Study *study, const GrLight *light, const Totals *t)
{
    const char *what = !isnan(study->antenna[0]) ? "antenna" : study->target == GR_SKY_EARTH ? "Earth" : "Sun";
    if (study->light.views != NULL && study->light.count == 1) {
        printf("%s at azimuth %.2f deg, elevation %.2f deg\n", what, study->light.views[0].azimuth / GR_DEGREE,
               study->light.views[0].elevation / GR_DEGREE);
    } else if (study->light.views != NULL) {
        printf("%d instants over %.4g days\n", study->light.count,
               (study->light.count - 1) * study->light.interval / 86400);
    }
    printf("%s in sight: %.1f %% on average, never on %.1f %% of the map\n", what, 100 * t->mean, 100 * t->dark);
    if (t->best >= 0 && study->light.count > 1) {
        const int64_t b = t->best, s = t->steadiest;
        printf("best: %.1f %% at east %.1f m, north %.1f m, longest night %.1f h\n", 100 * (double)light->share[b],
               east_of(f, b), north_of(f, b), (double)light->night[b] / 3600);
        printf("shortest longest night: %.1f h at east %.1f m, north %.1f m\n", (double)light->night[s] / 3600,
               east_of(f, s), north_of(f, s));
    }
}

static GrStatus study_map(const char *path, const LightArguments *a, GrErrorLog *log)
{
    GrSkyMap map;
    Study study = {.target = GR_SKY_SUN};
    GrLight light = {NULL, NULL};
    GrSunDef named = gr_default_sun_def();
    GrSkyBody body;
    const bool known = a->body != NULL && find_body(a->body, &body);
    named.body = known ? body : GR_SKY_MOON;
    GrStatus status = gr_sky_map_open(path, &a->horizon, known ? gr_sky_body_radius(named.body) : 0, &map, log);
    if (status != GR_OK) {
        return status;
    }
    status = read_antenna(a, &study, log);
    if (status == GR_OK && isnan(study.antenna[0])) {
        status = read_sun(a, &map.raster, &study, log);
    }
    status = status == GR_OK ? shine(path, a, &map, &study, &light, log) : status;
    status = status == GR_OK && light.share == NULL ? GR_ERROR_MEMORY : status;
    status = status == GR_OK && a->out != NULL ? write(a->out, &map, &light, log) : status;
    status = status == GR_OK && a->picture.png != NULL ? draw(a, &map, &light, log) : status;
    if (status == GR_OK) {
        const Totals totals = sum_up(&map.raster.frame, &light);
        (a->json ? print_json : print_text)(&map.raster.frame, &study, &light, &totals);
        for (int k = 0; k < 2; k++) {
            const char *written = k == 0 ? a->out : a->picture.png;
            if (written != NULL) {
                gr_terrain_wrote(written, a->json);
            }
        }
    }
    gr_light_free(&light);
    gr_free(study.light.views);
    gr_sky_map_close(&map);
    return status;
}

static int run(int argc, char **argv)
{
    LightArguments a = {.horizon = gr_default_horizon_arguments(),
                        .lon = (double)NAN,
                        .lat = (double)NAN,
                        .azimuth = (double)NAN,
                        .elevation = (double)NAN,
                        .every = 6};
    const GrOption own[] = {
        {.name = "from", .value = "DATE", .text = &a.from, .help = "first instant, as 2027-03-01T00:00:00Z"},
        {.name = "to", .value = "DATE", .text = &a.to, .help = "last instant (default: the first)"},
        {.name = "every", .value = "HOURS", .number = &a.every, .help = "between two instants (default 6)"},
        {.name = "body", .value = "moon|mars", .text = &a.body, .help = "if the map does not name it"},
        {.name = "lon", .value = "DEG", .number = &a.lon, .help = "east longitude (default: of the map's middle)"},
        {.name = "lat", .value = "DEG", .number = &a.lat, .help = "latitude (default: of the map's middle)"},
        {.name = "azimuth", .value = "DEG", .number = &a.azimuth, .help = "of a given Sun, clockwise from north"},
        {.name = "elevation", .value = "DEG", .number = &a.elevation, .help = "of a given Sun"},
        {.name = "earth", .flag = &a.earth, .help = "the Earth instead of the Sun"},
        {.name = "antenna",
         .value = "EAST,NORTH,HEIGHT",
         .text = &a.antenna,
         .help = "line of sight to an antenna on the map instead, HEIGHT metres above its ground"},
        {.name = "out", .letter = 'o', .value = "FILE", .text = &a.out, .help = "GeoTIFF: share, longest night [h]"},
        {.name = "png", .value = "FILE", .text = &a.picture.png, .help = "draw the share"},
        {.name = "plain", .flag = &a.picture.plain, .help = "the picture without axes and legend"},
        {.name = "json", .flag = &a.json, .help = "print JSON"},
    };
    enum { OWN = sizeof own / sizeof own[0] };
    GrOption options[GR_HORIZON_OPTION_COUNT + OWN];
    gr_horizon_options_add(options, &a.horizon);
    memcpy(options + GR_HORIZON_OPTION_COUNT, own, sizeof own);
    const char *files[1];
    int exit_code;
    if (gr_options_parse(&gr_terrain_light, options, GR_HORIZON_OPTION_COUNT + OWN, argc, argv, files, 1, 1,
                         &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    a.picture.title = files[0];
    GrStatus status = gr_picture_check(&a.picture, &log);
    status = status == GR_OK ? study_map(files[0], &a, &log) : status;
    return gr_terrain_end(status, &log);
}

const GrCommand gr_terrain_light = {
    .name = "terrain light",
    .summary = "map the light of the Sun over a time, or what sees the Earth or an antenna",
    .usage = "terrain light MAP --from DATE [--to DATE] [-o LIGHT.tif] [OPTION]...",
    .details =
        "For every node the mean share of the Sun's disc above the skyline, and the longest time without any of\n"
        "it. The Sun stands where it is at the middle of the map at these dates, or as given by --azimuth and\n"
        "--elevation.",
    .example = "  grouser terrain light pole.tif --from 2027-01-01 --to 2027-12-31 -o light.tif --png light.png\n"
               "  grouser terrain light site.tif --azimuth 90 --elevation 5 --png shadows.png",
    .run = run,
};
