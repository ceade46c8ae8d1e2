/// The ground of a replay as meshes.
///
/// Windows of the ground come from coarse to fine, and a later one takes precedence inside its frame. Tiles of ruts
/// take precedence over all of them: their nodes are those of the ruts, with the height of the ground below.
///
///     +---------+---------+    a cell of a coarse window is cut where a finer window or a tile begins:
///     |         |    .    |    what remains of it are up to four rectangles, whose corners have
///     |      +--+----.----|    the height of the cell there
///     |      |fine   .    |
///     +------+--+----+----+
#include "alloc.h"
#include "replay_scene_parts.h"
#include "ruts.h"
#include "vec3.h"

#include <math.h>
#include <string.h>

enum { NODES = GR_RUT_NODES, TILE = NODES * NODES, CELLS_MOST = 1 << 26, TILES_MOST = 1 << 20 };

// ---- chunks

GrStatus gr_land_read_ground(GrSceneLand *land, GrScenePayload *p)
{
    GrSceneWindow w = {0};
    w.x = gr_payload_number(p);
    w.y = gr_payload_number(p);
    w.cell = gr_payload_number(p);
    w.z0 = gr_payload_number(p);
    w.quantum = gr_payload_number(p);
    const uint64_t nx = gr_payload_bytes(p, 4), ny = gr_payload_bytes(p, 4);
    if (p->failed || nx < 2 || ny < 2 || nx > CELLS_MOST || nx * ny > (uint64_t)(p->end - p->at) || !(w.cell > 0) ||
        !isfinite(w.x + w.y + w.cell + w.z0 + w.quantum)) {
        return GR_ERROR_VALUE;
    }
    w.nx = (int)nx;
    w.ny = (int)ny;
    w.q = gr_calloc(nx * ny, sizeof *w.q);
    GrSceneWindow *windows = gr_realloc(land->windows, ((size_t)land->window_count + 1) * sizeof *windows);
    land->windows = windows != NULL ? windows : land->windows;
    if (w.q == NULL || windows == NULL) {
        gr_free(w.q);
        return GR_ERROR_MEMORY;
    }
    windows[land->window_count++] = w;
    for (size_t j = 0; j < ny; j++) {
        for (size_t i = 0; i < nx; i++) {
            const size_t k = j * nx + i;
            // unsigned: a damaged file must not overflow
            const uint64_t west = i > 0 ? (uint64_t)w.q[k - 1] : 0, south = j > 0 ? (uint64_t)w.q[k - nx] : 0;
            const uint64_t corner = i > 0 && j > 0 ? (uint64_t)w.q[k - nx - 1] : 0;
            w.q[k] = (int64_t)((uint64_t)gr_payload_signed(p) + west + south - corner);
        }
    }
    return p->failed ? GR_ERROR_VALUE : GR_OK;
}

GrStatus gr_land_read_soils(GrSceneLand *land, GrScenePayload *p)
{
    GrSceneSoils s = {0};
    s.x = gr_payload_number(p);
    s.y = gr_payload_number(p);
    s.cell = gr_payload_number(p);
    const uint64_t nx = gr_payload_bytes(p, 4), ny = gr_payload_bytes(p, 4);
    if (p->failed || nx < 1 || ny < 1 || nx > CELLS_MOST || ny > CELLS_MOST || nx * ny > (uint64_t)(p->end - p->at) ||
        !(s.cell > 0)) {
        return GR_ERROR_VALUE;
    }
    s.nx = (int)nx;
    s.ny = (int)ny;
    s.classes = gr_malloc(nx * ny);
    if (s.classes == NULL) {
        return GR_ERROR_MEMORY;
    }
    memcpy(s.classes, p->at, nx * ny);
    gr_free(land->soils.classes);
    land->soils = s;
    return GR_OK;
}

static size_t slot_of(const GrSceneLand *land, int ti, int tj)
{
    const uint64_t hash = ((uint64_t)(uint32_t)ti << 32 | (uint32_t)tj) * 0x9E3779B97F4A7C15u;
    size_t at = (size_t)(hash >> 32) & (size_t)(land->table_size - 1);
    while (land->table[at] >= 0 && (land->tiles[land->table[at]].ti != ti || land->tiles[land->table[at]].tj != tj)) {
        at = (at + 1) & (size_t)(land->table_size - 1);
    }
    return at;
}

/// NULL: there is none.
static const GrSceneTile *find_tile(const GrSceneLand *land, int64_t ti, int64_t tj)
{
    if (land->table_size == 0 || ti < INT32_MIN || ti > INT32_MAX || tj < INT32_MIN || tj > INT32_MAX) {
        return NULL;
    }
    const int index = land->table[slot_of(land, (int)ti, (int)tj)];
    return index >= 0 ? &land->tiles[index] : NULL;
}

static bool grow_tiles(GrSceneLand *land)
{
    const int capacity = land->tile_capacity > 0 ? 2 * land->tile_capacity : 64;
    GrSceneTile *tiles = gr_realloc(land->tiles, (size_t)capacity * sizeof *tiles);
    land->tiles = tiles != NULL ? tiles : land->tiles;
    int *table = gr_realloc(land->table, 4 * (size_t)capacity * sizeof *table);
    land->table = table != NULL ? table : land->table;
    if (tiles == NULL || table == NULL) {
        return false;
    }
    land->tile_capacity = capacity;
    land->table_size = 4 * capacity;
    memset(table, 0xff, 4 * (size_t)capacity * sizeof *table);
    for (int i = 0; i < land->tile_count; i++) {
        table[slot_of(land, tiles[i].ti, tiles[i].tj)] = i;
    }
    return true;
}

/// NULL when out of memory.
static GrSceneTile *make_tile(GrSceneLand *land, int ti, int tj)
{
    const GrSceneTile *found = find_tile(land, ti, tj);
    if (found != NULL) {
        return &land->tiles[found - land->tiles];
    }
    float *rises = gr_calloc((size_t)land->stages * TILE, sizeof *rises);
    if (rises == NULL || (land->tile_count == land->tile_capacity && !grow_tiles(land))) {
        gr_free(rises);
        return NULL;
    }
    land->table[slot_of(land, ti, tj)] = land->tile_count;
    GrSceneTile *tile = &land->tiles[land->tile_count++];
    *tile = (GrSceneTile){ti, tj, rises, 0};
    return tile;
}

GrStatus gr_land_read_ruts(GrSceneLand *land, GrScenePayload *p, double end)
{
    const double time = gr_payload_number(p);
    const uint64_t count = gr_payload_bytes(p, 4);
    const double part = end > 0 ? time / end * land->stages : 0;
    const int stage = part > 0 ? (int)fmin(part, land->stages - 1) : 0;
    if (!(land->rut_cell > 0) || count > TILES_MOST) {
        return GR_ERROR_VALUE;
    }
    for (uint64_t k = 0; k < count; k++) {
        const int ti = (int)(int32_t)gr_payload_bytes(p, 4), tj = (int)(int32_t)gr_payload_bytes(p, 4);
        if (p->failed) {
            return GR_ERROR_VALUE;
        }
        GrSceneTile *tile = make_tile(land, ti, tj);
        if (tile == NULL) {
            return GR_ERROR_MEMORY;
        }
        float *rises = tile->rises + (size_t)stage * TILE;
        for (int i = 0; i < TILE && !p->failed; i++) {
            const int64_t change = gr_payload_signed(p);
            rises[i] += (float)((double)change * land->rut_quantum);
            if (change == 0) { // and its number of zeros more
                i += (int)fmin((double)gr_payload_varint(p), TILE);
            }
        }
    }
    return p->failed ? GR_ERROR_VALUE : GR_OK;
}

void gr_land_free(GrSceneLand *land)
{
    for (int i = 0; i < land->window_count; i++) {
        gr_free(land->windows[i].q);
    }
    for (int i = 0; i < land->tile_count; i++) {
        gr_free(land->tiles[i].rises);
    }
    gr_free(land->windows);
    gr_free(land->soils.classes);
    gr_free(land->tiles);
    gr_free(land->table);
    *land = (GrSceneLand){0};
}

// ---- heights

static GrBox2 box_of(const GrSceneWindow *w)
{
    return (GrBox2){w->x, w->y, w->x + (w->nx - 1) * w->cell, w->y + (w->ny - 1) * w->cell};
}

static bool holds(const GrBox2 *box, double x, double y)
{
    return x >= box->x_lower && x <= box->x_upper && y >= box->y_lower && y <= box->y_upper;
}

static double node_height(const GrSceneWindow *w, int64_t i, int64_t j)
{
    const int64_t q = w->q[j * w->nx + i];
    return q != 0 ? w->z0 + w->quantum * (double)(q - 1) : (double)NAN;
}

static int64_t clamp_index(double u, int count)
{
    return u < 0 ? 0 : u > count - 2 ? count - 2 : (int64_t)u;
}

/// Height of a window at a point, which is moved into it; NaN: no ground.
static double window_height(const GrSceneWindow *w, double x, double y)
{
    const double u = fmin(fmax((x - w->x) / w->cell, 0), w->nx - 1), v = fmin(fmax((y - w->y) / w->cell, 0), w->ny - 1);
    const int64_t i = clamp_index(u, w->nx), j = clamp_index(v, w->ny);
    const double a = u - (double)i, b = v - (double)j;
    return (1 - b) * ((1 - a) * node_height(w, i, j) + a * node_height(w, i + 1, j)) +
           b * ((1 - a) * node_height(w, i, j + 1) + a * node_height(w, i + 1, j + 1));
}

/// The finest window before `end` at a point; NULL: there is none.
static const GrSceneWindow *window_at(const GrSceneLand *land, int end, double x, double y)
{
    for (int k = end - 1; k >= 0; k--) {
        const GrBox2 box = box_of(&land->windows[k]);
        if (holds(&box, x, y)) {
            return &land->windows[k];
        }
    }
    return NULL;
}

static double ground_height(const GrSceneLand *land, double x, double y)
{
    const GrSceneWindow *w = window_at(land, land->window_count, x, y);
    return w != NULL ? window_height(w, x, y) : (double)NAN;
}

static int soil_at(const GrSceneLand *land, double x, double y)
{
    const GrSceneSoils *s = &land->soils;
    if (s->classes == NULL) {
        return 0;
    }
    const double i = fmin(fmax(rint((x - s->x) / s->cell), 0), s->nx - 1);
    const double j = fmin(fmax(rint((y - s->y) / s->cell), 0), s->ny - 1);
    const int class = s->classes[(size_t)j * (size_t)s->nx + (size_t)i];
    return class == 255 ? -1 : class;
}

// ---- vertices

typedef struct Build {
    GrSceneLand *land;
    GrSceneGround *to;
    GrVec3 origin;
    int stages; ///< of `to`
    const GrSceneWindow *window;
    int next;    ///< the first window that takes precedence over it
    int *shared; ///< vertices of its nodes; −1: not made
    bool failed;
} Build;

static GrVec3 normal_of(double gx, double gy)
{
    return gr_normalize(gr_vec3(isfinite(gx) ? -gx : 0, isfinite(gy) ? -gy : 0, 1));
}

static bool make_room(GrSceneGround *g, int stages)
{
    const int capacity = g->capacity > 0 ? 2 * g->capacity : 1024;
    const size_t n = (size_t)capacity;
    bool good = true;
    GrVec3 *normals = gr_realloc(g->normals, n * sizeof *normals);
    g->normals = normals != NULL ? normals : g->normals;
    int *soils = gr_realloc(g->soils, n * sizeof *soils);
    g->soils = soils != NULL ? soils : g->soils;
    good = normals != NULL && soils != NULL;
    for (int k = 0; k < stages && good; k++) {
        double *rises = gr_realloc(g->rises[k], n * sizeof *rises);
        g->rises[k] = rises != NULL ? rises : g->rises[k];
        GrVec3 *bare = gr_realloc(g->bare[k], n * sizeof *bare);
        g->bare[k] = bare != NULL ? bare : g->bare[k];
        good = rises != NULL && bare != NULL;
    }
    g->capacity = good ? capacity : g->capacity;
    return good;
}

static int add_vertex(Build *b, GrVec3 p, GrVec3 normal)
{
    GrSceneGround *g = b->to;
    if (g->mesh.vertex_count == g->capacity && !make_room(g, b->stages)) {
        b->failed = true;
        return 0;
    }
    const int v = gr_surface_mesh_vertex(&g->mesh, gr_sub(p, b->origin));
    if (g->mesh.failed) {
        b->failed = true;
        return 0;
    }
    g->normals[v] = normal;
    g->soils[v] = soil_at(b->land, p.x, p.y);
    return v;
}

static int window_vertex(Build *b, double x, double y)
{
    const GrSceneWindow *w = b->window;
    const double h = w->cell;
    return add_vertex(b, gr_vec3(x, y, window_height(w, x, y)),
                      normal_of((window_height(w, x + h, y) - window_height(w, x - h, y)) / (2 * h),
                                (window_height(w, x, y + h) - window_height(w, x, y - h)) / (2 * h)));
}

static int shared_vertex(Build *b, int64_t i, int64_t j)
{
    const GrSceneWindow *w = b->window;
    int *at = &b->shared[j * w->nx + i];
    if (*at < 0) {
        *at = window_vertex(b, w->x + (double)i * w->cell, w->y + (double)j * w->cell);
    }
    return *at;
}

// ---- cells without what finer windows and ruts cover

enum { BLOCK = 8, BLOCKS = NODES / BLOCK }; // cells of a block, blocks along a tile

static bool block_is_active(const GrSceneLand *land, int64_t bi, int64_t bj)
{
    const GrSceneTile *tile = find_tile(land, bi >> 2, bj >> 2);
    return tile != NULL && (tile->active >> (4 * (bj & 3) + (bi & 3)) & 1) != 0;
}

/// Whether a range of blocks has one that is active; looks at the tiles where these are fewer.
static bool any_active(const GrSceneLand *land, int64_t i0, int64_t i1, int64_t j0, int64_t j1)
{
    if ((double)(i1 - i0 + 1) * (double)(j1 - j0 + 1) <= BLOCKS * BLOCKS * (double)land->tile_count) {
        for (int64_t j = j0; j <= j1; j++) {
            for (int64_t i = i0; i <= i1; i++) {
                if (block_is_active(land, i, j)) {
                    return true;
                }
            }
        }
        return false;
    }
    for (int k = 0; k < land->tile_count; k++) {
        const GrSceneTile *t = &land->tiles[k];
        for (int b = 0; b < BLOCKS * BLOCKS; b++) {
            const int64_t bi = (int64_t)t->ti * BLOCKS + b % BLOCKS, bj = (int64_t)t->tj * BLOCKS + b / BLOCKS;
            if ((t->active >> b & 1) != 0 && bi >= i0 && bi <= i1 && bj >= j0 && bj <= j1) {
                return true;
            }
        }
    }
    return false;
}

static void put_rectangle(Build *b, const GrBox2 *r, int64_t i, int64_t j)
{
    const GrSceneWindow *w = b->window;
    const double x = w->x + (double)i * w->cell, y = w->y + (double)j * w->cell;
    const bool whole = r->x_lower == x && r->y_lower == y && r->x_upper == x + w->cell && r->y_upper == y + w->cell;
    if (whole) {
        gr_surface_mesh_quad(&b->to->mesh, shared_vertex(b, i, j), shared_vertex(b, i + 1, j),
                             shared_vertex(b, i + 1, j + 1), shared_vertex(b, i, j + 1));
    } else {
        const int c[4] = {window_vertex(b, r->x_lower, r->y_lower), window_vertex(b, r->x_upper, r->y_lower),
                          window_vertex(b, r->x_upper, r->y_upper), window_vertex(b, r->x_lower, r->y_upper)};
        gr_surface_mesh_quad(&b->to->mesh, c[0], c[1], c[2], c[3]);
    }
}

/// Halves a rectangle along the borders of blocks until each part is free of ruts or inside a block.
static void put_without_ruts(Build *b, const GrBox2 *r, int64_t i, int64_t j)
{
    static const double SLACK = 1e-6;
    const double side = b->land->rut_cell * BLOCK;
    if (b->land->tile_count == 0) {
        put_rectangle(b, r, i, j);
        return;
    }
    const int64_t i0 = (int64_t)floor(r->x_lower / side + SLACK), i1 = (int64_t)ceil(r->x_upper / side - SLACK) - 1;
    const int64_t j0 = (int64_t)floor(r->y_lower / side + SLACK), j1 = (int64_t)ceil(r->y_upper / side - SLACK) - 1;
    if (!any_active(b->land, i0, i1, j0, j1)) {
        put_rectangle(b, r, i, j);
    } else if (i1 > i0 || j1 > j0) {
        const bool across = i1 - i0 >= j1 - j0;
        const double cut = side * (double)(across ? i0 + (i1 - i0 + 1) / 2 : j0 + (j1 - j0 + 1) / 2);
        GrBox2 low = *r, high = *r;
        *(across ? &low.x_upper : &low.y_upper) = cut;
        *(across ? &high.x_lower : &high.y_lower) = cut;
        put_without_ruts(b, &low, i, j);
        put_without_ruts(b, &high, i, j);
    }
}

/// Cuts a rectangle of a cell where windows from `next` on lie over it.
static void put_part(Build *b, const GrBox2 *r, int next, int64_t i, int64_t j)
{
    for (int k = next; k < b->land->window_count; k++) {
        const GrBox2 f = box_of(&b->land->windows[k]);
        if (f.x_upper <= r->x_lower || f.x_lower >= r->x_upper || f.y_upper <= r->y_lower || f.y_lower >= r->y_upper) {
            continue;
        }
        const double x0 = fmax(r->x_lower, f.x_lower), x1 = fmin(r->x_upper, f.x_upper);
        const GrBox2 parts[4] = {{r->x_lower, r->y_lower, x0, r->y_upper},
                                 {x1, r->y_lower, r->x_upper, r->y_upper},
                                 {x0, r->y_lower, x1, f.y_lower},
                                 {x0, f.y_upper, x1, r->y_upper}};
        for (int p = 0; p < 4; p++) {
            if (parts[p].x_upper - parts[p].x_lower > 1e-9 && parts[p].y_upper - parts[p].y_lower > 1e-9) {
                put_part(b, &parts[p], k + 1, i, j);
            }
        }
        return;
    }
    put_without_ruts(b, r, i, j);
}

static void put_window(Build *b)
{
    const GrSceneWindow *w = b->window;
    for (int64_t j = 0; j + 1 < w->ny && !b->failed; j++) {
        for (int64_t i = 0; i + 1 < w->nx && !b->failed; i++) {
            const double sum = node_height(w, i, j) + node_height(w, i + 1, j) + node_height(w, i, j + 1) +
                               node_height(w, i + 1, j + 1);
            const double x = w->x + (double)i * w->cell, y = w->y + (double)j * w->cell;
            const GrBox2 cell = {x, y, x + w->cell, y + w->cell};
            if (isfinite(sum)) {
                put_part(b, &cell, b->next, i, j);
            }
        }
    }
}

/// Closes the gap between the border of a fine window and the coarser ground around it.
static void put_seam(Build *b, double x0, double y0, double x1, double y1)
{
    static const double GAP = 1e-3;
    const GrSceneLand *land = b->land;
    const GrSceneWindow *w = b->window, *coarse = window_at(land, b->next - 1, 0.5 * (x0 + x1), 0.5 * (y0 + y1));
    const GrSceneWindow *finest = window_at(land, land->window_count, 0.5 * (x0 + x1), 0.5 * (y0 + y1));
    if (coarse == NULL || finest != w) {
        return;
    }
    const double a = window_height(w, x0, y0), c = window_height(w, x1, y1);
    const double a_far = window_height(coarse, x0, y0), c_far = window_height(coarse, x1, y1);
    if (fabs(a - a_far) + fabs(c - c_far) > GAP) { // not for NaN
        const GrVec3 up = {0, 0, 1};
        gr_surface_mesh_quad(&b->to->mesh, add_vertex(b, gr_vec3(x0, y0, a), up), add_vertex(b, gr_vec3(x1, y1, c), up),
                             add_vertex(b, gr_vec3(x1, y1, c_far), up), add_vertex(b, gr_vec3(x0, y0, a_far), up));
    }
}

static void put_seams(Build *b)
{
    const GrSceneWindow *w = b->window;
    const GrBox2 box = box_of(w);
    for (int i = 0; i + 1 < w->nx && !b->failed; i++) {
        put_seam(b, w->x + i * w->cell, box.y_lower, w->x + (i + 1) * w->cell, box.y_lower);
        put_seam(b, w->x + i * w->cell, box.y_upper, w->x + (i + 1) * w->cell, box.y_upper);
    }
    for (int j = 0; j + 1 < w->ny && !b->failed; j++) {
        put_seam(b, box.x_lower, w->y + j * w->cell, box.x_lower, w->y + (j + 1) * w->cell);
        put_seam(b, box.x_upper, w->y + j * w->cell, box.x_upper, w->y + (j + 1) * w->cell);
    }
}

// ---- ruts

static double rise_at(const GrSceneLand *land, int stage, int64_t i, int64_t j)
{
    const GrSceneTile *tile = find_tile(land, i >> GR_RUT_SHIFT, j >> GR_RUT_SHIFT);
    return tile != NULL ? (double)tile->rises[stage * TILE + (j & (NODES - 1)) * NODES + (i & (NODES - 1))] : 0;
}

static double total_rise(const GrSceneLand *land, int64_t i, int64_t j)
{
    double sum = 0;
    for (int k = 0; k < land->stages; k++) {
        sum += rise_at(land, k, i, j);
    }
    return sum;
}

/// Cells west and south of a tile's first nodes belong to other tiles, which may not be there yet.
static bool complete_tiles(GrSceneLand *land)
{
    const int count = land->tile_count;
    for (int k = 0; k < count; k++) {
        const int ti = land->tiles[k].ti, tj = land->tiles[k].tj;
        bool west = false, south = false;
        for (int i = 0; i < land->stages * TILE; i++) {
            const bool changed = land->tiles[k].rises[i] != 0;
            west = west || (changed && i % NODES == 0);
            south = south || (changed && i % TILE < NODES);
        }
        if ((west && make_tile(land, ti - 1, tj) == NULL) || (south && make_tile(land, ti, tj - 1) == NULL) ||
            (west && south && make_tile(land, ti - 1, tj - 1) == NULL)) {
            return false;
        }
    }
    return true;
}

/// A block is active where a node of it, borders included, was changed at any time.
static void find_active(GrSceneLand *land)
{
    for (int k = 0; k < land->tile_count; k++) {
        GrSceneTile *t = &land->tiles[k];
        for (int b = 0; b < BLOCKS * BLOCKS; b++) {
            const int64_t i0 = (int64_t)t->ti * NODES + b % BLOCKS * BLOCK,
                          j0 = (int64_t)t->tj * NODES + b / BLOCKS * BLOCK;
            bool changed = false;
            for (int n = 0; n < (BLOCK + 1) * (BLOCK + 1) * land->stages && !changed; n++) {
                const int c = n / land->stages;
                changed = rise_at(land, n % land->stages, i0 + c % (BLOCK + 1), j0 + c / (BLOCK + 1)) != 0;
            }
            t->active |= (unsigned)changed << b;
        }
    }
}

/// Height with all ruts; NaN: no ground.
static double rutted_height(const GrSceneLand *land, int64_t i, int64_t j)
{
    return ground_height(land, (double)i * land->rut_cell, (double)j * land->rut_cell) + total_rise(land, i, j);
}

static int rut_vertex(Build *b, int64_t i, int64_t j)
{
    const GrSceneLand *land = b->land;
    const double h = land->rut_cell;
    const double gx = (rutted_height(land, i + 1, j) - rutted_height(land, i - 1, j)) / (2 * h);
    const double gy = (rutted_height(land, i, j + 1) - rutted_height(land, i, j - 1)) / (2 * h);
    const GrVec3 p = {(double)i * h, (double)j * h, rutted_height(land, i, j)};
    const int v = add_vertex(b, p, normal_of(gx, gy));
    for (int k = 0; k < b->stages && !b->failed; k++) {
        const double rx = (rise_at(land, k, i + 1, j) - rise_at(land, k, i - 1, j)) / (2 * h);
        const double ry = (rise_at(land, k, i, j + 1) - rise_at(land, k, i, j - 1)) / (2 * h);
        b->to->rises[k][v] = rise_at(land, k, i, j);
        b->to->bare[k][v] = normal_of(gx - rx, gy - ry);
    }
    return v;
}

static void put_block(Build *b, int64_t i0, int64_t j0)
{
    int v[(BLOCK + 1) * (BLOCK + 1)];
    for (int n = 0; n < (BLOCK + 1) * (BLOCK + 1); n++) {
        const int64_t i = i0 + n % (BLOCK + 1), j = j0 + n / (BLOCK + 1);
        v[n] = isfinite(rutted_height(b->land, i, j)) ? rut_vertex(b, i, j) : -1;
    }
    for (int n = 0; n < BLOCK * BLOCK; n++) {
        const int *c = v + n / BLOCK * (BLOCK + 1) + n % BLOCK;
        if (c[0] >= 0 && c[1] >= 0 && c[BLOCK + 1] >= 0 && c[BLOCK + 2] >= 0) {
            gr_surface_mesh_quad(&b->to->mesh, c[0], c[1], c[BLOCK + 2], c[BLOCK + 1]);
        }
    }
}

bool gr_land_mesh(GrSceneLand *land, int stages, GrReplayScene *scene)
{
    if (!complete_tiles(land)) {
        return false;
    }
    find_active(land);
    Build b = {.land = land, .to = &scene->ground, .origin = scene->origin};
    for (int k = 0; k < land->window_count && !b.failed; k++) {
        b.window = &land->windows[k];
        b.next = k + 1;
        const size_t nodes = (size_t)b.window->nx * (size_t)b.window->ny;
        b.shared = gr_malloc(nodes * sizeof *b.shared);
        b.failed = b.shared == NULL;
        if (!b.failed) {
            memset(b.shared, 0xff, nodes * sizeof *b.shared);
            put_window(&b);
            put_seams(&b);
        }
        gr_free(b.shared);
    }
    b.to = &scene->ruts;
    b.stages = stages;
    b.to->rises = gr_calloc((size_t)stages + 1, sizeof *b.to->rises);
    b.to->bare = gr_calloc((size_t)stages + 1, sizeof *b.to->bare); // NOLINT(bugprone-sizeof-expression): pointers
    b.failed = b.failed || b.to->rises == NULL || b.to->bare == NULL;
    for (int k = 0; k < land->tile_count && !b.failed; k++) {
        const GrSceneTile *t = &land->tiles[k];
        for (int n = 0; n < BLOCKS * BLOCKS && !b.failed; n++) {
            if ((t->active >> n & 1) != 0) {
                put_block(&b, (int64_t)t->ti * NODES + n % BLOCKS * BLOCK, (int64_t)t->tj * NODES + n / BLOCKS * BLOCK);
            }
        }
    }
    return !b.failed && !scene->ground.mesh.failed && !scene->ruts.mesh.failed;
}
