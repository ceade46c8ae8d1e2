/// Any bytes as a height grid: as a matrix, and as points.
#include "text_grid.h"

#include "alloc.h"
#include "target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    static GrErrorLog log;
    static const GrTextLayout LAYOUTS[] = {GR_TEXT_AUTO, GR_TEXT_MATRIX, GR_TEXT_XYZ};
    for (int k = 0; k < 3; k++) {
        memset(&log, 0, sizeof log);
        GrTextGrid grid;
        const GrStatus status =
            gr_text_grid_parse((const char *)data, size, "fuzz.csv", LAYOUTS[k], -9999, &grid, &log);
        if ((status == GR_OK) != (log.error_count == 0) ||
            (status == GR_OK && (grid.frame.nx < 2 || grid.frame.ny < 2))) {
            abort(); // a failure without a message, or the other way round
        }
        gr_free(grid.heights);
    }
}
