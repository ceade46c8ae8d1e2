/// Granular resistive force theory in three dimensions, 3D-RFT, for a wheel in flat ground (Agarwal, Goldman & Kamrin
/// 2023): every piece of the wheel's surface has a stress that depends on its depth, its tilt and its direction of
/// motion (rft_stress.h). Two numbers of the soil, ξ_n and the surface's friction, replace those of Bekker and Janosi;
/// slip, skid and slip angle are nothing special; gravity enters through ξ_n ∝ ρ g.
///
/// The theory is for steady motion: its direction is undefined at rest. The state is an elastic displacement q of the
/// whole wheel (six numbers, in units of the mobilisation path K = κ r), as in a plastic law with radial return:
///   p = q + dt u/K,  u = (v, r ω);    q ← p where |p| ≤ 1, else p/|p|
/// In steady motion q = u/|u|, and the wrench is that of the theory. At rest q does not change: the soil holds without
/// creep. Below |q| = 1 the wrench is a spring (rft_batch.h). A wheel that rises by K carries nothing, so that the work
/// of sinking in is lost, as it is in sand. Nothing here depends on speed, and K grows with the wheel, so that the
/// granular scaling laws hold exactly (Slonaker et al. 2017).
///
/// Friction that follows the direction of motion makes a spring that is not symmetric: a rover with such wheels and
/// nothing else begins to flutter on its soil (exomars_like on a slope of 8° on Mars at 15 Hz, with a quarter more
/// slip). Grains lose energy when their contacts stretch. The force is that of a displacement ahead of the elastic one
/// (Kelvin & Voigt), again limited to length 1,
///   e = q + T dq/dt,  T = 0.25 √(K/g)
/// which is q in steady motion and at rest. The time scales as all others do.
#include "elementary.h"
#include "law.h"
#include "rft_stress.h"
#include "rft_wheel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Share of its limit that the soil under a resting wheel is assumed to carry. A wheel has rolled to its place, and has
/// sunk deeper by it than one that is pressed in. At 1 the slightest push sideways would let it sink.
#define REST_SHARE 0.5

/// T over √(K/g).
#define LEAD_SHARE 0.25

/// K [m]
static double path(const GrSoilWheel *w)
{
    return w->soil.own[GR_RFT_PATH] * w->radius;
}

/// q = p where |p| ≤ 1, else p/|p|, with p = old + time u, `time` in units of K. Returns |p|.
static double advance(const GrSoilWheel *w, const double twist[6], double time, const double *old, double q[6])
{
    double square = 0;
    for (int i = 0; i < 6; i++) {
        q[i] = old[i] + time * twist[i] * (i < 3 ? 1 : w->radius);
        square += q[i] * q[i];
    }
    const double size = sqrt(square), keep = size > 1 ? 1 / size : 1;
    for (int i = 0; i < 6; i++) {
        q[i] *= keep;
    }
    return size;
}

/// The same for every kind of evaluation: in steady motion the path is endless; in the search for rest the twist has no
/// vertical part.
static double mobilise(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double q[6])
{
    static const double fresh[6] = {0}, stood[6] = {0, 0, -REST_SHARE};
    static const double endless = 1e9;
    return in->steady ? advance(w, in->twist, endless, fresh, q)
                      : advance(w, in->twist, in->dt / path(w), in->resting ? stood : old, q);
}

/// √(K/g): under its own weight a wheel falls through half the path K.
static double build_up(const GrSoilWheel *w)
{
    return w->wheel.gravity > 0 ? sqrt(path(w) / w->wheel.gravity) : (double)INFINITY;
}

/// The displacement that has the force, and how it follows from q.
typedef struct Lead {
    double e[6];
    double gain; ///< 1 + T/dt
    double size; ///< |q + T dq/dt|, before it was limited
} Lead;

static Lead find_lead(const GrSoilWheel *w, const GrPatchInput *in, const double *old, const double q[6])
{
    const bool moves = !in->steady && !in->resting && w->wheel.gravity > 0;
    const double ahead = moves ? LEAD_SHARE * build_up(w) / in->dt : 0;
    Lead lead = {.gain = 1 + ahead};
    double square = 0;
    for (int i = 0; i < 6; i++) {
        lead.e[i] = moves ? q[i] + ahead * (q[i] - old[i]) : q[i];
        square += lead.e[i] * lead.e[i];
    }
    lead.size = sqrt(square);
    for (int i = 0; i < 6 && moves && lead.size > 1; i++) {
        lead.e[i] /= lead.size;
    }
    return lead;
}

static void finish(const GrSoilWheel *w, const double twist[6], double dt, const double *old, double *next)
{
    advance(w, twist, dt / path(w), old, next);
}

/// ∂wrench/∂twist = S (∂W/∂e) (∂e/∂q) (∂q/∂p) S dt/K, S = (1, r). ∂q/∂p = 1, or (1 − q qᵀ)/|p| beyond the limit, where
/// the dependence on ρ drops out; ∂e/∂q alike. A limit force does not know that the velocity may reverse within the
/// step: solved once with this tangent, a long step overshoots, and the rover bounces. The secant through p = 0 does
/// not: W is homogeneous, so that W(p/|p0|) has the derivative of the spring over |p0|. In steady motion both are the
/// same.
static void differentiate(const GrSoilWheel *w, const GrPatchInput *in, const GrRftBatch *b, const Lead *lead,
                          const double q[6], double size, GrPatch *out)
{
    const double dt = in->dt / path(w), by_square = b->rho > 0 ? 1 / (b->rho * b->rho) : 0;
    const double gain = lead->gain / fmax(lead->size, 1), limited = fmax(size, 1);
    const bool led = lead->size > 1 && !in->secant, flows = size > 1 && !in->secant;
    for (int row = 0; row < 6; row++) {
        const double lever = row < 3 ? 1 : w->radius;
        double along = 0, flow = 0, by_q[6];
        for (int i = 0; i < 6; i++) {
            along += b->by_q[i][row] * b->q[i];
        }
        const double radial = led ? -along : (b->wrench[row] - along) * by_square; // ∂W/∂ρ over ρ
        for (int i = 0; i < 6; i++) {
            by_q[i] = gain * (b->by_q[i][row] + radial * b->q[i]);
            flow += flows ? by_q[i] * q[i] : 0;
        }
        for (int i = 0; i < 6; i++) {
            const double by_p = (by_q[i] - flow * q[i]) / limited;
            out->d_twist[row][i] = lever * (i < 3 ? 1 : w->radius) * dt * by_p;
        }
    }
}

void gr_patch_rft(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
{
    GrRftBatch batch;
    double q[6];
    memset(out, 0, sizeof *out);
    const double size = mobilise(w, in, old, q);
    const GrRftPloughing ploughing = gr_rft_ploughing(w, in);
    const Lead lead = find_lead(w, in, old, q);
    gr_rft_begin(&batch, lead.e, w->own[GR_RFT_HOLD], ploughing.square);
    gr_rft_add_wheel(w, in, &ploughing, &batch);
    gr_rft_end(&batch);
    for (int i = 0; i < 6; i++) {
        const double lever = i < 3 ? 1 : w->radius;
        out->wrench[i] = lever * batch.wrench[i];
        out->d_h[i] = lever * batch.by_h[i];
    }
    const double share = batch.rho > 0 ? w->soil.own[GR_RFT_FRICTION] / batch.rho : 0;
    out->strength = share * out->wrench[2];
    out->d_strength = share * out->d_h[2];
    const double c = 1 - in->h * w->inverse_radius;
    out->theta_front = c > -1 ? gr_acos(c) : GR_PI;
    out->theta_rear = -out->theta_front;
    if (!in->steady) {
        differentiate(w, in, &batch, &lead, q, size, out);
        memcpy(next, q, sizeof q);
    }
}

static GrStatus check(const GrSoilDef *soil, GrErrorLog *log)
{
    const bool grains = soil->own[GR_RFT_XI] > 0 || (soil->density > 0 && soil->friction_angle > 0);
    if (!grains && !(soil->cohesion > 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "xi_n"},
                            "the law rft needs xi_n, or density and friction angle above 0, or a cohesion");
    }
    return GR_OK;
}

/// ξ_n from density and friction, ρ g (894 μ³ − 386 μ² + 89 μ) with μ = tan φ (Agarwal et al. 2023), or the given one,
/// which gr_soil_under_gravity() has scaled from the gravity of its fit.
static void prepare(GrSoilWheel *w)
{
    const double mu = w->tan_phi, given = w->soil.own[GR_RFT_XI];
    const double derived = w->unit_weight * mu * (89 + mu * (894 * mu - 386));
    w->pressure = given > 0 ? given : derived;
    w->pressure_length = 1;
    // Each grouser has its own pieces, whatever model the other laws use; the sinkage is that of the tips.
    w->radius = w->wheel.radius + (w->wheel.grousers != GR_GROUSER_NONE ? w->wheel.grouser_height : 0);
    w->inverse_radius = 1 / w->radius;
    w->extras = false;
    w->own[GR_RFT_HOLD] = 2 * sqrt(w->passive);
    w->own[GR_RFT_REACH] = w->soil.own[GR_RFT_SHADOW] * sqrt(w->passive);
}

static double exponent(const GrSoilDef *soil)
{
    (void)soil;
    return 1; // stress in proportion to depth
}

static double *given_stiffness(GrSoilDef *soil)
{
    return soil->own[GR_RFT_XI] > 0 ? &soil->own[GR_RFT_XI] : NULL;
}

// ---- q as a state: dq/dt = u/K, without its outward part where |q| = 1

static double length(const double q[6])
{
    double square = 0;
    for (int i = 0; i < 6; i++) {
        square += q[i] * q[i];
    }
    return sqrt(square);
}

static void scale(double by, double q[6])
{
    for (int i = 0; i < 6; i++) {
        q[i] *= by;
    }
}

static void memory_name(const GrSoilWheel *w, int number, char *name, size_t size)
{
    (void)w;
    snprintf(name, size, "q[%d]", number + 1);
}

static int memory_yields(const GrSoilWheel *w)
{
    (void)w;
    return 1;
}

static double memory_load(const GrSoilWheel *w, int part, const double *q)
{
    (void)w;
    (void)part;
    return length(q);
}

static void memory_admit(const GrSoilWheel *w, double *q)
{
    (void)w;
    const double size = length(q);
    scale(size > 1 ? 1 / size : 1, q);
}

static void memory_release(const GrSoilWheel *w, double *q)
{
    (void)w;
    scale(0.5, q);
}

static double memory_outward(const GrSoilWheel *w, int part, const double *before, const double *after)
{
    (void)w;
    (void)part;
    const double size = length(before);
    double along = 0, change = 0;
    for (int i = 0; i < 6; i++) {
        along += before[i] * (after[i] - before[i]);
        change += fabs(after[i] - before[i]);
    }
    return size > 0 ? along / size : change;
}

static void memory_settle(const GrSoilWheel *w, int part, double load, double *q)
{
    (void)w;
    (void)part;
    const double size = length(q);
    scale(size > 0 ? load / size : 1, q);
}

static double memory_strength(const double *q)
{
    (void)q;
    return 1;
}

static const GrLawMemory rft_memory = {
    .name = memory_name,
    .yields = memory_yields,
    .load = memory_load,
    .admit = memory_admit,
    .release = memory_release,
    .outward = memory_outward,
    .settle = memory_settle,
    .strength = memory_strength,
};

const GrLaw gr_law_rft = {
    .name = "rft",
    .text = "granular resistive force theory on every piece of the wheel (3D-RFT, Agarwal et al. 2023)",
    .traits = GR_LAW_ANY | GR_LAW_GRAINS | GR_LAW_DAMPED,
    .nodes = 0,
    .slice_state = 6,
    .memory = &rft_memory,
    .exponent = exponent,
    .own = {{GR_SOIL_OWN_ROW("xi_n", "xi_n_N_per_m3", "N/m³", "stress per depth; 0: from density and friction",
                             GR_RFT_XI, 1, 0, 1e9, false, 0)},
            {GR_SOIL_OWN_ROW("mu_surf", "mu_surf", "", "friction of the wheel's surface and the soil", GR_RFT_FRICTION,
                             1, GR_RFT_LEAST_FRICTION, 2, false, 0.5)},
            {GR_SOIL_OWN_ROW("mobilisation", "mobilisation", "", "path that mobilises the stress, over the radius",
                             GR_RFT_PATH, 1, 0, 1, true, 0.01),
             .not_in = GR_SOIL_USE_STEADY},
            {GR_SOIL_OWN_ROW("shadow", "shadow", "", "reach of the wedge before a grouser, over that of Rankine",
                             GR_RFT_SHADOW, 1, 0, 100, false, 3)},
            {GR_SOIL_OWN_ROW("ploughing", "ploughing", "", "trench behind a ploughing wheel; 0: level ground",
                             GR_RFT_PLOUGHING, 1, 0, 1, false, 1)},
            {GR_SOIL_OWN_ROW("heap", "heap", "", "share of the heap that the wheel itself raises which counts",
                             GR_RFT_HEAP, 1, 0, 1, false, 0),
             .not_in = GR_SOIL_USE_NO_FLOW}},
    .check = check,
    .prepare = prepare,
    .finish = finish,
    .time = build_up,
    .weight = given_stiffness,
    .angle_checked = 75.01 * GR_PI / 180,
};
