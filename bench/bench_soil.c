/// One wheel on soft soil: microseconds of the law with state and derivatives, against a plain sum of 100 points with
/// libm.
#include "soil_wheel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// What a first implementation does: the printed formulas at 100 angles.
static double plain_sum(const GrSoilWheel *w, double slip, double beta, double h)
{
    const GrSoilDef *s = &w->soil;
    const double r = w->radius, b = w->wheel.width, k = s->k_c / b + s->k_phi, n = s->n0 + s->n1 * fabs(slip);
    const double t1 = acos(1 - h / r), t2 = -acos(1 - s->exit_ratio * h / r),
                 tm = (s->peak_a1 + s->peak_a2 * slip) * t1;
    const double kx = s->shear_x + s->shear_x_slope * beta, ky = s->shear_y + s->shear_y_slope * beta;
    const double tan_phi = tan(s->friction_angle), tan_beta = tan(beta), step = (t1 - t2) / 100;
    double fx = 0, fy = 0, fz = 0, torque = 0;
    for (int i = 0; i < 100; i++) {
        const double t = t2 + (i + 0.5) * step, at = t >= tm ? t : t1 - (t - t2) / (tm - t2) * (t1 - tm);
        const double sigma = k * pow(r * (cos(at) - cos(t1)), n), strength = s->cohesion + sigma * tan_phi;
        const double jx = r * (t1 - t - (1 - slip) * (sin(t1) - sin(t))), jy = r * (1 - slip) * (t1 - t) * tan_beta;
        const double tx = strength * (1 - exp(-jx / kx)), ty = strength * (1 - exp(-jy / ky));
        fx += tx * cos(t) - sigma * sin(t);
        fz += sigma * cos(t) + tx * sin(t);
        fy += ty;
        torque += tx;
    }
    return b * r * step * (fx + fy + fz + r * torque);
}

/// Best of several rounds, in microseconds a call.
static double measure_law(const GrSoilWheel *w, GrSoilMotion motion, double *sum)
{
    static double state[2][GR_STATE_MAX];
    double best = 1e9;
    memset(state, 0, sizeof state);
    for (int round = 0; round < 15; round++) {
        const int count = 20000;
        const double start = now();
        for (int i = 0; i < count; i++) {
            GrSoilOutput out;
            motion.sinkage[0] = 0.0155 + 1e-5 * (i & 15);
            gr_soil_evaluate(w, &motion, 0.005, state[i & 1], state[(i + 1) & 1], &out);
            *sum += out.wrench[0];
        }
        best = fmin(best, (now() - start) / count);
    }
    return 1e6 * best;
}

/// bench_soil [LAW]: all laws, or the one named.
int main(int argc, char **argv)
{
    double sum = 0;
    GrErrorLog log = {0};
    GrSoilDef soil = gr_default_soil_def();
    soil.shear_x_slope = 0.043;
    soil.shear_y_slope = 0.020;
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    GrSoilWheel w;
    if (gr_soil_prepare(&soil, &wheel, &w, &log) != GR_OK) {
        return 1;
    }
    double plain = 1e9;
    for (int round = 0; round < 15; round++) {
        const double start = now();
        for (int i = 0; i < 2000; i++) {
            sum += plain_sum(&w, 0.1, 0.087, 0.0155 + 1e-5 * (i & 15));
        }
        plain = fmin(plain, 1e6 * (now() - start) / 2000);
    }
    printf("%-16s %8.3f us\n", "plain 100-point", plain);
    for (int law = 0; law < GR_SOIL_LAW_COUNT; law++) {
        if (argc > 1 && strcmp(argv[1], gr_soil_law_name((GrSoilLaw)law)) != 0) {
            continue;
        }
        soil.law = (GrSoilLaw)law;
        wheel.stiffness = law == GR_SOIL_DOUBLE_SPRING ? 1e5 : (double)INFINITY;
        if (gr_soil_prepare(&soil, &wheel, &w, &log) != GR_OK) {
            return 1;
        }
        const GrSoilMotion motion = {.twist = {0.09, 0.008, 0, 0, 0.1 / 0.09, 0.01}};
        const double us = measure_law(&w, motion, &sum);
        printf("%-16s %8.3f us   %6.2f times faster than the plain sum\n", gr_soil_law_name((GrSoilLaw)law), us,
               plain / us);
    }
    return sum == 0;
}
