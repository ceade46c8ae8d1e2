/// What pages and tables say of a run: figures, bands, how far to trust them.
#include "run_tables.h"

#include "model_data.h"
#include "number.h"
#include "page.h"

#include <math.h>
#include <stdio.h>

// ---- bands

const GrRunFigure gr_run_figures[GR_RUN_FIGURES] = {
    {"time_s", "time", "s", 1},
    {"distance_m", "distance", "m", 1},
    {"electric_J", "motor energy", "J", 1},
    {"energy_per_metre_J_per_m", "motor energy per metre", "J/m", 1},
    {"slip_mean", "mean slip", "%", 100},
    {"slip_max", "largest slip", "%", 100},
    {"sinkage_max_m", "largest sinkage", "mm", 1000},
};

double gr_run_figure(const GrRunSummary *summary, int figure)
{
    double slip = 0, slip_max = 0, sinkage = 0;
    for (int i = 0; i < summary->wheel_count; i++) {
        slip += summary->wheels[i].slip_mean / summary->wheel_count;
        slip_max = fmax(slip_max, summary->wheels[i].slip_max);
        sinkage = fmax(sinkage, summary->wheels[i].sinkage_max);
    }
    const double values[GR_RUN_FIGURES] = {
        summary->time, summary->distance, summary->energy.electric, summary->energy_per_metre, slip, slip_max, sinkage};
    return values[figure];
}

bool gr_outcome_succeeded(GrOutcome outcome)
{
    return outcome == GR_OUTCOME_FINISHED || outcome == GR_OUTCOME_GOAL;
}

void gr_run_bands_say(const GrRunBands *bands, char *out, size_t size)
{
    const bool arrives = bands->outcomes[GR_OUTCOME_FINISHED] == 0 && bands->outcomes[GR_OUTCOME_GOAL] > 0;
    const char *errors = bands->prediction != NULL ? bands->prediction : "";
    int used = snprintf(out, size, "%s in %d of %d samples of the soil%s%s%s (90 %%: %d … %d %%)",
                        arrives ? "arrives" : "succeeds", bands->succeeded, bands->samples,
                        errors[0] != '\0' ? " and of the errors of its fit, " : "", errors, "",
                        (int)lround(100 * bands->share_low), (int)lround(100 * bands->share_high));
    const char *between = ": ";
    for (int i = 0; i < GR_OUTCOME_COUNT && used >= 0 && (size_t)used < size; i++) {
        if (bands->outcomes[i] > 0) {
            used += snprintf(out + used, size - (size_t)used, "%s%d %s", between, bands->outcomes[i],
                             gr_outcome_name((GrOutcome)i));
            between = ", ";
        }
    }
    if (bands->failed > 0 && used >= 0 && (size_t)used < size) {
        snprintf(out + used, size - (size_t)used, "%s%d could not be run", between, bands->failed);
    }
}

void gr_run_bands_say_figure(const GrRunBands *bands, const GrRunSummary *summary, int figure, char *out, size_t size)
{
    const GrRunFigure *f = &gr_run_figures[figure];
    const double low = f->scale * bands->low[figure], high = f->scale * bands->high[figure];
    snprintf(out, size, "%s", gr_show_banded(f->scale * gr_run_figure(summary, figure), low, high, 3, f->unit).text);
}

/// The same in words, for pages: the share, then a line for each figure.
static void put_words(const GrRunBands *bands, const GrRunSummary *summary, GrJson *json)
{
    char text[400];
    gr_json_begin_array(json, "words");
    gr_run_bands_say(bands, text, sizeof text);
    gr_json_string(json, NULL, text);
    for (int i = 0; i < GR_RUN_FIGURES; i++) {
        const int used = snprintf(text, sizeof text, "%s: ", gr_run_figures[i].text);
        gr_run_bands_say_figure(bands, summary, i, text + used, sizeof text - (size_t)used);
        gr_json_string(json, NULL, text);
    }
    gr_json_end(json);
}

static void put_band(GrJson *json, const char *key, double low, double high)
{
    char name[64];
    snprintf(name, sizeof name, "%s_low", key);
    gr_json_number(json, name, low);
    snprintf(name, sizeof name, "%s_high", key);
    gr_json_number(json, name, high);
}

void gr_run_bands_json(const GrRunBands *bands, const GrRunSummary *summary, GrJson *json)
{
    gr_json_begin_object(json, "uncertainty");
    gr_json_integer(json, "samples", bands->samples);
    gr_json_integer(json, "failed", bands->failed);
    if (bands->prediction != NULL) {
        gr_json_string(json, "prediction", bands->prediction);
    }
    gr_json_integer(json, "succeeded", bands->succeeded);
    gr_json_number(json, "succeeded_share", (double)bands->succeeded / bands->samples);
    put_band(json, "succeeded_share", bands->share_low, bands->share_high);
    gr_json_begin_object(json, "outcomes");
    for (int i = 0; i < GR_OUTCOME_COUNT; i++) {
        if (bands->outcomes[i] > 0) {
            gr_json_integer(json, gr_outcome_name((GrOutcome)i), bands->outcomes[i]);
        }
    }
    gr_json_end(json);
    for (int i = 0; i < GR_RUN_FIGURES; i++) {
        gr_json_number(json, gr_run_figures[i].key, gr_run_figure(summary, i));
        put_band(json, gr_run_figures[i].key, bands->low[i], bands->high[i]);
    }
    put_words(bands, summary, json);
    gr_json_end(json);
}

void gr_run_bands_page(const GrRunBands *bands, const GrRunSummary *summary, GrPage *page)
{
    GrTable table = {0};
    char text[400];
    gr_page_section(page, "On samples of the soil");
    gr_run_bands_say(bands, text, sizeof text);
    gr_page_text(page, "%s", text);
    gr_table_heads(&table, "|>this run|>5 %|>95 %");
    for (int i = 0; i < GR_RUN_FIGURES; i++) {
        const GrRunFigure *f = &gr_run_figures[i];
        const double values[] = {gr_run_figure(summary, i), bands->low[i], bands->high[i]};
        gr_table_printf(&table, f->unit[0] != '\0' ? "%s [%s]" : "%s", f->text, f->unit);
        for (int k = 0; k < 3; k++) {
            gr_table_number(&table, f->scale * values[k], 3);
        }
    }
    gr_page_table(page, &table);
}

// ---- trust

void gr_trust_page(GrPage *page, const char *label, const GrTrust *trust)
{
    const GrPlace place = page->place;
    char title[256];
    if (trust == NULL) {
        return;
    }
    if (place != GR_PLACE_TERMINAL) {
        page->place = GR_PLACE_PAGE;
        snprintf(title, sizeof title, "How far to trust this%s%s", label != NULL ? ": " : "",
                 label != NULL ? label : "");
        gr_page_note(page, title, trust->line);
    }
    if (place != GR_PLACE_PAGE) {
        page->place = GR_PLACE_TERMINAL;
        gr_page_text(page, "trust%s%s%s: %s", label != NULL ? " (" : "", label != NULL ? label : "",
                     label != NULL ? ")" : "", trust->line);
    }
    page->place = place;
}

void gr_trust_json(GrJson *json, const char *key, const GrTrust *trust)
{
    if (trust == NULL) {
        return;
    }
    gr_json_begin_object(json, key);
    gr_json_string(json, "law", trust->law);
    gr_json_string(json, "parameters", trust->parameters);
    gr_json_string(json, "known_error", trust->error);
    gr_json_string(json, "gravity", trust->gravity);
    gr_json_string(json, "line", trust->line);
    gr_json_end(json);
}

// ---- tables

/// Largest torque as a percentage of the motor's limit; NAN: the motor has none.
static double torque_used(const GrRoverDef *rover, const GrRunSummary *summary, int wheel)
{
    for (int i = 0; i < rover->joint_count; i++) {
        const GrJointDef *joint = &rover->joints[i];
        if (joint->role == GR_ROLE_DRIVE && joint->child == rover->wheels[wheel].body) {
            const double limit = joint->motor.torque_limit;
            return isfinite(limit) ? 100 * summary->wheels[wheel].torque_max / limit : (double)NAN;
        }
    }
    return (double)NAN;
}

static void put_numbers(GrTable *out, const double *values, int count)
{
    for (int i = 0; i < count; i++) {
        gr_table_number(out, gr_without_noise(values[i], 1e-9), 3); // less is rounding, in all units of the tables
    }
}

void gr_run_table_wheels(const GrModel *model, const GrRunSummary *summary, const GrRoverDef *rover, GrTable *out)
{
    bool deflects = false;
    for (int i = 0; i < summary->wheel_count; i++) {
        deflects = deflects || summary->wheels[i].deflection_max > 0;
    }
    gr_table_heads(out, "wheel|>slip [%]|>largest|>sinkage [mm]|>largest|>load [N]|>largest|>torque [N m]|>largest");
    if (rover != NULL) {
        gr_table_heads(out, ">of its limit [%]|>airborne [%]");
    }
    gr_table_heads(out, ">work, net [J]|>chatter [1/s]");
    if (deflects) { // rigid wheels do not
        gr_table_heads(out, ">deflection [mm]|>largest");
    }
    for (int i = 0; i < summary->wheel_count; i++) {
        const GrWheelSummary *w = &summary->wheels[i];
        const double values[] = {100 * w->slip_mean, 100 * w->slip_max, 1e3 * w->sinkage_mean, 1e3 * w->sinkage_max,
                                 w->load_mean,       w->load_max,       w->torque_mean,        w->torque_max};
        gr_table_text(out, gr_model_wheel_name(model, i));
        put_numbers(out, values, 8);
        if (rover != NULL) {
            put_numbers(out, (const double[]){torque_used(rover, summary, i), 100 * w->airborne}, 2);
        }
        put_numbers(out, (const double[]){w->energy, w->chatter}, 2);
        if (deflects) {
            put_numbers(out, (const double[]){1e3 * w->deflection_mean, 1e3 * w->deflection_max}, 2);
        }
    }
}

void gr_run_table_states(const GrModel *model, const GrRunSummary *summary, GrTable *out)
{
    long entries[GR_CONTACT_MODE_COUNT] = {0}, all = 0;
    for (int i = 0; i < summary->wheel_count; i++) {
        for (int k = 0; k < GR_CONTACT_MODE_COUNT; k++) {
            entries[k] += summary->wheels[i].state_entries[k];
            all += summary->wheels[i].state_entries[k];
        }
    }
    if (all == 0 || summary->wheel_count > GR_TABLE_COLUMNS - 3) {
        return;
    }
    gr_table_heads(out, "contact state|>entered|>of the wheels' time [%]");
    for (int i = 0; i < summary->wheel_count; i++) {
        gr_table_column(out, gr_model_wheel_name(model, i), GR_RIGHT);
    }
    for (int k = 0; k < GR_CONTACT_MODE_COUNT; k++) {
        double time = 0;
        if (entries[k] == 0) {
            continue;
        }
        for (int i = 0; i < summary->wheel_count; i++) {
            time += summary->wheels[i].state_time[k] / summary->wheel_count;
        }
        gr_table_text(out, gr_contact_mode_text((GrContactMode)k));
        gr_table_printf(out, "%ld", entries[k]);
        put_numbers(out, (const double[]){summary->time > 0 ? 100 * time / summary->time : 0}, 1);
        for (int i = 0; i < summary->wheel_count; i++) {
            put_numbers(out, (const double[]){100 * summary->wheels[i].state_time[k] / fmax(summary->time, 1e-9)}, 1);
        }
    }
}

void gr_run_table_way_points(const GrRunSummary *summary, int most, GrTable *out)
{
    gr_table_heads(out, "way-point|>x [m]|>y [m]|>due [s]|>reached [s]|>late by [s]|>nearest [m]|>distance so far [m]|"
                        "outcome");
    for (int i = 0; i < summary->way_point_count && i < most; i++) {
        const GrArrival *a = &summary->way_points[i];
        gr_table_printf(out, "%d", i + 1);
        gr_table_number(out, a->point.x, 5);
        gr_table_number(out, a->point.y, 5);
        gr_table_number(out, a->point.time, 5);
        gr_table_number(out, a->time, 5);
        gr_table_number(out, a->time - a->point.time, 3);
        gr_table_number(out, a->off, 3);
        gr_table_number(out, a->distance, 4);
        gr_table_text(out, gr_arrival_text(a->state));
    }
}

void gr_run_table_self_contacts(const GrRunSummary *summary, GrTable *out)
{
    gr_table_heads(out, "own bodies in contact|>first at [s]|>for [s]|>largest force [N]");
    for (int i = 0; i < summary->self_contact_count; i++) {
        const GrSelfContact *c = &summary->self_contacts[i];
        gr_table_printf(out, "%s - %s", c->a, c->b);
        gr_table_values(out, (const double[]){c->first, c->time, c->force_max}, 3);
    }
}
