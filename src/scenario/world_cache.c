#include "world_cache.h"

#include "alloc.h"
#include "messages.h"
#include "out_of_memory.h"
#include "rock_table.h"
#include "terrain_view.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_TERRAINS = 4, MOST_ROCK_TABLES = 8 };

/// A terrain that worlds share, and what it was made of.
typedef struct Entry {
    GrTerrainPlan plan;
    struct stat file; ///< of the map
    GrTerrainShare *share;
    GrErrorLog messages; ///< of its making, for every world
    uint64_t used;
} Entry;

struct GrWorldCache {
    pthread_mutex_t lock;
    uint64_t clock;
    Entry *entries[MOST_TERRAINS];        ///< NULL: free
    GrRoverCache *rovers;                 ///< NULL: out of memory
    GrDocumentCache *parsed;              ///< likewise
    GrRockTable *rocks[MOST_ROCK_TABLES]; ///< NULL: free; never replaced, so that worlds may use them without the lock
};

static GrWorldCache *make_cache(void)
{
    GrWorldCache *cache = gr_calloc(1, sizeof *cache);
    if (cache != NULL && pthread_mutex_init(&cache->lock, NULL) != 0) {
        gr_free(cache);
        return NULL;
    }
    if (cache != NULL) {
        cache->parsed = gr_document_cache_create();
        cache->rovers = gr_rover_cache_create(cache->parsed);
    }
    return cache;
}

GrStatus gr_world_cache_create(GrWorldCache **out, GrErrorLog *log)
{
    *out = make_cache();
    return *out != NULL ? GR_OK : gr_out_of_memory(log, NULL);
}

static void free_entry(Entry *entry)
{
    if (entry != NULL) {
        gr_terrain_share_release(entry->share);
        gr_free(entry);
    }
}

void gr_world_cache_free(GrWorldCache *cache)
{
    if (cache != NULL) {
        for (int i = 0; i < MOST_TERRAINS; i++) {
            free_entry(cache->entries[i]);
        }
        for (int i = 0; i < MOST_ROCK_TABLES; i++) {
            gr_free(cache->rocks[i]);
        }
        gr_rover_cache_free(cache->rovers);
        gr_document_cache_free(cache->parsed);
        pthread_mutex_destroy(&cache->lock);
        gr_free(cache);
    }
}

/// Terms that read files are not shared, since the files may have changed, nor are maps in several layers.
static bool can_share(const GrTerrainPlan *plan)
{
    if (plan->layer_count > 0) {
        return false;
    }
    bool all = true;
    for (int i = 0; i < plan->term_count; i++) {
        all = all && strstr(plan->terms[i], "file=") == NULL;
    }
    return all;
}

/// Not a number means "as the file says" in these options, and is equal to itself.
static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_reading(const GrRasterOptions *a, const GrRasterOptions *b)
{
    bool same = a->window.kind == b->window.kind;
    for (int i = 0; i < 4; i++) {
        same = same && same_number(a->window.v[i], b->window.v[i]);
    }
    return same && same_number(a->cell, b->cell) && same_number(a->height_scale, b->height_scale) &&
           same_number(a->height_offset, b->height_offset) && same_number(a->nodata, b->nodata) && a->band == b->band &&
           same_number(a->coarsest, b->coarsest) && a->subtract_radius == b->subtract_radius &&
           a->assume_metre == b->assume_metre && a->layout == b->layout;
}

static bool same_ground(const GrTerrainPlan *a, const GrTerrainPlan *b)
{
    bool same = strcmp(a->file, b->file) == 0 && same_reading(&a->raster, &b->raster) &&
                a->term_count == b->term_count && a->size_x == b->size_x && a->size_y == b->size_y &&
                a->cell == b->cell && a->seed == b->seed && a->interpolation == b->interpolation;
    for (int i = 0; i < a->term_count && same; i++) {
        same = strcmp(a->terms[i], b->terms[i]) == 0;
    }
    return same;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/// Makes an entry; on failure its messages are in `log`.
static GrStatus make_entry(const GrTerrainPlan *plan, const struct stat *file, Entry **out, GrErrorLog *log)
{
    Entry *entry = gr_calloc(1, sizeof *entry);
    if (entry == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrTerrain *base;
    entry->plan = *plan;
    entry->file = *file;
    entry->messages.quiet = true;
    const GrStatus status = gr_plan_make_terrain(plan, &base, &entry->messages);
    if (status != GR_OK) {
        gr_messages_repeat(&entry->messages, log);
        gr_terrain_free(base);
        gr_free(entry);
        return status;
    }
    entry->share = gr_terrain_share_create(base);
    if (entry->share == NULL) {
        gr_free(entry);
        return gr_out_of_memory(log, NULL);
    }
    *out = entry;
    return GR_OK;
}

/// The entry of a plan, made if necessary in place of the one used longest ago.
static GrStatus find_entry(GrWorldCache *cache, const GrTerrainPlan *plan, Entry **out, GrErrorLog *log)
{
    struct stat file = {0};
    if (plan->file[0] != '\0' && stat(plan->file, &file) != 0) {
        file = (struct stat){0}; // making it says what is wrong
    }
    int oldest = 0;
    for (int i = 0; i < MOST_TERRAINS; i++) {
        Entry *entry = cache->entries[i];
        if (entry != NULL && same_ground(&entry->plan, plan) && same_file(&entry->file, &file)) {
            *out = entry;
            return GR_OK;
        }
        const Entry *last = cache->entries[oldest];
        if (last != NULL && (entry == NULL || entry->used < last->used)) {
            oldest = i;
        }
    }
    const GrStatus status = make_entry(plan, &file, out, log);
    if (status == GR_OK) {
        free_entry(cache->entries[oldest]);
        cache->entries[oldest] = *out;
    }
    return status;
}

GrStatus gr_world_cache_terrain(GrWorldCache *cache, const GrTerrainPlan *plan, GrTerrain **out, GrErrorLog *log)
{
    if ((plan->file[0] == '\0' && plan->term_count == 0 && plan->layer_count == 0) || !can_share(plan)) {
        return gr_plan_make_terrain(plan, out, log);
    }
    *out = NULL;
    pthread_mutex_lock(&cache->lock);
    Entry *entry = NULL;
    GrStatus status = find_entry(cache, plan, &entry, log);
    if (status == GR_OK) {
        entry->used = ++cache->clock;
        gr_messages_repeat(&entry->messages, log);
        *out = gr_terrain_borrow(entry->share);
        status = *out != NULL ? GR_OK : gr_out_of_memory(log, NULL);
    }
    pthread_mutex_unlock(&cache->lock);
    return status;
}

/// Makes a table in a free place.
static GrRockTable *make_rocks(GrRockTable **place, const GrRockFieldDef *def)
{
    *place = gr_malloc(sizeof **place);
    if (*place != NULL && gr_rock_table_make(def, *place, NULL) != GR_OK) {
        gr_free(*place);
        *place = NULL;
    }
    return *place;
}

const GrRockTable *gr_world_cache_rocks(GrWorldCache *cache, const GrRockFieldDef *def)
{
    const GrRockTable *found = NULL;
    pthread_mutex_lock(&cache->lock);
    for (int i = 0; i < MOST_ROCK_TABLES && found == NULL; i++) {
        GrRockTable **place = &cache->rocks[i];
        if (*place == NULL) {
            found = make_rocks(place, def);
            break;
        }
        found = gr_rock_table_fits(*place, def) ? *place : NULL;
    }
    pthread_mutex_unlock(&cache->lock);
    return found;
}

GrRoverCache *gr_world_cache_rovers(const GrWorldCache *cache)
{
    return cache != NULL ? cache->rovers : NULL;
}

GrDocumentCache *gr_world_cache_parsed(const GrWorldCache *cache)
{
    return cache != NULL ? cache->parsed : NULL;
}
