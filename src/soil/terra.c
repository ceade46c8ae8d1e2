/// Dynamic slip sinkage without spatial discretisation, after TerRA (B23 4.3.1; Barthelmes 2018). The paper names the
/// states and leaves the relations open; these are used here:
///   z = z_eff + z_s                              total sinkage, given by the geometry
///   ż_s = e_in m |rω − v_x| (r/l)^¼ (1 − z_s/z_max) − e_out (|v_x|/l) z_s/(1 + e_α max(0, sin α))
///   ṁ = (3 |v_x|/l + |rω − v_x|/K_x) (1 − m)     soil is dug once it slips, after a third of the patch's length or K_x
///                                                of slip; m changes its sign where slip does. Without m a wheel that
///                                                is rocked would dig and gain energy.
///   f_z = b P √(2r) (1 − n/3) z_eff^(n + 1/2)    Bekker's closed form of the load (1956)
///   τ_x, τ_y                                     mobilised shear as in mobilise.h, for soil that has passed half the
///                                                patch
///   b (γ z² N/2 + 2 c z √N) z_eff/(z_eff + z_s/10)   resistance against rolling: passive earth pressure at the total
///                                                    sinkage
/// Steady: z_s = z_max/(1 + z_max e_out |v_x|/(l e_in (r/l)^¼ |rω − v_x|)), from 0 without slip to z_max on the spot.
/// A soil with slip_sinkage_max, lug_digging or plough_sinkage has the D of extras.h for z_s.
/// The quarter power and the third come from runs of SCM on ishigami2007 (30 … 120 N, slips 0.2, 0.5, 0.8).
#include "elementary.h"
#include "law.h"
#include "stress_law.h"

enum { DUG = GR_SLICE_NODES + 4, SHEARED }; // z_s and m in the state

/// Number of times that the soil under a third of the patch is renewed while the whole patch passes.
static const double RENEWAL = 3;

/// z_s after dt, and m; both have their steady values when there is no old state.
static double slip_sinkage(const GrSoilWheel *w, const GrPatchInput *in, double length, const double *old,
                           double *sheared)
{
    const GrSoilDef *s = &w->soil;
    const double *u = in->twist;
    const double climb = u[0] < 0 ? -gr_sin(in->incline) : gr_sin(in->incline);
    const double limit = s->terra_limit * w->radius;
    const double slip = w->radius * u[4] - u[0], slipping = fabs(slip), passing = fabs(u[0]) / length;
    const double way = slip < 0 ? -1 : 1;
    const double renew = in->dt * (RENEWAL * passing + slipping / s->shear_x);
    *sheared = old != NULL ? (old[SHEARED] + renew * way) / (1 + renew) : way;
    const double ready = way * *sheared > 0 ? way * *sheared : 0;
    const double dig = s->terra_in * slipping * ready * sqrt(sqrt(w->radius / length));
    const double fill = s->terra_out * passing / (1 + s->terra_incline * (climb > 0 ? climb : 0));
    if (old == NULL) {
        return dig > 0 ? dig / (dig / limit + fill) : 0;
    }
    return (old[DUG] + in->dt * dig) / (1 + in->dt * (dig / limit + fill));
}

/// Passive earth pressure per width on a wall of depth z, and its derivative.
static double passive_force(const GrSoilWheel *w, double z, double *slope)
{
    const double a = 0.5 * w->unit_weight * w->passive, b = 2 * w->soil.cohesion * sqrt(w->passive);
    *slope = 2 * a * z + b;
    return a * z * z + b * z;
}

/// Load of the patch and its derivative by h, and the factor on cohesion.
typedef struct Normal {
    double force, force_h, bond, bond_h;
} Normal;

/// The same of a pressure with several terms, over the width and root of the closed form.
static double bearing_force(const GrSoilWheel *w, double exponent, double z, double root, double *slope)
{
    const GrBearingTerms terms = gr_bearing_terms(w, exponent, z);
    double force = 0;
    *slope = 0;
    for (int k = 0; k < w->term_count; k++) {
        const double n = terms.exponent[k];
        const double part = root * (1 - n / 3) * gr_exp(terms.log[k] + (n + 0.5) * gr_log(z));
        force += part;
        *slope += part * ((n + 0.5) / z + terms.slope[k]);
    }
    return force;
}

/// z: sinkage that presses. Unloading is the straight line of pressing.h.
static Normal normal_force(const GrSoilWheel *w, const GrPatchInput *in, double z)
{
    const double risen = in->risen > 0 ? in->risen : 0, deepest = z + risen;
    const double n = in->exponent, root = in->width * sqrt(2 * w->radius), base = root * (1 - n / 3);
    double force = base * gr_exp(w->log_pressure + (n + 0.5) * gr_log(deepest) - n * w->log_length);
    double slope = (n + 0.5) * force / deepest;
    if (w->term_count > 0) {
        force = bearing_force(w, n, deepest, root, &slope);
    }
    if (!(risen > 0)) {
        return (Normal){force, slope, 1, 0};
    }
    double left_h;
    const GrUnloading line = gr_unloading(w, in, n + w->steeper + 0.5, in->h + risen, deepest);
    const double left = gr_unloading_left(&line, in, risen, &left_h);
    return left > 0 ? (Normal){left * force, left_h * force + left * (1 - in->lifting) * slope, left, left_h}
                    : (Normal){0};
}

void gr_patch_terra(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
{
    const double r = w->radius, b = in->width;
    memset(out, 0, sizeof *out);
    const GrArc whole = gr_arc(r, in->h, in->roll, 1, 0);
    double sheared;
    const bool replaced = w->digs;
    const double dug = replaced     ? in->dug
                       : in->steady ? slip_sinkage(w, in, r * whole.theta1, NULL, &sheared)
                                    : old[DUG];
    if (!in->steady) {
        memset(next, 0, sizeof(double) * GR_TERRA_STATE);
        next[DUG] = in->resting || replaced ? dug : slip_sinkage(w, in, r * whole.theta1, old, &next[SHEARED]);
    }
    out->theta_front = whole.front;
    out->theta_rear = whole.rear;
    const double z = in->h - dug;
    if (!(z > 0)) {
        return;
    }
    const GrArc arc = gr_arc(r, z, in->roll, 1, 0);
    const Normal load = normal_force(w, in, z);
    const double normal = load.force, normal_h = load.force_h;
    // Strength of the patch: c A + N tan φ, A = b r θ1
    const double c = w->soil.cohesion * b * r;
    const double strength = c * load.bond * arc.theta1 + w->tan_phi * normal;
    const double strength_h = c * (load.bond * arc.theta1_h + load.bond_h * arc.theta1) + w->tan_phi * normal_h;
    // The node is half a patch from the entry, at the bottom of the wheel.
    GrStressField f = {.theta = {0}};
    GrNodeMotion k;
    GrNodeShear q;
    q.x_across[0] = q.y_along[0] = 0;
    gr_field_angles(1, &f);
    gr_node_motion(1, w, in, &arc, &f, &k);
    q.tau[0] = k.lag.lever * strength;
    q.tau_h[0] = k.lag.lever * strength_h;
    gr_node_shear(1, w, in, &k, strength, strength_h, old, next, &q);
    out->strength = strength;
    double wall_h;
    const double pushed = passive_force(w, in->h, &wall_h);
    // A wheel that lifts out of its rut also leaves the wall in front of it: the resistance vanishes with z_eff → 0.
    const double part = z / (z + 0.1 * dug), part_h = (1 - part) / (z + 0.1 * dug);
    const double wall = b * part * pushed;
    wall_h = b * (part * wall_h + part_h * pushed);
    const double x = q.x[0], x_h = q.x_h[0], y = q.y[0], y_h = q.y_h[0];
    double x_by[6], y_by[6];
    gr_one_node_derivatives(w, in, &k, &q, x_by, y_by);
    out->compaction = -in->roll * wall;
    out->d_compaction = -in->roll * wall_h;
    const double force[6] = {x + out->compaction, y, normal, r * y, -r * x, 0};
    const double slope[6] = {x_h + out->d_compaction, y_h, normal_h, r * y_h, -r * x_h, 0};
    for (int j = 0; j < 6; j++) {
        out->wrench[j] = force[j];
        out->d_h[j] = slope[j];
        out->d_twist[0][j] = x_by[j];
        out->d_twist[1][j] = y_by[j];
        out->d_twist[3][j] = r * y_by[j];
        out->d_twist[4][j] = -r * x_by[j];
    }
}

const GrLaw gr_law_terra = {
    .name = "terra",
    .text = "dynamic slip sinkage without spatial discretisation (TerRA, Barthelmes 2018)",
    .traits = GR_LAW_ANY | GR_LAW_WHEEL | GR_LAW_STRESS | GR_LAW_PATCH | GR_LAW_WEIGHS,
    .nodes = 1,
    .slice_state = GR_TERRA_STATE,
    .memory = &gr_memory_shear,
    .own = {{GR_SOIL_ROW("terra_in", "terra_in", "", "slip sinkage gained per slip distance", terra_in, 1, 0, 10, false,
                         0)},
            {GR_SOIL_ROW("terra_out", "terra_out", "", "slip sinkage lost per patch length rolled", terra_out, 1, 0,
                         100, false, 0)},
            {GR_SOIL_ROW("terra_limit", "terra_limit", "", "slip sinkage over r where digging stops", terra_limit, 1, 0,
                         2, true, 0)},
            {GR_SOIL_ROW("terra_incline", "terra_incline", "", "how much a climb slows the refilling", terra_incline, 1,
                         0, 100, false, 0),
             .not_in = GR_SOIL_USE_STEADY}},
};
