/// grouser predict: slip, energy, torque and sinkage of a drive on a soil, with bands, beside what was measured.
#include "drive_input.h"
#include "page.h"
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SAMPLES = 10000 };

typedef struct PredictOptions {
    GrDriveInput input;
    double samples, seed;
    const char *html;
    bool json;
} PredictOptions;

/// The answer, as the terminal prints it, in one paragraph of the page.
static void add_answer(const PredictOptions *o, const GrDrivePrediction *p, GrPage *page)
{
    const GrCoverage c = gr_drive_coverage(p, GR_PREDICTED_SLIP);
    char text[300];
    snprintf(
        text, sizeof text,
        "Slip is inside the 90 %% band on %d of %d stretches. Drive energy: predicted %.4g J (90 %%: %.3g … %.3g)%s",
        c.inside, c.measured, p->total.value, p->total.low, p->total.high, isfinite(p->total.measured) ? "; " : ".");
    const size_t used = strlen(text);
    if (isfinite(p->total.measured)) {
        snprintf(text + used, sizeof text - used, "measured %.4g J.", p->total.measured);
    }
    gr_page_text(page, "%s", text);
    (void)o;
}

static GrStatus write_page(const PredictOptions *o, const GrDrivePrediction *p, GrErrorLog *log)
{
    char subtitle[400];
    GrPage page = {0};
    snprintf(subtitle, sizeof subtitle, "%.120s; %.60s on %.60s, law %s", o->input.telemetry, o->input.rover,
             o->input.soil, gr_soil_law_name(o->input.soil_def.law));
    gr_page_begin(&page, "Drive predicted and measured", subtitle);
    add_answer(o, p, &page);
    gr_drive_bands_page(&o->input, p, NULL, 0, &page);
    return gr_report_page(o->html, &page, o->json, log);
}

static void print_json(const PredictOptions *o, const GrDrivePrediction *p)
{
    GrJson json = gr_json_to_file(stdout, true);
    gr_json_begin_object(&json, NULL);
    gr_drive_input_json(&o->input, &json);
    gr_json_string(&json, "soil", o->input.soil);
    gr_json_string(&json, "spread", gr_spread_kind_names[o->input.spread.kind]);
    gr_json_integer(&json, "samples", (long long)o->samples);
    gr_json_integer(&json, "stuck", p->stuck);
    gr_json_integer(&json, "extrapolated", p->extrapolated);
    gr_drive_bands_json(&o->input, p, &json);
    gr_json_end(&json);
    gr_json_finish(&json); // main() checks stdout
}

static GrStatus predict(PredictOptions *o, GrErrorLog *log)
{
    GrDriveInput *in = &o->input;
    GrDrivePrediction p;
    const bool whole = o->samples == floor(o->samples) && o->seed == floor(o->seed);
    if (!whole || o->samples < 0 || o->samples > MOST_SAMPLES || o->seed < 0 || o->seed > 9e15) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--uncertainty"},
                            "--uncertainty (0 to %d) and --seed (at least 0) are whole numbers", MOST_SAMPLES);
    }
    GrStatus status = gr_drive_input_read(in, log);
    if (status != GR_OK) {
        return status;
    }
    const GrDrivePredictDef def = {.rover = &in->drive,
                                   .stretches = &in->stretches,
                                   .soil = &in->soil_def,
                                   .spread = &in->spread,
                                   .sources = &in->sources,
                                   .noise = in->noise_def,
                                   .samples = (int)o->samples,
                                   .seed = (uint64_t)o->seed};
    status = gr_drive_predict(&def, &p, log);
    if (status != GR_OK) {
        return status;
    }
    if (o->json) {
        print_json(o, &p);
    } else {
        gr_drive_bands_print(in, &p, stdout);
        printf("\n");
        gr_drive_input_print(in, stdout);
        if (in->spread.kind == GR_SPREAD_FIT) {
            printf("%d of %d stretches interpolated, %d extrapolated: outside the slips, loads or wheels of the soil's "
                   "data\n",
                   p.count - p.extrapolated, p.count, p.extrapolated);
        }
        if (in->spread.kind == GR_SPREAD_UNKNOWN) {
            printf("%s states no spread: a wide one is assumed\n", in->soil);
        }
    }
    status = o->html != NULL ? write_page(o, &p, log) : GR_OK;
    gr_drive_prediction_free(&p);
    return status;
}

static int run(int argc, char **argv)
{
    static PredictOptions o; // too large for the stack
    GrErrorLog log = {0};
    GrOption options[GR_DRIVE_OPTIONS + 4];
    int exit_code;
    o = (PredictOptions){.input = gr_default_drive_input(), .samples = 32, .seed = 1};
    int count = gr_drive_input_options(&o.input, options);
    options[count++] = (GrOption){
        .name = "uncertainty", .value = "N", .number = &o.samples, .help = "samples of the bands; default 32, 0: none"};
    options[count++] = (GrOption){.name = "seed", .value = "N", .number = &o.seed, .help = "of the samples; default 1"};
    options[count++] = (GrOption){.name = "html", .value = "FILE", .text = &o.html, .help = "write a page with plots"};
    options[count++] = (GrOption){.name = "json", .flag = &o.json, .help = "print JSON"};
    if (gr_options_parse(&gr_command_predict, options, count, argc, argv, NULL, 0, 0, &exit_code) < 0) {
        return exit_code;
    }
    const GrStatus status = predict(&o, &log);
    gr_drive_input_free(&o.input);
    gr_report_log(&log);
    return gr_report_exit_code(status);
}

const GrCommand gr_command_predict = {
    .name = "predict",
    .summary = "slip and energy of a drive on a soil, with bands, beside what was measured",
    .usage = "predict --telemetry FILE --rover R --soil S [--map M] [--uncertainty N] ...",
    .details =
        "Predicts slip, drive energy, torque and sinkage along a drive from its tilt and a soil, with 90 % bands "
        "from\nthe soil's spread, and says where the measured ones leave their bands.",
    .example = "  grouser predict --telemetry run.csv --rover curiosity_like --gravity mars --soil soil.yaml --html "
               "drive.html",
    .run = run,
};
