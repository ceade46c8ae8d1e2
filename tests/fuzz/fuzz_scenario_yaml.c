/// Any bytes as a scenario file. The first line, when it begins with "#set ", is also given as an override.
#include "scenario_yaml.h"

#include "fuzz_check.h"
#include "fuzz_override.h"
#include "target.h"

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    static GrErrorLog log;
    char text[GR_FUZZ_OVERRIDE];
    const char *items[2], *const *overrides = gr_fuzz_override(data, size, text, items);
    memset(&log, 0, sizeof log);
    GrDocument *document;
    GrScenario *scenario = NULL;
    GrStatus status = gr_document_parse((const char *)data, size, "fuzz.yaml", &document, &log);
    if (status == GR_OK) {
        status = gr_scenario_read_yaml(document, overrides, NULL, &scenario);
        gr_document_free(document);
        gr_scenario_free(scenario);
    }
    gr_fuzz_agree(status, &log);
}
