/// A map in memory as a source, for tests.
#ifndef GR_MEMORY_MAP_H
#define GR_MEMORY_MAP_H

#include "raster.h"
#include "test.h"

#include <stdlib.h>

typedef struct MemoryMap {
    GrGridFrame frame;
    double *z;
} MemoryMap;

static inline GrStatus memory_map_read(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    (void)log;
    const MemoryMap *map = context;
    for (int64_t j = 0; j < window.nj; j++) {
        memcpy(out + j * window.ni, map->z + (window.j0 + j) * map->frame.nx + window.i0,
               (size_t)window.ni * sizeof *out);
    }
    return GR_OK;
}

static inline MemoryMap memory_map(int64_t nx, int64_t ny, double cell)
{
    MemoryMap map = {{nx, ny, 0, 0, cell, cell}, calloc((size_t)(nx * ny), sizeof(double))};
    assert_non_null(map.z);
    return map;
}

static inline GrSource memory_map_source(MemoryMap *map)
{
    return (GrSource){.read = memory_map_read, .context = map};
}

/// A raster read whole.
static inline MemoryMap memory_map_of(const GrRaster *raster)
{
    MemoryMap map = memory_map(raster->frame.nx, raster->frame.ny, raster->frame.dx);
    map.frame = raster->frame;
    assert_int_equal(raster->source.read(raster->source.context,
                                         (GrGridWindow){0, 0, (int)map.frame.nx, (int)map.frame.ny}, map.z, NULL),
                     GR_OK);
    return map;
}

/// The real map of Gale crater that the environment variable GROUSER_TEST_GALE names; false without it.
static inline bool memory_map_gale(MemoryMap *map)
{
    GrRasterOptions options = gr_default_raster_options();
    GrRaster raster;
    const char *path = getenv("GROUSER_TEST_GALE");
    if (path == NULL || path[0] == '\0') {
        return false;
    }
    assert_int_equal(gr_raster_open(path, &options, &raster, NULL), GR_OK);
    *map = memory_map_of(&raster);
    gr_raster_close(&raster);
    return true;
}

#endif
