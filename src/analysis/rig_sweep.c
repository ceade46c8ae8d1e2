#include "rig.h"

#include <math.h>

enum { SCAN = 100 };

/// A quantity of a point that is looked for its zero or its largest value.
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
    const double from = -0.99, to = 0.99;
    GrRigPoint before = {.status = GR_ERROR_NOT_CONVERGED}, now;
    for (int i = 0; i <= SCAN; i++, before = now) {
        gr_rig_point(rig, from + (to - from) * i / SCAN, slip_angle, &now);
        if (before.status == GR_OK && now.status == GR_OK && quantity(&before) < 0 && quantity(&now) >= 0) {
            double low = before.slip, high = now.slip;
            *out = now;
            while (high - low > 1e-12) {
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
    *out = (GrRigPoint){.status = GR_ERROR_NOT_CONVERGED};
    for (int i = 0; i <= SCAN; i++) {
        gr_rig_point(rig, from + (to - from) * i / SCAN, slip_angle, &now);
        const bool better = out->status != GR_OK || quantity(&now) > quantity(out);
        if (now.status == GR_OK && isfinite(quantity(&now)) && better) {
            *out = now;
        }
    }
    if (out->status != GR_OK) {
        return;
    }
    const double golden = 0.5 * (sqrt(5) - 1), width = (to - from) / SCAN;
    double low = fmax(from, out->slip - width), high = fmin(to, out->slip + width);
    GrRigPoint left, right;
    while (high - low > 1e-9) {
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

void gr_rig_features(const GrRig *rig, double slip_angle, double slip_from, double slip_to, GrRigFeatures *out)
{
    GrRig steady = *rig;
    steady.def.dynamic = false;
    *out = (GrRigFeatures){.slip_from = slip_from, .slip_to = slip_to};
    find_zero(&steady, slip_angle, torque_of, &out->towed);
    find_zero(&steady, slip_angle, pull_of, &out->self_propelled);
    out->towed.efficiency = (double)NAN; // the rest of the search is not power
    out->self_propelled.efficiency = 0;
    find_largest(&steady, slip_angle, slip_from, slip_to, pull_of, &out->strongest);
    find_largest(&steady, slip_angle, slip_from, slip_to, efficiency_of, &out->best);
}
