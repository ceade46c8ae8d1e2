/// grouser dataset: labelled samples of all runs of a campaign, a file for each run, with a datasheet.
#include "dataset.h"

#include "alloc.h"
#include "campaign.h"
#include "file.h"
#include "key_hash.h"
#include "messages.h"
#include "number.h"
#include "options.h"
#include "out_of_memory.h"
#include "report.h"
#include "subjects.h"
#include "version.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATCH_MOST = 65 };

typedef struct DatasetOptions {
    const char *campaign, *folder, *shard;
    double patch, cell;
    bool images, json;
} DatasetOptions;

/// How far a dataset is.
typedef struct Progress {
    uint64_t total, mine, done, kept; ///< runs of the campaign, of this part; made now; there already
    uint64_t failed;                  ///< runs that could not be made, such as on ground too steep to stand on
    char why[GR_NOTE_SIZE];           ///< of the first of these
    size_t samples;
} Progress;

static const char ENDING[] = ".npz";

/// The key in the name is of the run and of the options that its arrays depend on.
static void path_of(const DatasetOptions *o, uint64_t index, const GrRow *row, char path[GR_FILE_PATH_SIZE])
{
    char patch[GR_NUMBER_SIZE], cell[GR_NUMBER_SIZE];
    gr_number_format(o->patch, patch);
    gr_number_format(o->patch > 0 ? o->cell : 0, cell);
    const uint64_t options = gr_hash_text(gr_hash_text(row->key, patch), cell);
    const uint64_t key = gr_hash_finish(gr_hash_text(options, o->images ? "images" : ""));
    snprintf(path, GR_FILE_PATH_SIZE, "%.900s/run_%05" PRIu64 "_%016" PRIx64 "%s", o->folder, index, key, ENDING);
}

/// The variables of the run, so that a shard explains itself.
static void put_variables(const GrRow *row, const GrRunSummary *summary, GrNpz *npz)
{
    char names[GR_CAMPAIGN_VARIABLES][GR_NPY_TEXT_SIZE] = {{0}},
         values[GR_CAMPAIGN_VARIABLES][GR_NPY_TEXT_SIZE] = {{0}};
    char outcome[GR_NPY_TEXT_SIZE] = {0};
    const size_t count = (size_t)row->count, one = 1;
    for (int i = 0; i < row->count; i++) {
        snprintf(names[i], GR_NPY_TEXT_SIZE, "%.63s", row->paths[i]);
        snprintf(values[i], GR_NPY_TEXT_SIZE, "%.63s", row->values[i].text);
    }
    snprintf(outcome, sizeof outcome, "%s", gr_outcome_name(summary->outcome));
    gr_npz_add(npz, "variable", GR_NPY_TEXT, 1, &count, names);
    gr_npz_add(npz, "value", GR_NPY_TEXT, 1, &count, values);
    gr_npz_add(npz, "outcome", GR_NPY_TEXT, 1, &one, outcome);
}

static GrStatus make_run(const DatasetOptions *o, const GrCampaign *c, const GrRow *row, const char *path,
                         Progress *progress, GrErrorLog *log)
{
    const char *overrides[GR_SUBJECT_OVERRIDES];
    const GrCase one = gr_row_case(row);
    const char *name = c->kind->scenario(c->subject, &one, overrides, GR_SUBJECT_OVERRIDES);
    const GrDatasetDef def = {.patch = (int)o->patch, .cell = o->cell, .images = o->images};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    if (name == NULL) {
        return gr_out_of_memory(log, path);
    }
    GrStatus status = gr_scenario_load(name, overrides, &scenario, log);
    if (status != GR_OK) {
        return status;
    }
    status = gr_world_create(scenario, &world, log);
    if (status == GR_OK) {
        GrNpz npz = {0};
        GrRunSummary summary;
        size_t count = 0;
        status = gr_dataset_run(world, &def, &npz, &count, &summary, log);
        if (status == GR_OK) {
            put_variables(row, &summary, &npz);
            status = gr_npz_end(&npz) ? gr_file_write(path, npz.zip.out.data, npz.zip.out.size, log)
                                      : gr_out_of_memory(log, path);
        }
        gr_run_summary_free(&summary);
        gr_npz_free(&npz);
        progress->samples += count;
        gr_world_free(world);
    }
    gr_scenario_free(scenario);
    return status;
}

/// "2/8" -> 2 and 8.
static GrStatus read_shard(const char *text, int *part, int *parts, GrErrorLog *log)
{
    *part = *parts = 1;
    if (text == NULL) {
        return GR_OK;
    }
    char *rest = NULL, *end = NULL;
    const long i = strtol(text, &rest, 10), n = *rest == '/' ? strtol(rest + 1, &end, 10) : 0;
    if (end != NULL && end > rest + 1 && *end == '\0' && i >= 1 && i <= n && n <= INT_MAX) {
        *part = (int)i;
        *parts = (int)n;
        return GR_OK;
    }
    return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--shard"},
                        "found '%s', expected I/N with I from 1 "
                        "to N, such as 2/8",
                        text);
}

// ---- the datasheet

static void put_columns(GrJson *json)
{
    gr_json_begin_array(json, "columns");
    for (int k = 0; k < GR_DATASET_COLUMNS; k++) {
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "name", gr_dataset_columns[k].name);
        gr_json_string(json, "text", gr_dataset_columns[k].text);
        gr_json_string(json, "role", gr_dataset_columns[k].label ? "label" : "input");
        gr_json_end(json);
    }
    gr_json_end(json);
}

/// After Gebru et al. (2021): why, what, how, and what it is not for.
static GrStatus write_datasheet(const DatasetOptions *o, const GrCampaign *c, const Progress *p, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE], *text = NULL;
    size_t size = 0;
    GrBuffer out = {0};
    GrJson json = gr_json_to_buffer(&out, true);
    if (gr_file_read(o->campaign, 1 << 20, &text, &size, NULL) != GR_OK) { // a shipped one, by its name
        text = NULL;
    }
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "title", c->title[0] != '\0' ? c->title : c->name);
    gr_json_string(&json, "purpose", "slip, sinkage, forces and contact of single wheels from the ground around them");
    gr_json_string(&json, "program", gr_version_and_bits());
    gr_json_string(&json, "campaign", c->name);
    gr_json_string(&json, "campaign_text", text != NULL ? text : "");
    gr_json_integer(&json, "runs", (long long)p->total);
    gr_json_string(&json, "files", "run_INDEX_KEY.npz, one for each run; the key is a hash of all its input");
    gr_json_string(&json, "collection",
                   "simulated; a sample for each wheel on the map at each recorded instant, the "
                   "first instant left out");
    gr_json_string(&json, "split", "by files: samples of one run are not independent");
    gr_json_string(&json, "limits",
                   "the soil law's errors are in the labels (grouser validate); valid for the rovers, "
                   "soils and slopes of the campaign alone");
    gr_json_integer(&json, "heights_nodes", (long long)o->patch);
    gr_json_number(&json, "heights_cell_m", o->cell);
    put_columns(&json);
    gr_json_begin_array(&json, "variables");
    for (int i = 0; i < c->variable_count; i++) {
        gr_json_string(&json, NULL, c->variables[i].path);
    }
    gr_json_end(&json);
    gr_json_end(&json);
    gr_json_finish(&json);
    snprintf(path, sizeof path, "%.900s/datasheet.json", o->folder);
    const GrStatus status = out.failed ? gr_out_of_memory(log, path) : gr_file_write(path, out.data, out.size, log);
    gr_buffer_free(&out);
    gr_free(text);
    return status;
}

// ---- all runs

/// A run that cannot be made is counted and has no file. What concerns the disk or memory ends the work.
static GrStatus take_failure(GrStatus status, const GrErrorLog *own, const char *path, Progress *p, GrErrorLog *log)
{
    const char *why = "";
    for (int i = own->count - 1; i >= 0; i--) {
        why = gr_messages_at(own, i)->severity == GR_SEVERITY_ERROR ? gr_messages_at(own, i)->text : why;
    }
    if (status == GR_OK) {
        return GR_OK;
    }
    if (status == GR_ERROR_MEMORY || status == GR_ERROR_WRITE || status == GR_ERROR_FILE) {
        return gr_error_add(log, status, (GrLocation){.file = path}, "%s", why);
    }
    if (p->failed++ == 0) {
        snprintf(p->why, sizeof p->why, "%.200s", why);
    }
    return GR_OK;
}

static GrStatus make_all(const DatasetOptions *o, const GrCampaign *c, Progress *p, GrErrorLog *log)
{
    int part, parts;
    GrStatus status = read_shard(o->shard, &part, &parts, log);
    status = status == GR_OK ? gr_folder_make(o->folder, log) : status;
    p->total = gr_campaign_size(c);
    status = status == GR_OK ? write_datasheet(o, c, p, log) : status;
    GrProgress bar = gr_progress_begin("dataset");
    for (uint64_t i = (uint64_t)part - 1; i < p->total && status == GR_OK; i += (uint64_t)parts) {
        static GrRow row; // too large for the stack
        char path[GR_FILE_PATH_SIZE];
        gr_campaign_row(c, i, &row);
        path_of(o, i, &row, path);
        p->mine++;
        if (access(path, F_OK) == 0) {
            p->kept++;
        } else {
            GrErrorLog own = {0}; // warnings would be the same in every run
            status = make_run(o, c, &row, path, p, &own);
            p->done += status == GR_OK;
            status = take_failure(status, &own, path, p, log);
        }
        gr_progress_update(&bar, (double)i, (double)p->total);
    }
    gr_progress_end(&bar);
    return status;
}

/// Files of another campaign, or of other options, would be learned from as well.
static void warn_of_others(const DatasetOptions *o, const GrCampaign *c, const Progress *p, GrErrorLog *log)
{
    GrNameList names;
    if (gr_folder_list(o->folder, ENDING, &names, NULL) != GR_OK) {
        return;
    }
    int others = names.count;
    for (uint64_t i = 0; i < p->total; i++) {
        static GrRow row; // too large for the stack
        char path[GR_FILE_PATH_SIZE];
        gr_campaign_row(c, i, &row);
        path_of(o, i, &row, path);
        others -= access(path, F_OK) == 0;
    }
    if (others > 0) {
        gr_warning_add(log, (GrLocation){.file = o->folder},
                       "%d of its %d files are not runs of this campaign with these options, but are read with the "
                       "dataset; remove them, or choose another folder (-o)",
                       others, names.count);
    }
    gr_name_list_free(&names);
}

static void print_answer(const DatasetOptions *o, const Progress *p)
{
    if (!o->json) {
        printf("%" PRIu64 " of %" PRIu64 " runs are in %s: %" PRIu64 " new with %zu samples, %" PRIu64 " kept\n",
               p->done + p->kept, p->total, o->folder, p->done, p->samples, p->kept);
        if (p->failed > 0) {
            printf("%" PRIu64 " runs could not be made: %s\n", p->failed, p->why);
        }
        printf("wrote %s/datasheet.json\n", o->folder);
        return;
    }
    GrJson json = gr_json_to_file(stdout, true);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "folder", o->folder);
    gr_json_integer(&json, "runs", (long long)p->total);
    gr_json_integer(&json, "runs_of_this_part", (long long)p->mine);
    gr_json_integer(&json, "new", (long long)p->done);
    gr_json_integer(&json, "kept", (long long)p->kept);
    gr_json_integer(&json, "failed", (long long)p->failed);
    gr_json_integer(&json, "new_samples", (long long)p->samples);
    gr_json_end(&json);
    gr_json_finish(&json); // main() checks stdout
}

static int run(int argc, char **argv)
{
    DatasetOptions o = {.patch = 9, .cell = 0.05};
    GrErrorLog log = {0};
    int exit_code;
    const GrOption options[] = {
        {.name = "output", .letter = 'o', .value = "DIR", .text = &o.folder, .help = "folder; default NAME.dataset"},
        {.name = "shard", .value = "I/N", .text = &o.shard, .help = "make the part I of N, for several processes"},
        {.name = "patch",
         .value = "N",
         .number = &o.patch,
         .help = "heights around a wheel: N x N nodes; default 9, 0: none"},
        {.name = "cell", .value = "M", .number = &o.cell, .help = "between these nodes [m]; default 0.05"},
        {.name = "images", .flag = &o.images, .help = "with the images of the rover's first camera"},
        {.name = "json", .flag = &o.json, .help = "print JSON"},
    };
    if (gr_options_parse(&gr_command_dataset, options, (int)(sizeof options / sizeof options[0]), argc, argv,
                         &o.campaign, 1, 1, &exit_code) < 0) {
        return exit_code;
    }
    const bool odd = o.patch == 0 || (o.patch >= 3 && o.patch <= PATCH_MOST && fmod(o.patch, 2) == 1);
    if (!odd || !(o.cell > 0 && o.cell <= 10)) {
        gr_report_error("dataset: --patch is 0 or an odd number from 3 to %d, --cell above 0 to 10 m", PATCH_MOST);
        return GR_EXIT_INPUT;
    }
    static GrCampaign campaign; // too large for the stack
    char folder[GR_NAME_SIZE + 16];
    GrStatus status = gr_campaign_load(o.campaign, &gr_campaign_kinds, &campaign, &log);
    if (status == GR_OK && (campaign.kind->scenario == NULL || gr_campaign_size(&campaign) == 0)) {
        status = gr_error_add(&log, GR_ERROR_VALUE, (GrLocation){.file = o.campaign, .field = "run"},
                              "a dataset needs a campaign that runs a scenario over a grid or samples");
    }
    if (status == GR_OK) {
        Progress progress = {0};
        snprintf(folder, sizeof folder, "%s.dataset", campaign.name);
        o.folder = o.folder != NULL ? o.folder : folder;
        status = make_all(&o, &campaign, &progress, &log);
        if (status == GR_OK) {
            print_answer(&o, &progress);
            warn_of_others(&o, &campaign, &progress, &log);
        }
    }
    gr_campaign_free(&campaign);
    gr_report_log(&log);
    return gr_report_exit_code(status);
}

const GrCommand gr_command_dataset = {
    .name = "dataset",
    .summary = "labelled samples of a campaign's runs for learning: heights, soil, slip, images, contact",
    .usage = "dataset CAMPAIGN [-o DIR] [--shard I/N] [--patch N] [--cell M] [--images] [--json]",
    .details =
        "Runs a campaign of a scenario and writes for each run a file of NumPy arrays (NPZ): for every wheel at every\n"
        "recorded instant the heights around it, slope, soil and load, and slip, sinkage, forces and contact\n"
        "state as labels; datasheet.json explains them. Runs that are there are kept, so that the same command\n"
        "goes on after an interruption.",
    .example =
        "  grouser dataset slip_learning -o slips --shard 1/2 & grouser dataset slip_learning -o slips --shard 2/2\n"
        "  python3 -c \"import grouser; print(grouser.SlipSurrogate.fit('slips').report)\"",
    .run = run,
    .arguments = "@campaigns",
};
