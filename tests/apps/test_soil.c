/// list, show and check of soils.
#include "grouser/scene.h"

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
    const GrRun *run = gr_run("show soil cmu_fit"); // 171 correlations
    assert_has(run->out, "  correlated: k_phi and n0 0.99, ");
    assert_has(run->out, " weaker than 0.5\n");
    assert_has(run->out, "  error of fx_per_load: 0.0649 where the data are, 0.158 beyond\n");
    assert_has(run->out, "  the data cover slip -100 … 97.5 %, slip angle 0 … 75 °, load 17.4 … 29.5 N, ");
    run = gr_run("show soil dlr_d2 --set phi=30");
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

/// ES-1 to ES-4 have no published numbers. A file of that name in a folder of $GROUSER_DATA is that soil, in maps too;
/// the report then shows where two soils blend across a border.
static void test_simulant_of_ones_own(void **state)
{
    (void)state;
    static const char SCENARIO[] =
        "rover: rashid_like\nsoil: lunar_apollo\ngravity: moon\nsoil_map: {rules: [\"ES-1: inside(-6 -6, 0.3 -6, 0.3 "
        "6, -6 6)\", "
        "\"ES-2\"], border_m: 0.4}\nterrain: {size_m: 12, cell_m: 0.25}\ndrive: {path: [[1, 0]], "
        "speed_mps: 0.1}\nstop: {time_s: 20}\n";
    gr_run_write("simulants.yaml", SCENARIO);
    const GrRun *run = gr_run("run simulants.yaml -o simulants.run");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "ES-1 is known by name only");
    assert_has(run->err, "soils/ES-1.yaml in a folder of $GROUSER_DATA");
    assert_int_equal(system("mkdir -p own/soils && cp " GR_TEST_SOURCE_DIR
                            "/data/soils/lunar_apollo.yaml own/soils/ES-1.yaml && "
                            "cp " GR_TEST_SOURCE_DIR "/data/soils/ishigami2007.yaml own/soils/ES-2.yaml"),
                     0);
    assert_int_equal(setenv("GROUSER_DATA", "own", 1), 0);
    run = gr_run("run simulants.yaml -o simulants.run");
    assert_int_equal(run->exit_code, 0);
    assert_int_equal(unsetenv("GROUSER_DATA"), 0);
    char *text;
    size_t size;
    assert_int_equal(gr_file_read("simulants.run/run.csv", 1u << 26, &text, &size, NULL), GR_OK);
    assert_has(text, "ES-1");
    assert_has(text, "ES-2");
    free(text);
    assert_int_equal(gr_file_read("simulants.run/report.html", 1u << 26, &text, &size, NULL), GR_OK);
    assert_has(text, "blending across borders of soils");
    free(text);
    assert_int_equal(system("rm -r own simulants.run simulants.yaml"), 0);
}

/// The shipped scenario of contact states enters all thirteen (Leite & Schaefer 2010, figure 10).
static void test_all_contact_states(void **state)
{
    (void)state;
    const GrRun *run = gr_run("run contact_states -o states.run --json");
    assert_int_equal(run->exit_code, 0);
    for (int i = 0; i < GR_CONTACT_MODE_COUNT; i++) {
        char entry[100];
        snprintf(entry, sizeof entry, "\"state\": \"%s\"", gr_contact_mode_text((GrContactMode)i));
        assert_has(run->out, entry);
    }
    char *page;
    size_t size;
    assert_int_equal(gr_file_read("states.run/report.html", 1u << 26, &page, &size, NULL), GR_OK);
    assert_has(page, "soft: contact");
    assert_has(page, "rock: collision");
    free(page);
    assert_int_equal(system("rm -r states.run"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lists),
                                       cmocka_unit_test(test_text),
                                       cmocka_unit_test(test_every_soil),
                                       cmocka_unit_test(test_page),
                                       cmocka_unit_test(test_check),
                                       cmocka_unit_test(test_simulant_of_ones_own),
                                       cmocka_unit_test(test_all_contact_states)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
