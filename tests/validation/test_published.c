/// Every case of grouser validate, by the table that the command reads, each computed once. And statements on trust
/// must match how well the laws predict a measured wheel.
#include "score.h"
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

/// A bound is a record, not a licence: above what is allowed, and little above the result.
static bool is_tight(const GrFinding *f)
{
    return f->bound > f->allowed && f->bound < 1.12 * gr_finding_off(f);
}

/// Sanitizers take five times as long and more: their speed is not meaningful.
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

/// Half a unit of the second digit, and a little for other machines.
static void check_two_digits(const char *name, double said, double found)
{
    print_message("%s: %.4g, said %g\n", name, found, said);
    assert_true(isnan(said) == isnan(found));
    if (!isnan(said)) {
        assert_near(said, found, 0.06 * pow(10, floor(log10(found))));
    }
}

static void test_scores_of_trust(void **state)
{
    (void)state;
    int count = 0;
    for (int i = 0; gr_score_case(i) != NULL; i++) {
        const GrTrustScore *said = gr_trust_score(count);
        GrScore found;
        if (strcmp(gr_score_case(i)->name, "score/grains") == 0) { // no law that a page could name
            continue;
        }
        assert_non_null(said);
        assert_string_equal(said->name, gr_score_case(i)->name);
        assert_int_equal(gr_score_run(gr_score_case(i), &found, NULL), GR_OK);
        check_two_digits(said->name, said->median, found.held.median[GR_SCORE_PULL]);
        check_two_digits(said->name, said->most, found.held.most[GR_SCORE_PULL]);
        check_two_digits(said->name, said->ordered, gr_score_ordered(&found.held));
        check_two_digits(said->name, said->contained, found.held.covered);
        gr_score_free(&found);
        count++;
    }
    assert_null(gr_trust_score(count));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_case),
        cmocka_unit_test(test_own_numbers_are_checks),
        cmocka_unit_test(test_five_papers),
        cmocka_unit_test(test_scores_of_trust),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
