/// grouser campaign: results of campaigns.
#include "buffer.h"
#include "campaign_job.h"
#include "command.h"
#include "csv.h"
#include "file.h"
#include "json.h"
#include "mission.h"
#include "options.h"
#include "out_of_memory.h"
#include "report.h"
#include "study_print.h"
#include "study_sections.h"
#include "subjects.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

extern const GrCommand gr_campaign_show, gr_campaign_export, gr_campaign_plot, gr_campaign_merge;

// ---- campaign plot: a study as a page

static int run_plot(int argc, char **argv)
{
    const char *file = NULL;
    const GrOption options[] = {{.name = "out",
                                 .letter = 'o',
                                 .value = "FILE",
                                 .text = &file,
                                 .help = "the page (default: the name of the study with .html)"}};
    const char *arguments[1];
    int exit_code;
    if (gr_options_parse(&gr_campaign_plot, options, 1, argc, argv, arguments, 1, 1, &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    char beside[GR_FILE_PATH_SIZE];
    GrStatus status = file != NULL ? GR_OK : gr_campaign_page_path(arguments[0], beside, &log);
    file = file != NULL ? file : beside;
    GrCampaign campaign;
    gr_study_load_campaign(arguments[0], &campaign, &log);
    status =
        status == GR_OK ? gr_study_page_write(arguments[0], false, gr_study_sections(&campaign), file, &log) : status;
    gr_campaign_free(&campaign);
    gr_report_log(&log);
    if (status == GR_OK) {
        printf("wrote %s\n", file);
    }
    return status == GR_OK ? GR_EXIT_OK : gr_report_exit_code(status);
}

const GrCommand gr_campaign_plot = {
    .name = "campaign plot",
    .summary = "a page with histograms, responses, correlations and the runs to look at",
    .usage = "campaign plot STUDY [-o FILE]",
    .details = "Writes one HTML page that needs nothing else: outcomes, the distribution of every measure, its rank "
               "correlations\nand responses to the variables, measures against each other, and the extreme and failed "
               "runs with the\ncommands that repeat them. Works also while the campaign runs.",
    .example = "  grouser campaign plot slope.db\n"
               "  grouser campaign plot slope.db -o page.html",
    .run = run_plot,
};

// ---- campaign merge: the parts of a sweep that ran as separate jobs, brought together

static int run_merge(int argc, char **argv)
{
    GrCampaignOptions o = {.threads = -1};
    const GrOption options[] = {
        {.name = "out", .letter = 'o', .value = "FILE", .text = &o.study, .help = "the study (default NAME.db)"},
        gr_campaign_samples_option(&o)};
    const char *arguments[1];
    int exit_code;
    if (gr_options_parse(&gr_campaign_merge, options, 2, argc, argv, arguments, 1, 1, &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrCampaignJob job;
    uint64_t merged = 0;
    GrStatus status = gr_campaign_job_load(&job, arguments[0], &gr_campaign_kinds, &o, &log);
    if (status == GR_OK) {
        job.study = gr_study_open(job.study_path, &job.campaign, &log);
        status = job.study != NULL ? GR_OK : GR_ERROR_FILE;
    }
    if (status == GR_OK) {
        const GrRunnerDef def = {.campaign = &job.campaign, .study = job.study, .path = job.study_path};
        const GrBatch batch = gr_mission_batch(&job.campaign);
        status = gr_runner_merge(&def, &batch, &merged, &log);
    }
    if (status == GR_OK) {
        printf("merged %" PRIu64 " results into %s\n", merged, job.study_path);
    }
    gr_report_log(&log);
    return gr_campaign_job_end(&job, status, false);
}

const GrCommand gr_campaign_merge = {
    .name = "campaign merge",
    .summary = "bring the parts of a sweep together that ran with --shard",
    .usage = "campaign merge CAMPAIGN [-o STUDY] [--uncertainty N]",
    .details =
        "Merges the files that grouser sweep --shard I/N left beside the study into it, and deletes them. May be "
        "repeated,\nalso before all parts are done.",
    .example = "  grouser sweep slope.yaml --shard 1/2\n"
               "  grouser sweep slope.yaml --shard 2/2\n"
               "  grouser campaign merge slope.yaml",
    .run = run_merge,
    .arguments = "@campaigns",
};

// ---- campaign export: all runs of a study as a table

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
    gr_buffer_puts(out, ",samples,succeeded_share,succeeded_share_low,succeeded_share_high,prediction\n");
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
        gr_buffer_printf(out, ",%s\n", d->prediction != NULL ? d->prediction : "");
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

static int run_export(int argc, char **argv)
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
    .run = run_export,
};

// ---- campaign show: the results of a study, or one of its runs

static int run_show(int argc, char **argv)
{
    bool json = false;
    const GrOption options[] = {{.name = "json", .flag = &json, .help = "print as JSON"}};
    const char *arguments[1];
    int exit_code;
    if (gr_options_parse(&gr_campaign_show, options, 1, argc, argv, arguments, 1, 1, &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrStudyTable table = {0};
    GrStudySummary summary = {0};
    GrStudyBands bands = {.variable = -1};
    GrStudy *study = gr_study_read(arguments[0], &log);
    GrStatus status = study != NULL ? gr_study_table(study, &table, &log) : GR_ERROR_FILE;
    status = status == GR_OK ? gr_study_summarise(&table, &summary, &log) : status;
    status = status == GR_OK ? gr_study_bands(&table, &bands, &log) : status;
    if (status == GR_OK && json) {
        status = gr_study_print_json(&table, &summary, &bands, stdout);
    } else if (status == GR_OK) {
        gr_study_print(&table, &summary, &bands, arguments[0], stdout);
    }
    gr_report_log(&log);
    gr_study_bands_free(&bands);
    gr_study_summary_free(&summary);
    gr_study_table_free(&table);
    gr_study_close(study);
    return status == GR_OK ? GR_EXIT_OK : gr_report_exit_code(status);
}

const GrCommand gr_campaign_show = {
    .name = "campaign show",
    .summary = "how the runs ended, statistics of every measure, and what they depend on",
    .usage = "campaign show STUDY [--json]",
    .details =
        "Prints the results of a study (also of one that is being made): outcomes, mean, spread and quantiles of "
        "every\nmeasure, and its rank correlation with every variable.",
    .example = "  grouser campaign show slope.db",
    .run = run_show,
};

// ---- the command

static const GrCommand *const PARTS[] = {&gr_campaign_show, &gr_campaign_export, &gr_campaign_plot, &gr_campaign_merge,
                                         NULL};

const GrCommand gr_command_campaign = {
    .name = "campaign",
    .summary = "show, plot and export the results of a campaign",
    .usage = "campaign SUBCOMMAND [OPTION]...",
    .details = "Reads the study of a campaign, also while it is running.",
    .example = "  grouser campaign show slope.db\n"
               "  grouser campaign plot slope.db\n"
               "  grouser campaign export slope.db -o slope.csv",
    .parts = PARTS,
};
