/// Finds a rover by name or path and reads it as YAML, as URDF, or as URDF with a side file; rovers that many scenarios
/// share are read once.
#include "rover_cache.h"

#include "alloc.h"
#include "buffer.h"
#include "file.h"
#include "find.h"
#include "include.h"
#include "messages.h"
#include "rover_def.h"
#include "rover_parts.h"
#include "rover_urdf.h"
#include "rover_yaml.h"
#include "urdf_xml.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/// In any case: CAD programs write .URDF.
static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcasecmp(text + length - tail, end) == 0;
}

static GrStatus load_urdf(const char *path, GrDocument *side, GrRoverDef *out, GrErrorLog *log)
{
    char *text;
    size_t length;
    GrStatus status = gr_file_read(path, GR_URDF_BYTES, &text, &length, log);
    if (status != GR_OK) {
        return status;
    }
    status = gr_rover_parse_urdf(text, length, path, side, out, log);
    gr_free(text);
    return status;
}

/// A YAML file that was parsed: a rover, or the side file of the URDF that it names. Frees the document.
static GrStatus read_yaml(GrDocument *document, const char *path, const char *const *overrides, GrRoverDef *out,
                          GrErrorLog *log)
{
    GrStatus status;
    gr_document_include(document, GR_INCLUDE_ROVER, NULL);
    gr_document_prepare(document, overrides);
    GrNode *urdf = gr_node_find(document->root, "urdf");
    char name[GR_NOTE_SIZE], urdf_path[GR_FILE_PATH_SIZE];
    if (urdf == NULL) {
        status = gr_rover_read_yaml(document, out);
    } else if (!gr_node_text(urdf, name, sizeof name)) {
        status = document->status;
    } else if (ends_with(name, ".xacro")) {
        status =
            gr_node_error(urdf, GR_ERROR_UNSUPPORTED,
                          "xacro files must be expanded first: xacro %.200s > rover.urdf, then urdf: rover.urdf", name);
    } else if (!gr_file_beside(path, name, urdf_path)) {
        status = gr_node_error(urdf, GR_ERROR_FILE, "the path is too long");
    } else {
        status = load_urdf(urdf_path, document, out, log);
    }
    gr_document_free(document);
    return status;
}

static GrStatus load_yaml(GrDocumentCache *parsed, const char *path, const char *const *overrides, GrRoverDef *out,
                          GrErrorLog *log)
{
    GrDocument *document;
    const GrStatus status = gr_document_load_shared(parsed, path, &document, log);
    return status == GR_OK ? read_yaml(document, path, overrides, out, log) : status;
}

GrStatus gr_rover_parse(const char *path, const char *text, size_t size, GrRoverDef *out, GrErrorLog *log)
{
    GrDocument *document;
    *out = gr_default_rover_def();
    const GrStatus status = gr_document_parse(text, size, path, &document, log);
    return status == GR_OK ? read_yaml(document, path, NULL, out, log) : status;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/// A side file that was found by its name must not belong to another URDF.
static void check_owner(const GrDocument *side, const char *path)
{
    const GrNode *urdf = gr_node_find(side->root, "urdf");
    if (urdf != NULL && urdf->kind == GR_NODE_SCALAR && strcmp(base_name(urdf->text), base_name(path)) != 0) {
        gr_node_error(urdf, GR_ERROR_NAME, "this side file belongs to '%.100s', not to '%.100s' beside it", urdf->text,
                      base_name(path));
    }
}

/// The side file of "x.urdf" is "x.grouser.yaml"; without one, overrides apply to an empty one.
static GrStatus load_bare_urdf(const char *path, const char *const *overrides, GrRoverDef *out, GrErrorLog *log)
{
    static const char empty[] = "{}";
    char side_path[GR_FILE_PATH_SIZE];
    struct stat info;
    GrDocument *side;
    const int stem = (int)(strlen(path) - (ends_with(path, ".urdf") ? strlen(".urdf") : 0));
    const int length = snprintf(side_path, sizeof side_path, "%.*s.grouser.yaml", stem, path);
    GrStatus status = length < (int)sizeof side_path && stat(side_path, &info) == 0
                          ? gr_document_load(side_path, &side, log)
                          : gr_document_parse(empty, sizeof empty - 1, path, &side, log);
    if (status != GR_OK) {
        return status;
    }
    gr_document_prepare(side, overrides);
    check_owner(side, path);
    status = load_urdf(path, side, out, log);
    gr_document_free(side);
    return status;
}

GrStatus gr_rover_load(const char *name_or_path, const char *const *overrides, GrRoverDef *out, GrErrorLog *log)
{
    return gr_rover_load_parsed(NULL, name_or_path, overrides, out, log);
}

GrStatus gr_rover_load_parsed(GrDocumentCache *parsed, const char *name_or_path, const char *const *overrides,
                              GrRoverDef *out, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    *out = gr_default_rover_def();
    const GrStatus found = gr_find_file("rovers", "rover", name_or_path, path, log);
    if (found != GR_OK) {
        return found;
    }
    if (ends_with(path, ".xacro")) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.file = path},
                            "xacro files must be expanded first: xacro %.150s > rover.urdf", path);
    }
    if (ends_with(path, ".urdf") || ends_with(path, ".xml")) {
        return load_bare_urdf(path, overrides, out, log);
    }
    if (ends_with(path, ".yaml") || ends_with(path, ".yml")) {
        return load_yaml(parsed, path, overrides, out, log);
    }
    return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.file = path},
                        "the ending is not known; allowed: .yaml, .yml, .urdf, .xml");
}

// ---- rovers in common

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
