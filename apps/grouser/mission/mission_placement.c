/// The mission `placement`: how often a lander stands within limits (after O23 section 3.3).
///
///     mission: {placement: {limits: {tilt_deg: {below: 20}, clearance_m: {above: 0}}, margin_m: 5}}
///
/// The limits are of measures of the campaign. A run that fails, or has no value, is outside.
#include "mission.h"

#include "alloc.h"
#include "json.h"
#include "out_of_memory.h"
#include "page.h"
#include "placement_page.h"
#include "study_print.h"
#include "subject_placement.h"
#include "table.h"

#include <stdio.h>

typedef struct Placement {
    GrGoal limits[GR_CAMPAIGN_WISHES];
    int limit_count;
} Placement;

/// Whether the runs are those of a table, which then has the places, too.
static bool has_table(const GrNode *root)
{
    const GrNode *sample = gr_node_find(root, "sample");
    return sample != NULL && gr_node_find(sample, "table") != NULL;
}

/// Places that do not vary as the file says are anywhere on the map, so far inside that no part of the lander is beyond
/// it, in any heading.
static void fill_ranges(GrNode *value, GrCampaign *campaign)
{
    GrErrorLog why = {.quiet = true};
    GrPlacer *placer = gr_subject_placer(campaign->subject);
    if (placer == NULL || gr_placer_begin(placer, &why) != GR_OK) {
        gr_node_error(gr_node_find(value->document->root, "run"), GR_ERROR_VALUE, "%s",
                      why.count > 0 ? why.items[0].text : "out of memory");
        gr_placer_free(placer);
        return;
    }
    double margin = gr_lander_reach(&gr_placer_plan(placer)->lander);
    GrNode *given = gr_field(value, "margin_m", GR_OPTIONAL);
    if (given != NULL) {
        gr_node_number(given, GR_NOT_NEGATIVE, &margin);
    }
    const GrBox2 box = gr_placer_box(placer);
    const double x[2] = {box.x_lower + margin, box.x_upper - margin},
                 y[2] = {box.y_lower + margin, box.y_upper - margin};
    if (!(x[0] < x[1] && y[0] < y[1])) {
        gr_node_error(given != NULL ? given : value, GR_ERROR_VALUE,
                      "the map, %.4g m x %.4g m, has no room for places that are %.4g m from its edge",
                      box.x_upper - box.x_lower, box.y_upper - box.y_lower, margin);
    } else if (!has_table(value->document->root)) {
        gr_campaign_add_range(campaign, "x_m", x[0], x[1], value);
        gr_campaign_add_range(campaign, "y_m", y[0], y[1], value);
        gr_campaign_add_range(campaign, "heading_deg", 0, 360, value);
    }
    gr_placer_free(placer);
}

static void *create(GrNode *value, GrCampaign *campaign)
{
    Placement *p = gr_calloc(1, sizeof *p);
    if (p == NULL) {
        gr_node_out_of_memory(value);
        return NULL;
    }
    if (campaign->kind == &gr_subject_placement && value->document->status == GR_OK) {
        fill_ranges(value, campaign);
    }
    return p;
}

static void finish(void *mission, GrNode *value, GrCampaign *campaign)
{
    Placement *p = mission;
    if (gr_field(value, "limits", GR_REQUIRED) != NULL) {
        gr_campaign_read_limits(value, campaign, p->limits, &p->limit_count);
    }
    if (p->limit_count == 0 && value->document->status == GR_OK) {
        gr_node_error(value, GR_ERROR_FIELD, "`limits` names no measure, such as {tilt_deg: {below: 20}}");
    }
}

/// Calls `take` for every share: stands (where some do not), each limit, all limits.
static void each_share(const GrShares *s, void (*take)(void *context, const char *text, int inside, int count),
                       void *context)
{
    if (s->succeeded < s->count) {
        take(context, "does not fail", s->succeeded, s->count);
    }
    for (int i = 0; i < s->goal_count; i++) {
        char text[GR_LABEL_SIZE + GR_NUMBER_SIZE];
        gr_label_limit(s->table->columns[s->columns[i]].name, s->goals[i].wish == GR_WISH_BELOW, s->goals[i].limit,
                       text, sizeof text);
        take(context, text, s->inside[i], s->count);
    }
    take(context, "all limits", s->all, s->count);
}

static void print_share(void *context, const char *text, int inside, int count)
{
    const GrEstimate share = gr_proportion(inside, count);
    gr_table_text(context, text);
    gr_table_printf(context, "%d", inside);
    gr_table_printf(context, "%.1f %%", 100 * share.value);
    gr_table_printf(context, "%.1f to %.1f %%", 100 * share.low, 100 * share.high);
}

static void put_json_share(void *context, const char *text, int inside, int count)
{
    const GrEstimate share = gr_proportion(inside, count);
    gr_json_begin_object(context, NULL);
    gr_json_string(context, "limit", text);
    gr_json_integer(context, "inside", inside);
    gr_json_number(context, "share", share.value);
    gr_json_number(context, "low", share.low);
    gr_json_number(context, "high", share.high);
    gr_json_end(context);
}

static const char HEADS[] = "limit|>runs within|>share|>95 % interval";

static GrStatus report_shares(const GrShares *shares, const GrStudyTable *study, const GrStudySummary *summary,
                              const GrMissionRun *run)
{
    if (run->options->json) {
        GrJson json = gr_json_to_file(run->json, true);
        gr_json_begin_object(&json, NULL);
        gr_study_put_answer(&json, study, summary);
        gr_json_string(&json, "name", run->job->campaign.name);
        gr_json_integer(&json, "runs", shares->count);
        gr_study_put_prediction(&json, gr_study_prediction(run->job->study));
        gr_json_begin_array(&json, "shares");
        each_share(shares, put_json_share, &json);
        gr_json_end(&json);
        gr_json_end(&json);
        return gr_json_finish(&json);
    }
    GrTable table = {.indent = 2};
    gr_table_heads(&table, HEADS);
    each_share(shares, print_share, &table);
    gr_study_print_answer(study, summary, stdout);
    fputc('\n', stdout);
    gr_campaign_job_print(run->job, stdout);
    gr_table_print(&table, stdout);
    gr_table_free(&table);
    return GR_OK;
}

static GrStatus report(GrMissionRun *run, GrErrorLog *log)
{
    const Placement *p = run->mission;
    GrStudyTable table;
    GrStudySummary summary = {0};
    GrStatus status = gr_study_table(run->job->study, &table, log);
    status = status == GR_OK ? gr_study_summarise(&table, &summary, log) : status;
    if (status == GR_OK) {
        GrShares shares;
        gr_shares_count(&table, p->limits, p->limit_count, &shares);
        status = report_shares(&shares, &table, &summary, run);
    }
    gr_study_summary_free(&summary);
    gr_study_table_free(&table);
    return status;
}

/// Sections that need the ground: the map, and the worst places.
static GrStatus put_places(const GrShares *shares, const GrCampaign *campaign, GrPage *out, GrErrorLog *log)
{
    GrPlacer *placer = gr_subject_placer(campaign->subject);
    GrStatus status = placer != NULL ? gr_placer_begin(placer, log) : gr_out_of_memory(log, NULL);
    if (status == GR_OK) {
        gr_page_section(out, "Places");
        gr_placement_map(shares, placer, out);
    }
    if (status == GR_OK) {
        gr_page_section(out, "The worst places");
        gr_page_text(out, "To scale, from the side along each ramp: the ground below the middle of the lander, and "
                          "dashed under its outer feet; dark feet touch the ground; the dot is the mass centre.");
        status = gr_placement_worst(shares, placer, out, log);
    }
    gr_placer_free(placer);
    return status;
}

static GrStatus put(void *mission, const GrCampaign *campaign, GrStudyPage *page, GrPage *out, GrErrorLog *log)
{
    const Placement *p = mission;
    GrShares shares;
    GrTable table = {0};
    if (page->table->row_count == 0) {
        return GR_OK;
    }
    gr_shares_count(page->table, p->limits, p->limit_count, &shares);
    gr_page_section(out, "Within the limits");
    gr_table_heads(&table, HEADS);
    each_share(&shares, print_share, &table);
    gr_page_table(out, &table);
    GrStatus status = gr_placement_histograms(&shares, out, log);
    if (status == GR_OK) {
        gr_page_section(out, "Convergence");
        gr_placement_convergence(&shares, out);
    }
    if (status == GR_OK && campaign->kind == &gr_subject_placement) {
        status = put_places(&shares, campaign, out, log);
    }
    return status;
}

const GrMissionKind gr_mission_placement = {
    .name = "placement",
    .text = "how often a lander stands within limits",
    .create = create,
    .destroy = gr_free,
    .finish = finish,
    .report = report,
    .put = put,
};
