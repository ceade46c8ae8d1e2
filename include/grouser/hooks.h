/// Hooks of the whole library: memory allocator, message callback and assertion handler.
///
/// Set them once, before any other call and before threads start: gr_set_hooks() is not synchronised, and memory must
/// be released by the allocator that it came from. A step seldom allocates (sim.h) and writes no messages, so hooks do
/// not slow it down. Hooks are called on the caller's thread or on a thread of the library (recording, baking of
/// surfaces). They must be thread-safe.
///
/// All memory of Grouser itself comes from the allocator. The libraries that it uses (libfyaml, qhull, GDAL, SUNDIALS)
/// and the C library (open files, threads) use their own.
///
/// Example: count the blocks in use, and print messages as they occur.
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

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Zero-initialise; a NULL hook means the default behaviour.
typedef struct GrHooks {
    /// Same contract as malloc(), realloc() and free(): aligned for every type, NULL when out of memory, `memory` may
    /// be NULL. Set all three or none; NULL (default): those of the C library.
    void *(*allocate)(void *context, size_t size);
    void *(*reallocate)(void *context, void *memory, size_t size);
    void (*release)(void *context, void *memory);
    /// Called for every error, warning and remark as it is added to a GrErrorLog, including those that no longer fit
    /// into the log. It is not called for a NULL log or a `quiet` one. NULL (default): no call.
    void (*log)(void *context, const GrError *message);
    /// Called when a precondition is violated: a programming error in the library or in its caller. If it returns, the
    /// library continues, and behaviour is undefined. NULL (default): prints to stderr and calls abort().
    void (*assertion)(void *context, const char *expression, const char *file, int line);
    void *context; ///< passed to all hooks
    /// Rasters may reach whatever GDAL can: servers (/vsicurl/…, WMS), archives (/vsizip/…), files anywhere, every
    /// format. Default: local files only, whose parts lie in the folder of the file or below.
    bool network;
} GrHooks;

/// Sets all hooks; NULL restores the defaults. Returns GR_ERROR_USAGE and changes nothing if only some of the three
/// allocator functions are set.
GR_API GrStatus gr_set_hooks(const GrHooks *hooks);

/// Allocates with the current allocator, for fields of definitions that the library frees (GrWheelDef::mesh). Returns
/// NULL when out of memory.
GR_API void *gr_malloc(size_t size);
GR_API void gr_free(void *memory);

#ifdef __cplusplus
}
#endif
#endif
