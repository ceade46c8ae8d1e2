/// The mission `egress`: over which ramps a rover leaves its lander, from many places.
///
///     compare: {lander.ramp: [front, rear]}
///     mission: {egress: {}}
///
/// Runs that differ in `lander.ramp` alone belong to one place. A driver who may choose needs one ramp that works; a
/// lander whose ramp is chosen before the landing needs the one that works most often.
#include "mission.h"

#include "alloc.h"
#include "grouser/mission.h"
#include "json.h"
#include "out_of_memory.h"
#include "page.h"
#include "statistics.h"
#include "study_print.h"
#include "study_view.h"
#include "table.h"

#include <stdio.h>
#include <string.h>

static const char RAMP[] = "lander.ramp";

enum { RAMPS_MAX = 8, COLUMNS = 4 };

/// Counts of one study.
typedef struct Counts {
    char names[RAMPS_MAX][GR_VARIABLE_TEXT];
    int runs[RAMPS_MAX], arrived[RAMPS_MAX];
    int ramp_count;
    int places; ///< at which all ramps have been tried
    int any, all;
} Counts;

static void *create(GrNode *value, GrCampaign *campaign)
{
    (void)campaign;
    char *mission = gr_calloc(1, 1); // it has no settings
    if (mission == NULL) {
        gr_node_out_of_memory(value);
    }
    return mission;
}

static void finish(void *mission, GrNode *value, GrCampaign *campaign)
{
    (void)mission;
    bool found = false;
    for (int i = campaign->variable_count - campaign->compare_count; i < campaign->variable_count; i++) {
        const GrVariable *v = &campaign->variables[i];
        found = found || (strcmp(v->path, RAMP) == 0 && v->text_count <= RAMPS_MAX);
    }
    if (!found && value->document->status == GR_OK) {
        gr_node_error(value, GR_ERROR_FIELD, "`compare` must have the ramps, such as {lander.ramp: [front, rear]}");
    }
}

/// Whether two runs differ in the ramp alone.
static bool same_place(const GrStudyTable *t, int a, int b, int ramp)
{
    bool same = true;
    for (int k = 0; k < t->variable_count && same; k++) {
        const size_t n = (size_t)t->variable_count;
        const char *x = t->texts[(size_t)a * n + (size_t)k], *y = t->texts[(size_t)b * n + (size_t)k];
        if (k != ramp) {
            same = x != NULL && y != NULL ? strcmp(x, y) == 0 : gr_study_value(t, a, k) == gr_study_value(t, b, k);
        }
    }
    return same;
}

static int find_ramp(Counts *c, const char *name)
{
    int i = 0;
    while (i < c->ramp_count && strcmp(c->names[i], name) != 0) {
        i++;
    }
    if (i == c->ramp_count && i < RAMPS_MAX) {
        snprintf(c->names[c->ramp_count++], sizeof c->names[0], "%s", name);
    }
    return i < RAMPS_MAX ? i : RAMPS_MAX - 1;
}

/// Only a rover at its goal has left the lander: a run whose time is up has not failed, but may have stayed on the
/// deck.
static bool has_arrived(const GrStudyTable *t, int row)
{
    return strcmp(t->outcomes[row], gr_outcome_name(GR_OUTCOME_GOAL)) == 0;
}

/// Rows of one place follow each other: `compare` varies fastest.
static void count_runs(const GrStudyTable *t, Counts *out)
{
    int ramp = 0;
    *out = (Counts){0};
    while (ramp < t->variable_count && strcmp(t->columns[ramp].name, RAMP) != 0) {
        ramp++;
    }
    if (ramp == t->variable_count) {
        return;
    }
    for (int row = 0; row < t->row_count; row++) {
        const int i = find_ramp(out, gr_study_name(t, row, ramp));
        out->runs[i]++;
        out->arrived[i] += has_arrived(t, row);
    }
    for (int first = 0, end; first < t->row_count; first = end) {
        int arrived = 0;
        for (end = first; end < t->row_count && same_place(t, first, end, ramp); end++) {
            arrived += has_arrived(t, end);
        }
        if (end - first == out->ramp_count) {
            out->places++;
            out->any += arrived > 0;
            out->all += arrived == out->ramp_count;
        }
    }
}

/// A row of the answer.
typedef void TakeShare(void *context, const char *text, int arrived, int count);

static void each_share(const Counts *c, TakeShare *take, void *context)
{
    for (int i = 0; i < c->ramp_count; i++) {
        take(context, c->names[i], c->arrived[i], c->runs[i]);
    }
    take(context, "at least one ramp", c->any, c->places);
    take(context, "every ramp", c->all, c->places);
}

static void print_share(void *context, const char *text, int arrived, int count)
{
    const GrEstimate share = gr_proportion(arrived, count);
    gr_table_text(context, text);
    gr_table_printf(context, "%d of %d", arrived, count);
    gr_table_printf(context, "%.1f %%", 100 * share.value);
    gr_table_printf(context, "%.1f to %.1f %%", 100 * share.low, 100 * share.high);
}

static void put_json_share(void *context, const char *text, int arrived, int count)
{
    const GrEstimate share = gr_proportion(arrived, count);
    gr_json_begin_object(context, NULL);
    gr_json_string(context, "ramp", text);
    gr_json_integer(context, "arrived", arrived);
    gr_json_integer(context, "runs", count);
    gr_json_number(context, "share", share.value);
    gr_json_number(context, "low", share.low);
    gr_json_number(context, "high", share.high);
    gr_json_end(context);
}

/// The answer in words.
static void say(const Counts *c, char *out, size_t size)
{
    const GrEstimate any = gr_proportion(c->any, c->places);
    int best = 0;
    for (int i = 1; i < c->ramp_count; i++) {
        best = (double)c->arrived[i] * c->runs[best] > (double)c->arrived[best] * c->runs[i] ? i : best;
    }
    out[0] = '\0';
    if (c->places > 0 && c->ramp_count > 0) {
        snprintf(
            out, size,
            "It leaves over at least one ramp at %s of %d places (95 %%: %s %%), most often over %.60s (%d of %d).",
            gr_show(100 * any.value, 3, "%").text, c->places, gr_show_range(100 * any.low, 100 * any.high, 3).text,
            c->names[best], c->arrived[best], c->runs[best]);
    }
}

static const char HEADS[] = "ramp|>arrived|>share|>95 % interval";

static GrStatus report_counts(const Counts *c, const GrMissionRun *run)
{
    char answer[500];
    say(c, answer, sizeof answer);
    if (run->options->json) {
        GrJson json = gr_json_to_file(run->json, true);
        gr_json_begin_object(&json, NULL);
        gr_json_string(&json, "name", run->job->campaign.name);
        gr_json_string(&json, "answer", answer);
        gr_json_integer(&json, "places", c->places);
        gr_study_put_prediction(&json, gr_study_prediction(run->job->study));
        gr_json_begin_array(&json, "ramps");
        each_share(c, put_json_share, &json);
        gr_json_end(&json);
        gr_json_end(&json);
        return gr_json_finish(&json);
    }
    GrTable table = {.indent = 2};
    gr_table_heads(&table, HEADS);
    each_share(c, print_share, &table);
    printf("%s%s", answer, answer[0] != '\0' ? "\n\n" : "");
    gr_campaign_job_print(run->job, stdout);
    gr_table_print(&table, stdout);
    gr_table_free(&table);
    return GR_OK;
}

static GrStatus report(GrMissionRun *run, GrErrorLog *log)
{
    GrStudyTable table;
    GrStatus status = gr_study_table(run->job->study, &table, log);
    if (status == GR_OK) {
        Counts counts;
        count_runs(&table, &counts);
        status = report_counts(&counts, run);
    }
    gr_study_table_free(&table);
    return status;
}

static GrStatus put(void *mission, const GrCampaign *campaign, GrStudyPage *page, GrPage *out, GrErrorLog *log)
{
    (void)mission, (void)campaign, (void)log;
    Counts counts;
    GrTable table = {0};
    count_runs(page->table, &counts);
    char answer[500], note[160];
    const GrEstimate any = gr_proportion(counts.any, counts.places), all = gr_proportion(counts.all, counts.places);
    if (counts.places > 0) {
        snprintf(note, sizeof note, "of %d places; 95 %% interval %s %%", counts.places,
                 gr_show_range(100 * any.low, 100 * any.high, 3).text);
        gr_page_card(out, "leaves over at least one ramp", gr_show(100 * any.value, 3, "%").text, note);
        snprintf(note, sizeof note, "95 %% interval %s %%", gr_show_range(100 * all.low, 100 * all.high, 3).text);
        gr_page_card(out, "over every ramp", gr_show(100 * all.value, 3, "%").text, note);
    }
    gr_study_page_run_cards(page, out);
    say(&counts, answer, sizeof answer);
    gr_page_text(out, "%s", answer);
    gr_page_section(out, "Ramps");
    gr_page_text(out, "How often the rover reaches its goal over each ramp; and the share of the places at which it "
                      "does so over at least one, and over every ramp.");
    gr_table_heads(&table, HEADS);
    each_share(&counts, print_share, &table);
    gr_page_table(out, &table);
    return GR_OK;
}

const GrMissionKind gr_mission_egress = {
    .name = "egress",
    .text = "over which ramps a rover leaves its lander",
    .create = create,
    .destroy = gr_free,
    .finish = finish,
    .report = report,
    .put = put,
    .answers = true,
};
