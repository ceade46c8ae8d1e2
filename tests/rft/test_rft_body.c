/// Bodies in grains: a box pressed in and dragged against closed forms and plain sums of the printed formulas, a sphere
/// against its integral, derivatives against differences, cycles that lose energy, similarity.
#include "support/rft_reference.h"
#include "support/soil_test.h"

#include "random.h"
#include "rft_body.h"
#include "rft_wheel.h"

#include <stdlib.h>

static const double FRICTION = 0.4;
static const double SOFT = 5e-4; // the law reduces stress near the centre of rotation, and by this share elsewhere

static GrSoilDef sand(double cohesion)
{
    GrSoilDef soil = gr_default_soil_def();
    soil.law = GR_SOIL_RFT;
    soil.density = 1600;
    soil.friction_angle = 32 * test_degree;
    soil.cohesion = cohesion;
    soil.own[GR_RFT_FRICTION] = FRICTION;
    return soil;
}

static GrRftSoil grains(double cohesion, double gravity)
{
    const GrSoilDef soil = sand(cohesion);
    GrRftSoil out;
    assert_int_equal(gr_rft_soil(&soil, gravity, &out, NULL), GR_OK);
    assert_true(out.grains);
    return out;
}

enum { MOST = 20000 };

typedef struct Body {
    GrRftTriangle triangles[MOST];
    GrRftBody body;
} Body;

static void add_triangle(GrVec3 a, GrVec3 b, GrVec3 c, Body *out)
{
    const GrVec3 twice = gr_cross(gr_sub(b, a), gr_sub(c, a)), middle = gr_scale(1.0 / 3, gr_add(gr_add(a, b), c));
    assert_true(out->body.count < MOST);
    GrRftTriangle *t = &out->triangles[out->body.count++];
    *t = (GrRftTriangle){.corner = {a, b, c}, .middle = middle, .area = 0.5 * gr_norm(twice)};
    t->normal = gr_normalize(twice);
    for (int k = 0; k < 3; k++) {
        t->reach = fmax(t->reach, gr_norm(gr_sub(t->corner[k], middle)));
        out->body.size = fmax(out->body.size, gr_norm(t->corner[k]));
    }
    out->body.triangles = out->triangles;
}

/// Every face is divided into n × n rectangles of two triangles.
static void make_box(GrVec3 size, int n, Body *out)
{
    const GrVec3 half = gr_scale(0.5, size);
    out->body = (GrRftBody){.count = 0};
    for (int face = 0; face < 6; face++) {
        const int axis = face / 2;
        const double sign = face % 2 ? 1 : -1, h[3] = {half.x, half.y, half.z};
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        for (int i = 0; i < n * n; i++) {
            GrVec3 corner[4];
            for (int k = 0; k < 4; k++) { // counter-clockwise about +axis
                double p[3];
                p[axis] = sign * h[axis];
                p[u] = h[u] * (2.0 * (i % n + (k == 1 || k == 2)) / n - 1);
                const int row = i / n;
                p[v] = h[v] * (2.0 * (row + (k >= 2)) / n - 1);
                corner[sign > 0 ? k : 3 - k] = gr_vec3(p[0], p[1], p[2]);
            }
            add_triangle(corner[0], corner[1], corner[2], out);
            add_triangle(corner[0], corner[2], corner[3], out);
        }
    }
}

static const GrMat3 UPRIGHT = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
static const GrRftGround LEVEL = {NULL, NULL};

/// A motion over a path much longer than K: the limit.
static GrRftBodyMotion steady(GrVec3 centre, GrVec3 velocity, GrVec3 spin)
{
    return (GrRftBodyMotion){
        .centre = centre, .axes = UPRIGHT, .up = {0, 0, 1}, .velocity = velocity, .spin = spin, .dt = 1e6};
}

/// α of the printed formulas for a piece that moves along a unit vector.
static Vector stress(GrVec3 n, GrVec3 v)
{
    const Piece k = {n.x, n.y, n.z, v.x, v.y, v.z, FRICTION, 0};
    return limited(&k, printed(&k));
}

/// A flat plate that is pressed in carries ξ_n α_z A z. Its sides move along themselves, where the fit has hardly any
/// stress, and the law none.
static void test_pressed(void **state)
{
    (void)state;
    static Body box;
    const GrVec3 size = {0.4, 0.3, 0.2};
    const GrRftSoil soil = grains(0, 9.81);
    make_box(size, 2, &box);
    const GrVec3 down = {0, 0, -1};
    // slightly tilted, so that the axes of the printed formulas have a direction
    const double bottom = stress(gr_normalize(gr_vec3(1e-7, 0, -1)), down).z;
    for (int i = 1; i <= 4; i++) {
        const double z = 0.04 * i;
        const GrRftBodyMotion motion = steady(gr_vec3(0, 0, 0.5 * size.z - z), gr_vec3(0, 0, -0.1), gr_vec3(0, 0, 0));
        const double old[6] = {0};
        double next[6];
        GrRftBodyOutput out;
        gr_rft_body_evaluate(&soil, &box.body, &LEVEL, &motion, old, next, &out);
        const double expected = soil.xi * bottom * size.x * size.y * z;
        print_message("plate at %g mm: %.6g N, closed form %.6g N\n", 1e3 * z, out.wrench[2], expected);
        assert_near_rel(out.wrench[2], expected, SOFT);
        assert_near(next[2], -1, 1e-9);
        for (int k = 0; k < 6; k++) {
            assert_true(k == 2 || fabs(out.wrench[k]) < 1e-6 * expected);
        }
    }
}

/// Adds a piece of the printed formulas.
static void add_printed(GrVec3 n, GrVec3 p, GrVec3 v, double load, double sum[6])
{
    const double size = gr_norm(v);
    if (!(gr_dot(n, v) > 0) || !(size > 0)) {
        return;
    }
    const Vector a = stress(n, gr_scale(1 / size, v));
    const GrVec3 f = gr_scale(load, gr_vec3(a.x, a.y, a.z)), t = gr_cross(p, f);
    const double all[6] = {f.x, f.y, f.z, t.x, t.y, t.z};
    for (int i = 0; i < 6; i++) {
        sum[i] += all[i];
    }
}

/// Random boxes at random attitudes, moved and turned at random, partly in the ground: a plain sum of the printed
/// formulas over 60 × 60 squares a face. What the law blends is excluded: pieces that slide along themselves.
static void test_dragged(void **state)
{
    (void)state;
    enum { CASES = 20, FINE = 60 };
    static Body box;
    const GrRftSoil soil = grains(0, 9.81);
    GrRandom g = gr_random_stream(1, "boxes");
    double worst = 0;
    for (int c = 0; c < CASES; c++) {
        const GrVec3 size = {0.3, 0.05 + 0.2 * gr_random_uniform(&g, 0, 1), 0.03 + 0.2 * gr_random_uniform(&g, 0, 1)};
        double r[9];
        for (int k = 0; k < 9; k++) {
            r[k] = gr_random_uniform(&g, -1, 1);
        }
        const GrQuat turn = gr_quat_normalize((GrQuat){1, r[0], r[1], r[2]});
        GrRftBodyMotion motion = steady(gr_vec3(0, 0, -0.05 * fabs(r[3])), gr_vec3(r[4], r[5], r[6]),
                                        c % 2 ? gr_vec3(r[7], r[8], r[0]) : gr_vec3(0, 0, 0));
        motion.axes = gr_quat_to_mat3(turn);
        make_box(size, 4, &box); // about as fine as the pieces of a rover's shapes
        const double old[6] = {0};
        double next[6], sum[6] = {0}, pressed = 0;
        GrRftBodyOutput out;
        gr_rft_body_evaluate(&soil, &box.body, &LEVEL, &motion, old, next, &out);
        static Body fine;
        make_box(size, FINE / 2, &fine);
        for (int i = 0; i < fine.body.count; i++) {
            const GrRftTriangle *t = &fine.triangles[i];
            const GrVec3 p = gr_mat3_mul_vec(&motion.axes, t->middle), n = gr_mat3_mul_vec(&motion.axes, t->normal);
            const double depth = -(motion.centre.z + p.z);
            const GrVec3 v = gr_add(motion.velocity, gr_cross(motion.spin, p));
            if (depth > 0) {
                add_printed(n, p, v, soil.xi * depth * t->area, sum);
                pressed += soil.xi * depth * t->area;
            }
        }
        for (int k = 0; k < 6; k++) {
            const double unit = pressed * (k < 3 ? 1 : box.body.size);
            worst = fmax(worst, fabs(out.wrench[k] - sum[k]) / unit);
        }
    }
    print_message("boxes: %.2e of the largest stress everywhere at most\n", worst);
    assert_true(worst < 0.01);
}

/// Differences of the wrench by velocities and poses, below the limit, on ground with a slope.
static void test_derivatives(void **state)
{
    (void)state;
    static Body box;
    const GrRftSoil soil = grains(200, 9.81);
    GrRandom g = gr_random_stream(1, "derivatives");
    make_box(gr_vec3(0.3, 0.2, 0.1), 6, &box);
    for (int c = 0; c < 10; c++) {
        double r[16];
        for (int k = 0; k < 16; k++) {
            r[k] = gr_random_uniform(&g, -1, 1);
        }
        const double old[6] = {0.2 * r[0], 0.2 * r[1], -0.5, 0.1 * r[2], 0.1 * r[3], 0.1 * r[4]}, dt = 0.005;
        const GrQuat turn = gr_quat_normalize((GrQuat){1, 0.2 * r[5], 0.2 * r[6], r[7]});
        GrRftBodyMotion at = {.centre = {0, 0, 0.02 + 0.01 * r[8]},
                              .axes = gr_quat_to_mat3(turn),
                              .up = {0, 0, 1},
                              .velocity = {0.01 * r[9], 0.01 * r[10], 0.01 * r[11]},
                              .spin = {0.1 * r[12], 0.1 * r[13], 0.1 * r[14]},
                              .dt = dt,
                              .jacobians = true};
        GrRftBodyOutput out, side[2];
        double next[6];
        gr_rft_body_evaluate(&soil, &box.body, &LEVEL, &at, old, next, &out);
        assert_true(out.touching > 0);
        double scale = 0;
        for (int k = 0; k < 6; k++) {
            scale = fmax(scale, fabs(out.d_twist[k][k]));
        }
        for (int j = 0; j < 6; j++) { // velocities
            for (int s = 0; s < 2; s++) {
                GrRftBodyMotion m = at;
                const double e = s ? 1e-7 : -1e-7;
                double *v[6] = {&m.velocity.x, &m.velocity.y, &m.velocity.z, &m.spin.x, &m.spin.y, &m.spin.z};
                *v[j] += e;
                gr_rft_body_evaluate(&soil, &box.body, &LEVEL, &m, old, next, &side[s]);
            }
            for (int k = 0; k < 6; k++) {
                assert_near(out.d_twist[k][j], (side[1].wrench[k] - side[0].wrench[k]) / 2e-7, 1e-4 * scale);
            }
        }
        scale = fabs(out.d_pose[2][2]);
        for (int j = 2; j < 5; j++) { // up, and tilts
            for (int s = 0; s < 2; s++) {
                GrRftBodyMotion m = at;
                const double e = s ? 1e-6 : -1e-6;
                const GrQuat by = gr_quat_normalize((GrQuat){1, j == 3 ? 0.5 * e : 0, j == 4 ? 0.5 * e : 0, 0});
                const GrMat3 rotation = gr_quat_to_mat3(by);
                m.centre.z += j == 2 ? e : 0;
                m.axes = gr_mat3_mul(&rotation, &at.axes);
                gr_rft_body_evaluate(&soil, &box.body, &LEVEL, &m, old, next, &side[s]);
            }
            for (int k = 0; k < 6; k++) {
                assert_near(out.d_pose[k][j], (side[1].wrench[k] - side[0].wrench[k]) / 2e-6, 1e-3 * scale);
            }
        }
    }
}

/// A slope is the same as level ground with everything turned.
static bool sloping(const void *context, double x, double y, double *z, GrVec3 *normal)
{
    *normal = *(const GrVec3 *)context;
    *z = -(normal->x * x + normal->y * y) / normal->z;
    return true;
}

static void test_slope(void **state)
{
    (void)state;
    static Body box;
    const GrRftSoil soil = grains(100, 9.81);
    make_box(gr_vec3(0.3, 0.2, 0.1), 6, &box);
    const GrQuat tilt = gr_quat_normalize((GrQuat){1, 0.15, -0.2, 0.3});
    const GrMat3 turn = gr_quat_to_mat3(tilt);
    const GrVec3 up = gr_quat_rotate(tilt, gr_vec3(0, 0, 1));
    const GrRftGround slope = {sloping, &up};
    const double old[6] = {0.1, 0.2, -0.4, 0, 0.1, 0};
    double turned_old[6], next[6];
    GrRftBodyOutput level, inclined;
    GrRftBodyMotion at = {.centre = {0.1, 0.2, 0.03},
                          .axes = UPRIGHT,
                          .up = {0, 0, 1},
                          .velocity = {0.02, 0.01, -0.03},
                          .spin = {0.1, 0, 0.2},
                          .dt = 0.01,
                          .jacobians = true};
    gr_rft_body_evaluate(&soil, &box.body, &LEVEL, &at, old, next, &level);
    at.centre = gr_quat_rotate(tilt, at.centre);
    at.axes = turn;
    at.up = up;
    at.velocity = gr_quat_rotate(tilt, at.velocity);
    at.spin = gr_quat_rotate(tilt, at.spin);
    for (int half = 0; half < 6; half += 3) {
        const GrVec3 v = gr_quat_rotate(tilt, gr_vec3(old[half], old[half + 1], old[half + 2]));
        turned_old[half] = v.x, turned_old[half + 1] = v.y, turned_old[half + 2] = v.z;
    }
    gr_rft_body_evaluate(&soil, &box.body, &slope, &at, turned_old, next, &inclined);
    for (int half = 0; half < 6; half += 3) {
        const double *w = inclined.wrench + half, *l = level.wrench + half;
        const GrVec3 back = gr_quat_rotate(gr_quat_conjugate(tilt), gr_vec3(w[0], w[1], w[2]));
        assert_near(back.x, l[0], 1e-6 * level.wrench[2]);
        assert_near(back.y, l[1], 1e-6 * level.wrench[2]);
        assert_near(back.z, l[2], 1e-6 * level.wrench[2]);
    }
}

/// Closed paths of position and attitude take energy: slow ones over lengths above K, and ones below K at the pace at
/// which the body would swing. Slow ones below K need not: the spring is not that of a potential.
static void test_cycles(void **state)
{
    (void)state;
    static Body box;
    const GrRftSoil soil = grains(0, 9.81);
    GrRandom g = gr_random_stream(1, "cycles");
    make_box(gr_vec3(0.2, 0.15, 0.1), 4, &box);
    const double length = soil.path * box.body.size;
    double least = INFINITY, most = INFINITY;
    for (int c = 0; c < 20; c++) {
        enum { STEPS = 400, ROUNDS = 3 };
        double q[6] = {0, 0, -0.5, 0, 0, 0}, next[6], work = 0, first = 0, phase[6], size[6];
        for (int k = 0; k < 6; k++) {
            phase[k] = gr_random_uniform(&g, 0, 6.28);
            size[k] = gr_random_uniform(&g, 0, c % 2 ? 4 : 0.5) * length * (k < 3 ? 1 : 1 / box.body.size);
        }
        for (int i = 0; i < ROUNDS * STEPS; i++) {
            const double a = 6.283185307179586 / STEPS, dt = c % 2 ? 1 : a * sqrt(0.5 * length / 9.81);
            double x[6], v[6];
            for (int k = 0; k < 6; k++) { // at the middle of the step
                x[k] = size[k] * sin(a * (i + 0.5) + phase[k]);
                v[k] = size[k] * (sin(a * (i + 1) + phase[k]) - sin(a * i + phase[k])) / dt;
            }
            const GrQuat turn = gr_quat_normalize((GrQuat){1, 0.5 * x[3], 0.5 * x[4], 0.5 * x[5]});
            const GrRftBodyMotion at = {.centre = {x[0], x[1], 0.03 + x[2]},
                                        .axes = gr_quat_to_mat3(turn),
                                        .up = {0, 0, 1},
                                        .velocity = {v[0], v[1], v[2]},
                                        .spin = {v[3], v[4], v[5]},
                                        .dt = dt};
            GrRftBodyOutput out;
            gr_rft_body_evaluate(&soil, &box.body, &LEVEL, &at, q, next, &out);
            memcpy(q, next, sizeof q);
            for (int k = 0; k < 6; k++) {
                work += out.wrench[k] * v[k] * dt;
            }
            first = i == STEPS - 1 ? work : first;
        }
        const double lost = (first - work) / (soil.xi * 0.2 * 0.15 * 0.02 * length);
        most = c % 2 ? fmin(most, lost) : most;
        least = c % 2 ? least : fmin(least, lost);
    }
    print_message("two rounds take %.3g F K at least, and %.3g where the soil flows\n", least, most);
    assert_true(least > 0.02 && most > 2);
}

/// With l → r l and any gravity, forces go as ξ_n l³ and moments as ξ_n l⁴.
static void test_similar(void **state)
{
    (void)state;
    static Body box[2];
    GrRftBodyOutput out[2];
    const GrRftSoil soil[2] = {grains(0, 9.81), grains(0, 1.62)};
    const double by = 2.5, force = 1.62 / 9.81 * by * by * by;
    for (int q = 0; q < 2; q++) {
        const double l = q ? by : 1, t = q ? sqrt(by * 9.81 / 1.62) : 1; // l = g t²
        const double old[6] = {0.1, 0.2, -0.3, 0, 0.1, 0};
        double next[6];
        make_box(gr_scale(l, gr_vec3(0.3, 0.2, 0.1)), 4, &box[q]);
        GrRftBodyMotion at = {.centre = {0, 0, 0.03 * l}, .axes = UPRIGHT, .up = {0, 0, 1}, .dt = 0.002 * t};
        at.velocity = gr_scale(l / t, gr_vec3(0.1, 0.05, -0.1));
        at.spin = gr_scale(1 / t, gr_vec3(0.3, 0.2, 0.1));
        gr_rft_body_evaluate(&soil[q], &box[q].body, &LEVEL, &at, old, next, &out[q]);
    }
    for (int k = 0; k < 6; k++) {
        assert_near_rel(out[1].wrench[k], out[0].wrench[k] * force * (k < 3 ? 1 : by), 1e-9);
    }
    assert_near_rel(gr_rft_body_time(&soil[1], &box[1].body),
                    gr_rft_body_time(&soil[0], &box[0].body) * sqrt(by * 9.81 / 1.62), 1e-9);
}

/// Soil of another law does not count as grains; a body above the ground has no force and forgets.
static void test_none(void **state)
{
    (void)state;
    static Body box;
    GrSoilDef other = gr_default_soil_def();
    GrRftSoil soil;
    assert_int_equal(gr_rft_soil(&other, 9.81, &soil, NULL), GR_OK);
    assert_false(soil.grains);
    soil = grains(100, 9.81);
    make_box(gr_vec3(0.3, 0.2, 0.1), 2, &box);
    const double old[6] = {0, 0, -1, 0, 0, 0};
    double next[6];
    GrRftBodyOutput out;
    const GrRftBodyMotion at = steady(gr_vec3(0, 0, 0.0501), gr_vec3(0, 0, -1), gr_vec3(0, 0, 0));
    gr_rft_body_evaluate(&soil, &box.body, &LEVEL, &at, old, next, &out);
    assert_int_equal(out.touching, 0);
    for (int k = 0; k < 6; k++) {
        assert_true(out.wrench[k] == 0 && next[k] == 0);
    }
    const double gap = gr_rft_body_clearance(&box.body, &LEVEL, at.centre, &at.axes);
    assert_true(gap <= 1e-4 && gap > -0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pressed), cmocka_unit_test(test_dragged), cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_slope),   cmocka_unit_test(test_cycles),  cmocka_unit_test(test_similar),
        cmocka_unit_test(test_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
