#include "rock.h"

#include "alloc.h"
#include "elementary.h"
#include "out_of_memory.h"
#include "random.h"
#include "rule.h"

/// Deviations beyond so many standard deviations are drawn again, so that rocks have a bound.
static const double MOST_DEVIATION = 3;

GrRockDef gr_default_rock_def(void)
{
    return (GrRockDef){
        .kind = GR_ROCK_HULL,
        .diameter = 0.3,
        .height = 0.2,
        .points = 40,
        .deviation = 0.1,
        .roughness = 0.2,
        .detail = 0.04,
        .refinement = 3,
        .density = 2700,
        .seed = 1,
    };
}

GrStatus gr_rock_check(const GrRockDef *d, GrErrorLog *log)
{
    const GrRule rules[] = {
        {"diameter", "a positive number", gr_is_positive(d->diameter)},
        {"height", "a positive number", gr_is_positive(d->height)},
        {"density", "a positive number", gr_is_positive(d->density)},
        {"points", "8 to 1000", d->points >= 8 && d->points <= 1000},
        {"deviation", "0 to 0.3", d->deviation >= 0 && d->deviation <= 0.3},
        {"roughness", "0 to 0.5", d->roughness >= 0 && d->roughness <= 0.5},
        {"detail", "0 to 0.2", d->detail >= 0 && d->detail <= 0.2},
        {"refinement", "0 to 6", d->refinement >= 0 && d->refinement <= 6},
    };
    return gr_rules_check(rules, sizeof rules / sizeof rules[0], log);
}

GrRockExtent gr_rock_extent(const GrRockDef *def)
{
    // The gradients of the noise have components within ±1, and offsets from a lattice point are below 1 along each of
    // three axes. The centre of mass may be at one side and a point at the other.
    const double grow = def->kind == GR_ROCK_HULL    ? 1
                        : def->kind == GR_ROCK_NOISE ? 1 + 2 * 3 * (def->roughness + def->detail)
                                                     : 1 + MOST_DEVIATION * def->deviation;
    const double round = 1 + 1e-9;
    return (GrRockExtent){round * grow * def->diameter, round * grow * def->height};
}

/// Whether a point is in a primitive of radius 1 between z = −1 and 1.
static bool in_primitive(GrRockPrimitive primitive, GrVec3 p)
{
    const double round = p.x * p.x + p.y * p.y, z = fabs(p.z);
    const double above = fmax(0, 2 * z - 1), dome = 0.5 * (p.z + 1);
    switch (primitive) {
    case GR_ROCK_CAPSULE:
        return round + above * above <= 1;
    case GR_ROCK_HEMISPHERE:
        return p.z >= -1 && round + dome * dome <= 1;
    case GR_ROCK_ELLIPSOID:
        return round + z * z <= 1;
    case GR_ROCK_BOX:
        return fmax(fabs(p.x), fabs(p.y)) <= sqrt(0.5) && z <= 1;
    default:
        return round <= 1 && z <= 1;
    }
}

/// Distance of the primitive's surface from its centre, by bisection.
static double surface_at(GrRockPrimitive primitive, GrVec3 way)
{
    double in = 0, out = 2;
    for (int i = 0; i < 52; i++) {
        const double middle = 0.5 * (in + out);
        *(in_primitive(primitive, gr_scale(middle, way)) ? &in : &out) = middle;
    }
    return in;
}

/// A point off the surface in a random direction, by a random distance.
static GrVec3 deviating_point(const GrRockDef *d, GrRandom *random)
{
    const double z = gr_random_uniform(random, -1, 1), angle = 2 * GR_PI * gr_random_unit(random);
    const double across = sqrt(1 - z * z);
    const GrVec3 way = gr_vec3(across * gr_cos(angle), across * gr_sin(angle), z);
    double off = gr_random_normal(random);
    while (fabs(off) > MOST_DEVIATION) {
        off = gr_random_normal(random);
    }
    const GrVec3 p = gr_scale((1 + d->deviation * off) * surface_at(d->primitive, way), way);
    return gr_vec3(0.5 * d->diameter * p.x, 0.5 * d->diameter * p.y, 0.5 * d->height * p.z);
}

/// A point uniformly distributed in the cylinder.
static GrVec3 cylinder_point(const GrRockDef *d, GrRandom *random)
{
    const double r = d->diameter / 2 * sqrt(gr_random_unit(random));
    const double angle = 2 * GR_PI * gr_random_unit(random);
    return gr_vec3(r * gr_cos(angle), r * gr_sin(angle), d->height * (gr_random_unit(random) - 0.5));
}

static GrConvexMesh *cloud_hull(const GrRockDef *d, GrErrorLog *log)
{
    GrRandom random = gr_random_stream(d->seed, "rock");
    GrVec3 *cloud = gr_malloc(sizeof(GrVec3) * (size_t)d->points);
    if (cloud == NULL) {
        return NULL;
    }
    for (int i = 0; i < d->points; i++) {
        cloud[i] = d->kind == GR_ROCK_HULL ? cylinder_point(d, &random) : deviating_point(d, &random);
    }
    GrConvexMesh *hull = gr_convex_mesh_create(cloud, d->points, log);
    gr_free(cloud);
    return hull;
}

/// Hash of a lattice point (splitmix64).
static uint64_t lattice(uint64_t seed, int64_t x, int64_t y, int64_t z)
{
    uint64_t h = seed + 0x9e3779b97f4a7c15u * (uint64_t)x + 0xbf58476d1ce4e5b9u * (uint64_t)y +
                 0x94d049bb133111ebu * (uint64_t)z;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    return h ^ (h >> 31);
}

/// Gradient noise (Perlin 2002) in about [−1, 1]: gradients at lattice points, blended by 6 t⁵ − 15 t⁴ + 10 t³.
static double noise(uint64_t seed, GrVec3 p)
{
    const double floors[3] = {floor(p.x), floor(p.y), floor(p.z)};
    const double t[3] = {p.x - floors[0], p.y - floors[1], p.z - floors[2]};
    double fade[3], sum = 0;
    for (int i = 0; i < 3; i++) {
        fade[i] = t[i] * t[i] * t[i] * (t[i] * (6 * t[i] - 15) + 10);
    }
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1, slope = 0;
        const int bit[3] = {corner & 1, corner >> 1 & 1, corner >> 2 & 1};
        const uint64_t h =
            lattice(seed, (int64_t)floors[0] + bit[0], (int64_t)floors[1] + bit[1], (int64_t)floors[2] + bit[2]);
        for (int i = 0; i < 3; i++) {
            const double g = (double)(h >> (20 * i) & 0xfffff) / 0x80000 - 1;
            weight *= bit[i] ? fade[i] : 1 - fade[i];
            slope += g * (t[i] - bit[i]);
        }
        sum += weight * slope;
    }
    return sum;
}

/// Midpoint of an edge on the unit sphere. The two triangles at an edge find the same vertex in the list.
typedef struct Middle {
    int a, b;
    int taken; ///< vertex + 1; 0: free
} Middle;

static int middle_of(GrSurfaceMesh *mesh, Middle *table, size_t size, int a, int b)
{
    const int low = a < b ? a : b, high = a < b ? b : a;
    size_t at = ((size_t)low * 73856093u ^ (size_t)high * 19349663u) % size;
    for (; table[at].taken > 0; at = (at + 1) % size) {
        if (table[at].a == low && table[at].b == high) {
            return table[at].taken - 1;
        }
    }
    const GrVec3 p = gr_normalize(gr_add(mesh->vertices[a], mesh->vertices[b]));
    const int vertex = gr_surface_mesh_vertex(mesh, p);
    table[at] = (Middle){low, high, vertex + 1};
    return vertex;
}

static void icosahedron(GrSurfaceMesh *mesh)
{
    static const int FACES[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                     {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                     {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                     {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    const double g = (1 + sqrt(5)) / 2;
    const GrVec3 corners[12] = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                                {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
    for (int i = 0; i < 12; i++) {
        gr_surface_mesh_vertex(mesh, gr_normalize(corners[i]));
    }
    for (int i = 0; i < 20; i++) {
        gr_surface_mesh_triangle(mesh, FACES[i][0], FACES[i][1], FACES[i][2]);
    }
}

/// Splits every triangle into four. False when out of memory.
static bool refine(GrSurfaceMesh *mesh)
{
    const size_t size = 4 * (size_t)mesh->triangle_count + 1;
    Middle *table = gr_calloc(size, sizeof(Middle));
    if (table == NULL) {
        return false;
    }
    const int count = mesh->triangle_count;
    for (int i = 0; i < count; i++) {
        const int a = mesh->triangles[i][0], b = mesh->triangles[i][1], c = mesh->triangles[i][2];
        const int ab = middle_of(mesh, table, size, a, b), bc = middle_of(mesh, table, size, b, c);
        const int ca = middle_of(mesh, table, size, c, a);
        mesh->triangles[i][1] = ab;
        mesh->triangles[i][2] = ca;
        gr_surface_mesh_triangle(mesh, ab, b, bc);
        gr_surface_mesh_triangle(mesh, ca, bc, c);
        gr_surface_mesh_triangle(mesh, ab, bc, ca);
    }
    gr_free(table);
    return !mesh->failed;
}

static bool noisy_sphere(const GrRockDef *d, GrSurfaceMesh *mesh)
{
    icosahedron(mesh);
    for (int i = 0; i < d->refinement; i++) {
        if (!refine(mesh)) {
            return false;
        }
    }
    GrRandom random = gr_random_stream(d->seed, "rock noise");
    const uint64_t large = gr_random_u64(&random), small = gr_random_u64(&random);
    for (int i = 0; i < mesh->vertex_count; i++) {
        const GrVec3 p = mesh->vertices[i];
        const double grow =
            1 + 2 * d->roughness * noise(large, gr_scale(1.3, p)) + 2 * d->detail * noise(small, gr_scale(5.7, p));
        mesh->vertices[i] =
            gr_vec3(grow * p.x * d->diameter / 2, grow * p.y * d->diameter / 2, grow * p.z * d->height / 2);
    }
    return !mesh->failed;
}

static bool make_id(const GrRockDef *d, char id[GR_MESH_ID_SIZE])
{
    GrBuffer text = {0};
    const double values[] = {d->kind,      d->diameter, d->height,     d->points,
                             d->roughness, d->detail,   d->refinement, d->density};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        gr_buffer_number(&text, values[i]);
        gr_buffer_puts(&text, " ");
    }
    gr_buffer_printf(&text, "%llu", (unsigned long long)d->seed);
    if (d->kind == GR_ROCK_DEVIATION) {
        gr_buffer_printf(&text, " %d ", (int)d->primitive);
        gr_buffer_number(&text, d->deviation);
    }
    const bool made = !text.failed;
    gr_asset_id("rock", made ? text.data : "", id);
    gr_buffer_free(&text);
    return made;
}

/// Moves the centre of mass to the origin and computes its convex hull.
static GrStatus finish(const GrRockDef *d, GrRockMesh *rock, GrErrorLog *log)
{
    const GrSolid solid = gr_surface_mesh_solid(&rock->mesh);
    for (int i = 0; i < rock->mesh.vertex_count; i++) {
        rock->mesh.vertices[i] = gr_sub(rock->mesh.vertices[i], solid.com);
    }
    rock->hull = gr_convex_mesh_create(rock->mesh.vertices, rock->mesh.vertex_count, log);
    rock->volume = solid.volume;
    rock->mass = d->density * solid.volume;
    const GrSym3 i = solid.inertia;
    rock->inertia = (GrSym3){d->density * i.xx, d->density * i.yy, d->density * i.zz,
                             d->density * i.xy, d->density * i.xz, d->density * i.yz};
    return rock->hull != NULL ? GR_OK : GR_ERROR_VALUE;
}

GrStatus gr_rock_create(const GrRockDef *def, GrRockMesh *out, GrErrorLog *log)
{
    *out = (GrRockMesh){0};
    GrStatus status = gr_rock_check(def, log);
    if (status != GR_OK) {
        return status;
    }
    bool made = make_id(def, out->id);
    if (!made) {
        return gr_out_of_memory(log, NULL);
    }
    if (def->kind != GR_ROCK_NOISE) {
        GrConvexMesh *hull = cloud_hull(def, log);
        made = hull != NULL;
        if (made) {
            gr_surface_mesh_convex(&out->mesh, hull);
            made = !out->mesh.failed;
        }
        gr_convex_mesh_free(hull);
    } else {
        made = noisy_sphere(def, &out->mesh);
    }
    status = made ? finish(def, out, log) : gr_out_of_memory(log, NULL);
    if (status != GR_OK) {
        gr_rock_free(out);
    }
    return status;
}

void gr_rock_free(GrRockMesh *rock)
{
    gr_surface_mesh_free(&rock->mesh);
    gr_convex_mesh_free(rock->hull);
    *rock = (GrRockMesh){0};
}
