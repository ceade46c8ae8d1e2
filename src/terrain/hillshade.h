/// Picture of a map as seen from above: light from the north-west, colour by height, north up.
#ifndef GR_HILLSHADE_H
#define GR_HILLSHADE_H

#include "raster.h"

typedef struct GrPicture {
    unsigned char *pixels; ///< RGB, row by row from the top; free() it
    int width, height;
    GrBox2 box; ///< what it shows
} GrPicture;

/// The longer side has at most `most` pixels; a smaller map is drawn with several pixels a node.
GrStatus gr_hillshade_render(const GrGridFrame *frame, GrSource source, int most, GrPicture *out, GrErrorLog *log);

/// A lit dome on the picture, for rocks; centre and diameter in the frame's metres.
void gr_picture_dome(GrPicture *picture, double x, double y, double diameter);

/// Renders and writes a PNG.
GrStatus gr_hillshade_write(const char *path, const GrGridFrame *frame, GrSource source, int most, GrErrorLog *log);

#endif
