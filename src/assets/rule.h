/// Checks of the numbers that an asset is made from, as a list of rules.
#ifndef GR_RULE_H
#define GR_RULE_H

#include "grouser/status.h"

#include <math.h>

typedef struct GrRule {
    const char *field, *allowed;
    bool holds;
} GrRule;

/// An error for each rule that does not hold.
static inline GrStatus gr_rules_check(const GrRule *rules, int count, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (int i = 0; i < count; i++) {
        if (!rules[i].holds) {
            status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = rules[i].field}, "must be %s",
                                  rules[i].allowed);
        }
    }
    return status;
}

static inline bool gr_is_positive(double x)
{
    return x > 0 && isfinite(x);
}

#endif
