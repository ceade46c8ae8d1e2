/// The contact frame: right-handed, upside-down safe, continuous, K23's three points.
#include "test.h"

#include "contact_frame.h"
#include "random.h"

static GrVec3 random_unit(GrRandom *g)
{
    return gr_normalize(gr_vec3(gr_random_normal(g), gr_random_normal(g), gr_random_normal(g)));
}

static void test_right_handed(void **state)
{
    (void)state;
    GrRandom g = gr_random_stream(1, "frame");
    for (int i = 0; i < 20000; i++) {
        const GrVec3 axle = random_unit(&g), normal = random_unit(&g), hint = random_unit(&g);
        const GrContactFrame f = gr_contact_frame(axle, i % 10 ? normal : axle, hint);
        assert_near(gr_norm(f.x), 1, 1e-12);
        assert_near(gr_dot(f.x, f.y), 0, 1e-12);
        assert_near(gr_dot(f.x, f.z), 0, 1e-12);
        assert_near(gr_norm(gr_sub(gr_cross(f.x, f.y), f.z)), 0, 1e-12);
        if (gr_norm(gr_cross(axle, normal)) > 0.1 && i % 10) {
            assert_true(gr_dot(f.y, axle) > 0); // y along the axle's projection
            assert_near(gr_dot(f.x, axle), 0, 1e-12);
        }
        const GrVec3 v = random_unit(&g), back = gr_contact_to_world(&f, gr_contact_to_frame(&f, v));
        assert_near(gr_norm(gr_sub(v, back)), 0, 1e-12);
    }
}

/// An upright wheel rolls towards +x; upside down (axle turned over by the chassis) ω and the frame turn together.
static void test_upside_down(void **state)
{
    (void)state;
    const GrVec3 up = {0, 0, 1};
    const GrContactFrame upright = gr_contact_frame(gr_vec3(0, 1, 0), up, gr_vec3(1, 0, 0));
    assert_near(upright.x.x, 1, 1e-15);
    const GrContactFrame over = gr_contact_frame(gr_vec3(0, -1, 0), up, gr_vec3(1, 0, 0));
    assert_near(over.x.x, -1, 1e-15);
    assert_near(over.z.z, 1, 1e-15);
    // The same world rotation ω = (0, 1, 0) rolls both towards world +x: rω_y along their own x.
    const GrVec3 omega = {0, 1, 0};
    const double a = gr_contact_to_frame(&upright, omega).y, b = gr_contact_to_frame(&over, omega).y;
    assert_near(gr_contact_to_world(&upright, gr_vec3(a, 0, 0)).x, 1, 1e-15);
    assert_near(gr_contact_to_world(&over, gr_vec3(b, 0, 0)).x, 1, 1e-15);
}

/// Tilting an axle through the normal with the last x as the hint: no jump larger than in proportion to the step.
static void test_continuous(void **state)
{
    (void)state;
    const GrVec3 normal = {0, 0, 1};
    GrVec3 hint = {1, 0, 0};
    GrVec3 last = hint;
    for (int i = 0; i <= 40000; i++) {
        const double tilt = 3.14159265358979 * i / 40000, side = 0.02; // passes the normal at a distance of 1 degree
        const GrVec3 axle = gr_normalize(gr_vec3(side, cos(tilt), sin(tilt)));
        const GrContactFrame f = gr_contact_frame(axle, normal, hint);
        if (i > 0) {
            assert_true(gr_norm(gr_sub(f.x, last)) < 0.02);
        }
        last = f.x;
        hint = f.x;
    }
}

static void test_points_and_plane(void **state)
{
    (void)state;
    GrRandom g = gr_random_stream(2, "plane");
    for (int k = 0; k < 1000; k++) {
        // A plane z = a x + b y + c; iterate points -> normal -> frame as a wheel does step by step.
        const double a = gr_random_uniform(&g, -0.5, 0.5), b = gr_random_uniform(&g, -0.5, 0.5),
                     c = gr_random_uniform(&g, -1, 1);
        const GrVec3 exact = gr_normalize(gr_vec3(-a, -b, 1));
        const double heading = gr_random_uniform(&g, -3, 3), r = 0.1, theta1 = 0.5;
        const GrVec3 centre = gr_vec3(0.3, -0.2, a * 0.3 - b * 0.2 + c + 0.09);
        const GrVec3 axle = gr_normalize(gr_vec3(-sin(heading), cos(heading), gr_random_uniform(&g, -0.3, 0.3)));
        GrContactFrame f = gr_contact_frame(axle, gr_vec3(0, 0, 1), gr_vec3(1, 0, 0));
        GrVec3 p[3];
        for (int i = 0; i < 3; i++) {
            gr_contact_points(centre, &f, r, 0.08, theta1, p);
            for (int j = 0; j < 3; j++) {
                p[j].z = a * p[j].x + b * p[j].y + c;
            }
            f = gr_contact_frame(axle, gr_contact_normal(p, gr_vec3(0, 0, 1)), f.x);
        }
        assert_near(gr_norm(gr_sub(f.z, exact)), 0, 1e-10);
        // Sinkage against the lowest point of the rim by search.
        double lowest = 1e9;
        for (int i = 0; i < 20000; i++) {
            const double t = 2 * 3.14159265358979 * i / 20000;
            const GrVec3 e = gr_normalize(gr_cross(axle, gr_vec3(0.3, 0.1, 0.9))), q = gr_cross(axle, e);
            const GrVec3 rim = gr_madd(gr_madd(centre, r * cos(t), e), r * sin(t), q);
            lowest = fmin(lowest, gr_dot(exact, gr_sub(rim, p[0])));
        }
        assert_near(gr_contact_sinkage(centre, axle, r, p[0], f.z), -lowest, 1e-7);
    }
    const GrVec3 line[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    assert_near(gr_contact_normal(line, gr_vec3(0, 0, 1)).z, 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_right_handed), cmocka_unit_test(test_upside_down),
                                       cmocka_unit_test(test_continuous), cmocka_unit_test(test_points_and_plane)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
