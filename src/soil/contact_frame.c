#include "contact_frame.h"

#include "elementary.h"

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
