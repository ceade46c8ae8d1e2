/// Drawing of a rover on one sheet: top, side and front view to one scale, a perspective view, the usual dimensions,
/// pivots and the centre of mass. Joints are at their initial positions.
///
///     +-----------+-------------+
///     |    top    | perspective |      the views of one row, and of one column, share their scale and their axes
///     +-----------+-------------+
///     |   side    |    front    |
///     +-----------+-------------+
#ifndef GR_DRAWING_H
#define GR_DRAWING_H

#include "buffer.h"
#include "grouser/rover.h"
#include "painter.h"

/// Dimensions on the sheet. Wheels stand on their rims, with the grousers sunk in.
typedef struct GrRoverSize {
    double length, width, height; ///< over everything [m]
    double wheelbase;             ///< between the foremost and the rearmost wheel centres [m]
    double track;                 ///< between the outermost wheel centres on the left and on the right [m]
    double clearance;             ///< from the ground to the lowest point of body 0 [m]; NAN when it has no shape
    double ground;                ///< z of the ground in the frame of body 0 [m]
} GrRoverSize;

GrStatus gr_rover_size(const GrRoverDef *rover, GrRoverSize *out, GrErrorLog *log);

/// Appends a whole SVG document.
GrStatus gr_rover_draw(const GrRoverDef *rover, GrBuffer *svg, GrErrorLog *log);

// Annotations of a drawing: dimensions, pivots, centre of mass, ground, scale bar.

void gr_mark_scale_bar(GrBuffer *svg, GrPoint2 at, double length, double scale);

#endif
