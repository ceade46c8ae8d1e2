/// Every file of tests/bad/soils is refused with the right words.
#include "support/bad_files.h"

#include "grouser/soil_file.h"

static GrStatus load(const char *path, GrErrorLog *log, bool *empty)
{
    GrSoilDef soil;
    const GrSoilDef usual = gr_default_soil_def();
    const GrStatus status = gr_soil_load(path, NULL, &soil, NULL, log);
    *empty = memcmp(&soil, &usual, sizeof soil) == 0;
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
