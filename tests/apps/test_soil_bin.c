/// grouser grains from files: a bed, tests in it, snapshots, and bad input.
#include "json_check.h"
#include "number.h"
#include "run_command.h"

static const char BED[] = "grains: glass_beads\ndiameter_m: 0.008\nsize_m: [0.1, 0.08, 0.08]\ndepth_m: 0.02\n";

static int make_files(void **state)
{
    (void)state;
    gr_run_write("bed.yaml", BED);
    assert_int_equal(gr_run("grains prepare bed.yaml -o bed.grains")->exit_code, 0);
    return 0;
}

static void test_prepare(void **state)
{
    (void)state;
    const GrRun *run = gr_run("grains prepare bed.grains --json --surface surface.tif");
    assert_int_equal(run->exit_code, 0);
    assert_non_null(strstr(run->out, "\"answer\""));
    assert_non_null(strstr(run->out, "\"bulk_density_kg_per_m3\": 1"));
    run = gr_run("terrain info surface.tif --json");
    assert_int_equal(run->exit_code, 0);
    assert_int_equal(gr_run("check " GR_TEST_SOURCE_DIR "/data/grains/glass_beads.yaml")->exit_code, 0);
}

/// The answer comes first, the CSV is one that fit soil reads, and the end of a resumed test is that of a whole one.
static void test_plate(void **state)
{
    (void)state;
    const char *command =
        "grains plate bed.grains --diameter 0.04 --depth 0.006 --speed 0.2 -j 1 --csv presses.csv --snapshots snaps";
    const GrRun *run = gr_run(command);
    assert_int_equal(run->exit_code, 0);
    assert_non_null(strstr(run->out, "plate of 40 mm: "));
    char first[400];
    snprintf(first, sizeof first, "%.399s", strstr(run->out, "plate of 40 mm"));
    char resume[300];
    snprintf(resume, sizeof resume, "%s --resume", command);
    run = gr_run(resume);
    assert_int_equal(run->exit_code, 0);
    assert_non_null(strstr(run->out, "plate of 40 mm"));
    assert_int_equal(strncmp(first, strstr(run->out, "plate of 40 mm"), 60), 0);
    run = gr_run("fit soil --plates presses.csv --free k_phi --evaluations 0 -o soil.yaml");
    assert_int_equal(run->exit_code, 0);
    run = gr_run("grains plate bed.grains --diameter 0.05 --depth 0.006 --snapshots snaps --resume");
    assert_int_equal(run->exit_code, 2);
    assert_non_null(strstr(run->err, "is of a test with other numbers"));
}

/// The track is a raster that other commands read; a test that goes on from its snapshot ends with the same numbers.
static void test_wheel(void **state)
{
    (void)state;
    static char first[8192];
    const char *command =
        "grains wheel bed.grains --radius 0.03 --width 0.03 --load 1 --slip 0.5 --travel 0.01 --speed "
        "0.3 --json --html wheel.html --surface track.tif --snapshots wheels";
    char resume[400];
    const GrRun *run = gr_run(command);
    assert_int_equal(run->exit_code, 0);
    assert_non_null(strstr(run->out, "\"torque_Nm\": 0.0"));
    snprintf(first, sizeof first, "%s", strstr(run->out, "\"points\""));
    assert_int_equal(gr_run("terrain info track.tif --json")->exit_code, 0);
    snprintf(resume, sizeof resume, "%s --resume", command);
    run = gr_run(resume);
    assert_int_equal(run->exit_code, 0);
    assert_string_equal(first, strstr(run->out, "\"points\""));
    FILE *file = fopen("wheels/wheel_1.grains", "r+b"); // a byte of the grains
    assert_non_null(file);
    fseek(file, -3000, SEEK_END);
    fputc(77, file);
    fputc(78, file);
    fclose(file);
    run = gr_run(resume);
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "wheel_1.grains: error: the snapshot is damaged");
}

/// A wheel of a file drives as the one of the same sizes, to the last bit; a box of a file is a plate of its plan.
static void test_mesh(void **state)
{
    (void)state;
    static char first[4096];
    const GrRun *run = gr_run("asset wheel --radius 0.03 --width 0.03 --grousers 8 --grouser-height 0.005 "
                              "--grouser-thickness 0.003 -o wheel.obj");
    assert_int_equal(run->exit_code, 0);
    const char *drive = "grains wheel bed.grains --load 1 --slip 0.5 --travel 0.01 --speed 0.3 --json --radius 0.03 ";
    char command[400];
    snprintf(command, sizeof command, "%s --width 0.03 --grousers 8,0.005,0.003", drive);
    run = gr_run(command);
    assert_int_equal(run->exit_code, 0);
    snprintf(first, sizeof first, "%s", strstr(run->out, "\"points\""));
    snprintf(command, sizeof command, "%s --mesh wheel.obj --snapshots mesh", drive);
    run = gr_run(command);
    assert_int_equal(run->exit_code, 0);
    assert_string_equal(first, strstr(run->out, "\"points\""));
    snprintf(command, sizeof command, "%s --width 0.03 --snapshots mesh --resume", drive);
    run = gr_run(command);
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "was begun with a mesh");
    gr_run_write("box.obj", "v -15 -20 5\nv 15 -20 5\nv 15 20 5\nv -15 20 5\nv -15 -20 40\nv 15 -20 40\nv 15 20 40\n"
                            "v -15 20 40\nf 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
    run = gr_run("grains plate bed.grains --mesh box.obj --scale 0.001 --load 0.5 --depth 0.01");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "plate of 39.09 mm (a mesh; circle of its plan): 0.4167 kPa at "); // 0.5 N on 30 x 40 mm
}

/// Load after load; the tracks are ones that fit trace reads.
static void test_traces(void **state)
{
    (void)state;
    const GrRun *run =
        gr_run("grains wheel bed.grains --radius 0.02 --width 0.03 --grousers 12,0.004,0.002 --load 0.5,1,1.5 "
               "--slip 0 --travel 0.06 --speed 0.3 --trace traces.csv");
    assert_int_equal(run->exit_code, 0);
    assert_non_null(strstr(run->out, "trough [mm]"));
    run = gr_run("fit trace --data traces.csv --radius 0.02 --width 0.03 --grouser-height 0.004 -o trace.yaml");
    assert_int_equal(run->exit_code, 0);
}

/// Plates and shear give soils that other commands read, and the page has each law beside the grains.
static void test_study(void **state)
{
    (void)state;
    gr_run_write(
        "study.yaml",
        "bed: bed.grains\nplates: {diameters_m: [0.03, 0.04], depth_m: 0.006, speed_mps: 0.3}\n"
        "shear: {inner_m: 0.02, outer_m: 0.06, pressures_Pa: [200, 400], travel_m: 0.004, speed_mps: 0.3}\n"
        "wheel: {radius_m: 0.03, width_m: 0.03, load_N: 1, slips: [0.2, 0.5], travel_m: 0.01, speed_mps: 0.3}\n"
        "laws: [wong_reece, rft]\n");
    assert_int_equal(gr_run("check study.yaml")->exit_code, 0);
    const GrRun *run = gr_run("grains study study.yaml -o study --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"answer\"");
    assert_has(run->out, "\"law\": \"rft\"");
    assert_int_equal(gr_run("plate --soil study/wong_reece.yaml --data study/plates.csv")->exit_code, 0);
    assert_int_equal(gr_run("wheel --soil study/rft.yaml --radius 0.03 --width 0.03 --load 1 --slip 0.2")->exit_code,
                     0);
    run = gr_run("grains study study.yaml -o study --set laws=[wong]");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "laws[0]");
    run = gr_run("grains study study.yaml");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "a folder is needed");
}

/// The number that follows a text.
static double number_after(const char *text, const char *key)
{
    const char *found = strstr(text, key);
    assert_non_null(found);
    return gr_number_read(found + strlen(key), NULL);
}

/// Flat heaps come from little friction, steep ones from much; the grains found are a file like the shipped ones.
static void test_calibrate(void **state)
{
    (void)state;
    gr_run_write("soft.yaml", "diameter_m: 0.007\nspread: 0.1\nyoung_Pa: 1e6\nfriction: 0.1\nrolling: 0.03\n"
                              "wall_friction: 0.6\nwall_rolling: 0.05\n");
    gr_run_write("heap.yaml", "grains: ./soft.yaml\nsize_m: [0.14, 0.04, 0.09]\ndepth_m: 0.03\n");
    assert_int_equal(
        gr_run("grains plate heap.yaml --diameter 0.025 --depth 0.01 --speed 0.3 --csv curve.csv")->exit_code, 0);
    const GrRun *run = gr_run("grains calibrate heap.yaml --repose 8,1 --plates curve.csv --speed 0.3 --free "
                              "friction=0:0.6 --runs 7 --json -o found.yaml --csv runs.csv --html found.html");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    const double low = number_after(run->out, "\"value\": "), least = number_after(run->out, "\"value_low\": "),
                 most = number_after(run->out, "\"value_high\": ");
    assert_true(least >= 0 && least <= low && low <= most && most < 0.4);
    assert_int_equal(gr_run("check found.yaml")->exit_code, 0);
    assert_int_equal(gr_run("grains prepare heap.yaml --set grains=./found.yaml")->exit_code, 0);
    char runs[4000];
    gr_run_take("runs.csv", runs, sizeof runs);
    int lines = 0;
    for (const char *c = runs; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    assert_int_equal(lines, 8);
    run = gr_run("grains calibrate heap.yaml --repose 20,1 --free friction=0:0.6 --runs 7 --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(number_after(run->out, "\"value\": ") > low + 0.1);
}

/// Grains of three spheres from a file: a bed, a locked wheel in it, its page, and no file for other programs.
static void test_clumps(void **state)
{
    (void)state;
    gr_run_write("three.yaml", "diameter_m: 0.009\nyoung_Pa: 1e6\nclump:\n  - {at: [0, 0, 0], radius: 1}\n"
                               "  - {at: [1, 0, 0], radius: 0.8}\n  - {at: [0.5, 0.9, 0], radius: 0.7}\n");
    gr_run_write("clumps.yaml", "grains: ./three.yaml\nsize_m: [0.1, 0.08, 0.15]\ndepth_m: 0.02\n");
    assert_int_equal(gr_run("check three.yaml")->exit_code, 0);
    assert_int_equal(gr_run("grains prepare clumps.yaml -o clumps.grains")->exit_code, 0);
    const GrRun *run =
        gr_run("grains wheel clumps.grains --radius 0.025 --width 0.03 --load 0.5 --slip -1 --slip-angle "
               "60 --travel 0.005 --speed 0.3 --json --snapshots three");
    assert_int_equal(run->exit_code, 0);
    assert_true(number_after(run->out, "\"fx_N\": ") < 0);
    assert_int_equal(gr_run("grains view three/wheel_1.grains -o three.html")->exit_code, 0);
    run = gr_run("grains speed clumps.grains --steps 5 --data three.data");
    assert_int_equal(run->exit_code, 2);
    assert_non_null(strstr(run->err, "these are clumps"));
}

static void test_bad_input(void **state)
{
    (void)state;
    const struct {
        const char *command, *message;
    } cases[] = {
        {"grains prepare bed.yaml --set diameter_m=0", "diameter_m"},
        {"grains prepare bed.yaml --set step=0.6", "step"},
        {"grains prepare bed.yaml --set diameter_m=0.00001", "1 to 4e7"},
        {"grains prepare bed.yaml --set depth_m=0.07", "needs loose grains up to"},
        {"grains prepare bed.yaml --set bulk_density_kg_per_m3=2400", "denser than these grains become"},
        {"grains prepare bed.yaml --set grains=glas_beads", "glass_beads"},
        {"grains plate bed.grains --diameter 0.5", "a body of 0.5 m in a bin of 0.1 m"},
        {"grains plate bed.grains --set depth_m=0.03", "is a prepared bed"},
        {"grains wheel bed.grains --resume", "--snapshots"},
        {"grains view bed.yaml", "not a prepared bed or a snapshot"},
        {"grains view bed.grains --most 5", "--most: 5 is out of range"},
        {"grains wheel bed.grains --mesh none.obj", "none.obj"},
        {"grains wheel bed.grains --mesh points.obj", "no faces with an area"},
        {"grains wheel bed.grains --mesh flat.obj", "with faces of 0 m² that look down"},
        {"grains wheel bed.grains --mesh tent.obj --radius 0.1", "0.1 m; the farthest point of the mesh is 0.02"},
        {"grains plate bed.grains --mesh tent.obj --scale 100", "a body of 2 m in a bin of 0.1 m along x"},
        {"grains plate bed.grains --mesh tent.obj --diameter 0.03", "--diameter: is of another body"},
        {"grains plate bed.grains --mesh tent.obj --scale 0", "--scale: 0 is not between"},
        {"grains plate bed.grains --scale 0.001", "--scale: is of the --mesh"},
        {"grains plate bed.grains --load 0", "--load: 0 is out of range"},
        {"grains wheel bed.yaml --slip -2", "--slip"},
        {"grains plat bed.yaml", "plate"},
        {"grains prepare none.yaml --set grains=./none.yaml", "none.yaml"},
        {"grains prepare bed.yaml --set grains=./zero.yaml", "zero.yaml:1:22: error: sizes[0].diameter_m: 0"},
        {"grains prepare bed.yaml --set grains=./loner.yaml", "clump"},
        {"grains prepare bed.yaml --set grains=./apart.yaml", "2 or 3 spheres with radii, each of which touches"},
        {"grains wheel bed.yaml --slip-angle 86", "--slip-angle"},
        {"grains calibrate bed.yaml", "or --plates is needed"},
        {"grains calibrate bed.yaml --repose 24 --device gpu", "--device"},
        {"grains calibrate bed.grains --repose 24", "is a prepared bed"},
        {"grains calibrate bed.yaml --repose 95", "between 0 and 90"},
        {"grains calibrate bed.yaml --repose 24 --free frictoin", "did you mean 'friction'"},
        {"grains calibrate bed.yaml --repose 24 --free friction=0.5:0.2", "LOWER:UPPER"},
        {"grains calibrate bed.yaml --repose 24 --runs 3", "10 to 500 with 2 free parameters"},
        {"grains calibrate bed.yaml --plates two.csv", "has 2 points below 3 mm"},
        {"grains calibrate bed.yaml --repose 24 --free friction --runs 7 --set bulk_density_kg_per_m3=2400",
         "denser than these grains become"},
    };
    gr_run_write("points.obj", "v 0 0 0\nv 0.01 0 0\nv 0 0.01 0\n");
    gr_run_write("flat.obj", "v 0 0 0\nv 0 0.02 0\nv 0 0 0.01\nf 1 2 3\n");
    gr_run_write("tent.obj", "v 0 0 0\nv 0.02 0 0\nv 0 0.02 0\nv 0.02 0 0.01\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    gr_run_write("zero.yaml", "sizes: [{diameter_m: 0, fraction: 1}]\nyoung_Pa: 1e6\n");
    gr_run_write("loner.yaml", "clump: [{at: [0, 0, 0], radius: 1}]\nyoung_Pa: 1e6\n");
    gr_run_write("apart.yaml", "clump: [{at: [0, 0, 0], radius: 1}, {at: [3, 0, 0], radius: 1}]\nyoung_Pa: 1e6\n");
    gr_run_write("two.csv",
                 "body,diameter_m,depth_m,force_N\nplate,0.03,0.002,1\nplate,0.03,0.005,2\nplate,0.03,0.01,4\n");
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const GrRun *run = gr_run(cases[k].command);
        assert_int_equal(run->exit_code, 2);
        if (strstr(run->err, cases[k].message) == NULL) {
            fail_msg("%s: '%s' is not in '%s'", cases[k].command, cases[k].message, run->err);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prepare),   cmocka_unit_test(test_plate),  cmocka_unit_test(test_wheel),
        cmocka_unit_test(test_mesh),      cmocka_unit_test(test_traces), cmocka_unit_test(test_study),
        cmocka_unit_test(test_calibrate), cmocka_unit_test(test_clumps), cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, make_files, NULL);
}
