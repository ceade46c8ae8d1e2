#include "subject_placement.h"

#include "alloc.h"
#include "clock.h"
#include "key_hash.h"
#include "number.h"
#include "out_of_memory.h"
#include "rover_write.h"
#include "study_view.h"
#include "subject.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- shares of a sample

double gr_shares_margin(const GrShares *shares, int row, int goal)
{
    const GrGoal *g = &shares->goals[goal];
    const double value = gr_study_value(shares->table, row, shares->columns[goal]);
    return g->wish == GR_WISH_ABOVE ? value - g->limit : g->limit - value;
}

bool gr_shares_holds(const GrShares *shares, int row)
{
    bool holds = shares->table->succeeded[row];
    for (int i = 0; i < shares->goal_count; i++) {
        holds = holds && gr_shares_margin(shares, row, i) >= 0; // false for NAN
    }
    return holds;
}

void gr_shares_count(const GrStudyTable *table, const GrGoal *goals, int goal_count, GrShares *out)
{
    *out = (GrShares){.table = table, .goal_count = goal_count, .count = table->row_count};
    for (int i = 0; i < goal_count; i++) {
        out->goals[i] = goals[i];
        out->columns[i] = table->variable_count + goals[i].measure;
    }
    for (int row = 0; row < table->row_count; row++) {
        out->all += gr_shares_holds(out, row);
        out->succeeded += table->succeeded[row];
        for (int i = 0; i < goal_count; i++) {
            out->inside[i] += gr_shares_margin(out, row, i) >= 0;
        }
    }
}

// ---- numbers of a placement by name

/// Numbers of the lander: name, expression of the placement p.
#define LANDER_VALUES(X)                                                                                               \
    X("tilt_deg", p->tilt / GR_DEGREE)                                                                                 \
    X("tilt_toward_deg", p->tilt_toward / GR_DEGREE)                                                                   \
    X("stability_deg", p->stability / GR_DEGREE)                                                                       \
    X("clearance_m", d->corner_count > 0 ? p->clearance : (double)NAN)                                                 \
    X("feet_down", count_bits(p->feet_down))

/// Numbers of a ramp, after its name and a dot: name, expression of its state r, and whether the largest over all ramps
/// exists as "ramps.NAME".
#define RAMP_VALUES(X)                                                                                                 \
    X("slope_deg", r->slope / GR_DEGREE)                                                                               \
    X("hinge_deg", r->hinge / GR_DEGREE)                                                                               \
    X("roll_deg", r->roll / GR_DEGREE)                                                                                 \
    X("to_ground_deg", r->to_ground / GR_DEGREE)                                                                       \
    X("step_m", r->step)                                                                                               \
    X("touch", (double)r->touch)

static double count_bits(unsigned bits)
{
    double count = 0;
    for (; bits != 0; bits >>= 1) {
        count += bits & 1;
    }
    return count;
}

static bool ramp_value(const GrRampState *r, const char *name, double *out)
{
#define TAKE(text, expression)                                                                                         \
    if (strcmp(name, text) == 0) {                                                                                     \
        *out = (expression);                                                                                           \
        return true;                                                                                                   \
    }
    RAMP_VALUES(TAKE)
    return false;
}

/// "ramps.slope_max_deg": the largest magnitude of all ramps, "ramps.slope_min_deg": the smallest.
static bool all_ramps(const GrLanderDef *d, const GrLanderPlacement *p, const char *name, double *out)
{
    static const struct {
        const char *name, *of;
        bool largest;
    } rows[] = {{"slope_max_deg", "slope_deg", true},
                {"slope_min_deg", "slope_deg", false},
                {"roll_max_deg", "roll_deg", true},
                {"step_max_m", "step_m", true},
                {"step_min_m", "step_m", false},
                {"to_ground_max_deg", "to_ground_deg", true},
                {"to_ground_min_deg", "to_ground_deg", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) != 0) {
            continue;
        }
        *out = (double)NAN; // without ramps
        for (int k = 0; k < d->ramp_count; k++) {
            double value = 0;
            ramp_value(&p->ramps[k], rows[i].of, &value);
            const bool better = rows[i].largest ? fabs(value) > fabs(*out) : fabs(value) < fabs(*out);
            *out = isnan(*out) || better ? value : *out;
        }
        return true;
    }
    return false;
}

bool gr_placement_value(const GrLanderDef *d, const GrLanderPlacement *p, const char *name, double *out)
{
    const char *dot = strchr(name, '.');
    bool known = false;
    if (strcmp(name, "stands") == 0) {
        *out = p->stand == GR_STAND_STANDS;
        return true;
    }
#define TAKE_LANDER(text, expression)                                                                                  \
    if (strcmp(name, text) == 0) {                                                                                     \
        *out = (expression);                                                                                           \
        known = true;                                                                                                  \
    }
    LANDER_VALUES(TAKE_LANDER)
    if (dot != NULL && strncmp(name, "ramps.", 6) == 0) {
        known = all_ramps(d, p, dot + 1, out);
    }
    for (int i = 0; i < d->ramp_count && dot != NULL && !known; i++) {
        const size_t length = strlen(d->ramps[i].name);
        if (length == (size_t)(dot - name) && strncmp(name, d->ramps[i].name, length) == 0) {
            known = ramp_value(&p->ramps[i], dot + 1, out);
        }
    }
    *out = known && p->stand != GR_STAND_STANDS ? (double)NAN : *out;
    return known;
}

int gr_placement_names(const GrLanderDef *d, char (*out)[GR_TERM_NAME], int capacity)
{
#define NAME(text, expression) text,
    static const char *const own[] = {"stands", LANDER_VALUES(NAME)};
    static const char *const of_ramps[] = {RAMP_VALUES(NAME)};
    static const char *const all[] = {"slope_max_deg", "slope_min_deg",     "roll_max_deg",     "step_max_m",
                                      "step_min_m",    "to_ground_max_deg", "to_ground_min_deg"};
    int count = 0;
    for (size_t i = 0; i < sizeof own / sizeof own[0] && count < capacity; i++) {
        snprintf(out[count++], GR_TERM_NAME, "%s", own[i]);
    }
    for (size_t i = 0; i < sizeof all / sizeof all[0] && count < capacity && d->ramp_count > 0; i++) {
        snprintf(out[count++], GR_TERM_NAME, "ramps.%s", all[i]);
    }
    for (int k = 0; k < d->ramp_count; k++) {
        for (size_t i = 0; i < sizeof of_ramps / sizeof of_ramps[0] && count < capacity; i++) {
            snprintf(out[count++], GR_TERM_NAME, "%s.%s", d->ramps[k].name, of_ramps[i]);
        }
    }
    return count;
}

// ---- the subject

enum { NAMES_MAX = 96 };

typedef struct Subject {
    char *text, *file; ///< of the section, and the name of its file, owned
    GrPlacerPlan plan; ///< without variations
    GrWorldCache *cache;
    char listed[NAMES_MAX][GR_TERM_NAME];
} Subject;

static void destroy(void *subject)
{
    Subject *s = subject;
    gr_free(s->text);
    gr_free(s->file);
    gr_world_cache_free(s->cache);
    gr_free(s);
}

static void *create(GrNode *value, const GrNode *section)
{
    (void)section;
    GrBuffer text = {0};
    Subject *s = gr_calloc(1, sizeof *s);
    if (s == NULL || !gr_node_is_mapping(value)) {
        gr_free(s);
        return NULL;
    }
    gr_world_cache_create(&s->cache, NULL); // placers make their own when there is no memory
    gr_placer_read(value, &s->plan);
    gr_node_write(value, &text);
    s->text = text.data;
    s->file = gr_strdup(value->document->file);
    if (text.failed || s->file == NULL) {
        gr_node_out_of_memory(value);
    }
    if (value->document->status != GR_OK) {
        destroy(s);
        return NULL;
    }
    return s;
}

static GrStatus identify(void *subject, const GrCase *c, uint64_t *hash, GrErrorLog *log)
{
    const Subject *s = subject;
    GrPlacerPlan *plan = gr_calloc(1, sizeof *plan);
    GrStatus status =
        plan != NULL ? gr_placer_parse(s->text, s->file, c->overrides, plan, log) : gr_out_of_memory(log, NULL);
    if (status == GR_OK) {
        *hash = gr_hash_text(*hash, s->text);
        for (int i = 0; c->overrides != NULL && c->overrides[i] != NULL; i++) {
            *hash = gr_hash_text(*hash, c->overrides[i]);
        }
        const char *const files[] = {plan->lander_file, plan->terrain.file, plan->terrain.rock_file};
        for (int i = 0; i < 3 && status == GR_OK; i++) {
            status = gr_hash_file(files[i], hash, log);
        }
    }
    gr_free(plan);
    return status;
}

static bool has(void *context, const char *name, bool channel)
{
    const Subject *s = context;
    const GrLanderPlacement none = {0};
    double value;
    return !channel && gr_placement_value(&s->plan.lander, &none, name, &value);
}

static int list(void *context, bool channel, const char **names, int capacity)
{
    Subject *s = context;
    const int all = channel ? 0 : gr_placement_names(&s->plan.lander, s->listed, NAMES_MAX);
    const int count = all < capacity ? all : capacity;
    for (int i = 0; i < count; i++) {
        names[i] = s->listed[i];
    }
    return count;
}

GrPlacer *gr_subject_placer(void *subject)
{
    const Subject *s = subject;
    return gr_placer_create(s->text, s->file, s->cache);
}

typedef struct Worker {
    GrPlacer *placer;
    const GrMeasures *measures;
} Worker;

static void destroy_worker(void *worker)
{
    Worker *w = worker;
    gr_placer_free(w->placer);
    gr_free(w);
}

static void *create_worker(void *subject, const GrMeasures *measures)
{
    Worker *w = gr_calloc(1, sizeof *w);
    if (w != NULL) {
        w->measures = measures;
        w->placer = gr_subject_placer(subject);
        if (w->placer == NULL) {
            gr_free(w);
            w = NULL;
        }
    }
    return w;
}

static const char *cause_of(GrStand stand)
{
    switch (stand) {
    case GR_STAND_TIPPED:
        return "in no pose is the mass centre above the feet that touch the ground";
    case GR_STAND_OFF_MAP:
        return "a part of the lander is beyond the map";
    case GR_STAND_NO_POSE:
        return "no pose was found: the ground under a foot is too rugged";
    case GR_STAND_STANDS:
    case GR_STAND_COUNT:
        break;
    }
    return "";
}

static GrStatus run(void *worker, const GrCase *c, double *terms, GrResult *result, GrErrorLog *log)
{
    Worker *w = worker;
    GrErrorLog why = {.quiet = true};
    GrLanderPlacement placement = {.stand = GR_STAND_NO_POSE};
    const GrStatus status = gr_placer_run(w->placer, c->overrides, &placement, &why);
    if (status == GR_ERROR_MEMORY) {
        return gr_out_of_memory(log, NULL);
    }
    const char *cause =
        status != GR_OK ? (why.count > 0 ? why.items[0].text : "invalid input") : cause_of(placement.stand);
    result->succeeded = status == GR_OK && placement.stand == GR_STAND_STANDS;
    result->progress = result->succeeded ? 1 : 0;
    snprintf(result->outcome, sizeof result->outcome, "%s",
             status == GR_OK ? gr_stand_name(placement.stand) : GR_OUTCOME_REFUSED);
    snprintf(result->cause, sizeof result->cause, "%.*s", (int)sizeof result->cause - 1, cause);
    for (int i = 0; i < w->measures->term_count; i++) {
        terms[i] = (double)NAN;
        if (status == GR_OK) {
            gr_placement_value(&gr_placer_plan(w->placer)->lander, &placement, w->measures->terms[i].name, &terms[i]);
        }
    }
    return GR_OK;
}

// clang-format off
static const char *const USUAL[] = {
    "tilt_deg", "tilt_deg",
    "clearance_m", "clearance_m",
    "ramp_slope_max_deg", "ramps.slope_max_deg",
    "ramp_slope_min_deg", "ramps.slope_min_deg",
    "ramp_step_max_m", "ramps.step_max_m",
    "stability_deg", "stability_deg",
    NULL,
};
// clang-format on

const GrSubjectKind gr_subject_placement = {
    .name = "placement",
    .text = "a lander put down on the ground",
    .create = create,
    .destroy = destroy,
    .identify = identify,
    .has = has,
    .list = list,
    .usual = USUAL,
    .create_worker = create_worker,
    .destroy_worker = destroy_worker,
    .run = run,
};
