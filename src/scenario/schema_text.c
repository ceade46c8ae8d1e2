/// Schemas as text: for `grouser help KEY`, as JSON Schema, and for tables of docs/.
#include "alloc.h"
#include "number.h"
#include "schema.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/// Row `index` of a table, those of groups included; `usual` then is where its offset counts from. False beyond the
/// last.
static bool find_row(const GrKey *keys, int *index, GrKey *out, const void **usual)
{
    const void *base = *usual;
    for (const GrKey *key = keys; key != NULL && key->name != NULL; key++) {
        const bool known = base != NULL && (key->type & GR_KEY_ELSEWHERE) == 0;
        const void *inner = known ? (const char *)base + key->offset : NULL;
        if ((key->type & GR_KEY_GROUP) == 0) {
            if ((*index)-- == 0) {
                *out = *key;
                *usual = base;
                return true;
            }
        } else if (find_row(key->keys, index, out, &inner)) {
            if (key->ignored[0].holds != NULL) {
                memcpy(out->ignored, key->ignored, sizeof out->ignored);
            }
            *usual = inner;
            return true;
        }
        for (int i = 0; key->row != NULL && key->row(i, out); i++) {
            if ((*index)-- == 0) {
                *usual = inner;
                return true;
            }
        }
    }
    return false;
}

/// Defaults of what is in a list or a named mapping, to be freed; NULL: unknown.
static void *make_item(const GrKey *key)
{
    void *item = key->fill != NULL ? gr_calloc(1, (size_t)key->size) : NULL;
    if (item != NULL) {
        key->fill(item);
    }
    return item;
}

static bool has_items(const GrKey *key)
{
    return key->fill != NULL || (key->type & (GR_KEY_LIST | GR_KEY_NAMED)) != 0;
}

static void each(const GrKey *keys, const void *usual, const char *path, GrKeyVisit *visit, void *context)
{
    for (int i = 0;; i++) {
        GrKey key;
        char own[GR_PATH_SIZE];
        int index = i;
        const void *base = usual;
        if (!find_row(keys, &index, &key, &base)) {
            return;
        }
        snprintf(own, sizeof own, "%s%s%s", path, path[0] != '\0' ? "." : "", key.name);
        visit(context, &key, own, base);
        if (key.keys != NULL) {
            void *item = make_item(&key);
            const void *inner = has_items(&key) ? item : base != NULL ? (const char *)base + key.offset : NULL;
            const size_t length = strlen(own);
            snprintf(own + length, sizeof own - length, "%s",
                     (key.type & GR_KEY_NAMED) != 0  ? ".NAME"
                     : (key.type & GR_KEY_LIST) != 0 ? "[]"
                                                     : "");
            each(key.keys, inner, own, visit, context);
            gr_free(item);
        }
    }
}

/// The definition with its defaults, to be freed; NULL: the kind has none.
static void *make_definition(const GrSchema *schema)
{
    void *usual = schema->fill != NULL ? gr_calloc(1, schema->size) : NULL;
    if (usual != NULL) {
        schema->fill(usual);
    }
    return usual;
}

void gr_schema_each(const GrSchema *schema, GrKeyVisit *visit, void *context)
{
    void *usual = make_definition(schema);
    each(schema->keys, usual, "", visit, context);
    gr_free(usual);
}

// ---- in words

static void add(char out[GR_KEY_TEXT_SIZE], const char *format, ...) GR_PRINTF(2, 3);

static void add(char out[GR_KEY_TEXT_SIZE], const char *format, ...)
{
    const size_t length = strlen(out);
    va_list args;
    va_start(args, format);
    gr_vprint(out + length, GR_KEY_TEXT_SIZE - length, format, args);
    va_end(args);
}

static const char *name_of(const GrKey *key, int i)
{
    if (key->name_of != NULL) {
        return key->name_of(i);
    }
    return key->names != NULL && i >= 0 && i < key->size ? key->names[i] : NULL;
}

const char *gr_key_kind(const GrKey *key, char out[GR_KEY_TEXT_SIZE])
{
    enum { NUMBERS = GR_KEY_NUMBER | GR_KEY_INTEGER | GR_KEY_NUMBERS };
    static const struct {
        unsigned type;
        const char *text;
    } KINDS[] = {{GR_KEY_NUMBER, "a number"},     {GR_KEY_INTEGER, "a whole number"},
                 {GR_KEY_SEED, "a whole number"}, {GR_KEY_BOOL, "true or false"},
                 {GR_KEY_TEXT, "text"},           {GR_KEY_CHOICE, ""},
                 {GR_KEY_NUMBERS, "numbers"},     {GR_KEY_LIST, "a list"},
                 {GR_KEY_MAPPING, "a mapping"},   {GR_KEY_NAMED, "a mapping of names"},
                 {GR_KEY_FILE, "a file"}};
    char range[80];
    double factor;
    const char *unit = gr_key_unit(key, &factor);
    out[0] = '\0';
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        if ((key->type & KINDS[i].type) != 0) {
            add(out, "%s", out[0] != '\0' ? " or " : "");
            if (KINDS[i].type == GR_KEY_NUMBERS) {
                add(out, "a list of %d ", key->size);
            }
            add(out, "%s", KINDS[i].text);
            for (int k = 0; KINDS[i].type == GR_KEY_CHOICE && name_of(key, k) != NULL; k++) {
                add(out, "%s%s", k > 0 ? ", " : "one of ", name_of(key, k));
            }
        }
    }
    add(out, "%s%s", unit[0] != '\0' ? " in " : "", unit);
    const bool limited = isfinite(key->range.lower) || isfinite(key->range.upper);
    if ((key->type & NUMBERS) != 0 && limited) {
        add(out, ", %s", gr_range_text(key->range, range, sizeof range));
    }
    return out;
}

static double number_at(const GrKey *key, const void *at)
{
    double value = (double)NAN, factor;
    if (at != NULL) {
        memcpy(&value, at, sizeof value);
    }
    gr_key_unit(key, &factor);
    return value / factor;
}

static void add_numbers(const GrKey *key, const char *at, char out[GR_KEY_TEXT_SIZE])
{
    const int count = key->type == GR_KEY_NUMBER ? 1 : key->size;
    for (int i = 0; i < count; i++) {
        const double value = number_at(key, at + sizeof(double) * (size_t)i);
        if (isnan(value)) {
            out[0] = '\0';
            return;
        }
        add(out, "%s%.6g", i > 0 ? ", " : count > 1 ? "[" : "", value);
    }
    add(out, "%s", count > 1 ? "]" : "");
}

const char *gr_key_usual(const GrKey *key, const void *usual, char out[GR_KEY_TEXT_SIZE])
{
    const char *at = usual != NULL ? (const char *)usual + key->offset : NULL;
    out[0] = '\0';
    if (key->usual != NULL) {
        add(out, "%s", key->usual);
    } else if (key->required || at == NULL || key->read != NULL) {
        return out;
    } else if (key->type == GR_KEY_NUMBER || key->type == GR_KEY_NUMBERS) {
        add_numbers(key, at, out);
    } else if (key->type == GR_KEY_BOOL) {
        add(out, "%s", *(const bool *)at ? "true" : "false");
    } else if (key->type == GR_KEY_INTEGER || key->type == GR_KEY_CHOICE) {
        int value;
        memcpy(&value, at, sizeof value);
        const char *name = key->type == GR_KEY_CHOICE ? name_of(key, value) : NULL;
        name != NULL ? add(out, "%s", name) : key->type == GR_KEY_INTEGER ? add(out, "%d", value) : (void)0;
    } else if (key->type == GR_KEY_SEED) {
        uint64_t value;
        memcpy(&value, at, sizeof value);
        add(out, "%llu", (unsigned long long)value);
    }
    return out;
}

// ---- JSON Schema

static void put_object(GrJson *json, const GrKey *keys, const void *usual);

static void put_type(GrJson *json, const char *type)
{
    gr_json_begin_object(json, NULL);
    gr_json_string(json, "type", type);
    gr_json_end(json);
}

/// Numbers, and expressions that give one.
static void put_numeric(GrJson *json, const GrKey *key)
{
    const GrRange r = key->range;
    const bool limited = r.lower != 0 || r.upper != 0, whole = (key->type & (GR_KEY_INTEGER | GR_KEY_SEED)) != 0;
    gr_json_begin_object(json, NULL);
    gr_json_string(json, "type", whole ? "integer" : "number");
    if (limited && isfinite(r.lower)) {
        gr_json_number(json, r.lower_open ? "exclusiveMinimum" : "minimum", r.lower);
    }
    if (limited && isfinite(r.upper)) {
        gr_json_number(json, r.upper_open ? "exclusiveMaximum" : "maximum", r.upper);
    }
    gr_json_end(json);
    put_type(json, "string");
}

// What follows are members of a schema.

static void put_choice(GrJson *json, const GrKey *key)
{
    gr_json_begin_array(json, "enum");
    for (int i = 0; name_of(key, i) != NULL; i++) {
        gr_json_string(json, NULL, name_of(key, i));
    }
    gr_json_end(json);
}

static void put_list(GrJson *json, const GrKey *key, const void *item)
{
    const bool numbers = (key->type & GR_KEY_NUMBERS) != 0;
    gr_json_string(json, "type", "array");
    if (numbers) {
        gr_json_integer(json, "minItems", key->size);
        gr_json_integer(json, "maxItems", key->size);
        gr_json_begin_object(json, "items");
        gr_json_begin_array(json, "anyOf");
        put_numeric(json, key);
        gr_json_end(json);
        gr_json_end(json);
    } else if (key->keys != NULL) {
        gr_json_begin_object(json, "items");
        put_object(json, key->keys, item);
        gr_json_end(json);
    }
}

static void put_mapping(GrJson *json, const GrKey *key, const void *inner)
{
    if ((key->type & GR_KEY_NAMED) == 0) {
        put_object(json, key->keys, inner);
        return;
    }
    gr_json_string(json, "type", "object");
    gr_json_begin_object(json, "additionalProperties");
    if ((key->type & GR_KEY_LISTED) != 0) {
        gr_json_begin_array(json, "anyOf");
        put_type(json, "array");
        gr_json_begin_object(json, NULL);
    }
    put_object(json, key->keys, inner);
    if ((key->type & GR_KEY_LISTED) != 0) {
        gr_json_end(json);
        gr_json_end(json);
    }
    gr_json_end(json);
}

/// What a key may be that is neither a number nor a text.
static void put_structure(GrJson *json, const GrKey *key, unsigned type, const void *inner)
{
    if (type == GR_KEY_BOOL) {
        gr_json_string(json, "type", "boolean");
    } else if (type == GR_KEY_CHOICE) {
        put_choice(json, key);
    } else if (type == GR_KEY_NUMBERS || type == GR_KEY_LIST) {
        put_list(json, key, inner);
    } else {
        put_mapping(json, key, inner);
    }
}

/// Each alternative in its own object.
static void put_alternatives(GrJson *json, const GrKey *key, const void *inner)
{
    static const unsigned STRUCTURES[] = {GR_KEY_BOOL, GR_KEY_CHOICE,  GR_KEY_NUMBERS,
                                          GR_KEY_LIST, GR_KEY_MAPPING, GR_KEY_NAMED};
    gr_json_begin_array(json, "anyOf");
    if ((key->type & (GR_KEY_NUMBER | GR_KEY_INTEGER | GR_KEY_SEED)) != 0) {
        put_numeric(json, key);
    } else if ((key->type & (GR_KEY_TEXT | GR_KEY_FILE)) != 0) {
        put_type(json, "string");
        put_type(json, "number"); // a name such as 2025
    }
    for (size_t i = 0; i < sizeof STRUCTURES / sizeof STRUCTURES[0]; i++) {
        if ((key->type & STRUCTURES[i]) != 0) {
            gr_json_begin_object(json, NULL);
            put_structure(json, key, STRUCTURES[i], inner);
            gr_json_end(json);
        }
    }
    gr_json_end(json);
}

static void put_default(GrJson *json, const GrKey *key, const void *usual, const char *text)
{
    if (text[0] == '\0' || key->usual != NULL) {
        return; // none, or in words
    }
    if (key->type == GR_KEY_NUMBER) {
        gr_json_number(json, "default", number_at(key, (const char *)usual + key->offset));
    } else if (key->type == GR_KEY_CHOICE) {
        gr_json_string(json, "default", text);
    } else if (key->type == GR_KEY_BOOL) {
        gr_json_bool(json, "default", strcmp(text, "true") == 0);
    }
}

static void put_key(GrJson *json, const GrKey *key, const void *usual)
{
    enum { PLAIN = GR_KEY_NUMBER | GR_KEY_INTEGER | GR_KEY_SEED | GR_KEY_TEXT | GR_KEY_FILE };
    char kind[GR_KEY_TEXT_SIZE], otherwise[GR_KEY_TEXT_SIZE], text[3 * GR_KEY_TEXT_SIZE];
    const unsigned type = key->type & ~(unsigned)(GR_KEY_ELSEWHERE | GR_KEY_LISTED);
    void *item = make_item(key);
    const void *inner = has_items(key) ? item : usual != NULL ? (const char *)usual + key->offset : NULL;
    gr_key_kind(key, kind);
    gr_key_usual(key, usual, otherwise);
    snprintf(text, sizeof text, "%s (%s%s%s%s)", key->text, kind, key->required ? ", required" : "",
             otherwise[0] != '\0' ? ", default " : "", otherwise);
    gr_json_begin_object(json, key->name);
    gr_json_string(json, "description", text);
    put_default(json, key, usual, otherwise);
    if ((type & PLAIN) == 0 && (type & (type - 1)) == 0) { // one alternative: shorter messages of validators
        put_structure(json, key, type, inner);
    } else {
        put_alternatives(json, key, inner);
    }
    gr_json_end(json);
    gr_free(item);
}

/// The members of a schema of a mapping; without keys it may have any.
static void put_object(GrJson *json, const GrKey *keys, const void *usual)
{
    bool includes = false;
    gr_json_string(json, "type", "object");
    if (keys == NULL) {
        return;
    }
    gr_json_bool(json, "additionalProperties", false);
    gr_json_begin_object(json, "properties");
    GrKey key;
    const void *base = usual;
    for (int i = 0, index = 0; find_row(keys, &index, &key, &base); index = ++i, base = usual) {
        put_key(json, &key, base);
        includes = includes || strcmp(key.name, "include") == 0;
    }
    gr_json_end(json);
    if (includes) {
        return; // an included file may have what is required
    }
    base = usual;
    gr_json_begin_array(json, "required");
    for (int i = 0, index = 0; find_row(keys, &index, &key, &base); index = ++i, base = usual) {
        if (key.required) {
            gr_json_string(json, NULL, key.name);
        }
    }
    gr_json_end(json);
}

void gr_schema_write(const GrSchema *schema, GrJson *json)
{
    char title[80];
    void *usual = make_definition(schema);
    snprintf(title, sizeof title, "Grouser %s", schema->name);
    gr_json_begin_object(json, NULL);
    gr_json_string(json, "$schema", "http://json-schema.org/draft-07/schema#");
    gr_json_string(json, "title", title);
    put_object(json, schema->keys, usual);
    gr_json_end(json);
    gr_free(usual);
}
