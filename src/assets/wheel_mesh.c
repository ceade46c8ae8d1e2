#include "wheel_mesh.h"

#include "alloc.h"
#include "elementary.h"
#include "out_of_memory.h"
#include "rule.h"

/// Pieces across the width, of the rim and of a grouser; contact shapes use every PART_STRIDE-th boundary.
enum { ACROSS = 12, PART_STRIDE = 3 };

GrWheelMeshDef gr_default_wheel_mesh_def(void)
{
    return (GrWheelMeshDef){
        .radius = 0.25,
        .width = 0.2,
        .profile = GR_RIM_FLAT,
        .crown = 0.02,
        .pattern = GR_GROUSERS_STRAIGHT,
        .grouser_count = 24,
        .grouser_height = 0.01,
        .grouser_thickness = 0.004,
        .grouser_angle = 20 * GR_PI / 180,
        .segments = 96,
    };
}

static GrStatus check(const GrWheelMeshDef *d, GrErrorLog *log)
{
    const bool lugs = d->grouser_count > 0;
    const GrRule rules[] = {
        {"radius", "a positive number", gr_is_positive(d->radius)},
        {"width", "a positive number", gr_is_positive(d->width)},
        {"crown", "0 or more, and less than the radius", d->crown >= 0 && d->crown < d->radius},
        {"grouser_count", "0 to 200", d->grouser_count >= 0 && d->grouser_count <= 200},
        {"grouser_height", "a positive number", !lugs || gr_is_positive(d->grouser_height)},
        {"grouser_thickness", "a positive number", !lugs || gr_is_positive(d->grouser_thickness)},
        {"grouser_angle", "between -80 and 80 degrees", fabs(d->grouser_angle) < 80 * GR_PI / 180},
        {"segments", "12 to 720", d->segments >= 12 && d->segments <= 720},
    };
    return gr_rules_check(rules, sizeof rules / sizeof rules[0], log);
}

/// Radius of the rim at y: a parabola between its middle and its edges.
static double rim_radius(const GrWheelMeshDef *d, double y)
{
    const double u = 2 * y / d->width;
    return d->profile == GR_RIM_CONVEX ? d->radius - d->crown * u * u : d->radius;
}

/// A point at an angle from the top, turning forward (about +y).
static GrVec3 around(double radius, double angle, double y)
{
    return gr_vec3(radius * gr_sin(angle), y, radius * gr_cos(angle));
}

static void add_rim(const GrWheelMeshDef *d, GrSurfaceMesh *mesh)
{
    const int n = d->segments;
    for (int j = 0; j <= ACROSS; j++) {
        const double y = d->width * ((double)j / ACROSS - 0.5);
        for (int i = 0; i < n; i++) {
            gr_surface_mesh_vertex(mesh, around(rim_radius(d, y), 2 * GR_PI * i / n, y));
        }
    }
    const int right = gr_surface_mesh_vertex(mesh, gr_vec3(0, -d->width / 2, 0));
    const int left = gr_surface_mesh_vertex(mesh, gr_vec3(0, d->width / 2, 0));
    for (int i = 0; i < n; i++) {
        const int next = (i + 1) % n;
        for (int j = 0; j < ACROSS; j++) {
            gr_surface_mesh_quad(mesh, j * n + i, j * n + next, (j + 1) * n + next, (j + 1) * n + i);
        }
        gr_surface_mesh_triangle(mesh, right, next, i);
        gr_surface_mesh_triangle(mesh, left, ACROSS * n + i, ACROSS * n + next);
    }
}

/// Position of a grouser around the rim at y: a slanted one advances with y, a chevron with |y|.
static double grouser_advance(const GrWheelMeshDef *d, double y)
{
    const double slope = gr_tan(d->grouser_angle) / d->radius;
    switch (d->pattern) {
    case GR_GROUSERS_STRAIGHT:
        return 0;
    case GR_GROUSERS_SLANTED:
        return slope * y;
    case GR_GROUSERS_CHEVRON:
        break;
    }
    return slope * (fabs(y) - d->width / 4);
}

/// A closed strip: four corners at each of ACROSS + 1 stations, with its foot inside the rim.
static void add_grouser(const GrWheelMeshDef *d, GrSurfaceMesh *mesh, double angle)
{
    const int base = mesh->vertex_count;
    for (int j = 0; j <= ACROSS; j++) {
        const double y = d->width * ((double)j / ACROSS - 0.5), r = rim_radius(d, y);
        const double middle = angle + grouser_advance(d, y), half = d->grouser_thickness / (2 * d->radius);
        const double foot = r - d->grouser_height / 2, tip = r + d->grouser_height;
        gr_surface_mesh_vertex(mesh, around(foot, middle - half, y));
        gr_surface_mesh_vertex(mesh, around(tip, middle - half, y));
        gr_surface_mesh_vertex(mesh, around(tip, middle + half, y));
        gr_surface_mesh_vertex(mesh, around(foot, middle + half, y));
    }
    for (int j = 0; j < ACROSS; j++) {
        for (int k = 0; k < 4; k++) {
            const int a = base + 4 * j + k, b = base + 4 * j + (k + 1) % 4;
            gr_surface_mesh_quad(mesh, a, b, b + 4, a + 4);
        }
    }
    const int end = base + 4 * ACROSS;
    gr_surface_mesh_quad(mesh, base + 3, base + 2, base + 1, base);
    gr_surface_mesh_quad(mesh, end, end + 1, end + 2, end + 3);
}

static bool make_id(const GrWheelMeshDef *d, char id[GR_MESH_ID_SIZE])
{
    GrBuffer text = {0};
    const double values[] = {d->radius,        d->width,          d->profile,           d->crown,         d->pattern,
                             d->grouser_count, d->grouser_height, d->grouser_thickness, d->grouser_angle, d->segments};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        gr_buffer_number(&text, values[i]);
        gr_buffer_puts(&text, " ");
    }
    const bool made = !text.failed;
    gr_asset_id("wheel", made ? text.data : "", id);
    gr_buffer_free(&text);
    return made;
}

GrStatus gr_wheel_mesh_create(const GrWheelMeshDef *def, GrWheelMesh *out, GrErrorLog *log)
{
    *out = (GrWheelMesh){0};
    const GrStatus status = check(def, log);
    if (status != GR_OK) {
        return status;
    }
    const bool named = make_id(def, out->id);
    add_rim(def, &out->mesh);
    if (!out->mesh.failed) {
        out->rim_volume = gr_surface_mesh_solid(&out->mesh).volume;
    }
    for (int i = 0; i < def->grouser_count; i++) {
        add_grouser(def, &out->mesh, 2 * GR_PI * i / def->grouser_count);
    }
    if (out->mesh.failed || !named) {
        gr_wheel_mesh_free(out);
        return gr_out_of_memory(log, NULL);
    }
    return GR_OK;
}

void gr_wheel_mesh_free(GrWheelMesh *wheel)
{
    gr_surface_mesh_free(&wheel->mesh);
    *wheel = (GrWheelMesh){0};
}

static bool add_rim_shapes(const GrWheelMeshDef *def, GrRigidDef *rigid, int body, GrPose pose, int material)
{
    if (def->profile == GR_RIM_FLAT || def->crown == 0) {
        return gr_rigid_add_shape(rigid, body, gr_convex_cylinder(def->radius, def->width), pose, material) >= 0;
    }
    bool ok = true; // steps inside the parabola that touch it at their edges
    for (int i = 1; i <= 3; i++) {
        const double width = def->width * i / 3;
        const GrConvex step = gr_convex_cylinder(rim_radius(def, width / 2), width);
        ok = ok && gr_rigid_add_shape(rigid, body, step, pose, material) >= 0;
    }
    return ok;
}

bool gr_wheel_add_shapes(const GrWheelMeshDef *def, GrRigidDef *rigid, int body, GrPose pose, int material)
{
    bool ok = add_rim_shapes(def, rigid, body, pose, material);
    const int halves = def->pattern == GR_GROUSERS_CHEVRON ? 2 : 1;
    const double lean = def->pattern == GR_GROUSERS_STRAIGHT ? 0 : def->grouser_angle;
    for (int i = 0; i < def->grouser_count * halves && ok; i++) {
        const double side = halves == 2 ? (i % 2 ? 1 : -1) : 0, y = side * def->width / 4;
        const int bar_number = i / halves;
        const double angle = 2 * GR_PI * bar_number / def->grouser_count + grouser_advance(def, y);
        // a bar from the axle side of the rim to the tips, inclined about the radius
        const double height = 2 * def->grouser_height, r = rim_radius(def, y) + def->grouser_height - height / 2;
        const double length = def->width / halves / gr_cos(lean);
        const GrQuat turn = gr_quat_axis_angle(gr_vec3(0, 1, 0), angle);
        const GrQuat lie = gr_quat_axis_angle(gr_vec3(0, 0, 1), halves == 2 ? -side * lean : -lean);
        const GrPose bar = {around(r, angle, y), gr_quat_mul(turn, lie)};
        const GrConvex shape = gr_convex_cuboid(gr_vec3(def->grouser_thickness, length, height));
        ok = gr_rigid_add_shape(rigid, body, shape, gr_pose_mul(pose, bar), material) >= 0;
    }
    return ok;
}

/// Hull of the part between two stations across the width, `row` points at each.
static GrStatus add_part(const GrVec3 *points, int row, int from, int to, int stride, GrWheelParts *out,
                         GrErrorLog *log)
{
    const int rows = (to - from) / stride + 1;
    GrVec3 *corners = gr_malloc(sizeof(GrVec3) * (size_t)(rows * row));
    if (corners == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    for (int i = 0; i < rows * row; i++) {
        corners[i] = points[(from + i / row * stride) * row + i % row];
    }
    GrConvexMesh *mesh = gr_convex_mesh_create(corners, rows * row, log);
    gr_free(corners);
    if (mesh == NULL) {
        return GR_ERROR_VALUE;
    }
    out->meshes[out->count++] = mesh;
    return GR_OK;
}

GrStatus gr_wheel_parts_create(const GrWheelMeshDef *def, GrWheelParts *out, GrErrorLog *log)
{
    *out = (GrWheelParts){0};
    GrWheelMeshDef one = *def;
    one.grouser_count = def->grouser_count > 0;
    GrWheelMesh wheel;
    GrStatus status = gr_wheel_mesh_create(&one, &wheel, log);
    if (status != GR_OK || wheel.mesh.vertices == NULL) {
        return status;
    }
    const bool crowned = def->profile == GR_RIM_CONVEX && def->crown > 0;
    const int rim = (ACROSS + 1) * def->segments + 2; // plus the centres of both sides
    status = add_part(wheel.mesh.vertices, def->segments, 0, ACROSS, crowned ? PART_STRIDE : ACROSS, out, log);
    const int halves = def->pattern == GR_GROUSERS_CHEVRON ? 2 : 1;
    for (int k = 0; k < halves * one.grouser_count && status == GR_OK; k++) {
        const GrVec3 *bar = wheel.mesh.vertices + rim;
        status = add_part(bar, 4, k * ACROSS / halves, (k + 1) * ACROSS / halves, PART_STRIDE, out, log);
    }
    gr_wheel_mesh_free(&wheel);
    if (status != GR_OK) {
        gr_wheel_parts_free(out);
    }
    return status;
}

void gr_wheel_parts_free(GrWheelParts *parts)
{
    for (int i = 0; i < parts->count; i++) {
        gr_convex_mesh_free(parts->meshes[i]);
    }
    *parts = (GrWheelParts){0};
}

bool gr_wheel_add_parts(const GrWheelMeshDef *def, const GrWheelParts *parts, GrRigidDef *rigid, int body, GrPose pose,
                        int material)
{
    bool ok = gr_rigid_add_shape(rigid, body, gr_convex_of_round_mesh(parts->meshes[0]), pose, material) >= 0;
    for (int i = 0; i < def->grouser_count && ok; i++) {
        const GrPose turn = {{0, 0, 0}, gr_quat_axis_angle(gr_vec3(0, 1, 0), 2 * GR_PI * i / def->grouser_count)};
        for (int k = 1; k < parts->count && ok; k++) {
            const GrConvex bar = gr_convex_of_mesh(parts->meshes[k]);
            ok = gr_rigid_add_shape(rigid, body, bar, gr_pose_mul(pose, turn), material) >= 0;
        }
    }
    return ok;
}
