/// A small perspective picture of ground and flat faces, made without a graphics library, and printed in a terminal.
///
/// The ground is found by following the ray of each pixel; faces are filled with a depth buffer. One sun lights both,
/// and convex parts throw shadows on the ground.
#ifndef GR_RASTER_VIEW_H
#define GR_RASTER_VIEW_H

#include "buffer.h"
#include "drawn_rover.h"

typedef struct GrRasterView {
    int width, height; ///< [px]
    GrVec3 eye, right, up, ahead;
    double scale; ///< [px] per unit of the tangent
    GrVec3 sun;   ///< unit, towards it
    GrColor *pixels;
    double *depth; ///< along `ahead` [m]
} GrRasterView;

/// Looks from `eye` at `target`, with a horizontal field of view [rad]. False: out of memory.
bool gr_raster_view_init(GrRasterView *view, int width, int height, double field);
void gr_raster_view_look(GrRasterView *view, GrVec3 eye, GrVec3 target);
void gr_raster_view_free(GrRasterView *view);

/// Fills a convex polygon; `normal`: outward, unit.
void gr_raster_face(GrRasterView *view, const GrVec3 *corners, int count, GrVec3 normal, GrColor color);

/// What the ground is like.
typedef struct GrRasterGround {
    /// Height [m]; NAN where there is no ground.
    double (*height)(const void *context, double x, double y);
    const void *context;
    GrColor color;
    double reach;                ///< how far to look [m]
    const GrDrawnRover *shadows; ///< parts that throw shadows; NULL: none
} GrRasterGround;

/// Fills the pixels whose rays meet the ground before anything drawn so far.
void gr_raster_ground(GrRasterView *view, const GrRasterGround *ground);

/// Appends the picture as text for a terminal with 24-bit colours: two pixels, one above the other, in a character.
/// Each pixel of the text is the mean of `over` x `over` pixels of the view. Without `colors`, ASCII characters stand
/// for the brightness of the two.
void gr_raster_print(const GrRasterView *view, int over, bool colors, GrBuffer *out);

#endif
