/// The step with one lane gives the bits of the step with several.
#include "grain_test.h"

/// bin_run.c, compiled with GR_LANES=1 under other names (tests/CMakeLists.txt).
GrStatus gr_bin_step_scalar(GrBin *bin, GrErrorLog *log);

static void test_lanes(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    uint64_t hash[2];
    for (int scalar = 0; scalar < 2; scalar++) {
        GrBinDef def = gr_default_bin_def();
        GrBinStart *start;
        int count;
        def.size[0] = def.size[1] = 0.03;
        def.grains.surface_energy = 0.01;
        assert_int_equal(gr_bin_fill(&def, 0, 0.02, 1, &start, &count, &log), GR_OK);
        GrBin *bin = bin_of(&def, start, count);
        gr_free(start);
        for (int k = 0; k < 3000; k++) {
            assert_int_equal(scalar ? gr_bin_step_scalar(bin, &log) : gr_bin_step(bin, &log), GR_OK);
        }
        const GrBinMeasure m = gr_bin_measure(bin);
        assert_true(m.contacts > 2);
        hash[scalar] = m.hash;
        gr_bin_free(bin);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lanes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
