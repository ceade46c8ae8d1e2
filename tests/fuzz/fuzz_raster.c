/// Any bytes as a raster of heights: GeoTIFF, text grids, PDS labels, PNG and others, opened by GDAL through the guard
/// and the list of formats, and a corner of it read. A frame that is accepted has nodes and a spacing.
#include "raster.h"

#include "fuzz_check.h"
#include "target.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { CORNER = 4 };

static char folder[] = "/dev/shm/grouser_fuzz_XXXXXX", path[64];

static void remove_folder(void)
{
    unlink(path);
    rmdir(folder);
}

static void check(const GrRaster *raster, GrErrorLog *log)
{
    const GrGridFrame *f = &raster->frame;
    double heights[CORNER * CORNER];
    if (f->nx < 2 || f->ny < 2 || !(f->dx > 0 && isfinite(f->dx)) || !(f->dy > 0 && isfinite(f->dy))) {
        abort();
    }
    const int nx = f->nx < CORNER ? (int)f->nx : CORNER, ny = f->ny < CORNER ? (int)f->ny : CORNER;
    raster->source.read(raster->source.context, (GrGridWindow){.ni = nx, .nj = ny}, heights, log);
}

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    static GrErrorLog log;
    if (path[0] == '\0') {
        if (mkdtemp(folder) == NULL) {
            abort();
        }
        snprintf(path, sizeof path, "%s/map.img", folder);
        atexit(remove_folder);
    }
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        abort();
    }
    memset(&log, 0, sizeof log);
    log.quiet = true;
    const GrRasterOptions options = gr_default_raster_options();
    GrRaster raster;
    const GrStatus status = gr_raster_open(path, &options, &raster, &log);
    gr_fuzz_agree(status, &log);
    if (status == GR_OK) {
        check(&raster, &log);
        gr_raster_close(&raster);
    }
}
