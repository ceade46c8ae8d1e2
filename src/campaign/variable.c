#include "variable.h"

#include "alloc.h"
#include "csv.h"
#include "distribution_yaml.h"
#include "file.h"
#include "number.h"
#include "soil_param.h"
#include "statistics.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Seeds are small enough for every reader of whole numbers.
static const uint64_t SEED_MASK = 0x3FFFFFFF;

void gr_variable_free(GrVariable *variable)
{
    for (int i = 0; i < variable->text_count; i++) {
        gr_free(variable->texts[i]);
    }
    gr_free(variable->texts);
    gr_free(variable->values);
    *variable = (GrVariable){0};
}

static bool read_list(GrNode *node, GrVariable *out)
{
    out->kind = GR_VARIABLE_LIST;
    if (node->count == 0) {
        gr_node_error(node, GR_ERROR_VALUE, "an empty list: nothing to vary");
        return false;
    }
    out->texts = gr_calloc((size_t)node->count, sizeof *out->texts);
    out->lower = INFINITY;
    out->upper = -INFINITY;
    for (GrNode *item = out->texts != NULL ? node->first : NULL; item != NULL; item = item->next) {
        double number;
        item->used = true;
        if (item->kind != GR_NODE_SCALAR || strlen(item->text) >= GR_VARIABLE_TEXT) {
            gr_node_error(item, GR_ERROR_VALUE, "expected a number or a name of at most %d characters",
                          GR_VARIABLE_TEXT - 1);
            return false;
        }
        const bool is_number = gr_number_parse(item->text, &number);
        out->named = out->named || !is_number;
        out->lower = fmin(out->lower, is_number ? number : (double)NAN);
        out->upper = fmax(out->upper, is_number ? number : (double)NAN);
        out->texts[out->text_count] = gr_strdup(item->text);
        if (out->texts[out->text_count++] == NULL) {
            gr_node_out_of_memory(item);
            return false;
        }
    }
    return out->texts != NULL || (gr_node_out_of_memory(node), false);
}

/// Measured values: a column of a table.
static bool read_table(GrNode *node, GrVariable *out)
{
    char path[GR_FILE_PATH_SIZE], column[GR_NAME_SIZE] = "";
    GrNode *file = gr_field(node, "file", GR_REQUIRED);
    if (file == NULL || !gr_node_file(file, path) ||
        !gr_field_text(node, "column", GR_REQUIRED, column, sizeof column)) {
        return false;
    }
    GrCsv csv;
    if (gr_csv_load(path, &csv, node->document->log) != GR_OK) {
        gr_document_note(node->document, GR_ERROR_FILE);
        return false;
    }
    const int at = gr_csv_find(&csv, column);
    bool ok = at >= 0 && csv.row_count > 0;
    if (!ok) {
        const char *const *names = (const char *const *)csv.names;
        gr_node_error(gr_node_find(node, "column"), GR_ERROR_NAME, "%s has no column '%s'%s", path, column,
                      gr_suggestion(node->document->log, column, names, csv.column_count).text);
    }
    out->values = ok ? gr_calloc((size_t)csv.row_count, sizeof *out->values) : NULL;
    for (int i = 0; ok && i < csv.row_count; i++) {
        const char *cell = gr_csv_cell(&csv, i, at);
        if (out->values == NULL || !gr_number_parse(cell, &out->values[i])) {
            gr_node_error(node, GR_ERROR_VALUE, "%s:%d: column '%s' is not a number: '%.40s'", path, csv.lines[i],
                          column, cell);
            ok = false;
        }
    }
    if (ok) {
        gr_sort(out->values, csv.row_count);
        out->distribution = gr_default_distribution(GR_DISTRIBUTION_EMPIRICAL);
        out->distribution.values = out->values;
        out->distribution.count = csv.row_count;
        out->lower = out->values[0];
        out->upper = out->values[csv.row_count - 1];
    }
    gr_csv_free(&csv);
    return ok;
}

static bool read_range(GrNode *node, GrVariable *out)
{
    static const char *const scales[] = {"linear", "log"};
    int scale = 0;
    gr_field_choice(node, "scale", GR_OPTIONAL, scales, 2, &scale);
    if (!gr_field_number(node, "from", GR_REQUIRED, GR_ANY, &out->lower) ||
        !gr_field_number(node, "to", GR_REQUIRED, GR_ANY, &out->upper)) {
        return false;
    }
    if (!(out->lower < out->upper) || (scale == 1 && !(out->lower > 0))) {
        gr_node_error(node, GR_ERROR_VALUE, "from %g to %g: an empty range%s", out->lower, out->upper,
                      scale == 1 ? ", or one that a logarithmic scale does not have" : "");
        return false;
    }
    double step = 0;
    if (gr_field_number(node, "step", GR_OPTIONAL, GR_POSITIVE, &step)) {
        const double count = floor((out->upper - out->lower) / step * (1 + 1e-12)) + 1;
        if (gr_node_find(node, "count") != NULL || scale == 1 || count > GR_VARIABLE_VALUES) {
            gr_node_error(node, GR_ERROR_VALUE,
                          "step: not together with count or a logarithmic scale, and at most %d values",
                          (int)GR_VARIABLE_VALUES);
            return false;
        }
        out->grid_count = (int)count;
        out->upper = out->lower + step * (count - 1);
    }
    out->distribution = gr_default_distribution(scale == 1 ? GR_DISTRIBUTION_LOG_UNIFORM : GR_DISTRIBUTION_UNIFORM);
    out->distribution.lower = out->lower;
    out->distribution.upper = out->upper;
    return true;
}

/// A mapping without any key that says what the values are.
static bool fail_form(GrNode *node)
{
    const char *names[GR_DISTRIBUTION_COUNT + 4] = {"from", "to", "seed", "file"};
    int count = 4;
    for (int i = 0; i < GR_DISTRIBUTION_COUNT; i++) {
        names[count++] = gr_distribution_info((GrDistributionKind)i)->name;
    }
    const GrNode *child = node->first;
    if (child == NULL) {
        gr_node_error(node, GR_ERROR_VALUE, "expected what it varies over, such as {from: 1, to: 2}");
    } else {
        gr_node_error_at(child, GR_AT_KEY, GR_ERROR_NAME, "unknown key '%s'%s", child->key,
                         gr_suggestion(node->document->log, child->key, names, count).text);
    }
    return false;
}

static bool read_mapping(GrNode *node, GrVariable *out)
{
    bool seed = false, ok;
    const int named = gr_distribution_named(node);
    const bool known = named >= 0 || gr_node_find(node, "from") != NULL || gr_node_find(node, "to") != NULL ||
                       gr_node_find(node, "seed") != NULL || gr_node_find(node, "file") != NULL;
    if (!known) {
        return fail_form(node);
    }
    out->kind = GR_VARIABLE_NUMBER;
    out->lower = out->upper = (double)NAN;
    gr_field_bool(node, "seed", GR_OPTIONAL, &seed);
    gr_field_bool(node, "integer", GR_OPTIONAL, &out->integer);
    gr_field_integer(node, "count", GR_OPTIONAL, 1, GR_VARIABLE_VALUES, &out->grid_count);
    if (seed) {
        out->kind = GR_VARIABLE_SEED;
        ok = true;
    } else if (gr_node_find(node, "file") != NULL) {
        ok = read_table(node, out);
    } else if (named >= 0) {
        ok = gr_distribution_read(node, named, &out->distribution, &out->values);
        out->lower = out->distribution.lower;
        out->upper = out->distribution.upper;
    } else {
        ok = read_range(node, out);
    }
    gr_fields_end(node);
    return ok;
}

bool gr_variable_read(GrNode *node, GrVariable *out)
{
    *out = (GrVariable){.node = node};
    node->used = true;
    if (gr_text_copy(out->path, sizeof out->path, node->key) == 0) {
        gr_node_error_at(node, GR_AT_KEY, GR_ERROR_VALUE, "longer than %d characters", GR_VARIABLE_PATH - 1);
        return false;
    }
    switch (node->kind) {
    case GR_NODE_LIST:
        return read_list(node, out);
    case GR_NODE_MAPPING:
        return read_mapping(node, out);
    case GR_NODE_SCALAR:
        break;
    }
    gr_node_error(node, GR_ERROR_VALUE,
                  "found '%.60s', expected what it varies over: [a, b, c], {from: 1, to: 2}, or a "
                  "distribution; fixed values belong into `set` of `run`",
                  node->text);
    return false;
}

int gr_variable_grid(const GrVariable *variable)
{
    return variable->kind == GR_VARIABLE_LIST ? variable->text_count : variable->grid_count;
}

void gr_variable_number(const GrVariable *variable, double number, GrValue *out)
{
    out->number = variable->integer ? rint(number) : number;
    gr_number_format(out->number, out->text);
}

static void take_text(const GrVariable *variable, int index, GrValue *out)
{
    gr_text_copy(out->text, sizeof out->text, variable->texts[index]);
    if (!gr_number_parse(out->text, &out->number)) {
        out->number = (double)NAN;
    }
}

void gr_variable_at(const GrVariable *variable, int index, GrValue *out)
{
    if (variable->kind == GR_VARIABLE_LIST) {
        take_text(variable, index, out);
        return;
    }
    const int count = variable->grid_count;
    const GrDistributionKind kind = variable->distribution.kind;
    const bool bounded = kind == GR_DISTRIBUTION_UNIFORM || kind == GR_DISTRIBUTION_LOG_UNIFORM;
    // a range includes its ends; a distribution is cut into parts of equal probability
    const double u = bounded ? (count > 1 ? (double)index / (count - 1) : 0.5) : (index + 0.5) / count;
    gr_variable_number(variable, gr_distribution_quantile(&variable->distribution, u), out);
}

void gr_variable_sample(const GrVariable *variable, double u, uint64_t hash, GrValue *out)
{
    switch (variable->kind) {
    case GR_VARIABLE_LIST: {
        const int index = (int)(u * variable->text_count);
        take_text(variable, index < variable->text_count ? index : variable->text_count - 1, out);
        break;
    }
    case GR_VARIABLE_NUMBER:
        if (variable->integer && variable->distribution.kind == GR_DISTRIBUTION_UNIFORM) {
            // every whole number is equally likely, those at the ends too
            const double lowest = ceil(variable->lower), count = floor(variable->upper) - lowest + 1;
            gr_variable_number(variable, lowest + fmin(floor(u * count), count - 1), out);
            break;
        }
        gr_variable_number(variable, gr_distribution_quantile(&variable->distribution, u), out);
        break;
    case GR_VARIABLE_SEED:
        gr_variable_number(variable, (double)(hash & SEED_MASK), out);
        break;
    }
}

// ---- labels

/// Endings of names, or last words where the name has no unit.
static const struct {
    const char *end, *unit;
    bool word; ///< the ending is a word, and stays
} UNITS[] = {
    {"_m_per_s2", "m/s²", false}, {"_deg_per_s", "°/s", false}, {"_J_per_m", "J/m", false}, {"_m_per_s", "m/s", false},
    {"_per_m", "1/m", false},     {"_mps", "m/s", false},       {"_deg", "°", false},       {"_Nm", "N m", false},
    {"_mm", "mm", false},         {"_m2", "m²", false},         {"_kg", "kg", false},       {"_Wh", "Wh", false},
    {"_kJ", "kJ", false},         {"_m", "m", false},           {"_s", "s", false},         {"_N", "N", false},
    {"_W", "W", false},           {"_J", "J", false},           {"radius", "m", true},      {"width", "m", true},
    {"length", "m", true},        {"height", "m", true},        {"depth", "m", true},       {"diameter", "m", true},
    {"wheelbase", "m", true},     {"track", "m", true},         {"mass", "kg", true}};

const char *gr_label_of(const char *name, char out[GR_LABEL_SIZE])
{
    enum { TEXT_MOST = 44 };
    const int param = strncmp(name, "soil:", 5) == 0 ? gr_soil_param_find(name + 5) : -1;
    if (param >= 0) {
        const GrSoilParam *p = gr_soil_param(param);
        const bool brief = strlen(p->text) <= TEXT_MOST;
        snprintf(out, GR_LABEL_SIZE, p->unit[0] != '\0' ? "%s%.60s [%s]" : "%s%.60s", brief ? "" : "soil ",
                 brief ? p->text : p->name, p->unit);
        return out;
    }
    if (strcmp(name, "gravity.tilt_deg") == 0) {
        name = "slope_deg";
    }
    if (strchr(name, ' ') != NULL) { // words already
        gr_text_copy(out, GR_LABEL_SIZE, name);
        return out;
    }
    name += strncmp(name, "rover:", 6) == 0 ? 6 : 0;
    name += strncmp(name, "params.", 7) == 0 ? 7 : 0;
    const char *unit = "";
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0] && unit[0] == '\0'; i++) {
        const size_t end = strlen(UNITS[i].end);
        if (length >= end + !UNITS[i].word && strcmp(name + length - end, UNITS[i].end) == 0) {
            unit = UNITS[i].unit;
            length -= UNITS[i].word ? 0 : end;
        }
    }
    snprintf(out, GR_LABEL_SIZE, "%.*s", (int)(length < 90 ? length : 90), name);
    for (char *c = out; *c != '\0'; c++) {
        *c = strchr("_.:", *c) != NULL ? ' ' : *c;
    }
    const size_t used = strlen(out);
    snprintf(out + used, GR_LABEL_SIZE - used, unit[0] != '\0' ? " [%s]" : "%s", unit);
    return out;
}

const char *gr_label_words(const char *name, char out[GR_LABEL_SIZE])
{
    gr_label_of(name, out);
    char *unit = strstr(out, " [");
    if (unit == NULL) {
        return "";
    }
    out[strlen(out) - 1] = '\0';
    *unit = '\0';
    return unit + 2;
}

const char *gr_label_value(const char *name, double value, const char *text, char *out, size_t size)
{
    enum { DIGITS = 4 };
    char words[GR_LABEL_SIZE];
    const char *unit = gr_label_words(name, words);
    snprintf(out, size, "%s = %s", words, isnan(value) ? text : gr_show(value, DIGITS, unit).text);
    return out;
}

const char *gr_label_limit(const char *name, bool below, double limit, char *out, size_t size)
{
    enum { DIGITS = 6 };
    char words[GR_LABEL_SIZE];
    const char *unit = gr_label_words(name, words);
    snprintf(out, size, "%s %s %s", words, below ? "<" : ">", gr_show(limit, DIGITS, unit).text);
    return out;
}
