/// A unit's resources as a host finds them: in a folder of their own, far from where they came from.
#ifndef GR_FMU_TRIAL_H
#define GR_FMU_TRIAL_H

#include "fmu_resources.h"

/// Writes the files to a temporary folder, loads the unit from there and compares its start with that of `unit`. Fails
/// if it does not load, reads anything outside that folder, or starts with other bits.
GrStatus gr_fmu_trial(GrFmuUnit *unit, const GrFmuFiles *files, const char *token, GrErrorLog *log);

#endif
