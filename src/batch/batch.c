/// Many runs of one scenario: their numbers, their placement, and steps of all in threads. Each run is a GrMission of
/// its own, so that nothing here knows of physics.
#include "grouser/batch.h"

#include "alloc.h"
#include "batch_device.h"
#include "channel.h"
#include "cuda.h"
#include "messages.h"
#include "mission_data.h"
#include "number.h"
#include "out_of_memory.h"
#include "processors.h"
#include "scenario_data.h"
#include "text.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { OVERRIDE_SIZE = GR_NAME_SIZE + GR_NUMBER_SIZE };

/// A number of the scenario with its value in each run.
typedef struct Column {
    char path[GR_NAME_SIZE];
    double *values; ///< [count], owned
} Column;

/// What a run owns. `world.mission` is NULL where the rover could not be placed.
typedef struct Rover {
    GrScenario *scenario; ///< the world points into it
    GrWorld *world;
    GrSample sample;
} Rover;

typedef struct Run {
    Rover *rover; ///< NULL: none
    char cause[GR_NOTE_SIZE];
} Run;

struct GrBatch {
    char *scenario; ///< owned, as are `overrides`
    char **overrides;
    int override_count;
    int count, threads;
    int gpu; ///< 0: none, or its number counted from 1
    Column *columns;
    int column_count;
    GrWorldCache *cache;
    Rover *first;         ///< of the scenario without numbers of a run: knows the names of channels
    Run *runs;            ///< [count]
    GrLanes *lanes;       ///< on the GPU; NULL: not opened yet
    GrMission **missions; ///< [count] for the GPU
    double *until;        ///< [count] likewise
};

GrBatchDef gr_default_batch_def(void)
{
    return (GrBatchDef){.count = 1};
}

// ---- work that is shared out: threads take the next run until none is left, as runs differ in length

typedef struct Work {
    GrBatch *batch;
    const bool *mask;
    atomic_int next;
    void (*each)(GrBatch *batch, int run, void *context);
    void *context;
} Work;

static void do_share(void *context, int share, int shares)
{
    (void)share;
    (void)shares;
    Work *work = context;
    for (int i = atomic_fetch_add(&work->next, 1); i < work->batch->count; i = atomic_fetch_add(&work->next, 1)) {
        if (work->mask == NULL || work->mask[i]) {
            work->each(work->batch, i, work->context);
        }
    }
}

static void for_each(GrBatch *batch, const bool *mask, void (*each)(GrBatch *, int, void *), void *context)
{
    Work work = {.batch = batch, .mask = mask, .each = each, .context = context};
    gr_share_out(batch->threads < batch->count ? batch->threads : batch->count, do_share, &work);
}

// ---- rovers

static void free_rover(Rover *rover)
{
    if (rover != NULL) {
        gr_sample_free(&rover->sample);
        gr_world_free(rover->world);
        gr_scenario_free(rover->scenario);
        gr_free(rover);
    }
}

/// Overrides of a run, or of the scenario alone (run −1); `*own` holds their numbers. NULL when out of memory.
static const char **overrides_of(const GrBatch *batch, int run, char (**own)[OVERRIDE_SIZE])
{
    const int columns = run >= 0 ? batch->column_count : 0, total = batch->override_count + columns;
    const char **list = gr_calloc((size_t)total + 1, sizeof *list);
    *own = gr_calloc((size_t)columns + 1, sizeof **own);
    if (list == NULL || *own == NULL) {
        gr_free(list);
        gr_free(*own);
        *own = NULL;
        return NULL;
    }
    for (int i = 0; i < batch->override_count; i++) {
        list[i] = batch->overrides[i];
    }
    for (int i = 0; i < columns; i++) {
        char number[GR_NUMBER_SIZE];
        gr_number_format(batch->columns[i].values[run], number);
        snprintf((*own)[i], sizeof(*own)[i], "%s=%s", batch->columns[i].path, number);
        list[batch->override_count + i] = (*own)[i];
    }
    return list;
}

/// The rover of a run, or of the scenario itself (run −1). NULL: `*status` says whether its numbers are wrong
/// (GR_OK: they are right, but it cannot be placed).
static Rover *make_rover(GrBatch *batch, int run, GrStatus *status, GrErrorLog *log)
{
    char(*own)[OVERRIDE_SIZE];
    const char **overrides = overrides_of(batch, run, &own);
    Rover *rover = overrides != NULL ? gr_calloc(1, sizeof *rover) : NULL;
    if (rover == NULL) {
        *status = gr_out_of_memory(log, NULL);
    } else {
        *status = gr_scenario_load_shared(batch->scenario, overrides, batch->cache, &rover->scenario, log);
    }
    gr_free(overrides);
    gr_free(own);
    if (*status != GR_OK || rover == NULL) {
        gr_free(rover);
        return NULL;
    }
    GrStatus placed = gr_world_create_shared(rover->scenario, batch->cache, &rover->world, log);
    if (placed == GR_OK &&
        !gr_sample_init(rover->world->model, gr_mission_rock_count(rover->world->mission), &rover->sample)) {
        placed = gr_out_of_memory(log, NULL);
    }
    if (placed != GR_OK) {
        *status = placed == GR_ERROR_MEMORY ? placed : GR_OK;
        free_rover(rover);
        return NULL;
    }
    return rover;
}

// ---- the batch

static bool copy_texts(GrBatch *batch, const GrBatchDef *def)
{
    batch->scenario = gr_strdup(def->scenario);
    while (def->overrides != NULL && def->overrides[batch->override_count] != NULL) {
        batch->override_count++;
    }
    char **overrides = gr_calloc((size_t)batch->override_count + 1, sizeof *overrides);
    batch->overrides = overrides;
    bool good = batch->scenario != NULL && overrides != NULL;
    for (int i = 0; good && def->overrides != NULL && i < batch->override_count; i++) {
        overrides[i] = gr_strdup(def->overrides[i]);
        good = overrides[i] != NULL;
    }
    return good;
}

static GrStatus check(const GrBatchDef *def, GrErrorLog *log)
{
    if (def->scenario == NULL) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "scenario"}, "required");
    }
    if (def->count < 1 || def->count > GR_BATCH_MOST) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "count"}, "found %d, allowed: 1 to %d",
                            def->count, GR_BATCH_MOST);
    }
    if (def->threads < 0) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "threads"}, "found %d, allowed: 0 or more",
                            def->threads);
    }
    int gpu;
    return gr_device_parse(def->device, &gpu, log);
}

static GrStatus open_batch(GrBatch *batch, const GrBatchDef *def, GrErrorLog *log)
{
    batch->count = def->count;
    batch->threads = def->threads > 0 ? def->threads : gr_processor_count();
    batch->runs = gr_calloc((size_t)def->count, sizeof *batch->runs);
    batch->missions = gr_calloc((size_t)def->count, sizeof(GrMission *));
    batch->until = gr_calloc((size_t)def->count, sizeof *batch->until);
    gr_device_parse(def->device, &batch->gpu, NULL);
    if (batch->runs == NULL || batch->missions == NULL || batch->until == NULL || !copy_texts(batch, def)) {
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = gr_world_cache_create(&batch->cache, log);
    if (status == GR_OK) {
        batch->first = make_rover(batch, -1, &status, log);
    }
    return batch->first == NULL && status == GR_OK ? gr_messages_last_error(log, GR_ERROR_MODEL) : status;
}

GrStatus gr_batch_create(const GrBatchDef *def, GrBatch **out, GrErrorLog *log)
{
    *out = NULL;
    GrStatus status = check(def, log);
    GrBatch *batch = status == GR_OK ? gr_calloc(1, sizeof *batch) : NULL;
    if (status == GR_OK) {
        status = batch != NULL ? open_batch(batch, def, log) : gr_out_of_memory(log, NULL);
    }
    if (status != GR_OK) {
        gr_batch_free(batch);
        return status;
    }
    *out = batch;
    return GR_OK;
}

void gr_batch_free(GrBatch *batch)
{
    if (batch == NULL) {
        return;
    }
    for (int i = 0; batch->runs != NULL && i < batch->count; i++) {
        free_rover(batch->runs[i].rover);
    }
    for (int i = 0; i < batch->column_count; i++) {
        gr_free(batch->columns[i].values);
    }
    for (int i = 0; batch->overrides != NULL && i < batch->override_count; i++) {
        gr_free(batch->overrides[i]);
    }
    gr_lanes_close(batch->lanes);
    free_rover(batch->first);
    gr_world_cache_free(batch->cache);
    gr_free(batch->columns);
    gr_free(batch->overrides);
    gr_free(batch->scenario);
    gr_free(batch->runs);
    gr_free(batch->missions);
    gr_free(batch->until);
    gr_free(batch);
}

int gr_batch_count(const GrBatch *batch)
{
    return batch->count;
}

// ---- numbers by run

/// The column of a path, new if there was none. NULL when out of memory.
static Column *column_of(GrBatch *batch, const char *path)
{
    for (int i = 0; i < batch->column_count; i++) {
        if (strcmp(batch->columns[i].path, path) == 0) {
            return &batch->columns[i];
        }
    }
    Column *columns = gr_realloc(batch->columns, sizeof *columns * ((size_t)batch->column_count + 1));
    if (columns == NULL) {
        return NULL;
    }
    batch->columns = columns;
    Column *column = &columns[batch->column_count];
    *column = (Column){.values = gr_calloc((size_t)batch->count, sizeof(double))};
    if (column->values == NULL) {
        return NULL;
    }
    gr_text_copy(column->path, sizeof column->path, path);
    batch->column_count++;
    return column;
}

/// Whether the scenario takes the first run's value.
static GrStatus try_first(GrBatch *batch, GrErrorLog *log)
{
    char(*own)[OVERRIDE_SIZE];
    const char **overrides = overrides_of(batch, 0, &own);
    if (overrides == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrScenario *scenario = NULL;
    const GrStatus status = gr_scenario_load_shared(batch->scenario, overrides, batch->cache, &scenario, log);
    gr_scenario_free(scenario);
    gr_free(overrides);
    gr_free(own);
    return status;
}

GrStatus gr_batch_set(GrBatch *batch, const char *path, const double *values, GrErrorLog *log)
{
    if (strlen(path) >= GR_NAME_SIZE || strchr(path, '=') != NULL) {
        return gr_error_add(log, GR_ERROR_NAME, (GrLocation){.field = "path"}, "'%.60s' is not the path of a number",
                            path);
    }
    for (int i = 0; i < batch->count; i++) {
        if (!isfinite(values[i])) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = path}, "run %d: the value is not finite", i);
        }
    }
    const int before = batch->column_count;
    Column *column = column_of(batch, path);
    if (column == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    memcpy(column->values, values, sizeof *values * (size_t)batch->count);
    const GrStatus status = batch->column_count > before ? try_first(batch, log) : GR_OK;
    if (status != GR_OK) { // a new path that is refused leaves no trace
        gr_free(batch->columns[--batch->column_count].values);
    }
    return status;
}

// ---- runs

/// Outcome of a call for all runs.
typedef struct Faults {
    atomic_int first; ///< run with the lowest number whose numbers are wrong; `count`: none
} Faults;

static void place(GrBatch *batch, int i, void *context)
{
    Faults *faults = context;
    Run *run = &batch->runs[i];
    free_rover(run->rover);
    GrErrorLog *log = gr_calloc(1, sizeof *log);
    GrStatus status = GR_ERROR_MEMORY;
    run->rover = NULL;
    gr_text_copy(run->cause, sizeof run->cause, "out of memory");
    if (log != NULL) {
        log->quiet = true;
        run->rover = make_rover(batch, i, &status, log);
        const GrError *error = run->rover == NULL ? gr_messages_at(log, 0) : NULL;
        gr_text_copy(run->cause, sizeof run->cause, error != NULL ? error->text : "");
        gr_free(log);
    }
    int first = atomic_load(&faults->first);
    while (status != GR_OK && i < first && !atomic_compare_exchange_weak(&faults->first, &first, i)) {
    }
}

GrStatus gr_batch_reset(GrBatch *batch, const bool *mask, GrErrorLog *log)
{
    Faults faults = {batch->count};
    for (int i = 0; i < batch->count && batch->lanes != NULL; i++) {
        if (mask == NULL || mask[i]) {
            gr_lanes_renew(batch->lanes, i);
        }
    }
    for_each(batch, mask, place, &faults);
    const int wrong = atomic_load(&faults.first);
    if (wrong == batch->count) {
        return GR_OK;
    }
    GrStatus status = GR_OK;
    free_rover(make_rover(batch, wrong, &status, log)); // once more, for its messages
    gr_error_add(log, status != GR_OK ? status : GR_ERROR_MEMORY, (GrLocation){0}, "run %d of the batch: %s", wrong,
                 batch->runs[wrong].cause);
    for (int i = 0; i < batch->count; i++) {
        if (mask == NULL || mask[i]) {
            free_rover(batch->runs[i].rover);
            batch->runs[i].rover = NULL;
        }
    }
    return status != GR_OK ? status : GR_ERROR_MEMORY;
}

void gr_batch_drive(GrBatch *batch, const GrDriveCommand *commands, const bool *mask)
{
    for (int i = 0; i < batch->count; i++) {
        GrMission *mission = gr_batch_mission(batch, i);
        if (mission != NULL && (mask == NULL || mask[i])) {
            GrControlState *control = gr_mission_control(mission);
            control->manual = commands[i];
            control->by_hand = true;
        }
    }
}

static void advance(GrBatch *batch, int i, void *context)
{
    GrMission *mission = gr_batch_mission(batch, i);
    if (mission != NULL) {
        gr_mission_advance(mission, gr_batch_time(batch, i) + *(const double *)context);
    }
}

/// The same on the GPU.
static GrStatus advance_lanes(GrBatch *batch, double seconds, GrErrorLog *log)
{
    for (int i = 0; i < batch->count; i++) {
        batch->missions[i] = gr_batch_mission(batch, i);
        batch->until[i] = gr_batch_time(batch, i) + seconds;
    }
    GrStatus status = GR_OK;
    if (batch->lanes == NULL) {
        status = gr_lanes_open(batch->gpu, batch->missions, batch->count, &batch->lanes, log);
    }
    status = status == GR_OK ? gr_lanes_advance(batch->lanes, batch->until, log) : status;
    if (status != GR_OK) {
        gr_lanes_close(batch->lanes);
        batch->lanes = NULL;
    }
    return status;
}

GrStatus gr_batch_advance(GrBatch *batch, double seconds, GrErrorLog *log)
{
    if (batch->gpu > 0) {
        return advance_lanes(batch, seconds, log);
    }
    for_each(batch, NULL, advance, &seconds);
    return GR_OK;
}

GrWorld *gr_batch_world(GrBatch *batch, int run)
{
    return batch->runs[run].rover != NULL ? batch->runs[run].rover->world : NULL;
}

GrMission *gr_batch_mission(GrBatch *batch, int run)
{
    GrWorld *world = gr_batch_world(batch, run);
    return world != NULL ? world->mission : NULL;
}

GrOutcome gr_batch_outcome(const GrBatch *batch, int run)
{
    const Rover *rover = batch->runs[run].rover;
    return rover != NULL ? rover->world->mission->s.outcome : GR_OUTCOME_FAILED;
}

const char *gr_batch_cause(GrBatch *batch, int run)
{
    const Rover *rover = batch->runs[run].rover;
    return rover != NULL ? rover->world->mission->s.cause : batch->runs[run].cause;
}

double gr_batch_time(const GrBatch *batch, int run)
{
    const Rover *rover = batch->runs[run].rover;
    return rover != NULL ? gr_data_time(rover->world->mission->d) : 0;
}

// ---- channels

int gr_batch_width(const GrBatch *batch, const char *channel)
{
    GrChannel found;
    return gr_channel_find(batch->first->world->model, channel, &found) ? found.width : 0;
}

typedef struct Request {
    const GrChannel *channels;
    int count, columns;
    double *values;
} Request;

static void read_run(GrBatch *batch, int i, void *context)
{
    const Request *request = context;
    Rover *rover = batch->runs[i].rover;
    double *at = request->values + (size_t)i * (size_t)request->columns;
    if (rover != NULL) {
        gr_mission_sample(rover->world->mission, &rover->sample);
    }
    for (int c = 0; c < request->count; c++) {
        const GrChannel *channel = &request->channels[c];
        for (int k = 0; k < channel->width; k++) {
            *at++ = rover != NULL ? gr_channel_value(channel, &rover->sample, k) : (double)NAN;
        }
    }
}

/// Names for the hint of an unknown one.
typedef struct Names {
    const char *wanted;
    char nearest[GR_CHANNEL_NAME]; ///< "": none yet
} Names;

static bool note_name(void *context, const char *name)
{
    Names *names = context;
    const char *const pair[] = {names->nearest, name};
    const char *found =
        gr_text_nearest(names->wanted, names->nearest[0] != '\0' ? pair : pair + 1, names->nearest[0] != '\0' ? 2 : 1);
    if (found == name) {
        gr_text_copy(names->nearest, sizeof names->nearest, name);
    }
    return true;
}

static GrStatus unknown(const GrBatch *batch, const char *name, GrErrorLog *log)
{
    Names names = {.wanted = name};
    gr_channel_list(batch->first->world->model, note_name, &names);
    return gr_error_add(log, GR_ERROR_NAME, (GrLocation){0}, "there is no channel '%s'%s%s%s", name,
                        names.nearest[0] != '\0' ? "; did you mean '" : "; see grouser list channels", names.nearest,
                        names.nearest[0] != '\0' ? "'?" : "");
}

GrStatus gr_batch_get(GrBatch *batch, const char *const *channels, int channel_count, double *values, GrErrorLog *log)
{
    GrChannel *found = gr_calloc((size_t)channel_count + 1, sizeof *found);
    if (found == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    Request request = {.channels = found, .count = channel_count, .values = values};
    GrStatus status = GR_OK;
    for (int c = 0; c < channel_count && status == GR_OK; c++) {
        if (gr_channel_find(batch->first->world->model, channels[c], &found[c])) {
            request.columns += found[c].width;
        } else {
            status = unknown(batch, channels[c], log);
        }
    }
    if (status == GR_OK) {
        for_each(batch, NULL, read_run, &request);
    }
    gr_free(found);
    return status;
}
