/// Forces of SCM. At a node, with p the depth of the body's surface below the soil's, along the ground's normal:
///
///   z = s + p                           total sinkage; s the plastic sinkage that the node remembers
///   y = s/(1 − ρ)                       where virgin soil begins, ρ the part of the sinkage that springs back
///   σ = P max(z, y)^n min(1, p/(ρ y))   virgin curve, or the straight line down to s and up again
///   s ← max(s, (1 − ρ) z)               and the soil's surface goes down by as much
///   P = k_c/b + k_φ,  b = 2 area/perimeter of the connected patch (Bekker 1969; Krenn & Hirzinger 2009)
///   τ = (c + σ tan φ) m                 Janosi's law with m as the state, see mobilise.h; nodes are the soil's own, so
///                                       that nothing has to be renewed: a node that is left forgets
///   force = area (σ N − τ √(1 + |∇z|²) t),  N = (−∂z/∂x, −∂z/∂y, 1) of the body's lower surface z(x, y)
///
/// The pressure acts along the body's surface: what compacts the soil in front also holds the wheel back. With w_N the
/// wrench of N about the body's centre, the depth of a node changes by −w_N · (displacement, rotation): the stiffness
/// of the pressure is a sum of squares.
#include "scm_grid.h"

#include "vmath.h"

#include <string.h>

/// What all nodes of one evaluation share.
typedef struct Frame {
    const GrScmBody *body;
    const GrScmPose *pose;
    GrScmScratch *s;
    double dt;
    double upright; ///< z of the ground's normal
    GrVec3 across;  ///< axis of the body that shear across follows
    double gamma;   ///< damping of a unit area [Pa s/m]
    int count;      ///< touched nodes
} Frame;

static GrVec3 axis(const GrMat3 *m, int j)
{
    return gr_vec3(m->m[0][j], m->m[1][j], m->m[2][j]);
}

static void mark_old(const GrScmNodes *old, GrScmScratch *s, bool mark)
{
    for (int k = 0; k < old->count; k++) {
        const int64_t i = old->nodes[k].i - s->i0, j = old->nodes[k].j - s->j0;
        if (i >= 0 && j >= 0 && i < s->side && j < s->side) {
            s->slot[j * s->side + i] = mark ? k + 1 : 0;
        }
    }
}

/// Change of the lower surface over half of the way between two nodes; 0 where the body ends.
static inline double half_change(double a, double b)
{
    const double change = 0.5 * fabs(a - b);
    return change < 1e9 ? change : 0;
}

/// Depth of every node, the line of the contact, and the list of touched nodes; false when it does not fit.
static bool find_touched(Frame *f, GrScmRange range, GrScmOutput *out)
{
    GrScmScratch *s = f->s;
    const double least = 1e-6 * f->body->cell;
    double deepest = -(double)INFINITY;
    for (int j = range.j0; j < range.j1; j++) {
        const int row = j * s->side;
        for (int at = row + range.i0; at < row + range.i1; at++) {
            const double first = s->first[at], lower = s->lower[at], cover = s->cover[at];
            const double depth = first + s->change[at] - lower;
            // Cells to where the body leaves the ground, by its own slope; a flat one never does.
            const double slope = half_change(s->lower[at + 1], s->lower[at - 1]) +
                                 half_change(s->lower[at + s->side], s->lower[at - s->side]);
            const double scaled = depth / (slope + least);
            const double edge = scaled > 0.5 ? 0.5 : scaled > -0.5 ? scaled : -0.5; // NaN: outside
            s->inside[at] = cover - 0.5 < edge ? cover - 0.5 : edge;
            if (cover > 0 && depth > 0) {
                if (f->count == s->node_max) {
                    return false;
                }
                s->at[f->count++] = at;
                deepest = first - lower > deepest ? first - lower : deepest;
            }
        }
    }
    out->depth = f->count > 0 ? deepest : 0;
    return true;
}

/// Bekker's or Reece's modulus for an effective width; never below a twentieth of what a wide plate has, so that a
/// negative k_c does not turn the first touch around.
static double modulus(const GrScmBody *b, double width)
{
    const GrSoilDef *soil = &b->soil;
    if (soil->pressure == GR_PRESSURE_REECE) {
        return (soil->cohesion * soil->k_c_reece + b->unit_weight * width * soil->k_phi_reece) / pow(width, soil->n0);
    }
    const double p = soil->k_c / width + soil->k_phi, least = 0.05 * soil->k_phi;
    return p > least ? p : least;
}

/// Depth, total sinkage, yield and modulus of the touched nodes.
static void set_sinkage(const Frame *f, GrScmRange range, GrScmOutput *out)
{
    GrScmScratch *s = f->s;
    GrScmPatch patches[GR_SCM_PATCHES];
    double moduli[GR_SCM_PATCHES + 1];
    const double cell = f->body->cell;
    const int count = gr_scm_outline(s, range, cell, patches);
    int largest = GR_SCM_PATCHES;
    moduli[largest] = modulus(f->body, cell); // slivers that have no patch
    for (int k = 0; k < count; k++) {
        const double width = patches[k].perimeter > 0 ? 2 * patches[k].area / patches[k].perimeter : 0;
        moduli[k] = modulus(f->body, width > cell ? width : cell);
        out->patches += patches[k].area > 0;
        if (patches[k].area > out->area) {
            out->area = patches[k].area;
            out->width = width;
            largest = k;
        }
    }
    double *depth = gr_scm_list(s, GR_LIST_DEPTH), *total = gr_scm_list(s, GR_LIST_TOTAL);
    double *yield = gr_scm_list(s, GR_LIST_YIELD), *p = gr_scm_list(s, GR_LIST_MODULUS);
    const double by_kept = 1 / (1 - f->body->soil.rebound);
    for (int k = 0; k < f->count; k++) {
        const int at = s->at[k];
        // A cell that is covered by less than half lies outside the line; it goes with a neighbour.
        const int near[5] = {at, at - 1, at + 1, at - s->side, at + s->side};
        int label = largest;
        for (int q = 0; q < 5; q++) {
            if (s->inside[near[q]] > 0) {
                label = s->label[near[q]];
                break;
            }
        }
        p[k] = moduli[label];
        depth[k] = f->upright * (s->first[at] + s->change[at] - s->lower[at]);
        total[k] = s->sinkage[at] + depth[k];
        yield[k] = s->sinkage[at] * by_kept;
    }
}

static void set_pressure(const Frame *f)
{
    GrScmScratch *s = f->s;
    const double n = f->body->soil.n0, by_rebound = 1 / f->body->soil.rebound;
    const double *depth = gr_scm_list(s, GR_LIST_DEPTH), *total = gr_scm_list(s, GR_LIST_TOTAL);
    const double *yield = gr_scm_list(s, GR_LIST_YIELD), *p = gr_scm_list(s, GR_LIST_MODULUS);
    double *restrict sigma = gr_scm_list(s, GR_LIST_SIGMA), *restrict sigma_z = gr_scm_list(s, GR_LIST_SIGMA_Z);
    const bool linear = n == 1;
#pragma omp simd
    for (int k = 0; k < f->count; k++) {
        const double z = total[k] > yield[k] ? total[k] : yield[k];
        const double power = linear ? z : gr_fast_exp(n * gr_fast_log(z));
        const double full = p[k] * power, by_z = 1 / z, share = depth[k] * by_rebound * by_z;
        const bool virgin = share > 1;
        sigma[k] = virgin ? full : full * share;
        sigma_z[k] = full * by_z * (virgin ? n : by_rebound);
    }
}

static void put_wrench(double *list, int node_max, int k, GrVec3 place, GrVec3 force)
{
    const GrVec3 moment = gr_cross(place, force);
    const double w[6] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
    for (int i = 0; i < 6; i++) {
        list[(size_t)i * (size_t)node_max + (size_t)k] = w[i];
    }
}

/// Wrenches of unit pressure and of unit shear along and across at a node; the area of the surface over that of the
/// cell.
static double set_directions(const Frame *f, int k)
{
    GrScmScratch *s = f->s;
    const int at = s->at[k];
    double zx = s->slope_x[at], zy = s->slope_y[at];
    if (f->body->mesh.triangle_count == 0) {
        gr_scm_slope_wheel(f->body, f->pose, s, at, &zx, &zy);
    }
    const GrVec3 place = gr_vec3((double)(s->i0 + at % s->side) * f->body->cell - f->pose->centre.x,
                                 (double)(s->j0 + at / s->side) * f->body->cell - f->pose->centre.y,
                                 s->lower[at] - f->pose->centre.z);
    const GrVec3 up = gr_vec3(-zx, -zy, 1);
    const double stretch = gr_norm(up);
    const GrVec3 n = gr_scale(1 / stretch, up);
    const GrVec3 across = gr_normalize(gr_madd(f->across, -gr_dot(f->across, n), n)), along = gr_cross(across, n);
    put_wrench(gr_scm_list(s, GR_LIST_N), s->node_max, k, place, up);
    put_wrench(gr_scm_list(s, GR_LIST_T1), s->node_max, k, place, along);
    put_wrench(gr_scm_list(s, GR_LIST_T2), s->node_max, k, place, across);
    return stretch;
}

/// Mobilised shear after a step: m, its peak, and ∂m/∂(velocity along, across).
typedef struct Shear {
    double m[2], peak;
    double by[2][2];
    bool virgin;
} Shear;

/// ṁ = q inside |m| < M, ṁ = q − |q| m at |m| = M, q = (v_1/K_x, v_2/K_y); backward Euler.
static Shear mobilise(const double old[2], double peak, const double q[2], const double by_k[2], double dt)
{
    const double push[2] = {old[0] + dt * q[0], old[1] + dt * q[1]};
    const double size = sqrt(push[0] * push[0] + push[1] * push[1]), rate = sqrt(q[0] * q[0] + q[1] * q[1]);
    const double soft = 1 / (1 + dt * rate), yielded = size * soft;
    Shear out = {.peak = peak};
    double scale = 1, unit[2] = {0, 0}, gain = dt; // m = scale · push;  dm = gain (dq − m' (unit · dq))
    double away[2] = {0, 0};
    if (size > peak && yielded >= peak) {
        scale = soft;
        gain = dt * soft;
        out.peak = yielded;
        out.virgin = true;
        if (rate > 0) {
            unit[0] = q[0] / rate;
            unit[1] = q[1] / rate;
        }
        away[0] = scale * push[0];
        away[1] = scale * push[1];
    } else if (size > peak) { // held on the peak
        scale = peak / size;
        gain = dt * scale;
        away[0] = unit[0] = push[0] / size;
        away[1] = unit[1] = push[1] / size;
    }
    for (int i = 0; i < 2; i++) {
        out.m[i] = scale * push[i];
        for (int j = 0; j < 2; j++) {
            out.by[i][j] = gain * ((i == j) - away[i] * unit[j]) * by_k[j];
        }
    }
    return out;
}

static double dot6(const double *list, int node_max, int k, const double *v)
{
    double sum = 0;
    for (int i = 0; i < 6; i++) {
        sum += list[(size_t)i * (size_t)node_max + (size_t)k] * v[i];
    }
    return sum;
}

/// The node after the step: plastic sinkage, and the surface lowered by it and by what the slip digs away.
static GrScmNode new_node(const Frame *f, int k, const Shear *shear, double slipped, double sigma, GrScmOutput *out)
{
    const GrScmScratch *s = f->s;
    const GrSoilDef *soil = &f->body->soil;
    const int at = s->at[k];
    const double plastic = (1 - soil->rebound) * gr_scm_list(s, GR_LIST_TOTAL)[k];
    const float before = (float)s->sinkage[at], after = plastic > (double)before ? (float)plastic : before;
    const double pressed = ((double)after - (double)before) / f->upright;
    const double size = sqrt(shear->m[0] * shear->m[0] + shear->m[1] * shear->m[1]);
    const double dig = shear->virgin ? soil->slip_sinkage * size * slipped : 0;
    const double room = gr_scm_list(s, GR_LIST_DEPTH)[k] / f->upright - pressed;
    const double dug = dig < room ? dig : room > 0 ? room : 0;
    out->displaced += pressed + dug;
    out->dug += dug;
    return (GrScmNode){.i = (int32_t)(s->i0 + at % s->side),
                       .j = (int32_t)(s->j0 + at / s->side),
                       .m = {shear->m[0], shear->m[1]},
                       .peak = shear->peak,
                       .height = s->change[at] - pressed - dug,
                       .sinkage = after,
                       .pressure = (float)sigma};
}

/// Pressure of the damping, never pulling: σ + γ part(z) ṗ ≥ 0. `part` rises over the first damping_depth.
static double damped(const Frame *f, double sigma, double total, double rising, double *by_speed)
{
    const double x = total / f->body->soil.damping_depth, part = x < 1 ? x * x * (3 - 2 * x) : 1;
    const double gamma = f->gamma * part, all = sigma - gamma * rising;
    *by_speed = all > 0 ? gamma : 0;
    return all > 0 ? all : 0;
}

/// Forces of one node, its left factors of the derivatives, its new state.
static void add_node(const Frame *f, int k, const double twist[6], const GrScmNodes *old, GrScmNodes *next,
                     GrScmOutput *out)
{
    GrScmScratch *s = f->s;
    const GrSoilDef *soil = &f->body->soil;
    const int at = s->at[k], max = s->node_max;
    const double stretch = set_directions(f, k);
    const double *n = gr_scm_list(s, GR_LIST_N), *t1 = gr_scm_list(s, GR_LIST_T1), *t2 = gr_scm_list(s, GR_LIST_T2);
    const double by_k[2] = {1 / soil->shear_x, 1 / (soil->shear == GR_SHEAR_COMBINED ? soil->shear_x : soil->shear_y)};
    const double v[2] = {dot6(t1, max, k, twist), dot6(t2, max, k, twist)};
    const double q[2] = {v[0] * by_k[0], v[1] * by_k[1]};
    // The soil does not turn with the body.
    const GrScmNode *before = s->slot[at] > 0 ? &old->nodes[s->slot[at] - 1] : NULL;
    const size_t one = (size_t)max;
    const double turn = f->dt * (f->pose->spin.x * n[k] + f->pose->spin.y * n[one + (size_t)k] + f->pose->spin.z) / stretch;
    const double m0 = before != NULL ? before->m[0] : 0, m1 = before != NULL ? before->m[1] : 0;
    const double turned[2] = {m0 + turn * m1, m1 - turn * m0};
    const Shear shear = mobilise(turned, before != NULL ? before->peak : 0, q, by_k, f->dt);
    const double area = s->cover[at] * f->body->cell * f->body->cell;
    const double sigma = gr_scm_list(s, GR_LIST_SIGMA)[k], sigma_z = gr_scm_list(s, GR_LIST_SIGMA_Z)[k];
    double by_speed;
    const double pressed = damped(f, sigma, gr_scm_list(s, GR_LIST_TOTAL)[k], dot6(n, max, k, twist) * f->upright, &by_speed);
    const double surface = area * stretch, strength = surface * (soil->cohesion + f->body->tan_phi * sigma);
    const double normal = area * pressed, stiff = area * sigma_z * f->upright;
    const double shear_z = surface * f->body->tan_phi * sigma_z * f->upright;
    double *a = gr_scm_list(s, GR_LIST_A), *b = gr_scm_list(s, GR_LIST_B), *c = gr_scm_list(s, GR_LIST_C);
    for (int i = 0; i < 6; i++) {
        const size_t row = (size_t)i * one + (size_t)k;
        const double held = shear.m[0] * t1[row] + shear.m[1] * t2[row];
        out->wrench[i] += normal * n[row] - strength * held;
        a[row] = shear_z * held - stiff * n[row];
        b[row] = -strength * (shear.by[0][0] * t1[row] + shear.by[1][0] * t2[row]);
        c[row] = -strength * (shear.by[0][1] * t1[row] + shear.by[1][1] * t2[row]);
    }
    for (int i = 0; i < 3; i++) {
        out->compaction[i] += normal * n[(size_t)i * one + (size_t)k];
    }
    out->strength += strength;
    gr_scm_list(s, GR_LIST_SIGMA)[k] = -area * by_speed * f->upright; // left over for the damping's derivative
    const double slipped = f->dt * sqrt(v[0] * v[0] + v[1] * v[1]);
    const GrScmNode node = new_node(f, k, &shear, slipped, pressed, out);
    if (next != NULL) {
        next->nodes[next->count++] = node;
    }
}

/// to[i][j] += Σ_k left[i][k] right[j][k]
static void add_products(const GrScmScratch *s, int count, int left, int right, double to[6][6])
{
    for (int i = 0; i < 6; i++) {
        const double *restrict l = gr_scm_list(s, left + i);
        const double *restrict r0 = gr_scm_list(s, right), *restrict r1 = gr_scm_list(s, right + 1),
                               *restrict r2 = gr_scm_list(s, right + 2), *restrict r3 = gr_scm_list(s, right + 3),
                               *restrict r4 = gr_scm_list(s, right + 4), *restrict r5 = gr_scm_list(s, right + 5);
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3, s4, s5)
        for (int k = 0; k < count; k++) {
            s0 += l[k] * r0[k];
            s1 += l[k] * r1[k];
            s2 += l[k] * r2[k];
            s3 += l[k] * r3[k];
            s4 += l[k] * r4[k];
            s5 += l[k] * r5[k];
        }
        const double sums[6] = {s0, s1, s2, s3, s4, s5};
        for (int j = 0; j < 6; j++) {
            to[i][j] += sums[j];
        }
    }
}

static void sum_derivatives(const Frame *f, GrScmOutput *out)
{
    GrScmScratch *s = f->s;
    add_products(s, f->count, GR_LIST_A, GR_LIST_N, out->d_pose);
    add_products(s, f->count, GR_LIST_B, GR_LIST_T1, out->d_twist);
    add_products(s, f->count, GR_LIST_C, GR_LIST_T2, out->d_twist);
    if (f->gamma > 0) {
        const double *damping = gr_scm_list(s, GR_LIST_SIGMA);
        for (int i = 0; i < 6; i++) {
            const double *n = gr_scm_list(s, GR_LIST_N + i);
            double *a = gr_scm_list(s, GR_LIST_A + i);
            for (int k = 0; k < f->count; k++) {
                a[k] = damping[k] * n[k];
            }
        }
        add_products(s, f->count, GR_LIST_A, GR_LIST_N, out->d_twist);
    }
}

/// Upright part of the ground's normal under the body.
static double ground_upright(const GrScmBody *b, const GrScmPose *pose, GrScmOutput *out)
{
    double z;
    GrVec3 normal = {0, 0, 1};
    out->on_map = b->ground.height == NULL ||
                  b->ground.height(b->ground.context, pose->centre.x, pose->centre.y, &z, &normal);
    return out->on_map ? normal.z : 1;
}

void gr_scm_evaluate(const GrScmBody *body, const GrRuts *ruts, const GrScmPose *pose, double dt, const GrScmNodes *old,
                     GrScmScratch *s, GrScmNodes *next, GrScmOutput *out)
{
    const bool wheel = body->mesh.triangle_count == 0;
    const GrVec3 x = axis(&pose->axes, 0), y = axis(&pose->axes, 1);
    const double twist[6] = {pose->velocity.x, pose->velocity.y, pose->velocity.z,
                             pose->spin.x,     pose->spin.y,     pose->spin.z};
    memset(out, 0, sizeof *out);
    if (next != NULL) {
        next->count = 0;
    }
    Frame f = {.body = body, .pose = pose, .s = s, .dt = dt, .across = wheel || fabs(y.z) <= fabs(x.z) ? y : x};
    f.upright = ground_upright(body, pose, out);
    if (!out->on_map) {
        return;
    }
    gr_scm_box_place(body, pose, s);
    const GrScmRange range = wheel ? gr_scm_lower_wheel(body, pose, s) : gr_scm_lower_mesh(body, pose, s);
    gr_scm_box_read(ruts, s, range);
    out->complete = find_touched(&f, range, out);
    if (f.count == 0) {
        return;
    }
    set_sinkage(&f, range, out);
    set_pressure(&f);
    double touched = 0;
    for (int k = 0; k < f.count; k++) {
        touched += s->cover[s->at[k]];
    }
    out->area = touched * body->cell * body->cell;
    f.gamma = out->area > 0 ? body->soil.damping / out->area : 0;
    mark_old(old, s, true);
    for (int k = 0; k < f.count; k++) {
        add_node(&f, k, twist, old, next, out);
    }
    mark_old(old, s, false);
    out->displaced *= body->cell * body->cell;
    out->dug *= body->cell * body->cell;
    sum_derivatives(&f, out);
}
