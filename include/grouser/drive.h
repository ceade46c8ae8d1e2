/// Control at work on simulation data: measure, decide, command.
#ifndef GROUSER_DRIVE_H
#define GROUSER_DRIVE_H

#include "grouser/control.h"
#include "grouser/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One control cycle: observes the data, updates the state and sets the commands of the joints it drives. Call it
/// before gr_step(), every step or every few. `out` may be NULL.
GR_API void gr_drive(const GrModel *m, GrData *d, const GrControl *control, GrControlState *state,
                     GrControlOutput *out);

#ifdef __cplusplus
}
#endif
#endif
