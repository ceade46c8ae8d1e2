/// Small bins for tests.
#ifndef GR_GRAIN_TEST_H
#define GR_GRAIN_TEST_H

#include "alloc.h"
#include "bin.h"
#include "test.h"
#include "vec3.h"

static const double GRAIN = 0.002; ///< radius [m]

/// Grains of one size in a periodic box of 4 cm, without gravity, damping and friction.
static inline GrBinDef free_box(void)
{
    GrBinDef def = gr_default_bin_def();
    for (int a = 0; a < 3; a++) {
        def.size[a] = 0.04;
        def.sides[a] = GR_SIDE_PERIODIC;
        def.gravity[a] = 0;
    }
    def.grains.restitution = 1;
    def.grains.friction = def.grains.rolling = 0;
    return def;
}

static inline GrBin *bin_of(const GrBinDef *def, const GrBinStart *start, int count)
{
    GrErrorLog log = {0};
    GrBin *bin = NULL;
    if (gr_bin_create(def, start, count, &bin, &log) != GR_OK) {
        fail_msg("%s", log.items[0].text);
    }
    return bin;
}

static inline void run_for(GrBin *bin, double seconds)
{
    GrErrorLog log = {0};
    for (const double end = bin->time + seconds; bin->time < end;) {
        if (gr_bin_step(bin, &log) != GR_OK) {
            fail_msg("%s", log.items[0].text);
        }
    }
}

/// The grain of an id, wherever it is sorted to.
static inline const GrGrain *grain_of(const GrBin *bin, int id)
{
    for (int i = 0; i < bin->view.count; i++) {
        if (bin->view.now[i].id == id) {
            return &bin->view.now[i];
        }
    }
    fail_msg("no grain %d", id);
    return NULL;
}

/// A bed that was filled to about `height` and has come to rest.
static inline GrBin *settled_bed(GrBinDef *def, double height, double seconds)
{
    GrErrorLog log = {0};
    GrBinStart *start = NULL;
    int count = 0;
    if (gr_bin_fill(def, 0, height, 1, &start, &count, &log) != GR_OK) {
        fail_msg("%s", log.items[0].text);
    }
    GrBin *bin = bin_of(def, start, count);
    gr_free(start);
    bin->damping = 5;
    run_for(bin, seconds);
    bin->damping = 0;
    return bin;
}

#endif
