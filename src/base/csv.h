/// Tables as text: a header line, then rows, with cells separated by comma, semicolon or tab. Lines that are empty or
/// begin with # are skipped; cells may be quoted; CRLF and a byte order mark are accepted.
///
/// No library: Debian's libcsv splits rows into cells; the names of columns, lines for messages and the kinds of
/// separators would remain.
#ifndef GR_CSV_H
#define GR_CSV_H

#include "buffer.h"

#include <stddef.h>

enum { GR_CSV_COLUMNS = 4096 };

typedef struct GrCsv {
    char *text;   ///< owned; names and cells point into it
    char **names; ///< of the columns
    int column_count;
    char **cells; ///< row after row, trimmed
    int *lines;   ///< of each row in the file, 1-based
    int row_count;
} GrCsv;

/// Every row must have as many cells as the header; errors name file, line and column of the table.
GrStatus gr_csv_parse(const char *text, size_t length, const char *file, GrCsv *out, GrErrorLog *log);
GrStatus gr_csv_load(const char *path, GrCsv *out, GrErrorLog *log);
void gr_csv_free(GrCsv *csv);

/// Column by its name; −1 when there is none.
int gr_csv_find(const GrCsv *csv, const char *name);

static inline const char *gr_csv_cell(const GrCsv *csv, int row, int column)
{
    return csv->cells[row * csv->column_count + column];
}

/// Appends a cell, quoted where RFC 4180 requires it. A text that a spreadsheet would compute (=, +, -, @ in front, and
/// not a number) gets an apostrophe in front. Control characters, but for line ends and tabs, become '?'.
void gr_csv_put(GrBuffer *out, const char *text);

#endif
