#include "schema.h"

#include "file.h"

#include <string.h>

/// Ends of keys, longer ones first: text for people, SI value over the file's.
static const struct {
    const char *end, *unit;
    double factor;
} UNITS[] = {
    {"_deg_s_per_sqrt_Hz", "°/s/√Hz", GR_DEGREE},
    {"_deg_s_per_sqrt_s", "°/s/√s", GR_DEGREE},
    {"_m_s2_per_sqrt_Hz", "m/s²/√Hz", 1},
    {"_m_s2_per_sqrt_s", "m/s²/√s", 1},
    {"_deg_s", "°/s", GR_DEGREE},
    {"_m_s2", "m/s²", 1},
    {"_N_per_m", "N/m", 1},
    {"_Ns_per_m", "N s/m", 1},
    {"_Nm_per_rad", "N m/rad", 1},
    {"_Nms_per_rad", "N m s/rad", 1},
    {"_rad_per_s", "rad/s", 1},
    {"_m_per_rad", "m/rad", 1},
    {"_kg_per_m3", "kg/m³", 1},
    {"_per_m2", "1/m²", 1},
    {"_per_m", "1/m", 1},
    {"_m_per_s", "m/s", 1},
    {"_s_per_m", "s/m", 1},
    {"_mps2", "m/s²", 1},
    {"_kgm2", "kg m²", 1},
    {"_dps", "°/s", GR_DEGREE},
    {"_mps", "m/s", 1},
    {"_deg", "°", GR_DEGREE},
    {"_Wh", "W h", 3600},
    {"_Nm", "N m", 1},
    {"_Hz", "Hz", 1},
    {"_Pa", "Pa", 1},
    {"_kg", "kg", 1},
    {"_mm", "mm", 1e-3},
    {"_ms", "ms", 1e-3},
    {"_m2", "m²", 1},
    {"_pixel", "pixels", 1},
    {"_m", "m", 1},
    {"_s", "s", 1},
    {"_N", "N", 1},
    {"_W", "W", 1},
};

const char *gr_key_unit(const GrKey *key, double *factor)
{
    const size_t length = strlen(key->name);
    if (key->unit != NULL) {
        *factor = key->factor;
        return key->unit;
    }
    *factor = 1;
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++) {
        const size_t tail = strlen(UNITS[i].end);
        if (length > tail && strcmp(key->name + length - tail, UNITS[i].end) == 0) {
            *factor = UNITS[i].factor;
            return UNITS[i].unit;
        }
    }
    return "";
}

const GrKey gr_common_keys[] = {
    {"params", GR_KEY_MAPPING | GR_KEY_ELSEWHERE, "numbers for expressions"},
    {"repeat", GR_KEY_MAPPING | GR_KEY_ELSEWHERE, "what is written once and copied: docs/rovers.md"},
    {NULL}};

// ---- reading

static void take_numbers(GrNode *node, const GrKey *key, int count, double *out)
{
    double values[16], factor;
    gr_key_unit(key, &factor);
    const bool good = key->type == GR_KEY_NUMBER ? gr_node_number(node, key->range, values)
                                                 : gr_node_numbers(node, key->range, values, count);
    for (int i = 0; i < count && good; i++) {
        out[i] = factor * values[i];
    }
}

static void take_choice(GrNode *node, const GrKey *key, void *out)
{
    const char *names[64];
    int count = 0, choice;
    for (; count < 64 && key->name_of != NULL && key->name_of(count) != NULL; count++) {
        names[count] = key->name_of(count);
    }
    if (gr_node_choice(node, key->names != NULL ? key->names : names, key->names != NULL ? key->size : count,
                       &choice)) {
        memcpy(out, &choice, sizeof choice);
    }
}

static void take_seed(GrNode *node, uint64_t *out)
{
    double value;
    if (gr_node_number(node, GR_BETWEEN(0, 9007199254740992.0), &value)) {
        if (value != floor(value)) {
            gr_node_error(node, GR_ERROR_VALUE, "%.60s is not a whole number", node->text);
        }
        *out = (uint64_t)value;
    }
}

/// A value of one type, which goes to `out`.
static void take_value(GrNode *node, const GrKey *key, void *out)
{
    switch (key->type) {
    case GR_KEY_NUMBER:
        take_numbers(node, key, 1, out);
        break;
    case GR_KEY_NUMBERS:
        take_numbers(node, key, key->size, out);
        break;
    case GR_KEY_INTEGER:
        gr_node_integer(node, (int)key->range.lower, (int)key->range.upper, out);
        break;
    case GR_KEY_SEED:
        take_seed(node, out);
        break;
    case GR_KEY_BOOL:
        gr_node_bool(node, out);
        break;
    case GR_KEY_TEXT:
        gr_node_text(node, out, (size_t)key->size);
        break;
    case GR_KEY_CHOICE:
        take_choice(node, key, out);
        break;
    case GR_KEY_FILE:
        gr_node_file(node, out);
        break;
    case GR_KEY_MAPPING:
        gr_keys_read(node, key->keys, out);
        break;
    default: // read elsewhere
        break;
    }
}

static GrNode *find_node(GrNode *mapping, const GrKey *key)
{
    const bool elsewhere = (key->type & GR_KEY_ELSEWHERE) != 0;
    const GrPresence presence = key->required && !elsewhere ? GR_REQUIRED : GR_OPTIONAL;
    if (key->type == GR_KEY_MAPPING || key->type == GR_KEY_NAMED) {
        return gr_field_mapping(mapping, key->name, presence);
    }
    return key->type == GR_KEY_LIST ? gr_field_list(mapping, key->name, presence)
                                    : gr_field(mapping, key->name, presence);
}

void gr_keys_take(GrNode *mapping, const GrKey *keys, void *definition)
{
    for (const GrKey *key = keys; mapping != NULL && key->name != NULL; key++) {
        void *out = (char *)definition + key->offset;
        if ((key->type & GR_KEY_GROUP) != 0) {
            const bool elsewhere = (key->type & GR_KEY_ELSEWHERE) != 0;
            if (key->keys != NULL && !elsewhere) {
                gr_keys_take(mapping, key->keys, out);
            }
            GrKey row; // such rows are read elsewhere
            for (int i = 0; key->row != NULL && !elsewhere && key->row(i, &row); i++) {
                gr_fields_ask(mapping, row.name);
            }
            continue;
        }
        GrNode *node = find_node(mapping, key);
        if (node != NULL && key->read != NULL) {
            key->read(node, definition);
        } else if (node != NULL) {
            take_value(node, key, out);
        }
        if (node != NULL && key->check != NULL) {
            key->check(node, definition);
        }
    }
}

void gr_keys_read(GrNode *mapping, const GrKey *keys, void *definition)
{
    gr_keys_take(mapping, keys, definition);
    gr_fields_end(mapping);
}

void gr_check_file_name(GrNode *node, void *definition)
{
    (void)definition;
    if (node->kind == GR_NODE_SCALAR && node->text[0] != '\0' &&
        (strpbrk(node->text, "/\\") != NULL || strchr(".-", node->text[0]) != NULL)) {
        gr_node_error(node, GR_ERROR_VALUE,
                      "found '%.60s'; files are named by it: no '/' or '\\' is allowed, and no '.' or '-' in front",
                      node->text);
    }
}

// ---- keys without effect

/// Why a key has no effect; NULL: it has one.
static const char *find_reason(const GrKey *key, const void *definition)
{
    for (int i = 0; i < GR_KEY_REASONS && key->ignored[i].holds != NULL; i++) {
        if (key->ignored[i].holds(definition)) {
            return key->ignored[i].why;
        }
    }
    return NULL;
}

/// `why`: of the group that the rows are in; NULL: each has its own.
static void warn(const GrNode *mapping, const GrKey *keys, const char *why, const void *definition, bool overrides)
{
    for (const GrKey *key = keys; key->name != NULL; key++) {
        const bool group = (key->type & GR_KEY_GROUP) != 0;
        const GrNode *node = group ? mapping : gr_node_find(mapping, key->name);
        const bool judged = node != NULL && (!overrides || gr_node_is_override(node));
        const char *own = why != NULL ? why : node != NULL ? find_reason(key, definition) : NULL;
        GrKey row;
        for (int i = 0; key->row != NULL && key->row(i, &row); i++) {
            warn(mapping, (GrKey[]){row, {NULL}}, own, definition, overrides);
        }
        if (group && key->keys != NULL) {
            warn(mapping, key->keys, own, definition, overrides);
        } else if (judged && own != NULL) {
            gr_node_warning_once(node, "has no effect: %s", own);
        } else if (node != NULL && node->kind == GR_NODE_MAPPING && key->keys != NULL &&
                   (key->type & (GR_KEY_MAPPING | GR_KEY_ELSEWHERE)) == GR_KEY_MAPPING) {
            warn(node, key->keys, NULL, definition, overrides);
        }
    }
}

void gr_keys_warn(const GrNode *mapping, const GrKey *keys, const void *definition, bool overrides)
{
    if (mapping != NULL) {
        warn(mapping, keys, NULL, definition, overrides);
    }
}
