/// grouser fit: parameters from measurements. One row per subcommand; `fit soil` and `fit drive` have files of their
/// own.
#include "fit_command.h"
#include "fit_terra.h"
#include "fit_trace.h"
#include "grouser/model.h"
#include "grouser/soil_file.h"
#include "json.h"
#include "options.h"
#include "report.h"
#include "soil_param.h"
#include "table.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- fit trace: the regression of wheel traces from measured ones

typedef struct TraceOptions {
    const char *data, *output, *gravity;
    GrTraceDef wheel;
    bool json;
} TraceOptions;

static void put_errors(GrJson *json, const char *name, const GrTraceLine *line, const GrTraceErrors *e)
{
    gr_json_begin_object(json, name);
    gr_json_number(json, "base_m", line->base);
    gr_json_number(json, "load_m_per_N", line->load);
    gr_json_number(json, "slip_m", line->slip);
    gr_json_number(json, "mean_absolute_error_m", e->mean_absolute);
    gr_json_number(json, "mean_error_percent", e->mean_percent);
    gr_json_number(json, "largest_error_m", e->largest);
    gr_json_number(json, "left_out_error_m", e->left_out);
    gr_json_end(json);
}

static void print_json(const TraceOptions *o, const GrTraceData *data, const GrTraceFit *fit)
{
    GrJson json = gr_json_to_file(stdout, true);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "data", o->data);
    gr_json_integer(&json, "traces", data->count);
    gr_json_number(&json, "load_min_N", fit->def.load_min);
    gr_json_number(&json, "load_max_N", fit->def.load_max);
    put_errors(&json, "mean", &fit->def.mean, &fit->mean);
    put_errors(&json, "swing", &fit->def.swing, &fit->swing);
    gr_json_end(&json);
    gr_json_finish(&json);
}

static void put_row(GrTable *table, const char *name, const GrTraceLine *line, const GrTraceErrors *e)
{
    gr_table_text(table, name);
    gr_table_number(table, 1000 * line->base, 5);
    gr_table_number(table, 1000 * line->load, 4);
    gr_table_number(table, 1000 * line->slip, 4);
    gr_table_printf(table, "%.3f", 1000 * e->mean_absolute);
    gr_table_printf(table, "%.1f", e->mean_percent);
    gr_table_printf(table, "%.3f", 1000 * e->largest);
    gr_table_printf(table, "%.3f", 1000 * e->left_out);
}

static void print_text(const TraceOptions *o, const GrTraceData *data, const GrTraceFit *fit)
{
    GrTable table = {.indent = 2};
    printf("%s: %d traces, loads %g to %g N%s\n\n", o->data, data->count, fit->def.load_min, fit->def.load_max,
           fit->by_slip ? "" : "; slip does not vary, its coefficients are 0");
    gr_table_heads(&table,
                   "[mm]|>base|>per N|>per slip|>mean |error||>mean error [%]|>largest |error||>left out |error|");
    put_row(&table, "mean height", &fit->def.mean, &fit->mean);
    put_row(&table, "crest to trough", &fit->def.swing, &fit->swing);
    gr_table_print(&table, stdout);
    gr_table_free(&table);
    printf("\n");
}

static GrStatus fit_trace(TraceOptions *o, GrErrorLog *log)
{
    GrTraceData data;
    GrTraceFit fit;
    if (!gr_gravity_named(o->gravity, &o->wheel.gravity) && !gr_options_number(o->gravity, &o->wheel.gravity)) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--gravity"},
                            "takes a known body (earth, moon, mars, ...) or a number [m/s²]");
    }
    GrStatus status = gr_trace_check(&o->wheel, log); // before the data is read, so that only the wheel can be wrong
    status = status == GR_OK ? gr_trace_data_load(o->data, &data, log) : status;
    if (status != GR_OK) {
        return status;
    }
    snprintf(o->wheel.source, sizeof o->wheel.source, "grouser fit trace, %d traces of %.180s", data.count, o->data);
    status = gr_trace_fit(&data, &o->wheel, &fit, log);
    if (status == GR_OK) {
        (o->json ? print_json : print_text)(o, &data, &fit);
        status = gr_trace_save(o->output, &fit.def, log);
        status = status == GR_ERROR_FILE ? GR_ERROR_NUMERIC : status; // not the input's fault: exit 1
    }
    gr_trace_data_free(&data);
    if (status == GR_OK) {
        fprintf(o->json ? stderr : stdout, "wrote %s\n", o->output);
    }
    return status;
}

static int run_trace(int argc, char **argv)
{
    GrErrorLog log = {0};
    TraceOptions o = {.gravity = "earth", .wheel = gr_default_trace_def()};
    const GrOption options[] = {
        {.name = "data", .value = "FILE", .text = &o.data, .help = "measured traces, a CSV file; see docs/fit.md"},
        {.name = "radius",
         .value = "M",
         .number = &o.wheel.radius,
         .help = "radius of the smooth rim [m]; default 0.1"},
        {.name = "width", .value = "M", .number = &o.wheel.width, .help = "wheel width [m]; default 0.08"},
        {.name = "grouser-height",
         .value = "M",
         .number = &o.wheel.grouser_height,
         .help = "grouser height [m]; default 0.02"},
        {.name = "gravity", .value = "G", .text = &o.gravity, .help = "earth (default), moon, mars, or [m/s²]"},
        {.name = "output", .letter = 'o', .value = "FILE", .text = &o.output, .help = "write the regression there"},
        {.name = "json", .flag = &o.json, .help = "print JSON"},
    };
    int exit_code;
    if (gr_options_parse(&gr_fit_trace_command, options, (int)(sizeof options / sizeof options[0]), argc, argv, NULL, 0,
                         0, &exit_code) < 0) {
        return exit_code;
    }
    if (o.data == NULL || o.output == NULL) {
        gr_report_error("fit trace: --data and -o are needed");
        return GR_EXIT_INPUT;
    }
    const GrStatus status = fit_trace(&o, &log);
    gr_report_log(&log);
    return gr_report_exit_code(status);
}

const GrCommand gr_fit_trace_command = {
    .name = "fit trace",
    .summary = "depth of wheel traces over load and slip, from measured traces",
    .usage = "fit trace --data FILE [--radius M] [--width M] [--grouser-height M] -o trace.yaml",
    .details = "Fits straight lines to the mean height and the crest-to-trough height of measured wheel traces, over "
               "the\nload, and over the slip where the data has it. Prints the error of the lines and the "
               "leave-one-out error,\nand writes a file that scenarios name under ruts.",
    .example = "  grouser fit trace --data data/measurements/ka24_traces.csv -o toyoura_trace.yaml",
    .run = run_trace,
};

// ---- fit terra: the law TerRA fitted to runs of the law SCM

enum { MOST = 8 };

typedef struct TerraOptions {
    const char *soil, *output, *gravity, *loads, *slips, *hold_loads, *hold_slips;
    double radius, width, cell;
    GrTextList overrides;
    bool flow, json;
} TerraOptions;

static GrTerraRun runs[GR_TERRA_RUNS];

/// Reads "a,b,c" within bounds; returns their number, 0 when invalid.
static int read_list(const char *text, double lower, double upper, double out[MOST])
{
    int count = 0;
    while (text != NULL && *text != '\0' && count < MOST) {
        char word[64];
        const size_t length = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), text);
        if (!gr_options_number(word, &out[count]) || !(out[count] > lower && out[count] < upper)) {
            return 0;
        }
        count++;
        text += length + (text[length] == ',');
    }
    return text != NULL && *text == '\0' ? count : 0;
}

/// Every load with every slip; a run whose load or slip is in the held-back lists is held back.
static GrStatus make_runs(const TerraOptions *o, GrTerraFitDef *def, GrErrorLog *log)
{
    double loads[2][MOST], slips[2][MOST];
    const int nl[2] = {read_list(o->loads, 0, 1e6, loads[0]), read_list(o->hold_loads, 0, 1e6, loads[1])};
    const int ns[2] = {read_list(o->slips, 0, 0.95, slips[0]), read_list(o->hold_slips, 0, 0.95, slips[1])};
    if (nl[0] < 2) {
        return gr_options_refuse("--loads", "takes two to eight loads above 0, such as 30,60,120 [N]", log);
    }
    if (ns[0] < 2) {
        return gr_options_refuse("--slips", "takes two to eight slips above 0 and below 0.95", log);
    }
    if ((o->hold_loads[0] != '\0' && nl[1] == 0) || (o->hold_slips[0] != '\0' && ns[1] == 0)) {
        return gr_options_refuse("--hold-loads", "and --hold-slips take up to eight numbers, as --loads and --slips",
                                 log);
    }
    for (int held = 0; held < 2; held++) {
        for (int i = 0; i < nl[held]; i++) {
            for (int k = 0; k < ns[held] && def->run_count < GR_TERRA_RUNS; k++) {
                runs[def->run_count++] =
                    (GrTerraRun){.load = loads[held][i], .slip = slips[held][k], .held = held == 1};
            }
        }
    }
    def->runs = runs;
    return GR_OK;
}

static GrStatus read_rig(const TerraOptions *o, GrRigDef *rig, GrSoilSources *sources, GrErrorLog *log)
{
    *rig = gr_default_rig_def();
    if (o->soil == NULL || isnan(o->radius) || isnan(o->width)) {
        return gr_options_refuse("--soil", "--soil, --radius and --width are needed", log);
    }
    if (!gr_gravity_named(o->gravity, &rig->wheel.gravity) && !gr_options_number(o->gravity, &rig->wheel.gravity)) {
        return gr_options_refuse("--gravity", "takes a known body (earth, moon, mars, ...) or a number [m/s²]", log);
    }
    rig->wheel.radius = o->radius;
    rig->wheel.width = o->width;
    rig->cell = o->cell;
    rig->flow = o->flow;
    const GrStatus status = gr_soil_load(o->soil, o->overrides.items, &rig->soil, sources, log);
    if (status == GR_OK) {
        gr_soil_warn_gravity(&rig->soil, rig->wheel.gravity, log);
    }
    return status;
}

static void put_json(const TerraOptions *o, const GrTerraFitDef *def, const GrTerraFit *fit)
{
    GrJson json = gr_json_to_file(stdout, true);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "soil", o->soil);
    gr_json_begin_object(&json, "parameters");
    for (int i = 0; i < GR_TERRA_PARAMS; i++) {
        gr_json_number(&json, fit->names[i], fit->value[i]);
    }
    gr_json_end(&json);
    gr_json_number(&json, "mean_error_before", fit->start_error);
    gr_json_number(&json, "mean_error_fitted", fit->fit_error);
    gr_json_number(&json, "largest_error_fitted", fit->fit_largest);
    gr_json_number(&json, "mean_error_held_out", fit->held_error);
    gr_json_number(&json, "largest_error_held_out", fit->held_largest);
    gr_json_begin_array(&json, "runs");
    for (int i = 0; i < def->run_count; i++) {
        const GrTerraRun *run = &def->runs[i];
        gr_json_begin_object(&json, NULL);
        gr_json_number(&json, "load_N", run->load);
        gr_json_number(&json, "slip", run->slip);
        gr_json_bool(&json, "held_out", run->held);
        gr_json_number(&json, "mean_error", run->mean_error);
        gr_json_number(&json, "largest_error", run->largest_error);
        gr_json_numbers(&json, "scm_sinkage_m", run->scm, GR_TERRA_LEGS * GR_TERRA_SAMPLES);
        gr_json_numbers(&json, "terra_sinkage_m", run->terra, GR_TERRA_LEGS * GR_TERRA_SAMPLES);
        gr_json_end(&json);
    }
    gr_json_end(&json);
    gr_json_end(&json);
    gr_json_finish(&json);
}

static void put_text(const TerraOptions *o, const GrTerraFitDef *def, const GrTerraFit *fit)
{
    GrTable table = {.indent = 2};
    printf("%s: sinkage of a wheel that rolls, slips and rolls again, law terra against law scm\n\n", o->soil);
    gr_table_heads(&table, ">load [N]|>slip|>deepest, scm [mm]|>deepest, terra [mm]|>mean [%]|>largest [%]|");
    for (int i = 0; i < def->run_count; i++) {
        const GrTerraRun *run = &def->runs[i];
        double deepest[2] = {0, 0};
        for (int k = 0; k < GR_TERRA_LEGS * GR_TERRA_SAMPLES; k++) {
            deepest[0] = fmax(deepest[0], run->scm[k]);
            deepest[1] = fmax(deepest[1], run->terra[k]);
        }
        gr_table_number(&table, run->load, 5);
        gr_table_number(&table, run->slip, 3);
        gr_table_printf(&table, "%.2f", 1000 * deepest[0]);
        gr_table_printf(&table, "%.2f", 1000 * deepest[1]);
        gr_table_printf(&table, "%.2f", 100 * run->mean_error);
        gr_table_printf(&table, "%.2f", 100 * run->largest_error);
        gr_table_text(&table, run->held ? "held back" : "");
    }
    gr_table_print(&table, stdout);
    gr_table_free(&table);
    printf("\n");
    for (int i = 0; i < GR_TERRA_PARAMS; i++) {
        printf("  %-12s %.5g%s\n", fit->names[i], fit->value[i], fit->at_bound[i] ? "  at its bound" : "");
    }
    printf("\n  mean error %.2f %% -> %.2f %%; runs held back: mean %.2f %%, largest %.2f %%; %d evaluations\n\n",
           100 * fit->start_error, 100 * fit->fit_error, 100 * fit->held_error, 100 * fit->held_largest,
           fit->evaluations);
}

/// Records the source of each number in the fitted soil.
static void note_fit(const TerraOptions *o, GrTerraFit *fit, GrSoilSources *sources)
{
    sources->count -= sources->count == GR_SOIL_SOURCES;
    GrSoilSource *s = &sources->items[sources->count++];
    *s = (GrSoilSource){.confidence = GR_DERIVED};
    snprintf(s->text, sizeof s->text,
             "Fitted by grouser fit terra to the sinkage of the law scm on %.100s (wheel r = %g m, b = %g m, loads "
             "%.60s N); "
             "mean error on runs not used %.2g %%. For the law terra alone.",
             o->soil, o->radius, o->width, o->loads, 100 * fit->held_error);
    for (int i = 0; i < GR_TERRA_PARAMS; i++) {
        gr_text_copy(s->of[s->of_count++], sizeof s->of[0], fit->names[i]);
    }
    fit->soil.name[0] = '\0'; // the name follows from its file
    snprintf(fit->soil.title, sizeof fit->soil.title, "TerRA fitted to SCM on %.100s", o->soil);
}

/// Removes the fitted parameters from the other sources.
static void forget(GrSoilSources *sources, const GrTerraFit *fit)
{
    for (int i = 0; i < sources->count; i++) {
        GrSoilSource *s = &sources->items[i];
        int kept = 0;
        for (int j = 0; j < s->of_count; j++) {
            bool fitted = false;
            for (int k = 0; k < GR_TERRA_PARAMS; k++) {
                fitted = fitted || strcmp(s->of[j], fit->names[k]) == 0;
            }
            if (!fitted) {
                memmove(s->of[kept++], s->of[j], sizeof s->of[0]);
            }
        }
        s->of_count = kept;
    }
}

static GrStatus fit_terra(const TerraOptions *o, GrErrorLog *log)
{
    static GrSoilSources sources;
    static GrTerraFit fit;
    GrTerraFitDef def = {.run_count = 0};
    GrStatus status = read_rig(o, &def.rig, &sources, log);
    status = status == GR_OK ? make_runs(o, &def, log) : status;
    if (status != GR_OK) {
        return status;
    }
    GrProgress progress = gr_progress_begin("fit");
    def.progress = gr_progress_update;
    def.context = &progress;
    status = gr_fit_terra(&def, &fit, log);
    gr_progress_end(&progress);
    if (status != GR_OK) {
        return status;
    }
    (o->json ? put_json : put_text)(o, &def, &fit);
    forget(&sources, &fit);
    note_fit(o, &fit, &sources);
    status = gr_soil_save(o->output, &fit.soil, &sources, log);
    if (status == GR_OK) {
        fprintf(o->json ? stderr : stdout, "wrote %s\n", o->output);
    }
    return status == GR_ERROR_FILE ? GR_ERROR_NUMERIC : status; // not the input's fault: exit 1
}

static int run_terra(int argc, char **argv)
{
    GrErrorLog log = {0};
    TerraOptions o = {.gravity = "earth",
                      .slips = "0.2,0.5,0.8",
                      .hold_loads = "",
                      .hold_slips = "0.35,0.65",
                      .radius = (double)NAN,
                      .width = (double)NAN,
                      .cell = 0.01};
    const GrOption options[] = {
        {.name = "soil", .value = "NAME|FILE", .text = &o.soil, .help = "see grouser list soils"},
        {.name = "set",
         .value = "KEY=VALUE",
         .list = &o.overrides,
         .prefix = "soil:",
         .help = "a parameter of the soil; may be repeated"},
        {.name = "radius", .value = "M", .number = &o.radius, .help = "wheel radius [m]"},
        {.name = "width", .value = "M", .number = &o.width, .help = "wheel width [m]"},
        {.name = "loads", .value = "A,B,C", .text = &o.loads, .help = "wheel loads to fit to [N]"},
        {.name = "slips", .value = "A,B,C", .text = &o.slips, .help = "slips to fit to; default 0.2,0.5,0.8"},
        {.name = "hold-loads", .value = "A,B", .text = &o.hold_loads, .help = "of runs held back [N]; default none"},
        {.name = "hold-slips", .value = "A,B", .text = &o.hold_slips, .help = "of runs held back; default 0.35,0.65"},
        {.name = "cell", .value = "M", .number = &o.cell, .help = "cell size of the grid [m]; default 0.01"},
        {.name = "flow", .flag = &o.flow, .help = "displaced soil rises beside the wheel and slumps"},
        {.name = "gravity", .value = "G", .text = &o.gravity, .help = "earth (default), moon, mars, or [m/s²]"},
        {.name = "output", .letter = 'o', .value = "FILE", .text = &o.output, .help = "write the soil there"},
        {.name = "json", .flag = &o.json, .help = "print JSON"},
    };
    int exit_code;
    if (gr_options_parse(&gr_fit_terra_command, options, (int)(sizeof options / sizeof options[0]), argc, argv, NULL, 0,
                         0, &exit_code) < 0) {
        return exit_code;
    }
    if (o.output == NULL || o.loads == NULL) {
        gr_report_error("fit terra: --soil, --radius, --width, --loads and -o are needed");
        return GR_EXIT_INPUT;
    }
    const GrStatus status = fit_terra(&o, &log);
    gr_report_log(&log);
    return gr_report_exit_code(status);
}

const GrCommand gr_fit_terra_command = {
    .name = "fit terra",
    .summary = "the law terra from runs of the law scm on the same soil",
    .usage = "fit terra --soil NAME|FILE --radius M --width M --loads A,B,C [--hold-loads A,B] ... -o terra.yaml",
    .details = "A wheel rolls, slips and rolls again on a deformable grid (law scm), at every load and slip. "
               "Stiffness,\ndigging and refilling of the law terra are then fitted to its sinkage. Runs that are held "
               "back are only\ncompared. Writes a soil file whose law is terra.",
    .example =
        "  grouser fit terra --soil ishigami2007 --radius 0.09 --width 0.11 --loads 30,65,120 --hold-loads 45,90 \\\n"
        "      -o ishigami_terra.yaml",
    .run = run_terra,
};

// ---- the command

static const GrCommand *const PARTS[] = {&gr_fit_soil_command, &gr_fit_drive_command, &gr_fit_terra_command,
                                         &gr_fit_trace_command, NULL};

const GrCommand gr_command_fit = {
    .name = "fit",
    .summary = "fit soil parameters and wheel traces to measurements and drives",
    .usage = "fit SUBCOMMAND [OPTION]...",
    .details = "Finds the parameters that fit a model to measurements, and reports the remaining errors.",
    .example =
        "  grouser fit soil --data measured.csv --radius 0.058 --width 0.05 --free k_phi,n0,c,phi,K -o sand.yaml\n"
        "  grouser fit drive --telemetry run.csv --rover curiosity_like --gravity mars -o soil.yaml\n"
        "  grouser fit trace --data traces.csv -o sand_trace.yaml\n"
        "  grouser fit soil --help",
    .parts = PARTS,
};
