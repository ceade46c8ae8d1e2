#include "trial_bands.h"

#include "alloc.h"
#include "out_of_memory.h"
#include "processors.h"
#include "statistics.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

static const double LOW = 0.05, HIGH = 0.95;

typedef struct Samples {
    const GrTrialInput *input;
    const GrSoilSpread *spread;
    const GrTrialReport *nominal;
    int count;
    GrTrialReport **reports; ///< NULL: the sample could not be run
    atomic_int next;
    atomic_int memory; ///< a sample ran out of memory
} Samples;

static void run_samples(void *context, int share, int shares)
{
    Samples *s = context;
    (void)share;
    (void)shares;
    for (int i = atomic_fetch_add(&s->next, 1); i < s->count; i = atomic_fetch_add(&s->next, 1)) {
        GrErrorLog log = {.quiet = true};
        GrTrialInput *input = gr_malloc(sizeof *input);
        GrTrialReport *report = gr_calloc(1, sizeof *report);
        if (input == NULL || report == NULL) {
            atomic_store(&s->memory, 1);
        } else {
            GrSoilDef soil;
            *input = *s->input;
            gr_soil_sample(s->spread, &input->soil_sources, s->input->def.soil, GR_SOIL_SEED, i, s->count, &soil);
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

static void add_facts(const Samples *s, GrTrialReport *report)
{
    for (int f = 0; f < report->fact_count; f++) {
        GrTrialFact *fact = &report->facts[f];
        double *samples = fact->is_text ? NULL : gr_malloc(sizeof *samples * (size_t)s->count);
        if (fact->is_text || samples == NULL) {
            report->failed = report->failed || !fact->is_text;
            continue;
        }
        for (int i = 0; i < s->count; i++) {
            const GrTrialReport *sample = s->reports[i];
            const bool has = sample != NULL && f < sample->fact_count && sample->facts[f].key == fact->key;
            samples[i] = has ? sample->facts[f].value : (double)NAN;
        }
        if (!isnan(largest(samples, s->count)) && differ(samples, s->count, fact->value)) {
            fact->low = gr_quantile_of(samples, s->count, LOW, 0);
            fact->high = gr_quantile_of(samples, s->count, HIGH, 0);
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

GrStatus gr_trial_bands(const GrTrialInput *input, const GrSoilSpread *spread, int count, GrTrialReport *report,
                        GrErrorLog *log)
{
    Samples s = {.input = input, .spread = spread, .nominal = report, .count = count};
    double *room = gr_malloc(sizeof *room * (size_t)count);
    int failed = 0;
    s.reports = gr_calloc((size_t)count, sizeof(GrTrialReport *));
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
    }
    for (int i = 0; i < count && s.reports != NULL; i++) {
        if (s.reports[i] != NULL) {
            gr_trial_report_free(s.reports[i]);
        }
        gr_free(s.reports[i]);
    }
    gr_free(s.reports);
    gr_free(room);
    return status;
}
