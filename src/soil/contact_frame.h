/// The contact frame of a wheel on the ground under it (K23 3.1-3.3).
#ifndef GR_CONTACT_FRAME_H
#define GR_CONTACT_FRAME_H

#include "vec3.h"

/// x forward in the contact plane, y along the axle's projection, z the plane's normal; columns of a rotation.
typedef struct GrContactFrame {
    GrVec3 x, y, z;
} GrContactFrame;

/// Frame of a wheel with unit axle on a plane with unit normal. x = axle × normal; a wheel that lies nearly flat has no
/// forward direction of its own, and x changes smoothly to `forward` (the last x, or any hint; need not be unit). This
/// works upside down too, since the frame depends on the axle and the ground, not on the chassis.
GrContactFrame gr_contact_frame(GrVec3 axle, GrVec3 normal, GrVec3 forward);

/// Points at which the ground's height is evaluated: two points at the front edges of the wheel and one behind (K23 eq.
/// 3.1-3.3), at entry angle theta1 of the last step.
void gr_contact_points(GrVec3 centre, const GrContactFrame *last, double radius, double width, double theta1,
                       GrVec3 out[3]);

/// Unit normal of the plane through three ground points in that order, on the side of `up`; `up` itself when they are
/// collinear.
GrVec3 gr_contact_normal(const GrVec3 p[3], GrVec3 up);

/// Sinkage of the disc's lowest point below the plane through `ground`; negative above it. For a slice, `centre` is the
/// slice's own centre on the axle.
double gr_contact_sinkage(GrVec3 centre, GrVec3 axle, double radius, GrVec3 ground, GrVec3 normal);

/// Components of a world vector in the frame, and back.
GrVec3 gr_contact_to_frame(const GrContactFrame *f, GrVec3 world);
GrVec3 gr_contact_to_world(const GrContactFrame *f, GrVec3 local);

#endif
