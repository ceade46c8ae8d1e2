/// Meshes of files as shapes: OBJ, STL as text and binary, in rovers, parts and URDF.
#include "convex_mesh.h"
#include "file.h"
#include "grouser/model.h"
#include "grouser/run.h"
#include "mesh_points.h"
#include "mesh_shape.h"
#include "test.h"

#include <stdlib.h>

/// Corners of a box of 0.4 x 0.6 x 0.2 m, and its faces by numbers from 0.
static const double HALF[3] = {0.2, 0.3, 0.1};
static const int TRIANGLES[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                     {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

static GrVec3 corner(int i)
{
    return (GrVec3){i & 4 ? HALF[0] : -HALF[0], i & 2 ? HALF[1] : -HALF[1], i & 1 ? HALF[2] : -HALF[2]};
}

static void write_obj(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 8; i++) {
        const GrVec3 c = corner(i);
        fprintf(file, "v %g %g %g\n", c.x, c.y, c.z);
    }
    for (int i = 0; i < 12; i++) {
        fprintf(file, "f %d %d %d\n", TRIANGLES[i][0] + 1, TRIANGLES[i][1] + 1, TRIANGLES[i][2] + 1);
    }
    fclose(file);
}

static void write_stl(const char *path, bool binary)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    const char header[80] = "solid is what many binary files begin with too";
    const uint32_t count = 12;
    if (binary) {
        fwrite(header, 1, sizeof header, file);
        fwrite(&count, 4, 1, file); // both machines that the tests run on are little-endian
    } else {
        fprintf(file, "solid box\n");
    }
    for (int i = 0; i < 12; i++) {
        float values[12] = {0};
        if (!binary) {
            fprintf(file, "facet normal 0 0 0\n outer loop\n");
        }
        for (int k = 0; k < 3; k++) {
            const GrVec3 c = corner(TRIANGLES[i][k]);
            const float xyz[3] = {(float)c.x, (float)c.y, (float)c.z};
            memcpy(values + 3 + 3 * k, xyz, sizeof xyz);
            if (!binary) {
                fprintf(file, "  vertex %g %g %g\n", c.x, c.y, c.z);
            }
        }
        if (binary) {
            fwrite(values, 1, sizeof values, file);
            fwrite("\0\0", 1, 2, file);
        } else {
            fprintf(file, " endloop\nendfacet\n");
        }
    }
    fclose(file);
}

/// The hull of every format is the box: volume and inertia of its closed form.
static void test_formats(void **state)
{
    (void)state;
    const double TOLERANCE = 1e-6; // binary STL has floats
    write_obj("box.obj");
    write_stl("text.stl", false);
    write_stl("binary.STL", true);
    static const char *const files[] = {"box.obj", "text.stl", "binary.STL"};
    const double volume = 8 * HALF[0] * HALF[1] * HALF[2];
    for (int i = 0; i < 3; i++) {
        GrErrorLog log = {0};
        GrShapeDef shape = gr_default_shape_def();
        assert_int_equal(gr_shape_read_mesh(files[i], (GrVec3){2, 1, 1}, &shape, &log), GR_OK);
        const GrSolid solid = gr_convex_mesh_solid(shape.hull);
        assert_near_rel(solid.volume, 2 * volume, TOLERANCE);
        assert_near_rel(solid.inertia.xx, 2 * volume * (HALF[1] * HALF[1] + HALF[2] * HALF[2]) / 3, TOLERANCE);
        assert_near_rel(solid.inertia.yy, 2 * volume * (4 * HALF[0] * HALF[0] + HALF[2] * HALF[2]) / 3, TOLERANCE);
        assert_int_equal(shape.hull->face_count, 6);
        gr_convex_mesh_free(shape.hull);
    }
}

static GrRunSummary run(const char *part)
{
    const char *const overrides[] = {part, "stop.time_s=20", NULL};
    GrErrorLog log = {0};
    GrScenario scenario;
    GrWorld world;
    GrRunSummary summary;
    const GrStatus status = gr_scenario_load("step", overrides, &scenario, &log);
    if (status != GR_OK) {
        print_error("%s: %s\n", log.items[0].field, log.items[0].text);
    }
    assert_int_equal(status, GR_OK);
    assert_int_equal(gr_world_create(&scenario, &world, &log), GR_OK);
    assert_int_equal(gr_run(&world, NULL, &summary, &log), GR_OK);
    gr_world_free(&world);
    gr_scenario_free(&scenario);
    return summary;
}

/// A rover over a box, and over the mesh of the same box, turned and moved.
static void test_part(void **state)
{
    (void)state;
    const double TOLERANCE = 1e-4; // contact points of a cuboid's face and of a polyhedron's are found in two ways
    GrRunSummary box = run("parts=[{box: {size_m: [0.4, 0.6, 0.2], at_m: [1.9, 1.1, 0], rotation_deg: [0, 0, 10]}}]");
    GrRunSummary mesh = run("parts=[{mesh: {file: box.obj, at_m: [1.9, 1.1, 0], rotation_deg: [0, 0, 10]}}]");
    print_message("%g m, roll %g; %g m, roll %g\n", box.distance, box.roll_max, mesh.distance, mesh.roll_max);
    assert_true(box.roll_max + box.pitch_max > 0.02); // it was met
    assert_near_rel(mesh.distance, box.distance, TOLERANCE);
    assert_near_rel(mesh.energy.motor, box.energy.motor, TOLERANCE);
    gr_run_summary_free(&box);
    gr_run_summary_free(&mesh);
}

/// Shapes and inertia of a body in YAML; a link of a URDF whose mesh is beside it, and one whose mesh is not there.
static void test_rovers(void **state)
{
    (void)state;
    static const char YAML[] =
        "name: block\nbodies:\n  chassis:\n    mass_kg: 3\n    inertia_of: {mesh: {file: box.obj}}\n"
        "    shapes: [{mesh: {file: text.stl, at_m: [0, 0, 1]}}]\n";
    static const char URDF[] =
        "<robot name='block'><link name='base'><inertial><mass value='3'/><inertia ixx='1' iyy='1' izz='1' ixy='0' "
        "ixz='0' iyz='0'/></inertial><visual><geometry><mesh filename='package://block/box.obj' scale='1 1 "
        "2'/></geometry></visual></link></robot>";
    GrErrorLog log = {0};
    GrRoverDef rover;
    assert_int_equal(gr_file_write("block.yaml", YAML, sizeof YAML - 1, &log), GR_OK);
    assert_int_equal(gr_rover_load("block.yaml", NULL, &rover, &log), GR_OK);
    assert_int_equal(rover.bodies[0].shapes[0].kind, GR_SHAPE_MESH);
    assert_near_rel(rover.bodies[0].inertia.zz, 3 * (HALF[0] * HALF[0] + HALF[1] * HALF[1]) / 3, 1e-9);
    gr_rover_free(&rover);
    assert_int_equal(gr_file_write("block.urdf", URDF, sizeof URDF - 1, &log), GR_OK);
    assert_int_equal(gr_rover_load("block.urdf", NULL, &rover, &log), GR_OK);
    assert_int_equal(rover.bodies[0].shape_count, 1);
    assert_near_rel(gr_convex_mesh_solid(rover.bodies[0].shapes[0].hull).volume, 16 * HALF[0] * HALF[1] * HALF[2],
                    1e-9);
    gr_rover_free(&rover);
    assert_int_equal(log.warning_count, 0);
    assert_int_equal(rename("box.obj", "gone.obj"), 0);
    assert_int_equal(gr_rover_load("block.urdf", NULL, &rover, &log), GR_OK);
    assert_int_equal(log.warning_count, 1);
    gr_rover_free(&rover);
}

static void test_bad_files(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *expected;
    } bad[] = {
        {"none.stl", "solid nothing\nendsolid\n", "no triangle"},
        {"word.stl", "solid x\nvertex 1 2 three\n", "three finite numbers"},
        {"flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n", "do not span a volume"},
        {"box.dae", "<COLLADA/>", "allowed: .obj, .stl"},
    };
    for (int i = 0; i < 4; i++) {
        GrErrorLog log = {0};
        GrShapeDef shape = gr_default_shape_def();
        assert_int_equal(gr_file_write(bad[i].name, bad[i].text, strlen(bad[i].text), &log), GR_OK);
        assert_int_not_equal(gr_shape_read_mesh(bad[i].name, (GrVec3){1, 1, 1}, &shape, &log), GR_OK);
        print_message("%s\n", log.items[0].text);
        assert_true(log.error_count > 0);
        assert_non_null(strstr(log.items[0].text, bad[i].expected));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_part),
        cmocka_unit_test(test_rovers),
        cmocka_unit_test(test_bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
