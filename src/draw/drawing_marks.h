/// Annotations of a drawing: dimensions, pivots, centre of mass, ground, scale bar.
#ifndef GR_DRAWING_MARKS_H
#define GR_DRAWING_MARKS_H

#include "painter.h"

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
