/// The single-wheel rig with a prescribed motion: each axis follows a position or holds a force over time, while the
/// wheel turns and steers as prescribed. The wheel is a contact unit (grouser/contact.h), so every law works. The law
/// scm drives on its own grid; other laws see level ground, as in the rest of the rig, and the trench is pressed by the
/// same wheel beside.
///
/// Axes are those of the rig: x along the track, y to its left, z up. Positions are those of the wheel centre, and for
/// z the depth of the rim's lowest point below the undisturbed ground. Forces are those of the soil on the wheel.
#ifndef GR_MOTION_RIG_H
#define GR_MOTION_RIG_H

#include "grouser/contact.h"
#include "rig.h"

enum { GR_MOTION_AXES = 3 };

/// A row of a prescribed motion, and of the result. NAN: not given.
typedef struct GrMotionRow {
    double time;                     ///< [s]
    double position[GR_MOTION_AXES]; ///< x, y, sinkage [m]
    double force[GR_MOTION_AXES];    ///< [N]
    double speed;                    ///< of the wheel about its axle [rad/s]
    double slip_angle;               ///< to which it is steered while it travels along x [rad]
    double torque;                   ///< of the motor [N m]; only measured
    double slip;                     ///< only a result
} GrMotionRow;

typedef struct GrMotionRigDef {
    GrRigDef rig;                  ///< soil, wheel, cell, flow
    bool by_force[GR_MOTION_AXES]; ///< the axis holds a force, else it follows a position
    double mass;                   ///< that moves along axes with a force [kg] > 0
    double step;                   ///< longest [s] > 0
} GrMotionRigDef;

typedef struct GrMotionRig {
    GrMotionRigDef def;
    GrModel *model, *trench_model;
    GrContact *unit, *trench; ///< which carries the wheel; which leaves the trench: the same with law scm
} GrMotionRig;

/// Free with gr_motion_rig_free(), after an error too.
GrStatus gr_motion_rig_make(const GrMotionRigDef *def, GrMotionRig *out, GrErrorLog *log);
void gr_motion_rig_free(GrMotionRig *rig);

/// Runs through rows of increasing time; between them what is prescribed is linear. A wheel that holds a load comes to
/// rest under that of the first row before the time begins. `out`: a row for each.
GrStatus gr_motion_rig_run(GrMotionRig *rig, const GrMotionRow *rows, int count, GrMotionRow *out, GrErrorLog *log);

#endif
