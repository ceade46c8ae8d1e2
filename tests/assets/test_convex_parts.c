/// Convex parts of meshes: against closed forms, against an independent Monte Carlo integral, and what is refused.
#include "convex_parts.h"
#include "random.h"
#include "test.h"

#include <math.h>

/// An outline in the plane z = 0, counter-clockwise, as a prism of height 1; caps are fans of `tris`.
static void prism(const double (*outline)[2], int n, const int (*caps)[3], int cap_count, GrSurfaceMesh *out)
{
    for (int i = 0; i < 2 * n; i++) {
        gr_surface_mesh_vertex(out, gr_vec3(outline[i % n][0], outline[i % n][1], i < n ? 0 : 1));
    }
    for (int i = 0; i < cap_count; i++) {
        gr_surface_mesh_triangle(out, caps[i][2], caps[i][1], caps[i][0]);
        gr_surface_mesh_triangle(out, n + caps[i][0], n + caps[i][1], n + caps[i][2]);
    }
    for (int i = 0; i < n; i++) {
        const int j = (i + 1) % n;
        gr_surface_mesh_quad(out, i, j, n + j, n + i);
    }
}

static const double U[8][2] = {{0, 0}, {3, 0}, {3, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
static const int U_CAPS[6][3] = {{0, 1, 4}, {0, 4, 5}, {1, 2, 3}, {1, 3, 4}, {0, 5, 6}, {0, 6, 7}};
static const double L[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
static const int L_CAPS[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 5}, {3, 4, 5}};

/// A torus about z, of radii 1 and 0.3 m, as `n` by `m` quadrangles.
static void torus(int n, int m, GrSurfaceMesh *out)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            const double a = 2 * GR_PI * i / n, b = 2 * GR_PI * j / m, r = 1 + 0.3 * cos(b);
            gr_surface_mesh_vertex(out, gr_vec3(r * cos(a), r * sin(a), 0.3 * sin(b)));
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            const int i2 = (i + 1) % n, j2 = (j + 1) % m;
            gr_surface_mesh_quad(out, i * m + j, i2 * m + j, i2 * m + j2, i * m + j2);
        }
    }
}

static GrConvexParts parts_of(const GrSurfaceMesh *mesh, int most, double error)
{
    GrConvexParts parts;
    const GrConvexPartsDef def = {most, error};
    GrErrorLog log = {0};
    assert_int_equal(gr_convex_parts_make(mesh, &def, &parts, &log), GR_OK);
    return parts;
}

/// The hull of a U fills its notch, whose middle is half a width from its walls; three boxes are exact.
static void test_closed_forms(void **state)
{
    (void)state;
    GrSurfaceMesh u = {0}, l = {0};
    prism(U, 8, U_CAPS, 6, &u);
    prism(L, 6, L_CAPS, 4, &l);
    GrConvexParts parts = parts_of(&u, 1, 0);
    assert_int_equal(parts.count, 1);
    assert_near(parts.volume, 5, 1e-12);
    assert_near(parts.hulls, 6, 1e-12);
    assert_near(parts.worst, 0.2, 1e-12);
    assert_true(parts.distance > 0.45 && parts.distance <= 0.5 + 1e-9); // the largest of samples, never above the truth
    gr_convex_parts_free(&parts);
    parts = parts_of(&u, 16, 0);
    assert_int_equal(parts.count, 3);
    assert_near(parts.hulls, 5, 1e-12);
    assert_near(parts.distance, 0, 1e-9);
    gr_convex_parts_free(&parts);
    parts = parts_of(&l, 16, 0);
    assert_int_equal(parts.count, 2);
    assert_near(parts.hulls, 3, 1e-12);
    gr_convex_parts_free(&parts);
    gr_surface_mesh_free(&u);
    gr_surface_mesh_free(&l);
}

static bool in_part(const GrConvexMesh *hull, GrVec3 p)
{
    bool inside = true;
    for (int f = 0; f < hull->face_count; f++) {
        inside = inside && gr_dot(hull->normals[f], p) <= hull->offsets[f];
    }
    return inside;
}

/// Parts of a torus contain it, do not overlap, and have the volume that they say; more parts are closer to it.
static void test_torus(void **state)
{
    (void)state;
    enum { POINTS = 200000 };
    GrSurfaceMesh mesh = {0};
    torus(32, 16, &mesh);
    double before = INFINITY;
    const double inner = 0.3 * cos(GR_PI / 16) - 1.3 * (1 - cos(GR_PI / 32)); // the facets are farther out
    for (int most = 1; most <= 16; most *= 4) {
        GrConvexParts parts = parts_of(&mesh, most, 0);
        GrRandom random = gr_random_stream(7, "torus");
        int in_any = 0, in_two = 0, missed = 0;
        double farthest = 0;
        for (int i = 0; i < POINTS; i++) {
            const GrVec3 p = gr_vec3(gr_random_uniform(&random, -1.3, 1.3), gr_random_uniform(&random, -1.3, 1.3),
                                     gr_random_uniform(&random, -0.3, 0.3));
            const double off = hypot(hypot(p.x, p.y) - 1, p.z);
            int count = 0;
            for (int k = 0; k < parts.count; k++) {
                count += in_part(parts.parts[k].hull, p);
            }
            in_any += count > 0;
            in_two += count > 1;
            missed += count == 0 && off < inner;
            farthest = count > 0 ? fmax(farthest, off - 0.3) : farthest;
        }
        assert_int_equal(parts.count, most);
        assert_int_equal(missed, 0);
        assert_int_equal(in_two, 0);
        const double box = 2.6 * 2.6 * 0.6, share = parts.hulls / box;
        assert_near(box * in_any / POINTS, parts.hulls, 4 * box * sqrt(share * (1 - share) / POINTS));
        assert_true(parts.distance > 0.9 * farthest && parts.distance < farthest + 1.2 * (0.3 - inner));
        assert_true(parts.worst < before);
        before = parts.worst;
        gr_convex_parts_free(&parts);
    }
    gr_surface_mesh_free(&mesh);
}

/// Objects are cut each on its own, and only as far as their error asks.
static void test_objects(void **state)
{
    (void)state;
    GrSurfaceMesh mesh = {0};
    prism(U, 8, U_CAPS, 6, &mesh);
    GrSurfaceMesh second = {0};
    prism(L, 6, L_CAPS, 4, &second);
    const int base = mesh.vertex_count;
    for (int i = 0; i < second.vertex_count; i++) {
        gr_surface_mesh_vertex(&mesh, gr_add(second.vertices[i], gr_vec3(1.5, 1.2, 0))); // its hull meets the U's
    }
    for (int i = 0; i < second.triangle_count; i++) {
        const int *t = second.triangles[i];
        gr_surface_mesh_triangle(&mesh, base + t[0], base + t[1], base + t[2]);
    }
    GrConvexParts parts = parts_of(&mesh, 16, 0);
    assert_int_equal(parts.objects, 2);
    assert_int_equal(parts.count, 5);
    assert_near(parts.volume, 8, 1e-12);
    gr_convex_parts_free(&parts);
    parts = parts_of(&mesh, 16, 0.18); // the L has 1/6 too much, the U 1/5
    assert_int_equal(parts.count, 3);
    assert_true(parts.worst <= 0.18);
    gr_convex_parts_free(&parts);
    gr_surface_mesh_free(&second);
    gr_surface_mesh_free(&mesh);
}

static void check_refused(const GrSurfaceMesh *mesh, const char *text)
{
    GrErrorLog log = {.quiet = true};
    GrConvexParts parts;
    const GrConvexPartsDef def = gr_default_convex_parts_def();
    assert_int_equal(gr_convex_parts_make(mesh, &def, &parts, &log), GR_ERROR_VALUE);
    assert_non_null(strstr(log.items[0].text, text));
    assert_int_equal(parts.count, 0);
}

static void test_refused(void **state)
{
    (void)state;
    GrSurfaceMesh mesh = {0};
    prism(L, 6, L_CAPS, 4, &mesh);
    for (int i = 0; i < mesh.triangle_count; i++) {
        const int first = mesh.triangles[i][0];
        mesh.triangles[i][0] = mesh.triangles[i][1];
        mesh.triangles[i][1] = first;
    }
    check_refused(&mesh, "inside out");
    mesh.triangle_count--;
    check_refused(&mesh, "3 of its edges");
    mesh.triangle_count = 0;
    check_refused(&mesh, "at least one triangle");
    gr_surface_mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_torus),
        cmocka_unit_test(test_objects),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
