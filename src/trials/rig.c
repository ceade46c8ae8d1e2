#include "rig.h"

#include "elementary.h"
#include "law.h"

#include <math.h>

enum { PITCH_SAMPLES = 16 };

GrRigDef gr_default_rig_def(void)
{
    return (GrRigDef){.soil = gr_default_soil_def(),
                      .wheel = gr_default_soil_wheel_def(),
                      .load = 64.68,
                      .sinkage = 0.01,
                      .speed = 0.05,
                      .cell = 0.01,
                      .steps = 200};
}

GrStatus gr_rig_make(const GrRigDef *def, GrRig *out, GrErrorLog *log)
{
    out->def = *def;
    GrStatus status = gr_soil_wheel_prepare(&def->soil, &def->wheel, &out->wheel, log);
    if (!def->by_sinkage && !(def->load > 0 && isfinite(def->load))) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "load"}, "found %g N, it must be above 0",
                              def->load);
    }
    if (def->by_sinkage && !(def->sinkage > 0 && def->sinkage <= 2 * def->wheel.radius)) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "sinkage"},
                              "found %g m, it must be above 0 and at most the wheel's diameter", def->sinkage);
    }
    if (!(def->cell > 0 && def->cell <= def->wheel.radius)) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "cell"},
                              "found %g m, it must be above 0 and at most the wheel's radius", def->cell);
    }
    if (def->steps < 10) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "steps"}, "found %d, it must be at least 10",
                              def->steps);
    }
    if (!(def->speed > 0 && isfinite(def->speed))) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "speed"}, "found %g m/s, it must be above 0",
                              def->speed);
    }
    return status;
}

double gr_rig_pitch(const GrRig *rig)
{
    const GrSoilWheelDef *w = &rig->def.wheel;
    const bool each =
        w->grousers == GR_GROUSER_LUGS || (w->grousers != GR_GROUSER_NONE && gr_law_has(rig->wheel.law, GR_LAW_GRAINS));
    return each && w->grouser_count > 0 && w->grouser_height > 0 ? 2 * GR_PI / w->grouser_count : 0;
}

/// Computes efficiency and other derived values of a point.
static void rig_point_finish(const GrRig *rig, GrRigPoint *p)
{
    // η = f_x v_x/(T ω), with v_x/(r ω) = 1 − s driving and 1/(1 + s) braking
    const double advance = p->slip >= 0 ? 1 - p->slip : 1 / (1 + p->slip);
    const bool works = p->torque > 0 && p->f_x >= 0 && p->slip > -1;
    p->efficiency = works ? p->f_x * advance * rig->wheel.radius / p->torque : (double)NAN;
}

static void add_share(const GrSoilSteady *s, double share, GrRigPoint *p)
{
    p->f_x += share * s->f_x;
    p->f_y += share * s->f_y;
    p->f_z += share * s->f_z;
    p->torque += share * s->torque;
    p->theta_front = s->output.theta_front;
    p->theta_peak = s->output.theta_peak;
    p->theta_rear = s->output.theta_rear;
    p->flags |= s->output.flags;
}

/// The steady law at a given sinkage, averaged over a lug pitch.
static void at_sinkage(const GrRig *rig, double slip, double slip_angle, double sinkage, GrRigPoint *p)
{
    const double pitch = gr_rig_pitch(rig);
    const int samples = pitch > 0 ? PITCH_SAMPLES : 1;
    double lowest = (double)INFINITY, highest = -(double)INFINITY;
    *p = (GrRigPoint){.slip = slip, .slip_angle = slip_angle, .sinkage = sinkage};
    for (int i = 0; i < samples; i++) {
        GrSoilSteady s;
        gr_soil_steady(&rig->wheel, slip, slip_angle, sinkage, pitch * i / samples, &s);
        add_share(&s, 1.0 / samples, p);
        lowest = fmin(lowest, s.f_x);
        highest = fmax(highest, s.f_x);
    }
    p->ripple = 0.5 * (highest - lowest);
}

/// A bracket around the sinkage that carries the load; forces are relative to the load.
typedef struct Bracket {
    double low, f_low, high, f_high;
} Bracket;

/// Closes a bracket by regula falsi (Illinois).
static void close_in(const GrRig *rig, double slip, double slip_angle, Bracket k, GrRigPoint *p)
{
    const double load = rig->def.load;
    double previous = 0;
    for (int i = 0; i < 200 && fabs(p->f_z - load) > 1e-12 * load && k.high - k.low > 1e-15 * k.high; i++) {
        const double falsi = (k.low * k.f_high - k.high * k.f_low) / (k.f_high - k.f_low);
        at_sinkage(rig, slip, slip_angle, falsi > k.low && falsi < k.high ? falsi : 0.5 * (k.low + k.high), p);
        const double f = p->f_z - load;
        if (f < 0) {
            k.low = p->sinkage;
            k.f_low = f;
            k.f_high *= previous < 0 ? 0.5 : 1;
        } else {
            k.high = p->sinkage;
            k.f_high = f;
            k.f_low *= previous > 0 ? 0.5 : 1;
        }
        previous = f;
    }
}

/// At small sinkage f_z is close to a power of h, so the secant method on logarithms finds the load in a few steps.
/// False when it does not, or when the result is so deep that a smaller solution may exist.
static bool find_shallow(const GrRig *rig, double slip, double slip_angle, GrRigPoint *p)
{
    const double load = rig->def.load, r = rig->wheel.radius;
    double h = 0.1 * r, exponent = rig->def.soil.n0 + 0.5, last_h = 0, last_f = 0;
    for (int i = 0; i < 12; i++) {
        at_sinkage(rig, slip, slip_angle, h, p);
        if (!(p->f_z > 0)) {
            return false;
        }
        if (fabs(p->f_z - load) <= 1e-12 * load) {
            return true;
        }
        if (i > 0 && last_h != h) {
            exponent = gr_log(p->f_z / last_f) / gr_log(h / last_h);
        }
        if (!(exponent > 0.2 && exponent < 5)) {
            return fabs(p->f_z - load) <= 1e-9 * load;
        }
        last_h = h;
        last_f = p->f_z;
        h *= gr_pow(load / p->f_z, 1 / exponent);
        if (!(h < r && h > 1e-9 * r)) {
            return false;
        }
    }
    return fabs(p->f_z - load) <= 1e-9 * load;
}

/// The smallest sinkage that carries the load.
static GrStatus at_load(const GrRig *rig, double slip, double slip_angle, GrRigPoint *p)
{
    if (find_shallow(rig, slip, slip_angle, p)) {
        return GR_OK;
    }
    const double load = rig->def.load, deepest = 2 * rig->wheel.radius;
    Bracket k = {.low = 0, .f_low = -load, .high = 1e-6 * rig->wheel.radius};
    at_sinkage(rig, slip, slip_angle, k.high, p);
    while (p->f_z < load) {
        if (k.high >= deepest) {
            return GR_ERROR_NOT_CONVERGED;
        }
        k.low = k.high;
        k.f_low = p->f_z - load;
        // Long steps where f_z certainly rises with sinkage, short ones where it may not.
        k.high = fmin((k.high < 0.03 * deepest ? 3 : 1.2) * k.high, deepest);
        at_sinkage(rig, slip, slip_angle, k.high, p);
    }
    k.f_high = p->f_z - load;
    if (!isfinite(k.f_high)) {
        return GR_ERROR_NOT_CONVERGED;
    }
    close_in(rig, slip, slip_angle, k, p);
    return GR_OK;
}

double gr_rig_deflection(const GrRig *rig, double f_z)
{
    return gr_law_has(rig->wheel.law, GR_LAW_SERIES) ? 0 : f_z / rig->wheel.wheel.stiffness;
}

/// Depth of the hub below that of a wheel that just touches the ground, where the rim has the rig's sinkage: the laws
/// of patches include the deflection of a flexible wheel. By the secant method.
static double hub_sinkage(const GrRig *rig, double slip, double slip_angle)
{
    const double rim = rig->def.sinkage;
    double h = rim, last = 0, last_off = 0;
    for (int i = 0; i < 60; i++) {
        GrRigPoint p;
        at_sinkage(rig, slip, slip_angle, h, &p);
        const double off = h - gr_rig_deflection(rig, p.f_z) - rim;
        if (!(fabs(off) > 1e-12 * rim)) {
            break;
        }
        const double next = i > 0 && off != last_off ? h - off * (h - last) / (off - last_off) : h - off;
        last = h;
        last_off = off;
        h = fmax(rim, next);
    }
    return h;
}

static void mark_missing(double slip, double slip_angle, int flags, GrRigPoint *p)
{
    const double none = (double)NAN;
    *p = (GrRigPoint){.slip = slip,
                      .slip_angle = slip_angle,
                      .sinkage = none,
                      .deflection = none,
                      .f_x = none,
                      .f_y = none,
                      .f_z = none,
                      .torque = none,
                      .efficiency = none,
                      .theta_front = none,
                      .theta_peak = none,
                      .theta_rear = none,
                      .ripple = none,
                      .distance = none,
                      .flags = flags,
                      .status = GR_ERROR_NOT_CONVERGED};
}

GrStatus gr_rig_point(const GrRig *rig, double slip, double slip_angle, GrRigPoint *out)
{
    GrStatus status = GR_OK;
    const bool grid = gr_soil_law_on_grid(rig->wheel.law);
    GrRig held = *rig;
    held.def.sinkage = rig->def.by_sinkage && !grid ? hub_sinkage(rig, slip, slip_angle) : rig->def.sinkage;
    if (grid) {
        status = gr_rig_point_scm(rig, slip, slip_angle, out);
    } else if (rig->def.dynamic || gr_rig_on_grid(rig)) {
        status = gr_rig_point_dynamic(&held, slip, slip_angle, out);
    } else if (rig->def.by_sinkage) {
        at_sinkage(rig, slip, slip_angle, held.def.sinkage, out);
    } else {
        status = at_load(rig, slip, slip_angle, out);
    }
    if (status != GR_OK || !isfinite(out->f_x + out->f_y + out->f_z + out->torque)) {
        mark_missing(slip, slip_angle, out->flags, out);
        return GR_ERROR_NOT_CONVERGED;
    }
    out->flags |= slip <= 0 && out->f_x > 0 ? GR_FLAG_PULL : 0;
    out->deflection = gr_rig_deflection(rig, out->f_z);
    out->sinkage -= grid ? 0 : out->deflection; // on a grid it is that of the rim
    rig_point_finish(rig, out);
    return GR_OK;
}

// ---- Points of interest on a slip curve: towed (no torque), self-propelled (no pull), most efficient.

/// Resolution and range of the search over slip. The steady laws are smooth and cheap, a grid is neither: a wheel that
/// hardly moves takes a hundred times as long for one cell.
typedef struct Search {
    int scan;
    double slip;          ///< zeros are searched up to this magnitude
    double zero, largest; ///< accuracy of slips
} Search;

static Search search_of(const GrRig *rig)
{
    return gr_rig_on_grid(rig) ? (Search){16, 0.8, 2e-3, 2e-2} : (Search){100, 0.99, 1e-12, 1e-9};
}

/// A quantity of a point whose zero or maximum is searched.
typedef double (*Quantity)(const GrRigPoint *point);

static double torque_of(const GrRigPoint *p)
{
    return p->torque;
}

static double pull_of(const GrRigPoint *p)
{
    return p->f_x;
}

static double efficiency_of(const GrRigPoint *p)
{
    return p->efficiency;
}

/// The first rising zero between two slips, by a scan and bisection.
static void find_zero(const GrRig *rig, double slip_angle, Quantity quantity, GrRigPoint *out)
{
    const Search search = search_of(rig);
    const double from = -search.slip, to = search.slip;
    GrRigPoint before = {.status = GR_ERROR_NOT_CONVERGED}, now;
    for (int i = 0; i <= search.scan; i++, before = now) {
        gr_rig_point(rig, from + (to - from) * i / search.scan, slip_angle, &now);
        if (before.status == GR_OK && now.status == GR_OK && quantity(&before) < 0 && quantity(&now) >= 0) {
            double low = before.slip, high = now.slip;
            *out = now;
            while (high - low > search.zero) {
                gr_rig_point(rig, 0.5 * (low + high), slip_angle, out);
                if (quantity(out) < 0) {
                    low = out->slip;
                } else {
                    high = out->slip;
                }
            }
            return;
        }
    }
    *out = (GrRigPoint){.status = GR_ERROR_NOT_CONVERGED};
}

/// The largest value between two slips, by a scan and golden sections around its best point.
static void find_largest(const GrRig *rig, double slip_angle, double from, double to, Quantity quantity,
                         GrRigPoint *out)
{
    GrRigPoint now;
    const Search search = search_of(rig);
    *out = (GrRigPoint){.status = GR_ERROR_NOT_CONVERGED};
    for (int i = 0; i <= search.scan; i++) {
        gr_rig_point(rig, from + (to - from) * i / search.scan, slip_angle, &now);
        const bool better = out->status != GR_OK || quantity(&now) > quantity(out);
        if (now.status == GR_OK && isfinite(quantity(&now)) && better) {
            *out = now;
        }
    }
    if (out->status != GR_OK) {
        return;
    }
    const double golden = 0.5 * (sqrt(5) - 1), width = (to - from) / search.scan;
    double low = fmax(from, out->slip - width), high = fmin(to, out->slip + width);
    GrRigPoint left, right;
    while (high - low > search.largest) {
        gr_rig_point(rig, high - golden * (high - low), slip_angle, &left);
        gr_rig_point(rig, low + golden * (high - low), slip_angle, &right);
        const bool go_left = quantity(&left) > quantity(&right);
        *out = go_left && quantity(&left) > quantity(out)     ? left
               : !go_left && quantity(&right) > quantity(out) ? right
                                                              : *out;
        if (go_left) {
            high = right.slip;
        } else {
            low = left.slip;
        }
    }
}

GrRigFeatures gr_rig_no_features(void)
{
    const GrRigPoint none = {.status = GR_ERROR_NOT_CONVERGED};
    return (GrRigFeatures){none, none, none, none, 0, 0};
}

void gr_rig_features(const GrRig *rig, double slip_angle, double slip_from, double slip_to, GrRigFeatures *out)
{
    GrRig steady = *rig;
    steady.def.dynamic = false;
    *out = (GrRigFeatures){.slip_from = slip_from, .slip_to = slip_to};
    find_zero(&steady, slip_angle, torque_of, &out->towed);
    find_zero(&steady, slip_angle, pull_of, &out->self_propelled);
    out->towed.efficiency = (double)NAN; // torque is zero up to the accuracy of the search
    out->self_propelled.efficiency = 0;
    find_largest(&steady, slip_angle, slip_from, slip_to, pull_of, &out->strongest);
    find_largest(&steady, slip_angle, slip_from, slip_to, efficiency_of, &out->best);
}
