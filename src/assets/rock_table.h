/// Sizes of rocks by a law, integrated once: worlds that differ in the seed of their rocks share it (world_cache.h).
#ifndef GR_ROCK_TABLE_H
#define GR_ROCK_TABLE_H

#include "grouser/assets.h"

enum { GR_ROCK_TABLE_PARTS = 2048 };

typedef struct GrRockTable {
    GrRockFieldDef def; ///< whose law and diameters these are
    double count;       ///< rocks per area [1/m²]
    double covered;     ///< fraction of the area that they cover
    double
        parts[GR_ROCK_TABLE_PARTS]; ///< count between neighbouring sizes, from large to small, equally spaced in log D
} GrRockTable;

/// Whether the law of `def` has been checked and integrated in the table.
bool gr_rock_table_fits(const GrRockTable *table, const GrRockFieldDef *def);

/// Checks the definition and integrates its law.
GrStatus gr_rock_table_make(const GrRockFieldDef *def, GrRockTable *out, GrErrorLog *log);

/// gr_rock_field_make() with a table that fits.
GrStatus gr_rock_field_make_by(const GrRockTable *table, const GrRockFieldDef *def, GrRockField *out, GrErrorLog *log);

#endif
