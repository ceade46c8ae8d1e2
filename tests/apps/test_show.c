#include "json_check.h"
#include "run_command.h"
#include "shipped.h"
#include "xml_check.h"

static void test_text(void **state)
{
    (void)state;
    const GrRun *run = gr_run("show rover curiosity_like --gravity mars");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "899 kg");
    assert_has(run->out, "degrees of freedom");
    assert_has(run->out, "rocker_right = -1 rocker_left, exactly");
    assert_has(run->out, "assumed");
    assert_has(run->out, "published");
    assert_has(run->out, "-25 .. 25 °");
    assert_string_equal(run->err, "");
}

/// Every shipped rover: valid JSON, a well-formed drawing, and it says what it wrote.
static void test_every_rover(void **state)
{
    (void)state;
    GrNameList names;
    assert_int_equal(gr_folder_list(GR_TEST_SOURCE_DIR "/data/rovers", ".yaml", &names, NULL), GR_OK);
    assert_true(names.count >= 6);
    for (int i = 0; i < names.count; i++) {
        char arguments[256];
        names.names[i][strlen(names.names[i]) - strlen(".yaml")] = '\0';
        snprintf(arguments, sizeof arguments, "show rover %s --json --svg show_test.svg", names.names[i]);
        const GrRun *run = gr_run(arguments);
        assert_int_equal(run->exit_code, 0);
        assert_true(gr_json_valid(run->out));
        assert_has(run->out, "\"mass_kg\": ");
        assert_has(run->err, "wrote show_test.svg");
        char *svg;
        size_t size;
        assert_int_equal(gr_file_read("show_test.svg", 1u << 24, &svg, &size, NULL), GR_OK);
        assert_true(gr_xml_valid(svg));
        free(svg);
        unlink("show_test.svg");
    }
    gr_name_list_free(&names);
}

static void test_file_and_override(void **state)
{
    (void)state;
    const GrRun *run = gr_run("show rover " GR_TEST_SOURCE_DIR "/data/rovers/curiosity_like.yaml --json "
                              "--set bodies.chassis.mass_kg=1000");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "\"mass_kg\": 1148");
}

/// Loads of the wheels add up to the weight, under any gravity; without gravity there are none.
static void test_loads(void **state)
{
    (void)state;
    const GrRun *run = gr_run("show rover curiosity_like --json --gravity 2");
    assert_int_equal(run->exit_code, 0);
    double sum = 0;
    int count = 0;
    for (const char *c = strstr(run->out, "\"load_N\": "); c != NULL; c = strstr(c + 1, "\"load_N\": ")) {
        const double load = strtod(c + strlen("\"load_N\": "), NULL);
        assert_true(load > 0);
        sum += load;
        count++;
    }
    assert_int_equal(count, 6);
    assert_near(sum, 2 * 899, 0.1);
    run = gr_run("show rover curiosity_like --json --gravity zero");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "\"load_N\": null");
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *message;
        int exit_code;
    } cases[] = {
        {"show rover curiosity_lik", "did you mean 'curiosity_like'?", 2},
        {"show rover zzz", "'grouser list rovers' lists them", 2},
        {"show rover none.yaml", "none.yaml: error: cannot be read: No such file", 2},
        {"show rover curiosity_like --gravity venus5", "'venus5' is neither a known body", 2},
        {"show rover curiosity_like --gravity -3", "'-3' is neither a known body", 2},
        {"show rover curiosity_like --set bodies.chasis.mass_kg=1", "chassis", 2},
        {"show rover curiosity_like --svg no/such/folder/x.svg", "no/such/folder/x.svg: error: cannot be written", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const GrRun *run = gr_run(cases[i].arguments);
        assert_has(run->err, cases[i].message);
        assert_int_equal(run->exit_code, cases[i].exit_code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),  cmocka_unit_test(test_every_rover), cmocka_unit_test(test_file_and_override),
        cmocka_unit_test(test_loads), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
