#include "convex_mesh.h"

#include "alloc.h"
#include "elementary.h"
#include "out_of_memory.h"

#include <libqhull_r/libqhull_r.h>
#include <stdlib.h>
#include <string.h>

/// Vertices of one face with their angle about its normal, for sorting them.
typedef struct Corner {
    double angle;
    int vertex;
} Corner;

static int compare_corners(const void *a, const void *b)
{
    const double x = ((const Corner *)a)->angle, y = ((const Corner *)b)->angle;
    return x < y ? -1 : x > y;
}

static void perpendiculars(GrVec3 n, GrVec3 *u, GrVec3 *v)
{
    const GrVec3 other = fabs(n.x) < 0.6 ? gr_vec3(1, 0, 0) : gr_vec3(0, 1, 0);
    *u = gr_normalize(gr_cross(n, other));
    *v = gr_cross(n, *u);
}

/// Normal and offset of a face from its corners. qhull's own normals differ in the last bits between processors, since
/// it is compiled to fuse products and sums where it can.
static void face_plane(GrConvexMesh *mesh, int face)
{
    const int start = mesh->starts[face], count = mesh->starts[face + 1] - start;
    const GrVec3 first = mesh->vertices[mesh->loops[start]];
    GrVec3 area = {0, 0, 0};
    for (int i = 1; i + 1 < count; i++) {
        const GrVec3 a = gr_sub(mesh->vertices[mesh->loops[start + i]], first);
        const GrVec3 b = gr_sub(mesh->vertices[mesh->loops[start + i + 1]], first);
        area = gr_add(area, gr_cross(a, b));
    }
    const GrVec3 n = gr_normalize(area);
    double offset = 0;
    for (int i = 0; i < count; i++) {
        offset += gr_dot(n, mesh->vertices[mesh->loops[start + i]]) / count;
    }
    mesh->normals[face] = n;
    mesh->offsets[face] = offset;
}

/// Corners in order about the normal `n`, beginning with the one of the lowest number.
static void order_face(GrConvexMesh *mesh, int face, GrVec3 n, Corner *corners)
{
    const int start = mesh->starts[face], count = mesh->starts[face + 1] - start;
    GrVec3 u, v, middle = {0, 0, 0};
    perpendiculars(n, &u, &v);
    for (int i = 0; i < count; i++) {
        middle = gr_madd(middle, 1.0 / count, mesh->vertices[mesh->loops[start + i]]);
    }
    for (int i = 0; i < count; i++) {
        const int vertex = mesh->loops[start + i];
        const GrVec3 r = gr_sub(mesh->vertices[vertex], middle);
        corners[i] = (Corner){gr_atan2(gr_dot(r, v), gr_dot(r, u)), vertex};
    }
    qsort(corners, (size_t)count, sizeof *corners, compare_corners);
    int lowest = 0;
    for (int i = 1; i < count; i++) {
        lowest = corners[i].vertex < corners[lowest].vertex ? i : lowest;
    }
    for (int i = 0; i < count; i++) {
        mesh->loops[start + i] = corners[(lowest + i) % count].vertex;
    }
    face_plane(mesh, face);
}

static bool allocate(GrConvexMesh *mesh, int vertices, int faces, int corners)
{
    if (faces < 4) {
        return false;
    }
    mesh->vertices = gr_calloc((size_t)vertices, sizeof *mesh->vertices);
    mesh->normals = gr_calloc((size_t)faces, sizeof *mesh->normals);
    mesh->offsets = gr_calloc((size_t)faces, sizeof *mesh->offsets);
    mesh->starts = gr_calloc((size_t)faces + 1, sizeof *mesh->starts);
    mesh->loops = gr_calloc((size_t)corners, sizeof *mesh->loops);
    return mesh->vertices != NULL && mesh->normals != NULL && mesh->offsets != NULL && mesh->starts != NULL &&
           mesh->loops != NULL;
}

static void measure(GrConvexMesh *mesh)
{
    mesh->lower = mesh->upper = mesh->vertices[0];
    for (int i = 0; i < mesh->vertex_count; i++) {
        const GrVec3 p = mesh->vertices[i];
        mesh->centre = gr_madd(mesh->centre, 1.0 / mesh->vertex_count, p);
        mesh->radius = fmax(mesh->radius, gr_norm(p));
        mesh->lower = gr_vec3(fmin(mesh->lower.x, p.x), fmin(mesh->lower.y, p.y), fmin(mesh->lower.z, p.z));
        mesh->upper = gr_vec3(fmax(mesh->upper.x, p.x), fmax(mesh->upper.y, p.y), fmax(mesh->upper.z, p.z));
    }
}

/// Copies the hull out of qhull; false when out of memory. qhull's lists end with an item without a successor, its sets
/// with NULL.
static bool copy_hull(qhT *qh, const GrVec3 *points, int count, GrConvexMesh *mesh)
{
    int faces = 0, corners = 0;
    for (const facetT *facet = qh->facet_list; facet->next != NULL; facet = facet->next) {
        faces++;
        corners += qh_setsize(qh, facet->vertices);
    }
    int *number = gr_malloc(sizeof(int) * (size_t)count);
    Corner *work = gr_malloc(sizeof(Corner) * (size_t)(corners > 0 ? corners : 1));
    const bool ok = number != NULL && work != NULL && allocate(mesh, count, faces, corners);
    if (ok) {
        memset(number, 0, sizeof(int) * (size_t)count);
        for (const vertexT *vertex = qh->vertex_list; vertex->next != NULL; vertex = vertex->next) {
            number[qh_pointid(qh, vertex->point)] = 1;
        }
        for (int i = 0; i < count; i++) {
            if (number[i]) {
                number[i] = mesh->vertex_count;
                mesh->vertices[mesh->vertex_count++] = points[i];
            }
        }
        measure(mesh);
        for (const facetT *facet = qh->facet_list; facet->next != NULL; facet = facet->next) {
            const int face = mesh->face_count++;
            int at = mesh->starts[face];
            const GrVec3 n = gr_normalize(gr_vec3(facet->normal[0], facet->normal[1], facet->normal[2]));
            for (const setelemT *e = facet->vertices->e; e->p != NULL; e++) {
                const vertexT *vertex = e->p;
                mesh->loops[at++] = number[qh_pointid(qh, vertex->point)];
            }
            mesh->starts[face + 1] = at;
            order_face(mesh, face, n, work);
        }
    }
    gr_free(number);
    gr_free(work);
    return ok;
}

GrConvexMesh *gr_convex_mesh_create(const GrVec3 *points, int count, GrErrorLog *log)
{
    const GrLocation nowhere = {0};
    if (count < 4) {
        gr_error_add(log, GR_ERROR_VALUE, nowhere, "a convex mesh needs at least 4 points, not %d", count);
        return NULL;
    }
    GrConvexMesh *mesh = gr_calloc(1, sizeof *mesh);
    double *flat = gr_malloc(sizeof(double) * 3 * (size_t)count);
    FILE *quiet = fopen("/dev/null", "w");
    bool done = false, spans = true;
    if (mesh != NULL && flat != NULL && quiet != NULL) {
        for (int i = 0; i < count; i++) {
            flat[3 * i] = points[i].x;
            flat[3 * i + 1] = points[i].y;
            flat[3 * i + 2] = points[i].z;
        }
        qhT state;
        qhT *qh = &state;
        qh_zero(qh, quiet);
        char command[] = "qhull"; // merged facets instead of joggled input, so that coplanar faces remain whole
        const int result = qh_new_qhull(qh, 3, count, flat, False, command, quiet, quiet);
        spans = result == 0 || result == qh_ERRmem;
        done = result == 0 && copy_hull(qh, points, count, mesh);
        qh_freeqhull(qh, !qh_ALL);
        int curlong, totlong;
        qh_memfreeshort(qh, &curlong, &totlong);
    }
    if (quiet != NULL) {
        fclose(quiet);
    }
    gr_free(flat);
    if (!done) {
        gr_convex_mesh_free(mesh);
        if (spans) {
            gr_out_of_memory(log, NULL);
        } else {
            gr_error_add(log, GR_ERROR_VALUE, nowhere, "%d points do not span a volume", count);
        }
        return NULL;
    }
    return mesh;
}

void gr_convex_mesh_regions(const GrConvexMesh *mesh, GrRegionFn *take, void *context)
{
    const size_t faces = (size_t)mesh->face_count;
    take(context, mesh, sizeof *mesh);
    take(context, mesh->vertices, sizeof *mesh->vertices * (size_t)mesh->vertex_count);
    take(context, mesh->normals, sizeof *mesh->normals * faces);
    take(context, mesh->offsets, sizeof *mesh->offsets * faces);
    take(context, mesh->starts, sizeof *mesh->starts * (faces + 1));
    take(context, mesh->loops, sizeof *mesh->loops * (size_t)mesh->starts[faces]);
}

void gr_convex_mesh_free(GrConvexMesh *mesh)
{
    if (mesh != NULL) {
        gr_free(mesh->vertices);
        gr_free(mesh->normals);
        gr_free(mesh->offsets);
        gr_free(mesh->starts);
        gr_free(mesh->loops);
        gr_free(mesh);
    }
}

void gr_solid_sum_add(GrSolidSum *s, GrVec3 a, GrVec3 b, GrVec3 c)
{
    const double v = gr_dot(a, gr_cross(b, c)) / 6;
    const GrVec3 sum = gr_add(a, gr_add(b, c));
    s->volume += v;
    s->first = gr_madd(s->first, v / 4, sum);
    // ∫ p q dV = v/20 (Σ p_i q_i + Σ p_i Σ q_j), the fourth corner at 0
    s->xx += v / 20 * (a.x * a.x + b.x * b.x + c.x * c.x + sum.x * sum.x);
    s->yy += v / 20 * (a.y * a.y + b.y * b.y + c.y * c.y + sum.y * sum.y);
    s->zz += v / 20 * (a.z * a.z + b.z * b.z + c.z * c.z + sum.z * sum.z);
    s->xy += v / 20 * (a.x * a.y + b.x * b.y + c.x * c.y + sum.x * sum.y);
    s->xz += v / 20 * (a.x * a.z + b.x * b.z + c.x * c.z + sum.x * sum.z);
    s->yz += v / 20 * (a.y * a.z + b.y * b.z + c.y * c.z + sum.y * sum.z);
}

GrSolid gr_solid_sum_end(const GrSolidSum *s, GrVec3 common)
{
    const GrVec3 r = gr_scale(1 / s->volume, s->first); // centre of mass relative to the common point
    const GrSym3 shift = gr_sym3_point(s->volume, r);
    return (GrSolid){
        .volume = s->volume,
        .com = gr_add(common, r),
        .inertia = {s->yy + s->zz - shift.xx, s->xx + s->zz - shift.yy, s->xx + s->yy - shift.zz, -s->xy - shift.xy,
                    -s->xz - shift.xz, -s->yz - shift.yz},
    };
}

GrSolid gr_convex_mesh_solid(const GrConvexMesh *mesh)
{
    GrSolidSum sum = {0};
    for (int f = 0; f < mesh->face_count; f++) {
        const int *loop = mesh->loops + mesh->starts[f];
        for (int i = 1; i + 1 < mesh->starts[f + 1] - mesh->starts[f]; i++) {
            gr_solid_sum_add(&sum, gr_sub(mesh->vertices[loop[0]], mesh->centre),
                             gr_sub(mesh->vertices[loop[i]], mesh->centre),
                             gr_sub(mesh->vertices[loop[i + 1]], mesh->centre));
        }
    }
    return gr_solid_sum_end(&sum, mesh->centre);
}
