/// Statements on trust: their words. validation/test_published.c compares their figures with the results.
#include "test.h"

#include "grouser/trust.h"

/// Names of parameters go where their source says; gravity of the fit stands beside that of the run.
static void test_words(void **state)
{
    (void)state;
    static GrSoilSources sources;
    static const char *const overrides[] = {"phi=30", NULL};
    GrSoilDef soil;
    GrTrust trust;
    assert_int_equal(gr_soil_load("dlr_d2", overrides, &soil, &sources, NULL), GR_OK);
    gr_trust_of_soil(&soil, &sources, 3.5, &trust);
    assert_non_null(strstr(trust.parameters, "published: k_c, k_phi, n0, c;"));
    assert_non_null(strstr(trust.parameters, "assumed: K_x, K_y, a1, a2, lambda;"));
    assert_non_null(strstr(trust.parameters, "set by the user: phi"));
    assert_non_null(strstr(trust.gravity, "fit: earth, 9.807 m/s²; run: 3.5 m/s². No correction is made"));
    assert_string_equal(trust.line,
                        "The law wong_reece with published parameters misses the measured pull of a wheel in dry sand "
                        "by 17 % of the load (median; 90 %: 67 %) and orders 70 % of pairs of conditions as measured. "
                        "Soil dlr_d2: 7 of 11 parameters are neither published nor derived. Gravity of the fit: earth, "
                        "9.807 m/s²; run: 3.5 m/s². No correction is made: that the parameters hold under this "
                        "gravity is an assumption.");
    soil.slip_sinkage_max = 0.01;
    gr_trust_of_soil(&soil, &sources, 9.80665, &trust);
    assert_non_null(strstr(trust.line, "with digging and ploughing, fitted at other slip angles, misses"));
    assert_non_null(strstr(trust.line, "its 90 % band contains 94 %"));
    assert_null(strstr(trust.line, "ravity")); // that of the fit
    soil.law = GR_SOIL_BEKKER;
    gr_trust_of_soil(&soil, &sources, 9.80665, &trust);
    assert_non_null(strstr(trust.error, "has not been compared with a measured wheel"));
    assert_null(strstr(trust.parameters, "a1")); // not read by the law
    assert_null(strstr(trust.gravity, "No correction"));
    gr_trust_of_soil(&soil, NULL, 9.80665, &trust);
    assert_non_null(strstr(trust.parameters, "not known"));
    gr_trust_of_rigid_ground(NULL, 1.62, &trust);
    assert_non_null(strstr(trust.law, "law hunt_crossley, friction law spring"));
    const GrSceneDef scene = {.friction_law = GR_FRICTION_TANH};
    gr_trust_of_rigid_ground(&scene, 1.62, &trust);
    assert_non_null(strstr(trust.law, "law hunt_crossley, friction law tanh"));
    assert_non_null(strstr(trust.gravity, "run: moon"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
