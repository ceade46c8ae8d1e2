/// Data of `grouser show soil`, and its output as text, JSON, SVG and HTML.
#ifndef GR_SHOW_SOIL_H
#define GR_SHOW_SOIL_H

#include "grouser/soil_file.h"
#include "page.h"
#include "soil_spread.h"

#include <stdio.h>

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

/// "25.5 … 37.5", the 5 and 95 % quantiles of a parameter; "" where it has no spread.
void gr_soil_view_range(const GrSoilView *view, int param, char *out, size_t size);

/// "published", "derived", "assumed", "override" or "default"; `source` becomes the number of the source, from 1, or 0.
const char *gr_soil_view_origin(const GrSoilView *view, int param, int *source);

#endif
