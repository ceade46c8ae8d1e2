/// The part of the ground that a recording shows.
#ifndef GR_GROUND_WINDOW_H
#define GR_GROUND_WINDOW_H

#include "grouser/terrain.h"
#include "hillshade.h"
#include "svg.h"

/// Grows the box to contain a point with `margin` around it; an empty box has x_lower > x_upper.
GrBox2 gr_box_empty(void);
void gr_box_include(GrBox2 *box, double x, double y, double margin);
bool gr_box_holds(const GrBox2 *box, double x, double y, double margin);

/// A frame over the box with cells of `finest` or larger, `most` nodes a side at most; stays inside the terrain (NULL:
/// anywhere).
GrGridFrame gr_window_frame(const GrTerrain *terrain, const GrBox2 *box, double finest, int most);

/// Height of the ground with its ruts (NULL: none); 0 without a terrain, NAN where it is not in memory.
double gr_window_height(const GrTerrain *terrain, const GrRuts *ruts, double x, double y);

/// Drops points onto the undisturbed ground; z = 0 without a terrain, NAN where it is unknown. Tiles that are not in
/// memory are read for it with cells of `cell`, and displace none of the simulation's.
void gr_window_drop(const GrTerrain *terrain, double cell, GrVec3 *points, int count);

/// Most cells that are read or generated for a frame, to keep the start and the end of a run short.
#define GR_WINDOW_CELLS 2e7

/// Heights of all nodes of a frame, row by row from the south, with the ruts (NULL: none); 0 without a terrain, NAN
/// where they are unknown. Tiles that are not in memory are read for it, as coarsely as the frame is, and displace none
/// of the simulation's; not where that would be more than GR_WINDOW_CELLS.
void gr_window_heights(const GrTerrain *terrain, const GrRuts *ruts, const GrGridFrame *frame, double *out);

// Shaded pictures of a part of the ground, inside SVG drawings.

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
