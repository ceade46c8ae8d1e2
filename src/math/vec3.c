#include "vec3.h"

#include "elementary.h"
#include "spatial.h"
#include "triangle.h"
#include "trig.h"

#include <stdint.h>
#include <string.h>

GrQuat gr_quat_from_rpy(double roll, double pitch, double yaw)
{
    const GrQuat x = gr_quat_axis_angle(gr_vec3(1, 0, 0), roll);
    const GrQuat y = gr_quat_axis_angle(gr_vec3(0, 1, 0), pitch);
    const GrQuat z = gr_quat_axis_angle(gr_vec3(0, 0, 1), yaw);
    return gr_quat_mul(z, gr_quat_mul(y, x));
}

GrVec3 gr_quat_to_rpy(GrQuat q)
{
    const double sin_pitch = fmax(-1.0, fmin(1.0, 2 * (q.w * q.y - q.x * q.z)));
    const double roll = gr_atan2(2 * (q.w * q.x + q.y * q.z), 1 - 2 * (q.x * q.x + q.y * q.y));
    const double yaw = gr_atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z));
    return gr_vec3(roll, gr_asin(sin_pitch), yaw);
}

GrVec3 gr_quat_log(GrQuat q)
{
    const double sign = q.w < 0 ? -1 : 1;
    const GrVec3 v = gr_scale(sign, gr_vec3(q.x, q.y, q.z));
    const double s = gr_norm(v);
    // 2 atan2(s, w)/s tends to 2 as s tends to 0
    return s > 1e-12 ? gr_scale(2 * gr_atan2(s, sign * q.w) / s, v) : gr_scale(2, v);
}

GrQuat gr_quat_from_mat3(const GrMat3 *r)
{
    const double xx = r->m[0][0], yy = r->m[1][1], zz = r->m[2][2];
    const double four[4] = {1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz}; // 4 w², 4 x², …
    int largest = 0;
    for (int i = 1; i < 4; i++) {
        largest = four[i] > four[largest] ? i : largest;
    }
    const double wx = r->m[2][1] - r->m[1][2], wy = r->m[0][2] - r->m[2][0], wz = r->m[1][0] - r->m[0][1]; // 4 w x, …
    const double xy = r->m[0][1] + r->m[1][0], xz = r->m[0][2] + r->m[2][0], yz = r->m[1][2] + r->m[2][1]; // 4 x y, …
    GrQuat q;
    switch (largest) {
    case 0:
        q = (GrQuat){four[0], wx, wy, wz};
        break;
    case 1:
        q = (GrQuat){wx, four[1], xy, xz};
        break;
    case 2:
        q = (GrQuat){wy, xy, four[2], yz};
        break;
    default:
        q = (GrQuat){wz, xz, yz, four[3]};
        break;
    }
    q = gr_quat_normalize(q);
    return q.w < 0 ? (GrQuat){-q.w, -q.x, -q.y, -q.z} : q;
}

// ---- spatial algebra

// Twist at p: (ω; v_p) with v_p = v + ω × p. Wrench about O: (n + p × f; f).
GrMat6 gr_mat6_shift(const GrMat6 *a, GrVec3 p)
{
    GrMat6 out;
    for (int i = 0; i < 6;
         i++) { // a (1 0; −[p] 1): ω also moves the point, by ω × p, so a row (n, f) becomes n + p × f
        const double *n = a->m[i], *f = n + 3;
        out.m[i][0] = n[0] + (p.y * f[2] - p.z * f[1]);
        out.m[i][1] = n[1] + (p.z * f[0] - p.x * f[2]);
        out.m[i][2] = n[2] + (p.x * f[1] - p.y * f[0]);
        out.m[i][3] = f[0];
        out.m[i][4] = f[1];
        out.m[i][5] = f[2];
    }
    for (int j = 0; j < 6; j++) { // p × f adds to the moment
        const double f[3] = {out.m[3][j], out.m[4][j], out.m[5][j]};
        out.m[0][j] += p.y * f[2] - p.z * f[1];
        out.m[1][j] += p.z * f[0] - p.x * f[2];
        out.m[2][j] += p.x * f[1] - p.y * f[0];
    }
    return out;
}

// ---- sine and cosine

// π/2 in three parts, the first two with trailing zeros so that k times them is exact for |k| < 2^20 (Cody & Waite
// 1980)
static const double HALF_PI_1 = 0x1.921fb544p+0;
static const double HALF_PI_2 = 0x1.0b4611a6p-34;
static const double HALF_PI_3 = 0x1.3198a2e037073p-69;
static const double TWO_OVER_PI = 0x1.45f306dc9c883p-1;
static const double LARGEST = 1e6;

/// sin r for |r| ≤ π/4: Taylor to r^15, remainder below 5e-17.
static inline double sin_reduced(double r, double r2)
{
    double p = -1.0 / 1307674368000;
    p = gr_fma(p, r2, 1.0 / 6227020800);
    p = gr_fma(p, r2, -1.0 / 39916800);
    p = gr_fma(p, r2, 1.0 / 362880);
    p = gr_fma(p, r2, -1.0 / 5040);
    p = gr_fma(p, r2, 1.0 / 120);
    p = gr_fma(p, r2, -1.0 / 6);
    return gr_fma(r * r2, p, r);
}

/// cos r for |r| ≤ π/4: Taylor to r^16, remainder below 2e-18.
static inline double cos_reduced(double r2)
{
    double p = 1.0 / 20922789888000;
    p = gr_fma(p, r2, -1.0 / 87178291200);
    p = gr_fma(p, r2, 1.0 / 479001600);
    p = gr_fma(p, r2, -1.0 / 3628800);
    p = gr_fma(p, r2, 1.0 / 40320);
    p = gr_fma(p, r2, -1.0 / 720);
    p = gr_fma(p, r2, 1.0 / 24);
    p = gr_fma(p, r2, -0.5);
    return gr_fma(p, r2, 1);
}

void gr_sincos(int count, const double *restrict angle, double *restrict sine, double *restrict cosine)
{
    double largest = 0;
    for (int i = 0; i < count; i++) {
        const double k = rint(angle[i] * TWO_OVER_PI);
        const double r = gr_fma(-k, HALF_PI_3, gr_fma(-k, HALF_PI_2, gr_fma(-k, HALF_PI_1, angle[i])));
        const double r2 = r * r;
        const double s = sin_reduced(r, r2), c = cos_reduced(r2);
        // the quadrant k mod 4 swaps sine and cosine, and gives their signs
        const double quadrant = k - 4 * floor(k / 4);
        const int swap = (quadrant == 1) | (quadrant == 3);
        const double a = swap ? c : s, b = swap ? s : c;
        sine[i] = quadrant >= 2 ? -a : a;
        const int negative = (quadrant == 1) | (quadrant == 2);
        cosine[i] = negative ? -b : b;
        largest = fmax(largest, fabs(angle[i]));
    }
    if (!(largest <= LARGEST)) {
        for (int i = 0; i < count; i++) {
            sine[i] = gr_sin(angle[i]);
            cosine[i] = gr_cos(angle[i]);
        }
    }
}

// ---- cut triangles

/// The edge from corner k to the next that is longest.
static int longest_edge(const GrTriangleCutter *cutter, const GrVec3 t[3], double *length)
{
    int longest = 0;
    *length = 0;
    for (int k = 0; k < 3; k++) {
        const double edge = cutter->length(gr_sub(t[(k + 1) % 3], t[k]));
        longest = edge > *length ? k : longest;
        *length = edge > *length ? edge : *length;
    }
    return longest;
}

bool gr_triangle_cut(const GrTriangleCutter *cutter, const GrVec3 whole[3])
{
    // Halves wait on a stack. It holds one triangle a level; a piece that it has no room to cut is taken as it is.
    enum { DEPTH = 64 };
    GrVec3 stack[DEPTH][3];
    int used = 1;
    memcpy(stack[0], whole, sizeof stack[0]);
    while (used > 0) {
        GrVec3 t[3];
        memcpy(t, stack[--used], sizeof t);
        double length;
        const int longest = longest_edge(cutter, t, &length);
        if (length <= cutter->longest(cutter->context, t) || used + 2 > DEPTH) {
            if (!cutter->add(cutter->context, t)) {
                return false;
            }
            continue;
        }
        const GrVec3 a = t[longest], b = t[(longest + 1) % 3], c = t[(longest + 2) % 3];
        const GrVec3 m = gr_scale(0.5, gr_add(a, b)), halves[2][3] = {{a, m, c}, {m, b, c}};
        memcpy(stack[used], halves, sizeof halves);
        used += 2;
    }
    return true;
}
