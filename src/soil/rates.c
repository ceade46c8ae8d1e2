#include "rates.h"

#include "compact.h"
#include "elementary.h"
#include "evaluate.h"
#include "law.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// A follower keeps its value of the last step; the mode is a label.
static const int HEAD_STATES[] = {GR_HEAD_ROLL,     GR_HEAD_SLIP, GR_HEAD_ANGLE,   GR_HEAD_SIDE,  GR_HEAD_LUG,
                                  GR_HEAD_LUG_PEAK, GR_HEAD_FLEX, GR_HEAD_SINKAGE, GR_HEAD_RISEN, GR_HEAD_LEFT};
static const char *const HEAD_NAMES[] = {"roll",     "slip",       "slip_angle", "side",  "lug",
                                         "lug_peak", "deflection", "sinkage",    "risen", "left"};

enum { HEAD_COUNT = sizeof HEAD_STATES / sizeof HEAD_STATES[0] };

/// How a slice touches; IN_SOIL: only where soil was dug out, so that nothing presses it.
enum { IN_SOIL = 1, CARRIES };

/// Margins of events, wider than what a step of GR_RATE_STEP passes: of yielding and of the play, as a part of each,
/// and of rises [m]. Where motion turns back, the memory steps back from its limit by twice the margin, so that events
/// do not follow each other without motion.
static const double YIELD_MARGIN = GR_YIELD_MARGIN, LOAD_MARGIN = 1e-9;

/// Soil that a risen wheel has left has a strength of e^GR_PRESSING_NOTHING [N].
static const double LEAST_STRENGTH = 1e-100;

/// Shear of soil that was just touched yields where the slip is not rounding [1/s].
static const double LEAST_RATE = 1e-6;

static double most(double a, double b)
{
    return a > b ? a : b;
}

// ---- all of a wheel's memory

static const GrLawMemory *memory_of(const GrSoilWheel *w)
{
    return gr_law(w->law)->memory;
}

static int place_of(const GrSoilWheel *w, int slice)
{
    return GR_STATE_HEAD + slice * w->slice_state;
}

/// The deflection of a wheel without a damper follows from the soil, whose rise follows from the deflection.
static bool is_algebraic(const GrSoilWheel *w)
{
    return !isinf(w->wheel.stiffness) && !(w->wheel.damping > 0) && !w->in_series;
}

int gr_soil_rate_count(const GrSoilWheel *w)
{
    const GrLawMemory *memory = memory_of(w);
    return memory != NULL && !is_algebraic(w) ? HEAD_COUNT + w->slices * (w->slice_state - memory->followers) : 0;
}

int gr_soil_rate_place(const GrSoilWheel *w, int k)
{
    if (k < HEAD_COUNT) {
        return HEAD_STATES[k];
    }
    const int followers = memory_of(w)->followers, each = w->slice_state - followers;
    return GR_STATE_HEAD + (k - HEAD_COUNT) / each * w->slice_state + followers + (k - HEAD_COUNT) % each;
}

void gr_soil_rate_name(const GrSoilWheel *w, int k, char *name, size_t size)
{
    if (k < HEAD_COUNT) {
        snprintf(name, size, "%s", HEAD_NAMES[k]);
        return;
    }
    const int at = gr_soil_rate_place(w, k) - GR_STATE_HEAD;
    char own[64];
    memory_of(w)->name(w, at % w->slice_state, own, sizeof own);
    snprintf(name, size, "slice[%d].%s", at / w->slice_state + 1, own);
}

double gr_soil_rate_nominal(const GrSoilWheel *w, int k)
{
    static const double LENGTH = 1e-4;
    const int at = gr_soil_rate_place(w, k);
    const bool dug =
        at >= GR_STATE_HEAD && w->nodes > 0 && (at - GR_STATE_HEAD) % w->slice_state == GR_SLICE_NODES + 4 * w->nodes;
    return dug || at == GR_HEAD_FLEX || at == GR_HEAD_SINKAGE || at == GR_HEAD_RISEN ? LENGTH : 1;
}

// ---- memory that a solver has left slightly outside of what it can be

static double within(double most, double x)
{
    return x > most ? most : x < -most ? -most : x;
}

static void admit(const GrSoilWheel *w, double sinkage, double *state)
{
    const GrLawMemory *memory = memory_of(w);
    state[GR_HEAD_ROLL] = within(1, state[GR_HEAD_ROLL]);
    state[GR_HEAD_SLIP] = within(1, state[GR_HEAD_SLIP]);
    state[GR_HEAD_SIDE] = within(1, state[GR_HEAD_SIDE]);
    state[GR_HEAD_ANGLE] = most(0, within(0.5 * GR_PI, state[GR_HEAD_ANGLE]));
    state[GR_HEAD_LEFT] = within(GR_RISE_PLAY, state[GR_HEAD_LEFT]);
    state[GR_HEAD_LUG_PEAK] = most(state[GR_HEAD_LUG_PEAK], fabs(state[GR_HEAD_LUG]));
    if (!(state[GR_HEAD_RISEN] > 0)) {
        state[GR_HEAD_RISEN] = state[GR_HEAD_LEFT] = 0;
    }
    if (!(state[GR_HEAD_SINKAGE] > 0)) {
        state[GR_HEAD_SINKAGE] = most(sinkage, 0);
    }
    for (int i = 0; i < w->slices; i++) {
        memory->admit(w, state + place_of(w, i));
    }
}

/// The wheel moves on for `ahead` steps, and then by one.
static void step_on(const GrSoilWheel *w, double compacted, const GrSoilMotion *motion, int ahead, const double *old,
                    double *next, GrSoilOutput *out)
{
    GrSoilMotion moved = *motion;
    for (int i = 0; i < w->slices; i++) {
        const double y = (i + 0.5) * w->slice_width - 0.5 * w->wheel.width;
        moved.sinkage[i] -= ahead * GR_RATE_STEP * (motion->twist[2] + y * motion->twist[3]);
    }
    memset(next, 0, sizeof(double) * (size_t)w->state_size);
    gr_compact_evaluate(w, compacted, &moved, GR_RATE_STEP, old, next, out);
}

static void take_followers(const GrSoilWheel *w, const double *from, double *to)
{
    to[GR_HEAD_ANGLE_USED] = from[GR_HEAD_ANGLE_USED];
    to[GR_HEAD_CLIMB] = from[GR_HEAD_CLIMB];
    for (int i = 0; i < w->slices; i++) {
        const int at = place_of(w, i);
        memcpy(to + at, from + at, sizeof(double) * (size_t)memory_of(w)->followers);
    }
}

/// Numbers of a slice that are lost where nothing presses it; those behind them are kept while it is in soil.
static int mobilised_size(const GrSoilWheel *w)
{
    const int nodes = memory_of(w)->followers + 4 * w->nodes;
    return w->nodes > 0 ? nodes : w->slice_state;
}

/// Whether a number of a slice changes in a step that ends like this.
static bool goes_on_in(const GrSoilWheel *w, int touches, int at, const double *next)
{
    const bool kept = memory_of(w)->strength(next + at - (at - GR_STATE_HEAD) % w->slice_state) > 0;
    return touches != 0 && (kept || (at - GR_STATE_HEAD) % w->slice_state >= mobilised_size(w));
}

// ---- events

/// Modes and events of shear in one slice. `before` and `free`: of a step in which nothing yields.
static void find_yields(const GrSoilWheel *w, int slice, const double *before, const double *free, GrSoilFlow *flow)
{
    const GrLawMemory *memory = memory_of(w);
    const int at = place_of(w, slice);
    for (int k = 0; k < memory->yields(w); k++) {
        const double load = memory->load(w, k, flow->state + at);
        const double outward = memory->outward(w, k, before + at, free + at) / GR_RATE_STEP;
        const double event = flow->modes.yields[slice][k] ? outward : 1 - YIELD_MARGIN - load;
        flow->event[GR_EVENT_SHEAR] = fmin(flow->event[GR_EVENT_SHEAR], event);
        const bool fresh = flow->modes.touches[slice] != CARRIES;
        flow->found.yields[slice][k] = fresh ? outward > LEAST_RATE : load >= 1 - YIELD_MARGIN && outward > 0;
    }
}

/// The same of lugs, whose shear is in the head.
static void find_lugs(const GrSoilWheel *w, const double *before, const double *free, GrSoilFlow *flow)
{
    const bool lugs = w->wheel.grousers == GR_GROUSER_LUGS && w->extras;
    const double m = before[GR_HEAD_LUG], keep = free[GR_HEAD_LUG_PEAK] / before[GR_HEAD_LUG_PEAK];
    const double load = fabs(m) / most(flow->state[GR_HEAD_LUG_PEAK], YIELD_MARGIN);
    const double pushed = (free[GR_HEAD_LUG] - keep * m) / GR_RATE_STEP, outward = m < 0 ? -pushed : pushed;
    if (lugs) {
        const double event = flow->modes.lugs ? outward : 1 - YIELD_MARGIN - load;
        flow->event[GR_EVENT_SHEAR] = fmin(flow->event[GR_EVENT_SHEAR], event);
        flow->found.lugs = load >= 1 - YIELD_MARGIN && outward > 0;
    }
}

/// How slices touch; true where one is in soil.
static bool find_touches(const GrSoilWheel *w, const GrSoilMotion *motion, double flex, const double *next,
                         GrSoilFlow *flow)
{
    bool any = false;
    for (int i = 0; i < w->slices; i++) {
        const double h = motion->sinkage[i] - flex;
        const bool in = h > GR_LEAST_SINKAGE,
                   carries = in && memory_of(w)->strength(next + place_of(w, i)) > LEAST_STRENGTH;
        const unsigned char mode = flow->modes.touches[i], now = carries ? CARRIES : in ? IN_SOIL : 0;
        const double event = mode == 0 ? -h : in && now != mode ? -1 : h;
        flow->found.touches[i] = now;
        flow->event[GR_EVENT_SLICE] = fmin(flow->event[GR_EVENT_SLICE], event);
        any = any || in;
    }
    return any;
}

static void find_rates(const GrSoilWheel *w, bool in, const double *s, const double *next, GrSoilFlow *flow)
{
    memset(flow->rate, 0, sizeof(double) * (size_t)w->state_size);
    for (int k = 0; k < gr_soil_rate_count(w); k++) {
        const int at = gr_soil_rate_place(w, k), slice = (at - GR_STATE_HEAD) / w->slice_state;
        const bool goes_on =
            at == GR_HEAD_FLEX || (at < GR_STATE_HEAD ? in : goes_on_in(w, flow->found.touches[slice], at, next));
        flow->rate[at] = goes_on ? (next[at] - s[at]) / GR_RATE_STEP : 0;
    }
}

/// Modes and events of the rise of a wheel, `rises` its rate. Sets the rate of a rise that has ended, whose end an
/// event tells: the host sees by how much its step goes beyond.
static void find_unloading(const double *free, double climb, double rises, GrSoilFlow *flow)
{
    const double risen = flow->state[GR_HEAD_RISEN], left = flow->state[GR_HEAD_LEFT];
    const double to = free[GR_HEAD_LEFT] / GR_RATE_STEP, away = left < 0 ? -to : to;
    const double inside = GR_RISE_PLAY - fabs(left);
    flow->event[GR_EVENT_LOAD] = flow->modes.unloads ? risen + LOAD_MARGIN : climb - rises;
    flow->found.unloads = risen > 0 || rises > climb;
    flow->found.forgets = risen > 0 && inside <= YIELD_MARGIN && away > 0;
    if (flow->modes.unloads && risen > 0) {
        const double leaves = flow->modes.forgets ? away : inside - YIELD_MARGIN;
        flow->event[GR_EVENT_LOAD] = fmin(flow->event[GR_EVENT_LOAD], leaves);
    }
    if (flow->modes.unloads && risen < -2 * GR_RATE_STEP * rises) {
        flow->rate[GR_HEAD_RISEN] = rises;
    }
}

/// `before` and `free`: of a step in which nothing yields or is left behind; `s` and `next`: of the step of the rates.
static void find_events(const GrSoilWheel *w, const GrSoilMotion *motion, const double *before, const double *free,
                        const double *s, const double *next, GrSoilFlow *flow)
{
    for (int i = 0; i < w->slices; i++) {
        if (flow->found.touches[i] == CARRIES) {
            find_yields(w, i, before, free, flow);
        }
    }
    find_lugs(w, before, free, flow);
    if (w->unloads) {
        find_unloading(free, s[GR_HEAD_CLIMB], gr_rim_rate(motion->twist, next[GR_HEAD_FLEX], GR_RATE_STEP, s), flow);
    }
}

// ---- rates

/// The memory as it is in a step in which nothing yields or is left behind.
static void release(const GrSoilWheel *w, double *state)
{
    state[GR_HEAD_LUG_PEAK] = fabs(state[GR_HEAD_LUG]) + 1;
    state[GR_HEAD_LEFT] = 0;
    for (int i = 0; i < w->slices; i++) {
        memory_of(w)->release(w, state + place_of(w, i));
    }
}

void gr_soil_rates(const GrSoilWheel *w, double compacted, const GrSoilMotion *motion, GrSoilFlow *flow,
                   GrSoilOutput *out)
{
    double y[GR_STATE_MAX], before[GR_STATE_MAX], free[GR_STATE_MAX], s[GR_STATE_MAX], next[GR_STATE_MAX];
    const size_t size = sizeof(double) * (size_t)w->state_size;
    double deepest = motion->sinkage[0];
    for (int i = 1; i < w->slices; i++) {
        deepest = most(deepest, motion->sinkage[i]);
    }
    memcpy(y, flow->state, size);
    admit(w, deepest, y);
    memcpy(before, y, size);
    release(w, before);
    // Followers are those of this instant after one step; the second one begins with them, and the third with those of
    // the end of the second, so that they change by a step's worth in it.
    step_on(w, compacted, motion, 0, before, free, out);
    take_followers(w, free, y);
    step_on(w, compacted, motion, 0, y, next, out);
    memcpy(s, next, size);
    for (int i = 0; i < w->slices; i++) { // what followers act on
        const int at = place_of(w, i) + memory_of(w)->followers;
        memcpy(s + at, y + at, sizeof(double) * (size_t)(mobilised_size(w) - memory_of(w)->followers));
    }
    step_on(w, compacted, motion, 1, s, next, out);
    memset(&flow->found, 0, sizeof flow->found);
    flow->deepest = deepest;
    flow->event[GR_EVENT_SLICE] = flow->event[GR_EVENT_LOAD] = flow->event[GR_EVENT_SHEAR] = 1;
    const bool in = find_touches(w, motion, w->in_series ? 0 : s[GR_HEAD_FLEX], next, flow);
    find_rates(w, in, s, next, flow);
    if (in) {
        find_events(w, motion, before, free, s, next, flow);
    }
}

/// Memory at a limit is put on it, and that which turns back from a limit is put inside.
static void turn_back(const GrSoilWheel *w, GrSoilFlow *flow)
{
    const GrSoilModes *now = &flow->found;
    double *state = flow->state;
    if (state[GR_HEAD_RISEN] > 0 && (now->forgets || flow->modes.forgets)) {
        state[GR_HEAD_LEFT] = copysign(GR_RISE_PLAY - (now->forgets ? 0 : 3 * YIELD_MARGIN), state[GR_HEAD_LEFT]);
    }
    if (now->lugs || flow->modes.lugs) {
        state[GR_HEAD_LUG_PEAK] = fabs(state[GR_HEAD_LUG]) * (now->lugs ? 1 : 1 + 3 * YIELD_MARGIN);
    }
    for (int i = 0; i < w->slices; i++) {
        for (int k = 0; k < memory_of(w)->yields(w); k++) {
            if (now->touches[i] == CARRIES && (now->yields[i][k] || flow->modes.yields[i][k])) {
                memory_of(w)->settle(w, k, now->yields[i][k] ? 1 : 1 - 3 * YIELD_MARGIN, state + place_of(w, i));
            }
        }
    }
}

bool gr_soil_switch(const GrSoilWheel *w, GrSoilFlow *flow)
{
    double old[GR_STATE_MAX];
    const size_t size = sizeof(double) * (size_t)w->state_size;
    bool any = false;
    memcpy(old, flow->state, size);
    for (int i = 0; i < w->slices; i++) {
        const unsigned char now = flow->found.touches[i], was = flow->modes.touches[i];
        const int lost = now == 0 ? w->slice_state : now == CARRIES && was == IN_SOIL ? mobilised_size(w) : 0;
        any = any || now != 0;
        memset(flow->state + place_of(w, i), 0, sizeof(double) * (size_t)lost);
    }
    if (!any) { // the rim of a flexible wheel rebounds in the air
        const double flex = flow->state[GR_HEAD_FLEX];
        memset(flow->state, 0, sizeof(double) * GR_STATE_HEAD);
        flow->state[GR_HEAD_FLEX] = flex;
    }
    admit(w, flow->deepest, flow->state);
    turn_back(w, flow);
    flow->modes = flow->found;
    return memcmp(old, flow->state, size) != 0;
}
