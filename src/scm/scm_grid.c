/// Prepares bodies for SCM: lists of touched nodes, the box of nodes around a body, and the descriptor of the law.
#include "scm.h"

#include "alloc.h"
#include "bearing.h"
#include "elementary.h"
#include "law.h"
#include "ruts.h"
#include "scm_grid.h"
#include "soil_param.h"
#include "vmath.h"
#include "whole.h"

#include <string.h>

// ---- lists of touched nodes: one piece of memory with an array for every field

/// Numbers of arrays.
enum { DOUBLES = 4, SINGLES = 5, INTEGERS = 2 };

size_t gr_scm_nodes_bytes(int room)
{
    return (size_t)room * (DOUBLES * sizeof(double) + SINGLES * sizeof(float) + INTEGERS * sizeof(int32_t));
}

GrScmNodes gr_scm_nodes_in(void *memory, int room)
{
    if (memory == NULL) {
        return (GrScmNodes){.count = 0};
    }
    double *doubles = memory;
    void *behind_doubles = doubles + (ptrdiff_t)DOUBLES * room;
    float *singles = behind_doubles;
    void *behind_singles = singles + (ptrdiff_t)SINGLES * room;
    int32_t *integers = behind_singles;
    return (GrScmNodes){.room = room,
                        .block = memory,
                        .m = {doubles, doubles + room},
                        .peak = doubles + (ptrdiff_t)2 * room,
                        .height = doubles + (ptrdiff_t)3 * room,
                        .firm = singles,
                        .dug = singles + room,
                        .loose = singles + (ptrdiff_t)2 * room,
                        .sinkage = singles + (ptrdiff_t)3 * room,
                        .pressure = singles + (ptrdiff_t)4 * room,
                        .i = integers,
                        .j = integers + room};
}

GrScmNodes gr_scm_nodes_create(int room)
{
    return gr_scm_nodes_in(gr_malloc(gr_scm_nodes_bytes(room)), room);
}

void gr_scm_nodes_free(GrScmNodes *nodes)
{
    gr_free(nodes->block);
    *nodes = (GrScmNodes){.count = 0};
}

GrScmNode gr_scm_node(const GrScmNodes *nodes, int k)
{
    GrScmNode node;
    memset(&node, 0, sizeof node); // what lies between the fields is hashed and saved, too
    node.i = nodes->i[k];
    node.j = nodes->j[k];
    node.m[0] = nodes->m[0][k];
    node.m[1] = nodes->m[1][k];
    node.peak = nodes->peak[k];
    node.firm = nodes->firm[k];
    node.dug = nodes->dug[k];
    node.loose = nodes->loose[k];
    node.height = nodes->height[k];
    node.sinkage = nodes->sinkage[k];
    node.pressure = nodes->pressure[k];
    return node;
}

void gr_scm_nodes_add(GrScmNodes *nodes, const GrScmNode *node)
{
    const int k = nodes->count++;
    nodes->i[k] = node->i;
    nodes->j[k] = node->j;
    nodes->m[0][k] = node->m[0];
    nodes->m[1][k] = node->m[1];
    nodes->peak[k] = node->peak;
    nodes->firm[k] = node->firm;
    nodes->dug[k] = node->dug;
    nodes->loose[k] = node->loose;
    nodes->height[k] = node->height;
    nodes->sinkage[k] = node->sinkage;
    nodes->pressure[k] = node->pressure;
}

void gr_scm_nodes_copy(GrScmNodes *to, const GrScmNodes *from)
{
    const size_t singles = sizeof(float) * (size_t)from->count, doubles = sizeof(double) * (size_t)from->count;
    to->count = from->count;
    if (from->count == 0) {
        return;
    }
    memcpy(to->i, from->i, sizeof(int32_t) * (size_t)from->count);
    memcpy(to->j, from->j, sizeof(int32_t) * (size_t)from->count);
    memcpy(to->m[0], from->m[0], doubles);
    memcpy(to->m[1], from->m[1], doubles);
    memcpy(to->peak, from->peak, doubles);
    memcpy(to->height, from->height, doubles);
    memcpy(to->firm, from->firm, singles);
    memcpy(to->dug, from->dug, singles);
    memcpy(to->loose, from->loose, singles);
    memcpy(to->sinkage, from->sinkage, singles);
    memcpy(to->pressure, from->pressure, singles);
}

// ---- bodies and their boxes

/// The box moves when the body is more than this many nodes off its centre; these nodes, a margin of one and the rim
/// are added to its size.
enum { DRIFT_NODES = 3 };

/// Nodes know one power of the depth. A pressure that is a sum of powers is replaced by the power law that touches it
/// at z_0, with the exponent of a contact as long as the body reaches to either side.
static void set_power(GrScmBody *out)
{
    if (out->soil.pressure != GR_PRESSURE_BEARING) {
        return;
    }
    const double size = out->width > 0 ? out->width : out->reach;
    const GrPressureCurve curve =
        gr_pressure_curve(&out->soil, out->unit_weight, size, size * out->reach, 2 * (size + out->reach));
    out->soil.n0 = gr_pressure_power(&curve).exponent;
}

GrStatus gr_scm_prepare_grid(const GrSoilDef *soil, double gravity, double cell, double reach, GrScmBody *out,
                             GrErrorLog *log)
{
    if (!(cell > 0 && reach / cell < 1000)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "cell"},
                            "found %g m; it must be above 0, and a body of %g m may reach over 1000 cells at most",
                            cell, reach);
    }
    out->soil = gr_soil_under_gravity(soil, gravity);
    out->cell = cell;
    out->reach = reach;
    out->tan_phi = gr_tan(soil->friction_angle);
    out->tan_repose = gr_tan(soil->repose_angle);
    out->unit_weight = soil->density * gravity;
    set_power(out);
    out->side = 2 * ((int)ceil(reach / cell) + gr_scm_rim(cell) + DRIFT_NODES + 1) + 1;
    return GR_OK;
}

/// Straight lugs: each pushes its passive wedge, P = b (γ e² N/2 + q e N + 2 c e √N) as in the laws of a patch
/// (extras.c), q = γ times the depth below the first ground. Wedges are e √N long and share the soil between lugs that
/// stand closer. Spread over the pitch, P is strength that the nodes under the rim have in addition, along the wheel:
/// it is mobilised with their shear, so that rest, derivatives and dissipation are theirs.
static void set_grip(const GrSoilDef *soil, const GrSoilWheelDef *wheel, GrScmBody *out)
{
    const double root = gr_tan(GR_PI / 4 + 0.5 * soil->friction_angle), n = root * root, e = wheel->grouser_height;
    const double pitch = 2 * GR_PI * wheel->radius / wheel->grouser_count, long_enough = e * root;
    const double by_pitch = 1 / (pitch > long_enough ? pitch : long_enough), weight = soil->density * wheel->gravity;
    out->grip = by_pitch * e * (0.5 * weight * e * n + 2 * soil->cohesion * root);
    out->grip_depth = by_pitch * e * weight * n;
}

GrStatus gr_scm_prepare_wheel(const GrSoilDef *soil, const GrSoilWheelDef *wheel, double cell, GrScmBody *out,
                              GrErrorLog *log)
{
    memset(out, 0, sizeof *out);
    const bool lugs = wheel->grouser_count > 0 && wheel->grouser_height > 0;
    out->radius = wheel->radius + (lugs && wheel->grousers == GR_GROUSER_RADIUS ? wheel->grouser_height : 0);
    out->width = wheel->width;
    out->crown = wheel->crown;
    out->lower = gr_scm_lower_wheel;
    if (lugs && wheel->grousers == GR_GROUSER_LUGS && gr_soil_law_on_grid(soil->law) && wheel->grouser_slant == 0) {
        set_grip(soil, wheel, out);
    } else if (lugs && wheel->grousers == GR_GROUSER_LUGS) {
        out->lugs = wheel->grouser_count;
        out->lug_height = wheel->grouser_height;
        out->lug_width = wheel->grouser_thickness;
        out->lug_twist = gr_tan(wheel->grouser_slant) / wheel->radius;
    }
    const double tip = out->radius + out->lug_height, half = 0.5 * out->width;
    GrStatus status = gr_soil_check_wheel(soil, wheel, log);
    const GrStatus grid = gr_scm_prepare_grid(soil, wheel->gravity, cell, sqrt(tip * tip + half * half), out, log);
    status = status != GR_OK ? status : grid;
    out->node_max = status == GR_OK ? (int)((2 * tip / cell + 3) * (out->width / cell + 3)) : 0;
    return status;
}

int gr_scm_tiles(const GrScmBody *body)
{
    const int across = (body->side + GR_RUT_NODES - 2) / GR_RUT_NODES + 1;
    return across * across;
}

GrScmWork *gr_scm_work_create(void)
{
    return gr_calloc(1, sizeof(GrScmWork));
}

static void free_blocks(GrScmWork *work)
{
    gr_free(work->doubles);
    gr_free(work->singles);
    gr_free(work->integers);
}

void gr_scm_work_free(GrScmWork *work)
{
    if (work != NULL) {
        free_blocks(work);
        gr_free(work);
    }
}

/// Numbers of a body's arrays, besides its undisturbed ground.
enum {
    BOX_DOUBLES = 8,
    BOX_SINGLES = 5,
    BOX_INTEGERS = 2,
    NODE_DOUBLES = 2,
    NODE_INTEGERS = 1,
    SIDE_DOUBLES = 2,
    SIDE_INTEGERS = 2
};

static size_t box_of(const GrScmScratch *s)
{
    return (size_t)s->side * (size_t)s->side;
}

/// Most segments of a row.
static size_t segments_of(const GrScmScratch *s)
{
    return (size_t)s->side / GR_SCM_SEGMENT + 1;
}

/// Makes the arrays large enough for a body; false when out of memory.
static bool enlarge(GrScmWork *work, const GrScmScratch *s)
{
    const size_t box = box_of(s), nodes = (size_t)s->node_max, side = (size_t)s->side;
    const size_t doubles = BOX_DOUBLES * box + NODE_DOUBLES * nodes + SIDE_DOUBLES * side;
    const size_t integers =
        BOX_INTEGERS * box + NODE_INTEGERS * nodes + SIDE_INTEGERS * side + 2 * side * segments_of(s);
    GrScmWork more = {.double_count = doubles,
                      .single_count = BOX_SINGLES * box,
                      .integer_count = integers,
                      .version = work->version + 1};
    if (doubles <= work->double_count && more.single_count <= work->single_count && integers <= work->integer_count) {
        return true;
    }
    more.doubles = gr_calloc(doubles, sizeof *more.doubles);
    more.singles = gr_calloc(more.single_count, sizeof *more.singles);
    more.integers = gr_calloc(integers, sizeof *more.integers);
    if (more.doubles == NULL || more.singles == NULL || more.integers == NULL) {
        free_blocks(&more);
        return false;
    }
    free_blocks(work);
    *work = more;
    return true;
}

/// Sets the pointers of the arrays, which other bodies use in between and may have moved.
static void bind(GrScmScratch *s)
{
    if (s->bound == s->work->version) {
        return;
    }
    const size_t box = box_of(s), nodes = (size_t)s->node_max, side = (size_t)s->side;
    double **arrays[BOX_DOUBLES] = {&s->change,  &s->sinkage, &s->lower,  &s->cover,
                                    &s->slope_x, &s->slope_y, &s->inside, &s->depth};
    for (size_t k = 0; k < BOX_DOUBLES; k++) {
        *arrays[k] = s->work->doubles + k * box;
    }
    s->weights = s->work->doubles + BOX_DOUBLES * box;
    s->offset_x = s->weights + NODE_DOUBLES * nodes;
    s->offset_y = s->offset_x + side;
    s->slot = s->work->integers;
    s->label = s->slot + box;
    s->at = s->label + box;
    s->dirty = s->at + nodes + side;
    s->fresh = s->dirty + side;
    s->height = s->work->singles;
    for (size_t k = 0; k < 4; k++) {
        s->limit[k] = s->height + (k + 1) * box;
    }
    s->calm = s->fresh + side * segments_of(s);
    s->bound = s->work->version;
}

GrScmScratch *gr_scm_scratch_share(const GrScmBody *body, GrScmWork *work)
{
    GrScmScratch *s = gr_calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    *s = (GrScmScratch){.side = body->side, .node_max = body->node_max, .work = work};
    s->first = gr_malloc(box_of(s) * sizeof *s->first);
    if (s->first == NULL || !enlarge(work, s)) {
        gr_scm_scratch_free(s);
        return NULL;
    }
    return s;
}

GrScmScratch *gr_scm_scratch_create(const GrScmBody *body)
{
    GrScmWork *work = gr_scm_work_create();
    GrScmScratch *s = work != NULL ? gr_scm_scratch_share(body, work) : NULL;
    if (s == NULL) {
        gr_scm_work_free(work);
        return NULL;
    }
    s->owner = true;
    return s;
}

void gr_scm_scratch_free(GrScmScratch *scratch)
{
    if (scratch != NULL) {
        gr_scm_work_free(scratch->owner ? scratch->work : NULL);
        gr_free(scratch->first);
        gr_free(scratch);
    }
}

double gr_scm_first_ground(const GrScmBody *body, int64_t i, int64_t j)
{
    double z = 0;
    GrVec3 normal;
    const bool known = body->ground.height == NULL || body->ground.height(body->ground.context, (double)i * body->cell,
                                                                          (double)j * body->cell, &z, &normal);
    return known ? z : -GR_SCM_NOWHERE;
}

static void move_box(const GrScmBody *body, const GrScmPose *pose, GrScmScratch *s)
{
    const int half = s->side / 2;
    const int64_t ci = gr_whole(floor(pose->centre.x / body->cell + 0.5));
    const int64_t cj = gr_whole(floor(pose->centre.y / body->cell + 0.5));
    const int64_t di = ci - half - s->i0, dj = cj - half - s->j0;
    if (s->filled && di <= DRIFT_NODES && di >= -DRIFT_NODES && dj <= DRIFT_NODES && dj >= -DRIFT_NODES) {
        return;
    }
    // Keep what the old box contains; use the memory of the lower surface for the copy.
    double *fresh = s->lower;
    const int64_t side = s->side, start = di < 0 ? -di : 0, end = di > 0 ? side - di : side;
    const int64_t kept = end > start ? end - start : 0; // columns that both boxes have, from `start` on
    for (int64_t j = 0; j < side; j++) {
        const bool known = s->filled && j + dj >= 0 && j + dj < side && kept > 0;
        const int64_t from = known ? start : side, to = known ? start + kept : side;
        if (known) {
            memcpy(fresh + j * side + start, s->first + (j + dj) * side + start + di, sizeof *fresh * (size_t)kept);
        }
        for (int64_t i = 0; i < from; i++) {
            fresh[j * side + i] = gr_scm_first_ground(body, ci - half + i, cj - half + j);
        }
        for (int64_t i = to; i < side; i++) {
            fresh[j * side + i] = gr_scm_first_ground(body, ci - half + i, cj - half + j);
        }
    }
    memcpy(s->first, fresh, box_of(s) * sizeof *fresh);
    s->i0 = ci - half;
    s->j0 = cj - half;
    s->filled = true;
}

void gr_scm_box_place(const GrScmBody *body, const GrScmPose *pose, GrScmScratch *s)
{
    bind(s);
    move_box(body, pose, s);
    for (int i = 0; i < s->side; i++) {
        s->offset_x[i] = (double)(s->i0 + i) * body->cell - pose->centre.x;
        s->offset_y[i] = (double)(s->j0 + i) * body->cell - pose->centre.y;
    }
}

/// Copies `count` nodes of a tile's row.
static void read_row(GrRutsTileView tile, int states, ptrdiff_t at, int count, double *restrict change,
                     double *restrict sinkage)
{
    const double *heights = tile.heights + at;
    const float *state = tile.states + at * states + GR_SCM_SINKAGE;
    for (int k = 0; k < count; k++) {
        change[k] = heights[k];
    }
    if (states == 1) {
        for (int k = 0; k < count; k++) {
            sinkage[k] = (double)state[k];
        }
    } else {
        for (int k = 0; k < count; k++) {
            sinkage[k] = (double)state[(ptrdiff_t)k * states];
        }
    }
}

/// Reads the part of the range that lies in the tile of its corner (i, j).
static void read_tile(const GrRuts *ruts, GrScmScratch *s, int i, int j, int columns, int rows)
{
    const int mask = GR_RUT_NODES - 1, column = (int)((s->i0 + i) & mask), row = (int)((s->j0 + j) & mask);
    const GrRutsTileView tile = gr_ruts_tile_find(ruts, s->i0 + i, s->j0 + j);
    for (int k = 0; k < rows; k++) {
        double *change = s->change + (j + k) * s->side + i, *sinkage = s->sinkage + (j + k) * s->side + i;
        if (tile.heights != NULL) {
            read_row(tile, ruts->def.state_count, (ptrdiff_t)(row + k) * GR_RUT_NODES + column, columns, change,
                     sinkage);
        } else {
            memset(change, 0, sizeof *change * (size_t)columns);
            memset(sinkage, 0, sizeof *sinkage * (size_t)columns);
        }
    }
}

int gr_scm_run_in_tile(int64_t corner, int from, int to)
{
    const int left = GR_RUT_NODES - (int)((corner + from) & (GR_RUT_NODES - 1));
    return left < to - from ? left : to - from;
}

void gr_scm_box_read(const GrRuts *ruts, GrScmScratch *s, GrScmRange range)
{
    for (int j = range.j0; j < range.j1;) {
        const int rows = gr_scm_run_in_tile(s->j0, j, range.j1);
        for (int i = range.i0; i < range.i1;) {
            const int columns = gr_scm_run_in_tile(s->i0, i, range.i1);
            read_tile(ruts, s, i, j, columns, rows);
            i += columns;
        }
        j += rows;
    }
}
