/// Data of `grouser show rover`, and its output as text and JSON.
#ifndef GR_SHOW_ROVER_H
#define GR_SHOW_ROVER_H

#include "grouser/analysis.h"
#include "grouser/soil_file.h"

#include "drawing.h"
#include "page.h"
#include "rover_pose.h"
#include "soil_spread.h"

#include <stdio.h>

typedef struct GrRoverView {
    const GrRoverDef *rover;
    double *positions; ///< of the joints, at the start
    GrPose *poses;     ///< of the bodies, in the frame of body 0
    GrMassProperties mass;
    GrRoverSize size;
    double gravity; ///< [m/s²]
    GrStance stance;
    double *loads; ///< of the wheels at rest on a plane [N]; NULL when the rover cannot stand: no wheels, no gravity
} GrRoverView;

/// Free with gr_rover_view_free() when GR_OK. A rover that finds no stance is shown without loads, with a warning.
GrStatus gr_rover_view_make(const GrRoverDef *rover, double gravity, GrRoverView *out, GrErrorLog *log);
void gr_rover_view_free(GrRoverView *view);

/// Name in files and JSON.
const char *gr_confidence_name(GrConfidence confidence);

void gr_show_rover_text(const GrRoverView *view, FILE *file);
void gr_show_rover_json(const GrRoverView *view, FILE *file);

typedef struct GrSoilView {
    GrSoilDef soil;
    GrSoilSources sources;
    GrSoilSpread spread;
    double gravity; ///< [m/s²], for the weight of the soil
} GrSoilView;

void gr_show_soil_text(const GrSoilView *view, FILE *file);
void gr_show_soil_json(const GrSoilView *view, FILE *file);

/// Pressure against sinkage, and shear stress against displacement, as SVG; the same on a page with the parameters.
GrStatus gr_soil_plot(const GrSoilView *view, GrBuffer *svg);
void gr_soil_page(const GrSoilView *view, GrPage *page);

#endif
