/// Typed values from a document, one line per field.
///
///     GrNode *body = gr_field_mapping(root, "chassis", GR_REQUIRED);
///     gr_field_number(body, "mass_kg", GR_REQUIRED, GR_POSITIVE, &mass);
///     gr_field_vec3(body, "com_m", GR_OPTIONAL, GR_ANY, &com);
///     gr_fields_end(body);
///
/// A getter returns false and does not change its output when an optional key is absent or after an error, which it
/// reports. A mapping remembers which keys were requested; gr_fields_end() reports all others, with the nearest known
/// key. A NULL mapping is allowed and counts as empty, so that readers need not check after an error.
#ifndef GR_FIELDS_H
#define GR_FIELDS_H

#include "document.h"
#include "text.h"

#include "grouser/vec.h"

#include <math.h>

typedef enum GrPresence { GR_OPTIONAL, GR_REQUIRED } GrPresence;

/// Numbers from `lower` to `upper`; an open end is not itself allowed. Infinite values are refused unless `infinite`.
typedef struct GrRange {
    double lower, upper;
    bool lower_open, upper_open;
    bool infinite;
} GrRange;

// As initialisers of rows in tables of keys (schema.h), and as values. GR_SPAN_PLACE and GR_SPAN_MAP_SIZE [m]: what can
// be counted in cells of a tenth of a millimetre by doubles and 64-bit integers.
// clang-format off
#define GR_SPAN_ANY                      {-INFINITY, INFINITY, false, false, false}
#define GR_SPAN_POSITIVE                 {0, INFINITY, true, false, false}
#define GR_SPAN_NOT_NEGATIVE             {0, INFINITY, false, false, false}
#define GR_SPAN_POSITIVE_OR_INFINITE     {0, INFINITY, true, false, true}
#define GR_SPAN_ANY_OR_INFINITE          {-INFINITY, INFINITY, false, false, true}
#define GR_SPAN_PLACE                    {-1e9, 1e9, false, false, false}
#define GR_SPAN_MAP_SIZE                 {0, 1e9, true, false, false}
#define GR_SPAN_BETWEEN(lowest, highest) {(lowest), (highest), false, false, false}
// clang-format on

#define GR_ANY                      ((GrRange)GR_SPAN_ANY)
#define GR_POSITIVE                 ((GrRange)GR_SPAN_POSITIVE)
#define GR_NOT_NEGATIVE             ((GrRange)GR_SPAN_NOT_NEGATIVE)
#define GR_POSITIVE_OR_INFINITE     ((GrRange)GR_SPAN_POSITIVE_OR_INFINITE)
#define GR_ANY_OR_INFINITE          ((GrRange)GR_SPAN_ANY_OR_INFINITE)
#define GR_MAP_SIZE                 ((GrRange)GR_SPAN_MAP_SIZE)
#define GR_BETWEEN(lowest, highest) ((GrRange)GR_SPAN_BETWEEN(lowest, highest))

/// The range in words: "more than 0", "0 to 90"; into at least 80 bytes. Returns `out`.
const char *gr_range_text(GrRange range, char *out, size_t size);

/// Values of a node.
bool gr_node_number(GrNode *node, GrRange range, double *out);
bool gr_node_integer(GrNode *node, int lower, int upper, int *out);
bool gr_node_bool(GrNode *node, bool *out);
bool gr_node_text(GrNode *node, char *out, size_t size);
bool gr_node_numbers(GrNode *node, GrRange range, double *out, int count);
bool gr_node_choice(GrNode *node, const char *const *names, int count, int *out);

/// The path of a file that a node names, relative to the node's own file, in GR_FILE_PATH_SIZE bytes. A missing file is
/// reported at the node.
bool gr_node_file(GrNode *node, char *out);

/// The child `key` of a mapping, marked as used; NULL when it is absent (an error when it is required).
GrNode *gr_field(GrNode *mapping, const char *key, GrPresence presence);
/// The same for a child that must be a mapping or a list.
GrNode *gr_field_mapping(GrNode *mapping, const char *key, GrPresence presence);
GrNode *gr_field_list(GrNode *mapping, const char *key, GrPresence presence);

bool gr_field_number(GrNode *mapping, const char *key, GrPresence presence, GrRange range, double *out);
bool gr_field_integer(GrNode *mapping, const char *key, GrPresence presence, int lower, int upper, int *out);
bool gr_field_bool(GrNode *mapping, const char *key, GrPresence presence, bool *out);
/// Text of at least one character that fits into `size` with its zero.
bool gr_field_text(GrNode *mapping, const char *key, GrPresence presence, char *out, size_t size);
bool gr_field_vec3(GrNode *mapping, const char *key, GrPresence presence, GrRange range, GrVec3 *out);
/// A list of exactly `count` numbers.
bool gr_field_numbers(GrNode *mapping, const char *key, GrPresence presence, GrRange range, double *out, int count);
/// One of `names`; `out` is its index.
bool gr_field_choice(GrNode *mapping, const char *key, GrPresence presence, const char *const *names, int count,
                     int *out);

/// "a/b/name.grouser.yaml" -> "name", for files that give no name themselves.
void gr_document_name(const GrDocument *document, char *out, size_t size);

/// Marks a key as known without reading it, for keys that only some variants read.
void gr_fields_ask(GrNode *mapping, const char *key);

/// Reports every key of the mapping that was not requested.
void gr_fields_end(GrNode *mapping);

/// Whether `node` is a mapping; reports it otherwise.
bool gr_node_is_mapping(const GrNode *node);

/// "; did you mean 'x'?" or, when nothing is near, "; allowed: a, b, c" (as much as fits). Empty when the log is full,
/// since the search takes longer than everything else.
GrHint gr_suggestion(const GrErrorLog *log, const char *word, const char *const *names, int count);

#endif
