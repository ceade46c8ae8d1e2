/// One wheel on soft soil: the laws with state and derivatives, against a plain sum of 100 points with libm.
#include "bench.h"

#include "grouser/terrain.h"
#include "soil_wheel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS_A_BLOCK = 250 }; // shorter than a slice of time on a machine with other work

/// A naive implementation: the printed formulas at 100 angles.
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

typedef struct Contestant {
    GrSoilWheel wheel;
    const GrTerrain *terrain; ///< NULL: the sinkage is given
    double state[2][GR_STATE_MAX];
    double sum; ///< keeps the work from being optimised away
} Contestant;

static double sinkage_of_call(int i)
{
    return 0.0155 + 1e-5 * (i & 15);
}

static void run_plain(void *context, int count)
{
    Contestant *c = context;
    for (int i = 0; i < count; i++) {
        c->sum += plain_sum(&c->wheel, 0.1, 0.087, sinkage_of_call(i));
    }
}

static void run_law(void *context, int count)
{
    Contestant *c = context;
    GrSoilMotion motion = {.twist = {0.09, 0.008, 0, 0, 0.1 / 0.09, 0.01}};
    for (int i = 0; i < count; i++) {
        GrSoilOutput out;
        motion.sinkage[0] = sinkage_of_call(i);
        if (c->terrain != NULL) { // flat, so that the sinkage does not change
            double z;
            GrVec3 normal;
            gr_terrain_height_normal(c->terrain, 0.01 * (i & 255), 0.3, &z, &normal);
            motion.sinkage[0] += z * normal.z;
        }
        gr_soil_evaluate(&c->wheel, &motion, 0.005, c->state[i & 1], c->state[(i + 1) & 1], &out);
        c->sum += out.wrench[0];
    }
}

static GrTerrain *flat_map(void)
{
    enum { N = 64 };
    static double heights[N * N];
    GrLayerDef def = gr_default_layer_def();
    def.frame = (GrGridFrame){.nx = N, .ny = N, .x0 = -1, .y0 = -1, .dx = 0.1, .dy = 0.1};
    GrTerrain *terrain = NULL;
    gr_terrain_create(&terrain, NULL);
    if (terrain == NULL || gr_terrain_add_grid(terrain, &def, heights, NULL) != GR_OK) {
        fprintf(stderr, "error: no flat map\n");
        exit(1);
    }
    return terrain;
}

void gr_bench_soil(void)
{
    enum { PLAIN = GR_SOIL_PATCH_LAWS, ON_TERRAIN, GROUSERS, CONTESTANTS };
    static Contestant contestants[CONTESTANTS];
    static char keys[GR_SOIL_PATCH_LAWS][64];
    GrContestant race[CONTESTANTS];
    GrTerrain *terrain = flat_map();
    GrSoilDef soil = gr_default_soil_def();
    soil.shear_x_slope = 0.043;
    soil.shear_y_slope = 0.020;
    for (int law = 0; law < CONTESTANTS; law++) {
        const bool plain = law == PLAIN;
        contestants[law].terrain = law == ON_TERRAIN ? terrain : NULL;
        GrSoilWheelDef wheel = gr_default_soil_wheel_def();
        soil.law = law == GROUSERS ? GR_SOIL_RFT : law >= PLAIN ? GR_SOIL_WONG_REECE : (GrSoilLaw)law;
        if (law == GROUSERS) { // hull and rim, 11 grousers of 10, sides
            wheel.radius = 0.08;
            wheel.grouser_count = 60;
            wheel.grouser_height = 0.01;
            wheel.grouser_thickness = 0.002;
        }
        wheel.stiffness = law == GR_SOIL_DOUBLE_SPRING ? 1e5 : (double)INFINITY;
        if (gr_soil_wheel_prepare(&soil, &wheel, &contestants[law].wheel, NULL) != GR_OK) {
            fprintf(stderr, "error: the default soil does not fit the default wheel\n");
            exit(1);
        }
        race[law] = (GrContestant){"", plain ? run_plain : run_law, &contestants[law], 0, {0}};
    }
    gr_bench_race(race, CONTESTANTS, CALLS_A_BLOCK);
    gr_terrain_free(terrain);
    const double plain = race[PLAIN].seconds, wheel = race[ON_TERRAIN].seconds;
    printf("\nOne wheel on soft soil, with state and derivatives\n");
    gr_bench_report("wheel_us", 1e6 * wheel, "us", "wong_reece with a terrain query");
    gr_bench_report("wheel_law_us", 1e6 * race[GR_SOIL_WONG_REECE].seconds, "us", "wong_reece alone");
    gr_bench_report("wheel_plain_sum_us", 1e6 * plain, "us", "a plain sum of 100 points with libm, no state");
    gr_bench_report("wheel_over_plain_sum", wheel / plain, "",
                    "goal: at most 0.14 (0.8 us where the plain sum takes 5.7)");
    for (int law = 1; law < GR_SOIL_PATCH_LAWS; law++) {
        snprintf(keys[law], sizeof keys[law], "wheel_%s_us", gr_soil_law_name((GrSoilLaw)law));
        gr_bench_report(keys[law], 1e6 * race[law].seconds, "us", "");
    }
    gr_bench_report("wheel_rft_grousers_us", 1e6 * race[GROUSERS].seconds, "us",
                    "rft, 60 grousers, 88 pieces that move into the soil; goal: at most 6");
}
