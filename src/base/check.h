/// Preconditions. They are checked in every build: none is in the loops of a step.
#ifndef GR_CHECK_H
#define GR_CHECK_H

#include "grouser/status.h"

/// Calls the hook for programmer's errors (grouser/hooks.h) where the condition does not hold.
#define GR_CHECK(condition) ((condition) ? (void)0 : gr_check_failed(#condition, __FILE__, __LINE__))

/// The same in a function of the public interface, which then returns the value that follows, if any: a hook may
/// return.
#define GR_CHECK_OR_RETURN(condition, ...)                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            gr_check_failed(#condition, __FILE__, __LINE__);                                                           \
            return __VA_ARGS__;                                                                                        \
        }                                                                                                              \
    } while (0)

/// What gr_default_...() writes into a definition.
enum { GR_COOKIE = 0x47524f55 };

/// An error where a definition does not have it; `text`: "options: start from gr_default_options()".
GrStatus gr_cookie_check(unsigned cookie, const char *text, GrErrorLog *log);

void gr_check_failed(const char *expression, const char *file, int line);

#endif
