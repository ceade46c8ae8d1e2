/// Any bytes as a YAML rover. The first line, when it begins with "#set ", is also given as an override.
#include "rover_yaml.h"

#include "fuzz_override.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static GrErrorLog log;
    char text[GR_FUZZ_OVERRIDE];
    const char *items[2], *const *overrides = gr_fuzz_override(data, size, text, items);
    memset(&log, 0, sizeof log);
    GrRoverDef rover;
    const GrStatus status = gr_rover_parse_yaml((const char *)data, size, "fuzz.yaml", overrides, &rover, &log);
    if ((status == GR_OK) != (log.error_count == 0)) {
        __builtin_trap(); // a failure without a message, or the other way round
    }
    gr_rover_free(&rover);
    return 0;
}
