/// What every test includes: cmocka with its prerequisites, and comparisons of numbers that print both.
#ifndef GR_TEST_H
#define GR_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/// |a − b| ≤ tolerance, both finite.
static inline void gr_assert_near(double a, double b, double tolerance, const char *what, const char *file, int line)
{
    if (!(fabs(a - b) <= tolerance)) {
        print_error("%s:%d: %s: %.17g is not within %g of %.17g (difference %g)\n", file, line, what, a, tolerance, b,
                    a - b);
        _fail(file, line);
    }
}

#define assert_near(a, b, tolerance) gr_assert_near((a), (b), (tolerance), #a, __FILE__, __LINE__)

/// |a − b| ≤ tolerance · max(1e-300, |b|)
#define assert_near_rel(a, b, tolerance)                                                                               \
    gr_assert_near((a), (b), (tolerance)*fmax(1e-300, fabs(b)), #a, __FILE__, __LINE__)

/// Length of a test: `full`, or `brief` if each step is slow (GROUSER_BRIEF_TESTS: sanitizers, emulated machines). Use
/// it only if the assertions are valid for both.
#ifdef GR_TEST_BRIEF
#define GR_TEST_LONG(full, brief) (brief)
#else
#define GR_TEST_LONG(full, brief) (full)
#endif

/// Length of a study: `full` where GROUSER_TEST_WHOLE is set, as by `make nightly` for the tests of label `study`,
/// otherwise `part` of it, which must be able to fail for the same faults. Use it only if the assertions are valid for
/// both.
#define GR_TEST_STUDY(full, part) (getenv("GROUSER_TEST_WHOLE") ? (full) : (part))

#endif
