/// Part of every fuzz target: counts the library's blocks of memory, and names the leaks that are not ours.
///
/// libfyaml 0.7.12 loses the list of pieces of a scalar that it reads in more than eight pieces, such as a quoted text
/// with many escaped quotes: some hundred bytes, once per such text. The library is built without frame pointers, so
/// only the whole library can be named, and each such leak takes the sanitizer a second. Targets that read YAML
/// therefore run without it (tools/fuzz), and count the blocks of our own code.
#include "leaks.h"

#include "grouser/hooks.h"

#include <stdlib.h>

__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static size_t blocks;

const char *__lsan_default_suppressions(void)
{
    return "leak:libfyaml\n";
}

static void *take(void *context, size_t size)
{
    void *memory = malloc(size);
    *(size_t *)context += memory != NULL;
    return memory;
}

static void *resize(void *context, void *memory, size_t size)
{
    void *resized = realloc(memory, size);
    *(size_t *)context += memory == NULL && resized != NULL;
    return resized;
}

static void give_back(void *context, void *memory)
{
    *(size_t *)context -= memory != NULL;
    free(memory);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    const GrHooks hooks = {.allocate = take, .reallocate = resize, .release = give_back, .context = &blocks};
    gr_set_hooks(&hooks);
    return 0;
}

size_t gr_fuzz_blocks(void)
{
    return blocks;
}
