/// The step of a bin and its neighbour lists, on threads. What threads write is disjoint or a sum of integers, so that
/// their number does not matter.
#include "alloc.h"
#include "bin.h"
#include "bin_cells.h"
#include "bin_step.h"
#include "processors.h"
#include "vec3.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 256 };

/// A loop over grains or cells, shared out among threads in chunks.
typedef struct Loop {
    const GrBinView *view;
    void (*body)(struct Loop *loop, int32_t from, int32_t to);
    int32_t count, next;
    GrBinSums sums;
    int32_t most;
} Loop;

static void run_share(void *context, int share, int shares)
{
    Loop *loop = context;
    (void)share;
    (void)shares;
    for (;;) {
        const int32_t from = __atomic_fetch_add(&loop->next, CHUNK, __ATOMIC_RELAXED);
        if (from >= loop->count) {
            return;
        }
        loop->body(loop, from, from + CHUNK < loop->count ? from + CHUNK : loop->count);
    }
}

static void run_loop(const GrBin *bin, Loop *loop, int32_t count, void (*body)(Loop *, int32_t, int32_t))
{
    loop->body = body, loop->count = count, loop->next = 0;
    if (bin->def.threads == 1 || count <= 2 * CHUNK) {
        run_share(loop, 0, 1);
    } else {
        gr_share_out(bin->def.threads, run_share, loop);
    }
}

static void push_chunk(Loop *loop, int32_t from, int32_t to)
{
    GrContactBatch batch;
    GrBinSums sums = {.rebuild = 0};
    memset(&batch, 0, sizeof batch);
    gr_push_grains(loop->view, from, to, &batch, &sums);
    for (int s = 0; s < GR_SURFACES; s++) {
        for (int a = 0; a < 3; a++) {
            if (sums.force[s][a] != 0 || sums.moment[s][a] != 0) {
                __atomic_fetch_add(&loop->sums.force[s][a], sums.force[s][a], __ATOMIC_RELAXED);
                __atomic_fetch_add(&loop->sums.moment[s][a], sums.moment[s][a], __ATOMIC_RELAXED);
            }
        }
    }
}

static void move_chunk(Loop *loop, int32_t from, int32_t to)
{
    GrBinSums sums = {.rebuild = 0};
    for (int32_t i = from; i < to; i++) {
        gr_move_grain(loop->view, i, &sums);
    }
    if (sums.rebuild) {
        __atomic_store_n(&loop->sums.rebuild, 1, __ATOMIC_RELAXED);
    }
}

#define GR_LOOP(name, stage)                                                                                           \
    static void name(Loop *loop, int32_t from, int32_t to)                                                             \
    {                                                                                                                  \
        for (int32_t i = from; i < to; i++) {                                                                          \
            stage(loop->view, i);                                                                                      \
        }                                                                                                              \
    }
GR_LOOP(count_chunk, gr_cells_count)
GR_LOOP(scatter_chunk, gr_cells_scatter)
GR_LOOP(sort_chunk, gr_cells_sort)
GR_LOOP(permute_chunk, gr_cells_permute)
GR_LOOP(carry_chunk, gr_cells_carry)
GR_LOOP(back_chunk, gr_cells_back)
GR_LOOP(back_sort_chunk, gr_cells_back_sort)

static void list_chunk(Loop *loop, int32_t from, int32_t to)
{
    int32_t most = 0;
    for (int32_t i = from; i < to; i++) {
        const int32_t n = gr_cells_list(loop->view, i);
        most = n > most ? n : most;
    }
    int32_t seen = __atomic_load_n(&loop->most, __ATOMIC_RELAXED);
    while (most > seen &&
           !__atomic_compare_exchange_n(&loop->most, &seen, most, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static void swap(void *a, void *b)
{
    void *of_a, *of_b;
    memcpy(&of_a, a, sizeof of_a);
    memcpy(&of_b, b, sizeof of_b);
    memcpy(a, &of_b, sizeof of_b);
    memcpy(b, &of_a, sizeof of_a);
}

/// A grain without a finite velocity, or in the margin beside a side that has an end.
static GrStatus check_grains(const GrBin *bin, GrErrorLog *log)
{
    for (int32_t i = 0; i < bin->view.count; i++) {
        const GrGrain *g = &bin->view.now[i];
        const double v = (double)g->vx * (double)g->vx + (double)g->vy * (double)g->vy + (double)g->vz * (double)g->vz;
        const double part = sqrt(v) * bin->dt / (double)g->radius;
        if (!(part < 0.5)) {
            return gr_error_add(
                log, GR_ERROR_NUMERIC, (GrLocation){0},
                "at %.6g s grain %d moves %.3g of its radius a step: the step of %.3g s is too long, or "
                "a body too fast",
                bin->time, g->id, part, bin->dt);
        }
        const GrFixed at[3] = {g->x, g->y, g->z};
        for (int a = 0; a < 3; a++) {
            const int32_t cell = gr_cell_along(&bin->view, a, at[a]);
            if (bin->def.sides[a] != GR_SIDE_PERIODIC && (cell == 0 || cell == bin->view.cells[a] - 1)) {
                const GrVec3 p = gr_bin_position(bin, g);
                return gr_error_add(
                    log, GR_ERROR_NUMERIC, (GrLocation){0},
                    "at %.6g s grain %d left the bin at %.4g, %.4g, %.4g m; a higher or wider bin, or a "
                    "shorter step",
                    bin->time, g->id, p.x, p.y, p.z);
            }
        }
    }
    return GR_OK;
}

/// Where the parts of `count` begin that have these numbers; returns their sum.
static int64_t add_up(const int32_t *numbers, int32_t count, int32_t *first)
{
    int64_t sum = 0;
    for (int32_t k = 0; k < count; k++) {
        first[k] = (int32_t)sum;
        sum += numbers[k];
    }
    first[count] = (int32_t)sum;
    return sum;
}

static GrStatus check_lists(const GrBin *bin, int most, int64_t pairs, GrErrorLog *log)
{
    if (most <= bin->view.near_room && pairs <= bin->view.pair_room) {
        return GR_OK;
    }
    return gr_error_add(log, GR_ERROR_NUMERIC, (GrLocation){0},
                        "at %.6g s %lld grains have %lld pairs of neighbours, one of them %d; there is room for %d and "
                        "%d: a smaller skin, sizes closer to each other, or grains that are less compressed",
                        bin->time, (long long)bin->view.count, (long long)pairs, most, (int)bin->view.pair_room,
                        (int)bin->view.near_room);
}

/// The lists of the sorted grains, both ways, and their histories.
static GrStatus list_pairs(GrBin *bin, Loop *loop, GrErrorLog *log)
{
    GrBinView *v = &bin->view;
    const size_t each = (size_t)v->count * sizeof *v->back_fill;
    run_loop(bin, loop, v->count, list_chunk);
    const int64_t pairs = add_up(v->found_count, v->count, v->first_next);
    const GrStatus status = check_lists(bin, loop->most, pairs, log);
    if (status == GR_OK) {
        memset(v->back_fill, 0, each);
        run_loop(bin, loop, v->count, carry_chunk);
        add_up(v->back_fill, v->count, v->back_first);
        memset(v->back_fill, 0, each);
        run_loop(bin, loop, v->count, back_chunk);
        run_loop(bin, loop, v->count, back_sort_chunk);
    }
    return status;
}

GrStatus gr_bin_rebuild(GrBin *bin, GrErrorLog *log)
{
    GrBinView *v = &bin->view;
    Loop loop = {.view = v};
    const size_t cells = (size_t)v->cell_count * sizeof *v->fill;
    GrStatus status = check_grains(bin, log);
    if (status != GR_OK) {
        return status;
    }
    memset(v->fill, 0, cells);
    run_loop(bin, &loop, v->count, count_chunk);
    add_up(v->fill, v->cell_count, v->start);
    memset(v->fill, 0, cells);
    run_loop(bin, &loop, v->count, scatter_chunk);
    run_loop(bin, &loop, v->cell_count, sort_chunk);
    run_loop(bin, &loop, v->count, permute_chunk);
    status = list_pairs(bin, &loop, log);
    if (status != GR_OK) {
        return status;
    }
    swap(&v->now, &v->next);
    swap(&v->first, &v->first_next);
    swap(&v->near, &v->near_next);
    swap(&v->mask, &v->mask_next);
    swap(&v->history, &v->history_next);
    swap(&v->outer, &v->outer_next);
    bin->most_near = loop.most;
    bin->rebuilds++;
    bin->listed = true;
    return GR_OK;
}

/// Nearest whole number of units, within 2^62.
static int64_t place_of(double units)
{
    return (int64_t)floor(fmin(fmax(units, -0x1p62), 0x1p62) + 0.5);
}

/// Where walls and bodies are, as the loops see them.
static void pose_surfaces(GrBin *bin)
{
    GrBinView *v = &bin->view;
    v->keep = (float)(1 - fmin(0.5, bin->damping * bin->dt));
    for (int k = 0; k < GR_PLANES; k++) {
        const GrVec3 u = bin->plane_velocity[k];
        const int a = k / 2;
        v->planes[k].at = place_of((bin->plane_at[k] - bin->low[a]) / bin->unit[a]);
        v->planes[k].velocity = gr_v3f((float)u.x, (float)u.y, (float)u.z);
    }
    for (int k = 0; k < bin->body_count; k++) {
        const GrBinBody *b = &bin->bodies[k];
        GrBinBodyView *o = &v->bodies[k];
        const GrMat3 r = gr_quat_to_mat3(b->rotation);
        const double p[3] = {b->position.x, b->position.y, b->position.z};
        for (int a = 0; a < 3; a++) {
            o->at[a] = place_of((p[a] - bin->low[a]) / bin->unit[a]);
            o->row[a] = gr_v3f((float)r.m[a][0], (float)r.m[a][1], (float)r.m[a][2]);
        }
        o->velocity = gr_v3f((float)b->velocity.x, (float)b->velocity.y, (float)b->velocity.z);
        o->spin = gr_v3f((float)b->spin.x, (float)b->spin.y, (float)b->spin.z);
    }
}

static void move_surfaces(GrBin *bin)
{
    for (int k = 0; k < GR_PLANES; k++) {
        const GrVec3 u = bin->plane_velocity[k];
        bin->plane_at[k] += bin->dt * (k / 2 == 0 ? u.x : k / 2 == 1 ? u.y : u.z);
    }
    for (int k = 0; k < bin->body_count; k++) {
        GrBinBody *b = &bin->bodies[k];
        b->position = gr_madd(b->position, bin->dt, b->velocity);
        b->rotation = gr_quat_normalize(gr_quat_mul(gr_quat_exp(gr_scale(bin->dt, b->spin)), b->rotation));
    }
}

static GrVec3 sum_of(const int64_t sum[3], double unit)
{
    return gr_vec3((double)sum[0] * unit, (double)sum[1] * unit, (double)sum[2] * unit);
}

GrStatus gr_bin_step(GrBin *bin, GrErrorLog *log)
{
    GrBinView *v = &bin->view;
    GrStatus status = bin->listed ? GR_OK : gr_bin_rebuild(bin, log);
    if (status != GR_OK) {
        return status;
    }
    pose_surfaces(bin);
    Loop loop = {.view = v};
    run_loop(bin, &loop, v->count, push_chunk);
    run_loop(bin, &loop, v->count, move_chunk);
    for (int s = 0; s < GR_SURFACES; s++) {
        bin->force[s] = sum_of(loop.sums.force[s], v->force_unit);
        bin->moment[s] = sum_of(loop.sums.moment[s], v->moment_unit);
    }
    move_surfaces(bin);
    bin->steps++;
    bin->time = (double)bin->steps * bin->dt;
    bin->listed = loop.sums.rebuild == 0;
    return GR_OK;
}
