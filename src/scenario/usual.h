/// Plausible ranges for the numbers in files.
#ifndef GR_USUAL_H
#define GR_USUAL_H

#include "document.h"

typedef struct GrUsual {
    const char *key, *within;
    double lower, upper; ///< in the unit of the key
    const char *what;    ///< what the range applies to
} GrUsual;

/// NULL beyond the last.
const GrUsual *gr_usual(int index);

/// The row for a key at a path, such as "radius_m" at "wheels.front.radius_m"; NULL: there is none.
const GrUsual *gr_usual_of(const char *key, const char *path);

/// The message: the value, `what`, `lower`, `upper`.
#define GR_USUAL_TEXT "found %g; usual for %s: %g to %g. Is the unit right?"

/// Warns about a number that is allowed but implausible.
void gr_warn_unusual(const GrNode *node, double value);

#endif
