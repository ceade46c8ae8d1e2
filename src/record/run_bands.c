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
    {"slip_mean", "mean slip", "", 1},
    {"slip_max", "largest slip", "", 1},
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

static const char *show(double value, char out[GR_NUMBER_SIZE])
{
    if (!isfinite(value)) {
        return "none";
    }
    gr_number_round(value, 3, out);
    return out;
}

void gr_run_bands_say_figure(const GrRunBands *bands, const GrRunSummary *summary, int figure, char *out, size_t size)
{
    const GrRunFigure *f = &gr_run_figures[figure];
    char value[GR_NUMBER_SIZE], low[GR_NUMBER_SIZE], high[GR_NUMBER_SIZE];
    snprintf(out, size, "%s%s%s (90 %%: %s … %s)", show(f->scale * gr_run_figure(summary, figure), value),
             f->unit[0] != '\0' ? " " : "", f->unit, show(f->scale * bands->low[figure], low),
             show(f->scale * bands->high[figure], high));
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

void gr_run_bands_page(const GrRunBands *bands, const GrRunSummary *summary, GrBuffer *page)
{
    static const char *const heads[] = {"", "this run", "5 %", "95 %"};
    char text[400];
    gr_page_section(page, "On samples of the soil");
    gr_run_bands_say(bands, text, sizeof text);
    gr_page_paragraph(page, text);
    gr_page_begin_table(page, heads, 4, 0xeu);
    for (int i = 0; i < GR_RUN_FIGURES; i++) {
        const GrRunFigure *f = &gr_run_figures[i];
        char name[80], cells[3][GR_NUMBER_SIZE];
        snprintf(name, sizeof name, "%s%s%s%s", f->text, f->unit[0] != '\0' ? " [" : "", f->unit,
                 f->unit[0] != '\0' ? "]" : "");
        const char *row[] = {name, show(f->scale * gr_run_figure(summary, i), cells[0]),
                             show(f->scale * bands->low[i], cells[1]), show(f->scale * bands->high[i], cells[2])};
        gr_page_row(page, row, 4, 0xeu);
    }
    gr_page_end_table(page);
}
