/// Analytic problems with known optima for the tests of optimisers, and the evaluator that runs them.
#ifndef GR_TEST_PROBLEMS_H
#define GR_TEST_PROBLEMS_H

#include "optimizer.h"
#include "random.h"

#include "test.h"

/// Fills values: objectives, then constraints.
typedef void (*TestFunction)(const double *x, int n, double *values);

typedef struct TestProblem {
    TestFunction function;
    const GrOptimizerDef *def;
    double noise;         ///< standard deviation added to the first objective
    int calls, evaluated; ///< batches and points
    bool is_reversed;     ///< evaluates each batch from its end
    uint64_t trail;       ///< hash of all points in their order
    int bad_every;        ///< 0; k: every k-th point is NAN
    int fail_at;          ///< batch at which the evaluator fails; 0: never
} TestProblem;

static inline uint64_t mix_trail(uint64_t trail, const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        trail = (trail ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
    }
    return trail;
}

static inline GrStatus test_evaluate(void *context, const GrEvaluations *batch, double *values, GrErrorLog *log)
{
    (void)log;
    TestProblem *p = context;
    const GrOptimizerDef *def = p->def;
    const int n = def->variable_count, m = def->objective_count + def->constraint_count;
    p->calls++;
    if (p->calls == p->fail_at) {
        return GR_ERROR_FILE;
    }
    p->trail = mix_trail(p->trail, batch->points, (size_t)(batch->count * n) * sizeof(double));
    p->trail = mix_trail(p->trail, batch->replicates, (size_t)batch->count * sizeof(int));
    for (int k = 0; k < batch->count; k++) {
        const int i = p->is_reversed ? batch->count - 1 - k : k;
        const double *x = batch->points + i * n;
        for (int j = 0; j < n; j++) {
            assert_true(x[j] >= def->lower[j] && x[j] <= def->upper[j]);
            assert_true(def->is_integer == NULL || !def->is_integer[j] || x[j] == floor(x[j]));
        }
        p->function(x, n, values + i * m);
        if (p->noise > 0) {
            GrRandom random = gr_random_stream((uint64_t)batch->replicates[i], "noise");
            values[i * m] += p->noise * gr_random_normal(&random);
        }
        if (p->bad_every > 0 && (p->evaluated + i) % p->bad_every == 0) {
            values[i * m] = NAN;
        }
    }
    p->evaluated += batch->count;
    assert_true(p->evaluated <= def->budget);
    return GR_OK;
}

/// Searches, and checks what holds for every search.
static inline GrOptimum test_optimize(TestProblem *p)
{
    GrOptimum out;
    assert_int_equal(gr_optimize(p->def, (GrEvaluator){p, test_evaluate}, &out, NULL), GR_OK);
    assert_int_equal(out.evaluations, p->evaluated);
    for (int i = 1; i < out.history_count; i++) {
        const GrOptimumStep *a = &out.history[i - 1], *b = &out.history[i];
        assert_true(b->evaluations > a->evaluations && b->evaluations <= out.evaluations);
        assert_true(b->violation < a->violation || (b->violation == a->violation && b->value <= a->value));
    }
    return out;
}

static inline void sphere(const double *x, int n, double *values)
{
    values[0] = 0;
    for (int i = 0; i < n; i++) {
        values[0] += x[i] * x[i];
    }
}

static inline void rosenbrock(const double *x, int n, double *values)
{
    values[0] = 0;
    for (int i = 0; i + 1 < n; i++) {
        values[0] += 100 * pow(x[i + 1] - x[i] * x[i], 2) + pow(1 - x[i], 2);
    }
}

/// 10^n or so local minima, the global one at 0.
static inline void rastrigin(const double *x, int n, double *values)
{
    values[0] = 10 * n;
    for (int i = 0; i < n; i++) {
        values[0] += x[i] * x[i] - 10 * cos(2 * M_PI * x[i]);
    }
}

/// Problem 12 of Hock & Schittkowski (1981): −30 at (2, 3).
static inline void hock_12(const double *x, int n, double *values)
{
    (void)n;
    values[0] = 0.5 * x[0] * x[0] + x[1] * x[1] - x[0] * x[1] - 7 * x[0] - 7 * x[1];
    values[1] = 4 * x[0] * x[0] + x[1] * x[1] - 25;
}

/// Problem 35 of Hock & Schittkowski (1981): 1/9 at (4/3, 7/9, 4/9).
static inline void hock_35(const double *x, int n, double *values)
{
    (void)n;
    values[0] = 9 - 8 * x[0] - 6 * x[1] - 4 * x[2] + 2 * x[0] * x[0] + 2 * x[1] * x[1] + x[2] * x[2] + 2 * x[0] * x[1] +
                2 * x[0] * x[2];
    values[1] = x[0] + x[1] + 2 * x[2] - 3;
}

/// G06 of Michalewicz & Schoenauer (1996): a sickle of 0.007 % of the box is feasible, both constraints are active at
/// the optimum, x = (14.095, 5 − √(100 − 9.095²)), f = −6961.81388.
static inline void g06(const double *x, int n, double *values)
{
    (void)n;
    values[0] = pow(x[0] - 10, 3) + pow(x[1] - 20, 3);
    values[1] = 100 - pow(x[0] - 5, 2) - pow(x[1] - 5, 2);
    values[2] = pow(x[0] - 6, 2) + pow(x[1] - 5, 2) - 82.81;
}

/// Zitzler, Deb & Thiele (2000): front f2 = 1 − √f1.
static inline void zdt1(const double *x, int n, double *values)
{
    double g = 1;
    for (int i = 1; i < n; i++) {
        g += 9 * x[i] / (n - 1);
    }
    values[0] = x[0];
    values[1] = g * (1 - sqrt(x[0] / g));
}

/// Binh & Korn (1997): two objectives, two constraints.
static inline void binh_korn(const double *x, int n, double *values)
{
    (void)n;
    values[0] = 4 * x[0] * x[0] + 4 * x[1] * x[1];
    values[1] = pow(x[0] - 5, 2) + pow(x[1] - 5, 2);
    values[2] = pow(x[0] - 5, 2) + x[1] * x[1] - 25;
    values[3] = 7.7 - pow(x[0] - 8, 2) - pow(x[1] + 3, 2);
}

#endif
