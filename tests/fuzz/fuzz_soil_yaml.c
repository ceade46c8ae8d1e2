/// Any bytes as a soil file. The first line, when it begins with "#set ", is also given as an override. What can be
/// read is written, and must then be read again.
#include "soil_yaml.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static GrErrorLog log;
    static GrSoilSources sources;
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
    GrSoilDef soil;
    const GrStatus status = gr_soil_parse_yaml((const char *)data, size, "fuzz.yaml",
                                               override[0] != '\0' ? overrides : NULL, &soil, &sources, &log);
    if ((status == GR_OK) != (log.error_count == 0)) {
        __builtin_trap(); // a failure without a message, or the other way round
    }
    if (status == GR_OK) {
        GrBuffer text = {0};
        GrSoilDef again;
        gr_soil_write_yaml(&soil, &sources, &text);
        if (gr_soil_parse_yaml(text.data, text.size, "written.yaml", NULL, &again, NULL, NULL) != GR_OK) {
            __builtin_trap();
        }
        gr_buffer_free(&text);
    }
    return 0;
}
