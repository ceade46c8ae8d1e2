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

/// Warns of a number that is possible and not sensible.
void gr_warn_unusual(const GrNode *node, double value);

#endif
