/// A library to preload: the allocation number GROUSER_FAIL_AT of the process fails, all others succeed. Without the
/// variable the number of allocations goes into the file GROUSER_FAIL_COUNT at the end.
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

// The allocator of glibc under the names that it keeps for itself.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

static atomic_long allocations;
static long fail_at = -1;

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("GROUSER_FAIL_AT");
    fail_at = text != NULL ? strtol(text, NULL, 10) : -1;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("GROUSER_FAIL_COUNT");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file != NULL) {
        fprintf(file, "%ld\n", atomic_load(&allocations));
        fclose(file);
    }
}

static int fails(void)
{
    const long number = atomic_fetch_add(&allocations, 1);
    if (fail_at >= 0 && number == fail_at) {
        errno = ENOMEM;
        return 1;
    }
    return 0;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return fails() ? NULL : __libc_realloc(memory, size);
}
