/// Columns of measured files: which of them holds what, by its name or by a map of NAME=COLUMN.
#ifndef GR_COLUMNS_H
#define GR_COLUMNS_H

#include "csv.h"
#include "file.h"
#include "json.h"
#include "text.h"

enum { GR_COLUMN_FIELDS = 24 };

/// A name that a column may have. Several may mean the same field, in different units.
typedef struct GrColumnName {
    const char *name;
    int field;
    double scale; ///< of its unit
} GrColumnName;

/// What the columns of one kind of file may be. Case and what is neither letter nor digit do not count in their names:
/// "Drawbar pull [N]" is drawbar_pull_N.
typedef struct GrColumnTable {
    const GrColumnName *names;
    int count;
    int suggested; ///< messages suggest so many of the first names
    int scattered; ///< fields below this one may have a standard deviation, in a column sd_NAME
    int scatter;   ///< field of the standard deviation of field 0
} GrColumnTable;

/// Column of the file for each field, −1 for none, and the scale of its unit.
typedef struct GrColumns {
    int column[GR_COLUMN_FIELDS];
    double scale[GR_COLUMN_FIELDS];
    bool mapped; ///< a map names columns
} GrColumns;

/// The field of a name and the scale of its unit; −1: it has none.
int gr_column_field(const GrColumnTable *table, const char *name, double *scale);

const char *gr_column_nearest(const GrColumnTable *table, const char *name);
GrHint gr_column_hint(const GrColumnTable *table, const char *name, const char *otherwise);

/// What an option says of columns; it counts in place of names in the file.
typedef struct GrColumnMap {
    const char *option;
    const char *const *entries; ///< NAME=COLUMN, or NAME=-COLUMN for the other sign, ended by NULL; NULL: none
} GrColumnMap;

/// Finds the columns of all fields; two columns of one field are an error.
GrStatus gr_columns_find(const GrColumnTable *table, const GrCsv *csv, const char *file, GrColumnMap map,
                         GrColumns *out, GrErrorLog *log);

/// Whether a field is in this column.
bool gr_columns_has(const GrColumns *columns, int column);

/// The column that an entry of a map names; −1 after an error.
int gr_column_named(const GrCsv *csv, const char *file, const char *name, const char *option, GrErrorLog *log);

/// Whether a field may have a value; otherwise, what it may have.
typedef bool (*GrColumnRangeFn)(int field, double value, const char **allowed);

/// The number in a cell times `scale`; NAN where the cell is empty.
GrStatus gr_column_number(const GrCsv *csv, const char *file, int row, int column, double scale, int field,
                          GrColumnRangeFn in_range, double *out, GrErrorLog *log);

/// The members `columns_used` and `columns_ignored`.
void gr_columns_json(const GrNameList *used, const GrNameList *ignored, GrJson *json);

#endif
