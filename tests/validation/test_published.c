/// Every case of grouser validate, by the table that the command reads, each computed once. And statements on trust
/// must match the results: every figure of their table, the count of comparisons with measured wheels and rovers, and
/// the sentence of the README.
#include "file.h"
#include "test.h"
#include "validate.h"

#include "grouser/trust.h"

enum { CASES_MOST = 200 };

/// Findings of the case of this index; those of all cases are kept until the end.
static const GrFindings *findings_of(int i)
{
    static GrFindings all[CASES_MOST];
    const GrValidationCase *c = gr_validation_case(i);
    GrErrorLog log = {0};
    assert_in_range(i, 0, CASES_MOST - 1);
    if (all[i].count == 0 && gr_validation_run(c, &all[i], &log) != GR_OK) {
        print_error("%s: %s\n", c->name, log.items[0].text);
        fail();
    }
    assert_true(all[i].count > 0);
    return &all[i];
}

/// A bound is a record, not a licence: above what is allowed, and little above what comes out.
static bool is_tight(const GrFinding *f)
{
    return f->bound > f->allowed && f->bound < 1.12 * gr_finding_off(f);
}

/// Sanitizers take five times as long and more: their speed says nothing.
static bool counts_here(const GrFinding *f)
{
    return GR_TEST_LONG(true, false) || !f->timed;
}

/// The longest cases: under the sanitizers, whose tests of rigid bodies, rovers and fits reach the same code, at night.
static bool is_long(const GrValidationCase *c)
{
    static const char *const names[] = {"rover/mgru3_digging", "rigid/tower", "wheel/cmu_rft", "wheel/cmu_fitted"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(c->name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void check_case(int i, int counts[GR_FINDING_KINDS][GR_VERDICT_COUNT])
{
    const GrValidationCase *c = gr_validation_case(i);
    const GrFindings *findings = findings_of(i);
    for (int j = 0; j < findings->count; j++) {
        const GrFinding *f = &findings->items[j];
        const GrVerdict verdict = gr_finding_verdict(f);
        counts[f->kind][verdict] += counts_here(f);
        if (verdict != GR_VERDICT_PASS) {
            print_message("%s: %s: %.5g, expected %.5g, allowed %.2g: %s\n", c->name, f->quantity, f->ours, f->expected,
                          f->allowed, gr_verdict_text(verdict));
        }
        if (f->reason != NULL && !is_tight(f)) {
            print_error("%s: %s: off by %g, allowed %g: the bound %g is not tight\n", c->name, f->quantity,
                        gr_finding_off(f), f->allowed, f->bound);
            fail();
        }
    }
}

/// Whether all cases are run here, also the longest.
static bool runs_all(void)
{
    return GR_TEST_LONG(true, GR_TEST_STUDY(true, false));
}

static void test_every_case(void **state)
{
    (void)state;
    int counts[GR_FINDING_KINDS][GR_VERDICT_COUNT] = {{0}};
    const GrValidationCase *c;
    for (int i = 0; (c = gr_validation_case(i)) != NULL; i++) {
        if (!is_long(c) || runs_all()) {
            check_case(i, counts);
        }
    }
    for (int kind = 0; kind < GR_FINDING_KINDS; kind++) {
        print_message("%s: %d pass, %d known deviations, %d out\n", gr_finding_kind_text((GrFindingKind)kind),
                      counts[kind][GR_VERDICT_PASS], counts[kind][GR_VERDICT_KNOWN], counts[kind][GR_VERDICT_OUT]);
        assert_int_equal(counts[kind][GR_VERDICT_OUT], 0);
        assert_true(counts[kind][GR_VERDICT_PASS] > 50);
    }
}

/// The quadratures, prototypes and closed forms of our own must not read as published.
static void test_own_numbers_are_checks(void **state)
{
    (void)state;
    static const char *const own[] = {"soil/check_table",   "soil/drawn_wheel", "soil/free_climb", "soil/parked_wheel",
                                      "rover/static_climb", "rigid/sliding",    "trace/period",    "rigid/rolling"};
    int found = 0;
    const GrValidationCase *c;
    for (int i = 0; (c = gr_validation_case(i)) != NULL; i++) {
        for (size_t k = 0; k < sizeof own / sizeof own[0]; k++) {
            if (strcmp(c->name, own[k]) != 0) {
                continue;
            }
            const GrFindings *findings = findings_of(i);
            for (int j = 0; j < findings->count; j++) {
                assert_int_equal(findings->items[j].kind, GR_FINDING_CHECK);
            }
            found++;
        }
    }
    assert_int_equal(found, sizeof own / sizeof own[0]);
}

/// All five papers have a case that says where its figures stand.
static void test_five_papers(void **state)
{
    (void)state;
    static const char *const papers[] = {"Kruuse 2023", "Leite & Schäfer 2010", "Oettershagen 2023", "Buse et al. 2023",
                                         "Kamohara 2024"};
    for (size_t k = 0; k < sizeof papers / sizeof papers[0]; k++) {
        const GrValidationCase *c;
        int cases = 0;
        for (int i = 0; (c = gr_validation_case(i)) != NULL; i++) {
            cases += c->place != NULL && strcmp(c->author, papers[k]) == 0;
        }
        assert_true(cases > 0);
    }
}

#ifdef GR_TEST_FITS
/// Index of the case of this name, -1: there is none.
static int find_case(const char *name)
{
    for (int i = 0; gr_validation_case(i) != NULL; i++) {
        if (strcmp(gr_validation_case(i)->name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/// Printed with two digits: half a unit of the second.
static void test_errors_of_trust(void **state)
{
    (void)state;
    if (!runs_all()) {
        skip();
    }
    for (int i = 0; gr_trust_error(i) != NULL; i++) {
        const GrTrustError *e = gr_trust_error(i);
        const GrFindings *findings = findings_of(find_case(e->name));
        const GrFinding *found = NULL;
        for (int j = 0; j < findings->count; j++) {
            found = strcmp(findings->items[j].quantity, e->quantity) == 0 ? &findings->items[j] : found;
        }
        assert_non_null(found);
        print_message("%s, %s: %.4g, said %g\n", e->name, e->quantity, found->ours, e->value);
        assert_near(e->value, found->ours, fmax(0.005, 0.05 * pow(10, floor(log10(fmax(found->ours, 0.1))))));
    }
}

static void test_counts_of_trust(void **state)
{
    (void)state;
    if (!runs_all()) {
        skip();
    }
    int count = 0, passed = 0;
    char sentence[160], *readme;
    size_t size;
    for (int i = 0; gr_validation_case(i) != NULL; i++) {
        if (!gr_validation_is_measured(gr_validation_case(i))) {
            continue;
        }
        const GrFindings *findings = findings_of(i);
        for (int j = 0; j < findings->count; j++) {
            const bool published = findings->items[j].kind == GR_FINDING_PUBLISHED;
            count += published;
            passed += published && gr_finding_verdict(&findings->items[j]) == GR_VERDICT_PASS;
        }
    }
    print_message("%d comparisons with measured wheels and rovers, %d pass\n", count, passed);
    assert_int_equal(count, GR_TRUST_COMPARED);
    assert_int_equal(passed, GR_TRUST_PASSED);
    snprintf(sentence, sizeof sentence, "of %d comparisons with measured wheels and rovers %d pass", count, passed);
    assert_int_equal(gr_file_read(GR_TEST_SOURCE_DIR "/README.md", 1u << 20, &readme, &size, NULL), GR_OK);
    assert_non_null(strstr(readme, sentence));
    free(readme);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_case),      cmocka_unit_test(test_own_numbers_are_checks),
        cmocka_unit_test(test_five_papers),
#ifdef GR_TEST_FITS
        cmocka_unit_test(test_errors_of_trust), cmocka_unit_test(test_counts_of_trust),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
