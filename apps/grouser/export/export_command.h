/// Subcommands of grouser export.
#ifndef GR_EXPORT_COMMAND_H
#define GR_EXPORT_COMMAND_H

#include "command.h"
#include "grouser/status.h"

extern const GrCommand gr_export_replay;
extern const GrCommand gr_export_playground;
extern const GrCommand gr_export_fmu;

/// A part that this build lacks is a failure, and no wrong input.
int gr_export_exit_code(GrStatus status);

#endif
