/// Runs legal scenarios at random and asserts what must hold for every one of them:
///   - no crash, no hang, no error, no number that is not finite;
///   - the energy residual is below 1 % of the energy turned over, or the run warns about it;
///   - half the step changes the results by less than 2 %, or the run says so;
///   - less than 5 % of the runs say so.
///
///     random_scenarios [COUNT [FIRST [SEED]]]      default 40 from 0 on, seed 1
///
/// Each scenario runs in its own process with a time limit. Scenarios that fail are printed, to be run again by
/// `grouser run`. CI runs a few; `make nightly` runs a thousand.
#include "grouser/run.h"
#include "grouser/soil_file.h"

#include "alloc.h"
#include "pace.h"
#include "random_scenario.h"
#include "scenario_data.h"
#include "shipped.h"
#include "vec3.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const double RESIDUAL_LIMIT = 0.01, HALF_LIMIT = 0.02, WARNED_LIMIT = 0.05;
enum { MANY = 200 };               // scenarios from which the share itself is judged: fewer vary by chance
static const double CHANCE = 1e-3; // of failing a small sample whose true share is at the limit
enum { TIME_LIMIT = 300 };         // [s] of processor time of one scenario, both runs

/// What the numbers of two runs are compared with where they are small themselves.
static const double LEAST_DISTANCE = 0.3;    // [m] about a wheel: swaying on the spot is no drive
static const double LEAST_SINKAGE = 0.001;   // [m]
static const double LEAST_RESISTANCE = 0.02; // over the weight: with less a rover rolls freely
static const double LEAST_HEIGHT = 0.001;    // [m] lifting the rover by this is no energy worth a word

typedef enum Verdict { DONE, REFUSED, FAILED } Verdict;

/// What a child process tells about its scenario.
typedef struct Result {
    Verdict verdict;
    bool ranged;          ///< the run warns of a law outside of the range it was fitted to
    bool finite, trusted; ///< trusted: the run warns of nothing numerical
    double residual;      ///< over the energy turned over
    double change;        ///< largest one by half the step
    char quantity[32];    ///< the one that changed most
    GrOutcome outcome, half_outcome;
    double wall;
    char text[512];
} Result;

typedef struct Watch {
    bool finite;
    int wheels;
} Watch;

static bool finite3(GrVec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static GrStatus look(void *context, const GrSample *sample, GrErrorLog *log)
{
    (void)log;
    Watch *watch = context;
    bool finite = finite3(sample->pose.position) && finite3(sample->velocity) && finite3(sample->angular_velocity) &&
                  isfinite(sample->energy.residual) && isfinite(sample->power);
    for (int i = 0; i < watch->wheels; i++) {
        const GrWheelSample *w = &sample->wheels[i];
        finite = finite && isfinite(w->slip) && isfinite(w->sinkage) && finite3(w->force) && isfinite(w->torque);
    }
    watch->finite = watch->finite && finite;
    return GR_OK;
}

static void tell(Result *result, Verdict verdict, const GrErrorLog *log)
{
    result->verdict = verdict;
    for (int i = 0; i < log->count; i++) {
        if (log->items[i].severity == GR_SEVERITY_ERROR) {
            gr_error_format(&log->items[i], result->text, sizeof result->text);
            return;
        }
    }
}

static bool run(const GrScenario *scenario, Result *result, GrRunSummary *out, double *weight)
{
    GrErrorLog log = {0};
    GrWorld *world = NULL;
    if (gr_world_create(scenario, &world, &log) != GR_OK) {
        tell(result, REFUSED, &log);
        return false;
    }
    Watch watch = {true, gr_model_wheel_count(world->model)};
    const GrRunHooks hooks = {.context = &watch, .sample = look};
    const GrStatus status = gr_run(world, &hooks, out, &log);
    const GrBalance balance = gr_balance(world->model, gr_mission_data(world->mission));
    *weight = balance.mass * sqrt(gr_dot(scenario->gravity, scenario->gravity));
    result->finite = result->finite && watch.finite;
    result->wall += out->wall_time;
    if (status != GR_OK) {
        tell(result, FAILED, &log);
    }
    gr_world_free(world);
    return status == GR_OK;
}

/// What energies are compared with: those turned over, and what counts as nothing over the distance.
static double scale_of_energy(const GrRunSummary *s, double weight)
{
    const GrEnergySample *e = &s->energy;
    return (fabs(e->motor) + fabs(e->mechanical) + fabs(e->soil) + fabs(e->joints) + fabs(e->pull)) / 2 +
           (LEAST_HEIGHT + LEAST_RESISTANCE * s->distance) * weight;
}

static void compare(Result *result, const char *quantity, double a, double b, double scale)
{
    const double change = fabs(a - b) / scale;
    if (!(change <= result->change)) {
        result->change = change;
        snprintf(result->quantity, sizeof result->quantity, "%s", quantity);
    }
}

static double mean(const GrRunSummary *s, size_t offset)
{
    double sum = 0;
    for (int i = 0; i < s->wheel_count; i++) {
        double value;
        memcpy(&value, (const char *)&s->wheels[i] + offset, sizeof value);
        sum += value / s->wheel_count;
    }
    return sum;
}

static void judge(Result *result, const GrRunSummary *a, const GrRunSummary *b, double weight)
{
    const double energy = scale_of_energy(a, weight);
    const double sinkage = mean(a, offsetof(GrWheelSummary, sinkage_mean));
    result->outcome = a->outcome;
    result->half_outcome = b->outcome;
    result->residual = fabs(a->energy.residual) / energy;
    result->trusted = true;
    for (int i = 0; i < a->warning_count; i++) {
        result->ranged = result->ranged || strstr(a->warnings[i].text, "outside the range") != NULL;
        const char *text = a->warnings[i].text;
        if (strstr(text, "trust") != NULL || strstr(text, "unreliable") != NULL ||
            strstr(text, "may be wrong") != NULL) {
            result->trusted = false;
            snprintf(result->text, sizeof result->text, "%s", a->warnings[i].text);
        }
    }
    compare(result, "time", a->time, b->time, a->time);
    if (a->distance > LEAST_DISTANCE) {
        compare(result, "distance", a->distance, b->distance, a->distance);
    }
    compare(result, "progress", a->progress, b->progress, a->distance + LEAST_DISTANCE);
    compare(result, "motor energy", a->energy.motor, b->energy.motor, energy);
    // what motors take and give back is turned over as well
    compare(result, "electric energy", a->energy.electric, b->energy.electric,
            fmax(energy, a->energy.electric + a->energy.braking));
    compare(result, "soil loss", a->energy.soil, b->energy.soil, energy);
    compare(result, "mean slip", mean(a, offsetof(GrWheelSummary, slip_mean)),
            mean(b, offsetof(GrWheelSummary, slip_mean)), 1 + LEAST_DISTANCE / fmax(a->distance, 1e-9));
    compare(result, "mean sinkage", sinkage, mean(b, offsetof(GrWheelSummary, sinkage_mean)),
            fabs(sinkage) + LEAST_SINKAGE);
    if (a->outcome != b->outcome) { // at the edge of an outcome the run has warned of what decides it
        result->change = INFINITY;
        result->trusted = result->trusted && a->warning_count == 0;
        snprintf(result->quantity, sizeof result->quantity, "outcome");
    }
}

static GrScenario *halve(const GrScenario *scenario)
{
    GrScenario *half = gr_scenario_share(scenario);
    gr_pace_refine(&half->mission, 2);
    return half;
}

static void try_scenario(const char *path, Result *result)
{
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    *result = (Result){.finite = true, .trusted = true};
    if (gr_scenario_load(path, NULL, &scenario, &log) != GR_OK) {
        tell(result, FAILED, &log); // what the generator writes is legal
        return;
    }
    GrRunSummary full = {0}, fine = {0};
    double weight = 0;
    GrScenario *half = halve(scenario);
    if (run(scenario, result, &full, &weight) && run(half, result, &fine, &weight)) {
        judge(result, &full, &fine, weight);
    }
    gr_free(half);
    gr_run_summary_free(&full);
    gr_run_summary_free(&fine);
    gr_scenario_free(scenario);
}

/// Runs in a child process, so that a crash or a hang is a normal result.
static Result try_apart(const char *path)
{
    Result result = {.verdict = FAILED};
    int ends[2], status = 0;
    if (pipe(ends) != 0) {
        return result;
    }
    const pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CPU, &(struct rlimit){TIME_LIMIT, TIME_LIMIT + 5});
        try_scenario(path, &result);
        const ssize_t written = write(ends[1], &result, sizeof result);
        _exit(written == (ssize_t)sizeof result ? 0 : 1);
    }
    close(ends[1]);
    const bool told = read(ends[0], &result, sizeof result) == (ssize_t)sizeof result;
    close(ends[0]);
    waitpid(child, &status, 0);
    if (!told) {
        result = (Result){.verdict = FAILED};
        const bool hangs = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
        snprintf(result.text, sizeof result.text, hangs ? "took longer than %d s" : "crashed (status %d)",
                 hangs ? (int)TIME_LIMIT : status);
    }
    return result;
}

static GrNameList list_soils(void)
{
    GrNameList all = {0}, usable = {0};
    gr_shipped_list("soils", ".yaml", &all, NULL);
    for (int i = 0; i < all.count; i++) {
        GrSoilDef soil;
        if (gr_soil_load(all.names[i], NULL, &soil, NULL, NULL) == GR_OK) {
            gr_name_list_add(&usable, all.names[i]);
        }
    }
    gr_name_list_free(&all);
    return usable;
}

static bool holds(const Result *r)
{
    return r->residual < RESIDUAL_LIMIT && r->change < HALF_LIMIT;
}

/// Whether the run says that its numbers are not good, or that its law is out of its range and they are not.
static bool is_warned(const Result *r)
{
    return !r->trusted || (r->ranged && !holds(r));
}

static bool is_good(const Result *r)
{
    return r->verdict == REFUSED || (r->verdict == DONE && r->finite && (holds(r) || is_warned(r)));
}

static void report(int index, const Result *r, const char *yaml)
{
    static const char *const names[] = {"done", "refused", "FAILED"};
    printf("%s %d: %s, %s/%s, residual %.2g %%, half step %.3g %% (%s)%s%s %s\n", is_good(r) ? "note" : "NOT OK", index,
           names[r->verdict], gr_outcome_name(r->outcome), gr_outcome_name(r->half_outcome), 100 * r->residual,
           100 * r->change, r->quantity, is_warned(r) ? ", warned" : "", r->finite ? "" : ", NOT FINITE", r->text);
    if (!is_good(r) || is_warned(r)) {
        printf("%s\n", yaml);
    }
    fflush(stdout);
}

/// The most warned runs that are allowed of `count`. A small sample of a population at the limit exceeds this number
/// with a probability of less than CHANCE (binomial distribution).
static int allowed_warnings(int count)
{
    if (count >= MANY) {
        return (int)(WARNED_LIMIT * count);
    }
    double term = pow(1 - WARNED_LIMIT, count), sum = term;
    int k = 0;
    for (; k < count && 1 - sum >= CHANCE; k++) {
        term *= (count - k) / (k + 1.0) * WARNED_LIMIT / (1 - WARNED_LIMIT);
        sum += term;
    }
    return k;
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 40, first = argc > 2 ? atoi(argv[2]) : 0;
    const uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    char path[] = "/tmp/grouser_random_XXXXXX.yaml";
    const int file = mkstemps(path, 5);
    GrNameList soils = list_soils();
    int bad = 0, warned = 0, ranged = 0, refused = 0;
    for (int i = first; i < first + count; i++) {
        GrBuffer yaml = {0};
        gr_random_scenario(seed, i, &soils, &yaml);
        if (gr_file_write(path, yaml.data, yaml.size, NULL) != GR_OK) {
            fprintf(stderr, "cannot write %s\n", path);
            return 1;
        }
        const Result r = try_apart(path);
        bad += !is_good(&r);
        warned += is_warned(&r);
        ranged += r.ranged && !is_warned(&r);
        refused += r.verdict == REFUSED;
        if (!is_good(&r) || is_warned(&r) || r.verdict != DONE) {
            report(i, &r, yaml.data);
        }
        gr_buffer_free(&yaml);
    }
    close(file);
    unlink(path);
    gr_name_list_free(&soils);
    const int allowed = allowed_warnings(count);
    const bool few = warned <= allowed;
    printf("%d scenarios: %d (%.1f %%) warned of their numbers (allowed %d), %d more left a law's range, but hold; "
           "%.1f %% refused to start\n",
           count, warned, 100.0 * warned / count, allowed, ranged, 100.0 * refused / count);
    printf("%d passed, %d failed\n", count - bad, bad + !few);
    return bad > 0 || !few;
}
