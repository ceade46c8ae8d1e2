/// Lander files (docs/landers.md). The loader is in grouser/lander.h.
#ifndef GR_LANDER_YAML_H
#define GR_LANDER_YAML_H

#include "grouser/lander.h"

/// Whether a file is one of a lander.
bool gr_lander_is_file(const char *path);

#endif
