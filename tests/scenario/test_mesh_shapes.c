/// Meshes of files as shapes: OBJ, STL as text and binary, in rovers, parts and URDF.
#include "convex_mesh.h"
#include "file.h"
#include "grouser/model.h"
#include "grouser/run.h"
#include "mesh_file.h"
#include "mesh_shape.h"
#include "surface_mesh.h"
#include "test.h"

#include <stdlib.h>

/// Corners of a box of 0.4 x 0.6 x 0.2 m, and its faces by numbers from 0.
static const double HALF[3] = {0.2, 0.3, 0.1};
static const int TRIANGLES[12][3] = {{0, 3, 2}, {0, 1, 3}, {4, 7, 5}, {4, 6, 7}, {0, 5, 1}, {0, 4, 5},
                                     {2, 7, 6}, {2, 3, 7}, {0, 6, 4}, {0, 2, 6}, {1, 7, 3}, {1, 5, 7}};

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
        assert_int_equal(shape.drawn->vertex_count, 8); // corners that an STL repeats are one
        assert_int_equal(shape.drawn->triangle_count, 12);
        assert_near_rel(gr_surface_mesh_solid(shape.drawn).volume, 2 * volume, TOLERANCE);
        gr_shape_free(&shape);
    }
}

enum { SIDES = 24 };
static const double INNER = 0.1, OUTER = 0.2, THICK = 0.05;

/// A ring about z of 24 sides: what is drawn has its hole, and the hull does not.
static void write_ring(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < SIDES; i++) {
        const double c = cos(2 * M_PI * i / SIDES), s = sin(2 * M_PI * i / SIDES);
        fprintf(file, "v %.17g %.17g 0\nv %.17g %.17g 0\n", INNER * c, INNER * s, OUTER * c, OUTER * s);
        fprintf(file, "v %.17g %.17g %g\nv %.17g %.17g %g\n", OUTER * c, OUTER * s, THICK, INNER * c, INNER * s, THICK);
    }
    for (int i = 0; i < SIDES; i++) {
        for (int k = 0; k < 4; k++) { // bottom, outside, top, inside
            const int a = 4 * i, b = 4 * ((i + 1) % SIDES), next = (k + 1) % 4;
            fprintf(file, "f %d %d %d %d\n", a + k + 1, b + k + 1, b + next + 1, a + next + 1);
        }
    }
    fclose(file);
}

/// Volumes in closed form: that of a prism over a polygon with and without its hole. A mirrored mesh is still seen from
/// outside.
static void test_ring(void **state)
{
    (void)state;
    const double TOLERANCE = 1e-12, area = 0.5 * SIDES * sin(2 * M_PI / SIDES);
    write_ring("ring.obj");
    static const GrVec3 scales[] = {{1, 1, 1}, {1, -1, 1}, {-2, -1, -0.5}};
    for (int i = 0; i < 3; i++) {
        GrErrorLog log = {0};
        GrShapeDef shape = gr_default_shape_def();
        assert_int_equal(gr_shape_read_mesh("ring.obj", scales[i], &shape, &log), GR_OK);
        const double with_hole = THICK * area * (OUTER * OUTER - INNER * INNER);
        assert_near_rel(gr_surface_mesh_solid(shape.drawn).volume, with_hole, TOLERANCE);
        assert_near_rel(gr_convex_mesh_solid(shape.hull).volume, THICK * area * OUTER * OUTER, TOLERANCE);
        gr_shape_free(&shape);
    }
}

static GrRunSummary run(const char *part)
{
    const char *const overrides[] = {part, "stop.time_s=20", NULL};
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrRunSummary summary;
    const GrStatus status = gr_scenario_load("step", overrides, &scenario, &log);
    if (status != GR_OK) {
        print_error("%s: %s\n", log.items[0].field, log.items[0].text);
    }
    assert_int_equal(status, GR_OK);
    assert_int_equal(gr_world_create(scenario, &world, &log), GR_OK);
    assert_int_equal(gr_run(world, NULL, &summary, &log), GR_OK);
    gr_world_free(world);
    gr_scenario_free(scenario);
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

static void replace_once(char *text, size_t size, const char *what, const char *with)
{
    char *at = strstr(text, what);
    assert_non_null(at);
    const size_t tail = strlen(at + strlen(what)) + 1;
    assert_true((size_t)(at - text) + strlen(with) + tail <= size);
    memmove(at + strlen(with), at + strlen(what), tail);
    memcpy(at, with, strlen(with));
}

static uint64_t hash_of_run(const char *rover)
{
    const char *const overrides[] = {rover, "drive.script[0].mode=skid", "stop.time_s=4", NULL};
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrRunSummary summary;
    assert_int_equal(gr_scenario_load("step", overrides, &scenario, &log), GR_OK);
    assert_int_equal(gr_world_create(scenario, &world, &log), GR_OK);
    assert_int_equal(gr_run(world, NULL, &summary, &log), GR_OK);
    const uint64_t hash = summary.state_hash;
    gr_run_summary_free(&summary);
    gr_world_free(world);
    gr_scenario_free(scenario);
    return hash;
}

/// A rover whose chassis is drawn as a ring and touches as the box that it was: the same run, to the last bit.
static void test_drawn_only(void **state)
{
    (void)state;
    static const char BOX[] = "<geometry><box size=\"0.30 0.20 0.10\"/></geometry>\n    </visual>";
    static const char BOTH[] =
        "<geometry><mesh filename=\"ring.obj\"/></geometry></visual><collision><origin xyz=\"0 0 "
        "0.03\"/><geometry><box size=\"0.30 0.20 0.10\"/></geometry></collision>";
    static char urdf[1 << 15];
    GrErrorLog log = {0};
    char *text = NULL;
    size_t length = 0;
    GrRoverDef rover;
    assert_int_equal(
        gr_file_read(GR_TEST_SOURCE_DIR "/data/rovers/urdf_example/pebble.grouser.yaml", 1 << 14, &text, &length, &log),
        GR_OK);
    assert_int_equal(gr_file_write("pebble.grouser.yaml", text, length, &log), GR_OK);
    free(text);
    assert_int_equal(
        gr_file_read(GR_TEST_SOURCE_DIR "/data/rovers/urdf_example/pebble.urdf", sizeof urdf, &text, &length, &log),
        GR_OK);
    assert_true(length < sizeof urdf);
    memcpy(urdf, text, length);
    free(text);
    assert_int_equal(gr_file_write("pebble.urdf", urdf, length, &log), GR_OK);
    const uint64_t plain = hash_of_run("rover=pebble.grouser.yaml");
    replace_once(urdf, sizeof urdf, BOX, BOTH);
    assert_int_equal(gr_file_write("pebble.urdf", urdf, strlen(urdf), &log), GR_OK);
    assert_int_equal(gr_rover_load("pebble.grouser.yaml", NULL, &rover, &log), GR_OK);
    int rings = 0;
    for (int i = 0; i < rover.body_count; i++) {
        for (int k = 0; k < rover.bodies[i].shape_count; k++) {
            const GrShapeDef *shape = &rover.bodies[i].shapes[k];
            rings += shape->drawn != NULL && shape->only_drawn;
        }
    }
    assert_int_equal(rings, 1);
    gr_rover_free(&rover);
    assert_true(hash_of_run("rover=pebble.grouser.yaml") == plain);
}

static void test_bad_files(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *expected;
    } bad[] = {
        {"none.stl", "solid nothing\nendsolid\n", "no triangle"},
        {"word.stl", "solid x\nvertex 1 2 three\n", "three finite numbers"},
        {"two.stl", "solid x\nvertex 1 2 3\nvertex 1 2 3\n", "only 2 corners"},
        {"face.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 7\n", "not one of the 4 vertices"},
        {"flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n", "do not span a volume"},
        {"box.dae", "<COLLADA/>", "allowed: .obj, .stl"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        GrErrorLog log = {0};
        GrShapeDef shape = gr_default_shape_def();
        assert_int_equal(gr_file_write(bad[i].name, bad[i].text, strlen(bad[i].text), &log), GR_OK);
        assert_int_not_equal(gr_shape_read_mesh(bad[i].name, (GrVec3){1, 1, 1}, &shape, &log), GR_OK);
        print_message("%s\n", log.items[0].text);
        assert_true(log.error_count > 0);
        assert_non_null(strstr(log.items[0].text, bad[i].expected));
        assert_null(shape.hull);
        assert_null(shape.drawn);
    }
    // In a rover's file the message has the line of that file, and of the mesh.
    static const char YAML[] =
        "name: block\nbodies:\n  chassis:\n    mass_kg: 3\n    inertia_of: {sphere: {radius_m: 1}}\n"
        "    shapes: [{mesh: {file: face.obj}}]\n";
    GrErrorLog log = {0};
    GrRoverDef rover;
    assert_int_equal(gr_file_write("bad.yaml", YAML, sizeof YAML - 1, &log), GR_OK);
    assert_int_not_equal(gr_rover_load("bad.yaml", NULL, &rover, &log), GR_OK);
    assert_int_equal(log.items[0].line, 6);
    assert_non_null(strstr(log.items[0].text, "face.obj:5: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats), cmocka_unit_test(test_ring),       cmocka_unit_test(test_part),
        cmocka_unit_test(test_rovers),  cmocka_unit_test(test_drawn_only), cmocka_unit_test(test_bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
