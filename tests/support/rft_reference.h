/// 3D-RFT as the paper prints it, with angles and axes: what rft_stress.h says in other words.
#ifndef GR_RFT_REFERENCE_H
#define GR_RFT_REFERENCE_H

#include "test.h"

#include "rft_stress.h"

/// Agarwal, Goldman & Kamrin (2023), table of the fit, column by column: T_k with c1, c2, c3.
static const struct Row {
    int e1, e2, e3; ///< powers of x1, x2, x3
    double c1, c2, c3;
} TABLE[] = {
    {0, 0, 0, 0.00212, -0.06796, -0.02634},  {1, 0, 0, -0.02320, -0.10941, -0.03436},
    {0, 1, 0, -0.20890, 0.04725, 0.45256},   {0, 0, 1, -0.43083, -0.06914, 0.00835},
    {2, 0, 0, -0.00259, -0.05835, 0.02553},  {0, 2, 0, 0.48872, -0.65880, -1.31290},
    {0, 0, 2, -0.00415, -0.11985, -0.05532}, {1, 1, 0, 0.07204, -0.25739, 0.06790},
    {0, 1, 1, -0.02750, -0.26834, -0.16404}, {1, 0, 1, -0.08772, 0.02692, 0.02287},
    {3, 0, 0, 0.01992, -0.00736, 0.02927},   {0, 3, 0, -0.45961, 0.63758, 0.95406},
    {0, 0, 3, 0.40799, 0.08997, -0.00131},   {1, 2, 0, -0.10107, 0.21069, -0.11028},
    {2, 1, 0, -0.06576, 0.04748, 0.01487},   {0, 1, 2, 0.05664, 0.20406, -0.02730},
    {0, 2, 1, -0.09269, 0.18589, 0.10911},   {2, 0, 1, 0.01892, 0.04934, -0.04097},
    {1, 0, 2, 0.01033, 0.13527, 0.07881},    {1, 1, 1, 0.15120, -0.33207, -0.27519},
};

typedef struct Vector {
    double x, y, z;
} Vector;

/// A piece of surface and its motion.
typedef struct Piece {
    double nx, ny, nz; ///< unit normal, into the soil
    double vx, vy, vz; ///< unit velocity
    double friction, ploughing;
} Piece;

static inline double dot(Vector a, Vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// α with the angles of the paper, in the axes (r, θ, z), turned back to (x, y, z).
static inline Vector printed(const Piece *k)
{
    const double pi = acos(-1), flat = hypot(k->vx, k->vy);
    // r: horizontal direction of the velocity, or of the normal where the velocity is vertical
    const double across = hypot(k->nx, k->ny);
    const double rx = flat > 1e-9 ? k->vx / flat : k->nx / across, ry = flat > 1e-9 ? k->vy / flat : k->ny / across;
    const double n_r = k->nx * rx + k->ny * ry, n_t = -k->nx * ry + k->ny * rx, tilt = acos(k->nz);
    const double beta = n_r >= 0 ? (k->nz >= 0 ? -tilt : pi - tilt) : (k->nz >= 0 ? tilt : -pi + tilt);
    const double gamma = atan2(-k->vz, flat), psi = n_r == 0 ? (n_t < 0 ? -pi / 2 : pi / 2) : atan(n_t / n_r);
    const double x1 = sin(gamma), x2 = cos(beta), x3 = cos(psi) * cos(gamma) * sin(beta) + sin(gamma) * cos(beta);
    double f[3] = {0, 0, 0};
    for (unsigned i = 0; i < sizeof TABLE / sizeof TABLE[0]; i++) {
        const double t = pow(x1, TABLE[i].e1) * pow(x2, TABLE[i].e2) * pow(x3, TABLE[i].e3);
        f[0] += TABLE[i].c1 * t;
        f[1] += TABLE[i].c2 * t;
        f[2] += TABLE[i].c3 * t;
    }
    const double a_r = f[0] * sin(beta) * cos(psi) + f[1] * cos(gamma), a_t = f[0] * sin(beta) * sin(psi);
    return (Vector){a_r * rx - a_t * ry, a_r * ry + a_t * rx, -f[0] * cos(beta) - f[1] * sin(gamma) - f[2]};
}

/// Normal part that does not pull, tangential part within the cone, whole stress without gain of power; blended with
/// friction against the surface's own motion where it ploughs.
static inline Vector limited(const Piece *k, Vector a)
{
    const Vector n = {k->nx, k->ny, k->nz}, v = {k->vx, k->vy, k->vz};
    const double sigma = -dot(a, n);
    if (!(sigma > 0)) {
        return (Vector){0, 0, 0};
    }
    const Vector t = {a.x + sigma * n.x, a.y + sigma * n.y, a.z + sigma * n.z};
    double share = fmin(1, k->friction * sigma / sqrt(dot(t, t)));
    if (share * dot(t, v) > sigma * dot(n, v)) {
        share = sigma * dot(n, v) / dot(t, v);
    }
    const double m = dot(n, v), rising = share * (1 - k->ploughing), drag = k->ploughing * k->friction * sigma;
    return (Vector){rising * t.x - drag * (v.x - m * n.x) - sigma * n.x,
                    rising * t.y - drag * (v.y - m * n.y) - sigma * n.y,
                    rising * t.z - drag * (v.z - m * n.z) - sigma * n.z};
}

#endif
