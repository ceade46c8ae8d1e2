#include "bin.h"

#include "alloc.h"
#include "bin_cells.h"
#include "bin_device.h"
#include "bin_step.h"
#include "clump.h"
#include "memory_limit.h"
#include "out_of_memory.h"
#include "rule.h"
#include "vec3.h"

#include <math.h>
#include <string.h>

/// Cells beside an open side or a wall: grains are found before their positions wrap.
enum { MARGIN_CELLS = 2, NEAR_LEAST = 22, NEAR_MOST = GR_NEIGHBOURS_MOST };

/// Largest overlap at the start, over the smaller radius.
#define OVERLAP_MOST 0.05

GrGrainDef gr_default_grain_def(void)
{
    return (GrGrainDef){
        .diameter = 0.004,
        .spread = 0.2,
        .density = 2650,
        .young = 5e6,
        .young_mineral = 5e10,
        .poisson = 0.3,
        .restitution = 0.5,
        .friction = 0.5,
        .rolling = 0.1,
        .wall_friction = 0.5,
        .wall_rolling = 0.1,
    };
}

GrBinDef gr_default_bin_def(void)
{
    return (GrBinDef){
        .grains = gr_default_grain_def(),
        .size = {0.1, 0.1, 0.2},
        .sides = {GR_SIDE_PERIODIC, GR_SIDE_PERIODIC, GR_SIDE_OPEN},
        .gravity = {0, 0, -9.81},
        .step = 0.2,
        .skin = 0.15,
        .work = {.threads = 1},
    };
}

static bool sizes_good(const GrGrainDef *g)
{
    bool good = g->size_count >= 0 && g->size_count <= GR_GRAIN_SIZES;
    for (int k = 0; k < g->size_count && good; k++) {
        good = gr_is_positive(g->size_diameter[k]) && gr_is_positive(g->size_fraction[k]);
    }
    return good;
}

GrStatus gr_bin_check(const GrBinDef *d, GrErrorLog *log)
{
    const GrGrainDef *g = &d->grains;
    const GrRule rules[] = {
        {"diameter_m", "a positive number", gr_is_positive(g->diameter)},
        {"spread", "0 to 0.5", g->spread >= 0 && g->spread <= 0.5},
        {"sizes", "at most 8, with positive diameters and fractions", sizes_good(g)},
        {"clump", "2 or 3 spheres with radii, each of which touches another", gr_clump_sound(g)},
        {"density_kg_per_m3", "a positive number", gr_is_positive(g->density)},
        {"young_Pa", "a positive number", gr_is_positive(g->young)},
        {"poisson", "0 to 0.49", g->poisson >= 0 && g->poisson <= 0.49},
        {"restitution", "0.2 to 1", g->restitution >= 0.2 && g->restitution <= 1},
        {"friction", "0 or more", g->friction >= 0 && g->wall_friction >= 0},
        {"rolling", "0 or more", g->rolling >= 0 && g->wall_rolling >= 0},
        {"surface_energy_J_per_m2", "0 or more", g->surface_energy >= 0 && isfinite(g->surface_energy)},
        {"size_m", "positive numbers",
         gr_is_positive(d->size[0]) && gr_is_positive(d->size[1]) && gr_is_positive(d->size[2])},
        {"step", "more than 0 and at most 0.4 of the Rayleigh time; a longer step is unstable",
         d->step > 0 && d->step <= 0.4},
        {"skin", "0.02 to 1", d->skin >= 0.02 && d->skin <= 1},
    };
    return gr_rules_check(rules, sizeof rules / sizeof rules[0], log);
}

double gr_bin_rayleigh(const GrGrainDef *g, double radius)
{
    const double shear = g->young / (2 * (1 + g->poisson));
    return GR_PI * radius * sqrt(g->density / shear) / (0.1631 * g->poisson + 0.8766);
}

/// Damping ratio β for a restitution e, where the force never pulls (Schwager & Pöschel 2007, for the dashpot that
/// scales as the contact's stiffness): e = exp(−(β/√(1 − β²)) (π − 2 asin β)).
static double damping_ratio(double e)
{
    double low = 0, high = 0.999999;
    for (int k = 0; k < 60; k++) {
        const double b = (low + high) / 2;
        const double here = gr_exp(-b / sqrt(1 - b * b) * (GR_PI - 2 * gr_asin(b)));
        if (here > e) {
            low = b;
        } else {
            high = b;
        }
    }
    return e < 1 ? (low + high) / 2 : 0;
}

static GrContactCoefs coefs_of(const GrGrainDef *g, double dt)
{
    const double shear = g->young / (2 * (1 + g->poisson));
    const double e = g->young / (2 * (1 - g->poisson * g->poisson)), both = shear / (2 * (2 - g->poisson));
    const double beta = damping_ratio(g->restitution);
    return (GrContactCoefs){
        .dt = (float)dt,
        .kn = (float)(4.0 / 3 * e),
        .kt = (float)(8 * both),
        .gn = (float)(2 * sqrt(5.0 / 6) * beta * sqrt(2 * e)),
        .gt = (float)(2 * sqrt(5.0 / 6) * beta * sqrt(8 * both)),
        .adhesion = (float)(2 * GR_PI * g->surface_energy),
    };
}

/// Neighbours that a list must hold: spheres of grains of the mean size, densely around the largest.
static int near_room(const GrBinDef *d, const GrClumpShape *shape, double mean, double most)
{
    double sum = 0, widest = 0;
    for (int k = 0; k < shape->count; k++) {
        sum += shape->radius[k], widest = fmax(widest, shape->radius[k]);
    }
    const double first = widest * most, reach = first + 2 * sum / shape->count * mean + 2 * d->skin * mean;
    const double shell = 0.64 * shape->count * (reach * reach * reach - first * first * first) / (mean * mean * mean);
    return (int)fmin(NEAR_MOST, fmax(NEAR_LEAST, shell));
}

static double mean_radius(const GrBinStart *start, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += (double)(float)start[i].radius;
    }
    return sum / count;
}

/// Half of the neighbours of all grains, if each has as many as its list holds.
static double pair_room(double count, int near)
{
    return fmin(count * near / 2 + 64, INT32_MAX);
}

double gr_bin_bytes(const GrBinDef *def, double count)
{
    const double widest = def->grains.size_count > 0 ? 0.3 : def->grains.spread;
    const GrClumpShape shape = gr_clump_shape(&def->grains);
    const int room = near_room(def, &shape, 1, 1 + widest);
    count *= shape.count;
    const double grain = 3 * sizeof(GrGrain) + sizeof(GrPush) + 2.0 * GR_OUTER * sizeof(GrHistory) + 4.0 * room + 56;
    return count * grain + pair_room(count, room) * (2 * sizeof(GrHistory) + sizeof(GrPush) + 12);
}

void *gr_bin_take(GrBin *bin, size_t count, size_t size)
{
    void *memory = bin->memory_count < GR_BIN_MEMORY ? gr_calloc(count, size) : NULL;
    if (memory != NULL) {
        bin->memory_size[bin->memory_count] = count * size;
        bin->memory[bin->memory_count++] = memory;
    }
    return memory;
}

static void *take(GrBin *bin, size_t count, size_t size, GrStatus *status, GrErrorLog *log)
{
    void *memory = *status == GR_OK ? gr_bin_take(bin, count, size) : NULL;
    if (memory == NULL && *status == GR_OK) {
        *status = gr_out_of_memory(log, NULL);
    }
    return memory;
}

static GrStatus take_arrays(GrBin *bin, GrErrorLog *log)
{
    GrBinView *v = &bin->view;
    const size_t n = (size_t)v->count, pairs = (size_t)v->pair_room;
    GrStatus status = gr_memory_require(gr_bin_bytes(&bin->def, gr_bin_count(bin)) + 8.0 * v->cell_count,
                                        (GrLocation){.field = "grains"}, "fewer or larger grains", log);
    v->now = take(bin, n, sizeof *v->now, &status, log);
    v->next = take(bin, n, sizeof *v->next, &status, log);
    v->mark = take(bin, n, sizeof *v->mark, &status, log);
    v->found = take(bin, n * (size_t)v->near_room, sizeof *v->found, &status, log);
    v->found_count = take(bin, n, sizeof *v->found_count, &status, log);
    v->first = take(bin, n + 1, sizeof *v->first, &status, log);
    v->first_next = take(bin, n + 1, sizeof *v->first, &status, log);
    v->near = take(bin, pairs, sizeof *v->near, &status, log);
    v->near_next = take(bin, pairs, sizeof *v->near, &status, log);
    v->back = take(bin, pairs, sizeof *v->back, &status, log);
    v->back_first = take(bin, n + 1, sizeof *v->back_first, &status, log);
    v->back_fill = take(bin, n, sizeof *v->back_fill, &status, log);
    v->mask = take(bin, n, sizeof *v->mask, &status, log);
    v->mask_next = take(bin, n, sizeof *v->mask, &status, log);
    v->history = take(bin, pairs, sizeof *v->history, &status, log);
    v->history_next = take(bin, pairs, sizeof *v->history, &status, log);
    v->outer = take(bin, n * GR_OUTER, sizeof *v->outer, &status, log);
    v->outer_next = take(bin, n * GR_OUTER, sizeof *v->outer, &status, log);
    v->push = take(bin, pairs, sizeof *v->push, &status, log);
    v->own = take(bin, n, sizeof *v->own, &status, log);
    if (v->members > 1) {
        v->clump = take(bin, n / (size_t)v->members, sizeof *v->clump, &status, log);
        v->where = take(bin, n, sizeof *v->where, &status, log);
    }
    v->cell_of = take(bin, n, sizeof *v->cell_of, &status, log);
    v->order = take(bin, n, sizeof *v->order, &status, log);
    v->inverse = take(bin, n, sizeof *v->inverse, &status, log);
    v->start = take(bin, (size_t)v->cell_count + 1, sizeof *v->start, &status, log);
    v->fill = take(bin, (size_t)v->cell_count + 1, sizeof *v->fill, &status, log);
    return status;
}

/// Cells of at least the largest reach, three or more along each axis; the domain is a little longer than the bin where
/// that has an end.
static GrStatus lay_cells(GrBin *bin, GrErrorLog *log)
{
    GrBinView *v = &bin->view;
    const GrBinDef *d = &bin->def;
    const double reach = 2 * bin->most_radius + (double)v->skin;
    double cells = 1;
    for (int a = 0; a < 3; a++) {
        const bool ends = d->sides[a] != GR_SIDE_PERIODIC;
        const double length = d->size[a] + (ends ? 2 * MARGIN_CELLS * reach : 0);
        v->cells[a] = (int32_t)fmin(floor(length / reach), 1e6);
        if (v->cells[a] < 3) {
            return gr_error_add(
                log, GR_ERROR_VALUE, (GrLocation){.field = "size_m"},
                "%.4g m along a periodic axis; it must be at least three times the reach of a grain, %.4g m",
                d->size[a], 3 * reach);
        }
        bin->unit[a] = length / 4294967296.0;
        bin->low[a] = ends ? -MARGIN_CELLS * reach : 0;
        v->unit[a] = (float)bin->unit[a];
        v->per_unit[a] = (float)(1 / bin->unit[a]);
        cells *= v->cells[a] + 3;
    }
    if (cells > 5e8) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "size_m"},
                            "%.3g cells of %.3g m; at most 5e8: larger grains or a smaller bin", cells, reach);
    }
    int32_t blocks = 1;
    for (int a = 0; a < 3; a++) {
        blocks *= (v->cells[a] + 3) / 4;
    }
    v->cell_count = 64 * blocks;
    return GR_OK;
}

static GrFixed fixed_of(const GrBin *bin, int axis, double x)
{
    return gr_place_of((x - bin->low[axis]) / bin->unit[axis]);
}

GrVec3 gr_bin_position(const GrBin *bin, const GrGrain *g)
{
    return gr_vec3(bin->low[0] + bin->unit[0] * gr_place_units(g->x), bin->low[1] + bin->unit[1] * gr_place_units(g->y),
                   bin->low[2] + bin->unit[2] * gr_place_units(g->z));
}

int gr_bin_count(const GrBin *bin)
{
    return bin->view.count / bin->shape.count;
}

/// A clump and its spheres.
static void place_clump(GrBin *bin, int c, const GrBinStart *start)
{
    GrBinView *v = &bin->view;
    const GrQuat q = start->rotation;
    const double size = (double)(float)start->radius,
                 mass = 4.0 / 3 * GR_PI * bin->def.grains.density * size * size * size;
    const bool turned = q.w != 0 || q.x != 0 || q.y != 0 || q.z != 0;
    const GrQuat rotation = turned ? gr_quat_normalize(q) : gr_quat_identity();
    const GrMat3 r = gr_quat_to_mat3(rotation);
    double l[3] = {0};
    for (int a = 0; a < 3; a++) {
        const double spin = r.m[0][a] * start->spin.x + r.m[1][a] * start->spin.y + r.m[2][a] * start->spin.z;
        for (int b = 0; b < 3; b++) {
            l[b] += r.m[b][a] * mass * size * size * bin->shape.inertia[a] * spin;
        }
    }
    GrClump *b = &v->clump[c];
    *b = (GrClump){.x = fixed_of(bin, 0, start->position.x),
                   .y = fixed_of(bin, 1, start->position.y),
                   .z = fixed_of(bin, 2, start->position.z),
                   .size = (float)start->radius,
                   .q = {(float)rotation.w, (float)rotation.x, (float)rotation.y, (float)rotation.z},
                   .vx = (float)start->velocity.x,
                   .vy = (float)start->velocity.y,
                   .vz = (float)start->velocity.z,
                   .light = (float)(1 / mass),
                   .lx = (float)l[0],
                   .ly = (float)l[1],
                   .lz = (float)l[2]};
    for (int k = 0; k < v->members; k++) {
        const int i = c * v->members + k;
        v->where[i] = i;
        v->now[i] = (GrGrain){.radius = (float)(size * bin->shape.radius[k]), .id = i, .light = b->light};
    }
    gr_clump_place(v, c, b);
}

static GrStatus place_grains(GrBin *bin, const GrBinStart *start, GrErrorLog *log)
{
    GrBinView *v = &bin->view;
    const double unit_mass = 4.0 / 3 * GR_PI * bin->def.grains.density;
    for (int i = 0; i < gr_bin_count(bin); i++) {
        const GrBinStart *b = &start[i];
        const double p[3] = {b->position.x, b->position.y, b->position.z};
        for (int a = 0; a < 3; a++) {
            if (!(p[a] >= 0 && p[a] <= bin->def.size[a])) {
                return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                                    "grain %d is at %.4g m along %c; the bin is 0 to %.4g m", i, p[a], "xyz"[a],
                                    bin -> def.size[a]);
            }
        }
        if (v->members > 1) {
            place_clump(bin, i, b);
            continue;
        }
        GrGrain *g = &v->now[i];
        g->x = fixed_of(bin, 0, p[0]), g->y = fixed_of(bin, 1, p[1]), g->z = fixed_of(bin, 2, p[2]);
        g->radius = (float)b->radius, g->id = i;
        const double radius = (double)g->radius;
        g->light = (float)(1 / (unit_mass * radius * radius * radius));
        g->vx = (float)b->velocity.x, g->vy = (float)b->velocity.y, g->vz = (float)b->velocity.z;
        g->wx = (float)b->spin.x, g->wy = (float)b->spin.y, g->wz = (float)b->spin.z;
    }
    return GR_OK;
}

/// Grains that lie in each other at the start would fly apart.
static GrStatus check_overlaps(const GrBin *bin, GrErrorLog *log)
{
    const GrBinView *v = &bin->view;
    double worst = 0;
    int a = 0, b = 0;
    gr_bin_fetch(bin);
    for (int i = 0; i < v->count; i++) {
        const GrGrain *g = &v->now[i];
        for (int32_t k = v->first[i]; k < v->first[i + 1]; k++) {
            const GrGrain *q = &v->now[v->near[k]];
            const GrVec3f d = gr_grain_diff(v, g, q);
            const double gap = sqrt((double)gr_v3f_dot(d, d)) - (double)(g->radius + q->radius);
            const double part = -gap / fmin((double)g->radius, (double)q->radius);
            if (part > worst) {
                worst = part, a = g->id, b = q->id;
            }
        }
    }
    return worst > OVERLAP_MOST ? gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                                               "grains %d and %d overlap by %.3g of a radius at the start; at most %g",
                                               a < b ? a : b, a < b ? b : a, worst, OVERLAP_MOST)
                                : GR_OK;
}

static void set_planes(GrBin *bin)
{
    for (int k = 0; k < GR_PLANES; k++) {
        const GrBinSide side = bin->def.sides[k / 2];
        const bool floor_below = k == 4 && side != GR_SIDE_PERIODIC;
        bin->view.planes[k] = (GrPlane){.present = side == GR_SIDE_WALL || floor_below,
                                        .friction = (float)bin->def.grains.wall_friction,
                                        .rolling = (float)bin->def.grains.wall_rolling};
        bin->plane_at[k] = k % 2 == 0 ? 0 : bin->def.size[k / 2];
    }
}

static GrStatus check_radii(GrBin *bin, const GrBinStart *start, int count, GrErrorLog *log)
{
    if (count < 1) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0}, "no grains");
    }
    bin->least_radius = INFINITY;
    for (int i = 0; i < count; i++) {
        if (!gr_is_positive(start[i].radius)) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                                "grain %d has the radius %g m; it must be positive", i, start[i].radius);
        }
        const double radius = (double)(float)start[i].radius; // as it is kept, so that a snapshot gives the same step
        for (int k = 0; k < bin->shape.count; k++) {
            const double own = (double)(float)(radius * bin->shape.radius[k]);
            bin->least_radius = fmin(bin->least_radius, own);
            bin->most_radius = fmax(bin->most_radius, own);
        }
        bin->mass += 4.0 / 3 * GR_PI * bin->def.grains.density * radius * radius * radius;
    }
    return GR_OK;
}

/// Constants of the view from the definition and the radii.
static void set_constants(GrBin *bin, const GrBinStart *start, int count)
{
    GrBinView *v = &bin->view;
    const GrBinDef *d = &bin->def;
    bin->mean_radius = mean_radius(start, count);
    double largest = 0;
    for (int i = 0; i < count; i++) {
        largest = fmax(largest, (double)(float)start[i].radius);
    }
    bin->dt = d->step * gr_bin_rayleigh(&d->grains, bin->least_radius);
    v->members = bin->shape.count;
    for (int k = 0; k < v->members; k++) {
        const GrVec3 at = bin->shape.at[k];
        v->clump_at[k] = gr_v3f((float)at.x, (float)at.y, (float)at.z);
    }
    const double *turning = bin->shape.inertia;
    v->clump_turning = gr_v3f((float)(1 / turning[0]), (float)(1 / turning[1]), (float)(1 / turning[2]));
    v->count = count * v->members;
    v->near_room = near_room(d, &bin->shape, bin->mean_radius, largest);
    v->pair_room = (int32_t)pair_room(v->count, v->near_room);
    v->law = coefs_of(&d->grains, bin->dt);
    const double skin = 2 * d->skin * bin->mean_radius;
    v->skin = (float)skin;
    v->stray2 = (float)(0.98 * skin * skin / 4);
    v->friction = (float)d->grains.friction, v->rolling = (float)d->grains.rolling;
    // far below the weight of a grain, and far above what a body of many grains carries when summed
    const double scale = d->grains.young * bin->least_radius * bin->least_radius;
    v->force_unit = ldexp(1, ilogb(scale) - 48);
    v->moment_unit = v->force_unit / 64;
    for (int a = 0; a < 3; a++) {
        v->gravity[a] = (float)d->gravity[a];
        v->periodic[a] = d->sides[a] == GR_SIDE_PERIODIC;
    }
    set_planes(bin);
}

GrStatus gr_bin_create_empty(const GrBinDef *def, const GrBinStart *start, int count, GrBin **out, GrErrorLog *log)
{
    *out = NULL;
    GrBin *bin = gr_calloc(1, sizeof *bin);
    if (bin == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    bin->def = *def;
    GrStatus status = gr_bin_check(def, log);
    if (status == GR_OK) {
        bin->shape = gr_clump_shape(&def->grains);
    }
    status = status == GR_OK ? check_radii(bin, start, count, log) : status;
    if (status == GR_OK) {
        set_constants(bin, start, count);
        status = lay_cells(bin, log);
    }
    status = status == GR_OK ? take_arrays(bin, log) : status;
    if (status != GR_OK) {
        gr_bin_free(bin);
        return status;
    }
    *out = bin;
    return GR_OK;
}

GrStatus gr_bin_create(const GrBinDef *def, const GrBinStart *start, int count, GrBin **out, GrErrorLog *log)
{
    GrStatus status = gr_bin_create_empty(def, start, count, out, log);
    if (*out == NULL) {
        return status;
    }
    status = status == GR_OK ? place_grains(*out, start, log) : status;
    status = status == GR_OK ? gr_bin_rebuild(*out, log) : status;
    status = status == GR_OK ? check_overlaps(*out, log) : status;
    if (status != GR_OK) {
        gr_bin_free(*out);
        *out = NULL;
    }
    return status;
}

void gr_bin_free(GrBin *bin)
{
    if (bin != NULL) {
        gr_bin_device_close(bin->device);
        for (int k = 0; k < bin->memory_count; k++) {
            gr_free(bin->memory[k]);
        }
        gr_free(bin);
    }
}
