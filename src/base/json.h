/// Streaming JSON writer: the same calls give the same bytes on every machine and in every locale.
///
///     GrJson json = gr_json_to_file(stdout, true);
///     gr_json_begin_object(&json, NULL);
///     gr_json_number(&json, "mass_kg", 899);
///     gr_json_begin_array(&json, "wheels");
///     gr_json_string(&json, NULL, "front_left");
///     gr_json_end(&json);
///     gr_json_end(&json);
///     GrStatus status = gr_json_finish(&json);
///
/// Every value takes a key inside an object and NULL elsewhere. Text that is not UTF-8 is written with U+FFFD in place
/// of the bad bytes, and what a terminal would obey as an escape; infinities and NaN are written as null, since JSON
/// cannot represent them.
///
/// No library: jansson and its like build the whole document in memory before they write it.
#ifndef GR_JSON_H
#define GR_JSON_H

#include "buffer.h"

#include <stdio.h>

enum { GR_JSON_DEPTH = 32 };

typedef struct GrJson {
    GrBuffer *buffer; ///< exactly one of buffer and file is set
    FILE *file;
    bool pretty;
    bool empty; ///< nothing has been written at this level yet
    int depth;
    char closers[GR_JSON_DEPTH]; ///< '}' or ']' for each open level
} GrJson;

/// `pretty`: one value a line, indented; without it everything on one line.
GrJson gr_json_to_buffer(GrBuffer *buffer, bool pretty);
GrJson gr_json_to_file(FILE *file, bool pretty);

void gr_json_begin_object(GrJson *json, const char *key);
void gr_json_begin_array(GrJson *json, const char *key);

/// Closes the innermost object or array.
void gr_json_end(GrJson *json);

void gr_json_string(GrJson *json, const char *key, const char *value);
void gr_json_number(GrJson *json, const char *key, double value);
void gr_json_integer(GrJson *json, const char *key, long long value);
void gr_json_bool(GrJson *json, const char *key, bool value);
void gr_json_null(GrJson *json, const char *key);

/// An array of numbers, on one line.
void gr_json_numbers(GrJson *json, const char *key, const double *values, int count);

/// Ends the document with a line end. All levels must be closed. GR_ERROR_FILE or GR_ERROR_MEMORY when writing failed.
GrStatus gr_json_finish(GrJson *json);

#endif
