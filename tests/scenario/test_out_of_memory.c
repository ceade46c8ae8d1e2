/// Every allocation fails once: rover, scenario, world and run end with GR_ERROR_MEMORY or do without, never in a
/// crash; what leaks the address sanitizer sees.
#include "grouser/run.h"
#include "test.h"

#include <stdlib.h>

// The linker takes the program's calls to these names here (--wrap).
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static long allocations, fail_at = -1;

static bool fails(void)
{
    return allocations++ == fail_at;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

/// Whether the failure was noticed, or was of an allocation that the work can do without.
static bool is_told(GrStatus status, const GrErrorLog *log)
{
    if (status == GR_OK) {
        return true;
    }
    bool told = status == GR_ERROR_MEMORY;
    for (int i = 0; i < log->count; i++) {
        told = told || log->items[i].status == GR_ERROR_MEMORY;
    }
    return told;
}

static GrStatus run_scenario(const char *name, const char *const *overrides, GrErrorLog *log)
{
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrRunSummary summary = {0};
    GrStatus status = gr_scenario_load(name, overrides, &scenario, log);
    if (status != GR_OK) {
        return status;
    }
    status = gr_world_create(scenario, &world, log);
    if (status == GR_OK) {
        status = gr_run(world, NULL, &summary, log);
        gr_run_summary_free(&summary);
        gr_world_free(world);
    }
    gr_scenario_free(scenario);
    return status;
}

/// Fails each allocation in turn, with a stride that no loop of the program has.
static void fail_each(const char *name, const char *const *overrides, long most)
{
    GrErrorLog log = {0};
    fail_at = -1;
    allocations = 0;
    assert_int_equal(run_scenario(name, overrides, &log), GR_OK);
    const long count = allocations, stride = count > most ? count / most + 1 : 1;
    assert_true(count > 50);
    int silent = 0;
    for (long k = 0; k < count; k += stride) {
        GrErrorLog failed = {0};
        allocations = 0;
        fail_at = k;
        const GrStatus status = run_scenario(name, overrides, &failed);
        fail_at = -1;
        if (!is_told(status, &failed)) {
            print_error("allocation %ld of %ld: %s: %s\n", k, count, gr_status_text(status),
                        failed.count > 0 ? failed.items[0].text : "");
            silent++;
        }
    }
    assert_int_equal(silent, 0);
}

static void test_soil(void **state)
{
    (void)state;
    const char *const overrides[] = {"stop={time_s: 0.05}", NULL};
    fail_each("crossing", overrides, GR_TEST_LONG(24, 8));
}

static void test_grid(void **state)
{
    (void)state;
    const char *const overrides[] = {"stop={time_s: 0.02}", NULL};
    fail_each("own_track", overrides, GR_TEST_LONG(400, 50));
}

static void test_soils(void **state)
{
    (void)state;
    const char *const overrides[] = {"stop={time_s: 0.05}", NULL};
    fail_each("mixed_soils", overrides, GR_TEST_LONG(400, 50));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soil),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_soils),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
