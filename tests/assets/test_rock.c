/// Rocks: same seed same bytes, closed surfaces, mass properties, and that they lie still.
#include "rock.h"
#include "support/rigid_bench.h"

static void test_same_seed_same_bytes(void **state)
{
    (void)state;
    for (int kind = GR_ROCK_HULL; kind <= GR_ROCK_DEVIATION; kind++) {
        GrRockDef def = gr_default_rock_def();
        def.kind = (GrRockKind)kind;
        GrRockMesh a, b, c;
        assert_int_equal(gr_rock_create(&def, &a, NULL), GR_OK);
        assert_int_equal(gr_rock_create(&def, &b, NULL), GR_OK);
        def.seed = 2;
        assert_int_equal(gr_rock_create(&def, &c, NULL), GR_OK);
        GrBuffer first = {0}, second = {0}, third = {0};
        gr_surface_mesh_obj(&a.mesh, a.id, 0, &first);
        gr_surface_mesh_obj(&b.mesh, b.id, 0, &second);
        gr_surface_mesh_obj(&c.mesh, c.id, 0, &third);
        assert_string_equal(first.data, second.data);
        assert_string_not_equal(first.data, third.data);
        assert_string_equal(a.id, b.id);
        assert_string_not_equal(a.id, c.id);
        gr_buffer_free(&first);
        gr_buffer_free(&second);
        gr_buffer_free(&third);
        gr_rock_free(&a);
        gr_rock_free(&b);
        gr_rock_free(&c);
    }
}

/// Every directed edge has its opposite: the surface is closed and its triangles have the same orientation.
static void check_closed(const GrSurfaceMesh *m)
{
    for (int i = 0; i < m->triangle_count; i++) {
        for (int e = 0; e < 3; e++) {
            const int a = m->triangles[i][e], b = m->triangles[i][(e + 1) % 3];
            int opposite = 0;
            for (int j = 0; j < m->triangle_count; j++) {
                for (int f = 0; f < 3; f++) {
                    opposite += m->triangles[j][f] == b && m->triangles[j][(f + 1) % 3] == a;
                }
            }
            assert_int_equal(opposite, 1);
        }
    }
}

static void test_mass_properties(void **state)
{
    (void)state;
    for (int seed = 0; seed < 20; seed++) {
        GrRockDef def = gr_default_rock_def();
        def.kind = seed % 2 ? GR_ROCK_NOISE : GR_ROCK_HULL;
        def.refinement = 2;
        def.seed = (uint64_t)seed;
        GrRockMesh rock;
        assert_int_equal(gr_rock_create(&def, &rock, NULL), GR_OK);
        check_closed(&rock.mesh);
        const GrSolid solid = gr_surface_mesh_solid(&rock.mesh), hull = gr_convex_mesh_solid(rock.hull);
        assert_near(gr_norm(solid.com), 0, 1e-12);
        assert_true(rock.volume > 0 && hull.volume >= rock.volume * (1 - 1e-12));
        assert_near_rel(rock.mass, def.density * solid.volume, 1e-12);
        if (def.kind == GR_ROCK_HULL) {
            const double cylinder = 3.14159265358979323846 / 4 * def.diameter * def.diameter * def.height;
            assert_near_rel(hull.volume, rock.volume, 1e-12);
            assert_true(rock.volume > 0.3 * cylinder && rock.volume < cylinder);
        }
        assert_true(rock.inertia.xx < rock.inertia.yy + rock.inertia.zz);
        gr_rock_free(&rock);
    }
}

/// A smooth one is an ellipsoid: volume π/6 d² h, inertia m (d² + h²)/20.
static void test_smooth_noise_rock_is_an_ellipsoid(void **state)
{
    (void)state;
    GrRockDef def = gr_default_rock_def();
    def.kind = GR_ROCK_NOISE;
    def.roughness = def.detail = 0;
    def.refinement = 5;
    GrRockMesh rock;
    assert_int_equal(gr_rock_create(&def, &rock, NULL), GR_OK);
    const double d = def.diameter, h = def.height, pi = 3.14159265358979323846;
    assert_near_rel(rock.volume, pi / 6 * d * d * h, 2e-3); // an inscribed polyhedron
    assert_near_rel(rock.inertia.xx, rock.mass * (d * d + h * h) / 20, 3e-3);
    assert_near_rel(rock.inertia.zz, rock.mass * d * d / 10, 3e-3);
    gr_rock_free(&rock);
}

/// Mean volume of the hull of n points on a sphere, over that of the sphere: (n − 1)(n − 2)(n − 3)/((n + 1)(n + 2)(n +
/// 3)) (Buchta, Müller & Tichy 1985), also of an ellipsoid.
static void test_deviation_none(void **state)
{
    (void)state;
    enum { ROCKS = 2000 };
    const double pi = 3.14159265358979323846;
    GrRockDef def = gr_default_rock_def();
    def.kind = GR_ROCK_DEVIATION;
    def.primitive = GR_ROCK_ELLIPSOID;
    def.deviation = 0;
    const double n = def.points, whole = pi / 6 * def.diameter * def.diameter * def.height;
    double sum = 0, squares = 0;
    for (int i = 0; i < ROCKS; i++) {
        GrRockMesh rock;
        def.seed = (uint64_t)i;
        assert_int_equal(gr_rock_create(&def, &rock, NULL), GR_OK);
        sum += rock.volume / whole;
        squares += rock.volume / whole * rock.volume / whole;
        gr_rock_free(&rock);
    }
    const double mean = sum / ROCKS, error = sqrt((squares / ROCKS - mean * mean) / ROCKS);
    assert_near(mean, (n - 1) * (n - 2) * (n - 3) / ((n + 1) * (n + 2) * (n + 3)), 4 * error);
    assert_true(error < 1e-3);
}

/// A thousand points fill the primitive but for its edges; with a deviation no point is beyond its bound.
static void test_primitives(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    const double volumes[GR_ROCK_PRIMITIVE_COUNT] = {pi / 4, 5 * pi / 24, pi / 6, pi / 6, 0.5}; // over d² h
    for (int i = 0; i < GR_ROCK_PRIMITIVE_COUNT; i++) {
        GrRockDef def = gr_default_rock_def();
        def.kind = GR_ROCK_DEVIATION;
        def.primitive = (GrRockPrimitive)i;
        def.points = 1000;
        def.deviation = 0;
        GrRockMesh rock, rough;
        assert_int_equal(gr_rock_create(&def, &rock, NULL), GR_OK);
        const double share = rock.volume / (volumes[i] * def.diameter * def.diameter * def.height);
        assert_true(share > 0.94 && share < 1);
        def.deviation = 0.3;
        assert_int_equal(gr_rock_create(&def, &rough, NULL), GR_OK);
        assert_string_not_equal(rock.id, rough.id);
        assert_true(rough.volume > 1.5 * rock.volume && rough.volume < pow(1 + 3 * def.deviation, 3) * rock.volume);
        const GrRockExtent extent = gr_rock_extent(&def);
        assert_true(rough.hull->upper.z - rough.hull->lower.z < extent.height && rough.hull->radius < extent.reach);
        gr_rock_free(&rock);
        gr_rock_free(&rough);
    }
}

static void test_bad_definitions(void **state)
{
    (void)state;
    GrRockDef def = gr_default_rock_def();
    def.points = 3;
    def.density = -1;
    GrRockMesh rock;
    GrErrorLog log = {0};
    assert_int_equal(gr_rock_create(&def, &rock, &log), GR_ERROR_VALUE);
    assert_int_equal(log.error_count, 2);
    assert_string_equal(log.items[0].field, "density");
}

/// Dropped rocks come to rest, fall asleep, and sleep in a heap when they touch.
static void test_rocks_come_to_rest(void **state)
{
    (void)state;
    enum { COUNT = 12 };
    static const GrVec3 UP = {0, 0, 1};
    GrRockMesh rocks[COUNT];
    GrRigidDef def = gr_default_rigid_def();
    def.ground = (GrRigidGround){gr_plane_ground, &UP};
    for (int i = 0; i < COUNT; i++) {
        GrRockDef rock = gr_default_rock_def();
        rock.kind = i % 2 ? GR_ROCK_NOISE : GR_ROCK_HULL;
        rock.refinement = 2;
        rock.seed = (uint64_t)i;
        assert_int_equal(gr_rock_create(&rock, &rocks[i], NULL), GR_OK);
        const GrPose pose = {{0.22 * (i % 3), 0.22 * (i / 3 % 2), 0.2 + 0.3 * (i / 6)},
                             gr_quat_axis_angle(gr_vec3(1, 0, 0), 0.3 * i)};
        gr_add_loose(&def, gr_convex_of_mesh(rocks[i].hull), rocks[i].mass, rocks[i].inertia, pose,
                     (GrTwist){{0, 0, 0}, {0, 0, 0}}, 0);
    }
    GrRigidBench b = gr_rigid_bench(&def, 2e-3);
    gr_rigid_bench_run(&b, 20);
    for (int i = 0; i < COUNT; i++) {
        const GrVec3 p = gr_rigid_loose_pose(b.w, b.s, i).position;
        assert_true(gr_rigid_loose_asleep(b.s, i));
        assert_true(p.z > 0 && p.z < 1 && fabs(p.x) < 3 && fabs(p.y) < 3);
    }
    gr_rigid_bench_free(&b);
    for (int i = 0; i < COUNT; i++) {
        gr_rock_free(&rocks[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_seed_same_bytes),
        cmocka_unit_test(test_mass_properties),
        cmocka_unit_test(test_smooth_noise_rock_is_an_ellipsoid),
        cmocka_unit_test(test_deviation_none),
        cmocka_unit_test(test_primitives),
        cmocka_unit_test(test_bad_definitions),
        cmocka_unit_test(test_rocks_come_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
