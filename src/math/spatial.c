#include "spatial.h"

// Twist at p: (ω; v_p) with v_p = v + ω × p. Wrench about O: (n + p × f; f).
GrMat6 gr_mat6_shift(const GrMat6 *a, GrVec3 p)
{
    const double cross[3][3] = {{0, -p.z, p.y}, {p.z, 0, -p.x}, {-p.y, p.x, 0}}; // [p] x = p × x
    GrMat6 right = *a;
    for (int i = 0; i < 6; i++) { // a (1 0; −[p] 1): ω also moves the point, by ω × p = −[p] ω
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++) {
                right.m[i][j] -= a->m[i][3 + k] * cross[k][j];
            }
        }
    }
    GrMat6 both = right;
    for (int i = 0; i < 3; i++) { // p × f joins the moment
        for (int j = 0; j < 6; j++) {
            for (int k = 0; k < 3; k++) {
                both.m[i][j] += cross[i][k] * right.m[3 + k][j];
            }
        }
    }
    return both;
}
