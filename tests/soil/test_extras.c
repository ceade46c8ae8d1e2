/// Add-ons: closed forms by hand, by quadrature and by published check values.
#include "support/soil_test.h"

#include "extras.h"

/// Lunar Roving Vehicle, hand calculation (ENAE788X slides, D. Akin, recomputed): R_b of a front wheel.
static void test_front_bulldozing_lrv(void **state)
{
    (void)state;
    GrSoilDef soil = gr_default_soil_def();
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    soil.k_c = 1400;
    soil.k_phi = 820000;
    soil.n0 = 1;
    soil.cohesion = 170;
    soil.friction_angle = 0.576;
    soil.front_bulldozing = true;
    soil.density = 2472 / 1.62;
    wheel.gravity = 1.62;
    wheel.radius = 0.813 / 2;
    wheel.width = 0.229;
    GrSoilWheel w = prepared(&soil, &wheel);
    double slope;
    const double r_b = gr_front_bulldozing(&w, 0.017311, &slope);
    print_message("LRV: K_c %.3f (33.366), K_gamma %.3f (72.762), R_b %.3f N (90.389; the slides round to 95)\n",
                  w.wedge_c, w.wedge_gamma, r_b);
    assert_near_rel(w.wedge_c, 33.366, 1e-3);
    assert_near_rel(w.wedge_gamma, 72.762, 1e-3);
    assert_near_rel(r_b, 90.389, 1e-3);
    // Given bearing factors replace Terzaghi's.
    soil.bearing_c = 48.09;
    soil.bearing_gamma = 33.27;
    w = prepared(&soil, &wheel);
    assert_near_rel(gr_front_bulldozing(&w, 0.017311, &slope), 90.389, 1e-3);
    GrSoilSteady with, without;
    gr_soil_steady(&w, 0.1, 0, 0.017311, 0, &with);
    soil.front_bulldozing = false;
    w = prepared(&soil, &wheel);
    gr_soil_steady(&w, 0.1, 0, 0.017311, 0, &without);
    assert_near_rel(without.f_x - with.f_x, 90.389, 1e-3);
}

/// R_b as printed (Bekker 1969), with each of its three parts large enough to show, and its derivative: the wedge
/// before the wheel, the heap γ l³/3 (π/2 − φ) that it raises and the cohesion c l² (1 + tan(π/4 + φ/2)) of the ground
/// below, on l = z tan²(π/4 − φ/2).
static void test_front_bulldozing_parts(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    soil.front_bulldozing = true;
    soil.friction_angle = 20 * test_degree;
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    for (int i = 0; i < 2; i++) {
        soil.cohesion = i == 0 ? 0 : 400;
        wheel.width = i == 0 ? 0.02 : 0.11;
        const GrSoilWheel w = prepared(&soil, &wheel);
        const double phi = soil.friction_angle, c = soil.cohesion, gamma = soil.density * wheel.gravity;
        for (double z = 0.01; z < w.radius; z += 0.01) {
            const double alpha = acos(1 - z / w.radius), l = z * pow(tan(45 * test_degree - phi / 2), 2);
            const double wedge = wheel.width * sin(alpha + phi) / (2 * sin(alpha) * cos(phi)) *
                                 (2 * z * c * w.wedge_c + gamma * z * z * w.wedge_gamma);
            const double heap = l * l * l * gamma / 3 * (90 * test_degree - phi);
            const double apron = c * l * l * (1 + tan(45 * test_degree + phi / 2));
            double slope, none;
            assert_near_rel(gr_front_bulldozing(&w, z, &slope), wedge + heap + apron, 1e-9);
            const double e = 1e-6 * z;
            const double rise = gr_front_bulldozing(&w, z + e, &none) - gr_front_bulldozing(&w, z - e, &none);
            assert_near_rel(slope, rise / (2 * e), 1e-6);
        }
    }
}

/// F_s = ∫ R_b(z) (r − z cos θ) dθ as printed, by a plain sum.
static void test_hegedus(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    soil.exit_ratio = 0.6;
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrSoilWheel w = prepared(&soil, &wheel);
    const double phi = soil.friction_angle, xc = 45 * test_degree - phi / 2, h = 0.02, r = 0.09;
    const double d1 = 1 / tan(xc) + tan(xc + phi), d2 = 1 / tan(xc) + tan(phi) / (tan(xc) * tan(xc));
    const double t1 = acos(1 - h / r), t2 = -acos(1 - 0.6 * h / r);
    const int count = 100000;
    double sum = 0;
    for (int i = 0; i < count; i++) {
        const double t = t2 + (t1 - t2) * (i + 0.5) / count, z = r * (cos(t) - cos(t1));
        sum += d1 * (soil.cohesion * z + d2 * 1600 * 9.80665 * z * z / 2) * (r - z * cos(t)) * (t1 - t2) / count;
    }
    double slope;
    assert_near_rel(gr_side_hegedus(&w, h, &slope), sum, 1e-6);
}

enum { SECTORS = 720 };

static GrSideWall *side_wall(GrVec3 (*triangles)[3], int count)
{
    GrSideWall *side = NULL;
    assert_int_equal(gr_side_wall_create((const GrVec3(*)[3])triangles, count, &side, NULL), GR_OK);
    return side;
}

/// The mesh of a full disc against the integral of passive pressure over a circular segment; and Hegedus beside it.
static void test_side_mesh(void **state)
{
    (void)state;
    static GrVec3 disc[SECTORS][3], ring[2 * SECTORS][3];
    const double r = 0.09, hole = 0.08;
    for (int i = 0; i < SECTORS; i++) {
        const double a = 2 * 3.14159265358979323846 * i / SECTORS, b = 2 * 3.14159265358979323846 * (i + 1) / SECTORS;
        const GrVec3 p = {r * sin(a), 0.055, -r * cos(a)}, q = {r * sin(b), 0.055, -r * cos(b)};
        const GrVec3 s = {hole * sin(a), 0.055, -hole * cos(a)}, t = {hole * sin(b), 0.055, -hole * cos(b)};
        disc[i][0] = (GrVec3){0, 0.055, 0};
        disc[i][1] = p;
        disc[i][2] = q;
        ring[2 * i][0] = ring[2 * i + 1][0] = s;
        ring[2 * i][1] = p;
        ring[2 * i][2] = ring[2 * i + 1][1] = q;
        ring[2 * i + 1][2] = t;
    }
    GrSoilDef soil = ishigami();
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    soil.side_bulldozing = GR_SIDE_MESH;
    GrSideWall *full = side_wall(disc, SECTORS), *open = side_wall(ring, 2 * SECTORS);
    wheel.side = full;
    const GrSoilWheel w = prepared(&soil, &wheel);
    const double h = 0.02, n = w.passive, gamma = 1600 * 9.80665;
    double exact = 0, cut = 0;
    const int count = 20000;
    for (int i = 0; i < count; i++) {
        const double z = h * (i + 0.5) / count, level = r - h + z, chord = 2 * sqrt(r * r - level * level);
        const double inner = level < hole ? 2 * sqrt(hole * hole - level * level) : 0;
        const double pressure = gamma * z * n + 2 * soil.cohesion * sqrt(n);
        exact += pressure * chord * h / count;
        cut += pressure * (chord - inner) * h / count;
    }
    double slope;
    const double mesh = gr_side_mesh(&w, h, 0.3, &slope), closed = gr_side_hegedus(&w, h, &slope);
    print_message(
        "side wall at %.0f mm: mesh %.3f N, integral %.3f N; Hegedus %.3f N (its weight term is larger by %.2f)\n",
        1e3 * h, mesh, exact, closed, 2 * (1 + sqrt(n) * w.tan_phi));
    assert_near_rel(mesh, exact, 2e-4);
    wheel.side = open;
    const GrSoilWheel holed = prepared(&soil, &wheel);
    assert_near_rel(gr_side_mesh(&holed, h, 0.3, &slope), cut, 1e-3);
    // Cohesion alone: the two forms have the same pressure 2 c √N z per width; only Hegedus' measure (r − z cos θ) dθ
    // is not the chord's r cos θ dθ.
    soil.density = 0;
    soil.side_bulldozing = GR_SIDE_HEGEDUS;
    const GrSoilWheel dry = prepared(&soil, &wheel);
    double sum = 0;
    const double t1 = acos(1 - h / r);
    for (int i = 0; i < count; i++) {
        const double t = -t1 + 2 * t1 * (i + 0.5) / count, z = r * (cos(t) - cos(t1));
        sum += 2 * soil.cohesion * sqrt(n) * z * (r - z * cos(t)) * 2 * t1 / count;
    }
    assert_near_rel(gr_side_hegedus(&dry, h, &slope), sum, 1e-6);
    gr_side_wall_free(full);
    gr_side_wall_free(open);
}

/// A disc of `sectors` triangles.
static GrSideWall *disc_mesh(GrVec3 (*out)[3], int sectors, double r)
{
    for (int i = 0; i < sectors; i++) {
        const double a = 2 * 3.14159265358979323846 * i / sectors, b = 2 * 3.14159265358979323846 * (i + 1) / sectors;
        out[i][0] = (GrVec3){0, 0.055, 0};
        out[i][1] = (GrVec3){r * sin(a), 0.055, -r * cos(a)};
        out[i][2] = (GrVec3){r * sin(b), 0.055, -r * cos(b)};
    }
    return side_wall(out, sectors);
}

/// A wheel without triangles has a full side: what meshes tend to as 1/sectors², and with cohesion alone what Hegedus
/// gives as h/r goes to 0, where (r − z cos θ) dθ and the chord's r cos θ dθ are one measure.
static void test_full_side(void **state)
{
    (void)state;
    static GrVec3 disc[2 * SECTORS][3];
    GrSoilDef soil = ishigami();
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    soil.side_bulldozing = GR_SIDE_MESH;
    const GrSoilWheel full = prepared(&soil, &wheel);
    double slope, error[2];
    for (int k = 0; k < 2; k++) {
        GrSideWall *side = disc_mesh(disc, (1 + k) * SECTORS, wheel.radius);
        wheel.side = side;
        const GrSoilWheel w = prepared(&soil, &wheel);
        error[k] = gr_side_mesh(&full, 0.02, 0, &slope) - gr_side_mesh(&w, 0.02, 0.1, &slope);
        gr_side_wall_free(side);
    }
    print_message("full side less its mesh: %.3e and %.3e N with twice the triangles\n", error[0], error[1]);
    assert_true(error[1] > 0);
    assert_near(error[0] / error[1], 4, 0.5);
    // The slope is the derivative, out of the hub's depth too.
    for (double h = 0.001; h < 0.17; h += 0.013) {
        const double up = gr_side_mesh(&full, h + 1e-6, 0, &slope), down = gr_side_mesh(&full, h - 1e-6, 0, &slope);
        gr_side_mesh(&full, h, 0, &slope);
        assert_near_rel(slope, (up - down) / 2e-6, 1e-5);
    }
    soil.density = 0;
    wheel.side = NULL;
    const GrSoilWheel dry = prepared(&soil, &wheel), plain = dry;
    double last = 1;
    for (double h = 0.01 * wheel.radius; h > 1e-4 * wheel.radius; h /= 10) {
        const double off = fabs(gr_side_mesh(&plain, h, 0, &slope) / gr_side_hegedus(&dry, h, &slope) - 1);
        assert_true(off < h / wheel.radius && off < 0.2 * last);
        last = off;
    }
}

/// The force on the side wall is that of soil whose pressure grows with depth: it acts a third of the sinkage above the
/// lowest point, and turns the wheel about the axis of travel.
static void test_side_moment(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    for (int i = 0; i < 4; i++) {
        const double h = 0.03, beta = i % 2 == 0 ? 0.4 : -0.4;
        GrSoilSteady with, without;
        soil.side_bulldozing = GR_SIDE_NONE;
        soil.wedge = 0;
        GrSoilWheel w = prepared(&soil, &wheel);
        gr_soil_steady(&w, 0.2, beta, h, 0, &without);
        soil.side_bulldozing = i < 2 ? GR_SIDE_HEGEDUS : GR_SIDE_NONE;
        soil.wedge = i < 2 ? 0 : 1;
        w = prepared(&soil, &wheel);
        gr_soil_steady(&w, 0.2, beta, h, 0, &with);
        const double force = with.output.wrench[1] - without.output.wrench[1];
        assert_true(force * beta < 0 && fabs(force) > 1);
        assert_near_rel(with.output.wrench[3] - without.output.wrench[3], force * (w.radius - h / 3), 1e-9);
    }
}

static void test_sunk_area(void **state)
{
    (void)state;
    double slope;
    assert_near_rel(gr_sunk_area(0.1, 0.1, &slope), 0.5 * 3.14159265358979 * 0.01, 1e-12);
    assert_near_rel(slope, 0.2, 1e-12);
    GrSoilDef soil = ishigami();
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    GrSoilSteady with, without;
    GrSoilWheel w = prepared(&soil, &wheel);
    gr_soil_steady(&w, 0.2, 0.1, 0.015, 0, &without);
    soil.side_drag = 1000;
    w = prepared(&soil, &wheel);
    gr_soil_steady(&w, 0.2, 0.1, 0.015, 0, &with);
    assert_near_rel(without.f_x - with.f_x, 2 * 1000 * gr_sunk_area(0.09, 0.015, &slope), 1e-9);
    assert_near_rel(without.f_y, with.f_y, 1e-12);
}

/// Lug forces repeat with the pitch, help traction, and are continuous in the wheel angle.
static void test_lugs(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrSoilWheel smooth = prepared(&soil, &wheel);
    wheel.grousers = GR_GROUSER_LUGS;
    wheel.grouser_count = 15;
    wheel.grouser_height = 0.01;
    const GrSoilWheel w = prepared(&soil, &wheel);
    GrSoilSteady a, b, s;
    const double pitch = 2 * 3.14159265358979323846 / 15;
    gr_soil_steady(&smooth, 0.3, 0, 0.015, 0, &s);
    double low = 1e9, high = -1e9, last = 0;
    for (int i = 0; i <= 400; i++) {
        const double angle = pitch * i / 400;
        gr_soil_steady(&w, 0.3, 0, 0.015, angle, &a);
        gr_soil_steady(&w, 0.3, 0, 0.015, angle + 3 * pitch, &b);
        assert_near(a.f_x, b.f_x, 1e-9);
        assert_true(a.f_x > s.f_x);
        assert_true(i == 0 || fabs(a.f_x - last) < 0.5);
        last = a.f_x;
        low = fmin(low, a.f_x);
        high = fmax(high, a.f_x);
    }
    print_message("lugs: drawbar pull %.2f … %.2f N over a pitch, smooth wheel %.2f N\n", low, high, s.f_x);
    assert_true(high - low > 0.01);
    // One lug at the bottom, fully in: P = b (γ e² N/2 + q e N + 2 c e √N)
    wheel.grouser_count = 1;
    const GrSoilWheel single = prepared(&soil, &wheel);
    const GrLugs lug = gr_lug_wedges(&single, 0.015, 0);
    const double g = 1600 * 9.80665, n = single.passive, e = 0.01;
    assert_near_rel(lug.t, 0.11 * (g * e * e * n / 2 + g * 0.015 * e * n + 2 * 800 * e * sqrt(n)), 1e-12);
    // The radius model makes the wheel larger.
    wheel.grousers = GR_GROUSER_RADIUS;
    assert_near(prepared(&soil, &wheel).radius, 0.1, 1e-15);
}

/// LS10 eq. 3.13: resistances grow with speed as sign(v)(1 − e^(−|v|/k_r)).
static void test_low_speed(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    soil.front_bulldozing = true;
    GrSoilSteady plain, slow;
    GrSoilWheel w = prepared(&soil, &wheel);
    gr_soil_steady(&w, 0, 0, 0.015, 0, &plain);
    soil.resistance_speed = 2; // the static formulas run at 1 m/s
    w = prepared(&soil, &wheel);
    gr_soil_steady(&w, 0, 0, 0.015, 0, &slow);
    double slope;
    const double resist = -plain.output.compaction + gr_front_bulldozing(&w, 0.015, &slope);
    assert_near_rel(slow.f_x - plain.f_x, resist * exp(-0.5), 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_front_bulldozing_lrv),
                                       cmocka_unit_test(test_front_bulldozing_parts),
                                       cmocka_unit_test(test_hegedus),
                                       cmocka_unit_test(test_side_mesh),
                                       cmocka_unit_test(test_full_side),
                                       cmocka_unit_test(test_side_moment),
                                       cmocka_unit_test(test_sunk_area),
                                       cmocka_unit_test(test_lugs),
                                       cmocka_unit_test(test_low_speed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
