#include "json_check.h"
#include "run_command.h"

static void test_rock(void **state)
{
    (void)state;
    const GrRun *run = gr_run("asset rock --kind noise --seed 7 --refinement 2 -o asset_rock.obj");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "wrote asset_rock.obj");
    assert_has(run->out, "320 triangles");
    assert_int_equal(access("asset_rock.obj", R_OK), 0);
    run = gr_run("asset rock --json -o asset_rock.obj");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"id\": \"rock-");
    run = gr_run("asset rock --kind deviation --primitive hemisphere --deviation 0.05 -o asset_rock.obj");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "wrote asset_rock.obj");
    run = gr_run("asset rock --kind deviation --primitive hemispere");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "did you mean 'hemisphere'?");
    run = gr_run("asset rock --json -o asset_rock.obj");
    assert_has(run->out, "\"mass_kg\"");
    unlink("asset_rock.obj");
}

static void test_wheel(void **state)
{
    (void)state;
    const GrRun *run = gr_run("asset wheel --pattern chevron --profile convex --grousers 12 --json -o asset_wheel.obj");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"rim_volume_m3\"");
    unlink("asset_wheel.obj");
}

/// Height of the chassis at the end of a run; deletes the run.
static double last_height(const char *folder)
{
    static char text[1 << 16];
    char path[256];
    double z = 0;
    snprintf(path, sizeof path, "%s/run.csv", folder);
    gr_run_take(path, text, sizeof text);
    text[strlen(text) - 1] = '\0';
    assert_int_equal(sscanf(strrchr(text, '\n') + 1, "%*f,%*f,%*f,%*f,%lf", &z), 1);
    return z;
}

/// A channel is three boxes; a rover stands on its floor, and on top of its hull, a metre above.
static void test_parts(void **state)
{
    (void)state;
    static const char scenario[] = "title: a channel\n"
                                   "rover: rashid_like\n"
                                   "soil: none\n"
                                   "gravity: moon\n"
                                   "parts:\n"
                                   "  - mesh: {file: asset_channel.obj, %sat_m: [0, 0, 0.05]}\n"
                                   "drive: {script: [{time_s: 0.5, mode: skid, speed_mps: 0.05}]}\n"
                                   "stop: {time_s: 1}\n";
    const GrRun *run = gr_run("asset parts --mesh " GR_TEST_SOURCE_DIR
                              "/data/examples/channel.obj --error 0 --json -o asset_parts.obj");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"parts\": 3");
    assert_has(run->out, "\"excess_share\": 0,");
    run = gr_run("asset parts --mesh asset_parts.obj --error 0"); // the parts enclose what the mesh does
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "volume 15 m³, of the parts 15 m³: 0 % too much");
    run = gr_run("asset parts --mesh " GR_TEST_SOURCE_DIR "/data/examples/channel.obj --pieces 1");
    assert_has(run->out, "20 % too much");
    assert_int_equal(system("cp " GR_TEST_SOURCE_DIR "/data/examples/channel.obj asset_channel.obj"), 0);
    char text[1024];
    snprintf(text, sizeof text, scenario, "pieces: 8, ");
    gr_run_write("asset_channel.yaml", text);
    run = gr_run("run asset_channel.yaml -o asset_channel.run");
    assert_int_equal(run->exit_code, 0);
    const double floor = last_height("asset_channel.run");
    snprintf(text, sizeof text, scenario, "");
    gr_run_write("asset_channel.yaml", text);
    run = gr_run("run asset_channel.yaml -o asset_channel.run");
    assert_int_equal(run->exit_code, 0);
    assert_near(last_height("asset_channel.run"), floor + 1, 1e-4);
    snprintf(text, sizeof text, scenario, "pieces: 0, ");
    gr_run_write("asset_channel.yaml", text);
    run = gr_run("check asset_channel.yaml");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "pieces: 0 is out of range; allowed: 1 to 1000");
    assert_int_equal(system("rm -r asset_parts.obj asset_channel.*"), 0);
}

/// Rocks of a mesh file stop a rover as the same rocks of a table do.
static void test_rock_mesh(void **state)
{
    (void)state;
    static const char scenario[] = "title: rocks\n"
                                   "rover: rashid_like\n"
                                   "soil: none\n"
                                   "gravity: moon\n"
                                   "start: {x_m: -2.9, y_m: 0.1, height_m: 0.02}\n"
                                   "terrain: {size_m: 12, rocks: {%s}}\n"
                                   "drive: {script: [{time_s: 0.5, mode: skid, speed_mps: 0.05}]}\n"
                                   "stop: {time_s: 8}\n";
    const GrRun *run = gr_run("terrain rocks --size 6,6 --k 0.15 --smallest 0.08 --largest 0.5 -o asset_rocks.csv "
                              "--mesh asset_rocks.obj");
    assert_int_equal(run->exit_code, 0);
    double distance[2];
    char text[1024];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, scenario, i == 0 ? "file: asset_rocks.csv" : "mesh: {file: asset_rocks.obj}");
        gr_run_write("asset_rocks.yaml", text);
        run = gr_run("run asset_rocks.yaml -o asset_rocks.run --json");
        assert_int_equal(run->exit_code, 0);
        const char *at = strstr(run->out, "\"distance_m\": ");
        assert_non_null(at);
        distance[i] = atof(at + strlen("\"distance_m\": "));
    }
    // The radius in Hertz' law is half the size along the axes of a shape, which are turned with a rock of the table.
    const double STIFFNESS = 1e-3;
    assert_near(distance[0], distance[1], STIFFNESS * distance[0]);
    assert_true(distance[0] < 0.37); // of 0.375 m on level ground
    run = gr_run("terrain rocks --size 6,6 --shape hul --mesh asset_rocks.obj");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "ellipsoid, hull, noise, deviation");
    gr_run_write("asset_rocks.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n");
    snprintf(text, sizeof text, scenario, "mesh: {file: asset_rocks.obj}");
    gr_run_write("asset_rocks.yaml", text);
    run = gr_run("run asset_rocks.yaml -o asset_rocks.run");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "terrain.rocks.mesh.file: asset_rocks.obj: object 1 of the mesh is not closed");
    run = gr_run("asset parts --mesh asset_rocks.obj");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "asset_rocks.obj: error: object 1 of the mesh is not closed");
    assert_int_equal(system("rm -r asset_rocks.*"), 0);
}

static void test_wrong_input(void **state)
{
    (void)state;
    const GrRun *run = gr_run("asset boulder");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "rock, wheel");
    run = gr_run("asset rock --kind hul");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "did you mean 'hull'?");
    run = gr_run("asset rock --points 2.5");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "--points");
    run = gr_run("asset rock --diameter -1 -o asset_none.obj");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "diameter");
    assert_int_not_equal(access("asset_none.obj", R_OK), 0);
    run = gr_run("asset parts");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "--mesh FILE");
    run = gr_run("asset rock -o no_such_folder/rock.obj");
    assert_int_not_equal(run->exit_code, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rock),      cmocka_unit_test(test_wheel),       cmocka_unit_test(test_parts),
        cmocka_unit_test(test_rock_mesh), cmocka_unit_test(test_wrong_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
