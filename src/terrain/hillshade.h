/// Picture of a map from above: lit from the north-west, colour by height, north up.
#ifndef GR_HILLSHADE_H
#define GR_HILLSHADE_H

#include "raster.h"

typedef struct GrPicture {
    unsigned char *pixels; ///< RGB, row by row from the top; gr_free() it
    int width, height;
    GrBox2 box;           ///< what it shows
    double z_low, z_high; ///< where the colours of heights begin and end; equal on flat ground, NAN without any data
    bool has_voids;
} GrPicture;

/// Colour of ground without data.
extern const unsigned char GR_VOID_COLOR[3];

/// The longer side has at most `most` pixels; a smaller map is drawn with several pixels per node.
GrStatus gr_hillshade_render(const GrGridFrame *frame, GrSource source, int most, GrPicture *out, GrErrorLog *log);

/// Draws a shaded dome on the picture, for rocks; centre and diameter in the frame's metres.
void gr_picture_dome(GrPicture *picture, double x, double y, double diameter);

/// The colour of level ground at a height, for legends.
void gr_hillshade_color(const GrPicture *picture, double height, unsigned char out[3]);

#endif
