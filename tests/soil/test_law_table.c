/// The descriptors of the laws, and user-defined laws.
#include "support/soil_test.h"

#include "grouser/soil_file.h"
#include "law.h"

/// Names are unique, no two laws share a slot for their own parameters, and all inputs fit into the list of the
/// readers.
static void test_descriptors(void **state)
{
    (void)state;
    bool taken[GR_SOIL_OWN] = {false};
    const int count = gr_soil_param_count();
    assert_true(count + gr_soil_choice_count() <= GR_SOIL_INPUTS);
    for (int i = 0; i < count; i++) {
        const GrSoilParam *row = gr_soil_param(i);
        assert_int_equal(gr_soil_param_find(row->name), i);
        assert_int_equal(gr_soil_param_find(row->key), i);
        if (row->offset >= offsetof(GrSoilDef, own) &&
            row->offset < offsetof(GrSoilDef, own) + sizeof(double[GR_SOIL_OWN])) {
            const size_t slot = (row->offset - offsetof(GrSoilDef, own)) / sizeof(double);
            assert_false(taken[slot]);
            taken[slot] = true;
        }
        int readers = 0;
        for (int law = 0; law < GR_SOIL_LAW_COUNT; law++) {
            readers += gr_soil_param_of_law((GrSoilLaw)law, i);
        }
        assert_true(readers > 0);
    }
    for (int law = 0; law < GR_SOIL_LAW_COUNT; law++) {
        GrSoilLaw found;
        assert_int_equal(gr_soil_law_find(gr_soil_law_name((GrSoilLaw)law), &found, NULL), GR_OK);
        assert_int_equal(found, law);
        assert_true(gr_law((GrSoilLaw)law)->slice_state <= GR_STATE_SLICE_MAX);
    }
}

/// Every parameter is checked against the range of the table, whoever fills the definition.
static void test_ranges(void **state)
{
    (void)state;
    for (int law = 0; law < GR_SOIL_LAW_COUNT; law++) {
        for (int i = 0; i < gr_soil_param_count(); i++) {
            if (!gr_soil_param_of_law((GrSoilLaw)law, i)) {
                continue;
            }
            GrSoilDef soil = gr_default_soil_def();
            soil.law = (GrSoilLaw)law;
            assert_int_equal(gr_soil_check(&soil, NULL), GR_OK);
            gr_soil_param_set(&soil, i, 2 * gr_soil_param(i)->upper);
            assert_int_equal(gr_soil_check(&soil, NULL), GR_ERROR_VALUE);
            gr_soil_param_set(&soil, i, NAN);
            assert_int_equal(gr_soil_check(&soil, NULL), GR_ERROR_VALUE);
        }
    }
}

/// A caller's copy of the rheological law with a linear spring and the stiction spring as its state.
static void spring(void *context, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
{
    const double k = 2e4, mu = 0.6, side = 2e4;
    *(int *)context += 1;
    out->wrench[2] = k * in->h;
    const double stretch = old[0] - in->twist[1] * in->dt, limit = mu * out->wrench[2] / side;
    next[0] = stretch > limit ? limit : stretch < -limit ? -limit : stretch;
    out->wrench[1] = side * next[0];
}

/// Derivatives found by differences are those of the closed form; the state holds and slips.
static void test_user_law(void **state)
{
    (void)state;
    int calls = 0;
    const GrUserLaw law = {.name = "spring", .state = 1, .evaluate = spring, .context = &calls};
    GrSoilDef soil = gr_default_soil_def();
    soil.law = GR_SOIL_USER;
    GrErrorLog log = {0};
    const GrSoilWheelDef def = gr_default_soil_wheel_def();
    GrSoilWheel *w;
    assert_int_equal(gr_soil_prepare(&soil, &def, &w, &log), GR_ERROR_VALUE);
    assert_null(w);
    soil.user = &law;
    assert_int_equal(gr_soil_prepare(&soil, &def, &w, &log), GR_OK);
    double old[GR_STATE_MAX], next[GR_STATE_MAX];
    assert_true(gr_soil_state_size(w) <= GR_STATE_MAX);
    gr_soil_clear(w, old);
    GrSoilOutput out;
    const double h = 0.01, dt = 0.01, across = 0.05;
    const GrSoilMotion motion = {.sinkage = {h}, .twist = {0, across}};
    for (int i = 1; i <= 30; i++) {
        gr_soil_evaluate(w, &motion, dt, old, next, &out);
        gr_soil_commit(w, old, next);
        const double held = 2e4 * across * dt * i, slips = 0.6 * 2e4 * h;
        assert_near(out.wrench[1], -(held < slips ? held : slips), 1e-9);
        assert_near(out.wrench[2], 2e4 * h, 1e-9);
        assert_near(out.d_sinkage[2], 2e4, 1e-2);
        if (held < slips - 1) {
            assert_near(out.d_twist[1][1], -2e4 * dt, 1e-3);
        } else if (held > slips + 1) {
            assert_near(out.d_twist[1][1], 0, 1e-6);
            assert_near(out.d_sinkage[1], -0.6 * 2e4, 1e-2);
        }
    }
    assert_int_equal(calls, 30 * 8);
    gr_soil_wheel_free(w);
    soil.law = GR_SOIL_SCM;
    assert_int_equal(gr_soil_prepare(&soil, &def, &w, &log), GR_ERROR_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_user_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
