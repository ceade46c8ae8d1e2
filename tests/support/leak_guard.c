/// Part of every test program under the address sanitizer. The leak sanitizer looks through every page that the heap
/// could have, which takes seconds whatever it holds, so it is asked only when the heap did not come back to its size.
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

static void compare_size(void)
{
    if (__sanitizer_get_current_allocated_bytes() != size_at_start) {
        __lsan_do_leak_check();
    }
}

__attribute__((constructor)) static void remember_size(void)
{
    setvbuf(stdout, output, _IOLBF, sizeof output); // or its buffer would stay on the heap
    atexit(compare_size);
    size_at_start = __sanitizer_get_current_allocated_bytes();
}
