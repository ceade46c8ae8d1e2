/// Any bytes as measured wheel data.
#include "wheel_data.h"

#include "fuzz_check.h"
#include "target.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    static GrErrorLog log;
    GrWheelData out;
    memset(&log, 0, sizeof log);
    const GrStatus status = gr_wheel_data_parse((const char *)data, size, "fuzz.csv", &out, &log);
    gr_fuzz_agree(status, &log);
    gr_wheel_data_free(&out);
}
