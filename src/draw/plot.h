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
    size_t x_stride, y_stride;   ///< bytes from one value to the next, y_stride also of the band; 0: an array
    double x_scale, y_scale;     ///< drawn over stored numbers; 0: 1
} GrSeries;

typedef struct GrPanel {
    const char *title;   ///< NULL: none
    const char *x_label; ///< with its unit: "slip [-]"
    const char *y_label;
    const GrSeries *series;
    int series_count;
    bool square;             ///< as high as wide, on a page
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

// Attributes that tell the script of a page (plots.js) what a drawn plot means. They change nothing that is seen.
//
//     <g data-plot="left top width height x0 x1 y0 y1" data-x="time [s]" data-y="slip [-]" data-title="slip">
//       <g data-ticks="x"> a grid line, a tick and a label for each tick </g>
//       <g data-series="front_left" data-color="#0072b2"> bands, lines and points </g>
//     </g>
//
// Rectangles are in the units of the drawing. The script reads values back from the drawn points, so that no number is
// written twice. A series may have several groups, one for each layer; they share the name and the colour. Each group
// ends with gr_svg_end_group().

typedef struct GrPlotData {
    const char *title, *x_label, *y_label; ///< NULL: none
    double left, top, width, height;       ///< of the rectangle between the axes [px]
    double x[2], y[2];                     ///< values at its left and right, bottom and top
} GrPlotData;

/// Opens the group of a panel.
void gr_plot_data_begin(GrBuffer *svg, const GrPlotData *data);

/// Opens the group of the ticks of the x axis: for each one a grid line (or none), a tick and a text.
void gr_plot_data_ticks(GrBuffer *svg);

/// Opens a group with a layer of a series. `name` may be NULL.
void gr_plot_data_series(GrBuffer *svg, const char *name, const char *color);

#endif
