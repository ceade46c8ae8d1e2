/// Compares a run with the same run by a reference integrator, at every sample.
#include "grouser/run.h"

#include "scenario_data.h"

#include "alloc.h"
#include "out_of_memory.h"
#include "pace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double REFERENCE_TOLERANCE = 1e-6; // of CVODE; 1e-10 changes the compared values by at most 1e-5
static const double GRID_REFINEMENT = 8;        // the reference of scm has a step shorter by this
/// The denominator of an energy term is at least this fraction of the largest term.
static const double LEAST_ENERGY = 0.01;

/// Row of the instantaneous slip, which differs while wheels break loose, where one step makes the difference.
enum { SLIP_RMS = 5 };

/// Values compared at one instant.
typedef struct Instant {
    double time;
    GrVec3 position;
    double heading;
    GrEnergySample energy;
} Instant;

/// A wheel at an instant.
typedef struct Turn {
    double slip;
    double rate; ///< magnitude of its rotation rate [rad/s]
} Turn;

/// A run, in samples.
typedef struct Track {
    Instant *instants;
    Turn *turns; ///< [count wheels]
    int count, capacity, wheels;
    const GrRunHooks *hooks; ///< of the caller
} Track;

static bool grow(Track *track)
{
    if (track->count < track->capacity) {
        return true;
    }
    const int capacity = track->capacity > 0 ? 2 * track->capacity : 1024;
    Instant *instants = gr_realloc(track->instants, sizeof *instants * (size_t)capacity);
    if (instants == NULL) {
        return false;
    }
    track->instants = instants;
    Turn *turns = gr_realloc(track->turns, sizeof *turns * (size_t)capacity * (size_t)(track->wheels + 1));
    if (turns == NULL) {
        return false;
    }
    track->turns = turns;
    track->capacity = capacity;
    return true;
}

static void free_track(Track *track)
{
    gr_free(track->instants);
    gr_free(track->turns);
}

static GrStatus keep(void *context, const GrSample *sample, GrErrorLog *log)
{
    Track *track = context;
    if (!grow(track)) {
        return gr_out_of_memory(log, NULL);
    }
    track->instants[track->count] = (Instant){sample->time, sample->pose.position, sample->heading, sample->energy};
    for (int i = 0; i < track->wheels; i++) {
        const GrWheelSample *wheel = &sample->wheels[i];
        track->turns[track->count * track->wheels + i] = (Turn){wheel->slip, fabs(wheel->speed)};
    }
    track->count++;
    return GR_OK;
}

static void tell(void *context, double time, double duration)
{
    const Track *track = context;
    if (track->hooks != NULL && track->hooks->progress != NULL) {
        track->hooks->progress(track->hooks->context, time, duration);
    }
}

static GrStatus run_track(const GrScenario *scenario, const GrRunHooks *caller, Track *track, GrRunSummary *summary,
                          GrErrorLog *log)
{
    GrWorld *world = NULL;
    const GrRunHooks hooks = {.context = track, .sample = keep, .progress = tell};
    GrStatus status = gr_world_create(scenario, &world, log);
    if (status != GR_OK) {
        return status;
    }
    *track = (Track){.wheels = gr_model_wheel_count(world->model), .hooks = caller};
    status = gr_run(world, &hooks, summary, log);
    gr_world_free(world);
    return status;
}

/// Scenario of the reference run; of gr_scenario_share().
static GrScenario *reference_of(const GrScenario *scenario, double step)
{
    GrScenario *out = gr_scenario_share(scenario);
    if (out == NULL) {
        return NULL;
    }
    GrMissionDef *m = &out->mission;
    if (scenario->has_soil && gr_soil_law_on_grid(scenario->soil.law)) {
        gr_pace_refine(m, GRID_REFINEMENT);
        return out;
    }
    m->step = m->pace == GR_PACE_FIXED ? fmin(m->step, step) : step;
    m->pace = GR_PACE_FIXED;
    out->integrator = GR_INTEGRATOR_CVODE;
    out->tolerance = REFERENCE_TOLERANCE;
    return out;
}

static double gap(GrVec3 a, GrVec3 b)
{
    const double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

/// Number of common instants; the last one of a run may be the time of its outcome.
static int common_count(const Track *a, const Track *b)
{
    int count = 0;
    while (count < a->count && count < b->count && fabs(a->instants[count].time - b->instants[count].time) < 1e-9) {
        count++;
    }
    return count;
}

static void compare_ways(const Track *a, const Track *b, int count, GrReference *out)
{
    double distance = 0, last = 0, worst = 0, turn = 0;
    for (int k = 0; k < count; k++) {
        const Instant *p = &a->instants[k], *q = &b->instants[k];
        distance += k > 0 ? gap(q->position, b->instants[k - 1].position) : 0;
        last = gap(p->position, q->position);
        worst = fmax(worst, last);
        turn = fmax(turn, fabs(remainder(p->heading - q->heading, 2 * GR_PI)));
    }
    out->distance = distance;
    out->rows[0] = (GrConvergence){"position, at the end", "m", last, (double)NAN, 0, distance, false};
    out->rows[1] = (GrConvergence){"position, at most", "m", worst, (double)NAN, 0, distance, false};
    out->rows[2] = (GrConvergence){"heading, at most", "rad", turn, (double)NAN, 0, 1, false};
}

static void compare_slips(const Track *a, const Track *b, int count, const GrRunSummary *sa, const GrRunSummary *sb,
                          GrReference *out)
{
    double mean_a = 0, mean_b = 0, squares = 0, rolled = 0;
    int worst = 0;
    for (int i = 0; i < sa->wheel_count; i++) {
        mean_a += sa->wheels[i].slip_mean / sa->wheel_count;
        mean_b += sb->wheels[i].slip_mean / sa->wheel_count;
        const double change = fabs(sa->wheels[i].slip_mean - sb->wheels[i].slip_mean);
        worst = change > fabs(sa->wheels[worst].slip_mean - sb->wheels[worst].slip_mean) ? i : worst;
    }
    for (int k = 0; k < count * a->wheels; k++) {
        const double change = a->turns[k].slip - b->turns[k].slip;
        squares += b->turns[k].rate * change * change;
        rolled += b->turns[k].rate;
    }
    const double rms = rolled > 0 ? sqrt(squares / rolled) : 0;
    const double worst_a = sa->wheel_count > 0 ? sa->wheels[worst].slip_mean : 0,
                 worst_b = sa->wheel_count > 0 ? sb->wheels[worst].slip_mean : 0;
    out->rows[3] = (GrConvergence){"mean slip", "", mean_a, mean_b, 0, 1, false};
    out->rows[4] = (GrConvergence){"mean slip, worst wheel", "", worst_a, worst_b, 0, 1, false};
    out->rows[SLIP_RMS] = (GrConvergence){"slip, root mean square over the run", "", rms, (double)NAN, 0, 1, true};
}

/// By the names of the summary. The residual is not a separate energy and is divided by the largest one; energy that
/// motors absorb while braking is divided by their total.
static void compare_energies(const GrEnergySample *a, const GrEnergySample *b, GrReference *out)
{
#define TERM(member, name, text) {text, a->member, b->member},
    const struct {
        const char *quantity;
        double value, reference;
    } terms[] = {GR_SUMMARY_ENERGY_LIST(TERM)};
#undef TERM
    enum {
        FIRST = GR_REFERENCE_LAST_OF_MOTION + 1,
        BRAKING = GR_REFERENCE_braking - FIRST,
        RESIDUAL = GR_REFERENCE_residual - FIRST,
        TERMS = sizeof terms / sizeof terms[0]
    };
    const double turned = b->electric + b->braking;
    double largest = 0;
    for (int i = 0; i < RESIDUAL; i++) {
        largest = fmax(largest, fabs(terms[i].reference));
    }
    for (int i = 0; i < TERMS; i++) {
        const double own = i == BRAKING ? turned : fabs(terms[i].reference);
        const double scale = i == RESIDUAL ? largest : fmax(own, LEAST_ENERGY * largest);
        out->rows[FIRST + i] =
            (GrConvergence){terms[i].quantity, "J", terms[i].value, terms[i].reference, 0, scale, false};
    }
}

static void compare(const Track *a, const Track *b, const GrRunSummary *sa, const GrRunSummary *sb, GrReference *out)
{
    const int count = common_count(a, b);
    out->outcome = sa->outcome;
    out->reference_outcome = sb->outcome;
    out->time = count > 0 ? b->instants[count - 1].time : 0;
    compare_ways(a, b, count, out);
    compare_slips(a, b, count, sa, sb, out);
    if (count > 0) {
        compare_energies(&a->instants[count - 1].energy, &b->instants[count - 1].energy, out);
    }
    for (int i = 0; i < GR_REFERENCE_COUNT; i++) {
        GrConvergence *row = &out->rows[i];
        row->change = row->scale > 0 ? (row->value - (isnan(row->half) ? 0 : row->half)) / row->scale : 0;
        const double size = i != SLIP_RMS ? fabs(row->change) : 0;
        out->worst = size > out->worst ? size : isnan(size) ? (double)INFINITY : out->worst;
    }
}

GrStatus gr_run_reference(const GrScenario *scenario, double step, const GrRunHooks *hooks, GrReference *out,
                          GrErrorLog *log)
{
    GrScenario *reference = reference_of(scenario, step);
    if (reference == NULL) {
        return gr_out_of_memory(log, scenario->file);
    }
    Track ours = {0}, theirs = {0};
    GrRunSummary our_summary = {0}, their_summary = {0};
    *out = (GrReference){.is_cvode = reference->integrator == GR_INTEGRATOR_CVODE};
    GrStatus status = run_track(scenario, NULL, &ours, &our_summary, log);
    if (status == GR_OK) {
        status = run_track(reference, hooks, &theirs, &their_summary, log);
    }
    if (status == GR_OK) {
        compare(&ours, &theirs, &our_summary, &their_summary, out);
    }
    gr_free(reference);
    free_track(&ours);
    free_track(&theirs);
    gr_run_summary_free(&our_summary);
    gr_run_summary_free(&their_summary);
    return status;
}
