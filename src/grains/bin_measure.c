/// What a bin looks like as a whole: energies, momentum, density, surface; and the grains that it starts with.
#include "alloc.h"
#include "bin.h"
#include "checksum.h"
#include "clump.h"
#include "memory_limit.h"
#include "out_of_memory.h"
#include "random.h"
#include "vec3.h"

#include <math.h>

/// Solid part of a bed that has just settled; decides how many grains a height needs.
#define SETTLED 0.6

static double sphere_below(double r, double h)
{
    const double a = fmin(fmax(h, -r), r);
    return GR_PI * (2 * r * r * r / 3 + r * r * a - a * a * a / 3);
}

double gr_bin_solid(const GrBin *bin, double z0, double z1)
{
    const GrGrain *grains = gr_bin_grains(bin);
    double volume = 0;
    for (int32_t i = 0; i < bin->view.count; i++) {
        const GrGrain *g = &grains[i];
        const double z = gr_bin_position(bin, g).z, r = (double)g->radius;
        volume += sphere_below(r, z1 - z) - sphere_below(r, z0 - z);
    }
    return volume / bin->shape.crowd / (bin->def.size[0] * bin->def.size[1] * (z1 - z0));
}

void gr_bin_surface(const GrBin *bin, int nx, int ny, double *height)
{
    const double dx = bin->def.size[0] / nx, dy = bin->def.size[1] / ny;
    for (int k = 0; k < nx * ny; k++) {
        height[k] = 0;
    }
    const GrGrain *grains = gr_bin_grains(bin);
    for (int32_t i = 0; i < bin->view.count; i++) {
        const GrGrain *g = &grains[i];
        const GrVec3 p = gr_bin_position(bin, g);
        const double r = (double)g->radius;
        for (int y = (int)floor((p.y - r) / dy); y <= (int)floor((p.y + r) / dy); y++) {
            for (int x = (int)floor((p.x - r) / dx); x <= (int)floor((p.x + r) / dx); x++) {
                const double ex = (x + 0.5) * dx - p.x, ey = (y + 0.5) * dy - p.y, left = r * r - ex * ex - ey * ey;
                const bool wraps_x = bin->def.sides[0] == GR_SIDE_PERIODIC,
                           wraps_y = bin->def.sides[1] == GR_SIDE_PERIODIC;
                if (left < 0 || (!wraps_x && (x < 0 || x >= nx)) || (!wraps_y && (y < 0 || y >= ny))) {
                    continue;
                }
                double *h = &height[(y % ny + ny) % ny * nx + (x % nx + nx) % nx];
                *h = fmax(*h, p.z + sqrt(left));
            }
        }
    }
}

/// Energy of the springs of the pairs that grain i owns, and their overlaps.
static double springs_of(const GrBin *bin, int32_t i, GrBinMeasure *m)
{
    const GrBinView *v = &bin->view;
    const GrGrain *g = &v->now[i];
    double energy = 0;
    for (int32_t k = v->first[i]; k < v->first[i + 1]; k++) {
        if (!(v->mask[i] >> (k - v->first[i]) & 1)) {
            continue;
        }
        const GrGrain *q = &v->now[v->near[k]];
        const GrHistory *h = &v->history[k];
        const GrVec3f d = gr_grain_diff(v, g, q);
        const double ri = (double)g->radius, rj = (double)q->radius, r = ri * rj / (ri + rj);
        const double delta = fmax(0, ri + rj - sqrt((double)gr_v3f_dot(d, d))), a = sqrt(r * delta);
        const double h2 = (double)(h->hx * h->hx + h->hy * h->hy + h->hz * h->hz);
        const double r2 = (double)(h->rx * h->rx + h->ry * h->ry + h->rz * h->rz);
        energy += 0.4 * (double)v->law.kn * a * delta * delta + 0.5 * (double)v->law.kt * a * (h2 + r * r * r2);
        m->contacts += 2;
        m->overlap = fmax(m->overlap, delta / fmin(ri, rj));
    }
    return energy;
}

/// A number for each state of a grain; their sum does not depend on the order of grains.
static uint64_t hash_of(const GrGrain *g)
{
    return gr_checksum((uint64_t)(uint32_t)g->id + 1, g, sizeof *g);
}

static double kinetic_of(const GrGrain *g)
{
    const GrVec3 v = gr_vec3((double)g->vx, (double)g->vy, (double)g->vz);
    const GrVec3 w = gr_vec3((double)g->wx, (double)g->wy, (double)g->wz);
    const double mass = 1 / (double)g->light, r = (double)g->radius;
    return 0.5 * mass * (gr_dot(v, v) + 0.4 * r * r * gr_dot(w, w));
}

/// A clump's energy of motion; half of its spin times its angular momentum.
static double kinetic_of_clump(const GrBin *bin, const GrClump *b)
{
    const GrVec3 v = gr_vec3((double)b->vx, (double)b->vy, (double)b->vz);
    const GrVec3f w = gr_clump_spin(&bin->view, b, b->q);
    return 0.5 * gr_dot(v, v) / (double)b->light + 0.5 * (double)(w.x * b->lx + w.y * b->ly + w.z * b->lz);
}

double gr_bin_kinetic(const GrBin *bin)
{
    const GrGrain *grains = gr_bin_grains(bin);
    const int members = bin->view.members;
    double sum = 0;
    for (int32_t c = 0; c < bin->view.count / members && members > 1; c++) {
        sum += kinetic_of_clump(bin, &bin->view.clump[c]);
    }
    for (int32_t i = 0; i < bin->view.count && members == 1; i++) {
        sum += kinetic_of(&grains[i]);
    }
    return sum;
}

GrBinMeasure gr_bin_measure(const GrBin *bin)
{
    GrBinMeasure m = {.kinetic = 0};
    const double *gravity = bin->def.gravity;
    gr_bin_fetch(bin);
    for (int32_t i = 0; i < bin->view.count; i++) {
        const GrGrain *g = &bin->view.now[i];
        const double mass = 1 / (double)g->light, r = (double)g->radius;
        const GrVec3 p = gr_bin_position(bin, g), v = gr_vec3((double)g->vx, (double)g->vy, (double)g->vz);
        m.elastic += springs_of(bin, i, &m);
        if (bin->view.members == 1) {
            m.potential -= mass * (gravity[0] * p.x + gravity[1] * p.y + gravity[2] * p.z);
            m.momentum = gr_madd(m.momentum, mass, v);
        }
        m.top = fmax(m.top, p.z + r);
        m.fastest = fmax(m.fastest, gr_norm(v));
        m.hash += hash_of(g);
    }
    for (int32_t c = 0; c < bin->view.count / bin->view.members && bin->view.members > 1; c++) {
        const GrClump *b = &bin->view.clump[c];
        const GrGrain middle = {.x = b->x, .y = b->y, .z = b->z};
        const GrVec3 p = gr_bin_position(bin, &middle);
        m.potential -= (gravity[0] * p.x + gravity[1] * p.y + gravity[2] * p.z) / (double)b->light;
        m.momentum = gr_madd(m.momentum, 1 / (double)b->light, gr_vec3((double)b->vx, (double)b->vy, (double)b->vz));
    }
    m.kinetic = gr_bin_kinetic(bin);
    m.contacts /= gr_bin_count(bin);
    return m;
}

/// A radius at random: uniform by number, or a class by its part of the mass (thus by number as mass over diameter³).
static double draw_radius(const GrGrainDef *g, GrRandom *random)
{
    if (g->size_count <= 0) {
        return g->diameter / 2 * gr_random_uniform(random, 1 - g->spread, 1 + g->spread);
    }
    double sum = 0, weight[GR_GRAIN_SIZES];
    for (int k = 0; k < g->size_count; k++) {
        const double d = g->size_diameter[k];
        weight[k] = g->size_fraction[k] / (d * d * d);
        sum += weight[k];
    }
    double at = gr_random_uniform(random, 0, sum);
    int k = 0;
    for (; k < g->size_count - 1 && at >= weight[k]; k++) {
        at -= weight[k];
    }
    return g->size_diameter[k] / 2;
}

/// Uniform over all rotations (Shoemake 1992).
static GrQuat draw_rotation(GrRandom *random)
{
    const double a = gr_random_uniform(random, 0, 1), b = gr_random_uniform(random, 0, 2 * GR_PI);
    const double c = gr_random_uniform(random, 0, 2 * GR_PI);
    return (GrQuat){sqrt(a) * gr_cos(c), sqrt(1 - a) * gr_sin(b), sqrt(1 - a) * gr_cos(b), sqrt(a) * gr_sin(c)};
}

static double widest(const GrGrainDef *g)
{
    double most = g->size_count == 0 ? g->diameter / 2 * (1 + g->spread) : 0;
    for (int k = 0; k < g->size_count; k++) {
        most = fmax(most, g->size_diameter[k] / 2);
    }
    return most;
}

GrStatus gr_bin_fill(const GrBinDef *def, double from, double height, uint64_t seed, GrBinStart **out, int *count,
                     GrErrorLog *log)
{
    *out = NULL;
    *count = 0;
    const GrStatus good = gr_bin_check(def, log);
    if (good != GR_OK) {
        return good;
    }
    const GrClumpShape shape = gr_clump_shape(&def->grains);
    const double pitch = 2.02 * shape.reach * widest(&def->grains),
                 solid = SETTLED * def->size[0] * def->size[1] * height;
    const int nx = (int)fmin(1e5, floor(def->size[0] / pitch)), ny = (int)fmin(1e5, floor(def->size[1] / pitch));
    const double layers = floor((def->size[2] - from) / pitch);
    if (nx < 1 || ny < 1 || layers < 1 || nx * (double)ny * layers > 4e7) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "size_m"},
                            "%d x %d x %.3g grains of up to %.3g m fit; there must be 1 to 4e7", nx, ny, layers,
                            pitch / 2.02 / shape.reach);
    }
    const int room = (int)(nx * (double)ny * layers);
    const double most = widest(&def->grains), largest = 4.0 / 3 * GR_PI * most * most * most;
    const GrStatus enough =
        gr_memory_require(gr_bin_bytes(def, fmin(room, solid / largest)) + room * (double)sizeof(GrBinStart),
                          (GrLocation){.field = "grains"}, "fewer or larger grains", log);
    if (enough != GR_OK) {
        return enough;
    }
    GrBinStart *start = gr_calloc((size_t)room, sizeof *start);
    if (start == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrRandom random = gr_random_stream(seed, "grains");
    double volume = 0;
    int n = 0;
    for (; n < room && volume < solid; n++) {
        const int x = n % nx, y = n / nx % ny, z = n / nx / ny;
        const double r = draw_radius(&def->grains, &random);
        start[n].radius = r;
        start[n].position =
            gr_vec3((x + 0.5) * def->size[0] / nx, (y + 0.5) * def->size[1] / ny, from + (z + 0.5) * pitch);
        const double u = gr_random_uniform(&random, -0.1, 0.1), v = gr_random_uniform(&random, -0.1, 0.1);
        start[n].velocity = gr_vec3(u, v, 0);
        if (shape.count > 1) {
            start[n].rotation = draw_rotation(&random);
        }
        volume += 4.0 / 3 * GR_PI * r * r * r;
    }
    if (volume < solid) {
        gr_free(start);
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "size_m"},
                            "a bed of %.4g m needs loose grains up to %.4g m; the bin is %.4g m high", height,
                            from + layers * pitch * solid / volume, def->size[2]);
    }
    *out = start;
    *count = n;
    return GR_OK;
}
