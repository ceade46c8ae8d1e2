#include "spatial.h"

#include "random.h"
#include "support/random_rover.h"
#include "test.h"

static GrTwist random_twist(GrRandom *random)
{
    const GrVec3 ang = gr_random_vec(random, 1);
    return (GrTwist){ang, gr_random_vec(random, 1)};
}

/// Power is the same whichever point a force law speaks about.
static void test_shifted_matrix_gives_the_same_power(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(1, "spatial");
    for (int trial = 0; trial < 50; trial++) {
        GrMat6 a;
        for (int i = 0; i < 36; i++) {
            a.m[i / 6][i % 6] = gr_random_uniform(&random, -1, 1);
        }
        const GrVec3 p = gr_random_vec(&random, 2);
        const GrTwist v = random_twist(&random), w = random_twist(&random);
        const GrTwist v_p = {v.ang, gr_twist_at(v, p)}, w_p = {w.ang, gr_twist_at(w, p)};
        const GrMat6 shifted = gr_mat6_shift(&a, p);
        assert_near(gr_power(gr_mat6_mul(&shifted, v), w), gr_power(gr_mat6_mul(&a, v_p), w_p), 1e-13);
        assert_near(gr_power(gr_mat6_tmul(&shifted, w), v), gr_power(gr_mat6_mul(&a, v_p), w_p), 1e-13);
    }
}

static void test_inertia_gives_the_kinetic_energy_of_its_points(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(2, "spatial");
    GrInertia all = {0};
    double energy = 0;
    const GrTwist v = random_twist(&random);
    for (int i = 0; i < 10; i++) { // point masses
        const double mass = gr_random_uniform(&random, 0.1, 2);
        const GrVec3 at = gr_random_vec(&random, 1);
        const GrVec3 speed = gr_twist_at(v, at);
        all = gr_inertia_add(all, gr_inertia_at(mass, at, (GrSym3){0}));
        energy += mass * gr_dot(speed, speed) / 2;
    }
    assert_near_rel(gr_power(gr_inertia_mul(&all, v), v) / 2, energy, 1e-13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shifted_matrix_gives_the_same_power),
        cmocka_unit_test(test_inertia_gives_the_kinetic_energy_of_its_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
