#include "gltf.h"

#include "alloc.h"
#include "protobuf.h"

#include <math.h>
#include <string.h>

/// Types of components, as OpenGL numbers them.
enum { UINT8 = 5121, UINT32 = 5125, FLOAT = 5126 };

void gr_gltf_begin(GrGltf *g)
{
    *g = (GrGltf){.failed = false};
    GrGltfList *const lists[] = {&g->views, &g->accessors, &g->meshes, &g->nodes, &g->channels, &g->samplers};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        lists[i]->json = gr_json_to_buffer(&lists[i]->text, false);
        gr_json_begin_array(&lists[i]->json, NULL);
    }
}

void gr_gltf_free(GrGltf *g)
{
    GrGltfList *const lists[] = {&g->views, &g->accessors, &g->meshes, &g->nodes, &g->channels, &g->samplers};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        gr_buffer_free(&lists[i]->text);
    }
    gr_buffer_free(&g->bin);
    gr_free(g->floats);
}

float *gr_gltf_room(GrGltf *g, size_t count)
{
    if (count > g->floats_room) {
        float *floats = gr_realloc(g->floats, count * sizeof *floats);
        g->failed = g->failed || floats == NULL;
        g->floats = floats != NULL ? floats : g->floats;
        g->floats_room = floats != NULL ? count : g->floats_room;
    }
    return g->failed ? NULL : g->floats;
}

// ---- views and accessors

static void put_float(GrBuffer *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    gr_proto_fixed(out, bits, 4);
}

/// A view of the bytes from `first` to the present end.
static int add_view(GrGltf *g, size_t first, int target)
{
    GrJson *j = &g->views.json;
    gr_json_begin_object(j, NULL);
    gr_json_integer(j, "buffer", 0);
    gr_json_integer(j, "byteOffset", (long long)first);
    gr_json_integer(j, "byteLength", (long long)(g->bin.size - first));
    if (target != 0) {
        gr_json_integer(j, "target", target);
    }
    gr_json_end(j);
    return g->views.count++;
}

/// Begins an accessor, whose object the caller ends. `view`: −1: none, all is 0.
static int begin_accessor(GrGltf *g, int view, int component, const char *type, size_t count)
{
    GrJson *j = &g->accessors.json;
    gr_json_begin_object(j, NULL);
    if (view >= 0) {
        gr_json_integer(j, "bufferView", view);
    }
    gr_json_integer(j, "componentType", component);
    gr_json_integer(j, "count", (long long)count);
    gr_json_string(j, "type", type);
    return g->accessors.count++;
}

/// "min" and "max", which must be those of the stored floats to the last bit. `zero`: there is an element of zeros too.
static void put_range(GrGltf *g, const float *values, size_t count, int width, bool zero)
{
    double lower[4] = {0}, upper[4] = {0};
    for (size_t i = 0; i < count * (size_t)width; i++) {
        const size_t k = i % (size_t)width;
        const double v = (double)values[i];
        lower[k] = i < (size_t)width && !zero ? v : fmin(lower[k], v);
        upper[k] = i < (size_t)width && !zero ? v : fmax(upper[k], v);
    }
    gr_json_numbers(&g->accessors.json, "min", lower, width);
    gr_json_numbers(&g->accessors.json, "max", upper, width);
}

int gr_gltf_floats(GrGltf *g, const float *values, size_t count, int width, int target, bool range)
{
    static const char *const TYPES[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    const size_t first = g->bin.size;
    for (size_t i = 0; i < count * (size_t)width; i++) {
        put_float(&g->bin, values[i]);
    }
    const int accessor = begin_accessor(g, add_view(g, first, target), FLOAT, TYPES[width], count);
    if (range) {
        put_range(g, values, count, width, false);
    }
    gr_json_end(&g->accessors.json);
    return accessor;
}

int gr_gltf_indices(GrGltf *g, const int *indices, size_t count)
{
    const size_t first = g->bin.size;
    for (size_t i = 0; i < count; i++) {
        gr_proto_fixed(&g->bin, (uint64_t)indices[i], 4);
    }
    const int accessor = begin_accessor(g, add_view(g, first, GR_GLTF_INDICES), UINT32, "SCALAR", count);
    gr_json_end(&g->accessors.json);
    return accessor;
}

int gr_gltf_colors(GrGltf *g, const unsigned char *values, size_t count)
{
    const size_t first = g->bin.size;
    gr_buffer_add(&g->bin, (const char *)values, 4 * count);
    const int accessor = begin_accessor(g, add_view(g, first, GR_GLTF_VERTICES), UINT8, "VEC4", count);
    gr_json_bool(&g->accessors.json, "normalized", true);
    gr_json_end(&g->accessors.json);
    return accessor;
}

static bool is_zero(const float *vector)
{
    return vector[0] == 0 && vector[1] == 0 && vector[2] == 0;
}

static void put_sparse(GrGltf *g, size_t changed, int indices, int values)
{
    GrJson *j = &g->accessors.json;
    gr_json_begin_object(j, "sparse");
    gr_json_integer(j, "count", (long long)changed);
    gr_json_begin_object(j, "indices");
    gr_json_integer(j, "bufferView", indices);
    gr_json_integer(j, "componentType", UINT32);
    gr_json_end(j);
    gr_json_begin_object(j, "values");
    gr_json_integer(j, "bufferView", values);
    gr_json_end(j);
    gr_json_end(j);
}

int gr_gltf_sparse(GrGltf *g, const float *values, size_t count, bool range)
{
    size_t first = g->bin.size, changed = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_zero(values + 3 * i)) {
            gr_proto_fixed(&g->bin, i, 4);
            changed++;
        }
    }
    const int indices = changed > 0 ? add_view(g, first, 0) : -1;
    first = g->bin.size;
    for (size_t i = 0; i < 3 * count; i++) {
        if (!is_zero(values + i / 3 * 3)) {
            put_float(&g->bin, values[i]);
        }
    }
    const int view = changed > 0 ? add_view(g, first, 0) : -1, accessor = begin_accessor(g, -1, FLOAT, "VEC3", count);
    if (range) {
        put_range(g, values, count, 3, true);
    }
    if (changed > 0) {
        put_sparse(g, changed, indices, view);
    }
    gr_json_end(&g->accessors.json);
    return accessor;
}

void gr_gltf_channel(GrGltf *g, int node, const char *path, int times, int values)
{
    GrJson *j = &g->samplers.json;
    gr_json_begin_object(j, NULL);
    gr_json_integer(j, "input", times);
    gr_json_integer(j, "output", values);
    gr_json_string(j, "interpolation", "LINEAR");
    gr_json_end(j);
    j = &g->channels.json;
    gr_json_begin_object(j, NULL);
    gr_json_integer(j, "sampler", g->samplers.count++);
    gr_json_begin_object(j, "target");
    gr_json_integer(j, "node", node);
    gr_json_string(j, "path", path);
    gr_json_end(j);
    gr_json_end(j);
    g->channels.count++;
}

// ---- the file

static void put_list(GrGltf *g, GrGltfList *list, const char *before, GrBuffer *out)
{
    gr_json_end(&list->json);
    g->failed = gr_json_finish(&list->json) != GR_OK || g->failed;
    gr_buffer_puts(out, before);
    gr_buffer_add(out, list->text.data, list->text.size);
}

/// The members of `head`, then those of the lists.
static void put_json(GrGltf *g, const char *head, GrBuffer *out)
{
    gr_buffer_add(out, head, (size_t)(strrchr(head, '}') - head));
    gr_buffer_printf(out, ", \"buffers\": [{\"byteLength\": %zu}]", g->bin.size);
    put_list(g, &g->views, ", \"bufferViews\": ", out);
    put_list(g, &g->accessors, ", \"accessors\": ", out);
    put_list(g, &g->meshes, ", \"meshes\": ", out);
    put_list(g, &g->nodes, ", \"nodes\": ", out);
    if (g->channels.count > 0) {
        put_list(g, &g->channels, ", \"animations\": [{\"name\": \"run\", \"channels\": ", out);
        put_list(g, &g->samplers, ", \"samplers\": ", out);
        gr_buffer_puts(out, "}]");
    }
    gr_buffer_puts(out, "}");
    while (out->size % 4 != 0 && !out->failed) {
        gr_buffer_puts(out, " ");
    }
}

void gr_gltf_end(GrGltf *g, const char *head, GrBuffer *out)
{
    enum { MAGIC = 0x46546C67, JSON = 0x4E4F534A, BIN = 0x004E4942, HEADER = 12, CHUNK = 8 };
    GrBuffer json = {0};
    put_json(g, head, &json);
    gr_proto_fixed(out, MAGIC, 4);
    gr_proto_fixed(out, 2, 4);
    gr_proto_fixed(out, HEADER + CHUNK + json.size + CHUNK + g->bin.size, 4);
    gr_proto_fixed(out, json.size, 4);
    gr_proto_fixed(out, JSON, 4);
    gr_buffer_add(out, json.data, json.size);
    gr_proto_fixed(out, g->bin.size, 4);
    gr_proto_fixed(out, BIN, 4);
    gr_buffer_add(out, g->bin.data, g->bin.size);
    g->failed = g->failed || json.failed || g->bin.failed || out->failed;
    gr_buffer_free(&json);
}
