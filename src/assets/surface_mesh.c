#include "surface_mesh.h"

#include "alloc.h"

#include <stdio.h>
#include <string.h>

static bool make_room(void **items, int count, int *capacity, size_t size)
{
    if (count < *capacity) {
        return true;
    }
    const int more = *capacity > 0 ? 2 * *capacity : 64;
    void *memory = gr_realloc(*items, (size_t)more * size);
    if (memory == NULL) {
        return false;
    }
    *items = memory;
    *capacity = more;
    return true;
}

int gr_surface_mesh_vertex(GrSurfaceMesh *mesh, GrVec3 p)
{
    if (!make_room((void **)&mesh->vertices, mesh->vertex_count, &mesh->vertex_capacity, sizeof p)) {
        mesh->failed = true;
        return 0;
    }
    mesh->vertices[mesh->vertex_count] = p;
    return mesh->vertex_count++;
}

void gr_surface_mesh_triangle(GrSurfaceMesh *mesh, int a, int b, int c)
{
    if (!make_room((void **)&mesh->triangles, mesh->triangle_count, &mesh->triangle_capacity,
                   sizeof *mesh->triangles)) {
        mesh->failed = true;
        return;
    }
    int *t = mesh->triangles[mesh->triangle_count++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

void gr_surface_mesh_quad(GrSurfaceMesh *mesh, int a, int b, int c, int d)
{
    gr_surface_mesh_triangle(mesh, a, b, c);
    gr_surface_mesh_triangle(mesh, a, c, d);
}

void gr_surface_mesh_convex(GrSurfaceMesh *mesh, const GrConvexMesh *convex)
{
    const int base = mesh->vertex_count;
    for (int i = 0; i < convex->vertex_count; i++) {
        gr_surface_mesh_vertex(mesh, convex->vertices[i]);
    }
    for (int f = 0; f < convex->face_count; f++) {
        const int *loop = convex->loops + convex->starts[f];
        for (int i = 1; i + 1 < convex->starts[f + 1] - convex->starts[f]; i++) {
            gr_surface_mesh_triangle(mesh, base + loop[0], base + loop[i], base + loop[i + 1]);
        }
    }
}

void gr_surface_mesh_free(GrSurfaceMesh *mesh)
{
    gr_free(mesh->vertices);
    gr_free(mesh->triangles);
    *mesh = (GrSurfaceMesh){0};
}

/// FNV-1a of the coordinates.
static size_t hash_of(GrVec3 p)
{
    const double values[3] = {p.x, p.y, p.z};
    unsigned char bytes[sizeof values];
    uint64_t hash = 14695981039346656037u;
    memcpy(bytes, values, sizeof values);
    for (size_t i = 0; i < sizeof bytes; i++) {
        hash = (hash ^ bytes[i]) * 1099511628211u;
    }
    return (size_t)(hash ^ hash >> 32);
}

static bool is_same(GrVec3 a, GrVec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// The vertex of `mesh` at p, added if there is none; `table` has the numbers of vertices plus 1, 0: empty.
static int vertex_at(GrSurfaceMesh *mesh, int *table, size_t size, GrVec3 p)
{
    p = gr_add(p, gr_vec3(0, 0, 0)); // −0 becomes 0
    size_t slot = hash_of(p) % size;
    for (; table[slot] != 0; slot = (slot + 1) % size) {
        if (is_same(mesh->vertices[table[slot] - 1], p)) {
            return table[slot] - 1;
        }
    }
    const int vertex = gr_surface_mesh_vertex(mesh, p);
    table[slot] = mesh->failed ? 0 : vertex + 1;
    return vertex;
}

GrSurfaceMesh *gr_surface_mesh_weld(const GrSurfaceMesh *mesh, GrVec3 scale)
{
    const size_t size = 2 * (size_t)mesh->vertex_count + 1;
    GrSurfaceMesh *out = gr_calloc(1, sizeof *out);
    int *table = gr_calloc(size, sizeof *table);
    const bool mirrored = scale.x * scale.y * scale.z < 0;
    for (int i = 0; i < mesh->triangle_count && out != NULL && table != NULL && !out->failed; i++) {
        int corner[3];
        for (int k = 0; k < 3; k++) {
            const GrVec3 p = mesh->vertices[mesh->triangles[i][k]];
            corner[k] = vertex_at(out, table, size, gr_vec3(scale.x * p.x, scale.y * p.y, scale.z * p.z));
        }
        if (corner[0] != corner[1] && corner[1] != corner[2] && corner[2] != corner[0]) {
            gr_surface_mesh_triangle(out, corner[0], corner[mirrored ? 2 : 1], corner[mirrored ? 1 : 2]);
        }
    }
    const bool failed = out == NULL || table == NULL || out->failed;
    gr_free(table);
    if (failed) {
        gr_surface_mesh_delete(out);
        return NULL;
    }
    return out;
}

void gr_surface_mesh_delete(GrSurfaceMesh *mesh)
{
    if (mesh != NULL) {
        gr_surface_mesh_free(mesh);
        gr_free(mesh);
    }
}

bool gr_surface_mesh_equal(const GrSurfaceMesh *a, const GrSurfaceMesh *b)
{
    bool same = a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count;
    for (int i = 0; same && i < a->vertex_count; i++) {
        same = is_same(a->vertices[i], b->vertices[i]);
    }
    for (int i = 0; same && i < a->triangle_count; i++) {
        const int *s = a->triangles[i], *t = b->triangles[i];
        same = s[0] == t[0] && s[1] == t[1] && s[2] == t[2];
    }
    return same;
}

GrSolid gr_surface_mesh_solid(const GrSurfaceMesh *mesh)
{
    GrVec3 middle = {0, 0, 0};
    for (int i = 0; i < mesh->vertex_count; i++) {
        middle = gr_madd(middle, 1.0 / mesh->vertex_count, mesh->vertices[i]);
    }
    GrSolidSum sum = {0};
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int *t = mesh->triangles[i];
        gr_solid_sum_add(&sum, gr_sub(mesh->vertices[t[0]], middle), gr_sub(mesh->vertices[t[1]], middle),
                         gr_sub(mesh->vertices[t[2]], middle));
    }
    return gr_solid_sum_end(&sum, middle);
}

void gr_surface_mesh_obj(const GrSurfaceMesh *mesh, const char *name, int before, GrBuffer *out)
{
    gr_buffer_printf(out, "o %s\n", name);
    for (int i = 0; i < mesh->vertex_count; i++) {
        const double p[3] = {mesh->vertices[i].x, mesh->vertices[i].y, mesh->vertices[i].z};
        gr_buffer_puts(out, "v");
        for (int k = 0; k < 3; k++) {
            gr_buffer_puts(out, " ");
            gr_buffer_number(out, p[k]);
        }
        gr_buffer_puts(out, "\n");
    }
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int *t = mesh->triangles[i];
        gr_buffer_printf(out, "f %d %d %d\n", before + t[0] + 1, before + t[1] + 1, before + t[2] + 1);
    }
}

void gr_asset_id(const char *kind, const char *parameters, char id[GR_MESH_ID_SIZE])
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char *c = parameters; *c != '\0'; c++) {
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    }
    snprintf(id, GR_MESH_ID_SIZE, "%s-%016llx", kind, (unsigned long long)hash);
}
