/// Hooks of the whole library: where its memory comes from, who reads its messages as they appear, and what happens at
/// a programmer's error.
///
/// Set them once, before the first other call and before threads start: gr_set_hooks() is not synchronised, and memory
/// must be released by the allocator that it came from. A step neither allocates nor writes messages, so hooks do not
/// cost it anything. Hooks are called on the thread that made the call, or on a thread of the library (recording,
/// baking of surfaces): they must be safe to call from several threads at once.
///
/// All memory of Grouser itself comes from the allocator. Libraries that it is built on (libfyaml, qhull, GDAL,
/// SUNDIALS) and the C library (open files, threads) have allocators of their own.
///
/// Example: count the blocks that are in use, and print warnings at once.
///
///     #include <grouser/hooks.h>
///     #include <grouser/rover.h>
///
///     static int blocks; // one thread; several need an atomic
///
///     static void *take(void *context, size_t size)
///     {
///         void *memory = malloc(size);
///         *(int *)context += memory != NULL;
///         return memory;
///     }
///
///     static void *resize(void *context, void *memory, size_t size)
///     {
///         void *resized = realloc(memory, size);
///         *(int *)context += memory == NULL && resized != NULL;
///         return resized;
///     }
///
///     static void give_back(void *context, void *memory)
///     {
///         *(int *)context -= memory != NULL;
///         free(memory);
///     }
///
///     static void say(void *context, const GrError *message)
///     {
///         (void)context;
///         printf("%s: %s\n", gr_severity_name(message->severity), message->text);
///     }
///
///     int main(void)
///     {
///         const GrHooks hooks = {
///             .allocate = take, .reallocate = resize, .release = give_back, .log = say, .context = &blocks};
///         gr_set_hooks(&hooks);
///         GrErrorLog log = {0};
///         GrRoverDef rover;
///         if (gr_rover_load("curiosity_like", NULL, &rover, &log) == GR_OK) {
///             printf("in use: %s\n", blocks > 0 ? "some" : "none"); // prints: in use: some
///             gr_rover_free(&rover);
///         }
///         printf("left: %d\n", blocks); // prints: left: 0
///         return 0;
///     }
#ifndef GROUSER_HOOKS_H
#define GROUSER_HOOKS_H

#include "grouser/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Zero-initialise; what stays NULL is as without hooks.
typedef struct GrHooks {
    /// As malloc(), realloc() and free(): aligned for every type, NULL when there is no memory, `memory` may be NULL.
    /// All three or none; NULL (default): those of the C library.
    void *(*allocate)(void *context, size_t size);
    void *(*reallocate)(void *context, void *memory, size_t size);
    void (*release)(void *context, void *memory);
    /// Every error, warning and remark at the moment it is added to a GrErrorLog, also those for which the log has no
    /// room. A NULL log, or one that is `quiet`, drops them here as well. NULL (default): nothing.
    void (*log)(void *context, const GrError *message);
    /// A broken precondition: a programmer's error, in the library or in a call of it. Where it returns, the library
    /// continues with whatever the call leads to. NULL (default): prints to stderr and calls abort().
    void (*assertion)(void *context, const char *expression, const char *file, int line);
    void *context; ///< given to all of them
} GrHooks;

/// Sets all hooks; NULL: none, as at the start. GR_ERROR_USAGE, and no change, where only some of the three functions
/// of the allocator are given.
GR_API GrStatus gr_set_hooks(const GrHooks *hooks);

/// Memory by the allocator in use, for fields of definitions that the library frees (GrWheelDef::mesh); NULL when there
/// is none.
GR_API void *gr_malloc(size_t size);
GR_API void gr_free(void *memory);

#ifdef __cplusplus
}
#endif
#endif
