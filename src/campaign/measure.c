#include "measure.h"

#include "alloc.h"
#include "crc32.h"
#include "elementary.h"
#include "soil_spread.h"
#include "statistics.h"
#include "text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- results

enum { RECORD_HEAD = 8 }; // length and checksum

// The bytes of a record are those of this machine's doubles, least significant byte first, as all machines of this
// project have them.
static unsigned char *put(unsigned char *at, const void *data, size_t size)
{
    memcpy(at, data, size);
    return at + size;
}

static unsigned char *put_text(unsigned char *at, const char *text)
{
    const uint16_t size = (uint16_t)strlen(text);
    return put(put(at, &size, sizeof size), text, size);
}

size_t gr_result_encode(const GrResult *r, unsigned char out[GR_RESULT_BYTES])
{
    unsigned char *at = out + RECORD_HEAD;
    const uint32_t counts[2] = {(uint32_t)r->metric_count, (uint32_t)r->warnings};
    const int band = r->prediction == NULL ? 0 : r->prediction == gr_band_word(0) ? 1 : 2;
    const unsigned char flags = (unsigned char)(r->succeeded | band << 1);
    at = put(at, &r->key, sizeof r->key);
    at = put(at, &r->state_hash, sizeof r->state_hash);
    at = put(at, &r->wall, sizeof r->wall);
    at = put(at, &r->stepping, sizeof r->stepping);
    at = put(at, &r->progress, sizeof r->progress);
    at = put(at, counts, sizeof counts);
    at = put(at, &flags, 1);
    at = put(at, r->metrics, sizeof r->metrics[0] * (size_t)r->metric_count);
    at = put_text(put_text(at, r->outcome), r->cause);
    const uint32_t size = (uint32_t)(at - out - RECORD_HEAD), crc = gr_crc32(0, out + RECORD_HEAD, size);
    put(put(out, &size, sizeof size), &crc, sizeof crc);
    return RECORD_HEAD + size;
}

/// What is left of a record while it is read.
typedef struct Reader {
    const unsigned char *at, *end;
    bool failed;
} Reader;

static void get(Reader *reader, void *out, size_t size)
{
    if ((size_t)(reader->end - reader->at) < size) {
        reader->failed = true;
        memset(out, 0, size);
        return;
    }
    memcpy(out, reader->at, size);
    reader->at += size;
}

static void get_text(Reader *reader, char *out, size_t room)
{
    uint16_t size = 0;
    get(reader, &size, sizeof size);
    if (size >= room) {
        reader->failed = true;
        size = 0;
    }
    get(reader, out, size);
    out[reader->failed ? 0 : size] = '\0';
}

static bool decode(const unsigned char *data, size_t size, GrResult *r)
{
    Reader reader = {data, data + size, false};
    uint32_t counts[2] = {0};
    unsigned char flags = 0;
    *r = (GrResult){0};
    get(&reader, &r->key, sizeof r->key);
    get(&reader, &r->state_hash, sizeof r->state_hash);
    get(&reader, &r->wall, sizeof r->wall);
    get(&reader, &r->stepping, sizeof r->stepping);
    get(&reader, &r->progress, sizeof r->progress);
    get(&reader, counts, sizeof counts);
    get(&reader, &flags, 1);
    if (reader.failed || counts[0] > GR_CAMPAIGN_METRICS || counts[1] > INT32_MAX) {
        return false;
    }
    r->metric_count = (int)counts[0];
    r->warnings = (int)counts[1];
    r->succeeded = (flags & 1) != 0;
    r->prediction = flags >> 1 == 0 ? NULL : gr_band_word(flags >> 1 == 2);
    get(&reader, r->metrics, sizeof r->metrics[0] * counts[0]);
    get_text(&reader, r->outcome, sizeof r->outcome);
    get_text(&reader, r->cause, sizeof r->cause);
    return !reader.failed && reader.at == reader.end;
}

size_t gr_result_decode(const unsigned char *data, size_t size, GrResult *out)
{
    uint32_t length, crc;
    if (size < RECORD_HEAD) {
        return 0;
    }
    memcpy(&length, data, sizeof length);
    memcpy(&crc, data + sizeof length, sizeof crc);
    const bool whole = length <= GR_RESULT_BYTES - RECORD_HEAD && size - RECORD_HEAD >= length &&
                       gr_crc32(0, data + RECORD_HEAD, length) == crc && decode(data + RECORD_HEAD, length, out);
    return whole ? RECORD_HEAD + length : 0;
}

// ---- reducers: one number of a recorded channel

static double quantile(const GrSeriesOf *s, double share)
{
    const int count = s->count * s->width;
    double *sorted = gr_malloc(((size_t)count + 1) * sizeof *sorted);
    if (sorted == NULL) {
        return (double)NAN;
    }
    memcpy(sorted, s->values, (size_t)count * sizeof *sorted);
    const int finite = gr_keep_finite(sorted, count);
    gr_sort(sorted, finite);
    const double value = finite > 0 ? gr_quantile_sorted(sorted, finite, fmin(fmax(share, 0), 1)) : (double)NAN;
    gr_free(sorted);
    return value;
}

static double extreme(const GrSeriesOf *s, GrReducer reducer)
{
    double best = (double)NAN;
    for (int i = 0; i < s->count * s->width; i++) {
        const double v = reducer == GR_REDUCE_PEAK ? fabs(s->values[i]) : s->values[i];
        const bool better = isnan(best) || (reducer == GR_REDUCE_MIN ? v < best : v > best);
        best = better && !isnan(v) ? v : best;
    }
    return best;
}

/// Weight of a sample in a mean over time: half the time to its neighbours.
static double weight(const GrSeriesOf *s, int i)
{
    const double before = i > 0 ? s->time[i] - s->time[i - 1] : 0;
    const double after = i + 1 < s->count ? s->time[i + 1] - s->time[i] : 0;
    return s->count > 1 ? (before + after) / 2 : 1;
}

/// Mean over time of the values, of their squares, or of whether they are above a limit times the duration.
static double mean(const GrSeriesOf *s, const GrTerm *term)
{
    double sum = 0, weights = 0;
    for (int i = 0; i < s->count; i++) {
        for (int k = 0; k < s->width; k++) {
            const double v = s->values[i * s->width + k], w = weight(s, i);
            if (isnan(v)) {
                continue;
            }
            sum += w * (term->reducer == GR_REDUCE_RMS          ? v * v
                        : term->reducer == GR_REDUCE_TIME_ABOVE ? v > term->arguments[0]
                                                                : v);
            weights += w;
        }
    }
    switch (term->reducer) {
    case GR_REDUCE_TIME_ABOVE:
        return s->count > 0 ? sum / s->width : (double)NAN;
    case GR_REDUCE_RMS:
        return weights > 0 ? sqrt(sum / weights) : (double)NAN;
    default:
        return weights > 0 ? sum / weights : (double)NAN;
    }
}

/// Mean over the width of sample i.
static double at_sample(const GrSeriesOf *s, int i)
{
    double sum = 0;
    for (int k = 0; k < s->width; k++) {
        sum += s->values[i * s->width + k];
    }
    return s->count > 0 ? sum / s->width : (double)NAN;
}

/// Value where `along`, which never falls, reaches `where`.
static double interpolate(const GrSeriesOf *s, const double *along, double where)
{
    for (int i = 0; i < s->count; i++) {
        if (along[i] < where) {
            continue;
        }
        if (i == 0) {
            return along[0] > where ? (double)NAN : at_sample(s, 0);
        }
        const double part = (where - along[i - 1]) / (along[i] - along[i - 1]);
        return at_sample(s, i - 1) + part * (at_sample(s, i) - at_sample(s, i - 1));
    }
    return (double)NAN;
}

static double nearest(const GrSeriesOf *s, double x, double y)
{
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < s->count; i++) {
        const double distance = gr_hypot(s->x[i] - x, s->y[i] - y);
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    return best >= 0 ? at_sample(s, best) : (double)NAN;
}

double gr_reduce(const GrTerm *term, const GrSeriesOf *s)
{
    switch (term->reducer) {
    case GR_REDUCE_MIN:
    case GR_REDUCE_MAX:
    case GR_REDUCE_PEAK:
        return extreme(s, term->reducer);
    case GR_REDUCE_MEAN:
    case GR_REDUCE_RMS:
    case GR_REDUCE_TIME_ABOVE:
        return mean(s, term);
    case GR_REDUCE_FIRST:
        return at_sample(s, 0);
    case GR_REDUCE_LAST:
        return at_sample(s, s->count - 1);
    case GR_REDUCE_QUANTILE:
        return quantile(s, term->arguments[0]);
    case GR_REDUCE_AT_TIME:
        return interpolate(s, s->time, term->arguments[0]);
    case GR_REDUCE_AT_DISTANCE:
        return interpolate(s, s->distance, term->arguments[0]);
    case GR_REDUCE_AT_PLACE:
        return nearest(s, term->arguments[0], term->arguments[1]);
    case GR_REDUCE_NONE:
    case GR_REDUCE_VARIABLE:
        break;
    }
    return (double)NAN;
}

// ---- measures

enum { NAMES_MAX = 512 };

static const struct {
    const char *name, *text;
    int arguments;
} REDUCERS[GR_REDUCER_COUNT] = {
#define GR_REDUCER_ROW(constant, name, arguments, text) {#name, text, arguments},
    GR_REDUCER_LIST(GR_REDUCER_ROW)
#undef GR_REDUCER_ROW
};

const char *gr_reducer_name(GrReducer reducer)
{
    return (unsigned)reducer < GR_REDUCER_COUNT ? REDUCERS[reducer].name : "unknown";
}

/// State while the text of a measure is taken apart.
typedef struct Parser {
    GrMeasures *measures;
    const GrMeasureNames *names;
    const GrNode *node;
    const char *text; ///< the whole measure
    const char *at;
    char *out; ///< the expression so far
    size_t used;
    GrStatus status;
} Parser;

static void fail(Parser *p, const char *at, const char *format, const char *word, const char *hint)
{
    char message[600];
    snprintf(message, sizeof message, format, word, hint);
    p->status = gr_node_error_at(p->node, (int)(at - p->text), GR_ERROR_NAME, "%s", message);
}

static void emit(Parser *p, const char *text, size_t length)
{
    if (p->used + length >= GR_MEASURE_TEXT) {
        p->status = gr_node_error(p->node, GR_ERROR_VALUE, "longer than %d characters", GR_MEASURE_TEXT - 1);
        return;
    }
    memcpy(p->out + p->used, text, length);
    p->used += length;
    p->out[p->used] = '\0';
}

/// Characters of a name: those of a word, dots, and the asterisk for all wheels.
static bool is_inside(const char *start, const char *c)
{
    return isalnum((unsigned char)*c) || *c == '_' || (*c == '.' && c > start && !isdigit((unsigned char)*start));
}

static size_t name_length(const char *start)
{
    const char *c = start;
    if (c[0] == '*' && c[1] == '.') {
        c += 2;
    }
    while (is_inside(start, c)) {
        c++;
    }
    return (size_t)(c - start);
}

/// Index of an equal term, or of a new one.
static int add_term(Parser *p, const GrTerm *term)
{
    GrMeasures *m = p->measures;
    for (int i = 0; i < m->term_count; i++) {
        if (strcmp(m->terms[i].name, term->name) == 0 && m->terms[i].reducer == term->reducer &&
            m->terms[i].arguments[0] == term->arguments[0] && m->terms[i].arguments[1] == term->arguments[1]) {
            return i;
        }
    }
    if (m->term_count == GR_MEASURE_TERMS) {
        p->status =
            gr_node_error(p->node, GR_ERROR_VALUE, "more than %d different terms in `measure`", (int)GR_MEASURE_TERMS);
        return 0;
    }
    m->terms[m->term_count] = *term;
    return m->term_count++;
}

static void emit_term(Parser *p, const GrTerm *term)
{
    char placeholder[16];
    const int length = snprintf(placeholder, sizeof placeholder, "v%d", add_term(p, term));
    emit(p, placeholder, (size_t)length);
}

static void fail_unknown(Parser *p, const char *at, const char *word, bool channel)
{
    const char *names[NAMES_MAX];
    const int count = p->names->list(p->names->context, channel, names, NAMES_MAX);
    const GrHint hint =
        gr_text_hint(word, names, count,
                     channel ? "; the channels are the columns of run.csv" : "; the values are those of summary.json");
    fail(p, at, channel ? "unknown channel '%s'%s" : "unknown value '%s'%s", word, hint.text);
}

static const char *skip_space(const char *c)
{
    while (*c == ' ' || *c == '\t') {
        c++;
    }
    return c;
}

static int find_reducer(const char *word, size_t length)
{
    for (int i = 0; i < GR_REDUCER_COUNT; i++) {
        if (strlen(REDUCERS[i].name) == length && memcmp(REDUCERS[i].name, word, length) == 0) {
            return i;
        }
    }
    return -1;
}

/// Reads ", 0.95)" after the channel of a reducer.
static const char *read_arguments(Parser *p, const char *c, GrTerm *term)
{
    for (int i = 0; i < REDUCERS[term->reducer].arguments && p->status == GR_OK; i++) {
        c = skip_space(c);
        const size_t length = *c == ',' ? strcspn(c + 1, ",()") : 0;
        char text[64];
        snprintf(text, sizeof text, "%.*s", (int)length, *c == ',' ? skip_space(c + 1) : "");
        text[strcspn(text, " \t,)")] = '\0';
        if (*c != ',' || !gr_number_parse(text, &term->arguments[i])) {
            fail(p, c, "%s needs a number here: %s", REDUCERS[term->reducer].name, REDUCERS[term->reducer].text);
            return c;
        }
        c += 1 + length;
    }
    c = skip_space(c);
    if (p->status == GR_OK && *c != ')') {
        fail(p, c, "%s: expected ')'%s", REDUCERS[term->reducer].name, "");
        return c;
    }
    return p->status == GR_OK ? c + 1 : c;
}

/// "max(pitch_deg)" -> a term. False when it is not a reducer of a channel, such as max(1, 2).
static bool read_reducer(Parser *p, int reducer, const char *open)
{
    const char *start = skip_space(open + 1);
    const size_t length = name_length(start);
    const bool plain = length == 0 || isdigit((unsigned char)*start);
    GrTerm term = {.reducer = (GrReducer)reducer};
    if (plain || length >= sizeof term.name) {
        return false;
    }
    memcpy(term.name, start, length);
    const char *after = skip_space(start + length);
    if (!p->names->has(p->names->context, term.name, true)) {
        const bool arithmetic = (reducer == GR_REDUCE_MIN || reducer == GR_REDUCE_MAX) &&
                                (*after != ')' || p->names->has(p->names->context, term.name, false));
        if (arithmetic) {
            return false; // max(a, b) of values
        }
        fail_unknown(p, start, term.name, true);
        return true;
    }
    p->at = read_arguments(p, after, &term);
    emit_term(p, &term);
    return true;
}

/// A word: a reducer, a function of expressions, a constant or a named value.
static void read_word(Parser *p)
{
    const char *start = p->at;
    const size_t length = name_length(start);
    const char *after = skip_space(start + length);
    char word[GR_TERM_NAME];
    if (length >= sizeof word) {
        fail(p, start, "a name that is too long: '%.40s'%s", start, "");
        return;
    }
    memcpy(word, start, length);
    word[length] = '\0';
    const int reducer = *after == '(' ? find_reducer(start, length) : -1;
    if (reducer >= 0 && (read_reducer(p, reducer, after) || p->status != GR_OK)) {
        return;
    }
    p->at = start + length;
    GrTerm term = {.reducer = GR_REDUCE_NONE};
    snprintf(term.name, sizeof term.name, "%s", word);
    if (p->names->has(p->names->context, word, false)) {
        emit_term(p, &term);
    } else if (gr_expression_is_reserved(word)) {
        emit(p, start, length);
    } else {
        if (p->names->has(p->names->context, word, true)) {
            fail(p, start, "'%s' is a channel: use it inside a reducer, such as max(%s)", word, word);
        } else {
            fail_unknown(p, start, word, false);
        }
    }
}

/// "{soil:phi}" -> the value of a variable.
static void read_variable(Parser *p)
{
    const char *end = strchr(p->at, '}');
    const size_t length = end != NULL ? (size_t)(end - p->at - 1) : 0;
    GrTerm term = {.reducer = GR_REDUCE_VARIABLE};
    if (end == NULL || length >= sizeof term.name) {
        fail(p, p->at, "a variable in braces, such as {soil:phi}, has no end%s%s", "", "");
        return;
    }
    memcpy(term.name, p->at + 1, length);
    int count = 0;
    for (; p->names->variables != NULL && p->names->variables[count] != NULL; count++) {
        if (strcmp(p->names->variables[count], term.name) == 0) {
            p->at = end + 1;
            emit_term(p, &term);
            return;
        }
    }
    fail(p, p->at, "'%s' is not a variable of this campaign with numbers%s", term.name,
         gr_text_hint(term.name, p->names->variables, count, "").text);
}

/// "v12" -> term 12.
static GrLookup find_value(void *context, const char *name, double *value)
{
    const double *terms = context;
    char *end = NULL;
    const long index = name[0] == 'v' && isdigit((unsigned char)name[1]) ? strtol(name + 1, &end, 10) : -1;
    if (index < 0 || index >= GR_MEASURE_TERMS || *end != '\0') {
        return GR_LOOKUP_UNKNOWN;
    }
    *value = terms[index];
    return GR_LOOKUP_FOUND;
}

static int no_names(void *context, const char **names, int capacity)
{
    (void)context, (void)names, (void)capacity;
    return 0;
}

/// Evaluates the expression once, so that errors of syntax appear before the first run.
static GrStatus try_expression(const GrMeasure *measure, const GrNode *at)
{
    double ones[GR_MEASURE_TERMS], value;
    GrExpressionError error;
    for (int i = 0; i < GR_MEASURE_TERMS; i++) {
        ones[i] = 1;
    }
    const GrScope scope = {find_value, no_names, ones};
    const bool ok = gr_expression_evaluate(measure->expression, &scope, &value, &error);
    // 1 - 1 in a denominator is no error of syntax
    return ok || strstr(error.text, "not a number") != NULL
               ? GR_OK
               : gr_node_error(at, GR_ERROR_VALUE, "'%s': %s", measure->text, error.text);
}

GrStatus gr_measures_add(GrMeasures *measures, const char *name, const char *text, const GrMeasureNames *names,
                         const GrNode *at)
{
    if (measures->count == GR_CAMPAIGN_METRICS) {
        return gr_node_error(at, GR_ERROR_VALUE, "more than %d measures", (int)GR_CAMPAIGN_METRICS);
    }
    GrMeasure *measure = &measures->items[measures->count];
    *measure = (GrMeasure){0};
    if (gr_text_copy(measure->name, sizeof measure->name, name) == 0 ||
        gr_text_copy(measure->text, sizeof measure->text, text) == 0) {
        return gr_node_error(at, GR_ERROR_VALUE, "name or expression too long");
    }
    Parser p = {measures, names, at, text, text, measure->expression, 0, GR_OK};
    while (*p.at != '\0' && p.status == GR_OK) {
        const bool word = isalpha((unsigned char)*p.at) || *p.at == '_' ||
                          (p.at[0] == '*' && p.at[1] == '.' && isalpha((unsigned char)p.at[2]));
        if (word) {
            read_word(&p);
            continue;
        }
        if (*p.at == '{') {
            read_variable(&p);
            continue;
        }
        const size_t number = isdigit((unsigned char)*p.at) ? strspn(p.at, "0123456789.eE") : 1;
        emit(&p, p.at, number);
        p.at += number;
    }
    if (p.status == GR_OK) {
        p.status = try_expression(measure, at);
    }
    measures->count += p.status == GR_OK;
    return p.status;
}

double gr_measure_value(const GrMeasures *measures, int measure, const double *terms)
{
    const char *expression = measures->items[measure].expression;
    double value;
    if (find_value((void *)(uintptr_t)terms, expression, &value) == GR_LOOKUP_FOUND) {
        return value; // a single term, as most are
    }
    GrExpressionError error;
    const GrScope scope = {find_value, no_names, (void *)(uintptr_t)terms};
    return gr_expression_evaluate(expression, &scope, &value, &error) ? value : (double)NAN;
}
