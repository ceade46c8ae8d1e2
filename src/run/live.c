#include "live.h"

#include "alloc.h"
#include "buffer.h"
#include "clock.h"
#include "file.h"
#include "live_drive.h"
#include "live_parts.h"
#include "messages.h"
#include "mission_data.h"
#include "out_of_memory.h"
#include "run_recorder.h"
#include "run_replay.h"
#include "run_sense.h"
#include "run_topics.h"
#include "scenario_yaml.h"
#include "sensor_topics.h"
#include "text.h"

#include <math.h>
#include <string.h>
#include <time.h>

/// Everything of one run. Worlds must not move, so it stays where it was made.
typedef struct Run {
    GrScenario *scenario;
    GrWorld *world;
    GrRunDescription description;
    GrRunReplay *replay;
    GrRunTopics *topics; ///< NULL: nobody takes them
    GrSensorTopics *sensor_topics;
    GrRunSense *sense; ///< NULL: none
    GrSample sample;
    GrRunRecorder recorder;
    bool recording;
    GrLivePanel panel;
    GrDriveLimits limits;
    GrDriveNotes notes; ///< commands of the driver
    double wall;        ///< spent in steps [s]
    long samples;       ///< since the start
    bool done;          ///< the end is out
} Run;

struct GrLive {
    GrLiveDef def;
    GrLiveOverrides overrides;
    Run *run;
};

static GrStatus put_chunk(void *context, const char *chunk, size_t size, GrErrorLog *log)
{
    const GrLive *live = context;
    return live->def.put(live->def.context, chunk, size) ? GR_OK : gr_out_of_memory(log, NULL);
}

static void put_live(const void *context, GrJson *json)
{
    const Run *run = context;
    gr_json_begin_object(json, "live");
    gr_drive_limits_put(&run->limits, json);
    gr_panel_put(&run->panel, json);
    gr_json_end(json);
}

// ---- one run

static void free_run(Run *run)
{
    if (run != NULL) {
        gr_run_replay_free(run->replay);
        gr_run_topics_free(run->topics);
        gr_sensor_topics_free(run->sensor_topics);
        gr_run_sense_close(run->sense, NULL);
        gr_sample_free(&run->sample);
        gr_run_description_free(&run->description);
        gr_drive_notes_free(&run->notes);
        gr_world_free(run->world);
        gr_scenario_free(run->scenario);
        gr_free(run);
    }
}

static GrStatus prepare_replay(GrLive *live, Run *run, GrErrorLog *log)
{
    if (!gr_sample_init(run->world->model, gr_mission_rock_count(run->world->mission), &run->sample) ||
        !gr_run_describe(run->world, &run->description)) {
        return gr_out_of_memory(log, NULL);
    }
    run->description.def.bands = &live->def.bands;
    const GrReplayDef def = {
        .record = run->description.def,
        .rate = run->scenario->record_rate,
        .duration = run->scenario->mission.duration,
        .tolerance = run->description.def.tolerance,
        .ground_nodes = GR_REPLAY_LIVE_NODES,
        .put = put_chunk,
        .context = live,
        .put_live = put_live,
        .live_context = run,
    };
    run->replay = gr_run_replay_create(&def, log);
    return run->replay != NULL ? GR_OK : GR_ERROR_MEMORY;
}

/// Loads the scenario with these overrides and places the rover; nothing is put yet. NULL after an error.
static Run *make_run(GrLive *live, const GrLiveOverrides *overrides, GrErrorLog *log)
{
    Run *run = gr_calloc(1, sizeof *run);
    if (run == NULL) {
        gr_out_of_memory(log, NULL);
        return NULL;
    }
    const GrLiveDef *def = &live->def;
    GrStatus status = def->text == NULL ? gr_scenario_load(def->scenario, overrides->items, &run->scenario, log)
                                        : gr_scenario_parse(def->scenario, def->text, def->text_size, overrides->items,
                                                            &run->scenario, log);
    status = status == GR_OK ? gr_world_create(run->scenario, &run->world, log) : status;
    if (status == GR_OK) {
        gr_panel_fill(run->scenario, &run->panel);
        gr_drive_limits_fill(run->world, &run->limits);
        status = prepare_replay(live, run, log);
    }
    if (status != GR_OK) {
        free_run(run);
        return NULL;
    }
    return run;
}

/// Hands the present state on: to the recording and to the viewers.
static GrStatus hand_on(Run *run, GrErrorLog *log)
{
    gr_mission_sample(run->world->mission, &run->sample);
    gr_run_sense_sample(run->sense, &run->sample);
    if (run->topics != NULL) {
        gr_run_topics_add(run->topics, &run->sample);
    }
    const GrStatus status = run->recording ? gr_run_recorder_add(&run->recorder, &run->sample, log) : GR_OK;
    return status == GR_OK ? gr_run_replay_add(run->replay, &run->sample, gr_wall_time(), log) : status;
}

// ---- sensors

static GrStatus put_message(void *context, int channel, double time, const GrBuffer *bytes, GrErrorLog *log)
{
    const GrTopicSink *sink = context;
    GrBuffer *out = sink->begin(sink->context, channel, (uint64_t)llround(1e9 * fmax(0, time)));
    (void)log;
    if (out != NULL) { // otherwise the message is not wanted
        gr_buffer_add(out, bytes->data, bytes->size);
        out->failed = out->failed || bytes->failed;
        sink->end(sink->context);
    }
    return GR_OK;
}

static GrStatus take_measurement(void *context, const GrMeasurement *m, GrErrorLog *log)
{
    const GrLive *live = context;
    GrTopicSink sink = *live->def.topics;
    return gr_sensor_topics_add(live->run->sensor_topics, m, put_message, &sink, log);
}

/// Sensors of the run, with their topics where somebody takes them.
static GrStatus begin_sensors(GrLive *live, Run *run, GrErrorLog *log)
{
    const GrRunSenseDef def = {.world = run->world,
                               .directory = run->recording ? live->def.directory : NULL,
                               .record = run->recording ? run->recorder.record : NULL,
                               .context = live,
                               .take = live->def.topics != NULL ? take_measurement : NULL};
    if (def.take == NULL && def.directory == NULL) {
        return GR_OK; // for nobody
    }
    const GrStatus status = gr_run_sense_open(&def, &run->sense, log);
    if (status != GR_OK || run->sense == NULL || def.take == NULL) {
        return status;
    }
    GrTopicSink sink = *live->def.topics;
    run->sensor_topics = gr_sensor_topics_create(&run->scenario->rover, sink, log);
    return run->sensor_topics != NULL ? gr_sensor_topics_introduce(run->sensor_topics, put_message, &sink, log)
                                      : GR_ERROR_MEMORY;
}

static GrStatus begin_run(GrLive *live, Run *run, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    if (live->def.directory != NULL) {
        status = gr_run_recorder_open(&run->recorder, run->world, live->def.directory, true, &live->def.bands, log);
        run->recording = status == GR_OK;
    }
    live->def.restart(live->def.context);
    live->run = run;
    if (status == GR_OK && live->def.topics != NULL) {
        const GrRunTopicsDef def = {.record = run->description.def, .sink = *live->def.topics, .whole_frames = true};
        run->topics = gr_run_topics_create(&def, log);
        status = run->topics != NULL ? GR_OK : GR_ERROR_MEMORY;
    }
    status = status == GR_OK ? begin_sensors(live, run, log) : status;
    status = status == GR_OK ? hand_on(run, log) : status;
    status = status == GR_OK ? gr_run_sense_step(run->sense, gr_mission_data(run->world->mission), log) : status;
    return status == GR_OK ? gr_live_flush(live, log) : status;
}

static GrStatus summarise(const Run *run, GrRunSummary *summary, GrErrorLog *log)
{
    const GrStatus status = gr_mission_summary(run->world->mission, summary, log);
    gr_run_sense_summarise(run->sense, summary);
    summary->wall_time = run->wall;
    summary->real_time_factor = run->wall > 0 ? summary->time / run->wall : 0;
    return status;
}

/// Tells the viewers the outcome and completes the recording.
static GrStatus end_run(Run *run, GrErrorLog *log)
{
    GrRunSummary summary = {0};
    if (run->done) {
        return GR_OK;
    }
    run->done = true;
    if (run->topics != NULL) {
        gr_run_topics_finish(run->topics);
    }
    GrStatus status = summarise(run, &summary, log);
    const GrStatus sensed = gr_run_sense_close(run->sense, log);
    run->sense = NULL;
    const GrStatus put = status == GR_OK ? gr_run_replay_finish(run->replay, &summary, log) : status;
    if (run->recording) {
        const GrStatus closed = gr_run_recorder_close(&run->recorder, status == GR_OK ? &summary : NULL, log);
        gr_folder_unlock(run->recorder.lock);
        run->recording = false;
        status = status == GR_OK ? closed : status;
    }
    gr_run_summary_free(&summary);
    status = status == GR_OK ? sensed : status;
    return status == GR_OK ? put : status;
}

/// Ends a run that is not over.
static GrStatus stop_run(Run *run, GrErrorLog *log)
{
    if (!run->done) {
        gr_mission_end(run->world->mission, GR_OUTCOME_INTERRUPTED, (GrEnd){.reason = GR_END_INTERRUPTED});
    }
    return end_run(run, log);
}

// ---- all runs

GrLive *gr_live_open(const GrLiveDef *def, GrErrorLog *log)
{
    GrLive *live = gr_calloc(1, sizeof *live);
    if (live == NULL) {
        gr_out_of_memory(log, NULL);
        return NULL;
    }
    live->def = *def;
    live->overrides.items[0] = NULL;
    for (int i = 0; def->overrides != NULL && def->overrides[i] != NULL; i++) {
        GrLiveOverrides *all = &live->overrides;
        all->given = all->count; // none is replaced by the next
        if (!gr_live_override(all, def->overrides[i])) {
            gr_error_add(log, GR_ERROR_USAGE, (GrLocation){0}, "more than %d overrides, or one of more than %d bytes",
                         GR_LIVE_OVERRIDES, GR_LIVE_OVERRIDE_SIZE - 1);
            gr_free(live);
            return NULL;
        }
    }
    live->overrides.given = live->overrides.count;
    Run *run = make_run(live, &live->overrides, log);
    if (run == NULL || begin_run(live, run, log) != GR_OK) {
        free_run(run);
        gr_free(live);
        return NULL;
    }
    return live;
}

GrStatus gr_live_close(GrLive *live, GrErrorLog *log)
{
    const GrStatus status = stop_run(live->run, log);
    free_run(live->run);
    gr_free(live);
    return status;
}

GrStatus gr_live_advance(GrLive *live, GrErrorLog *log)
{
    Run *run = live->run;
    if (run->done) {
        return GR_OK;
    }
    const double begin = gr_wall_time();
    // as gr_run() does: the steps depend on where the samples are
    GrOutcome outcome;
    GrStatus status =
        gr_run_sense_advance(run->sense, run->world, (double)++run->samples * gr_live_period(live), &outcome, log);
    status = status == GR_OK ? hand_on(run, log) : status;
    run->wall += gr_wall_time() - begin;
    return status == GR_OK && outcome != GR_OUTCOME_RUNNING ? end_run(run, log) : status;
}

GrStatus gr_live_flush(GrLive *live, GrErrorLog *log)
{
    return live->run->done ? GR_OK : gr_run_replay_flush(live->run->replay, gr_wall_time(), log);
}

void gr_live_newest(GrLive *live, GrBuffer *chunk)
{
    gr_run_replay_live(live->run->replay, &live->run->sample, chunk);
}

void gr_live_repeat(GrLive *live)
{
    if (live->run->topics != NULL) {
        gr_run_topics_repeat(live->run->topics, &live->run->sample);
    }
}

/// Replaces the run by one with these overrides. A drive by hand of the run that ends is written to `path`.
static GrStatus exchange(GrLive *live, const GrLiveOverrides *overrides, char *path, GrErrorLog *log)
{
    Run *const run = make_run(live, overrides, log), *const old = live->run;
    if (run == NULL) {
        return gr_messages_last_error(log, GR_ERROR_VALUE);
    }
    GrErrorLog ignored = {.quiet = true}; // the old run cannot keep the new one from starting
    const GrStatus saved = gr_live_save(live, path, log);
    stop_run(old, &ignored);
    live->overrides = *overrides;
    gr_live_overrides_point(&live->overrides);
    const GrStatus status = begin_run(live, run, log);
    free_run(old);
    return status == GR_OK ? saved : status;
}

GrStatus gr_live_reset(GrLive *live, const GrMessage *message, char *path, GrErrorLog *log)
{
    GrLiveOverrides *changed = gr_malloc(sizeof *changed);
    if (changed == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = GR_OK;
    path[0] = '\0';
    *changed = live->overrides;
    gr_live_overrides_point(changed);
    live->def.bands.samples = message->set_count == 0 ? live->def.bands.samples : 0; // those of another scenario
    for (int i = 0; status == GR_OK && i < message->set_count; i++) {
        const char *set = gr_message_set(message, i);
        status = gr_panel_check(&live->run->panel, set, log);
        if (status == GR_OK && !gr_live_override(changed, set)) {
            status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0}, "too many changed values");
        }
    }
    if (status == GR_OK) {
        status = exchange(live, changed, path, log);
    }
    gr_free(changed);
    return status;
}

GrStatus gr_live_renew(GrLive *live, const char *text, size_t size, GrErrorLog *log)
{
    char path[GR_SCENARIO_PATH_SIZE];
    GrLiveOverrides *given = gr_malloc(sizeof *given);
    if (given == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    *given = live->overrides;
    given->count = given->given;
    gr_live_overrides_point(given);
    live->def.text = text;
    live->def.text_size = size;
    live->def.bands.samples = 0;
    const GrStatus status = exchange(live, given, path, log);
    gr_free(given);
    return status;
}

/// The command of a message; an error where this rover cannot be driven like that.
static GrStatus read_command(const Run *run, const GrMessage *message, GrDriveCommand *out, GrErrorLog *log)
{
    if (message->op == GR_MESSAGE_TWIST) {
        return gr_drive_from_twist(&run->limits, &message->twist, out, log);
    }
    *out = message->command;
    if (!message->release && !gr_drive_limits_allow(&run->limits, out->mode)) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){0}, "this rover cannot drive in mode %s",
                            gr_drive_mode_name(out->mode));
    }
    return GR_OK;
}

GrStatus gr_live_drive(GrLive *live, const GrMessage *message, GrErrorLog *log)
{
    Run *run = live->run;
    GrControlState *control = gr_mission_control(run->world->mission);
    GrScriptEntry entry = {.time = gr_live_time(live)};
    GrDriveCommand command;
    if (run->done || (message->release && !control->by_hand)) {
        return GR_OK;
    }
    GrStatus status = read_command(run, message, &command, log);
    if (status != GR_OK) {
        return status;
    }
    live->def.bands.samples = 0; // those of the scenario's own drive
    entry.command = !message->release ? gr_drive_as_written(&command) : (GrDriveCommand){.mode = GR_DRIVE_MODE_COUNT};
    status = gr_drive_notes_add(&run->notes, &entry, log);
    if (status == GR_OK) { // the next control cycle uses it
        control->by_hand = !message->release;
        control->manual = !message->release ? entry.command : (GrDriveCommand){.mode = GR_DRIVE_STOP};
    }
    return status;
}

GrStatus gr_live_save(GrLive *live, char *path, GrErrorLog *log)
{
    const Run *run = live->run;
    const GrDriveSheet sheet = {.scenario = run->scenario,
                                .given = live->def.scenario,
                                .how = "by hand in grouser view",
                                .overrides = live->overrides.items,
                                .notes = &run->notes,
                                .time = gr_live_time(live),
                                .over = run->done};
    path[0] = '\0';
    return run->notes.count > 0 && live->def.text == NULL ? gr_drive_sheet_write(&sheet, path, log) : GR_OK;
}

double gr_live_time(const GrLive *live)
{
    return gr_data_time(gr_mission_data(live->run->world->mission));
}

double gr_live_period(const GrLive *live)
{
    return 1 / live->run->scenario->record_rate;
}

GrOutcome gr_live_outcome(const GrLive *live)
{
    return live->run->world->mission->s.outcome;
}

bool gr_live_by_hand(const GrLive *live)
{
    return gr_mission_control(live->run->world->mission)->by_hand;
}

uint64_t gr_live_hash(const GrLive *live)
{
    return gr_data_hash(live->run->world->model, gr_mission_data(live->run->world->mission));
}

const GrLivePanel *gr_live_panel(const GrLive *live)
{
    return &live->run->panel;
}

const GrScenario *gr_live_scenario(const GrLive *live)
{
    return live->run->scenario;
}
