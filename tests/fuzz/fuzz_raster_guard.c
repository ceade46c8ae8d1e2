/// Any bytes as the XML of a map (VRT, side file), in a folder of its own: the guard must refuse what GDAL could follow
/// out of it. A map that passes names no file elsewhere, no address and no program.
#include "raster_guard.h"

#include "fuzz_check.h"
#include "gdal_api.h"
#include "target.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/dev/shm/grouser_fuzz_XXXXXX", path[64];

static void remove_folder(void)
{
    unlink(path);
    rmdir(folder);
}

/// Made once; removed at the end.
static void make_folder(void)
{
    if (path[0] == '\0') {
        if (mkdtemp(folder) == NULL || gr_gdal_start(folder, NULL) != GR_OK) {
            abort();
        }
        snprintf(path, sizeof path, "%s/map.vrt", folder);
        atexit(remove_folder);
    }
}

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    static GrErrorLog log;
    make_folder();
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        abort();
    }
    memset(&log, 0, sizeof log);
    log.quiet = true;
    const GrStatus status = gr_raster_guard_path(path, &log);
    gr_fuzz_agree(status, &log);
    static char text[20001];
    const size_t kept = size < sizeof text - 1 ? size : sizeof text - 1;
    memcpy(text, data, kept);
    text[kept] = '\0';
    const bool hidden = strlen(text) < size || strstr(text, "<!--") != NULL || strstr(text, "<![CDATA[") != NULL;
    if (status == GR_OK && !hidden && strncmp(text, "<VRTDataset", 11) == 0 &&
        (strstr(text, "<SourceFilename>/etc/") != NULL || strstr(text, "<SourceFilename>/vsi") != NULL ||
         strstr(text, "subClass=\"VRTRawRasterBand\"") != NULL)) {
        fprintf(stderr, "fuzz_raster_guard: let through\n");
        abort();
    }
}
