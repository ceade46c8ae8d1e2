#include "scm_edges.h"

#include "scm_block.h"

/// Largest decrease of depth to the neighbour, divided by the change of the wheel's own surface; it exceeds 1 where
/// soil is dug. A larger decrease is a wall of soil, whose position in the cell is unknown.
static const double STEEPEST_DECREASE = 2;

/// Decrease of depth to the neighbour, divided by the rebound, at which an edge begins to be steep: loose soil that
/// hardly rebounds loses contact within a small part of a cell. Twice this far it is steep.
static const double STEEP_REBOUNDS = 2;

/// Records an edge between node k of the block, at index `at` of the box, and the node at `at + to`.
static inline void note_edge(const GrScmRim *rim, int at, int to, int k, GrScmEdges *e)
{
    const GrScmScratch *s = rim->s;
    const double beyond = s->depth[at + to], d = s->depth[at];
    const double sunk = s->sinkage[at], before = s->sinkage[at + to], most = rim->rebound * sunk * rim->by_upright;
    const bool virgin = before < 0.5 * sunk || sunk == 0, goes = d >= most;
    const double up = rim->by_upright, z = d + up * sunk, next = beyond + up * before;
    // depth below the surface beyond the edge; a node that rebounds comes away from the rut, too
    const double below = z - up * before, yield = rim->rebound * before * up, excess = below - yield;
    const bool rut = !virgin && excess > 0;
    const double weight = rut ? (goes ? 1 : d / most) : 0;
    const double fall = virgin ? z - next : d + (below > d ? weight * (below - d) : 0) - beyond;
    const bool sudden = virgin && next > 0;
    const bool wall = fall > STEEPEST_DECREASE * fabs(s->lower[at + to] - s->lower[at]);
    e->node[e->count] = k;
    e->kind[e->count] = virgin ? GR_SCM_EDGE_VIRGIN
                        : rut  ? GR_SCM_EDGE_RUT
                        : goes ? GR_SCM_EDGE_GOING
                               : GR_SCM_EDGE_SPRUNG;
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
static void sum_edges(double bend_max, GrScmEdges *restrict e)
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
static void level_inner_half(double bend_max, int q, GrScmEdges *e)
{
    const double depth = e->depth[q], fall = e->fall[q], bend = bend_max < fall ? bend_max : fall;
    const double slope = fall - 0.5 * bend, theta = e->part[q] - 0.5;
    e->more[q] = 0.5 + theta - theta * theta * (0.5 * slope + bend * theta * (1.0 / 6)) / depth;
    e->share[q] = depth * e->more[q] / e->part[q];
}

/// A light wheel on stiff soil may touch a single row of nodes: these carry the load from one edge to the other.
static void join_edges(double bend_max, GrScmEdges *e)
{
    int count = 0;
    while (count + 1 < e->count && e->node[count + 1] != e->node[count]) {
        count++;
    }
    if (count + 1 >= e->count) { // as a rule, no node has two edges
        return;
    }
    for (int q = count; q < e->count; q++) {
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
static void bear_virgin(double n, const GrScmEdges *e, int q, int k, GrScmBlock *b)
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
static double sprung_share(double upright, double most, const GrScmEdges *e, int q)
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
static void bear_rut(double n, double upright, double rebound, const GrScmEdges *e, int q, int k, GrScmBlock *b)
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
static void share_edges(const GrScmRim *rim, const GrScmEdges *e, GrScmBlock *b)
{
    for (int q = 0; q < e->count; q++) {
        const int k = e->node[q];
        if (e->kind[q] == GR_SCM_EDGE_VIRGIN) {
            bear_virgin(rim->n, e, q, k, b);
            if (b->depth[k] < rim->rebound * b->sinkage[k]) { // rebounds over the whole cell
                b->ratio[k] = 1;
            }
            continue;
        }
        if (e->kind[q] == GR_SCM_EDGE_RUT) {
            bear_rut(rim->n, rim->upright, rim->rebound, e, q, k, b);
            continue;
        }
        const double most = rim->rebound * b->sinkage[k], share = sprung_share(rim->upright, most, e, q);
        if (e->kind[q] == GR_SCM_EDGE_GOING) {
            b->modulus[k] *= share / most;
        } else {
            b->depth[k] = share;
            b->shed[k] = b->area[k] * e->shed[q] / rim->upright;
        }
        b->area[k] *= e->part[q];
    }
}

void gr_scm_edges_note(const GrScmRim *rim, int at, int k, int count, GrScmEdges *e)
{
    const int side = rim->s->side;
    if (rim->lengthwise) {
        note_edge(rim, at, -1, k, e);
        note_edge(rim, at + count - 1, 1, k + count - 1, e);
        return;
    }
    for (int q = 0; q < count; q++) {
        note_edge(rim, at + q, -side, k + q, e);
        note_edge(rim, at + q, side, k + q, e);
    }
}

void gr_scm_edges_share(const GrScmRim *rim, GrScmEdges *edges, GrScmBlock *block)
{
    sum_edges(rim->bend, edges);
    join_edges(rim->bend, edges);
    share_edges(rim, edges, block);
}

// ---- curvature
//
// Contribution of a wheel's curvature to the derivatives by its displacement.
//
// Nodes stay in place while the wheel moves on. The surface over a node changes its depth, which the sums over the
// nodes include, and it rotates. With N = (−z_x, −z_y, 1) and the wheel moved by d, N changes by (z_xx d_x + z_xy d_y,
// z_xy d_x + z_yy d_y, 0). A cylinder is curved only along h, which is horizontal and perpendicular to the axle a:
//
//   z_ij = h_i h_j R²/(√(1 − a_z²) (R² − t²)^(3/2)),  t the distance of the node in front of the axle
//
// Shear acts along the surface, (A, 0, B) in the wheel's axes, and d_h rotates it to (A + B d_h/(R A), 0, B − d_h/R).
//
// Without this, the forces at the end of a step would have the depths of its end but the directions of its middle.
// Damping is not included: it acts from the first contact on, so that the nodes that come into contact, which no
// derivative covers, compensate for those that rotate.

void gr_scm_add_curvature(const GrScmPose *pose, double radius, const GrScmBlock *b, GrScmOutput *out)
{
    const double ax = pose->axes.m[0][1], ay = pose->axes.m[1][1], level = sqrt(ax * ax + ay * ay);
    const double hx = ay / level, hy = -ax / level, r2 = radius * radius;
    const double least = r2 / (1 + GR_SCM_STEEPEST * GR_SCM_STEEPEST);
    const double *x = b->place[0], *y = b->place[1], *area = b->area, *sigma = b->sigma;
    const int count = b->count;
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < count; k++) {
        const double t = hx * x[k] + hy * y[k], far = r2 - t * t, under = far > least ? far : least;
        sum += area[k] * sigma[k] / (under * sqrt(under));
    }
    const double curved = sum * r2 / level;
    out->d_pose[0][0] += curved * hx * hx;
    out->d_pose[0][1] += curved * hx * hy;
    out->d_pose[1][0] += curved * hx * hy;
    out->d_pose[1][1] += curved * hy * hy;
}

/// The sum of the shear along the surface is −(moment about the axle)/R, and its sum times B is the force by which it
/// lifts the wheel. A is approximated by 1.
void gr_scm_add_shear_turn(const GrScmPose *pose, double radius, GrScmOutput *out)
{
    const double *w = out->wrench, *p = out->compaction;
    const GrVec3 x = gr_mat3_column(&pose->axes, 0), y = gr_mat3_column(&pose->axes, 1),
                 z = gr_mat3_column(&pose->axes, 2);
    const double along = -gr_dot(gr_vec3(w[3], w[4], w[5]), y) / radius;
    const double lift = gr_dot(gr_vec3(w[0] - p[0], w[1] - p[1], w[2] - p[2]), z);
    const GrVec3 change = gr_scale(1 / radius, gr_madd(gr_scale(lift, x), -along, z));
    const double force[3] = {change.x, change.y, change.z}, axis[3] = {x.x, x.y, x.z};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out->d_pose[i][j] += force[i] * axis[j];
        }
    }
}
