#include "run_print.h"

#include "file.h"
#include "report.h"
#include "run_files.h"
#include "run_tables.h"
#include "scenario_data.h"

#include <math.h>
#include <unistd.h>

// ---- checks of convergence and against the reference

bool gr_run_checks_pass(const GrRunChecks *checks)
{
    const GrHalfStep *c = &checks->convergence;
    const GrReference *r = &checks->reference;
    if (isinf(checks->limit)) {
        return true;
    }
    return (!checks->has_convergence || (c->worst <= checks->limit && c->outcome == c->half_outcome)) &&
           (!checks->has_reference || (r->worst <= checks->limit && r->outcome == r->reference_outcome));
}

static void put_rows(GrJson *json, const GrConvergence *rows, int count, const char *other)
{
    gr_json_begin_array(json, "rows");
    for (int i = 0; i < count; i++) {
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "quantity", rows[i].quantity);
        gr_json_string(json, "unit", rows[i].unit);
        gr_json_number(json, "value", rows[i].value);
        gr_json_number(json, other, rows[i].half);
        gr_json_number(json, "change", rows[i].change);
        gr_json_number(json, "scale", rows[i].scale);
        gr_json_bool(json, "event", rows[i].event);
        gr_json_end(json);
    }
    gr_json_end(json);
}

static void put_convergence(GrJson *json, const GrHalfStep *c)
{
    gr_json_begin_object(json, "convergence");
    gr_json_string(json, "outcome", gr_outcome_name(c->outcome));
    gr_json_string(json, "half_outcome", gr_outcome_name(c->half_outcome));
    gr_json_number(json, "worst_change", c->worst);
    put_rows(json, c->rows, GR_CONVERGENCE_COUNT, "half");
    gr_json_end(json);
}

static void put_reference(GrJson *json, const GrReference *r)
{
    gr_json_begin_object(json, "reference");
    gr_json_string(json, "integrator", r->is_cvode ? "cvode" : "step / 8");
    gr_json_string(json, "outcome", gr_outcome_name(r->outcome));
    gr_json_string(json, "reference_outcome", gr_outcome_name(r->reference_outcome));
    gr_json_number(json, "time_s", r->time);
    gr_json_number(json, "distance_m", r->distance);
    gr_json_number(json, "worst_change", r->worst);
    put_rows(json, r->rows, GR_REFERENCE_COUNT, "reference");
    gr_json_end(json);
}

void gr_run_checks_put(const void *context, GrJson *json)
{
    const GrRunChecks *checks = context;
    if (!checks->has_convergence && !checks->has_reference) {
        return;
    }
    gr_json_begin_object(json, "check");
    gr_json_number(json, "limit_percent", 100 * checks->limit); // null: none
    if (isinf(checks->limit)) {
        gr_json_null(json, "pass");
    } else {
        gr_json_bool(json, "pass", gr_run_checks_pass(checks));
    }
    if (checks->has_convergence) {
        put_convergence(json, &checks->convergence);
    }
    if (checks->has_reference) {
        put_reference(json, &checks->reference);
    }
    gr_json_end(json);
}

// ---- the run

static const double HOUR = 3600;  // [s]
static const double NOISE = 1e-9; // [m], [deg], [J]: less is rounding

static void print_supply(GrTable *table, const GrSupplySummary *s)
{
    if (!s->given) {
        return;
    }
    gr_table_text(table, "Sun in sight");
    gr_table_printf(table, "%.1f %% of the time, longest night %.2f h", 100 * s->light_mean, s->dark_longest / HOUR);
    gr_table_text(table, "electric: panel, consumed, drives");
    gr_table_printf(table, "%.4g, %.4g, %.4g Wh", s->solar / HOUR, s->load / HOUR,
                    gr_without_noise(s->drives, NOISE) / HOUR);
    if (s->capacity > 0) {
        gr_table_text(table, "battery, electric");
        gr_table_printf(table, "%.4g Wh at the start, %.4g at the end, %.4g at least, of %.4g", s->charge_start / HOUR,
                        s->charge_end / HOUR, s->charge_min / HOUR, s->capacity / HOUR);
    }
}

static void print_localisation(GrTable *table, const GrLocalisationSummary *s)
{
    if (s->given) {
        gr_table_text(table, "error of localisation");
        gr_table_printf(table, "%.3g m at the end (3 sigma %.3g m), %.3g m at most", s->end.error, 3 * s->end.sigma,
                        s->error_max);
    }
}

/// What samples of the soil say, and how far the figures of this run hold.
static void print_bands(const GrRunBands *bands, const GrRunSummary *s, FILE *file)
{
    char text[400];
    gr_run_bands_say(bands, text, sizeof text);
    fprintf(file, "%s\n\n", text);
    GrTable table = {.indent = 2};
    gr_table_heads(&table, "|");
    for (int i = 0; i < GR_RUN_FIGURES; i++) {
        gr_run_bands_say_figure(bands, s, i, text, sizeof text);
        gr_table_text(&table, gr_run_figures[i].text);
        gr_table_text(&table, text);
    }
    gr_table_print(&table, file);
    gr_table_free(&table);
    fputc('\n', file);
}

static void print_facts(const GrScenario *scenario, const GrRunSummary *s, const GrRunBands *bands, FILE *file)
{
    const char *title = scenario->title[0] != '\0' ? scenario->title : scenario->name;
    fprintf(file, "%s\n%s after %.1f s: %s\n%s", title, gr_outcome_name(s->outcome), s->outcome_time, s->cause,
            bands != NULL ? "" : "\n");
    if (bands != NULL) {
        print_bands(bands, s, file);
    }
    GrTable table = {.indent = 2};
    gr_table_heads(&table, "|");
    const struct {
        const char *name;
        double value;
        const char *unit;
    } rows[] = {
        {"distance", s->distance, "m"},
        {"straight progress", s->progress, "m"},
        {"climb", s->climb, "m"},
        {"descent", s->descent, "m"},
        {"largest roll", s->roll_max / GR_DEGREE, "°"},
        {"largest pitch", s->pitch_max / GR_DEGREE, "°"},
        {"largest distance from the path", s->cross_track_max, "m"},
        {"odometry off by", s->odometry_error, "m"},
        {"motor energy", s->energy.electric, "J mechanical, without recovery"},
        {"absorbed by braking motors", s->energy.braking, "J"},
        {"lost in the soil", s->energy.soil, "J"},
        {"motor energy per metre", s->energy_per_metre, "J/m"},
        {"energy residual", s->energy.residual, "J"},
        {"faster than real time", s->real_time_factor, "times"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gr_table_text(&table, rows[i].name);
        gr_table_text(&table, gr_show(gr_without_noise(rows[i].value, NOISE), 4, rows[i].unit).text);
    }
    print_supply(&table, &s->supply);
    print_localisation(&table, &s->localisation);
    gr_table_text(&table, "steps");
    gr_table_printf(&table, "%ld of %.3g to %.3g ms", s->steps, 1e3 * s->step_min, 1e3 * s->step_max);
    gr_table_text(&table, "state hash");
    gr_table_printf(&table, "%016llx", (unsigned long long)s->state_hash);
    gr_table_print(&table, file);
    gr_table_free(&table);
}

/// Prints a table after an empty line, unless it has no rows.
static void print_table(GrTable *table, FILE *file)
{
    table->indent = 2;
    if (table->cell_count > 0) {
        fputc('\n', file);
        gr_table_print(table, file);
    }
    gr_table_free(table);
}

enum { WAY_POINTS_MAX = 20 }; // most that are printed; all are in summary.json

static void print_tables(const GrModel *model, const GrRunSummary *s, FILE *file)
{
    GrTable way_points = {0}, wheels = {0}, contacts = {0};
    gr_run_table_way_points(s, WAY_POINTS_MAX, &way_points);
    print_table(&way_points, file);
    if (s->way_point_count > WAY_POINTS_MAX) {
        fprintf(file, "  and %d more, %d of %d reached; all are in summary.json\n", s->way_point_count - WAY_POINTS_MAX,
                s->way_points_reached, s->way_point_count);
    }
    gr_run_table_wheels(model, s, NULL, &wheels);
    print_table(&wheels, file);
    gr_run_table_self_contacts(s, &contacts);
    print_table(&contacts, file);
    if (s->self_contact_more > 0) {
        fprintf(file, "  and more than %d pairs in %d steps\n", GR_SELF_CONTACTS_MAX, s->self_contact_more);
    }
}

/// Prints a run beside another run of the same scenario.
static void print_beside(const GrConvergence *rows, int count, const char *title, const char *other, FILE *file)
{
    GrTable table = {0};
    gr_table_column(&table, title, GR_LEFT);
    gr_table_heads(&table, ">this run");
    gr_table_column(&table, other, GR_RIGHT);
    gr_table_heads(&table, ">change|>of");
    for (int i = 0; i < count; i++) {
        gr_table_printf(&table, "%s%s%s%s", rows[i].quantity, rows[i].unit[0] ? " [" : "", rows[i].unit,
                        rows[i].unit[0] ? "]" : "");
        gr_table_number(&table, rows[i].value, 6);
        gr_table_number(&table, rows[i].half, 6);
        gr_table_printf(&table, "%.3f %%", 100 * rows[i].change);
        gr_table_number(&table, rows[i].scale, 6);
    }
    print_table(&table, file);
}

static void print_convergence(const GrHalfStep *c, FILE *file)
{
    print_beside(c->rows, GR_CONVERGENCE_COUNT, "convergence", "half the step", file);
    fprintf(file,
            "\n  changes are relative to the column 'of': the value, the distance, the larger of motor energy and loss "
            "in the soil, or 1 and 1 rad;\n  largest change, except for largest values (single events): %.3f %%\n",
            100 * c->worst);
    if (c->outcome != c->half_outcome) {
        fprintf(file, "  with half the step the outcome differs: %s\n", gr_outcome_name(c->half_outcome));
    }
}

static void print_reference(const GrReference *r, FILE *file)
{
    print_beside(r->rows, GR_REFERENCE_COUNT, "accuracy", r->is_cvode ? "CVODE" : "step / 8", file);
    fprintf(
        file,
        "\n  over %.4g s and %.4g m; changes are relative to the column 'of': positions to the distance, energies to "
        "their size, slips and headings to 1;\n  largest difference, except for the instantaneous slip: %.3f %%\n",
        r->time, r->distance, 100 * r->worst);
    if (r->outcome != r->reference_outcome) {
        fprintf(file, "  the reference has a different outcome: %s\n", gr_outcome_name(r->reference_outcome));
    }
}

void gr_run_print(const GrWorld *world, const GrRunSummary *summary, const GrRunBands *bands, const GrRunChecks *checks,
                  FILE *file)
{
    print_facts(world->scenario, summary, bands, file);
    print_tables(world->model, summary, file);
    if (checks->has_convergence) {
        print_convergence(&checks->convergence, file);
    }
    if (checks->has_reference) {
        print_reference(&checks->reference, file);
    }
    for (int i = 0; i < summary->warning_count; i++) {
        const GrWarning *w = &summary->warnings[i];
        fprintf(file, "%swarning: %s: %ld times, first at %.1f s\n", i == 0 ? "\n" : "", w->text, w->count, w->first);
    }
}

// ---- one run with a progress bar, and its files

static bool is_interrupted(void *context)
{
    (void)context;
    return gr_interrupted();
}

GrStatus gr_run_job(GrWorld *world, GrRecordedRun def, GrRunSummary *summary, GrErrorLog *log)
{
    GrProgress progress = gr_progress_begin(world->scenario->name);
    gr_interrupts_watch();
    def.context = &progress;
    def.progress = gr_progress_update;
    def.stop = is_interrupted;
    const GrStatus status = gr_run_recorded(world, &def, summary, log);
    gr_progress_end(&progress);
    return status;
}

void gr_run_print_files(const char *directory, FILE *out)
{
    char path[GR_FILE_PATH_SIZE];
    const char *before = "{";
    fprintf(out, "wrote %s/", directory);
    for (int i = 0; i < GR_RUN_FILE_COUNT; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, gr_run_files[i]);
        if (gr_file_exists(path)) {
            fprintf(out, "%s%s", before, gr_run_files[i]);
            before = ", ";
        }
    }
    snprintf(path, sizeof path, "%s/sensors", directory);
    if (access(path, F_OK) == 0) {
        fprintf(out, "%ssensors/", before);
    }
    fprintf(out, "}\n");
}
