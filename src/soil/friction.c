#include "friction.h"

#include <math.h>

/// Force in the plane, with derivatives by slip velocity (2 × 2) and by normal force.
typedef struct Friction {
    double f[2], by_v[2][2], by_n[2];
} Friction;

/// Sticks while |k e + c v| ≤ μ N, with e after the step; slides with |f| = μ N and the spring stretched accordingly.
static Friction friction(const GrSoilDef *soil, double normal, const double v[2], double dt, const double *old,
                         double *next)
{
    const double k = soil->tangential_stiffness, gain = k * dt + soil->tangential_damping;
    const double limit = soil->friction * normal;
    Friction out = {{-(k * old[0] + gain * v[0]), -(k * old[1] + gain * v[1])}, {{-gain, 0}, {0, -gain}}, {0, 0}};
    const double size = sqrt(out.f[0] * out.f[0] + out.f[1] * out.f[1]);
    next[0] = old[0] + dt * v[0];
    next[1] = old[1] + dt * v[1];
    if (size <= limit) {
        return out;
    }
    const double e[2] = {out.f[0] / size, out.f[1] / size};
    for (int i = 0; i < 2; i++) {
        out.f[i] = limit * e[i];
        out.by_n[i] = soil->friction * e[i];
        next[i] = -out.f[i] / k;
        for (int j = 0; j < 2; j++) {
            out.by_v[i][j] = -gain * limit / size * ((i == j ? 1 : 0) - e[i] * e[j]);
        }
    }
    return out;
}

/// Steady sliding: μ N against the slip velocity, 0 where there is none.
static Friction sliding(const GrSoilDef *soil, double normal, const double v[2])
{
    Friction out = {{0, 0}, {{0, 0}, {0, 0}}, {0, 0}};
    const double speed = sqrt(v[0] * v[0] + v[1] * v[1]);
    for (int i = 0; i < 2 && speed > 0; i++) {
        out.f[i] = -soil->friction * normal * v[i] / speed;
    }
    return out;
}

void gr_friction_add(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
{
    // Lowest point (0, 0, −r): its slip velocity, and the torques of the force there.
    const double r = w->radius, *u = in->twist;
    const double v[2] = {u[0] - r * u[4], u[1] + r * u[3]};
    const double normal = out->wrench[2];
    const Friction g = in->steady ? sliding(&w->soil, normal, v) : friction(&w->soil, normal, v, in->dt, old, next);
    const double velocity[2][6] = {{1, 0, 0, 0, -r, 0}, {0, 1, 0, r, 0, 0}};
    for (int i = 0; i < 6; i++) {
        const double arm[2] = {velocity[0][i], velocity[1][i]};
        out->wrench[i] += arm[0] * g.f[0] + arm[1] * g.f[1];
        if (i == 2) {
            continue;
        }
        const double by_n = arm[0] * g.by_n[0] + arm[1] * g.by_n[1];
        out->d_h[i] += by_n * out->d_h[2];
        for (int j = 0; j < 6; j++) {
            double by = by_n * out->d_twist[2][j];
            for (int a = 0; a < 2; a++) {
                by += arm[a] * (g.by_v[a][0] * velocity[0][j] + g.by_v[a][1] * velocity[1][j]);
            }
            out->d_twist[i][j] += by;
        }
    }
    out->strength = w->soil.friction * normal;
    // Rolling resistance follows the rolling memory: it vanishes at rest.
    const double resist = -w->soil.rolling_resistance * r * in->roll;
    out->wrench[4] += resist * normal;
    out->d_h[4] += resist * out->d_h[2];
    for (int j = 0; j < 6; j++) {
        out->d_twist[4][j] += resist * out->d_twist[2][j];
    }
}
