#include "spatial.h"

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
