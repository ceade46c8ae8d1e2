#include "go_ground.h"

#include "alloc.h"
#include "elementary.h"
#include "named.h"
#include "number.h"
#include "out_of_memory.h"
#include "scenario_data.h"

#include <math.h>
#include <stdio.h>

static const double HEIGHTS_MOST = 4e6;              // nodes
static const double CLOSED = 300, CLOSED_MORE = 100; // cost of a metre at a limit, and for each limit more
static const double SHARE_MOST = 6;                  // beyond it more makes no difference
/// Soil gives way under a wheel: a rise of it over the wheel's radius is passed up to this share of the radius.
static const double SOFT_STEP = 0.6;
enum { BELLY_X = 7, BELLY_Y = 5, ACROSS = 3 };

static const GrNamed HAZARDS[] = {GR_GO_HAZARD_LIST(GR_NAMED_ROW)};

const char *gr_go_hazard_name(GrGoHazard hazard)
{
    return GR_NAMED_GET(HAZARDS, hazard, name);
}

static const char *go_hazard_text(GrGoHazard hazard)
{
    return GR_NAMED_GET(HAZARDS, hazard, text);
}

void gr_go_ground_free(GrGoGround *ground)
{
    gr_free(ground->heights);
    gr_free(ground->rocks);
    gr_free(ground->costs);
    *ground = (GrGoGround){0};
}

/// Rows of the pseudo-inverse: the plane of least squares is a weighted sum of the wheels' heights. Wheels in one line
/// say nothing across it.
static void fit_wheels(GrGoGround *g)
{
    const int n = g->shape.wheel_count;
    double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
    for (int i = 0; i < n; i++) {
        mx += g->shape.wheels[i][0] / n;
        my += g->shape.wheels[i][1] / n;
    }
    for (int i = 0; i < n; i++) {
        const double x = g->shape.wheels[i][0] - mx, y = g->shape.wheels[i][1] - my;
        xx += x * x, xy += x * y, yy += y * y;
    }
    const double determinant = xx * yy - xy * xy;
    const bool plane = determinant > 1e-9 * (xx * xx + yy * yy);
    for (int i = 0; i < n; i++) {
        const double x = g->shape.wheels[i][0] - mx, y = g->shape.wheels[i][1] - my;
        g->fit[i][1] = plane ? (yy * x - xy * y) / determinant : xx > 0 ? x / xx : 0;
        g->fit[i][2] = plane ? (xx * y - xy * x) / determinant : 0;
        g->fit[i][0] = 1.0 / n - g->fit[i][1] * mx - g->fit[i][2] * my;
    }
}

/// Raises the nodes under a rock to a half ellipsoid.
static void add_rock(GrGoGround *g, const GrRock *rock)
{
    const GrGridFrame *f = &g->frame;
    const double radius = rock->diameter / 2;
    const int i0 = (int)fmax(0, ceil((rock->x - radius - f->x0) / f->dx)),
              j0 = (int)fmax(0, ceil((rock->y - radius - f->y0) / f->dy));
    const int i1 = (int)fmin((double)f->nx - 1, floor((rock->x + radius - f->x0) / f->dx));
    const int j1 = (int)fmin((double)f->ny - 1, floor((rock->y + radius - f->y0) / f->dy));
    for (int j = j0; j <= j1; j++) {
        for (int i = i0; i <= i1; i++) {
            const double x = (f->x0 + i * f->dx - rock->x) / radius, y = (f->y0 + j * f->dy - rock->y) / radius;
            float *node = &g->rocks[j * f->nx + i];
            *node = fmaxf(*node, (float)(rock->height * sqrt(fmax(0, 1 - x * x - y * y))));
        }
    }
}

GrStatus gr_go_ground_make(GrGoGround *g, const GrWorld *world, GrBox2 box, double reach, GrErrorLog *log)
{
    const double width = box.x_upper - box.x_lower, height = box.y_upper - box.y_lower;
    const double cell = fmax(g->shape.radius / 2, sqrt(width * height / HEIGHTS_MOST));
    const int64_t nx = (int64_t)ceil(width / cell) + 1, ny = (int64_t)ceil(height / cell) + 1;
    g->frame = (GrGridFrame){nx, ny, box.x_lower, box.y_lower, cell, cell};
    g->reach = reach;
    g->soil_map = world->soil_map.classes != NULL ? &world->soil_map : NULL;
    g->heights = gr_calloc((size_t)(nx * ny), sizeof *g->heights);
    if (g->heights == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    if (world->terrain != NULL && gr_terrain_prefetch(world->terrain, box, log) != GR_OK) {
        return GR_ERROR_FILE;
    }
    for (int64_t k = 0; k < nx * ny && world->terrain != NULL; k++) {
        const int64_t column = k % nx, row = k / nx;
        const double x = fmin(g->frame.x0 + (double)column * cell, box.x_upper);
        const double y = fmin(g->frame.y0 + (double)row * cell, box.y_upper);
        double z;
        g->heights[k] = gr_terrain_height(world->terrain, x, y, &z) == GR_GROUND_OK ? z : (double)NAN;
    }
    g->rocks = world->rocks.count > 0 ? gr_calloc((size_t)(nx * ny), sizeof *g->rocks) : NULL;
    for (int i = 0; i < world->rocks.count && g->rocks != NULL; i++) {
        add_rock(g, &world->rocks.rocks[i]);
    }
    fit_wheels(g);
    return world->rocks.count == 0 || g->rocks != NULL ? GR_OK : gr_out_of_memory(log, NULL);
}

/// Bilinear; NAN: no ground.
static double height_at(const GrGoGround *g, double x, double y)
{
    const GrGridFrame *f = &g->frame;
    const double u = (x - f->x0) / f->dx, v = (y - f->y0) / f->dy;
    if (!(u >= 0 && v >= 0 && u < (double)f->nx - 1 && v < (double)f->ny - 1)) {
        return NAN;
    }
    const int i = (int)u, j = (int)v;
    const double a = u - i, b = v - j, *z = g->heights + j * f->nx + i;
    return (1 - b) * ((1 - a) * z[0] + a * z[1]) + b * ((1 - a) * z[f->nx] + a * z[f->nx + 1]);
}

/// The rover's frame on the map.
typedef struct Place {
    const GrGoGround *ground;
    double x, y, c, s;
} Place;

static double height_of(const Place *p, double ahead, double left)
{
    return height_at(p->ground, p->x + p->c * ahead - p->s * left, p->y + p->s * ahead + p->c * left);
}

/// Height of rocks over the ground at the nearest node.
static double rock_of(const Place *p, double ahead, double left)
{
    const GrGridFrame *f = &p->ground->frame;
    const double u = (p->x + p->c * ahead - p->s * left - f->x0) / f->dx,
                 v = (p->y + p->s * ahead + p->c * left - f->y0) / f->dy;
    const bool there = u >= 0 && v >= 0 && u < (double)f->nx - 1 && v < (double)f->ny - 1;
    return there ? (double)p->ground->rocks[(int)floor(v + 0.5) * f->nx + (int)floor(u + 0.5)] : 0;
}

/// The highest of some points across a wheel: it rides on those.
static double under_wheel(const Place *p, double ahead, double left)
{
    double highest = -INFINITY;
    for (int k = 0; k < ACROSS; k++) {
        const double z = height_of(p, ahead, left + p->ground->shape.width * (0.5 * k - 0.5));
        if (isnan(z)) {
            return NAN;
        }
        highest = fmax(highest, z);
    }
    return highest;
}

static void consider(GrGoSpot *spot, GrGoHazard hazard, double value, double limit)
{
    const double share = limit > 0 ? value / limit : (double)INFINITY;
    if (value > 0 && share > spot->share) {
        spot->hazard = hazard;
        spot->share = fmin(share, SHARE_MOST);
        spot->value = value;
        spot->limit = limit;
    }
}

/// The largest rise over a wheel's radius more than the slope has, on the way of one wheel to the next place.
static double highest_step(const Place *p, const double wheel[2], double slope)
{
    const double radius = p->ground->shape.radius;
    const int count = 2 + (int)ceil(p->ground->reach / (radius / 2));
    double last[2] = {under_wheel(p, wheel[0], wheel[1]), under_wheel(p, wheel[0] + radius / 2, wheel[1])}, most = 0;
    for (int k = 2; k <= count; k++) {
        const double z = under_wheel(p, wheel[0] + k * radius / 2, wheel[1]);
        most = fmax(most, z - last[k % 2] - slope * radius);
        last[k % 2] = z;
    }
    return most;
}

/// The highest rock on the way of one wheel.
static double highest_rock(const Place *p, const double wheel[2])
{
    const double half = p->ground->frame.dx / 2, width = p->ground->shape.width;
    double most = 0, s = -p->ground->shape.radius / 2;
    while (s <= p->ground->reach + p->ground->shape.radius) {
        for (int k = 0; k < ACROSS; k++) {
            most = fmax(most, rock_of(p, wheel[0] + s, wheel[1] + width * (0.5 * k - 0.5)));
        }
        s += half;
    }
    return most;
}

static int soil_at(const GrGoGround *g, double x, double y)
{
    GrSoilMix mix;
    if (g->soil_map == NULL || gr_soil_map_at(g->soil_map, x, y, &mix) != GR_GROUND_OK) {
        return 0;
    }
    const int soil = mix.classes[0] - 1; // the scenario's soil is the first class, if it has one
    return soil >= 0 && soil < g->soil_count ? soil : 0;
}

GrGoSpot gr_go_spot(const GrGoGround *g, double x, double y, double heading)
{
    const GrRoverShape *shape = &g->shape;
    const Place p = {g, x, y, gr_cos(heading), gr_sin(heading)};
    GrGoSpot spot = {.hazard = GR_GO_NONE};
    double plane[3] = {0};
    for (int i = 0; i < shape->wheel_count; i++) {
        const double z = under_wheel(&p, shape->wheels[i][0], shape->wheels[i][1]);
        for (int k = 0; k < 3; k++) {
            plane[k] += g->fit[i][k] * z;
        }
    }
    if (isnan(plane[0])) {
        return (GrGoSpot){.hazard = GR_GO_EDGE, .share = INFINITY};
    }
    const double steep = gr_hypot(plane[1], plane[2]), angle = gr_atan2(fabs(plane[2]), plane[1]);
    const GrRoverCosts *costs = &g->costs[soil_at(g, x, y)];
    spot.slope = gr_atan(steep);
    spot.cost = gr_rover_costs_at(costs, spot.slope, angle);
    consider(&spot,
             angle < GR_PI / 4       ? GR_GO_UPHILL
             : angle < 3 * GR_PI / 4 ? GR_GO_ACROSS
                                     : GR_GO_DOWNHILL,
             spot.slope, spot.cost.share > 0 ? spot.slope / spot.cost.share : spot.slope);
    const double soft = g->rigid ? shape->step : fmax(shape->step, SOFT_STEP * shape->radius);
    for (int i = 0; i < shape->wheel_count; i++) {
        consider(&spot, GR_GO_STEP, highest_step(&p, shape->wheels[i], plane[1]), soft);
        if (g->rocks != NULL) {
            consider(&spot, GR_GO_ROCK, highest_rock(&p, shape->wheels[i]), shape->step);
        }
    }
    double belly = 0;
    for (int k = 0; k < BELLY_X * BELLY_Y; k++) {
        const int column = k % BELLY_X, row = k / BELLY_X;
        const double ahead = shape->rear + (shape->front - shape->rear) * column / (BELLY_X - 1);
        const double left = shape->half_width * (2.0 * row / (BELLY_Y - 1) - 1);
        const double rock = g->rocks != NULL ? rock_of(&p, ahead, left) : 0;
        belly = fmax(belly, height_of(&p, ahead, left) + rock - plane[0] - plane[1] * ahead - plane[2] * left);
    }
    if (shape->clearance > 0) {
        consider(&spot, GR_GO_BELLY, belly, shape->clearance);
    }
    return spot;
}

double gr_go_spot_effort(const GrGoGround *g, const GrGoSpot *spot)
{
    const GrRoverCost *level = &g->costs[0].at[0][0];
    const double time = level->time.value > 0 ? fmax(spot->cost.time / level->time.value, 0.5) : 1;
    const double energy = level->energy.value > 0 ? fmax(spot->cost.energy / level->energy.value, 0.2) : 1;
    return isfinite(time) && isfinite(energy) ? 0.5 * (time + energy) : 1;
}

double gr_go_cost(double effort, double share, double care)
{
    if (isinf(share)) {
        return INFINITY;
    }
    return share <= 1 ? effort * (1 + care * share * share * share) : CLOSED + CLOSED_MORE * (share - 1);
}

void gr_go_say_spot(const GrGoSpot *spot, char out[GR_GO_WHY])
{
    const char *text = go_hazard_text(spot->hazard);
    if (spot->hazard == GR_GO_NONE || spot->hazard == GR_GO_EDGE || spot->hazard == GR_GO_DRIVEN) {
        snprintf(out, GR_GO_WHY, "%s", text);
        return;
    }
    const bool slope = spot->hazard == GR_GO_UPHILL || spot->hazard == GR_GO_ACROSS || spot->hazard == GR_GO_DOWNHILL;
    const double unit = slope ? GR_DEGREE : 1;
    gr_print(out, GR_GO_WHY, "%s of %.3g%s, where the rover holds %.3g%s", text, spot->value / unit, slope ? "°" : " m",
             spot->limit / unit, slope ? "°" : " m");
}
