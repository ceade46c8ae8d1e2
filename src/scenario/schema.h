/// Schema of input files: tables with one row for each key. They are read by gr_keys_read(), warned about by
/// gr_keys_warn(), and shown by `grouser help KEY`, `grouser schema` and the tables of docs/ (schema_text.h).
///
///     static const GrKey STOP[] = {
///         {"time_s", GR_KEY_NUMBER, "end of the run", S(mission.duration), .range = GR_SPAN_POSITIVE},
///         {NULL}};
///
/// A value goes to its offset in the definition that the table describes, in SI units: the end of a key is its unit,
/// and 10 of a key that ends in _deg is stored as 10 degrees in radians.
#ifndef GR_SCHEMA_H
#define GR_SCHEMA_H

#include "fields.h"
#include "json.h"

#include <stddef.h>

#pragma GCC diagnostic ignored "-Wmissing-field-initializers" // rows name only what they have

/// What the value of a key may be; a key may allow several.
enum {
    GR_KEY_NUMBER = 1 << 0,
    GR_KEY_INTEGER = 1 << 1, ///< an int
    GR_KEY_SEED = 1 << 2,    ///< a whole number, stored as uint64_t
    GR_KEY_BOOL = 1 << 3,
    GR_KEY_TEXT = 1 << 4,       ///< `size` bytes
    GR_KEY_CHOICE = 1 << 5,     ///< one of `names`, stored as an enumeration
    GR_KEY_NUMBERS = 1 << 6,    ///< a list of `size` numbers
    GR_KEY_LIST = 1 << 7,       ///< of mappings with `keys`, or of what `text` says
    GR_KEY_MAPPING = 1 << 8,    ///< with `keys`, or with free names if it has none
    GR_KEY_NAMED = 1 << 9,      ///< a mapping from free names to mappings with `keys`
    GR_KEY_FILE = 1 << 10,      ///< the path of an existing file, GR_FILE_PATH_SIZE bytes
    GR_KEY_GROUP = 1 << 11,     ///< no key: the rows of `keys` stand here
    GR_KEY_LISTED = 1 << 13,    ///< of a mapping from free names: values may be lists too
    GR_KEY_ELSEWHERE = 1 << 12, ///< another function reads it
};

enum { GR_KEY_REASONS = 3 };

typedef struct GrKey GrKey;

struct GrKey {
    const char *name; ///< with its unit; NULL ends a table
    unsigned type;
    const char *text;                  ///< one line for people
    size_t offset;                     ///< of the value in the definition, or of the part of it that `keys` describe
    GrRange range;                     ///< of numbers, in the file's unit
    const char *unit;                  ///< for people, and
    double factor;                     ///< SI value over the file's; NULL and 0: from the end of the name
    const char *const *names;          ///< of a choice, [size], or
    const char *(*name_of)(int index); ///< NULL beyond the last
    const GrKey *keys;
    bool (*row)(int index, GrKey *out);            ///< more rows of a group, from another table; false beyond the last
    void (*read)(GrNode *node, void *definition);  ///< in place of the usual reading
    void (*check)(GrNode *node, void *definition); ///< after it
    const char *usual;                             ///< default in words, where the definition does not show it
    void (*fill)(void *item); ///< of lists and named mappings: sets an item of `size` bytes to its defaults
    int size;
    bool required;
    /// When the key has no effect, and why; the first reason that holds counts.
    struct {
        bool (*holds)(const void *definition);
        const char *why;
    } ignored[GR_KEY_REASONS];
};

/// Names of a choice from a list of X(ID, name), and of X(ID, name, text).
#define GR_KEY_NAME(id, name)                #name,
#define GR_KEY_NAME_OF_THREE(id, name, text) #name,

/// Reads the keys of a mapping and reports all others; a NULL mapping has no keys.
void gr_keys_read(GrNode *mapping, const GrKey *keys, void *definition);
/// The same without the report, where more keys follow.
void gr_keys_take(GrNode *mapping, const GrKey *keys, void *definition);

/// Warns about keys that have no effect. `definition`: what their conditions judge; `overrides`: only keys that an
/// override set.
void gr_keys_warn(const GrNode *mapping, const GrKey *keys, const void *definition, bool overrides);

/// Unit of a key for people: "m/s" of speed_mps; "": none. `factor`: SI value over the file's.
const char *gr_key_unit(const GrKey *key, double *factor);

/// A kind of file.
typedef struct GrSchema {
    const char *name; ///< "scenario"
    const GrKey *keys;
    void (*fill)(void *out); ///< a definition of `size` bytes with its defaults, which needs no freeing; NULL: none
    size_t size;
} GrSchema;

/// Of src/scenario; further kinds are those of the command.
extern const GrSchema gr_schema_scenario, gr_schema_rover, gr_schema_soil, gr_schema_lander;

extern const GrKey gr_common_keys[];      ///< of all kinds of files, as a group
extern const GrKey gr_soil_spread_keys[]; ///< of the block `spread` of GrSoilDef

/// Calls `visit` for every key, those of lists and named mappings included: "drive.script[].mode",
/// "wheels.NAME.radius_m". `usual`: the definition with its defaults that the key's offset is in; NULL: unknown.
typedef void GrKeyVisit(void *context, const GrKey *key, const char *path, const void *usual);
void gr_schema_each(const GrSchema *schema, GrKeyVisit *visit, void *context);

enum { GR_KEY_TEXT_SIZE = 400 };

/// What the value of a key may be, in words: "a number in m/s, more than 0". Returns `out`.
const char *gr_key_kind(const GrKey *key, char out[GR_KEY_TEXT_SIZE]);
/// Its default; "": none. Returns `out`.
const char *gr_key_usual(const GrKey *key, const void *usual, char out[GR_KEY_TEXT_SIZE]);

/// Writes a JSON Schema (draft-07), for editors.
void gr_schema_write(const GrSchema *schema, GrJson *json);

/// The name of an existing or future file: no path, since files are named by it. For `check`.
void gr_check_file_name(GrNode *node, void *definition);

#endif
