/// Opens rasters: text grids, files of plain nodes (raster_nodes.h), and what GDAL reads (raster_gdal.h).
#include "raster_nodes.h"

#include "alloc.h"
#include "file.h"
#include "out_of_memory.h"
#include "parts.h"
#include "raster.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

// ---- files of plain nodes

static const char MAGIC[8] = {'G', 'R', 'N', 'O', 'D', 'E', 'S', '1'};

enum { TEXTS = 3, NUMBERS = 8, TEXT_MAX = 1 << 20 };

static const size_t LARGEST = sizeof(double) * (size_t)GR_RASTER_NODES_MAX + ((size_t)4 << 20);

typedef struct Header {
    char magic[8];
    double one; ///< 1: numbers have this machine's order of bytes
    int64_t nx, ny;
    double numbers[NUMBERS]; ///< x0 … inverse flattening
    int64_t lengths[TEXTS];
} Header;

bool gr_raster_find_nodes(const char *path, char nodes[GR_FILE_PATH_SIZE])
{
    return snprintf(nodes, GR_FILE_PATH_SIZE, "%s%s", path, GR_NODES_SUFFIX) < GR_FILE_PATH_SIZE &&
           !gr_file_exists(path) && gr_file_exists(nodes);
}

static size_t padded(int64_t length)
{
    return ((size_t)length + 7) / 8 * 8;
}

static void put_text(GrBuffer *out, const char *text)
{
    static const char ZEROS[8] = {0};
    const size_t length = strlen(text);
    gr_buffer_add(out, text, length);
    gr_buffer_add(out, ZEROS, padded((int64_t)length) - length);
}

GrStatus gr_raster_nodes_write(const GrRaster *raster, const char *path, GrBuffer *out, GrErrorLog *log)
{
    const GrGridFrame *f = &raster->frame;
    const GrGeoreference *p = &raster->place;
    const char *const texts[TEXTS] = {p->crs != NULL ? p->crs : "", p->body, raster->description};
    if ((double)f->nx * (double)f->ny > GR_RASTER_NODES_MAX) {
        return gr_error_add(
            log, GR_ERROR_VALUE, (GrLocation){.file = path},
            "has %lld x %lld nodes, allowed: %d in all; take a part of it (terrain: window) or a coarser map",
            (long long)f->nx, (long long)f->ny, (int)GR_RASTER_NODES_MAX);
    }
    Header header = {.one = 1, .nx = f->nx, .ny = f->ny};
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    const double numbers[NUMBERS] = {f->x0,          f->y0,           f->dx,     f->dy,
                                     p->origin_east, p->origin_north, p->radius, p->inverse_flattening};
    memcpy(header.numbers, numbers, sizeof numbers);
    for (int i = 0; i < TEXTS; i++) {
        header.lengths[i] = (int64_t)strlen(texts[i]);
    }
    gr_buffer_add(out, (const char *)&header, sizeof header);
    for (int i = 0; i < TEXTS; i++) {
        put_text(out, texts[i]);
    }
    double *row = gr_malloc(sizeof *row * (size_t)f->nx);
    GrStatus status = row != NULL ? GR_OK : GR_ERROR_MEMORY;
    for (int64_t j = 0; j < f->ny && status == GR_OK; j++) {
        status = raster->source.read(raster->source.context, (GrGridWindow){0, j, (int)f->nx, 1}, row, log);
        gr_buffer_add(out, (const char *)row, sizeof *row * (size_t)f->nx);
    }
    gr_free(row);
    return status == GR_ERROR_MEMORY || out->failed ? gr_out_of_memory(log, path) : status;
}

/// Heights in memory: the file as it was read.
typedef struct Nodes {
    char *file;
    const char *heights; ///< in `file`
    int64_t nx;
} Nodes;

static GrStatus read_nodes(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    (void)log;
    const Nodes *nodes = context;
    for (int64_t j = 0; j < window.nj; j++) {
        const size_t first = (size_t)((window.j0 + j) * nodes->nx + window.i0);
        memcpy(out + j * window.ni, nodes->heights + sizeof(double) * first, sizeof(double) * (size_t)window.ni);
    }
    return GR_OK;
}

static void free_nodes(void *context)
{
    Nodes *nodes = context;
    gr_free(nodes->file);
    gr_free(nodes);
}

/// Whether header, texts and heights make up the whole file.
static bool is_whole(const char *data, size_t size, Header *h)
{
    if (size < sizeof *h) {
        return false;
    }
    memcpy(h, data, sizeof *h);
    bool sound = memcmp(h->magic, MAGIC, sizeof MAGIC) == 0 && h->one == 1 && h->nx >= 2 && h->ny >= 2 &&
                 h->nx <= GR_RASTER_NODES_MAX && h->ny <= GR_RASTER_NODES_MAX / h->nx;
    size_t needed = sizeof *h;
    for (int i = 0; i < TEXTS && sound; i++) {
        sound = h->lengths[i] >= 0 && h->lengths[i] <= TEXT_MAX;
        needed += sound ? padded(h->lengths[i]) : 0;
    }
    for (int i = 0; i < NUMBERS && sound; i++) {
        sound = isfinite(h->numbers[i]);
    }
    return sound && h->numbers[2] > 0 && h->numbers[3] > 0 &&
           size == needed + sizeof(double) * (size_t)h->nx * (size_t)h->ny;
}

static char *text_at(const char **at, int64_t length)
{
    char *text = gr_malloc((size_t)length + 1);
    if (text != NULL) {
        memcpy(text, *at, (size_t)length);
        text[length] = '\0';
    }
    *at += padded(length);
    return text;
}

/// Opens such a file; the options of the raster that it stands for are not needed again.
static GrStatus raster_open_nodes(const char *path, GrRaster *out, GrErrorLog *log)
{
    char *data = NULL;
    size_t size = 0;
    Header h;
    const GrStatus status = gr_file_read(path, LARGEST, &data, &size, log);
    if (status != GR_OK || !is_whole(data, size, &h)) {
        gr_free(data);
        return status != GR_OK ? status
                               : gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){.file = path},
                                              "is damaged, or was written on another kind of machine");
    }
    const char *at = data + sizeof h;
    char *crs = text_at(&at, h.lengths[0]), *body = text_at(&at, h.lengths[1]), *about = text_at(&at, h.lengths[2]);
    Nodes *nodes = gr_malloc(sizeof *nodes);
    const bool good = crs != NULL && body != NULL && about != NULL && nodes != NULL;
    if (good) {
        *nodes = (Nodes){data, at, h.nx};
        const double *n = h.numbers;
        out->frame = (GrGridFrame){h.nx, h.ny, n[0], n[1], n[2], n[3]};
        out->place = (GrGeoreference){
            .crs = crs, .origin_east = n[4], .origin_north = n[5], .radius = n[6], .inverse_flattening = n[7]};
        gr_text_copy(out->place.body, sizeof out->place.body, body);
        gr_text_copy(out->description, sizeof out->description, about);
        out->has_crs = crs[0] != '\0';
        out->file_columns = (double)h.nx;
        out->file_rows = (double)h.ny;
        snprintf(out->driver, sizeof out->driver, "nodes");
        snprintf(out->type, sizeof out->type, "Float64");
        out->source = (GrSource){.read = read_nodes, .free = free_nodes, .context = nodes};
    } else {
        gr_free(crs);
        gr_free(nodes);
        gr_free(data);
    }
    gr_free(body);
    gr_free(about);
    return good ? GR_OK : gr_out_of_memory(log, path);
}

// ---- any raster

static bool has_extension(const char *path, const char *extension)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && strcasecmp(dot + 1, extension) == 0;
}

GrStatus gr_raster_open(const char *path, const GrRasterOptions *options, GrRaster *out, GrErrorLog *log)
{
    *out = (GrRaster){.lon = NAN, .lat = NAN, .nodata = NAN, .scale = 1, .overview = 1};
    struct stat info;
    const GrLocation at = {.file = path};
    char nodes[GR_FILE_PATH_SIZE];
    if (gr_raster_find_nodes(path, nodes)) {
        return raster_open_nodes(nodes, out, log);
    }
    // A path that is not a file may still be valid for GDAL (/vsizip/…), which looks at it below where that is allowed.
    const bool is_virtual = strncmp(path, "/vsi", 4) == 0;
    if (stat(path, &info) != 0 && !is_virtual) {
        return gr_error_add(log, GR_ERROR_FILE, at, "cannot be read: %s", strerror(errno));
    }
    if (!is_virtual && S_ISREG(info.st_mode) && info.st_size == 0) {
        return gr_error_add(log, GR_ERROR_FILE, at, "is empty: it has no bytes");
    }
    if (options->band < 1) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "bands count from 1, not %d", options->band);
    }
    const bool text = has_extension(path, "csv") || has_extension(path, "xyz") || has_extension(path, "txt");
    const GrStatus status =
        text ? gr_raster_open_text(path, options, out, log) : gr_raster_open_gdal(path, options, out, log);
    if (status != GR_OK) {
        gr_raster_close(out);
    }
    return status;
}

#ifndef GR_WITH_GDAL

GrStatus gr_raster_open_gdal(const char *path, const GrRasterOptions *options, GrRaster *out, GrErrorLog *log)
{
    (void)options, (void)out;
    return gr_part_missing("GDAL", (GrLocation){.file = path}, log);
}

GrStatus gr_raster_write(const char *path, const GrGridFrame *frame, const GrGeoreference *place, GrSource source,
                         const GrRasterWrite *how, GrProgressFn progress, void *progress_context, GrErrorLog *log)
{
    (void)frame, (void)place, (void)source, (void)how, (void)progress, (void)progress_context;
    return gr_part_missing("GDAL", (GrLocation){.file = path}, log);
}

GrStatus gr_picture_write(const char *path, const unsigned char *pixels, int width, int height, GrErrorLog *log)
{
    (void)pixels, (void)width, (void)height;
    return gr_part_missing("GDAL", (GrLocation){.file = path}, log);
}

GrStatus gr_georeference_convert(const GrGeoreference *place, bool to_lonlat, double (*points)[2], int count,
                                 GrErrorLog *log)
{
    (void)place, (void)to_lonlat, (void)points, (void)count;
    return gr_part_missing("GDAL", (GrLocation){.field = "longitude and latitude"}, log);
}

bool gr_raster_same_crs(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

void gr_raster_expect_readers(int count)
{
    (void)count;
}

#endif
