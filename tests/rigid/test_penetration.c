/// Depth and normal of overlapping convex shapes against the hull of their Minkowski difference, and manifolds.
#include "manifold.h"
#include "penetration.h"
#include "random.h"
#include "test.h"

#include <stdlib.h>

static const double DEPTH_TOLERANCE = 1e-6; // relative
enum { MAX_POINTS = 14 };

static GrQuat random_turn(GrRandom *r)
{
    return gr_quat_normalize(
        (GrQuat){gr_random_normal(r), gr_random_normal(r), gr_random_normal(r), gr_random_normal(r)});
}

typedef struct RandomShape {
    GrConvex convex;
    GrConvexMesh *mesh;
    GrVec3 corners[MAX_POINTS]; ///< in the world
    int corner_count;
    GrPlacedConvex placed;
} RandomShape;

static void random_shape(GrRandom *r, RandomShape *out, GrVec3 position)
{
    out->mesh = NULL;
    out->corner_count = 8;
    if (gr_random_unit(r) < 0.4) {
        const GrVec3 size = {gr_random_uniform(r, 0.1, 1), gr_random_uniform(r, 0.1, 1), gr_random_uniform(r, 0.1, 1)};
        out->convex = gr_convex_cuboid(size);
        for (int i = 0; i < 8; i++) {
            out->corners[i] =
                gr_vec3((i & 1 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y, (i & 4 ? 0.5 : -0.5) * size.z);
        }
    } else {
        out->corner_count = 6 + (int)gr_random_below(r, MAX_POINTS - 5);
        for (int i = 0; i < out->corner_count; i++) {
            out->corners[i] = gr_vec3(gr_random_uniform(r, -0.5, 0.5), gr_random_uniform(r, -0.5, 0.5),
                                      gr_random_uniform(r, -0.5, 0.5));
        }
        out->mesh = gr_convex_mesh_create(out->corners, out->corner_count, NULL);
        assert_non_null(out->mesh);
        out->convex = gr_convex_of_mesh(out->mesh);
    }
    out->placed = (GrPlacedConvex){&out->convex, gr_quat_to_mat3(random_turn(r)), position};
    for (int i = 0; i < out->corner_count; i++) {
        out->corners[i] = gr_add(position, gr_mat3_mul_vec(&out->placed.rotation, out->corners[i]));
    }
}

/// Least distance from the origin to the planes of the hull of all differences of corners, and to the next best plane
/// of another direction.
static double hull_depth(const RandomShape *a, const RandomShape *b, GrVec3 *normal, double *next)
{
    GrVec3 points[MAX_POINTS * MAX_POINTS];
    int count = 0;
    for (int i = 0; i < a->corner_count; i++) {
        for (int j = 0; j < b->corner_count; j++) {
            points[count++] = gr_sub(a->corners[i], b->corners[j]);
        }
    }
    GrConvexMesh *hull = gr_convex_mesh_create(points, count, NULL);
    assert_non_null(hull);
    int best = 0;
    for (int f = 1; f < hull->face_count; f++) {
        best = hull->offsets[f] < hull->offsets[best] ? f : best;
    }
    *normal = hull->normals[best];
    *next = INFINITY;
    for (int f = 0; f < hull->face_count; f++) {
        if (f != best && gr_dot(hull->normals[f], *normal) < 1 - 1e-8) {
            *next = fmin(*next, hull->offsets[f]);
        }
    }
    const double depth = hull->offsets[best];
    gr_convex_mesh_free(hull);
    return depth;
}

static void test_random_pairs(void **state)
{
    (void)state;
    GrRandom r = gr_random_stream(5, "pairs");
    int overlapping = 0, ambiguous = 0;
    double worst_depth = 0, worst_normal = 0;
    const int pairs = GR_TEST_STUDY(10000, 3000);
    for (int i = 0; i < pairs; i++) {
        RandomShape a, b;
        const GrVec3 far = {gr_random_uniform(&r, -1e4, 1e4), gr_random_uniform(&r, -1e4, 1e4), 100};
        const GrVec3 apart = {gr_random_uniform(&r, -0.6, 0.6), gr_random_uniform(&r, -0.6, 0.6),
                              gr_random_uniform(&r, -0.6, 0.6)};
        random_shape(&r, &a, i % 2 ? gr_vec3(0, 0, 0) : far);
        random_shape(&r, &b, gr_add(a.placed.position, apart));
        GrVec3 normal;
        double next;
        const double depth = hull_depth(&a, &b, &normal, &next);
        GrPenetration p;
        const bool overlap = gr_penetration(&a.placed, &b.placed, false, &p);
        if (fabs(depth) > 1e-5) {
            GrPenetration again;
            assert_int_equal(overlap, depth > 0);
            assert_int_equal(gr_penetration(&a.placed, &b.placed, true, &again), overlap); // without MPR
        }
        if (overlap && depth > 1e-5) {
            overlapping++;
            const double noise = i % 2 ? 0 : 1e-11; // of coordinates far away, in the reference
            worst_depth = fmax(worst_depth, (fabs(p.depth - depth) - noise) / depth);
            assert_near(p.depth, depth, DEPTH_TOLERANCE * depth + noise);
            if (next - depth > 1e-6 * depth + noise) {
                worst_normal = fmax(worst_normal, gr_norm(gr_sub(p.normal, normal)));
            } else {
                ambiguous++;
            }
        }
        gr_convex_mesh_free(a.mesh);
        gr_convex_mesh_free(b.mesh);
    }
    print_message("%d of %d overlap; depth off by %.2g (relative), normal by %.2g; %d without a single nearest face\n",
                  overlapping, pairs, worst_depth, worst_normal, ambiguous);
    assert_true(overlapping > pairs / 4);
    assert_true(worst_normal < 1e-6);
}

/// Extent of the Minkowski difference along a direction: no depth is less than the least of these.
static double extent(const GrPlacedConvex *a, const GrPlacedConvex *b, GrVec3 n)
{
    return gr_dot(n, gr_sub(gr_placed_support(a, n), gr_placed_support(b, gr_neg(n))));
}

/// Local pattern search for the least extent, from a direction and with shrinking steps.
static double search(const GrPlacedConvex *a, const GrPlacedConvex *b, GrVec3 n)
{
    double best = extent(a, b, n), step = 0.05;
    for (int i = 0; i < 300 && step > 1e-9; i++) {
        const GrVec3 u = gr_normalize(gr_cross(n, fabs(n.x) < 0.6 ? gr_vec3(1, 0, 0) : gr_vec3(0, 1, 0)));
        const GrVec3 v = gr_cross(n, u);
        bool found = false;
        for (int k = 0; k < 8 && !found; k++) {
            const double t = 0.25 * 3.14159265358979323846 * k + step;
            const GrVec3 m = gr_normalize(gr_madd(gr_madd(n, step * cos(t), u), step * sin(t), v));
            found = extent(a, b, m) < best;
            if (found) {
                best = extent(a, b, m);
                n = m;
            }
        }
        step *= found ? 1.3 : 0.5;
    }
    return best;
}

/// Least extent over all directions: local searches from the best of many starts, since there are several minima.
static double least_extent(const GrPlacedConvex *a, const GrPlacedConvex *b)
{
    enum { DIRECTIONS = 2000, CLOSEST = 12 };
    double least[CLOSEST], best = INFINITY;
    GrVec3 from[CLOSEST];
    for (int k = 0; k < DIRECTIONS; k++) { // evenly over the sphere (Fibonacci)
        const double z = 1 - 2 * (k + 0.5) / DIRECTIONS, across = sqrt(1 - z * z), turn = 2.399963229728653 * k;
        const GrVec3 n = {across * cos(turn), across * sin(turn), z};
        const double w = extent(a, b, n);
        int worst = 0;
        for (int j = 1; j < CLOSEST && k >= CLOSEST; j++) {
            worst = least[j] > least[worst] ? j : worst;
        }
        worst = k < CLOSEST ? k : worst;
        if (k < CLOSEST || w < least[worst]) {
            least[worst] = w;
            from[worst] = n;
        }
    }
    for (int j = 0; j < CLOSEST; j++) {
        best = fmin(best, search(a, b, from[j]));
    }
    return best;
}

/// Depths of round shapes are found to 1e-8 of their size together, which is below 4 m.
static const double ROUND_DEPTH = 4e-8; // [m]

/// Cylinders against cylinders and boxes at any depth: a search over the whole sphere of directions finds no depth that
/// is less, and the depth is the extent along its normal.
static void test_cylinders_at_any_depth(void **state)
{
    (void)state;
    GrRandom r = gr_random_stream(9, "cylinders");
    int overlapping = 0;
    double above = 0, wrong = 0;
    for (int i = 0; i < 1500; i++) {
        const GrConvex round = gr_convex_cylinder(gr_random_uniform(&r, 0.05, 0.5), gr_random_uniform(&r, 0.05, 1));
        const GrVec3 size = {gr_random_uniform(&r, 0.1, 1), gr_random_uniform(&r, 0.1, 1),
                             gr_random_uniform(&r, 0.1, 1)};
        const GrConvex other = i % 3 == 0 ? gr_convex_cuboid(size) : gr_convex_cylinder(size.x / 2, size.y);
        const GrPlacedConvex a = {&round, gr_quat_to_mat3(random_turn(&r)), {0, 0, 0}};
        const GrPlacedConvex b = {
            &other,
            gr_quat_to_mat3(random_turn(&r)),
            {gr_random_uniform(&r, -0.5, 0.5), gr_random_uniform(&r, -0.5, 0.5), gr_random_uniform(&r, -0.5, 0.5)}};
        GrPenetration p;
        if (!gr_penetration(&a, &b, false, &p) || p.depth < 1e-4) {
            continue;
        }
        const double best = least_extent(&a, &b);
        overlapping++;
        above = fmax(above, p.depth - best);
        wrong = fmax(wrong, fabs(extent(&a, &b, p.normal) / p.depth - 1));
    }
    print_message("%d overlapping pairs with cylinders: depth above that of the search by at most %.2g m, off "
                  "the extent along its normal by %.2g (relative)\n",
                  overlapping, above, wrong);
    assert_true(overlapping > 1000);
    assert_true(above < ROUND_DEPTH);
    assert_true(wrong < 1e-6);
}

/// A polyhedron in the side of a cylinder: shapes reported as separate have a separating plane; for a reported depth
/// there is no direction with a smaller one.
static void test_sides_of_cylinders(void **state)
{
    (void)state;
    enum { SIDE_PAIRS = 1600 };
    GrRandom r = gr_random_stream(10, "sides");
    int answers[3] = {0, 0, 0};
    double above = 0, wrong = 0, closest = -INFINITY;
    for (int i = 0; i < SIDE_PAIRS; i++) {
        RandomShape other;
        const GrConvex wheel = gr_convex_cylinder(gr_random_uniform(&r, 0.2, 0.5), gr_random_uniform(&r, 0.1, 1));
        random_shape(&r, &other,
                     gr_vec3(gr_random_uniform(&r, -0.8, 0.8), gr_random_uniform(&r, -0.4, 0.4),
                             gr_random_uniform(&r, -0.8, 0.8)));
        const GrPlacedConvex cylinder = {&wheel, gr_quat_to_mat3(random_turn(&r)), {0, 0, 0}};
        GrPenetration p = {0};
        const GrSideAnswer answer = gr_cylinder_side(&cylinder, &other.placed, &p);
        answers[answer]++;
        if (answer == GR_SIDE_APART) {
            closest = fmax(closest, least_extent(&cylinder, &other.placed));
        } else if (answer == GR_SIDE_DEEP) {
            above = fmax(above, p.depth - least_extent(&cylinder, &other.placed));
            wrong = fmax(wrong, fabs(extent(&cylinder, &other.placed, p.normal) - p.depth));
        }
        gr_convex_mesh_free(other.mesh);
    }
    print_message("sides: %d apart, %d deep, %d unknown; depth above that of any direction by %.2g, off its normal by "
                  "%.2g; apart with an extent of %.2g\n",
                  answers[GR_SIDE_APART], answers[GR_SIDE_DEEP], answers[GR_SIDE_UNKNOWN], above, wrong, closest);
    assert_true(answers[GR_SIDE_APART] > 100 && answers[GR_SIDE_DEEP] > 100);
    assert_true(above < 2e-8);
    assert_true(wrong < 2e-8);
    assert_true(closest <= 0);
}

/// Cylinders against their many-sided prisms, at any depth: the prism's depth is less by at most its sagitta.
static void test_cylinders_against_prisms(void **state)
{
    (void)state;
    enum { SIDES = 256 };
    GrRandom r = gr_random_stream(6, "prisms");
    GrVec3 ring[2 * SIDES];
    const double radius = 0.4, length = 0.3, pi = 3.14159265358979323846;
    for (int i = 0; i < 2 * SIDES; i++) {
        const double angle = 2 * pi * (i % SIDES) / SIDES;
        ring[i] = gr_vec3(radius * cos(angle), i < SIDES ? length / 2 : -length / 2, radius * sin(angle));
    }
    GrConvexMesh *mesh = gr_convex_mesh_create(ring, 2 * SIDES, NULL);
    assert_non_null(mesh);
    const GrConvex cylinder = gr_convex_cylinder(radius, length), prism = gr_convex_of_mesh(mesh);
    const double sagitta = radius * (1 - cos(pi / SIDES));
    int overlapping = 0;
    for (int i = 0; i < 1500; i++) {
        RandomShape box;
        random_shape(&r, &box, gr_vec3(gr_random_uniform(&r, -0.7, 0.7), gr_random_uniform(&r, -0.7, 0.7), 0.2));
        const GrPlacedConvex a = {&cylinder, gr_quat_to_mat3(random_turn(&r)), {0, 0, 0}};
        const GrPlacedConvex b = {&prism, a.rotation, {0, 0, 0}};
        GrPenetration p, q;
        const bool first = gr_penetration(&a, &box.placed, false, &p),
                   second = gr_penetration(&b, &box.placed, false, &q);
        if (first && second) {
            overlapping++;
            assert_true(p.depth > q.depth - 1e-9);
            assert_near(p.depth, q.depth, sagitta + 1e-7);
        }
        gr_convex_mesh_free(box.mesh);
    }
    assert_true(overlapping > 300);
    gr_convex_mesh_free(mesh);
}

static GrPlacedConvex placed(const GrConvex *c, double x, double y, double z)
{
    return (GrPlacedConvex){c, gr_mat3_identity(), {x, y, z}};
}

/// A box on a box shares a rectangle; a lying wheel a line; a standing one its cap; a ball a point.
static void test_manifolds(void **state)
{
    (void)state;
    const GrConvex slab = gr_convex_cuboid(gr_vec3(4, 4, 1)), box = gr_convex_cuboid(gr_vec3(0.4, 0.2, 0.2));
    const GrConvex wheel = gr_convex_cylinder(0.3, 0.2), ball = gr_convex_sphere(0.3);
    const GrPlacedConvex below = placed(&slab, 0, 0, -0.5);
    GrManifold m;
    GrPlacedConvex top = placed(&box, 1.9, 0, 0.1 - 0.01); // hangs over the edge by 0.1
    gr_manifold(&below, &top, false, &m);
    assert_int_equal(m.count, 4);
    double weight = 0;
    for (int i = 0; i < 4; i++) {
        assert_near(m.points[i].depth, 0.01, 1e-9);
        assert_true(fabs(m.points[i].position.x - 1.7) < 1e-9 || fabs(m.points[i].position.x - 2.0) < 1e-9);
        weight += m.points[i].weight;
    }
    assert_near(weight, 4, 1e-9);
    assert_near(m.normal.z, 1, 1e-9);
    top = placed(&wheel, 0.5, 0.2, 0.3 - 0.002);
    gr_manifold(&below, &top, false, &m);
    assert_int_equal(m.count, 2);
    assert_near(m.points[0].depth, 0.002, 1e-8);
    assert_near(fabs(m.points[0].position.y - m.points[1].position.y), 0.2, 1e-8);
    top.rotation = gr_quat_to_mat3(gr_quat_axis_angle(gr_vec3(1, 0, 0), 3.14159265358979323846 / 2));
    top.position.z = 0.1 - 0.003;
    gr_manifold(&top, &below, false, &m);
    assert_int_equal(m.count, 16);
    assert_near(m.points[5].depth, 0.003, 1e-8);
    assert_near(m.normal.z, -1, 1e-8);
    top = placed(&wheel, 2 + 0.15, 0.3, 0.25); // over the edge: a line of both
    gr_manifold(&below, &top, false, &m);
    assert_int_equal(m.count, 2);
    assert_near(m.points[0].depth, 0.3 - hypot(0.15, 0.25), 1e-7);
    assert_near(fabs(m.points[0].position.y - m.points[1].position.y), 0.2, 1e-7);
    top = placed(&ball, 2.1, 0, 0.2);
    gr_manifold(&below, &top, false, &m);
    assert_int_equal(m.count, 1);
    assert_near(m.points[0].depth, 0.3 - hypot(0.1, 0.2), 1e-12);
}

/// A box on an equal one, shifted and turned by rounding errors or slightly more: the total force stays that of four
/// corners.
static void test_like_faces(void **state)
{
    (void)state;
    const GrConvex box = gr_convex_cuboid(gr_vec3(0.4, 0.3, 0.2));
    GrRandom r = gr_random_stream(11, "like faces");
    double least = INFINITY, most = 0;
    for (int i = 0; i < 4000; i++) {
        const double size = pow(10, gr_random_uniform(&r, -18, -4));
        const GrVec3 place = {gr_random_uniform(&r, -5, 5), gr_random_uniform(&r, -5, 5), 0.1};
        const GrVec3 shift = {size * gr_random_normal(&r), size * gr_random_normal(&r), 0.2 - 1e-3};
        const GrPlacedConvex low = {&box, gr_mat3_identity(), place};
        const double turn = i % 2 ? size * gr_random_normal(&r) : 0;
        const GrPlacedConvex top = {&box, gr_quat_to_mat3(gr_quat_axis_angle(gr_vec3(0, 0, 1), turn)),
                                    gr_add(place, shift)};
        GrManifold m;
        gr_manifold(&low, &top, true, &m);
        double weight = 0;
        for (int k = 0; k < m.count; k++) {
            weight += m.points[k].weight;
        }
        least = fmin(least, weight);
        most = fmax(most, weight);
    }
    print_message("like faces: weights sum up to %.9f .. %.9f\n", least, most);
    assert_near(least, 4, 1e-6);
    assert_near(most, 4, 1e-6);
}

static void test_solid_of_a_cuboid(void **state)
{
    (void)state;
    GrVec3 corners[9];
    for (int i = 0; i < 8; i++) {
        corners[i] = gr_vec3(i & 1 ? 3 : 2, i & 2 ? 2 : 0, i & 4 ? -1 : -4);
    }
    corners[8] = gr_vec3(2.5, 1, -2); // inside: dropped
    GrConvexMesh *m = gr_convex_mesh_create(corners, 9, NULL);
    assert_non_null(m);
    assert_int_equal(m->vertex_count, 8);
    assert_int_equal(m->face_count, 6);
    const GrSolid s = gr_convex_mesh_solid(m);
    const GrSym3 i = gr_inertia_box(6, gr_vec3(1, 2, 3));
    assert_near(s.volume, 6, 1e-12);
    assert_near(gr_norm(gr_sub(s.com, gr_vec3(2.5, 1, -2.5))), 0, 1e-12);
    assert_near(s.inertia.xx, i.xx, 1e-11);
    assert_near(s.inertia.yy, i.yy, 1e-11);
    assert_near(s.inertia.zz, i.zz, 1e-11);
    assert_near(fabs(s.inertia.xy) + fabs(s.inertia.xz) + fabs(s.inertia.yz), 0, 1e-11);
    gr_convex_mesh_free(m);
    GrErrorLog log = {0};
    assert_null(gr_convex_mesh_create((GrVec3[]){{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, 4, &log));
    assert_int_equal(log.error_count, 1);
}

/// Parts of a rover as shapes: a rod becomes a cylinder between its ends.
static void test_parts_of_a_rover(void **state)
{
    (void)state;
    GrShapeDef part = gr_default_shape_def();
    part.kind = GR_SHAPE_ROD;
    part.radius = 0.05;
    const GrVec3 ends[][2] = {
        {{1, 2, 3}, {1, 2, 4}}, {{0, 1, 0}, {0, -1, 0}}, {{0, -1, 0}, {0, 1, 0}}, {{0, 0, 0}, {1, 1, -2}}};
    for (int i = 0; i < 4; i++) {
        part.from = ends[i][0];
        part.to = ends[i][1];
        GrPose pose;
        const GrConvex rod = gr_convex_of_part(&part, &pose);
        const GrVec3 tip = gr_add(pose.position, gr_quat_rotate(pose.rotation, gr_vec3(0, rod.half.y, 0)));
        assert_int_equal(rod.kind, GR_CONVEX_CYLINDER);
        assert_near(gr_norm(gr_sub(tip, part.to)), 0, 1e-12);
    }
    part.kind = GR_SHAPE_BOX;
    part.size = gr_vec3(1, 2, 3);
    GrPose pose;
    assert_near(gr_convex_of_part(&part, &pose).half.z, 1.5, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_pairs),
        cmocka_unit_test(test_cylinders_against_prisms),
        cmocka_unit_test(test_cylinders_at_any_depth),
        cmocka_unit_test(test_sides_of_cylinders),
        cmocka_unit_test(test_manifolds),
        cmocka_unit_test(test_like_faces),
        cmocka_unit_test(test_solid_of_a_cuboid),
        cmocka_unit_test(test_parts_of_a_rover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
