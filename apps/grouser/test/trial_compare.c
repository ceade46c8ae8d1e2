#include "trial_compare.h"

#include "alloc.h"
#include "out_of_memory.h"
#include "statistics.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int gr_trial_split(const char *list, char *room, size_t size, const char *pieces[GR_TRIAL_CASES])
{
    int count = 0;
    if (!gr_text_copy(room, size, list)) {
        return -1;
    }
    for (char *at = room; at != NULL;) {
        char *comma = strchr(at, ',');
        if (comma != NULL) {
            *comma = '\0';
        }
        if (at[0] == '\0' || count == GR_TRIAL_CASES) {
            return -1;
        }
        pieces[count++] = at;
        at = comma != NULL ? comma + 1 : NULL;
    }
    return count;
}

/// The same fact of another case; NULL: it has none.
static const GrTrialFact *find_fact(const GrTrialReport *report, const GrTrialFact *like)
{
    for (int i = 0; i < report->fact_count; i++) {
        const GrTrialFact *fact = &report->facts[i];
        if (strcmp(fact->key, like->key) == 0 && fact->list == like->list && fact->at == like->at) {
            return fact;
        }
    }
    return NULL;
}

static bool same_fact(const GrTrialFact *a, const GrTrialFact *b)
{
    return b != NULL && (a->is_text ? strcmp(a->text, b->text) == 0 : a->value == b->value);
}

/// A row for each case, a column for each displayed fact that differs between cases.
static void add_cases(const GrTrialCompared *cases, int count, GrTrialReport *table)
{
    const GrTrialReport *first = cases[0].report;
    const GrTrialFact *kept[GR_TRIAL_COLUMNS];
    int kept_count = 0;
    gr_trial_column_text(table, "case", "case");
    for (int i = 0; i < first->fact_count && kept_count < GR_TRIAL_COLUMNS - 1; i++) {
        const GrTrialFact *fact = &first->facts[i];
        bool same = true;
        for (int k = 1; k < count; k++) {
            same = same && same_fact(fact, find_fact(cases[k].report, fact));
        }
        if (!same && fact->label[0] != '\0') {
            snprintf(table->heads[kept_count], GR_TRIAL_TEXT * 2, "%s%s%s%s", fact->label,
                     !fact->is_text && fact->unit[0] != '\0' ? " [" : "", fact->is_text ? "" : fact->unit,
                     !fact->is_text && fact->unit[0] != '\0' ? "]" : "");
            gr_trial_column(table, fact->key, table->heads[kept_count], fact->is_text ? 0 : fact->scale);
            kept[kept_count++] = fact;
        }
    }
    for (int k = 0; k < count; k++) {
        gr_trial_cell_text(table, cases[k].label);
        for (int i = 0; i < kept_count; i++) {
            const GrTrialFact *fact = find_fact(cases[k].report, kept[i]);
            if (kept[i]->is_text) {
                gr_trial_cell_text(table, fact != NULL ? fact->text : "");
            } else {
                gr_trial_cell_bound(table, fact != NULL ? fact->value : (double)NAN, fact != NULL && fact->at_least);
            }
        }
    }
}

/// "B against A: slope at slip 0.3 1.9 ° more (90 %: 1.2 … 2.7)", for facts that the verdict names and both have
/// samples of: the samples are the same soils, so that their differences scatter less than the facts do.
static void add_differences(const GrTrialCompared *cases, int count, GrTrialReport *merged)
{
    const GrTrialReport *first = cases[0].report;
    for (int k = 1; k < count; k++) {
        const GrTrialReport *other = cases[k].report;
        const int samples = first->sample_count == other->sample_count ? first->sample_count : 0;
        for (int i = 0; i < first->fact_count && samples > 0; i++) {
            const GrTrialFact *a = &first->facts[i];
            const GrTrialFact *b = i < other->fact_count ? &other->facts[i] : a;
            char mark[16];
            snprintf(mark, sizeof mark, "{%d}", i);
            if (strstr(first->verdict, mark) == NULL || b->key != a->key || a->samples == NULL || b->samples == NULL) {
                continue;
            }
            double *differences = gr_malloc(sizeof *differences * (size_t)samples);
            if (differences == NULL) {
                merged->failed = true;
                return;
            }
            for (int n = 0; n < samples; n++) {
                differences[n] = a->scale * (b->samples[n] - a->samples[n]);
            }
            const double difference = a->scale * (b->value - a->value);
            gr_trial_verdict(merged, "%s%s against %s: %s %.3g%s%s %s (90 %%: %.3g … %.3g).",
                             merged->verdict[0] != '\0' ? "\n" : "", cases[k].label, cases[0].label, a->label,
                             fabs(difference), a->unit[0] != '\0' ? " " : "", a->unit, difference < 0 ? "less" : "more",
                             gr_quantile_of(differences, samples, 0.05, 0),
                             gr_quantile_of(differences, samples, 0.95, 0));
            gr_free(differences);
        }
    }
}

static void add_rows(const GrTrialCompared *cases, int count, GrTrialReport *merged)
{
    const GrTrialReport *first = cases[0].report;
    merged->rows = first->rows;
    gr_trial_column_text(merged, "case", "case");
    for (int c = 0; c < first->column_count; c++) {
        gr_trial_column(merged, first->columns[c].key, first->columns[c].head, first->columns[c].scale);
    }
    for (int k = 0; k < count; k++) {
        const GrTrialReport *report = cases[k].report;
        for (int i = 0; i < report->cell_count; i++) {
            if (gr_trial_is_left_out(report, i / report->column_count)) {
                continue;
            }
            if (i % report->column_count == 0) {
                gr_trial_cell_text(merged, cases[k].label);
            }
            gr_trial_cell_copy(merged, &report->cells[i]);
        }
    }
}

/// Each panel holds the curves of all cases, in as many colours; curves that do not fit into a panel are not drawn.
static void add_panels(const GrTrialCompared *cases, int count, GrTrialReport *merged)
{
    const GrTrialReport *first = cases[0].report;
    merged->square = first->square;
    for (int p = 0; p < first->panel_count; p++) {
        const GrPanel *model = &first->panels[p].panel;
        const int panel = gr_trial_panel(merged, model->title, model->x_label, model->y_label);
        for (int k = 0; k < count; k++) {
            const GrTrialPanel *from = &cases[k].report->panels[p];
            for (int i = 0; i < from->panel.series_count; i++) {
                const GrSeries *s = &from->series[i];
                GrPanel *to = &merged->panels[panel].panel;
                const bool guide = s->color == GR_PLOT_GUIDE;
                char name[GR_TRIAL_TEXT];
                if (to->series_count == GR_TRIAL_CURVES || (guide && k > 0)) {
                    merged->not_drawn += !guide;
                    continue;
                }
                const char *own = s->name != NULL ? s->name : "";
                snprintf(name, sizeof name, "%.40s%s%.20s", cases[k].label, own[0] != '\0' ? ": " : "", own);
                gr_trial_curve(merged, panel, guide ? "" : name, s->kind, s->x, s->y, s->count);
                merged->panels[panel].series[to->series_count - 1].color = s->color;
            }
            merged->panels[panel].panel.x_lower = fmin(merged->panels[panel].panel.x_lower, from->panel.x_lower);
            merged->panels[panel].panel.x_upper = fmax(merged->panels[panel].panel.x_upper, from->panel.x_upper);
            merged->panels[panel].panel.y_lower = fmin(merged->panels[panel].panel.y_lower, from->panel.y_lower);
            merged->panels[panel].panel.y_upper = fmax(merged->panels[panel].panel.y_upper, from->panel.y_upper);
        }
    }
}

GrStatus gr_trial_compare(const GrTrialCompared *cases, int count, const GrTrialOutputs *outputs, GrErrorLog *log)
{
    GrTrialReport *merged = gr_calloc(1, sizeof *merged), *table = gr_calloc(1, sizeof *table);
    GrStatus status = merged != NULL && table != NULL ? GR_OK : GR_ERROR_MEMORY;
    if (status != GR_OK) {
        gr_out_of_memory(log, NULL);
    } else {
        gr_trial_title(merged, cases[0].report->title, "%d cases side by side", count);
        add_cases(cases, count, table);
        add_differences(cases, count, merged);
        add_rows(cases, count, merged);
        add_panels(cases, count, merged);
        merged->cases = table;
        merged->parts = cases;
        merged->part_count = count;
        merged->failed = merged->failed || table->failed;
        status = gr_trial_say(merged, outputs, log);
    }
    if (merged != NULL) {
        gr_trial_report_free(merged);
    }
    if (table != NULL) {
        gr_trial_report_free(table);
    }
    gr_free(merged);
    gr_free(table);
    return status;
}
