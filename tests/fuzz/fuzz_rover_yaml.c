/// Any bytes as a YAML rover. The first line, when it begins with "#set ", is also given as an override.
#include "rover_yaml.h"

#include "fuzz_check.h"
#include "fuzz_override.h"
#include "target.h"

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    static GrErrorLog log;
    char text[GR_FUZZ_OVERRIDE];
    const char *items[2], *const *overrides = gr_fuzz_override(data, size, text, items);
    memset(&log, 0, sizeof log);
    GrRoverDef rover;
    const GrStatus status = gr_rover_parse_yaml((const char *)data, size, "fuzz.yaml", overrides, &rover, &log);
    gr_fuzz_agree(status, &log);
    gr_rover_free(&rover);
}
