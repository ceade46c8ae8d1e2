#include "traverse.h"

#include "alloc.h"
#include "elementary.h"
#include "hash.h"
#include "number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DECIMALS = 3 }; // of coordinates [m]: the text of a row is exact

#define COST_NAME(constant, name, unit, per_metre, text) #name,
const char *const gr_traverse_cost_names[GR_TRAVERSE_COST_COUNT] = {GR_TRAVERSE_COST_LIST(COST_NAME)};
#undef COST_NAME

void gr_traverse_free(GrTraverse *t)
{
    if (t != NULL) {
        gr_terrain_free(t->terrain);
        if (t->has_scenario) {
            gr_scenario_free(&t->scenario);
        }
        gr_free(t->has_ground);
        gr_free(t->legs);
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
    const double duration = t->patience * drive->length / t->scenario.mission.control.cruise_speed;
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
