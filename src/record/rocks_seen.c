#include "rocks_seen.h"

#include "alloc.h"
#include "model_data.h"
#include "stones.h"
#include "terrain_view.h"
#include "world.h"

#include <math.h>

/// A rock is in view at this many diameters, and where the rover may come before the next look [m].
static const double VIEW_DIAMETERS = 100, LOOK_EVERY = 5;
/// Fields up to this many rocks are in view as a whole.
enum { SMALL_FIELD = 1000 };

struct GrRocksSeen {
    const GrModel *model;
    GrTerrainView *view; ///< NULL: a plane
    unsigned char *seen; ///< a bit for each rock
    GrVec3 at;           ///< of the last look
    bool looked;
};

static const GrLateStones *late_of(const GrModel *model)
{
    return &model->rigid.late;
}

int gr_rocks_seen_total(const GrModel *model)
{
    return model->rigid.world != NULL ? gr_rigid_late_count(model->rigid.world) : 0;
}

int gr_rocks_seen_field(const GrModel *model)
{
    return late_of(model)->field != NULL ? gr_rocks_seen_total(model) : 0;
}

GrRocksSeen *gr_rocks_seen_create(const GrModel *model, const GrTerrain *terrain)
{
    GrRocksSeen *seen = gr_calloc(1, sizeof *seen);
    if (seen != NULL) {
        seen->model = model;
        seen->seen = gr_calloc((size_t)gr_rocks_seen_total(model) / 8 + 1, 1);
        seen->view = terrain != NULL ? gr_terrain_view_open(terrain, 0) : NULL;
    }
    if (seen != NULL && (seen->seen == NULL || (seen->view == NULL && terrain != NULL))) {
        gr_rocks_seen_free(seen);
        seen = NULL;
    }
    return seen;
}

void gr_rocks_seen_free(GrRocksSeen *seen)
{
    if (seen != NULL) {
        gr_terrain_view_close(seen->view);
        gr_free(seen->seen);
        gr_free(seen);
    }
}

bool gr_rocks_seen_due(const GrRocksSeen *seen, GrVec3 at)
{
    const bool small = gr_rocks_seen_total(seen->model) <= SMALL_FIELD;
    return isfinite(at.x) && isfinite(at.y) &&
           (!seen->looked || (!small && fmax(fabs(at.x - seen->at.x), fabs(at.y - seen->at.y)) >= LOOK_EVERY));
}

/// Puts a rock on the ground; false: there is none.
static bool drop(const GrRocksSeen *seen, GrVec3 *place)
{
    if (seen->view == NULL || late_of(seen->model)->field == NULL) {
        return true;
    }
    GrTerrain *terrain = gr_terrain_view_terrain(seen->view);
    GrErrorLog quiet = {.quiet = true};
    GrGround found = gr_terrain_height(terrain, place->x, place->y, &place->z);
    if (found == GR_GROUND_NOT_LOADED) {
        gr_terrain_prefetch(terrain, (GrBox2){place->x, place->y, place->x, place->y}, &quiet);
        found = gr_terrain_height(terrain, place->x, place->y, &place->z);
    }
    return found == GR_GROUND_OK;
}

static bool look_at(GrRocksSeen *seen, int rock, GrRockFn fn, void *context)
{
    GrStoneDef stone = gr_late_stone(late_of(seen->model), rock);
    if (!drop(seen, &stone.place)) {
        return true;
    }
    unsigned char *bits = &seen->seen[rock / 8];
    const unsigned bit = 1u << (rock % 8);
    const bool fresh = (*bits & bit) == 0;
    *bits = (unsigned char)(*bits | bit);
    return fn(context, rock, &stone, fresh);
}

static bool is_in_view(const GrRocksSeen *seen, const GrRoom *room)
{
    const double far = VIEW_DIAMETERS * gr_late_stone(late_of(seen->model), room->item).diameter + LOOK_EVERY;
    const double dx = room->x - seen->at.x, dy = room->y - seen->at.y;
    return dx * dx + dy * dy <= far * far;
}

bool gr_rocks_seen_look(GrRocksSeen *seen, GrVec3 at, GrRockFn rock, void *context)
{
    const int total = gr_rocks_seen_total(seen->model);
    seen->at = at;
    seen->looked = true;
    for (int i = 0; i < total && total <= SMALL_FIELD; i++) {
        if (!look_at(seen, i, rock, context)) {
            return false;
        }
    }
    const GrRoomGrid *grid = &seen->model->rigid.world->late->grid;
    for (int k = 0; k < grid->level_count && total > SMALL_FIELD; k++) { // small rocks are looked for near only
        const GrRoomGrid one = {.levels = {grid->levels[k]}, .level_count = 1};
        const double far = VIEW_DIAMETERS * grid->levels[k].reach + LOOK_EVERY;
        const GrBounds box = {{at.x - far, at.y - far, 0}, {at.x + far, at.y + far, 0}};
        GrRoomWalk walk = gr_room_walk(&one, &box);
        for (const GrRoom *room; (room = gr_room_next(&walk)) != NULL;) {
            if (is_in_view(seen, room) && !look_at(seen, room->item, rock, context)) {
                return false;
            }
        }
    }
    return true;
}
