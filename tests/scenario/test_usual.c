/// Plausible ranges: every row of the table warns beyond its ends and not within, in a file of its kind; implausible
/// values are still accepted.
#include "fields.h"
#include "test.h"
#include "usual.h"

#include "scenario_data.h"

#include <stdlib.h>
#include <unistd.h>

/// Reads a number at the path that a row is about; the warnings that came.
static int warnings_at(const GrUsual *row, double value)
{
    char text[300], parent[64] = "x";
    GrErrorLog log = {0};
    GrDocument *document;
    // "wheels." becomes wheels: {a: {key: value}}; "": a key at the root
    if (row->within[0] != '\0') {
        snprintf(parent, sizeof parent, "%.*s", (int)strcspn(row->within, "."), row->within);
        snprintf(text, sizeof text, "%s:\n  %s: %.17g\n", parent, row->key, value);
    } else {
        snprintf(text, sizeof text, "%s: %.17g\n", row->key, value);
    }
    assert_int_equal(gr_document_parse(text, strlen(text), "file", &document, &log), GR_OK);
    gr_document_prepare(document, NULL);
    GrNode *mapping = row->within[0] != '\0' ? gr_node_find(document->root, parent) : document->root;
    double read = 0;
    assert_true(gr_field_number(mapping, row->key, GR_REQUIRED, GR_ANY, &read));
    assert_near(read, value, 1e-12 * fabs(value));
    for (int i = 0; i < log.count; i++) {
        assert_int_equal(log.items[i].severity, GR_SEVERITY_WARNING);
        assert_non_null(strstr(log.items[i].text, "Is the unit right?"));
        assert_int_equal(log.items[i].line, row->within[0] != '\0' ? 2 : 1);
    }
    const int count = log.count;
    gr_document_free(document);
    return count;
}

static void test_rows(void **state)
{
    (void)state;
    int rows = 0;
    for (; gr_usual(rows) != NULL; rows++) {
        const GrUsual *row = gr_usual(rows);
        const double span = row->upper - row->lower;
        assert_true(span > 0);
        assert_int_equal(warnings_at(row, row->lower), 0);
        assert_int_equal(warnings_at(row, row->upper), 0);
        assert_int_equal(warnings_at(row, row->lower + 0.5 * span), 0);
        assert_int_equal(warnings_at(row, row->upper + 0.01 * span), 1);
        assert_int_equal(warnings_at(row, row->lower - 0.01 * span), 1);
    }
    assert_true(rows > 30);
}

/// Warnings of a scenario whose text or overrides have one thing that is possible and not sensible.
static void check_scenario(const char *text, const char *override, const char *field, const char *words)
{
    char path[64];
    const char *overrides[] = {override, NULL};
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    snprintf(path, sizeof path, "usual_%d.yaml", (int)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(gr_scenario_load(path, override != NULL ? overrides : NULL, &scenario, &log), GR_OK);
    unlink(path);
    assert_int_equal(gr_world_create(scenario, &world, &log), GR_OK);
    if (log.count != (words != NULL)) {
        print_error("%s: %d warnings, the first: %s\n", override != NULL ? override : text, log.count,
                    log.items[0].text);
    }
    assert_int_equal(log.count, words != NULL);
    if (words != NULL) {
        assert_int_equal(log.error_count, 0);
        assert_non_null(strstr(log.items[0].field, field));
        assert_non_null(strstr(log.items[0].text, words));
    }
    gr_world_free(world);
    gr_scenario_free(scenario);
}

/// One warning for a line, though `repeat` makes four wheels of it.
static void test_rover(void **state)
{
    (void)state;
    static const char *const heavy[] = {"bodies.chassis.mass_kg=20000", NULL};
    static const char *const large[] = {"params.wheel_radius=130", NULL};
    GrErrorLog log = {0};
    GrRoverDef rover;
    assert_int_equal(gr_rover_load(GR_TEST_SOURCE_DIR "/data/rovers/rashid_like.yaml", heavy, &rover, &log), GR_OK);
    gr_rover_free(&rover);
    assert_int_equal(gr_rover_load(GR_TEST_SOURCE_DIR "/data/rovers/rashid_like.yaml", large, &rover, &log), GR_OK);
    gr_rover_free(&rover);
    assert_int_equal(log.warning_count, 2);
    assert_non_null(strstr(log.items[0].text, "found 20000; usual for a body of a planetary rover: 0 to 5000"));
    assert_non_null(strstr(log.items[1].text, "found 130; usual for a wheel of a planetary rover: 0.02 to 1.5"));
}

static void test_files(void **state)
{
    (void)state;
    static const char TEXT[] = "rover: rashid_like\nsoil: ishigami2007\n"
                               "terrain: {size_m: 40, add: [plane: {slope_deg: 1}]}\n"
                               "drive:\n  speed_mps: 0.1\n  path: [[5, 1], [10, 2]]\n";
    check_scenario(TEXT, NULL, "", NULL);
    check_scenario(TEXT, "drive.speed_mps=10", "drive.speed_mps", "found 10; usual for a planetary rover: -6 to 6");
    check_scenario(TEXT, "soil:phi=2", "phi_deg", "found 2; usual for a soil: 5 to 55");
    check_scenario(TEXT, "drive.path=[[5, 1], [30, 2]]", "drive.path", "(30, 2) lies off the map");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_rover),
                                       cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
