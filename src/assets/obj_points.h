/// Vertices of a Wavefront OBJ file.
#ifndef GR_OBJ_POINTS_H
#define GR_OBJ_POINTS_H

#include "grouser/status.h"
#include "grouser/vec.h"

#include <stddef.h>

enum { GR_OBJ_POINTS = 100000, GR_OBJ_BYTES = 1 << 26 };

/// All vertices ("v x y z", metres) of a text that need not end with a zero; other lines are skipped. `file` is the
/// name for messages. Free `points` with gr_free(); after an error it is NULL.
GrStatus gr_obj_parse(const char *text, size_t length, const char *file, GrVec3 **points, int *count, GrErrorLog *log);

#endif
