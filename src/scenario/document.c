/// Reads files into trees of nodes; trees that many documents have in common are copied from a cache.
#include "document.h"

#include "alloc.h"
#include "document_cache.h"
#include "file.h"
#include "out_of_memory.h"
#include "yaml.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

void gr_document_free(GrDocument *document)
{
    if (document != NULL) {
        gr_arena_free(&document->arena);
        gr_free(document);
    }
}

// ---- trees in common

/// A scenario, its soils and the files that they include are a few; what comes after these is parsed every time.
enum { MOST_TEXTS = 32 };

typedef struct Entry {
    char *text; ///< the key; file names are not part of it, since only messages of the parser depend on them
    size_t length;
    GrDocument *document; ///< owner of the tree, which never changes
} Entry;

struct GrDocumentCache {
    pthread_mutex_t lock; ///< of `count` and of the entries from there on; those before are read without it
    int count;
    Entry entries[MOST_TEXTS];
};

GrDocumentCache *gr_document_cache_create(void)
{
    GrDocumentCache *cache = gr_calloc(1, sizeof *cache);
    if (cache != NULL && pthread_mutex_init(&cache->lock, NULL) != 0) {
        gr_free(cache);
        cache = NULL;
    }
    return cache;
}

static void clear_entry(Entry *entry)
{
    gr_free(entry->text);
    gr_document_free(entry->document);
    *entry = (Entry){0};
}

void gr_document_cache_free(GrDocumentCache *cache)
{
    if (cache != NULL) {
        for (int i = 0; i < cache->count; i++) {
            clear_entry(&cache->entries[i]);
        }
        pthread_mutex_destroy(&cache->lock);
        gr_free(cache);
    }
}

/// Copies a text into the arena of a document; NULL stays NULL. False when out of memory.
static bool copy_text(GrDocument *to, const char **text)
{
    if (*text != NULL) {
        *text = gr_arena_strndup(&to->arena, *text, strlen(*text));
        return *text != NULL;
    }
    return true;
}

/// Deep copy of a tree that no reader has touched into another document. NULL: out of memory, or too many nodes.
static GrNode *copy_tree(const GrNode *from, GrDocument *to, const char *file)
{
    GrNode *copy = gr_node_create(to, from->kind);
    if (copy == NULL) {
        return NULL;
    }
    *copy = *from;
    copy->document = to;
    copy->file = file;
    copy->parent = copy->next = copy->first = copy->last = NULL;
    if (!copy_text(to, &copy->key) || !copy_text(to, &copy->text)) {
        gr_node_out_of_memory(copy);
        return NULL;
    }
    for (const GrNode *child = from->first; child != NULL; child = child->next) {
        GrNode *made = copy_tree(child, to, file);
        if (made == NULL) {
            return NULL;
        }
        made->parent = copy; // keys of a tree differ already: no need to look for twins, as gr_node_append() does
        *(copy->last != NULL ? &copy->last->next : &copy->first) = made;
        copy->last = made;
    }
    return copy;
}

/// The tree of a text; NULL: it is not there.
static const GrNode *find(GrDocumentCache *cache, const char *text, size_t length)
{
    pthread_mutex_lock(&cache->lock);
    const int count = cache->count;
    pthread_mutex_unlock(&cache->lock);
    for (int i = 0; i < count; i++) {
        const Entry *entry = &cache->entries[i];
        if (entry->length == length && memcmp(entry->text, text, length) == 0) {
            return entry->document->root;
        }
    }
    return NULL;
}

/// Keeps a copy of a tree. Without memory for it, the text is merely parsed again.
static void put(GrDocumentCache *cache, const char *text, size_t length, const GrNode *root)
{
    Entry entry = {.text = gr_malloc(length + 1), .length = length, .document = gr_calloc(1, sizeof *entry.document)};
    if (entry.text != NULL && entry.document != NULL) {
        memcpy(entry.text, text, length);
        entry.document->root = copy_tree(root, entry.document, "");
    }
    const bool made = entry.document != NULL && entry.document->root != NULL;
    pthread_mutex_lock(&cache->lock);
    if (made && cache->count < MOST_TEXTS) {
        cache->entries[cache->count++] = entry; // twice if two threads parsed it at once: the first is found
        entry = (Entry){0};
    }
    pthread_mutex_unlock(&cache->lock);
    clear_entry(&entry);
}

/// Whether there is room for another text.
static bool has_room(GrDocumentCache *cache)
{
    pthread_mutex_lock(&cache->lock);
    const bool room = cache->count < MOST_TEXTS;
    pthread_mutex_unlock(&cache->lock);
    return room;
}

GrNode *gr_document_cache_parse(GrDocumentCache *cache, GrDocument *document, const char *text, size_t length,
                                const char *file)
{
    const GrNode *known = cache != NULL ? find(cache, text, length) : NULL;
    if (known != NULL) {
        return copy_tree(known, document, file);
    }
    const GrStatus before = document->status;
    GrNode *root = gr_yaml_parse(document, text, length, file);
    // A text with problems has messages, so that it must be parsed every time.
    if (cache != NULL && root != NULL && before == GR_OK && document->status == GR_OK && has_room(cache)) {
        put(cache, text, length, root);
    }
    return root;
}

// ---- documents

GrStatus gr_document_parse(const char *text, size_t length, const char *file, GrDocument **out, GrErrorLog *log)
{
    return gr_document_parse_shared(NULL, text, length, file, out, log);
}

GrStatus gr_document_parse_shared(GrDocumentCache *cache, const char *text, size_t length, const char *file,
                                  GrDocument **out, GrErrorLog *log)
{
    *out = NULL;
    GrDocument *document = gr_calloc(1, sizeof *document);
    if (document == NULL) {
        return gr_out_of_memory(log, file);
    }
    document->log = log;
    document->parsed = cache;
    document->file = gr_arena_strndup(&document->arena, file, strlen(file));
    if (document->file == NULL) {
        gr_document_note(document, gr_out_of_memory(log, file));
    } else {
        document->root = gr_document_cache_parse(cache, document, text, length, document->file);
    }
    if (document->root != NULL && document->root->kind != GR_NODE_MAPPING) {
        gr_node_error(document->root, GR_ERROR_VALUE, "the file must be a mapping of keys to values");
        document->root = NULL;
    }
    if (document->root == NULL) {
        const GrStatus status = document->status != GR_OK ? document->status : GR_ERROR_MEMORY;
        gr_document_free(document);
        return status;
    }
    *out = document;
    return GR_OK;
}

GrStatus gr_document_load(const char *path, GrDocument **out, GrErrorLog *log)
{
    return gr_document_load_shared(NULL, path, out, log);
}

GrStatus gr_document_load_shared(GrDocumentCache *cache, const char *path, GrDocument **out, GrErrorLog *log)
{
    char *text;
    size_t length;
    *out = NULL;
    GrStatus status = gr_file_read(path, GR_DOCUMENT_BYTES, &text, &length, log);
    if (status == GR_OK) {
        status = gr_document_parse_shared(cache, text, length, path, out, log);
        gr_free(text);
    }
    return status;
}

void gr_document_prepare(GrDocument *document, const char *const *overrides)
{
    // An override of a path with ${name}, or of the repeat itself, must be applied before the copies are made, any
    // other afterwards.
    document->overridden = overrides != NULL && overrides[0] != NULL;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; overrides != NULL && overrides[i] != NULL; i++) {
            const char *equals = strchr(overrides[i], '=');
            const char *mark = strstr(overrides[i], "${");
            const bool early = strncmp(overrides[i], "repeat.", 7) == 0 || strncmp(overrides[i], "params.", 7) == 0 ||
                               (mark != NULL && equals != NULL && mark < equals);
            if (early == (pass == 0)) {
                gr_document_override(document, overrides[i]);
            }
        }
        if (pass == 0) {
            gr_document_read_params(document);
            gr_document_repeat(document);
        }
    }
}
