/// Subcommands of grouser export.
#ifndef GR_EXPORT_COMMAND_H
#define GR_EXPORT_COMMAND_H

#include "command.h"

extern const GrCommand gr_export_replay;
extern const GrCommand gr_export_playground;

#endif
