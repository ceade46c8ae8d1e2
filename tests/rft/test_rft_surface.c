/// Wheels of any shape in grains: the surface of a mesh against the cylinder with grousers in closed form, its
/// derivatives, its pieces, and what is refused.
#include "support/soil_test.h"

#include "rft_surface.h"
#include "rft_wheel.h"
#include "wheel_mesh.h"

#include "random.h"

static const double MESH = 0.02;     // of the load: 96 flat segments and pieces of a tenth of the radius
static const double GROUSERS = 0.05; // of the forces: the ends of grousers count on a mesh only

enum { TRIANGLES = 5000 };

typedef struct Wheel {
    GrVec3 triangles[TRIANGLES][3];
    int count;
    GrWheelSurface *surface;
} Wheel;

static void make_wheel(int grousers, Wheel *w)
{
    GrWheelMeshDef def = gr_default_wheel_mesh_def();
    GrWheelMesh mesh;
    def.radius = 0.1;
    def.width = 0.08;
    def.grouser_count = grousers;
    def.grouser_height = 0.01;
    def.grouser_thickness = 0.003;
    assert_int_equal(gr_wheel_mesh_create(&def, &mesh, NULL), GR_OK);
    w->count = mesh.mesh.triangle_count;
    assert_true(w->count <= TRIANGLES);
    for (int i = 0; i < w->count; i++) {
        for (int k = 0; k < 3; k++) {
            w->triangles[i][k] = mesh.mesh.vertices[mesh.mesh.triangles[i][k]];
        }
    }
    gr_wheel_mesh_free(&mesh);
    assert_int_equal(gr_wheel_surface_create((const GrVec3(*)[3])w->triangles, w->count, &w->surface, NULL), GR_OK);
}

static GrSoilDef sand(double cohesion)
{
    GrSoilDef soil = gr_default_soil_def();
    soil.law = GR_SOIL_RFT;
    soil.density = 1600;
    soil.friction_angle = 32 * test_degree;
    soil.cohesion = cohesion;
    return soil;
}

/// Depth over a triangle, as a sum over many small ones.
static void test_wetted(void **state)
{
    (void)state;
    enum { N = 400 };
    GrRandom g = gr_random_stream(1, "wetted");
    for (int i = 0; i < 60; i++) {
        double d[3], depth = 0, share = 0;
        for (int k = 0; k < 3; k++) {
            d[k] = gr_random_uniform(&g, -1, 1);
        }
        for (int a = 0; a < N; a++) {
            for (int b = 0; b < 2 * (N - a) - 1; b++) { // small triangles of a row, upright and upside down
                const int pair = b / 2;
                const double u = (a + (b % 2 ? 2.0 : 1.0) / 3) / N, v = (pair + (b % 2 ? 2.0 : 1.0) / 3) / N;
                const double at = d[0] + u * (d[1] - d[0]) + v * (d[2] - d[0]);
                depth += fmax(0, at) / (N * N);
                share += at > 0 ? 1.0 / (N * N) : 0;
            }
        }
        const GrWetted wet = gr_wetted(d);
        assert_near(wet.depth, depth, 1e-4);
        assert_near(wet.share, share, 1e-2);
        const double e = 1e-6, up[3] = {d[0] + e, d[1] + e, d[2] + e}, down[3] = {d[0] - e, d[1] - e, d[2] - e};
        assert_near((gr_wetted(up).depth - gr_wetted(down).depth) / (2 * e), wet.share, 1e-5);
        assert_near((gr_wetted(up).share - gr_wetted(down).share) / (2 * e), wet.share_d, 1e-3);
    }
}

/// What is seen from outside: rim and sides, and of grousers what stands out of the rim.
static void test_pieces(void **state)
{
    (void)state;
    for (int grousers = 0; grousers <= 18; grousers += 18) {
        static Wheel w;
        make_wheel(grousers, &w);
        double area = 0, recessed = 0;
        for (int i = 0; i < w.surface->count; i++) {
            area += w.surface->pieces[i].area;
            recessed += w.surface->pieces[i].recessed ? w.surface->pieces[i].area : 0;
            assert_true(i == 0 || w.surface->pieces[i].angle >= w.surface->pieces[i - 1].angle);
        }
        const double r = 0.1, b = 0.08, height = 0.01, thickness = 0.003;
        const double ends = grousers * 2 * height * thickness, faces = grousers * 2 * height * b;
        assert_near_rel(area, 2 * GR_PI * r * (r + b) + faces + ends, 0.03); // pieces at the feet count or do not
        if (grousers > 0) {
            assert_near_rel(recessed, 2 * GR_PI * r * b - grousers * thickness * b + faces, 0.06);
        }
        GrSoilWheelDef def = gr_default_soil_wheel_def();
        gr_wheel_surface_describe(w.surface, &def);
        assert_int_equal(def.grouser_count, grousers);
        assert_near_rel(def.radius + def.grouser_height, grousers ? hypot(r + height, thickness / 2) : r, 0.002);
        assert_near(def.grouser_thickness, grousers ? thickness : 0, 0.0005);
        assert_near(def.width, b, 1e-12);
        gr_wheel_surface_free(w.surface);
    }
}

/// The same wheel in closed form, driving, braking and sideways, with and without grousers, at several angles.
static void test_cylinder(void **state)
{
    (void)state;
    const GrSoilDef soil = sand(0);
    for (int grousers = 0; grousers <= 18; grousers += 18) {
        static Wheel mesh;
        make_wheel(grousers, &mesh);
        GrSoilWheelDef def = gr_default_soil_wheel_def(), plain;
        gr_wheel_surface_describe(mesh.surface, &def);
        plain = def;
        plain.surface = NULL;
        const GrSoilWheel a = prepared(&soil, &def), b = prepared(&soil, &plain);
        double worst = 0;
        for (int i = 0; i < 40; i++) {
            const double slip = -1 + 0.048 * i, beta = 0.3 * (i % 5), h = 0.01 + 0.005 * (i % 9), turn = 0.7 * i;
            GrSoilSteady p, q, press;
            gr_soil_steady(&a, slip, beta, h, turn, &p);
            gr_soil_steady(&b, slip, beta, h, turn, &q);
            gr_soil_steady(&b, 0, 0, h, turn, &press);
            for (int k = 0; k < 6; k++) {
                const double arm = (press.f_z + fabs(q.f_x) + fabs(q.f_y)) * (k < 3 ? 1 : a.radius);
                worst = fmax(worst, fabs(p.output.wrench[k] - q.output.wrench[k]) / arm);
            }
        }
        print_message("%d grousers: %.2f %% off the closed form\n", grousers, 100 * worst);
        assert_true(worst < (grousers ? GROUSERS : MESH));
        gr_wheel_surface_free(mesh.surface);
    }
}

/// Central differences by the sinkage, cohesion and trench included.
static void test_derivative(void **state)
{
    (void)state;
    static Wheel mesh;
    make_wheel(18, &mesh);
    const GrSoilDef soil = sand(300);
    GrSoilWheelDef def = gr_default_soil_wheel_def();
    gr_wheel_surface_describe(mesh.surface, &def);
    const GrSoilWheel w = prepared(&soil, &def);
    double state_vector[GR_STATE_MAX] = {0};
    state_vector[GR_HEAD_ROLL] = 1;
    state_vector[GR_HEAD_SLIP] = -0.4;
    state_vector[GR_HEAD_SIDE] = 0.5;
    for (int i = 0; i < 12; i++) {
        const double e = 1e-8, h = 0.004 + 0.007 * i;
        GrSoilOutput at, side[2];
        GrSoilMotion motion = {.sinkage = {h}, .twist = {0.1, 0.05, -0.01, 0, 0.6, 0}, .wheel_angle = 0.3 * i};
        gr_soil_evaluate(&w, &motion, 1, state_vector, NULL, &at);
        for (int s = 0; s < 2; s++) {
            motion.sinkage[0] = h + (s ? e : -e);
            gr_soil_evaluate(&w, &motion, 1, state_vector, NULL, &side[s]);
        }
        for (int k = 0; k < 6; k++) {
            const double slope = (side[1].wrench[k] - side[0].wrench[k]) / (2 * e);
            assert_near(at.d_sinkage[k], slope, 1e-3 * fabs(at.d_sinkage[2]));
        }
    }
    gr_wheel_surface_free(mesh.surface);
}

static void refuse(const GrVec3 (*triangles)[3], int count, const char *word)
{
    GrErrorLog log = {0};
    GrWheelSurface *surface;
    assert_int_equal(gr_wheel_surface_create(triangles, count, &surface, &log), GR_ERROR_VALUE);
    assert_null(surface);
    assert_non_null(strstr(log.items[0].text, word));
}

static void test_refused(void **state)
{
    (void)state;
    static Wheel w;
    make_wheel(0, &w);
    const GrVec3(*triangles)[3] = (const GrVec3(*)[3])w.triangles;
    refuse(triangles, 3, "4 to");
    refuse(triangles, w.count - 40, "not closed");
    for (int i = 0; i < w.count; i++) { // beside its axle, then inside out
        for (int k = 0; k < 3; k++) {
            w.triangles[i][k].y += 0.03;
        }
    }
    refuse(triangles, w.count, "centre");
    for (int i = 0; i < w.count; i++) {
        for (int k = 0; k < 3; k++) {
            w.triangles[i][k].y = 0.03 - w.triangles[i][k].y;
        }
    }
    refuse(triangles, w.count, "counter-clockwise");
    GrSoilDef soil = sand(0);
    GrSoilWheelDef def = gr_default_soil_wheel_def();
    GrErrorLog log = {0};
    gr_wheel_surface_describe(w.surface, &def);
    assert_int_equal(gr_soil_check_wheel(&soil, &def, &log), GR_OK);
    def.slices = 2;
    assert_int_equal(gr_soil_check_wheel(&soil, &def, &log), GR_ERROR_UNSUPPORTED);
    def.slices = 1;
    soil.law = GR_SOIL_WONG_REECE;
    assert_int_equal(gr_soil_check_wheel(&soil, &def, &log), GR_ERROR_UNSUPPORTED);
    gr_wheel_surface_free(w.surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wetted),     cmocka_unit_test(test_pieces),  cmocka_unit_test(test_cylinder),
        cmocka_unit_test(test_derivative), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
