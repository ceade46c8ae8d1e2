/// The law of one node of SCM, without branches, so that loops over nodes vectorise for any surface, and blocks of
/// nodes.
#ifndef GR_SCM_BLOCK_H
#define GR_SCM_BLOCK_H

#include "grouser/soil.h"

#include "scm_grid.h"
#include "vmath.h"

/// Data shared by all blocks of one evaluation.
typedef struct GrScmLaw {
    const GrSoilDef *soil;
    double tan_phi, dt, upright;
    double gamma;      ///< damping per unit area [Pa s/m]
    double shear_time; ///< T, of the damping of shear [s]
    double twist[6];
} GrScmLaw;

/// For n < 1 the slope n P z^(n − 1) of Bekker's curve is unbounded at z = 0: on clay with n near 0.1 a light rover
/// would rest at a depth of 1e-13 m, which no solver can find. The curve therefore starts with a straight line to its
/// point at this depth, which is of the order of a grain and far below any plate test. docs/scm.md shows the effect.
static const double GR_SCM_GRAIN = 1e-4; // [m]

/// Shear that changes is damped: τ is that of m + T ṁ. Sliding forward, a wheel would otherwise stand on springs along
/// and across with almost no loss, and rovers on slopes oscillated in yaw at 3 to 4 Hz, which raised
/// their slip by up to a half. At that frequency T is a damping ratio of 6 %, that of sand at small strains; in steady
/// rolling m changes over seconds, and T ṁ is 0.2 % of the shear.
static const double GR_SCM_SHEAR_TIME = 5e-3; // [s]

/// Largest T |q|: a fast wheel has less damping, so that it does not exceed the strength of the soil.
static const double GR_SCM_SHEAR_LAG = 0.3;

/// Values that are equal for all nodes, computed once per block.
typedef struct GrScmTerms {
    double straight; ///< depth of the initial straight line of the curve [m]
    double n, rebound, by_rebound, by_kept;
    double dt, by_x, by_y;   ///< [s], [1/m]
    double shear_x, shear_y; ///< [m]
    double turn_x, turn_y;   ///< √(K_y/K_x) and its inverse
    double damped;           ///< T/dt
    double by_depth;         ///< of the damping [1/m]
    double gamma;            ///< of an upright speed [Pa s/m]
} GrScmTerms;

static inline GrScmTerms gr_scm_terms(const GrScmLaw *law)
{
    const GrSoilDef *soil = law->soil;
    const double shear_y = soil->shear == GR_SHEAR_COMBINED ? soil->shear_x : soil->shear_y;
    return (GrScmTerms){.straight = soil->n0 < 1 ? GR_SCM_GRAIN : 0,
                        .n = soil->n0,
                        .rebound = soil->rebound,
                        .by_rebound = 1 / soil->rebound,
                        .by_kept = 1 / (1 - soil->rebound),
                        .dt = law->dt,
                        .by_x = 1 / soil->shear_x,
                        .by_y = 1 / shear_y,
                        .shear_x = soil->shear_x,
                        .shear_y = shear_y,
                        .turn_x = sqrt(shear_y / soil->shear_x),
                        .turn_y = sqrt(soil->shear_x / shear_y),
                        .damped = law->shear_time / law->dt,
                        .by_depth = 1 / soil->damping_depth,
                        .gamma = law->gamma * law->upright};
}

/// Sinkage at which the curve is evaluated: the total sinkage, or the depth where virgin soil begins if that is deeper.
static inline double gr_scm_loaded(const GrScmTerms *c, double sinkage, double total)
{
    const double yield = sinkage * c->by_kept;
    return total > yield ? total : yield;
}

typedef struct GrScmPressure {
    double sigma, by_depth; ///< [Pa], [Pa/m]
} GrScmPressure;

/// `steep` is P z^(n − 1) at `loaded`, or at the end of the initial straight line. P z^n and its slope are z and n
/// times that, and so are the straight lines: no division is needed.
static inline GrScmPressure gr_scm_pressure(const GrScmTerms *c, double depth, double loaded, double steep)
{
    const uint64_t virgin = gr_mask_greater(depth, c->rebound * loaded), curved = gr_mask_greater(loaded, c->straight);
    return (GrScmPressure){steep * gr_select(virgin, loaded, depth * c->by_rebound),
                           steep * gr_select(virgin, gr_select(curved, c->n, 1), c->by_rebound)};
}

/// Trial value p of m after the step, and q.
typedef struct GrScmTrial {
    double p0, p1, q0, q1;
} GrScmTrial;

/// ṁ = q inside |m| < M, ṁ = q − |q| m at |m| = M, q = (v_1/K_x, v_2/K_y); backward Euler, p = m + dt q:
///   |m| ← max(|p|/(1 + dt |q|), min(|p|, M))
/// The soil does not rotate with the body, so m rotates in the opposite direction in the body's axes. The axes of K
/// rotate with the body. Shear stores the energy K_x m_1² + K_y m_2² (times half the strength), so the vector that is
/// rotated is (√K_x m_1, √K_y m_2): rotating m itself would feed energy into the yaw of a rover where K_x ≠ K_y. `firm`
/// divides both K: soil that an earlier pass has compacted.
static inline GrScmTrial gr_scm_try(const GrScmTerms *c, double firm, double along, double across, double turning,
                                    double m0, double m1)
{
    const double turn = c->dt * turning, q0 = along * (c->by_x * firm), q1 = across * (c->by_y * firm);
    return (GrScmTrial){gr_fma(turn * c->turn_x, m1, gr_fma(c->dt, q0, m0)),
                        gr_fma(-turn * c->turn_y, m0, gr_fma(c->dt, q1, m1)), q0, q1};
}

/// |p| or |q|, never 0.
static inline double gr_scm_size(double x, double y)
{
    return sqrt(gr_fma(x, x, y * y)) + 1e-30;
}

/// |p|, |q| and 1/(|p| |q| (1 + dt |q|)): one division serves three quotients.
typedef struct GrScmRoots {
    double size, rate, inverse;
} GrScmRoots;

static inline double gr_scm_inverse(const GrScmTerms *c, double size, double rate)
{
    return 1 / (size * rate * gr_fma(c->dt, rate, 1));
}

static inline GrScmRoots gr_scm_roots(const GrScmTerms *c, GrScmTrial t)
{
    const double size = gr_scm_size(t.p0, t.p1), rate = gr_scm_size(t.q0, t.q1);
    return (GrScmRoots){size, rate, gr_scm_inverse(c, size, rate)};
}

typedef struct GrScmShear {
    double m0, m1, peak;
    double tau0, tau1; ///< shear with damping, over its strength
    double slid;       ///< slip distance at the peak of shear, times `firm` [m]
    double gain;       ///< dτ = gain (dq − away (unit · dq)), q = v/K
    double away0, away1, unit0, unit1;
} GrScmShear;

static inline GrScmShear gr_scm_mobilise(const GrScmTerms *c, GrScmTrial t, GrScmRoots r, double peak)
{
    const double by_both = r.inverse * gr_fma(c->dt, r.rate, 1), soft = r.inverse * (r.size * r.rate);
    const double by_size = by_both * r.rate, by_rate = by_both * r.size, yielded = r.size * soft;
    const uint64_t is_virgin = gr_mask_greater(yielded, peak);
    const uint64_t is_held = gr_mask_greater(r.size, peak) & ~is_virgin;
    const double scale = gr_select(is_virgin, soft, gr_select(is_held, peak * by_size, 1));
    const double m0 = scale * t.p0, m1 = scale * t.p1;
    // |v| along and across the body; in between its component along q, which equals |v| when K_x = K_y
    const double slip = gr_fma(c->shear_x * t.q0, t.q0, c->shear_y * t.q1 * t.q1) * by_rate;
    const double held = gr_select(is_held, by_size, 0), unit = gr_select(is_virgin, by_rate, 0);
    const double held0 = held * t.p0, held1 = held * t.p1;
    return (GrScmShear){.m0 = m0,
                        .m1 = m1,
                        .tau0 = gr_fma(c->damped, m0 - gr_fma(-c->dt, t.q0, t.p0), m0),
                        .tau1 = gr_fma(c->damped, m1 - gr_fma(-c->dt, t.q1, t.p1), m1),
                        .peak = gr_select(is_virgin, yielded, peak),
                        .slid = slip * gr_select(is_virgin, c->dt, gr_select(is_held, (r.size - peak) * by_rate, 0)),
                        .gain = c->dt * scale * (1 + c->damped),
                        .away0 = gr_select(is_virgin, m0, held0),
                        .away1 = gr_select(is_virgin, m1, held1),
                        .unit0 = gr_fma(unit, t.q0, held0),
                        .unit1 = gr_fma(unit, t.q1, held1)};
}

typedef struct GrScmDamped {
    double pressed, by_speed; ///< [Pa], [Pa s/m]
    double held;              ///< derivative of the pressure by that without damping: 1, or 0 where it is cut off
} GrScmDamped;

/// Pressure with damping, never negative: σ − γ part(z) ż ≥ 0, where `part` rises from 0 to 1 over damping_depth.
static inline GrScmDamped gr_scm_damp(const GrScmTerms *c, double total, double sigma, double rising)
{
    const double reach = total * c->by_depth, x = reach < 1 ? reach : 1;
    const double part = c->gamma * x * x * (3 - 2 * x), all = sigma - part * rising;
    const uint64_t pushes = gr_mask_greater(all, 0);
    return (GrScmDamped){gr_select(pushes, all, 0), gr_select(pushes, part, 0), gr_select(pushes, 1, 0)};
}

// A few dozen touched nodes at a time, as arrays that fit into the first-level cache: surface, pressure, shear, sums.

/// Most nodes of a block, and the length of its arrays: they are filled run by run and in whole vectors, so that up to
/// three entries behind a run are written, too, before the next run takes their place.
enum { GR_SCM_BLOCK_NODES = 96, GR_SCM_BLOCK = GR_SCM_BLOCK_NODES + 8 };

typedef struct GrScmBlock {
    int count;
    int32_t i[GR_SCM_BLOCK], j[GR_SCM_BLOCK];
    // Input
    double place[3][GR_SCM_BLOCK]; ///< of the body's surface, from its centre [m]
    double slope[2][GR_SCM_BLOCK]; ///< of its lower surface
    double depth[GR_SCM_BLOCK];    ///< below the soil's surface, along the ground's normal [m]
    double sinkage[GR_SCM_BLOCK];  ///< plastic [m]
    double change[GR_SCM_BLOCK];   ///< of the soil's height [m]; old, then new
    double area[GR_SCM_BLOCK];     ///< touched part of the cell [m²]
    double shed[GR_SCM_BLOCK];     ///< its derivative by the depth [m]
    double ratio[GR_SCM_BLOCK];    ///< ratio of the stiffness to that of the curve
    double modulus[GR_SCM_BLOCK];  ///< P; then P z^(n − 1)
    double deep[GR_SCM_BLOCK];     ///< of the body's surface below the first ground [m]
    double grip[GR_SCM_BLOCK];     ///< strength that lugs add along the wheel [Pa]
    double m[2][GR_SCM_BLOCK];     ///< mobilised shear; old, then new
    double peak[GR_SCM_BLOCK];     ///< its largest magnitude so far; old, then new
    double firm[GR_SCM_BLOCK];     ///< K of virgin soil divided by that of the node ≥ 1
    double dug[GR_SCM_BLOCK];      ///< depth dug in this contact; old, then new [m]
    double shoved[GR_SCM_BLOCK];   ///< depth ploughed aside in this step [m]
    double loose[GR_SCM_BLOCK];    ///< 1 − e^(−j/j0) of its slip distance j; old, then new
    // Surface
    double stretch[GR_SCM_BLOCK];                           ///< ratio of the area of the surface to that of the cell
    double upright[GR_SCM_BLOCK];                           ///< its inverse: z of the surface's normal
    double up[3][GR_SCM_BLOCK];                             ///< N: force of unit pressure on a unit cell
    double along[3][GR_SCM_BLOCK], across[3][GR_SCM_BLOCK]; ///< unit vectors of shear
    // Results
    double tau[2][GR_SCM_BLOCK];  ///< shear over its strength: m with damping
    double total[GR_SCM_BLOCK];   ///< sinkage z [m]
    double loaded[GR_SCM_BLOCK];  ///< z or y, whichever is larger [m]
    double sigma[GR_SCM_BLOCK];   ///< pressure without damping, where nodes are summed individually [Pa]
    double pressed[GR_SCM_BLOCK]; ///< pressure with damping [Pa]
    float after[GR_SCM_BLOCK];    ///< plastic sinkage [m]
    double slid[GR_SCM_BLOCK];    ///< slip distance at the peak of shear, times `firm` [m]
    // For a cylinder, see scm_cylinder.c
    double level[GR_SCM_BLOCK], ahead[GR_SCM_BLOCK], aside[GR_SCM_BLOCK]; ///< A, B [-], s [m]
} GrScmBlock;

/// Sums over the nodes of a cylinder, in the axes of the wheel.
enum { GR_SCM_WEIGHTS = 8, GR_SCM_MONOMIALS = 13 };

typedef struct GrScmCylinder {
    GrMat3 axes; ///< columns
    double radius;
    double twist[6];
    double wrench[6], compaction[3], strength;
    double bent; ///< Σ force of the pressure without damping, times the square of the stretch [N]
    double moments[GR_SCM_WEIGHTS][GR_SCM_MONOMIALS];
} GrScmCylinder;

/// Directions from positions and slopes. Shear across follows the axle, or a body's y axis, or its x axis where y is
/// normal to the surface.
void gr_scm_block_surface(const GrScmPose *pose, bool mesh, GrScmBlock *b);

/// The same for a smooth wheel, whose surface is a cylinder about the axle, up to GR_SCM_STEEPEST.
void gr_scm_block_cylinder(const GrScmPose *pose, double radius, GrScmBlock *b);

/// Pressure, shear, and their sums in `out`: wrench, derivatives, compaction, strength.
void gr_scm_block_forces(const GrScmLaw *law, GrScmBlock *b, GrScmOutput *out);

/// Computes the total sinkages and the sinkages at which the curve is evaluated, and turns the moduli P into P z^(n −
/// 1) there.
void gr_scm_block_steepen(const GrScmLaw *law, GrScmBlock *b);

/// Adds the effect of a wheel's curvature to d_pose: the surface over a node rotates as the wheel moves on. The sums of
/// a smooth wheel include it already.
void gr_scm_add_curvature(const GrScmPose *pose, double radius, const GrScmBlock *b, GrScmOutput *out);

/// The same for its shear, from the sums in `out`.
void gr_scm_add_shear_turn(const GrScmPose *pose, double radius, GrScmOutput *out);

/// Pads beyond the last node, up to a whole vector register, with finite values that have no effect.
void gr_scm_block_pad(GrScmBlock *b);

void gr_scm_cylinder_begin(const GrScmPose *pose, double radius, GrScmCylinder *c);

/// Sums a block of nodes of a smooth wheel; when one of them is too steep for a cylinder, does nothing and returns
/// false.
bool gr_scm_cylinder_add(const GrScmLaw *law, GrScmBlock *b, GrScmCylinder *c);

/// Adds the sums to `out`.
void gr_scm_cylinder_finish(const GrScmCylinder *c, GrScmOutput *out);

#endif
