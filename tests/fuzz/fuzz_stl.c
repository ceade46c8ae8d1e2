/// Any bytes as an STL file.
#include "mesh_points.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static GrErrorLog log;
    memset(&log, 0, sizeof log);
    GrVec3 *points = NULL;
    int count = 0;
    const GrStatus status = gr_stl_parse((const char *)data, size, "fuzz.stl", &points, &count, &log);
    if ((status == GR_OK) != (log.error_count == 0) || (status == GR_OK) != (count > 0)) {
        __builtin_trap(); // a failure without a message, or the other way round
    }
    free(points);
    return 0;
}
