/// A library to preload: the allocation number GROUSER_FAIL_AT of the process fails, all others succeed. At the end the
/// number of allocations, and of those that have not been freed, go into the file GROUSER_FAIL_COUNT. Counted are the
/// allocations of the program and of the libraries that it is linked with, not those of libraries that it loads later:
/// GDAL ends the process when its memory runs out. With GROUSER_FAIL_OWN only those of the program itself.
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// The allocator of glibc under the names that it keeps for itself.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

enum { MODULES = 512 };

static atomic_long allocations, live;
static long fail_at = -1;
static struct {
    uintptr_t begin, end;
} modules[MODULES];
static int module_count;

/// Notes where a program or library has its code; the program comes first.
static int note_module(struct dl_phdr_info *info, size_t size, void *own)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum && module_count < MODULES; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0) {
            modules[module_count].begin = info->dlpi_addr + part->p_vaddr;
            modules[module_count++].end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
        }
    }
    return *(const bool *)own;
}

static bool is_ours(const void *caller)
{
    bool found = false;
    for (int i = 0; i < module_count && !found; i++) {
        found = (uintptr_t)caller >= modules[i].begin && (uintptr_t)caller < modules[i].end;
    }
    return found;
}

__attribute__((constructor)) static void begin(void)
{
    bool own = getenv("GROUSER_FAIL_OWN") != NULL;
    dl_iterate_phdr(note_module, &own);
    const char *text = getenv("GROUSER_FAIL_AT");
    fail_at = text != NULL ? strtol(text, NULL, 10) : -1;
}

__attribute__((destructor)) static void end(void)
{
    const long left = atomic_load(&live);
    const char *path = getenv("GROUSER_FAIL_COUNT");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file != NULL) {
        fprintf(file, "%ld %ld\n", atomic_load(&allocations), left);
        fclose(file);
    }
}

static int fails(const void *caller)
{
    if (!is_ours(caller)) {
        return 0;
    }
    const long number = atomic_fetch_add(&allocations, 1);
    if (fail_at >= 0 && number == fail_at) {
        errno = ENOMEM;
        return 1;
    }
    return 0;
}

static void *count(void *memory)
{
    atomic_fetch_add(&live, memory != NULL);
    return memory;
}

void *malloc(size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : count(__libc_malloc(size));
}

void *calloc(size_t number, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : count(__libc_calloc(number, size));
}

void *realloc(void *memory, size_t size)
{
    if (fails(__builtin_return_address(0))) {
        return NULL;
    }
    void *moved = __libc_realloc(memory, size);
    atomic_fetch_add(&live, (moved != NULL) - (memory != NULL && (moved != NULL || size == 0)));
    return moved;
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    void *made = fails(__builtin_return_address(0)) ? NULL : count(__libc_memalign(alignment, size));
    *memory = made != NULL ? made : *memory;
    return made != NULL ? 0 : ENOMEM;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : count(__libc_memalign(alignment, size));
}

void free(void *memory)
{
    atomic_fetch_sub(&live, memory != NULL);
    __libc_free(memory);
}
