/// Message types of recordings, described for readers: FileDescriptorSets made from a table.
///
/// Foxglove's types have the field names, numbers and kinds that Foxglove publishes; ours are made from lists of
/// fields.
#ifndef GR_PROTO_SCHEMA_H
#define GR_PROTO_SCHEMA_H

#include "run_field.h"

/// Appends the set that describes a type of Foxglove's ("foxglove.Grid") and all types that it contains.
void gr_foxglove_schema(GrBuffer *set, const char *type);

/// Appends the set of a type "grouser.NAME" whose field i has the number i + 1.
void gr_field_schema(GrBuffer *set, const char *name, const GrFieldGroup *group);

/// A part of a message: a message inside it.
typedef struct GrSchemaPart {
    const char *name;           ///< any text
    const char *type;           ///< "Joint": without its package
    const GrFieldGroup *fields; ///< of that type
} GrSchemaPart;

/// Appends the set of a type "grouser.NAME" that has a message for each part: field i has the number i + 1. Its name is
/// the part's, with _ for what identifiers cannot have; the part's own name is its name in JSON.
void gr_parts_schema(GrBuffer *set, const char *name, const GrSchemaPart *parts, int count);

#endif
