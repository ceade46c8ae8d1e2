/// The parts of one control cycle, in the order in which gr_control_update() calls them.
#ifndef GR_CONTROL_PARTS_H
#define GR_CONTROL_PARTS_H

#include "steering.h"

/// joints, gyro -> odometry
void gr_odometry_update(const GrControl *c, const GrControlObservation *o, double dt, GrOdometry *odometry);

/// Chassis twist that fits the wheels best, without integrating it.
void gr_odometry_twist(const GrControl *c, const GrControlObservation *o, GrOdometry *odometry);

/// odometry, true velocity -> slip, slide
void gr_slip_measure(const GrControl *c, const GrControlObservation *o, double dt, GrControlState *s);

/// slip, slide, request -> request corrected for slip
GrDriveCommand gr_slip_compensate(const GrControl *c, GrControlState *s, GrDriveCommand request);

/// pose, path -> request of the follower; way_point, finished
GrDriveCommand gr_path_follow(const GrControl *c, GrControlState *s, const GrControlObservation *o);

/// plan -> walk, walk_phase. Returns the speed of the body that the gait allows [m/s].
double gr_walk_advance(const GrControl *c, GrControlState *s, bool walks, double speed, double dt);

#endif
