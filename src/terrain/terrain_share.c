#include "terrain_share.h"

#include "alloc.h"
#include "terrain_data.h"

#include <pthread.h>

struct GrLentLayer {
    GrTerrainShare *share;
    int layer;
};

struct GrTerrainShare {
    GrTerrain *base;
    pthread_mutex_t lock; ///< of all below, and of the base
    int users;            ///< borrowed terrains, and the owner
    GrLentLayer lent[GR_MAX_LAYERS];
};

GrTerrainShare *gr_terrain_share_create(GrTerrain *base)
{
    GrTerrainShare *share = gr_calloc(1, sizeof *share);
    if (share == NULL || pthread_mutex_init(&share->lock, NULL) != 0) {
        gr_free(share);
        gr_terrain_free(base);
        return NULL;
    }
    share->base = base;
    share->users = 1;
    for (int k = 0; k < GR_MAX_LAYERS; k++) {
        share->lent[k] = (GrLentLayer){share, k};
    }
    return share;
}

void gr_terrain_share_release(GrTerrainShare *share)
{
    if (share == NULL) {
        return;
    }
    pthread_mutex_lock(&share->lock);
    const bool last = --share->users == 0;
    pthread_mutex_unlock(&share->lock);
    if (last) {
        pthread_mutex_destroy(&share->lock);
        gr_terrain_free(share->base);
        gr_free(share);
    }
}

void gr_lent_layer_return(const GrLentLayer *lent)
{
    gr_terrain_share_release(lent->share);
}

/// Sources may read files and are for one thread at a time.
static GrStatus read_base(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    const GrLentLayer *lent = context;
    GrTerrainShare *share = lent->share;
    const GrSource source = share->base->layers[lent->layer].source;
    pthread_mutex_lock(&share->lock);
    const GrStatus status = source.read(source.context, window, out, log);
    pthread_mutex_unlock(&share->lock);
    return status;
}

GrStatus gr_lent_tile(const GrLentLayer *lent, int64_t tx, int64_t ty, const double **nodes, GrErrorLog *log)
{
    GrTerrainShare *share = lent->share;
    GrLayer *layer = &share->base->layers[lent->layer];
    GrStatus status = GR_OK;
    pthread_mutex_lock(&share->lock);
    *nodes = gr_tiles_find(&layer->tiles, gr_tile_key(tx, ty));
    if (*nodes == NULL && layer->tiles.count < layer->tiles.limit) {
        status = gr_layer_load_tile(layer, layer->source, tx, ty, log);
        *nodes = gr_tiles_find(&layer->tiles, gr_tile_key(tx, ty));
    }
    pthread_mutex_unlock(&share->lock);
    return status;
}

GrTerrain *gr_terrain_borrow(GrTerrainShare *share)
{
    GrTerrain *terrain = gr_terrain_create();
    bool made = terrain != NULL;
    pthread_mutex_lock(&share->lock);
    const GrTerrain *base = share->base;
    made = made && gr_terrain_set_georeference(terrain, &base->georeference) == GR_OK;
    for (int k = 0; made && k < base->layer_count; k++) {
        GrLayer *layer = &terrain->layers[k];
        *layer = base->layers[k];
        layer->lent = &share->lent[k];
        if (layer->source.read != NULL) {
            layer->source = (GrSource){.read = read_base, .context = &share->lent[k]};
            made = gr_tiles_init(&layer->tiles, base->layers[k].tiles.limit);
        }
        terrain->layer_count += made;
        share->users += made;
    }
    pthread_mutex_unlock(&share->lock);
    if (!made) {
        gr_terrain_free(terrain);
        return NULL;
    }
    return terrain;
}

size_t gr_terrain_share_memory(GrTerrainShare *share)
{
    pthread_mutex_lock(&share->lock);
    const size_t memory = gr_terrain_memory(share->base);
    pthread_mutex_unlock(&share->lock);
    return memory;
}
