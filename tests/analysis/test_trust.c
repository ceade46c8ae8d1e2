/// Statements on trust must match the results of validation: every figure of the table, the count of comparisons with
/// measured wheels and rovers, and the sentence of the README.
#include "file.h"
#include "test.h"
#include "validate.h"

#include "grouser/trust.h"

#include <math.h>
#include <stdlib.h>

static const GrValidationCase *find_case(const char *name)
{
    for (int i = 0; gr_validation_case(i) != NULL; i++) {
        if (strcmp(gr_validation_case(i)->name, name) == 0) {
            return gr_validation_case(i);
        }
    }
    return NULL;
}

/// Printed with two digits: half a unit of the second.
static void test_errors(void **state)
{
    (void)state;
    for (int i = 0; gr_trust_error(i) != NULL; i++) {
        const GrTrustError *e = gr_trust_error(i);
        const GrValidationCase *which = find_case(e->name);
        GrFindings findings = {0};
        assert_non_null(which);
        assert_int_equal(gr_validation_run(which, &findings, NULL), GR_OK);
        const GrFinding *found = NULL;
        for (int j = 0; j < findings.count; j++) {
            found = strcmp(findings.items[j].quantity, e->quantity) == 0 ? &findings.items[j] : found;
        }
        assert_non_null(found);
        print_message("%s, %s: %.4g, said %g\n", e->name, e->quantity, found->ours, e->value);
        assert_near(e->value, found->ours, fmax(0.005, 0.05 * pow(10, floor(log10(fmax(found->ours, 0.1))))));
        gr_findings_free(&findings);
    }
}

static void test_counts(void **state)
{
    (void)state;
    int count = 0, passed = 0;
    char sentence[160], *readme;
    size_t size;
    for (int i = 0; gr_validation_case(i) != NULL; i++) {
        GrFindings findings = {0};
        if (!gr_validation_is_measured(gr_validation_case(i))) {
            continue;
        }
        assert_int_equal(gr_validation_run(gr_validation_case(i), &findings, NULL), GR_OK);
        for (int j = 0; j < findings.count; j++) {
            const bool published = findings.items[j].kind == GR_FINDING_PUBLISHED;
            count += published;
            passed += published && gr_finding_verdict(&findings.items[j]) == GR_VERDICT_PASS;
        }
        gr_findings_free(&findings);
    }
    print_message("%d comparisons with measured wheels and rovers, %d pass\n", count, passed);
    assert_int_equal(count, GR_TRUST_COMPARED);
    assert_int_equal(passed, GR_TRUST_PASSED);
    snprintf(sentence, sizeof sentence, "of %d comparisons with measured wheels and rovers %d pass", count, passed);
    assert_int_equal(gr_file_read(GR_TEST_SOURCE_DIR "/README.md", 1u << 20, &readme, &size, NULL), GR_OK);
    assert_non_null(strstr(readme, sentence));
    free(readme);
}

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
    assert_non_null(strstr(trust.error, "drawbar pull off by 4.3 N rms"));
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_errors), cmocka_unit_test(test_counts),
                                       cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
