#include "comparison.h"

#include "alloc.h"
#include "check.h"
#include "distribution.h"
#include "elementary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int gr_comparison_design(GrComparison *c, const char *label, const char *soil)
{
    GR_CHECK(c->design_count < GR_COMPARED_DESIGNS);
    c->labels[c->design_count] = label;
    c->soils[c->design_count] = soil;
    return c->design_count++;
}

int gr_comparison_quantity(GrComparison *c, GrComparedQuantity quantity)
{
    GR_CHECK(c->quantity_count < GR_COMPARED_QUANTITIES);
    c->quantities[c->quantity_count] = quantity;
    for (int k = 0; k < GR_COMPARED_DESIGNS; k++) {
        c->values[c->quantity_count][k] = (GrComparedValue){.value = (double)NAN};
    }
    return c->quantity_count++;
}

// ---- the difference of two designs

/// b − a, without what rounding and tolerances leave.
static double subtract(const GrComparedQuantity *q, double a, double b)
{
    const double difference = b - a, noise = fmax(q->accuracy, 1e-9 * fmax(fabs(a), fabs(b)));
    return fabs(difference) <= noise ? 0 : difference;
}

static double sample_of(const GrComparedValue *v, int i)
{
    return v->samples != NULL ? v->samples[i] : v->value;
}

/// Probability that b is better where both have these values: a design without a value has failed.
static double is_better(const GrComparedQuantity *q, double a, double b, double error)
{
    if (isnan(a) || isnan(b)) {
        return isnan(a) && isnan(b) ? 0.5 : isnan(a);
    }
    const double difference = q->sense * subtract(q, a, b);
    return error > 0 ? gr_normal_probability(difference / error) : difference == 0 ? 0.5 : difference > 0;
}

/// Interval of the difference of two shares from those of both (Newcombe 1998, method 10).
static GrBand share_band(const GrComparedValue *a, const GrComparedValue *b, int count)
{
    const GrEstimate p = gr_proportion_banded((int)lround(a->value * count), count),
                     q = gr_proportion_banded((int)lround(b->value * count), count);
    const double difference = q.value - p.value, down = gr_hypot(q.value - q.low, p.high - p.value),
                 up = gr_hypot(q.high - q.value, p.value - p.low);
    return (GrBand){difference - down, difference + up};
}

static void compare_samples(const GrComparison *c, int quantity, int a, int b, double *room, GrDifference *out)
{
    const GrComparedQuantity *q = &c->quantities[quantity];
    const GrComparedValue *x = &c->values[quantity][a], *y = &c->values[quantity][b];
    const int n = c->sample_count;
    const bool same = strcmp(c->soils[a], c->soils[b]) == 0;
    const double error = sqrt(x->error * x->error + y->error * y->error);
    int count = 0;
    double better = 0;
    for (int i = 0; i < n; i++) {
        for (int k = same ? i : 0; k < (same ? i + 1 : n); k++) {
            const double from = sample_of(x, i), to = sample_of(y, k);
            better += is_better(q, from, to, error);
            room[count++] = subtract(q, from, to);
        }
    }
    out->better = q->sense != 0 ? better / count : (double)NAN;
    out->band = q->is_share ? share_band(x, y, n) : gr_band_of(room, count, error);
}

GrDifference gr_comparison_difference(const GrComparison *c, int quantity, int a, int b)
{
    const GrComparedQuantity *q = &c->quantities[quantity];
    const GrComparedValue *x = &c->values[quantity][a], *y = &c->values[quantity][b];
    GrDifference out = {subtract(q, x->value, y->value), {(double)NAN, (double)NAN}, (double)NAN};
    const size_t n = (size_t)c->sample_count;
    double *room = n > 0 && !q->of_design ? gr_malloc(n * n * sizeof *room) : NULL;
    if (room != NULL) {
        compare_samples(c, quantity, a, b, room, &out);
    } else if (q->of_design || out.value == 0) {
        out.band = (GrBand){out.value, out.value};
        out.better = q->sense != 0 ? is_better(q, x->value, y->value, 0) : (double)NAN;
    }
    gr_free(room);
    return out;
}

// ---- in words

/// Probability from which a difference is clear: the band of 90 % does not reach 0.
static const double CLEAR = 0.95;

/// How a quantity ranks the designs.
typedef struct Ranking {
    int best, next;    ///< designs; −1: none has a value
    GrDifference lead; ///< of the best over the next
    bool differs;      ///< some designs differ at all
    bool clear;        ///< the best is better for sure
} Ranking;

static Ranking rank(const GrComparison *c, int quantity)
{
    const int sense = c->quantities[quantity].sense;
    Ranking r = {.best = -1, .next = -1};
    for (int k = 0; k < c->design_count; k++) {
        const double value = sense * c->values[quantity][k].value;
        if (!isnan(value) && (r.best < 0 || value > sense * c->values[quantity][r.best].value)) {
            r.next = r.best;
            r.best = k;
        } else if (!isnan(value) && (r.next < 0 || value > sense * c->values[quantity][r.next].value)) {
            r.next = k;
        }
    }
    for (int k = 1; k < c->design_count; k++) {
        const GrDifference d = gr_comparison_difference(c, quantity, 0, k);
        r.differs = r.differs || !(d.value == 0 && (isnan(d.better) || d.better == 0.5));
    }
    if (r.next >= 0 && sense != 0) {
        r.lead = gr_comparison_difference(c, quantity, r.next, r.best);
        const double low = sense > 0 ? r.lead.band.low : -r.lead.band.high;
        const bool sure = c->quantities[quantity].is_share ? low > 0 : r.lead.better >= CLEAR;
        r.clear = r.lead.value != 0 && (c->sample_count == 0 || sure);
    }
    return r;
}

/// "2.1 ° more than curiosity_like (90 %: 1.2 … 3), probability 0.98"
static void say_lead(const GrComparison *c, int quantity, const Ranking *r, const char *than, char *out, size_t size)
{
    const GrComparedQuantity *q = &c->quantities[quantity];
    const double sign = r->lead.value < 0 ? -1 : 1;
    double scale = sign * q->scale, prefix;
    const GrShown unit = gr_show_unit(scale * r->lead.value, q->unit, &prefix);
    scale *= prefix;
    const GrBand band = sign > 0 ? r->lead.band : (GrBand){r->lead.band.high, r->lead.band.low};
    const bool banded = c->sample_count > 0 && !q->of_design && band.low != band.high;
    int used = snprintf(out, size, "%s %s%s%s", gr_show(scale * r->lead.value, 3, unit.text).text,
                        sign < 0 ? "less" : "more", than[0] != '\0' ? " than " : "", than);
    if (banded && used > 0 && (size_t)used < size) {
        used += snprintf(out + used, size - (size_t)used, " (90 %%: %s)",
                         gr_show_range(scale * band.low, scale * band.high, 3).text);
    }
    if (banded && !isnan(r->lead.better) && used > 0 && (size_t)used < size) {
        snprintf(out + used, size - (size_t)used, ", better with probability %s", gr_show(r->lead.better, 2, "").text);
    }
}

/// A text that grows.
typedef struct Sentence {
    char *out;
    size_t size, used;
} Sentence;

static void append(Sentence *s, const char *a, const char *b)
{
    if (s->used < s->size) {
        s->used += (size_t)snprintf(s->out + s->used, s->size - s->used, "%s%s", a, b);
    }
}

enum { UNCLEAR = -1, SAME = -2, ALONE = -3 };

/// Which design a quantity is counted for; ALONE: the others have no value.
static int side_of(const Ranking *r)
{
    return !r->differs || r->best < 0 ? SAME : r->next < 0 ? ALONE : r->clear ? r->best : UNCLEAR;
}

/// "begin a, b." of the quantities from `from` on that count for `side`.
static void list_quantities(const GrComparison *c, const Ranking *rankings, int from, int side, const char *begin,
                            Sentence *s)
{
    bool any = false;
    for (int i = from; i < c->quantity_count; i++) {
        const GrComparedQuantity *q = &c->quantities[i];
        if (q->sense != 0 && side_of(&rankings[i]) == side && !(side == SAME && q->of_design)) {
            append(s, any ? ", " : begin, q->text);
            any = true;
        }
    }
    if (any) {
        append(s, ".", "");
    }
}

/// What the first quantity says in which the designs differ.
static void say_headline(const GrComparison *c, int quantity, const Ranking *r, Sentence *s)
{
    char lead[300] = "";
    const GrComparedQuantity *q = &c->quantities[quantity];
    const char *best = r->best >= 0 ? c->labels[r->best] : "", *next = r->next >= 0 ? c->labels[r->next] : "";
    if (r->next < 0) {
        append(s, best, " alone has a ");
        append(s, q->text, ".");
    } else if (side_of(r) == UNCLEAR) {
        say_lead(c, quantity, r, next, lead, sizeof lead);
        append(s, "No clear difference in ", q->text);
        append(s, ": ", best);
        append(s, " ", lead);
        append(s, ".", "");
    } else {
        say_lead(c, quantity, r, next, lead, sizeof lead);
        append(s, best, c->design_count > 2 ? " is best in " : " is better in ");
        append(s, q->text, ": ");
        append(s, lead, ".");
    }
}

void gr_comparison_verdict(const GrComparison *c, char *out, size_t size)
{
    Ranking rankings[GR_COMPARED_QUANTITIES];
    Sentence s = {out, size, 0};
    int headline = -1;
    out[0] = '\0';
    for (int i = 0; i < c->quantity_count; i++) {
        rankings[i] = rank(c, i);
        headline = headline < 0 && c->quantities[i].sense != 0 && side_of(&rankings[i]) != SAME ? i : headline;
    }
    if (headline < 0) {
        for (int k = 0; k < c->design_count; k++) {
            append(&s, k == 0 ? "" : k + 1 < c->design_count ? ", " : " and ", c->labels[k]);
        }
        append(&s, ": no difference in any figure.", "");
        return;
    }
    say_headline(c, headline, &rankings[headline], &s);
    const int winner = side_of(&rankings[headline]);
    if (c->design_count == 2 && winner >= 0) {
        list_quantities(c, rankings, headline + 1, winner, " Also better in ", &s);
        list_quantities(c, rankings, headline + 1, 1 - winner, " Worse in ", &s);
    } else {
        for (int k = 0; k < c->design_count; k++) {
            char begin[200];
            snprintf(begin, sizeof begin, " %.120s is %s in ", c->labels[k], c->design_count > 2 ? "best" : "better");
            list_quantities(c, rankings, headline + 1, k, begin, &s);
        }
    }
    list_quantities(c, rankings, headline + 1, UNCLEAR, " No clear difference in ", &s);
    list_quantities(c, rankings, 0, SAME, " No difference in ", &s);
}

// ---- tables and JSON

/// Displayed over stored number, with the prefix of the unit that suits the largest value.
static double scale_of(const GrComparison *c, int quantity, GrShown *unit)
{
    const GrComparedQuantity *q = &c->quantities[quantity];
    double largest = 0, prefix;
    for (int k = 0; k < c->design_count; k++) {
        largest = fmax(largest, fabs(q->scale * c->values[quantity][k].value)); // fmax() ignores NAN
    }
    *unit = gr_show_unit(largest, q->unit, &prefix);
    return q->scale * prefix;
}

static void show_value(const GrComparison *c, int quantity, int design, double scale, GrTable *table)
{
    const GrComparedValue *v = &c->values[quantity][design];
    const GrShown shown = gr_show(scale * v->value, 3, "");
    gr_table_printf(table, "%s%s", v->at_least ? "≥ " : "", shown.text);
}

static void name_quantity(const GrComparedQuantity *q, const GrShown *unit, GrTable *table)
{
    gr_table_printf(table, unit->text[0] != '\0' ? "%s [%s]" : "%s", q->text, unit->text);
}

static void show_difference(const GrComparison *c, int quantity, int design, double scale, GrTable *table)
{
    const GrDifference d = gr_comparison_difference(c, quantity, 0, design);
    const bool banded = c->sample_count > 0 && !(d.band.low == d.band.high);
    gr_table_printf(table, "%s%s", d.value > 0 ? "+" : "", gr_show(scale * d.value, 3, "").text);
    gr_table_text(table, banded ? gr_show_range(scale * d.band.low, scale * d.band.high, 3).text : "");
    gr_table_text(table, isnan(d.better) ? "–" : gr_show(d.better, 2, "").text);
}

/// Why bands have ends without a value.
static void say_missing(const GrComparison *c, GrPage *page)
{
    bool missing = false;
    for (int i = 0; i < c->quantity_count && c->sample_count > 0; i++) {
        for (int k = 1; k < c->design_count && !c->quantities[i].of_design; k++) {
            const GrBand band = gr_comparison_difference(c, i, 0, k).band;
            missing = missing || isnan(band.low) || isnan(band.high);
        }
    }
    if (missing) {
        gr_page_text(page, "no value: on more than 5 %% of the samples one of the two fails and has none.");
    }
}

void gr_comparison_page(const GrComparison *c, GrPage *page)
{
    GrTable table = {0};
    const bool two = c->design_count == 2;
    char head[120];
    gr_table_column(&table, "figure", GR_LEFT);
    for (int k = 0; k < c->design_count; k++) {
        gr_table_column(&table, c->labels[k], GR_RIGHT);
    }
    if (two) {
        gr_table_heads(&table, ">difference|>90 %|>P(second better)");
    }
    for (int i = 0; i < c->quantity_count; i++) {
        GrShown unit;
        const double scale = scale_of(c, i, &unit);
        name_quantity(&c->quantities[i], &unit, &table);
        for (int k = 0; k < c->design_count; k++) {
            show_value(c, i, k, scale, &table);
        }
        if (two) {
            show_difference(c, i, 1, scale, &table);
        }
    }
    gr_page_table(page, &table);
    if (two) {
        say_missing(c, page);
        return;
    }
    table = (GrTable){0};
    snprintf(head, sizeof head, "against %.80s", c->labels[0]);
    gr_table_column(&table, head, GR_LEFT);
    gr_table_heads(&table, "figure|>difference|>90 %|>P(better)");
    for (int k = 1; k < c->design_count; k++) {
        for (int i = 0; i < c->quantity_count; i++) {
            gr_table_text(&table, c->labels[k]);
            GrShown unit;
            const double scale = scale_of(c, i, &unit);
            name_quantity(&c->quantities[i], &unit, &table);
            show_difference(c, i, k, scale, &table);
        }
    }
    gr_page_table(page, &table);
    say_missing(c, page);
}

static void json_difference(const GrComparison *c, int quantity, int design, GrJson *json)
{
    const GrComparedQuantity *q = &c->quantities[quantity];
    const GrDifference d = gr_comparison_difference(c, quantity, 0, design);
    gr_json_begin_object(json, NULL);
    gr_json_string(json, "quantity", q->key);
    gr_json_string(json, "text", q->text);
    gr_json_string(json, "design_a", c->labels[0]);
    gr_json_string(json, "design_b", c->labels[design]);
    gr_json_number(json, "a", c->values[quantity][0].value);
    gr_json_number(json, "b", c->values[quantity][design].value);
    gr_json_number(json, "difference", d.value);
    gr_json_number(json, "difference_low", d.band.low);
    gr_json_number(json, "difference_high", d.band.high);
    gr_json_number(json, "probability_b_better", d.better);
    gr_json_end(json);
}

void gr_comparison_json(const GrComparison *c, GrJson *json)
{
    char verdict[GR_COMPARED_VERDICT];
    gr_comparison_verdict(c, verdict, sizeof verdict);
    gr_json_string(json, "verdict", verdict);
    gr_json_begin_array(json, "differences");
    for (int k = 1; k < c->design_count; k++) {
        for (int i = 0; i < c->quantity_count; i++) {
            json_difference(c, i, k, json);
        }
    }
    gr_json_end(json);
}
