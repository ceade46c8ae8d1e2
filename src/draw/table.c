#include "table.h"

#include "alloc.h"
#include "check.h"
#include "number.h"
#include "text.h"

#include <math.h>
#include <string.h>

/// A copy that a terminal shows and does not obey; NULL: out of memory.
static char *tame_copy(const char *text)
{
    char *copy = gr_strdup(text);
    if (copy != NULL) {
        gr_text_tame(copy);
    }
    return copy;
}

void gr_table_column(GrTable *table, const char *head, GrTableAlign align)
{
    GR_CHECK(table->column_count < GR_TABLE_COLUMNS && table->cell_count == 0);
    char *copy = tame_copy(head);
    if (copy == NULL) {
        table->failed = true;
        return;
    }
    table->heads[table->column_count] = copy;
    table->aligns[table->column_count++] = align;
}

void gr_table_text(GrTable *table, const char *text)
{
    if (table->cell_count == table->cell_capacity) {
        const int capacity = table->cell_capacity > 0 ? 2 * table->cell_capacity : 64;
        char **cells = gr_realloc(table->cells, (size_t)capacity * sizeof *cells);
        if (cells == NULL) {
            table->failed = true;
            return;
        }
        table->cells = cells;
        table->cell_capacity = capacity;
    }
    char *copy = tame_copy(text);
    if (copy == NULL) {
        table->failed = true;
        return;
    }
    table->cells[table->cell_count++] = copy;
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

void gr_table_number(GrTable *table, double value, int digits)
{
    char text[GR_NUMBER_SIZE];
    gr_number_round(value, digits, text);
    gr_table_text(table, isnan(value)   ? "\xe2\x80\x93"
                         : isinf(value) ? (value > 0 ? "\xe2\x88\x9e" : "-\xe2\x88\x9e")
                                        : text);
}

static void print_spaces(FILE *file, int count)
{
    fprintf(file, "%*s", count, "");
}

static void print_row(const GrTable *table, const int *widths, char *const *cells, int count, FILE *file)
{
    print_spaces(file, table->indent);
    while (count > 1 && cells[count - 1][0] == '\0') {
        count--; // no trailing spaces
    }
    for (int i = 0; i < count; i++) {
        const int padding = widths[i] - gr_text_width(cells[i]);
        const bool last = i + 1 == count;
        if (table->aligns[i] == GR_RIGHT) {
            print_spaces(file, padding);
        }
        fputs(cells[i], file);
        if (table->aligns[i] == GR_LEFT && !last) {
            print_spaces(file, padding);
        }
        fputs(last ? "\n" : "  ", file);
    }
}

void gr_table_print(const GrTable *table, FILE *file)
{
    int widths[GR_TABLE_COLUMNS] = {0};
    bool headed = false;
    const int columns = table->column_count;
    for (int i = 0; i < columns; i++) {
        widths[i] = gr_text_width(table->heads[i]);
        headed = headed || widths[i] > 0;
    }
    for (int i = 0; i < table->cell_count; i++) {
        const int width = gr_text_width(table->cells[i]);
        widths[i % columns] = width > widths[i % columns] ? width : widths[i % columns];
    }
    if (headed) {
        print_row(table, widths, table->heads, columns, file);
        print_spaces(file, table->indent);
        for (int i = 0; i < columns; i++) {
            for (int j = 0; j < widths[i]; j++) {
                fputs("\xe2\x94\x80", file);
            }
            fputs(i + 1 == columns ? "\n" : "  ", file);
        }
    }
    for (int i = 0; i < table->cell_count; i += columns) {
        const int left = table->cell_count - i;
        print_row(table, widths, table->cells + i, left < columns ? left : columns, file);
    }
}

void gr_table_free(GrTable *table)
{
    for (int i = 0; i < table->column_count; i++) {
        gr_free(table->heads[i]);
    }
    for (int i = 0; i < table->cell_count; i++) {
        gr_free(table->cells[i]);
    }
    gr_free(table->cells);
    *table = (GrTable){0};
}
