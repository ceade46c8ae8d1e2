/// Any bytes as measured wheel data.
#include "wheel_data.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static GrErrorLog log;
    GrWheelData out;
    memset(&log, 0, sizeof log);
    const GrStatus status = gr_wheel_data_parse((const char *)data, size, "fuzz.csv", &out, &log);
    if ((status == GR_OK) != (log.error_count == 0)) {
        __builtin_trap(); // a failure without a message, or the other way round
    }
    gr_wheel_data_free(&out);
    return 0;
}
