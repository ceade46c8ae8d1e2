/// grouser fit drive: the soil along a drive, from its telemetry.
#include "alloc.h"
#include "drive_input.h"
#include "fit_command.h"
#include "fit_report.h"
#include "number.h"
#include "out_of_memory.h"
#include "page.h"
#include "report.h"
#include "soil_param.h"
#include "soil_yaml.h"
#include "table.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 1024, PAGE_SAMPLES = 32 };

/// A parameter whose deviation became less than this share of what it was before is determined by the drive.
static const double DETERMINED = 0.8;

typedef struct DriveOptions {
    GrDriveInput input;
    const char *free, *segments, *output, *html;
    double shortest;
    bool json;
    GrSoilSpread prior; ///< the free part of the soil's spread
    GrDriveFitDef def;
    GrDriveFit fit;
} DriveOptions;

/// Keeps row and column `from` of the spread as number `to`.
static void keep(const GrSoilSpread *all, const int *kept, int count, GrSoilSpread *out)
{
    *out = *all;
    out->count = count;
    for (int i = 0; i < count; i++) {
        out->param[i] = all->param[kept[i]];
        out->distribution[i] = all->distribution[kept[i]];
        for (int j = 0; j < count; j++) {
            out->correlation[i][j] = all->correlation[kept[i]][kept[j]];
        }
    }
}

/// "phi,K_x": of the parameters with a spread, these are free. Those that overrides set never are.
static GrStatus read_free(DriveOptions *o, GrErrorLog *log)
{
    const GrSoilSpread *all = &o->input.spread;
    const char *names[GR_SPREAD_PARAMS];
    int kept[GR_SPREAD_PARAMS], count = 0;
    char text[400], *at = text;
    for (int i = 0; i < all->count; i++) {
        names[i] = gr_soil_param(all->param[i])->name;
        if (o->free == NULL && !o->input.sources.overridden[all->param[i]] &&
            gr_soil_param_used(&o->input.soil_def, all->param[i], GR_SOIL_USE_STEADY)) {
            kept[count++] = i;
        }
    }
    gr_text_copy(text, sizeof text, o->free != NULL ? o->free : "");
    while (*at != '\0' && count < GR_SPREAD_PARAMS) {
        char *word = at;
        at += strcspn(at, ",");
        if (*at == ',') {
            *at++ = '\0';
        }
        int i = 0;
        while (i < all->count && all->param[i] != gr_soil_param_find(word)) {
            i++;
        }
        if (i == all->count) {
            return gr_error_add(log, GR_ERROR_NAME, (GrLocation){.field = "--free"},
                                "'%.60s' is not among the parameters with a spread in %s%s", word, o->input.soil,
                                gr_text_hint(word, names, all->count, NULL).text);
        }
        kept[count++] = i;
    }
    keep(all, kept, count, &o->prior);
    return GR_OK;
}

static GrStatus read_segments(DriveOptions *o, GrErrorLog *log)
{
    double number = 0;
    if (strcmp(o->segments, "auto") != 0 && (!gr_options_number(o->segments, &number) || number != floor(number) ||
                                             number < 1 || number > GR_DRIVE_SEGMENTS)) {
        return gr_options_refuse("--segments", "takes auto or a number from 1 to 8", log);
    }
    if (!(o->shortest > 0)) {
        return gr_options_refuse("--shortest", "takes a length above 0 [m]", log);
    }
    o->def.segments = (int)number;
    o->def.shortest = o->shortest;
    return GR_OK;
}

// ---- answer

static const char *rounded(double value, int digits, char out[GR_NUMBER_SIZE])
{
    gr_number_round(value, digits, out);
    return isfinite(value) ? out : "–";
}

/// "phi 31.2 ° (90 %: 29.8 … 32.6), K_x 0.024 m (…)": parameters that the drive determines, best first.
static void answer_of(const DriveOptions *o, const GrDriveSegment *s, char *out, size_t size)
{
    bool listed[GR_SPREAD_PARAMS] = {false}, any = false;
    out[0] = '\0';
    for (;;) {
        int best = -1;
        for (int i = 0; i < o->prior.count; i++) {
            const bool better =
                !listed[i] && s->narrowed[i] < DETERMINED && (best < 0 || s->narrowed[i] < s->narrowed[best]);
            best = better ? i : best;
        }
        if (best < 0) {
            break;
        }
        const GrSoilParam *param = gr_soil_param(o->prior.param[best]);
        const size_t used = strlen(out);
        char value[GR_NUMBER_SIZE], low[GR_NUMBER_SIZE], high[GR_NUMBER_SIZE];
        snprintf(out + used, size - used, "%s%s %s%s%s (%s%s … %s)", any ? ", " : "", param->name,
                 rounded(s->value[best], 3, value), param->unit[0] != '\0' ? " " : "", param->unit,
                 any ? "" : "90 %: ", rounded(s->low[best], 3, low), rounded(s->high[best], 3, high));
        listed[best] = any = true;
    }
    if (!any) {
        gr_text_copy(out, size, "this drive does not improve what was known of any parameter");
    }
}

/// "2 change points at 17.5 and 30 m"
static void changes_of(const GrDriveFit *fit, char *out, size_t size)
{
    snprintf(out, size, "%s", fit->count > 1 ? "" : "no change point");
    for (int k = 1; k < fit->count; k++) {
        const size_t used = strlen(out);
        const double at = 0.5 * (fit->segments[k - 1].to + fit->segments[k].from);
        if (k == 1) {
            snprintf(out, size, "%d change point%s at %.4g", fit->count - 1, fit->count > 2 ? "s" : "", at);
        } else {
            snprintf(out + used, size - used, "%s%.4g", k + 1 == fit->count ? " and " : ", ", at);
        }
    }
    const size_t used = strlen(out);
    snprintf(out + used, size - used, "%s", fit->count > 1 ? " m" : "");
}

static void print_answer(const DriveOptions *o, FILE *file)
{
    char text[1000], changes[200];
    changes_of(&o->fit, changes, sizeof changes);
    if (o->fit.count == 1) {
        answer_of(o, &o->fit.segments[0], text, sizeof text);
        fprintf(file, "soil along %.4g m: %s; %s\n", o->input.stretches.distance, text, changes);
        return;
    }
    fprintf(file, "soil along %.4g m: %s\n", o->input.stretches.distance, changes);
    for (int k = 0; k < o->fit.count; k++) {
        answer_of(o, &o->fit.segments[k], text, sizeof text);
        fprintf(file, "  %.4g–%.4g m: %s\n", o->fit.segments[k].from, o->fit.segments[k].to, text);
    }
}

static void print_segment(const DriveOptions *o, const GrDriveSegment *s, FILE *file)
{
    GrTable table = {.indent = 2};
    gr_table_heads(&table, "parameter|>value|unit|90 % interval|before|>deviation after/before");
    for (int i = 0; i < o->prior.count; i++) {
        const GrSoilParam *param = gr_soil_param(o->prior.param[i]);
        char low[GR_NUMBER_SIZE], high[GR_NUMBER_SIZE];
        gr_table_text(&table, param->name);
        gr_table_number(&table, s->value[i], 4);
        gr_table_text(&table, param->unit);
        gr_table_printf(&table, "%s … %s", rounded(s->low[i], 3, low), rounded(s->high[i], 3, high));
        const GrDistribution *d = &o->prior.distribution[i];
        gr_table_printf(&table, "%s … %s", rounded(gr_distribution_quantile(d, 0.05), 3, low),
                        rounded(gr_distribution_quantile(d, 0.95), 3, high));
        gr_table_printf(&table, "%.2f", s->narrowed[i]);
    }
    gr_table_print(&table, file);
    gr_table_free(&table);
    fprintf(file, "  root mean square of measured less fitted: slip %.1f %%, tilt %.2f°",
            100 * s->residual[GR_DRIVE_SLIP], s->residual[GR_DRIVE_TILT] / GR_DEGREE);
    if (isfinite(s->residual[GR_DRIVE_TORQUE])) {
        fprintf(file, ", torque %.4f of load times radius", s->residual[GR_DRIVE_TORQUE]);
    }
    if (isfinite(s->residual[GR_DRIVE_SINKAGE])) {
        fprintf(file, ", sinkage %.4f of the radius", s->residual[GR_DRIVE_SINKAGE]);
    }
    if (s->noise_factor > 1) {
        fprintf(file, "; scatter raised by %.2f to agree with it", s->noise_factor);
    }
    fputs("\n\n", file);
}

static void print_text(const DriveOptions *o)
{
    print_answer(o, stdout);
    printf("\n");
    gr_drive_input_print(&o->input, stdout);
    printf("\n");
    for (int k = 0; k < o->fit.count; k++) {
        const GrDriveSegment *s = &o->fit.segments[k];
        if (o->fit.count > 1) {
            printf("%.4g–%.4g m, %d stretches:\n", s->from, s->to, s->count);
        }
        print_segment(o, s, stdout);
    }
}

// ---- JSON

static void write_segment(const DriveOptions *o, const GrDriveSegment *s, GrJson *json)
{
    static const char *const keys[GR_DRIVE_QUANTITIES] = {"slip", "tilt_deg", "torque_per_load_radius",
                                                          "sinkage_per_radius"};
    static const double scale[GR_DRIVE_QUANTITIES] = {1, 1 / GR_DEGREE, 1, 1};
    gr_json_begin_object(json, NULL);
    gr_json_number(json, "from_m", s->from);
    gr_json_number(json, "to_m", s->to);
    gr_json_integer(json, "stretches", s->count);
    gr_json_begin_array(json, "parameters");
    for (int i = 0; i < o->prior.count; i++) {
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "name", gr_soil_param(o->prior.param[i])->name);
        gr_json_number(json, "value", s->value[i]);
        gr_json_number(json, "value_low", s->low[i]);
        gr_json_number(json, "value_high", s->high[i]);
        gr_json_number(json, s->logarithmic[i] ? "log_deviation" : "deviation", s->deviation[i]);
        gr_json_number(json, "narrowed", s->narrowed[i]);
        gr_json_bool(json, "determined", s->narrowed[i] < DETERMINED);
        gr_json_end(json);
    }
    gr_json_end(json);
    gr_json_begin_array(json, "correlations");
    for (int i = 0; i < o->prior.count; i++) {
        gr_json_numbers(json, NULL, s->correlation[i], o->prior.count);
    }
    gr_json_end(json);
    gr_json_begin_object(json, "residual");
    for (int q = 0; q < GR_DRIVE_QUANTITIES; q++) {
        gr_json_number(json, keys[q], scale[q] * s->residual[q]);
    }
    gr_json_number(json, "fx_per_load", s->pull_residual);
    gr_json_end(json);
    gr_json_begin_object(json, "offset");
    for (int q = 0; q < GR_DRIVE_QUANTITIES; q++) {
        gr_json_number(json, keys[q], scale[q] * s->offset[q]);
    }
    gr_json_end(json);
    gr_json_number(json, "noise_factor", s->noise_factor);
    gr_json_end(json);
}

static void print_json(const DriveOptions *o)
{
    GrJson json = gr_json_to_file(stdout, true);
    gr_json_begin_object(&json, NULL);
    gr_drive_input_json(&o->input, &json);
    gr_json_begin_array(&json, "segments");
    for (int k = 0; k < o->fit.count; k++) {
        write_segment(o, &o->fit.segments[k], &json);
    }
    gr_json_end(&json);
    gr_json_end(&json);
    gr_json_finish(&json); // main() checks stdout
}

// ---- files

static bool is_free(const void *context, const char *name)
{
    const GrSoilSpread *prior = context;
    const int index = gr_soil_param_find(name);
    for (int k = 0; k < prior->count; k++) {
        if (prior->param[k] == index) {
            return true;
        }
    }
    return false;
}

/// Records in the soil's sources that its free parameters were fitted.
static void note_fit(const DriveOptions *o, const char *text, GrSoilSources *sources)
{
    GrSoilSource *s = gr_fit_replace_sources(sources, is_free, &o->prior);
    gr_text_copy(s->text, sizeof s->text, text);
    for (int k = 0; k < o->prior.count && k < GR_SOIL_SOURCE_NAMES; k++) {
        gr_text_copy(s->of[s->of_count++], sizeof s->of[0], gr_soil_param(o->prior.param[k])->name);
    }
}

static void source_of(const DriveOptions *o, const GrDriveSegment *s, char *out, size_t size)
{
    snprintf(out, size, "grouser fit drive: %.180s of %.60s, %.4g to %.4g m, %d stretches; before: %.60s",
             o->input.telemetry, o->input.rover, s->from, s->to, s->count, o->input.soil);
}

static GrStatus save(const DriveOptions *o, const GrDriveSegment *s, const char *path, GrErrorLog *log)
{
    GrSoilSources *sources = gr_malloc(sizeof *sources);
    GrSoilSpread *spread = gr_malloc(sizeof *spread);
    GrStatus status = GR_ERROR_MEMORY;
    char text[GR_SOIL_SOURCE_SIZE];
    if (sources != NULL && spread != NULL) {
        GrSoilDef soil = s->soil;
        *sources = o->input.sources;
        source_of(o, s, text, sizeof text);
        gr_drive_spread(&o->def, s, text, spread);
        note_fit(o, text, sources);
        soil.name[0] = '\0'; // the name follows from its file
        snprintf(soil.title, sizeof soil.title, "Fitted to a drive, %.150s", o->input.telemetry);
        status = gr_soil_save_spread(path, &soil, sources, spread, log);
    } else {
        gr_out_of_memory(log, NULL);
    }
    gr_free(sources);
    gr_free(spread);
    if (status == GR_OK) {
        fprintf(o->json ? stderr : stdout, "wrote %s\n", path);
    }
    return status == GR_ERROR_FILE ? GR_ERROR_NUMERIC : status; // not the input's fault: exit 1
}

/// The file itself has the soil where the drive ended; earlier segments have their own files, NAME_1.yaml, …
static GrStatus save_all(const DriveOptions *o, GrErrorLog *log)
{
    const char *dot = strrchr(o->output, '.'), *slash = strrchr(o->output, '/');
    const size_t stem = dot != NULL && (slash == NULL || dot > slash) ? (size_t)(dot - o->output) : strlen(o->output);
    GrStatus status = GR_OK;
    for (int k = 0; k + 1 < o->fit.count && status == GR_OK; k++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%.*s_%d%s", (int)stem, o->output, k + 1, o->output + stem);
        status = save(o, &o->fit.segments[k], path, log);
    }
    return status == GR_OK ? save(o, &o->fit.segments[o->fit.count - 1], o->output, log) : status;
}

/// Predictions of each segment with its own soil, joined.
static GrStatus predict_all(const DriveOptions *o, GrDrivePrediction *out, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    *out = (GrDrivePrediction){.items = gr_calloc((size_t)o->input.stretches.count, sizeof *out->items)};
    GrSoilSpread *spread = gr_malloc(sizeof *spread);
    if (out->items == NULL || spread == NULL) {
        gr_free(spread);
        return gr_out_of_memory(log, NULL);
    }
    for (int k = 0; k < o->fit.count && status == GR_OK; k++) {
        const GrDriveSegment *s = &o->fit.segments[k];
        GrDrivePrediction own;
        GrStretches part = o->input.stretches;
        part.items += s->first;
        part.count = s->count;
        gr_drive_spread(&o->def, s, "", spread);
        const GrDrivePredictDef def = {.rover = &o->input.drive,
                                       .stretches = &part,
                                       .soil = &s->soil,
                                       .spread = spread,
                                       .noise = o->input.noise_def,
                                       .samples = PAGE_SAMPLES,
                                       .seed = 1};
        status = gr_drive_predict(&def, &own, log);
        if (status == GR_OK) {
            memcpy(out->items + out->count, own.items, (size_t)own.count * sizeof *own.items);
            out->count += own.count;
            gr_drive_prediction_free(&own);
        }
    }
    gr_free(spread);
    return status;
}

static void add_table(const DriveOptions *o, const GrDriveSegment *s, GrPage *page)
{
    GrTable table = {0};
    gr_page_section(page, "Soil from %.4g to %.4g m", s->from, s->to);
    gr_table_heads(&table, "parameter|>value|unit|90 % interval|>deviation after/before");
    for (int i = 0; i < o->prior.count; i++) {
        const GrSoilParam *param = gr_soil_param(o->prior.param[i]);
        gr_table_text(&table, param->name);
        gr_table_value(&table, s->value[i]);
        gr_table_text(&table, param->unit);
        gr_table_band(&table, s->low[i], s->high[i]);
        gr_table_number(&table, s->narrowed[i], 2);
    }
    gr_page_table(page, &table);
}

static GrStatus write_page(const DriveOptions *o, GrErrorLog *log)
{
    GrDrivePrediction p;
    GrPage page = {0};
    double changes[GR_DRIVE_SEGMENTS];
    char subtitle[400], answer[1000];
    GrStatus status = predict_all(o, &p, log);
    if (status == GR_OK) {
        snprintf(subtitle, sizeof subtitle, "%.150s; %.60s, law %s", o->input.telemetry, o->input.rover,
                 gr_soil_law_name(o->input.soil_def.law));
        gr_page_begin(&page, "Soil along a drive", subtitle);
        for (int k = 0; k < o->fit.count; k++) {
            const GrDriveSegment *s = &o->fit.segments[k];
            changes[k] = s->to;
            answer_of(o, s, answer, sizeof answer);
            gr_page_text(&page, "%.4g to %.4g m: %s.", s->from, s->to, answer);
        }
        gr_drive_bands_page(&o->input, &p, changes, o->fit.count - 1, &page);
        for (int k = 0; k < o->fit.count; k++) {
            add_table(o, &o->fit.segments[k], &page);
        }
        status = gr_report_page(o->html, &page, o->json, log);
    }
    gr_drive_prediction_free(&p);
    return status;
}

static GrStatus fit_drive(DriveOptions *o, GrErrorLog *log)
{
    GrStatus status = read_segments(o, log);
    status = status == GR_OK ? gr_drive_input_read(&o->input, log) : status;
    status = status == GR_OK ? read_free(o, log) : status;
    if (status != GR_OK) {
        return status;
    }
    o->def.rover = &o->input.drive;
    o->def.stretches = &o->input.stretches;
    o->def.soil = &o->input.soil_def;
    o->def.prior = &o->prior;
    o->def.noise = o->input.noise_def;
    status = gr_fit_drive(&o->def, &o->fit, log);
    if (status == GR_OK) {
        (o->json ? print_json : print_text)(o);
        status = o->output != NULL ? save_all(o, log) : GR_OK;
    }
    return status == GR_OK && o->html != NULL ? write_page(o, log) : status;
}

static int run(int argc, char **argv)
{
    static DriveOptions o; // too large for the stack
    GrErrorLog log = {0};
    GrOption options[GR_DRIVE_OPTIONS + 6];
    int exit_code;
    o = (DriveOptions){.input = gr_default_drive_input(), .segments = "auto", .shortest = 2};
    int count = gr_drive_input_options(&o.input, options);
    options[count++] = (GrOption){.name = "free",
                                  .value = "A,B,C",
                                  .text = &o.free,
                                  .help = "parameters to find; default: all that have a spread"};
    options[count++] = (GrOption){.name = "segments",
                                  .value = "auto|N",
                                  .text = &o.segments,
                                  .help = "each with its own soil; auto (default): as many as the data supports"};
    options[count++] =
        (GrOption){.name = "shortest", .value = "M", .number = &o.shortest, .help = "segment [m]; default 2"};
    options[count++] =
        (GrOption){.name = "output", .letter = 'o', .value = "FILE", .text = &o.output, .help = "write the soil there"};
    options[count++] = (GrOption){.name = "html", .value = "FILE", .text = &o.html, .help = "write a page with plots"};
    options[count++] = (GrOption){.name = "json", .flag = &o.json, .help = "print JSON"};
    if (gr_options_parse(&gr_fit_drive_command, options, count, argc, argv, NULL, 0, 0, &exit_code) < 0) {
        return exit_code;
    }
    const GrStatus status = fit_drive(&o, &log);
    gr_drive_input_free(&o.input);
    gr_report_log(&log);
    return gr_report_exit_code(status);
}

const GrCommand gr_fit_drive_command = {
    .name = "fit drive",
    .summary = "the soil along a drive, from its telemetry",
    .usage = "fit drive --telemetry FILE --rover R [--map M] [--soil CLASS] [--segments auto|N] ... -o soil.yaml",
    .details = "Estimates the soil along a drive from slip, tilt, torques or currents and sinkage: the most probable "
               "values\nof what is uncertain in --soil, with 90 % intervals, in segments where it changes. Writes a "
               "soil file with its\nspread, for grouser predict and the other commands.",
    .example = "  grouser fit drive --telemetry run.csv --rover curiosity_like --gravity mars -o soil.yaml\n"
               "  grouser fit drive --telemetry tlm.csv --rover rover.yaml --columns slip=SLIP_EST,pitch_deg=TILT "
               "--segments 1",
    .run = run,
};
