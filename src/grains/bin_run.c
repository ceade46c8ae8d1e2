/// The step of a bin and its neighbour lists, on threads or a GPU. What threads write is disjoint or a sum of integers,
/// so that their number does not matter.
#include "alloc.h"
#include "bin_cells.h"
#include "bin_device.h"
#include "bin_step.h"
#include "clump.h"
#include "processors.h"
#include "vec3.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 256 };

/// Stages in a row, each a loop over grains or cells, shared out among threads in chunks or done by a GPU.
typedef struct Loop {
    const GrBinView *view;
    GrBinStage stage;
    int32_t count, next;
    GrBinSums sums; ///< of all stages
} Loop;

static void do_chunk(const Loop *loop, int32_t from, int32_t to, GrBinSums *sums)
{
    switch (loop->stage) {
    case GR_STAGE_push: {
        GrContactBatch batch;
        memset(&batch, 0, sizeof batch);
        gr_push_grains(loop->view, from, to, &batch, sums);
        break;
    }
    case GR_STAGE_touch: // gr_push_grains() has done it
    case GR_STAGES:
        break;
#define X(name, function)                                                                                              \
    case GR_STAGE_##name:                                                                                              \
        for (int32_t i = from; i < to; i++) {                                                                          \
            function(loop->view, i, sums);                                                                             \
        }                                                                                                              \
        break;
        GR_BIN_LOOP_LIST(X)
#undef X
    }
}

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
        GrBinSums sums = {.rebuild = 0};
        do_chunk(loop, from, from + CHUNK < loop->count ? from + CHUNK : loop->count, &sums);
        gr_bin_sums_add(&loop->sums, &sums);
    }
}

/// Opens the GPU at the first stage of a bin that has one.
static GrStatus begin(GrBin *bin, Loop *loop, GrErrorLog *log)
{
    *loop = (Loop){.view = &bin->view};
    GrStatus status = GR_OK;
    if (bin->def.work.gpu > 0 && bin->device == NULL) {
        status = gr_bin_device_open(bin, log);
    }
    if (bin->device != NULL && status == GR_OK) {
        gr_bin_device_begin(bin);
    }
    return status;
}

static void run_stage(GrBin *bin, Loop *loop, GrBinStage stage, int32_t count)
{
    loop->stage = stage, loop->count = count, loop->next = 0;
    if (bin->device != NULL) {
        gr_bin_device_stage(bin, stage, count);
    } else if (bin->def.work.threads == 1 || count <= 2 * CHUNK) {
        run_share(loop, 0, 1);
    } else {
        gr_share_out(bin->def.work.threads, run_share, loop);
    }
}

/// The sums of the stages so far are in `loop`.
static GrStatus end(GrBin *bin, Loop *loop, GrErrorLog *log)
{
    return bin->device != NULL ? gr_bin_device_sums(bin, &loop->sums, log) : GR_OK;
}

static void clear(GrBin *bin, void *array, size_t size)
{
    if (bin->device != NULL) {
        gr_bin_device_clear(bin, array, size);
    } else {
        memset(array, 0, size);
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
static GrStatus check_grains(GrBin *bin, Loop *loop, GrErrorLog *log)
{
    run_stage(bin, loop, GR_STAGE_check, bin->view.count);
    const GrStatus status = end(bin, loop, log);
    if (status != GR_OK || loop->sums.lost == 0) {
        return status;
    }
    const GrGrain *g = &gr_bin_grains(bin)[bin->view.count - loop->sums.lost];
    const double v = (double)g->vx * (double)g->vx + (double)g->vy * (double)g->vy + (double)g->vz * (double)g->vz;
    const double part = sqrt(v) * bin->dt / (double)g->radius;
    if (!(part < 0.499)) {
        return gr_error_add(log, GR_ERROR_NUMERIC, (GrLocation){0},
                            "at %.6g s grain %d moves %.3g of its radius a step: the step of %.3g s is too long, or "
                            "a body too fast",
                            bin->time, g->id, part, bin->dt);
    }
    const GrVec3 p = gr_bin_position(bin, g);
    return gr_error_add(log, GR_ERROR_NUMERIC, (GrLocation){0},
                        "at %.6g s grain %d left the bin at %.4g, %.4g, %.4g m; a higher or wider bin, or a "
                        "shorter step",
                        bin->time, g->id, p.x, p.y, p.z);
}

/// Where the parts of `count` begin that have these numbers; returns their sum.
static int64_t add_up(GrBin *bin, const int32_t *numbers, int32_t count, int32_t *first)
{
    int64_t sum = 0;
    if (bin->device != NULL) {
        return gr_bin_device_add_up(bin, numbers, count, first);
    }
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
    run_stage(bin, loop, GR_STAGE_list, v->count);
    const int64_t pairs = add_up(bin, v->found_count, v->count, v->first_next);
    GrStatus status = end(bin, loop, log);
    status = status == GR_OK ? check_lists(bin, loop->sums.most, pairs, log) : status;
    if (status == GR_OK) {
        clear(bin, v->back_fill, each);
        run_stage(bin, loop, GR_STAGE_carry, v->count);
        add_up(bin, v->back_fill, v->count, v->back_first);
        clear(bin, v->back_fill, each);
        run_stage(bin, loop, GR_STAGE_back, v->count);
        run_stage(bin, loop, GR_STAGE_back_sort, v->count);
    }
    return status;
}

GrStatus gr_bin_rebuild(GrBin *bin, GrErrorLog *log)
{
    GrBinView *v = &bin->view;
    Loop loop;
    const size_t cells = (size_t)v->cell_count * sizeof *v->fill;
    GrStatus status = begin(bin, &loop, log);
    status = status == GR_OK ? check_grains(bin, &loop, log) : status;
    if (status != GR_OK) {
        return status;
    }
    clear(bin, v->fill, cells);
    run_stage(bin, &loop, GR_STAGE_count, v->count);
    add_up(bin, v->fill, v->cell_count, v->start);
    clear(bin, v->fill, cells);
    run_stage(bin, &loop, GR_STAGE_scatter, v->count);
    run_stage(bin, &loop, GR_STAGE_sort, v->cell_count);
    run_stage(bin, &loop, GR_STAGE_permute, v->count);
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
    bin->most_near = loop.sums.most;
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
    Loop loop;
    status = begin(bin, &loop, log);
    run_stage(bin, &loop, GR_STAGE_push, v->count);
    run_stage(bin, &loop, GR_STAGE_touch, v->count);
    run_stage(bin, &loop, v->members > 1 ? GR_STAGE_clump : GR_STAGE_move, v->count / v->members);
    status = status == GR_OK ? end(bin, &loop, log) : status;
    if (status != GR_OK) {
        return status;
    }
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
