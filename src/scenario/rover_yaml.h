/// Readers of rover files from memory, for gr_rover_load() and the fuzzers.
#ifndef GR_ROVER_YAML_H
#define GR_ROVER_YAML_H

#include "document_cache.h"

#include "grouser/rover.h"

/// A YAML rover. `file` is the name for messages. `out` is empty after an error.
GrStatus gr_rover_parse_yaml(const char *text, size_t length, const char *file, const char *const *overrides,
                             GrRoverDef *out, GrErrorLog *log);

/// As gr_rover_load() of a YAML file, from a text that is to be the file `path`.
GrStatus gr_rover_parse(const char *path, const char *text, size_t size, GrRoverDef *out, GrErrorLog *log);

/// The same from a prepared document.
GrStatus gr_rover_read_yaml(GrDocument *document, GrRoverDef *out);

/// As gr_rover_load(), with the trees of a cache; NULL: none.
GrStatus gr_rover_load_parsed(GrDocumentCache *parsed, const char *name_or_path, const char *const *overrides,
                              GrRoverDef *out, GrErrorLog *log);

#endif
