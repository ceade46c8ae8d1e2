/// The contact arc of a wheel: entry, peak and exit angles at a sinkage, and their derivatives.
#include "elementary.h"
#include "patch.h"
#include "vmath.h"

#include <math.h>

GrArc gr_arc(double radius, double h, double d, double exit_ratio, double peak_ratio)
{
    GrArc arc;
    // When the wheel is sunk beyond its hub, the arc remains the lower half of the rim, and the laws add h − r to the
    // depth of every node.
    const bool deep = h >= radius;
    const double h1 = deep ? radius : h;
    const double h2 = exit_ratio * h1;
    // θ1 = acos(1 − h/r) = 2 asin √(h/2r): exact for small h
    const double x = h1 / (2 * radius), root = sqrt(x);
    arc.theta1 = 2 * gr_fast_asin_root(x, root);
    // 1/√(h (2r − h))
    arc.theta1_h = deep ? 0 : root / (h1 * sqrt(1 - x));
    // θ2 = −acos(1 − λ h/r) (K23 eq. 2.7, with corrected sign)
    double exit = arc.theta1, exit_h = arc.theta1_h;
    if (exit_ratio != 1) {
        exit = 2 * gr_asin(sqrt(h2 / (2 * radius)));
        exit_h = deep || h2 <= 0 ? 0 : exit_ratio / sqrt(h2 * (2 * radius - h2));
    }
    // d = 1: entry in front; d = −1: entry behind; d = 0: never rolled, symmetric
    const double entry_part = 0.5 * (1 + d), exit_part = 0.5 * (1 - d);
    arc.front = entry_part * arc.theta1 + exit_part * exit;
    arc.front_h = entry_part * arc.theta1_h + exit_part * exit_h;
    arc.rear = -(exit_part * arc.theta1 + entry_part * exit);
    arc.rear_h = -(exit_part * arc.theta1_h + entry_part * exit_h);
    // θ_m = (a1 + a2 s) θ1 (K23 eq. 2.6); a peak behind the exit is meaningless
    const double lowest = arc.theta1 > 0 ? -exit / arc.theta1 : 0;
    const double q = peak_ratio < lowest ? lowest : peak_ratio;
    arc.peak = d * q * arc.theta1;
    arc.peak_h = d * q * arc.theta1_h;
    arc.ratio = d * d * q; // even in d and smooth, q at d = ±1
    return arc;
}
