/// Every file of tests/bad/scenarios is refused with the right message, when it is read or when its world is built.
#include "support/bad_files.h"

#include "grouser/scenario.h"

static GrStatus load(const char *path, GrErrorLog *log, bool *empty)
{
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrStatus status = gr_scenario_load(path, NULL, &scenario, log);
    *empty = status == GR_OK || scenario == NULL;
    if (status == GR_OK) {
        status = gr_world_create(scenario, &world, log);
        *empty = status == GR_OK || world == NULL;
        gr_world_free(world);
    }
    gr_scenario_free(scenario);
    return status;
}

static void test_messages(void **state)
{
    (void)state;
    gr_bad_folder("scenarios", gr_bad_is_yaml, load, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_messages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
