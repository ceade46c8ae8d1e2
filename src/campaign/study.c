#include "study.h"

#include "alloc.h"
#include "buffer.h"
#include "file.h"
#include "out_of_memory.h"
#include "study_parts.h"
#include "text.h"
#include "version.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { APPLICATION = 0x47725374, FORMAT = 2, WAIT_MS = 60000 }; // "GrSt"

GrStatus gr_study_fail(const GrStudy *study, const char *doing, GrErrorLog *log)
{
    return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = study->path}, "%s: %s", doing,
                        study->db != NULL ? sqlite3_errmsg(study->db) : "out of memory");
}

GrStatus gr_study_execute(GrStudy *study, const char *sql, GrErrorLog *log)
{
    return sqlite3_exec(study->db, sql, NULL, NULL, NULL) == SQLITE_OK ? GR_OK : gr_study_fail(study, "the study", log);
}

sqlite3_stmt *gr_study_prepare(GrStudy *study, const char *sql, GrErrorLog *log)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(study->db, sql, -1, &statement, NULL) != SQLITE_OK) {
        gr_study_fail(study, "the study", log);
        return NULL;
    }
    return statement;
}

/// Takes the lock, which the system gives back when the process ends in any way.
static GrStatus take_lock(GrStudy *study, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE + 8];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    snprintf(path, sizeof path, "%s.lock", study->path);
    study->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (study->lock < 0) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path}, "cannot be created: %s", strerror(errno));
    }
    if (fcntl(study->lock, F_SETLK, &lock) == 0) {
        return GR_OK;
    }
    struct flock other = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const bool known = fcntl(study->lock, F_GETLK, &other) == 0 && other.l_type != F_UNLCK && other.l_pid > 0;
    char who[40] = "another process";
    if (known) {
        snprintf(who, sizeof who, "process %ld", (long)other.l_pid);
    }
    return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = study->path},
                        "%s is writing this study; wait for its end, or give another file with -o", who);
}

static GrStudy *allocate(const char *path, GrErrorLog *log)
{
    GrStudy *study = gr_calloc(1, sizeof *study);
    if (study == NULL) {
        gr_out_of_memory(log, path);
        return NULL;
    }
    study->lock = -1;
    if (gr_text_copy(study->path, sizeof study->path, path) == 0) {
        gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path}, "the path is too long");
        gr_free(study);
        return NULL;
    }
    return study;
}

void gr_study_close(GrStudy *study)
{
    if (study == NULL) {
        return;
    }
    sqlite3_finalize(study->insert);
    sqlite3_finalize(study->select);
    sqlite3_finalize(study->update);
    sqlite3_close(study->db);
    if (study->lock >= 0) {
        close(study->lock);
    }
    gr_free(study);
}

bool gr_study_is_file(const char *path)
{
    static const char MAGIC[16] = "SQLite format 3"; // and a zero
    char head[sizeof MAGIC];
    FILE *file = gr_file_check_input(path, NULL) == GR_OK ? fopen(path, "rb") : NULL;
    const bool read = file != NULL && fread(head, sizeof head, 1, file) == 1;
    if (file != NULL) {
        fclose(file);
    }
    return read && memcmp(head, MAGIC, sizeof head) == 0;
}

bool gr_study_is_written(const char *path)
{
    char lock[GR_FILE_PATH_SIZE + 8];
    struct flock other = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    snprintf(lock, sizeof lock, "%s.lock", path);
    const int file = open(lock, O_RDONLY | O_CLOEXEC);
    const bool written = file >= 0 && fcntl(file, F_GETLK, &other) == 0 && other.l_type != F_UNLCK;
    if (file >= 0) {
        close(file);
    }
    return written;
}

const char *gr_study_path(const GrStudy *study)
{
    return study->path;
}

uint64_t gr_study_identity(const GrStudy *study)
{
    return study->identity;
}

char *gr_study_version(GrStudy *study)
{
    return gr_study_pair(study, "version");
}

/// "name" for SQL; names of columns come from the user's file.
static void put_name(GrBuffer *out, const char *name)
{
    gr_buffer_puts(out, "\"");
    for (const char *c = name; *c != '\0'; c++) {
        *c == '"' ? gr_buffer_puts(out, "\"\"") : gr_buffer_add(out, c, 1);
    }
    gr_buffer_puts(out, "\"");
}

static GrStatus run_built(GrStudy *study, GrBuffer *sql, GrErrorLog *log)
{
    const GrStatus status = sql->failed ? gr_out_of_memory(log, study->path) : gr_study_execute(study, sql->data, log);
    gr_buffer_free(sql);
    return status;
}

static GrStatus make_tables(GrStudy *study, const GrCampaign *c, GrErrorLog *log)
{
    GrBuffer sql = {0};
    gr_buffer_printf(&sql, "PRAGMA application_id=%d; PRAGMA user_version=%d;", APPLICATION, FORMAT);
    gr_buffer_puts(&sql, "CREATE TABLE campaign(name TEXT PRIMARY KEY, value);"
                         "CREATE TABLE columns(position INTEGER PRIMARY KEY, kind TEXT, name TEXT, text TEXT);"
                         "CREATE TABLE runs(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE");
    for (int i = 0; i < c->variable_count; i++) {
        gr_buffer_puts(&sql, ", ");
        put_name(&sql, c->variables[i].path);
    }
    gr_buffer_puts(&sql, ", outcome TEXT, cause TEXT");
    for (int i = 0; i < c->measures.count; i++) {
        gr_buffer_puts(&sql, ", ");
        put_name(&sql, c->measures.items[i].name);
        gr_buffer_puts(&sql, " REAL");
    }
    gr_buffer_puts(&sql, ", succeeded_ INTEGER, prediction TEXT, progress REAL, warnings INTEGER, seed INTEGER, "
                         "state_hash TEXT, wall_s REAL, stepping_s REAL, version TEXT, inputs TEXT);");
    return run_built(study, &sql, log);
}

static GrStatus put_pair(GrStudy *study, const char *name, const char *value, GrErrorLog *log)
{
    sqlite3_stmt *s = gr_study_prepare(study, "INSERT OR REPLACE INTO campaign VALUES(?1, ?2)", log);
    if (s == NULL) {
        return GR_ERROR_FILE;
    }
    sqlite3_bind_text(s, 1, name, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(s, 2, value, -1, SQLITE_TRANSIENT);
    const GrStatus status = sqlite3_step(s) == SQLITE_DONE ? GR_OK : gr_study_fail(study, "the study", log);
    sqlite3_finalize(s);
    return status;
}

static GrStatus put_column(GrStudy *study, int position, const char *kind, const char *name, const char *text,
                           GrErrorLog *log)
{
    sqlite3_stmt *s = gr_study_prepare(study, "INSERT INTO columns VALUES(?1, ?2, ?3, ?4)", log);
    if (s == NULL) {
        return GR_ERROR_FILE;
    }
    sqlite3_bind_int(s, 1, position);
    sqlite3_bind_text(s, 2, kind, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(s, 3, name, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(s, 4, text, -1, SQLITE_TRANSIENT);
    const GrStatus status = sqlite3_step(s) == SQLITE_DONE ? GR_OK : gr_study_fail(study, "the study", log);
    sqlite3_finalize(s);
    return status;
}

/// The text of the campaign, with the samples that the command line adds.
static GrStatus read_text(const GrCampaign *c, char **out, GrErrorLog *log)
{
    size_t size = 0;
    GrStatus status = gr_file_read(c->document->file, GR_DOCUMENT_BYTES, out, &size, log);
    if (status == GR_OK && c->added_samples > 0) {
        GrBuffer text = {0};
        gr_buffer_add(&text, *out, size);
        gr_buffer_printf(&text, "\nuncertainty: %d\n", c->added_samples);
        gr_free(*out);
        *out = text.failed ? NULL : gr_strdup(text.data);
        status = *out != NULL ? GR_OK : gr_out_of_memory(log, NULL);
        gr_buffer_free(&text);
    }
    return status;
}

/// The campaign as it is now. A study that exists keeps that of its last process: samples and missions may change
/// while the runs stay valid.
static GrStatus describe_campaign(GrStudy *study, const GrCampaign *c, GrErrorLog *log)
{
    char identity[20], where[PATH_MAX], *text = NULL;
    const bool found = realpath(c->document->file, where) != NULL;
    snprintf(identity, sizeof identity, "%016llx", (unsigned long long)c->identity);
    GrStatus status = read_text(c, &text, log);
    char *before = gr_study_pair(study, "text");
    const bool changed = text == NULL || before == NULL || strcmp(text, before) != 0;
    const struct {
        const char *name, *value;
    } pairs[] = {{"name", c->name},
                 {"title", c->title},
                 {"identity", identity},
                 {"version", gr_version_and_bits()},
                 {"file", found ? where : c->document->file},
                 {"text", text}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0] && changed && status == GR_OK; i++) {
        status = put_pair(study, pairs[i].name, pairs[i].value, log);
    }
    gr_free(before);
    gr_free(text);
    return status;
}

static GrStatus describe(GrStudy *study, const GrCampaign *c, GrErrorLog *log)
{
    GrStatus status = describe_campaign(study, c, log);
    for (int i = 0; i < c->variable_count && status == GR_OK; i++) {
        const GrVariable *v = &c->variables[i];
        // what a mission sets for each of its drives explains as little as a seed does
        const bool chosen = v->kind == GR_VARIABLE_LIST && v->text_count == 1;
        const char *kind = v->kind == GR_VARIABLE_SEED || chosen ? "seed" : "variable";
        status = put_column(study, i, kind, c->variables[i].path, "", log);
    }
    for (int i = 0; i < c->measures.count && status == GR_OK; i++) {
        status = put_column(study, c->variable_count + i, "measure", c->measures.items[i].name,
                            c->measures.items[i].text, log);
    }
    return status;
}

/// A value of the table `campaign`, to be freed; NULL: none.
char *gr_study_pair(GrStudy *study, const char *name)
{
    sqlite3_stmt *s = gr_study_prepare(study, "SELECT value FROM campaign WHERE name=?1", NULL);
    char *value = NULL;
    if (s != NULL) {
        sqlite3_bind_text(s, 1, name, -1, SQLITE_TRANSIENT);
        if (sqlite3_step(s) == SQLITE_ROW && sqlite3_column_text(s, 0) != NULL) {
            value = gr_strdup((const char *)sqlite3_column_text(s, 0));
        }
    }
    sqlite3_finalize(s);
    return value;
}

static int pragma(GrStudy *study, const char *sql)
{
    sqlite3_stmt *s = gr_study_prepare(study, sql, NULL);
    const int value = s != NULL && sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int(s, 0) : -1;
    sqlite3_finalize(s);
    return value;
}

/// Refuses files that are not studies, and formats before `oldest`: the first had no column `prediction`.
static GrStatus check_format(GrStudy *study, int oldest, GrErrorLog *log)
{
    const int application = pragma(study, "PRAGMA application_id"), format = pragma(study, "PRAGMA user_version");
    const GrLocation at = {.file = study->path};
    if (application != APPLICATION) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "this is not a study of grouser");
    }
    study->format = format;
    return format >= oldest && format <= FORMAT
               ? GR_OK
               : gr_error_add(log, GR_ERROR_VALUE, at, "a study of format %d; this version of grouser reads format %d",
                              format, (int)FORMAT);
}

/// Refuses a study of another campaign, and says what differs.
static GrStatus check_identity(GrStudy *study, const GrCampaign *c, GrErrorLog *log)
{
    char identity[20];
    char *version = gr_study_version(study), *name = gr_study_pair(study, "name"),
         *found = gr_study_pair(study, "identity");
    const GrLocation at = {.file = study->path};
    GrStatus status = GR_OK;
    snprintf(identity, sizeof identity, "%016llx", (unsigned long long)c->identity);
    if (version == NULL || strcmp(version, gr_version_and_bits()) != 0) {
        status = gr_error_add(log, GR_ERROR_VALUE, at,
                              "made by grouser %s, and this is %s, whose numbers may differ; nothing was "
                              "changed. Give another file with -o",
                              version != NULL ? version : "?", gr_version_and_bits());
    } else if (name == NULL || strcmp(name, c->name) != 0) {
        status = gr_error_add(log, GR_ERROR_VALUE, at,
                              "this is the study of the campaign '%s', not of '%s'; nothing was changed. Give another "
                              "file with -o",
                              name != NULL ? name : "?", c->name);
    } else if (found == NULL || strcmp(found, identity) != 0) {
        status =
            gr_error_add(log, GR_ERROR_VALUE, at,
                         "the campaign has changed since this study was made: its input files, variables or "
                         "measures differ, so results cannot be added; nothing was changed. Give another file with "
                         "-o");
    }
    gr_free(version);
    gr_free(name);
    gr_free(found);
    return status;
}

static GrStatus create(GrStudy *study, const GrCampaign *campaign, GrErrorLog *log)
{
    GrStatus status = gr_study_execute(study, "BEGIN IMMEDIATE", log);
    status = status == GR_OK ? make_tables(study, campaign, log) : status;
    status = status == GR_OK ? describe(study, campaign, log) : status;
    if (status == GR_OK) {
        study->format = FORMAT;
        return gr_study_execute(study, "COMMIT", log);
    }
    gr_study_execute(study, "ROLLBACK", NULL);
    return status;
}

/// Parameter of the first measure in the statement that stores a result.
enum { FIRST_MEASURE = 11 };

/// Statements with one parameter for each column, in the order of `columns`.
static GrStatus prepare_all(GrStudy *study, const GrCampaign *c, GrErrorLog *log)
{
    GrBuffer insert = {0}, select = {0}, update = {0};
    gr_buffer_puts(&insert, "INSERT OR IGNORE INTO runs(key, seed, version, inputs");
    gr_buffer_puts(
        &select,
        "SELECT id, outcome, cause, succeeded_, warnings, state_hash, wall_s, stepping_s, progress, prediction");
    gr_buffer_puts(&update, "UPDATE runs SET outcome=?2, cause=?3, succeeded_=?4, warnings=?5, state_hash=?6, "
                            "wall_s=?7, stepping_s=?8, progress=?9, prediction=?10");
    for (int i = 0; i < c->variable_count; i++) {
        gr_buffer_puts(&insert, ", ");
        put_name(&insert, c->variables[i].path);
    }
    gr_buffer_puts(&insert, ") VALUES(?1, ?2, ?3, ?4");
    for (int i = 0; i < c->variable_count; i++) {
        gr_buffer_printf(&insert, ", ?%d", 5 + i);
    }
    gr_buffer_puts(&insert, ")");
    for (int i = 0; i < c->measures.count; i++) {
        gr_buffer_puts(&select, ", ");
        put_name(&select, c->measures.items[i].name);
        gr_buffer_puts(&update, ", ");
        put_name(&update, c->measures.items[i].name);
        gr_buffer_printf(&update, "=?%d", FIRST_MEASURE + i);
    }
    gr_buffer_puts(&select, " FROM runs WHERE key=?1");
    gr_buffer_puts(&update, " WHERE key=?1");
    const bool written = !insert.failed && !select.failed && !update.failed;
    if (written) {
        study->insert = gr_study_prepare(study, insert.data, log);
        study->select = gr_study_prepare(study, select.data, log);
        study->update = gr_study_prepare(study, update.data, log);
    }
    const bool ok = study->insert != NULL && study->select != NULL && study->update != NULL;
    gr_buffer_free(&insert);
    gr_buffer_free(&select);
    gr_buffer_free(&update);
    return !written ? gr_out_of_memory(log, NULL) : ok ? GR_OK : GR_ERROR_FILE;
}

static GrStatus open_file(GrStudy *study, int flags, GrErrorLog *log)
{
    if (gr_file_check_input(study->path, log) != GR_OK) {
        return GR_ERROR_FILE;
    }
    if (sqlite3_open_v2(study->path, &study->db, flags, NULL) != SQLITE_OK) {
        return gr_study_fail(study, "cannot be opened", log);
    }
    sqlite3_busy_timeout(study->db, WAIT_MS);
    // Keys are hashes: rows are looked up all over the file, which should fit into memory (64 MB). A rollback journal
    // and no shared memory are safe on network file systems too.
    return gr_study_execute(study,
                            flags & SQLITE_OPEN_READONLY
                                ? "PRAGMA cache_size=-65536"
                                : "PRAGMA cache_size=-65536; PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL; "
                                  "PRAGMA mmap_size=0",
                            log);
}

GrStudy *gr_study_open(const char *path, const GrCampaign *campaign, GrErrorLog *log)
{
    GrStudy *study = allocate(path, log);
    if (study == NULL) {
        return NULL;
    }
    study->identity = campaign->identity;
    study->campaign = campaign;
    GrStatus status = take_lock(study, log);
    const bool exists = gr_file_exists(path);
    if (status == GR_OK) {
        status = open_file(study, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, log);
    }
    // a file of no bytes is what a process leaves that is killed while it creates it
    const bool fresh = !exists || (status == GR_OK && pragma(study, "PRAGMA page_count") == 0);
    if (status == GR_OK && fresh) {
        status = create(study, campaign, log);
    } else if (status == GR_OK) {
        status = check_format(study, FORMAT, log);
        status = status == GR_OK ? check_identity(study, campaign, log) : status;
        status = status == GR_OK ? describe_campaign(study, campaign, log) : status;
    }
    status = status == GR_OK ? prepare_all(study, campaign, log) : status;
    if (status != GR_OK) {
        gr_study_close(study);
        return NULL;
    }
    return study;
}

GrStatus gr_study_peek(const char *path, const GrCampaign *campaign, GrStudy **out, GrErrorLog *log)
{
    *out = NULL;
    if (!gr_file_exists(path)) {
        return GR_OK;
    }
    GrStudy *study = allocate(path, log);
    if (study == NULL) {
        return GR_ERROR_MEMORY;
    }
    study->identity = campaign->identity;
    study->campaign = campaign;
    GrStatus status = open_file(study, SQLITE_OPEN_READONLY, log);
    status = status == GR_OK ? check_format(study, FORMAT, log) : status;
    status = status == GR_OK ? check_identity(study, campaign, log) : status;
    status = status == GR_OK ? prepare_all(study, campaign, log) : status;
    if (status != GR_OK) {
        gr_study_close(study);
        return status;
    }
    *out = study;
    return GR_OK;
}

GrStudy *gr_study_read(const char *path, GrErrorLog *log)
{
    if (!gr_file_exists(path)) {
        gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path}, "there is no such file");
        return NULL;
    }
    GrStudy *study = allocate(path, log);
    if (study == NULL) {
        return NULL;
    }
    if (open_file(study, SQLITE_OPEN_READONLY, log) != GR_OK || check_format(study, 1, log) != GR_OK) {
        gr_study_close(study);
        return NULL;
    }
    char *identity = gr_study_pair(study, "identity");
    study->identity = identity != NULL ? strtoull(identity, NULL, 16) : 0;
    gr_free(identity);
    return study;
}

GrStatus gr_study_begin(GrStudy *study, GrErrorLog *log)
{
    return gr_study_execute(study, "BEGIN IMMEDIATE", log);
}

GrStatus gr_study_hold(GrStudy *study, GrErrorLog *log)
{
    return gr_study_execute(study, "BEGIN", log);
}

GrStatus gr_study_commit(GrStudy *study, GrErrorLog *log)
{
    const GrStatus status = gr_study_execute(study, "COMMIT", log);
    if (status != GR_OK) {
        gr_study_execute(study, "ROLLBACK", NULL);
    }
    return status;
}

void gr_study_undo(GrStudy *study)
{
    gr_study_execute(study, "ROLLBACK", NULL);
}

static void bind_key(sqlite3_stmt *s, uint64_t key)
{
    char text[20];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)key);
    sqlite3_bind_text(s, 1, text, -1, SQLITE_TRANSIENT);
}

/// Missing numbers are NULL; the format has no NaN.
static void bind_number(sqlite3_stmt *s, int at, double value)
{
    isnan(value) ? sqlite3_bind_null(s, at) : sqlite3_bind_double(s, at, value);
}

static double column_number(sqlite3_stmt *s, int at)
{
    return sqlite3_column_type(s, at) == SQLITE_NULL ? (double)NAN : sqlite3_column_double(s, at);
}

static void copy_text(sqlite3_stmt *s, int at, char *out, size_t size)
{
    const unsigned char *text = sqlite3_column_text(s, at);
    gr_text_copy(out, size, text != NULL ? (const char *)text : "");
}

static void take_result(const GrStudy *study, sqlite3_stmt *s, uint64_t key, GrResult *result)
{
    *result = (GrResult){.key = key, .metric_count = study->campaign->measures.count};
    copy_text(s, 1, result->outcome, sizeof result->outcome);
    copy_text(s, 2, result->cause, sizeof result->cause);
    result->succeeded = sqlite3_column_int(s, 3) != 0;
    result->warnings = sqlite3_column_int(s, 4);
    result->wall = column_number(s, 6);
    result->stepping = column_number(s, 7);
    result->progress = column_number(s, 8);
    result->prediction = gr_study_band_word(s, 9);
    for (int i = 0; i < result->metric_count; i++) {
        result->metrics[i] = column_number(s, FIRST_MEASURE - 1 + i);
    }
}

bool gr_study_has(GrStudy *study, uint64_t key, GrResult *result)
{
    sqlite3_stmt *s = study->select;
    bind_key(s, key);
    const bool done = sqlite3_step(s) == SQLITE_ROW && sqlite3_column_type(s, 1) != SQLITE_NULL;
    if (done && result != NULL) {
        take_result(study, s, key, result);
    }
    sqlite3_reset(s);
    return done;
}

GrStatus gr_study_plan(GrStudy *study, const GrRow *row, GrErrorLog *log)
{
    sqlite3_stmt *s = study->insert;
    char inputs[20];
    snprintf(inputs, sizeof inputs, "%016llx", (unsigned long long)study->campaign->inputs);
    bind_key(s, row->key);
    sqlite3_bind_int64(s, 2, (int64_t)study->campaign->seed);
    sqlite3_bind_text(s, 3, gr_version_and_bits(), -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(s, 4, inputs, -1, SQLITE_TRANSIENT);
    for (int i = 0; i < row->count; i++) {
        if (isnan(row->numbers[i])) {
            sqlite3_bind_text(s, 5 + i, row->values[i].text, -1, SQLITE_TRANSIENT);
        } else {
            sqlite3_bind_double(s, 5 + i, row->numbers[i]);
        }
    }
    const bool ok = sqlite3_step(s) == SQLITE_DONE;
    sqlite3_reset(s);
    return ok ? GR_OK : gr_study_fail(study, "a run cannot be planned", log);
}

GrStatus gr_study_put(GrStudy *study, const GrResult *r, bool *known, GrErrorLog *log)
{
    sqlite3_stmt *s = study->update;
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)r->state_hash);
    bind_key(s, r->key);
    sqlite3_bind_text(s, 2, r->outcome, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(s, 3, r->cause, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int(s, 4, r->succeeded);
    sqlite3_bind_int(s, 5, r->warnings);
    sqlite3_bind_text(s, 6, hash, -1, SQLITE_TRANSIENT);
    sqlite3_bind_double(s, 7, r->wall);
    sqlite3_bind_double(s, 8, r->stepping);
    sqlite3_bind_double(s, 9, r->progress);
    sqlite3_bind_text(s, 10, r->prediction, -1, SQLITE_STATIC); // NULL: none
    for (int i = 0; i < r->metric_count; i++) {
        bind_number(s, FIRST_MEASURE + i, r->metrics[i]);
    }
    const bool ok = sqlite3_step(s) == SQLITE_DONE;
    sqlite3_reset(s);
    *known = ok && sqlite3_changes(study->db) > 0;
    return ok ? GR_OK : gr_study_fail(study, "results cannot be stored", log);
}
