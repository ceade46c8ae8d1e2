/// Lander files: every shipped one loads and stands with all feet down; every file of tests/bad/landers is refused with
/// the right message.
#include "support/bad_files.h"

#include "grouser/lander.h"
#include "shipped.h"

#include <math.h>

static GrStatus load(const char *path, GrErrorLog *log, bool *empty)
{
    GrLanderDef lander;
    const GrStatus status = gr_lander_load(path, &lander, log);
    *empty = true;
    return status;
}

static void test_messages(void **state)
{
    (void)state;
    gr_bad_folder("landers", gr_bad_is_yaml, load, 7);
}

static void test_shipped(void **state)
{
    (void)state;
    GrNameList names = {0};
    assert_int_equal(gr_shipped_list("landers", ".yaml", &names, NULL), GR_OK);
    assert_true(names.count >= 3);
    for (int i = 0; i < names.count; i++) {
        GrErrorLog log = {0};
        GrLanderDef lander;
        GrLanderPlacement p;
        const GrSite level = {0};
        assert_int_equal(gr_lander_load(names.names[i], &lander, &log), GR_OK);
        assert_int_equal(log.count, 0);
        assert_int_equal(gr_lander_place(&lander, &level, (GrLanderSpot){0}, &p, NULL), GR_OK);
        assert_int_equal(p.feet_down, (1u << lander.foot_count) - 1);
        assert_true(p.clearance > 0);
        for (int k = 0; k < lander.ramp_count; k++) { // a rover can leave over each, and it ends outside of the feet
            const GrLanderRamp *r = &lander.ramps[k];
            assert_int_equal(p.ramps[k].touch, GR_RAMP_END);
            assert_true(p.ramps[k].slope > 0 && p.ramps[k].slope < 30 * GR_DEGREE);
            for (int f = 0; f < lander.foot_count; f++) { // no pad is under a ramp
                const GrLanderFoot *foot = &lander.feet[f];
                const double x = foot->position.x - r->hinge.x, y = foot->position.y - r->hinge.y;
                const double along = x * cos(r->direction) + y * sin(r->direction);
                const double across = fabs(y * cos(r->direction) - x * sin(r->direction));
                assert_true(along < 0 || across > r->width / 2 + foot->radius || along > r->length + foot->radius);
            }
        }
    }
    gr_name_list_free(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_messages), cmocka_unit_test(test_shipped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
