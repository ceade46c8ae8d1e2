/// A map picture with the information needed to read it: a title, axes in metres, a legend and a scale bar.
///
///     title
///     north  +---------------+   height [m]
///      [m]   |               |   ^
///            |  the picture, |   | colours from low to high, or one
///            |  unchanged    |   v swatch for each class
///            +---------------+   no data
///                east [m]
///            |-----| 50 m
#ifndef GR_MAP_FIGURE_H
#define GR_MAP_FIGURE_H

#include "chart.h"
#include "hillshade.h"

#include <stdbool.h>

/// A class of a map and its colour.
typedef struct GrMapClass {
    const char *name;
    unsigned char color[3];
} GrMapClass;

/// Captions that accompany the picture.
typedef struct GrMapCaption {
    const char *title;         ///< the map's size in metres is appended
    const char *legend;        ///< above the colours, such as "height [m]"
    const GrMapClass *classes; ///< NULL: the colours are those of heights
    int class_count;
} GrMapCaption;

typedef struct GrMapFigure {
    unsigned char *pixels; ///< RGB, row by row from the top; gr_free() it
    int width, height;
    int left, top;                     ///< the picture's first pixel
    GrAxis x, y;                       ///< of the picture, with `east` and `north` subtracted
    double east, north;                ///< offsets subtracted from axis labels that would be long otherwise; 0 or round
    GrAxis z;                          ///< of the height legend; without ticks when there is no height legend
    double bar_length;                 ///< of the scale bar [m]
    int bar_left, bar_row, bar_pixels; ///< its place and length in the figure
} GrMapFigure;

GrStatus gr_map_figure_make(const GrPicture *picture, const GrMapCaption *caption, GrMapFigure *out);

/// Writes the figure as PNG; only the picture when there is no caption.
GrStatus gr_map_figure_write(const char *path, const GrPicture *picture, const GrMapCaption *caption, GrErrorLog *log);

#endif
