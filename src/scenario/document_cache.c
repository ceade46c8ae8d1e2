#include "document_cache.h"

#include "alloc.h"
#include "yaml.h"

#include <pthread.h>
#include <string.h>

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
