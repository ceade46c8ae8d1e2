/// Meshes of the bodies that rigs push and turn.
#include "bin_rig_parts.h"
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
