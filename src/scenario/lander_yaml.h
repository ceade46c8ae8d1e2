/// Lander files (docs/landers.md). The loader is in grouser/lander.h.
#ifndef GR_LANDER_YAML_H
#define GR_LANDER_YAML_H

#include "grouser/lander.h"

/// As gr_lander_load(), from memory; `file` is its name for messages.
GrStatus gr_lander_parse(const char *text, size_t length, const char *file, GrLanderDef *out, GrErrorLog *log);

/// Whether a file is one of a lander.
bool gr_lander_is_file(const char *path);

#endif
