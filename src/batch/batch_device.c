#include "batch_device.h"

#include "alloc.h"
#include "checksum.h"
#include "contact_law.h"
#include "cuda.h"
#include "device_call.h"
#include "lane.h"
#include "out_of_memory.h"
#include "pack.h"
#include "parts.h"
#include "rft_surface.h"
#include "terrain_data.h"
#include "wheel_ground.h"
#include "world.h"

#include <stdio.h>
#include <string.h>

/// Contacts between rigid shapes and ground that a run on a GPU has room for; a step with more is the processor's.
enum { RIGID_CONTACTS = 12, RIGID_PAIRS = 4 };

/// Steps of a launch: so many that what it costs to begin one is small, so few that runs that are done soon make room.
enum { LAUNCH_STEPS = 200 };

/// Threads of a block: few, so that runs spread over all processors of the device.
enum { BLOCK = 32 };

/// Part of the device's free memory that rows take; the rest is for threads.
static const double ROWS_SHARE = 0.5;

/// Images at a time: runs come and go, and an image stays as long as one of its runs. With more, all are packed anew.
enum { MOST_IMAGES = 4 };

/// Constant parts of runs that were packed together.
typedef struct Image {
    GrCudaPlace place; ///< 0: none
    int runs;          ///< of the present ones
} Image;

/// Where a mission is on the device.
typedef struct Slot {
    uint64_t packed; ///< 0: nowhere yet
    int image;
} Slot;

struct GrLanes {
    GrCuda *cuda;
    int gpu;
    GrMission *const *missions;
    int count;
    GrCudaKernel drive;
    Slot *slots; ///< [count]
    Image images[MOST_IMAGES];
    bool checked;    ///< the bits of a run were
    size_t row_size; ///< of the longest row
    int portion;     ///< runs that the device holds at a time
    GrCudaPlace rows, order, states;
    unsigned char *host_rows; ///< [portion][row_size]
    int32_t *host_order, *host_states, *runs;
};

#ifdef GR_PORTABLE_BITS
static const char BITS_HINT[] = "";
#else
static const char BITS_HINT[] = ": this build is for one processor (-DGROUSER_BITS=portable makes one for all)";
#endif

#ifdef GR_LANE_KERNELS
// The assembler puts clang's output into the program.
__asm__(".section .rodata\n"
        "gr_lane_kernels:\n"
        ".incbin \"" GR_LANE_KERNELS "\"\n"
        ".byte 0\n"
        ".previous\n");

extern const char gr_lane_kernels[];
#else
static const char gr_lane_kernels[] = "";
#endif

// ---- what is refused

static const char *refuse_model(const GrModel *m)
{
    for (int i = 0; m->soil_wheels != NULL && i < m->soil_count * m->wheel_count; i++) {
        if (m->soil_wheels[i].law == GR_SOIL_USER) {
            return "a soil law of the caller";
        }
    }
    for (int i = 0; i < m->wheel_count; i++) {
        if (m->wheels[i].side != NULL) {
            return "side walls from a mesh";
        }
    }
    const GrSurfaceDef *surface = &m->options.surface;
    if (m->scm_bodies != NULL || m->imprint_bodies != NULL || m->trace_wheels != NULL) {
        return m->scm_bodies != NULL ? "the law scm" : "ruts";
    }
    if (surface->height != NULL && surface->height != gr_height_of_terrain && surface->height != gr_height_of_soil) {
        return "heights of the caller";
    }
    if (surface->soil_at != NULL && surface->soil_at != gr_soils_of_map) {
        return "soils by a function of the caller";
    }
    if (m->integrator->create != NULL) {
        return "the reference integrator";
    }
    return NULL;
}

static const char *refuse_rigid(const GrRigidWorld *w)
{
    for (int i = 0; i < w->body_count; i++) {
        if (w->bodies[i].motion != GR_RIGID_DRIVEN) {
            return "rocks, parts and landers";
        }
    }
    if (w->late != NULL) {
        return "fields of rocks";
    }
    if (w->may_collide != NULL) {
        return "contact between the rover's own bodies";
    }
    return w->ground_material_at != NULL ? "zones of ground materials" : NULL;
}

const char *gr_lanes_refusal(const GrMission *mission)
{
    const char *model = refuse_model(mission->m);
    const char *rigid = mission->m->rigid.world != NULL ? refuse_rigid(mission->m->rigid.world) : NULL;
    if (model != NULL || rigid != NULL) {
        return model != NULL ? model : rigid;
    }
    if (mission->def.pace == GR_PACE_ERROR) {
        return "steps by their error (step.pace: error)";
    }
    if (gr_mission_is_supplied(mission)) {
        return "sunlight and battery";
    }
    const bool other = mission->d->force != NULL && mission->d->force != gr_mission_pull_force;
    return other || mission->d->revise != NULL ? "forces of the caller" : NULL;
}

// ---- packing

/// The model as it is on the device, where the rigid world has less room.
typedef struct Slim {
    GrModel m;
    GrRigidWorld world;
} Slim;

static void slim_down(const GrModel *m, Slim *slim)
{
    slim->m = *m;
    slim->m.arena = (GrArena){0};
    slim->m.rigid.meshes = NULL;
    slim->m.rigid.loose_stone = NULL;
    slim->m.rigid.loose_mesh = NULL;
    slim->m.options.surface.trace = NULL;
    if (m->rigid.world != NULL) {
        slim->world = *m->rigid.world;
        slim->world.contact_capacity = RIGID_CONTACTS;
        slim->world.pair_capacity = RIGID_PAIRS;
        slim->m.rigid.world = &slim->world;
    }
}

/// Loads all tiles of a terrain, and packs it.
static GrStatus pack_terrain(GrPack *pack, GrTerrain *terrain, GrErrorLog *log)
{
    for (int k = 0; k < terrain->layer_count; k++) {
        const GrLayer *layer = &terrain->layers[k];
        const GrGridFrame *f = &layer->def.frame;
        const GrBox2 all = {f->x0, f->y0, f->x0 + (double)(f->nx - 1) * f->dx, f->y0 + (double)(f->ny - 1) * f->dy};
        const GrStatus status = gr_terrain_prefetch(terrain, all, log);
        if (status != GR_OK) {
            return status;
        }
        for (uint64_t i = 0; i <= layer->tiles.mask; i++) {
            const GrTileSlot *slot = &layer->tiles.slots[i];
            if (slot->key != GR_TILE_NO_KEY) {
                gr_pack_share(pack, slot->nodes, sizeof(double) * GR_TILE_NODES);
            }
        }
    }
    gr_pack_add(pack, terrain, sizeof *terrain);
    for (int k = 0; k < terrain->layer_count; k++) {
        const GrTiles *tiles = &terrain->layers[k].tiles;
        gr_pack_add(pack, tiles->slots, sizeof *tiles->slots * (size_t)(tiles->mask + 1));
    }
    gr_pack_end(pack);
    return GR_OK;
}

static void pack_map(GrPack *pack, const GrSoilMap *map)
{
    gr_pack_share(pack, map->classes, (size_t)(map->frame.nx * map->frame.ny));
    gr_pack_add(pack, map, sizeof *map);
    gr_pack_end(pack);
}

static void pack_model(GrPack *pack, const GrModel *m)
{
    Slim slim;
    slim_down(m, &slim);
    for (int k = 0; k < m->rigid.mesh_count; k++) {
        gr_convex_mesh_regions(m->rigid.meshes[k], gr_pack_add, pack);
        gr_pack_end(pack);
    }
    for (int i = 0; i < m->wheel_count; i++) {
        const GrWheelSurface *surface = m->wheels[i].surface;
        if (surface != NULL) {
            gr_pack_add(pack, surface, sizeof *surface);
            gr_pack_add(pack, surface->pieces, sizeof *surface->pieces * (size_t)surface->count);
            gr_pack_end(pack);
        }
    }
    if (m->rigid.world != NULL) {
        gr_pack_add_as(pack, m->rigid.world, &slim.world, sizeof slim.world);
        gr_rigid_world_regions(m->rigid.world, gr_pack_add, pack);
        gr_pack_end(pack);
    }
    slim.m.rigid.world = m->rigid.world; // the address by which the world was packed
    gr_pack_add_as(pack, m, &slim.m, sizeof slim.m);
    gr_arena_regions(&m->arena, gr_pack_add, pack);
    if (m->rigid.world != NULL) {
        gr_pack_add(pack, m->rigid.bodies, sizeof *m->rigid.bodies * (size_t)m->rigid.count);
        gr_pack_add(pack, m->rigid.of_body, sizeof *m->rigid.of_body * (size_t)m->tree.body_count);
    }
    gr_pack_end(pack);
}

/// The constant parts of a mission.
static uint64_t pack_mission(GrPack *pack, const GrMission *mission)
{
    GrMission copy = *mission;
    const GrControlDef *control = &mission->control.def;
    copy.s = (GrMissionState){.outcome = GR_OUTCOME_RUNNING};
    copy.def.moves = NULL;
    copy.terrain = NULL;
    copy.d = copy.kept = NULL;
    copy.given = NULL;
    copy.drive = NULL;
    copy.wheels = NULL;
    copy.arrivals = NULL;
    copy.outlook = NULL;
    copy.seen_memory = NULL;
    memset(&copy.seen, 0, sizeof copy.seen);
    memset(copy.stones_at, 0, sizeof copy.stones_at);
    gr_pack_add_as(pack, mission, &copy, sizeof copy);
    gr_pack_add(pack, control->path, sizeof *control->path * (size_t)control->path_count);
    gr_pack_add(pack, control->script, sizeof *control->script * (size_t)control->script_count);
    gr_pack_add(pack, mission->moves, sizeof *mission->moves * (size_t)mission->def.move_count);
    return gr_pack_end(pack);
}

/// Packs what is needed of a run.
static GrStatus pack_run(GrPack *pack, const GrMission *mission, uint64_t *at, GrErrorLog *log)
{
    const GrSurfaceDef *surface = &mission->m->options.surface;
    gr_pack_begin(pack);
    GrStatus status = GR_OK;
    if (surface->height != NULL) {
        status = pack_terrain(pack, mission->terrain, log);
    }
    if (surface->soil_at != NULL) {
        pack_map(pack, surface->soil_context);
    }
    gr_pack_add(pack, gr_integrators, sizeof gr_integrators);
    gr_pack_end(pack);
    gr_pack_add(pack, gr_contact_laws, sizeof gr_contact_laws);
    gr_pack_end(pack);
    gr_pack_add(pack, gr_friction_laws, sizeof gr_friction_laws);
    gr_pack_end(pack);
    pack_model(pack, mission->m);
    *at = pack_mission(pack, mission);
    if (status == GR_OK && !gr_pack_is_good(pack)) {
        status = gr_out_of_memory(log, NULL);
    }
    return status;
}

/// Whether a run is to be packed.
static bool is_new(const GrLanes *lanes, int i)
{
    return lanes->missions[i] != NULL && lanes->slots[i].packed == 0;
}

/// Packs the new runs and brings their image to the device.
static GrStatus pack_new(GrLanes *lanes, int image, GrErrorLog *log)
{
    const uint64_t known[] = {
#define X(name) (uint64_t)(uintptr_t)(name),
        GR_DEVICE_FUNCTION_LIST(X)
#undef X
    };
    GrPack *pack = gr_pack_create(known, GR_DEVICE_FUNCTIONS - 1);
    uint64_t *at = gr_calloc((size_t)lanes->count + 1, sizeof *at);
    GrStatus status = pack != NULL && at != NULL ? GR_OK : gr_out_of_memory(log, NULL);
    for (int i = 0; i < lanes->count && status == GR_OK; i++) {
        status = is_new(lanes, i) ? pack_run(pack, lanes->missions[i], &at[i], log) : GR_OK;
    }
    if (status == GR_OK) {
        GrCuda *cuda = lanes->cuda;
        const size_t size = gr_pack_size(pack);
        const GrCudaPlace place = gr_cuda_take(cuda, size);
        status = gr_cuda_status(cuda, log);
        if (status == GR_OK) {
            gr_cuda_write(cuda, place, gr_pack_image(pack, place), size);
            status = gr_cuda_status(cuda, log);
        }
        lanes->images[image] = (Image){.place = place};
        for (int i = 0; i < lanes->count && status == GR_OK; i++) {
            if (is_new(lanes, i)) {
                lanes->slots[i] = (Slot){place + at[i], image};
                lanes->images[image].runs++;
            }
        }
    }
    gr_free(at);
    gr_pack_free(pack);
    return status;
}

void gr_lanes_renew(GrLanes *lanes, int run)
{
    Slot *slot = &lanes->slots[run];
    if (slot->packed != 0) {
        slot->packed = 0;
        lanes->images[slot->image].runs--;
    }
}

/// Room for one more image: what no run needs is given back, and where that is none, all runs are packed anew.
static int make_room(GrLanes *lanes)
{
    int used = 0;
    for (int k = 0; k < MOST_IMAGES; k++) {
        used += lanes->images[k].runs > 0;
    }
    for (int i = 0; i < lanes->count && used == MOST_IMAGES; i++) {
        gr_lanes_renew(lanes, i);
    }
    int room = 0;
    for (int k = MOST_IMAGES - 1; k >= 0; k--) {
        if (lanes->images[k].runs == 0) {
            gr_cuda_give_back(lanes->cuda, lanes->images[k].place);
            lanes->images[k] = (Image){0};
            room = k;
        }
    }
    return room;
}

// ---- memory

/// Row and memory of the longest new run.
static void find_sizes(const GrLanes *lanes, size_t *row, size_t *memory)
{
    *row = *memory = 0;
    for (int i = 0; i < lanes->count; i++) {
        if (is_new(lanes, i)) {
            Slim slim;
            slim_down(lanes->missions[i]->m, &slim);
            const GrLaneRow at = gr_lane_row(lanes->missions[i], gr_data_state_size(&slim.m));
            const size_t all = at.data + gr_data_capacity(&slim.m);
            *row = at.size > *row ? at.size : *row;
            *memory = all > *memory ? all : *memory;
        }
    }
}

static void free_rows(GrLanes *lanes)
{
    gr_cuda_give_back(lanes->cuda, lanes->rows);
    gr_cuda_give_back(lanes->cuda, lanes->order);
    gr_cuda_give_back(lanes->cuda, lanes->states);
    gr_free(lanes->host_rows);
    gr_free(lanes->host_order);
    gr_free(lanes->host_states);
    gr_free(lanes->runs);
    lanes->rows = lanes->order = lanes->states = 0;
    lanes->host_rows = NULL;
    lanes->host_order = lanes->host_states = lanes->runs = NULL;
}

/// Rows of a size for as many runs as the device holds.
static GrStatus take_rows(GrLanes *lanes, size_t row_size, GrErrorLog *log)
{
    GrCudaInfo info;
    free_rows(lanes);
    const GrStatus status = gr_cuda_info(lanes->gpu - 1, &info, log);
    if (status != GR_OK) {
        return status;
    }
    lanes->row_size = row_size;
    const double most = ROWS_SHARE * info.free / (double)(lanes->row_size + 2 * sizeof(int32_t));
    lanes->portion = most < lanes->count ? (int)most : lanes->count;
    if (lanes->portion < 1) {
        return gr_error_add(log, GR_ERROR_MEMORY, (GrLocation){.field = "--device"},
                            "the device has %.3g GB of memory left, which does not hold a run", 1e-9 * info.free);
    }
    const size_t n = (size_t)lanes->portion;
    lanes->rows = gr_cuda_take(lanes->cuda, n * lanes->row_size);
    lanes->order = gr_cuda_take(lanes->cuda, n * sizeof(int32_t));
    lanes->states = gr_cuda_take(lanes->cuda, n * sizeof(int32_t));
    lanes->host_rows = gr_malloc(n * lanes->row_size);
    lanes->host_order = gr_malloc(n * sizeof(int32_t));
    lanes->host_states = gr_malloc(n * sizeof(int32_t));
    lanes->runs = gr_malloc(n * sizeof(int32_t));
    if (lanes->host_rows == NULL || lanes->host_order == NULL || lanes->host_states == NULL || lanes->runs == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    return gr_cuda_status(lanes->cuda, log);
}

void gr_lanes_close(GrLanes *lanes)
{
    if (lanes != NULL) {
        free_rows(lanes);
        gr_cuda_close(lanes->cuda);
        gr_free(lanes->slots);
        gr_free(lanes);
    }
}

// ---- rows

/// Writes the mission's state as a row. False when the device has no room for it.
static bool write_row(const GrMission *mission, double until, uint64_t packed, unsigned char *row)
{
    Slim slim;
    slim_down(mission->m, &slim);
    const GrData *d = mission->d;
    const GrRigidWorld *world = mission->m->rigid.world;
    const size_t rigid = world != NULL ? gr_rigid_state_size(world) : 0, flat = d->size - rigid;
    const GrLaneRow at = gr_lane_row(mission, gr_data_state_size(&slim.m));
    const GrLaneHead head = {.until = until, .mission = packed};
    memset(row, 0, at.size);
    memcpy(row, &head, sizeof head);
    memcpy(row + at.state, &mission->s, sizeof mission->s);
    memset(row + at.state + offsetof(GrMissionState, cause), 0, sizeof mission->s.cause); // a GPU writes none
    memcpy(row + at.wheels, mission->wheels, at.arrivals - at.wheels);
    memcpy(row + at.arrivals, mission->arrivals, at.drive - at.arrivals);
    memcpy(row + at.drive, mission->drive, sizeof(double) * (size_t)mission->m->wheel_count);
    memcpy(row + at.data, d->memory, flat);
    return world == NULL ||
           gr_rigid_state_convert(&slim.world, row + at.data + flat, world, (const unsigned char *)d->memory + flat);
}

static void read_row(GrMission *mission, const unsigned char *row)
{
    Slim slim;
    slim_down(mission->m, &slim);
    GrData *d = mission->d;
    const GrRigidWorld *world = mission->m->rigid.world;
    const size_t rigid = world != NULL ? gr_rigid_state_size(world) : 0, flat = d->size - rigid;
    const GrLaneRow at = gr_lane_row(mission, gr_data_state_size(&slim.m));
    memcpy(&mission->s, row + at.state, sizeof mission->s);
    memcpy(mission->wheels, row + at.wheels, at.arrivals - at.wheels);
    memcpy(mission->arrivals, row + at.arrivals, at.drive - at.arrivals);
    memcpy(mission->drive, row + at.drive, sizeof(double) * (size_t)mission->m->wheel_count);
    memcpy(d->memory, row + at.data, flat);
    if (world != NULL) {
        gr_rigid_state_convert(world, (unsigned char *)d->memory + flat, &slim.world, row + at.data + flat);
        gr_rigid_state_refresh(world, d->rigid);
    }
    gr_mission_explain(mission);
}

// ---- driving

/// Launches until all runs of the portion are done, [active].
static void launch(GrLanes *lanes, int32_t active)
{
    GrCuda *cuda = lanes->cuda;
    while (active > 0 && gr_cuda_status(cuda, NULL) == GR_OK) {
        GrLaneCall call = {.rows = (unsigned char *)(uintptr_t)lanes->rows,
                           .row_size = lanes->row_size,
                           .order = (const int32_t *)(uintptr_t)lanes->order,
                           .states = (int32_t *)(uintptr_t)lanes->states,
                           .count = active,
                           .steps = LAUNCH_STEPS};
        void *arguments[] = {&call};
        gr_cuda_write(cuda, lanes->order, lanes->host_order, sizeof(int32_t) * (size_t)active);
        gr_cuda_launch(cuda, lanes->drive, active, arguments);
        gr_cuda_read(cuda, lanes->host_states, lanes->states, sizeof(int32_t) * (size_t)lanes->portion);
        int32_t left = 0;
        for (int32_t k = 0; k < active; k++) {
            const int32_t slot = lanes->host_order[k];
            if (lanes->host_states[slot] == GR_LANE_GOES_ON) {
                lanes->host_order[left++] = slot;
            }
        }
        active = left;
    }
}

/// Drives what the first rows say; they are then what it came to.
static GrStatus drive_rows(GrLanes *lanes, int32_t count, GrErrorLog *log)
{
    GrCuda *cuda = lanes->cuda;
    gr_cuda_write(cuda, lanes->rows, lanes->host_rows, lanes->row_size * (size_t)count);
    for (int32_t k = 0; k < count; k++) {
        lanes->host_order[k] = k;
    }
    launch(lanes, count);
    gr_cuda_read(cuda, lanes->host_rows, lanes->rows, lanes->row_size * (size_t)count);
    return gr_cuda_status(cuda, log);
}

/// Drives the runs in `runs`, whose rows are written.
static GrStatus drive_portion(GrLanes *lanes, int32_t count, const double *until, GrErrorLog *log)
{
    const GrStatus status = drive_rows(lanes, count, log);
    for (int32_t k = 0; k < count && status == GR_OK; k++) {
        GrMission *mission = lanes->missions[lanes->runs[k]];
        read_row(mission, lanes->host_rows + lanes->row_size * (size_t)k);
        gr_mission_advance(mission, until[lanes->runs[k]]); // what the device refused
    }
    return status;
}

// ---- opening

/// Seconds that a mission drives on device and processor before the device is used.
static const double CHECK_TIME = 0.5;

uint64_t gr_mission_sum(const GrMission *mission)
{
    const GrMissionState *s = &mission->s;
    const double numbers[] = {s->outcome_time,      s->distance,        s->rolled,          s->commanded,
                              s->travelled,         s->step_energy,     s->last_step,       s->roll_max,
                              s->pitch_max,         s->cross_track_max, (double)s->outcome, (double)s->steps,
                              (double)s->way_points};
    uint64_t sum = gr_data_hash(mission->m, mission->d);
    sum = gr_checksum(sum, numbers, sizeof numbers);
    sum = gr_checksum(sum, &s->account, sizeof s->account);
    sum = gr_checksum(sum, &s->control.odometry, sizeof s->control.odometry);
    sum = gr_checksum(sum, s->warning_count, sizeof s->warning_count);
    for (int i = 0; i < mission->m->wheel_count; i++) {
        sum = gr_checksum(sum, &mission->wheels[i].sums, sizeof mission->wheels[i].sums);
        sum = gr_checksum(sum, mission->wheels[i].state_time, sizeof mission->wheels[i].state_time);
        sum = gr_checksum(sum, mission->d->contact[i].soil.wrench, sizeof mission->d->contact[i].soil.wrench);
    }
    return sum;
}

/// The first mission that has steps left drives a little on device and processor, which must come to the same bits.
static GrStatus check_bits(GrLanes *lanes, GrErrorLog *log)
{
    int run = 0;
    while (run < lanes->count &&
           (lanes->missions[run] == NULL || !gr_mission_goes_on(lanes->missions[run], INFINITY))) {
        run++;
    }
    if (run == lanes->count || lanes->host_rows == NULL) { // no run has a rover with steps left
        return GR_OK;
    }
    GrMission *mission = lanes->missions[run];
    const double until = gr_data_time(mission->d) + CHECK_TIME;
    const size_t size = gr_mission_size(mission);
    unsigned char *before = gr_malloc(size);
    GrStatus status = before != NULL ? gr_mission_save(mission, before) : gr_out_of_memory(log, NULL);
    if (status == GR_OK && write_row(mission, until, lanes->slots[run].packed, lanes->host_rows)) {
        status = drive_rows(lanes, 1, log);
        read_row(mission, lanes->host_rows);
        const uint64_t there = gr_mission_sum(mission);
        GrStatus back = gr_mission_restore(mission, before, size, log);
        gr_mission_advance(mission, until);
        const bool same = gr_mission_sum(mission) == there || lanes->host_states[0] == GR_LANE_REFUSED;
        back = back == GR_OK ? gr_mission_restore(mission, before, size, log) : back;
        status = status == GR_OK ? back : status;
        if (status == GR_OK && !same) {
            status = gr_error_add(log, GR_ERROR_DEVICE, (GrLocation){.field = "--device"},
                                  "%.1f s of a run have other bits on the GPU than on the processor; the GPU is not "
                                  "used%s",
                                  CHECK_TIME, BITS_HINT);
        }
    }
    gr_free(before);
    return status;
}

/// Brings new runs to the device.
static GrStatus take_new(GrLanes *lanes, GrErrorLog *log)
{
    size_t row = 0, memory = 0;
    for (int i = 0; i < lanes->count; i++) {
        const char *refused = is_new(lanes, i) ? gr_lanes_refusal(lanes->missions[i]) : NULL;
        if (refused != NULL) {
            return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "--device"},
                                "run %d: a GPU does not offer %s; '--device cpu' does", i, refused);
        }
    }
    find_sizes(lanes, &row, &memory);
    if (row == 0) {
        return GR_OK;
    }
    if (memory > GR_LANE_MEMORY) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "--device"},
                            "a run of this rover takes %zu kB on a GPU, which offers it %d kB; '--device cpu' has room",
                            memory / 1024, GR_LANE_MEMORY / 1024);
    }
    GrStatus status = pack_new(lanes, make_room(lanes), log);
    if (status == GR_OK && row > lanes->row_size) {
        status = take_rows(lanes, row, log);
    }
    if (status == GR_OK && !lanes->checked) {
        status = check_bits(lanes, log);
        lanes->checked = status == GR_OK;
    }
    return status;
}

static GrStatus open_lanes(GrLanes *lanes, GrErrorLog *log)
{
    lanes->slots = gr_calloc((size_t)lanes->count + 1, sizeof *lanes->slots);
    GrStatus status = lanes->slots != NULL ? GR_OK : gr_out_of_memory(log, NULL);
    status = status == GR_OK ? gr_cuda_open(lanes->gpu - 1, gr_lane_kernels, &lanes->cuda, log) : status;
    if (status == GR_OK) {
        lanes->drive = gr_cuda_kernel(lanes->cuda, "gr_lane_drive");
        gr_cuda_set_block(lanes->cuda, BLOCK);
        status = gr_cuda_status(lanes->cuda, log);
    }
    return status;
}

GrStatus gr_lanes_open(int gpu, GrMission *const *missions, int count, GrLanes **out, GrErrorLog *log)
{
    *out = NULL;
    if (gr_lane_kernels[0] == '\0') {
        return gr_part_missing("CUDA", (GrLocation){.field = "--device"}, log);
    }
    GrLanes *lanes = gr_calloc(1, sizeof *lanes);
    if (lanes == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    lanes->gpu = gpu;
    lanes->missions = missions;
    lanes->count = count;
    const GrStatus status = open_lanes(lanes, log);
    if (status != GR_OK) {
        gr_lanes_close(lanes);
        return status;
    }
    *out = lanes;
    return GR_OK;
}

GrStatus gr_lanes_advance(GrLanes *lanes, const double *until, GrErrorLog *log)
{
    GrStatus status = take_new(lanes, log);
    int32_t count = 0;
    for (int i = 0; i < lanes->count && status == GR_OK; i++) {
        GrMission *mission = lanes->missions[i];
        if (mission == NULL || !gr_mission_goes_on(mission, until[i])) {
            continue;
        }
        if (!write_row(mission, until[i], lanes->slots[i].packed, lanes->host_rows + lanes->row_size * (size_t)count)) {
            gr_mission_advance(mission, until[i]);
            continue;
        }
        lanes->runs[count++] = i;
        if (count == lanes->portion) {
            status = drive_portion(lanes, count, until, log);
            count = 0;
        }
    }
    return status == GR_OK && count > 0 ? drive_portion(lanes, count, until, log) : status;
}
