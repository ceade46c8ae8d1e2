/// A command that is several: `grouser terrain info`, `grouser fit soil`, …
#ifndef GR_GROUP_H
#define GR_GROUP_H

#include "command.h"

/// Hands on to the part that the first argument names, or prints the help of the group. Names of parts begin with the
/// group's: "terrain info".
int gr_group_run(const GrCommand *group, const GrCommand *const *parts, int part_count, int argc, char **argv);

#endif
