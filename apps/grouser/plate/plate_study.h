/// The study of `grouser plate`: plates, wheels or an annulus on one or more soils, as rows of numbers, and its output.
#ifndef GR_PLATE_STUDY_H
#define GR_PLATE_STUDY_H

#include "grouser/trust.h"
#include "page.h"
#include "press_data.h"
#include "soil_spread.h"

#include <stdio.h>

enum { GR_PLATE_RUNS = 12, GR_PLATE_VALUES = 6, GR_PLATE_BODIES = 64 };

typedef enum GrPlateMode { GR_PLATE_PRESS, GR_PLATE_DATA, GR_PLATE_SHEAR, GR_PLATE_MODES } GrPlateMode;

/// One soil with one law.
typedef struct GrPlateRun {
    char label[GR_NAME_SIZE + 64]; ///< distinguishes it from the other runs
    GrPressDef def;
    GrSoilSpread known; ///< how well the soil is known
    double spread;      ///< standard deviation of ln p, for its band; 0: none, or by samples
    int samples;        ///< of the soil, for its band; 0: none
    GrSoilSources sources;
    GrTrust trust;
    GrPressScore scores[GR_PLATE_BODIES]; ///< of each body of the data
    GrPressScore all;                     ///< of all presses of the data
    double inside[GR_PLATE_BODIES + 1];   ///< part of the forces inside the band: of each body, then of all
} GrPlateRun;

/// One row of the table; its numbers are those of gr_plate_columns[mode].
typedef struct GrPlateRow {
    int run;
    int press; ///< of the data
    double value[GR_PLATE_VALUES];
} GrPlateRow;

typedef struct GrPlateStudy {
    GrPlateMode mode;
    bool banded; ///< a run has a band
    GrPlateRun runs[GR_PLATE_RUNS];
    int run_count;
    GrPressData data;
    const char *data_path;
    int body_count;             ///< different bodies of the data
    int first[GR_PLATE_BODIES]; ///< first press of each
    GrPlateRow *rows;
    int row_count, row_room;
} GrPlateStudy;

/// A column: name in JSON and CSV, head in tables, factor to the head's unit.
typedef struct GrPlateColumn {
    const char *key, *head;
    double scale;
} GrPlateColumn;

void gr_plate_json(const GrPlateStudy *study, FILE *file);
void gr_plate_csv(const GrPlateStudy *study, GrBuffer *csv);
/// What the page shows and what the terminal prints (gr_page_print()).
void gr_plate_page(const GrPlateStudy *study, GrPage *page);

#endif
