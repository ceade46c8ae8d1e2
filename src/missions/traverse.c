#include "traverse.h"

#include "alloc.h"
#include "elementary.h"
#include "hash.h"
#include "number.h"
#include "out_of_memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DECIMALS = 3 }; // of coordinates [m]: the text of a row is exact

#define COST_NAME(constant, name, unit, per_metre, text) #name,
const char *const gr_traverse_cost_names[GR_TRAVERSE_COST_COUNT] = {GR_TRAVERSE_COST_LIST(COST_NAME)};
#undef COST_NAME

void gr_traverse_clear(GrTraverse *t)
{
    gr_terrain_free(t->terrain);
    if (t->has_scenario) {
        gr_scenario_free(t->scenario);
    }
    gr_free(t->has_ground);
    gr_free(t->legs);
    *t = (GrTraverse){0};
}

void gr_traverse_free(GrTraverse *t)
{
    if (t != NULL) {
        gr_traverse_clear(t);
        gr_free(t);
    }
}

uint64_t gr_traverse_size(const GrTraverse *t)
{
    return (uint64_t)t->leg_count * (uint64_t)t->worlds;
}

void gr_traverse_centre(const GrTraverse *t, int cell, double out[2])
{
    const int i = cell % t->grid.nx, j = cell / t->grid.nx;
    out[0] = t->x0 + (i + 0.5) * t->grid.cell;
    out[1] = t->y0 + (j + 0.5) * t->grid.cell;
}

int gr_traverse_cell(const GrTraverse *t, const double at[2])
{
    const double i = floor((at[0] - t->x0) / t->grid.cell), j = floor((at[1] - t->y0) / t->grid.cell);
    return i >= 0 && i < t->grid.nx && j >= 0 && j < t->grid.ny ? (int)j * t->grid.nx + (int)i : -1;
}

void gr_traverse_place(const GrTraverse *t, const GrCampaign *campaign, int cell, uint64_t world, double out[2])
{
    static const uint64_t STREAM = 0x7472617665727365u; // its own, so that it is independent of the samples
    gr_traverse_centre(t, cell, out);
    for (int i = 0; i < 2; i++) {
        const uint64_t bits = gr_hash_join(gr_hash_join(gr_hash_join(STREAM, campaign->seed), world), (uint64_t)i);
        out[i] += t->jitter * t->grid.cell * (gr_hash_unit(bits) - 0.5);
    }
}

static double put_number(double value, char *out, size_t size)
{
    char text[GR_NUMBER_SIZE];
    gr_number_fixed(value, DECIMALS, text);
    snprintf(out, size, "%s", text);
    return gr_number_read(text, NULL);
}

/// "[[12,3.5],[20,4]]"
static bool put_path(const GrTraverseDrive *drive, GrValue *out)
{
    size_t used = 0;
    for (int i = 0; i < drive->count; i++) {
        char x[GR_NUMBER_SIZE], y[GR_NUMBER_SIZE];
        gr_number_fixed(drive->points[i][0], DECIMALS, x);
        gr_number_fixed(drive->points[i][1], DECIMALS, y);
        used += (size_t)snprintf(out->text + used, sizeof out->text - used, "%s[%s,%s]", i == 0 ? "[" : ",", x, y);
        if (used + 2 > sizeof out->text) {
            return false;
        }
    }
    snprintf(out->text + used, sizeof out->text - used, "]");
    out->number = NAN;
    return true;
}

bool gr_traverse_row(const GrTraverse *t, const GrCampaign *campaign, const GrTraverseDrive *drive, uint64_t world,
                     GrRow *out)
{
    const double ahead[2] = {drive->points[0][0] - drive->from[0], drive->points[0][1] - drive->from[1]};
    const double duration = t->patience * drive->length / t->scenario->mission.control.cruise_speed;
    const double numbers[] = {[GR_TRAVERSE_X] = drive->from[0],
                              [GR_TRAVERSE_Y] = drive->from[1],
                              [GR_TRAVERSE_HEADING] = gr_atan2(ahead[1], ahead[0]) / GR_DEGREE,
                              [GR_TRAVERSE_DURATION] = ceil(duration)};
    gr_campaign_row(campaign, world, out);
    for (int i = 0; i < GR_TRAVERSE_VARIABLES; i++) {
        GrValue *value = &out->values[t->variables[i]];
        if (i != GR_TRAVERSE_PATH) {
            value->number = put_number(numbers[i], value->text, sizeof value->text);
        } else if (!put_path(drive, value)) {
            return false;
        }
    }
    gr_row_finish(campaign, out);
    return true;
}

void gr_traverse_leg_row(const GrTraverse *t, const GrCampaign *campaign, uint64_t index, GrRow *out)
{
    const uint64_t world = index / (uint64_t)t->leg_count;
    const int leg = t->legs[index % (uint64_t)t->leg_count];
    const int cell = leg / GR_ROUTE_DIRECTIONS, direction = leg % GR_ROUTE_DIRECTIONS;
    double goal[1][2];
    GrTraverseDrive drive = {.points = (const double(*)[2])goal, .count = 1};
    gr_traverse_place(t, campaign, cell, world, drive.from);
    gr_traverse_place(t, campaign, gr_route_neighbour(&t->grid, cell, direction), world, goal[0]);
    drive.length = gr_route_length(&t->grid, direction);
    gr_traverse_row(t, campaign, &drive, world, out);
}

bool gr_traverse_arrived(const GrTraverse *t, const GrResult *result, const double goal[2])
{
    const double x = result->metrics[t->measures[GR_TRAVERSE_END_X]],
                 y = result->metrics[t->measures[GR_TRAVERSE_END_Y]];
    return result->succeeded && gr_hypot(x - goal[0], y - goal[1]) <= t->arrive;
}

// ---- the map

#define FIELD_INFO(constant, name, unit, text) {#name, unit, text},
const GrTraverseFieldInfo gr_traverse_fields[GR_TRAVERSE_FIELD_COUNT] = {GR_TRAVERSE_FIELD_LIST(FIELD_INFO)};
#undef FIELD_INFO

static int cell_count(const GrTraverse *t)
{
    return t->grid.nx * t->grid.ny;
}

/// Adds a leg to the sums of its edge.
static bool add_leg(const GrTraverse *t, const double from[2], const double goal[2], const GrResult *result,
                    GrTraverseEdge *edge)
{
    const double *m = result->metrics;
    const double tilt = m[t->measures[GR_TRAVERSE_TILT]];
    const bool arrived = gr_traverse_arrived(t, result, goal);
    edge->count++;
    edge->tilt = isfinite(tilt) ? fmax(edge->tilt, tilt) : edge->tilt;
    if (arrived) {
        // metres made good: the drive ends within a tolerance of its goal, and not exactly there
        const double ahead[2] = {goal[0] - from[0], goal[1] - from[1]}, length = gr_hypot(ahead[0], ahead[1]);
        const double made = ((m[t->measures[GR_TRAVERSE_END_X]] - from[0]) * ahead[0] +
                             (m[t->measures[GR_TRAVERSE_END_Y]] - from[1]) * ahead[1]) /
                            length;
        edge->arrived++;
        edge->energy += m[t->measures[GR_TRAVERSE_USED_ENERGY]] / made;
        edge->time += m[t->measures[GR_TRAVERSE_USED_TIME]] / made;
        edge->slip += m[t->measures[GR_TRAVERSE_MEAN_SLIP]];
    }
    return arrived;
}

/// Sums become means.
static void finish_edge(GrTraverseEdge *edge, int divisor)
{
    const double n = divisor > 0 ? divisor : (double)NAN;
    edge->energy /= n;
    edge->time /= n;
    edge->slip /= n;
    edge->tilt = edge->tilt >= 0 ? edge->tilt : (double)NAN;
}

static void finish_cell(GrTraverseMap *map, int cell)
{
    GrTraverseEdge sum = {.tilt = -1};
    int directions = 0;
    for (int k = 0; k < GR_ROUTE_DIRECTIONS; k++) {
        GrTraverseEdge *e = &map->edges[cell * GR_ROUTE_DIRECTIONS + k];
        sum.tilt = fmax(sum.tilt, e->tilt);
        finish_edge(e, e->arrived);
        sum.count += e->count;
        sum.arrived += e->arrived;
        if (e->arrived > 0) {
            sum.energy += e->energy;
            sum.time += e->time;
            sum.slip += e->slip;
            directions++;
        }
    }
    finish_edge(&sum, directions);
    map->cells[cell] = sum;
}

GrStatus gr_traverse_map_make(const GrTraverse *t, const GrCampaign *campaign, GrStudy *study, GrTraverseMap *out,
                              GrErrorLog *log)
{
    const size_t edges = (size_t)cell_count(t) * GR_ROUTE_DIRECTIONS;
    *out = (GrTraverseMap){.edges = gr_calloc(edges, sizeof *out->edges),
                           .cells = gr_calloc((size_t)cell_count(t), sizeof *out->cells),
                           .arrived = gr_calloc(edges * (size_t)t->worlds, sizeof *out->arrived),
                           .total = gr_traverse_size(t)};
    if (out->edges == NULL || out->cells == NULL || out->arrived == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    for (size_t i = 0; i < edges; i++) {
        out->edges[i].tilt = -1;
    }
    for (uint64_t i = 0; i < out->total; i++) {
        GrRow row;
        GrResult result;
        gr_traverse_leg_row(t, campaign, i, &row);
        if (!gr_study_has(study, row.key, &result)) {
            continue;
        }
        const uint64_t world = i / (uint64_t)t->leg_count;
        const int leg = t->legs[i % (uint64_t)t->leg_count], cell = leg / GR_ROUTE_DIRECTIONS;
        double from[2], goal[2];
        gr_traverse_place(t, campaign, cell, world, from);
        gr_traverse_place(t, campaign, gr_route_neighbour(&t->grid, cell, leg % GR_ROUTE_DIRECTIONS), world, goal);
        const bool arrived = add_leg(t, from, goal, &result, &out->edges[leg]);
        out->arrived[world * edges + (uint64_t)leg] = arrived;
        out->arrivals += arrived;
        out->count++;
    }
    for (int cell = 0; cell < cell_count(t); cell++) {
        finish_cell(out, cell);
    }
    return GR_OK;
}

void gr_traverse_map_free(GrTraverseMap *map)
{
    gr_free(map->edges);
    gr_free(map->cells);
    gr_free(map->arrived);
    *map = (GrTraverseMap){0};
}

double gr_traverse_probability(const GrTraverseMap *map, const GrTraverseEdge *edge)
{
    const double mean = (map->arrivals + 0.5) / ((double)map->count + 1);
    return edge->count > 0 ? (edge->arrived + mean) / (edge->count + 1) : (double)NAN;
}

double gr_traverse_edge_cost(const GrTraverse *t, const GrTraverseMap *map, int edge, const double *weights)
{
    const GrTraverseEdge *e = &map->edges[edge];
    const double length = gr_route_length(&t->grid, edge % GR_ROUTE_DIRECTIONS);
    if (e->arrived == 0 || e->arrived < t->open_above * e->count) {
        return NAN;
    }
    const double costs[GR_TRAVERSE_COST_COUNT] = {[GR_TRAVERSE_ENERGY] = e->energy * length,
                                                  [GR_TRAVERSE_TIME] = e->time * length,
                                                  [GR_TRAVERSE_SLIP] = fabs(e->slip) * length,
                                                  [GR_TRAVERSE_RISK] = -gr_log(gr_traverse_probability(map, e)),
                                                  [GR_TRAVERSE_DISTANCE] = length};
    double sum = 0;
    for (int i = 0; i < GR_TRAVERSE_COST_COUNT; i++) {
        sum += weights[i] > 0 ? weights[i] * costs[i] : 0;
    }
    return sum;
}

double gr_traverse_field(const GrTraverseEdge *e, GrTraverseField field)
{
    const GrEstimate share = gr_proportion(e->arrived, e->count);
    if (e->count == 0) {
        return NAN;
    }
    switch (field) {
    case GR_TRAVERSE_FIELD_SUCCESS:
        return share.value;
    case GR_TRAVERSE_FIELD_SUCCESS_LOW:
        return share.low;
    case GR_TRAVERSE_FIELD_SUCCESS_HIGH:
        return share.high;
    case GR_TRAVERSE_FIELD_ENERGY:
        return e->energy;
    case GR_TRAVERSE_FIELD_TIME:
        return e->time;
    case GR_TRAVERSE_FIELD_SLIP:
        return e->slip;
    case GR_TRAVERSE_FIELD_TILT:
        return e->tilt;
    case GR_TRAVERSE_FIELD_LEGS:
        return e->count;
    case GR_TRAVERSE_FIELD_COUNT:
        break;
    }
    return NAN;
}
