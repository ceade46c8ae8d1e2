/// Every file of tests/bad/soils is refused with the right message.
#include "support/bad_files.h"

#include "grouser/soil_file.h"
#include "soil_yaml.h"

/// All values that are not the usual ones, as text. (The bytes of a structure have gaps.)
static GrBuffer written(const GrSoilDef *soil)
{
    GrBuffer text = {0};
    gr_soil_write_yaml(soil, NULL, NULL, &text);
    return text;
}

static GrStatus load(const char *path, GrErrorLog *log, bool *empty)
{
    GrSoilDef soil;
    const GrSoilDef usual = gr_default_soil_def();
    const GrStatus status = gr_soil_load(path, NULL, &soil, NULL, log);
    GrBuffer found = written(&soil), expected = written(&usual);
    *empty = found.size == expected.size && memcmp(found.data, expected.data, found.size) == 0;
    gr_buffer_free(&found);
    gr_buffer_free(&expected);
    return status;
}

static void test_messages(void **state)
{
    (void)state;
    gr_bad_folder("soils", gr_bad_is_yaml, load, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_messages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
