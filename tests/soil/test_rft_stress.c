/// Stress of 3D-RFT on a piece of surface: against the formulas as printed, with angles and axes, and its symmetries,
/// its dissipation and its derivatives.
#include "test.h"

#include "random.h"
#include "rft_stress.h"

#include <stdbool.h>

static const double TIGHT = 1e-12, DERIVATIVE = 2e-6;
enum { SAMPLES = 20000 };

/// Agarwal, Goldman & Kamrin (2023), table of the fit, column by column: T_k with c1, c2, c3.
static const struct Row {
    int e1, e2, e3; ///< powers of x1, x2, x3
    double c1, c2, c3;
} TABLE[] = {
    {0, 0, 0, 0.00212, -0.06796, -0.02634},  {1, 0, 0, -0.02320, -0.10941, -0.03436},
    {0, 1, 0, -0.20890, 0.04725, 0.45256},   {0, 0, 1, -0.43083, -0.06914, 0.00835},
    {2, 0, 0, -0.00259, -0.05835, 0.02553},  {0, 2, 0, 0.48872, -0.65880, -1.31290},
    {0, 0, 2, -0.00415, -0.11985, -0.05532}, {1, 1, 0, 0.07204, -0.25739, 0.06790},
    {0, 1, 1, -0.02750, -0.26834, -0.16404}, {1, 0, 1, -0.08772, 0.02692, 0.02287},
    {3, 0, 0, 0.01992, -0.00736, 0.02927},   {0, 3, 0, -0.45961, 0.63758, 0.95406},
    {0, 0, 3, 0.40799, 0.08997, -0.00131},   {1, 2, 0, -0.10107, 0.21069, -0.11028},
    {2, 1, 0, -0.06576, 0.04748, 0.01487},   {0, 1, 2, 0.05664, 0.20406, -0.02730},
    {0, 2, 1, -0.09269, 0.18589, 0.10911},   {2, 0, 1, 0.01892, 0.04934, -0.04097},
    {1, 0, 2, 0.01033, 0.13527, 0.07881},    {1, 1, 1, 0.15120, -0.33207, -0.27519},
};

typedef struct Vector {
    double x, y, z;
} Vector;

static double dot(Vector a, Vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

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
    return (GrRftPiece){n.x, n.y, n.z, v.x, v.y, v.z, gr_random_uniform(g, 0.05, 1)};
}

/// α with the angles of the paper, in the axes (r, θ, z), turned back to (x, y, z).
static Vector printed(const GrRftPiece *k)
{
    const double pi = acos(-1), flat = hypot(k->vx, k->vy);
    // r: horizontal direction of the velocity, or of the normal where the velocity is vertical
    const double across = hypot(k->nx, k->ny);
    const double rx = flat > 1e-9 ? k->vx / flat : k->nx / across, ry = flat > 1e-9 ? k->vy / flat : k->ny / across;
    const double n_r = k->nx * rx + k->ny * ry, n_t = -k->nx * ry + k->ny * rx, tilt = acos(k->nz);
    const double beta = n_r >= 0 ? (k->nz >= 0 ? -tilt : pi - tilt) : (k->nz >= 0 ? tilt : -pi + tilt);
    const double gamma = atan2(-k->vz, flat), psi = n_r == 0 ? (n_t < 0 ? -pi / 2 : pi / 2) : atan(n_t / n_r);
    const double x1 = sin(gamma), x2 = cos(beta), x3 = cos(psi) * cos(gamma) * sin(beta) + sin(gamma) * cos(beta);
    double f[3] = {0, 0, 0};
    for (unsigned i = 0; i < sizeof TABLE / sizeof TABLE[0]; i++) {
        const double t = pow(x1, TABLE[i].e1) * pow(x2, TABLE[i].e2) * pow(x3, TABLE[i].e3);
        f[0] += TABLE[i].c1 * t;
        f[1] += TABLE[i].c2 * t;
        f[2] += TABLE[i].c3 * t;
    }
    const double a_r = f[0] * sin(beta) * cos(psi) + f[1] * cos(gamma), a_t = f[0] * sin(beta) * sin(psi);
    return (Vector){a_r * rx - a_t * ry, a_r * ry + a_t * rx, -f[0] * cos(beta) - f[1] * sin(gamma) - f[2]};
}

/// Normal part that does not pull, tangential part within the cone, whole stress without gain of power.
static Vector limited(const GrRftPiece *k, Vector a)
{
    const Vector n = {k->nx, k->ny, k->nz}, v = {k->vx, k->vy, k->vz};
    const double sigma = -dot(a, n);
    if (!(sigma > 0)) {
        return (Vector){0, 0, 0};
    }
    const Vector t = {a.x + sigma * n.x, a.y + sigma * n.y, a.z + sigma * n.z};
    double share = fmin(1, k->friction * sigma / sqrt(dot(t, t)));
    if (share * dot(t, v) > sigma * dot(n, v)) {
        share = sigma * dot(n, v) / dot(t, v);
    }
    return (Vector){share * t.x - sigma * n.x, share * t.y - sigma * n.y, share * t.z - sigma * n.z};
}

static void test_printed_formulas(void **state)
{
    (void)state;
    GrRandom g = gr_random_stream(1, "printed");
    int limits = 0;
    for (int i = 0; i < SAMPLES; i++) {
        GrRftPiece k = random_piece(&g, GR_RFT_FADE);
        if (i % 50 == 0) { // vertical, as the wheel sinks
            k.vx = k.vy = 0;
            k.vz = k.nz < 0 ? -1 : 1;
        }
        if (fabs(k.nz) < GR_RFT_UPRIGHT || k.nx * k.vx + k.ny * k.vy + k.nz * k.vz < GR_RFT_FADE) {
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
            GrRftPiece k = {cos(angle), sin(angle), (j - 1) * 1e-13, v.x, v.y, v.z, 1e9};
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
        const GrRftPiece turned = {
            c * k.nx - s * k.ny, s * k.nx + c * k.ny, k.nz, c * k.vx - s * k.vy, s * k.vx + c * k.vy, k.vz, k.friction};
        const GrRftPiece mirrored = {k.nx, -k.ny, k.nz, k.vx, -k.vy, k.vz, k.friction};
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
    for (int i = 0; i < 5 * SAMPLES; i++) {
        const GrRftPiece k = random_piece(&g, -1);
        const GrRftStress a = gr_rft_stress(&k), c = gr_rft_cohesive(&k, 3);
        assert_true(a.x * k.vx + a.y * k.vy + a.z * k.vz <= 1e-15);
        assert_true(c.x * k.vx + c.y * k.vy + c.z * k.vz <= 1e-15);
        assert_true(a.x * k.nx + a.y * k.ny + a.z * k.nz <= 1e-15);
        if (k.nx * k.vx + k.ny * k.vy + k.nz * k.vz <= 0) {
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
