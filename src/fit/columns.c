#include "columns.h"

#include "number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SQUEEZED = 64, NAMES_MAX = 64 };

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/// Letters and digits of a name in lower case, % as percent and ° as deg.
static void squeeze(const char *name, char out[SQUEEZED])
{
    int used = 0;
    for (const char *c = name; *c != '\0' && used < SQUEEZED - 8; c++) {
        if ((*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z')) {
            out[used++] = *c;
        } else if (*c >= 'A' && *c <= 'Z') {
            out[used++] = (char)(*c - 'A' + 'a');
        } else if (*c == '%' || begins(c, "°")) {
            used += snprintf(out + used, SQUEEZED - (size_t)used, "%s", *c == '%' ? "percent" : "deg");
        }
    }
    out[used] = '\0';
}

int gr_column_field(const GrColumnTable *table, const char *name, double *scale)
{
    char own[SQUEEZED], known[SQUEEZED];
    squeeze(name, own);
    const bool scatter = begins(name, "sd_") || begins(name, "SD_");
    for (int k = 0; k < table->count; k++) {
        const GrColumnName *row = &table->names[k];
        squeeze(row->name, known);
        *scale = row->scale;
        if (strcmp(own, known) == 0) {
            return row->field;
        }
        if (scatter && row->field < table->scattered && strcmp(own + 2, known) == 0) {
            return table->scatter + row->field;
        }
    }
    return -1;
}

static int suggestions(const GrColumnTable *table, const char *out[NAMES_MAX])
{
    for (int k = 0; k < table->suggested; k++) {
        out[k] = table->names[k].name;
    }
    return table->suggested;
}

const char *gr_column_nearest(const GrColumnTable *table, const char *name)
{
    const char *known[NAMES_MAX];
    return gr_text_nearest(name, known, suggestions(table, known));
}

GrHint gr_column_hint(const GrColumnTable *table, const char *name, const char *otherwise)
{
    const char *known[NAMES_MAX];
    return gr_text_hint(name, known, suggestions(table, known), otherwise);
}

int gr_column_named(const GrCsv *csv, const char *file, const char *name, const char *option, GrErrorLog *log)
{
    const int column = gr_csv_find(csv, name);
    if (column < 0) {
        gr_error_add(log, GR_ERROR_NAME, (GrLocation){.file = file, .line = 1, .field = option},
                     "there is no column '%.60s'%s", name,
                     gr_text_hint(name, (const char *const *)csv->names, csv->column_count, NULL).text);
    }
    return column;
}

/// Notes that a column of the file holds a field.
static GrStatus place(const GrCsv *csv, int column, int field, double scale, GrLocation at, GrColumns *out,
                      GrErrorLog *log)
{
    if (out->column[field] >= 0) {
        return gr_error_add(log, GR_ERROR_NAME, at, "the columns '%s' and '%s' mean the same; leave one out",
                            csv->names[out->column[field]], csv->names[column]);
    }
    out->column[field] = column;
    out->scale[field] = scale;
    return GR_OK;
}

static GrStatus map_column(const GrColumnTable *table, const GrCsv *csv, const char *file, const char *entry,
                           const char *option, GrColumns *out, GrErrorLog *log)
{
    char name[SQUEEZED];
    double scale;
    const char *equals = strchr(entry, '='), *column_name = equals != NULL ? equals + 1 : "";
    snprintf(name, sizeof name, "%.*s", (int)fmin((double)strcspn(entry, "="), SQUEEZED - 1), entry);
    const int field = equals != NULL ? gr_column_field(table, name, &scale) : -1;
    if (field < 0) {
        return gr_error_add(log, GR_ERROR_NAME, (GrLocation){.field = option},
                            "takes NAME=COLUMN; there is no quantity '%s'%s", name,
                            gr_column_hint(table, name, NULL).text);
    }
    if (column_name[0] == '-' && gr_csv_find(csv, column_name) < 0 && gr_csv_find(csv, column_name + 1) >= 0) {
        column_name++;
        scale = -scale;
    }
    const int column = gr_column_named(csv, file, column_name, option, log);
    const GrLocation at = {.file = file, .line = 1, .field = option};
    return column < 0 ? GR_ERROR_NAME : place(csv, column, field, scale, at, out, log);
}

GrStatus gr_columns_find(const GrColumnTable *table, const GrCsv *csv, const char *file, GrColumnMap map,
                         GrColumns *out, GrErrorLog *log)
{
    bool mapped[GR_COLUMN_FIELDS];
    GrStatus status = GR_OK;
    out->mapped = map.entries != NULL && map.entries[0] != NULL;
    for (int f = 0; f < GR_COLUMN_FIELDS; f++) {
        out->column[f] = -1;
    }
    for (int i = 0; out->mapped && map.entries[i] != NULL && status == GR_OK; i++) {
        status = map_column(table, csv, file, map.entries[i], map.option, out, log);
    }
    for (int f = 0; f < GR_COLUMN_FIELDS; f++) {
        mapped[f] = out->column[f] >= 0;
    }
    for (int i = 0; i < csv->column_count && status == GR_OK; i++) {
        double scale;
        const int field = gr_column_field(table, csv->names[i], &scale);
        if (field >= 0 && !mapped[field]) {
            status = place(csv, i, field, scale, (GrLocation){.file = file, .line = 1}, out, log);
        }
    }
    return status;
}

bool gr_columns_has(const GrColumns *columns, int column)
{
    for (int f = 0; f < GR_COLUMN_FIELDS; f++) {
        if (columns->column[f] == column) {
            return true;
        }
    }
    return false;
}

GrStatus gr_column_number(const GrCsv *csv, const char *file, int row, int column, double scale, int field,
                          GrColumnRangeFn in_range, double *out, GrErrorLog *log)
{
    const char *cell = gr_csv_cell(csv, row, column), *allowed;
    const GrLocation at = {.file = file, .line = csv->lines[row], .column = column + 1, .field = csv->names[column]};
    char *end;
    *out = (double)NAN;
    if (cell[0] == '\0' || strcmp(cell, "nan") == 0 || strcmp(cell, "NaN") == 0) {
        return GR_OK;
    }
    const double value = gr_number_read(cell, &end);
    if (end == cell || *end != '\0') {
        return gr_error_add(log, GR_ERROR_VALUE, at, "'%.60s' is not a number", cell);
    }
    if (!in_range(field, value * scale, &allowed)) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "%.60s is out of range; allowed: %s", cell, allowed);
    }
    *out = value * scale;
    return GR_OK;
}

void gr_columns_json(const GrNameList *used, const GrNameList *ignored, GrJson *json)
{
    for (int k = 0; k < 2; k++) {
        const GrNameList *list = k == 0 ? used : ignored;
        gr_json_begin_array(json, k == 0 ? "columns_used" : "columns_ignored");
        for (int i = 0; i < list->count; i++) {
            gr_json_string(json, NULL, list->names[i]);
        }
        gr_json_end(json);
    }
}
