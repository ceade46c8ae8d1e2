#include "vec3.h"

#include "random.h"
#include "test.h"

static const double TOLERANCE = 1e-14;

static GrVec3 random_vec(GrRandom *random, double size)
{
    return gr_vec3(gr_random_uniform(random, -size, size), gr_random_uniform(random, -size, size),
                   gr_random_uniform(random, -size, size));
}

static void assert_vec_near(GrVec3 a, GrVec3 b, double tolerance)
{
    assert_near(a.x, b.x, tolerance);
    assert_near(a.y, b.y, tolerance);
    assert_near(a.z, b.z, tolerance);
}

static void test_rotation_matrix_equals_quaternion(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(1, "rotation");
    for (int i = 0; i < 100; i++) {
        const GrQuat q = gr_quat_exp(random_vec(&random, 3));
        const GrMat3 r = gr_quat_to_mat3(q);
        const GrVec3 v = random_vec(&random, 1);
        assert_vec_near(gr_mat3_mul_vec(&r, v), gr_quat_rotate(q, v), 4 * TOLERANCE);
        assert_vec_near(gr_mat3_tmul_vec(&r, gr_mat3_mul_vec(&r, v)), v, 4 * TOLERANCE);
    }
}

static void test_exp_and_log_are_inverse(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(2, "exp");
    const double sizes[] = {1e-9, 1e-4, 0.0199, 0.0201, 1.5};
    for (int k = 0; k < 5; k++) {
        for (int i = 0; i < 50; i++) {
            const GrVec3 v = random_vec(&random, sizes[k]);
            assert_vec_near(gr_quat_log(gr_quat_exp(v)), v, 1e-14 * (1 + sizes[k]));
            const GrQuat q = gr_quat_exp(v);
            assert_near(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, TOLERANCE);
        }
    }
}

static void test_rpy_follows_urdf(void **state)
{
    (void)state;
    // yaw 90 degrees then (about fixed axes) turns x into y; roll acts first
    const double quarter = acos(-1.0) / 2;
    assert_vec_near(gr_quat_rotate(gr_quat_from_rpy(0, 0, quarter), gr_vec3(1, 0, 0)), gr_vec3(0, 1, 0), TOLERANCE);
    assert_vec_near(gr_quat_rotate(gr_quat_from_rpy(quarter, 0, quarter), gr_vec3(0, 1, 0)), gr_vec3(0, 0, 1),
                    TOLERANCE);
    const GrVec3 rpy = gr_quat_to_rpy(gr_quat_from_rpy(0.3, -0.7, 2.1));
    assert_vec_near(rpy, gr_vec3(0.3, -0.7, 2.1), TOLERANCE);
}

static void test_sym3_rotate_keeps_the_quadratic_form(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(3, "sym3");
    for (int i = 0; i < 50; i++) {
        const GrMat3 r = gr_quat_to_mat3(gr_quat_exp(random_vec(&random, 2)));
        const GrSym3 s = gr_sym3_add((GrSym3){1, 2, 3, 0.1, -0.2, 0.3}, gr_sym3_point(2, random_vec(&random, 1)));
        const GrVec3 v = random_vec(&random, 1);
        const GrVec3 rv = gr_mat3_mul_vec(&r, v);
        assert_near(gr_dot(rv, gr_sym3_mul_vec(gr_sym3_rotate(&r, s), rv)), gr_dot(v, gr_sym3_mul_vec(s, v)), 1e-13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotation_matrix_equals_quaternion),
        cmocka_unit_test(test_exp_and_log_are_inverse),
        cmocka_unit_test(test_rpy_follows_urdf),
        cmocka_unit_test(test_sym3_rotate_keeps_the_quadratic_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
