/// Pages of campaigns through the command line: reports of sweeps, searches and sensitivities, also while they run.
#include "run_command.h"

#include <libxml/parser.h>

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
    const int status = system("timeout -s KILL 12 '" GR_TEST_COMMAND "' sweep slope.yaml -j 1 -o run.db"); // NOLINT
    assert_int_not_equal(status, 0);
    read_page("run.html");
    assert_has(page, "http-equiv=\"refresh\"");
    assert_has(page, "still running");
    assert_has(page, " more planned");
    assert_int_equal(gr_run("campaign plot run.db")->exit_code, 0);
    read_page("run.html");
    assert_null(strstr(page, "http-equiv=\"refresh\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweep_page),
        cmocka_unit_test(plot_a_study),
        cmocka_unit_test(page_of_a_running_sweep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
