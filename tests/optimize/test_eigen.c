/// Eigenvalues of symmetric matrices: reconstruction, orthonormal vectors, relative accuracy of small ones.
#include "cmaes.h"

#include "random.h"
#include "test.h"

enum { MOST = 20 };

/// a = r rᵀ + n I with random r.
static void random_matrix(int n, GrRandom *random, double *a)
{
    double r[MOST * MOST];
    for (int i = 0; i < n * n; i++) {
        r[i] = gr_random_normal(random);
    }
    for (int i = 0; i < n * n; i++) {
        a[i] = i / n == i % n ? n : 0;
        for (int k = 0; k < n; k++) {
            a[i] += r[(i / n) * n + k] * r[(i % n) * n + k];
        }
    }
}

static void test_reconstruction(void **state)
{
    (void)state;
    for (int n = 1; n <= MOST; n++) {
        GrRandom random = gr_random_stream((uint64_t)n, "eigen");
        double a[MOST * MOST], work[MOST * MOST], b[MOST * MOST], d[MOST];
        random_matrix(n, &random, a);
        memcpy(work, a, sizeof a);
        gr_eigen_symmetric(n, work, b, d);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double again = 0, product = 0;
                for (int k = 0; k < n; k++) {
                    again += b[i * n + k] * d[k] * b[j * n + k];
                    product += b[k * n + i] * b[k * n + j];
                }
                assert_near(again, a[i * n + j], 1e-12 * n);
                assert_near(product, i == j ? 1 : 0, 1e-13);
            }
        }
    }
}

/// s a s with s = 1, 1e-5, 1e-10: the product of the eigenvalues is det(a) · 1e-30, though they differ by 1e20.
static void test_small_eigenvalues(void **state)
{
    (void)state;
    const double s[3] = {1, 1e-5, 1e-10}, a[9] = {2, 1, 0, 1, 2, 1, 0, 1, 2}; // det 4
    double work[9], b[9], d[3];
    for (int i = 0; i < 9; i++) {
        work[i] = s[i / 3] * a[i] * s[i % 3];
    }
    gr_eigen_symmetric(3, work, b, d);
    assert_near_rel(d[0] * d[1] * d[2], 4e-30, 1e-13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reconstruction),
        cmocka_unit_test(test_small_eigenvalues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
