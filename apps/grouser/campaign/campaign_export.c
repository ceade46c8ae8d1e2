/// grouser campaign export: all runs of a study as a table.
#include "buffer.h"
#include "campaign_command.h"
#include "csv.h"
#include "file.h"
#include "json.h"
#include "options.h"
#include "out_of_memory.h"
#include "report.h"
#include "study_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_number(GrBuffer *out, double value)
{
    gr_buffer_puts(out, ",");
    if (!isnan(value)) {
        gr_buffer_number(out, value);
    }
}

/// A variable or measure of a run.
static void put_value(const GrStudyTable *t, int row, int column, GrBuffer *out)
{
    const char *text = column < t->variable_count ? t->texts[row * t->variable_count + column] : NULL;
    if (text != NULL) {
        gr_buffer_puts(out, ",");
        gr_csv_put(out, text);
    } else {
        put_number(out,
                   t->values[(size_t)row * ((size_t)t->variable_count + (size_t)t->measure_count) + (size_t)column]);
    }
}

static void put_csv(const GrStudyTable *t, GrBuffer *out)
{
    const int columns = t->variable_count + t->measure_count;
    gr_buffer_puts(out, "id");
    for (int k = 0; k < columns; k++) {
        gr_buffer_puts(out, ",");
        gr_csv_put(out, t->columns[k].name);
    }
    gr_buffer_puts(out, ",outcome,cause,warnings\n");
    for (int i = 0; i < t->row_count; i++) {
        gr_buffer_printf(out, "%" PRId64, t->ids[i]);
        for (int k = 0; k < columns; k++) {
            put_value(t, i, k, out);
        }
        gr_buffer_puts(out, ",");
        gr_csv_put(out, t->outcomes[i]);
        gr_buffer_puts(out, ",");
        gr_csv_put(out, t->causes[i]);
        gr_buffer_printf(out, ",%d\n", t->warnings[i]);
    }
}

static void put_json(const GrStudyTable *t, GrBuffer *out)
{
    const int columns = t->variable_count + t->measure_count;
    GrJson json = gr_json_to_buffer(out, false);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "name", t->name);
    gr_json_string(&json, "version", t->version);
    gr_json_begin_array(&json, "runs");
    for (int i = 0; i < t->row_count; i++) {
        gr_json_begin_object(&json, NULL);
        gr_json_integer(&json, "id", t->ids[i]);
        for (int k = 0; k < columns; k++) {
            const char *text = k < t->variable_count ? t->texts[i * t->variable_count + k] : NULL;
            text != NULL
                ? gr_json_string(&json, t->columns[k].name, text)
                : gr_json_number(&json, t->columns[k].name, t->values[(size_t)i * (size_t)columns + (size_t)k]);
        }
        gr_json_string(&json, "outcome", t->outcomes[i]);
        gr_json_string(&json, "cause", t->causes[i]);
        gr_json_integer(&json, "warnings", t->warnings[i]);
        gr_json_end(&json);
    }
    gr_json_end(&json);
    gr_json_end(&json);
    gr_json_finish(&json);
}

/// One row for each design: its variables, its measures on the soil itself, and their bands.
static void put_bands_csv(const GrStudyTable *t, const GrStudyBands *b, GrBuffer *out)
{
    gr_buffer_puts(out, "id");
    for (int k = 0; k < t->variable_count + t->measure_count; k++) {
        if (k != b->variable) {
            gr_buffer_puts(out, ",");
            gr_csv_put(out, t->columns[k].name);
        }
        if (k >= t->variable_count) {
            gr_buffer_printf(out, ",%s_low,%s_high", t->columns[k].name, t->columns[k].name);
        }
    }
    gr_buffer_puts(out, ",samples,succeeded_share,succeeded_share_low,succeeded_share_high\n");
    for (int i = 0; i < b->design_count; i++) {
        const GrStudyDesign *d = &b->designs[i];
        gr_buffer_printf(out, "%" PRId64, t->ids[d->row]);
        for (int k = 0; k < t->variable_count; k++) {
            if (k != b->variable) {
                put_value(t, d->row, k, out);
            }
        }
        for (int k = 0; k < t->measure_count; k++) {
            put_number(out, gr_study_design_value(t, d, k));
            put_number(out, d->bands[k].low);
            put_number(out, d->bands[k].high);
        }
        gr_buffer_printf(out, ",%d", d->samples);
        put_number(out, d->share.value);
        put_number(out, d->share.low);
        put_number(out, d->share.high);
        gr_buffer_puts(out, "\n");
    }
}

static void put_bands_json(const GrStudyTable *t, const GrStudyBands *b, GrBuffer *out)
{
    GrJson json = gr_json_to_buffer(out, false);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "name", t->name);
    gr_json_string(&json, "version", t->version);
    gr_study_put_designs(&json, t, b);
    gr_json_end(&json);
    gr_json_finish(&json);
}

/// Refuses endings of formats that are not written. A name without an ending is CSV.
static GrStatus check_ending(const char *path, GrErrorLog *log)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL, *name = slash != NULL ? slash + 1 : path;
    const char *ending = name != NULL ? strrchr(name, '.') : NULL;
    if (ending == NULL || strcmp(ending, ".csv") == 0 || strcmp(ending, ".json") == 0) {
        return GR_OK;
    }
    return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.file = path, .field = "--out"},
                        "found '%.40s', expected .csv or .json. Programs that write Parquet read these, and the study "
                        "itself, an SQLite database",
                        ending);
}

/// `bands`: one row for each design; NULL: one for each run.
static GrStatus write_out(const GrStudyTable *table, const GrStudyBands *bands, const char *path, GrErrorLog *log)
{
    GrBuffer text = {0};
    const size_t length = path != NULL ? strlen(path) : 0;
    const bool json = length > 5 && strcmp(path + length - 5, ".json") == 0;
    if (bands != NULL) {
        (json ? put_bands_json : put_bands_csv)(table, bands, &text);
    } else {
        (json ? put_json : put_csv)(table, &text);
    }
    GrStatus status = GR_OK;
    if (text.failed) {
        status = gr_out_of_memory(log, path);
    } else if (path != NULL) {
        status = gr_file_write(path, text.data, text.size, log);
    } else {
        fwrite(text.data, 1, text.size, stdout); // main() checks stdout
    }
    gr_buffer_free(&text);
    return status;
}

static int run(int argc, char **argv)
{
    const char *path = NULL;
    bool banded = false;
    const GrOption options[] = {
        {.name = "out",
         .letter = 'o',
         .value = "FILE",
         .text = &path,
         .help = "FILE.csv or FILE.json (default: CSV to standard output)"},
        {.name = "bands",
         .flag = &banded,
         .help = "of a study with samples of the soil: a row for each design, its measures with their bands of 90 %"},
    };
    const char *arguments[1];
    int exit_code;
    if (gr_options_parse(&gr_campaign_export, options, 2, argc, argv, arguments, 1, 1, &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrStudyTable table = {0};
    GrStatus status = check_ending(path, &log);
    GrStudy *study = status == GR_OK ? gr_study_read(arguments[0], &log) : NULL;
    status = status != GR_OK ? status : study != NULL ? gr_study_table(study, &table, &log) : GR_ERROR_FILE;
    GrStudyBands bands = {0};
    status = status == GR_OK ? gr_study_bands(&table, &bands, &log) : status;
    if (status == GR_OK && banded && bands.variable < 0) {
        status =
            gr_error_add(&log, GR_ERROR_USAGE, (GrLocation){.file = arguments[0], .field = "--bands"},
                         "the study has no designs on samples of the soil; grouser sweep --uncertainty N makes them");
    }
    status = status == GR_OK ? write_out(&table, banded ? &bands : NULL, path, &log) : status;
    gr_report_log(&log);
    gr_study_bands_free(&bands);
    gr_study_table_free(&table);
    gr_study_close(study);
    return status == GR_OK ? GR_EXIT_OK : gr_report_exit_code(status);
}

const GrCommand gr_campaign_export = {
    .name = "campaign export",
    .summary = "all runs as CSV or JSON",
    .usage = "campaign export STUDY [-o FILE] [--bands]",
    .details = "Writes one row for each finished run: id, variables, measures, outcome and cause. A measure that a run "
               "does not\nhave is an empty cell. Other programs can also read the study itself: it is an SQLite "
               "database with the\ntable `runs`.",
    .example = "  grouser campaign export slope.db -o slope.csv\n"
               "  grouser campaign export slope.db --bands\n"
               "  grouser campaign export slope.db -o slope.json",
    .run = run,
};
