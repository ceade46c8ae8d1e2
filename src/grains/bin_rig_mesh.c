/// Meshes of the bodies that rigs push and turn.
#include "bin_rig_parts.h"
#include "checksum.h"
#include "vec3.h"

#include <math.h>

void gr_mesh_lathe(GrSurfaceMesh *mesh, const double (*profile)[2], int count, int segments)
{
    const int first = mesh->vertex_count;
    for (int k = 0; k < segments; k++) {
        const double a = 2 * GR_PI * k / segments;
        for (int p = 0; p < count; p++) {
            const double r = profile[p][0];
            gr_surface_mesh_vertex(mesh, gr_vec3(r * gr_cos(a), r * gr_sin(a), profile[p][1]));
        }
    }
    for (int k = 0; k < segments; k++) {
        const int a = first + k * count, b = first + (k + 1) % segments * count;
        for (int p = 0; p + 1 < count; p++) {
            if (profile[p + 1][0] > 0) {
                gr_surface_mesh_triangle(mesh, a + p, b + p + 1, a + p + 1);
            }
            if (profile[p][0] > 0) {
                gr_surface_mesh_triangle(mesh, a + p, b + p, b + p + 1);
            }
        }
    }
}

/// A thin blade along a radius, below z = 0.
static void add_vane(GrSurfaceMesh *mesh, double r0, double r1, double height, double thickness, double angle)
{
    const double c = gr_cos(angle), s = gr_sin(angle);
    int v[8];
    for (int k = 0; k < 8; k++) {
        const double r = k & 1 ? r1 : r0, t = (k & 2 ? 0.5 : -0.5) * thickness, z = k & 4 ? 0 : -height;
        v[k] = gr_surface_mesh_vertex(mesh, gr_vec3(r * c - t * s, r * s + t * c, z));
    }
    gr_surface_mesh_quad(mesh, v[0], v[2], v[3], v[1]);
    gr_surface_mesh_quad(mesh, v[0], v[1], v[5], v[4]);
    gr_surface_mesh_quad(mesh, v[2], v[6], v[7], v[3]);
    gr_surface_mesh_quad(mesh, v[0], v[4], v[6], v[2]);
    gr_surface_mesh_quad(mesh, v[1], v[3], v[7], v[5]);
}

GrStatus gr_bin_rig_mesh(const GrBinRigDef *d, double grain, GrSurfaceMesh *mesh, double *lowest, GrErrorLog *log)
{
    const double r = d->diameter / 2, inner = d->inner / 2, thick = 4 * grain;
    *lowest = 0;
    if (d->shape.hash != 0) {
        *lowest = d->kind == GR_BIN_RIG_WHEEL ? -d->wheel.radius - d->wheel.grouser_height : 0;
        return GR_OK;
    }
    if (d->kind == GR_BIN_RIG_WHEEL) {
        GrWheelMesh wheel = {.mesh = {0}};
        const GrStatus status = gr_wheel_mesh_create(&d->wheel, &wheel, log);
        *mesh = wheel.mesh; // the caller frees it
        *lowest = -d->wheel.radius - (d->wheel.grouser_count > 0 ? d->wheel.grouser_height : 0);
        return status;
    }
    if (d->kind == GR_BIN_RIG_CONE) {
        const double height = r / gr_tan(d->angle);
        const double profile[][2] = {{0, 0}, {r, height}, {r, height + 3 * thick}, {0, height + 3 * thick}};
        gr_mesh_lathe(mesh, profile, 4, 48);
    } else if (d->kind == GR_BIN_RIG_SHEAR) {
        const double profile[][2] = {{inner, 0}, {r, 0}, {r, thick}, {inner, thick}, {inner, 0}};
        gr_mesh_lathe(mesh, profile, 5, 64);
        for (int k = 0; k < d->vanes; k++) {
            add_vane(mesh, inner, r, d->vane, grain, 2 * GR_PI * k / d->vanes);
        }
        *lowest = d->vanes > 0 ? -d->vane : 0;
    } else {
        const double profile[][2] = {{0, 0}, {r, 0}, {r, thick}, {0, thick}};
        gr_mesh_lathe(mesh, profile, 4, 64);
    }
    return GR_OK;
}

/// Box of a mesh, and the area of its faces that look down.
static void measure(const GrSurfaceMesh *mesh, GrVec3 *low, GrVec3 *high, double *area)
{
    *low = *high = mesh->vertices[mesh->triangles[0][0]];
    *area = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *corner = mesh->triangles[t];
        const GrVec3 a = mesh->vertices[corner[0]], b = mesh->vertices[corner[1]], c = mesh->vertices[corner[2]];
        for (int k = 0; k < 3; k++) {
            const GrVec3 p = mesh->vertices[corner[k]];
            *low = gr_vec3(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
            *high = gr_vec3(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
        }
        *area += fmax(0, -gr_cross(gr_sub(b, a), gr_sub(c, a)).z / 2);
    }
}

static GrStatus fit_wheel(const GrSurfaceMesh *mesh, double radius, double width, GrBinRigDef *def, GrErrorLog *log)
{
    double far2 = 0;
    for (int k = 0; k < mesh->vertex_count; k++) {
        const GrVec3 p = mesh->vertices[k];
        far2 = fmax(far2, p.x * p.x + p.z * p.z);
    }
    const double far = sqrt(far2);
    if (radius != 0 && !(radius >= 0.5 * far && radius <= far)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "radius"},
                            "%.4g m; the farthest point of the mesh is %.4g m from its axle (y through the origin): "
                            "%.4g to %.4g m",
                            radius, far, 0.5 * far, far);
    }
    def->wheel.radius = radius > 0 ? radius : far;
    def->wheel.width = width;
    def->wheel.grouser_count = 0;
    def->wheel.grouser_height = far - def->wheel.radius;
    return GR_OK;
}

GrStatus gr_bin_rig_fit_mesh(GrSurfaceMesh *mesh, double scale, double radius, GrBinRigDef *def, GrErrorLog *log)
{
    GrVec3 low, high;
    double area;
    if (mesh->triangle_count == 0) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "mesh"}, "the file has no faces with an area");
    }
    for (int k = 0; k < mesh->vertex_count; k++) {
        mesh->vertices[k] = gr_scale(scale, mesh->vertices[k]);
    }
    measure(mesh, &low, &high, &area);
    const GrVec3 size = gr_sub(high, low);
    if (!(area > 0 && size.z > 0 && gr_norm(size) < 1e3)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "mesh"},
                            "%.4g x %.4g x %.4g m, with faces of %.4g m² that look down; it must be a body of some "
                            "metres at most, with its faces outwards",
                            size.x, size.y, size.z, area);
    }
    const bool wheel = def->kind == GR_BIN_RIG_WHEEL;
    const GrVec3 origin = wheel ? gr_vec3(0, 0, 0) : gr_vec3((low.x + high.x) / 2, (low.y + high.y) / 2, low.z);
    uint64_t hash = 1;
    for (int k = 0; k < mesh->vertex_count; k++) {
        mesh->vertices[k] = gr_sub(mesh->vertices[k], origin);
        hash = gr_checksum(hash, &mesh->vertices[k], sizeof mesh->vertices[k]);
    }
    hash = gr_checksum(hash, mesh->triangles, (size_t)mesh->triangle_count * sizeof *mesh->triangles);
    def->shape = (GrBinRigShape){.hash = hash | 1, .length = size.x, .width = size.y, .area = area};
    def->diameter = sqrt(4 * area / GR_PI);
    return wheel ? fit_wheel(mesh, radius, size.y, def, log) : GR_OK;
}
