/// Light and pattern of the ground: laws that every surface obeys, what is known of the Moon, and that a place looks
/// the same from everywhere.
#include "camera.h"

#include "test.h"

#include "vec3.h"

static double cos_deg(double angle)
{
    return gr_cos(angle * GR_PI / 180);
}

static void known_values(void **state)
{
    (void)state;
    assert_near(gr_hapke(cos_deg(30), 1, cos_deg(30)), 1, 1e-12);
    // full Moon: the limb is as bright as the middle, within 15 %, where Lambert's law gives a half at 60°
    assert_near(gr_hapke(cos_deg(60), cos_deg(60), 1) / gr_hapke(1, 1, 1), 1, 0.15);
    // the opposition effect: a surface seen from the Sun's direction is a quarter brighter than 5° beside it
    const double surge = gr_hapke(1, 1, 1) / gr_hapke(1, cos_deg(5), cos_deg(5));
    assert_true(surge > 1.25 && surge < 1.5);
    double before = INFINITY;
    for (int phase = 0; phase <= 100; phase += 5) { // it darkens with the phase
        const double now = gr_hapke(cos_deg(60), cos_deg(60), cos_deg(phase));
        assert_true(now < before && now > 0);
        before = now;
    }
}

/// Helmholtz: sun and viewer may change places.
static void is_reciprocal(void **state)
{
    (void)state;
    for (int k = 0; k < 100; k++) {
        const double i = cos_deg(80.0 * k / 99), e = cos_deg(75.0 * (k * 37 % 100) / 99), g = cos_deg(1.5 * k);
        assert_near(gr_hapke(i, e, g) / i, gr_hapke(e, i, g) / e, 1e-12);
    }
}

static void pattern_belongs_to_places(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    double sum = 0, square = 0, other = 0;
    for (int k = 0; k < COUNT; k++) {
        const double x = 0.37 * (k % 141), y = 0.53 * (double)(k / 141);
        const double near = gr_ground_pattern(7, x, y, 0.004, 0.0005),
                     nearer = gr_ground_pattern(7, x, y, 0.004, 0.001);
        assert_true(near == nearer); // both cameras see every grain
        sum += near;
        square += near * near;
        other += near * gr_ground_pattern(8, x, y, 0.004, 0.0005);
        assert_true(gr_ground_pattern(7, x, y, 0.004, 0.41) == 0); // far away it is grey
    }
    assert_near(sum / COUNT, 0, 0.05);
    assert_near(square / COUNT, 1, 0.1);
    assert_near(other / COUNT, 0, 0.1); // another seed, another ground
}

/// What a pixel sees of fine grains fades as they become smaller than it.
static void pattern_fades(void **state)
{
    (void)state;
    double before = INFINITY;
    for (double footprint = 0.001; footprint < 0.5; footprint *= 2) {
        double square = 0;
        for (int k = 0; k < 2000; k++) {
            const double p = gr_ground_pattern(7, 0.37 * k, 0.11 * k, 0.004, footprint);
            square += p * p;
        }
        assert_true(square <= before);
        before = square;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(is_reciprocal),
        cmocka_unit_test(pattern_belongs_to_places),
        cmocka_unit_test(pattern_fades),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
