/// Writes the files of a run in its own thread, so that the simulation does not wait for the disk.
#include "alloc.h"
#include "clock.h"
#include "file.h"
#include "grouser/record.h"
#include "mcap.h"
#include "messages.h"
#include "out_of_memory.h"
#include "record_messages.h"
#include "run_csv.h"
#include "run_files.h"
#include "run_history.h"
#include "run_replay.h"
#include "run_report.h"
#include "run_sensors.h"
#include "run_summary.h"
#include "run_topics.h"
#include "sample_queue.h"
#include "topic_sink.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct GrRunMcap GrRunMcap;

// ---- the file run.mcap

struct GrRunMcap {
    GrMcap *mcap;
    GrRunTopics *topics;
};

static const char *text_of(const char *text)
{
    return text != NULL ? text : "";
}

static void put_metadata(GrMcap *mcap, const GrRecordDef *def)
{
    const GrMcapText texts[] = {{"name", text_of(def->name)},
                                {"title", text_of(def->title)},
                                {"rover", gr_model_name(def->model)},
                                {"input", text_of(def->input)}};
    gr_mcap_metadata(mcap, "grouser", texts, sizeof texts / sizeof texts[0]);
}

/// NULL when the file cannot be created. `now` here and below: wall time [s].
static GrRunMcap *run_mcap_open(const char *path, const GrRecordDef *def, double now, GrErrorLog *log)
{
    GrRunMcap *run = gr_calloc(1, sizeof *run);
    if (run == NULL) {
        gr_out_of_memory(log, path);
        return NULL;
    }
    run->mcap = gr_mcap_open(path, now, log);
    if (run->mcap != NULL) {
        put_metadata(run->mcap, def);
        run->topics = gr_run_topics_create(&(GrRunTopicsDef){.record = *def, .sink = gr_mcap_sink(run->mcap)}, log);
    }
    if (run->topics == NULL) {
        gr_mcap_close(run->mcap, NULL);
        gr_free(run);
        return NULL;
    }
    return run;
}

/// As gr_run_topics_needs_ground().
static bool run_mcap_needs_ground(const GrRunMcap *run, const GrSample *sample)
{
    return gr_run_topics_needs_ground(run->topics, sample);
}

static GrStatus run_mcap_add(GrRunMcap *run, const GrSample *sample, double now, GrErrorLog *log)
{
    gr_run_topics_add(run->topics, sample);
    return gr_mcap_tick(run->mcap, now, log);
}

/// For further topics. Only while run_mcap_add() is not called; follow messages by run_mcap_tick().
static GrTopicSink run_mcap_sink(GrRunMcap *run)
{
    return gr_mcap_sink(run->mcap);
}

static GrStatus run_mcap_tick(GrRunMcap *run, double now, GrErrorLog *log)
{
    return gr_mcap_tick(run->mcap, now, log);
}

/// Also frees the writer; NULL is allowed.
static GrStatus run_mcap_close(GrRunMcap *run, GrErrorLog *log)
{
    if (run == NULL) {
        return GR_OK;
    }
    gr_run_topics_finish(run->topics);
    const GrStatus status = gr_mcap_close(run->mcap, log);
    gr_run_topics_free(run->topics);
    gr_free(run);
    return status;
}

// ---- all files

/// Longest wall time before the run waits for everything queued to be written, so that files lag by less than a second.
static const double QUEUE_SECONDS = 0.5;
static const double SUMMARY_SECONDS = 2;
/// During a run, the first report is written after REPORT_SECONDS. Later ones follow when REPORT_SHARE times the time
/// that the last one took has passed.
static const double REPORT_SECONDS = 5, REPORT_SHARE = 100;

static const double SLIP_SHARE = 0.05; // weight of a sample in the smoothed slip that colours the track

struct GrRecord {
    GrRecordDef def;
    char directory[GR_FILE_PATH_SIZE];
    int lock;        ///< of the folder; −1: none
    GrStatus status; ///< of the first failure
    GrRunCsv *csv;
    GrRunMcap *mcap;
    GrReplayFile *replay;
    GrRunTotals totals;
    GrRunHistory history; ///< for the report
    GrTrack track;
    double slip;              ///< mean magnitude of the wheels' slip, smoothed
    GrSampleQueue *queue;     ///< NULL: could not be created; samples are written directly
    bool begun;               ///< a sample has been added
    double drained;           ///< wall time [s]
    double start, summarised; ///< wall times [s]
    double report_due;        ///< wall time [s]
    GrBuffer pending;         ///< messages that are not in run.mcap yet: Pending and its bytes, one after another
};

/// Head of a message that is not written yet.
typedef struct Pending {
    int channel;
    uint64_t time; ///< [ns]
    size_t size;
} Pending;

/// Of messages that are kept [bytes].
enum { PENDING_MOST = 8 << 20 };

static const char *path_of(const GrRecordDef *def, const char *file, char out[GR_FILE_PATH_SIZE])
{
    snprintf(out, GR_FILE_PATH_SIZE, "%s/%s", def->directory, file);
    return out;
}

const char *const gr_run_files[GR_RUN_FILE_COUNT] = {"run.csv",      "run.mcap",    "replay.bin",
                                                     "summary.json", "report.html", "replay.html",
                                                     "ruts.bin",     "ground.tif",  "ruts.tif"};

/// Room for the last summary of a run that fills the disk: freed before it is written. Hidden, and gone after the run.
static const char RESERVE[] = ".reserve";
enum { RESERVE_BYTES = 64 << 10 };

static void reserve_room(const GrRecordDef *def)
{
    char path[GR_FILE_PATH_SIZE];
    const int fd = open(path_of(def, RESERVE, path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd >= 0) {
        posix_fallocate(fd, 0, RESERVE_BYTES); // without it a full disk costs the summary, nothing else
        close(fd);
    }
}

static void free_room(const GrRecordDef *def)
{
    char path[GR_FILE_PATH_SIZE];
    unlink(path_of(def, RESERVE, path));
}

/// Before a new run starts.
static void remove_files(const GrRecordDef *def)
{
    char path[GR_FILE_PATH_SIZE];
    free_room(def);
    for (int i = 0; i < GR_RUN_FILE_COUNT; i++) {
        unlink(path_of(def, gr_run_files[i], path));
    }
    gr_run_sensors_remove(def->directory);
}

/// Whether a folder contains a run: its summary.json is one of ours, not a file of another program with that name.
static bool has_run(const GrRecordDef *def)
{
    enum { SUMMARY_MAX = 64 << 20 };
    char path[GR_FILE_PATH_SIZE], *text;
    size_t size;
    if (gr_file_read(path_of(def, "summary.json", path), SUMMARY_MAX, &text, &size, NULL) != GR_OK) {
        return false;
    }
    const bool ours = strstr(text, "\"outcome_text\":") != NULL && strstr(text, "\"state_hash\":") != NULL;
    gr_free(text);
    return ours;
}

/// An existing folder must be empty or contain a run, so that foreign files are never mixed with ours. It is locked
/// before anything in it is looked at.
static GrStatus take_directory(const GrRecordDef *def, int *lock, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    *lock = -1;
    if (strlen(def->directory) + 32 > sizeof path) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = def->directory}, "the path is too long");
    }
    GrStatus status = gr_folder_make(def->directory, log);
    GrNameList names = {0};
    if (status == GR_OK) {
        status = gr_folder_lock(def->directory, lock, log);
    }
    if (status == GR_OK) {
        status = gr_folder_list(def->directory, "", &names, log);
    }
    if (status == GR_OK && names.count > 0 && !has_run(def)) {
        status = gr_error_add(
            log, GR_ERROR_FILE, (GrLocation){.file = def->directory},
            "the folder contains '%s' but no summary.json of a run: it is not the folder of a run and is not "
            "changed; choose another folder",
            names.names[0]);
    }
    gr_name_list_free(&names);
    if (status == GR_OK) {
        remove_files(def);
    } else {
        gr_folder_unlock(*lock);
    }
    return status;
}

int gr_record_take_lock(GrRecord *record)
{
    const int lock = record->lock;
    record->lock = -1;
    return lock;
}

static GrRunHead head_of(const GrRecord *record)
{
    return (GrRunHead){.name = record->def.name,
                       .title = record->def.title,
                       .model = record->def.model,
                       .trust = record->def.trust,
                       .bands = record->def.bands};
}

static GrStatus write_summary(GrRecord *record, const GrRunSummary *summary, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    const GrRunHead head = head_of(record);
    return gr_run_summary_save(&head, summary, path_of(&record->def, "summary.json", path), log);
}

static GrStatus write_report(GrRecord *record, const GrRunSummary *summary, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    GrBuffer page = {0};
    const GrRunReport report = {&record->def, summary, &record->history, &record->track};
    GrStatus status = gr_run_report_write(&report, &page, log);
    if (status == GR_OK) {
        status = gr_file_write(path_of(&record->def, "report.html", path), page.data, page.size, log);
    }
    gr_buffer_free(&page);
    return status;
}

static void note_for_report(GrRecord *record, const GrSample *sample)
{
    double slip = 0;
    const int wheels = gr_model_wheel_count(record->def.model);
    for (int i = 0; i < wheels; i++) {
        slip += fabs(sample->wheels[i].slip) / wheels;
    }
    gr_run_history_add(&record->history, sample);
    record->slip += (slip - record->slip) * SLIP_SHARE;
    gr_track_add(&record->track, sample->pose.position, record->slip);
}

/// Rewrites summary and report when they are due.
static GrStatus refresh(GrRecord *record, double now, GrErrorLog *log)
{
    const bool report_due = record->def.report && now >= record->report_due;
    if (now - record->summarised < SUMMARY_SECONDS && !report_due) {
        return GR_OK;
    }
    GrRunSummary so_far = {0};
    const GrRunSummary *summary = gr_run_totals_finish(&record->totals, now - record->start);
    if (record->def.so_far != NULL && record->def.so_far(record->def.context, &so_far) == GR_OK) {
        so_far.wall_time = summary->wall_time;
        so_far.real_time_factor = summary->real_time_factor;
        summary = &so_far;
    }
    record->summarised = now;
    GrStatus status = write_summary(record, summary, log);
    if (status == GR_OK && report_due) {
        status = write_report(record, summary, log);
        const double end = gr_wall_time();
        record->report_due = end + fmax(REPORT_SECONDS, REPORT_SHARE * (end - now));
    }
    gr_run_summary_free(&so_far);
    return status;
}

/// Only while the queue is idle.
static GrStatus write_pending(GrRecord *record, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (size_t at = 0; at < record->pending.size && status == GR_OK;) {
        const GrTopicSink sink = run_mcap_sink(record->mcap);
        Pending head;
        memcpy(&head, record->pending.data + at, sizeof head);
        GrBuffer *out = sink.begin(sink.context, head.channel, head.time);
        if (out != NULL) {
            gr_buffer_add(out, record->pending.data + at + sizeof head, head.size);
            sink.end(sink.context);
        }
        status = run_mcap_tick(record->mcap, gr_wall_time(), log);
        at += sizeof head + head.size;
    }
    record->pending.size = 0;
    return status;
}

GrTopicSink gr_record_sink(GrRecord *record)
{
    return record->mcap != NULL ? run_mcap_sink(record->mcap) : (GrTopicSink){0};
}

GrStatus gr_record_message(GrRecord *record, int channel, double time, const GrBuffer *bytes, GrErrorLog *log)
{
    if (record->status != GR_OK || record->mcap == NULL) {
        return record->status;
    }
    const Pending head = {channel, (uint64_t)llround(1e9 * fmax(0, time)), bytes->size};
    gr_buffer_add(&record->pending, (const char *)&head, sizeof head);
    gr_buffer_add(&record->pending, bytes->data, bytes->size);
    if (record->pending.failed || bytes->failed) {
        record->status = gr_out_of_memory(log, record->directory);
    } else if (record->pending.size > PENDING_MOST) {
        record->status = record->queue != NULL ? gr_sample_queue_drain(record->queue, log) : GR_OK;
        record->status = record->status == GR_OK ? write_pending(record, log) : record->status;
    }
    return record->status;
}

static void destroy(GrRecord *record)
{
    gr_buffer_free(&record->pending);
    gr_run_history_free(&record->history);
    gr_run_totals_free(&record->totals);
    gr_folder_unlock(record->lock);
    gr_free(record);
}

static bool open_files(GrRecord *record, GrErrorLog *log)
{
    const GrRecordDef *def = &record->def;
    char path[GR_FILE_PATH_SIZE];
    reserve_room(def);
    if (write_summary(record, gr_run_totals_finish(&record->totals, 0), log) != GR_OK) {
        return false;
    }
    if (def->csv) {
        record->csv = gr_run_csv_open(path_of(def, "run.csv", path), def, record->start, log);
        if (record->csv == NULL) {
            return false;
        }
    }
    if (def->mcap) {
        record->mcap = run_mcap_open(path_of(def, "run.mcap", path), def, record->start, log);
        if (record->mcap == NULL) {
            return false;
        }
    }
    if (def->replay) {
        const GrReplayDef replay = {
            .record = *def, .rate = def->rate, .duration = def->duration, .tolerance = def->tolerance};
        record->replay = gr_replay_file_open(path_of(def, "replay.bin", path), &replay, log);
        if (record->replay == NULL) {
            return false;
        }
    }
    return true;
}

/// Writes one sample to all growing files. Runs in the queue's thread, or in the run's while that is idle.
static GrStatus take_sample(void *context, const GrSample *sample, GrErrorLog *log)
{
    GrRecord *record = context;
    const double now = gr_wall_time();
    GrStatus status = GR_OK;
    gr_run_totals_add(&record->totals, sample);
    if (record->csv != NULL) {
        status = gr_run_csv_add(record->csv, sample, now, log);
    }
    if (record->mcap != NULL && status == GR_OK) {
        status = run_mcap_add(record->mcap, sample, now, log);
    }
    if (record->replay != NULL && status == GR_OK) {
        status = gr_run_replay_add(gr_replay_file_run(record->replay), sample, now, log);
    }
    if (record->def.report) {
        note_for_report(record, sample);
    }
    return status;
}

static GrRecord *open_record(const GrRecordDef *def, GrErrorLog *log)
{
    int lock;
    if (take_directory(def, &lock, log) != GR_OK) {
        return NULL;
    }
    GrRecord *record = gr_calloc(1, sizeof *record);
    if (record == NULL) {
        gr_folder_unlock(lock);
        gr_out_of_memory(log, def->directory);
        return NULL;
    }
    record->lock = lock;
    if (!gr_run_totals_init(&record->totals, def->model) ||
        !gr_run_history_init(&record->history, def->model, gr_sample_parts(def->supplied, def->localised))) {
        gr_out_of_memory(log, def->directory);
        destroy(record);
        return NULL;
    }
    record->def = *def;
    snprintf(record->directory, sizeof record->directory, "%s", def->directory);
    record->def.directory = record->directory;
    record->start = record->summarised = gr_wall_time();
    record->drained = record->start;
    record->report_due = record->start + REPORT_SECONDS;
    if (!open_files(record, log)) {
        gr_run_csv_close(record->csv, NULL);
        run_mcap_close(record->mcap, NULL);
        remove_files(def);
        destroy(record);
        return NULL;
    }
    record->queue = gr_sample_queue_create(def->model, def->rock_count, take_sample, record);
    return record;
}

GrStatus gr_record_open(const GrRecordDef *def, GrRecord **out, GrErrorLog *log)
{
    *out = open_record(def, log);
    return *out != NULL ? GR_OK : gr_messages_last_error(log, GR_ERROR_FILE);
}

/// Heights are read in the run's own thread, since between samples the run may load other parts of the terrain into
/// memory.
static bool needs_ground(const GrRecord *record, const GrSample *sample)
{
    return !record->begun || (record->mcap != NULL && run_mcap_needs_ground(record->mcap, sample)) ||
           (record->replay != NULL && gr_run_replay_needs_ground(gr_replay_file_run(record->replay), sample));
}

GrStatus gr_record_add(GrRecord *record, const GrSample *sample, GrErrorLog *log)
{
    if (record->status != GR_OK) {
        return record->status;
    }
    const double now = gr_wall_time();
    if (record->queue != NULL && record->pending.size == 0 && !needs_ground(record, sample) &&
        now - record->drained < QUEUE_SECONDS) {
        record->status = gr_sample_queue_add(record->queue, sample, log);
        return record->status;
    }
    record->begun = true;
    if (record->queue != NULL) {
        record->status = gr_sample_queue_drain(record->queue, log);
    }
    if (record->status == GR_OK) { // before the sample, whatever the time: equal runs have equal bytes
        record->status = write_pending(record, log);
    }
    if (record->status == GR_OK) {
        record->status = take_sample(record, sample, log);
    }
    if (record->status == GR_OK) {
        record->status = refresh(record, now, log);
    }
    record->drained = gr_wall_time();
    return record->status;
}

/// A run that ended because its files could not be written says so in its summary.
static void note_failure(GrRecord *record, const GrErrorLog *log)
{
    GrRunSummary *summary = &record->totals.summary;
    if (record->status == GR_OK) {
        return;
    }
    summary->outcome = GR_OUTCOME_INTERRUPTED;
    summary->outcome_time = summary->time;
    snprintf(summary->cause, sizeof summary->cause, "%s", gr_status_text(record->status));
    for (int i = 0; log != NULL && i < log->count; i++) {
        if (log->items[i].status == record->status && log->items[i].severity == GR_SEVERITY_ERROR) {
            snprintf(summary->cause, sizeof summary->cause, "%.100s: %.150s", log->items[i].file, log->items[i].text);
            return;
        }
    }
}

/// Where nothing more can be written: files end with their last whole record, and only the summary follows. What fails
/// now is a consequence of the first failure, which the log has.
static GrStatus close_short(GrRecord *record, const GrRunSummary *summary, GrErrorLog *log)
{
    const GrStatus status = record->status;
    gr_run_csv_close(record->csv, NULL);
    run_mcap_close(record->mcap, NULL);
    gr_replay_file_close(record->replay, summary, NULL);
    write_summary(record, summary, log);
    destroy(record);
    return status;
}

GrStatus gr_record_close(GrRecord *record, const GrRunSummary *summary, GrErrorLog *log)
{
    if (record == NULL) {
        return GR_OK;
    }
    if (record->queue != NULL && record->status == GR_OK) {
        record->status = gr_sample_queue_drain(record->queue, log);
    }
    if (record->status == GR_OK) {
        record->status = write_pending(record, log);
    }
    gr_sample_queue_free(record->queue);
    free_room(&record->def);
    if (summary == NULL) {
        note_failure(record, log);
        summary = gr_run_totals_finish(&record->totals, gr_wall_time() - record->start);
    }
    if (record->status == GR_ERROR_WRITE) {
        return close_short(record, summary, log);
    }
    const GrStatus parts[] = {record->status,
                              gr_run_csv_close(record->csv, log),
                              run_mcap_close(record->mcap, log),
                              gr_replay_file_close(record->replay, summary, log),
                              write_summary(record, summary, log),
                              record->def.report ? write_report(record, summary, log) : GR_OK};
    destroy(record);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i] != GR_OK) {
            return parts[i];
        }
    }
    return GR_OK;
}
