/// Maps of soil classes: creation, soils at a point, writing to rasters.
#include "soil_map_data.h"

#include "alloc.h"
#include "buffer.h"
#include "memory_limit.h"
#include "out_of_memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GrStatus gr_soil_map_create(GrSoilMap *map, const GrGridFrame *frame, GrErrorLog *log)
{
    *map = (GrSoilMap){.frame = *frame};
    const GrStatus status = gr_memory_require((double)frame->nx * (double)frame->ny, (GrLocation){.field = "soil_map"},
                                              "a soil map takes a byte for each cell: make its cells larger", log);
    if (status != GR_OK) {
        return status;
    }
    map->classes = gr_calloc((size_t)(frame->nx * frame->ny), 1);
    return map->classes != NULL ? GR_OK : gr_out_of_memory(log, NULL);
}

void gr_soil_map_free(GrSoilMap *map)
{
    gr_free(map->classes);
    map->classes = NULL;
}

int gr_soil_map_name(GrSoilMap *map, const char *name)
{
    for (int k = 0; k < map->name_count; k++) {
        if (strcmp(map->names[k], name) == 0) {
            return k + 1;
        }
    }
    if (map->name_count == GR_SOIL_MAP_NAMES || strlen(name) >= GR_SOIL_NAME_SIZE || name[0] == '\0') {
        return 0;
    }
    snprintf(map->names[map->name_count++], GR_SOIL_NAME_SIZE, "%s", name);
    return map->name_count;
}

/// Parses a legend such as "1=ES-1 2=ES-2".
static GrStatus soil_map_legend(GrSoilMap *map, const char *legend, const char *path, GrErrorLog *log)
{
    map->name_count = 0;
    for (const char *at = legend + strspn(legend, " ,"); *at != '\0'; at += strspn(at, " ,")) {
        char *end;
        const long number = strtol(at, &end, 10);
        const size_t length = *end == '=' ? strcspn(end + 1, " ,") : 0;
        if (end == at || *end != '=' || length == 0 || length >= GR_SOIL_NAME_SIZE || number < 1 ||
            number > GR_SOIL_MAP_NAMES) {
            return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){.file = path},
                                "a legend is like '1=ES-1 2=ES-2', numbers 1 to %d; not '%s'", GR_SOIL_MAP_NAMES,
                                legend);
        }
        memcpy(map->names[number - 1], end + 1, length);
        map->names[number - 1][length] = '\0';
        map->name_count = number > map->name_count ? (int)number : map->name_count;
        at = end + 1 + length;
    }
    return map->name_count > 0 ? GR_OK
                               : gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){.file = path},
                                              "has no legend; give one like '1=ES-1 2=ES-2'");
}

static GrStatus read_classes(GrSoilMap *map, GrRaster *raster, const char *path, GrErrorLog *log)
{
    const GrGridFrame *f = &map->frame;
    double *row = gr_malloc((size_t)f->nx * sizeof *row);
    if (row == NULL) {
        return gr_out_of_memory(log, path);
    }
    GrStatus status = GR_OK;
    for (int64_t j = 0; j < f->ny && status == GR_OK; j++) {
        status = raster->source.read(raster->source.context, (GrGridWindow){0, j, (int)f->nx, 1}, row, log);
        for (int64_t i = 0; i < f->nx && status == GR_OK; i++) {
            const double v = isnan(row[i]) ? 0 : row[i];
            if (v < 0 || v > map->name_count || v != floor(v) || (v > 0 && map->names[(int)v - 1][0] == '\0')) {
                status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path},
                                      "has the class %g, which its legend does not name", v);
            } else {
                map->classes[j * f->nx + i] = (unsigned char)v;
            }
        }
    }
    gr_free(row);
    return status;
}

GrStatus gr_soil_map_open(GrSoilMap *map, const char *path, const char *legend, const GrGeoreference *place,
                          GrErrorLog *log)
{
    *map = (GrSoilMap){0};
    GrRasterOptions options = gr_default_raster_options();
    GrRaster raster;
    options.classes = true;
    GrStatus status = gr_raster_open(path, &options, &raster, log);
    if (status != GR_OK) {
        return status;
    }
    GrGridFrame frame = raster.frame;
    if (place != NULL) {
        frame.x0 -= place->origin_east;
        frame.y0 -= place->origin_north;
    }
    status = gr_soil_map_create(map, &frame, log);
    if (status == GR_OK) {
        status = soil_map_legend(map, legend != NULL ? legend : raster.description, path, log);
    }
    if (status == GR_OK) {
        status = read_classes(map, &raster, path, log);
    }
    gr_raster_close(&raster);
    if (status != GR_OK) {
        gr_soil_map_free(map);
    }
    return status;
}

/// Class at a node; nodes outside have that of the border.
static int class_at(const GrSoilMap *map, double i, double j)
{
    const GrGridFrame *f = &map->frame;
    const int64_t a = (int64_t)fmin((double)(f->nx - 1), fmax(0, i)),
                  b = (int64_t)fmin((double)(f->ny - 1), fmax(0, j));
    return map->classes[b * f->nx + a];
}

/// Adds the weights of the four nodes around a point, as in bilinear interpolation.
static void add_shares(const GrSoilMap *map, double u, double v, double weight, double shares[GR_SOIL_MAP_NAMES + 1])
{
    const double i = floor(u), j = floor(v), a = u - i, b = v - j;
    shares[class_at(map, i, j)] += weight * (1 - a) * (1 - b);
    shares[class_at(map, i + 1, j)] += weight * a * (1 - b);
    shares[class_at(map, i, j + 1)] += weight * (1 - a) * b;
    shares[class_at(map, i + 1, j + 1)] += weight * a * b;
}

/// The largest weights, scaled to sum to 1.
static GrGround pick(const double shares[GR_SOIL_MAP_NAMES + 1], int names, GrSoilMix *mix)
{
    bool taken[GR_SOIL_MAP_NAMES + 1] = {0};
    double sum = 0;
    mix->count = 0;
    while (mix->count < GR_SOIL_MIX) {
        int best = 0;
        for (int k = 1; k <= names; k++) {
            if (!taken[k] && shares[k] > 0 && (best == 0 || shares[k] > shares[best])) {
                best = k;
            }
        }
        if (best == 0) {
            break;
        }
        taken[best] = true;
        mix->classes[mix->count] = best;
        mix->shares[mix->count++] = shares[best];
        sum += shares[best];
    }
    for (int k = 0; k < mix->count; k++) {
        mix->shares[k] /= sum;
    }
    return mix->count > 0 ? GR_GROUND_OK : GR_GROUND_VOID;
}

GrGround gr_soil_map_at(const GrSoilMap *map, double x, double y, GrSoilMix *mix)
{
    const GrGridFrame *f = &map->frame;
    const double u = (x - f->x0) / f->dx, v = (y - f->y0) / f->dy;
    *mix = (GrSoilMix){0};
    if (!(u >= -0.5 && v >= -0.5 && u <= (double)f->nx - 0.5 && v <= (double)f->ny - 0.5)) {
        return GR_GROUND_OUTSIDE;
    }
    double shares[GR_SOIL_MAP_NAMES + 1] = {0};
    if (map->border <= 0) {
        shares[class_at(map, floor(u + 0.5), floor(v + 0.5))] = 1;
        return pick(shares, map->name_count, mix);
    }
    // Nine points across the width of the border, each interpolated over a cell: continuous for widths of one cell and
    // more.
    const double reach_u = fmax(0, map->border / f->dx - 1) / 3, reach_v = fmax(0, map->border / f->dy - 1) / 3;
    for (int b = -1; b <= 1; b++) {
        for (int a = -1; a <= 1; a++) {
            add_shares(map, u + a * reach_u, v + b * reach_v, 1.0 / 9, shares);
        }
    }
    return pick(shares, map->name_count, mix);
}

static GrStatus read_source(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    (void)log;
    const GrSoilMap *map = context;
    for (int64_t j = 0; j < window.nj; j++) {
        for (int64_t i = 0; i < window.ni; i++) {
            *out++ = map->classes[(window.j0 + j) * map->frame.nx + window.i0 + i];
        }
    }
    return GR_OK;
}

GrStatus gr_soil_map_write(const GrSoilMap *map, const char *path, const GrGeoreference *place, GrErrorLog *log)
{
    GrBuffer legend = {0};
    for (int k = 0; k < map->name_count; k++) {
        if (map->names[k][0] != '\0') {
            gr_buffer_printf(&legend, "%s%d=%s", legend.size > 0 ? " " : "", k + 1, map->names[k]);
        }
    }
    GrRasterWrite how = gr_default_raster_write();
    how.type = "Byte";
    how.nodata = 0;
    how.description = legend.data;
    GrSoilMap copy = *map; // sources are not const
    const GrStatus status =
        legend.failed ? GR_ERROR_MEMORY
                      : gr_raster_write(path, &map->frame, place, (GrSource){.read = read_source, .context = &copy},
                                        &how, NULL, NULL, log);
    gr_buffer_free(&legend);
    return status;
}
