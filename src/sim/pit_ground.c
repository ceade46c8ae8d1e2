/// Pits that loose rocks press into a grid of ruts: what wheels, bodies and cameras meet where a rock has been.
///
/// As the imprints of wheels (furrow.h) do, a rock presses the nodes that its lower side is below, less what the soil
/// rebounds, and a node keeps the deepest position. A rock that lies where it was at the start has pressed nothing: its
/// bed becomes a pit when it leaves. Fields of thousands of rocks at rest so need no memory.
///
/// The force on the rock itself is that of a plate (stones.h), which displaces as much soil; it does not rise beside
/// the rock.
#include "grounds.h"
#include "rut_ground.h"
#include "ruts.h"
#include "stones.h"

/// A rock has left its bed when it has moved by this part of a cell.
static const double MOVED = 0.1;

typedef struct Presser {
    const GrModel *m;
    GrData *d;
    GrSoftGround soft;
    int tiles; ///< that may be written to
} Presser;

static bool has_left(const Presser *p, const GrPlacedConvex *now, const GrPlacedConvex *start)
{
    return gr_norm(gr_sub(now->position, start->position)) > MOVED * p->m->options.surface.rut_cell;
}

static void count_tiles(void *context, const GrPlacedConvex *now, const GrPlacedConvex *start)
{
    Presser *p = context;
    if (has_left(p, now, start)) {
        const GrBounds b = gr_placed_bounds(now);
        const double tile = GR_RUT_NODES * p->m->options.surface.rut_cell;
        const int across = (int)((b.upper.x - b.lower.x) / tile) + 2, along = (int)((b.upper.y - b.lower.y) / tile) + 2;
        p->tiles += 2 * across * along;
    }
}

/// Corner k of a face in the world; behind the last one comes the first again.
static GrVec3 corner(const GrPlacedConvex *rock, int face, int k)
{
    const GrConvexMesh *mesh = rock->convex->mesh;
    const int at = mesh->starts[face] + k, next = at < mesh->starts[face + 1] ? at : mesh->starts[face];
    return gr_add(rock->position, gr_mat3_mul_vec(&rock->rotation, mesh->vertices[mesh->loops[next]]));
}

/// Whether a point, seen from above, is inside a face that looks down, whose corners then go round clockwise.
static bool is_below(const GrPlacedConvex *rock, int face, double x, double y)
{
    const GrConvexMesh *mesh = rock->convex->mesh;
    for (int k = 0; k < mesh->starts[face + 1] - mesh->starts[face]; k++) {
        const GrVec3 a = corner(rock, face, k), b = corner(rock, face, k + 1);
        if ((b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x) > 0) {
            return false;
        }
    }
    return true;
}

/// Presses node (i, j) down to the height z of a rock.
static void press_node(const Presser *p, int64_t i, int64_t j, double z, double rebound)
{
    const GrSurfaceDef *surface = &p->m->options.surface;
    const double x = (double)i * surface->rut_cell, y = (double)j * surface->rut_cell;
    GrVec3 normal = {0, 0, 1};
    double ground = 0;
    if (surface->height != NULL && !surface->height(surface->context, x, y, &ground, &normal)) {
        return;
    }
    const int at = (int)(j & (GR_RUT_NODES - 1)) * GR_RUT_NODES + (int)(i & (GR_RUT_NODES - 1));
    const int state = at * p->d->ruts->def.state_count + GR_SCM_SINKAGE;
    const GrRutsTileView seen = gr_ruts_tile_find(p->d->ruts, i, j);
    const double change = seen.heights != NULL ? seen.heights[at] : 0, depth = (ground + change - z) * normal.z;
    const double before = seen.states != NULL ? (double)seen.states[state] : 0,
                 after = (1 - rebound) * (before + depth);
    if (!(depth > 0) || !(after > before)) {
        return;
    }
    GrRutsTile tile = gr_ruts_tile_make(p->d->ruts, i, j);
    if (tile.heights == NULL) {
        p->d->scm_ledger->missing++;
        return;
    }
    tile.heights[at] -= (after - before) / normal.z;
    tile.states[state] = (float)after;
}

static void press_face(const Presser *p, const GrPlacedConvex *rock, int face, double rebound)
{
    const GrConvexMesh *mesh = rock->convex->mesh;
    const GrVec3 n = gr_mat3_mul_vec(&rock->rotation, mesh->normals[face]);
    if (!(n.z < 0)) {
        return;
    }
    const GrVec3 first = corner(rock, face, 0);
    double west = INFINITY, east = -INFINITY, south = INFINITY, north = -INFINITY;
    for (int k = 0; k < mesh->starts[face + 1] - mesh->starts[face]; k++) {
        const GrVec3 c = corner(rock, face, k);
        west = fmin(west, c.x), east = fmax(east, c.x), south = fmin(south, c.y), north = fmax(north, c.y);
    }
    const double cell = p->m->options.surface.rut_cell;
    for (int64_t j = (int64_t)ceil(south / cell); (double)j * cell <= north; j++) {
        for (int64_t i = (int64_t)ceil(west / cell); (double)i * cell <= east; i++) {
            const double x = (double)i * cell, y = (double)j * cell;
            if (is_below(rock, face, x, y)) {
                press_node(p, i, j, first.z - (n.x * (x - first.x) + n.y * (y - first.y)) / n.z, rebound);
            }
        }
    }
}

static void press_at(const Presser *p, const GrPlacedConvex *rock)
{
    const GrConvexMesh *mesh = rock->convex->mesh; // all loose bodies are meshes
    GrSoftSoil soil;
    if (!p->soft.at(p->soft.context, rock->position.x, rock->position.y, mesh->radius, &soil)) {
        return;
    }
    for (int face = 0; face < mesh->face_count; face++) {
        press_face(p, rock, face, soil.rebound);
    }
}

static void press(void *context, const GrPlacedConvex *now, const GrPlacedConvex *start)
{
    const Presser *p = context;
    if (has_left(p, now, start)) {
        press_at(p, now);
        if (gr_norm(gr_sub(now->position, start->position)) < now->convex->mesh->radius) {
            press_at(p, start); // its bed
        }
    }
}

static bool is_present(const GrModel *m)
{
    const bool keeps = m->imprint_bodies != NULL || (m->scm_bodies != NULL && m->options.surface.ruts == GR_RUTS_SCM);
    return keeps && m->rigid.world != NULL && gr_rigid_loose_count(m->rigid.world) > 0 &&
           gr_rock_soil(m, NULL).at != NULL;
}

static GrStatus reserve(const GrModel *m, GrData *d)
{
    Presser p = {.m = m, .d = d};
    gr_rigid_visit_loose(m->rigid.world, d->rigid, count_tiles, &p);
    const int wheels = m->scm_bodies != NULL ? gr_grid_tiles(m, d) : gr_rut_tiles(m);
    return p.tiles > 0 ? gr_rut_grid_reserve(d->ruts, wheels + p.tiles) : GR_OK;
}

static GrStatus commit(const GrModel *m, GrData *d, double dt)
{
    (void)dt;
    Presser p = {.m = m, .d = d, .soft = gr_rock_soil(m, NULL)};
    gr_rigid_visit_loose(m->rigid.world, d->rigid, press, &p);
    return GR_OK;
}

const GrGroundInterface gr_pit_ground = {.present = is_present, .reserve = reserve, .commit = commit};
