/// A kind of term of a surface: one row in surface.c.
#ifndef GR_TERM_H
#define GR_TERM_H

#include "grouser/assets.h"

enum { GR_TERM_PARAMETERS = 12, GR_TERM_ROW = 256 };

/// Input of a term. Values are in the order of the kind's parameters and within their ranges.
typedef struct GrTermInput {
    const double *values;
    const char *text; ///< value of "file=" or "law="; "" when not given
    uint64_t seed;
    GrBox2 box;
} GrTermInput;

typedef struct GrTerm {
    GrTermInfo info;
    const char *text_name; ///< name of its text parameter; NULL: none
    /// Makes the state for `height`: one block to be freed by gr_free(), or several with `destroy`.
    GrStatus (*prepare)(const GrTermInput *input, void **state, GrErrorLog *log);
    double (*height)(const void *state, double x, double y);
    /// The same for up to GR_TERM_ROW points (x[k], y), x in ascending order, where that is faster; NULL: it is not.
    void (*row)(const void *state, const double *x, int count, double y, double *out);
    void (*destroy)(void *state); ///< NULL: gr_free()
} GrTerm;

extern const GrTerm gr_term_plane;
extern const GrTerm gr_term_step;
extern const GrTerm gr_term_ramp;
extern const GrTerm gr_term_ripples;
extern const GrTerm gr_term_profile;
extern const GrTerm gr_term_fractal;
extern const GrTerm gr_term_craters;
extern const GrTerm gr_term_crater;
extern const GrTerm gr_term_lander;

#define GR_TERM_COUNT(list) (int)(sizeof(list) / sizeof((list)[0]))

#endif
