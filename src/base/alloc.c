/// Memory by the allocator of the caller, the other hooks of the library (grouser/hooks.h; the one mutable global, set
/// once before use), and the processors of the machine.
#include "alloc.h"

#include "check.h"
#include "processors.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static GrHooks hooks;

GrStatus gr_set_hooks(const GrHooks *given)
{
    const GrHooks none = {0};
    const GrHooks *h = given != NULL ? given : &none;
    const int functions = (h->allocate != NULL) + (h->reallocate != NULL) + (h->release != NULL);
    if (functions != 0 && functions != 3) {
        return GR_ERROR_USAGE;
    }
    hooks = *h;
    return GR_OK;
}

bool gr_hook_network(void)
{
    return hooks.network;
}

void *gr_malloc(size_t size)
{
    return hooks.allocate != NULL ? hooks.allocate(hooks.context, size) : malloc(size);
}

void *gr_calloc(size_t count, size_t size)
{
    if (hooks.allocate == NULL) { // the system gives zeroed pages, which are not touched until they are used
        return calloc(count, size);
    }
    if (size != 0 && count > SIZE_MAX / size) {
        return NULL;
    }
    void *memory = hooks.allocate(hooks.context, count * size);
    return memory != NULL ? memset(memory, 0, count * size) : NULL;
}

void *gr_realloc(void *memory, size_t size)
{
    return hooks.reallocate != NULL ? hooks.reallocate(hooks.context, memory, size) : realloc(memory, size);
}

void gr_free(void *memory)
{
    if (hooks.release != NULL) {
        hooks.release(hooks.context, memory);
    } else {
        free(memory);
    }
}

char *gr_strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = gr_malloc(size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

bool gr_hook_log_is_set(void)
{
    return hooks.log != NULL;
}

void gr_hook_log(const GrError *message)
{
    hooks.log(hooks.context, message);
}

void gr_check_failed(const char *expression, const char *file, int line)
{
    if (hooks.assertion != NULL) {
        hooks.assertion(hooks.context, expression, file, line);
        return;
    }
    fprintf(stderr, "%s:%d: '%s' does not hold\n", file, line, expression);
    abort();
}

// ---- processors

enum { MOST_THREADS = 64 };

int gr_processor_count(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 && count < 1024 ? (int)count : 1;
}

typedef struct Share {
    GrShareFn fn;
    void *context;
    int number, count;
} Share;

static void *do_share(void *context)
{
    const Share *share = context;
    share->fn(share->context, share->number, share->count);
    return NULL;
}

void gr_share_out(int threads, GrShareFn fn, void *context)
{
    const int wanted = threads > 0 ? threads : gr_processor_count();
    const int count = wanted < MOST_THREADS ? wanted : MOST_THREADS;
    Share shares[MOST_THREADS];
    pthread_t ids[MOST_THREADS];
    bool started[MOST_THREADS];
    for (int k = 0; k < count; k++) {
        shares[k] = (Share){fn, context, k, count};
        started[k] = k > 0 && pthread_create(&ids[k], NULL, do_share, &shares[k]) == 0;
    }
    for (int k = 0; k < count; k++) {
        if (started[k]) {
            pthread_join(ids[k], NULL);
        } else { // this thread's own part, and those without a thread
            do_share(&shares[k]);
        }
    }
}
