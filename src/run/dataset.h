/// Labelled samples of a run for learning: what each wheel met (heights around it, slope, soil, load) and what came of
/// it (slip, sinkage, forces, contact state), with the images of the rover's first camera.
#ifndef GR_DATASET_H
#define GR_DATASET_H

#include "grouser/run.h"
#include "zip.h"

/// A column of numbers, one for each sample.
typedef struct GrDatasetColumn {
    const char *name; ///< with its unit
    const char *text;
    bool label; ///< an outcome; else an input
} GrDatasetColumn;

enum { GR_DATASET_COLUMNS = 20 };
extern const GrDatasetColumn gr_dataset_columns[GR_DATASET_COLUMNS];

typedef struct GrDatasetDef {
    int patch;   ///< heights: so many nodes a side, odd; 0: none
    double cell; ///< between them [m]
    bool images;
} GrDatasetDef;

/// Runs the world and adds its samples to `out`: an array for each column, `soil` and `state` as texts, `heights_m`
/// [n][patch][patch] above the wheel's ground point along the vertical, rows ahead and columns to the left; `image`
/// [k][rows][columns], `image_depth_m` and `image_time_s`. `count`: samples.
GrStatus gr_dataset_run(GrWorld *world, const GrDatasetDef *def, GrNpz *out, size_t *count, GrRunSummary *summary,
                        GrErrorLog *log);

#endif
