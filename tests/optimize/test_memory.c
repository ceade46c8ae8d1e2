/// Every allocation of the numerical methods fails once: each failure is reported, and nothing leaks.
#include "indices.h"
#include "statistics.h"

#include "problems.h"

#include "grouser/hooks.h"

#include <stdlib.h>

/// Counts blocks in use, and fails at one allocation.
typedef struct Allocator {
    int blocks, calls, fail_at;
} Allocator;

static bool fails(Allocator *a)
{
    return ++a->calls == a->fail_at;
}

static void *take(void *context, size_t size)
{
    Allocator *a = context;
    void *memory = fails(a) ? NULL : malloc(size);
    a->blocks += memory != NULL;
    return memory;
}

static void *resize(void *context, void *memory, size_t size)
{
    Allocator *a = context;
    void *resized = fails(a) ? NULL : realloc(memory, size);
    a->blocks += memory == NULL && resized != NULL;
    return resized;
}

static void give_back(void *context, void *memory)
{
    ((Allocator *)context)->blocks -= memory != NULL;
    free(memory);
}

static GrStatus optimize(GrOptimizerKind method)
{
    static const double lower[] = {0, 0}, upper[] = {5, 3};
    GrOptimizerDef def = gr_default_optimizer_def();
    def.method = method;
    def.variable_count = 2;
    def.lower = lower;
    def.upper = upper;
    def.budget = 150;
    def.population = 20;
    const bool has_two = gr_optimizer_method(method)->takes_objectives;
    def.objective_count = has_two ? 2 : 1;
    def.constraint_count = has_two ? 2 : (gr_optimizer_method(method)->takes_constraints ? 1 : 0);
    TestProblem problem = {.function = has_two ? binh_korn : (def.constraint_count > 0 ? hock_12 : rosenbrock),
                           .def = &def};
    GrOptimum best;
    const GrStatus status = gr_optimize(&def, (GrEvaluator){&problem, test_evaluate}, &best, NULL);
    gr_optimum_free(&best);
    return status;
}

static double first_of(const void *context, const double *sorted, int count)
{
    (void)context;
    return count > 0 ? sorted[0] : 0;
}

enum { BOOTSTRAP = GR_OPTIMIZER_COUNT, HISTOGRAM, SOBOL, MORRIS, TASKS };

static GrStatus run_task(int task)
{
    static const double values[16] = {1, 2, 4, 3, 5, 7, 1, 4, 8, 2, 3, 1, 5, 2, 3, 6};
    const GrBootstrap bootstrap = {5, 1};
    GrSampleUse use;
    if (task < GR_OPTIMIZER_COUNT) {
        return optimize((GrOptimizerKind)task);
    }
    if (task == BOOTSTRAP) {
        GrEstimate estimate;
        return gr_bootstrap_interval(values, 16, first_of, NULL, bootstrap, &estimate);
    }
    if (task == HISTOGRAM) {
        GrHistogram histogram;
        const GrStatus status = gr_histogram(values, 16, &histogram, NULL);
        gr_histogram_free(&histogram);
        return status;
    }
    if (task == SOBOL) {
        GrSobolIndex indices[2];
        return gr_sobol_indices(values, 2, 4, bootstrap, indices, &use, NULL);
    }
    GrMorrisDef def = gr_default_morris_def();
    def.variable_count = 1;
    def.trajectories = 8;
    double points[16];
    GrMorrisEffect effect;
    const GrStatus status = gr_morris_plan(&def, points, NULL);
    return status == GR_OK ? gr_morris_effects(&def, points, values, bootstrap, &effect, &use, NULL) : status;
}

static void test_every_failure_is_reported(void **state)
{
    (void)state;
    for (int task = 0; task < TASKS; task++) {
        if (task < GR_OPTIMIZER_COUNT && !gr_optimizer_method((GrOptimizerKind)task)->is_available) {
            continue;
        }
        GrStatus status = GR_ERROR_MEMORY;
        int at = 0;
        while (status == GR_ERROR_MEMORY) {
            assert_true(++at < 1000);
            Allocator allocator = {.fail_at = at};
            gr_set_hooks(
                &(GrHooks){.allocate = take, .reallocate = resize, .release = give_back, .context = &allocator});
            status = run_task(task);
            gr_set_hooks(NULL);
            assert_int_equal(allocator.blocks, 0);
            assert_true((status == GR_ERROR_MEMORY) == (allocator.calls >= at));
        }
        assert_int_equal(status, GR_OK);
        assert_true(at > 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_failure_is_reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
