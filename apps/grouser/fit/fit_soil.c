/// grouser fit soil: parameters of a soil from measurements.
#include "alloc.h"
#include "file.h"
#include "fit_command.h"
#include "fit_presses.h"
#include "fit_report.h"
#include "grouser/model.h"
#include "law.h"
#include "out_of_memory.h"
#include "report.h"
#include "soil_param.h"
#include "soil_yaml.h"
#include "text.h"

#include <math.h>
#include <string.h>

typedef struct FitOptions {
    const char *data, *plates, *soil, *free, *weights, *loss, *model, *output, *html, *gravity, *height, *grousers,
        *grouser_model;
    GrTextList bounds, hold_out, overrides, columns, plate_columns;
    double radius, width, slip_radius, load, cell, folds, seed, evaluations, loss_scale;
    bool json;
} FitOptions;

/// The next word of a list a,b,c; false at its end.
static bool next_word(const char **at, char *out, size_t size)
{
    if (**at == '\0') {
        return false;
    }
    const size_t length = strcspn(*at, ",");
    snprintf(out, size, "%.*s", (int)(length < size - 1 ? length : size - 1), *at);
    *at += length + ((*at)[length] == ',');
    return true;
}

static const double USUAL_RADIUS = 0.058; // of the wheel it was fitted to [m]

/// What a few tests of one wheel determine in grains; under other laws choose_free() says it.
static const char USUAL_FREE_GRAINS[] = "xi_n,mu_surf";

/// What a few tests of one wheel determine: strength, firmness; and as far as these points tell of them, digging by
/// sinkage over slip, ploughing by wheels that skid or slip sideways; and fewer than there are numbers.
static void choose_free(const GrWheelData *data, char *out, size_t size)
{
    static const double straight = 2 * GR_DEGREE, skids = -0.05, spins = 0.2;
    int numbers = 0;
    bool digs = false, ploughs = false;
    for (int i = 0; i < data->count; i++) {
        const double *v = data->items[i].value;
        numbers += isfinite(v[GR_SINKAGE]) + isfinite(v[GR_FX]) + isfinite(v[GR_FY]) + isfinite(v[GR_TORQUE]);
        digs = digs || (data->has[GR_SINKAGE] && v[GR_SLIP] >= spins);
        ploughs = ploughs || fabs(v[GR_SLIP_ANGLE]) > straight || v[GR_SLIP] < skids;
    }
    const bool pulls = data->has[GR_FX] || data->has[GR_FY] || data->has[GR_TORQUE];
    const char *const names[] = {pulls ? "phi" : NULL, "k_phi", digs ? "slip_sinkage_max" : NULL,
                                 ploughs ? "plough_sinkage" : NULL};
    out[0] = '\0';
    for (int i = 0, count = 0; i < 4; i++) {
        if (names[i] != NULL && (count == 0 || count + 1 < numbers)) {
            const size_t used = strlen(out);
            snprintf(out + used, size - used, "%s%s", count++ > 0 ? "," : "", names[i]);
        }
    }
}

static GrStatus read_free(const FitOptions *o, const GrWheelData *data, GrFitDef *def, GrErrorLog *log)
{
    char word[64], chosen[80];
    const GrSoilLaw law = def->rig.soil.law;
    choose_free(data, chosen, sizeof chosen);
    const char *usual = o->data == NULL                  ? ""
                        : gr_law_has(law, GR_LAW_GRAINS) ? USUAL_FREE_GRAINS
                        : gr_law_has(law, GR_LAW_STRESS) ? chosen
                                                         : NULL;
    if (o->free == NULL && usual == NULL) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--free"}, "is needed with the law %s",
                            gr_soil_law_name(law));
    }
    for (const char *at = o->free != NULL ? o->free : usual; next_word(&at, word, sizeof word);) {
        if (def->param_count == GR_FIT_PARAMS) {
            return gr_options_refuse("--free", "too many free parameters; at most 24", log);
        }
        GrFitParam param;
        const GrStatus status = gr_fit_param_find(word, &param, log);
        if (status != GR_OK) {
            return status;
        }
        if (gr_fit_find_free(def, word) != NULL) {
            return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--free"}, "%s is named twice", word);
        }
        def->params[def->param_count++] = param;
    }
    const bool both = gr_fit_find_free(def, "K") != NULL;
    if (both && (gr_fit_find_free(def, "K_x") != NULL || gr_fit_find_free(def, "K_y") != NULL)) {
        return gr_options_refuse("--free", "K means K_x and K_y at once; name K, or K_x and K_y", log);
    }
    return GR_OK;
}

/// "name=low:high"
static GrStatus read_bounds(const FitOptions *o, GrFitDef *def, GrErrorLog *log)
{
    for (int i = 0; i < o->bounds.count; i++) {
        char text[128], *equals, *colon;
        snprintf(text, sizeof text, "%s", o->bounds.items[i]);
        equals = strchr(text, '=');
        colon = equals != NULL ? strchr(equals, ':') : NULL;
        if (colon == NULL) {
            return gr_options_refuse("--bounds", "takes name=low:high", log);
        }
        *equals = *colon = '\0';
        GrFitParam *param = gr_fit_find_free(def, text);
        if (param == NULL) {
            return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--bounds"}, "%s is not free", text);
        }
        if (!gr_options_number(equals + 1, &param->lower) || !gr_options_number(colon + 1, &param->upper)) {
            return gr_options_refuse("--bounds", "takes name=low:high with two numbers", log);
        }
        param->logarithmic = param->lower > 0 && param->upper >= 10 * param->lower;
    }
    return GR_OK;
}

static int find_quantity(const char *name)
{
    for (int q = 0; q < GR_QUANTITIES; q++) {
        if (strcmp(name, gr_quantity_name((GrQuantity)q)) == 0) {
            return q;
        }
    }
    return -1;
}

/// "fx=1,fy=0.5"
static GrStatus read_weights(const FitOptions *o, GrFitDef *def, GrErrorLog *log)
{
    char word[64];
    for (const char *at = o->weights != NULL ? o->weights : ""; next_word(&at, word, sizeof word);) {
        char *equals = strchr(word, '=');
        double weight = 0;
        if (equals == NULL || !gr_options_number(equals + 1, &weight) || weight < 0) {
            return gr_options_refuse("--weights", "takes a list such as fx=1,fy=0.5,sinkage=0,torque=1", log);
        }
        *equals = '\0';
        const int q = find_quantity(word);
        if (strcmp(word, "press") == 0) {
            def->press_weight = weight;
            continue;
        }
        if (q < GR_SINKAGE || q == GR_FZ) {
            return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--weights"},
                                "'%s' cannot be fitted; there are sinkage, fx, fy, torque, press", word);
        }
        def->weights[q] = weight;
    }
    return GR_OK;
}

/// "slip_angle=15,75" or "slip=0.2": points within half a degree, or 0.02 of slip, are held back.
static GrStatus hold_out(const char *text, GrFitReport *report, GrErrorLog *log)
{
    char name[64], word[64];
    const size_t length = strcspn(text, "=");
    GrStatus status = GR_OK;
    if (gr_fit_presses_hold(text, report, &status, log)) {
        return status;
    }
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), text);
    const int q = find_quantity(name);
    if (text[length] == '\0' || (q != GR_SLIP && q != GR_SLIP_ANGLE)) {
        return gr_options_refuse(
            "--hold-out", "takes slip_angle=a,b,c in degrees, or slip=a,b,c, or body=, box= or trial= of presses", log);
    }
    const double unit = q == GR_SLIP_ANGLE ? GR_DEGREE : 1, near = q == GR_SLIP_ANGLE ? 0.5 * GR_DEGREE : 0.02;
    for (const char *at = text + length + 1; next_word(&at, word, sizeof word);) {
        double value;
        int found = 0;
        if (!gr_options_number(word, &value)) {
            return gr_options_refuse("--hold-out", "takes slip_angle=a,b,c in degrees, or slip=a,b,c", log);
        }
        for (int i = 0; i < report->data.count; i++) {
            if (fabs(report->data.items[i].value[q] - unit * value) <= near && report->role[i] != GR_FIT_SKIPPED) {
                report->role[i] = GR_FIT_HELD;
                found++;
            }
        }
        if (found == 0) {
            return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--hold-out"}, "no point has %s = %s", name,
                                word);
        }
    }
    return GR_OK;
}

/// Marks the points that are used, and takes their slips to the radius of the law.
static GrStatus sort_points(const FitOptions *o, GrFitReport *report, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    report->role = gr_calloc((size_t)report->data.count + 1, 1);
    if (report->role == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    bool loadless = false;
    for (int i = 0; i < report->data.count; i++) {
        const double *v = report->data.items[i].value;
        report->role[i] = fabs(v[GR_SLIP_ANGLE]) > 89.5 * GR_DEGREE ? GR_FIT_SKIPPED : GR_FIT_USED;
        loadless = loadless || !isfinite(v[GR_FZ]);
    }
    if (loadless && isnan(o->load)) {
        return gr_options_refuse("--load", "is needed: the data does not have the load (fz_N) of every point", log);
    }
    for (int i = 0; i < o->hold_out.count && status == GR_OK; i++) {
        status = hold_out(o->hold_out.items[i], report, log);
    }
    for (int i = 0; i < report->data.count; i++) {
        report->used += report->role[i] == GR_FIT_USED;
        report->held += report->role[i] == GR_FIT_HELD;
        report->skipped += report->role[i] == GR_FIT_SKIPPED;
    }
    if (report->skipped > 0) {
        gr_warning_add(log, (GrLocation){.file = o->data}, "%d points at a slip angle of 90 degrees are left out",
                       report->skipped);
    }
    if (!isnan(o->slip_radius)) {
        gr_wheel_data_slip_from(&report->data, &report->def.rig, o->slip_radius);
    }
    report->def.data = &report->data;
    report->def.role = report->role;
    return status;
}

/// The rig's wheel. `first`: a point of the data, which may have its own wheel.
static GrStatus read_wheel(const FitOptions *o, const GrWheelDatum *first, GrRigDef *rig, GrErrorLog *log)
{
    if (o->data != NULL &&
        ((isnan(o->radius) && !first->own[GR_WHEEL_RADIUS]) || (isnan(o->width) && !first->own[GR_WHEEL_WIDTH]))) {
        return gr_options_refuse(
            "--radius", "--radius and --width of the wheel are needed, or columns radius_m and width_m in the data",
            log);
    }
    if (!gr_gravity_named(o->gravity, &rig->wheel.gravity) && !gr_options_number(o->gravity, &rig->wheel.gravity)) {
        return gr_options_refuse("--gravity", "takes a known body (earth, moon, mars, ...) or a number [m/s²]", log);
    }
    rig->wheel.radius = !isnan(o->radius)             ? o->radius
                        : first->own[GR_WHEEL_RADIUS] ? first->size[GR_WHEEL_RADIUS]
                                                      : rig->wheel.radius;
    rig->wheel.width = !isnan(o->width)             ? o->width
                       : first->own[GR_WHEEL_WIDTH] ? first->size[GR_WHEEL_WIDTH]
                                                    : rig->wheel.width;
    rig->load = isnan(o->load) ? rig->load : o->load;
    rig->cell = isnan(o->cell) ? rig->cell : o->cell;
    double height = 0;
    if (o->height != NULL && o->grousers != NULL) {
        return gr_options_refuse("--grouser-height", "--grousers has the height already", log);
    }
    if (o->height != NULL && (!gr_options_number(o->height, &height) || height < 0)) {
        return gr_options_refuse("--grouser-height", "takes a length of at least 0 [m]", log);
    }
    rig->wheel.grouser_height = height;
    rig->wheel.grouser_count = height > 0 ? 1 : 0;
    if (o->grousers != NULL && !gr_options_grousers(o->grousers, &rig->wheel)) {
        return gr_options_refuse("--grousers", GR_OPTIONS_GROUSERS, log);
    }
    if (o->grouser_model != NULL && !(rig->wheel.grouser_count > 0)) {
        return gr_options_refuse("--grouser-model", "the wheel has no grousers (--grousers)", log);
    }
    if (o->grouser_model != NULL && !gr_options_grouser_model(o->grouser_model, &rig->wheel)) {
        return gr_options_refuse("--grouser-model", GR_OPTIONS_GROUSER_MODEL, log);
    }
    if (!isnan(o->slip_radius) && !(o->slip_radius > 0 && o->slip_radius <= 100)) {
        return gr_options_refuse("--slip-radius", "takes a length above 0 and at most 100 [m]", log);
    }
    return GR_OK;
}

static GrStatus read_soil(const FitOptions *o, GrFitReport *report, GrErrorLog *log)
{
    GrSoilDef *soil = &report->def.rig.soil;
    GrStatus status =
        gr_soil_load(o->soil != NULL ? o->soil : gr_fit_usual_soil, o->overrides.items, soil, &report->sources, log);
    if (o->soil == NULL) {
        soil->fit_radius = USUAL_RADIUS;
    }
    if (status == GR_OK && o->model != NULL) {
        status = gr_soil_law_find(o->model, &soil->law, log);
    }
    if (status == GR_OK) {
        gr_soil_warn_ignored(soil, &report->sources, GR_SOIL_USE_STEADY, log);
        gr_soil_warn_gravity(soil, report->def.rig.wheel.gravity, log);
        // What is not fitted is first taken to the gravity of the data, so that the whole soil is one of that gravity.
        *soil = gr_soil_under_gravity(soil, report->def.rig.wheel.gravity);
        soil->fit_gravity = report->sources.gravity = report->def.rig.wheel.gravity;
    }
    if (status == GR_OK && gr_law_has(soil->law, GR_LAW_GRAINS) && o->height != NULL) {
        return gr_options_refuse("--grouser-height", "this law has each grouser: give --grousers COUNT,HEIGHT", log);
    }
    GrRig rig;
    return status == GR_OK ? gr_rig_make(&report->def.rig, &rig, log) : status;
}

/// Options that the search for this law does not use.
static void warn_search(const FitOptions *o, GrSoilLaw law, GrErrorLog *log)
{
    const bool grid = gr_soil_law_on_grid(law);
    if (grid && !isnan(o->evaluations)) {
        gr_warning_add(log, (GrLocation){.field = "--evaluations"},
                       "has no effect with the law %s, which is searched locally", gr_soil_law_name(law));
    }
    if (!grid && !isnan(o->cell)) {
        gr_warning_add(log, (GrLocation){.field = "--cell"}, "has no effect with the law %s, which has no grid",
                       gr_soil_law_name(law));
    }
}

static GrStatus read_loss(const FitOptions *o, GrFitDef *def, GrErrorLog *log)
{
    for (int i = 0; i < 3; i++) {
        if (strcmp(o->loss, gr_fit_loss_names[i]) == 0) {
            def->loss = (GrFitLoss)i;
            def->loss_scale = o->loss_scale;
            return o->loss_scale > 0 ? GR_OK : gr_options_refuse("--loss-scale", "must be above 0", log);
        }
    }
    return gr_options_refuse("--loss", "takes squared, huber or soft_l1", log);
}

static void show_progress(void *context, double done, double total)
{
    gr_progress_update(context, done < total ? done : total, total);
}

static GrStatus write_results(const FitOptions *o, GrFitReport *report, GrPage *page, GrErrorLog *log)
{
    FILE *say = o->json ? stderr : stdout;
    GrStatus status =
        gr_soil_save_spread(o->output, &report->result.soil, &report->sources, &report->known.spread, log);
    if (status == GR_OK) {
        fprintf(say, "wrote %s\n", o->output);
    }
    if (status == GR_OK && o->html != NULL) {
        status = gr_report_page(o->html, page, o->json, log);
    }
    return status == GR_ERROR_FILE ? GR_ERROR_NUMERIC : status; // not the input's fault: exit 1
}

static GrStatus fit_soil(const FitOptions *o, GrFitReport *report, GrErrorLog *log)
{
    report->def = gr_default_fit_def();
    GrFitDef *def = &report->def;
    def->folds = (int)o->folds;
    def->seed = (uint64_t)o->seed;
    def->evaluations = isnan(o->evaluations) ? def->evaluations : (int)o->evaluations;
    report->data_path = o->data;
    static const GrWheelDatum none;
    report->known.spread = gr_default_soil_spread();
    GrStatus status = o->data != NULL ? gr_wheel_data_load(o->data, o->columns.items, &report->data, log) : GR_OK;
    const GrWheelDatum *first = report->data.count > 0 ? &report->data.items[0] : &none;
    status = status == GR_OK ? read_wheel(o, first, &def->rig, log) : status;
    if (status == GR_OK && o->plates != NULL) {
        const GrColumnMap map = {"--plate-columns", o->plate_columns.items};
        status = gr_fit_presses_load(o->plates, !isnan(o->radius) && !isnan(o->width), map, report, log);
    }
    status = status == GR_OK ? read_soil(o, report, log) : status;
    status = status == GR_OK ? read_free(o, &report->data, def, log) : status;
    status = status == GR_OK ? read_bounds(o, def, log) : status;
    status = status == GR_OK ? read_weights(o, def, log) : status;
    status = status == GR_OK ? read_loss(o, def, log) : status;
    status = status == GR_OK ? sort_points(o, report, log) : status;
    if (status != GR_OK) {
        return status;
    }
    if (o->free == NULL && o->data == NULL) {
        status = gr_fit_presses_choose(report, log);
    }
    if (status != GR_OK) {
        return status;
    }
    def->folds = o->data != NULL ? def->folds : 0;
    warn_search(o, def->rig.soil.law, log);
    GrProgress progress = gr_progress_begin("fit");
    def->progress = show_progress;
    def->context = &progress;
    status = gr_fit_soil(def, &report->result, log);
    if (status == GR_OK && o->data != NULL) {
        status = gr_fit_spread(def, &report->result, &report->known, log);
    }
    gr_progress_end(&progress);
    if (status == GR_OK) {
        gr_fit_note(report);
        status = gr_fit_presses_score(report, log);
    }
    return status;
}

/// Fills the options; false when the command must end with `*exit_code`.
// NOLINTNEXTLINE(readability-function-size): a table of options
static bool parse(int argc, char **argv, FitOptions *o, int *exit_code)
{
    const GrOption options[] = {
        {.name = "data", .value = "FILE", .text = &o->data, .help = "measured points, a CSV file; see docs/fit.md"},
        {.name = "plates",
         .value = "FILE",
         .text = &o->plates,
         .help = "measured presses, a CSV file; see docs/plate.md; with --data or alone"},
        {.name = "plate-columns",
         .value = "NAME=COLUMN",
         .list = &o->plate_columns,
         .help = "what the columns of --plates are, -COLUMN: with the other sign; may be repeated"},
        {.name = "columns",
         .value = "NAME=COLUMN",
         .list = &o->columns,
         .help = "what the columns of --data are, -COLUMN: with the other sign; may be repeated"},
        {.name = "free",
         .value = "A,B,C",
         .text = &o->free,
         .help = "parameters to find: k_phi, n0, c, ...; default what the data tells of "
                 "phi,k_phi,slip_sinkage_max,plough_sinkage"},
        {.name = "radius", .value = "M", .number = &o->radius, .help = "wheel radius [m]; or a column radius_m"},
        {.name = "width", .value = "M", .number = &o->width, .help = "wheel width [m]; or a column width_m"},
        {.name = "grouser-height", .value = "M", .text = &o->height, .help = "added to the radius [m]"},
        {.name = "grousers",
         .value = "N,H[,T]",
         .text = &o->grousers,
         .help = "count, height and thickness [m], for laws that have each grouser"},
        {.name = "grouser-model",
         .value = "MODEL",
         .text = &o->grouser_model,
         .help = "radius (default), lugs or none"},
        {.name = "slip-radius",
         .value = "M",
         .number = &o->slip_radius,
         .help = "to which the slips of the data refer [m]; default: that of the law"},
        {.name = "load", .value = "N", .number = &o->load, .help = "of points without fz_N [N]"},
        {.name = "cell", .value = "M", .number = &o->cell, .help = "scm: cell size of the grid [m]; default 0.01"},
        {.name = "soil",
         .value = "NAME|FILE",
         .text = &o->soil,
         .help = "starting point; default cmu_smooth_fit, dry sand, its lengths as the wheel"},
        {.name = "model", .value = "LAW", .text = &o->model, .help = "law to use instead of the soil's own"},
        {.name = "set",
         .value = "KEY=VALUE",
         .list = &o->overrides,
         .prefix = "soil:",
         .help = "a parameter that stays fixed; may be repeated"},
        {.name = "bounds",
         .value = "NAME=LOW:HIGH",
         .list = &o->bounds,
         .help = "of a free parameter; may be repeated"},
        {.name = "weights", .value = "LIST", .text = &o->weights, .help = "fx=1,fy=1,sinkage=1,torque=1 (default)"},
        {.name = "loss", .value = "NAME", .text = &o->loss, .help = "squared (default), huber, soft_l1"},
        {.name = "loss-scale",
         .value = "X",
         .number = &o->loss_scale,
         .help = "where a robust loss becomes linear; default 0.1"},
        {.name = "folds",
         .value = "K",
         .number = &o->folds,
         .help = "folds of the cross-validation; default 5, 0: none"},
        {.name = "hold-out",
         .value = "NAME=LIST",
         .list = &o->hold_out,
         .help = "slip_angle=15,75 or slip=0.2, body=, box=, trial= of presses: keep back"},
        {.name = "evaluations",
         .value = "N",
         .number = &o->evaluations,
         .help = "budget of the global search; default 4000, 0: none"},
        {.name = "seed", .value = "N", .number = &o->seed, .help = "of starts and folds; default 1"},
        {.name = "gravity",
         .value = "NAME|NUMBER",
         .text = &o->gravity,
         .help = "earth (default), moon, mars, or [m/s²]"},
        {.name = "output", .letter = 'o', .value = "FILE", .text = &o->output, .help = "write the soil there"},
        {.name = "html", .value = "FILE", .text = &o->html, .help = "write a page with plots"},
        {.name = "json", .flag = &o->json, .help = "print JSON"},
    };
    return gr_options_parse(&gr_fit_soil_command, options, (int)(sizeof options / sizeof options[0]), argc, argv, NULL,
                            0, 0, exit_code) >= 0;
}

/// Checks combinations of options; NULL when they are valid, otherwise a message.
static const char *find_fault(const FitOptions *o)
{
    const double evaluations = isnan(o->evaluations) ? 0 : o->evaluations;
    const bool whole = o->folds == floor(o->folds) && o->seed == floor(o->seed) && evaluations == floor(evaluations);
    const bool inside =
        o->folds >= 0 && o->folds <= 100 && o->seed >= 0 && o->seed <= 9e15 && evaluations >= 0 && evaluations <= 1e7;
    if (o->data == NULL && o->plates == NULL) {
        return "--data or --plates is needed";
    }
    return whole && inside ? NULL
                           : "--folds (0 to 100), --seed (at least 0) and --evaluations (0 to 1e7) are whole numbers";
}

static FitOptions default_options(void)
{
    const double none = (double)NAN;
    return (FitOptions){.loss = "squared",
                        .gravity = "earth",
                        .radius = none,
                        .width = none,
                        .slip_radius = none,
                        .load = none,
                        .cell = none,
                        .folds = 5,
                        .seed = 1,
                        .evaluations = none,
                        .loss_scale = 0.1};
}

void gr_fit_report_free(GrFitReport *report)
{
    gr_wheel_data_free(&report->data);
    gr_press_data_free(&report->presses);
    gr_free(report->role);
    gr_free(report->press_role);
    report->role = report->press_role = NULL;
}

GrStatus gr_fit_soil_line(int argc, char **argv, GrFitReport *out, GrErrorLog *log)
{
    FitOptions o = default_options();
    int exit_code;
    if (!parse(argc, argv, &o, &exit_code)) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){0}, "the fit does not take it");
    }
    const char *fault = find_fault(&o);
    return fault == NULL ? fit_soil(&o, out, log) : gr_error_add(log, GR_ERROR_USAGE, (GrLocation){0}, "%s", fault);
}

static int run(int argc, char **argv)
{
    static GrFitReport report; // too large for the stack
    GrErrorLog log = {0};
    FitOptions o = default_options();
    int exit_code;
    if (!parse(argc, argv, &o, &exit_code)) {
        return exit_code;
    }
    const char *fault = o.output != NULL ? find_fault(&o) : "--data or --plates, and -o are needed";
    if (fault != NULL) {
        gr_report_error("fit soil: %s", fault);
        return GR_EXIT_INPUT;
    }
    report = (GrFitReport){0};
    GrStatus status = fit_soil(&o, &report, &log);
    if (status == GR_OK) {
        GrPage page = {0};
        gr_fit_page(&report, &page);
        o.json ? gr_fit_json(&report, stdout) : gr_page_print(&page, stdout);
        status = write_results(&o, &report, &page, &log);
        gr_page_free(&page);
    }
    gr_fit_report_free(&report);
    gr_report_log(&log);
    return gr_report_exit_code(status);
}

const GrCommand gr_fit_soil_command = {
    .name = "fit soil",
    .summary = "soil parameters from measured single-wheel data and presses of plates",
    .usage = "fit soil --data FILE --radius M --width M|--plates FILE [--free A,B,C] [--soil START] ... -o soil.yaml",
    .details = "Fits soil parameters to measured single-wheel data, first globally within their bounds, then "
               "locally.\nPrints 95 % confidence intervals, the error on points that were held back and in a "
               "cross-validation,\nhow well the soil is known (covariance, errors, discrepancy of groups left out, "
               "range of the data), and\nwrites a soil file that the other commands read. Presses of plates "
               "(--plates) are fitted together with wheel\ndata or alone; alone and without --free, the form of "
               "pressure that predicts plates of other sizes best is chosen.",
    .example = "  grouser fit soil --data measured.csv --radius 0.058 --width 0.05 --hold-out slip_angle=15 \\\n"
               "      -o sand.yaml --html fit.html",
    .run = run,
};
