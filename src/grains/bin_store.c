/// Snapshots of a bin: definition, grains, neighbour lists and contact histories, in the layout of this build.
#include "alloc.h"
#include "bin_device.h"
#include "buffer.h"
#include "checksum.h"
#include "file.h"
#include "out_of_memory.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char MAGIC[8] = "GRGRAIN3";

typedef struct Head {
    char magic[8];
    uint64_t sizes; ///< of the structs of this build
    uint64_t extra;
    int64_t count, pairs, steps, rebuilds;
    int32_t near_room, most_near, listed, none;
    double damping;
    double plane_at[GR_PLANES];
    GrVec3 plane_velocity[GR_PLANES];
    int32_t plane_present[GR_PLANES];
    GrBinDef def;
} Head;

static uint64_t struct_sizes(void)
{
    return sizeof(Head) ^ (uint64_t)sizeof(GrGrain) << 20 ^ (uint64_t)sizeof(GrHistory) << 40;
}

/// The arrays of a state, in the order of the file.
typedef struct Part {
    void *data;
    size_t size;
} Part;

enum { PARTS = 10 };

static void parts_of(const GrBin *bin, int64_t pair_count, Part parts[PARTS])
{
    const GrBinView *v = &bin->view;
    const size_t n = (size_t)v->count, pairs = (size_t)pair_count;
    const Part all[PARTS] = {
        {v->clump, v->members > 1 ? n / (size_t)v->members * sizeof *v->clump : 0},
        {v->now, n * sizeof *v->now},
        {v->mark, n * sizeof *v->mark},
        {v->mask, n * sizeof *v->mask},
        {v->first, (n + 1) * sizeof *v->first},
        {v->back_first, (n + 1) * sizeof *v->back_first},
        {v->outer, n * GR_OUTER * sizeof *v->outer},
        {v->near, pairs * sizeof *v->near},
        {v->back, pairs * sizeof *v->back},
        {v->history, pairs * sizeof *v->history},
    };
    memcpy(parts, all, sizeof all);
}

void gr_bin_pack(const GrBin *bin, const void *extra, size_t size, GrBuffer *out)
{
    Head head;
    Part parts[PARTS];
    if (!gr_bin_fetch(bin)) {
        out->failed = true;
        return;
    }
    memset(&head, 0, sizeof head); // the file has no accidental bytes between members
    memcpy(head.magic, MAGIC, sizeof MAGIC);
    head.sizes = struct_sizes(), head.extra = size;
    head.count = bin->view.count, head.pairs = bin->view.first[bin->view.count];
    head.steps = bin->steps, head.rebuilds = bin->rebuilds;
    head.near_room = bin->view.near_room, head.most_near = bin->most_near, head.listed = bin->listed;
    head.damping = bin->damping;
    memcpy(head.plane_at, bin->plane_at, sizeof head.plane_at);
    memcpy(head.plane_velocity, bin->plane_velocity, sizeof head.plane_velocity);
    for (int k = 0; k < GR_PLANES; k++) {
        head.plane_present[k] = bin->view.planes[k].present;
    }
    head.def = bin->def;
    head.def.work = (GrBinWork){0}; // the same bytes, whatever computed them
    parts_of(bin, head.pairs, parts);
    gr_buffer_add(out, (const char *)&head, sizeof head);
    gr_buffer_add(out, extra, size);
    for (int k = 0; k < PARTS; k++) {
        gr_buffer_add(out, parts[k].data, parts[k].size);
    }
    const uint64_t sum = gr_checksum(0, out->data, out->failed ? 0 : out->size);
    gr_buffer_add(out, (const char *)&sum, sizeof sum);
}

GrStatus gr_bin_save(const GrBin *bin, const char *path, const void *extra, size_t size, GrErrorLog *log)
{
    GrBuffer out = {0};
    gr_bin_pack(bin, extra, size, &out);
    GrStatus status = gr_bin_device_status(bin, log);
    if (status == GR_OK) {
        status = out.failed ? gr_out_of_memory(log, path) : gr_file_write(path, out.data, out.size, log);
    }
    gr_buffer_free(&out);
    return status;
}

static size_t members_of(const Head *head)
{
    return head->def.grains.clump_count > 0 ? (size_t)head->def.grains.clump_count : 1;
}

/// A start that gr_bin_create() accepts and that has the radii of the snapshot, by the ids of grains.
static GrBinStart *start_of(const Head *head, const char *grains)
{
    const size_t n = (size_t)head->count / members_of(head);
    GrBinStart *start = gr_calloc(n, sizeof *start);
    for (size_t i = 0; i < n && start != NULL; i++) {
        GrGrain g;
        GrClump b;
        if (members_of(head) > 1) {
            memcpy(&b, grains + i * sizeof b, sizeof b);
            start[i].radius = (double)b.size;
            continue;
        }
        memcpy(&g, grains + i * sizeof g, sizeof g);
        if (g.id >= 0 && (size_t)g.id < n) {
            start[g.id].radius = (double)g.radius;
        }
    }
    return start;
}

static bool all_finite(const float *values, size_t count)
{
    bool finite = true;
    for (size_t k = 0; k < count; k++) {
        finite = finite && isfinite(values[k]);
    }
    return finite;
}

/// Lists that begin at 0, never go back, and end at `end`; none longer than `most`.
static bool rising(const int32_t *first, int32_t count, int64_t end, int32_t most)
{
    bool good = first[0] == 0 && first[count] == end;
    for (int32_t i = 0; i < count && good; i++) {
        good = first[i + 1] >= first[i] && first[i + 1] - first[i] <= most;
    }
    return good;
}

static bool within(const int32_t *index, int64_t count, int64_t end)
{
    bool good = true;
    for (int64_t k = 0; k < count; k++) {
        good = good && index[k] >= 0 && index[k] < end;
    }
    return good;
}

/// Where the spheres of clumps are, and whether each is there once.
static bool find_members(const GrBin *bin)
{
    const GrBinView *v = &bin->view;
    bool good = true;
    for (int32_t i = 0; i < v->count; i++) {
        v->where[i] = -1;
    }
    for (int32_t i = 0; i < v->count && good; i++) {
        const int32_t id = v->now[i].id;
        good = id >= 0 && id < v->count && v->where[id] < 0;
        if (good) {
            v->where[id] = i;
        }
    }
    for (int32_t c = 0; c < v->count / v->members && good; c++) {
        const GrClump *b = &v->clump[c];
        const double q = (double)(b->q[0] * b->q[0] + b->q[1] * b->q[1] + b->q[2] * b->q[2] + b->q[3] * b->q[3]);
        const double r = (double)b->size, mass = 4.0 / 3 * GR_PI * bin->def.grains.density * r * r * r;
        good = all_finite(&b->vx, 3) && all_finite(&b->lx, 3) && fabs(q - 1) < 1e-3 &&
               fabs((double)b->light * mass - 1) < 1e-3;
        for (int k = 0; k < v->members && good; k++) {
            const GrGrain *g = &v->now[v->where[c * v->members + k]];
            good = g->light == b->light && fabs((double)g->radius - r * bin->shape.radius[k]) < 1e-3 * r;
        }
    }
    return good;
}

/// What a step takes for granted: a file with the right checksum may come from anywhere.
static bool sound(const Head *head, const GrBin *bin)
{
    const GrBinView *v = &bin->view;
    const int32_t n = v->count;
    bool good = rising(v->first, n, head->pairs, v->near_room) && rising(v->back_first, n, head->pairs, INT32_MAX) &&
                within(v->near, head->pairs, n) && within(v->back, head->pairs, head->pairs) && head->steps >= 0 &&
                isfinite(head->damping);
    for (int32_t i = 0; i < n && good; i++) {
        const GrGrain *g = &v->now[i];
        const int owned = v->first[i + 1] - v->first[i];
        const uint64_t pairs = v->mask[i] & ((1ULL << GR_NEIGHBOURS_MOST) - 1);
        const double r = (double)g->radius, mass = 4.0 / 3 * GR_PI * bin->def.grains.density * r * r * r;
        good = pairs >> owned == 0 && all_finite(&g->vx, 3) && all_finite(&g->wx, 3) &&
               (v->members > 1 || fabs((double)g->light * mass - 1) < 1e-3);
    }
    good = good && (v->members == 1 || find_members(bin));
    for (int k = 0; k < GR_PLANES; k++) {
        const GrVec3 w = head->plane_velocity[k];
        good = good && isfinite(head->plane_at[k]) && isfinite(w.x) && isfinite(w.y) && isfinite(w.z);
    }
    return good;
}

/// What gr_bin_check() does not see, since no reader of files can give it.
static bool sound_def(const GrBinDef *d)
{
    bool good = memchr(d->grains.name, '\0', sizeof d->grains.name) != NULL &&
                memchr(d->grains.title, '\0', sizeof d->grains.title) != NULL && gr_clump_sound(&d->grains);
    for (int a = 0; a < 3; a++) {
        good = good && (unsigned)d->sides[a] <= GR_SIDE_OPEN && isfinite(d->gravity[a]);
    }
    return good;
}

static GrStatus restore(const Head *head, const char *data, size_t size, GrBin *bin)
{
    Part parts[PARTS];
    size_t whole = 0;
    if (head->pairs < 0 || head->pairs > bin->view.pair_room) {
        return GR_ERROR_SYNTAX;
    }
    parts_of(bin, head->pairs, parts);
    for (int k = 0; k < PARTS; k++) {
        whole += parts[k].size;
    }
    if (bin->view.near_room != head->near_room || whole != size) {
        return GR_ERROR_SYNTAX;
    }
    for (int k = 0; k < PARTS; data += parts[k].size, k++) {
        if (parts[k].size > 0) { // what the bin has none of has no array either
            memcpy(parts[k].data, data, parts[k].size);
        }
    }
    if (!sound(head, bin)) {
        return GR_ERROR_SYNTAX;
    }
    bin->steps = head->steps, bin->rebuilds = head->rebuilds, bin->most_near = head->most_near;
    bin->listed = head->listed != 0, bin->damping = head->damping;
    bin->time = (double)bin->steps * bin->dt;
    memcpy(bin->plane_at, head->plane_at, sizeof head->plane_at);
    memcpy(bin->plane_velocity, head->plane_velocity, sizeof head->plane_velocity);
    for (int k = 0; k < GR_PLANES; k++) {
        bin->view.planes[k].present = head->plane_present[k];
    }
    return GR_OK;
}

/// Of grains and clumps; more than any file where their numbers do not fit.
static size_t least_size(const Head *head)
{
    const size_t n = (size_t)head->count, members = members_of(head);
    if (n % members != 0) {
        return SIZE_MAX / 2;
    }
    return n * sizeof(GrGrain) + (members > 1 ? n / members * sizeof(GrClump) : 0);
}

static GrStatus read_head(const char *path, const char *data, size_t size, size_t extra, Head *head, GrErrorLog *log)
{
    uint64_t sum = 0;
    const char *fault = NULL;
    if (size < sizeof *head + sizeof sum || memcmp(data, MAGIC, sizeof MAGIC) != 0) {
        fault = "not a snapshot of grains";
    } else {
        memcpy(head, data, sizeof *head);
        memcpy(&sum, data + size - sizeof sum, sizeof sum);
        fault = head->sizes != struct_sizes()                    ? "a snapshot of another version"
                : sum != gr_checksum(0, data, size - sizeof sum) ? "the snapshot is damaged"
                : head->extra != extra                           ? "a snapshot of another kind of test"
                : head->count < 1 || head->count > INT32_MAX     ? "the snapshot is damaged"
                : !sound_def(&head->def)                         ? "the snapshot is damaged"
                : size < sizeof *head + extra + least_size(head) ? "the snapshot is damaged"
                                                                 : NULL;
    }
    if (fault == NULL) {
        return GR_OK;
    }
    gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){.file = path}, "%s", fault);
    return GR_ERROR_SYNTAX;
}

GrStatus gr_bin_unpack(const char *data, size_t size, const char *path, GrBinWork work, void *extra, size_t extra_size,
                       GrBin **out, GrErrorLog *log)
{
    Head head;
    *out = NULL;
    GrStatus status = read_head(path, data, size, extra_size, &head, log);
    if (status == GR_OK) {
        const char *grains = data + sizeof head + extra_size;
        GrBinStart *start = start_of(&head, grains);
        head.def.work = work;
        status = start == NULL
                     ? gr_out_of_memory(log, path)
                     : gr_bin_create_empty(&head.def, start, (int)(head.count / (int64_t)members_of(&head)), out, log);
        gr_free(start);
        if (status == GR_OK && *out != NULL &&
            restore(&head, grains, size - sizeof head - extra_size - sizeof(uint64_t), *out) != GR_OK) {
            status = gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){.file = path}, "the snapshot is damaged");
        }
        if (status == GR_OK && extra_size > 0) {
            memcpy(extra, data + sizeof head, extra_size);
        }
    }
    if (status != GR_OK) {
        gr_bin_free(*out);
        *out = NULL;
    }
    return status;
}

GrStatus gr_bin_load(const char *path, GrBinWork work, void *extra, size_t extra_size, GrBin **out, GrErrorLog *log)
{
    char *data = NULL;
    size_t size = 0;
    *out = NULL;
    GrStatus status = gr_file_read(path, (size_t)1 << 40, &data, &size, log);
    status = status == GR_OK ? gr_bin_unpack(data, size, path, work, extra, extra_size, out, log) : status;
    gr_free(data);
    return status;
}

bool gr_bin_is_snapshot(const char *path)
{
    char magic[sizeof MAGIC] = {0};
    FILE *file = fopen(path, "rb");
    const bool read = file != NULL && fread(magic, sizeof magic, 1, file) == 1;
    if (file != NULL) {
        fclose(file);
    }
    return read && memcmp(magic, MAGIC, sizeof MAGIC) == 0;
}
