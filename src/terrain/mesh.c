#include "mesh.h"

#include "alloc.h"
#include "json.h"
#include "vec3.h"

#include <string.h>

static GrVec3 point_at(const GrMeshGrid *g, int64_t i, int64_t j)
{
    const GrGridFrame *f = &g->frame;
    return gr_vec3(f->x0 + (double)i * f->dx - g->origin.x, f->y0 + (double)j * f->dy - g->origin.y,
                   g->heights[j * f->nx + i] - g->origin.z);
}

/// Normal by central differences, one-sided at borders and beside voids.
static GrVec3 normal_at(const GrMeshGrid *g, int64_t i, int64_t j)
{
    const GrGridFrame *f = &g->frame;
    const double here = g->heights[j * f->nx + i];
    const double east = i + 1 < f->nx ? g->heights[j * f->nx + i + 1] : (double)NAN;
    const double west = i > 0 ? g->heights[j * f->nx + i - 1] : (double)NAN;
    const double north = j + 1 < f->ny ? g->heights[(j + 1) * f->nx + i] : (double)NAN;
    const double south = j > 0 ? g->heights[(j - 1) * f->nx + i] : (double)NAN;
    const double e = isnan(east) ? here : east, w = isnan(west) ? here : west;
    const double n = isnan(north) ? here : north, s = isnan(south) ? here : south;
    const double across = !isnan(east) + !isnan(west), along = !isnan(north) + !isnan(south);
    return gr_normalize(
        gr_vec3(across > 0 ? -(e - w) / (across * f->dx) : 0, along > 0 ? -(n - s) / (along * f->dy) : 0, 1));
}

/// Indices of the nodes with data, −1 for the others; returns how many there are.
static int64_t number_nodes(const GrMeshGrid *g, int32_t *numbers)
{
    int64_t count = 0;
    for (int64_t k = 0; k < g->frame.nx * g->frame.ny; k++) {
        numbers[k] = isnan(g->heights[k]) ? -1 : (int32_t)count++;
    }
    return count;
}

/// Calls `put` for each triangle, counter-clockwise from above.
static void each_triangle(const GrMeshGrid *g, const int32_t *numbers, void (*put)(GrBuffer *, const int32_t[3]),
                          GrBuffer *out)
{
    const int64_t nx = g->frame.nx;
    for (int64_t j = 0; j + 1 < g->frame.ny; j++) {
        for (int64_t i = 0; i + 1 < nx; i++) {
            const int32_t sw = numbers[j * nx + i], se = numbers[j * nx + i + 1];
            const int32_t nw = numbers[(j + 1) * nx + i], ne = numbers[(j + 1) * nx + i + 1];
            if (sw >= 0 && se >= 0 && ne >= 0) {
                put(out, (const int32_t[3]){sw, se, ne});
            }
            if (sw >= 0 && ne >= 0 && nw >= 0) {
                put(out, (const int32_t[3]){sw, ne, nw});
            }
        }
    }
}

static void put_face(GrBuffer *out, const int32_t t[3])
{
    gr_buffer_printf(out, "f %d//%d %d//%d %d//%d\n", t[0] + 1, t[0] + 1, t[1] + 1, t[1] + 1, t[2] + 1, t[2] + 1);
}

static void put_vector(GrBuffer *out, const char *word, GrVec3 v)
{
    gr_buffer_puts(out, word);
    const double c[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; k++) {
        gr_buffer_puts(out, " ");
        gr_buffer_fixed(out, c[k], 6);
    }
    gr_buffer_puts(out, "\n");
}

GrStatus gr_mesh_write_obj(const GrMeshGrid *g, GrBuffer *out)
{
    int32_t *numbers = gr_calloc((size_t)(g->frame.nx * g->frame.ny), sizeof *numbers);
    if (numbers == NULL) {
        return GR_ERROR_MEMORY;
    }
    number_nodes(g, numbers);
    gr_buffer_puts(out, "# terrain; x east, y north, z up [m]\n");
    gr_buffer_printf(out, "# origin %.9g %.9g %.9g\n", g->origin.x, g->origin.y, g->origin.z);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t k = 0; k < g->frame.nx * g->frame.ny; k++) {
            if (numbers[k] >= 0) {
                const int64_t i = k % g->frame.nx, j = k / g->frame.nx;
                put_vector(out, pass == 0 ? "v" : "vn", pass == 0 ? point_at(g, i, j) : normal_at(g, i, j));
            }
        }
    }
    each_triangle(g, numbers, put_face, out);
    gr_free(numbers);
    return out->failed ? GR_ERROR_MEMORY : GR_OK;
}

static void put_index(GrBuffer *out, const int32_t t[3])
{
    gr_buffer_add(out, (const char *)t, 3 * sizeof *t);
}

/// x east, y up, z south.
static void put_turned(GrBuffer *out, GrVec3 v)
{
    const float f[3] = {(float)v.x, (float)v.z, (float)-v.y};
    gr_buffer_add(out, (const char *)f, sizeof f);
}

typedef struct Extent {
    double lower[3], upper[3];
} Extent;

static void begin_view(GrJson *json, double offset, double length, int target)
{
    gr_json_begin_object(json, NULL);
    gr_json_integer(json, "buffer", 0);
    gr_json_number(json, "byteOffset", offset);
    gr_json_number(json, "byteLength", length);
    gr_json_integer(json, "target", target);
    gr_json_end(json);
}

static void put_accessor(GrJson *json, int view, int component, int64_t count, const char *type, const Extent *extent)
{
    gr_json_begin_object(json, NULL);
    gr_json_integer(json, "bufferView", view);
    gr_json_integer(json, "componentType", component);
    gr_json_integer(json, "count", count);
    gr_json_string(json, "type", type);
    if (extent != NULL) {
        gr_json_numbers(json, "min", extent->lower, 3);
        gr_json_numbers(json, "max", extent->upper, 3);
    }
    gr_json_end(json);
}

static void put_scene(GrJson *json)
{
    gr_json_begin_object(json, "asset");
    gr_json_string(json, "version", "2.0");
    gr_json_string(json, "generator", "grouser");
    gr_json_end(json);
    gr_json_integer(json, "scene", 0);
    gr_json_begin_array(json, "scenes");
    gr_json_begin_object(json, NULL);
    gr_json_numbers(json, "nodes", (const double[1]){0}, 1);
    gr_json_end(json);
    gr_json_end(json);
    gr_json_begin_array(json, "nodes");
    gr_json_begin_object(json, NULL);
    gr_json_integer(json, "mesh", 0);
    gr_json_string(json, "name", "terrain");
    gr_json_end(json);
    gr_json_end(json);
    gr_json_begin_array(json, "meshes");
    gr_json_begin_object(json, NULL);
    gr_json_begin_array(json, "primitives");
    gr_json_begin_object(json, NULL);
    gr_json_begin_object(json, "attributes");
    gr_json_integer(json, "POSITION", 0);
    gr_json_integer(json, "NORMAL", 1);
    gr_json_end(json);
    gr_json_integer(json, "indices", 2);
    gr_json_end(json);
    gr_json_end(json);
    gr_json_end(json);
    gr_json_end(json);
}

/// The JSON part: layout of the binary part.
static GrStatus describe(int64_t nodes, int64_t indices, const Extent *extent, GrBuffer *out)
{
    enum { FLOAT = 5126, UNSIGNED_INT = 5125, ARRAY = 34962, ELEMENTS = 34963 };
    const double vectors = 12.0 * (double)nodes;
    GrJson json = gr_json_to_buffer(out, false);
    gr_json_begin_object(&json, NULL);
    put_scene(&json);
    gr_json_begin_array(&json, "buffers");
    gr_json_begin_object(&json, NULL);
    gr_json_number(&json, "byteLength", 2 * vectors + 4.0 * (double)indices);
    gr_json_end(&json);
    gr_json_end(&json);
    gr_json_begin_array(&json, "bufferViews");
    begin_view(&json, 0, vectors, ARRAY);
    begin_view(&json, vectors, vectors, ARRAY);
    begin_view(&json, 2 * vectors, 4.0 * (double)indices, ELEMENTS);
    gr_json_end(&json);
    gr_json_begin_array(&json, "accessors");
    put_accessor(&json, 0, FLOAT, nodes, "VEC3", extent);
    put_accessor(&json, 1, FLOAT, nodes, "VEC3", NULL);
    put_accessor(&json, 2, UNSIGNED_INT, indices, "SCALAR", NULL);
    gr_json_end(&json);
    gr_json_end(&json);
    return gr_json_finish(&json);
}

static Extent extent_of(const float *points, int64_t count)
{
    Extent e = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int64_t k = 0; k < 3 * count; k++) {
        e.lower[k % 3] = fmin(e.lower[k % 3], (double)points[k]);
        e.upper[k % 3] = fmax(e.upper[k % 3], (double)points[k]);
    }
    return e;
}

static void put_u32(GrBuffer *out, uint32_t value)
{
    const unsigned char bytes[4] = {(unsigned char)value, (unsigned char)(value >> 8), (unsigned char)(value >> 16),
                                    (unsigned char)(value >> 24)};
    gr_buffer_add(out, (const char *)bytes, 4);
}

GrStatus gr_mesh_write_glb(const GrMeshGrid *g, GrBuffer *out)
{
    int32_t *numbers = gr_calloc((size_t)(g->frame.nx * g->frame.ny), sizeof *numbers);
    if (numbers == NULL) {
        return GR_ERROR_MEMORY;
    }
    GrBuffer binary = {0}, json = {0};
    const int64_t nodes = number_nodes(g, numbers);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t k = 0; k < g->frame.nx * g->frame.ny; k++) {
            if (numbers[k] >= 0) {
                const int64_t i = k % g->frame.nx, j = k / g->frame.nx;
                put_turned(&binary, pass == 0 ? point_at(g, i, j) : normal_at(g, i, j));
            }
        }
    }
    const size_t before = binary.size;
    each_triangle(g, numbers, put_index, &binary);
    const int64_t indices = (int64_t)((binary.size - before) / sizeof(int32_t));
    GrStatus status = binary.failed ? GR_ERROR_MEMORY : GR_OK;
    if (status == GR_OK && indices > 0) {
        const Extent extent = extent_of((const float *)(const void *)binary.data, nodes);
        status = describe(nodes, indices, &extent, &json);
    } else if (status == GR_OK) {
        status = GR_ERROR_VALUE; // only voids
    }
    if (status == GR_OK) {
        while (json.size % 4 != 0) {
            gr_buffer_puts(&json, " ");
        }
        gr_buffer_puts(out, "glTF");
        put_u32(out, 2);
        put_u32(out, (uint32_t)(12 + 8 + json.size + 8 + binary.size));
        put_u32(out, (uint32_t)json.size);
        put_u32(out, 0x4e4f534au); // "JSON"
        gr_buffer_add(out, json.data, json.size);
        put_u32(out, (uint32_t)binary.size);
        put_u32(out, 0x004e4942u); // "BIN"
        gr_buffer_add(out, binary.data, binary.size);
        status = out->failed ? GR_ERROR_MEMORY : GR_OK;
    }
    gr_free(numbers);
    gr_buffer_free(&binary);
    gr_buffer_free(&json);
    return status;
}
