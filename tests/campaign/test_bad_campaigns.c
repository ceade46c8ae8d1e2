/// Every file of tests/bad/campaigns is refused with the right message.
#include "support/bad_files.h"

#include "campaign.h"

static GrStatus load(const char *path, GrErrorLog *log, bool *empty)
{
    static const GrSubjectKind *const kinds[] = {&gr_subject_scenario, &gr_subject_function, NULL};
    GrCampaign campaign;
    const GrStatus status = gr_campaign_load(path, kinds, &campaign, log);
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
