/// A control cycle in two halves, for missions: decide, then command the motors.
#ifndef GR_DRIVE_CYCLE_H
#define GR_DRIVE_CYCLE_H

#include "data.h"
#include "grouser/drive.h"

/// Computes the motor commands without sending them; gr_drive() does both.
void gr_drive_decide(const GrModel *m, const GrData *d, const GrControl *c, GrControlState *state,
                     GrControlOutput *out);

#endif
