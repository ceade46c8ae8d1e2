/// Points of interest on a slip curve: towed (no torque), self-propelled (no pull), most efficient.
#include "rig.h"

#include <math.h>

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
