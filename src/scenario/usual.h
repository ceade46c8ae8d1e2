/// Ranges of the sensible for the numbers of files.
#ifndef GR_USUAL_H
#define GR_USUAL_H

#include "document.h"

typedef struct GrUsual {
    const char *key, *within;
    double lower, upper; ///< in the unit of the key
    const char *what;    ///< whose range it is
} GrUsual;

/// NULL beyond the last.
const GrUsual *gr_usual(int index);

/// The row for a key at a path, such as "radius_m" at "wheels.front.radius_m"; NULL: there is none.
const GrUsual *gr_usual_of(const char *key, const char *path);

/// The message: the value, `what`, `lower`, `upper`.
#define GR_USUAL_TEXT "found %g; usual for %s: %g to %g. Is the unit right?"

/// Warns of a number that is possible and not sensible.
void gr_warn_unusual(const GrNode *node, double value);

#endif
