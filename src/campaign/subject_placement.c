#include "subject_placement.h"

#include "alloc.h"
#include "clock.h"
#include "hash_file.h"
#include "key_hash.h"
#include "out_of_memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    s->cache = gr_world_cache_create(); // placers make their own when there is no memory
    gr_placer_read(value, &s->plan);
    gr_placer_write(value, &text);
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

static GrMeasureNames names(void *subject)
{
    return (GrMeasureNames){.context = subject, .has = has, .list = list};
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

static void dismiss(void *worker)
{
    Worker *w = worker;
    gr_placer_free(w->placer);
    gr_free(w);
}

static void *hire(void *subject, const GrMeasures *measures)
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
    .names = names,
    .usual = USUAL,
    .hire = hire,
    .dismiss = dismiss,
    .run = run,
};
