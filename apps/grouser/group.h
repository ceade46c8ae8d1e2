/// A command with subcommands: `grouser terrain info`, `grouser fit soil`, …
#ifndef GR_GROUP_H
#define GR_GROUP_H

#include "command.h"

/// Runs the subcommand that the first argument names, or prints the help of the group. Names of subcommands begin with
/// that of the group: "terrain info".
int gr_group_run(const GrCommand *group, const GrCommand *const *parts, int part_count, int argc, char **argv);

#endif
