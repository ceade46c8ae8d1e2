/// What was reported of rovers on Mars and the Moon lies within the bands of the soil classes.
///
/// None of these is a controlled measurement, and they are not an independent check: they were known when the classes
/// were composed. The middle of mars_sand was chosen with the 15° of Scarecrow in view, and the spread of k_phi in
/// lunar_mare was widened to that of dry sand after the depth of the tracks had been outside its band. The test guards
/// against losing them. A band is 5 to 95 % over samples of the class.
#include "grouser/soil_file.h"
#include "soil_yaml.h"
#include "static_drive.h"
#include "statistics.h"
#include "test.h"

static const double DEGREE = 3.14159265358979323846 / 180, MARS = 3.71, MOON = 1.62;
enum { SAMPLES = 64 };

typedef struct Band {
    double low, high;
} Band;

/// The wheels of a rover that stands on the level share its weight alike within some per cent.
typedef struct Ground {
    GrRoverDef rover;
    GrSoilDef soil;
    GrSoilSources sources;
    GrSoilSpread spread;
    GrSteadyDriveDef def;
    double weight;
    double loads[GR_DRIVE_WHEELS_MAX];
} Ground;

static void open_ground(const char *rover, const char *soil, double gravity, Ground *g)
{
    char path[512];
    snprintf(path, sizeof path, "%s/data/rovers/%s.yaml", GR_TEST_SOURCE_DIR, rover);
    assert_int_equal(gr_rover_load(path, NULL, &g->rover, NULL), GR_OK);
    snprintf(path, sizeof path, "%s/data/soils/%s.yaml", GR_TEST_SOURCE_DIR, soil);
    assert_int_equal(gr_soil_load_spread(path, NULL, &g->soil, &g->sources, &g->spread, NULL), GR_OK);
    g->def = gr_default_steady_drive_def();
    g->def.rover = &g->rover;
    g->def.gravity = gravity;
    g->weight = 0;
    for (int i = 0; i < g->rover.body_count; i++) {
        g->weight += g->rover.bodies[i].mass * gravity;
    }
}

/// The drive of one sample on a slope [°].
static GrSteadyDrive climb(Ground *g, int sample, double slope)
{
    GrSoilDef soil;
    GrStaticDrive statics;
    GrSteadyDrive result;
    gr_soil_sample(&g->spread, &g->sources, &g->soil, 1, sample, SAMPLES, &soil);
    g->def.soil = &soil;
    assert_int_equal(gr_static_drive_make(&g->def, &statics, NULL), GR_OK);
    for (int i = 0; i < statics.wheel_count; i++) {
        g->loads[i] = g->weight * cos(slope * DEGREE) / statics.wheel_count;
    }
    gr_static_drive_at(&statics, g->loads, g->weight * sin(slope * DEGREE), 0, &result);
    gr_static_drive_free(&statics);
    return result;
}

static Band band_of(double *values, int count)
{
    gr_sort(values, count);
    return (Band){gr_quantile_sorted(values, count, 0.05), gr_quantile_sorted(values, count, 0.95)};
}

/// Slip on a slope; 1 where it does not climb.
static Band slips(Ground *g, double slope)
{
    double values[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        const GrSteadyDrive result = climb(g, i, slope);
        values[i] = result.outcome == GR_DRIVE_STEADY ? result.slip : 1;
    }
    return band_of(values, SAMPLES);
}

/// Steepest slope that is climbed at all [°], to a degree.
static Band limits(Ground *g)
{
    double values[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        values[i] = 0;
        while (values[i] < 40 && climb(g, i, values[i] + 1).outcome == GR_DRIVE_STEADY) {
            values[i]++;
        }
    }
    return band_of(values, SAMPLES);
}

static void contains(const char *what, Band band, double value)
{
    print_message("%s: %.3g in %.3g to %.3g\n", what, value, band.low, band.high);
    assert_true(value >= band.low && value <= band.high);
}

/// Scarecrow, Curiosity's test rover, climbed soft sand up to around 15° (Dumont Dunes, 2012, JPL); Curiosity slipped
/// up to 0.77 in megaripples, with wheels sunk by up to 0.30 of their diameter (Arvidson et al. 2017, abstract).
static void test_curiosity_on_sand(void **state)
{
    (void)state;
    static Ground g;
    open_ground("curiosity_like", "mars_sand", MARS, &g);
    contains("slope on soft sand", limits(&g), 15);
    contains("slip on a ripple of 10 degrees", slips(&g, 10), 0.77);
    double sinkage[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        GrSoilDef soil;
        GrRigDef rig = gr_default_rig_def();
        GrRig made;
        GrRigPoint point;
        gr_soil_sample(&g.spread, &g.sources, &g.soil, 1, i, SAMPLES, &soil);
        rig.soil = soil;
        rig.wheel.radius = 0.2615;
        rig.wheel.width = 0.4;
        rig.wheel.gravity = MARS;
        rig.load = g.weight / 6;
        assert_int_equal(gr_rig_make(&rig, &made, NULL), GR_OK);
        sinkage[i] = gr_rig_point(&made, 0.77, 0, &point) == GR_OK ? point.sinkage : 0.5;
    }
    contains("sinkage at that slip [m]", band_of(sinkage, SAMPLES), 0.30 * 0.5);
    gr_rover_free(&g.rover);
}

/// Curiosity climbed 21° of rock under thin sand in 2015 and 23° with stops in 2023 (JPL).
static void test_curiosity_on_crust(void **state)
{
    (void)state;
    static Ground g;
    open_ground("curiosity_like", "mars_crust", MARS, &g);
    const Band band = limits(&g);
    contains("slope of rock under thin sand", band, 23);
    assert_true(band.high > 21);
    gr_rover_free(&g.rover);
}

/// Opportunity at a tilt of 32° on loose sand and gravel turned its wheels for 20 m and moved by 0.09 m (2016); on
/// the plains its largest slips were 0.025 and 0.445 on ripples (2005), in Endurance crater 0.50 on steep slopes
/// (2004).
static void test_opportunity(void **state)
{
    (void)state;
    static Ground g;
    open_ground("mer_like", "mars_sand", MARS, &g);
    assert_true(limits(&g).high < 32);
    contains("slip on the plains", slips(&g, 1), 0.025);
    contains("slip on a ripple of 10 degrees", slips(&g, 10), 0.445);
    gr_rover_free(&g.rover);
    open_ground("mer_like", "mars_crust", MARS, &g);
    contains("slip on 25 degrees of a crater's wall", slips(&g, 25), 0.5);
    gr_rover_free(&g.rover);
}

/// The Lunar Roving Vehicle left tracks about 12 mm deep on average (Mitchell et al.). Behind a wheel the soil rises by
/// the part λ of the sinkage.
static void test_lunar_tracks(void **state)
{
    (void)state;
    static Ground g;
    double depth[SAMPLES];
    open_ground("lrv_like", "lunar_mare", MOON, &g);
    for (int i = 0; i < SAMPLES; i++) {
        GrSoilDef soil;
        gr_soil_sample(&g.spread, &g.sources, &g.soil, 1, i, SAMPLES, &soil);
        depth[i] = (1 - soil.exit_ratio) * climb(&g, i, 0).sinkage;
    }
    contains("depth of tracks [m]", band_of(depth, SAMPLES), 0.012);
    gr_rover_free(&g.rover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curiosity_on_sand),
        cmocka_unit_test(test_curiosity_on_crust),
        cmocka_unit_test(test_opportunity),
        cmocka_unit_test(test_lunar_tracks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
