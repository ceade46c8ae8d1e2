#include "rover_cache.h"

#include "alloc.h"
#include "buffer.h"
#include "file.h"
#include "messages.h"
#include "rover_copy.h"
#include "rover_yaml.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

/// Campaigns that compare rovers have a few of them; one whose numbers vary is different in every run.
enum { MOST_ROVERS = 16 };

typedef struct Entry {
    char *key; ///< path, overrides and text of the file; NULL: free
    GrRoverDef rover;
    GrErrorLog messages; ///< of reading it, for every scenario
    uint64_t used;
} Entry;

struct GrRoverCache {
    pthread_mutex_t lock;
    uint64_t clock;
    GrDocumentCache *parsed; ///< NULL: none
    Entry entries[MOST_ROVERS];
};

GrRoverCache *gr_rover_cache_create(GrDocumentCache *parsed)
{
    GrRoverCache *cache = gr_calloc(1, sizeof *cache);
    if (cache != NULL && pthread_mutex_init(&cache->lock, NULL) != 0) {
        gr_free(cache);
        return NULL;
    }
    if (cache != NULL) {
        cache->parsed = parsed;
    }
    return cache;
}

static void clear_entry(Entry *entry)
{
    gr_free(entry->key);
    gr_rover_free(&entry->rover);
    *entry = (Entry){0};
}

void gr_rover_cache_free(GrRoverCache *cache)
{
    if (cache != NULL) {
        for (int i = 0; i < MOST_ROVERS; i++) {
            clear_entry(&cache->entries[i]);
        }
        pthread_mutex_destroy(&cache->lock);
        gr_free(cache);
    }
}

/// Everything that a rover depends on. NULL when out of memory.
static char *make_key(const char *path, const char *const *overrides, const char *text)
{
    GrBuffer key = {0};
    gr_buffer_puts(&key, path);
    for (int i = 0; overrides != NULL && overrides[i] != NULL; i++) {
        gr_buffer_printf(&key, "\n%s", overrides[i]);
    }
    gr_buffer_puts(&key, "\n\n");
    gr_buffer_puts(&key, text);
    if (key.failed) {
        gr_buffer_free(&key);
    }
    return key.data;
}

/// Takes a copy of the rover out of the cache; false: it is not there.
static bool take(GrRoverCache *cache, const char *key, GrRoverDef *out, GrErrorLog *log)
{
    bool taken = false;
    pthread_mutex_lock(&cache->lock);
    for (int i = 0; i < MOST_ROVERS && !taken; i++) {
        Entry *entry = &cache->entries[i];
        taken = entry->key != NULL && strcmp(entry->key, key) == 0 && gr_rover_copy(out, &entry->rover);
        if (taken) {
            entry->used = ++cache->clock;
            gr_messages_repeat(&entry->messages, log);
        }
    }
    pthread_mutex_unlock(&cache->lock);
    return taken;
}

/// Puts a copy in the place of the rover used longest ago. Takes the key.
static void put(GrRoverCache *cache, char *key, const GrRoverDef *rover, const GrErrorLog *messages)
{
    GrRoverDef copy;
    if (!gr_rover_copy(&copy, rover)) {
        gr_free(key);
        return;
    }
    pthread_mutex_lock(&cache->lock);
    Entry *oldest = &cache->entries[0];
    for (int i = 1; i < MOST_ROVERS; i++) {
        oldest = cache->entries[i].used < oldest->used ? &cache->entries[i] : oldest;
    }
    clear_entry(oldest);
    *oldest = (Entry){key, copy, *messages, ++cache->clock};
    pthread_mutex_unlock(&cache->lock);
}

/// Whether the text may name other files, which may change while the key stays the same: a URDF, meshes, included
/// files, patterns of LiDARs.
static bool names_files(const char *key)
{
    return strstr(key, "urdf") != NULL || strstr(key, "mesh") != NULL || strstr(key, "include") != NULL ||
           strstr(key, "pattern") != NULL;
}

static GrStatus load_keyed(GrRoverCache *cache, char *key, const char *path, const char *const *overrides,
                           GrRoverDef *out, GrErrorLog *log)
{
    if (take(cache, key, out, log)) {
        gr_free(key);
        return GR_OK;
    }
    GrErrorLog messages = {.quiet = true};
    const GrStatus status = gr_rover_load_parsed(cache->parsed, path, overrides, out, &messages);
    gr_messages_repeat(&messages, log);
    if (status == GR_OK) {
        put(cache, key, out, &messages);
    } else {
        gr_free(key);
    }
    return status;
}

GrStatus gr_rover_load_shared(GrRoverCache *cache, const char *path, const char *const *overrides, GrRoverDef *out,
                              GrErrorLog *log)
{
    char *text = NULL;
    size_t length;
    GrErrorLog quiet = {.quiet = true};
    if (cache == NULL || gr_file_read(path, GR_DOCUMENT_BYTES, &text, &length, &quiet) != GR_OK) {
        return gr_rover_load(path, overrides, out, log);
    }
    char *key = make_key(path, overrides, text);
    gr_free(text);
    if (key == NULL || names_files(key)) {
        gr_free(key);
        return gr_rover_load_parsed(cache->parsed, path, overrides, out, log);
    }
    return load_keyed(cache, key, path, overrides, out, log);
}
