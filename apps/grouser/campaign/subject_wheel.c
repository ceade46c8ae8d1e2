/// The subject `wheel`: one point of the single-wheel rig, as `grouser wheel` computes it.
///
///     run: {wheel: {soil: dlr_d2, radius: 0.1, width: 0.1, load: 60, slip: 0.2}}
///
/// Variables are the options of `grouser wheel` (`radius`, `slip`, `soil`, …) and `soil:NAME`.
#include "alloc.h"
#include "key_hash.h"
#include "options.h"
#include "out_of_memory.h"
#include "subjects.h"
#include "wheel_study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Subject {
    GrLineOptions options;
} Subject;

/// Numbers of a point of the rig: name, expression.
#define POINT_LIST(X)                                                                                                  \
    X(sinkage_m, p->sinkage)                                                                                           \
    X(deflection_m, p->deflection)                                                                                     \
    X(fx_N, p->f_x)                                                                                                    \
    X(fy_N, p->f_y)                                                                                                    \
    X(fz_N, p->f_z)                                                                                                    \
    X(torque_Nm, p->torque)                                                                                            \
    X(tractive_efficiency, p->efficiency)                                                                              \
    X(ripple_N, p->ripple)                                                                                             \
    X(theta1_deg, p->theta_front / GR_DEGREE)                                                                          \
    X(theta_m_deg, p->theta_peak / GR_DEGREE)                                                                          \
    X(theta2_deg, p->theta_rear / GR_DEGREE)                                                                           \
    X(towed_fx_N, f->towed.status == GR_OK ? f->towed.f_x : (double)NAN)                                               \
    X(self_propelled_slip, f->self_propelled.status == GR_OK ? f->self_propelled.slip : (double)NAN)                   \
    X(strongest_fx_N, f->strongest.status == GR_OK ? f->strongest.f_x : (double)NAN)                                   \
    X(best_efficiency, f->best.status == GR_OK ? f->best.efficiency : (double)NAN)

#define POINT_NAME(name, expression) #name,
static const char *const NAMES[] = {POINT_LIST(POINT_NAME)};
enum { NAME_COUNT = sizeof NAMES / sizeof NAMES[0] };

static void read_point(const GrRigPoint *p, const GrRigFeatures *f, double out[NAME_COUNT])
{
#define POINT_VALUE(name, expression) (expression),
    const double values[] = {POINT_LIST(POINT_VALUE)};
    memcpy(out, values, sizeof values);
}

/// What a run needs that is too large for the stack.
typedef struct Room {
    GrOptionLine line;
    GrWheelStudy study;
} Room;

static bool make_line(const Subject *s, const GrCase *c, GrOptionLine *line)
{
    bool ok = gr_line_add(line, "uncertainty=0", NULL, "--set="); // the campaign samples by itself
    for (int i = 0; i < s->options.count && ok; i++) {
        ok = gr_line_add(line, s->options.texts[i], NULL, "--set=");
    }
    for (int i = 0; c->overrides != NULL && c->overrides[i] != NULL && ok; i++) {
        ok = gr_case_sample(c->overrides[i]) != NULL || gr_line_add(line, c->overrides[i], NULL, "--set=");
    }
    return ok;
}

/// Repeats the point on a sample of the soil, with the errors of its fit.
static GrStatus take_sample(GrWheelStudy *study, const char *text, const char **prediction, GrErrorLog *log)
{
    GrWheelRun *run = &study->runs[0];
    GrRigDef def = run->rig.def;
    int index, count;
    if (!gr_soil_sample_read(text, &index, &count)) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "soil_sample"},
                            "found '%s', allowed: none, or I/N for sample I of N", text);
    }
    if (count == 0) {
        return GR_OK;
    }
    const double outside = gr_wheel_outside(run, &run->points[0]);
    gr_soil_sample(&run->spread, &run->sources, &run->rig.def.soil, GR_SOIL_SEED, index, count, &def.soil);
    gr_soil_sample_errors(&run->spread, outside, index, count, &def.soil);
    *prediction = gr_spread_has_errors(&run->spread) ? gr_band_word(outside) : NULL;
    const GrStatus status = gr_rig_make(&def, &run->rig, log);
    if (status == GR_OK) {
        gr_wheel_sweep(study, &run->rig, run->points, run->features, NULL, 0);
    }
    return status;
}

static GrStatus compute(const Subject *s, const GrCase *c, double out[NAME_COUNT], GrStatus *point,
                        const char **prediction, GrErrorLog *log)
{
    Room *room = gr_calloc(1, sizeof *room);
    if (room == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status =
        make_line(s, c, &room->line)
            ? gr_wheel_study_line(room->line.argc, room->line.argv, &room->study, log)
            : gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0}, "an option that the wheel rig does not have");
    *prediction = NULL;
    for (int i = 0; c->overrides != NULL && c->overrides[i] != NULL && status == GR_OK; i++) {
        const char *sample = gr_case_sample(c->overrides[i]);
        status = sample != NULL ? take_sample(&room->study, sample, prediction, log) : status;
    }
    if (status == GR_OK) {
        const GrWheelRun *run = &room->study.runs[0];
        *point = run->points[0].status;
        read_point(&run->points[0], &run->features[0], out);
    }
    gr_wheel_study_free(&room->study);
    gr_free(room);
    return status;
}

static void *create(GrNode *value, const GrNode *section)
{
    (void)section;
    Subject *s = gr_calloc(1, sizeof *s);
    if (s == NULL) {
        gr_node_out_of_memory(value);
        return NULL;
    }
    if (gr_node_is_mapping(value)) {
        gr_line_read(value, &s->options);
    }
    if (value->document->status != GR_OK) {
        gr_free(s);
        return NULL;
    }
    return s;
}

static bool has(void *context, const char *name, bool channel)
{
    (void)context;
    for (int i = 0; i < NAME_COUNT && !channel; i++) {
        if (strcmp(NAMES[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static int list(void *context, bool channel, const char **names, int capacity)
{
    (void)context;
    int count = 0;
    for (; count < NAME_COUNT && count < capacity && !channel; count++) {
        names[count] = NAMES[count];
    }
    return count;
}

/// The result itself tells of every file that it depends on.
static GrStatus identify(void *subject, const GrCase *c, uint64_t *hash, GrErrorLog *log)
{
    const Subject *s = subject;
    double numbers[NAME_COUNT] = {0};
    GrStatus point;
    const char *prediction;
    const GrStatus status = compute(s, c, numbers, &point, &prediction, log);
    for (int i = 0; i < s->options.count; i++) {
        *hash = gr_hash_text(*hash, s->options.texts[i]);
    }
    *hash = status == GR_OK ? gr_hash_bytes(*hash, numbers, sizeof numbers) : *hash;
    return status;
}

static GrStatus run(void *worker, const GrCase *c, double *terms, GrResult *result, GrErrorLog *log)
{
    const GrPlainWorker *w = worker;
    GrErrorLog why = {.quiet = true};
    double numbers[NAME_COUNT] = {0};
    GrStatus point = GR_OK;
    const GrStatus status = compute(w->subject, c, numbers, &point, &result->prediction, &why);
    if (status == GR_ERROR_MEMORY) {
        return gr_out_of_memory(log, NULL);
    }
    for (int i = 0; i < w->measures->term_count; i++) {
        terms[i] = (double)NAN;
        for (int k = 0; k < NAME_COUNT && status == GR_OK; k++) {
            terms[i] = strcmp(NAMES[k], w->measures->terms[i].name) == 0 ? numbers[k] : terms[i];
        }
    }
    result->succeeded = status == GR_OK && point == GR_OK;
    result->progress = result->succeeded;
    result->warnings = why.warning_count;
    snprintf(result->outcome, sizeof result->outcome, "%s",
             status != GR_OK  ? GR_OUTCOME_REFUSED
             : point == GR_OK ? "done"
                              : "no_equilibrium");
    snprintf(result->cause, sizeof result->cause, "%.250s",
             status != GR_OK && why.count > 0 ? why.items[0].text
             : point != GR_OK                 ? "no sinkage carries the load"
                                              : "");
    return GR_OK;
}

// clang-format off
static const char *const USUAL[] = {
    "fx_N", "fx_N",
    "sinkage_m", "sinkage_m",
    "torque_Nm", "torque_Nm",
    NULL,
};
// clang-format on

const GrSubjectKind gr_subject_wheel = {
    .name = "wheel",
    .text = "one point of the single-wheel rig",
    .create = create,
    .destroy = gr_free,
    .identify = identify,
    .has = has,
    .list = list,
    .samples_soil = true,
    .usual = USUAL,
    .create_worker = gr_plain_worker,
    .destroy_worker = gr_free,
    .run = run,
};
