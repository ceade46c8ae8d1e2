/// Any bytes as a lander file. What can be read is put down on a plane, where its tilt must be a number.
#include "lander_yaml.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static GrErrorLog log;
    GrLanderDef lander;
    memset(&log, 0, sizeof log);
    const GrStatus status = gr_lander_parse((const char *)data, size, "fuzz.yaml", &lander, &log);
    if ((status == GR_OK) != (log.error_count == 0)) {
        __builtin_trap(); // a failure without a message, or the other way round
    }
    if (status == GR_OK) {
        const GrSite level = {0};
        GrLanderPlacement placement;
        if (gr_lander_place(&lander, &level, (GrLanderSpot){.heading = 0.5}, &placement, &log) == GR_OK &&
            placement.stand == GR_STAND_STANDS && !isfinite(placement.tilt)) {
            __builtin_trap();
        }
    }
    return 0;
}
