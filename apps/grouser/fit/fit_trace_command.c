/// grouser fit trace: the regression of wheel traces from measured ones.
#include "fit_command.h"
#include "fit_trace.h"
#include "grouser/model.h"
#include "json.h"
#include "report.h"
#include "table.h"

#include <stdio.h>

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
    static const char *const heads[] = {"[mm]",         "base",           "per N",           "per slip",
                                        "mean |error|", "mean error [%]", "largest |error|", "left out |error|"};
    GrTable table = {.indent = 2};
    printf("%s: %d traces, loads %g to %g N%s\n\n", o->data, data->count, fit->def.load_min, fit->def.load_max,
           fit->by_slip ? "" : "; slip does not vary, its coefficients are 0");
    for (size_t k = 0; k < sizeof heads / sizeof heads[0]; k++) {
        gr_table_column(&table, heads[k], k == 0 ? GR_LEFT : GR_RIGHT);
    }
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

static int run(int argc, char **argv)
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
    .run = run,
};
