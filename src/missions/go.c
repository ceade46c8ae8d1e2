#include "go.h"

#include "alloc.h"
#include "elementary.h"
#include "list.h"
#include "out_of_memory.h"
#include "text.h"

#include <math.h>
#include <string.h>

enum {
    SCREENED = 2,   // worlds in which a route is driven before all
    FORCED_MOST = 3 // tries at the barrier
};
static const double CARE = 4;      // of the first try, doubled with each
static const int CARE_DOUBLED = 4; // at most so often
/// Radius of a block over the rover's length; 1.5 times where one lies in another.
static const double BLOCK_LENGTH = 0.6;

bool gr_go_row(const GrGo *go, const GrCampaign *c, const GrGoTry *item, uint64_t world, GrRow *out)
{
    const GrTraverseDrive drive = {
        {go->start.at[0], go->start.at[1]}, (const double(*)[2])item->points, item->point_count, item->length};
    return gr_traverse_row(&go->t, c, &drive, world, out);
}

void gr_go_answer_free(GrGoAnswer *answer)
{
    for (int i = 0; i < answer->count; i++) {
        gr_free(answer->tries[i].points);
    }
    gr_free(answer->blocks);
    gr_free(answer->reached);
    *answer = (GrGoAnswer){0};
}

static double length_of(const GrGo *go)
{
    return go->ground.shape.front - go->ground.shape.rear;
}

/// Closes the place where a drive ended: the point of its route nearest to that, half a rover ahead.
static GrStatus block(const GrGo *go, const GrGoTry *item, const double end[2], GrGoAnswer *answer, GrErrorLog *log)
{
    const double *a = go->start.at;
    double nearest = INFINITY;
    GrGoBlock found = {.radius = fmax(BLOCK_LENGTH * length_of(go), 1.5 * go->t.grid.cell)};
    for (int k = 0; k < item->point_count; k++) {
        const double *b = item->points[k], dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy;
        const double part = square > 0 ? ((end[0] - a[0]) * dx + (end[1] - a[1]) * dy) / square : 0;
        const double t = fmax(0, fmin(1, part)), x = a[0] + t * dx, y = a[1] + t * dy;
        const double distance = gr_hypot(end[0] - x, end[1] - y);
        if (distance < nearest && square > 0) {
            const double ahead = fmin(length_of(go) / 2, (1 - t) * sqrt(square)) / sqrt(square);
            nearest = distance;
            found.at[0] = x + ahead * dx;
            found.at[1] = y + ahead * dy;
            found.heading = gr_atan2(dy, dx);
        }
        a = b;
    }
    for (int i = 0; i < answer->block_count; i++) {
        const GrGoBlock *other = &answer->blocks[i];
        if (gr_hypot(other->at[0] - found.at[0], other->at[1] - found.at[1]) < other->radius) {
            found.radius = fmax(found.radius, 1.5 * other->radius);
        }
    }
    return gr_list_add(&answer->blocks, &answer->block_count, &found, sizeof found) >= 0 ? GR_OK
                                                                                         : gr_out_of_memory(log, NULL);
}

static bool is_within(const GrGo *go, const GrResult *result)
{
    for (int i = 0; i < go->limit_count; i++) {
        const GrGoal *g = &go->limits[i];
        const double value = result->metrics[g->measure];
        if (!(g->wish == GR_WISH_BELOW ? value <= g->limit : value >= g->limit)) {
            return false;
        }
    }
    return true;
}

static void add_to(GrCostBand *band, double value, int count)
{
    band->value = count == 1 ? value : band->value + (value - band->value) / count;
    band->low = count == 1 ? value : fmin(band->low, value);
    band->high = count == 1 ? value : fmax(band->high, value);
}

static void note_arrival(const GrGo *go, const GrResult *result, int world, GrGoTry *item)
{
    const int *m = go->t.measures;
    item->first_arrived = item->arrived == 0 ? world : item->first_arrived;
    item->arrived++;
    add_to(&item->used_energy, result->metrics[m[GR_TRAVERSE_USED_ENERGY]], item->arrived);
    add_to(&item->used_time, result->metrics[m[GR_TRAVERSE_USED_TIME]], item->arrived);
    add_to(&item->slip, result->metrics[m[GR_TRAVERSE_MEAN_SLIP]], item->arrived);
    add_to(&item->tilt, result->metrics[m[GR_TRAVERSE_TILT]], item->arrived);
}

/// The results of a try in the first `worlds` worlds; false: one is missing. `blocks`: also closes the places where its
/// drives ended.
static bool read_results(const GrGo *go, const GrCampaign *c, GrStudy *study, int worlds, GrGoTry *item,
                         double (*ends)[2], int *end_count)
{
    item->count = item->arrived = item->kept_out = *end_count = 0;
    item->outcome[0] = item->cause[0] = '\0';
    for (int w = 0; w < worlds; w++) {
        GrRow row;
        GrResult result;
        gr_go_row(go, c, item, (uint64_t)w, &row);
        if (!gr_study_has(study, row.key, &result)) {
            return false;
        }
        const double x = result.metrics[go->t.measures[GR_TRAVERSE_END_X]],
                     y = result.metrics[go->t.measures[GR_TRAVERSE_END_Y]];
        const bool there = gr_traverse_arrived(&go->t, &result, go->goal.at), within = is_within(go, &result);
        item->count++;
        item->kept_out += there && !within;
        if (there && within) {
            note_arrival(go, &result, w, item);
            continue;
        }
        const double *end = isfinite(x) && isfinite(y) ? (const double[]){x, y} : go->start.at;
        if (item->outcome[0] == '\0') {
            gr_text_copy(item->outcome, sizeof item->outcome, there ? "beyond a limit" : result.outcome);
            gr_text_copy(item->cause, sizeof item->cause, result.cause);
            memcpy(item->end, end, sizeof item->end);
        }
        if (!there) {
            memcpy(ends[(*end_count)++], end, sizeof item->end);
        }
    }
    return true;
}

static bool is_known(const GrGoAnswer *answer, const GrGoTry *item)
{
    for (int i = 0; i < answer->count; i++) {
        const GrGoTry *other = &answer->tries[i];
        if (other->point_count == item->point_count &&
            memcmp(other->points, item->points, sizeof *item->points * (size_t)item->point_count) == 0) {
            return true;
        }
    }
    return false;
}

/// The weakest place of the barrier, from the cheapest way through it.
static GrStatus find_barrier(const GrGo *go, GrGoAnswer *answer, GrErrorLog *log)
{
    GrGoTry way;
    GrStatus status = gr_go_reach(go, answer, log);
    status = status == GR_OK ? gr_go_plan(go, NULL, 0, CARE, true, &way, log) : status;
    if (status != GR_OK || way.points == NULL) {
        return status;
    }
    const double *a = go->start.at;
    answer->barrier = way.worst;
    for (int k = 0; k < way.point_count; k++) {
        const double *b = way.points[k], dx = b[0] - a[0], dy = b[1] - a[1], length = gr_hypot(dx, dy);
        const int steps = 1 + (int)ceil(length / (0.5 * go->t.grid.cell));
        for (int i = 0; i < steps; i++) {
            const GrGoSpot spot =
                gr_go_spot(&go->ground, a[0] + dx * (i + 0.5) / steps, a[1] + dy * (i + 0.5) / steps, gr_atan2(dy, dx));
            answer->barrier_width += spot.share > 1 ? length / steps : 0;
        }
        a = b;
    }
    gr_free(way.points);
    return GR_OK;
}

/// Plans the next try. `*found` is false when there is none.
static GrStatus plan_next(const GrGo *go, GrGoAnswer *answer, bool *found, GrErrorLog *log)
{
    const int doubled = answer->count < CARE_DOUBLED ? answer->count : CARE_DOUBLED;
    const double care = CARE * (1 << doubled);
    int forced = 0;
    GrGoTry item;
    *found = false;
    for (int i = 0; i < answer->count; i++) {
        forced += answer->tries[i].forced;
    }
    if (answer->count >= go->tries || answer->count >= GR_GO_TRIES) {
        return GR_OK;
    }
    GrStatus status = gr_go_plan(go, answer->blocks, answer->block_count, care, false, &item, log);
    if (status == GR_OK && item.points == NULL) {
        if (answer->count == 0) {
            answer->separated = true;
            status = find_barrier(go, answer, log);
        }
        if (status == GR_OK && forced < FORCED_MOST) {
            status = gr_go_plan(go, answer->blocks, answer->block_count, care, true, &item, log);
        }
    }
    *found = status == GR_OK && item.points != NULL && !is_known(answer, &item);
    if (*found) {
        answer->tries[answer->count++] = item;
    } else {
        gr_free(item.points);
    }
    return status;
}

/// Chance of a try that may have been driven in few worlds: the lower end of its interval.
static double rank(const GrGoTry *item)
{
    return item->count > 0 ? gr_proportion(item->arrived, item->count).low : -1;
}

static void choose(GrGoAnswer *answer)
{
    answer->best = -1;
    for (int i = 0; i < answer->count; i++) {
        const GrGoTry *a = &answer->tries[i], *b = answer->best >= 0 ? &answer->tries[answer->best] : NULL;
        const bool equal = b != NULL && rank(a) == rank(b);
        if (b == NULL || rank(a) > rank(b) ||
            (equal && a->arrived > 0 && a->used_energy.value < b->used_energy.value)) {
            answer->best = i;
        }
    }
}

static void conclude(const GrGo *go, GrGoAnswer *answer)
{
    choose(answer);
    const GrGoTry *best = answer->best >= 0 ? &answer->tries[answer->best] : NULL;
    answer->chance = gr_proportion(best != NULL ? best->arrived : 0, best != NULL ? best->count : 0);
    const bool enough = best != NULL && best->arrived > 0 && best->arrived >= go->at_least * best->count;
    answer->verdict = enough                                                      ? GR_GO_ARRIVES
                      : best == NULL || (answer->separated && best->arrived == 0) ? GR_GO_NO_ROUTE
                                                                                  : GR_GO_ARRIVES_NOT;
    answer->done = true;
}

/// No try arrived, though the map has a way: the one that ended nearest to the goal is driven in all worlds.
static bool wants_last(const GrGo *go, GrGoAnswer *answer)
{
    int nearest = -1;
    double least = INFINITY;
    for (int i = 0; i < answer->count; i++) {
        const GrGoTry *item = &answer->tries[i];
        const double distance = gr_hypot(item->end[0] - go->goal.at[0], item->end[1] - go->goal.at[1]);
        if (item->arrived > 0) {
            return false;
        }
        nearest = distance < least ? i : nearest;
        least = fmin(least, distance);
    }
    if (nearest < 0 || answer->last || answer->separated || answer->tries[nearest].count == go->t.worlds) {
        return false;
    }
    answer->last = true;
    answer->wanted_try = nearest;
    answer->wanted_from = answer->tries[nearest].count;
    answer->wanted_to = go->t.worlds;
    return true;
}

/// Sets which drives are next: those of a new try, or the last ones. False: there is nothing more to try.
static bool want_more(const GrGo *go, GrGoAnswer *answer, GrStatus *status, GrErrorLog *log)
{
    bool found = false;
    if (answer->last) {
        return false;
    }
    *status = plan_next(go, answer, &found, log);
    if (*status != GR_OK || !found) {
        return *status == GR_OK && wants_last(go, answer);
    }
    answer->wanted_try = answer->count - 1;
    answer->wanted_from = 0;
    answer->wanted_to = go->t.worlds < SCREENED ? go->t.worlds : SCREENED;
    return true;
}

/// The results of the wanted drives: more worlds are wanted, or this try is done. False: results are missing.
static bool take_results(const GrGo *go, const GrCampaign *c, GrStudy *study, double (*ends)[2], GrGoAnswer *answer,
                         GrStatus *status, GrErrorLog *log)
{
    GrGoTry *item = &answer->tries[answer->wanted_try];
    int end_count;
    if (!read_results(go, c, study, answer->wanted_to, item, ends, &end_count)) {
        return false;
    }
    if (item->arrived > 0 && answer->wanted_to < go->t.worlds) {
        answer->wanted_from = answer->wanted_to;
        answer->wanted_to = go->t.worlds;
        return true;
    }
    for (int i = 0; i < end_count && *status == GR_OK; i++) {
        *status = block(go, item, ends[i], answer, log);
    }
    answer->wanted_to = 0;
    answer->done = item->arrived == item->count;
    return true;
}

GrStatus gr_go_advance(GrGo *go, const GrCampaign *c, GrStudy *study, GrGoAnswer *answer, GrErrorLog *log)
{
    answer->done = answer->done || !go->start.stands || !go->goal.stands;
    double(*ends)[2] = gr_calloc((size_t)go->t.worlds, sizeof *ends);
    if (ends == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = GR_OK;
    bool missing = false;
    while (status == GR_OK && !answer->done && !missing) {
        if (answer->wanted_to == 0 && !want_more(go, answer, &status, log)) {
            break;
        }
        missing = !take_results(go, c, study, ends, answer, &status, log);
    }
    gr_free(ends);
    if (status == GR_OK && !missing) {
        conclude(go, answer);
    }
    return status;
}

// ---- in words

static const char *const VERDICTS[] = {"arrives", "does not arrive", "no route"};

const char *gr_go_verdict_name(GrGoVerdict verdict)
{
    return VERDICTS[verdict];
}
