#include "plough.h"

#include "elementary.h"

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

void gr_plough_wedge(const GrSoilWheel *w, const GrTravel *travel, double h, GrSoilOutput *out)
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
