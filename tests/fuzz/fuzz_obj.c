/// Any bytes as a Wavefront OBJ file, and the hull of what was read.
#include "convex_mesh.h"
#include "obj_points.h"

#include <math.h>
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
    const GrStatus status = gr_obj_parse((const char *)data, size, "fuzz.obj", &points, &count, &log);
    if ((status == GR_OK) != (log.error_count == 0) || (status == GR_OK) != (count > 0)) {
        __builtin_trap(); // a failure without a message, or the other way round
    }
    bool moderate = count < 2000;
    for (int i = 0; i < count; i++) {
        moderate = moderate && fabs(points[i].x) < 1e6 && fabs(points[i].y) < 1e6 && fabs(points[i].z) < 1e6;
    }
    if (moderate) {
        gr_convex_mesh_free(gr_convex_mesh_create(points, count, NULL));
    }
    free(points);
    return 0;
}
