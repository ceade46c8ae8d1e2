/// Beds of grains: filled, settled, and compacted to a bulk density.
#ifndef GR_BED_H
#define GR_BED_H

#include "bin.h"

/// Start from gr_default_bed_def().
typedef struct GrBedDef {
    char name[GR_GRAIN_NAME_SIZE];
    char title[GR_GRAIN_TITLE_SIZE];
    GrBinDef bin;
    double depth;        ///< of the bed [m] > 0; default 0.08
    double bulk_density; ///< to compact to [kg/m³]; 0: as it settles; default 0
    double filled;       ///< part along x that is filled, up to a wall [m]; 0: all; default 0
    uint64_t seed;       ///< of sizes and first places; default 1
} GrBedDef;

GrBedDef gr_default_bed_def(void);

/// Who hears how far a work has got; `fn` may be NULL.
typedef struct GrBedWatch {
    void (*fn)(void *context, double done, double total);
    void *context;
} GrBedWatch;

/// What a bed is like after it was prepared.
typedef struct GrBedAnswer {
    int count;
    double surface;      ///< mean height of the surface [m]
    double bulk_density; ///< between a tenth and eight tenths of the height [kg/m³]
    double solid;        ///< part of the volume there
    double contacts;     ///< mean number of a grain
    double overlap;      ///< largest, over the radius
    double floor_force;  ///< over the weight
    double time;         ///< simulated [s]
} GrBedAnswer;

/// Fills a bin, lets it settle, and compacts it where a bulk density is asked for that is higher: without friction,
/// until it is reached. GR_ERROR_VALUE, with the numbers, for a density that is looser or denser than grains become.
GrStatus gr_bed_prepare(const GrBedDef *def, const GrBedWatch *watch, GrBin **bin, GrErrorLog *log);

GrBedAnswer gr_bed_answer(const GrBin *bin);

/// Runs until grains hardly move (kinetic energy of 1e-6 of lifting each by its diameter), for `most` seconds at the
/// longest, with drag.
GrStatus gr_bed_settle(GrBin *bin, double most, const GrBedWatch *watch, GrErrorLog *log);

/// Whether a GPU gives the bits of the processor in a small bed.
GrStatus gr_bed_device_check(int gpu, GrErrorLog *log);

/// Mean height of the surface, over a grid of cells of a mean diameter.
double gr_bed_surface(const GrBin *bin);

#endif
