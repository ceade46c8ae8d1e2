#include "question.h"

#include "alloc.h"
#include "campaign_keys.h"
#include "fields.h"
#include "number.h"
#include "study_view.h"
#include "text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const GrKey gr_question_keys[] = {
    {"share", GR_KEY_TEXT | GR_KEY_LIST | GR_KEY_ELSEWHERE, "conditions on measures that a run keeps: slip < 0.6"},
    {"at_least", GR_KEY_NUMBER | GR_KEY_ELSEWHERE, "share of the runs that shall keep them",
     .range = GR_SPAN_BETWEEN(0, 1)},
    {"at_most", GR_KEY_NUMBER | GR_KEY_ELSEWHERE, "share of the runs that may", .range = GR_SPAN_BETWEEN(0, 1)},
    {NULL}};

// ---- reading

static bool add_condition(GrQuestion *q, const char *measure, size_t length, bool below, double limit)
{
    if (q->count == GR_QUESTION_CONDITIONS || length == 0 || length >= GR_QUESTION_NAME) {
        return false;
    }
    GrQuestionCondition *c = &q->conditions[q->count++];
    *c = (GrQuestionCondition){.below = below, .limit = limit};
    memcpy(c->measure, measure, length);
    char words[GR_LABEL_SIZE + GR_NUMBER_SIZE];
    size_t used = strlen(q->text);
    const char *const join = used > 0 ? " and " : "";
    snprintf(q->text + used, sizeof q->text - used, "%s%s %s %s", join, c->measure, below ? "<" : ">",
             gr_show(limit, 6, "").text);
    used = strlen(q->words);
    snprintf(q->words + used, sizeof q->words - used, "%s%s", join,
             gr_label_limit(c->measure, below, limit, words, sizeof words));
    return true;
}

/// "slip < 0.6", also with <=, > and >=.
static bool parse_condition(const char *text, GrQuestion *q)
{
    while (isspace((unsigned char)*text)) {
        text++;
    }
    const size_t at = strcspn(text, "<>");
    size_t length = at;
    while (length > 0 && isspace((unsigned char)text[length - 1])) {
        length--;
    }
    if (text[at] == '\0') {
        return false;
    }
    const char *number = text + at + 1 + (text[at + 1] == '=');
    char *end;
    const double limit = gr_number_read(number, &end);
    while (isspace((unsigned char)*end)) {
        end++;
    }
    return end != number && *end == '\0' && isfinite(limit) && add_condition(q, text, length, text[at] == '<', limit);
}

static void check_name(GrNode *node, const char *const *measures, int count, const GrQuestion *q)
{
    const char *name = q->conditions[q->count - 1].measure;
    bool known = measures == NULL;
    for (int i = 0; i < count && !known; i++) {
        known = strcmp(measures[i], name) == 0;
    }
    if (!known) {
        gr_node_error(node, GR_ERROR_NAME, "'%.60s' is not measured by this campaign%s", name,
                      gr_suggestion(node->document->log, name, measures, count).text);
    }
}

static void read_condition(GrNode *node, const char *const *measures, int count, GrQuestion *out)
{
    node->used = true;
    if (node->kind != GR_NODE_SCALAR || !parse_condition(node->text, out)) {
        gr_node_error(node, GR_ERROR_VALUE, "found '%.60s', allowed: MEASURE < NUMBER or MEASURE > NUMBER",
                      node->kind == GR_NODE_SCALAR ? node->text : "?");
        return;
    }
    check_name(node, measures, count, out);
}

/// Limits of another section, "{slip: {below: 0.6}}".
static void take_limits(const GrNode *limits, GrQuestion *out)
{
    for (const GrNode *child = limits != NULL ? limits->first : NULL; child != NULL; child = child->next) {
        for (const GrNode *limit = child->first; limit != NULL; limit = limit->next) {
            const double value = limit->text != NULL ? gr_number_read(limit->text, NULL) : (double)NAN;
            if (isfinite(value) && (strcmp(limit->key, "below") == 0 || strcmp(limit->key, "above") == 0)) {
                add_condition(out, child->key, strlen(child->key), limit->key[0] == 'b', value);
            }
        }
    }
}

static void take_other(const GrNode *root, GrQuestion *out)
{
    const GrNode *mission = gr_node_find(root, "mission"), *search = gr_node_find(root, "optimize");
    const GrNode *kind = mission != NULL ? mission->first : NULL;
    if (kind != NULL && kind->kind == GR_NODE_MAPPING) {
        take_limits(gr_node_find(kind, "limits"), out);
    } else if (search != NULL && search->kind == GR_NODE_MAPPING) {
        take_limits(gr_node_find(search, "limits"), out);
        out->of_search = true;
    }
}

void gr_question_read(GrNode *root, const char *const *measures, int measure_count, GrQuestion *out)
{
    *out = (GrQuestion){.at_least = (double)NAN, .at_most = (double)NAN};
    const GrNode *sample = gr_node_find(root, "sample"),
                 *method = sample != NULL ? gr_node_find(sample, "method") : NULL;
    out->of_grid = method == NULL || (method->text != NULL && strcmp(method->text, "grid") == 0);
    GrNode *section = gr_field_mapping(root, "question", GR_OPTIONAL);
    if (section == NULL) {
        take_other(root, out);
        out->of_grid = out->of_grid && gr_node_find(root, "mission") == NULL;
        return;
    }
    GrNode *share = gr_field(section, "share", GR_REQUIRED);
    for (GrNode *item = share != NULL && share->kind == GR_NODE_LIST ? share->first : NULL; item != NULL;
         item = item->next) {
        read_condition(item, measures, measure_count, out);
    }
    if (share != NULL && share->kind != GR_NODE_LIST) {
        read_condition(share, measures, measure_count, out);
    }
    gr_field_number(section, "at_least", GR_OPTIONAL, GR_BETWEEN(0, 1), &out->at_least);
    gr_field_number(section, "at_most", GR_OPTIONAL, GR_BETWEEN(0, 1), &out->at_most);
    gr_fields_end(section);
}

GrStatus gr_question_parse(const char *text, GrQuestion *out)
{
    GrErrorLog log = {.quiet = true};
    GrDocument *document = NULL;
    *out = (GrQuestion){.at_least = (double)NAN, .at_most = (double)NAN};
    if (gr_document_parse(text, strlen(text), "campaign", &document, &log) == GR_OK) {
        gr_question_read(document->root, NULL, 0, out);
    }
    gr_document_free(document);
    return log.error_count == 0 ? GR_OK : GR_ERROR_MEMORY;
}

// ---- the answer

double gr_question_holds(const GrQuestion *question, const GrStudyTable *t, int row)
{
    bool within = t->succeeded[row];
    for (int i = 0; i < question->count; i++) {
        const GrQuestionCondition *c = &question->conditions[i];
        double value = (double)NAN;
        for (int k = t->variable_count; k < t->variable_count + t->measure_count; k++) {
            value = strcmp(t->columns[k].name, c->measure) == 0 ? gr_study_value(t, row, k) : value;
        }
        within = within && (c->below ? value <= c->limit : value >= c->limit);
    }
    return within;
}

/// Runs beyond those done at which Wilson's interval has half its width, if the share stays.
static int runs_to_halve(GrEstimate share, int runs)
{
    const double wanted = (share.high - share.low) / 2;
    int low = runs, high = 64 * runs;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        const GrEstimate e = gr_proportion((int)lround(share.value * middle), middle);
        *(e.high - e.low > wanted ? &low : &high) = middle;
    }
    return high - runs;
}

static void percent(double share, char out[GR_NUMBER_SIZE])
{
    gr_number_round(100 * share, 3, out);
}

/// The word, and what was asked for, as "; at least 90 % is asked for".
static void judge(const GrQuestion *q, GrStudyAnswer *a, char *out, size_t size)
{
    const bool least = !isnan(q->at_least), most = !isnan(q->at_most), sampled = !isnan(a->share.low);
    const double low = sampled ? a->share.low : a->share.value, high = sampled ? a->share.high : a->share.value;
    char number[GR_NUMBER_SIZE];
    out[0] = '\0';
    a->word = "share";
    if (!least && !most) {
        return;
    }
    percent(least ? q->at_least : q->at_most, number);
    snprintf(out, size, "; at %s %s %% is asked for", least ? "least" : "most", number);
    const bool yes = (!least || low >= q->at_least) && (!most || high <= q->at_most);
    const bool no = (least && high < q->at_least) || (most && low > q->at_most);
    a->word = yes ? "yes" : no ? "no" : "open";
}

/// The variables on which a measure depends most, by rank.
static void say_drivers(const GrStudyTable *t, const GrStudySummary *summary, int measure, char *out, size_t size)
{
    bool taken[GR_CAMPAIGN_VARIABLES] = {false};
    const bool several = measure == t->question_measure && t->question.count > 1;
    const char *name = several ? "keeping every limit" : t->columns[t->variable_count + measure].label;
    const char *end = strstr(name, " [");
    size_t used = (size_t)snprintf(out, size, "%.*s depends most, by rank correlation, on ",
                                   (int)(end != NULL ? end - name : (ptrdiff_t)strlen(name)), name);
    for (int n = 0; n < 3; n++) {
        int best = -1;
        for (int k = 0; k < t->variable_count && k < GR_CAMPAIGN_VARIABLES; k++) {
            const double value = fabs(summary->measures[measure].correlations[k]);
            if (!taken[k] && value >= 0.1 &&
                (best < 0 || value > fabs(summary->measures[measure].correlations[best]))) {
                best = k;
            }
        }
        if (best < 0 || used >= size) {
            out[n == 0 ? 0 : strlen(out)] = '\0';
            return;
        }
        char value[GR_NUMBER_SIZE];
        taken[best] = true;
        gr_number_round(summary->measures[measure].correlations[best], 2, value);
        const char *label = t->columns[best].label, *unit = strstr(label, " [");
        used += (size_t)snprintf(out + used, size - used, "%s%.*s (%s)", n == 0 ? "" : ", ",
                                 (int)(unit != NULL ? unit - label : (ptrdiff_t)strlen(label)), label, value);
    }
}

/// Without a question: the first measure.
static void describe(const GrStudyTable *t, const GrStudySummary *summary, GrStudyAnswer *a)
{
    if (t->measure_count == 0 || summary->measures[0].count == 0) {
        snprintf(a->text, sizeof a->text, "%d of %d runs ended without failure", a->within, a->runs);
        return;
    }
    const GrMeasureSummary *m = &summary->measures[0];
    const GrStudyColumn *column = &t->columns[t->variable_count];
    char failed[80] = "";
    if (a->within < a->runs) {
        snprintf(failed, sizeof failed, "; %d of %d runs failed", a->runs - a->within, a->runs);
    }
    if (m->is_share) {
        char share[GR_NUMBER_SIZE];
        percent(m->mean, share);
        snprintf(a->text, sizeof a->text, "%.100s in %s %% of %d runs (95 %%: %s %%)%s", column->name, share, m->count,
                 gr_show_range(100 * m->mean_interval.low, 100 * m->mean_interval.high, 3).text, failed);
    } else {
        snprintf(a->text, sizeof a->text, "%.100s: median %s, 90 %% of %d runs within %s%s", column->name,
                 gr_show(m->median, 3, "").text, m->count, gr_show_range(m->low, m->high, 3).text, failed);
    }
    say_drivers(t, summary, 0, a->drivers, sizeof a->drivers);
}

void gr_study_answer(const GrStudyTable *t, const GrStudySummary *summary, GrStudyAnswer *out)
{
    const GrQuestion *q = &t->question;
    *out = (GrStudyAnswer){.word = "none", .runs = t->row_count, .share = {(double)NAN, (double)NAN, (double)NAN}};
    for (int i = 0; i < t->row_count; i++) {
        out->within += gr_question_holds(q, t, i) > 0;
    }
    if (t->row_count == 0) {
        snprintf(out->text, sizeof out->text, "no run has finished yet");
        return;
    }
    if (q->count == 0) {
        describe(t, summary, out);
        return;
    }
    char asked[80], interval[160] = "", share[GR_NUMBER_SIZE];
    out->share = gr_proportion(out->within, out->runs);
    if (q->of_search || q->of_grid) {
        out->share.low = out->share.high = (double)NAN;
    } else {
        out->more = runs_to_halve(out->share, out->runs);
        snprintf(interval, sizeof interval, " (95 %% interval, Wilson: %s %%)",
                 gr_show_range(100 * out->share.low, 100 * out->share.high, 3).text);
    }
    judge(q, out, asked, sizeof asked);
    percent(out->share.value, share);
    const bool word = strcmp(out->word, "share") != 0;
    const int used = snprintf(out->text, sizeof out->text, "%s%s%s in %s %% of %d %s%s%s", word ? out->word : "",
                              word ? ": " : "", q->words, share, out->runs,
                              q->of_search ? "runs of the search"
                              : q->of_grid ? "combinations"
                                           : "runs",
                              interval, asked);
    if (out->more > 0 && used > 0 && (size_t)used < sizeof out->text) {
        snprintf(out->text + used, sizeof out->text - (size_t)used, "; %d more runs would halve the interval",
                 out->more);
    }
    out->measure = t->question_measure;
    if (out->within == 0 || out->within == out->runs) { // nothing decides it: what moves the first measure?
        for (int i = 0; i < t->measure_count; i++) {
            const bool first = strcmp(t->columns[t->variable_count + i].name, q->conditions[0].measure) == 0;
            out->measure = first ? i : out->measure;
        }
    }
    say_drivers(t, summary, out->measure, out->drivers, sizeof out->drivers);
}
