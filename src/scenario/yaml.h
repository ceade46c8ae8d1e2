/// YAML text -> nodes, by libfyaml's event parser.
#ifndef GR_YAML_H
#define GR_YAML_H

#include "document.h"

/// The nodes belong to the document; NULL after an error. `file` must outlive the document.
GrNode *gr_yaml_parse(GrDocument *document, const char *text, size_t length, const char *file);

#endif
