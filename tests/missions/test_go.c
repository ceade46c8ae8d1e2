/// Ground and routes of the mission `go`, without driving along them: planes in closed form, costs against drives of
/// their own, a wall with a gap.
#include "alloc.h"
#include "elementary.h"
#include "go.h"
#include "grouser/soil_file.h"
#include "raster.h"
#include "subjects.h"
#include "test.h"

#include <math.h>
#include <string.h>

static const double ROUNDING = 1e-9;

/// A rover on four wheels that holds 20 deg in every direction and steps of 5 cm.
static void make_ground(GrGoGround *g)
{
    *g = (GrGoGround){.shape = {.wheel_count = 4,
                                .wheels = {{0.4, 0.3}, {0.4, -0.3}, {-0.4, 0.3}, {-0.4, -0.3}},
                                .radius = 0.1,
                                .width = 0.08,
                                .front = 0.5,
                                .rear = -0.5,
                                .half_width = 0.34,
                                .clearance = 0.15,
                                .step = 0.05}};
    g->costs = gr_calloc(1, sizeof *g->costs);
    g->soil_count = 1;
    for (int h = 0; h < GR_COST_HEADINGS; h++) {
        g->costs->steepest[h] = 20 * GR_DEGREE;
        for (int i = 0; i < GR_COST_SLOPES; i++) {
            g->costs->at[h][i] = (GrRoverCost){
                .worlds = 1, .driven = 1, .slip = {0.1 * i, 0, 0}, .energy = {100 + 10 * i, 0, 0}, .time = {10, 0, 0}};
        }
    }
}

/// Ground over [0, 20] x [0, 20] with heights of a function.
static void lay(GrGoGround *g, double (*height)(double x, double y))
{
    const GrLayerDef usual = gr_default_layer_def();
    GrLayerDef layer = usual;
    const int n = 401;
    double *heights = gr_calloc((size_t)n * (size_t)n, sizeof *heights);
    layer.frame = (GrGridFrame){n, n, 0, 0, 0.05, 0.05};
    for (int i = 0; i < n * n; i++) {
        heights[i] = height(0.05 * (i % n), 0.05 * (i / n));
    }
    GrWorld world = {0};
    assert_int_equal(gr_terrain_create(&world.terrain, NULL), GR_OK);
    assert_int_equal(gr_terrain_add_grid(world.terrain, &layer, heights, NULL), GR_OK);
    assert_int_equal(gr_go_ground_make(g, &world, (GrBox2){0, 0, 20, 20}, 0.15, NULL), GR_OK);
    gr_terrain_free(world.terrain);
    gr_free(heights);
}

static double incline(double x, double y)
{
    return x * gr_tan(12 * GR_DEGREE) + 0 * y;
}

/// A plane has its slope at every heading: uphill, across and downhill, with its share of what is held.
static void plane(void **state)
{
    (void)state;
    static const GrGoHazard hazards[] = {GR_GO_UPHILL, GR_GO_ACROSS, GR_GO_DOWNHILL, GR_GO_ACROSS};
    GrGoGround g;
    make_ground(&g);
    lay(&g, incline);
    for (int k = 0; k < 4; k++) {
        const GrGoSpot spot = gr_go_spot(&g, 10, 10, k * GR_PI / 2);
        assert_near(spot.slope, 12 * GR_DEGREE, ROUNDING);
        assert_near(spot.share, 12.0 / 20, ROUNDING);
        assert_int_equal(spot.hazard, hazards[k]);
        assert_near(spot.limit, 20 * GR_DEGREE, ROUNDING);
        assert_near(spot.cost.slip, 0.1 * 12 / 5, ROUNDING); // between the slopes of the table
        assert_near(spot.cost.energy, 100 + 10 * 12.0 / 5, 1e-6);
    }
    assert_int_equal(gr_go_spot(&g, 0.3, 10, 0).hazard, GR_GO_EDGE); // the rear wheels are off the map
    assert_true(isinf(gr_go_cost(1, INFINITY, 1)));
    assert_true(gr_go_cost(1, 1.01, 1) > 100 * gr_go_cost(1, 0.99, 1));
    gr_go_ground_free(&g);
}

static double shelf(double x, double y)
{
    (void)y;
    return x < 10 ? 0 : 0.09;
}

static double mound(double x, double y)
{
    return fabs(y - 10) < 0.16 && fabs(x - 10) < 0.3 ? 0.18 : 0;
}

/// A step is seen by the wheel that comes to it, also when its centre has not; a ridge between the wheels by the
/// chassis; a rock by the height over the ground.
static void steps(void **state)
{
    (void)state;
    GrGoGround g;
    make_ground(&g);
    lay(&g, shelf);
    const GrGoSpot at = gr_go_spot(&g, 9.5, 10, 0), away = gr_go_spot(&g, 8, 10, 0),
                   along = gr_go_spot(&g, 8, 10, GR_PI / 2);
    assert_int_equal(at.hazard, GR_GO_STEP);
    assert_near(at.value, 0.09, 1e-9);
    assert_true(at.share > 1); // 0.06 m, a share of the radius, is what soil lets pass
    assert_int_equal(away.hazard, GR_GO_NONE);
    assert_int_equal(along.hazard, GR_GO_NONE);
    gr_go_ground_free(&g);
    make_ground(&g);
    lay(&g, mound);
    const GrGoSpot over = gr_go_spot(&g, 10, 10, 0);
    assert_int_equal(over.hazard, GR_GO_BELLY);
    assert_near(over.value, 0.18, 1e-6);
    assert_near(over.limit, 0.15, 0);
    gr_go_ground_free(&g);
}

/// Slip and energy of the table are those of a drive on that slope; what the rover holds lies between a slope that is
/// driven and one that is not.
static void costs(void **state)
{
    (void)state;
    static const double CLOSE = 0.03; // windows of the table are half as long
    GrErrorLog log = {0};
    GrRoverDef rover;
    static GrSoilDef soil;
    GrRoverCosts measured;
    assert_int_equal(gr_rover_load("rashid_like", NULL, &rover, &log), GR_OK);
    soil = gr_default_soil_def();
    const GrSoilDef *soils[] = {&soil};
    assert_int_equal(gr_rover_costs_measure(&rover, soils, 1, 1.62, 0.1, 0.6, &measured, &log), GR_OK);
    GrSteadyDriveDef def = gr_default_steady_drive_def();
    def.rover = &rover;
    def.soil = &soil;
    def.gravity = 1.62;
    def.speed = 0.1;
    for (int h = 0; h < GR_COST_HEADINGS; h++) {
        GrSteadyDrive drive;
        def.slope = 10 * GR_DEGREE;
        def.heading = h * GR_PI / 2;
        assert_int_equal(gr_steady_drive(&def, &drive, &log), GR_OK);
        const GrCostAt at = gr_rover_costs_at(&measured, def.slope, def.heading);
        assert_near(at.slip, drive.slip, CLOSE);
        assert_near(at.time, 1 / drive.speed, CLOSE / drive.speed);
    }
    def.slope = fmax(0, measured.steepest[0] - GR_COST_SLOPE_STEP);
    def.heading = 0;
    GrSteadyDrive drive;
    assert_int_equal(gr_steady_drive(&def, &drive, &log), GR_OK);
    assert_int_equal(drive.outcome, GR_DRIVE_STEADY);
    def.slope = measured.steepest[0] + GR_COST_SLOPE_STEP;
    assert_int_equal(gr_steady_drive(&def, &drive, &log), GR_OK);
    assert_int_not_equal(drive.outcome, GR_DRIVE_STEADY);
    // rigid ground: the angle of friction
    assert_int_equal(gr_rover_costs_measure(&rover, NULL, 1, 1.62, 0.1, 0.2, &measured, &log), GR_OK);
    assert_in_range((int)(measured.steepest[0] / GR_DEGREE), 10, 15); // atan 0.2 is 11.3 deg, between 10 and 15
    gr_rover_free(&rover);
}

/// A wall over x = 10 with a gap at y = 14 … 18, or none.
static bool has_gap;
static double wall(double x, double y)
{
    const bool gap = has_gap && y > 14 && y < 18;
    return gap ? 0 : fmax(0, 2 - 4 * fmax(0, fabs(x - 10) - 0.5));
}

/// A mission without a scenario's rover: grid and ground only.
static void make_go(GrGo *go)
{
    *go = (GrGo){.t = {.grid = {.nx = 36, .ny = 36, .cell = 0.5}, .x0 = 1, .y0 = 1},
                 .start = {.at = {4, 5}, .stands = true},
                 .goal = {.at = {16, 5}, .stands = true}};
    make_ground(&go->ground);
    lay(&go->ground, wall);
    assert_int_equal(gr_go_plan_prepare(go, NULL), GR_OK);
}

static void free_go(GrGo *go)
{
    gr_go_ground_free(&go->ground);
    gr_free(go->edges);
}

static void through_gap(void **state)
{
    (void)state;
    GrGo go;
    GrGoTry item;
    has_gap = true;
    make_go(&go);
    assert_int_equal(gr_go_plan(&go, NULL, 0, 4, false, &item, NULL), GR_OK);
    assert_non_null(item.points);
    bool through = false;
    double last[2] = {4, 5};
    for (int i = 0; i < item.point_count; i++) {
        const double part = (10 - last[0]) / (item.points[i][0] - last[0]);
        const double y = last[1] + part * (item.points[i][1] - last[1]);
        through = through || (part >= 0 && part <= 1 && y > 14 && y < 18);
        memcpy(last, item.points[i], sizeof last);
    }
    assert_true(through);
    assert_near(last[0], 16, 0);
    assert_near(last[1], 5, 0);
    // no shorter than the way around the corners of the gap by the width of the rover, no longer than the grid's
    const double least = 2 * gr_hypot(6, 14 + 0.3 - 5);
    assert_true(item.length > least && item.length < 1.25 * least);
    assert_true(item.worst.spot.share <= 1);
    assert_in_range(item.point_count, 2, 12); // straight pieces, not cells
    // a place that is closed in the gap closes the way, but not in the other direction
    const GrGoBlock blocks[] = {{{10, 16}, 0, 3}, {{10, 16}, GR_PI, 3}};
    gr_free(item.points);
    assert_int_equal(gr_go_plan(&go, blocks, 1, 4, false, &item, NULL), GR_OK);
    assert_null(item.points);
    assert_int_equal(gr_go_plan(&go, blocks + 1, 1, 4, false, &item, NULL), GR_OK);
    assert_non_null(item.points);
    gr_free(item.points);
    free_go(&go);
}

static void closed_wall(void **state)
{
    (void)state;
    GrGo go;
    GrGoTry item;
    GrGoAnswer answer = {0};
    has_gap = false;
    make_go(&go);
    assert_int_equal(gr_go_plan(&go, NULL, 0, 4, false, &item, NULL), GR_OK);
    assert_null(item.points);
    assert_int_equal(gr_go_reach(&go, &answer, NULL), GR_OK);
    for (int cell = 0; cell < 36 * 36; cell++) {
        double at[2];
        gr_traverse_centre(&go.t, cell, at);
        assert_true(!answer.reached[cell] || at[0] < 10);
        assert_true(answer.reached[cell] || at[0] > 8 || at[0] < 2 || at[1] < 2 || at[1] > 18);
    }
    assert_true(answer.nearest[0] < 10 && answer.nearest[0] > 7);
    assert_int_equal(gr_go_plan(&go, NULL, 0, 4, true, &item, NULL), GR_OK); // through it
    assert_non_null(item.points);
    assert_true(item.worst.spot.share > 1 && fabs(item.worst.at[0] - 10) < 1.5);
    gr_free(item.points);
    gr_go_answer_free(&answer);
    free_go(&go);
}

/// Going up takes at least the work against gravity, also on slopes that the first of the soils does not hold.
static void work_uphill(void **state)
{
    (void)state;
    static const double PHI[] = {24, 30, 38};
    GrErrorLog log = {0};
    GrRoverDef rover;
    assert_int_equal(gr_rover_load("curiosity_like", NULL, &rover, &log), GR_OK);
    GrSoilDef soils[3];
    const GrSoilDef *of[3];
    for (int k = 0; k < 3; k++) {
        assert_int_equal(gr_soil_load("mars_sand", NULL, &soils[k], NULL, &log), GR_OK);
        soils[k].friction_angle = PHI[k] * GR_DEGREE;
        of[k] = &soils[k];
    }
    double mass = 0;
    for (int b = 0; b < rover.body_count; b++) {
        mass += rover.bodies[b].mass;
    }
    GrRoverCosts costs;
    assert_int_equal(gr_rover_costs_measure(&rover, of, 3, 3.71, 0.1, 0.5, &costs, &log), GR_OK);
    int some = 0;
    for (int i = 0; i < GR_COST_SLOPES; i++) {
        const GrRoverCost *at = &costs.at[0][i];
        if (at->driven > 0) {
            const double lift = mass * 3.71 * gr_sin(i * GR_COST_SLOPE_STEP);
            some += at->driven < 3;
            print_message("%4.1f deg: %d of 3, %.0f to %.0f J/m, at least %.0f\n", i * GR_COST_SLOPE_STEP / GR_DEGREE,
                          at->driven, at->energy.low, at->energy.high, lift);
            assert_true(at->energy.low > lift);
            assert_true(at->slip.low > 0);
        }
    }
    assert_true(some > 0);                                    // slopes that only some of the soils hold
    assert_true(costs.at[0][GR_COST_SLOPES - 1].driven == 0); // 30 degrees of loose sand
    gr_rover_free(&rover);
}

#ifdef GR_WITH_GDAL
/// Longitude and latitude of an equirectangular map on a sphere: x = R λ, y = R φ, there and back.
static void lonlat(void **state)
{
    (void)state;
    static const double RADIUS = 3396190, CLOSE = 1e-5; // [m]
    char crs[] = "PROJCS[\"Equirectangular Mars\",GEOGCS[\"GCS_Mars\",DATUM[\"D_Mars\",SPHEROID[\"Mars_sphere\","
                 "3396190,0]],PRIMEM[\"Reference_Meridian\",0],UNIT[\"degree\",0.0174532925199433]],"
                 "PROJECTION[\"Equirectangular\"],PARAMETER[\"standard_parallel_1\",0],"
                 "PARAMETER[\"central_meridian\",0],UNIT[\"metre\",1]]";
    const GrGeoreference place = {.crs = crs, .origin_east = 8142000, .origin_north = -276000, .radius = RADIUS};
    double points[2][2] = {{137.3702, -4.6668}, {137.36, -4.65}};
    const double asked[2][2] = {{137.3702, -4.6668}, {137.36, -4.65}};
    assert_int_equal(gr_georeference_convert(&place, false, points, 2, NULL), GR_OK);
    for (int i = 0; i < 2; i++) {
        assert_near(points[i][0], RADIUS * asked[i][0] * GR_DEGREE - 8142000, CLOSE);
        assert_near(points[i][1], RADIUS * asked[i][1] * GR_DEGREE + 276000, CLOSE);
    }
    assert_int_equal(gr_georeference_convert(&place, true, points, 2, NULL), GR_OK);
    for (int i = 0; i < 2; i++) {
        assert_near(points[i][0], asked[i][0], 1e-10);
        assert_near(points[i][1], asked[i][1], 1e-10);
    }
    char none[] = "";
    const GrGeoreference nowhere = {.crs = none};
    GrErrorLog log = {.quiet = true};
    assert_int_equal(gr_georeference_convert(&nowhere, false, points, 2, &log), GR_ERROR_VALUE);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plane),       cmocka_unit_test(steps),       cmocka_unit_test(costs),
        cmocka_unit_test(through_gap), cmocka_unit_test(closed_wall), cmocka_unit_test(work_uphill),
#ifdef GR_WITH_GDAL
        cmocka_unit_test(lonlat),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
