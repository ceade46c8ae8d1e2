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
#include "bearing.h"
#include "elementary.h"
#include "scm_edges.h"

#include <string.h>

/// Data shared by all nodes of one evaluation.
typedef struct Frame {
    const GrScmBody *body;
    const GrScmPose *pose;
    GrScmScratch *s;
    double dt;
    double upright;                    ///< z of the ground's normal
    double rebound;                    ///< ratio of the rebound to the plastic sinkage
    double sunk;                       ///< largest plastic sinkage of the touched nodes, or that of a grain [m]
    GrScmRim rim;                      ///< of a wheel
    double moduli[GR_SCM_PATCHES + 1]; ///< of the patches; the last for slivers that belong to none
    int largest;                       ///< index of the largest patch
    bool uniform;                      ///< at most one patch
    int count;                         ///< touched nodes
    GrScmMemory memory;                ///< at the beginning of the step
    double ploughed;                   ///< depth ploughed aside over that of the body's deepest point
    double paths;                      ///< Σ area dj/j0 over the nodes, dj the slip distance in this step [m²]
    double borne;                      ///< Σ area [m²]
    int old;                           ///< first node of the last step that has not been matched yet
    int row;                           ///< of the box: that of the run of nodes that is copied
    bool deepens;                      ///< nodes need their depth below the first ground: lugs, or ploughing
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
    const int side = s->side, count = gr_scm_whole(range.i1 - range.i0);
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

/// Number of leading nodes of the list, of `count`, that are adjacent in a row; the border of the box is never touched.
/// The list is sorted, so checking the last one checks all before it. `guess`: that of the row before.
static inline int adjacent(const int32_t *list, int count, int guess)
{
    int run = guess < count ? guess : count;
    while (list[run - 1] != list[0] + run - 1) {
        run--;
    }
    while (run < count && list[run] == list[0] + run) {
        run++;
    }
    return run;
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
/// In the form `bearing` it is that of a contact with this area and perimeter.
static double modulus(const GrScmBody *b, double width, double area, double perimeter)
{
    const GrSoilDef *soil = &b->soil;
    if (soil->pressure == GR_PRESSURE_REECE) {
        return (soil->cohesion * soil->k_c_reece + b->unit_weight * width * soil->k_phi_reece) /
               gr_pow(width, soil->n0);
    }
    if (soil->pressure == GR_PRESSURE_BEARING) {
        const GrPressureCurve curve = gr_pressure_curve(soil, b->unit_weight, width, area, perimeter);
        return gr_pressure_at(&curve, curve.length) / gr_pow(curve.length, soil->n0); // n0 by scm_grid.c
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
    f->moduli[f->largest] = modulus(f->body, cell, cell * cell, 4 * cell);
    for (int k = 0; k < count; k++) {
        const double perimeter = patches[k].perimeter, width = perimeter > 0 ? 2 * patches[k].area / perimeter : 0;
        const bool whole = width > 0.5 * cell; // not less than a cell
        f->moduli[k] = modulus(f->body, width > cell ? width : cell, whole ? patches[k].area : cell * cell,
                               whole ? perimeter : 4 * cell);
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

/// Number of nodes of the list, from `from` on and of `count`, that are those of row j from i on. Both are sorted by
/// rows, so checking the last node checks all before it.
static int count_same(const GrScmNodes *nodes, int from, int count, int32_t i, int32_t j)
{
    while (count > 0 && (nodes->j[from + count - 1] != j || nodes->i[from + count - 1] != i + count - 1)) {
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

/// Copies `count` nodes of the last step to the block, in whole vectors: in the list, too, other numbers lie behind
/// them.
static void copy_old(const GrScmNodes *old, int from, int k, int count, GrScmBlock *restrict b)
{
    const double *m0 = old->m[0] + from, *m1 = old->m[1] + from, *peak = old->peak + from;
    const float *firm = old->firm + from, *dug = old->dug + from, *loose = old->loose + from;
    const int whole = gr_scm_whole(count);
#pragma omp simd
    for (int q = 0; q < whole; q++) {
        b->m[0][k + q] = m0[q];
        b->m[1][k + q] = m1[q];
        b->peak[k + q] = peak[q];
        b->firm[k + q] = (double)firm[q];
        b->dug[k + q] = (double)dug[q];
        b->loose[k + q] = (double)loose[q];
    }
}

/// Shear and dug depth of `count` nodes of row j from i on, from k on in the block; both lists are sorted by rows.
static void take_old(Frame *f, const GrScmNodes *old, int32_t i, int32_t j, int k, int count, GrScmBlock *restrict b)
{
    const int end = old->count;
    int node = f->old;
    for (int q = 0; q < count;) {
        while (node < end && (old->j[node] < j || (old->j[node] == j && old->i[node] < i + q))) {
            node++;
        }
        const int next = node < end && old->j[node] == j && old->i[node] < i + count ? old->i[node] - i : count;
        for (; q < next; q++) {
            b->m[0][k + q] = b->m[1][k + q] = b->peak[k + q] = b->dug[k + q] = b->loose[k + q] = 0;
            b->firm[k + q] = firmness(f, b->sinkage[k + q]);
        }
        const int left = count - q, same = count_same(old, node, left < end - node ? left : end - node, i + q, j);
        if (same > 0) {
            copy_old(old, node, k + q, same, b);
        }
        node += same;
        q += same;
    }
    f->old = node;
}

/// Positions, depths and soil state of `count` adjacent nodes, from `at` on in the box.
static void take_run(const Frame *f, int at, int k, int count, GrScmBlock *restrict b)
{
    const GrScmScratch *s = f->s;
    const int j = f->row, i = at - j * s->side;
    const double whole = f->body->cell * f->body->cell, z = f->pose->centre.z, y = s->offset_y[j], upright = f->upright;
    const double one = f->moduli[f->largest];
    const double *x = s->offset_x + i, *lower = s->lower + at, *depth = s->depth + at, *sinkage = s->sinkage + at;
    const double *cover = s->cover + at, *change = s->change + at, *first = s->first + at;
    const double grip = f->body->grip, grip_depth = f->body->grip_depth;
    const int32_t column = (int32_t)(s->i0 + i), line = (int32_t)(s->j0 + j), filled = gr_scm_whole(count);
#pragma omp simd
    for (int q = 0; q < filled; q++) {
        b->i[k + q] = column + q;
        b->j[k + q] = line;
    }
#pragma omp simd
    for (int q = 0; q < filled; q++) {
        b->change[k + q] = change[q];
        b->place[0][k + q] = x[q];
        b->place[1][k + q] = y;
        b->place[2][k + q] = lower[q] - z;
        b->depth[k + q] = upright * depth[q];
        b->sinkage[k + q] = sinkage[q];
        b->area[k + q] = whole * cover[q];
        b->modulus[k + q] = one;
    }
    if (f->deepens) {
#pragma omp simd
        for (int q = 0; q < filled; q++) {
            const double below = first[q] - lower[q], deep = below > 0 ? below : 0;
            b->deep[k + q] = deep;
            b->grip[k + q] = gr_fma(grip_depth, deep, grip);
        }
    }
    for (int q = 0; !f->uniform && q < count; q++) {
        b->modulus[k + q] = modulus_at(f, at + q);
    }
}

/// Copies from the box to a block: positions, depths, slopes, old shear.
static void gather(Frame *f, int from, int count, const GrScmNodes *old, GrScmBlock *b)
{
    const GrScmScratch *s = f->s;
    const GrScmBody *body = f->body;
    const int32_t *list = s->at + from;
    const bool wheel = gr_scm_is_wheel(body);
    GrScmEdges edges;
    edges.count = 0;
    b->count = count;
    for (int k = 0; k < count; k++) {
        b->shed[k] = 0;
        b->ratio[k] = 1;
    }
    for (int k = 0, run = 1; k < count; k += run) {
        const int at = list[k];
        while (at >= (f->row + 1) * s->side) { // the list is sorted by rows
            f->row++;
        }
        run = adjacent(list + k, count - k, run);
        take_run(f, at, k, run, b);
        take_old(f, old, (int32_t)(s->i0 + at - f->row * s->side), (int32_t)(s->j0 + f->row), k, run, b);
        if (wheel) {
            gr_scm_edges_note(&f->rim, at, k, run, &edges);
        }
    }
    gr_scm_edges_share(&f->rim, &edges, b);
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

/// Part of its rebound that a node keeps when soil is dug from under the body: without it the node would lose its
/// contact, and with that what it remembers.
static const double KEPT_IN_TOUCH = 0.25;

/// Soil that a wheel ploughs aside does not press: the surface of a node falls before the wheel presses it, until as
/// much is gone of the depth below the first ground as the law says. The wheel's side meets nodes at its full depth; if
/// they were pressed first, they would carry all of the load there.
static void plough_nodes(const Frame *f, int count, GrScmBlock *restrict b)
{
    const double by_upright = 1 / f->upright, kept = KEPT_IN_TOUCH * f->rebound, ploughed = f->ploughed;
#pragma omp simd
    for (int k = 0; k < count; k++) {
        const double total = (b->depth[k] + b->sinkage[k]) * by_upright, gone = b->deep[k] - total;
        const double left = ploughed * b->deep[k] - (gone > 0 ? gone : 0);
        const double room = b->depth[k] * by_upright - kept * total, most = left < room ? left : room;
        const double aside = most > 0 ? most : 0;
        b->depth[k] -= f->upright * aside;
        b->shoved[k] = aside;
    }
}

/// Slip digs soil out from under a body. J, in the memory of the contact, is the slip distance of the soil that leaves
/// it, over j0: L s/((1 − s) j0) in steady rolling. Such soil is dug by D_max (1 − e^(−J)), as in the laws of a patch
/// (extras.h), and at the same rate all along the contact, because what is dug must leave at its end:
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

static Digging digging_of(const GrScmBody *body, const GrScmPose *pose)
{
    const GrSoilDef *soil = &body->soil;
    const double size = gr_scm_is_wheel(body) ? body->radius + body->lug_height : body->reach;
    const double part = pose->resting ? 0 : gr_scm_digging_part(body, pose);
    if (soil->slip_sinkage_max > 0) {
        return (Digging){soil->slip_sinkage_max, part / soil->slip_sinkage_length};
    }
    return (Digging){DIG_PART * size, part * soil->slip_sinkage / (DIG_PART * size)};
}

/// The soil after the step: plastic sinkage, and the surface lowered by it and by what slip digs away. Inlined with
/// constants: without compacted soil (all `firm` are 1) and without ploughing it needs no division and no square root.
static inline __attribute__((always_inline)) void lower_nodes(Frame *f, int count, bool compacted, bool ploughs,
                                                              GrScmBlock *restrict b, GrScmOutput *out)
{
    const double keep = 1 - f->body->soil.rebound, by_upright = 1 / f->upright;
    const double whole = f->body->cell * f->body->cell;
    const double kept = KEPT_IN_TOUCH * f->rebound * by_upright;
    const Digging digs = digging_of(f->body, f->pose);
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
        const double shoved = ploughs ? b->shoved[k] : 0, far = down_to - b->dug[k] - shoved, dig = far > 0 ? far : 0;
        const double dug = (dig < room ? dig : room) + shoved, down = pressed + dug;
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
    const int from = next->count;
    const size_t doubles = sizeof(double) * (size_t)count, integers = sizeof(int32_t) * (size_t)count;
    memcpy(next->i + from, b->i, integers);
    memcpy(next->j + from, b->j, integers);
    memcpy(next->m[0] + from, b->m[0], doubles);
    memcpy(next->m[1] + from, b->m[1], doubles);
    memcpy(next->peak + from, b->peak, doubles);
    memcpy(next->height + from, b->change, doubles);
    memcpy(next->sinkage + from, b->after, sizeof(float) * (size_t)count);
    float *restrict firm = next->firm + from, *restrict dug = next->dug + from;
    float *restrict loose = next->loose + from, *restrict pressure = next->pressure + from;
#pragma omp simd
    for (int k = 0; k < count; k++) {
        firm[k] = (float)b->firm[k];
        dug[k] = (float)b->dug[k];
        loose[k] = (float)b->loose[k];
        pressure[k] = (float)b->pressed[k];
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
    f->deepens = f->body->grip > 0 || f->body->grip_depth > 0 || f->ploughed != 0;
    if (!f->deepens) {
        memset(block.grip, 0, sizeof block.grip);
    }
    const bool smooth = gr_scm_is_wheel(f->body) && f->body->crown == 0 && f->body->lugs == 0;
    GrScmCylinder cylinder;
    gr_scm_cylinder_begin(pose, f->body->radius, &cylinder);
    for (int from = 0; from < f->count; from += GR_SCM_BLOCK_NODES) {
        const int left = f->count - from, count = left < GR_SCM_BLOCK_NODES ? left : GR_SCM_BLOCK_NODES;
        gather(f, from, count, old, &block);
        if (f->ploughed != 0) {
            plough_nodes(f, count, &block);
        }
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

static GrScmRim rim_of(const Frame *f)
{
    const GrScmBody *body = f->body;
    const double ax = f->pose->axes.m[0][1], ay = f->pose->axes.m[1][1];
    const double along = ay * ay > ax * ax ? ay * ay : ax * ax;
    return (GrScmRim){.s = f->s,
                      .n = body->soil.n0,
                      .upright = f->upright,
                      .by_upright = 1 / f->upright,
                      .rebound = f->rebound,
                      .lengthwise = ay * ay > ax * ax,
                      .bend = gr_scm_is_wheel(body) ? body->cell * body->cell * along / body->radius : 0};
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
    f.memory = old->count > 0 ? old->memory : (GrScmMemory){0};
    f.rebound = body->soil.rebound / (1 - body->soil.rebound);
    f.rim = rim_of(&f);
    gr_scm_box_place(body, pose, s);
    const GrScmRange range = body->lower(body, ruts, pose, s);
    measure_depths(&f, range);
    const bool limited = next != NULL && next->room < s->node_max;
    out->complete = find_touched(&f, range, limited ? next->room : s->node_max);
    f.row = range.j0;
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
