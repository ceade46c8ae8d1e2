/// Every file of tests/bad/campaigns is refused with the right message.
#include "support/bad_files.h"

#include "subjects.h"

static GrStatus load(const char *path, GrErrorLog *log, bool *empty)
{
    GrCampaign campaign;
    const GrStatus status = gr_campaign_load(path, &gr_campaign_kinds, &campaign, log);
    gr_campaign_free(&campaign);
    *empty = true;
    return status;
}

static void test_messages(void **state)
{
    (void)state;
    gr_bad_folder("campaigns", gr_bad_is_yaml, load, 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_messages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
