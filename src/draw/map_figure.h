/// A picture of a map with what a reader needs beside it: a title, axes in metres, a legend and a scale bar.
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

#include "axis.h"
#include "hillshade.h"

/// A class of a map and its colour.
typedef struct GrMapClass {
    const char *name;
    unsigned char color[3];
} GrMapClass;

/// What the picture does not say itself.
typedef struct GrMapCaption {
    const char *title;         ///< its size in metres is added
    const char *legend;        ///< above the colours, such as "height [m]"
    const GrMapClass *classes; ///< NULL: the colours are those of heights
    int class_count;
} GrMapCaption;

typedef struct GrMapFigure {
    unsigned char *pixels; ///< RGB, row by row from the top; free() it
    int width, height;
    int left, top;      ///< the picture's first pixel
    GrAxis x, y;        ///< of the picture, less east and north
    double east, north; ///< subtracted from the numbers at the axes, which would be long otherwise; 0 or round
    GrAxis z;           ///< of the height legend; no ticks where there is none
    double bar_length;  ///< of the scale bar [m]
    int bar_left, bar_row, bar_pixels; ///< its place and length in the figure
} GrMapFigure;

GrStatus gr_map_figure_make(const GrPicture *picture, const GrMapCaption *caption, GrMapFigure *out);

/// Writes the figure as PNG; without a caption the bare picture.
GrStatus gr_map_figure_write(const char *path, const GrPicture *picture, const GrMapCaption *caption, GrErrorLog *log);

#endif
