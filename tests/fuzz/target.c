/// Part of every fuzz target: runs one input, and counts the library's blocks of memory.
///
/// The count is exact and costs nothing, where the leak sanitizer takes a second each time that it looks for a cause.
/// And libfyaml 0.7.12 loses the list of pieces of a scalar that it reads in more than eight pieces, such as a quoted
/// text with many escaped quotes. The sanitizer of leaks therefore stays off (tools/fuzz) but where libxml2 allocates.
#include "target.h"

#include "grouser/hooks.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static size_t blocks;

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool started; // the first input may make what all of them use
    const size_t before = blocks;
    gr_fuzz_input(data, size);
    if (started && blocks != before) {
        fprintf(stderr, "%zu blocks of memory before the input, %zu after it\n", before, blocks);
        abort();
    }
    started = true;
    return 0;
}
