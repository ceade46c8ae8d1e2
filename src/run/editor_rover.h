/// The rover of an edited file.
#ifndef GR_EDITOR_ROVER_H
#define GR_EDITOR_ROVER_H

#include "editor.h"
#include "json.h"

/// Checks the working text as a rover. `json`: gets the members "facts" and "drawing"; NULL: only the check.
GrStatus gr_editor_check_rover(const GrEditor *editor, GrJson *json, GrErrorLog *log);

#endif
