/// The subcommands of `grouser rover`.
#ifndef GR_ROVER_COMMAND_H
#define GR_ROVER_COMMAND_H

#include "command.h"

extern const GrCommand gr_rover_from_urdf;

#endif
