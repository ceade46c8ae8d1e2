/// `grouser mission go`: a wall with a gap and without, a start on a boulder, the same answer from any number of
/// threads and after a kill, files that are not replaced, and what is refused.
#include "run_command.h"

#include <math.h>
#include <stdbool.h>

#include <math.h>

/// A wall 1.5 m high with flanks of 56 deg across the map of 30 m x 20 m, and a gap of 5 m in its northern half.
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
}

// coarse steps, for speed
static const char ASK[] = "mission go wall.txt --pixel 0.5 --from 7,6 --to 23,6 --rover rashid_like --gravity moon "
                          "--soil lunar_mare --speed 0.2 --worlds 2 --set stop.stuck_s=5 "
                          "--set \"step={hub_travel_mm: 10, max_ms: 50}\"";

static const GrRun *ask(const char *more)
{
    char line[1200];
    snprintf(line, sizeof line, "%s %s", ASK, more);
    return gr_run(line);
}

static double number(const char *json, const char *key)
{
    const char *at = strstr(json, key);
    assert_non_null(at);
    return strtod(strchr(at, ':') + 1, NULL);
}

/// The route goes through the gap, arrives, and runs as a scenario; the straight way ends at the wall.
static void arrives(void **state)
{
    (void)state;
    write_wall(true);
    const GrRun *run = ask("-o gap --json");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "\"answer\": \"arrives\"");
    assert_near(number(run->out, "\"probability\""), 1, 0);
    assert_true(number(run->out, "\"probability_low\"") < 0.5); // two worlds are few
    assert_near(number(run->out, "\"moved_m\""), 0, 0);
    assert_true(number(run->out, "\"length_m\"") > 19 && number(run->out, "\"length_m\"") < 26);
    assert_has(strstr(run->out, "\"straight\""), "\"arrived\": 0");
    run = gr_run("run gap_route.yaml -o gap_again.run --json");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "\"outcome\": \"reached_goal\"");
    assert_int_equal(system("head -1 gap_route.csv | grep -qx 'x_m,y_m'"), 0);
    assert_int_equal(system("grep -q LineString gap_route.geojson && grep -q 'x and y in metres' gap_route.geojson"),
                     0);
    assert_int_equal(system("grep -q 'chance to arrive' gap.html && grep -q 'What the rover holds' gap.html"), 0);
    assert_int_equal(system("grep -q 'class=\"on-narrow\"' gap.html"), 0); // the map has a form for phones
    assert_int_equal(system("grep -q 'href=\"gap_route.run/replay.html#at=[0-9.]*,[0-9.]*\"' gap.html"), 0);
    assert_int_equal(access("gap_route.run/replay.html", R_OK), 0);
    // the question is a campaign, its page can be made again, and asking again takes the results that are there
    run = gr_run("mission gap.yaml");
    assert_has(run->out, "Arrives in 2 of 2 worlds");
    assert_int_equal(gr_run("campaign plot gap.db -o again.html")->exit_code, 0);
    assert_int_equal(system("grep -q 'chance to arrive' again.html"), 0);
}

/// A wall from edge to edge: no route, with the barrier, and nothing of an earlier answer is left.
static void no_route(void **state)
{
    (void)state;
    write_wall(false);
    gr_run_write("closed_route.yaml", "of an earlier answer\n");
    const GrRun *run = ask("-o closed --json");
    assert_int_equal(run->exit_code, 1);
    assert_has(run->out, "\"answer\": \"no route\"");
    assert_near(number(run->out, "\"probability\""), 0, 0);
    assert_has(run->out, "The barrier is weakest");
    const char *barrier = strstr(run->out, "\"barrier\"");
    assert_non_null(barrier);
    assert_near(strtod(strchr(barrier, '[') + 1, NULL), 15, 2.5);
    assert_true(number(barrier, "\"share_of_limit\"") > 1);
    assert_int_equal(access("closed_route.yaml", F_OK), -1);
    assert_int_equal(system("grep -q 'cut off' closed.html"), 0);
}

/// The rover is put down beside a box on which it was to start, and why is said. A goal in the wall is blocked.
static void ends(void **state)
{
    (void)state;
    gr_run_write("boulder.yaml", "rover: rashid_like\nsoil: lunar_mare\ngravity: moon\nstop: {stuck_s: 3}\n"
                                 "step: {hub_travel_mm: 10, max_ms: 50}\ndrive: {speed_mps: 0.2, path: [[3, 0]]}\n"
                                 "parts: [box: {size_m: [0.5, 0.12, 0.4], at_m: [0.5, 2.5, 0]}]\n");
    const GrRun *run = gr_run("mission go boulder.yaml --from 0.5,2.5 --to 9,2.5 --worlds 1 -o boulder_go --json");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "The start is moved by");
    assert_true(number(run->out, "\"moved_m\"") > 0.1 && number(run->out, "\"moved_m\"") < 2);
    assert_has(run->out, "under the chassis"); // why
    write_wall(true);
    run = gr_run("mission go wall.txt --pixel 0.5 --from 7,6 --to 14,6 --arrive 0.1 --worlds 1 --rover rashid_like "
                 "--gravity moon -o in_wall");
    assert_int_equal(run->exit_code, 1);
    assert_has(run->out, "No route");
    assert_has(run->out, "The goal is blocked: at (14, 6) a");
    assert_has(run->out, "(14.75, 6.00)"); // the nearest place where it stands
}

static void compare_files(const char *a, const char *b)
{
    char line[200];
    snprintf(line, sizeof line, "cmp %s %s", a, b);
    assert_int_equal(system(line), 0);
}

/// One thread, two, and a process that is killed and started again; another seed has other worlds.
static void same_answer(void **state)
{
    (void)state;
    char command[1600];
    write_wall(true);
    assert_int_equal(ask("-j 1 -o one")->exit_code, 0);
    for (int i = 0; i < 2; i++) {
        snprintf(command, sizeof command, "timeout --foreground -s KILL 0.5 '%s' %s -j 2 -o two >/dev/null 2>&1",
                 GR_TEST_COMMAND, ASK);
        assert_int_not_equal(system(command), -1);
    }
    assert_int_equal(ask("-j 2 -o two")->exit_code, 0);
    assert_int_equal(ask("-j 2 -o three --seed 2")->exit_code, 0);
    compare_files("one_route.csv", "two_route.csv");
    assert_int_equal(system("for i in one two three; do grep -v '\"name\"' ${i}_route.geojson >$i.json; done"), 0);
    compare_files("one.json", "two.json");
    assert_int_not_equal(system("cmp -s one.json three.json"), 0); // energies differ
}

static void limits(void **state)
{
    (void)state;
    write_wall(true);
    const GrRun *run = ask("-o limited --limit \"tilt_deg<0.01\" --tries 1 --json");
    assert_int_equal(run->exit_code, 1);
    assert_has(run->out, "\"answer\": \"does not arrive\"");
    assert_has(run->out, "beyond a limit");
    assert_has(ask("-o limited2 --limit \"tilt<0.01\"")->err, "did you mean 'tilt_deg'?");
}

/// Messages with the option or the key, the value and what is allowed; exit code 2, and files of others stay.
static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *line, *message;
    } cases[] = {
        {"mission go wall.txt --pixel 0.5 --from 7,6 --to 23,66 --rover rashid_like",
         "(23, 66) is outside the map; allowed: x from"},
        {"mission go wall.txt --pixel 0.5 --from 7 --to 23,6 --rover rashid_like", "--from: found '7', expected X,Y"},
        {"mission go wall.txt --pixel 0.5 --from 7E,6 --to 23,6 --rover rashid_like", "--from: found '7E,6'"},
        {"mission go wall.txt --pixel 0.5 --from 7E,6N --to 23,6 --rover rashid_like", "the map has no projection"},
        {"mission go wall.txt --pixel 0.5 --to 23,6 --rover rashid_like", "--from: is missing"},
        {"mission go wall.txt --pixel 0.5 --from 7,6 --to 23,6", "--rover: is missing"},
        {"mission go wall.txt --from 7,6 --to 23,6 --rover rashid_like", "--pixel METRES"},
        {"mission go wall.txt --pixel 0.5 --from 7,6 --to 23,6 --rover rashid_lik", "did you mean 'rashid_like'?"},
        {"mission go wall.txt --pixel 0.5 --from 7,6 --to 23,6 --rover rashid_like --worlds 0",
         "--worlds: found 0, allowed"},
        {"mission go wall.txt --pixel 0.5 --from 7,6 --to 23,6 --rover rashid_like --limit tilt",
         "--limit: found 'tilt'"},
        {"mission go no.tif --from 7,6 --to 23,6 --rover rashid_like", "no.tif"},
        {"mission go wall.txt --pixel 0.5 --from 7,6 --to 7.1,6 --rover rashid_like", "there is nothing to plan"},
    };
    write_wall(true);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const GrRun *run = gr_run(cases[i].line);
        assert_has(run->err, cases[i].message);
        assert_int_equal(run->exit_code, 2);
    }
    gr_run_write("mine_world.yaml", "of somebody else\n");
    const GrRun *run = ask("-o mine");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "mine_world.yaml: error: exists and was not written by this command");
    assert_int_equal(system("grep -qx 'of somebody else' mine_world.yaml"), 0);
    assert_has(gr_run("mission go --help")->out, "Example:");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrives),     cmocka_unit_test(no_route), cmocka_unit_test(ends),
        cmocka_unit_test(same_answer), cmocka_unit_test(limits),   cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
