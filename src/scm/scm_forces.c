/// Forces of SCM. At a node, with p the depth of the body's surface below the soil's, along the ground's normal:
///
///   z = s + p                           total sinkage; s the plastic sinkage that the node remembers
///   y = s/(1 − ρ)                       depth where virgin soil begins, ρ the fraction of the sinkage that rebounds
///   σ = P max(z, y)^n min(1, p/(ρ y))   virgin curve, or the straight line down to s and up again
///   s ← max(s, (1 − ρ) z)               and the soil's surface is lowered by as much
///   P = k_c/b + k_φ,  b = 2 area/perimeter of the connected patch (Bekker 1969; Krenn & Hirzinger 2009)
///   τ = (c + σ tan φ) m                 Janosi's law with m as the state, see mobilise.h; nodes belong to the soil,
///                                       so that nothing is renewed: m ends with the contact of the node
///   force = area (σ N − τ √(1 + |∇z|²) t),  N = (−∂z/∂x, −∂z/∂y, 1) of the body's lower surface z(x, y)
///
/// The pressure acts along the normal of the body's surface, so that compacting the soil in front also resists the
/// motion of the wheel. With w_N the wrench of N about the body's centre, the depth of a node changes by −w_N ·
/// (displacement, rotation), so the stiffness of the pressure is a sum of squares.
#include "elementary.h"
#include "scm_block.h"

#include <string.h>

/// Data shared by all nodes of one evaluation.
typedef struct Frame {
    const GrScmBody *body;
    const GrScmPose *pose;
    GrScmScratch *s;
    double dt;
    double upright;    ///< z of the ground's normal
    double by_upright; ///< its inverse
    double rebound;    ///< ratio of the rebound to the plastic sinkage
    double sunk;       ///< largest plastic sinkage of the touched nodes, or that of a grain [m]
    bool lengthwise;   ///< a wheel moves along the rows rather than across them
    double bend;       ///< curvature of its surface in this direction: change of slope over a cell times cell [m]
    double moduli[GR_SCM_PATCHES + 1]; ///< of the patches; the last for slivers that belong to none
    int largest;                       ///< index of the largest patch
    bool uniform;                      ///< at most one patch
    int count;                         ///< touched nodes
    GrScmMemory memory;                ///< at the beginning of the step
    double ploughed;                   ///< depth ploughed aside over that of the body's deepest point
    double paths;                      ///< Σ area dj/j0 over the nodes, dj the slip distance in this step [m²]
    double borne;                      ///< Σ area [m²]
    int old;                           ///< first node of the last step that has not been matched yet
} Frame;

/// Half the change of the lower surface between two nodes; 0 where the body ends.
static inline double half_change(double a, double b)
{
    const double change = 0.5 * gr_abs(a - b);
    return change < 1e9 ? change : 0;
}

/// Computes the depth of every node of the range, and `inside`, whose zero line is the outline of the contact.
static void measure_depths(const Frame *f, GrScmRange range)
{
    GrScmScratch *s = f->s;
    const double least = 1e-6 * f->body->cell;
    const int side = s->side, count = range.i1 - range.i0;
    for (int j = range.j0; j < range.j1; j++) {
        const int row = j * side + range.i0;
        const double *first = s->first + row, *change = s->change + row, *cover = s->cover + row;
        const double *lower = s->lower + row, *above = lower + side, *below = lower - side;
        double *restrict inside = s->inside + row, *restrict depth = s->depth + row;
#pragma omp simd
        for (int i = 0; i < count; i++) {
            const double deep = first[i] + change[i] - lower[i];
            // Distance in cells to where the body leaves the ground, from its slope; a flat one never does.
            const double slope = half_change(lower[i + 1], lower[i - 1]) + half_change(above[i], below[i]);
            const double cells = deep / (slope + least);
            const double low = cells > -0.5 ? cells : -0.5, edge = low < 0.5 ? low : 0.5;
            const double rim = cover[i] - 0.5;
            inside[i] = rim < edge ? rim : edge;
            depth[i] = cover[i] > 0 ? deep : -1;
        }
    }
}

/// Lists the touched nodes, row by row; false when there are more than `room`.
static bool find_touched(Frame *f, GrScmRange range, int room)
{
    GrScmScratch *s = f->s;
    int count = 0;
    for (int j = range.j0; j < range.j1; j++) {
        const int end = j * s->side + range.i1;
        for (int at = j * s->side + range.i0; at < end; at++) {
            s->at[count] = at;
            count += s->depth[at] > 0;
        }
        if (count > room) {
            f->count = room;
            return false;
        }
    }
    f->count = count;
    return true;
}

/// Touched area, depth of the body below the undisturbed ground, and largest plastic sinkage.
static void measure_contact(Frame *f, GrScmOutput *out)
{
    const GrScmScratch *s = f->s;
    double touched = 0, deepest = -GR_SCM_NOWHERE, sunk = GR_SCM_GRAIN;
    for (int k = 0; k < f->count; k++) {
        const int at = s->at[k];
        const double deep = s->first[at] - s->lower[at];
        deepest = deep > deepest ? deep : deepest;
        touched += s->cover[at];
        sunk = s->sinkage[at] > sunk ? s->sinkage[at] : sunk;
    }
    f->sunk = sunk;
    out->depth = deepest;
    out->area = touched * f->body->cell * f->body->cell;
}

/// Bekker's or Reece's modulus for an effective width; never below a twentieth of that of a wide plate, so that a
/// negative k_c does not make it negative at first contact.
static double modulus(const GrScmBody *b, double width)
{
    const GrSoilDef *soil = &b->soil;
    if (soil->pressure == GR_PRESSURE_REECE) {
        return (soil->cohesion * soil->k_c_reece + b->unit_weight * width * soil->k_phi_reece) /
               gr_pow(width, soil->n0);
    }
    const double p = soil->k_c / width + soil->k_phi, least = 0.05 * soil->k_phi;
    return p > least ? p : least;
}

/// Moduli of the connected patches.
static void set_moduli(Frame *f, GrScmRange range, GrScmOutput *out)
{
    GrScmPatch patches[GR_SCM_PATCHES];
    const double cell = f->body->cell;
    const int count = gr_scm_outline(f->s, range, cell, patches);
    double area = 0;
    f->uniform = count <= 1;
    f->largest = GR_SCM_PATCHES;
    f->moduli[f->largest] = modulus(f->body, cell);
    for (int k = 0; k < count; k++) {
        const double width = patches[k].perimeter > 0 ? 2 * patches[k].area / patches[k].perimeter : 0;
        f->moduli[k] = modulus(f->body, width > cell ? width : cell);
        out->patches += patches[k].area > 0;
        if (patches[k].area > area) {
            area = patches[k].area;
            out->width = width;
            f->largest = k;
        }
    }
}

/// A cell that is covered by less than half is outside the outline and takes the modulus of a neighbour.
static double modulus_at(const Frame *f, int at)
{
    const GrScmScratch *s = f->s;
    if (s->inside[at] > 0) {
        return f->moduli[s->label[at]];
    }
    const int near[4] = {at - 1, at + 1, at - s->side, at + s->side};
    for (int q = 0; q < 4; q++) {
        if (s->inside[near[q]] > 0) {
            return f->moduli[s->label[near[q]]];
        }
    }
    return f->moduli[f->largest];
}

/// Number of leading nodes of the list, of `count`, that are those of row j from i on. Both are sorted by rows, so
/// checking the last node checks all before it.
static int count_same(const GrScmNode *node, int count, int32_t i, int32_t j)
{
    while (count > 0 && (node[count - 1].j != j || node[count - 1].i != i + count - 1)) {
        count--;
    }
    return count;
}

/// K of virgin soil divided by that of soil with a plastic sinkage s before the contact. K falls from K_0 towards r
/// K_0,
///   K = K_0 (1 − (1 − r) s/S),   r = `K_compacted`, S the largest plastic sinkage under the body
/// the more of its compaction the soil has behind it. It stays during a contact: a K that changed under load would
/// change the energy that is stored in shear.
static inline double firmness(const Frame *f, double sinkage)
{
    return f->sunk / (f->sunk - (1 - f->body->soil.shear_compacted) * sinkage);
}

/// Shear and dug depth of `count` nodes of row j from i on, from k on in the block; both lists are sorted by rows.
static void take_old(Frame *f, const GrScmNodes *old, int32_t i, int32_t j, int k, int count, GrScmBlock *restrict b)
{
    const GrScmNode *node = old->nodes + f->old, *end = old->nodes + old->count;
    for (int q = 0; q < count;) {
        while (node < end && (node->j < j || (node->j == j && node->i < i + q))) {
            node++;
        }
        const int next = node < end && node->j == j && node->i < i + count ? node->i - i : count;
        for (; q < next; q++) {
            b->m[0][k + q] = b->m[1][k + q] = b->peak[k + q] = b->dug[k + q] = b->loose[k + q] = 0;
            b->firm[k + q] = firmness(f, b->sinkage[k + q]);
        }
        const int left = count - q, same = count_same(node, left < end - node ? left : (int)(end - node), i + q, j);
        for (int n = 0; n < same; n++) {
            b->m[0][k + q + n] = node[n].m[0];
            b->m[1][k + q + n] = node[n].m[1];
            b->peak[k + q + n] = node[n].peak;
            b->firm[k + q + n] = (double)node[n].firm;
            b->dug[k + q + n] = (double)node[n].dug;
            b->loose[k + q + n] = (double)node[n].loose;
        }
        node += same;
        q += same;
    }
    f->old = (int)(node - old->nodes);
}

/// Positions, depths and soil state of `count` adjacent nodes, from `at` on in the box.
static void take_run(const Frame *f, int at, int k, int count, GrScmBlock *restrict b)
{
    const GrScmScratch *s = f->s;
    const int j = at / s->side, i = at - j * s->side;
    const double whole = f->body->cell * f->body->cell, z = f->pose->centre.z, y = s->offset_y[j], upright = f->upright;
    const double one = f->moduli[f->largest];
    const double *x = s->offset_x + i, *lower = s->lower + at, *depth = s->depth + at, *sinkage = s->sinkage + at;
    const double *cover = s->cover + at, *change = s->change + at, *first = s->first + at;
    const double grip = f->body->grip, grip_depth = f->body->grip_depth;
#pragma omp simd
    for (int q = 0; q < count; q++) {
        b->i[k + q] = (int32_t)(s->i0 + i + q);
        b->j[k + q] = (int32_t)(s->j0 + j);
    }
#pragma omp simd
    for (int q = 0; q < count; q++) {
        b->change[k + q] = change[q];
        b->place[0][k + q] = x[q];
        b->place[1][k + q] = y;
        b->place[2][k + q] = lower[q] - z;
        b->depth[k + q] = upright * depth[q];
        b->sinkage[k + q] = sinkage[q];
        b->area[k + q] = whole * cover[q];
        b->modulus[k + q] = one;
        const double below = first[q] - lower[q], deep = below > 0 ? below : 0;
        b->deep[k + q] = deep;
        b->grip[k + q] = gr_fma(grip_depth, deep, grip);
    }
    for (int q = 0; !f->uniform && q < count; q++) {
        b->modulus[k + q] = modulus_at(f, at + q);
    }
}

/// Edges of the contact: between a touched node and an untouched neighbour, the depth passes through 0 at the fraction
/// θ of a cell. At most two for every node of a block, in the order of nodes.
enum { EDGES_MAX = 2 * GR_SCM_BLOCK + 1 };

/// What is beyond an edge: virgin soil, or soil that has rebounded, next to a node that rebounds too (SPRUNG), is still
/// being pressed down (GOING), or has been pressed below the rut that continues beyond the edge (RUT).
typedef enum EdgeKind { EDGE_VIRGIN, EDGE_SPRUNG, EDGE_GOING, EDGE_RUT } EdgeKind;

typedef struct Edges {
    int count;
    int node[EDGES_MAX]; ///< in the block
    EdgeKind kind[EDGES_MAX];
    double depth[EDGES_MAX]; ///< at the node [m]
    double fall[EDGES_MAX];  ///< decrease to the neighbour [m]
    double yield[EDGES_MAX]; ///< depth at which soil beyond the edge yields [m]
    double rut[EDGES_MAX];   ///< weight of the pressure of a rut: grows as the node gets deeper than that
    double part[EDGES_MAX];  ///< 1/2 + θ: the part of a cell that the node represents
    double share[EDGES_MAX]; ///< mean depth over this part [m]
    double more[EDGES_MAX];  ///< ratio of the integral over this part to the depth at the node
    double shed[EDGES_MAX];  ///< derivative of the part by the depth [1/m]
} Edges;

/// Largest decrease of depth to the neighbour, divided by the change of the wheel's own surface; it exceeds 1 where
/// soil is dug. A larger decrease is a wall of soil, whose position in the cell is unknown.
static const double STEEPEST_DECREASE = 2;

/// Decrease of depth to the neighbour, divided by the rebound, at which an edge begins to be steep: loose soil that
/// hardly rebounds loses contact within a small part of a cell. Twice this far it is steep.
static const double STEEP_REBOUNDS = 2;

/// Records an edge between node k of the block, at index `at` of the box, and the node at `at + to`.
static inline void note_edge(const Frame *f, int at, int to, int k, Edges *e)
{
    const GrScmScratch *s = f->s;
    const double beyond = s->depth[at + to], d = s->depth[at];
    const double sunk = s->sinkage[at], before = s->sinkage[at + to], most = f->rebound * sunk * f->by_upright;
    const bool virgin = before < 0.5 * sunk || sunk == 0, goes = d >= most;
    const double up = f->by_upright, z = d + up * sunk, next = beyond + up * before;
    // depth below the surface beyond the edge; a node that rebounds comes away from the rut, too
    const double below = z - up * before, yield = f->rebound * before * up, excess = below - yield;
    const bool rut = !virgin && excess > 0;
    const double weight = rut ? (goes ? 1 : d / most) : 0;
    const double fall = virgin ? z - next : d + (below > d ? weight * (below - d) : 0) - beyond;
    const bool sudden = virgin && next > 0;
    const bool wall = fall > STEEPEST_DECREASE * fabs(s->lower[at + to] - s->lower[at]);
    e->node[e->count] = k;
    e->kind[e->count] = virgin ? EDGE_VIRGIN : rut ? EDGE_RUT : goes ? EDGE_GOING : EDGE_SPRUNG;
    e->depth[e->count] = virgin ? z : (goes ? most : d) + weight * excess;
    e->fall[e->count] = fall;
    e->yield[e->count] = yield;
    e->rut[e->count] = excess < yield ? weight * excess / yield : weight;
    // nearly always true, and cheaper than branches
    e->count += !(beyond > 0) & (s->cover[at + to] > 0) & !sudden & !wall;
}

/// Integrals of the depth over the parts of edge cells. An inner node uses the depth at its centre, which exceeds the
/// mean by a 24th of the change of slope because the surface is curved. That is subtracted here, so that the total is
/// right for every θ and not only on average.
static void sum_edges(double bend_max, Edges *restrict e)
{
    const int count = e->count;
#pragma omp simd
    for (int k = 0; k < count; k++) {
        const double depth = e->depth[k], fall = e->fall[k], bend = bend_max < fall ? bend_max : fall;
        const double slope = fall - 0.5 * bend, root = sqrt(slope * slope + 2 * bend * depth);
        const double theta = 2 * depth / (slope + root), square = theta * theta, part = theta + 0.5;
        const double all = depth * part - 0.5 * slope * (square - 0.25) - bend * (square * theta + 0.125) * (1.0 / 6);
        const double sum = all - (slope - 0.5 * bend) * (1.0 / 24), inverse = 1 / (part * depth * root);
        e->part[k] = part;
        e->share[k] = sum * (depth * root) * inverse;
        e->more[k] = sum * (part * root) * inverse;
        e->shed[k] = part * depth * inverse;
    }
}

/// An edge of a node between two edges: on its other side the surface does not continue down, as the integrals assume,
/// but rises again. The integral covers θ outside, and the inner half is as deep as the node.
static void level_inner_half(double bend_max, int q, Edges *e)
{
    const double depth = e->depth[q], fall = e->fall[q], bend = bend_max < fall ? bend_max : fall;
    const double slope = fall - 0.5 * bend, theta = e->part[q] - 0.5;
    e->more[q] = 0.5 + theta - theta * theta * (0.5 * slope + bend * theta * (1.0 / 6)) / depth;
    e->share[q] = depth * e->more[q] / e->part[q];
}

/// A light wheel on stiff soil may touch a single row of nodes: these carry the load from one edge to the other.
static void join_edges(double bend_max, Edges *e)
{
    int count = 0;
    for (int q = 0; q < e->count; q++) {
        const bool alone = q + 1 < e->count && e->node[q + 1] == e->node[q];
        if (alone) {
            level_inner_half(bend_max, q, e);
            level_inner_half(bend_max, q + 1, e);
        }
        const bool joined = alone && e->kind[q] == e->kind[q + 1];
        const int other = q + 1;
        e->node[count] = e->node[q];
        e->kind[count] = e->kind[q];
        e->depth[count] = e->depth[q];
        e->fall[count] = e->fall[q];
        e->yield[count] = e->yield[q];
        e->rut[count] = e->rut[q];
        e->part[count] = joined ? e->part[q] + e->part[other] - 1 : e->part[q];
        e->more[count] = joined ? e->more[q] + e->more[other] - 1 : e->more[q];
        e->shed[count] = joined ? e->shed[q] + e->shed[other] : e->shed[q];
        e->share[count] = joined ? e->depth[q] * e->more[count] / e->part[count] : e->share[q];
        count++;
        q += joined;
    }
    e->count = count;
}

/// First contact with virgin soil. P z^n times `more` is exact for n = 1; for n < 1 it grows without bound as the node
/// approaches the surface. There the mean depth of the part is raised to the power n.
static void bear_virgin(double n, const Edges *e, int q, int k, GrScmBlock *b)
{
    const double part = e->part[q], more = e->more[q];
    if (n < 1 && more > part) {
        b->modulus[k] *= part * gr_fast_exp(n * gr_fast_log(more / part));
        b->ratio[k] = part / more + (1 - n) / n * e->depth[q] * e->shed[q] / part;
    } else {
        b->modulus[k] *= more;
        b->ratio[k] = (n - 1 + part / more) / n;
    }
}

/// Mean over the part of a cell of a depth that is limited by `most`, where the soil yields. Behind a wheel the depth
/// falls slowly, and the limit of the mean is close to the mean of the limited depth; in front, in a rut, it falls by
/// several times `most` within a cell.
static double sprung_share(double upright, double most, const Edges *e, int q)
{
    const double fall = upright * e->fall[q], share = upright * e->share[q], mean = share < most ? share : most;
    const double falls = fall - STEEP_REBOUNDS * most;
    if (!(falls > 0)) {
        return mean;
    }
    const double steep = falls < STEEP_REBOUNDS * most ? falls / (STEEP_REBOUNDS * most) : 1,
                 limited = most * (1 - 0.5 * most / (fall * e->part[q]));
    return mean + steep * (limited - mean);
}

/// Second contact in a rut. The pressure rises to that of the yield point within a small part of a cell and by the
/// virgin curve from there, σ = A + B Z with Z the depth below the bottom of the rut: over the part of the cell
///   ∫σ = A part + B Z more − (A/2 + B y/6) y/fall,   y the depth at which the rut's bottom yields
/// Up to twice that depth it comes in gradually, from the pressure of soil that rebounds: behind the wheel the excess
/// is 0 but for rounding errors.
static void bear_rut(double n, double upright, double rebound, const Edges *e, int q, int k, GrScmBlock *b)
{
    const double most = rebound * b->sinkage[k], part = e->part[q], more = e->more[q], deep = e->depth[q];
    const double share = sprung_share(upright, most, e, q), sprung = part * share / most;
    const bool yields = b->depth[k] >= most;
    const double z = b->sinkage[k] + (yields ? b->depth[k] : most);
    const double yield = e->yield[q], rut = e->rut[q];
    const double grows = n * upright * deep / z, steady = 1 - grows, ramp = yield / e->fall[q];
    const double all = steady * part + grows * more - ramp * (0.5 * steady + grows * yield / (6 * deep));
    const double factor = sprung + rut * ((all > 0 ? all : 0) - sprung), by_fall = 1 / (upright * e->fall[q]);
    b->area[k] *= part;
    if (yields) {
        b->modulus[k] *= factor / part;
        b->ratio[k] = 1 + rut * ((part + steady * z * by_fall / n) / factor - 1);
    } else {
        b->depth[k] = share;
        b->modulus[k] *= factor / sprung;
        b->ratio[k] = (part + rut * (most * by_fall - part)) * share / (most * factor);
    }
}

/// If a whole row of nodes came into contact at once, the wheel would vibrate, and plastic soil would keep the deepest
/// position. Therefore the last nodes before an edge carry only the part of a cell that they represent. This affects
/// forces, not the stored state of the soil.
static void share_edges(const Frame *f, const Edges *e, GrScmBlock *b)
{
    for (int q = 0; q < e->count; q++) {
        const int k = e->node[q];
        if (e->kind[q] == EDGE_VIRGIN) {
            bear_virgin(f->body->soil.n0, e, q, k, b);
            if (b->depth[k] < f->rebound * b->sinkage[k]) { // rebounds over the whole cell
                b->ratio[k] = 1;
            }
            continue;
        }
        if (e->kind[q] == EDGE_RUT) {
            bear_rut(f->body->soil.n0, f->upright, f->rebound, e, q, k, b);
            continue;
        }
        const double most = f->rebound * b->sinkage[k], share = sprung_share(f->upright, most, e, q);
        if (e->kind[q] == EDGE_GOING) {
            b->modulus[k] *= share / most;
        } else {
            b->depth[k] = share;
            b->shed[k] = b->area[k] * e->shed[q] / f->upright;
        }
        b->area[k] *= e->part[q];
    }
}

/// Edges in a run of nodes: along rows, or across them, depending on the direction of the wheel.
static void note_edges(const Frame *f, int at, int k, int count, Edges *e)
{
    const int side = f->s->side;
    if (f->lengthwise) {
        note_edge(f, at, -1, k, e);
        note_edge(f, at + count - 1, 1, k + count - 1, e);
        return;
    }
    for (int q = 0; q < count; q++) {
        note_edge(f, at + q, -side, k + q, e);
        note_edge(f, at + q, side, k + q, e);
    }
}

/// Copies from the box to a block: positions, depths, slopes, old shear.
static void gather(Frame *f, int from, int count, const GrScmNodes *old, GrScmBlock *b)
{
    const GrScmScratch *s = f->s;
    const GrScmBody *body = f->body;
    const int32_t *list = s->at + from;
    const bool wheel = gr_scm_is_wheel(body);
    Edges edges;
    edges.count = 0;
    b->count = count;
    for (int k = 0; k < count; k++) {
        b->shed[k] = 0;
        b->ratio[k] = 1;
    }
    for (int k = 0, run = 1; k < count; k += run) {
        const int at = list[k], j = at / s->side, i = at - j * s->side;
        for (run = 1; k + run < count && list[k + run] == at + run;) { // the border of the box is never touched
            run++;
        }
        take_run(f, at, k, run, b);
        take_old(f, old, (int32_t)(s->i0 + i), (int32_t)(s->j0 + j), k, run, b);
        if (wheel) {
            note_edges(f, at, k, run, &edges);
        }
    }
    sum_edges(f->bend, &edges);
    join_edges(f->bend, &edges);
    share_edges(f, &edges, b);
    if (!wheel) {
        for (int k = 0; k < count; k++) {
            b->slope[0][k] = s->slope_x[s->at[from + k]];
            b->slope[1][k] = s->slope_y[s->at[from + k]];
        }
        gr_scm_block_surface(f->pose, true, b);
    } else if (body->crown > 0 || body->lugs > 0) {
        for (int k = 0; k < count; k++) {
            gr_scm_slope_wheel(body, f->pose, gr_vec3(b->place[0][k], b->place[1][k], b->place[2][k]), &b->slope[0][k],
                               &b->slope[1][k]);
        }
        gr_scm_block_surface(f->pose, false, b);
    }
}

/// Slip digs soil out from under a body. J, in the memory of the contact, is the slip distance of the soil that leaves
/// it, over j0: L s/((1 − s) j0) in steady rolling. Such soil is dug by D_max (1 − e^(−J)), as in the laws of a patch
/// (plough.h), and at the same rate all along the contact, because what is dug must leave at its end:
///   dD = D_max (1 − e^(−J))/J dj/j0 ≤ D_max − D at every node
/// Soil in front is dug little and still carries, so that the peak of the pressure moves forward with slip. If every
/// node saturated by its own slip distance, the front would be dug at once and carry nothing at high slip: CMU's wheel
/// would pull 10 N, where 1.5 N were measured. Compacted soil is dug less, D_max falls with K.
typedef struct Digging {
    double most;      ///< D_max [m]
    double by_length; ///< 1/j0 [1/m]; 0: none
} Digging;

/// D_max of a soil that does not give it, over the radius of the wheel or the size of the body. Trials of CMU's smooth
/// wheel: 0.2.
static const double DIG_PART = 0.2;

/// Part of its rebound that a node keeps when soil is dug from under the body: without it the node would lose its
/// contact, and with that what it remembers.
static const double KEPT_IN_TOUCH = 0.25;

static Digging digging_of(const GrScmBody *body, bool resting)
{
    const GrSoilDef *soil = &body->soil;
    const double size = gr_scm_is_wheel(body) ? body->radius + body->lug_height : body->reach;
    if (resting) {
        return (Digging){0, 0};
    }
    if (soil->slip_sinkage_max > 0) {
        return (Digging){soil->slip_sinkage_max, 1 / soil->slip_sinkage_length};
    }
    return (Digging){DIG_PART * size, soil->slip_sinkage / (DIG_PART * size)};
}

/// The soil after the step: plastic sinkage, and the surface lowered by it and by what slip digs away. Inlined with
/// constants: without compacted soil (all `firm` are 1) and without ploughing it needs no division and no square root.
static inline __attribute__((always_inline)) void lower_nodes(Frame *f, int count, bool compacted, bool ploughs,
                                                              GrScmBlock *restrict b, GrScmOutput *out)
{
    const double keep = 1 - f->body->soil.rebound, by_upright = 1 / f->upright;
    const double whole = f->body->cell * f->body->cell;
    const double kept = KEPT_IN_TOUCH * f->rebound * by_upright;
    const Digging digs = digging_of(f->body, f->pose->resting);
    const double share = gr_scm_dig_share(f->memory.path), ploughed = f->ploughed;
    double displaced = 0, all_dug = 0, paths = 0, borne = 0;
#pragma omp simd reduction(+ : displaced, all_dug, paths, borne)
    for (int k = 0; k < count; k++) {
        const float before = (float)b->sinkage[k], plastic = (float)(keep * b->total[k]);
        const float after = plastic > before ? plastic : before;
        const double pressed = ((double)after - (double)before) * by_upright;
        const double left = b->depth[k] * by_upright - pressed - kept * (double)after, room = left > 0 ? left : 0;
        const double by_firm = compacted ? 1 / b->firm[k] : 1, path = digs.by_length * b->slid[k] * by_firm;
        const double grown = b->loose[k] + path * share, loose = grown < 1 ? grown : 1;
        const double out_of = loose * digs.most * by_firm, aside = ploughed * b->deep[k];
        const double down_to = ploughs ? sqrt(out_of * out_of + aside * aside) : out_of;
        const double far = down_to - b->dug[k], dig = far > 0 ? far : 0;
        const double dug = dig < room ? dig : room, down = pressed + dug;
        b->change[k] -= down;
        b->after[k] = after;
        b->dug[k] += dug;
        b->loose[k] = loose;
        displaced += down;
        all_dug += dug;
        paths += b->area[k] * path;
        borne += b->area[k];
    }
    f->paths += paths;
    f->borne += borne;
    out->displaced += displaced * whole;
    out->dug += all_dug * whole;
}

static void lower_soil(Frame *f, int count, GrScmBlock *b, GrScmOutput *out)
{
    double firmest = 1;
#pragma omp simd reduction(max : firmest)
    for (int k = 0; k < count; k++) {
        firmest = b->firm[k] > firmest ? b->firm[k] : firmest;
    }
    if (f->ploughed != 0) {
        lower_nodes(f, count, true, true, b, out);
    } else if (firmest > 1) {
        lower_nodes(f, count, true, false, b, out);
    } else {
        lower_nodes(f, count, false, false, b, out);
    }
}

/// Copies from a block to the list of nodes.
static void scatter(const GrScmBlock *restrict b, int count, GrScmNodes *next)
{
    GrScmNode *restrict nodes = next->nodes + next->count;
    for (int k = 0; k < count; k++) {
        nodes[k] = (GrScmNode){.i = b->i[k],
                               .j = b->j[k],
                               .m = {b->m[0][k], b->m[1][k]},
                               .peak = b->peak[k],
                               .firm = (float)b->firm[k],
                               .dug = (float)b->dug[k],
                               .loose = (float)b->loose[k],
                               .height = b->change[k],
                               .sinkage = b->after[k],
                               .pressure = (float)b->pressed[k]};
    }
    next->count += count;
}

/// z of the ground's normal under the body.
static double ground_upright(const GrScmBody *b, const GrScmPose *pose, GrScmOutput *out)
{
    double z;
    GrVec3 normal = {0, 0, 1};
    out->on_map =
        b->ground.height == NULL || b->ground.height(b->ground.context, pose->centre.x, pose->centre.y, &z, &normal);
    return out->on_map ? normal.z : 1;
}

/// Sums the forces of a block of nodes individually.
static void sum_block(const Frame *f, bool smooth, const GrScmLaw *law, GrScmBlock *block, GrScmOutput *out)
{
    if (smooth) {
        gr_scm_block_cylinder(f->pose, f->body->radius, block);
    }
    gr_scm_block_forces(law, block, out);
    if (gr_scm_is_wheel(f->body)) {
        gr_scm_add_curvature(f->pose, f->body->radius, block, out);
    }
}

/// T of the damping of shear, from the largest speed of the body's surface.
static double shear_time(const GrScmBody *body, const GrScmPose *pose)
{
    const double shear_y = body->soil.shear == GR_SHEAR_COMBINED ? body->soil.shear_x : body->soil.shear_y;
    const double shear = body->soil.shear_x < shear_y ? body->soil.shear_x : shear_y;
    const double speed = gr_norm(pose->velocity) + body->reach * gr_norm(pose->spin);
    const double most = GR_SCM_SHEAR_LAG * shear;
    return speed * GR_SCM_SHEAR_TIME < most ? GR_SCM_SHEAR_TIME : most / speed;
}

static void sum_blocks(Frame *f, const GrScmNodes *old, GrScmNodes *next, GrScmOutput *out)
{
    const GrScmPose *pose = f->pose;
    const GrScmLaw law = {
        .soil = &f->body->soil,
        .tan_phi = f->body->tan_phi,
        .dt = f->dt,
        .upright = f->upright,
        .gamma = out->area > 0 ? f->body->soil.damping / out->area : 0,
        .shear_time = shear_time(f->body, pose),
        .twist = {pose->velocity.x, pose->velocity.y, pose->velocity.z, pose->spin.x, pose->spin.y, pose->spin.z}};
    GrScmBlock block;
    const bool smooth = gr_scm_is_wheel(f->body) && f->body->crown == 0 && f->body->lugs == 0;
    GrScmCylinder cylinder;
    gr_scm_cylinder_begin(pose, f->body->radius, &cylinder);
    for (int from = 0; from < f->count; from += GR_SCM_BLOCK) {
        const int left = f->count - from, count = left < GR_SCM_BLOCK ? left : GR_SCM_BLOCK;
        gather(f, from, count, old, &block);
        if (!smooth || !gr_scm_cylinder_add(&law, &block, &cylinder)) {
            sum_block(f, smooth, &law, &block, out);
        }
        lower_soil(f, count, &block, out);
        if (next != NULL) {
            scatter(&block, count, next);
        }
    }
    if (smooth) {
        gr_scm_cylinder_finish(&cylinder, out);
    }
    if (gr_scm_is_wheel(f->body)) {
        gr_scm_add_shear_turn(pose, f->body->radius, out);
    }
}

void gr_scm_evaluate(const GrScmBody *body, const GrRuts *ruts, const GrScmPose *pose, double dt, const GrScmNodes *old,
                     GrScmScratch *s, GrScmNodes *next, GrScmOutput *out)
{
    memset(out, 0, sizeof *out);
    if (next != NULL) {
        next->count = 0;
    }
    Frame f = {.body = body, .pose = pose, .s = s, .dt = dt};
    f.upright = ground_upright(body, pose, out);
    if (!out->on_map) {
        return;
    }
    f.by_upright = 1 / f.upright;
    f.memory = old->count > 0 ? old->memory : (GrScmMemory){0};
    f.rebound = body->soil.rebound / (1 - body->soil.rebound);
    const double ax = pose->axes.m[0][1], ay = pose->axes.m[1][1], along = ay * ay > ax * ax ? ay * ay : ax * ax;
    f.lengthwise = ay * ay > ax * ax;
    f.bend = gr_scm_is_wheel(body) ? body->cell * body->cell * along / body->radius : 0;
    gr_scm_box_place(body, pose, s);
    const GrScmRange range = body->lower(body, ruts, pose, s);
    measure_depths(&f, range);
    const bool limited = next != NULL && next->room > 0 && next->room < s->node_max;
    out->complete = find_touched(&f, range, limited ? next->room : s->node_max);
    if (f.count > 0) {
        set_moduli(&f, range, out);
        measure_contact(&f, out);
        f.ploughed = gr_scm_ploughed(body, pose, &f.memory, out->depth);
        sum_blocks(&f, old, next, out);
        gr_scm_add_wedge(body, pose, &f.memory, out);
        if (next != NULL) {
            next->memory = gr_scm_remember(body, pose, dt, f.borne, f.paths, f.memory);
        }
    }
    if (out->wrench[2] < 0) { // soil does not pull
        memset(out->wrench, 0, sizeof out->wrench);
        memset(out->d_pose, 0, sizeof out->d_pose);
        memset(out->d_twist, 0, sizeof out->d_twist);
        memset(out->compaction, 0, sizeof out->compaction);
    }
}
