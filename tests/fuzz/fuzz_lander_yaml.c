/// Any bytes as a lander file. What can be read is put down on a plane, where its tilt must be a number.
#include "lander_yaml.h"

#include "target.h"

#include "fuzz_check.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    static GrErrorLog log;
    GrLanderDef lander;
    memset(&log, 0, sizeof log);
    const GrStatus status = gr_lander_parse((const char *)data, size, "fuzz.yaml", &lander, &log);
    gr_fuzz_agree(status, &log);
    if (status == GR_OK) {
        const GrSite level = {0};
        GrLanderPlacement placement;
        if (gr_lander_place(&lander, &level, (GrLanderSpot){.heading = 0.5}, &placement, &log) == GR_OK &&
            placement.stand == GR_STAND_STANDS && !isfinite(placement.tilt)) {
            abort();
        }
    }
}
