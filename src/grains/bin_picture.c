#include "bin_picture.h"

#include "alloc.h"
#include "json.h"
#include "out_of_memory.h"
#include "vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Part of the grains whose speeds and forces the colours tell apart; those of the rest have the last colour.
#define SHOWN_PART 0.998

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/// The value that SHOWN_PART of all are below.
static double upper_end(const float *values, int count, float *room)
{
    memcpy(room, values, (size_t)count * sizeof *room);
    qsort(room, (size_t)count, sizeof *room, by_size);
    return (double)room[(int)fmin(count - 1, SHOWN_PART * count)];
}

/// Sums of the normal forces of springs, for each sorted grain.
static void sum_forces(const GrBin *bin, float *force)
{
    const GrBinView *v = &bin->view;
    for (int32_t i = 0; i < v->count; i++) {
        for (int32_t k = v->first[i]; k < v->first[i + 1]; k++) {
            const GrGrain *g = &v->now[i], *q = &v->now[v->near[k]];
            const GrVec3f d = gr_grain_diff(v, g, q);
            const double ri = (double)g->radius, rj = (double)q->radius, r = ri * rj / (ri + rj);
            const double delta = ri + rj - sqrt((double)gr_v3f_dot(d, d));
            if (v->mask[i] >> (k - v->first[i]) & 1 && delta > 0) {
                const double f = (double)v->law.kn * sqrt(r * delta) * delta;
                force[i] = (float)((double)force[i] + f);
                force[v->near[k]] = (float)((double)force[v->near[k]] + f);
            }
        }
    }
}

static unsigned char root_of(double value, double end)
{
    return end > 0 ? (unsigned char)lround(255 * sqrt(fmin(1, fmax(0, value / end)))) : 0;
}

/// What is added to places along an axis so that the body, or the bin's middle, stays in the middle.
static double shift_of(const GrBin *bin, const GrBinPictureDef *def, int axis)
{
    const double at = def->rig == NULL ? bin->def.size[axis] / 2
                      : axis == 0      ? def->rig->body.position.x
                                       : def->rig->body.position.y;
    return axis < 2 && bin->def.sides[axis] == GR_SIDE_PERIODIC ? bin->def.size[axis] / 2 - at : 0;
}

static double wrapped(double x, double size, bool wraps)
{
    return wraps ? x - size * floor(x / size) : fmin(fmax(x, 0), size);
}

static void put_head(const GrBin *bin, const GrBinPictureDef *def, int shown, double speed, double force, double top,
                     GrBuffer *out)
{
    GrBuffer text = {0};
    GrJson json = gr_json_to_buffer(&text, false);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "title", def->title);
    gr_json_number(&json, "diameter_m", 2 * bin->mean_radius);
    gr_json_integer(&json, "count", bin->view.count);
    gr_json_integer(&json, "shown", shown);
    gr_json_begin_array(&json, "size_m");
    for (int a = 0; a < 3; a++) {
        gr_json_number(&json, NULL, a < 2 ? bin->def.size[a] : fmin(bin->def.size[2], top));
    }
    gr_json_end(&json);
    gr_json_number(&json, "surface_m", gr_bed_surface(bin));
    gr_json_number(&json, "time_s", bin->time);
    gr_json_number(&json, "radius_m", bin->most_radius);
    gr_json_number(&json, "speed_mps", speed);
    gr_json_number(&json, "force_N", force);
    gr_json_integer(&json, "vertices", def->mesh != NULL ? def->mesh->vertex_count : 0);
    gr_json_integer(&json, "triangles", def->mesh != NULL ? def->mesh->triangle_count : 0);
    if (def->rig != NULL) {
        gr_json_string(&json, "body", gr_bin_rig_name(def->rig->def.kind));
        gr_json_number(&json, "cut_m",
                       wrapped(def->rig->body.position.y + shift_of(bin, def, 1), bin->def.size[1],
                               bin->def.sides[1] == GR_SIDE_PERIODIC));
    }
    gr_json_end(&json);
    gr_json_finish(&json);
    while (text.size % 4 != 0) {
        gr_buffer_puts(&text, " ");
    }
    const uint32_t length = (uint32_t)text.size;
    gr_buffer_add(out, "GRPICT01", 8);
    gr_buffer_add(out, (const char *)&length, sizeof length);
    gr_buffer_add(out, text.data, text.size);
    out->failed = out->failed || text.failed;
    gr_buffer_free(&text);
}

static void put_body(const GrBin *bin, const GrBinPictureDef *def, GrBuffer *out)
{
    const GrBinBody *b = &def->rig->body;
    const GrMat3 r = gr_quat_to_mat3(b->rotation);
    const GrVec3 at = gr_add(b->position, gr_vec3(shift_of(bin, def, 0), shift_of(bin, def, 1), 0));
    for (int k = 0; k < def->mesh->vertex_count; k++) {
        const GrVec3 p = gr_add(at, gr_mat3_mul_vec(&r, def->mesh->vertices[k]));
        const float v[3] = {(float)p.x, (float)p.y, (float)p.z};
        gr_buffer_add(out, (const char *)v, sizeof v);
    }
    for (int k = 0; k < def->mesh->triangle_count; k++) {
        const uint32_t t[3] = {(uint32_t)def->mesh->triangles[k][0], (uint32_t)def->mesh->triangles[k][1],
                               (uint32_t)def->mesh->triangles[k][2]};
        gr_buffer_add(out, (const char *)t, sizeof t);
    }
}

static void put_grains(const GrBin *bin, const GrBinPictureDef *def, int every, const float *speed, const float *force,
                       const double ends[2], double top, GrBuffer *out)
{
    const double size[3] = {bin->def.size[0], bin->def.size[1], fmin(bin->def.size[2], top)};
    const int32_t count = bin->view.count;
    for (int32_t i = 0; i < count; i += every) {
        const GrVec3 p = gr_bin_position(bin, &gr_bin_grains(bin)[i]);
        const double x[3] = {p.x, p.y, p.z};
        for (int a = 0; a < 3; a++) {
            const bool wraps = bin->def.sides[a] == GR_SIDE_PERIODIC;
            const uint16_t at = (uint16_t)(65535 * wrapped(x[a] + shift_of(bin, def, a), size[a], wraps) / size[a]);
            gr_buffer_add(out, (const char *)&at, sizeof at);
        }
    }
    for (int part = 0; part < 3; part++) {
        for (int32_t i = 0; i < count; i += every) {
            const double radius = (double)gr_bin_grains(bin)[i].radius / bin->most_radius;
            const unsigned char byte = part == 0   ? (unsigned char)lround(255 * radius)
                                       : part == 1 ? root_of((double)speed[i], ends[0])
                                                   : root_of((double)force[i], ends[1]);
            gr_buffer_add(out, (const char *)&byte, 1);
        }
    }
    while (out->size % 4 != 0) {
        gr_buffer_add(out, "", 1);
    }
}

GrStatus gr_bin_picture(const GrBin *bin, const GrBinPictureDef *def, GrBuffer *out, GrErrorLog *log)
{
    const int32_t count = bin->view.count, every = (count + def->most - 1) / def->most;
    float *room = gr_calloc((size_t)count * 3, sizeof *room);
    if (room == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    float *speed = room + count, *force = speed + count;
    double top = 0;
    for (int32_t i = 0; i < count; i++) {
        const GrGrain *g = &gr_bin_grains(bin)[i];
        speed[i] = (float)gr_norm(gr_vec3((double)g->vx, (double)g->vy, (double)g->vz));
        top = fmax(top, gr_bin_position(bin, g).z + (double)g->radius);
    }
    sum_forces(bin, force);
    const double ends[2] = {upper_end(speed, count, room), upper_end(force, count, room)};
    put_head(bin, def, (count + every - 1) / every, ends[0], ends[1], top, out);
    put_grains(bin, def, every, speed, force, ends, top, out);
    if (def->mesh != NULL && def->rig != NULL) {
        put_body(bin, def, out);
    }
    gr_free(room);
    return out->failed ? gr_out_of_memory(log, NULL) : GR_OK;
}
