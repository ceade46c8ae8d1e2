/// URDF -> definition.
#ifndef GR_ROVER_URDF_H
#define GR_ROVER_URDF_H

#include "document.h"

#include "grouser/rover.h"

/// Values of the side file's `forward`: the chassis' direction of travel, a quarter turn apart.
enum { GR_URDF_FORWARD_COUNT = 4 };
extern const char *const gr_urdf_forward[GR_URDF_FORWARD_COUNT];

/// Bodies, joints and couplings of a URDF, then the additions of the prepared side file `side` (NULL: none). `out` is
/// empty after an error.
GrStatus gr_rover_parse_urdf(const char *text, size_t length, const char *file, GrDocument *side, GrRoverDef *out,
                             GrErrorLog *log);

#endif
