/// A rover file with overrides, written as a rover file of its own.
#ifndef GR_ROVER_WRITE_H
#define GR_ROVER_WRITE_H

#include "buffer.h"
#include "document.h"

#include "grouser/status.h"

/// YAML text of the rover at `path` with its overrides. Parameters, expressions and notes stay, comments do not; an
/// override of one copy made by `repeat` replaces the repeat by its copies. The text is read again and compared with
/// the rover: GR_ERROR_UNSUPPORTED where it is not the same, as of rovers that consist of several files.
GrStatus gr_rover_write(const char *path, const char *const *overrides, GrBuffer *out, GrErrorLog *log);

/// Writes a mapping as YAML text that reads the same.
void gr_node_write(const GrNode *mapping, GrBuffer *out);

/// The same as gr_rover_write() of the rover of a scenario with overrides.
GrStatus gr_scenario_write_rover(const char *scenario, const char *const *overrides, GrBuffer *out, GrErrorLog *log);

#endif
