/// What `fit drive` and `predict` read: telemetry, rover, soil, map; and the options for it.
#ifndef GR_DRIVE_INPUT_H
#define GR_DRIVE_INPUT_H

#include "buffer.h"
#include "drive_predict.h"
#include "json.h"
#include "options.h"
#include "page.h"

#include <stdio.h>

enum { GR_DRIVE_OPTIONS = 11, GR_DRIVE_COLUMNS = 64 };

typedef struct GrDriveInput {
    // as typed
    const char *telemetry, *rover, *map, *gravity, *soil, *model, *noise, *torque_per_ampere;
    GrTextList columns, overrides;
    double stretch;
    // as read
    GrRoverDef rover_def;
    GrDriveRover drive;
    GrTelemetry data;
    GrStretches stretches;
    GrSoilDef soil_def;
    GrSoilSources sources;
    GrSoilSpread spread;
    GrDriveNoise noise_def;
    GrTerrain *terrain;
} GrDriveInput;

/// Defaults; free with gr_drive_input_free().
GrDriveInput gr_default_drive_input(void);
void gr_drive_input_free(GrDriveInput *input);

/// The options of both commands; `out` has room for GR_DRIVE_OPTIONS.
int gr_drive_input_options(GrDriveInput *input, GrOption *out);

/// Reads everything that the options name.
GrStatus gr_drive_input_read(GrDriveInput *input, GrErrorLog *log);

/// Stretches used and left out, columns, and where the tilt comes from, as text and as keys of a JSON object.
void gr_drive_input_print(const GrDriveInput *input, FILE *file);
void gr_drive_input_json(const GrDriveInput *input, GrJson *json);

/// Coverage of each measured quantity, where it leaves its band, and the energy of the whole drive.
void gr_drive_bands_print(const GrDriveInput *input, const GrDrivePrediction *prediction, FILE *file);
void gr_drive_bands_json(const GrDriveInput *input, const GrDrivePrediction *prediction, GrJson *json);

/// Plots over the distance: measured points, predictions with bands; `changes`: distances of change points [m].
void gr_drive_bands_page(const GrDriveInput *input, const GrDrivePrediction *prediction, const double *changes,
                         int change_count, GrPage *page);

#endif
