/// Any bytes as a scenario file. The first line, when it begins with "#set ", is also given as an override.
#include "scenario_yaml.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static GrErrorLog log;
    char override[256] = "";
    const char *overrides[] = {override, NULL};
    if (size > 5 && memcmp(data, "#set ", 5) == 0) {
        const uint8_t *end = memchr(data, '\n', size);
        const size_t length = (end != NULL ? (size_t)(end - data) : size) - 5;
        const size_t kept = length < sizeof override ? length : sizeof override - 1;
        memcpy(override, data + 5, kept);
        override[kept] = '\0';
    }
    memset(&log, 0, sizeof log);
    GrDocument *document;
    GrScenario scenario;
    GrStatus status = gr_document_parse((const char *)data, size, "fuzz.yaml", &document, &log);
    if (status == GR_OK) {
        status = gr_scenario_read_yaml(document, override[0] != '\0' ? overrides : NULL, NULL, &scenario);
        gr_document_free(document);
        if (status == GR_OK) {
            gr_scenario_free(&scenario);
        }
    }
    if ((status == GR_OK) != (log.error_count == 0)) {
        __builtin_trap(); // a failure without a message, or the other way round
    }
    return 0;
}
