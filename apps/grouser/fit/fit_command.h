/// The subcommands of `grouser fit`.
#ifndef GR_FIT_COMMAND_H
#define GR_FIT_COMMAND_H

#include "options.h"

extern const GrCommand gr_fit_drive_command;
extern const GrCommand gr_fit_soil_command;
extern const GrCommand gr_fit_terra_command;
extern const GrCommand gr_fit_trace_command;

#endif
