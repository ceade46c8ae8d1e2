/// A cycle of control in two halves, for missions: decide, then tell the motors.
#ifndef GR_DRIVE_CYCLE_H
#define GR_DRIVE_CYCLE_H

#include "data.h"
#include "grouser/drive.h"

/// What the motors should be told now (gr_drive() tells them at once).
void gr_drive_decide(const GrModel *m, const GrData *d, const GrControl *c, GrControlState *state,
                     GrControlOutput *out);

#endif
