/// Placement statistics through the command line: a tilted plane in closed form, the same answer on any number of
/// threads and after an interruption, outcomes of landers that do not stand, and the real map of Gale crater.
#include "run_command.h"

#include "grouser/vec.h"

#include <math.h>

/// Generated ground is stored as float, and bicubic: 1e-4 degrees of a plane over the 2.7 m between feet.
static const double PLANE_TILT = 1e-3; // [deg]
/// Of the same placement, computed in another heading [deg].
static const double ROUNDING = 1e-9;

static const char PLANE[] =
    "run: {placement: {lander: four_ramps, terrain: {size_m: 60, add: [{plane: {slope_deg: 12, toward_deg: 30}}]}}}\n"
    "sample: {method: sobol, count: 64}\n"
    "measure: {tilt_deg: tilt_deg, toward: tilt_toward_deg, hinge: front.hinge_deg, front: front.slope_deg,\n"
    "          left: left.slope_deg, roll: front.roll_deg, down: feet_down}\n"
    "mission: {placement: {limits: {tilt_deg: {below: 12.5}, front: {below: 25}}}}\n";

/// Columns of a line of a CSV file.
static int split(char *line, double *out, int capacity)
{
    int count = 0;
    for (char *cell = strtok(line, ","); cell != NULL && count < capacity; cell = strtok(NULL, ",")) {
        out[count++] = strtod(cell, NULL);
    }
    return count;
}

/// Ramp angles on a plane of slope s as a function of the heading. The hinge is as on level ground, a; the centre line
/// is cos(a) u - sin(a) n with the normal n and the body's direction u in the plane.
static void tilted_plane(void **state)
{
    (void)state;
    gr_run_write("plane.yaml", PLANE);
    const GrRun *run = gr_run("mission plane.yaml");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "tilt < 12.5 ° and ");
    assert_has(run->out, "\n  tilt < 12.5 °  ");
    assert_int_equal(gr_run("campaign export plane.db -o plane.csv")->exit_code, 0);
    run = gr_run("show lander four_ramps --json");
    const double level = strtod(strstr(run->out, "\"slope_deg\":") + strlen("\"slope_deg\":"), NULL);
    char text[65536], *line, *rest = text;
    gr_run_take("plane.csv", text, sizeof text);
    int rows = 0, within = 0;
    const double s = tan(12 * GR_DEGREE), toward = 30 * GR_DEGREE, gx = s * cos(toward), gy = s * sin(toward);
    const double nz = cos(12 * GR_DEGREE), a = level * GR_DEGREE;
    for (line = strtok_r(rest, "\n", &rest); (line = strtok_r(rest, "\n", &rest)) != NULL; rows++) {
        double v[16]; // id, x, y, heading, tilt, toward, hinge, front, left, roll, down
        assert_true(split(line, v, 16) >= 11);
        assert_near(v[4], 12, PLANE_TILT);
        assert_near(fabs(remainder(v[5] - 30, 360)), 180, 10 * PLANE_TILT); // it leans downhill
        assert_near(v[6], level, 10 * PLANE_TILT);
        // along the heading h the plane rises by c = gx cos h + gy sin h: u = (cos h, sin h, c) / sqrt(1 + c²)
        const double h = v[3] * GR_DEGREE, c = gx * cos(h) + gy * sin(h), uz = c / sqrt(1 + c * c);
        assert_near(v[7], asin(sin(a) * nz - cos(a) * uz) / GR_DEGREE, 10 * PLANE_TILT);
        // the left axis has the rest of the slope: x_z² + y_z² + n_z² = 1
        const double left = v[9] * GR_DEGREE;
        assert_near(uz * uz + sin(left) * sin(left) + nz * nz, 1, 1e-5);
        within += v[7] <= 25;
    }
    assert_int_equal(rows, 64);
    char share[64];
    snprintf(share, sizeof share, "\"inside\": %d,", within);
    run = gr_run("mission plane.yaml --json");
    assert_has(strstr(run->out, "all limits"), share);
}

static const char FRACTAL[] =
    "run: {placement: {lander: kazachok_like, terrain: {size_m: 80, seed: 4, add: [{fractal: {hurst: 0.8, rms_m: 0.3, "
    "lag_m: 1}}], rocks: {k: 0.1, smallest_m: 0.3}}}}\n"
    "sample: {method: random, count: 60, seed: %d}\n"
    "mission: {placement: {limits: {tilt_deg: {below: 12}, clearance_m: {above: 0.1}}}}\n";

static void export_to(const char *study, char *out, size_t size)
{
    char line[200];
    snprintf(line, sizeof line, "campaign export %s -o runs.csv", study);
    assert_int_equal(gr_run(line)->exit_code, 0);
    gr_run_take("runs.csv", out, size);
}

static void same_answer(void **state)
{
    (void)state;
    static char one[65536], two[65536], text[1000];
    snprintf(text, sizeof text, FRACTAL, 7);
    gr_run_write("fractal.yaml", text);
    assert_int_equal(gr_run("mission fractal.yaml -o one.db -j 1")->exit_code, 0);
    export_to("one.db", one, sizeof one);
    // half of the work by one process, the rest later, each with two threads
    assert_int_equal(gr_run("mission fractal.yaml -o parts.db --shard 1/2 -j 2")->exit_code, 0);
    assert_int_equal(gr_run("campaign merge fractal.yaml -o parts.db")->exit_code, 0);
    assert_int_equal(gr_run("mission fractal.yaml -o parts.db --resume -j 2")->exit_code, 0);
    export_to("parts.db", two, sizeof two);
    assert_string_equal(one, two);
    snprintf(text, sizeof text, FRACTAL, 8);
    gr_run_write("other.yaml", text);
    assert_int_equal(gr_run("mission other.yaml")->exit_code, 0);
    export_to("other.db", two, sizeof two);
    assert_string_not_equal(one, two);
}

/// The report has the figures of the mission, after every way to make it.
static void report(void **state)
{
    (void)state;
    static char page[2000000];
    static const char *const parts[] = {
        "Within the limits", "Convergence",       "Places", "The worst places", "data:image/png",
        "to the right",      "within all limits", NULL};
    for (int again = 0; again < 2; again++) {
        assert_int_equal(gr_run(again ? "campaign plot one.db -o page.html"
                                      : "mission fractal.yaml -o one.db --html page.html --resume")
                             ->exit_code,
                         0);
        gr_run_take("page.html", page, sizeof page);
        for (int i = 0; parts[i] != NULL; i++) {
            if (strstr(page, parts[i]) == NULL) {
                print_error("'%s' is not on the page\n", parts[i]);
                fail();
            }
        }
    }
    assert_int_not_equal(access("one.db.map.png", F_OK), 0); // nothing else is left behind
}

static void outcomes(void **state)
{
    (void)state;
    gr_run_write("steep.yaml",
                 "run: {placement: {lander: small_lunar, terrain: {size_m: 40, add: [{plane: {slope_deg: 60}}]}}}\n"
                 "vary: {x_m: [0, 19.9]}\n");
    assert_int_equal(gr_run("sweep steep.yaml")->exit_code, 0);
    const GrRun *run = gr_run("campaign export steep.db");
    assert_has(run->out, ",tipped,");
    assert_has(run->out, ",off_map,");
    assert_null(strstr(gr_run("campaign show steep.db")->out, "run --from"));
}

/// Leaving over every ramp: on level ground all ramps of a symmetric lander are alike, and a time that is too short
/// lets no rover arrive.
static void egress(void **state)
{
    (void)state;
    static char table[65536];
    gr_run_write("leave.yaml",
                 "rover: rashid_like\nsoil: lunar_apollo\ngravity: moon\n"
                 "lander: {name: four_ramps, ramp: front}\ndrive: {speed_mps: 0.2}\nstop: {time_s: 60}\n");
    gr_run_write("ramps.yaml",
                 "run: {scenario: ./leave.yaml}\nvary: {lander.heading_deg: [0, 25], stop.time_s: [60, 2]}\n"
                 "compare: {lander.ramp: [front, left, rear]}\n"
                 "measure: {slope: lander.ramp.slope_deg, tilt: lander.tilt_deg, left: "
                 "lander.left.slope_deg}\nmission: {egress: {}}\n");
    const GrRun *run = gr_run("mission ramps.yaml --json");
    assert_int_equal(run->exit_code, 0);
    assert_has(strstr(run->out, "\"front\""), "\"arrived\": 2,");
    assert_has(strstr(run->out, "\"rear\""), "\"arrived\": 2,");
    assert_has(run->out, "\"places\": 4");
    assert_has(strstr(run->out, "\"at least one"), "\"arrived\": 2,");
    assert_has(run->out, "\"answer\": \"It leaves over at least one ramp at 50 % of 4 places (95 %: ");
    assert_has(strstr(run->out, "every ramp"), "\"arrived\": 2,");
    // the slope of the ramp is that of `show lander`
    run = gr_run("show lander four_ramps --json");
    const double level = strtod(strstr(run->out, "\"slope_deg\":") + strlen("\"slope_deg\":"), NULL);
    export_to("ramps.db", table, sizeof table);
    char *rest = table, *line = strtok_r(rest, "\n", &rest);
    int rows = 0;
    for (; (line = strtok_r(rest, "\n", &rest)) != NULL; rows++) {
        double v[8]; // id, heading, time, ramp, slope, tilt, left
        assert_true(split(line, v, 8) >= 7);
        assert_near(v[4], level, ROUNDING);
        assert_near(v[5], 0, ROUNDING);
        assert_near(v[6], level, ROUNDING);
    }
    assert_int_equal(rows, 12);
}

static void gale(void **state)
{
    (void)state;
    const char *map = getenv("GROUSER_TEST_GALE");
    if (map == NULL) {
        skip();
    }
    static char text[2000], one[262144], two[262144];
    snprintf(text, sizeof text,
             "run: {placement: {lander: kazachok_like, terrain: {file: '%s'}}}\n"
             "sample: {method: random, count: 200, seed: 3}\n"
             "mission: {placement: {limits: {tilt_deg: {below: 12}}}}\n",
             map);
    gr_run_write("gale.yaml", text);
    assert_int_equal(gr_run("mission gale.yaml -o gale1.db -j 1")->exit_code, 0);
    assert_int_equal(gr_run("mission gale.yaml -o gale2.db -j 2")->exit_code, 0);
    export_to("gale1.db", one, sizeof one);
    export_to("gale2.db", two, sizeof two);
    assert_string_equal(one, two);
    assert_null(strstr(one, "off_map")); // the margin keeps all of the lander on the map
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tilted_plane), cmocka_unit_test(same_answer), cmocka_unit_test(report),
        cmocka_unit_test(outcomes),     cmocka_unit_test(egress),      cmocka_unit_test(gale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
