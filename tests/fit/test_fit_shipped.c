/// Soils that were fitted to the CMU wheels and ship: the fit of their files, started from the file, finds nothing
/// better; and it predicts the slip angles that were held back.
#include "test.h"

#include "fit.h"
#include "grouser/soil_file.h"

static const double degree = 3.14159265358979323846 / 180;
static const double radius = 0.058;

enum { POINTS_MAX = 64 };

typedef struct Bound {
    const char *name;
    double lower, upper;
} Bound;

/// The free parameters of both files, with the bounds that their command changes.
static const Bound free_params[] = {
    {"k_phi", 0, 0},
    {"n0", 0, 0},
    {"c", 0, 1000},
    {"phi", 20, 40},
    {"K_x", 0, 0},
    {"a1", 0, 0},
    {"a2", 0, 0},
    {"a_plough", 0, 0},
    {"lambda", 0, 0.5},
    {"wedge", 0, 0},
    {"wedge_slide", 0, 0},
    {"wedge_front", 0, 0},
    {"slip_sinkage_max", 0, 0},
    {"slip_sinkage_length", 0, 0},
    {"backfill", 0, 0},
    {"plough_sinkage", 0, 0},
    {"plough_power", 0, 0},
};

static void repeat_fit(const char *wheel, double grouser_height)
{
    static GrFitResult result;
    char path[512];
    unsigned char role[POINTS_MAX];
    GrWheelData data;
    GrFitDef def = gr_default_fit_def();
    snprintf(path, sizeof path, GR_TEST_SOURCE_DIR "/data/measurements/cmu_%s.csv", wheel);
    assert_int_equal(gr_wheel_data_load(path, NULL, &data, NULL), GR_OK);
    assert_true(data.count <= POINTS_MAX);
    snprintf(path, sizeof path, GR_TEST_SOURCE_DIR "/data/soils/cmu_%s_fit.yaml", wheel);
    assert_int_equal(gr_soil_load(path, NULL, &def.rig.soil, NULL, NULL), GR_OK);
    def.rig.wheel.radius = radius;
    def.rig.wheel.width = 0.05;
    def.rig.wheel.grouser_height = grouser_height;
    gr_wheel_data_slip_at(&data, (radius + grouser_height) / radius);
    for (int i = 0; i < data.count; i++) {
        const double angle = data.items[i].value[GR_SLIP_ANGLE] / degree;
        role[i] = fabs(angle) < 1 || fabs(angle - 45) < 1 ? GR_FIT_USED : GR_FIT_HELD;
    }
    for (size_t i = 0; i < sizeof free_params / sizeof free_params[0]; i++) {
        GrFitParam *p = &def.params[def.param_count++];
        assert_int_equal(gr_fit_param_find(free_params[i].name, p, NULL), GR_OK);
        if (free_params[i].upper > 0) {
            p->lower = free_params[i].lower;
            p->upper = free_params[i].upper;
        }
    }
    def.weights[GR_SINKAGE] = 0.33;
    def.data = &data;
    def.role = role;
    def.evaluations = 0; // locally, from the file
    assert_int_equal(gr_fit_soil(&def, &result, NULL), GR_OK);
    print_message("%s: loss %.6f in the file, %.6f after another search; held back %.2f N, %.2f N, %.2f mm\n", wheel,
                  result.start_cost, result.cost, result.held.rms[GR_FX], result.held.rms[GR_FY],
                  1e3 * result.held.rms[GR_SINKAGE]);
    assert_int_equal(result.held.missing, 0);
    assert_true(result.cost > 0.97 * result.start_cost);
    gr_wheel_data_free(&data);
}

static void test_smooth(void **state)
{
    (void)state;
    repeat_fit("smooth", 0);
}

static void test_grousers(void **state)
{
    (void)state;
    repeat_fit("grouser", 0.005);
}

/// A slip refers to a radius: with rω = 1 at r and v = 0.5, the slip at 1.25 r is 1 − 0.5/1.25; braking likewise.
static void test_slip_at_another_radius(void **state)
{
    (void)state;
    GrWheelDatum items[3] = {
        {.value = {[GR_SLIP] = 0.5}}, {.value = {[GR_SLIP] = -0.5}}, {.value = {[GR_SLIP] = -0.1}}};
    GrWheelData data = {.items = items, .count = 3};
    gr_wheel_data_slip_at(&data, 1.25);
    assert_near(items[0].value[GR_SLIP], 0.6, 1e-15);
    assert_near(items[1].value[GR_SLIP], -0.375, 1e-15);              // rim 0.5 → 0.625 of v
    assert_near(items[2].value[GR_SLIP], (1.125 - 1) / 1.125, 1e-15); // now it drives
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_smooth), cmocka_unit_test(test_grousers),
                                       cmocka_unit_test(test_slip_at_another_radius)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
