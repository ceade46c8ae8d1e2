/// Preconditions. They are checked in every build: none is in the loops of a step.
#ifndef GR_CHECK_H
#define GR_CHECK_H

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

void gr_check_failed(const char *expression, const char *file, int line);

#endif
