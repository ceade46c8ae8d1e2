#include "run_samples.h"

#include "grouser/run.h"

#include "alloc.h"
#include "file.h"
#include "model_data.h"
#include "out_of_memory.h"
#include "parts.h"
#include "processors.h"
#include "report.h"
#include "run_files.h"
#include "scenario_data.h"
#include "soil_spread.h"
#include "statistics.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#ifdef GR_WITH_CAMPAIGN
#include "from.h"
#endif

typedef struct Samples {
    const GrScenarioSource *source;
    int count;
    GrRunBands *bands;
    double *figures;   ///< [GR_RUN_FIGURES + 1][count]; the last row: whether it succeeds
    int *outcomes;     ///< [count]; −1: the sample could not be run
    char (*whys)[300]; ///< [count] why not
    atomic_int next, done;
    atomic_int memory; ///< a sample ran out of memory
    atomic_int errors; ///< a sample had errors of its soil's fit
    GrProgress bar;
} Samples;

GrStatus gr_scenario_source_load(const GrScenarioSource *source, const GrTextList *overrides, GrScenario **out,
                                 uint64_t *hash, GrErrorLog *log)
{
    *hash = 0;
    if (source->name != NULL) {
        return gr_scenario_load(source->name, overrides->items, out, log);
    }
#ifdef GR_WITH_CAMPAIGN
    return gr_run_from(source->from, overrides, out, hash, log);
#else
    return gr_part_missing("CAMPAIGN", (GrLocation){.field = "--from"}, log);
#endif
}

/// A run takes samples at its rate, and its steps end there: without them it would not be the same run.
static GrStatus take_nothing(void *context, const GrSample *sample, GrErrorLog *log)
{
    (void)context;
    (void)sample;
    (void)log;
    return GR_OK;
}

static GrStatus run_sample(Samples *s, int index, GrTextList *overrides, GrErrorLog *log)
{
    char text[80];
    uint64_t hash;
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrRunSummary summary = {0};
    snprintf(text, sizeof text, "soil_sample=%d/%d", index + 1, s->count);
    *overrides = *s->source->overrides;
    if (overrides->count == GR_OPTION_LIST_SIZE) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--set"}, "more than %d overrides",
                            GR_OPTION_LIST_SIZE - 1);
    }
    overrides->items[overrides->count++] = text;
    overrides->items[overrides->count] = NULL;
    GrStatus status = gr_scenario_source_load(s->source, overrides, &scenario, &hash, log);
    if (status != GR_OK) {
        return status;
    }
    status = gr_world_create(scenario, &world, log);
    if (status == GR_OK) {
        const GrRunHooks hooks = {.sample = take_nothing};
        atomic_fetch_or(&s->errors, gr_soil_has_errors(world->model));
        status = gr_lane_pool_run(s->source->pool, world, &hooks, &summary, log);
        for (int i = 0; i < GR_RUN_FIGURES && status == GR_OK; i++) {
            s->figures[i * s->count + index] = gr_run_figure(&summary, i);
        }
        s->outcomes[index] = status == GR_OK ? (int)summary.outcome : -1;
        gr_run_summary_free(&summary);
        gr_world_free(world);
    }
    gr_scenario_free(scenario);
    return status;
}

static void run_share(void *context, int share, int shares)
{
    Samples *s = context;
    GrTextList *overrides = gr_malloc(sizeof *overrides);
    (void)shares;
    for (int i = atomic_fetch_add(&s->next, 1); i < s->count; i = atomic_fetch_add(&s->next, 1)) {
        GrErrorLog log = {.quiet = true};
        s->outcomes[i] = -1;
        for (int f = 0; f < GR_RUN_FIGURES; f++) {
            s->figures[f * s->count + i] = (double)NAN;
        }
        const GrStatus status = overrides != NULL ? run_sample(s, i, overrides, &log) : GR_ERROR_MEMORY;
        for (int k = 0; k < log.count && status != GR_OK && s->whys[i][0] == '\0'; k++) {
            if (log.items[k].severity == GR_SEVERITY_ERROR) {
                snprintf(s->whys[i], sizeof s->whys[i], "%.60s%s%.200s", log.items[k].field,
                         log.items[k].field[0] != '\0' ? ": " : "", log.items[k].text);
            }
        }
        atomic_fetch_or(&s->memory, status == GR_ERROR_MEMORY);
        atomic_fetch_add(&s->done, 1);
        if (share == 0) {
            gr_progress_update(&s->bar, atomic_load(&s->done), s->count);
        }
    }
    gr_free(overrides);
}

static void summarise(Samples *s, GrRunBands *out, GrErrorLog *log)
{
    const char *why = NULL;
    for (int i = 0; i < s->count; i++) {
        if (s->outcomes[i] >= 0) {
            out->outcomes[s->outcomes[i]]++;
            const bool succeeded = gr_outcome_succeeded((GrOutcome)s->outcomes[i]);
            out->succeeded += succeeded;
            s->figures[GR_RUN_FIGURES * s->count + i] = succeeded;
        } else {
            why = why == NULL ? s->whys[i] : why;
            out->failed++;
        }
    }
    const GrEstimate share = gr_proportion_banded(out->succeeded, out->samples);
    out->share_low = share.low;
    out->share_high = share.high;
    out->prediction = atomic_load(&s->errors) ? gr_band_word(1) : NULL;
    for (int f = 0; f < GR_RUN_FIGURES; f++) {
        const GrBand band = gr_band_of(s->figures + (size_t)f * (size_t)s->count, s->count, 0);
        out->low[f] = band.low;
        out->high[f] = band.high;
    }
    if (out->failed > 0) {
        gr_warning_add(log, (GrLocation){.field = "--uncertainty"},
                       "%d of %d samples could not be run and count as failures; the first: %s", out->failed, s->count,
                       why);
    }
}

GrStatus gr_run_samples(const GrScenarioSource *source, int count, GrRunBands *out, double **samples, GrErrorLog *log)
{
    Samples s = {.source = source, .count = count, .bands = out, .bar = gr_progress_begin("samples")};
    *out = (GrRunBands){.samples = count};
    s.figures = gr_calloc((size_t)count * (GR_RUN_FIGURES + 1), sizeof *s.figures);
    s.outcomes = gr_calloc((size_t)count, sizeof *s.outcomes);
    s.whys = gr_calloc((size_t)count, sizeof *s.whys);
    GrStatus status = s.figures != NULL && s.outcomes != NULL && s.whys != NULL ? GR_OK : GR_ERROR_MEMORY;
    if (status == GR_OK) {
        gr_share_out(source->pool != NULL ? GR_SAMPLES_AT_ONCE : 0, run_share, &s);
        status = atomic_load(&s.memory) ? GR_ERROR_MEMORY : GR_OK;
    }
    gr_progress_end(&s.bar);
    if (status == GR_OK) {
        summarise(&s, out, log);
    } else {
        gr_out_of_memory(log, NULL);
    }
    if (status == GR_OK && samples != NULL) {
        *samples = s.figures;
        s.figures = NULL;
    }
    gr_free(s.figures);
    gr_free(s.outcomes);
    gr_free(s.whys);
    return status;
}
