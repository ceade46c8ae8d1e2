/// A step allocates nothing: malloc is counted while the rover drives.
#include "data.h"
#include "test.h"

#include <stdlib.h>

// glibc's own allocator under its other name; the sanitizers bring theirs, so this test is left out there
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static int allocations;

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    allocations++;
    return __libc_realloc(old, size);
}

static void test_steps_do_not_allocate(void **state)
{
    (void)state;
    const GrIntegrator integrators[] = {GR_INTEGRATOR_LINEAR, GR_INTEGRATOR_EULER, GR_INTEGRATOR_BEEMAN};
    GrRoverDef rover;
    assert_int_equal(gr_rover_load(GR_TEST_SOURCE_DIR "/data/rovers/curiosity_like.yaml", NULL, &rover, NULL), GR_OK);
    const GrSoilDef soil = gr_default_soil_def();
    for (int i = 0; i < 3; i++) {
        GrOptions options = gr_default_options();
        options.integrator = integrators[i];
        options.step = 1e-4;
        options.surface.soil = &soil;
        GrModel *m = NULL;
        gr_model_create(&rover, &options, &m, NULL);
        GrData *d = NULL;
        gr_data_create(m, &d, NULL);
        gr_data_set_base_pose(d, (GrPose){{0, 0, 0.85}, {1, 0, 0, 0}});
        const int before = allocations;
        GrStatus status = GR_OK;
        for (int k = 0; k < 200 && status == GR_OK; k++) {
            status = gr_step(m, d);
        }
        assert_int_equal(allocations, before);
        assert_int_equal(status, GR_OK);
        gr_data_free(d);
        gr_model_free(m);
    }
    assert_true(allocations > 0); // the counter is in place
    gr_rover_free(&rover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_steps_do_not_allocate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
