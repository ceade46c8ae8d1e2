/// The contact of a wheel: its frame, and the arc of its rim.
#include "contact_frame.h"

#include "elementary.h"
#include "patch.h"
#include "vmath.h"

#include <math.h>

GrContactFrame gr_contact_frame(GrVec3 axle, GrVec3 normal, GrVec3 forward)
{
    // Below an angle of 5° between axle and normal the hint is blended in.
    const double flat = 0.0872;
    GrVec3 x = gr_cross(axle, normal);
    const double sine = gr_norm(x);
    if (sine < flat) {
        GrVec3 hint = gr_madd(forward, -gr_dot(forward, normal), normal);
        if (gr_norm(hint) < 1e-9) {
            // The hint has no component in the plane: any direction in it will do.
            const GrVec3 e = fabs(normal.x) < 0.7 ? gr_vec3(1, 0, 0) : gr_vec3(0, 1, 0);
            hint = gr_madd(e, -gr_dot(e, normal), normal);
        }
        const double part = 1 - sine / flat;
        const GrVec3 own = gr_normalize(x), blend = gr_madd(gr_scale(1 - part, own), part, gr_normalize(hint));
        // Opposite to the hint the blend can vanish; the wheel's own direction is then as good as any.
        x = gr_norm(blend) > 1e-6 ? blend : sine > 0 ? own : hint;
    }
    GrContactFrame f;
    f.x = gr_normalize(x);
    f.z = normal;
    f.y = gr_cross(f.z, f.x);
    return f;
}

void gr_contact_points(GrVec3 centre, const GrContactFrame *last, double radius, double width, double theta1,
                       GrVec3 out[3])
{
    const double x = radius * gr_sin(theta1), z = -radius * gr_cos(theta1);
    const GrVec3 local[3] = {{x, 0.5 * width, z}, {x, -0.5 * width, z}, {-x, 0, z}};
    for (int i = 0; i < 3; i++) {
        out[i] = gr_add(centre, gr_contact_to_world(last, local[i]));
    }
}

GrVec3 gr_contact_normal(const GrVec3 p[3], GrVec3 up)
{
    const GrVec3 n = gr_cross(gr_sub(p[1], p[0]), gr_sub(p[2], p[0]));
    const double size = gr_norm(n);
    if (!(size > 1e-14)) {
        return up;
    }
    return gr_scale((gr_dot(n, up) < 0 ? -1 : 1) / size, n);
}

double gr_contact_sinkage(GrVec3 centre, GrVec3 axle, double radius, GrVec3 ground, GrVec3 normal)
{
    // The disc reaches r √(1 − (n · a)²) below its centre along the normal.
    const double tilt = gr_dot(normal, axle);
    return radius * sqrt(tilt * tilt < 1 ? 1 - tilt * tilt : 0) - gr_dot(normal, gr_sub(centre, ground));
}

GrVec3 gr_contact_to_frame(const GrContactFrame *f, GrVec3 v)
{
    return gr_vec3(gr_dot(f->x, v), gr_dot(f->y, v), gr_dot(f->z, v));
}

GrVec3 gr_contact_to_world(const GrContactFrame *f, GrVec3 v)
{
    return gr_madd(gr_madd(gr_scale(v.x, f->x), v.y, f->y), v.z, f->z);
}

// ---- the arc: entry, peak and exit angles at a sinkage, and their derivatives

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
