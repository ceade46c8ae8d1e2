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
static Piece random_piece(GrRandom *g, double least)
{
    Vector n, v;
    do {
        n = random_unit(g);
        v = random_unit(g);
    } while (dot(n, v) < least);
    const double friction = gr_random_uniform(g, GR_RFT_LEAST_FRICTION, 1);
    const double ploughing = gr_random_below(g, 2) ? 0 : gr_random_uniform(g, 0, 1);
    return (Piece){n.x, n.y, n.z, v.x, v.y, v.z, friction, ploughing};
}

/// Stress of a piece and its derivatives by the direction of motion: `d` is [row][column], for changes across v.
typedef struct Stress {
    double x, y, z;
    double d[3][3];
} Stress;

static GrRftForce coefficients(const Piece *k, const GrRftLoad *load)
{
    const GrRftPiece piece = {k->nx * k->vx + k->ny * k->vy + k->nz * k->vz, -k->vz, k->nz, k->friction, k->ploughing};
    const GrRftFit fit = gr_rft_fit(piece.m, piece.x1, piece.nz);
    const GrRftSplit split = gr_rft_split(&piece, &fit);
    return gr_rft_force(&piece, &fit, &split, load);
}

static Stress expanded(const Piece *k, const GrRftLoad *load)
{
    const GrRftForce f = coefficients(k, load);
    const double n[3] = {k->nx, k->ny, k->nz}, v[3] = {k->vx, k->vy, k->vz}, up[3] = {0, 0, 1};
    double s[3], d[3][3];
    for (int i = 0; i < 3; i++) {
        s[i] = f.n.value * n[i] + f.v.value * v[i] + f.z.value * up[i];
        for (int j = 0; j < 3; j++) {
            const double by_m = f.n.by_m * n[i] + f.v.by_m * v[i] + f.z.by_m * up[i];
            const double by_x1 = f.n.by_x1 * n[i] + f.v.by_x1 * v[i] + f.z.by_x1 * up[i];
            d[i][j] = (i == j ? f.v.value : 0) + by_m * n[j] - by_x1 * up[j];
        }
    }
    Stress out = {s[0], s[1], s[2], {{0}}};
    for (int i = 0; i < 3; i++) {
        const double along = d[i][0] * v[0] + d[i][1] * v[1] + d[i][2] * v[2];
        for (int j = 0; j < 3; j++) {
            out.d[i][j] = d[i][j] - along * v[j];
        }
    }
    return out;
}

static Stress stress_of(const Piece *k)
{
    return expanded(k, &(GrRftLoad){.load = 1});
}

static Stress cohesion_of(const Piece *k, double hold)
{
    return expanded(k, &(GrRftLoad){.held = 1, .hold = hold});
}

static void test_printed_formulas(void **state)
{
    (void)state;
    GrRandom g = gr_random_stream(1, "printed");
    int limits = 0;
    for (int i = 0; i < SAMPLES; i++) {
        Piece k = random_piece(&g, 0);
        if (i % 50 == 0) { // vertical, as the wheel sinks
            k.vx = k.vy = 0;
            k.vz = k.nz < 0 ? -1 : 1;
        }
        if (fabs(k.nz) < GR_RFT_UPRIGHT || k.nx * k.vx + k.ny * k.vy + k.nz * k.vz < GR_RFT_FADE / 2) {
            continue;
        }
        const Vector a = printed(&k), want = limited(&k, a);
        const Stress got = stress_of(&k);
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
            Piece k = {cos(angle), sin(angle), (j - 1) * 1e-13, v.x, v.y, v.z, 1e9, 0};
            if (k.nx * v.x + k.ny * v.y < 0.2) {
                memset(s[j], 0, sizeof s[j]);
                continue;
            }
            const Vector a = printed(&k);
            const GrRftFit f = gr_rft_fit(k.nx * v.x + k.ny * v.y + k.nz * v.z, -v.z, k.nz);
            const double middle[3] = {f.f1.value * k.nx + f.f2.value * v.x, f.f1.value * k.ny + f.f2.value * v.y,
                                      f.f1.value * k.nz + f.f2.value * v.z - f.f3.value};
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
        const Piece k = random_piece(&g, -1);
        const double angle = gr_random_uniform(&g, -3, 3), c = cos(angle), s = sin(angle);
        Piece turned = k, mirrored = k;
        turned.nx = c * k.nx - s * k.ny, turned.ny = s * k.nx + c * k.ny;
        turned.vx = c * k.vx - s * k.vy, turned.vy = s * k.vx + c * k.vy;
        mirrored.ny = -k.ny, mirrored.vy = -k.vy;
        const Stress a = stress_of(&k), b = stress_of(&turned), m = stress_of(&mirrored);
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
        Piece k = random_piece(&g, -1);
        if (i % 2 == 0) { // where the stress fades out
            const double m = k.nx * k.vx + k.ny * k.vy + k.nz * k.vz, to = gr_random_uniform(&g, -GR_RFT_FADE, 0);
            const double size = sqrt((1 - to * to) / (1 - m * m + 1e-12));
            k.vx = size * (k.vx - m * k.nx) + to * k.nx;
            k.vy = size * (k.vy - m * k.ny) + to * k.ny;
            k.vz = size * (k.vz - m * k.nz) + to * k.nz;
        }
        const Stress a = stress_of(&k), c = cohesion_of(&k, 3);
        assert_true(a.x * k.vx + a.y * k.vy + a.z * k.vz <= 1e-15);
        assert_true(c.x * k.vx + c.y * k.vy + c.z * k.vz <= 1e-15);
        assert_true(a.x * k.nx + a.y * k.ny + a.z * k.nz <= 1e-15);
        if (k.nx * k.vx + k.ny * k.vy + k.nz * k.vz <= -GR_RFT_FADE) {
            assert_true(a.x == 0 && a.y == 0 && a.z == 0 && c.x == 0 && c.y == 0 && c.z == 0);
        }
    }
}

static Stress taken(const Piece *k, bool cohesive)
{
    return cohesive ? cohesion_of(k, 3.5) : stress_of(k);
}

/// The piece with its direction of motion turned a little towards an axis.
static Piece turned(const Piece *k, int axis, double by)
{
    const double v[3] = {k->vx + (axis == 0) * by, k->vy + (axis == 1) * by, k->vz + (axis == 2) * by};
    const double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    Piece out = *k;
    out.vx = v[0] / size, out.vy = v[1] / size, out.vz = v[2] / size;
    return out;
}

/// Central differences by the direction of motion, where no limit lies between the two sides.
static void test_derivatives(void **state)
{
    (void)state;
    GrRandom g = gr_random_stream(5, "derivatives");
    int compared = 0;
    for (int i = 0; i < SAMPLES; i++) {
        const Piece k = random_piece(&g, -0.1);
        const bool cohesive = i % 4 == 0;
        const Stress middle = taken(&k, cohesive);
        for (int j = 0; j < 3; j++) {
            const double e = 1e-6;
            const Piece ahead = turned(&k, j, e), behind = turned(&k, j, -e);
            const Stress a = taken(&ahead, cohesive), b = taken(&behind, cohesive);
            const double up[3] = {(a.x - middle.x) / e, (a.y - middle.y) / e, (a.z - middle.z) / e};
            const double down[3] = {(middle.x - b.x) / e, (middle.y - b.y) / e, (middle.z - b.z) / e};
            for (int c = 0; c < 3; c++) {
                if (fabs(up[c] - down[c]) < 1e-3) {
                    assert_near(middle.d[c][j], 0.5 * (up[c] + down[c]), DERIVATIVE * (1 + fabs(up[c])) * 10);
                    compared++;
                }
            }
        }
    }
    print_message("%d of %d derivatives compared\n", compared, 9 * SAMPLES);
    assert_true(compared > 0.97 * 9 * SAMPLES);
}

/// Derivatives by the sinkage are the force of the derivatives of the loads.
static void test_sinkage_derivatives(void **state)
{
    (void)state;
    GrRandom g = gr_random_stream(6, "sinkage");
    for (int i = 0; i < 1000; i++) {
        const Piece k = random_piece(&g, -0.1);
        const GrRftForce f = coefficients(&k, &(GrRftLoad){.load_h = 1.7, .held_h = 0.6, .hold = 3});
        const GrRftForce want = coefficients(&k, &(GrRftLoad){.load = 1.7, .held = 0.6, .hold = 3});
        assert_near(f.n_h, want.n.value, TIGHT);
        assert_near(f.v_h, want.v.value, TIGHT);
        assert_near(f.z_h, want.z.value, TIGHT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_printed_formulas), cmocka_unit_test(test_upright),
        cmocka_unit_test(test_symmetries),       cmocka_unit_test(test_dissipates),
        cmocka_unit_test(test_derivatives),      cmocka_unit_test(test_sinkage_derivatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
