#include "extras.h"

#include "elementary.h"
#include "mobilise.h"

#include <math.h>

double gr_front_bulldozing(const GrSoilWheel *w, double z, double *derivative)
{
    // R_b = b sin(α + φ)/(2 sin α cos φ) (2 z c K_c + γ z² K_γ) + l_o³ γ/3 (π/2 − φ) + c l_o² (1 + tan(π/4 + φ/2))
    // with α = acos(1 − 2z/D) the entry angle and sin(α + φ)/(sin α cos φ) = 1 + tan φ cot α (Bekker 1969)
    const double phi = w->soil.friction_angle, c = w->soil.cohesion, gamma = w->unit_weight, b = w->wheel.width;
    const double d = 2 * w->radius, x = z < 0.5 * d ? z : 0.5 * d;
    const double cos_a = 1 - 2 * x / d, sin_a = sqrt(1 - cos_a * cos_a);
    const double shape = 0.5 * (1 + w->tan_phi * cos_a / sin_a);
    const double shape_z = z < 0.5 * d ? -0.5 * w->tan_phi / (sin_a * sin_a) * 2 / (d * sin_a) : 0;
    const double wedge = 2 * z * c * w->wedge_c + gamma * z * z * w->wedge_gamma;
    const double wedge_z = 2 * c * w->wedge_c + 2 * gamma * z * w->wedge_gamma;
    const double l = w->wedge_length * z;
    const double heap = gamma / 3 * (1.5707963267948966 - phi), apron = c * (1 + sqrt(w->passive));
    *derivative = b * (shape_z * wedge + shape * wedge_z) + (3 * l * l * heap + 2 * l * apron) * w->wedge_length;
    return b * shape * wedge + l * l * l * heap + l * l * apron;
}

double gr_side_hegedus(const GrSoilWheel *w, double h, double *derivative)
{
    // F_s = ∫ R_b(z) (r − z cos θ) dθ, z = r (cos θ − cos θ1), R_b(z) = D1 (c z + D2 γ z²/2), θ from −θ_e to θ1.
    // A polynomial in cos θ: with x = cos θ1 the moments I_k = ∫cos^k θ dθ close it.
    const double r = w->radius, x = h < r ? 1 - h / r : 0, more = h > r ? h - r : 0;
    const double rear_x = 1 - w->soil.exit_ratio * (h < r ? h / r : 1);
    const double g = w->soil.cohesion, k = 0.5 * w->side_d2 * w->unit_weight;
    double sum = 0, sum_h = 0;
    const double ends[2] = {gr_acos(x), gr_acos(rear_x > -1 ? rear_x : -1)};
    for (int e = 0; e < 2; e++) {
        // Behind, the side wall is in the soil up to the exit; its depth is measured from the ground in front.
        const double t = ends[e], s = gr_sin(t), c = gr_cos(t);
        const double i1 = s, i2 = 0.5 * (t + s * c), i3 = s - s * s * s / 3, i4 = 0.25 * c * c * c * s + 0.75 * i2;
        // z = r cos θ − a;  (g z + k z²)(r − z cos θ) expanded in powers of cos θ
        const double a = r * x - more, aa = a * a;
        const double p0 = r * (k * aa - g * a), p1 = r * r * (g - 2 * k * a) - g * aa + k * a * aa;
        const double p2 = k * r * r * r + 2 * g * r * a - 3 * k * r * aa, p3 = r * r * (3 * k * a - g),
                     p4 = -k * r * r * r;
        sum += p0 * t + p1 * i1 + p2 * i2 + p3 * i3 + p4 * i4;
        // ∂/∂h at fixed ends (∂z/∂h = 1); the front end adds nothing, z = 0 there
        const double q0 = r * (g - 2 * k * a), q1 = 2 * k * r * r + 2 * g * a - 3 * k * aa;
        const double q2 = 6 * k * r * a - 2 * g * r, q3 = -3 * k * r * r;
        sum_h += q0 * t + q1 * i1 + q2 * i2 + q3 * i3;
    }
    if (w->soil.exit_ratio > 0 && w->soil.exit_ratio != 1 && h < r) {
        const double t = ends[1], z = r * (gr_cos(t) - x);
        sum_h += (g * z + k * z * z) * (r - z * gr_cos(t)) * w->soil.exit_ratio / (r * gr_sin(t));
    }
    *derivative = w->side_d1 * sum_h;
    return w->side_d1 * sum;
}

double gr_sunk_area(double radius, double h, double *derivative)
{
    // A = r² (θ1 − sin θ1 cos θ1), dA/dh = 2 r sin θ1: the chord
    const double x = h < 2 * radius ? 1 - h / radius : -1, t = gr_acos(x), s = gr_sin(t);
    *derivative = 2 * radius * s;
    return radius * radius * (t - s * x);
}

/// One lug at θ: height in the soil and rim's depth, with derivatives.
static void lug_wedge(const GrSoilWheel *w, double h, double theta, GrLugs *sum)
{
    // Passive wedge in front of the immersed height e under the surcharge of the soil above the rim:
    //   P = b (γ e² N/2 + q e N + 2 c e √N)
    const double r = w->radius, lug = w->wheel.grouser_height, c = gr_cos(theta), s = gr_sin(theta);
    const double part = theta < 0 ? w->soil.exit_ratio : 1; // behind, the ground is lowered by the rut
    const double tip = (r + lug) * c - (r - part * h);
    if (!(tip > 0) || !(c > 0)) {
        return;
    }
    const bool whole = tip / c >= lug;
    const double e = whole ? lug : tip / c, e_h = whole ? 0 : part / c;
    const double above = r * c - (r - part * h);
    const double q = above > 0 ? w->unit_weight * above : 0, q_h = above > 0 ? w->unit_weight * part : 0;
    const double n = w->passive, b = w->wheel.width, hold = 2 * w->soil.cohesion * sqrt(n);
    const double p = b * (0.5 * w->unit_weight * e * e * n + q * e * n + hold * e);
    const double p_h = b * ((w->unit_weight * e * n + q * n + hold) * e_h + q_h * e * n);
    sum->x += p * c;
    sum->z += p * s;
    sum->t += p;
    sum->x_h += p_h * c;
    sum->z_h += p_h * s;
    sum->t_h += p_h;
}

GrLugs gr_lug_wedges(const GrSoilWheel *w, double h, double angle)
{
    GrLugs sum = {0};
    const double pitch = 6.283185307179586 / w->wheel.grouser_count;
    for (int i = 0; i < w->wheel.grouser_count; i++) {
        // Rolling forward moves a lug at the bottom backwards: θ = i pitch − angle
        lug_wedge(w, h, remainder(i * pitch - angle, 6.283185307179586), &sum);
    }
    return sum;
}

/// Adds the force of the lugs: the mobilised fraction of their passive wedges.
static void add_lugs(const GrSoilWheel *w, const GrSoilMotion *motion, double h, double dt, bool steady,
                     const double *old, double *next, GrSoilOutput *out)
{
    const GrLugs p = gr_lug_wedges(w, h, motion->wheel_angle);
    const double *u = motion->twist, rate = fabs(u[4]), k = w->soil.shear_x;
    const double arc = gr_acos(h < w->radius ? 1 - h / w->radius : 0) + 1e-9;
    const double step = steady ? 1 : dt, scale = step / k, t = scale * (w->radius * u[4] - u[0]);
    const double inverse_fresh = arc / (rate * step + 1e-300);
    GrMobilised m = {.stress = gr_mobilise_steady(t, inverse_fresh)};
    if (!steady) {
        const double chi = gr_mobilise_chi(t, inverse_fresh);
        const GrRenewal a = gr_renewal(chi, gr_fast_expm1(chi), t, rate * dt / arc, (u[4] < 0 ? dt : -dt) / arc);
        const GrShearLag lag = gr_shear_lag(motion->resting ? 0 : w->shear_time, dt);
        m = gr_mobilise(1, lag.late, old[GR_HEAD_LUG], old[GR_HEAD_LUG_PEAK], t, lag.lever, &a);
        if (fabs(m.stress) > 1) {
            m.stress = copysign(1, m.stress);
            m.d_t = m.d_rate = 0;
        }
        next[GR_HEAD_LUG] = m.m;
        next[GR_HEAD_LUG_PEAK] = m.peak;
    }
    const double arc_h = h < w->radius ? 1 / sqrt(h * (2 * w->radius - h)) : 0;
    const double m_h = -m.d_rate * u[4] / arc * arc_h;
    const double arm = -(w->radius + 0.5 * w->wheel.grouser_height);
    const double part[3] = {p.x, p.z, arm * p.t}, part_h[3] = {p.x_h, p.z_h, arm * p.t_h};
    const double m_v = scale * m.d_t, m_w = w->radius * m_v + m.d_rate;
    static const int row[3] = {0, 2, 4};
    for (int i = 0; i < 3; i++) {
        out->wrench[row[i]] += m.stress * part[i];
        out->d_sinkage[row[i]] += m.stress * part_h[i] + m_h * part[i];
        out->d_twist[row[i]][0] -= m_v * part[i];
        out->d_twist[row[i]][4] += m_w * part[i];
    }
}

/// Force on the side walls as a function of sinkage; 0 without side bulldozing.
static double side_force(const GrSoilWheel *w, double h, double angle, double *derivative)
{
    *derivative = 0;
    switch (w->soil.side_bulldozing) {
    case GR_SIDE_HEGEDUS:
        return gr_side_hegedus(w, h, derivative);
    case GR_SIDE_MESH:
        return gr_side_mesh(w, h, angle, derivative);
    case GR_SIDE_NONE:
        break;
    }
    return 0;
}

/// Adds all resistances along x. Their direction is the rolling memory, or sign(v)(1 − e^(−|v|/k_r)) (LS10 eq. 3.13,
/// where the printed F_t is F_l), which also scales the compaction resistance that the law includes in full.
static void add_resistance(const GrSoilWheel *w, double h, double v_x, double roll, double side, double side_h,
                           double compaction_h, GrSoilOutput *out)
{
    double total = side, total_h = side_h, derivative;
    if (w->soil.front_bulldozing) {
        total += gr_front_bulldozing(w, h, &derivative);
        total_h += derivative;
    }
    if (w->soil.side_drag > 0) {
        total += w->soil.side_drag * 2 * gr_sunk_area(w->radius, h, &derivative);
        total_h += w->soil.side_drag * 2 * derivative;
    }
    double direction = roll, direction_v = 0;
    const double k_r = w->soil.resistance_speed;
    if (k_r > 0) {
        const double fade = gr_exp(-fabs(v_x) / k_r), compaction = out->compaction;
        direction = (v_x < 0 ? -1 : 1) * (1 - fade);
        direction_v = fade / k_r;
        out->wrench[0] -= fade * compaction;
        out->compaction -= fade * compaction;
        out->d_sinkage[0] -= fade * compaction_h;
        out->d_twist[0][0] += (v_x < 0 ? -1 : 1) * fade / k_r * compaction;
    }
    out->wrench[0] -= direction * total;
    out->d_sinkage[0] -= direction * total_h;
    out->d_twist[0][0] -= direction_v * total;
}

/// Adds the wedge that the wheel pushes along its travel.
static void gr_plough_wedge(const GrSoilWheel *w, const GrTravel *travel, double h, GrSoilOutput *out)
{
    const GrWedgeWheel wheel = {w->radius, w->wheel.width, w->unit_weight, w->passive};
    const double sine = gr_sin(travel->angle), cosine = gr_cos(travel->angle);
    const GrWedge wedge = gr_plough_force(&w->soil, &wheel, travel->slip, sine, cosine, h);
    // The front's pressure passes through the axle; the side's acts a third of the sinkage above the lowest point.
    const double along = travel->roll * cosine, across = travel->side, arm = w->radius - h / 3;
    out->wrench[0] -= along * wedge.force;
    out->wrench[1] -= across * wedge.force;
    out->wrench[3] -= across * wedge.force * arm;
    out->d_sinkage[0] -= along * wedge.force_h;
    out->d_sinkage[1] -= across * wedge.force_h;
    out->d_sinkage[3] -= across * (wedge.force_h * arm - wedge.force / 3);
}

void gr_extras_add(const GrSoilWheel *w, const GrSoilMotion *motion, double sinkage, double compaction_h, double dt,
                   bool steady, const double *old, double *next, GrSoilOutput *out)
{
    const double *u = motion->twist;
    const double speed = sqrt(u[0] * u[0] + u[1] * u[1]);
    const double roll = steady ? 1 : old[GR_HEAD_ROLL];
    const double sine = steady ? (speed > 0 ? u[1] / speed : 0) : old[GR_HEAD_SIDE];
    double side_h;
    const double side = side_force(w, sinkage, motion->wheel_angle, &side_h);
    // F_y = F_u + F_s sin β (Ishigami et al. 2007; LS10 eq. 3.11), a third of the sinkage above the wheel's lowest
    // point
    const double arm = w->radius - sinkage / 3;
    out->wrench[1] -= sine * side;
    out->wrench[3] -= sine * side * arm;
    out->d_sinkage[1] -= sine * side_h;
    out->d_sinkage[3] -= sine * (side_h * arm - side / 3);
    const double cosine = sqrt(sine * sine < 1 ? 1 - sine * sine : 0);
    const double drag = w->soil.side_bulldozing_drag * cosine;
    add_resistance(w, sinkage, u[0], roll, drag * side, drag * side_h, compaction_h, out);
    if (w->wedge) {
        const double beta = steady ? out->slip_angle : old[GR_HEAD_ANGLE];
        const GrTravel travel = {roll, steady ? out->slip : old[GR_HEAD_SLIP], fabs(beta),
                                 steady ? gr_sin(beta) : sine};
        gr_plough_wedge(w, &travel, sinkage, out);
    }
    if (w->wheel.grousers == GR_GROUSER_LUGS && w->wheel.grouser_count > 0 && w->wheel.grouser_height > 0) {
        add_lugs(w, motion, sinkage, dt, steady, old, next, out);
    }
}

GrLawErrors gr_law_errors(const GrSoilWheel *w, double roll, double sine)
{
    static const double STRAIGHT = 0.1; // sine of the side slip over which the side force's error builds up
    const GrSoilDef *soil = &w->soil;
    const double side = sine / sqrt(sine * sine + STRAIGHT * STRAIGHT);
    return (GrLawErrors){roll * soil->error_fx, -side * soil->error_fy, -roll * soil->error_torque * w->radius};
}

void gr_law_errors_add(const GrSoilWheel *w, double roll, double sine, GrSoilOutput *out)
{
    const GrLawErrors e = gr_law_errors(w, roll, sine);
    const double parts[] = {e.pull, e.side, e.moment};
    static const int row[] = {0, 1, 4};
    for (int k = 0; k < 3; k++) {
        const int i = row[k];
        out->wrench[i] += parts[k] * out->wrench[2];
        out->d_sinkage[i] += parts[k] * out->d_sinkage[2];
        out->d_roll[i] += parts[k] * out->d_roll[2];
        for (int j = 0; j < 6; j++) {
            out->d_twist[i][j] += parts[k] * out->d_twist[2][j];
        }
    }
}

// ---- ploughing

/// 1 − cos β: what the path of a yawed wheel is longer than its way along the rim's plane, per path.
static double detour(double sine, double cosine)
{
    return sqrt(sine * sine + cosine * cosine) - cosine;
}

/// Slip here is that of the rim along its plane, ρ = rω/V = cos β/(1 − s) driving and cos β (1 + s) braking: 1 − ρ =
/// (1 − cos β − s)/(1 − s) and 1 − cos β − s cos β.
double gr_plough_fraction(const GrSoilDef *soil, double slip, double sine, double cosine)
{
    const double lag = detour(sine, cosine) - (slip > 0 ? slip : slip * cosine);
    const double skid = lag > 0 ? lag / (slip > 0 ? 1 - slip + 1e-12 : 1) : 0;
    const double side = soil->plough_side * sine;
    return sqrt(skid * skid + (1 - skid * skid) * side * side);
}

/// Length of the contact arc, r (θ1 − θ2).
static double contact_length(const GrSoilWheel *w, double h)
{
    const double x = h < w->radius ? h * w->inverse_radius : 1, exit = w->digs_exit * x;
    return w->radius * (gr_acos(1 - x) + gr_acos(1 - exit));
}

void gr_plough_input(const GrSoilWheel *w, double h, GrPatchInput *in)
{
    const GrSoilDef *s = &w->soil;
    const double sine = gr_sin(in->angle), cosine = gr_cos(in->angle), ahead = in->slip - detour(sine, cosine);
    const double u = gr_plough_fraction(s, in->slip, sine, cosine);
    // D = √(D_s² + D_u²), D_s = D_max (1 − e^(−j/j0)) and the same of lugs, j = L (ρ − 1), D_u = plough_sinkage u^p
    in->plough = u > 0 && (s->plough_sinkage > 0 || s->peak_plough != 0) ? gr_pow(u, s->plough_power) : 0;
    double dig = 0;
    if (in->slip > 0 && ahead > 0) {
        const double j = contact_length(w, h) * ahead / (1 - in->slip + 1e-12);
        dig = -s->slip_sinkage_max * gr_expm1(-j / s->slip_sinkage_length);
        if (w->lug_dug > 0) {
            dig -= w->lug_dug * gr_expm1(-j / s->lug_digging_length);
        }
        // What is dug out lies behind the wheel, up to the height of the ground.
        const double filled = s->exit_ratio + 0.5 * s->backfill * dig * w->inverse_radius;
        in->exit_ratio = filled < 1 ? filled : s->exit_ratio < 1 ? 1 : s->exit_ratio;
    }
    const double ploughed = s->plough_sinkage * in->plough;
    in->dug = sqrt(dig * dig + ploughed * ploughed);
}

GrWedge gr_plough_force(const GrSoilDef *s, const GrWedgeWheel *w, double slip, double sine, double cosine, double h)
{
    // F = R (w0 + w1 u/v_s)(chord sin β + b w_f cos β s⁻), R = γ N h²/2 + 2 c h √N, against the direction of travel.
    // u/v_s, with v_s = √(u² + (cos β s⁺/(1 − s⁺))²), falls as the wheel spins: the soil beside it is then sheared
    // along the rim. It is written without the division by 1 − s⁺.
    const double driving = slip > 0 ? slip : 0, braking = slip < 0 ? -slip : 0;
    const double u = gr_plough_fraction(s, slip, sine, cosine);
    const double pushed = u * (1 - driving), spun = cosine * driving;
    const double slide = pushed / (sqrt(pushed * pushed + spun * spun) + 1e-300);
    const double factor = s->wedge + s->wedge_slide * slide;
    const double weight = w->unit_weight * w->passive, hold = 2 * s->cohesion * sqrt(w->passive);
    const double wall = h * (0.5 * weight * h + hold), wall_h = weight * h + hold;
    const bool deep = h >= w->radius;
    const double half = deep ? w->radius : sqrt(h * (2 * w->radius - h));
    const double half_h = deep ? 0 : (w->radius - h) / half;
    const double breadth = 2 * half * sine + w->width * s->wedge_front * cosine * braking;
    return (GrWedge){factor * wall * breadth, factor * (wall_h * breadth + wall * 2 * half_h * sine)};
}
