/// Tables: filled once, then printed in the terminal, shown on a page, and written as JSON, CSV or Markdown.
///
///     GrTable table = {0};
///     gr_table_columns(&table, (const GrColumn[]){{"name", "name"}, {"mass_kg", "mass [kg]", 1}}, 2);
///     gr_table_text(&table, "curiosity_like");
///     gr_table_value(&table, 899);
///     gr_table_print(&table, stdout);
///     gr_table_free(&table);
///
/// Cells are filled from left to right, row after row; the last row may be short. Control characters become '?'.
#ifndef GR_TABLE_H
#define GR_TABLE_H

#include "buffer.h"
#include "json.h"
#include "number.h"

#include <stdio.h>

enum { GR_TABLE_COLUMNS = 32 };

/// GR_COMMAND: text to copy; a page shows it in one line.
typedef enum GrTableAlign { GR_LEFT, GR_RIGHT, GR_COMMAND } GrTableAlign;

typedef struct GrColumn {
    const char *key;  ///< in JSON and CSV, with the unit of the stored number; NULL: displayed alone
    const char *head; ///< with the unit of the displayed number; NULL: in files alone
    double scale;     ///< displayed number over the stored one; 0: text
    int digits;       ///< significant digits that are displayed; 0: 4
} GrColumn;

typedef struct GrCell {
    char *text;  ///< owned; NULL: a number or a band
    char *shown; ///< owned: displayed in place of it; NULL: itself
    double value;
    double low, high; ///< of a band
    int digits;       ///< 0: those of the column
    bool is_band;
} GrCell;

/// Zero-initialise before use.
typedef struct GrTable {
    GrColumn columns[GR_TABLE_COLUMNS]; ///< heads and keys are owned
    GrTableAlign aligns[GR_TABLE_COLUMNS];
    int column_count;
    GrCell *cells; ///< row after row
    int cell_count;
    int cell_capacity;
    bool failed; ///< an allocation failed
    int indent;  ///< spaces before each line in the terminal
} GrTable;

// Add all columns before the first cell. If all heads are "", there is no head line.

void gr_table_columns(GrTable *table, const GrColumn *columns, int count);
void gr_table_column(GrTable *table, const char *head, GrTableAlign align);
/// Columns that are displayed alone, as "wheel|>slip, mean|!repeat with": '>' before numbers, '!' before commands.
void gr_table_heads(GrTable *table, const char *heads);

void gr_table_text(GrTable *table, const char *text);
void gr_table_printf(GrTable *table, const char *format, ...) GR_PRINTF(2, 3);
/// A number; its column says how it is displayed.
void gr_table_value(GrTable *table, double value);
void gr_table_values(GrTable *table, const double *values, int count);
/// The same with its own number of digits.
void gr_table_number(GrTable *table, double value, int digits);
/// A band: displayed as "3.1 … 4.7", empty where it has no width; in files KEY_low and KEY_high.
void gr_table_band(GrTable *table, double low, double high);

/// The last cell is displayed as this text; files have its value.
void gr_table_show(GrTable *table, const char *format, ...) GR_PRINTF(2, 3);

/// Removes the cells after the first `count`.
void gr_table_cut(GrTable *table, int count);

int gr_table_row_count(const GrTable *table);
/// The displayed text of a cell: `room` or the cell's own.
const char *gr_table_shown(const GrTable *table, int cell, GrShown *room);

void gr_table_print(const GrTable *table, FILE *file);
void gr_table_markdown(const GrTable *table, FILE *file);
/// The cells of a row into the open object.
void gr_table_json_row(const GrTable *table, int row, GrJson *json);
/// All rows as an array of objects.
void gr_table_json(const GrTable *table, const char *key, GrJson *json);
void gr_table_csv(const GrTable *table, GrBuffer *csv);
void gr_table_free(GrTable *table);

#endif
