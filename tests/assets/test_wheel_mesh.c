/// Wheels: volumes, outward surfaces, grousers where they belong, and shapes for contact that match.
#include "mesh_file.h"
#include "support/rigid_bench.h"
#include "wheel_mesh.h"

#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static void test_rim_volume(void **state)
{
    (void)state;
    GrWheelMeshDef def = gr_default_wheel_mesh_def();
    def.segments = 360;
    GrWheelMesh flat, crowned;
    assert_int_equal(gr_wheel_mesh_create(&def, &flat, NULL), GR_OK);
    def.profile = GR_RIM_CONVEX;
    assert_int_equal(gr_wheel_mesh_create(&def, &crowned, NULL), GR_OK);
    const double r = def.radius, w = def.width, c = def.crown;
    assert_near_rel(flat.rim_volume, PI * r * r * w, 1e-3);
    // ∫ π (r − c u²)² w/2 du, u = −1 .. 1
    assert_near_rel(crowned.rim_volume, PI * w * (r * r - 2 * r * c / 3 + c * c / 5), 1e-3);
    gr_wheel_mesh_free(&flat);
    gr_wheel_mesh_free(&crowned);
}

static void test_grousers(void **state)
{
    (void)state;
    for (int pattern = GR_GROUSERS_STRAIGHT; pattern <= GR_GROUSERS_CHEVRON; pattern++) {
        GrWheelMeshDef def = gr_default_wheel_mesh_def();
        def.pattern = (GrGrouserPattern)pattern;
        GrWheelMesh wheel;
        assert_int_equal(gr_wheel_mesh_create(&def, &wheel, NULL), GR_OK);
        double tip = 0;
        for (int i = 0; i < wheel.mesh.vertex_count; i++) {
            tip = fmax(tip, hypot(wheel.mesh.vertices[i].x, wheel.mesh.vertices[i].z));
        }
        assert_near(tip, def.radius + def.grouser_height, 1e-12);
        const GrSolid all = gr_surface_mesh_solid(&wheel.mesh);
        const double bar = 1.5 * def.grouser_height * def.grouser_thickness * def.width; // half its height is inside
        assert_near_rel(all.volume - wheel.rim_volume, def.grouser_count * bar, 0.03);
        // quads of a chevron are twisted, and their diagonals are not mirrored
        assert_near(gr_norm(all.com), 0, pattern == GR_GROUSERS_CHEVRON ? 1e-4 * def.radius : 1e-9);
        gr_wheel_mesh_free(&wheel);
    }
}

/// The tips of the bars for contact reach as far as the mesh, and no further than a slanted bar must.
static void test_shapes_for_contact(void **state)
{
    (void)state;
    for (int pattern = GR_GROUSERS_STRAIGHT; pattern <= GR_GROUSERS_CHEVRON; pattern++) {
        GrWheelMeshDef def = gr_default_wheel_mesh_def();
        def.pattern = (GrGrouserPattern)pattern;
        GrRigidDef rigid = gr_default_rigid_def();
        const GrRigidBodyDef body = gr_default_rigid_body_def(GR_RIGID_DRIVEN);
        gr_rigid_add_body(&rigid, &body);
        assert_true(gr_wheel_add_shapes(&def, &rigid, 0, gr_pose_identity(), 0));
        assert_int_equal(rigid.shape_count, 1 + def.grouser_count * (pattern == GR_GROUSERS_CHEVRON ? 2 : 1));
        for (int i = 1; i < rigid.shape_count; i++) {
            const GrVec3 half = rigid.shapes[i].convex.half;
            const GrVec3 tip = gr_add(rigid.shapes[i].pose.position,
                                      gr_quat_rotate(rigid.shapes[i].pose.rotation, gr_vec3(0, 0, half.z)));
            assert_near(hypot(tip.x, tip.z), def.radius + def.grouser_height, 1e-9);
        }
        gr_rigid_def_free(&rigid);
    }
}

/// A wheel with straight grousers stands on two of them: its centre is lower than on the tip of one.
static void test_wheel_stands_on_grousers(void **state)
{
    (void)state;
    static const GrVec3 UP = {0, 0, 1};
    GrWheelMeshDef def = gr_default_wheel_mesh_def();
    def.grouser_count = 12;
    def.grouser_height = 0.03;
    GrRigidDef rigid = gr_default_rigid_def();
    rigid.ground = (GrRigidGround){gr_plane_ground, &UP};
    GrRigidBodyDef body = gr_default_rigid_body_def(GR_RIGID_LOOSE);
    const double step = PI / 12, tip = def.radius + def.grouser_height;
    body.mass = 5;
    body.inertia = gr_inertia_cylinder_y(5, def.radius, def.width);
    body.pose.position.z = tip;
    body.pose.rotation = gr_quat_axis_angle(gr_vec3(0, 1, 0), 0.9 * step);
    gr_rigid_add_body(&rigid, &body);
    assert_true(gr_wheel_add_shapes(&def, &rigid, 0, gr_pose_identity(), 0));
    GrRigidBench b = gr_rigid_bench(&rigid, 2e-3);
    gr_rigid_bench_run(&b, 5);
    assert_true(gr_rigid_loose_asleep(b.s, 0));
    assert_near(gr_rigid_loose_pose(b.w, b.s, 0).position.z, tip * cos(step), 2e-3);
    gr_rigid_bench_free(&b);
}

/// Convex parts are the mesh: the rim's volume, and grousers that reach to their tips and no further.
static void test_parts_for_contact(void **state)
{
    (void)state;
    for (int pattern = GR_GROUSERS_STRAIGHT; pattern <= GR_GROUSERS_CHEVRON; pattern++) {
        for (int crowned = 0; crowned < 2; crowned++) {
            GrWheelMeshDef def = gr_default_wheel_mesh_def();
            def.pattern = (GrGrouserPattern)pattern;
            def.profile = crowned ? GR_RIM_CONVEX : GR_RIM_FLAT;
            GrWheelMesh wheel;
            GrWheelParts parts;
            assert_int_equal(gr_wheel_mesh_create(&def, &wheel, NULL), GR_OK);
            assert_int_equal(gr_wheel_parts_create(&def, &parts, NULL), GR_OK);
            assert_int_equal(parts.count, pattern == GR_GROUSERS_CHEVRON ? 3 : 2);
            assert_near_rel(gr_convex_mesh_solid(parts.meshes[0]).volume, wheel.rim_volume, crowned ? 0.01 : 1e-9);
            double bars = 0, tip = 0;
            for (int k = 1; k < parts.count; k++) {
                bars += gr_convex_mesh_solid(parts.meshes[k]).volume;
                for (int i = 0; i < parts.meshes[k]->vertex_count; i++) {
                    tip = fmax(tip, hypot(parts.meshes[k]->vertices[i].x, parts.meshes[k]->vertices[i].z));
                }
            }
            const double mesh = (gr_surface_mesh_solid(&wheel.mesh).volume - wheel.rim_volume) / def.grouser_count;
            assert_near(tip, def.radius + def.grouser_height, 1e-12);
            print_message("pattern %d, crowned %d: hull of a bar over the bar %.2f\n", pattern, crowned, bars / mesh);
            if (pattern == GR_GROUSERS_STRAIGHT && !crowned) {
                assert_near_rel(bars, mesh, 1e-6);
            } else { // of a bar that winds around the rim or follows its crown, the hull fills the bow, inside the rim
                assert_true(bars > 0.95 * mesh && bars < 5 * mesh);
            }
            GrRigidDef rigid = gr_default_rigid_def();
            const GrRigidBodyDef body = gr_default_rigid_body_def(GR_RIGID_DRIVEN);
            gr_rigid_add_body(&rigid, &body);
            assert_true(gr_wheel_add_parts(&def, &parts, &rigid, 0, gr_pose_identity(), 0));
            assert_int_equal(rigid.shape_count, 1 + def.grouser_count * (parts.count - 1));
            gr_rigid_def_free(&rigid);
            gr_wheel_parts_free(&parts);
            gr_wheel_mesh_free(&wheel);
        }
    }
}

/// Height of a wheel's centre over the plane at which the plane carries `load`, at an angle of its turning.
static double rest_height(GrConvex shape, double angle, double load)
{
    static const GrVec3 UP = {0, 0, 1};
    GrRigidDef rigid = gr_default_rigid_def();
    rigid.ground = (GrRigidGround){gr_plane_ground, &UP};
    const GrRigidBodyDef body = gr_default_rigid_body_def(GR_RIGID_DRIVEN);
    gr_rigid_add_body(&rigid, &body);
    gr_rigid_add_shape(&rigid, 0, shape, gr_pose_identity(), 0);
    GrRigidWorld *w = gr_rigid_world_create(&rigid, NULL);
    GrRigidState *s = gr_rigid_state_create(w);
    double low = 0.2, high = 0.3;
    for (int i = 0; i < 60; i++) {
        const GrPose pose = {{0, 0, (low + high) / 2}, gr_quat_axis_angle(gr_vec3(0, 1, 0), angle)};
        const GrTwist still = {{0, 0, 0}, {0, 0, 0}};
        GrRigidLoad carried;
        assert_int_equal(gr_rigid_evaluate(w, s, &pose, &still, 0, &carried), GR_OK);
        if (carried.wrench.force.z > load) {
            low = pose.position.z;
        } else {
            high = pose.position.z;
        }
    }
    gr_rigid_state_free(s);
    gr_rigid_world_free(w);
    gr_rigid_def_free(&rigid);
    return low;
}

/// The finer the mesh of a smooth wheel, the nearer is its height at rest to the cylinder's, at any angle: by the
/// square of the angle of a side, as the sagitta goes.
static void test_fine_mesh_is_a_cylinder(void **state)
{
    (void)state;
    const double load = 500, radius = 0.25;
    const double expected = rest_height(gr_convex_cylinder(radius, 0.2), 0, load);
    for (int segments = 24; segments <= 384; segments *= 2) {
        GrWheelMeshDef def = gr_default_wheel_mesh_def();
        def.grouser_count = 0;
        def.segments = segments;
        GrWheelParts parts;
        assert_int_equal(gr_wheel_parts_create(&def, &parts, NULL), GR_OK);
        double worst = 0;
        for (int k = 0; k < 8; k++) {
            const double height = rest_height(gr_convex_of_round_mesh(parts.meshes[0]), PI / 4 * k / segments, load);
            worst = fmax(worst, fabs(height - expected));
        }
        const double sagitta = radius * (1 - cos(PI / segments));
        print_message("%d sides: height at rest off the cylinder's by %.4f mm, sagitta %.4f mm, elastic %.3f mm\n",
                      segments, 1e3 * worst, 1e3 * sagitta, 1e3 * (radius - expected));
        assert_true(worst < 1.5 * sagitta);
        gr_wheel_parts_free(&parts);
    }
}

static GrStatus parse_obj(const char *text, GrSurfaceMesh *mesh, GrErrorLog *log)
{
    *log = (GrErrorLog){0};
    return gr_obj_parse(text, strlen(text), "wheel.obj", mesh, log);
}

/// The output of `asset wheel` can be read back, vertices and triangles.
static void test_obj(void **state)
{
    (void)state;
    const GrWheelMeshDef def = gr_default_wheel_mesh_def();
    GrWheelMesh wheel;
    GrBuffer text = {0};
    GrSurfaceMesh mesh;
    GrErrorLog log = {0};
    assert_int_equal(gr_wheel_mesh_create(&def, &wheel, NULL), GR_OK);
    gr_surface_mesh_obj(&wheel.mesh, "wheel", 0, &text);
    assert_int_equal(gr_obj_parse(text.data, text.size, "wheel.obj", &mesh, &log), GR_OK);
    assert_true(gr_surface_mesh_equal(&mesh, &wheel.mesh));
    gr_surface_mesh_free(&mesh);
    gr_buffer_free(&text);
    gr_wheel_mesh_free(&wheel);
    assert_int_equal(parse_obj("# one\r\n v 1 2 3 0.5\r\nvn 0 0 1\nf 1 1 1\nv\t-1e-3 0 4", &mesh, &log), GR_OK);
    assert_int_equal(mesh.vertex_count, 2);
    assert_true(mesh.vertices[1].x == -1e-3 && mesh.vertices[1].z == 4);
    gr_surface_mesh_free(&mesh);
}

/// Every way to write a face: numbers of textures and normals, from the end, polygons.
static void test_obj_faces(void **state)
{
    (void)state;
#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
    static const char *const texts[] = {SQUARE "f 1 2 3 4\n", SQUARE "f 1/7 2/7/9 3//2 4\r\n",
                                        SQUARE "f -4 -3 -2 -1\nv 9 9 9\n", "f 1 2 3\n" SQUARE "  f\t1 3  4 "};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        static const int expected[2][3] = {{0, 1, 2}, {0, 2, 3}};
        GrSurfaceMesh mesh;
        GrErrorLog log;
        assert_int_equal(parse_obj(texts[i], &mesh, &log), GR_OK);
        assert_int_equal(mesh.triangle_count, 2);
        assert_memory_equal(mesh.triangles, expected, sizeof expected);
        gr_surface_mesh_free(&mesh);
    }
}

/// An invalid line is reported with its number.
static void test_bad_obj(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line;
        GrStatus status;
    } bad[] = {
        {"v 1 2 3\nv 1 2\n", 2, GR_ERROR_SYNTAX},
        {"v 1 2 3\nv 1 2 x\n", 2, GR_ERROR_SYNTAX},
        {"v 1 2 3\nv 1 nan 3\n", 2, GR_ERROR_SYNTAX},
        {"v 1 2 3\nv 1 2 3x\n", 2, GR_ERROR_SYNTAX},
        {"", 0, GR_ERROR_VALUE},
        {"f 1 2 3\n", 0, GR_ERROR_VALUE},
        {SQUARE "f 1 2\n", 5, GR_ERROR_SYNTAX},
        {SQUARE "f 1 2 5\n", 5, GR_ERROR_VALUE},
        {SQUARE "f 0 1 2\n", 5, GR_ERROR_VALUE},
        {SQUARE "\nf 1 2 -5\n", 6, GR_ERROR_VALUE},
        {SQUARE "f 1 2 3x\n", 5, GR_ERROR_VALUE},
        {SQUARE "f 1 2 99999999999999999999\n", 5, GR_ERROR_VALUE},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        GrSurfaceMesh mesh;
        GrErrorLog log;
        assert_int_equal(parse_obj(bad[i].text, &mesh, &log), bad[i].status);
        assert_int_equal(log.items[0].line, bad[i].line);
        assert_null(mesh.vertices);
        assert_null(mesh.triangles);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rim_volume),
        cmocka_unit_test(test_grousers),
        cmocka_unit_test(test_shapes_for_contact),
        cmocka_unit_test(test_wheel_stands_on_grousers),
        cmocka_unit_test(test_parts_for_contact),
        cmocka_unit_test(test_fine_mesh_is_a_cylinder),
        cmocka_unit_test(test_obj),
        cmocka_unit_test(test_obj_faces),
        cmocka_unit_test(test_bad_obj),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
