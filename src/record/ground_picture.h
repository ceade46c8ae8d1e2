/// Shaded pictures of a part of the ground, inside SVG drawings.
#ifndef GR_GROUND_PICTURE_H
#define GR_GROUND_PICTURE_H

#include "hillshade.h"
#include "svg.h"

/// What to draw.
typedef struct GrGroundPicture {
    const GrTerrain *terrain; ///< NULL: the plane z = 0
    const GrRuts *ruts;       ///< NULL: none
    GrBox2 box;
    int most; ///< pixels of the longer side
} GrGroundPicture;

/// The nodes whose heights the picture shows; they stay inside the terrain.
GrGridFrame gr_ground_picture_frame(const GrGroundPicture *ground);

/// Heights of all nodes of a frame, row by row from the south; NAN where they are unknown.
void gr_ground_picture_heights(const GrGroundPicture *ground, const GrGridFrame *frame, double *out);

/// Shaded ground; gr_free() its pixels.
GrStatus gr_ground_picture_render(const GrGroundPicture *ground, GrPicture *out, GrErrorLog *log);

/// A rectangle of a drawing [px].
typedef struct GrSvgFrame {
    GrPoint2 at; ///< upper left corner
    double width, height;
} GrSvgFrame;

/// Embeds a picture as PNG. Without zlib nothing is drawn, and the status says so.
GrStatus gr_svg_picture(GrBuffer *svg, const GrPicture *picture, GrSvgFrame frame);

#endif
