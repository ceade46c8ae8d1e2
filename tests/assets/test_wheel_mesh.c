/// Wheels: volumes, outward surfaces, grousers where they belong, and shapes for contact that match.
#include "support/rigid_bench.h"
#include "wheel_mesh.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rim_volume),
        cmocka_unit_test(test_grousers),
        cmocka_unit_test(test_shapes_for_contact),
        cmocka_unit_test(test_wheel_stands_on_grousers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
