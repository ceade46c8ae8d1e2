/// Statistics of a map: heights, slopes, roughness, voids. Works in blocks, so that the map may exceed memory.
#ifndef GR_MAP_STATISTICS_H
#define GR_MAP_STATISTICS_H

#include "raster.h"

/// Side of a block in nodes; the most blocks that are looked at: a larger map is sampled by blocks spread evenly over
/// it.
enum { GR_MAP_BLOCK = 1024, GR_MAP_MOST_BLOCKS = 96 };

enum { GR_LAG_COUNT = 8, GR_SLOPE_ROWS = 9 };

typedef struct GrStatistics {
    double cells;                             ///< examined cells
    double share;                             ///< examined fraction of the map; below 1 for maps of more than 1e8 cells
    double voids;                             ///< cells without data among them
    double z_min, z_max, z_mean, z_deviation; ///< [m]
    double slope_cells; ///< cells with a slope: those with data whose neighbours along x and y have data too
    double slope_median, slope_p95, slope_max, slope_mean; ///< [deg]
    double slope_histogram[GR_SLOPE_ROWS]; ///< share of cells with slopes of 0-5, 5-10, … 40 and more degrees
    int lag_count;
    double lags[GR_LAG_COUNT];       ///< [m]
    double deviations[GR_LAG_COUNT]; ///< RMS difference of heights that far apart along x or y [m]
    double hurst;                    ///< slope of log deviation over log lag; NAN: too few lags
    double cell_change_p95;          ///< 95th percentile of the change from cell to cell [m]
} GrStatistics;

/// Readers of one map: sources that give the same heights and can be used at the same time.
typedef struct GrReaders {
    const GrSource *sources; ///< [count]; each is used by its own thread
    int count;               ///< at least 1
} GrReaders;

/// The same figures, to the bit, for any number of readers.
GrStatus gr_statistics_compute(const GrGridFrame *frame, GrReaders readers, GrStatistics *out, GrProgressFn progress,
                               void *context, GrErrorLog *log);

#endif
