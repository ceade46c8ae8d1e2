#include "run_bands.h"

#include "number.h"
#include "page.h"

#include <math.h>
#include <stdio.h>

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
    int used = snprintf(out, size, "%s in %d of %d samples of the soil (90 %%: %d … %d %%)",
                        arrives ? "arrives" : "succeeds", bands->succeeded, bands->samples,
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
