/// The optional parts of the program (cmake/Parts.cmake). Code that needs one is between #ifdef GR_WITH_NAME and
/// #endif; what asks for a part that this build does not have gets gr_part_missing().
#ifndef GR_PARTS_H
#define GR_PARTS_H

#include "grouser/status.h"

typedef struct GrPart {
    const char *name; ///< "GDAL"
    bool present;
    const char *text;     ///< what it is
    const char *packages; ///< Debian's, which it is built with
} GrPart;

extern const GrPart gr_parts[];
extern const int gr_part_count;

/// "not in this build: install libgdal-dev liblapacke-dev and build again", or that the library it loads is not there.
typedef struct GrPartAdvice {
    char text[160];
} GrPartAdvice;
GrPartAdvice gr_part_advice(const char *name);

/// The error that says so.
GrStatus gr_part_missing(const char *name, GrLocation where, GrErrorLog *log);

#endif
