/// Surfaces: sums of terms, and such a sum as a layer of a terrain, generated where it is asked for. A new kind of term
/// is one function and one row in KINDS.
#include "alloc.h"

#include "asset_id.h"
#include "file.h"
#include "messages.h"
#include "number.h"
#include "out_of_memory.h"
#include "processors.h"
#include "random.h"
#include "term.h"
#include "terrain_data.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- sums of terms

enum { MOST_TERMS = 32, TEXT_SIZE = 1024, ROWS_A_TURN = 16 };

static const GrTerm *const KINDS[] = {
    &gr_term_plane,   &gr_term_step,    &gr_term_ramp,   &gr_term_profile, &gr_term_ripples,
    &gr_term_fractal, &gr_term_craters, &gr_term_crater, &gr_term_lander,
};

enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

struct GrSurface {
    const GrTerm *kinds[MOST_TERMS];
    void *states[MOST_TERMS];
    int count;
    GrAssetHash hash; ///< over terms, seed and box
};

const GrTermInfo *gr_surface_kind(int index)
{
    return index >= 0 && index < KIND_COUNT ? &KINDS[index]->info : NULL;
}

static const GrTerm *find_kind(const char *name, GrErrorLog *log)
{
    const char *names[KIND_COUNT];
    for (int k = 0; k < KIND_COUNT; k++) {
        names[k] = KINDS[k]->info.name;
        if (strcmp(name, names[k]) == 0) {
            return KINDS[k];
        }
    }
    gr_error_add(log, GR_ERROR_NAME, (GrLocation){0}, "there is no term '%s'%s", name,
                 gr_text_hint(name, names, KIND_COUNT, NULL).text);
    return NULL;
}

static GrStatus fail_name(const GrTerm *kind, const char *name, GrErrorLog *log)
{
    const char *names[GR_TERM_PARAMETERS + 2];
    int count = 0;
    for (; count < kind->info.parameter_count; count++) {
        names[count] = kind->info.parameters[count].name;
    }
    names[count++] = "seed";
    if (kind->text_name != NULL) {
        names[count++] = kind->text_name;
    }
    return gr_error_add(log, GR_ERROR_FIELD, (GrLocation){.field = kind->info.name}, "has no '%s'%s", name,
                        gr_text_hint(name, names, count, NULL).text);
}

/// What is read from a term's text.
typedef struct Reading {
    double values[GR_TERM_PARAMETERS];
    char text[TEXT_SIZE];
    uint64_t seed;
} Reading;

static GrStatus read_number(const GrTerm *kind, const GrTermParameter *parameter, const char *text, double *out,
                            GrErrorLog *log)
{
    char *end;
    *out = gr_number_read(text, &end);
    if (end == text || *end != '\0' || !(*out >= parameter->lower && *out <= parameter->upper)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = kind->info.name},
                            "%s takes a number from %g to %g, not '%s'", parameter->name, parameter->lower,
                            parameter->upper, text);
    }
    return GR_OK;
}

/// Reads one NAME=VALUE.
static GrStatus read_pair(const GrTerm *kind, char *pair, Reading *out, GrErrorLog *log)
{
    char *equals = strchr(pair, '=');
    if (equals == NULL) {
        return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){.field = kind->info.name}, "takes NAME=VALUE, not '%s'",
                            pair);
    }
    *equals = '\0';
    const char *value = equals + 1;
    if (kind->text_name != NULL && strcmp(pair, kind->text_name) == 0) {
        gr_text_copy(out->text, sizeof out->text, value);
        return GR_OK;
    }
    if (strcmp(pair, "seed") == 0) {
        char *end;
        errno = 0;
        out->seed = strtoull(value, &end, 10);
        return end != value && *end == '\0' && errno == 0
                   ? GR_OK
                   : gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = kind->info.name},
                                  "seed takes a whole number of 0 or more, not '%s'", value);
    }
    for (int k = 0; k < kind->info.parameter_count; k++) {
        if (strcmp(pair, kind->info.parameters[k].name) == 0) {
            return read_number(kind, &kind->info.parameters[k], value, &out->values[k], log);
        }
    }
    return fail_name(kind, pair, log);
}

static GrStatus read_term(const char *term, const GrTerm **kind, Reading *out, GrErrorLog *log)
{
    char text[2 * TEXT_SIZE];
    if (!gr_text_copy(text, sizeof text, term)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0}, "a term of more than %d characters", 2 * TEXT_SIZE);
    }
    char *rest = strchr(text, ':');
    if (rest != NULL) {
        *rest++ = '\0';
    }
    *kind = find_kind(text, log);
    if (*kind == NULL) {
        return GR_ERROR_NAME;
    }
    for (int k = 0; k < (*kind)->info.parameter_count; k++) {
        out->values[k] = (*kind)->info.parameters[k].value;
    }
    while (rest != NULL && *rest != '\0') {
        char *comma = strchr(rest, ',');
        if (comma != NULL) {
            *comma++ = '\0';
        }
        const GrStatus status = read_pair(*kind, rest, out, log);
        if (status != GR_OK) {
            return status;
        }
        rest = comma;
    }
    return GR_OK;
}

bool gr_surface_term_values(const char *term, const char *kind, double *values, int count)
{
    const GrTerm *found = NULL;
    Reading reading = {.seed = 0};
    if (read_term(term, &found, &reading, NULL) != GR_OK || strcmp(found->info.name, kind) != 0 ||
        count > found->info.parameter_count) {
        return false;
    }
    memcpy(values, reading.values, (size_t)count * sizeof *values);
    return true;
}

static GrStatus add_term(GrSurface *surface, const char *term, uint64_t seed, GrBox2 box, GrErrorLog *log)
{
    const int index = surface->count;
    char stream[32];
    snprintf(stream, sizeof stream, "surface term %d", index);
    GrRandom random = gr_random_stream(seed, stream);
    Reading reading = {.seed = gr_random_u64(&random)};
    const GrTerm *kind = NULL;
    GrStatus status = read_term(term, &kind, &reading, log);
    if (status != GR_OK || kind == NULL) {
        return status != GR_OK ? status : GR_ERROR_NAME;
    }
    const GrTermInput input = {reading.values, reading.text, reading.seed, box};
    status = kind->prepare(&input, &surface->states[index], log);
    if (status != GR_OK) {
        return status;
    }
    surface->kinds[index] = kind;
    surface->count++;
    gr_asset_hash_text(&surface->hash, kind->info.name);
    for (int k = 0; k < kind->info.parameter_count; k++) {
        gr_asset_hash_number(&surface->hash, reading.values[k]);
    }
    gr_asset_hash_bytes(&surface->hash, &reading.seed, sizeof reading.seed);
    gr_asset_hash_text(&surface->hash, reading.text);
    // Hash the file's contents, not only its name.
    char *data = NULL;
    size_t size = 0;
    if (kind->text_name != NULL && strcmp(kind->text_name, "file") == 0 &&
        gr_file_read(reading.text, (size_t)64 << 20, &data, &size, NULL) == GR_OK) {
        gr_asset_hash_bytes(&surface->hash, data, size);
    }
    gr_free(data);
    return GR_OK;
}

static GrSurface *make_surface(const char *const *terms, int count, uint64_t seed, GrBox2 box, GrErrorLog *log)
{
    if (count > MOST_TERMS || !(box.x_upper > box.x_lower && box.y_upper > box.y_lower)) {
        gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0}, "a surface has at most %d terms and a box that is not empty",
                     MOST_TERMS);
        return NULL;
    }
    GrSurface *surface = gr_calloc(1, sizeof *surface);
    if (surface == NULL) {
        gr_out_of_memory(log, NULL);
        return NULL;
    }
    surface->hash = gr_asset_hash_begin("surface");
    gr_asset_hash_bytes(&surface->hash, &box, sizeof box);
    for (int k = 0; k < count; k++) {
        const GrStatus status = add_term(surface, terms[k], seed, box, log);
        if (status != GR_OK) {
            if (status == GR_ERROR_MEMORY) {
                gr_out_of_memory(log, NULL);
            }
            gr_surface_free(surface);
            return NULL;
        }
    }
    return surface;
}

GrStatus gr_surface_create(const char *const *terms, int count, uint64_t seed, GrBox2 box, GrSurface **out,
                           GrErrorLog *log)
{
    *out = make_surface(terms, count, seed, box, log);
    return *out != NULL ? GR_OK : gr_messages_last_error(log, GR_ERROR_VALUE);
}

void gr_surface_free(GrSurface *surface)
{
    if (surface == NULL) {
        return;
    }
    for (int k = 0; k < surface->count; k++) {
        if (surface->kinds[k]->destroy != NULL) {
            surface->kinds[k]->destroy(surface->states[k]);
        } else {
            gr_free(surface->states[k]);
        }
    }
    gr_free(surface);
}

double gr_surface_height(const GrSurface *surface, double x, double y)
{
    double sum = 0;
    for (int k = 0; k < surface->count; k++) {
        sum += surface->kinds[k]->height(surface->states[k], x, y);
    }
    return sum;
}

void gr_surface_id(const GrSurface *surface, const GrGridFrame *frame, char id[GR_ASSET_ID_SIZE])
{
    GrAssetHash hash = surface->hash;
    const double numbers[6] = {(double)frame->nx, (double)frame->ny, frame->x0, frame->y0, frame->dx, frame->dy};
    for (int k = 0; k < 6; k++) {
        gr_asset_hash_number(&hash, numbers[k]);
    }
    gr_asset_hash_end(&hash, id);
}

/// Heights of a surface at up to GR_TERM_ROW points (x[k], y), x in ascending order, as gr_surface_height() gives them.
static void surface_row(const GrSurface *surface, const double *x, int count, double y, double *out)
{
    double part[GR_TERM_ROW];
    memset(out, 0, (size_t)count * sizeof *out);
    for (int k = 0; k < surface->count; k++) {
        const GrTerm *kind = surface->kinds[k];
        if (kind->row != NULL) {
            kind->row(surface->states[k], x, count, y, part);
        }
        for (int i = 0; i < count; i++) {
            out[i] += kind->row != NULL ? part[i] : kind->height(surface->states[k], x[i], y);
        }
    }
}

static void bake_rows(const GrSurface *surface, const GrGridFrame *f, GrGridWindow window, double *out)
{
    double x[GR_TERM_ROW];
    for (int j = 0; j < window.nj; j++) {
        const double y = f->y0 + (double)(window.j0 + j) * f->dy;
        for (int first = 0; first < window.ni; first += GR_TERM_ROW) {
            const int count = window.ni - first < GR_TERM_ROW ? window.ni - first : GR_TERM_ROW;
            for (int i = 0; i < count; i++) {
                x[i] = f->x0 + (double)(window.i0 + first + i) * f->dx;
            }
            surface_row(surface, x, count, y, out);
            out += count;
        }
    }
}

typedef struct Bake {
    const GrSurface *surface;
    const GrGridFrame *frame;
    double *heights;
} Bake;

/// Threads take rows in turn. A height depends on its position alone, so their number does not affect the result.
static void bake_share(void *context, int share, int shares)
{
    const Bake *bake = context;
    const GrGridFrame *f = bake->frame;
    for (int64_t j = (int64_t)share * ROWS_A_TURN; j < f->ny; j += (int64_t)shares * ROWS_A_TURN) {
        const int64_t rows = j + ROWS_A_TURN < f->ny ? ROWS_A_TURN : f->ny - j;
        bake_rows(bake->surface, f, (GrGridWindow){0, j, (int)f->nx, (int)rows}, bake->heights + j * f->nx);
    }
}

GrStatus gr_surface_bake(const GrSurface *surface, const GrGridFrame *frame, int threads, double *heights)
{
    Bake bake = {surface, frame, heights};
    gr_share_out(threads < 1 ? 1 : threads, bake_share, &bake);
    return GR_OK;
}

// ---- as a layer of a terrain

/// Tiles of 64 x 64 nodes that a layer keeps, 18 MB: a run asks for most of its ground several times, for its own tiles
/// and for rocks, replay and report.
enum { KEPT_TILES = 512 };
/// Coarser windows would fill tiles with few nodes.
enum { COARSEST_KEPT = 2 };

typedef struct LayerSource {
    GrSurface *surface;
    GrGridFrame frame;
    GrTiles kept; ///< NAN: a node that has not been asked for yet
} LayerSource;

/// The tile that keeps a node; NULL: none. With `add` it is made, if there is room.
static double *find_tile(GrTiles *kept, int64_t i, int64_t j, bool add)
{
    const uint64_t key = gr_tile_key(i >> GR_TILE_SHIFT, j >> GR_TILE_SHIFT);
    double *tile = gr_tiles_use(kept, key);
    if (tile == NULL && add) {
        tile = gr_tiles_add(kept, key);
        for (int k = 0; tile != NULL && k < GR_TILE_CELLS * GR_TILE_CELLS; k++) {
            tile[k] = (double)NAN;
        }
    }
    return tile;
}

/// `count` nodes, up to GR_TERM_ROW, of a row: every `stride`-th from (i, j) on.
static void read_row(LayerSource *source, int64_t i, int64_t j, int count, int stride, double *out)
{
    const GrGridFrame *f = &source->frame;
    double x[GR_TERM_ROW], heights[GR_TERM_ROW], *nodes[GR_TERM_ROW], *tile = NULL;
    int64_t column = -1; // of the tile
    int missing[GR_TERM_ROW], n = 0;
    gr_tiles_begin_round(&source->kept);
    for (int k = 0; k < count; k++) {
        const int64_t at = i + (int64_t)k * stride;
        if (at >> GR_TILE_SHIFT != column) {
            column = at >> GR_TILE_SHIFT;
            tile = find_tile(&source->kept, at, j, stride <= COARSEST_KEPT);
        }
        double *node = tile != NULL ? tile + j % GR_TILE_CELLS * GR_TILE_CELLS + at % GR_TILE_CELLS : NULL;
        out[k] = node != NULL ? *node : (double)NAN;
        if (isnan(out[k])) {
            x[n] = f->x0 + (double)at * f->dx;
            nodes[n] = node;
            missing[n++] = k;
        }
    }
    surface_row(source->surface, x, n, f->y0 + (double)j * f->dy, heights);
    for (int k = 0; k < n; k++) {
        out[missing[k]] = heights[k];
        if (nodes[k] != NULL) {
            *nodes[k] = heights[k];
        }
    }
}

static GrStatus read_every(void *context, GrGridWindow window, int stride, double *out, GrErrorLog *log)
{
    (void)log;
    for (int j = 0; j < window.nj; j++) {
        for (int first = 0; first < window.ni; first += GR_TERM_ROW) {
            const int count = window.ni - first < GR_TERM_ROW ? window.ni - first : GR_TERM_ROW;
            read_row(context, (window.i0 + first) * stride, (window.j0 + j) * stride, count, stride, out);
            out += count;
        }
    }
    return GR_OK;
}

static GrStatus read_layer(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    return read_every(context, window, 1, out, log);
}

static void free_layer(void *context)
{
    LayerSource *source = context;
    gr_tiles_free(&source->kept);
    gr_surface_free(source->surface);
    gr_free(source);
}

GrStatus gr_terrain_add_surface(GrTerrain *terrain, const GrLayerDef *def, GrSurface *surface, GrErrorLog *log)
{
    LayerSource *source = gr_malloc(sizeof *source);
    if (source == NULL || !gr_tiles_init(&source->kept, KEPT_TILES)) {
        gr_free(source);
        gr_surface_free(surface);
        return gr_out_of_memory(log, NULL);
    }
    source->surface = surface;
    source->frame = def->frame;
    return gr_terrain_add_source(terrain, def, (GrSource){read_layer, free_layer, source, read_every}, log);
}
