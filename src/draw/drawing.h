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

/// Line with an arrow at both ends and the length [m] in its middle, after `prefix`.
void gr_mark_dimension(GrBuffer *svg, GrPoint2 a, GrPoint2 b, double length, const char *prefix);

/// Thin line from the measured feature to the dimension line.
void gr_mark_extension(GrBuffer *svg, GrPoint2 a, GrPoint2 b);

void gr_mark_arrow(GrBuffer *svg, GrPoint2 tail, GrPoint2 head);

/// A ring when the joint's axis points at the viewer, a dash-dotted line along the axis when it lies in the page.
/// `half`: half the length of that line [m]. Driven wheels get no mark: their axle is obvious.
void gr_mark_joint(GrBuffer *svg, const GrCamera *camera, const GrJointDef *joint, GrVec3 at, GrVec3 axis, double half);

/// Quartered disc.
void gr_mark_com(GrBuffer *svg, GrPoint2 at, double radius);

/// Ground line with hatching under it.
void gr_mark_ground(GrBuffer *svg, double left, double right, double y);

void gr_mark_scale_bar(GrBuffer *svg, GrPoint2 at, double length, double scale);

/// Explains the symbols used in this rover's drawing.
void gr_mark_legend(GrBuffer *svg, const GrRoverDef *rover, GrPoint2 at);

#endif
