/// Arithmetic expressions: text -> number.
///
/// Operators + - * / ^ ( ) and comparisons with && || and ?: ; -2^2 is -4 and 2^3^2 is 2^9. Angles are radians; the
/// constant `deg` is one degree. The same text and names give the same bits everywhere: the functions are the library's
/// own, and numbers are read as in the C locale. Nothing is shared between evaluations and nothing allocated.
#ifndef GR_EXPRESSION_H
#define GR_EXPRESSION_H

#include <stdbool.h>

enum { GR_EXPRESSION_LENGTH = 1024 };

typedef enum GrLookup {
    GR_LOOKUP_FOUND,
    GR_LOOKUP_UNKNOWN,
    GR_LOOKUP_FAILED, ///< the name is known, but its value has an error that was reported
} GrLookup;

/// Names visible to an expression. Zero-initialised: constants only.
typedef struct GrScope {
    GrLookup (*lookup)(void *context, const char *name, double *value);
    /// Writes up to `capacity` known names, for messages; returns how many.
    int (*names)(void *context, const char **names, int capacity);
    void *context;
} GrScope;

/// `text` is empty when the failure was reported by a lookup.
typedef struct GrExpressionError {
    int position;   ///< index of the offending character in the expression
    char text[256]; ///< what is wrong
} GrExpressionError;

/// Value of `text`; infinite values are allowed, NaN is an error. A lookup may call this function again.
bool gr_expression_evaluate(const char *text, const GrScope *scope, double *value, GrExpressionError *error);

/// Reads a plain number such as -1.5e-3; false when `text` is anything else.
bool gr_number_parse(const char *text, double *value);

/// Whether `name` is taken by a function or constant, and cannot be the name of a parameter.
bool gr_expression_is_reserved(const char *name);

/// Whether `name` is a letter or underscore followed by letters, digits and underscores.
bool gr_expression_is_name(const char *name);

#endif
