/// Every case of grouser validate, by the table that the command reads.
#include "validate.h"

#include "test.h"

/// A bound is a record, not a licence: above what is allowed, and little above what comes out.
static bool is_tight(const GrFinding *f)
{
    return f->bound > f->allowed && f->bound < 1.12 * fabs(f->ours - f->published);
}

static void check_case(const GrValidationCase *c, int counts[GR_VERDICT_COUNT])
{
    GrFindings findings = {0};
    GrErrorLog log = {0};
    if (gr_validation_run(c, &findings, &log) != GR_OK) {
        print_error("%s: %s\n", c->name, log.items[0].text);
        fail();
    }
    assert_true(findings.count > 0);
    for (int j = 0; j < findings.count; j++) {
        const GrFinding *f = &findings.items[j];
        const GrVerdict verdict = gr_finding_verdict(f);
        counts[verdict]++;
        if (verdict != GR_VERDICT_PASS) {
            print_message("%s: %s: %.5g, published %.5g, allowed %.2g: %s\n", c->name, f->quantity, f->ours,
                          f->published, f->allowed, gr_verdict_text(verdict));
        }
        if (f->reason != NULL && !is_tight(f)) {
            print_error("%s: %s: off by %g, allowed %g: the bound %g is not tight\n", c->name, f->quantity,
                        f->ours - f->published, f->allowed, f->bound);
            fail();
        }
    }
    gr_findings_free(&findings);
}

static void test_every_case(void **state)
{
    (void)state;
    int counts[GR_VERDICT_COUNT] = {0};
    const GrValidationCase *c;
    for (int i = 0; (c = gr_validation_case(i)) != NULL; i++) {
        check_case(c, counts);
    }
    print_message("%d pass, %d known deviations, %d out\n", counts[GR_VERDICT_PASS], counts[GR_VERDICT_KNOWN],
                  counts[GR_VERDICT_OUT]);
    assert_int_equal(counts[GR_VERDICT_OUT], 0);
    assert_true(counts[GR_VERDICT_PASS] > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_case)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
