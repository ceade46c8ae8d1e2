/// Soil files: the catalogue, overrides, and writing.
#include "test.h"

#include "file.h"
#include "grouser/soil_file.h"
#include "soil_param.h"
#include "soil_yaml.h"

#include <stdlib.h>
#include <unistd.h>

static const double degree = 3.14159265358979323846 / 180;

static void test_ishigami(void **state)
{
    (void)state;
    GrSoilDef s;
    assert_int_equal(gr_soil_load("ishigami2007", NULL, &s, NULL, NULL), GR_OK);
    assert_string_equal(s.name, "ishigami2007");
    assert_int_equal(s.law, GR_SOIL_WONG_REECE);
    assert_near(s.k_c, 1370, 0);
    assert_near(s.k_phi, 814e3, 0);
    assert_near(s.n0, 1, 0);
    assert_near(s.n1, 0, 0);
    assert_near(s.cohesion, 800, 0);
    assert_near(s.friction_angle, 37.2 * degree, 1e-15);
    assert_near(s.shear_x, 0.036, 0);
    assert_near(s.shear_x_slope, 0.043, 0);
    assert_near(s.shear_y, 0.013, 0);
    assert_near(s.shear_y_slope, 0.020, 0);
    assert_near(s.peak_a1, 0.4, 0);
    assert_near(s.peak_a2, 0.15, 0);
    assert_near(s.exit_ratio, 1, 0);
    assert_false(s.front_bulldozing);
    assert_int_equal(s.side_bulldozing, GR_SIDE_NONE);
}

/// Every shipped soil can be read, and says of each number that its law cannot do without where it comes from.
static void test_catalogue(void **state)
{
    (void)state;
    static GrSoilSources sources;
    GrNameList names = {0};
    assert_int_equal(gr_folder_list(GR_TEST_SOURCE_DIR "/data/soils", ".yaml", &names, NULL), GR_OK);
    assert_true(names.count >= 30);
    for (int i = 0; i < names.count; i++) {
        char path[GR_FILE_PATH_SIZE];
        GrSoilDef s;
        GrErrorLog error_log = {0};
        snprintf(path, sizeof path, GR_TEST_SOURCE_DIR "/data/soils/%s", names.names[i]);
        assert_int_equal(gr_soil_load(path, NULL, &s, &sources, &error_log), GR_OK);
        assert_int_equal(error_log.warning_count, 0);
        assert_true(s.title[0] != '\0');
        assert_true(sources.gravity > 0);
        for (int p = 0; p < gr_soil_param_count(); p++) {
            if (gr_soil_param_essential(&s, p) && gr_soil_source_of(&sources, gr_soil_param(p)->name) < 0) {
                print_error("%s: no source of %s\n", names.names[i], gr_soil_param(p)->name);
                fail();
            }
        }
        assert_true(gr_soil_is_file(path));
    }
    gr_name_list_free(&names);
    assert_false(gr_soil_is_file(GR_TEST_SOURCE_DIR "/data/rovers/lrv_like.yaml"));
}

static void test_overrides(void **state)
{
    (void)state;
    static GrSoilSources sources;
    const char *overrides[] = {"phi=30", "c_Pa=2 * 50", "K=0.02", "lambda=0.5", "side_bulldozing=hegedus", NULL};
    GrSoilDef s;
    assert_int_equal(gr_soil_load("ishigami2007", overrides, &s, &sources, NULL), GR_OK);
    assert_near(s.friction_angle, 30 * degree, 1e-15);
    assert_near(s.cohesion, 100, 0);
    assert_near(s.shear_x, 0.02, 0);
    assert_near(s.shear_y, 0.02, 0);
    assert_near(s.exit_ratio, 0.5, 0);
    assert_int_equal(s.side_bulldozing, GR_SIDE_HEGEDUS);
    assert_true(sources.overridden[gr_soil_param_find("phi")]);
    assert_false(sources.overridden[gr_soil_param_find("n0")]);

    GrErrorLog error_log = {0};
    const char *wrong[] = {"frictoin=0.5", NULL};
    assert_int_equal(gr_soil_load("ishigami2007", wrong, &s, NULL, &error_log), GR_ERROR_FIELD);
    assert_non_null(strstr(error_log.items[0].text, "did you mean 'friction'?"));
}

static void test_unknown_name(void **state)
{
    (void)state;
    GrSoilDef s;
    GrErrorLog error_log = {0};
    assert_int_equal(gr_soil_load("ishigami207", NULL, &s, NULL, &error_log), GR_ERROR_NAME);
    assert_non_null(strstr(error_log.items[0].text, "did you mean 'ishigami2007'?"));
}

static void test_params(void **state)
{
    (void)state;
    static const char text[] =
        "params: {kPa: 1000}\nlaw: bekker\nk_c_N_per_m_n1: 0\nk_phi_N_per_m_n2: 814 * kPa\nn0: 1\n"
        "c_Pa: 0.8 * kPa\nphi_deg: 37.2\nK_x_m: 0.036\nK_y_m: 0.013\n";
    GrSoilDef s;
    assert_int_equal(gr_soil_parse_yaml(text, sizeof text - 1, "x.yaml", NULL, &s, NULL, NULL), GR_OK);
    assert_near(s.k_phi, 814e3, 1e-9);
    assert_int_equal(s.law, GR_SOIL_BEKKER);
    assert_string_equal(s.name, "x");
}

/// Written and read again, every soil of the catalogue is the same, sources included.
static void test_round_trip(void **state)
{
    (void)state;
    static GrSoilSources before, after;
    static const char *const names[] = {"ishigami2007", "toyoura_sand", "dlr_d2", "cmu_soildirect90"};
    for (int i = 0; i < 4; i++) {
        GrSoilDef s, t;
        assert_int_equal(gr_soil_load(names[i], NULL, &s, &before, NULL), GR_OK);
        s.law = i == 0 ? GR_SOIL_CHAIKIN : s.law;
        s.points[2].y_slip = 0.125;
        s.front_bulldozing = i == 1;
        s.stencil = 3;
        snprintf(s.title, sizeof s.title, "a \"quoted\" title: with \\ in it");
        assert_int_equal(gr_soil_save("soil_round_trip.yaml", &s, &before, NULL), GR_OK);
        assert_int_equal(gr_soil_load("soil_round_trip.yaml", NULL, &t, &after, NULL), GR_OK);
        for (int p = 0; p < gr_soil_param_count(); p++) {
            assert_near_rel(gr_soil_param_get(&t, p), gr_soil_param_get(&s, p), 1e-14);
        }
        assert_string_equal(t.title, s.title);
        assert_string_equal(t.name, s.name);
        assert_int_equal(t.law, s.law);
        assert_int_equal(t.pressure, s.pressure);
        assert_int_equal(t.front_bulldozing, s.front_bulldozing);
        assert_int_equal(t.stencil, 3);
        assert_memory_equal(t.points, s.points, sizeof s.points);
        assert_int_equal(after.count, before.count);
        assert_string_equal(after.items[0].text, before.items[0].text);
        assert_int_equal(after.items[0].of_count, before.items[0].of_count);
    }
    unlink("soil_round_trip.yaml");
}

/// A name without numbers is refused, in its usual spellings, and says what to give.
static void test_simulants(void **state)
{
    (void)state;
    static const char *const names[] = {"ES-1", "es2", "ES_3", "es-4"};
    for (int i = 0; i < 4; i++) {
        GrErrorLog error_log = {0};
        GrSoilDef s;
        assert_int_equal(gr_soil_load(names[i], NULL, &s, NULL, &error_log), GR_ERROR_NAME);
        assert_non_null(strstr(error_log.items[0].text, "is known by name only"));
        assert_non_null(strstr(error_log.items[0].text, "phi_deg"));
    }
}

/// The gravity of a fit and what it does: by name or number, written and read back.
static void test_gravity(void **state)
{
    (void)state;
    static GrSoilSources sources;
    GrSoilDef s, back;
    assert_int_equal(gr_soil_load("lunar_apollo", NULL, &s, &sources, NULL), GR_OK);
    assert_near(s.fit_gravity, 1.62, 0);
    assert_near(sources.gravity, 1.62, 0);
    assert_int_equal(s.gravity_scaling, GR_GRAVITY_NONE);
    const char *overrides[] = {"fit_gravity=3.7", "gravity_scaling=density", NULL};
    assert_int_equal(gr_soil_load("ishigami2007", overrides, &s, NULL, NULL), GR_OK);
    assert_near(s.fit_gravity, 3.7, 0);
    assert_int_equal(gr_soil_save("gravity.yaml", &s, NULL, NULL), GR_OK);
    assert_int_equal(gr_soil_load("./gravity.yaml", NULL, &back, &sources, NULL), GR_OK);
    assert_near(back.fit_gravity, 3.7, 0);
    assert_near(sources.gravity, 3.7, 0);
    assert_int_equal(back.gravity_scaling, GR_GRAVITY_DENSITY);
    unlink("gravity.yaml");
    static const char text[] = "law: rft\nxi_n_N_per_m3: 1e6\nc_Pa: 0\nphi_deg: 30\n"; // does not say
    assert_int_equal(gr_soil_parse_yaml(text, sizeof text - 1, "soil.yaml", NULL, &s, &sources, NULL), GR_OK);
    assert_near(s.fit_gravity, 9.80665, 0);
    assert_near(sources.gravity, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simulants), cmocka_unit_test(test_ishigami),   cmocka_unit_test(test_gravity),
        cmocka_unit_test(test_catalogue), cmocka_unit_test(test_overrides),  cmocka_unit_test(test_unknown_name),
        cmocka_unit_test(test_params),    cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
