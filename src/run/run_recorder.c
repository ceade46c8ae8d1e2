#include "run_recorder.h"

#include "alloc.h"
#include "clock.h"
#include "elementary.h"
#include "file.h"
#include "messages.h"
#include "mission_data.h"
#include "out_of_memory.h"
#include "page.h"
#include "run_files.h"
#include "run_picture.h"
#include "run_scene.h"
#include "run_sense.h"
#include "ruts.h"
#include "ruts_raster.h"
#include "scenario_data.h"
#include "viewer_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PICTURE_COLUMNS = 100 };
static const char REPLAY_PAGE[] = "replay.html";

// ---- what recordings say of a world

void gr_run_trust(const GrWorld *world, GrTrust *out)
{
    const GrScenario *s = world->scenario;
    const GrVec3 g = s->gravity;
    const double gravity = sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
    if (world->soil_count == 0) {
        gr_trust_of_rigid_ground(&s->scene, gravity, out);
        return;
    }
    gr_trust_of_soil(&world->soils[0], s->has_soil ? s->soil_sources : NULL, gravity, out);
    size_t used = strlen(out->law);
    for (int i = 1; i < world->soil_count && used < sizeof out->law; i++) {
        used += (size_t)snprintf(out->law + used, sizeof out->law - used, "%s%s (%s)", i > 1 ? ", " : "; elsewhere ",
                                 world->soils[i].name, gr_soil_law_name(world->soils[i].law));
    }
}

static GrStatus tell_so_far(void *context, GrRunSummary *out)
{
    return gr_mission_summary(context, out, NULL);
}

/// Rocks for the recording, with their middle on the ground. Those of a field are taken from the model.
static int listed_rocks(const GrWorld *world)
{
    return gr_rocks_seen_field(world->model) > 0 ? 0 : world->rocks.count;
}

static GrRecordRock *list_rocks(const GrWorld *world)
{
    GrRecordRock *rocks = gr_calloc((size_t)listed_rocks(world) + 1, sizeof *rocks);
    for (int i = 0; rocks != NULL && i < listed_rocks(world); i++) {
        const GrRock *rock = &world->rocks.rocks[i];
        double z = 0;
        if (world->terrain != NULL && gr_terrain_height(world->terrain, rock->x, rock->y, &z) != GR_GROUND_OK) {
            z = 0;
        }
        const double half = rock->diameter / 2;
        rocks[i] = (GrRecordRock){{{rock->x, rock->y, z}, {gr_cos(rock->yaw / 2), 0, 0, gr_sin(rock->yaw / 2)}},
                                  {half, half, rock->height}};
    }
    return rocks;
}

bool gr_run_describe(GrWorld *world, GrRunDescription *out)
{
    const GrScenario *s = world->scenario;
    *out = (GrRunDescription){.rocks = list_rocks(world)};
    for (int i = 0; i < world->soil_count && i <= GR_SOIL_MAP_NAMES; i++) {
        out->soils[i] = world->soils[i].name;
    }
    gr_run_trust(world, &out->trust);
    out->def = (GrRecordDef){
        .name = s->name,
        .title = s->title,
        .input = s->input,
        .trust = &out->trust,
        .rover = &s->rover,
        .model = world->model,
        .terrain = world->terrain,
        .ruts = gr_data_ruts(gr_mission_data(world->mission)),
        .path = s->path,
        .path_count = s->mission.control.path_count,
        .rocks = out->rocks,
        .rock_count = out->rocks != NULL ? listed_rocks(world) : 0,
        .soil_names = out->soils,
        .soil_count = world->soil_count,
        .supplied = gr_mission_is_supplied(world->mission),
        .localised = world->scenario->record_sensors && world->scenario->rover.localisation != NULL,
        .csv = s->record_csv,
        .mcap = s->record_mcap,
        .replay = true,
        .rate = s->record_rate,
        .duration = s->mission.duration,
        .tolerance = world->mission->control.def.tolerance, // where the scenario leaves it open, control chose it
        .report = true,
        .so_far = tell_so_far,
        .context = world->mission,
    };
    return out->rocks != NULL;
}

void gr_run_description_free(GrRunDescription *description)
{
    gr_free(description->rocks);
    description->rocks = NULL;
}

// ---- the recorder

/// The map of the report shows the ground along the whole track, as far as memory allows.
static void show_track(const GrWorld *world, GrBox2 box)
{
    GrErrorLog quiet = {0};
    if (world->terrain != NULL && box.x_lower <= box.x_upper) {
        const double margin = 5 + 0.1 * fmax(box.x_upper - box.x_lower, box.y_upper - box.y_lower);
        box = (GrBox2){box.x_lower - margin, box.y_lower - margin, box.x_upper + margin, box.y_upper + margin};
        gr_terrain_prefetch(world->terrain, box, &quiet); // what does not fit remains blank
    }
}

static GrStatus put_exact(const GrRuts *ruts, GrBuffer *out)
{
    const size_t size = gr_ruts_size(ruts);
    if (!gr_buffer_reserve(out, size)) {
        return GR_ERROR_MEMORY;
    }
    out->size = size;
    return gr_ruts_save(ruts, out->data);
}

/// The ruts for `terrain export` and for the next rover, rounded where that is possible.
static GrStatus save_ruts(const GrWorld *world, const char *directory, GrErrorLog *log)
{
    const GrRuts *ruts = gr_data_ruts(gr_mission_data(world->mission));
    const double resolution = world->scenario->record_ruts;
    char path[GR_FILE_PATH_SIZE];
    if (ruts == NULL || snprintf(path, sizeof path, "%s/ruts.bin", directory) >= (int)sizeof path) {
        return GR_OK;
    }
    GrBuffer bytes = {0};
    GrStatus status = resolution > 0 ? gr_ruts_save_rounded(ruts, resolution, &bytes) : GR_ERROR_VALUE;
    if (status == GR_ERROR_VALUE) {
        bytes.size = 0;
        status = put_exact(ruts, &bytes);
    }
    status = status == GR_OK ? gr_file_write(path, bytes.data, bytes.size, log) : gr_out_of_memory(log, path);
    gr_buffer_free(&bytes);
    return status;
}

GrStatus gr_run_write_ruts(GrWorld *world, const char *directory, GrErrorLog *log)
{
    const GrRuts *ruts = gr_data_ruts(gr_mission_data(world->mission));
    char path[GR_FILE_PATH_SIZE];
    if (ruts == NULL) {
        return gr_error_add(
            log, GR_ERROR_USAGE, (GrLocation){.field = "--ruts"},
            "wheels of this scenario leave no ruts; request them with --set ruts=trace or --set ruts=scm");
    }
    snprintf(path, sizeof path, "%s/ground.tif", directory);
    const GrStatus status = gr_ruts_raster_write(path, world->terrain, ruts, GR_RUTS_GROUND, log);
    snprintf(path, sizeof path, "%s/ruts.tif", directory);
    return status == GR_OK ? gr_ruts_raster_write(path, world->terrain, ruts, GR_RUTS_CHANGE, log) : status;
}

/// What the report's links show in place of a replay that is too large for a page.
static void put_too_large(const char *directory, double size, GrBuffer *out)
{
    GrPage page = {0};
    gr_page_begin(&page, "No replay", NULL);
    gr_page_text(&page, "replay.bin has %.0f MB, too many for a page in a browser. Use: grouser view %s", 1e-6 * size,
                 directory);
    gr_page_html(&page, out);
    gr_page_free(&page);
}

/// The recorded run as a page for any browser, beside its report.
static GrStatus write_replay_page(const char *directory, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    GrBuffer page = {0};
    struct stat replay;
    GrStatus status = GR_OK;
    snprintf(path, sizeof path, "%s/replay.bin", directory);
    if (stat(path, &replay) == 0 && replay.st_size > GR_REPLAY_PAGE_MAX) {
        put_too_large(directory, (double)replay.st_size, &page);
    } else {
        status = gr_replay_page(&directory, 1, &page, log);
    }
    if (status == GR_OK) {
        snprintf(path, sizeof path, "%s/%s", directory, REPLAY_PAGE);
        status = gr_file_write(path, page.data, page.size, log);
    }
    gr_buffer_free(&page);
    return status;
}

GrStatus gr_run_recorder_open(GrRunRecorder *recorder, GrWorld *world, const char *directory, bool replay_page,
                              const GrRunBands *bands, GrErrorLog *log)
{
    size_t size;
    *recorder =
        (GrRunRecorder){.world = world, .directory = directory, .box = {INFINITY, INFINITY, -INFINITY, -INFINITY}};
    if (!gr_run_describe(world, &recorder->description)) {
        return gr_out_of_memory(log, directory);
    }
    recorder->description.def.directory = directory;
    recorder->description.def.bands = bands;
    recorder->description.def.replay_page = replay_page && gr_viewer_page(&size) != NULL ? REPLAY_PAGE : NULL;
    if (gr_record_open(&recorder->description.def, &recorder->record, log) != GR_OK) {
        gr_run_description_free(&recorder->description);
        return gr_messages_last_error(log, GR_ERROR_FILE);
    }
    return GR_OK;
}

GrStatus gr_run_recorder_add(GrRunRecorder *recorder, const GrSample *sample, GrErrorLog *log)
{
    const GrVec3 at = sample->pose.position;
    GrBox2 *box = &recorder->box;
    *box = (GrBox2){fmin(box->x_lower, at.x), fmin(box->y_lower, at.y), fmax(box->x_upper, at.x),
                    fmax(box->y_upper, at.y)};
    return gr_record_add(recorder->record, sample, log);
}

GrStatus gr_run_recorder_close(GrRunRecorder *recorder, const GrRunSummary *summary, GrErrorLog *log)
{
    const GrStatus saved = summary != NULL ? save_ruts(recorder->world, recorder->directory, log) : GR_OK;
    show_track(recorder->world, recorder->box);
    recorder->lock = gr_record_take_lock(recorder->record);
    GrStatus closed = gr_record_close(recorder->record, saved == GR_OK ? summary : NULL, log);
    if (closed == GR_OK && summary != NULL && recorder->description.def.replay_page != NULL) {
        closed = write_replay_page(recorder->directory, log);
    }
    gr_run_description_free(&recorder->description);
    return saved == GR_OK ? closed : saved;
}

// ---- a whole run

/// The rover at the end of the run, as text in colours.
static GrStatus write_picture(GrWorld *world, const GrRecordDef *def, const char *path, GrErrorLog *log)
{
    GrSample sample;
    GrBuffer text = {0};
    if (!gr_sample_init(world->model, gr_mission_rock_count(world->mission), &sample)) {
        return gr_out_of_memory(log, path);
    }
    gr_mission_sample(world->mission, &sample);
    GrStatus status =
        gr_run_picture(def, &sample, (GrPictureForm){PICTURE_COLUMNS, getenv("NO_COLOR") == NULL}, &text, log);
    if (status == GR_OK) {
        status = gr_file_write(path, text.data, text.size, log);
    }
    gr_buffer_free(&text);
    gr_sample_free(&sample);
    return status;
}

/// Context of the hooks of a run.
typedef struct Watch {
    const GrRecordedRun *def;
    GrRunRecorder *recorder; ///< NULL: no files
    GrRunSense *sense;       ///< NULL: none
} Watch;

static GrStatus take_sample(void *context, const GrSample *sample, GrErrorLog *log)
{
    const Watch *watch = context;
    GrSample whole = *sample;
    gr_run_sense_sample(watch->sense, &whole);
    const GrStatus status = watch->def->sample != NULL ? watch->def->sample(watch->def->context, &whole, log) : GR_OK;
    return status == GR_OK && watch->recorder != NULL ? gr_run_recorder_add(watch->recorder, &whole, log) : status;
}

static GrStatus take_step(void *context, const GrData *d, GrErrorLog *log)
{
    return gr_run_sense_step(((Watch *)context)->sense, d, log);
}

static void show_progress(void *context, double time, double duration)
{
    const Watch *watch = context;
    watch->def->progress(watch->def->context, time, duration);
}

static bool must_stop(void *context)
{
    const Watch *watch = context;
    return watch->def->stop(watch->def->context);
}

static GrStatus run(GrWorld *world, Watch *watch, GrRunSummary *summary, GrErrorLog *log)
{
    const GrRecordedRun *def = watch->def;
    GrStatus status = GR_OK;
    if (watch->recorder != NULL) {
        const GrRunSenseDef sensors = {.world = world, .directory = def->directory, .record = watch->recorder->record};
        status = gr_run_sense_open(&sensors, &watch->sense, log);
    }
    const GrRunHooks hooks = {.context = watch,
                              .sample = take_sample,
                              .progress = def->progress != NULL ? show_progress : NULL,
                              .step = watch->sense != NULL ? take_step : NULL,
                              .stop = def->stop != NULL ? must_stop : NULL};
    status = status == GR_OK ? gr_lane_pool_run(def->pool, world, &hooks, summary, log) : status;
    gr_run_sense_summarise(watch->sense, summary);
    const GrStatus sensed = gr_run_sense_close(watch->sense, log);
    return status == GR_OK ? sensed : status;
}

GrStatus gr_run_recorded(GrWorld *world, const GrRecordedRun *def, GrRunSummary *summary, GrErrorLog *log)
{
    GrRunRecorder recorder;
    Watch watch = {.def = def};
    *summary = (GrRunSummary){0};
    if (def->directory == NULL) {
        return run(world, &watch, summary, log);
    }
    GrStatus status = gr_run_recorder_open(&recorder, world, def->directory, def->replay_page, def->bands, log);
    if (status != GR_OK) {
        return status;
    }
    watch.recorder = &recorder;
    status = run(world, &watch, summary, log);
    const GrStatus drawn = status == GR_OK && def->picture != NULL
                               ? write_picture(world, &recorder.description.def, def->picture, log)
                               : GR_OK;
    const GrStatus closed = gr_run_recorder_close(&recorder, status == GR_OK ? summary : NULL, log);
    if (def->lock != NULL) {
        *def->lock = recorder.lock;
    } else {
        gr_folder_unlock(recorder.lock);
    }
    return status != GR_OK ? status : closed != GR_OK ? closed : drawn;
}

// ---- the time of a whole run

static void remove_run(const char *directory)
{
    char path[512];
    for (size_t i = 0; i < GR_RUN_FILE_COUNT; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, gr_run_files[i]);
        unlink(path);
    }
    rmdir(directory);
}

static GrStatus measure(const GrScenario *scenario, const char *directory, GrRunSpeed *out, GrErrorLog *log)
{
    GrWorld *world = NULL;
    GrRunSummary summary = {0};
    const double begin = gr_clock_read(CLOCK_MONOTONIC);
    GrStatus status = gr_world_create(scenario, &world, log);
    if (status != GR_OK) {
        return status;
    }
    const double ready = gr_clock_read(CLOCK_MONOTONIC), worked = gr_clock_read(CLOCK_PROCESS_CPUTIME_ID);
    status = gr_run_recorded(world, &(GrRecordedRun){.directory = directory}, &summary, log);
    *out = (GrRunSpeed){.set_up = ready - begin,
                        .run = gr_clock_read(CLOCK_MONOTONIC) - ready,
                        .cpu = gr_clock_read(CLOCK_PROCESS_CPUTIME_ID) - worked,
                        .simulated = summary.time,
                        .steps = summary.steps,
                        .hash = summary.state_hash,
                        .outcome = summary.outcome};
    gr_run_summary_free(&summary);
    gr_world_free(world);
    return status;
}

GrStatus gr_run_speed(const GrScenario *scenario, int repeats, GrRunSpeed *best, GrErrorLog *log)
{
    char directory[] = "/tmp/grouser_bench_XXXXXX";
    if (mkdtemp(directory) == NULL) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = directory}, "cannot be made");
    }
    GrStatus status = GR_OK;
    for (int i = 0; i < repeats; i++) {
        GrRunSpeed b;
        status = measure(scenario, directory, &b, log);
        if (status == GR_OK && i > 0 && b.hash != best->hash) {
            status = gr_error_add(log, GR_ERROR_NUMERIC, (GrLocation){0}, "two runs ended in different states");
        }
        if (status != GR_OK) {
            break;
        }
        const double cpu = i == 0 || b.cpu < best->cpu ? b.cpu : best->cpu;
        if (i == 0 || b.run < best->run) {
            *best = b;
        }
        best->cpu = cpu;
    }
    remove_run(directory);
    return status;
}
