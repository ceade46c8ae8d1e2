/// Tables of text for the terminal: columns as wide as their widest cell, numbers right-aligned.
///
///     GrTable table = {0};
///     gr_table_column(&table, "name", GR_LEFT);
///     gr_table_column(&table, "mass [kg]", GR_RIGHT);
///     gr_table_text(&table, "curiosity_like");
///     gr_table_number(&table, 899, 4);
///     gr_table_print(&table, stdout);
///     gr_table_free(&table);
///
/// Cells are filled from left to right, row after row; the last row may be short. Control characters become '?'.
#ifndef GR_TABLE_H
#define GR_TABLE_H

#include "grouser/status.h"

#include <stdio.h>

enum { GR_TABLE_COLUMNS = 16 };

typedef enum GrTableAlign { GR_LEFT, GR_RIGHT } GrTableAlign;

/// Zero-initialise before use.
typedef struct GrTable {
    char *heads[GR_TABLE_COLUMNS];
    GrTableAlign aligns[GR_TABLE_COLUMNS];
    int column_count;
    char **cells; ///< row after row
    int cell_count;
    int cell_capacity;
    bool failed; ///< an allocation failed
    int indent;  ///< spaces before each line
} GrTable;

/// Add all columns before the first cell. If all heads are "", there is no head line.
void gr_table_column(GrTable *table, const char *head, GrTableAlign align);

void gr_table_text(GrTable *table, const char *text);
void gr_table_printf(GrTable *table, const char *format, ...) GR_PRINTF(2, 3);

/// Rounded to `digits` significant digits; infinity is "∞", NaN is "–".
void gr_table_number(GrTable *table, double value, int digits);

void gr_table_print(const GrTable *table, FILE *file);
void gr_table_free(GrTable *table);

#endif
