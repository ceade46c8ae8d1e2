/// Sections of the page of `grouser sensitivity`: indices of every measure as bars with intervals, or Morris's plane.
#ifndef GR_SENSITIVITY_PAGE_H
#define GR_SENSITIVITY_PAGE_H

#include "buffer.h"
#include "campaign.h"
#include "indices.h"

/// Sensitivities of one measure to one variable, as columns of a table.
enum { GR_SENSITIVITY_COLUMNS = 6 };

typedef struct GrSensitivityLine {
    /// Sobol': first order, low, high, total, low, high. Morris: mean |effect|, low, high, mean, deviation. Local:
    /// slope, curvature.
    double numbers[GR_SENSITIVITY_COLUMNS];
} GrSensitivityLine;

typedef struct GrSensitivitySection {
    const GrCampaign *campaign;
    GrSensitivityMethod method;
    int measure;
    const GrSensitivityLine *lines; ///< [variable_count of the campaign]
    const GrSampleUse *use;         ///< how many samples count
    const char *const *heads;       ///< of the numbers, NULL-terminated
} GrSensitivitySection;

/// Appends the section of a measure.
void gr_sensitivity_section(const GrSensitivitySection *section, GrBuffer *page);

#endif
