/// Files of grains and of beds made of them (docs/grains.md).
#ifndef GR_GRAINS_YAML_H
#define GR_GRAINS_YAML_H

#include "bed.h"
#include "schema.h"

extern const GrSchema gr_schema_grains, gr_schema_bed;

/// A shipped name or a path.
GrStatus gr_grains_load(const char *name_or_path, GrGrainDef *out, GrErrorLog *log);

/// A file of a bed; `overrides`: "key=value", NULL-terminated, may be NULL.
GrStatus gr_bed_load(const char *path, const char *const *overrides, GrBedDef *out, GrErrorLog *log);

/// Whether a file is one of grains, or of a bed.
bool gr_grains_is_file(const char *path);
bool gr_bed_is_file(const char *path);

#endif
