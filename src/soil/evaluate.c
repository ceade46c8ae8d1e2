#include "evaluate.h"

#include "extras.h"
#include "law.h"
#include "pressing.h"
#include "vmath.h"

#include <math.h>
#include <string.h>

/// The sinkage used to find the ground follows the wheel's vertical motion within this fraction of its own value.
static const double FOLLOWING_SHARE = 0.1;

double gr_slip_ratio(double rim_speed, double v_x)
{
    const bool driving = fabs(rim_speed) >= fabs(v_x);
    const double scale = driving ? rim_speed : v_x;
    if (scale == 0) {
        return 0;
    }
    const double s = (rim_speed - v_x) / scale;
    return s > 1 ? 1 : s < -1 ? -1 : s;
}

/// Mode with hysteresis on the filtered slip, so that it does not chatter. A wheel that creeps more slowly than any
/// rover drives is stuck, whatever slip it remembers. `speed`: the faster of rim and hub [m/s].
static GrSoilMode next_mode(GrSoilMode old, double slip, double speed)
{
    const double leave = 0.02, come_back = 0.01, starts = 1e-4, stops = 5e-5;
    const bool slips = old == GR_MODE_ACCELERATE || old == GR_MODE_BRAKE;
    const double edge = slips ? come_back : leave;
    if (speed < (slips ? stops : starts)) {
        return GR_MODE_STUCK_ROLL;
    }
    return slip > edge ? GR_MODE_ACCELERATE : slip < -edge ? GR_MODE_BRAKE : GR_MODE_STUCK_ROLL;
}

GrRise gr_rise(double rate, double dt, const double *old)
{
    const double climb = old[GR_HEAD_CLIMB];
    return rate > climb ? (GrRise){dt * (rate - climb), 1} : rate < 0 ? (GrRise){dt * rate, 1} : (GrRise){0, 0};
}

/// U grows as the wheel rises from where the soil was loaded most, and is forgotten as the patch is renewed by `ahead`
/// of its length, with sign. Only travel beyond the play counts.
static void forget_rise(double rise, double ahead, const double *old, double *next)
{
    const double play = GR_RISE_PLAY, risen = old[GR_HEAD_RISEN] + rise, to = old[GR_HEAD_LEFT] + ahead;
    if (!(risen > 0)) {
        return;
    }
    const double beyond = fabs(to) > play ? fabs(to) - play : 0;
    next[GR_HEAD_RISEN] = risen / (1 + beyond);
    next[GR_HEAD_LEFT] = beyond > 0 ? copysign(play, to) : to;
}

void gr_memory_update(const GrSoilWheel *w, const double *twist, double slip, double slip_angle, double sinkage,
                      double mobilised, double dt, const double *old, double *next)
{
    const double rim = w->radius * twist[4], v_x = twist[0], v_y = twist[1];
    const double a_rim = fabs(rim), a_x = fabs(v_x);
    // Length over which the patch forgets: half of its front, r θ1/2 ≈ √(r h/2)
    const double length = sqrt(0.5 * w->radius * sinkage) + 1e-6 * w->radius;
    // The patch is renewed by travel, and by spin as far as spin is plastic slip (m² of it). With all of the spin,
    // small elastic loops of rotation and translation would gain energy from the resistance, whose direction is d. Both
    // agree in steady rolling.
    const double spin = a_rim > a_x ? mobilised * mobilised * (a_rim - a_x) : 0;
    // ẏ = (v/ℓ)(target − y), backward Euler: y ← (y + g target)/(1 + g), g = dt v/ℓ
    const double share = dt / length, g_x = share * a_x, g_spin = share * spin, keep = 1 / (1 + g_x + g_spin);
    const double ahead = (v_x < 0 ? -g_x : g_x) + (rim < 0 ? -g_spin : g_spin);
    if (w->unloads) {
        const double rate = gr_rim_rate(twist, next[GR_HEAD_FLEX], dt, old);
        forget_rise(gr_rise(rate, dt, old).way, ahead, old, next);
        next[GR_HEAD_CLIMB] = a_x * sqrt(0.5 * sinkage * w->inverse_radius); // θ1 |v_x|/2, entry angle θ1 ≈ √(2h/r)
    }
    next[GR_HEAD_ROLL] = (old[GR_HEAD_ROLL] + ahead) * keep;
    next[GR_HEAD_SLIP] = (old[GR_HEAD_SLIP] + (g_x + g_spin) * slip) * keep;
    const double speed = sqrt(v_x * v_x + v_y * v_y);
    const double g_v = share * speed, keep_v = 1 / (1 + g_v);
    next[GR_HEAD_SIDE] = (old[GR_HEAD_SIDE] + share * v_y) * keep_v;
    next[GR_HEAD_ANGLE] = (old[GR_HEAD_ANGLE] + g_v * fabs(slip_angle)) * keep_v;
    next[GR_HEAD_MODE] = next_mode((GrSoilMode)old[GR_HEAD_MODE], next[GR_HEAD_SLIP], a_rim > speed ? a_rim : speed);
    // The sinkage follows with a delay: where the wheel meets the wall of a rut, a longer patch may find lower ground,
    // on which the wheel is less deep, which asks for a shorter patch in the next step. Both would alternate, however
    // short the steps.
    const double sunk = old[GR_HEAD_SINKAGE], g_h = g_v + dt * fabs(twist[2]) / (FOLLOWING_SHARE * sinkage);
    next[GR_HEAD_SINKAGE] = sunk > 0 ? (sunk + g_h * sinkage) / (1 + g_h) : sinkage;
}

// ---- evaluation

static double largest_sinkage(const GrSoilWheel *w, const GrSoilMotion *motion)
{
    double h = motion->sinkage[0];
    for (int i = 1; i < w->slices; i++) {
        h = motion->sinkage[i] > h ? motion->sinkage[i] : h;
    }
    return h;
}

int gr_envelope_flags(const GrSoilWheel *w, double sinkage, double slip, double angle)
{
    int flags = 0;
    flags |= sinkage > w->radius ? GR_FLAG_DEEP : 0;
    flags |= sinkage > w->soil.sinkage_max * w->radius ? GR_FLAG_SINKAGE : 0;
    flags |= slip < w->soil.slip_min || slip > w->soil.slip_max ? GR_FLAG_SLIP : 0;
    const double checked = gr_law_angle_checked(w->law);
    flags |= checked > 0 && angle > checked ? GR_FLAG_ANGLE : 0;
    return flags;
}

void gr_base_input(const GrSoilWheel *w, double roll, double slip, double angle, double angle_used, GrPatchInput *base,
                   int *flags)
{
    // n = n0 + n1 |s| (K23 eq. 2.8)
    double n = w->exponent + w->soil.n1 * fabs(slip);
    if (n < 0.1 || n > 3) {
        n = n < 0.1 ? 0.1 : 3;
        *flags |= GR_FLAG_EXPONENT;
    }
    base->roll = roll;
    base->slip = slip;
    base->angle = angle;
    base->exponent = n;
    base->k_x = w->soil.shear_x + w->soil.shear_x_slope * angle;
    base->k_y = w->soil.shear_y + w->soil.shear_y_slope * angle;
    // When K increases (a softer spring), the stretch is kept and not the stress; when it decreases, the stress is
    // kept. Thus K m² never grows without work.
    const double used_x = w->soil.shear_x + w->soil.shear_x_slope * angle_used;
    const double used_y = w->soil.shear_y + w->soil.shear_y_slope * angle_used;
    base->keep_x = base->k_x > used_x ? used_x / base->k_x : 1;
    base->keep_y = base->k_y > used_y ? used_y / base->k_y : 1;
    base->width = w->slice_width;
    base->exit_ratio = w->soil.exit_ratio;
}

/// f_z + γ ḣ, never below 0. Damping grows from zero over damping_depth, so that the force is continuous at landing.
static void damp(const GrSoilWheel *w, const GrPatchInput *in, GrPatch *patch)
{
    if (w->gamma > 0 && !in->steady) {
        const double gamma = w->gamma;
        const double x = in->h / w->soil.damping_depth;
        double part = x < 1 ? x * x * (3 - 2 * x) : 1;
        double part_h = x < 1 ? 6 * x * (1 - x) / w->soil.damping_depth : 0;
        if (in->risen > 0) { // a wheel that has left its dent falls freely
            double held_h;
            const double held = gr_unloading_bond(w, in, &held_h);
            part_h = part_h * held + part * held_h;
            part *= held;
        }
        patch->wrench[2] -= gamma * part * in->twist[2];
        patch->d_twist[2][2] -= gamma * part;
        patch->d_h[2] -= gamma * part_h * in->twist[2];
    }
    if (patch->wrench[2] < 0) {
        patch->wrench[2] = 0;
        patch->d_h[2] = 0;
        memset(patch->d_twist[2], 0, sizeof patch->d_twist[2]);
    }
}

/// A slice at y ≠ 0 sees v_x − y ω_z and v_z + y ω_x; its f_z and f_x have moments on the wheel. In place, as a change
/// of basis: twist' = X twist, wrench = Xᵀ wrench', ∂wrench/∂twist = Xᵀ (∂wrench'/∂twist') X.
static void shift_slice(double y, GrPatch *p)
{
    for (int i = 0; i < 6; i++) {
        p->d_twist[i][3] += y * p->d_twist[i][2];
        p->d_twist[i][5] -= y * p->d_twist[i][0];
    }
    for (int j = 0; j < 6; j++) {
        p->d_twist[3][j] += y * p->d_twist[2][j];
        p->d_twist[5][j] -= y * p->d_twist[0][j];
    }
    p->wrench[3] += y * p->wrench[2];
    p->wrench[5] -= y * p->wrench[0];
    p->d_h[3] += y * p->d_h[2];
    p->d_h[5] -= y * p->d_h[0];
}

static void add_slice(const GrPatch *p, double y, GrSoilOutput *out)
{
    for (int i = 0; i < 6; i++) {
        out->wrench[i] += p->wrench[i];
        out->d_sinkage[i] += p->d_h[i];
        out->d_roll[i] -= y * p->d_h[i];
        for (int j = 0; j < 6; j++) {
            out->d_twist[i][j] += p->d_twist[i][j];
        }
    }
    out->compaction += p->compaction;
    out->strength += p->strength;
}

static void clear_forces(GrSoilOutput *out)
{
    memset(out->wrench, 0, sizeof out->wrench);
    memset(out->d_twist, 0, sizeof out->d_twist);
    memset(out->d_sinkage, 0, sizeof out->d_sinkage);
    memset(out->d_roll, 0, sizeof out->d_roll);
    out->theta_front = out->theta_peak = out->theta_rear = 0;
    out->compaction = 0;
    out->strength = 0;
}

static void take_arc(const GrPatch *p, GrSoilOutput *out)
{
    out->theta_front = p->theta_front;
    out->theta_peak = p->theta_peak;
    out->theta_rear = p->theta_rear;
}

/// A single slice is the whole wheel: no shift and no sum are needed.
static double whole_wheel(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next,
                          GrSoilOutput *out)
{
    GrPatch patch;
    gr_law_patch(w, in, old, next, &patch);
    damp(w, in, &patch);
    memcpy(out->wrench, patch.wrench, sizeof out->wrench);
    memcpy(out->d_twist, patch.d_twist, sizeof out->d_twist);
    memcpy(out->d_sinkage, patch.d_h, sizeof out->d_sinkage);
    memset(out->d_roll, 0, sizeof out->d_roll);
    out->compaction = patch.compaction;
    out->strength = patch.strength;
    take_arc(&patch, out);
    return patch.d_compaction;
}

/// Sums law and damping over the slices, with the motion's sinkage reduced by `deflection`. Fills wrench, derivatives
/// and arc of `out`; returns ∂(compaction)/∂h. `base` is the input common to all slices.
static double sum_slices(const GrSoilWheel *w, const GrSoilMotion *motion, double deflection, const GrPatchInput *base,
                         const double *old, double *next, GrSoilOutput *out)
{
    GrPatchInput in = *base;
    double compaction_h = 0, deepest = 0;
    memcpy(in.twist, motion->twist, sizeof in.twist);
    in.h = motion->sinkage[0] - deflection;
    if (w->slices == 1 && in.h > GR_LEAST_SINKAGE) {
        return whole_wheel(w, &in, old + GR_STATE_HEAD, next + GR_STATE_HEAD, out);
    }
    clear_forces(out);
    for (int i = 0; i < w->slices; i++) {
        const int at = GR_STATE_HEAD + i * w->slice_state;
        in.h = motion->sinkage[i] - deflection;
        if (!(in.h > GR_LEAST_SINKAGE)) {
            memset(next + at, 0, sizeof(double) * (size_t)w->slice_state);
            continue;
        }
        GrPatch patch;
        const double y = (i + 0.5) * w->slice_width - 0.5 * w->wheel.width;
        in.twist[0] = motion->twist[0] - y * motion->twist[5];
        in.twist[2] = motion->twist[2] + y * motion->twist[3];
        in.y = y;
        gr_law_patch(w, &in, old + at, next + at, &patch);
        damp(w, &in, &patch);
        shift_slice(y, &patch);
        add_slice(&patch, y, out);
        compaction_h += patch.d_compaction;
        if (in.h > deepest) {
            deepest = in.h;
            take_arc(&patch, out);
        }
    }
    return compaction_h;
}

/// With k_w u = f_z(h − u, twist): du = (∂f_z/∂h dh + ∂f_z/∂v dv)/(k_w + ∂f_z/∂h) subtracted from the sinkage.
static void soften(double stiffness, GrSoilOutput *out)
{
    double by_h[6], z_v[6];
    memcpy(by_h, out->d_sinkage, sizeof by_h);
    memcpy(z_v, out->d_twist[2], sizeof z_v);
    const double sum = stiffness + by_h[2], z_roll = out->d_roll[2];
    for (int i = 0; i < 6; i++) {
        out->d_sinkage[i] *= stiffness / sum;
        out->d_roll[i] -= by_h[i] * z_roll / sum;
        for (int j = 0; j < 6; j++) {
            out->d_twist[i][j] -= by_h[i] * z_v[j] / sum;
        }
    }
}

/// Deflection of a rim without contact, which rebounds by k_w u + c_w u̇ = 0 (backward Euler).
static double free_rim(const GrSoilWheel *w, double dt, const double *old)
{
    const double c = w->wheel.damping / dt;
    return isinf(w->wheel.stiffness) || !(c > 0) ? 0 : c * old[GR_HEAD_FLEX] / (w->wheel.stiffness + c);
}

/// Rise from the loaded soil at the end of a step in which the wheel is deflected by u.
static void raise_rim(const GrSoilWheel *w, const GrSoilMotion *motion, double u, const double *old, GrPatchInput *in)
{
    if (w->unloads && !in->steady && !in->resting) {
        const double rate = gr_rim_rate(motion->twist, u, in->dt, old);
        const GrRise rise = gr_rise(rate, in->dt, old);
        in->risen = old[GR_HEAD_RISEN] + rise.way;
        in->lifting = rise.slope;
    }
}

/// Newton's last step is taken by the derivatives alone where it is shorter than this share of the rim's sinkage: what
/// is left of the balance is of the order of its square. At rest, and where the force has a kink between loading and
/// unloading, the step is shorter.
static const double FLEX_LINEAR = 5e-5, FLEX_LINEAR_SHORT = 1e-9;

/// Deflects a wheel further by δ, to first order.
static void deflect(double delta, double compaction_h, GrSoilOutput *out)
{
    for (int i = 0; i < 6; i++) {
        out->wrench[i] -= delta * out->d_sinkage[i];
    }
    out->compaction -= delta * compaction_h;
}

/// Deflection to begin the search with: the last one, and what the sinkage of this step adds where force grows with
/// sinkage^1.5.
static double guess_deflection(const GrSoilMotion *motion, const GrPatchInput *base, double deep, const double *old)
{
    const double last = old[GR_HEAD_FLEX], sinking = motion->resting ? 0 : -base->dt * motion->twist[2];
    const double u = last + 1.5 * last * sinking / (fabs(deep - last) + 1.5 * last + GR_LEAST_SINKAGE);
    return u >= 0 && u <= deep ? u : 0.5 * deep;
}

double gr_sum_flexible(const GrSoilWheel *w, const GrSoilMotion *motion, const GrPatchInput *base, const double *old,
                       double *next, GrSoilOutput *out)
{
    const double k_w = w->wheel.stiffness;
    if (isinf(k_w) || w->in_series) {
        return sum_slices(w, motion, 0, base, old, next, out);
    }
    // Spring and damper at the end of the step: k_w u + c_w (u − u_old)/dt = k u − held
    const double c = base->steady || motion->resting ? 0 : w->wheel.damping / base->dt;
    const double k = k_w + c, held = c > 0 ? c * old[GR_HEAD_FLEX] : 0;
    const double deep = largest_sinkage(w, motion);
    if (held > k * deep) { // the rim rebounds more slowly than the ground recedes: no contact
        next[GR_HEAD_FLEX] = held / k;
        return sum_slices(w, motion, held / k, base, old, next, out);
    }
    // Bracketed Newton from the last deflection: f_z(h − u) + held − k u decreases from u = 0 to u = h.
    double low = 0, high = deep, u = base->steady ? 0.5 * deep : guess_deflection(motion, base, deep, old);
    const double linear = base->steady || motion->resting || w->unloads ? FLEX_LINEAR_SHORT : FLEX_LINEAR;
    double compaction_h = 0;
    bool found = false;
    GrPatchInput in = *base;
    for (int i = 0; i < 60 && !found; i++) {
        raise_rim(w, motion, u, old, &in);
        compaction_h = sum_slices(w, motion, u, &in, old, next, out);
        const double excess = out->wrench[2] + held - k * u;
        const double further = excess / (k + out->d_sinkage[2]);
        found = fabs(further) <= linear * (deep - u) || high - low <= 1e-15 * deep;
        if (found) {
            deflect(further, compaction_h, out);
            u += further;
            break;
        }
        if (excess > 0) {
            low = u;
        } else {
            high = u;
        }
        const double to = u + further;
        u = to > low && to < high ? to : 0.5 * (low + high);
    }
    out->flags |= found ? 0 : GR_FLAG_NOT_CONVERGED;
    next[GR_HEAD_FLEX] = u;
    soften(k, out);
    return compaction_h;
}

/// Completes the states of the slices of a law that needs it.
static void finish_slices(const GrSoilWheel *w, const double twist[6], double dt, const double *old, double *next)
{
    const bool finishes = gr_law_finishes(w);
    for (int i = 0; finishes && i < w->slices; i++) {
        const int at = GR_STATE_HEAD + i * w->slice_state;
        const double y = (i + 0.5) * w->slice_width - 0.5 * w->wheel.width;
        const double u[6] = {twist[0] - y * twist[5], twist[1], twist[2] + y * twist[3], twist[3], twist[4], twist[5]};
        gr_law_finish(w, u, dt, old + at, next + at);
    }
}

/// `sinkage`: that of the law.
static void remember(const GrSoilWheel *w, const double twist[6], double sinkage, double dt, const double *old,
                     double *next, GrSoilOutput *out)
{
    out->slip = gr_slip_ratio(w->radius * twist[4], twist[0]);
    out->slip_angle = gr_fast_atan(twist[1], fabs(twist[0]));
    gr_memory_update(w, twist, out->slip, out->slip_angle, sinkage, out->mobilised, dt, old, next);
    out->mode = (GrSoilMode)next[GR_HEAD_MODE];
    out->flags |= gr_envelope_flags(w, out->sinkage - next[GR_HEAD_FLEX], next[GR_HEAD_SLIP], next[GR_HEAD_ANGLE]);
}

void gr_soil_remember(const GrSoilWheel *w, const double twist[6], double dt, const double *old, double *next,
                      GrSoilOutput *out)
{
    double slope;
    finish_slices(w, twist, dt, old, next);
    remember(w, twist, gr_law_sinkage(w, out->sinkage, &slope), dt, old, next, out);
}

// ---- errors of the law's sinkage

double gr_law_sinkage(const GrSoilWheel *w, double h, double *slope)
{
    const double error = w->soil.error_sinkage * w->radius;
    *slope = 1;
    if (error >= 0 || h <= 0) {
        const double left = h - error;
        return error == 0 || left > GR_LEAST_SINKAGE ? left : fmin(left, 0);
    }
    const double root = sqrt(h * h + error * error), part = -error / root;
    *slope = 1 + part * part * part;
    return h + part * h;
}

double gr_law_motion(const GrSoilWheel *w, const GrSoilMotion *motion, GrSoilMotion *out)
{
    double deepest = 0, slope = 1;
    *out = *motion;
    for (int k = 0; k < w->slices; k++) {
        double own;
        out->sinkage[k] = gr_law_sinkage(w, motion->sinkage[k], &own);
        slope = motion->sinkage[k] > deepest ? own : slope;
        deepest = fmax(deepest, motion->sinkage[k]);
    }
    return slope;
}

/// `sinks`: derivative of the sinkage that the law sees by that of the wheel.
static void evaluate(const GrSoilWheel *w, const GrSoilMotion *motion, double sinks, double dt, const double *old,
                     double *next, GrSoilOutput *out)
{
    const double sinkage = largest_sinkage(w, motion);
    if (!(sinkage > 0)) {
        memset(out, 0, sizeof *out);
        out->sinkage = sinkage;
        const double rim = free_rim(w, dt, old);
        gr_soil_clear(w, next); // lift-off clears the state of the soil
        next[GR_HEAD_FLEX] = rim;
        return;
    }
    out->sinkage = sinkage;
    out->flags = !motion->resting && dt > gr_soil_time(w) ? GR_FLAG_STEP : 0;
    // Forces use the memory from before the step, so that their derivatives need not include it.
    GrPatchInput base = {.dt = dt,
                         .resting = motion->resting,
                         .instant = motion->instant,
                         .secant = motion->at_beginning && !motion->resting,
                         .incline = motion->incline,
                         .wheel_angle = motion->wheel_angle,
                         .side = old[GR_HEAD_SIDE],
                         .around = motion->around};
    raise_rim(w, motion, old[GR_HEAD_FLEX], old, &base);
    base.lifting /= sinks;
    gr_base_input(w, old[GR_HEAD_ROLL], old[GR_HEAD_SLIP], old[GR_HEAD_ANGLE], old[GR_HEAD_ANGLE_USED], &base,
                  &out->flags);
    if (w->digs) {
        gr_plough_input(w, old[GR_HEAD_SINKAGE], &base);
    }
    memset(next, 0, sizeof(double) * GR_STATE_HEAD);
    const double compaction_h = gr_sum_flexible(w, motion, &base, old, next, out);
    const double hold = w->radius * out->strength, torque = fabs(out->wrench[4]);
    out->mobilised = torque < hold ? torque / hold : 1;
    next[GR_HEAD_ANGLE_USED] = old[GR_HEAD_ANGLE];
    if (w->extras) {
        gr_extras_add(w, motion, sinkage, compaction_h, dt, false, old, next, out);
    }
    if (w->errors) {
        gr_law_errors_add(w, old[GR_HEAD_ROLL], old[GR_HEAD_SIDE], out);
    }
    if (!motion->at_beginning) {
        remember(w, motion->twist, sinkage, dt, old, next, out);
    }
    if (motion->resting) { // the soil is loaded: a rim that is deflected in the search for rest does not rise from it
        next[GR_HEAD_RISEN] = next[GR_HEAD_LEFT] = 0;
    }
}

void gr_soil_evaluate(const GrSoilWheel *w, const GrSoilMotion *motion, double dt, const double *old, double *next,
                      GrSoilOutput *out)
{
    double scratch[GR_STATE_MAX];
    next = next != NULL ? next : scratch;
    if (w->soil.error_sinkage == 0) {
        evaluate(w, motion, 1, dt, old, next, out);
        return;
    }
    GrSoilMotion seen;
    const double slope = gr_law_motion(w, motion, &seen);
    evaluate(w, &seen, slope, dt, old, next, out);
    for (int i = 0; i < 6; i++) {
        out->d_sinkage[i] *= slope;
        out->d_roll[i] *= slope;
    }
    out->sinkage = out->sinkage > 0 ? largest_sinkage(w, motion) : out->sinkage;
}
