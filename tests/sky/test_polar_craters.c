/// Shadow in craters near the poles of the Moon against published figures.
///
/// The shadow of a spherical bowl is known in closed form (Hayne, Aharonson & Schörghofer 2021, equation 2). Over a
/// lunar day it gives the part of a crater that stays dark, which they sum up to first order in the angles. Bussey et
/// al. (2003) simulated simple craters and found 15 % more of the interior dark in winter than in summer.
#include "light.h"
#include "test.h"

#include "elementary.h"

#include <stdlib.h>
#include <string.h>

#define NODES   141
#define RADIUS  60.0         // of the crater [cells]
#define SLENDER 0.2          // depth over diameter of a fresh simple crater
#define TILT    0.0268780705 // 1.54 deg: declination of the Sun at a solstice [rad]
#define DAY     120          // views in a lunar day
#define POINT   1e-5         // radius of a Sun that is a point [rad]

/// Height of the sphere's middle above the rim, for a crater of radius 1.
static double middle(void)
{
    const double depth = 2 * SLENDER;
    return (1 - depth * depth) / (2 * depth);
}

static float *crater(GrGridFrame *frame)
{
    *frame = (GrGridFrame){NODES, NODES, -0.5 * (NODES - 1), -0.5 * (NODES - 1), 1, 1};
    float *heights = malloc(sizeof *heights * NODES * NODES);
    assert_non_null(heights);
    const double h = middle(), square = 1 + h * h;
    for (int k = 0; k < NODES * NODES; k++) {
        const double x = (k % NODES + frame->x0) / RADIUS, y = (k / NODES + frame->y0) / RADIUS, r2 = x * x + y * y;
        heights[k] = (float)(RADIUS * fmin(0, h - sqrt(square - fmin(r2, 1))));
    }
    return heights;
}

static bool inside(const GrGridFrame *frame, int k, double *x, double *y)
{
    *x = (k % NODES + frame->x0) / RADIUS;
    *y = (k / NODES + frame->y0) / RADIUS;
    return *x * *x + *y * *y < 1;
}

/// One day of the Sun at a latitude [rad] of the north, with declination `tilt`.
static void day_of(double latitude, double tilt, GrSkyView views[DAY])
{
    for (int k = 0; k < DAY; k++) {
        const double hour = 2 * GR_PI * k / DAY;
        const double up = sin(latitude) * sin(tilt) + cos(latitude) * cos(tilt) * cos(hour);
        const double north = cos(latitude) * sin(tilt) - sin(latitude) * cos(tilt) * cos(hour);
        views[k] = (GrSkyView){.azimuth = atan2(-cos(tilt) * sin(hour), north), .elevation = asin(up), .radius = POINT};
    }
}

/// Hayne et al., equation 2: along a chord in the direction of the light, light begins at c cos 2e - h sin 2e.
static bool lit(double x, double y, const GrSkyView *view)
{
    if (view->elevation <= 0) {
        return false;
    }
    const double east = sin(view->azimuth), north = cos(view->azimuth);
    const double away = -(x * east + y * north), beside = x * north - y * east;
    const double chord = sqrt(1 - beside * beside);
    return away > chord * cos(2 * view->elevation) - middle() * sin(2 * view->elevation);
}

typedef struct Shadow {
    double ours, closed; ///< part of the interior that stays dark
} Shadow;

static Shadow shadow_of(const GrHorizon *horizon, double latitude, double tilt)
{
    GrSkyView views[DAY];
    day_of(latitude, tilt, views);
    GrLight light;
    const GrLightDef def = {.horizon = horizon, .views = views, .count = DAY, .interval = 1};
    assert_int_equal(gr_light_make(&def, &light, NULL), GR_OK);
    int nodes = 0, ours = 0, closed = 0;
    for (int k = 0; k < NODES * NODES; k++) {
        double x, y;
        if (!inside(&horizon->frame, k, &x, &y)) {
            continue;
        }
        bool bright = false;
        for (int v = 0; v < DAY && !bright; v++) {
            bright = lit(x, y, &views[v]);
        }
        nodes++;
        ours += light.share[k] == 0;
        closed += !bright;
    }
    gr_light_free(&light);
    return (Shadow){(double)ours / nodes, (double)closed / nodes};
}

static GrHorizon make_horizon(float **heights)
{
    GrHorizonDef def = {.azimuths = 180, .radius = INFINITY};
    *heights = crater(&def.frame);
    def.heights = *heights;
    GrHorizon horizon;
    assert_int_equal(gr_horizon_make(&def, &horizon, NULL), GR_OK);
    return horizon;
}

static void test_day(void **state)
{
    (void)state;
    float *heights;
    GrHorizon horizon = make_horizon(&heights);
    static const double LATITUDES[] = {75, 80, 85, 88};
    const double beta = 1 / (2 * SLENDER) - 2 * SLENDER;
    for (int k = 0; k < 4; k++) {
        const double latitude = LATITUDES[k] * GR_DEGREE;
        const Shadow summer = shadow_of(&horizon, latitude, TILT), winter = shadow_of(&horizon, latitude, -TILT);
        const double published = 1 - 8 * beta * (0.5 * GR_PI - latitude) / (3 * GR_PI) - 2 * beta * TILT;
        print_message("%.0f deg: dark all summer day %.3f (closed form %.3f, Hayne et al. %.3f), winter %.3f (%.3f)\n",
                      LATITUDES[k], summer.ours, summer.closed, published, winter.ours, winter.closed);
        assert_near(summer.ours, summer.closed, 0.012); // half a cell of the shadow's edge is 0.8 %
        assert_near(winter.ours, winter.closed, 0.012);
        assert_near(summer.ours, published, 0.03); // what the closed form has beyond the first order
        if (LATITUDES[k] > 79) {
            assert_near(winter.ours - summer.ours, 0.15, 0.02); // their craters are not quite spherical
        }
    }
    gr_horizon_free(&horizon);
    free(heights);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_day)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
