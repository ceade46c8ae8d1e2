/// Pages of campaigns through the command line: reports of sweeps, searches and sensitivities, also while they run.
#include "run_command.h"

#include <libxml/parser.h>
#include <math.h>

static const char SLOPE[] = "title: Slip & <slope>\n"
                            "run: {scenario: gradeability, set: [stop.time_s=1]}\n"
                            "vary: {\"soil:phi\": {from: 30, to: 40}, start.x_m: {from: -1, to: 1}, "
                            "start.y_m: {from: -1, to: 1}}\n"
                            "compare: {rover: [rashid_like, curiosity_like]}\n"
                            "sample: {method: sobol, count: %d}\n"
                            "measure: {slip: wheels.slip_mean, top: \"max(x_m)\"}\n";

static char page[4 << 20];

/// Reads a page: it is well-formed, and asks for nothing from outside.
static void read_page(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    xmlDoc *document = xmlReadFile(path, NULL, XML_PARSE_NONET | XML_PARSE_HUGE);
    assert_non_null(document);
    xmlFreeDoc(document);
    assert_has(page, "default-src 'none'");
    assert_null(strstr(page, "src=\""));
    assert_null(strstr(page, "href="));
    assert_null(strstr(page, "@import"));
}

static void write_slope(int count)
{
    char text[1024];
    snprintf(text, sizeof text, SLOPE, count);
    gr_run_write("slope.yaml", text);
}

static void sweep_page(void **state)
{
    (void)state;
    write_slope(8);
    const GrRun *run = gr_run("sweep slope.yaml");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "wrote slope.db, slope.html\n");
    read_page("slope.html");
    assert_has(page, "<h1>Slip &amp; &lt;slope&gt;</h1>");
    assert_has(page, "<title>run 16: ");
    assert_has(page, "grouser run --from slope.db:");
    assert_has(page, "curiosity_like");
    assert_has(page, "slip over the place");
    assert_null(strstr(page, "http-equiv=\"refresh\""));
    assert_int_equal(gr_run("sweep slope.yaml --html other.html")->exit_code, 0);
    assert_int_equal(access("other.html", F_OK), 0);
    assert_int_equal(gr_run("sweep slope.yaml --html slope.db")->exit_code, 2); // nothing is overwritten
    run = gr_run("sweep slope.yaml --html no/such/folder.html");
    assert_int_equal(run->exit_code, 1);
    assert_has(run->err, "no/such/folder.html");
}

static void plot_a_study(void **state)
{
    (void)state;
    unlink("slope.html");
    const GrRun *run = gr_run("campaign plot slope.db");
    assert_int_equal(run->exit_code, 0);
    assert_string_equal(run->out, "wrote slope.html\n");
    assert_int_equal(gr_run("campaign plot slope.db -o a.html")->exit_code, 0);
    assert_int_equal(system("cmp -s slope.html a.html"), 0); // NOLINT(cert-env33-c)
    assert_int_equal(gr_run("campaign plot slope.yaml")->exit_code, 2);
    assert_int_equal(gr_run("campaign plot no.db")->exit_code, 2);
    assert_int_equal(gr_run("campaign plot")->exit_code, 2);
}

/// A sweep writes its page every few seconds; a process that is killed leaves the last one.
static void page_of_a_running_sweep(void **state)
{
    (void)state;
    write_slope(10000);
    // killed as soon as it has written its first page
    const int status =
        system("'" GR_TEST_COMMAND "' sweep slope.yaml -j 1 -o run.db & job=$!; while [ ! -e run.html ] && "
               "kill -0 $job; do sleep 0.1; done; kill -KILL $job; wait $job"); // NOLINT
    assert_int_not_equal(status, 0);
    read_page("run.html");
    assert_has(page, "http-equiv=\"refresh\"");
    assert_has(page, "still running");
    assert_has(page, " more planned");
    assert_int_equal(gr_run("campaign plot run.db")->exit_code, 0);
    read_page("run.html");
    assert_null(strstr(page, "http-equiv=\"refresh\""));
}

/// The least x + y on the circle of radius 1 and inside is −√2, at x = y.
static void optimum_page(void **state)
{
    (void)state;
    gr_run_write("circle.yaml", "run: {function: {sum: x + y, radius: \"sqrt(x^2 + y^2)\"}}\n"
                                "vary: {x: {from: -2, to: 2}, y: {from: -2, to: 2}}\n"
                                "optimize: {minimize: sum, limits: {radius: {below: 1}}, budget: 3000}\n");
    const GrRun *run = gr_run("optimize circle.yaml");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "wrote circle.db, circle.html\n");
    read_page("circle.html");
    assert_has(page, "<span>sum</span><b>-1.414</b><span>minimized</span>"); // the design is on the first cards
    assert_has(page, "<span>radius</span><b>1 m</b><span>below 1 m</span>");
    assert_has(page, "best: -1.414</title>");
    assert_has(page, "(outside the limits)</title>"); // x alone through its range leaves the circle
    assert_has(page, "<h2>Convergence</h2>");
    assert_null(strstr(page, "Pareto"));
    assert_null(strstr(page, "http-equiv=\"refresh\""));
}

/// Reads two values of a run from a point; false: there is no more before `end`.
static bool next_point(const char **at, const char *end, double *f1, double *f2)
{
    *at = strstr(*at + 1, "<title>run ");
    return *at != NULL && *at < end && sscanf(*at, "<title>run %*d: %lf, %lf", f1, f2) == 2; // NOLINT(cert-err34-c)
}

/// No point of the front is better in both than another one; away from f1 = 0, where the front of ZDT1 is steep,
/// f2 = 1 − sqrt(f1).
static void front_page(void **state)
{
    (void)state;
    gr_run_write("zdt.yaml", "run: {function: {f1: x1, f2: \"(1 + 9*x2)*(1 - sqrt(x1/(1 + 9*x2)))\"}}\n"
                             "vary: {x1: {from: 0, to: 1}, x2: {from: 0, to: 1}}\n"
                             "optimize: {minimize: [f1, f2], budget: 3000}\n");
    assert_int_equal(gr_run("optimize zdt.yaml --html front.html")->exit_code, 0);
    read_page("front.html");
    assert_has(page, "<h2>Pareto front, ");
    const char *at = strstr(page, "<g fill=\"#009e73\"");
    assert_non_null(at);
    const char *end = strstr(at, "</g>");
    const char *first = at;
    int points = 0;
    double f1, f2, x, y;
    while (next_point(&at, end, &f1, &f2)) {
        for (const char *other = first; next_point(&other, end, &x, &y);) {
            assert_false(x < f1 && y < f2);
        }
        if (f1 > 0.05) {
            assert_near(f2, 1 - sqrt(f1), 0.02);
            points++;
        }
    }
    assert_true(points > 20);
}

/// The bars of the page are the numbers of the JSON.
static void sensitivity_page(void **state)
{
    (void)state;
    gr_run_write("sum.yaml", "run: {function: {f: 2*x + y}}\nvary: {x: {from: 0, to: 1}, y: {from: 0, to: 1}}\n"
                             "sample: {method: sobol}\nsensitivity: {method: sobol, count: 1024}\n");
    const GrRun *run = gr_run("sensitivity sum.yaml --json");
    assert_int_equal(run->exit_code, 0);
    const double total = strtod(strchr(strstr(run->out, "\"total\""), ':') + 1, NULL);
    assert_near(total, 0.8, 0.02); // 4/(4 + 1) of the variance
    read_page("sum.html");
    char text[60];
    snprintf(text, sizeof text, "<title>%.3g (95 %%: ", total);
    assert_has(page, text);
    assert_has(page, "<h2>Sensitivity of f</h2>");
    assert_has(page, "<span>f depends most on</span><b>x</b>");
    gr_run_write("sum.yaml", "run: {function: {f: 2*x + y}}\nvary: {x: {from: 0, to: 1}, y: {from: 0, to: 1}}\n"
                             "sample: {method: sobol}\nsensitivity: {method: morris, count: 10}\n");
    run = gr_run("sensitivity sum.yaml -o morris.db");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "wrote morris.db, morris.html\n");
    read_page("morris.html");
    assert_has(page, "<title>x: 2, "); // effects of a linear function are its slopes
    assert_has(page, "<title>y: 1, ");
}

/// The page that the command wrote, made again from the study alone: the same bytes. A search of which a run is
/// missing has a page of its runs.
static void plot_sections(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"circle.db", "circle.html"}, {"zdt.db", "front.html"}, {"sum.db", "sum.html"}, {"morris.db", "morris.html"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char line[100], compare[100];
        snprintf(line, sizeof line, "campaign plot %s -o again.html", names[i][0]);
        snprintf(compare, sizeof compare, "cmp %s again.html", names[i][1]);
        assert_int_equal(gr_run(line)->exit_code, 0);
        assert_int_equal(system(compare), 0); // NOLINT(cert-env33-c)
    }
    const int removed = system("python3 -c \"import sqlite3; d = sqlite3.connect('circle.db'); " // NOLINT(cert-env33-c)
                               "d.execute('UPDATE runs SET outcome = NULL WHERE id = 40'); d.commit()\"");
    if (removed == 0) { // Python is there
        assert_int_equal(gr_run("campaign plot circle.db -o again.html")->exit_code, 0);
        read_page("again.html");
        assert_null(strstr(page, "<h2>Convergence</h2>"));
        assert_has(page, "<h2>Extreme runs</h2>");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweep_page),    cmocka_unit_test(plot_a_study), cmocka_unit_test(page_of_a_running_sweep),
        cmocka_unit_test(optimum_page),  cmocka_unit_test(front_page),   cmocka_unit_test(sensitivity_page),
        cmocka_unit_test(plot_sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
