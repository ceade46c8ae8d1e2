#include "lane_pool.h"

#include "alloc.h"
#include "batch_device.h"
#include "cuda.h"
#include "messages.h"
#include "out_of_memory.h"

#include <pthread.h>

typedef enum LaneState {
    LANE_FREE,
    LANE_BUSY,    ///< its thread does something else: the others wait for it
    LANE_WAITING, ///< for the next advance
    LANE_DRIVEN,  ///< by the present one
    LANE_STATES,
} LaneState;

typedef struct Lane {
    LaneState state;
    GrMission *mission;
    bool is_new; ///< the GPU has another mission there
    double until;
} Lane;

struct GrLanePool {
    GrLanes *lanes;
    int count;
    GrMission **missions;  ///< [count] of the present advance
    double *until;         ///< [count] likewise
    pthread_mutex_t mutex; ///< protects what follows
    pthread_cond_t changed;
    Lane *lane;                ///< [count]
    int in_state[LANE_STATES]; ///< number of lanes
    GrStatus status;
    GrErrorLog log; ///< of the error
};

GrStatus gr_lane_pool_open(const char *device, int lanes, GrLanePool **out, GrErrorLog *log)
{
    int gpu;
    *out = NULL;
    if (gr_device_parse(device, &gpu, log) != GR_OK) {
        return GR_ERROR_USAGE;
    }
    if (gpu == 0) {
        return GR_OK;
    }
    GrLanePool *pool = gr_calloc(1, sizeof *pool);
    if (pool == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->changed, NULL);
    pool->count = pool->in_state[LANE_FREE] = lanes;
    pool->log.quiet = true;
    pool->missions = gr_calloc((size_t)lanes, sizeof(GrMission *));
    pool->until = gr_calloc((size_t)lanes, sizeof *pool->until);
    pool->lane = gr_calloc((size_t)lanes, sizeof *pool->lane);
    GrStatus status = pool->missions != NULL && pool->until != NULL && pool->lane != NULL ? GR_OK : GR_ERROR_MEMORY;
    status =
        status == GR_OK ? gr_lanes_open(gpu, pool->missions, lanes, &pool->lanes, log) : gr_out_of_memory(log, NULL);
    if (status != GR_OK) {
        gr_lane_pool_close(pool);
        return status;
    }
    *out = pool;
    return GR_OK;
}

void gr_lane_pool_close(GrLanePool *pool)
{
    if (pool != NULL) {
        gr_lanes_close(pool->lanes);
        pthread_cond_destroy(&pool->changed);
        pthread_mutex_destroy(&pool->mutex);
        gr_free(pool->missions);
        gr_free(pool->until);
        gr_free(pool->lane);
        gr_free(pool);
    }
}

static void set_state(GrLanePool *pool, int lane, LaneState state)
{
    pool->in_state[pool->lane[lane].state]--;
    pool->in_state[state]++;
    pool->lane[lane].state = state;
}

/// Takes a lane for a mission.
static GrStatus enter(GrLanePool *pool, GrMission *mission, int *out, GrErrorLog *log)
{
    const char *refused = gr_lanes_refusal(mission);
    if (refused != NULL) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "--device"},
                            "a GPU does not offer %s; '--device cpu' does", refused);
    }
    pthread_mutex_lock(&pool->mutex);
    while (pool->in_state[LANE_FREE] == 0) {
        pthread_cond_wait(&pool->changed, &pool->mutex);
    }
    int lane = 0;
    while (pool->lane[lane].state != LANE_FREE) {
        lane++;
    }
    pool->lane[lane].mission = mission;
    pool->lane[lane].is_new = true;
    set_state(pool, lane, LANE_BUSY);
    pthread_mutex_unlock(&pool->mutex);
    *out = lane;
    return GR_OK;
}

static void leave(GrLanePool *pool, int lane)
{
    pthread_mutex_lock(&pool->mutex);
    pool->lane[lane].mission = NULL;
    pool->lane[lane].is_new = true;
    set_state(pool, lane, LANE_FREE);
    pthread_cond_broadcast(&pool->changed); // the others may have waited for this one alone
    pthread_mutex_unlock(&pool->mutex);
}

/// Whether all that are inside wait.
static bool is_due(const GrLanePool *pool)
{
    return pool->in_state[LANE_WAITING] > 0 && pool->in_state[LANE_BUSY] == 0 && pool->in_state[LANE_DRIVEN] == 0;
}

/// Advances all that wait. Others may enter meanwhile.
static void drive(GrLanePool *pool)
{
    GrErrorLog log = {.quiet = true};
    for (int i = 0; i < pool->count; i++) {
        Lane *lane = &pool->lane[i];
        pool->missions[i] = lane->mission;
        pool->until[i] = lane->until;
        if (lane->is_new) {
            gr_lanes_renew(pool->lanes, i);
            lane->is_new = false;
        }
        if (lane->state == LANE_WAITING) {
            set_state(pool, i, LANE_DRIVEN);
        }
    }
    pthread_mutex_unlock(&pool->mutex);
    const GrStatus status = gr_lanes_advance(pool->lanes, pool->until, &log);
    pthread_mutex_lock(&pool->mutex);
    for (int i = 0; i < pool->count; i++) {
        if (pool->lane[i].state == LANE_DRIVEN) {
            set_state(pool, i, LANE_BUSY);
        }
    }
    if (status != GR_OK) {
        pool->status = status;
        gr_messages_repeat(&log, &pool->log);
    }
    pthread_cond_broadcast(&pool->changed);
}

static GrStatus advance_lane(GrLanePool *pool, int lane, double until, GrErrorLog *log)
{
    pthread_mutex_lock(&pool->mutex);
    if (pool->status == GR_OK) {
        pool->lane[lane].until = until;
        set_state(pool, lane, LANE_WAITING);
    }
    while (pool->lane[lane].state != LANE_BUSY) {
        if (pool->status != GR_OK && pool->lane[lane].state == LANE_WAITING) {
            set_state(pool, lane, LANE_BUSY);
        } else if (is_due(pool)) {
            drive(pool);
        } else {
            pthread_cond_wait(&pool->changed, &pool->mutex);
        }
    }
    const GrStatus status = pool->status;
    if (status != GR_OK) {
        gr_messages_repeat(&pool->log, log);
    }
    pthread_mutex_unlock(&pool->mutex);
    return status;
}

GrStatus gr_lane_pool_try(GrLanePool *pool, GrMission *mission, GrErrorLog *log)
{
    int lane;
    GrStatus status = pool != NULL ? enter(pool, mission, &lane, log) : GR_OK;
    if (pool != NULL && status == GR_OK) {
        status = advance_lane(pool, lane, 0, log);
        leave(pool, lane);
    }
    return status;
}

/// Context of the hook.
typedef struct Driver {
    GrLanePool *pool;
    int lane;
} Driver;

static GrStatus advance(void *context, GrMission *mission, double until, GrErrorLog *log)
{
    (void)mission;
    const Driver *driver = context;
    return advance_lane(driver->pool, driver->lane, until, log);
}

GrStatus gr_lane_pool_run(GrLanePool *pool, GrWorld *world, const GrRunHooks *hooks, GrRunSummary *out, GrErrorLog *log)
{
    if (pool == NULL) {
        return gr_run(world, hooks, out, log);
    }
    Driver driver = {.pool = pool};
    GrRunHooks own = hooks != NULL ? *hooks : (GrRunHooks){0};
    own.driver = &driver;
    own.advance = advance;
    GrStatus status = enter(pool, gr_world_mission(world), &driver.lane, log);
    if (status == GR_OK) {
        status = gr_run(world, &own, out, log);
        leave(pool, driver.lane);
    }
    return status;
}
