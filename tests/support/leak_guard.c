/// Part of every test program under the address sanitizer. The leak sanitizer looks through every page that the heap
/// could have, which takes seconds whatever it holds, so it is asked only when the heap did not come back to its size.
#ifdef GR_GUARD_EXPRESSIONS
#include "expression.h"
#endif

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

// Of the sanitizers' interface, whose headers some compilers do not bring.
size_t __sanitizer_get_current_allocated_bytes(void);
void __lsan_do_leak_check(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "leak_check_at_exit=0";
}

static size_t size_at_start;
static char output[BUFSIZ];

/// The first number that an expression holds leaves a table of the C++ library behind, which stays.
static void warm_up(void)
{
#ifdef GR_GUARD_EXPRESSIONS
    GrCalculator *evaluator = gr_calculator_create();
    GrScope scope = {0};
    GrExpressionError error;
    double value;
    gr_expression_evaluate(evaluator, "1.5", &scope, &value, &error);
    gr_calculator_free(evaluator);
#endif
}

static void compare_size(void)
{
    if (__sanitizer_get_current_allocated_bytes() != size_at_start) {
        __lsan_do_leak_check();
    }
}

__attribute__((constructor)) static void remember_size(void)
{
    setvbuf(stdout, output, _IOLBF, sizeof output); // or its buffer would stay on the heap
    warm_up();
    atexit(compare_size); // runs before what the warm-up has made is taken down
    size_at_start = __sanitizer_get_current_allocated_bytes();
}
