/// The subject `scenario`: runs of a scenario file, with any of its numbers and names varied.
///
///     run: {scenario: gradeability, set: [stop.time_s=20, gravity=mars]}
#include "grouser/run.h"

#include "alloc.h"
#include "buffer.h"
#include "channel.h"
#include "clock.h"
#include "file.h"
#include "key_hash.h"
#include "lane_pool.h"
#include "out_of_memory.h"
#include "scenario_data.h"
#include "soil_spread.h"
#include "subject.h"
#include "subject_placement.h"
#include "summary_value.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/// The part of `name` after "owner."; NULL when it has another owner.
static const char *after(const char *name, const char *owner)
{
    const size_t length = strlen(owner);
    return strncmp(name, owner, length) == 0 && name[length] == '.' ? name + length + 1 : NULL;
}

typedef struct Lister {
    bool (*take)(void *context, const char *name);
    void *context;
    bool done;
} Lister;

/// Numbers of the rover as a whole.
static bool rover_value(const GrRunSummary *s, const char *name, double *out)
{
    const struct {
        const char *name;
        double value;
    } rows[] = {{"time_s", s->time},
                {"outcome_time_s", s->outcome_time},
                {"energy_per_metre_J_per_m", s->energy_per_metre},
                {"way_points_reached", s->way_points_reached},
                {"steps", (double)s->steps},
                {"succeeded", gr_outcome_succeeded(s->outcome)},
#define GR_ROW(member, name, unit, factor, text, scale, event) {#name, (factor)*s->member},
                GR_SUMMARY_NUMBER_LIST(GR_ROW)
#undef GR_ROW
#define GR_ROW(member, name, text) {"energy." #name, s->energy.member},
                    GR_SUMMARY_ENERGY_LIST(GR_ROW)
#undef GR_ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            *out = rows[i].value;
            return true;
        }
    }
    return false;
}

enum {
    WHEEL_NUMBERS = 0
#define GR_ROW(...) +1 // NOLINT(bugprone-macro-parentheses): one more
    GR_WHEEL_NUMBER_LIST(GR_ROW)
#undef GR_ROW
};

typedef struct WheelNumber {
    const char *name;
    size_t offset;
    GrSummaryOf of;
} WheelNumber;

static const WheelNumber WHEEL[WHEEL_NUMBERS] = {
#define GR_ROW(member, name, unit, text, scale, of, event) {#name, offsetof(GrWheelSummary, member), GR_OF_##of},
    GR_WHEEL_NUMBER_LIST(GR_ROW)
#undef GR_ROW
};

static double wheel_number(const GrRunSummary *s, int wheel, const WheelNumber *number)
{
    double value;
    memcpy(&value, (const unsigned char *)&s->wheels[wheel] + number->offset, sizeof value);
    return value;
}

/// All wheels together, combined as the table in sample.h says.
static double all_wheels(const GrRunSummary *s, const WheelNumber *number)
{
    double sum = 0, largest = -INFINITY;
    for (int i = 0; i < s->wheel_count; i++) {
        const double value = wheel_number(s, i, number);
        sum += value;
        largest = fmax(largest, value);
    }
    return s->wheel_count == 0           ? (double)NAN
           : number->of == GR_OF_LARGEST ? largest
           : number->of == GR_OF_MEAN    ? sum / s->wheel_count
                                         : sum;
}

bool gr_summary_value(const GrModel *m, const GrRunSummary *summary, const char *name, double *out)
{
    const char *rest = after(name, "outcome");
    if (rover_value(summary, name, out)) {
        return true;
    }
    for (int i = 0; rest != NULL && i < GR_OUTCOME_COUNT; i++) {
        if (strcmp(gr_outcome_name((GrOutcome)i), rest) == 0) {
            *out = summary->outcome == (GrOutcome)i;
            return true;
        }
    }
    for (int i = -1; i < gr_model_wheel_count(m); i++) {
        rest = after(name, i < 0 ? "wheels" : gr_model_wheel_name(m, i));
        for (int k = 0; rest != NULL && k < WHEEL_NUMBERS; k++) {
            if (strcmp(WHEEL[k].name, rest) == 0) {
                const bool known = i < summary->wheel_count;
                *out = i < 0 ? all_wheels(summary, &WHEEL[k]) : known ? wheel_number(summary, i, &WHEEL[k]) : 0;
                return true;
            }
        }
    }
    return false;
}

static void list_one(Lister *lister, const char *owner, const char *name)
{
    char full[GR_CHANNEL_NAME];
    snprintf(full, sizeof full, "%s%s%s", owner, owner[0] != '\0' ? "." : "", name);
    lister->done = lister->done || !lister->take(lister->context, full);
}

void gr_summary_list(const GrModel *m, bool (*take)(void *context, const char *name), void *context)
{
    Lister lister = {take, context, false};
    static const char *const plain[] = {"time_s",
                                        "outcome_time_s",
                                        "energy_per_metre_J_per_m",
                                        "way_points_reached",
                                        "steps",
                                        "succeeded",
#define GR_ROW(member, name, unit, factor, text, scale, event) #name,
                                        GR_SUMMARY_NUMBER_LIST(GR_ROW)
#undef GR_ROW
#define GR_ROW(member, name, text) "energy." #name,
                                            GR_SUMMARY_ENERGY_LIST(GR_ROW)
#undef GR_ROW
    };
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        list_one(&lister, "", plain[i]);
    }
    for (int i = 0; i < GR_OUTCOME_COUNT; i++) {
        list_one(&lister, "outcome", gr_outcome_name((GrOutcome)i));
    }
    for (int i = -1; i < gr_model_wheel_count(m); i++) {
        for (int k = 0; k < WHEEL_NUMBERS; k++) {
            list_one(&lister, i < 0 ? "wheels" : gr_model_wheel_name(m, i), WHEEL[k].name);
        }
    }
}

// ---- subject

// ---- the hash of a file

GrStatus gr_hash_file(const char *path, uint64_t *hash, GrErrorLog *log)
{
    if (path[0] == '\0') {
        return GR_OK;
    }
    if (gr_file_check_input(path, log) != GR_OK) {
        return GR_ERROR_FILE;
    }
    FILE *file = fopen(path, "rb");
    char block[65536];
    if (file == NULL) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path}, "cannot be read");
    }
    size_t size;
    while ((size = fread(block, 1, sizeof block, file)) > 0) {
        *hash = gr_hash_bytes(*hash, block, size);
    }
    const bool failed = ferror(file) != 0;
    fclose(file);
    return failed ? gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path}, "cannot be read") : GR_OK;
}

// ---- the subject

enum { SETS_MAX = 64, OVERRIDES_MAX = GR_SUBJECT_OVERRIDES, LISTED_MAX = 512 };

typedef struct Subject {
    char scenario[GR_FILE_PATH_SIZE]; ///< name or path
    char *sets[SETS_MAX + 1];         ///< overrides of every run, owned
    int set_count;
    GrModel *model;               ///< of the scenario without variations, for names
    GrLanderPlan lander;          ///< likewise
    GrWorldCache *cache;          ///< of all workers
    GrLanePool *pool;             ///< likewise; NULL: they advance on processors
    char (*listed)[GR_TERM_NAME]; ///< [LISTED_MAX] names for messages, owned; NULL: not needed yet
} Subject;

static void destroy(void *subject)
{
    Subject *s = subject;
    for (int i = 0; i < s->set_count; i++) {
        gr_free(s->sets[i]);
    }
    gr_lane_pool_close(s->pool);
    gr_model_free(s->model);
    gr_world_cache_free(s->cache);
    gr_free(s->listed);
    gr_free(s);
}

static void read_sets(const GrNode *section, Subject *s)
{
    GrNode *list = gr_field_list((GrNode *)(uintptr_t)section, "set", GR_OPTIONAL);
    for (GrNode *item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
        item->used = true;
        if (item->kind != GR_NODE_SCALAR || strchr(item->text, '=') == NULL) {
            gr_node_error(item, GR_ERROR_VALUE, "expected an override, such as \"gravity=moon\"");
        } else if (s->set_count == SETS_MAX) {
            gr_node_error(item, GR_ERROR_VALUE, "more than %d overrides", (int)SETS_MAX);
            return;
        } else {
            const size_t size = strlen(item->text) + 1;
            char *copy = gr_malloc(size);
            if (copy == NULL) {
                gr_node_out_of_memory(item);
                return;
            }
            s->sets[s->set_count++] = memcpy(copy, item->text, size);
        }
    }
}

/// Overrides of the subject, then those of the case.
static bool join(const Subject *s, const GrCase *c, const char *out[OVERRIDES_MAX])
{
    int count = 0;
    for (int i = 0; i < s->set_count; i++) {
        out[count++] = s->sets[i];
    }
    for (int i = 0; c != NULL && c->overrides != NULL && c->overrides[i] != NULL; i++) {
        if (count == OVERRIDES_MAX - 1) {
            return false;
        }
        out[count++] = c->overrides[i];
    }
    out[count] = NULL;
    return true;
}

static GrStatus load(const Subject *s, const GrCase *c, GrScenario **out, GrErrorLog *log)
{
    const char *overrides[OVERRIDES_MAX];
    if (!join(s, c, overrides)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0}, "more than %d overrides", OVERRIDES_MAX - 1);
    }
    return gr_scenario_load_shared(s->scenario, overrides, s->cache, out, log);
}

/// A path in the campaign file is relative to that file.
static void resolve(const GrNode *value, char out[GR_FILE_PATH_SIZE])
{
    char beside[GR_FILE_PATH_SIZE];
    gr_text_copy(out, GR_FILE_PATH_SIZE, value->text);
    if (strpbrk(value->text, "/.") != NULL && gr_node_beside(value, value->text, beside) && gr_file_exists(beside)) {
        gr_text_copy(out, GR_FILE_PATH_SIZE, beside);
    }
}

static void *create(GrNode *value, const GrNode *section)
{
    Subject *s = gr_calloc(1, sizeof *s);
    if (s == NULL || value->kind != GR_NODE_SCALAR) {
        s == NULL ? gr_node_out_of_memory(value)
                  : gr_node_error(value, GR_ERROR_VALUE, "expected the name or file of a scenario");
        gr_free(s);
        return NULL;
    }
    GrErrorLog log = {.quiet = true};
    GrScenario *scenario = NULL;
    gr_world_cache_create(&s->cache, NULL); // runs do without it when there is no memory
    resolve(value, s->scenario);
    read_sets(section, s);
    if (value->document->status == GR_OK && load(s, NULL, &scenario, &log) == GR_OK && scenario != NULL) {
        const GrOptions options = gr_default_options();
        gr_model_create(&scenario->rover, &options, &s->model, &log);
        s->lander = scenario->lander;
        gr_scenario_free(scenario);
    }
    if (s->model == NULL) {
        for (int i = 0; i < log.count; i++) {
            const GrError *e = &log.items[i];
            char where[300] = "";
            if (e->file[0] != '\0') {
                snprintf(where, sizeof where, "%s:%d: ", e->file, e->line);
            }
            if (e->severity == GR_SEVERITY_ERROR) {
                gr_node_error(value, e->status, "%s%s%s%s", where, e->field, e->field[0] != '\0' ? ": " : "", e->text);
            }
        }
        destroy(s);
        return NULL;
    }
    return s;
}

static GrStatus identify(void *subject, const GrCase *c, uint64_t *hash, GrErrorLog *log)
{
    GrScenario *scenario = NULL;
    GrStatus status = load(subject, c, &scenario, log);
    if (status != GR_OK || scenario == NULL || scenario->input == NULL) {
        gr_scenario_free(scenario);
        return status;
    }
    *hash = gr_hash_text(*hash, scenario->input);
    const char *const files[] = {
        scenario->terrain.file,  scenario->terrain.rock_file, scenario->soil_map.file,
        scenario->hard_map.file, scenario->ruts_from,         scenario->lander.file,
        scenario->rover_file,    scenario->soil_file,         scenario->terrain.rock_mesh.file};
    for (size_t i = 0; i < sizeof files / sizeof files[0] && status == GR_OK; i++) {
        status = gr_hash_file(files[i], hash, log);
    }
    gr_scenario_free(scenario);
    return status;
}

/// A number of how the lander of a scenario stands: "lander.tilt_deg", or "lander.ramp.slope_deg" of the ramp that the
/// rover takes.
static bool lander_value(const GrLanderPlan *plan, const GrLanderPlacement *placement, const char *name, double *out)
{
    static const char own[] = "lander.", chosen[] = "ramp.";
    char text[GR_TERM_NAME + GR_NAME_SIZE];
    if (!plan->given || strncmp(name, own, strlen(own)) != 0) {
        return false;
    }
    name += strlen(own);
    if (strncmp(name, chosen, strlen(chosen)) == 0) {
        snprintf(text, sizeof text, "%s.%s", plan->lander.ramps[plan->ramp].name, name + strlen(chosen));
        name = text;
    }
    return gr_placement_value(&plan->lander, placement, name, out);
}

static bool has(void *context, const char *name, bool channel)
{
    const Subject *s = context;
    GrChannel found;
    double value;
    const GrRunSummary none = {0};
    const GrLanderPlacement level = {0};
    return channel ? gr_channel_find(s->model, name, &found)
                   : gr_summary_value(s->model, &none, name, &value) || lander_value(&s->lander, &level, name, &value);
}

typedef struct Collector {
    char (*room)[GR_TERM_NAME];
    const char **names;
    int count, capacity;
} Collector;

static bool collect(void *context, const char *name)
{
    Collector *c = context;
    if (c->count == c->capacity || c->count == LISTED_MAX) {
        return false;
    }
    gr_text_copy(c->room[c->count], sizeof c->room[0], name);
    c->names[c->count] = c->room[c->count];
    c->count++;
    return true;
}

static int list(void *context, bool channel, const char **names, int capacity)
{
    Subject *s = context;
    s->listed = s->listed != NULL ? s->listed : gr_calloc(LISTED_MAX, sizeof *s->listed);
    if (s->listed == NULL) {
        return 0;
    }
    Collector collector = {s->listed, names, 0, capacity};
    channel ? gr_channel_list(s->model, collect, &collector) : gr_summary_list(s->model, collect, &collector);
    return collector.count;
}

/// One recorded channel of a run.
typedef struct Recorded {
    GrChannel channel;
    bool known;
    double *values; ///< [capacity][width], owned
    size_t room;    ///< of values
} Recorded;

typedef struct Worker {
    const Subject *subject;
    const GrMeasures *measures;
    Recorded series[GR_MEASURE_TERMS];
    double *axes[4]; ///< time, distance, x, y; [capacity], owned
    int count, capacity;
    bool failed; ///< out of memory
} Worker;

static void destroy_worker(void *worker)
{
    Worker *w = worker;
    for (int i = 0; i < GR_MEASURE_TERMS; i++) {
        gr_free(w->series[i].values);
    }
    for (int i = 0; i < 4; i++) {
        gr_free(w->axes[i]);
    }
    gr_free(w);
}

static void *create_worker(void *subject, const GrMeasures *measures)
{
    Worker *w = gr_calloc(1, sizeof *w);
    if (w != NULL) {
        w->subject = subject;
        w->measures = measures;
    }
    return w;
}

static bool grow(double **array, size_t count)
{
    double *larger = gr_realloc(*array, count * sizeof *larger);
    *array = larger != NULL ? larger : *array;
    return larger != NULL;
}

/// Room for one more sample.
static bool reserve(Worker *w)
{
    if (w->count == w->capacity) {
        const int capacity = w->capacity > 0 ? 2 * w->capacity : 256;
        for (int i = 0; i < 4; i++) {
            if (!grow(&w->axes[i], (size_t)capacity)) {
                return false;
            }
        }
        w->capacity = capacity;
    }
    for (int i = 0; i < w->measures->term_count; i++) {
        Recorded *r = &w->series[i];
        const size_t wanted = (size_t)w->capacity * (size_t)r->channel.width;
        if (r->known && r->room < wanted) {
            if (!grow(&r->values, wanted)) {
                return false;
            }
            r->room = wanted;
        }
    }
    return true;
}

static GrStatus take(void *context, const GrSample *sample, GrErrorLog *log)
{
    Worker *w = context;
    if (!reserve(w)) {
        return gr_out_of_memory(log, NULL);
    }
    const double axes[4] = {sample->time, sample->distance, sample->pose.position.x, sample->pose.position.y};
    for (int i = 0; i < 4; i++) {
        w->axes[i][w->count] = axes[i];
    }
    for (int i = 0; i < w->measures->term_count; i++) {
        Recorded *r = &w->series[i];
        for (int k = 0; r->known && k < r->channel.width; k++) {
            r->values[(size_t)w->count * (size_t)r->channel.width + (size_t)k] =
                gr_channel_value(&r->channel, sample, k);
        }
    }
    w->count++;
    return GR_OK;
}

static void begin(Worker *w, const GrModel *m)
{
    w->count = 0;
    for (int i = 0; i < w->measures->term_count; i++) {
        const GrTerm *term = &w->measures->terms[i];
        w->series[i].known = term->reducer != GR_REDUCE_NONE && gr_channel_find(m, term->name, &w->series[i].channel);
    }
}

static void finish(const Worker *w, const GrWorld *world, const GrRunSummary *summary, double *terms)
{
    const GrModel *m = world->model;
    for (int i = 0; i < w->measures->term_count; i++) {
        const GrTerm *term = &w->measures->terms[i];
        const Recorded *r = &w->series[i];
        terms[i] = (double)NAN;
        if (term->reducer == GR_REDUCE_NONE) {
            if (!lander_value(&world->scenario->lander, &world->lander, term->name, &terms[i])) {
                gr_summary_value(m, summary, term->name, &terms[i]);
            }
        } else if (r->known) {
            const GrSeriesOf series = {r->values,  r->channel.width, w->count,  w->axes[0],
                                       w->axes[1], w->axes[2],       w->axes[3]};
            terms[i] = gr_reduce(term, &series);
        }
    }
}

/// A run that could not be started is a result, unless memory or disk is at fault.
static GrStatus refuse(const GrMeasures *measures, const GrErrorLog *why, GrStatus status, double *terms,
                       GrResult *result, GrErrorLog *log)
{
    const GrError *first = NULL;
    for (int i = 0; i < why->count && first == NULL; i++) {
        first = why->items[i].severity == GR_SEVERITY_ERROR ? &why->items[i] : NULL;
    }
    if (status == GR_ERROR_MEMORY || first == NULL) {
        return gr_error_add(log, status, (GrLocation){0}, "%s", first != NULL ? first->text : "out of memory");
    }
    for (int i = 0; i < measures->term_count; i++) {
        terms[i] = (double)NAN;
    }
    snprintf(result->outcome, sizeof result->outcome, "%s", GR_OUTCOME_REFUSED);
    snprintf(result->cause, sizeof result->cause, "%.80s%s%.160s", first->field, first->field[0] != '\0' ? ": " : "",
             first->text);
    return GR_OK;
}

static GrStatus drive(Worker *w, GrWorld *world, double *terms, GrResult *result, GrErrorLog *log)
{
    GrRunSummary summary = {0};
    const GrRunHooks hooks = {.context = w, .sample = take}; // sampled as `grouser run` does: the same bits
    begin(w, world->model);
    const double start = gr_thread_time();
    const GrStatus status = gr_lane_pool_run(w->subject->pool, world, &hooks, &summary, log);
    result->stepping = gr_thread_time() - start;
    if (status == GR_OK) {
        finish(w, world, &summary, terms);
        snprintf(result->outcome, sizeof result->outcome, "%s", gr_outcome_name(summary.outcome));
        snprintf(result->cause, sizeof result->cause, "%.*s", (int)sizeof result->cause - 1, summary.cause);
        result->succeeded = gr_outcome_succeeded(summary.outcome);
        result->progress = result->succeeded ? 1 : fmin(summary.time / world->scenario->mission.duration, 1);
        result->prediction = gr_soil_has_errors(world->model) ? gr_band_word(1) : NULL;
        result->warnings = summary.warning_count;
        result->state_hash = summary.state_hash;
    }
    gr_run_summary_free(&summary);
    return status;
}

static GrStatus run(void *worker, const GrCase *c, double *terms, GrResult *result, GrErrorLog *log)
{
    Worker *w = worker;
    GrErrorLog why = {.quiet = true};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrStatus status = load(w->subject, c, &scenario, &why);
    if (status != GR_OK) {
        return refuse(w->measures, &why, status, terms, result, log);
    }
    status = gr_world_create_shared(scenario, w->subject->cache, &world, &why);
    if (status != GR_OK) {
        status = refuse(w->measures, &why, status, terms, result, log);
    } else {
        status = drive(w, world, terms, result, log);
        gr_world_free(world);
    }
    gr_scenario_free(scenario);
    return status;
}

/// Also tries the scenario without variations, if its rover can be placed.
static GrStatus drive_on(void *subject, const char *device, int workers, GrErrorLog *log)
{
    Subject *s = subject;
    GrErrorLog why = {.quiet = true};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrStatus status = gr_lane_pool_open(device, workers, &s->pool, log);
    if (status == GR_OK && load(s, NULL, &scenario, &why) == GR_OK &&
        gr_world_create_shared(scenario, s->cache, &world, &why) == GR_OK) {
        status = gr_lane_pool_try(s->pool, world->mission, log);
    }
    gr_world_free(world);
    gr_scenario_free(scenario);
    return status;
}

static const char *scenario(void *subject, const GrCase *c, const char **overrides, int capacity)
{
    const Subject *s = subject;
    return capacity >= OVERRIDES_MAX && join(s, c, overrides) ? s->scenario : NULL;
}

// clang-format off
static const char *const USUAL[] = {
    "succeeded", "succeeded",
    "time_s", "time_s",
    "distance_m", "distance_m",
    "slip_mean", "wheels.slip_mean",
    "sinkage_max_m", "wheels.sinkage_max_m",
    "energy_J", "energy.electric_J",
    NULL,
};
// clang-format on

const GrSubjectKind gr_subject_scenario = {
    .name = "scenario",
    .text = "runs of a scenario",
    .create = create,
    .destroy = destroy,
    .identify = identify,
    .has = has,
    .list = list,
    .samples_soil = true,
    .usual = USUAL,
    .create_worker = create_worker,
    .destroy_worker = destroy_worker,
    .run = run,
    .drive_on = drive_on,
    .scenario = scenario,
};
