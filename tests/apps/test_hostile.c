/// The command under attack: folders in use, full disks, signals, names that are paths or terminal escapes. Nothing is
/// written where it should not be, nothing is mixed, and the exit code and the message say what happened.
#include "run_command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const char SHORT[] =
    "rover: el_dorado2\nsoil: ishigami2007\ndrive: {speed_mps: 0.1, path: [[5, 0]]}\nstop: {time_s: 1}\n";
static const char LONG[] =
    "rover: el_dorado2\nsoil: ishigami2007\ndrive: {speed_mps: 0.1, path: [[50, 0]]}\nstop: {time_s: 400}\n";

/// A run refuses a folder into which another one writes, and leaves it as it is.
static void test_folder_in_use(void **state)
{
    (void)state;
    gr_run_write("short.yaml", SHORT);
    assert_int_equal(gr_run("run short.yaml -o used.run")->exit_code, 0);
    struct stat before, after;
    assert_int_equal(stat("used.run/run.csv", &before), 0);
    const int lock = open("used.run", O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(lock, LOCK_EX | LOCK_NB), 0);
    const GrRun *run = gr_run("run short.yaml -o used.run");
    assert_int_equal(run->exit_code, 1);
    assert_has(run->err, "used.run: error: another run writes into this folder");
    assert_int_equal(stat("used.run/run.csv", &after), 0);
    assert_int_equal(after.st_ino, before.st_ino);
    close(lock);
    assert_int_equal(gr_run("run short.yaml -o used.run")->exit_code, 0);
}

/// A named pipe in place of any input file is refused at once; a pipe on standard input is read.
static void test_named_pipes(void **state)
{
    (void)state;
    static const char *const LINES[] = {"check pipe.yaml",
                                        "run pipe.yaml -o pipe.run",
                                        "show rover ./pipe.yaml",
                                        "show soil ./pipe.yaml",
                                        "wheel --soil ./pipe.yaml --radius 0.1 --width 0.1 --load 10",
                                        "wheel --soil ishigami2007 --radius 0.1 --width 0.1 --load 10 --data pipe.yaml",
                                        "export replay pipe.bin -o pipe.html",
                                        "view pipe.mcap --no-browser",
                                        "view pipe.bin --no-browser",
                                        "terrain info pipe.csv",
#ifdef GR_WITH_GDAL
                                        "terrain info pipe.tif",
                                        "terrain info beside.tif",
#endif
                                        "campaign show pipe.db",
                                        "sweep pipe.yaml"};
    static const char *const PIPES[] = {"pipe.yaml", "pipe.mcap", "pipe.bin",          "pipe.csv",
                                        "pipe.tif",  "pipe.db",   "beside.tif.aux.xml"};
    for (size_t i = 0; i < sizeof PIPES / sizeof PIPES[0]; i++) {
        assert_int_equal(mkfifo(PIPES[i], 0600), 0);
    }
    gr_run_write("beside.tif", "II*");
    for (size_t i = 0; i < sizeof LINES / sizeof LINES[0]; i++) {
        const GrRun *run = gr_run(LINES[i]);
        if (run->exit_code != 2 || strstr(run->err, "is a named pipe") == NULL) {
            print_error("%s: %d, %s\n", LINES[i], run->exit_code, run->err);
            fail();
        }
    }
    gr_run_write("short.yaml", SHORT);
    assert_int_equal(gr_run("run /dev/stdin -o in.run <short.yaml")->exit_code, 0);
    assert_int_equal(system("cat short.yaml | " GR_TEST_COMMAND " run /dev/stdin -o in.run >/dev/null"), 0);
}

/// Runs the command where no file may become longer than `bytes`, as on a disk that is full from there on.
static const GrRun *run_with_room(const char *arguments, long bytes)
{
    const struct rlimit small = {(rlim_t)bytes, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const GrRun *run = gr_run(arguments);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    return run;
}

static long size_of(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? (long)about.st_size : -1;
}

/// Maps and pictures on a full disk: an error, exit code 1, and no file, at whatever byte the room ends.
static void test_full_disk_maps(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"x.png --shaded --plain", "x.png", "x.tif", "x.obj", "x.glb"};
    if (gr_run("terrain generate --size 6 --cell 0.2 --add fractal:rms_m=0.1 -o map.tif --no-cache")->exit_code != 0) {
        skip(); // without GDAL
    }
    for (int i = 0; i < 5; i++) {
        char line[256], file[32];
        snprintf(file, sizeof file, "%.5s", NAMES[i]);
        snprintf(line, sizeof line, "terrain export map.tif -o %s", NAMES[i]);
        assert_int_equal(gr_run(line)->exit_code, 0);
        const long size = size_of(file);
        const long rooms[] = {0, size / 2, size - 1};
        for (int k = 0; k < 3; k++) {
            unlink(file);
            const GrRun *run = run_with_room(line, rooms[k]);
            assert_int_equal(run->exit_code, 1);
            assert_null(strstr(run->out, "wrote"));
            assert_int_equal(size_of(file), -1);
        }
    }
}

/// A run that fills the disk ends with exit code 1, whole rows, and a summary that says why.
static void test_full_disk_run(void **state)
{
    (void)state;
    static char text[1 << 20];
    gr_run_write("long.yaml", LONG);
    const GrRun *run = run_with_room("run long.yaml -o full.run", 300000);
    assert_int_equal(run->exit_code, 1);
    assert_has(run->err, "run.csv: error: cannot be written: File too large");
    gr_run_take("full.run/summary.json", text, sizeof text);
    assert_has(text, "\"outcome\": \"interrupted\"");
    assert_has(text, "run.csv: cannot be written: File too large");
    gr_run_take("full.run/run.csv", text, sizeof text);
    assert_true(strlen(text) > 1000);
    assert_int_equal(text[strlen(text) - 1], '\n');
    assert_int_equal(size_of("full.run/.reserve"), -1);
}

/// A name is not a path, and no text of a file reaches the terminal as an escape or a table as a formula.
static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *line, *message;
    } CASES[] = {
        {"name: ../../x", "name: found '../../x'; files are named by it"},
        {"name: /tmp/x", "name: found '/tmp/x'"},
        {"name: .hidden", "name: found '.hidden'"},
        {"name: -rf", "name: found '-rf'"},
        {"name: \"a\\nb\"", "name: the text has a line end"},
        {"title: \"a\\e[31mred\"", "a control character in the text"},
        {"title: \"a\\x9b31mred\"", "a control character in the text"},
        {"title: \"a\\u202egpj.exe\"", "a control character in the text"},
        {"\"a\\e[31m\": 1", "a control character in the key"},
        {"\"a\\nb\": 1", "a control character in the key"},
        {"include: /etc/passwd", "'/etc/passwd' is not included"},
        {"include: secret.txt", "'secret.txt' is not included"},
    };
    gr_run_write("secret.txt", "hunter2: 1\n");
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s\n%s", CASES[i].line, SHORT);
        gr_run_write("named.yaml", text);
        const GrRun *run = gr_run("run named.yaml");
        assert_int_equal(run->exit_code, 2);
        assert_has(run->err, CASES[i].message);
        assert_null(strstr(run->err, "hunter2"));
        assert_null(strpbrk(run->err, "\033\x9b"));
        assert_int_equal(access("named.run", F_OK), -1);
    }
    // Names of files come from the user's folder, and may be anything.
    gr_run_write("a\033[31mb.yaml", "rover: 1\n");
    const GrRun *run = gr_run("check a*b.yaml");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "a?[31mb.yaml:1:8: error");
    assert_null(strchr(run->err, '\033'));
}

/// A rover that starts inside something rigid is refused; one on top of it, or above it, is not.
static void test_start_inside(void **state)
{
    (void)state;
    static const struct {
        const char *box, *start;
        int exit_code;
    } CASES[] = {{"[2, 2, 1], at_m: [0, 0, 0.5]", "0.1", 2},
                 {"[4, 4, 5], at_m: [0, 0, 2.5]", "0.1", 2},
                 {"[4, 4, 1], at_m: [0, 0, -0.45]", "0.5", 0}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "rover: rashid_like\nsoil: lunar_apollo\ngravity: moon\nparts: [box: {size_m: %s}]\n"
                 "start: {height_m: %s}\nstop: {time_s: 0.2}\n",
                 CASES[i].box, CASES[i].start);
        gr_run_write("box.yaml", text);
        const GrRun *run = gr_run("run box.yaml");
        assert_int_equal(run->exit_code, CASES[i].exit_code);
        if (CASES[i].exit_code != 0) {
            assert_has(run->err, "start: a rover at (0, 0) is inside a rock or a part");
        }
    }
}

/// Runs that cost too much are refused at once, with the number and what to change; the cost of others is printed
/// before.
static void test_cost(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } CASES[] = {
        {"terrain: {size_m: 1000, rocks: {k: 0.5, smallest_m: 0.005}}", "252692873 rocks of 0.005 m and more"},
        {"terrain: {size_m: 1e10}", "terrain.size_m: 1e10 is out of range"},
        {"terrain: {size_m: 1e9, cell_m: 1e-4, add: [plane: {}]}", "at most 2^37 along a side"},
        {"ruts: {cell_m: 0.00001}", "ruts.cell_m: 0.00001 is out of range"},
        {"terrain: {size_m: 20, rocks: {law: golombek, k: 1e-320}}", "terrain.rocks.k: 1e-320 is out of range"},
        {"terrain: {size_m: 20, rocks: {k: 1e-6, area_fraction: 0.1}}", "terrain.rocks: the size law has no rocks"},
        {"terrain: {size_m: 20, rocks: {law: power, exponent: 1e300}}", "has infinitely many rocks between 0.05 and 2"},
        {"start: {x_m: 1e300}", "start.x_m: 1e300 is out of range"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "rover: el_dorado2\nsoil: ishigami2007\n%s\n", CASES[i].text);
        gr_run_write("costly.yaml", text);
        const GrRun *run = gr_run("check costly.yaml");
        assert_int_equal(run->exit_code, 2);
        assert_has(run->err, CASES[i].message);
    }
    // Thousands of loose rocks are made by a run; a check makes as many as a second allows, and says so.
    gr_run_write("loose.yaml",
                 "rover: el_dorado2\nsoil: ishigami2007\nterrain: {size_m: 20, rocks: {k: 0.3, smallest_m: "
                 "0.02, loose_below_m: 0.2}}\nstop: {time_s: 60}\n");
    const GrRun *run = gr_run("check loose.yaml --json");
    const char *rocks = strstr(run->out, "\"rocks\": "), *tried = strstr(run->out, "\"rocks_tried\": ");
    assert_true(rocks != NULL && tried != NULL);
    assert_int_equal(atoi(rocks + 9), 14246);
    assert_true(atoi(tried + 15) >= 1000 && atoi(tried + 15) < 14246);
    gr_run_write("huge.vrt",
                 "<VRTDataset rasterXSize=\"2000000000\" rasterYSize=\"2000000000\"><GeoTransform>0,1,0,0,0,-1"
                 "</GeoTransform><VRTRasterBand dataType=\"Float32\" band=\"1\"/></VRTDataset>");
    run = gr_run("terrain clean huge.vrt -o clean.tif");
    if (strstr(run->err, "not in this build") == NULL) {
        assert_int_equal(run->exit_code, 2);
        assert_has(run->err, "needs 1e+09 GB of memory");
        assert_has(run->err, "choose a --window");
        assert_has(gr_run("terrain export huge.vrt -o huge.obj")->err, "cut a --window of at most 4000000 nodes");
        run = gr_run("terrain light huge.vrt --azimuth 90 --elevation 5 -o light.tif");
        assert_int_equal(run->exit_code, 2);
        assert_has(run->err, "the horizon of 4e+18 nodes in 90 directions takes");
    }
    run = gr_run("terrain rocks --k 0.3 --smallest 0.01 --size 10000,10000 -o rocks.csv");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "7924744727 rocks of 0.01 m and more are needed here, but at most 5000000 are allowed");
    gr_run_write("nodes.yaml",
                 "rover: el_dorado2\nsoil: {use: ishigami2007, law: scm}\nruts: {kind: scm, cell_m: 0.0005}\n");
    run = gr_run(
        "check nodes.yaml --set rover:params.wheel_radius=5 --set rover:params.wheel_width=5"); // 10^8 nodes each
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "may reach over 1000 cells at most");
    gr_run_write("short.yaml", SHORT);
    run = gr_run("check short.yaml");
    assert_int_equal(run->exit_code, 0);
    double time, memory;
    assert_int_equal(sscanf(strstr(run->out, ": a run takes"),
                            ": a run takes about %lf s without recording, and %lf MB", &time, &memory),
                     2);
    assert_true(time > 0 && time < 60 && memory > 5 && memory < 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_named_pipes),   cmocka_unit_test(test_folder_in_use),
        cmocka_unit_test(test_names),         cmocka_unit_test(test_full_disk_maps),
        cmocka_unit_test(test_full_disk_run), cmocka_unit_test(test_start_inside),
        cmocka_unit_test(test_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
