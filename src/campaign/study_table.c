/// Reads a study: all its runs as a table, and single runs by their id.
#include "study_parts.h"

#include "alloc.h"
#include "number.h"
#include "out_of_memory.h"
#include "soil_spread.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gr_study_table_free(GrStudyTable *table)
{
    for (int i = 0; i < table->row_count; i++) {
        gr_free(table->outcomes[i]);
        gr_free(table->causes[i]);
        for (int k = 0; k < table->variable_count; k++) {
            gr_free(table->texts[i * table->variable_count + k]);
        }
    }
    gr_free(table->columns);
    gr_free(table->ids);
    gr_free(table->values);
    gr_free(table->texts);
    gr_free(table->outcomes);
    gr_free(table->causes);
    gr_free(table->succeeded);
    gr_free(table->predictions);
    gr_free(table->warnings);
    gr_free(table->wall);
    *table = (GrStudyTable){0};
}

static const char *text_of(sqlite3_stmt *s, int at)
{
    const unsigned char *text = sqlite3_column_text(s, at);
    return text != NULL ? (const char *)text : "";
}

static int count_of(GrStudy *study, const char *sql)
{
    sqlite3_stmt *s = gr_study_prepare(study, sql, NULL);
    const int count = s != NULL && sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int(s, 0) : 0;
    sqlite3_finalize(s);
    return count;
}

const char *gr_study_band_word(sqlite3_stmt *s, int column)
{
    const char *text = text_of(s, column);
    return text[0] == '\0' ? NULL : gr_band_word(strcmp(text, gr_band_word(1)) == 0);
}

const char *gr_study_prediction(GrStudy *study)
{
    const char *word = NULL;
    for (int outside = 0; outside < 2 && study->format > 1; outside++) {
        char sql[100];
        snprintf(sql, sizeof sql, "SELECT EXISTS(SELECT 1 FROM runs WHERE prediction='%s')", gr_band_word(outside));
        word = count_of(study, sql) > 0 ? gr_band_word(outside) : word;
    }
    return word;
}

static GrStatus read_columns(GrStudy *study, GrStudyTable *out, GrErrorLog *log)
{
    const int count = count_of(study, "SELECT count(*) FROM columns");
    sqlite3_stmt *s = gr_study_prepare(study, "SELECT kind, name, text FROM columns ORDER BY position", log);
    out->columns = gr_calloc((size_t)count + 2, sizeof *out->columns);
    for (int i = 0; s != NULL && out->columns != NULL && i < count && sqlite3_step(s) == SQLITE_ROW; i++) {
        GrStudyColumn *column = &out->columns[i];
        column->is_measure = strcmp(text_of(s, 0), "measure") == 0;
        column->is_seed = strcmp(text_of(s, 0), "seed") == 0;
        gr_text_copy(column->name, sizeof column->name, text_of(s, 1));
        gr_label_of(column->name, column->label);
        gr_text_copy(column->text, sizeof column->text, text_of(s, 2));
        column->is_share =
            column->is_measure && (strcmp(column->text, "succeeded") == 0 || strncmp(column->text, "outcome.", 8) == 0);
        *(column->is_measure ? &out->measure_count : &out->variable_count) += 1;
    }
    sqlite3_finalize(s);
    return out->columns != NULL && s != NULL ? GR_OK : gr_out_of_memory(log, study->path);
}

static bool allocate(GrStudyTable *t, size_t rows)
{
    const size_t columns = (size_t)t->variable_count + (size_t)t->measure_count;
    t->ids = gr_calloc(rows + 1, sizeof *t->ids);
    t->values = gr_calloc(rows * columns + 1, sizeof *t->values);
    t->texts = gr_calloc(rows * (size_t)t->variable_count + 1, sizeof *t->texts);
    t->outcomes = gr_calloc(rows + 1, sizeof *t->outcomes);
    t->causes = gr_calloc(rows + 1, sizeof *t->causes);
    t->succeeded = gr_calloc(rows + 1, sizeof *t->succeeded);
    t->predictions = gr_calloc(rows + 1, sizeof *t->predictions);
    t->warnings = gr_calloc(rows + 1, sizeof *t->warnings);
    t->wall = gr_calloc(rows + 1, sizeof *t->wall);
    return t->ids != NULL && t->values != NULL && t->texts != NULL && t->outcomes != NULL && t->causes != NULL &&
           t->succeeded != NULL && t->predictions != NULL && t->warnings != NULL && t->wall != NULL;
}

/// The question of the campaign as one more measure. False when out of memory.
static bool add_question(GrStudy *study, GrStudyTable *t)
{
    char *text = gr_study_pair(study, "text");
    t->question_measure = -1;
    const bool read = text != NULL && gr_question_parse(text, &t->question) == GR_OK;
    gr_free(text);
    if (read && t->question.count > 0 && t->question.count <= GR_QUESTION_CONDITIONS) {
        GrStudyColumn *column = &t->columns[t->variable_count + t->measure_count];
        *column = (GrStudyColumn){.is_measure = true, .is_share = true};
        const char *name = t->question.count > 1 ? "within all limits" : t->question.words;
        gr_text_copy(column->name, sizeof column->name, name);
        gr_text_copy(column->label, sizeof column->label, name);
        gr_text_copy(column->text, sizeof column->text, "1 where a run ends without failure and keeps every limit");
        t->question_measure = t->measure_count++;
    }
    return read || count_of(study, "SELECT count(*) FROM campaign WHERE name='text' AND value IS NOT NULL") == 0;
}

static void answer_question(GrStudyTable *t)
{
    const int columns = t->variable_count + t->measure_count;
    for (int i = 0; i < t->row_count && t->question_measure >= 0; i++) {
        t->values[(size_t)i * (size_t)columns + (size_t)(t->variable_count + t->question_measure)] =
            gr_question_holds(&t->question, t, i);
    }
}

/// "SELECT id, outcome, …, columns FROM runs": the columns by their names, as SQL.
static sqlite3_stmt *select_runs(GrStudy *study, const GrStudyTable *t, const char *where, GrErrorLog *log)
{
    GrBuffer sql = {0};
    gr_buffer_puts(&sql, "SELECT id, outcome, cause, warnings, wall_s, state_hash, succeeded_");
    gr_buffer_puts(&sql, study->format > 1 ? ", prediction" : ", NULL");
    for (int i = 0; i < t->variable_count + t->measure_count; i++) {
        const bool stored = t->question_measure < 0 || i != t->variable_count + t->question_measure;
        char *name = stored ? sqlite3_mprintf(", \"%w\"", t->columns[i].name) : NULL;
        gr_buffer_puts(&sql, name != NULL ? name : ", NULL");
        sqlite3_free(name);
    }
    gr_buffer_puts(&sql, " FROM runs WHERE ");
    gr_buffer_puts(&sql, where);
    sqlite3_stmt *s = sql.failed ? NULL : gr_study_prepare(study, sql.data, log);
    gr_buffer_free(&sql);
    return s;
}

enum { FIRST_COLUMN = 8 };

static bool take_row(sqlite3_stmt *s, GrStudyTable *t)
{
    const int r = t->row_count, columns = t->variable_count + t->measure_count;
    t->ids[r] = sqlite3_column_int64(s, 0);
    t->outcomes[r] = gr_strdup(text_of(s, 1));
    t->causes[r] = gr_strdup(text_of(s, 2));
    t->warnings[r] = sqlite3_column_int(s, 3);
    t->wall[r] = sqlite3_column_double(s, 4);
    t->succeeded[r] = sqlite3_column_int(s, 6) != 0;
    t->predictions[r] = gr_study_band_word(s, 7);
    bool ok = t->outcomes[r] != NULL && t->causes[r] != NULL;
    for (int i = 0; i < columns; i++) {
        const int type = sqlite3_column_type(s, FIRST_COLUMN + i);
        const bool number = type == SQLITE_FLOAT || type == SQLITE_INTEGER;
        t->values[r * columns + i] = number ? sqlite3_column_double(s, FIRST_COLUMN + i) : (double)NAN;
        if (type == SQLITE_TEXT && i < t->variable_count) {
            t->texts[r * t->variable_count + i] = gr_strdup(text_of(s, FIRST_COLUMN + i));
            ok = ok && t->texts[r * t->variable_count + i] != NULL;
        }
    }
    t->row_count++;
    return ok;
}

static void copy_pair(GrStudy *study, const char *name, char *out, size_t size)
{
    char *value = gr_study_pair(study, name);
    gr_text_copy(out, size, value != NULL ? value : "");
    gr_free(value);
}

/// Whether the campaign of a study runs a scenario, by its text: its files need not exist any more.
static bool runs_scenario(GrStudy *study)
{
    char *text = gr_study_pair(study, "text");
    GrErrorLog log = {0};
    GrDocument *document = NULL;
    bool found = false;
    if (text != NULL && gr_document_parse(text, strlen(text), study->path, &document, &log) == GR_OK) {
        const GrNode *run = gr_node_find(document->root, "run");
        found = run != NULL && gr_node_find(run, "scenario") != NULL;
    }
    gr_document_free(document);
    gr_free(text);
    return found;
}

GrStatus gr_study_table(GrStudy *study, GrStudyTable *out, GrErrorLog *log)
{
    *out = (GrStudyTable){0};
    // one transaction, so that a campaign that is running does not add rows between count and reading
    GrStatus status = gr_study_execute(study, "BEGIN", log);
    status = status == GR_OK ? read_columns(study, out, log) : status;
    if (status == GR_OK) {
        bool ok = add_question(study, out);
        const int rows = count_of(study, "SELECT count(*) FROM runs WHERE outcome IS NOT NULL");
        out->planned = count_of(study, "SELECT count(*) FROM runs WHERE outcome IS NULL");
        sqlite3_stmt *s = select_runs(study, out, "outcome IS NOT NULL ORDER BY id", log);
        ok = ok && s != NULL && allocate(out, (size_t)rows);
        while (ok && out->row_count < rows && sqlite3_step(s) == SQLITE_ROW) {
            ok = take_row(s, out);
        }
        sqlite3_finalize(s);
        answer_question(out);
        status = ok ? GR_OK : gr_out_of_memory(log, study->path);
        copy_pair(study, "name", out->name, sizeof out->name);
        copy_pair(study, "title", out->title, sizeof out->title);
        out->prediction = gr_study_prediction(study);
        copy_pair(study, "version", out->version, sizeof out->version);
        out->of_scenario = runs_scenario(study);
    }
    gr_study_execute(study, "COMMIT", NULL);
    return status;
}

GrStatus gr_study_campaign(GrStudy *study, char **text, char **path, GrErrorLog *log)
{
    *text = gr_study_pair(study, "text");
    *path = gr_study_pair(study, "file");
    return *text != NULL && *path != NULL ? GR_OK : gr_study_fail(study, "the campaign's text is missing", log);
}

int gr_study_overrides(GrStudy *study, int64_t id, char (*out)[GR_VARIABLE_PATH + GR_VARIABLE_TEXT], GrResult *result,
                       GrErrorLog *log)
{
    GrStudyTable columns = {.question_measure = -1};
    char where[60];
    int count = -1;
    snprintf(where, sizeof where, "id = %" PRId64, id);
    *result = (GrResult){0};
    sqlite3_stmt *s = read_columns(study, &columns, log) == GR_OK ? select_runs(study, &columns, where, log) : NULL;
    if (s != NULL && sqlite3_step(s) == SQLITE_ROW && columns.variable_count <= GR_CAMPAIGN_VARIABLES) {
        count = columns.variable_count;
        gr_text_copy(result->outcome, sizeof result->outcome, text_of(s, 1));
        gr_text_copy(result->cause, sizeof result->cause, text_of(s, 2));
        result->state_hash = strtoull(text_of(s, 5), NULL, 16);
        for (int i = 0; i < count; i++) {
            char number[GR_NUMBER_SIZE];
            gr_number_format(sqlite3_column_double(s, FIRST_COLUMN + i), number);
            const bool text = sqlite3_column_type(s, FIRST_COLUMN + i) == SQLITE_TEXT;
            snprintf(out[i], sizeof out[i], "%s=%s", columns.columns[i].name,
                     text ? text_of(s, FIRST_COLUMN + i) : number);
        }
    } else if (s != NULL) {
        const int last = count_of(study, "SELECT max(id) FROM runs");
        gr_error_add(log, GR_ERROR_NAME, (GrLocation){.file = study->path},
                     "there is no run %" PRId64 "; allowed: 1 to %d", id, last);
    }
    sqlite3_finalize(s);
    gr_study_table_free(&columns);
    return count;
}
