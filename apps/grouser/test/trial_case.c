#include "trial_case.h"

#include "alloc.h"
#include "body_shapes.h"
#include "design.h"
#include "find.h"
#include "grouser/soil_file.h"
#include "out_of_memory.h"
#include "processors.h"
#include "report.h"
#include "scenario_data.h"
#include "soil_param.h"
#include "soil_spread.h"
#include "soil_yaml.h"
#include "statistics.h"
#include "text.h"
#include "trials.h"
#include "wheel_study.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- bands: the same test on samples of the soil, and the 5 % and 95 % quantiles of every number that it reports
//
// A test needs nothing of its own for this: facts, cells and curves of the samples' reports are compared with those of
// the nominal one, by their place. Samples are a Latin hypercube with a fixed seed, so that all cases of a comparison
// see the same soils and their differences have their own bands.

static const double LOW = 0.05, HIGH = 0.95;

typedef struct Samples {
    const GrTrialInput *input;
    const GrSoilSpread *spread;
    const GrTrialReport *nominal;
    double outside; ///< of the conditions that the data of the soil's fit cover
    int count;
    GrTrialReport **reports; ///< NULL: the sample could not be run; the last is of the soil itself, run as samples are
    atomic_int next;
    atomic_int memory; ///< a sample ran out of memory
} Samples;

static void run_samples(void *context, int share, int shares)
{
    Samples *s = context;
    (void)share;
    (void)shares;
    for (int i = atomic_fetch_add(&s->next, 1); i <= s->count; i = atomic_fetch_add(&s->next, 1)) {
        GrErrorLog log = {.quiet = true};
        GrTrialInput *input = gr_malloc(sizeof *input);
        GrTrialReport *report = gr_calloc(1, sizeof *report);
        if (input == NULL || report == NULL) {
            atomic_store(&s->memory, 1);
        } else {
            GrSoilDef soil = *s->input->def.soil;
            *input = *s->input;
            if (i < s->count) {
                gr_soil_sample(s->spread, &input->soil_sources, s->input->def.soil, GR_SOIL_SEED, i, s->count, &soil);
                gr_soil_sample_errors(s->spread, s->outside, i, s->count, &soil);
            }
            input->def.soil = &soil;
            input->is_sample = true;
            input->nominal = s->nominal;
            const GrStatus status = input->kind->run(input, report, &log);
            if (status == GR_OK && !report->failed) {
                s->reports[i] = report;
                report = NULL;
            }
            bool memory = status == GR_ERROR_MEMORY || (report != NULL && report->failed);
            for (int k = 0; k < log.count && status != GR_OK; k++) { // also of a model that could not be made
                memory = memory || log.items[k].status == GR_ERROR_MEMORY;
            }
            atomic_fetch_or(&s->memory, memory);
        }
        if (report != NULL) {
            gr_trial_report_free(report);
        }
        gr_free(report);
        gr_free(input);
    }
}

/// The largest value that a sample has; NAN: none.
static double largest(const double *samples, int count)
{
    double most = (double)NAN;
    for (int i = 0; i < count; i++) {
        most = isnan(most) ? samples[i] : fmax(most, samples[i]);
    }
    return most;
}

/// Whether the samples differ from each other or from the nominal value at all.
static bool differ(const double *samples, int count, double nominal)
{
    bool any = false;
    for (int i = 0; i < count; i++) {
        any = any || !(samples[i] == nominal || (isnan(samples[i]) && isnan(nominal)));
    }
    return any;
}

/// The soil itself is one of the soils that it may be: its own value is within the band. Where the samples alone are
/// far from it, their steady formulas are no guide to what the drive does.
static void take_in(GrTrialFact *fact, GrTrialReport *report)
{
    const double off = fmax(fact->low - fact->value, fact->value - fact->high), width = fact->high - fact->low;
    if (!(off > 0)) { // also where a quantile has no value
        return;
    }
    if (report->kept != NULL && fact->sense != 0 && !fact->at_least && off > 10 * fact->accuracy &&
        off > 0.25 * width) {
        gr_trial_doubt(
            report,
            "%s: the samples of the soil have %.3g … %.3g %s by steady formulas, the drive on the soil itself "
            "%.3g %s: close to its limit the rover swings or slides back. grouser sweep --uncertainty drives "
            "the samples, too.",
            fact->label, fact->scale * fact->low, fact->scale * fact->high, fact->unit, fact->scale * fact->value,
            fact->unit);
    }
    fact->low = fmin(fact->low, fact->value);
    fact->high = fmax(fact->high, fact->value);
}

/// Difference between the test and the same test run the way samples are: by steady formulas, or with coarser limits.
/// Samples are shifted by it.
static double shift_of(const Samples *s, int f, const GrTrialFact *fact)
{
    const GrTrialReport *same = s->reports[s->count];
    const bool has = same != NULL && f < same->fact_count && same->facts[f].key == fact->key;
    const double shift = has ? fact->value - same->facts[f].value : (double)NAN;
    return isfinite(shift) && !fact->at_least ? shift : 0;
}

/// The value of a sample; not beyond 0, nor beyond the end of what was tested.
static double moved(const GrTrialFact *sample, double shift)
{
    const double value = sample->value;
    const double by = sample->at_least ? fmin(shift, 0) : shift;
    return value == 0 ? 0 : value > 0 ? fmax(value + by, 0) : fmin(value + by, 0);
}

static void add_facts(const Samples *s, GrTrialReport *report)
{
    for (int f = 0; f < report->fact_count; f++) {
        GrTrialFact *fact = &report->facts[f];
        double *samples = fact->is_text ? NULL : gr_malloc(sizeof *samples * (size_t)s->count);
        if (fact->is_text || samples == NULL) {
            report->failed = report->failed || !fact->is_text;
            continue;
        }
        const double shift = shift_of(s, f, fact);
        for (int i = 0; i < s->count; i++) {
            const GrTrialReport *sample = s->reports[i];
            const bool has = sample != NULL && f < sample->fact_count && sample->facts[f].key == fact->key;
            samples[i] = has ? moved(&sample->facts[f], shift) : (double)NAN;
        }
        if (!isnan(largest(samples, s->count)) && differ(samples, s->count, fact->value)) {
            fact->low = gr_quantile_of(samples, s->count, LOW, 0);
            fact->high = gr_quantile_of(samples, s->count, HIGH, 0);
            take_in(fact, report);
            for (int i = 0; i < s->count; i++) {
                fact->open = fact->open ||
                             (s->reports[i] != NULL && s->reports[i]->facts[f].at_least && samples[i] <= fact->high);
            }
            fact->samples = samples;
        } else {
            gr_free(samples);
        }
    }
}

static void add_cells(const Samples *s, double *room, GrTrialReport *report)
{
    for (int c = 0; c < report->cell_count; c++) {
        GrTrialCell *cell = &report->cells[c];
        if (report->columns[c % report->column_count].scale == 0) {
            continue;
        }
        for (int i = 0; i < s->count; i++) {
            const GrTrialReport *sample = s->reports[i];
            room[i] = sample != NULL && c < sample->cell_count ? sample->cells[c].number : (double)NAN;
        }
        if (!isnan(cell->number) && differ(room, s->count, cell->number)) {
            cell->low = gr_quantile_of(room, s->count, LOW, 0);
            cell->high = gr_quantile_of(room, s->count, HIGH, 0);
            cell->low -= fmax(cell->low - cell->number, 0); // NAN stays NAN
            cell->high += fmax(cell->number - cell->high, 0);
        }
    }
}

/// Where some samples have no value, as a rover that does not climb, the band ends at the largest that there is.
static void add_band(const Samples *s, int p, int k, double *room, GrTrialReport *report)
{
    GrTrialPanel *panel = &report->panels[p];
    GrSeries *series = &panel->series[k];
    double *band = gr_calloc(2 * (size_t)series->count + 1, sizeof *band);
    bool any = false;
    if (band == NULL) {
        report->failed = true;
        return;
    }
    for (int x = 0; x < series->count; x++) {
        for (int i = 0; i < s->count; i++) {
            const GrTrialReport *sample = s->reports[i];
            const bool has = sample != NULL && p < sample->panel_count && k < sample->panels[p].panel.series_count &&
                             sample->panels[p].series[k].count == series->count &&
                             sample->panels[p].series[k].x[x] == series->x[x];
            room[i] = has ? sample->panels[p].series[k].y[x] : (double)NAN;
        }
        const double high = gr_quantile_of(room, s->count, HIGH, 0);
        band[x] = isnan(series->y[x]) ? (double)NAN : gr_quantile_of(room, s->count, LOW, 0);
        band[series->count + x] = isnan(band[x]) || !isnan(high) ? high : largest(room, s->count);
        any = any || (!isnan(band[x]) && band[x] != series->y[x]);
    }
    if (!any) {
        gr_free(band);
        return;
    }
    panel->bands[k] = band;
    series->lower = band;
    series->upper = band + series->count;
}

/// How far the rover's wheels are outside of what the data of the soil's fit cover, at the slip of the headlines.
static double outside_of(const GrTrialInput *input, const GrSoilSpread *spread)
{
    static const double SLIP = 0.3;
    const GrRoverDef *rover = input->def.rover;
    const double load = input->mass * input->def.gravity / (rover->wheel_count > 0 ? rover->wheel_count : 1);
    double outside = input->def.soil->law == input->soil_sources.law ? 0 : 1;
    for (int i = 0; i < rover->wheel_count; i++) {
        const GrCondition at = {SLIP, 0, load, rover->wheels[i].width, rover->wheels[i].radius};
        outside = fmax(outside, gr_conditions_outside(&spread->range, &at));
    }
    return outside;
}

/// Runs the test on `count` samples of the soil, in threads, and adds the bands to the report of the soil itself.
static GrStatus trial_bands(const GrTrialInput *input, const GrSoilSpread *spread, int count, GrTrialReport *report,
                            GrErrorLog *log)
{
    const double outside = outside_of(input, spread);
    Samples s = {.input = input, .spread = spread, .nominal = report, .outside = outside, .count = count};
    double *room = gr_malloc(sizeof *room * (size_t)count);
    int failed = 0;
    s.reports = gr_calloc((size_t)count + 1, sizeof(GrTrialReport *));
    GrStatus status = s.reports != NULL && room != NULL ? GR_OK : gr_out_of_memory(log, NULL);
    if (status == GR_OK) {
        gr_progress_mute(true);
        gr_share_out(0, run_samples, &s);
        gr_progress_mute(false);
        for (int i = 0; i < count; i++) {
            failed += s.reports[i] == NULL;
        }
        if (atomic_load(&s.memory)) {
            status = gr_out_of_memory(log, NULL);
        }
    }
    if (status == GR_OK) {
        if (failed > 0) {
            gr_warning_add(log, (GrLocation){.field = "--uncertainty"},
                           "%d of %d samples of the soil could not be run; the bands count them as failures", failed,
                           count);
        }
        add_facts(&s, report);
        add_cells(&s, room, report);
        for (int p = 0; p < report->panel_count; p++) {
            for (int k = 0; k < report->panels[p].panel.series_count; k++) {
                add_band(&s, p, k, room, report);
            }
        }
        report->sample_count = count;
        report->prediction = gr_spread_has_errors(spread) ? gr_band_word(outside) : NULL;
    }
    for (int i = 0; i <= count && s.reports != NULL; i++) {
        if (s.reports[i] != NULL) {
            gr_trial_report_free(s.reports[i]);
        }
        gr_free(s.reports[i]);
    }
    gr_free(s.reports);
    gr_free(room);
    return status;
}

// ---- the case

enum { COMMON_OPTIONS = 15, DYNAMIC_OPTIONS = 3 };

static int option_index(const GrTrialInput *input, const char *name)
{
    for (int i = 0; i < GR_TRIAL_OPTIONS && input->kind->options[i].name != NULL; i++) {
        if (strcmp(input->kind->options[i].name, name) == 0) {
            return i;
        }
    }
    abort(); // programming error: the test does not have this option
}

double gr_trial_number(const GrTrialInput *input, const char *name)
{
    return input->numbers[option_index(input, name)];
}

const char *gr_trial_text(const GrTrialInput *input, const char *name)
{
    return input->texts[option_index(input, name)];
}

bool gr_trial_flag(const GrTrialInput *input, const char *name)
{
    return input->flags[option_index(input, name)];
}

int gr_trial_values(const GrTrialInput *input, const char *name, double scale, double **out, GrErrorLog *log)
{
    const GrTrialOption *option = &input->kind->options[option_index(input, name)];
    char dashed[GR_NAME_SIZE];
    snprintf(dashed, sizeof dashed, "--%s", name);
    const int count =
        gr_wheel_values(dashed, gr_trial_text(input, name), option->lower, option->upper, scale, out, log);
    if (count <= 0) {
        gr_free(*out);
        *out = NULL;
    }
    return count;
}

static void move_bar(void *context, double share)
{
    GrTrialWatch *watch = context;
    gr_progress_update(&watch->bar, watch->done + share, watch->count);
}

GrTrialDef gr_trial_watched(const GrTrialInput *input, GrTrialWatch *watch)
{
    GrTrialDef def = input->def;
    watch->bar = gr_progress_begin(input->kind->name);
    def.progress = move_bar;
    def.context = watch;
    return def;
}

void gr_trial_begin(const GrTrialInput *input, const char *title, GrTrialReport *report)
{
    gr_trial_title(report, title, "%s on %s, %.4g m/s², step %.4g ms", input->rover_name, input->soil_name,
                   input->def.gravity, 1000 * input->def.step);
    gr_trial_fact_text(report, "test", "", input->kind->name);
    gr_trial_fact_text(report, "rover", "", input->rover_name);
    gr_trial_fact_text(report, "soil", "", input->soil_name);
    if (input->def.soil != NULL) {
        gr_trial_fact_text(report, "law", "", gr_soil_law_name(input->def.soil->law));
    }
    gr_trial_fact(report, "gravity_m_per_s2", "", "m/s²", 1, input->def.gravity);
    report->facts[gr_trial_fact(report, "mass_kg", "", "kg", 1, input->mass)].of_design = true;
    gr_trial_compared(report, report->fact_count - 1, -1, 0);
    gr_trial_fact(report, "step_s", "", "s", 1, input->def.step);
}

void gr_trial_log_curve(GrTrialReport *report, int panel, const GrTrialLog *samples, GrTrialQuantity x, double x_scale,
                        GrTrialCurve curve)
{
    double *values = gr_calloc(2 * (size_t)samples->count + 1, sizeof *values);
    if (values == NULL) {
        report->failed = true;
        return;
    }
    for (int i = 0; i < samples->count; i++) {
        values[i] = x_scale * samples->rows[i].values[x];
        values[samples->count + i] = curve.scale * samples->rows[i].values[curve.quantity];
    }
    gr_trial_curve(report, panel, curve.name, GR_SERIES_LINE, values, values + samples->count, samples->count);
    gr_free(values);
}

static double mass_of(const GrRoverDef *rover)
{
    double mass = 0;
    for (int i = 0; i < rover->body_count; i++) {
        mass += rover->bodies[i].mass;
    }
    return mass;
}

/// Numbers of the test's own options, within their ranges. Lists of values are read by the test itself.
static GrStatus read_numbers(GrTrialInput *input, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (int i = 0; i < GR_TRIAL_OPTIONS && input->kind->options[i].name != NULL; i++) {
        const GrTrialOption *option = &input->kind->options[i];
        double *number = &input->numbers[i];
        *number = (double)NAN;
        if (option->value == NULL || input->texts[i] == NULL || option->lower == option->upper ||
            strstr(option->value, "LIST") != NULL) {
            continue;
        }
        if (!gr_options_number(input->texts[i], number) || *number < option->lower || *number > option->upper) {
            status = gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = option->name},
                                  "found '%s', allowed: a number from %g to %g", input->texts[i], option->lower,
                                  option->upper);
        }
    }
    return status;
}

GrStatus gr_trial_gravity(const char *option, const char *text, double *out, GrErrorLog *log)
{
    char dashed[GR_NAME_SIZE];
    snprintf(dashed, sizeof dashed, "--%s", option);
    if ((gr_gravity_named(text, out) || gr_options_number(text, out)) && *out > 0) {
        return GR_OK;
    }
    return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = dashed},
                        "found '%s', allowed: a known body (earth, moon, mars, ...) or a number above 0 [m/s²]", text);
}

/// The number of samples of the soil. The slow laws take minutes for bands, which are then drawn only on request.
static GrStatus read_samples(const GrTrialCommon *o, const GrTrialKind *kind, const GrSoilDef *soil, int *out,
                             GrErrorLog *log)
{
    const GrStatus status =
        gr_options_samples(o->uncertainty, gr_soil_law_is_fast(soil->law) ? kind->samples : 0, out, log);
    *out = o->hard ? 0 : *out;
    return status;
}

const char *gr_usual_soil(double gravity)
{
    static const char *const soils[][2] = {{"mars", "mars_sand"}, {"moon", "lunar_mare"}};
    for (int i = 0; i < 2; i++) {
        double its;
        if (gr_gravity_named(soils[i][0], &its) && fabs(gravity - its) < 0.02 * its) {
            return soils[i][1];
        }
    }
    return "ishigami2007";
}

static GrStatus read_inputs(const GrTrialCommon *o, GrRoverDef *rover, GrSoilDef *soil, GrSoilSpread *spread,
                            GrTrialInput *input, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    double step;
    const char *own = input->kind->gravity;
    const GrStatus pulled = gr_trial_gravity(
        own != NULL ? own : "gravity", own != NULL ? gr_trial_text(input, own) : o->gravity, &input->def.gravity, log);
    if (pulled != GR_OK) {
        return pulled;
    }
    if (!gr_options_number(o->step, &step) || !(step > 0 && step <= 100)) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--step"},
                            "found '%s', allowed: above 0 to 100 [ms]", o->step);
    }
    if (!(o->damping >= 0 && o->damping <= 10) || !(o->friction >= 0 && o->friction <= 10)) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--friction, --soil-damping"},
                            "found %g and %g, allowed: 0 to 10", o->friction, o->damping);
    }
    input->def.step = step / 1000;
    input->def.damping_ratio = o->damping;
    input->def.friction = o->friction;
    GrStatus status = read_numbers(input, log);
    const GrStatus found = gr_find_file("rovers", "rover", input->rover_name, path, log);
    status = status == GR_OK ? found : status;
    if (found == GR_OK) {
        const GrStatus loaded = gr_rover_load(path, o->overrides.items, rover, log);
        status = status == GR_OK ? loaded : status;
    }
    input->soil_name = o->soil != NULL ? o->soil : gr_usual_soil(input->def.gravity);
    const GrStatus soil_status =
        gr_soil_load_spread(input->soil_name, o->soil_overrides.items, soil, &input->soil_sources, spread, log);
    status = status == GR_OK ? soil_status : status;
    status = status == GR_OK && o->model != NULL ? gr_soil_law_find(o->model, &soil->law, log) : status;
    if (status == GR_OK && o->model != NULL && spread->kind == GR_SPREAD_UNKNOWN) { // of what this law reads
        gr_soil_spread_unknown(soil, spread);
    }
    if (status == GR_OK) {
        GrScenario *here = gr_calloc(1, sizeof *here);
        if (here == NULL) {
            return gr_out_of_memory(log, NULL);
        }
        here->has_soil = !o->hard;
        here->soil = *soil;
        here->scene.wheels = GR_WHEELS_CYLINDER;
        gr_rover_warn_unread(o->overrides.items, here, (GrLocation){.field = "--set"}, log);
        gr_free(here);
    }
    if (status == GR_OK && !o->hard) {
        const unsigned damped = o->damping > 0 ? GR_SOIL_USE_DAMPED : 0;
        gr_soil_warn_ignored(soil, &input->soil_sources, damped | GR_SOIL_USE_NO_FLOW | gr_rover_soil_use(rover), log);
    }
    return status;
}

/// Puts a sample in the place of the soil, with the errors of its fit.
static GrStatus take_sample(const char *text, const GrSoilSpread *spread, GrTrialInput *input, GrSoilDef *soil,
                            const char **prediction, GrErrorLog *log)
{
    const GrSoilDef nominal = *soil;
    int index, count;
    if (!gr_soil_sample_read(text, &index, &count)) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "soil_sample"},
                            "found '%s', allowed: none, or I/N for sample I of N", text);
    }
    if (count > 0) {
        const double outside = outside_of(input, spread);
        gr_soil_sample(spread, &input->soil_sources, &nominal, GR_SOIL_SEED, index, count, soil);
        gr_soil_sample_errors(spread, outside, index, count, soil);
        *prediction = gr_spread_has_errors(spread) ? gr_band_word(outside) : NULL;
    }
    return GR_OK;
}

GrStatus gr_trial_case_run(GrTrialCase *c, GrErrorLog *log)
{
    const GrTrialCommon *o = &c->common;
    GrRoverDef rover = gr_default_rover_def();
    GrSoilDef soil = gr_default_soil_def();
    GrSoilSpread spread;
    GrTrialInput *input = &c->input;
    int samples = 0;
    GrStatus status = read_inputs(o, &rover, &soil, &spread, input, log);
    status = status == GR_OK ? read_samples(o, input->kind, &soil, &samples, log) : status;
    if (status == GR_OK) {
        input->def.rover = &rover;
        input->def.soil = o->hard ? NULL : &soil;
        input->soil_name = o->hard ? "hard ground" : input->soil_name;
        input->mass = mass_of(&rover);
        if (o->soil_sample != NULL && !o->hard) {
            status = take_sample(o->soil_sample, &spread, input, &soil, &c->report.prediction, log);
        }
        status = status == GR_OK ? input->kind->run(input, &c->report, log) : status;
    }
    if (status == GR_OK && samples > 0) {
        status = trial_bands(input, &spread, samples, &c->report, log);
    }
    if (status == GR_OK) {
        if (o->hard) {
            gr_trust_of_rigid_ground(NULL, input->def.gravity, &c->trust);
        } else {
            gr_trust_of_soil(&soil, &input->soil_sources, input->def.gravity, &c->trust);
        }
        c->report.trust = &c->trust;
    }
    gr_rover_free(&rover);
    return status;
}

GrStatus gr_trial_cases_say(GrTrialCase *cases, int count, const GrTrialOutputs *outputs, GrErrorLog *log)
{
    GrTrialCompared compared[GR_TRIAL_CASES] = {{0}};
    GrStatus status = GR_OK;
    for (int i = 0; i < count && status == GR_OK; i++) {
        status = gr_trial_case_run(&cases[i], log);
        compared[i] = (GrTrialCompared){&cases[i].report, cases[i].label, cases[i].input.soil_name};
    }
    if (status == GR_OK) {
        status =
            count == 1 ? gr_trial_say(&cases[0].report, outputs, log) : gr_trial_compare(compared, count, outputs, log);
    }
    for (int i = 0; i < count; i++) {
        gr_trial_report_free(&cases[i].report);
    }
    return status;
}

GrStatus gr_trial_change(GrTrialCommon *o, const char *change, GrErrorLog *log)
{
    const struct {
        const char *key;
        const char **to;
    } named[] = {{"soil", &o->soil}, {"law", &o->model}, {"model", &o->model}, {"gravity", &o->gravity}};
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        const char *value = gr_design_value(change, named[i].key);
        if (value != NULL) {
            *named[i].to = value;
            return GR_OK;
        }
    }
    if (gr_design_value(change, "mode") != NULL) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = change},
                            "standard tests have their own drive mode; compare modes in a scenario: --scenario NAME");
    }
    if (strncmp(change, "soil:", 5) == 0) {
        return gr_design_add(&o->soil_overrides, change + 5, log);
    }
    return gr_design_add(&o->overrides, strncmp(change, "rover:", 6) == 0 ? change + 6 : change, log);
}

/// --set reaches into the soil and names it, as in grouser run.
static GrStatus spread_sets(GrTrialCommon *o, GrErrorLog *log)
{
    const GrTextList sets = o->overrides;
    GrStatus status = GR_OK;
    o->overrides = (GrTextList){0};
    for (int i = 0; i < sets.count && status == GR_OK; i++) {
        status = gr_trial_change(o, sets.items[i], log);
    }
    return status;
}

static int common_options(const GrTrialKind *kind, GrTrialCommon *o, const char *soil_help,
                          GrOption out[COMMON_OPTIONS])
{
    const char *samples_help = kind->samples > 0 ? "samples of the soil for bands (default 32; scm and rft: 0)"
                                                 : "samples of the soil for bands (default 0: none)";
    const GrOption options[] = {
        // First, so that it can be left out.
        {.name = "gravity",
         .value = "NAME|NUMBER",
         .text = &o->gravity,
         .help = "earth (default), moon, mars, ... or m/s²; or several"},
        {.name = "soil", .value = "NAME|FILE", .text = &o->soil, .help = soil_help},
        {.name = "model",
         .value = "LAW",
         .text = &o->model,
         .help = "law of the soil, or several (default: the soil's own)"},
        {.name = "step", .value = "MS", .text = &o->step, .help = "integration step [ms]"},
        {.name = "set",
         .value = "PATH=VALUE",
         .list = &o->overrides,
         .help = "replace a value of the rover's file; soil:NAME=VALUE: a parameter of the soil"},
        {.name = "set-soil",
         .value = "NAME=VALUE",
         .list = &o->soil_overrides,
         .help = "the same as --set soil:NAME=VALUE"},
        {.name = "uncertainty", .value = "N", .text = &o->uncertainty, .help = samples_help},
        {.name = "html", .value = "FILE", .text = &o->outputs.html, .help = "write a page with plots"},
        {.name = "svg", .value = "FILE", .text = &o->outputs.svg, .help = "write the plots alone"},
        {.name = "csv", .value = "FILE", .text = &o->outputs.csv, .help = "write the numbers"},
        {.name = "json", .flag = &o->outputs.json, .help = "print JSON"},
        {.name = "hard", .flag = &o->hard, .help = "on rigid ground instead of soil"},
        {.name = "friction",
         .value = "MU",
         .number = &o->friction,
         .help = "friction of everything rigid (default 0.6)"},
        {.name = "soil-damping",
         .value = "RATIO",
         .number = &o->damping,
         .help = "of a soil without damping, over the critical one (default 0.5)"},
    };
    const int first = kind->gravity != NULL ? 1 : 0, last = kind->dynamic ? 0 : DYNAMIC_OPTIONS;
    const int count = (int)(sizeof options / sizeof options[0]) - first - last;
    memcpy(out, options + first, sizeof *options * (size_t)count);
    return count;
}

bool gr_trial_parse(const GrTrialKind *kind, const GrTrialFace *face, int argc, char **argv, GrTrialLine *out,
                    int *exit_code)
{
    *out = (GrTrialLine){.input = {.kind = kind, .def = gr_default_trial_def()}};
    out->defaults = (GrTrialCommon){.soil = kind->soil,
                                    .gravity = "earth",
                                    .step = kind->step_ms,
                                    .damping = out->input.def.damping_ratio,
                                    .friction = out->input.def.friction};
    out->common = out->defaults;
    GrOption options[GR_TRIAL_OPTIONS + COMMON_OPTIONS + GR_TRIAL_FACE_OPTIONS];
    char name[GR_NAME_SIZE], usage[200], helps[GR_TRIAL_OPTIONS][160], soil_help[160];
    snprintf(soil_help, sizeof soil_help, "soil, or several: a,b (default %s)",
             kind->soil != NULL ? kind->soil : "mars_sand on Mars, lunar_mare on the Moon, else ishigami2007");
    int count = 0;
    for (; count < GR_TRIAL_OPTIONS && kind->options[count].name != NULL; count++) {
        const GrTrialOption *own = &kind->options[count];
        out->input.texts[count] = own->fallback;
        snprintf(helps[count], sizeof helps[count], "%s%s%s%s", own->help, own->fallback != NULL ? " (default " : "",
                 own->fallback != NULL ? own->fallback : "", own->fallback != NULL ? ")" : "");
        options[count] = (GrOption){.name = own->name, .value = own->value, .help = helps[count]};
        if (own->value != NULL) {
            options[count].text = &out->input.texts[count];
        } else {
            options[count].flag = &out->input.flags[count];
        }
    }
    count += common_options(kind, &out->common, soil_help, options + count);
    for (int i = 0; face != NULL && i < face->option_count; i++) {
        options[count++] = face->options[i];
    }
    snprintf(name, sizeof name, "test %s", kind->name);
    snprintf(usage, sizeof usage, "test %s ROVER... [OPTION]... [--html FILE] [--json]", kind->name);
    const GrCommand command = {.name = name,
                               .summary = kind->summary,
                               .usage = usage,
                               .details = kind->details,
                               .example = kind->example,
                               .arguments = "@rovers"};
    out->rover_count = gr_options_parse(face != NULL ? face->command : &command, options, count, argc, argv,
                                        out->rovers, 1, GR_TRIAL_CASES, exit_code);
    GrErrorLog log = {0};
    if (out->rover_count >= 0 && spread_sets(&out->common, &log) != GR_OK) {
        gr_report_log(&log);
        *exit_code = GR_EXIT_INPUT;
        return false;
    }
    return out->rover_count >= 0;
}
