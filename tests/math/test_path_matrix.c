#include "path_matrix.h"

#include "dense.h"
#include "random.h"
#include "test.h"

enum { MAX_N = 24, MAX_SIZE = MAX_N * (MAX_N + GR_PATH_GROUP) };
static const double TOLERANCE = 1e-11;

typedef struct RandomPaths {
    int depth[MAX_N], start[MAX_N], path[MAX_SIZE];
    GrPaths paths;
} RandomPaths;

/// A random tree below a chain of GR_PATH_ROOT rows.
static void make_paths(RandomPaths *r, GrRandom *random, int n)
{
    int size = 0;
    for (int k = 0; k < n; k++) {
        const int parent = k < GR_PATH_ROOT
                               ? k - 1
                               : GR_PATH_ROOT - 1 + (int)gr_random_below(random, (uint64_t)(k - GR_PATH_ROOT + 1));
        r->depth[k] = parent < 0 ? 0 : r->depth[parent] + 1;
        r->start[k] = size;
        for (int d = 0; d < r->depth[k]; d++) {
            r->path[size + d] = r->path[r->start[parent] + d];
        }
        r->path[size + r->depth[k]] = k;
        size += gr_path_room(r->depth[k]);
    }
    r->paths = (GrPaths){n, size, r->depth, r->start, r->path};
}

/// Random entries on the pattern, made regular by a large diagonal; `dense` gets the same matrix in full.
static void make_matrix(const GrPaths *p, GrRandom *random, bool symmetric, double *lower, double *upper, double *dense)
{
    memset(dense, 0, sizeof(double) * MAX_N * MAX_N);
    for (int at = 0; at < p->size; at++) { // padding may hold any number
        lower[at] = gr_random_uniform(random, -1e6, 1e6);
        upper[at] = gr_random_uniform(random, -1e6, 1e6);
    }
    for (int k = 0; k < p->n; k++) {
        for (int d = 0; d <= p->depth[k]; d++) {
            const int at = p->start[k] + d, j = p->path[at];
            lower[at] = gr_random_uniform(random, -1, 1) + (j == k ? p->n : 0);
            upper[at] = symmetric || j == k ? lower[at] : gr_random_uniform(random, -1, 1);
            dense[k * p->n + j] = lower[at];
            dense[j * p->n + k] = upper[at];
        }
    }
}

static void test_root_rows_begin_where_their_constants_say(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(5, "path matrix");
    RandomPaths r;
    make_paths(&r, &random, MAX_N);
    for (int k = 0; k < GR_PATH_ROOT; k++) {
        assert_int_equal(r.start[k], gr_path_root(k));
    }
}

static void check_solution(bool symmetric)
{
    GrRandom random = gr_random_stream(1, "path matrix");
    for (int trial = 0; trial < 100; trial++) {
        RandomPaths r;
        double lower[MAX_SIZE], upper[MAX_SIZE], dense[MAX_N * MAX_N], x[MAX_N], reference[MAX_N];
        make_paths(&r, &random, GR_PATH_ROOT + (int)gr_random_below(&random, MAX_N - GR_PATH_ROOT + 1));
        make_matrix(&r.paths, &random, symmetric, lower, upper, dense);
        for (int i = 0; i < r.paths.n; i++) {
            x[i] = reference[i] = gr_random_uniform(&random, -1, 1);
        }
        if (symmetric) {
            assert_true(gr_path_factor(&r.paths, lower));
            gr_path_solve(&r.paths, lower, x);
        } else {
            assert_true(gr_path_factor_general(&r.paths, lower, upper));
            gr_path_solve_general(&r.paths, lower, upper, x);
        }
        assert_true(gr_dense_solve(r.paths.n, dense, reference));
        for (int i = 0; i < r.paths.n; i++) {
            assert_near(x[i], reference[i], TOLERANCE);
        }
    }
}

static void test_symmetric_solve_equals_dense(void **state)
{
    (void)state;
    check_solution(true);
}

static void test_general_solve_equals_dense(void **state)
{
    (void)state;
    check_solution(false);
}

static void test_the_two_factorisations_agree_on_a_symmetric_matrix(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(2, "path matrix");
    RandomPaths r;
    double lower[MAX_SIZE], upper[MAX_SIZE], dense[MAX_N * MAX_N];
    make_paths(&r, &random, MAX_N);
    make_matrix(&r.paths, &random, true, lower, upper, dense);
    double symmetric[MAX_SIZE];
    memcpy(symmetric, lower, sizeof symmetric);
    assert_true(gr_path_factor(&r.paths, symmetric));
    assert_true(gr_path_factor_general(&r.paths, lower, upper));
    for (int k = 0; k < r.paths.n; k++) {
        for (int i = r.start[k]; i <= r.start[k] + r.depth[k]; i++) {
            assert_near(symmetric[i], lower[i], TOLERANCE);
            assert_near(symmetric[i], upper[i], TOLERANCE);
        }
    }
}

static void test_multiply_undoes_solve(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(3, "path matrix");
    RandomPaths r;
    double lower[MAX_SIZE], upper[MAX_SIZE], dense[MAX_N * MAX_N], x[MAX_N], y[MAX_N], factor[MAX_SIZE];
    make_paths(&r, &random, MAX_N);
    make_matrix(&r.paths, &random, true, lower, upper, dense);
    for (int i = 0; i < MAX_N; i++) {
        x[i] = gr_random_uniform(&random, -1, 1);
    }
    gr_path_multiply(&r.paths, lower, x, y);
    memcpy(factor, lower, sizeof factor);
    assert_true(gr_path_factor(&r.paths, factor));
    gr_path_solve(&r.paths, factor, y);
    for (int i = 0; i < MAX_N; i++) {
        assert_near(y[i], x[i], TOLERANCE);
    }
}

static void test_indefinite_and_singular_are_refused(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(4, "path matrix");
    RandomPaths r;
    double lower[MAX_SIZE], upper[MAX_SIZE], dense[MAX_N * MAX_N], copy[MAX_SIZE];
    make_paths(&r, &random, MAX_N);
    make_matrix(&r.paths, &random, true, lower, upper, dense);
    const int last = r.start[MAX_N - 1] + r.depth[MAX_N - 1];
    memcpy(copy, lower, sizeof copy);
    copy[last] = -1;
    assert_false(gr_path_factor(&r.paths, copy));
    memcpy(copy, lower, sizeof copy);
    copy[0] = -100;
    assert_false(gr_path_factor(&r.paths, copy));
    lower[last] = upper[last] = 0;
    assert_false(gr_path_factor_general(&r.paths, lower, upper));
    lower[last] = upper[last] = NAN;
    assert_false(gr_path_factor_general(&r.paths, lower, upper));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_root_rows_begin_where_their_constants_say),
        cmocka_unit_test(test_symmetric_solve_equals_dense),
        cmocka_unit_test(test_general_solve_equals_dense),
        cmocka_unit_test(test_the_two_factorisations_agree_on_a_symmetric_matrix),
        cmocka_unit_test(test_multiply_undoes_solve),
        cmocka_unit_test(test_indefinite_and_singular_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
