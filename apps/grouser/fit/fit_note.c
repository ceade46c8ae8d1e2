/// What a fitted soil says of itself: the source of its numbers, the range of its data, its title.
#include "fit_report.h"

#include "soil_param.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// "0.05", or "0.05 to 0.11".
static void range_text(const double range[2], char *out, size_t size)
{
    const int used = snprintf(out, size, "%g", range[0]);
    if (range[1] > range[0]) {
        snprintf(out + used, size - (size_t)used, " to %g", range[1]);
    }
}

GrSoilSource *gr_fit_replace_sources(GrSoilSources *sources, bool (*is_free)(const void *context, const char *name),
                                     const void *context)
{
    for (int i = 0; i < sources->count; i++) {
        GrSoilSource *s = &sources->items[i];
        int kept = 0;
        for (int j = 0; j < s->of_count; j++) {
            if (!is_free(context, s->of[j])) {
                memmove(s->of[kept++], s->of[j], sizeof s->of[0]);
            }
        }
        if (kept == 0 && s->of_count > 0) {
            memmove(s, s + 1, (size_t)(sources->count - i - 1) * sizeof *s);
            sources->count--;
            i--;
        } else {
            s->of_count = kept;
        }
    }
    sources->count -= sources->count == GR_SOIL_SOURCES;
    GrSoilSource *own = &sources->items[sources->count++];
    *own = (GrSoilSource){.confidence = GR_DERIVED};
    return own;
}

/// K means K_x and K_y at once.
static bool is_free(const void *context, const char *name)
{
    GrFitReport *report = (GrFitReport *)(uintptr_t)context;
    const bool both = gr_fit_find_free(&report->def, "K") != NULL && strncmp(name, "K_", 2) == 0 && name[3] == '\0';
    return both || gr_fit_find_free(&report->def, name) != NULL;
}

/// Records in the fitted soil that each free parameter was fitted, in place of its former source.
static void note_fit(GrFitReport *report)
{
    GrSoilSource *s = gr_fit_replace_sources(&report->sources, is_free, report);
    char radius[64], width[64];
    range_text(report->known.spread.range.radius, radius, sizeof radius);
    range_text(report->known.spread.range.width, width, sizeof width);
    if (report->data_path == NULL) {
        snprintf(s->text, sizeof s->text,
                 "Fitted by grouser fit soil to presses of %.200s (%s loss); see the command's own output for "
                 "confidence intervals and errors.",
                 report->plates_path, gr_fit_loss_names[report->def.loss]);
    } else {
        snprintf(s->text, sizeof s->text,
                 "Fitted by grouser fit soil to %d points of %.200s (wheel r = %s m, b = %s m; %s loss); see the "
                 "command's own output for confidence intervals and errors.",
                 report->used, report->data_path, radius, width, gr_fit_loss_names[report->def.loss]);
    }
    snprintf(report->known.spread.source, sizeof report->known.spread.source,
             "grouser fit soil, %d points of %.200s: covariance, residuals, and groups predicted by fits without them",
             report->used, report->data_path != NULL ? report->data_path : report->plates_path);
    for (int i = 0; i < report->def.param_count; i++) {
        const GrFitParam *p = &report->def.params[i];
        const char *const both[] = {"K_x", "K_y"};
        for (int k = 0; k < p->offset_count && s->of_count < GR_SOIL_SOURCE_NAMES; k++) {
            const char *name = p->offset_count == 2 ? both[k] : p->name;
            if (gr_soil_param_find(name) >= 0) {
                gr_text_copy(s->of[s->of_count++], sizeof s->of[0], name);
            }
        }
    }
}

/// Range of slips that were fitted: use outside is a counted warning later.
static void note_range(GrFitReport *report)
{
    GrSoilDef *soil = &report->result.soil;
    double lowest = 1, highest = -1;
    for (int i = 0; i < report->data.count; i++) {
        if (report->role[i] == GR_FIT_USED) {
            lowest = fmin(lowest, report->data.items[i].value[GR_SLIP]);
            highest = fmax(highest, report->data.items[i].value[GR_SLIP]);
        }
    }
    if (report->used > 0) {
        soil->slip_min = floor(100 * lowest) / 100;
        soil->slip_max = ceil(100 * highest) / 100;
    }
    soil->name[0] = '\0'; // the name follows from its file
    snprintf(soil->title, sizeof soil->title, "Fitted to %.200s",
             report->data_path != NULL ? report->data_path : report->plates_path);
}

void gr_fit_note(GrFitReport *report)
{
    note_fit(report);
    note_range(report);
}
