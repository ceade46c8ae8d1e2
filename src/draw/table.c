#include "table.h"

#include "alloc.h"
#include "check.h"
#include "csv.h"
#include "text.h"

#include <math.h>
#include <string.h>

/// A copy that a terminal shows and does not obey; NULL: none, or out of memory.
static char *tame_copy(GrTable *table, const char *text)
{
    char *copy = text != NULL ? gr_strdup(text) : NULL;
    if (copy != NULL) {
        gr_text_tame(copy);
    }
    table->failed = table->failed || (copy == NULL && text != NULL);
    return copy;
}

static void add_column(GrTable *table, GrColumn column, GrTableAlign align)
{
    GR_CHECK(table->column_count < GR_TABLE_COLUMNS && table->cell_count == 0);
    column.head = tame_copy(table, column.head);
    column.key = tame_copy(table, column.key);
    table->columns[table->column_count] = column;
    table->aligns[table->column_count++] = align;
}

void gr_table_columns(GrTable *table, const GrColumn *columns, int count)
{
    for (int i = 0; i < count; i++) {
        add_column(table, columns[i], columns[i].scale != 0 ? GR_RIGHT : GR_LEFT);
    }
}

void gr_table_column(GrTable *table, const char *head, GrTableAlign align)
{
    add_column(table, (GrColumn){.head = head, .scale = align == GR_RIGHT}, align);
}

void gr_table_heads(GrTable *table, const char *heads)
{
    for (const char *at = heads; at != NULL;) {
        const GrTableAlign align = *at == '>' ? GR_RIGHT : *at == '!' ? GR_COMMAND : GR_LEFT;
        char head[160];
        at += align != GR_LEFT;
        const size_t length = strcspn(at, "|");
        snprintf(head, sizeof head, "%.*s", (int)length, at);
        gr_table_column(table, head, align);
        at = at[length] == '|' ? at + length + 1 : NULL;
    }
}

static void add_cell(GrTable *table, GrCell cell)
{
    if (table->cell_count == table->cell_capacity) {
        const int capacity = table->cell_capacity > 0 ? 2 * table->cell_capacity : 64;
        GrCell *cells = gr_realloc(table->cells, (size_t)capacity * sizeof *cells);
        if (cells == NULL) {
            table->failed = true;
            gr_free(cell.text);
            return;
        }
        table->cells = cells;
        table->cell_capacity = capacity;
    }
    table->cells[table->cell_count++] = cell;
}

void gr_table_text(GrTable *table, const char *text)
{
    char *copy = tame_copy(table, text);
    if (copy != NULL) {
        add_cell(table, (GrCell){.text = copy});
    }
}

void gr_table_printf(GrTable *table, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    gr_vprint(text, sizeof text, format, args);
    va_end(args);
    gr_table_text(table, text);
}

void gr_table_show(GrTable *table, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    gr_vprint(text, sizeof text, format, args);
    va_end(args);
    if (table->cell_count > 0 && !table->failed) {
        GrCell *cell = &table->cells[table->cell_count - 1];
        gr_free(cell->shown);
        cell->shown = tame_copy(table, text);
    }
}

void gr_table_value(GrTable *table, double value)
{
    add_cell(table, (GrCell){.value = value});
}

void gr_table_values(GrTable *table, const double *values, int count)
{
    for (int i = 0; i < count; i++) {
        gr_table_value(table, values[i]);
    }
}

void gr_table_number(GrTable *table, double value, int digits)
{
    add_cell(table, (GrCell){.value = value, .digits = digits});
}

void gr_table_band(GrTable *table, double low, double high)
{
    add_cell(table, (GrCell){.low = low, .high = high, .is_band = true});
}

void gr_table_cut(GrTable *table, int count)
{
    for (; table->cell_count > count; table->cell_count--) {
        gr_free(table->cells[table->cell_count - 1].text);
        gr_free(table->cells[table->cell_count - 1].shown);
    }
}

int gr_table_row_count(const GrTable *table)
{
    return table->column_count > 0 ? (table->cell_count + table->column_count - 1) / table->column_count : 0;
}

const char *gr_table_shown(const GrTable *table, int cell, GrShown *room)
{
    enum { DIGITS = 4, BAND_DIGITS = 3 };
    const GrCell *c = &table->cells[cell];
    const GrColumn *column = &table->columns[cell % table->column_count];
    const double scale = column->scale != 0 ? column->scale : 1;
    if (c->shown != NULL || c->text != NULL) {
        return c->shown != NULL ? c->shown : c->text;
    }
    if (c->is_band) {
        *room = gr_show_range(scale * c->low, scale * c->high, BAND_DIGITS);
        return (isnan(c->low) && isnan(c->high)) || c->low == c->high ? "" : room->text;
    }
    const int digits = c->digits > 0 ? c->digits : column->digits > 0 ? column->digits : DIGITS;
    *room = gr_show(scale * c->value, digits, "");
    return room->text;
}

// ---- the terminal

static void print_spaces(FILE *file, int count)
{
    fprintf(file, "%*s", count, "");
}

/// Prints the head (`row` −1), a rule (−2) or a row; columns without a head are left out.
static void print_row(const GrTable *table, const int *widths, int row, FILE *file)
{
    const char *texts[GR_TABLE_COLUMNS];
    GrShown rooms[GR_TABLE_COLUMNS];
    int last = -1;
    for (int i = 0; i < table->column_count; i++) {
        const int cell = row * table->column_count + i;
        texts[i] = row < 0                    ? table->columns[i].head
                   : cell < table->cell_count ? gr_table_shown(table, cell, &rooms[i])
                                              : "";
        if (table->columns[i].head != NULL && (texts[i][0] != '\0' || row == -2 || last < 0)) {
            last = i; // no trailing spaces
        }
    }
    print_spaces(file, table->indent);
    for (int i = 0; i <= last; i++) {
        if (table->columns[i].head == NULL) {
            continue;
        }
        const int padding = row == -2 ? 0 : widths[i] - gr_text_width(texts[i]);
        print_spaces(file, table->aligns[i] == GR_RIGHT ? padding : 0);
        for (int j = 0; row == -2 && j < widths[i]; j++) {
            fputs("─", file);
        }
        fputs(row == -2 ? "" : texts[i], file);
        print_spaces(file, i < last && table->aligns[i] != GR_RIGHT ? padding : 0);
        fputs(i == last ? "\n" : "  ", file);
    }
}

void gr_table_print(const GrTable *table, FILE *file)
{
    int widths[GR_TABLE_COLUMNS] = {0};
    bool headed = false;
    for (int i = 0; i < table->column_count; i++) {
        widths[i] = table->columns[i].head != NULL ? gr_text_width(table->columns[i].head) : 0;
        headed = headed || widths[i] > 0;
    }
    for (int i = 0; i < table->cell_count; i++) {
        GrShown room;
        const int width = gr_text_width(gr_table_shown(table, i, &room)), column = i % table->column_count;
        widths[column] = width > widths[column] ? width : widths[column];
    }
    for (int row = headed ? -1 : 0; row < gr_table_row_count(table); row++) {
        print_row(table, widths, row, file);
        if (row == -1) {
            print_row(table, widths, -2, file);
        }
    }
}

// ---- files

static void put_markdown(const char *text, FILE *file)
{
    for (; *text != '\0'; text++) {
        fputs(*text == '|' ? "\\" : "", file); // a vertical bar would end the cell
        fputc(*text, file);
    }
}

void gr_table_markdown(const GrTable *table, FILE *file)
{
    for (int row = -2; row < gr_table_row_count(table); row++) {
        for (int i = 0; i < table->column_count; i++) {
            GrShown room;
            fputs(row == -1 ? "|---" : "| ", file);
            put_markdown(row == -2   ? table->columns[i].head
                         : row == -1 ? ""
                                     : gr_table_shown(table, row * table->column_count + i, &room),
                         file);
            fputs(row == -1 ? "" : " ", file);
        }
        fputs("|\n", file);
    }
}

static void put_ends(const char *key, const GrCell *cell, GrJson *json)
{
    char name[160];
    snprintf(name, sizeof name, "%s_low", key);
    gr_json_number(json, name, cell->low);
    snprintf(name, sizeof name, "%s_high", key);
    gr_json_number(json, name, cell->high);
}

void gr_table_json_row(const GrTable *table, int row, GrJson *json)
{
    for (int i = 0; i < table->column_count; i++) {
        const char *key = table->columns[i].key;
        const GrCell *cell = &table->cells[row * table->column_count + i];
        if (key == NULL) {
            continue;
        }
        if (cell->text != NULL) {
            gr_json_string(json, key, cell->text);
        } else if (cell->is_band) {
            put_ends(key, cell, json);
        } else {
            gr_json_number(json, key, cell->value);
        }
    }
}

void gr_table_json(const GrTable *table, const char *key, GrJson *json)
{
    gr_json_begin_array(json, key);
    for (int row = 0; row < gr_table_row_count(table); row++) {
        gr_json_begin_object(json, NULL);
        gr_table_json_row(table, row, json);
        gr_json_end(json);
    }
    gr_json_end(json);
}

/// Whether the column has a band: it takes two columns of a file.
static bool is_band(const GrTable *table, int column)
{
    return column < table->cell_count && table->cells[column].is_band;
}

/// Empty where there is no number.
static void put_number(GrBuffer *csv, double value)
{
    if (isfinite(value)) {
        gr_buffer_number(csv, value);
    }
}

void gr_table_csv(const GrTable *table, GrBuffer *csv)
{
    for (int row = -1; row < gr_table_row_count(table); row++) {
        const char *comma = "";
        for (int i = 0; i < table->column_count; i++) {
            const char *key = table->columns[i].key;
            const GrCell *cell = row < 0 ? NULL : &table->cells[row * table->column_count + i];
            if (key == NULL) {
                continue;
            }
            gr_buffer_puts(csv, comma);
            comma = ",";
            if (cell == NULL) {
                gr_buffer_printf(csv, is_band(table, i) ? "%s_low,%s_high" : "%s", key, key);
            } else if (cell->text != NULL) {
                gr_csv_put(csv, cell->text);
            } else {
                put_number(csv, cell->is_band ? cell->low : cell->value);
                gr_buffer_puts(csv, cell->is_band ? "," : "");
                put_number(csv, cell->is_band ? cell->high : (double)NAN);
            }
        }
        gr_buffer_puts(csv, "\n");
    }
}

void gr_table_free(GrTable *table)
{
    for (int i = 0; i < table->column_count; i++) {
        gr_free((char *)(uintptr_t)table->columns[i].head);
        gr_free((char *)(uintptr_t)table->columns[i].key);
    }
    gr_table_cut(table, 0);
    gr_free(table->cells);
    *table = (GrTable){0};
}
