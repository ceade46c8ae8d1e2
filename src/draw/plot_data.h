/// Attributes that tell the script of a page (plots.js) what a drawn plot means. They change nothing that is seen.
///
///     <g data-plot="left top width height x0 x1 y0 y1" data-x="time [s]" data-y="slip [-]" data-title="slip">
///       <g data-ticks="x"> a grid line, a tick and a label for each tick </g>
///       <g data-series="front_left" data-color="#0072b2"> bands, lines and points </g>
///     </g>
///
/// Rectangles are in the units of the drawing. The script reads values back from the drawn points, so that no number is
/// written twice. A series may have several groups, one for each layer; they share the name and the colour. Each group
/// ends with gr_svg_end_group().
#ifndef GR_PLOT_DATA_H
#define GR_PLOT_DATA_H

#include "buffer.h"

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
