/// The hooks of the library (grouser/hooks.h): the one mutable global, set once before use.
#include "hook_log.h"

#include "alloc.h"
#include "check.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
