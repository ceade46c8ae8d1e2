/// Stress of 3D-RFT on a piece of surface: against the formulas as printed, with angles and axes, and its symmetries,
/// its dissipation and its derivatives.
#include "support/rft_reference.h"

#include "random.h"

#include <stdbool.h>

static const double TIGHT = 1e-12, DERIVATIVE = 2e-6;
enum { SAMPLES = 20000 };

static Vector random_unit(GrRandom *g)
{
    Vector v;
    double size;
    do {
        v.x = gr_random_uniform(g, -1, 1);
        v.y = gr_random_uniform(g, -1, 1);
        v.z = gr_random_uniform(g, -1, 1);
        size = sqrt(dot(v, v));
    } while (size > 1 || size < 0.1);
    return (Vector){v.x / size, v.y / size, v.z / size};
}

/// Pieces that move towards the soil, n · v above `least`.
static GrRftPiece random_piece(GrRandom *g, double least)
{
    Vector n, v;
    do {
        n = random_unit(g);
        v = random_unit(g);
    } while (dot(n, v) < least);
    const double friction = gr_random_uniform(g, GR_RFT_LEAST_FRICTION, 1);
    const double ploughing = gr_random_below(g, 2) ? 0 : gr_random_uniform(g, 0, 1);
    return (GrRftPiece){n.x, n.y, n.z, v.x, v.y, v.z, friction, ploughing};
}

static void test_printed_formulas(void **state)
{
    (void)state;
    GrRandom g = gr_random_stream(1, "printed");
    int limits = 0;
    for (int i = 0; i < SAMPLES; i++) {
        GrRftPiece k = random_piece(&g, 0);
        if (i % 50 == 0) { // vertical, as the wheel sinks
            k.vx = k.vy = 0;
            k.vz = k.nz < 0 ? -1 : 1;
        }
        if (fabs(k.nz) < GR_RFT_UPRIGHT || k.nx * k.vx + k.ny * k.vy + k.nz * k.vz < 0) {
            continue;
        }
        const Vector a = printed(&k), want = limited(&k, a);
        const GrRftStress got = gr_rft_stress(&k);
        assert_near(got.x, want.x, TIGHT);
        assert_near(got.y, want.y, TIGHT);
        assert_near(got.z, want.z, TIGHT);
        limits += fabs(got.x - a.x) > TIGHT;
    }
    assert_true(limits > SAMPLES / 20 && limits < SAMPLES); // both branches were seen
}

/// On both sides of n_z = 0 the two sides of the fit differ; between them the blend is linear.
static void test_upright(void **state)
{
    (void)state;
    GrRandom g = gr_random_stream(2, "upright");
    for (int i = 0; i < 200; i++) {
        const double angle = gr_random_uniform(&g, -3, 3);
        const Vector v = random_unit(&g);
        double s[3][3];
        for (int j = 0; j < 3; j++) {
            GrRftPiece k = {cos(angle), sin(angle), (j - 1) * 1e-13, v.x, v.y, v.z, 1e9, 0};
            if (k.nx * v.x + k.ny * v.y < 0.2) {
                memset(s[j], 0, sizeof s[j]);
                continue;
            }
            const Vector a = printed(&k);
            const GrRftSplit o = gr_rft_split(&k);
            const double middle[3] = {o.tx - o.sigma * k.nx, o.ty - o.sigma * k.ny, o.tz};
            const double side[3] = {a.x, a.y, a.z};
            memcpy(s[j], j == 1 ? middle : side, sizeof side);
        }
        for (int c = 0; c < 3; c++) {
            assert_near(s[1][c], 0.5 * (s[0][c] + s[2][c]), 1e-9);
        }
    }
}

/// Turned about the vertical, the stress turns with the piece; mirrored, it is mirrored.
static void test_symmetries(void **state)
{
    (void)state;
    GrRandom g = gr_random_stream(3, "symmetries");
    for (int i = 0; i < SAMPLES; i++) {
        const GrRftPiece k = random_piece(&g, -1);
        const double angle = gr_random_uniform(&g, -3, 3), c = cos(angle), s = sin(angle);
        GrRftPiece turned = k, mirrored = k;
        turned.nx = c * k.nx - s * k.ny, turned.ny = s * k.nx + c * k.ny;
        turned.vx = c * k.vx - s * k.vy, turned.vy = s * k.vx + c * k.vy;
        mirrored.ny = -k.ny, mirrored.vy = -k.vy;
        const GrRftStress a = gr_rft_stress(&k), b = gr_rft_stress(&turned), m = gr_rft_stress(&mirrored);
        assert_near(b.x, c * a.x - s * a.y, TIGHT);
        assert_near(b.y, s * a.x + c * a.y, TIGHT);
        assert_near(b.z, a.z, TIGHT);
        assert_true(m.x == a.x && m.y == -a.y && m.z == a.z);
    }
}

/// No piece yields energy, cohesion included, and none is drawn into the soil.
static void test_dissipates(void **state)
{
    (void)state;
    GrRandom g = gr_random_stream(4, "dissipates");
    for (int i = 0; i < 10 * SAMPLES; i++) {
        GrRftPiece k = random_piece(&g, -1);
        if (i % 2 == 0) { // where the stress fades out
            const double m = k.nx * k.vx + k.ny * k.vy + k.nz * k.vz, to = gr_random_uniform(&g, -GR_RFT_FADE, 0);
            const double size = sqrt((1 - to * to) / (1 - m * m + 1e-12));
            k.vx = size * (k.vx - m * k.nx) + to * k.nx;
            k.vy = size * (k.vy - m * k.ny) + to * k.ny;
            k.vz = size * (k.vz - m * k.nz) + to * k.nz;
        }
        const GrRftStress a = gr_rft_stress(&k), c = gr_rft_cohesive(&k, 3);
        assert_true(a.x * k.vx + a.y * k.vy + a.z * k.vz <= 1e-15);
        assert_true(c.x * k.vx + c.y * k.vy + c.z * k.vz <= 1e-15);
        assert_true(a.x * k.nx + a.y * k.ny + a.z * k.nz <= 1e-15);
        if (k.nx * k.vx + k.ny * k.vy + k.nz * k.vz <= -GR_RFT_FADE) {
            assert_true(a.x == 0 && a.y == 0 && a.z == 0 && c.x == 0 && c.y == 0 && c.z == 0);
        }
    }
}

static void take(const GrRftPiece *k, bool cohesive, double f[3], double d[9])
{
    const GrRftStress s = cohesive ? gr_rft_cohesive(k, 3.5) : gr_rft_stress(k);
    const double values[3] = {s.x, s.y, s.z}, slopes[9] = {s.xx, s.xy, s.xz, s.yx, s.yy, s.yz, s.zx, s.zy, s.zz};
    memcpy(f, values, sizeof values);
    memcpy(d, slopes, sizeof slopes);
}

/// Central differences by the three components of v, where no limit lies between the two sides.
static void test_derivatives(void **state)
{
    (void)state;
    GrRandom g = gr_random_stream(5, "derivatives");
    int compared = 0;
    for (int i = 0; i < SAMPLES; i++) {
        const GrRftPiece k = random_piece(&g, -0.1);
        const bool cohesive = i % 4 == 0;
        double f[3], d[9], unused[9];
        take(&k, cohesive, f, d);
        for (int j = 0; j < 3; j++) {
            const double e = 1e-6;
            double side[2][3];
            for (int s = 0; s < 2; s++) {
                GrRftPiece moved = k;
                *(j == 0 ? &moved.vx : j == 1 ? &moved.vy : &moved.vz) += s ? e : -e;
                take(&moved, cohesive, side[s], unused);
            }
            for (int c = 0; c < 3; c++) {
                const double up = (side[1][c] - f[c]) / e, down = (f[c] - side[0][c]) / e;
                if (fabs(up - down) < 1e-3) {
                    assert_near(d[3 * c + j], 0.5 * (up + down), DERIVATIVE * (1 + fabs(up)) * 10);
                    compared++;
                }
            }
        }
    }
    print_message("%d of %d derivatives compared\n", compared, 9 * SAMPLES);
    assert_true(compared > 0.97 * 9 * SAMPLES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_printed_formulas), cmocka_unit_test(test_upright),     cmocka_unit_test(test_symmetries),
        cmocka_unit_test(test_dissipates),       cmocka_unit_test(test_derivatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
