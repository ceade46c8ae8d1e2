/// Line and scatter plots as SVG: one or more panels, dark on white, in colours that colour-blind readers can tell
/// apart.
#ifndef GR_PLOT_H
#define GR_PLOT_H

#include "buffer.h"

/// Use lines for computed values and points for measured ones.
typedef enum GrSeriesKind { GR_SERIES_LINE, GR_SERIES_DASHED, GR_SERIES_POINTS, GR_SERIES_LINE_POINTS } GrSeriesKind;

enum { GR_PLOT_GUIDE = -1 };

typedef struct GrSeries {
    const char *name; ///< for the legend; NULL: not listed
    const char *key;  ///< where `name` is NULL: its name for the script of the page, which shows values; NULL: none
    GrSeriesKind kind;
    const double *x; ///< points where x or y is not finite break the line
    const double *y;
    int count;
    int color; ///< 0: by its index in the panel; 1 .. 8: that colour of the palette (to pair a line with its points);
               ///< GR_PLOT_GUIDE: thin and grey, under all data
    double width;                ///< of a line [px]; 0: 2
    const double *lower, *upper; ///< of a band around a line; NULL: none
} GrSeries;

typedef struct GrPanel {
    const char *title;   ///< NULL: none
    const char *x_label; ///< with its unit: "slip [-]"
    const char *y_label;
    const GrSeries *series;
    int series_count;
    bool zero_line;          ///< a thin line at y = 0 when it is within the axis
    double x_lower, x_upper; ///< both 0: from the data
    double y_lower, y_upper; ///< both 0: from the data
    double y_least;          ///< the y axis spans at least this, so that noise looks small; 0: any span
} GrPanel;

typedef struct GrPlot {
    const char *title;    ///< NULL: none
    const char *subtitle; ///< NULL: none
    const GrPanel *panels;
    int panel_count;
    int columns;         ///< panels side by side; 0: 1
    double panel_width;  ///< [px]; 0: 560
    double panel_height; ///< [px]; 0: 340
} GrPlot;

/// Colour 1 .. 8 of the palette, GR_PLOT_GUIDE for guides (Okabe & Ito 2008, yellow darkened for white paper); wraps
/// around.
const char *gr_plot_color(int number);

/// Appends a whole SVG document. GR_ERROR_MEMORY is the only failure.
GrStatus gr_plot_write(const GrPlot *plot, GrBuffer *svg);

#endif
