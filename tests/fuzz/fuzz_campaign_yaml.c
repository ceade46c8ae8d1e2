/// Campaign files of any content: read, checked, and their rows made. Formulas only; the other subjects read more
/// files.
#include "campaign.h"

#include "alloc.h"
#include "target.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    static const GrSubjectKind *const subjects[] = {&gr_subject_function, NULL};
    static const GrCampaignKinds kinds = {.subjects = subjects};
    char *text = gr_malloc(size + 1);
    if (text == NULL) {
        return;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    GrErrorLog log = {.quiet = true};
    GrCampaign campaign;
    if (gr_campaign_parse(text, "fuzz.yaml", &kinds, &campaign, &log) == GR_OK) {
        const uint64_t count = gr_campaign_size(&campaign);
        GrRow row;
        for (uint64_t i = 0; i < count; i += 1 + count / 10) {
            gr_campaign_row(&campaign, i, &row);
        }
    }
    gr_campaign_free(&campaign);
    gr_free(text);
}
