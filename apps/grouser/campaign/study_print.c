#include "study_print.h"

#include "number.h"
#include "table.h"

#include <math.h>

static void print_table(GrTable *table, FILE *file)
{
    table->indent = 2;
    gr_table_print(table, file);
    gr_table_free(table);
}

/// Rank correlations, a row for each variable; at most as many measures as a table has columns.
static void print_correlations(const GrStudyTable *t, const GrStudySummary *summary, FILE *file)
{
    GrTable table = {0};
    const int measures = summary->measure_count < GR_TABLE_COLUMNS - 1 ? summary->measure_count : GR_TABLE_COLUMNS - 1;
    gr_table_column(&table, "variable", GR_LEFT);
    for (int i = 0; i < measures; i++) {
        gr_table_column(&table, t->columns[t->variable_count + i].name, GR_RIGHT);
    }
    for (int k = 0; k < t->variable_count; k++) {
        gr_table_text(&table, t->columns[k].name);
        for (int i = 0; i < measures; i++) {
            const double value = summary->measures[i].correlations[k];
            isnan(value) ? gr_table_text(&table, "–") : gr_table_printf(&table, "%.2f", value);
        }
    }
    print_table(&table, file);
}

void gr_study_print_designs(const GrStudyTable *t, const GrStudyBands *b, FILE *file)
{
    if (b->variable < 0) {
        return;
    }
    char text[GR_STUDY_SAMPLES_TEXT];
    GrTable table = {0};
    gr_study_table_designs(t, b, &table);
    gr_study_say_samples(t->prediction, true, text, sizeof text);
    fprintf(file, "\n%s\n", text);
    print_table(&table, file);
    if (b->design_count > GR_STUDY_DESIGNS) {
        fprintf(file, "  and %d more; grouser campaign export --bands has all\n", b->design_count - GR_STUDY_DESIGNS);
    }
}

void gr_study_print_answer(const GrStudyTable *table, const GrStudySummary *summary, FILE *file)
{
    GrStudyAnswer answer;
    gr_study_answer(table, summary, &answer);
    fprintf(file, "%s\n", answer.text);
    if (answer.drivers[0] != '\0' && !table->question.of_search) {
        fprintf(file, "%s\n", answer.drivers);
    }
}

void gr_study_print(const GrStudyTable *table, const GrStudySummary *summary, const GrStudyBands *bands,
                    const char *path, FILE *file)
{
    gr_study_print_answer(table, summary, file);
    fprintf(file, "\n%s%s%s\n%d runs", table->name, table->title[0] != '\0' ? ": " : "", table->title,
            table->row_count);
    if (table->planned > 0) {
        fprintf(file, ", %d more to be done", table->planned);
    }
    fprintf(file, "\n\n");
    GrTable outcomes = {0}, measures = {0};
    gr_study_table_outcomes(table, summary, &outcomes);
    gr_study_table_measures(table, summary, false, &measures);
    print_table(&outcomes, file);
    fputc('\n', file);
    print_table(&measures, file);
    gr_study_print_designs(table, bands, file);
    if (bands->variable < 0 && table->prediction != NULL) {
        char text[GR_STUDY_SAMPLES_TEXT];
        gr_study_say_samples(table->prediction, false, text, sizeof text);
        fprintf(file, "\n%s\n", text);
    }
    if (table->variable_count > 0 && table->row_count > 2) {
        fprintf(file, "\nrank correlation\n");
        print_correlations(table, summary, file);
    }
    if (table->row_count > 0 && table->of_scenario) {
        fprintf(file, "\ngrouser run --from %s:%lld repeats the first run with everything recorded\n", path,
                (long long)table->ids[0]);
    }
}

static void put_estimate(GrJson *json, const char *key, GrEstimate e)
{
    gr_json_begin_object(json, key);
    gr_json_number(json, "value", e.value);
    gr_json_number(json, "low", e.low);
    gr_json_number(json, "high", e.high);
    gr_json_end(json);
}

static void put_band(GrJson *json, const char *key, double value, double low, double high)
{
    char name[GR_VARIABLE_PATH + 8];
    gr_json_number(json, key, value);
    snprintf(name, sizeof name, "%s_low", key);
    gr_json_number(json, name, low);
    snprintf(name, sizeof name, "%s_high", key);
    gr_json_number(json, name, high);
}

void gr_study_put_prediction(GrJson *json, const char *prediction)
{
    if (prediction != NULL) {
        gr_json_string(json, "prediction", prediction);
    }
}

void gr_study_put_designs(GrJson *json, const GrStudyTable *t, const GrStudyBands *bands)
{
    const int columns = t->variable_count + t->measure_count;
    gr_json_begin_array(json, "designs");
    for (int i = 0; i < bands->design_count; i++) {
        const GrStudyDesign *d = &bands->designs[i];
        gr_json_begin_object(json, NULL);
        gr_json_integer(json, "id", t->ids[d->row]);
        for (int k = 0; k < t->variable_count; k++) {
            const char *text = t->texts[d->row * t->variable_count + k];
            if (k != bands->variable && text != NULL) {
                gr_json_string(json, t->columns[k].name, text);
            } else if (k != bands->variable) {
                gr_json_number(json, t->columns[k].name, t->values[(size_t)d->row * (size_t)columns + (size_t)k]);
            }
        }
        for (int k = 0; k < t->measure_count; k++) {
            put_band(json, t->columns[t->variable_count + k].name, gr_study_design_value(t, d, k), d->bands[k].low,
                     d->bands[k].high);
        }
        gr_json_integer(json, "samples", d->samples);
        gr_study_put_prediction(json, d->prediction);
        put_band(json, "succeeded_share", d->share.value, d->share.low, d->share.high);
        gr_json_end(json);
    }
    gr_json_end(json);
}

void gr_study_put_answer(GrJson *json, const GrStudyTable *table, const GrStudySummary *summary)
{
    GrStudyAnswer a;
    gr_study_answer(table, summary, &a);
    gr_json_begin_object(json, "answer");
    gr_json_string(json, "verdict", a.word);
    gr_json_string(json, "text", a.text);
    gr_json_string(json, "question", table->question.text);
    gr_json_number(json, "share", a.share.value);
    gr_json_number(json, "share_low", a.share.low);
    gr_json_number(json, "share_high", a.share.high);
    gr_json_number(json, "at_least", table->question.at_least);
    gr_json_number(json, "at_most", table->question.at_most);
    gr_json_integer(json, "within", a.within);
    gr_json_integer(json, "runs", a.runs);
    gr_json_integer(json, "runs_to_halve_interval", a.more);
    gr_json_string(json, "drivers", a.drivers);
    gr_json_end(json);
}

GrStatus gr_study_print_json(const GrStudyTable *table, const GrStudySummary *summary, const GrStudyBands *bands,
                             FILE *file)
{
    GrJson json = gr_json_to_file(file, true);
    gr_json_begin_object(&json, NULL);
    gr_study_put_answer(&json, table, summary);
    gr_json_string(&json, "name", table->name);
    gr_json_string(&json, "title", table->title);
    gr_json_string(&json, "version", table->version);
    gr_json_integer(&json, "runs", table->row_count);
    gr_json_integer(&json, "planned", table->planned);
    gr_study_put_prediction(&json, table->prediction);
    gr_json_begin_array(&json, "outcomes");
    for (int i = 0; i < summary->outcome_count; i++) {
        gr_json_begin_object(&json, NULL);
        gr_json_string(&json, "outcome", summary->outcomes[i].name);
        gr_json_integer(&json, "runs", summary->outcomes[i].count);
        put_estimate(&json, "share", gr_proportion(summary->outcomes[i].count, table->row_count));
        gr_json_end(&json);
    }
    gr_json_end(&json);
    gr_json_begin_array(&json, "measures");
    for (int i = 0; i < summary->measure_count; i++) {
        const GrMeasureSummary *m = &summary->measures[i];
        const GrStudyColumn *column = &table->columns[table->variable_count + i];
        gr_json_begin_object(&json, NULL);
        gr_json_string(&json, "name", column->name);
        gr_json_string(&json, "expression", column->text);
        gr_json_integer(&json, "runs", m->count);
        put_estimate(&json, "mean", m->mean_interval);
        gr_json_number(&json, "deviation", m->deviation);
        gr_json_number(&json, "least", m->least);
        gr_json_number(&json, "quantile_5", m->low);
        gr_json_number(&json, "median", m->median);
        gr_json_number(&json, "quantile_95", m->high);
        gr_json_number(&json, "most", m->most);
        gr_json_begin_object(&json, "rank_correlations");
        for (int k = 0; k < table->variable_count; k++) {
            gr_json_number(&json, table->columns[k].name, m->correlations[k]);
        }
        gr_json_end(&json);
        gr_json_end(&json);
    }
    gr_json_end(&json);
    if (bands->variable >= 0) {
        gr_study_put_designs(&json, table, bands);
    }
    gr_json_end(&json);
    return gr_json_finish(&json);
}
