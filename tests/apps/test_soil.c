/// list, show and check of soils.
#include "file.h"
#include "json_check.h"
#include "run_command.h"
#include "xml_check.h"

static void test_lists(void **state)
{
    (void)state;
    const GrRun *run = gr_run("list soils");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "ishigami2007");
    assert_has(run->out, "assumed");
    run = gr_run("list soils --json");
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"name\": \"dlr_d2\"");
    run = gr_run("list models");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "double_spring");
    run = gr_run("list models --json");
    assert_true(gr_json_valid(run->out));
    run = gr_run("list soles");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "did you mean 'soils'?");
}

static void test_text(void **state)
{
    (void)state;
    const GrRun *run = gr_run("show soil dlr_d2 --set phi=30");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "-667000");
    assert_has(run->out, "override");
    assert_has(run->out, "assumed");
    assert_has(run->out, "[1] published");
    assert_has(run->out, "wider than 3.5 mm");
}

/// Every shipped soil and every law: valid JSON, a well-formed plot.
static void test_every_soil(void **state)
{
    (void)state;
    GrNameList names;
    static const char *const laws[] = {"wong_reece", "bekker", "chaikin", "rheological", "terra"};
    assert_int_equal(gr_folder_list(GR_TEST_SOURCE_DIR "/data/soils", ".yaml", &names, NULL), GR_OK);
    for (int i = 0; i < names.count; i++) {
        char arguments[256];
        names.names[i][strlen(names.names[i]) - strlen(".yaml")] = '\0';
        snprintf(arguments, sizeof arguments, "show soil %s --model %s --json --svg show_soil.svg", names.names[i],
                 laws[i % 5]);
        const GrRun *run = gr_run(arguments);
        assert_int_equal(run->exit_code, 0);
        assert_true(gr_json_valid(run->out));
        char *svg;
        size_t size;
        assert_int_equal(gr_file_read("show_soil.svg", 1u << 24, &svg, &size, NULL), GR_OK);
        assert_true(gr_xml_valid(svg));
        free(svg);
    }
    gr_name_list_free(&names);
    unlink("show_soil.svg");
}

static void test_page(void **state)
{
    (void)state;
    const GrRun *run = gr_run("show soil ishigami2007 --html show_soil.html");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "wrote show_soil.html");
    char *page;
    size_t size;
    assert_int_equal(gr_file_read("show_soil.html", 1u << 24, &page, &size, NULL), GR_OK);
    assert_has(page, "<svg");
    assert_has(page, "published");
    free(page);
    unlink("show_soil.html");
}

static void test_check(void **state)
{
    (void)state;
    gr_run_write("bad_soil.yaml", "law: bekker\nn0: 1\nc_Pa: -3\n");
    const GrRun *run = gr_run("check " GR_TEST_SOURCE_DIR "/data/soils/lunar_apollo.yaml bad_soil.yaml");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->out, "lunar_apollo.yaml: ok");
    assert_has(run->err, "bad_soil.yaml:3:7: error: c_Pa: -3 is out of range");
    assert_has(run->err, "the required key 'k_phi_N_per_m_n2' is missing");
    unlink("bad_soil.yaml");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lists), cmocka_unit_test(test_text),
                                       cmocka_unit_test(test_every_soil), cmocka_unit_test(test_page),
                                       cmocka_unit_test(test_check)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
