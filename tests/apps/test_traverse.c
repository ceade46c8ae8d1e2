/// `grouser mission` with traverses: level and tilted planes in closed form, a wall with a gap, and the same answer
/// from any number of threads, in parts, and after a kill.
#include "run_command.h"

#include "csv.h"
#include "grouser/terrain.h"

#include <math.h>

static const double MASS = 10, GRAVITY = 1.62; // of rashid_like [kg], of the Moon [m/s²]

static const char PLANE[] = "rover: rashid_like\n"
                            "soil: dlr_d2\n"
                            "gravity: moon\n"
                            "drive: {speed_mps: 0.1, path: [[3, 0]]}\n";

/// A number of a table; NAN where the cell is empty.
static double cell(const GrCsv *csv, int row, const char *name)
{
    const int column = gr_csv_find(csv, name);
    assert_true(column >= 0);
    const char *text = gr_csv_cell(csv, row, column);
    return text[0] != '\0' ? strtod(text, NULL) : (double)NAN;
}

static void load(const char *path, GrCsv *out)
{
    GrErrorLog log = {0};
    assert_int_equal(gr_csv_load(path, out, &log), GR_OK);
}

/// Least and largest value of a column among the legs in one direction.
static void range_of(const GrCsv *csv, double heading, const char *name, double out[2])
{
    out[0] = INFINITY;
    out[1] = -INFINITY;
    for (int i = 0; i < csv->row_count; i++) {
        if (cell(csv, i, "heading_deg") == heading && cell(csv, i, "legs") > 0) {
            out[0] = fmin(out[0], cell(csv, i, name));
            out[1] = fmax(out[1], cell(csv, i, name));
        }
    }
    assert_true(isfinite(out[0]));
}

/// On a level plane all cells agree, all directions do, and a single run of the same drive has the same energy.
static void level_plane(void **state)
{
    (void)state;
    static const double SAME = 1e-6;      // places differ by rounding alone
    static const double TURNED = 2e-3;    // in another direction a leg may end a step earlier
    static const double MADE_GOOD = 0.01; // metres driven against metres made good
    gr_run_write("plane.yaml", PLANE);
    gr_run_write("level.yaml", "run: {scenario: plane.yaml}\n"
                               "mission: {traverse: {cell_m: 3, area: [0, 0, 9, 6], directions: 4}}\n");
    const GrRun *run = gr_run("mission level.yaml");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "14 of 14 legs arrived, 100.0 %");
    assert_int_equal(
        system("grep -A1 'class=\"tiles\">' level.html | grep -qF '<span>legs that arrive</span><b>100 %<'"), 0);
    // no colours for rounding: the dark end of the scale is in the keys alone
    assert_int_equal(system("grep -q '<rect[^>]*fill=\"#4[0-9a-f]0[0-9a-f]5' level.html"), 0);
    assert_int_not_equal(system("grep -q '<polygon[^>]*fill=\"#4[0-9a-f]0[0-9a-f]5' level.html"), 0);
    GrCsv csv;
    load("level_map.csv", &csv);
    assert_int_equal(csv.row_count, 6 * (1 + 4));
    double first[2];
    range_of(&csv, 0, "energy_J_per_m", first);
    for (int k = 0; k < 4; k++) {
        double energy[2];
        range_of(&csv, 90 * k, "energy_J_per_m", energy);
        assert_near(energy[0], energy[1], SAME * first[0]);
        assert_near(energy[0], first[0], TURNED * first[0]);
    }
    gr_csv_free(&csv);
    run = gr_run("run plane.yaml --set start.x_m=50 --set drive.path=[[53,0]] -o single.run --json");
    const char *at = strstr(run->out, "\"energy_per_metre_J_per_m\":");
    assert_non_null(at);
    assert_near(strtod(strchr(at, ':') + 1, NULL), first[0], MADE_GOOD * first[0]);
}

/// A mission that changes keeps the legs of its study, and the study knows the new one.
static void changed_mission(void **state)
{
    (void)state;
    gr_run_write("plane.yaml", PLANE);
    gr_run_write("changed.yaml", "run: {scenario: plane.yaml}\n"
                                 "mission: {traverse: {cell_m: 3, area: [0, 0, 6, 6], directions: 4}}\n");
    assert_int_equal(gr_run("mission changed.yaml")->exit_code, 0);
    gr_run_write("changed.yaml", "run: {scenario: plane.yaml}\n"
                                 "mission: {traverse: {cell_m: 3, area: [0, 0, 6, 6], directions: 4,\n"
                                 "  from: [1, 1], to: [5, 1], routes: [distance]}}\n");
    assert_has(gr_run("mission changed.yaml")->out, "9 of 9 runs done"); // 8 legs of before, and a drive
    assert_int_equal(gr_run("campaign plot changed.db -o changed.html")->exit_code, 0);
    assert_int_equal(system("grep -q '<h2>Routes</h2>' changed.html"), 0);
    assert_has(gr_run("campaign show changed.db --json")->out, "\"runs\": 9");
}

/// Mean of a column of the study per metre made good, over the legs in one direction of x.
static double per_metre(const GrCsv *csv, double heading, const char *name)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < csv->row_count; i++) {
        if (cell(csv, i, "start.heading_deg") == heading) {
            sum += cell(csv, i, name) / fabs(cell(csv, i, "end_x_m") - cell(csv, i, "start.x_m"));
            count++;
        }
    }
    assert_true(count > 0);
    return sum / count;
}

/// On a tilted plane the map depends on the direction alone. Uphill needs 2 m g sin(slope) per metre more than
/// downhill, up to the difference of what soil, joints and brakes take.
static void tilted_plane(void **state)
{
    (void)state;
    static const double SAME = 1e-6, TURNED = 2e-3;
    static const double BALANCE = 0.005; // of m g sin(slope): kinetic energy at the end, and the residual of a run
    const double climb = MASS * GRAVITY * sin(2 * GR_PI / 180);
    gr_run_write("plane.yaml", PLANE);
    gr_run_write("tilted.yaml", "run: {scenario: plane.yaml, set: [\"gravity={body: moon, tilt_deg: 2}\"]}\n"
                                "measure: {lost_J: energy.soil_J + energy.joints_J + energy.wheels_J + "
                                "energy.braking_J}\n"
                                "mission: {traverse: {cell_m: 3, area: [0, 0, 9, 6], directions: 4}}\n");
    assert_int_equal(gr_run("mission tilted.yaml")->exit_code, 0);
    GrCsv csv;
    double up[2], down[2], left[2], right[2];
    load("tilted_map.csv", &csv);
    range_of(&csv, 0, "energy_J_per_m", up);
    range_of(&csv, 180, "energy_J_per_m", down);
    range_of(&csv, 90, "energy_J_per_m", left);
    range_of(&csv, 270, "energy_J_per_m", right);
    assert_near(up[0], up[1], SAME * up[1]);
    assert_near(down[0], down[1], SAME * up[1]);
    assert_near(left[0], left[1], SAME * up[1]);
    assert_near(left[0], right[0], TURNED * up[1]); // mirror images
    assert_true(up[0] > left[0] && left[0] > down[0]);
    gr_csv_free(&csv);
    assert_int_equal(gr_run("campaign export tilted.db -o tilted.csv")->exit_code, 0);
    load("tilted.csv", &csv);
    const double lost = per_metre(&csv, 0, "lost_J") - per_metre(&csv, 180, "lost_J");
    assert_near(up[0] - down[0], 2 * climb + lost, BALANCE * climb);
    assert_true(fabs(lost) < 0.5 * climb); // the bound is not empty
    gr_csv_free(&csv);
}

/// A wall 1.5 m high with flanks of 56 deg across the map, and a gap of 5 m in its northern half. Heights in a matrix
/// of cells of 0.5 m, northern row first.
static void write_wall(bool gap)
{
    FILE *file = fopen("wall.txt", "w");
    assert_non_null(file);
    for (int j = 0; j < 41; j++) {
        for (int i = 0; i < 61; i++) {
            const double x = 0.5 * i, y = 20 - 0.5 * j;
            const double height = fmax(0, 1.5 - 1.5 * fmax(0, fabs(x - 15) - 0.5));
            fprintf(file, "%s%g", i > 0 ? " " : "", gap && y > 10 && y < 15 ? 0 : height);
        }
        fprintf(file, "\n");
    }
    fclose(file);
    gr_run_write("walled.yaml", "rover: rashid_like\n"
                                "soil: dlr_d2\n"
                                "gravity: moon\n"
                                "terrain: {file: wall.txt, pixel_m: 0.5}\n"
                                "start: {x_m: 4, y_m: 4}\n"
                                "drive: {speed_mps: 0.2, path: [[6, 4]]}\n"
                                "stop: {stuck_s: 5}\n"
                                "step: {hub_travel_mm: 10, max_ms: 50}\n"); // coarse, for speed
    gr_run_write("gap.yaml",
                 "run: {scenario: walled.yaml}\n"
                 "vary: {\"soil:phi\": {from: 30, to: 34}}\n"
                 "sample: {method: sobol, count: 2}\n"
                 "mission: {traverse: {cell_m: 5, area: [5, 5, 25, 15], margin_m: 0, jitter: 0.1,\n"
                 "  directions: 4, from: [7, 6], to: [23, 6], routes: [energy, {time: 1, risk: 10}], pairs: 1}}\n");
}

/// The numbers of "way_points" of a route in JSON text.
static int way_points(const char *json, const char *name, double (*out)[2], int most)
{
    char key[80];
    snprintf(key, sizeof key, "\"name\": \"%s\"", name);
    const char *at = strstr(json, key);
    assert_non_null(at);
    at = strstr(at, "\"way_points\"");
    assert_non_null(at);
    int count = 0;
    for (at = strchr(at, '[') + 1; count < most; count++) {
        at += strspn(at, ", \n");
        if (*at != '[') {
            break;
        }
        char *end;
        out[count][0] = strtod(at + 1, &end);
        out[count][1] = strtod(end + 1 + strspn(end + 1, " \n"), &end);
        at = strchr(end, ']') + 1;
    }
    return count;
}

/// The GeoTIFF has the values of the table at their places. Band 1 is the success of cells, band 4 their energy.
static void check_raster(void)
{
#ifdef GR_WITH_GDAL
    GrCsv csv;
    load("gap_map.csv", &csv);
    for (int band = 1; band <= 4; band += 3) {
        GrRasterOptions options = gr_default_raster_options();
        options.band = band;
        GrTerrain *raster = NULL;
        gr_terrain_create(&raster, NULL);
        const GrLayerDef layer = gr_default_layer_def();
        assert_int_equal(gr_terrain_add_file(raster, "gap_map.tif", &options, &layer, NULL), GR_OK);
        for (int i = 0; i < csv.row_count; i++) {
            double z;
            if (isnan(cell(&csv, i, "heading_deg"))) {
                const double value = cell(&csv, i, band == 1 ? "success" : "energy_J_per_m");
                assert_int_equal(gr_terrain_height(raster, cell(&csv, i, "x_m"), cell(&csv, i, "y_m"), &z),
                                 GR_GROUND_OK);
                assert_near(z, value, 1e-6 * value); // stored as float
            }
        }
        gr_terrain_free(raster);
    }
    gr_csv_free(&csv);
#endif
}

/// Routes go through the gap and arrive; the straight way ends at the wall.
static void wall_with_gap(void **state)
{
    (void)state;
    write_wall(true);
    const GrRun *run = gr_run("mission gap.yaml --json");
    assert_int_equal(run->exit_code, 0);
    const char *straight = strstr(run->out, "\"name\": \"straight\"");
    assert_non_null(straight);
    assert_has(straight, "\"arrived\": 0");
    static const char *const names[] = {"energy", "time+risk"};
    for (int r = 0; r < 2; r++) {
        double points[32][2], last[2] = {7, 6};
        const int count = way_points(run->out, names[r], points, 32);
        bool through = false;
        assert_in_range(count, 2, 31);
        for (int i = 0; i < count; i++) { // where it crosses the middle of the wall
            const double part = (15 - last[0]) / (points[i][0] - last[0]);
            const double y = last[1] + part * (points[i][1] - last[1]);
            through = through || (part >= 0 && part <= 1 && y > 10 && y < 15);
            memcpy(last, points[i], sizeof last);
        }
        assert_true(through);
        assert_near(last[0], 23, 0);
        assert_near(last[1], 6, 0);
    }
    assert_has(strstr(run->out, "\"name\": \"energy\""), "\"arrived\": 2");
    check_raster();
    // a leg and a drive are runs of the study, and the route is a scenario
    assert_int_equal(gr_run("run --from gap.db:1 -o leg.run")->exit_code, 0);
    run = gr_run("run gap_route.yaml -o route.run --json");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "\"outcome\": \"reached_goal\"");
    assert_int_equal(gr_run("campaign plot gap.db -o again.html")->exit_code, 0);
    assert_int_equal(system("grep -q 'Where it can drive' again.html && grep -q 'least energy' again.html"), 0);
}

/// Cells of a wall without a gap separate start and goal: no route, with the reason.
static void wall_without_gap(void **state)
{
    (void)state;
    write_wall(false);
    gr_run_write("closed.yaml", "run: {scenario: walled.yaml}\n"
                                "mission: {traverse: {cell_m: 5, area: [5, 0, 25, 10], margin_m: 0, jitter: 0,\n"
                                "  directions: 4, from: [6, 4], to: [24, 4]}}\n");
    const GrRun *run = gr_run("mission closed.yaml");
    assert_int_equal(run->exit_code, 1);
    assert_has(run->err, "no route is handed over");
    assert_has(run->out, "energy: no route: 4 of 8 cells can be reached, the one nearest to the goal at (12.5, 2.5)");
    assert_int_equal(access("closed_route.yaml", F_OK), -1);
    GrCsv csv;
    load("closed_map.csv", &csv);
    for (int i = 0; i < csv.row_count; i++) { // costs of what never arrived are no data, and not 0
        const double energy = cell(&csv, i, "energy_J_per_m");
        assert_int_equal(isnan(energy), cell(&csv, i, "arrived") == 0);
        assert_true(!(energy <= 0));
    }
    gr_csv_free(&csv);
}

/// A box under start or goal that no leg meets: the end is named as blocked.
static void blocked_ends(void **state)
{
    (void)state;
    static const char *const ends[] = {"from: [0.5, 2.5], to: [8, 1]", "from: [8, 1], to: [0.5, 2.5]"};
    static const char *const words[] = {
        "the start is blocked: belly_out after 0.45 s, 0.00 m from the start; try another `from`",
        "the goal is blocked: stuck"};
    char text[400];
    snprintf(text, sizeof text, "%sparts: [box: {size_m: [0.5, 0.12, 0.4], at_m: [0.5, 2.5, 0]}]\nstop: {stuck_s: 3}\n",
             PLANE);
    gr_run_write("boulder.yaml", text);
    for (int i = 0; i < 2; i++) {
        snprintf(
            text, sizeof text,
            "run: {scenario: boulder.yaml}\n"
            "mission: {traverse: {cell_m: 3, area: [0, 0, 9, 3], directions: 4, jitter: 0, %s, routes: [distance]}}\n",
            ends[i]);
        gr_run_write("blocked.yaml", text);
        gr_run_write("blocked_route.yaml", "of an earlier answer\n");
        const GrRun *run = gr_run("mission blocked.yaml");
        assert_int_equal(run->exit_code, 1);
        assert_has(run->out, words[i]);
        assert_has(run->err, "no route is handed over");
        assert_int_equal(access("blocked_route.yaml", F_OK), -1);
    }
}

/// A wall across the first leg in one world and across the second in the other: each leg arrives in half of the worlds,
/// the route in none.
static void route_that_fails(void **state)
{
    (void)state;
    char text[400];
    snprintf(text, sizeof text,
             "params: {at: 3}\n%sparts: [box: {size_m: [0.3, 6, 0.6], at_m: [at, 1.5, 0]}]\nstop: {stuck_s: 3}\n",
             PLANE);
    gr_run_write("wall.yaml", text);
    gr_run_write("walls.yaml", "run: {scenario: wall.yaml}\nvary: {params.at: [3, 6]}\nsample: {method: grid}\n"
                               "mission: {traverse: {cell_m: 3, area: [0, 0, 9, 3], directions: 4, jitter: 0,\n"
                               "  from: [1, 1], to: [8, 1], routes: [distance]}}\n");
    const GrRun *run = gr_run("mission walls.yaml --json");
    assert_int_equal(run->exit_code, 1);
    const char *route = strstr(run->out, "\"name\": \"distance\"");
    assert_non_null(route);
    assert_has(route, "not handed over: driven, it arrives in 0 of 2 worlds");
    assert_has(route, "\"arrival\": 0");
    assert_has(run->out, "\"route\": \"\"");
    assert_int_equal(access("walls_route.yaml", F_OK), -1);
    assert_int_equal(access("walls_map.csv", F_OK), 0);
}

static void compare_files(const char *a, const char *b)
{
    char line[200];
    snprintf(line, sizeof line, "cmp %s %s", a, b);
    assert_int_equal(system(line), 0);
}

/// One thread, two threads, two parts that are merged, and a process that is killed and started again.
static void same_answer(void **state)
{
    (void)state;
    char command[1200];
    write_wall(true);
    assert_int_equal(gr_run("mission gap.yaml -j 1 -o one.db")->exit_code, 0);
    for (int i = 1; i <= 2 && GR_TEST_LONG(true, false); i++) {
        snprintf(command, sizeof command, "mission gap.yaml -j 2 -o parts.db --shard %d/2", i);
        assert_int_equal(gr_run(command)->exit_code, 0);
    }
    if (GR_TEST_LONG(true, false)) {
        assert_int_equal(gr_run("campaign merge gap.yaml -o parts.db")->exit_code, 0);
        assert_int_equal(gr_run("mission gap.yaml -j 2 -o parts.db")->exit_code, 0);
        compare_files("one_map.csv", "parts_map.csv");
        compare_files("one_route.yaml", "parts_route.yaml");
    }
    // --foreground: timeout waits for what it killed, which else could still hold the study
    for (int i = 0; i < GR_TEST_LONG(3, 1); i++) {
        snprintf(command, sizeof command,
                 "timeout --foreground -s KILL 0.3 '%s' mission gap.yaml -j 2 -o killed.db >/dev/null 2>&1",
                 GR_TEST_COMMAND);
        assert_int_not_equal(system(command), -1); // a slow machine is killed at the start, a fast one ends
    }
    assert_int_equal(gr_run("mission gap.yaml -o killed.db")->exit_code, 0);
    compare_files("one_map.csv", "killed_map.csv");
    assert_int_equal(gr_run("campaign export one.db -o one.csv")->exit_code, 0);
    assert_int_equal(gr_run("campaign export killed.db -o killed.csv")->exit_code, 0);
    compare_files("one.csv", "killed.csv"); // also the routes and pairs that were driven
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_plane),   cmocka_unit_test(changed_mission),  cmocka_unit_test(tilted_plane),
        cmocka_unit_test(wall_with_gap), cmocka_unit_test(wall_without_gap), cmocka_unit_test(same_answer),
        cmocka_unit_test(blocked_ends),  cmocka_unit_test(route_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
