/// The mission `go`: from here to there on a map (docs/traverse.md).
///
///     mission: {go: {from: [-40, 0], to: [60, 30]}}
#include "elementary.h"
#include "go_answer.h"
#include "json.h"
#include "mission.h"
#include "number.h"
#include "report.h"
#include "run_print.h"
#include "study_print.h"
#include "table.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STRAIGHT_WORLDS = 2 };
static const double LITTLE = 360; // energies below it are in joules [J]

// ---- the answer in words and tables

/// Start or goal, where it was moved or has no place.
static void say_end(const GrGoEnd *end, const char *name, GrBuffer *out)
{
    if (!end->stands) {
        gr_buffer_printf(out, " The %s is blocked: at (%g, %g) %s", name, end->asked[0], end->asked[1],
                         end->why[0] != '\0' ? end->why : "the rover does not stand");
        if (end->moved > 0) {
            gr_buffer_printf(out, "; the nearest place where it stands is (%.2f, %.2f), %.2f m away.", end->at[0],
                             end->at[1], end->moved);
        } else {
            gr_buffer_puts(out, ", and no place near it is better.");
        }
    } else if (end->moved > 0) {
        gr_buffer_printf(out, " The %s is moved by %.2f m to (%.2f, %.2f): at (%g, %g) %s%s.", name, end->moved,
                         end->at[0], end->at[1], end->asked[0], end->asked[1],
                         end->why[0] != '\0' ? "" : "the rover does not stand", end->why);
    }
}

static void say_barrier(const GrGoReport *r, GrBuffer *out)
{
    const GrGoAnswer *a = r->answer;
    const double *goal = r->go->goal.at;
    char text[GR_GO_WHY];
    gr_buffer_printf(out, " By the map the rover comes as near as (%.2f, %.2f), %.3g m from the goal.", a->nearest[0],
                     a->nearest[1], gr_hypot(a->nearest[0] - goal[0], a->nearest[1] - goal[1]));
    if (a->barrier_width > 0) {
        gr_go_say_spot(&a->barrier.spot, text);
        gr_buffer_printf(out, " The barrier is weakest on a way of %.3g m around (%.2f, %.2f): %s.", a->barrier_width,
                         a->barrier.at[0], a->barrier.at[1], text);
    }
    if (a->count > 0) {
        gr_buffer_printf(out, " The rover tried %d ways through it.", a->count);
    }
}

static void say_best(const GrGoReport *r, GrBuffer *out)
{
    const GrGoTry *best = &r->answer->tries[r->answer->best];
    const GrEstimate *p = &r->answer->chance;
    char text[GR_GO_WHY];
    gr_buffer_printf(out, "%s in %d of %d worlds: %.0f %% (95 %% interval %.0f … %.0f %%), over %.4g m",
                     r->answer->verdict == GR_GO_ARRIVES ? "" : ": it does", best->arrived, best->count, 100 * p->value,
                     100 * p->low, 100 * p->high, best->length);
    if (best->arrived > 0) {
        gr_buffer_printf(out, " in %s with %s", gr_show(best->used_time.value / 60, 3, "min").text,
                         best->used_energy.value < LITTLE ? gr_show(best->used_energy.value, 3, "J").text
                                                          : gr_show(best->used_energy.value / 3600, 3, "Wh").text);
    }
    gr_buffer_puts(out, ".");
    if (best->arrived < best->count) {
        gr_buffer_printf(out, " The first that does not: %s at (%.2f, %.2f), %s.", best->outcome, best->end[0],
                         best->end[1], best->cause);
    }
    if (best->worst.spot.hazard != GR_GO_NONE) {
        gr_go_say_spot(&best->worst.spot, text);
        gr_buffer_printf(out, " Its worst place is (%.2f, %.2f): %s.", best->worst.at[0], best->worst.at[1], text);
    }
}

void gr_go_say(const GrGoReport *r, char out[GR_GO_TEXT])
{
    const GrGoAnswer *a = r->answer;
    GrBuffer text = {0};
    gr_buffer_puts(&text, gr_go_verdict_name(a->verdict));
    if (a->best >= 0 && a->verdict != GR_GO_NO_ROUTE) {
        say_best(r, &text);
    } else {
        gr_buffer_printf(&text, " from (%g, %g) to (%g, %g).", r->go->start.asked[0], r->go->start.asked[1],
                         r->go->goal.asked[0], r->go->goal.asked[1]);
    }
    say_end(&r->go->start, "start", &text);
    say_end(&r->go->goal, "goal", &text);
    if (a->separated) {
        say_barrier(r, &text);
    }
    if (text.data != NULL && text.data[0] >= 'a' && text.data[0] <= 'z') {
        text.data[0] = (char)(text.data[0] - 'a' + 'A');
    }
    gr_text_copy(out, GR_GO_TEXT, text.failed || text.data == NULL ? "out of memory" : text.data);
    gr_buffer_free(&text);
}

void gr_go_table_tries(const GrGoReport *r, GrTable *out)
{
    gr_table_heads(out,
                   "route|>length [m]|>arrived|>energy [Wh]|>time [s]|>slip [%]|>tilt [°]|worst place|first failure");
    for (int i = 0; i < r->answer->count; i++) {
        const GrGoTry *item = &r->answer->tries[i];
        char text[GR_GO_WHY];
        gr_go_say_spot(&item->worst.spot, text);
        gr_table_printf(out, "%d%s", i + 1, item->forced ? " (through the barrier)" : "");
        gr_table_value(out, item->length);
        gr_table_printf(out, "%d of %d", item->arrived, item->count);
        const bool any = item->arrived > 0;
        gr_table_value(out, any ? item->used_energy.value / 3600 : (double)NAN);
        gr_table_value(out, any ? item->used_time.value : (double)NAN);
        gr_table_value(out, any ? 100 * item->slip.value : (double)NAN);
        gr_table_value(out, any ? item->tilt.high : (double)NAN);
        gr_table_text(out, text);
        if (item->outcome[0] != '\0') {
            gr_table_printf(out, "%s at (%.1f, %.1f)", item->outcome, item->end[0], item->end[1]);
        } else {
            gr_table_text(out, "");
        }
    }
}

void gr_go_table_costs(const GrGoReport *r, GrTable *out)
{
    static const char *const names[GR_COST_HEADINGS] = {"uphill", "across", "downhill"};
    gr_table_heads(out, "heading|>slope [°]|>drives on|>slip [%]|>its range|>energy [J/m]|>its range|>time [s/m]");
    for (int h = 0; h < GR_COST_HEADINGS; h++) {
        for (int i = h == 0 ? 0 : 1; i < GR_COST_SLOPES; i++) {
            const GrRoverCost *c = &r->go->ground.costs[0].at[h][i];
            gr_table_text(out, names[h]);
            gr_table_value(out, i * GR_COST_SLOPE_STEP / GR_DEGREE);
            gr_table_printf(out, "%d of %d", c->driven, c->worlds);
            gr_table_number(out, 100 * c->slip.value, 3);
            gr_table_band(out, 100 * c->slip.low, 100 * c->slip.high);
            gr_table_number(out, c->energy.value, 3);
            gr_table_band(out, c->energy.low, c->energy.high);
            gr_table_number(out, c->time.value, 3);
        }
    }
}

// ---- JSON

static void put_band(GrJson *json, const char *key, const GrCostBand *band, bool known)
{
    char name[60];
    gr_json_number(json, key, known ? band->value : (double)NAN);
    snprintf(name, sizeof name, "%s_low", key);
    gr_json_number(json, name, known ? band->low : (double)NAN);
    snprintf(name, sizeof name, "%s_high", key);
    gr_json_number(json, name, known ? band->high : (double)NAN);
}

static void put_end(GrJson *json, const char *key, const GrGoEnd *end)
{
    gr_json_begin_object(json, key);
    gr_json_numbers(json, "asked_m", end->asked, 2);
    if (end->stands) {
        gr_json_numbers(json, "at_m", end->at, 2);
    }
    gr_json_number(json, "moved_m", end->moved);
    gr_json_string(json, "why", end->why);
    gr_json_end(json);
}

static void put_place(GrJson *json, const char *key, const GrGoPlace *place)
{
    char text[GR_GO_WHY];
    gr_go_say_spot(&place->spot, text);
    gr_json_begin_object(json, key);
    gr_json_numbers(json, "at_m", place->at, 2);
    gr_json_string(json, "hazard", gr_go_hazard_name(place->spot.hazard));
    gr_json_number(json, "share_of_limit", place->spot.share);
    gr_json_string(json, "text", text);
    gr_json_end(json);
}

static void put_try(GrJson *json, const GrGoTry *item)
{
    gr_json_begin_object(json, NULL);
    gr_json_number(json, "length_m", item->length);
    gr_json_integer(json, "drives", item->count);
    gr_json_integer(json, "arrived", item->arrived);
    gr_json_bool(json, "through_barrier", item->forced);
    gr_json_string(json, "outcome", item->outcome);
    if (item->outcome[0] != '\0') {
        gr_json_numbers(json, "end_m", item->end, 2);
    }
    put_place(json, "worst", &item->worst);
    gr_json_begin_array(json, "way_points");
    for (int i = 0; i < item->point_count; i++) {
        gr_json_numbers(json, NULL, item->points[i], 2);
    }
    gr_json_end(json);
    gr_json_end(json);
}

static GrStatus print_json(const GrGoReport *r, const GrGoFiles *files, const GrMissionRun *run)
{
    const GrGoAnswer *a = r->answer;
    const GrGoTry *best = a->best >= 0 ? &a->tries[a->best] : NULL;
    const bool any = best != NULL && best->arrived > 0;
    char text[GR_GO_TEXT];
    gr_go_say(r, text);
    GrJson json = gr_json_to_file(run->json, true);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "answer", gr_go_verdict_name(a->verdict));
    gr_study_put_prediction(&json, gr_study_prediction(run->job->study));
    gr_json_number(&json, "probability", best != NULL ? a->chance.value : 0);
    gr_json_number(&json, "probability_low", best != NULL ? a->chance.low : 0);
    gr_json_number(&json, "probability_high", best != NULL ? a->chance.high : (double)NAN);
    gr_json_string(&json, "text", text);
    gr_json_integer(&json, "worlds", r->go->t.worlds);
    put_end(&json, "start", &r->go->start);
    put_end(&json, "goal", &r->go->goal);
    if (any) {
        gr_json_number(&json, "length_m", best->length);
        put_band(&json, "energy_J", &best->used_energy, any);
        put_band(&json, "time_s", &best->used_time, any);
        put_band(&json, "slip", &best->slip, any);
        put_band(&json, "tilt_deg", &best->tilt, any);
    }
    if (best != NULL) {
        put_place(&json, "worst", &best->worst);
    }
    if (a->separated) {
        put_place(&json, "barrier", &a->barrier);
        gr_json_numbers(&json, "nearest_m", a->nearest, 2);
    }
    gr_json_integer(&json, "best", a->best);
    gr_json_begin_array(&json, "routes");
    for (int i = 0; i < a->count; i++) {
        put_try(&json, &a->tries[i]);
    }
    gr_json_end(&json);
    gr_json_begin_object(&json, "straight");
    gr_json_integer(&json, "drives", r->straight.count);
    gr_json_integer(&json, "arrived", r->straight.arrived);
    gr_json_string(&json, "outcome", r->straight.outcome);
    gr_json_end(&json);
    gr_json_string(&json, "route", files->scenario);
    gr_json_string(&json, "table", files->table);
    gr_json_string(&json, "geojson", files->geojson);
    gr_json_string(&json, "run", files->run);
    gr_json_string(&json, "study", r->study);
    gr_json_end(&json);
    return gr_json_finish(&json);
}

// ---- the mission

static void *create(GrNode *value, GrCampaign *campaign)
{
    return gr_go_read(value, campaign);
}

static void destroy(void *mission)
{
    gr_go_free(mission);
}

static void finish(void *mission, GrNode *value, GrCampaign *campaign)
{
    gr_go_finish(mission, value, campaign);
}

static void straight_row(void *context, uint64_t index, GrRow *out)
{
    const GrCampaign *c = context;
    const GrGo *go = c->mission;
    const double points[1][2] = {{go->goal.asked[0], go->goal.asked[1]}};
    const double *from = go->start.asked;
    const GrTraverseDrive drive = {
        {from[0], from[1]}, points, 1, gr_hypot(points[0][0] - from[0], points[0][1] - from[1])};
    gr_traverse_row(&go->t, c, &drive, index, out);
}

/// The straight drives: what happens without a plan.
static void straight(void *mission, const GrCampaign *campaign, GrBatch *out)
{
    const GrGo *go = mission;
    *out = (GrBatch){.count = (uint64_t)(go->t.worlds < STRAIGHT_WORLDS ? go->t.worlds : STRAIGHT_WORLDS),
                     .context = (void *)(uintptr_t)campaign,
                     .row = straight_row};
}

static GrGoStraight read_straight(const GrGo *go, const GrCampaign *c, GrStudy *study)
{
    GrGoStraight out = {0};
    for (int w = 0; w < STRAIGHT_WORLDS && w < go->t.worlds; w++) {
        GrRow row;
        GrResult result;
        straight_row((void *)(uintptr_t)c, (uint64_t)w, &row);
        if (!gr_study_has(study, row.key, &result)) {
            continue;
        }
        out.count++;
        if (gr_traverse_arrived(&go->t, &result, go->goal.asked)) {
            out.arrived++;
        } else if (out.outcome[0] == '\0') {
            gr_text_copy(out.outcome, sizeof out.outcome, result.outcome);
            out.end[0] = result.metrics[go->t.measures[GR_TRAVERSE_END_X]];
            out.end[1] = result.metrics[go->t.measures[GR_TRAVERSE_END_Y]];
        }
    }
    return out;
}

/// Drives that are wanted next.
typedef struct Wanted {
    const GrGo *go;
    const GrCampaign *campaign;
    const GrGoAnswer *answer;
} Wanted;

static void wanted_row(void *context, uint64_t index, GrRow *out)
{
    const Wanted *w = context;
    gr_go_row(w->go, w->campaign, &w->answer->tries[w->answer->wanted_try], (uint64_t)w->answer->wanted_from + index,
              out);
}

static GrStatus print_answer(const GrGoReport *r, GrMissionRun *run, GrErrorLog *log)
{
    GrGoFiles files;
    const GrStatus status = gr_go_files_write(r, &files, log);
    run->unanswered = status == GR_OK && r->answer->verdict != GR_GO_ARRIVES;
    if (status != GR_OK || run->options->json) {
        return status == GR_OK ? print_json(r, &files, run) : status;
    }
    char text[GR_GO_TEXT];
    GrTable table = {.indent = 2};
    gr_go_say(r, text);
    gr_print_wrapped(text, 0, 118, stdout);
    printf("\n");
    gr_go_table_tries(r, &table);
    gr_table_print(&table, stdout);
    gr_table_free(&table);
    printf("  straight: arrived %d of %d%s%s\n\n", r->straight.arrived, r->straight.count,
           r->straight.outcome[0] != '\0' ? ", " : "", r->straight.outcome);
    if (files.scenario[0] != '\0') {
        printf("wrote %s, %s, %s\n", files.scenario, files.table, files.geojson);
        gr_run_print_files(files.run, stdout);
    }
    return GR_OK;
}

static GrStatus report(GrMissionRun *run, GrErrorLog *log)
{
    GrGo *go = run->mission;
    const GrCampaign *c = &run->job->campaign;
    GrGoAnswer answer = {0};
    GrProgress progress = gr_progress_begin("measure the rover");
    GrStatus status = gr_go_prepare(go, c, gr_progress_update, &progress, log);
    gr_progress_end(&progress);
    status = status == GR_OK ? gr_go_advance(go, c, run->job->study, &answer, log) : status;
    while (status == GR_OK && !answer.done && !run->interrupted) {
        Wanted wanted = {go, c, &answer};
        const GrBatch batch = {
            .count = (uint64_t)(answer.wanted_to - answer.wanted_from), .context = &wanted, .row = wanted_row};
        snprintf(run->job->label, sizeof run->job->label, "route %d", answer.wanted_try + 1);
        status = gr_campaign_job_run(run->job, &batch, &run->interrupted, log);
        status = status == GR_OK && !run->interrupted ? gr_go_advance(go, c, run->job->study, &answer, log) : status;
    }
    if (status == GR_OK && !run->interrupted) {
        const GrGoReport r = {go, c, &answer, read_straight(go, c, run->job->study), run->job->study_path};
        status = print_answer(&r, run, log);
    }
    gr_go_answer_free(&answer);
    return status;
}

static GrStatus put(void *mission, const GrCampaign *campaign, GrStudyPage *page, GrPage *out, GrErrorLog *log)
{
    GrGo *go = mission;
    GrStudy *study = NULL;
    GrGoAnswer answer = {0};
    GrStatus status = gr_study_peek(page->path, campaign, &study, log);
    if (status != GR_OK || study == NULL) {
        return status;
    }
    status = gr_go_prepare(go, campaign, NULL, NULL, log);
    status = status == GR_OK ? gr_go_advance(go, campaign, study, &answer, log) : status;
    const GrGoReport r = {go, campaign, &answer, read_straight(go, campaign, study), page->path};
    status = status == GR_OK ? gr_go_page(&r, out, log) : status;
    gr_go_answer_free(&answer);
    gr_study_close(study);
    return status;
}

const GrMissionKind gr_mission_go = {
    .name = "go",
    .text = "from here to there on a map: a route, and the chance to arrive",
    .create = create,
    .destroy = destroy,
    .finish = finish,
    .batch = straight,
    .report = report,
    .put = put,
    .answers = true,
};
