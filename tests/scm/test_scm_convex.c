/// Convex bodies on SCM: half-spaces against triangles, closed forms against integrals, plates, feet with cleats,
/// crowned wheels, slopes.
#include "support/scm_test.h"

#include "random.h"
#include "support/soil_test.h"

/// A box by its half-spaces and by its triangles.
typedef struct Box {
    GrVec3 corners[8], normals[6];
    double offsets[6];
    int triangles[12][3];
    GrScmConvex convex;
    GrScmMesh mesh;
} Box;

static void box_make(Box *b, GrVec3 half)
{
    static const int quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int k = 0; k < 8; k++) {
        b->corners[k] = gr_vec3(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
    }
    for (int f = 0; f < 6; f++) {
        const double sign = f & 1 ? 1 : -1, size[3] = {half.x, half.y, half.z};
        b->normals[f] = gr_vec3(f / 2 == 0 ? sign : 0, f / 2 == 1 ? sign : 0, f / 2 == 2 ? sign : 0);
        b->offsets[f] = size[f / 2];
        const int one[3] = {quads[f][0], quads[f][1], quads[f][2]}, two[3] = {quads[f][0], quads[f][2], quads[f][3]};
        memcpy(b->triangles[2 * f], one, sizeof one);
        memcpy(b->triangles[2 * f + 1], two, sizeof two);
    }
    b->mesh = (GrScmMesh){b->corners, (const int(*)[3])b->triangles, 8, 12};
    b->convex = (GrScmConvex){.kind = GR_SCM_POLYHEDRON,
                              .corners = b->corners,
                              .corner_count = 8,
                              .normals = b->normals,
                              .offsets = b->offsets,
                              .face_count = 6};
}

static GrScmBody convex_body(const GrSoilDef *soil, const GrScmConvex *convex, double cell)
{
    GrScmBody body;
    assert_int_equal(gr_scm_prepare_convex(soil, convex, 9.81, cell, &body, NULL), GR_OK);
    return body;
}

/// Turned at random, its lowest point this deep below z = 0.
static GrScmPose random_pose(GrRandom *g, const GrScmConvex *c, double depth)
{
    GrScmPose pose = scm_pose(gr_random_uniform(g, -1, 1), gr_random_uniform(g, -1, 1), 0);
    const GrQuat q = gr_quat_normalize((GrQuat){gr_random_uniform(g, -1, 1), gr_random_uniform(g, -1, 1),
                                                gr_random_uniform(g, -1, 1), gr_random_uniform(g, -1, 1)});
    double lowest = 0;
    pose.axes = gr_quat_to_mat3(q);
    for (int k = 0; k < c->corner_count; k++) {
        lowest = fmin(lowest, gr_mat3_mul_vec(&pose.axes, c->corners[k]).z);
    }
    if (c->kind == GR_SCM_CYLINDER) {
        const double up = pose.axes.m[2][1];
        lowest = -c->radius * sqrt(1 - up * up) - c->half * fabs(up);
    }
    pose.centre.z = -lowest - depth;
    pose.velocity = gr_vec3(gr_random_uniform(g, -0.1, 0.1), gr_random_uniform(g, -0.1, 0.1), -0.02);
    pose.spin = gr_vec3(gr_random_uniform(g, -0.3, 0.3), gr_random_uniform(g, -0.3, 0.3), 0.2);
    return pose;
}

/// Largest difference of two wrenches, as a part of the force; moments by a length.
static double difference(const GrScmOutput *a, const GrScmOutput *b, double length)
{
    const double force = sqrt(a->wrench[0] * a->wrench[0] + a->wrench[1] * a->wrench[1] + a->wrench[2] * a->wrench[2]);
    double most = 0;
    for (int i = 0; i < 6; i++) {
        most = fmax(most, fabs(a->wrench[i] - b->wrench[i]) / (i < 3 ? 1 : length));
    }
    return most / force;
}

/// A box in any position: its half-spaces and its triangles cut by the cells are one surface.
static void test_box_two_ways(void **state)
{
    (void)state;
    GrRandom g = gr_random_stream(5, "boxes");
    Box box;
    GrSoilDef soil = ishigami();
    soil.damping = 200;
    soil.slip_sinkage = 0; // soil that is dug to the body's surface touches it or not by a rounding error
    box_make(&box, gr_vec3(0.11, 0.07, 0.05));
    const GrScmBody convex = convex_body(&soil, &box.convex, 0.01);
    GrScmBody mesh;
    assert_int_equal(gr_scm_prepare_mesh(&soil, &box.mesh, 9.81, 0.01, &mesh, NULL), GR_OK);
    double worst = 0;
    int pressed = 0;
    for (int k = 0; k < 60; k++) {
        const GrScmPose pose = random_pose(&g, &box.convex, gr_random_uniform(&g, 0.005, 0.04));
        GrScmOutput out[2];
        for (int q = 0; q < 2; q++) {
            Scm s;
            scm_begin(&s, q == 0 ? &convex : &mesh, NULL);
            scm_step(&s, &pose, 0.05);
            out[q] = *scm_step(&s, &pose, 0.05);
            assert_true(out[q].complete);
            scm_end(&s);
        }
        pressed += out[0].wrench[2] > 0; // or shear would draw it down, and it is released
        worst = fmax(worst, out[0].wrench[2] > 0 ? difference(&out[0], &out[1], 0.1) : out[1].wrench[2]);
    }
    print_message("box by half-spaces and by triangles: %.1e of the force, %d poses\n", worst, pressed);
    assert_true(pressed > 50);
    assert_true(worst < 1e-9);
}

/// A block pressed flat carries A (k_c/b + k_phi) z^n, b = 2 A/L; and a ball 2π ∫ r σ(z(r)) dr.
static void test_plate_and_ball(void **state)
{
    (void)state;
    const GrSoilDef soil = ishigami();
    Box box;
    box_make(&box, gr_vec3(0.2, 0.15, 0.05));
    const GrScmBody body = convex_body(&soil, &box.convex, 0.01);
    Scm s;
    scm_begin(&s, &body, NULL);
    GrScmPose pose = scm_pose(0.0013, 0.0041, 0.05 - 0.02);
    const double area = 0.4 * 0.3, width = 2 * area / 1.4;
    const double load = scm_step(&s, &pose, 0.01)->wrench[2];
    const double exact = area * (soil.k_c / width + soil.k_phi) * pow(0.02, soil.n0);
    print_message("block: %g N against %g N\n", load, exact);
    assert_near_rel(load, exact, 2e-3);
    scm_end(&s);
    GrSoilDef plain = soil;
    plain.k_c = 0; // the width of the patch changes with the depth
    const GrScmConvex ball = {.kind = GR_SCM_SPHERE, .radius = 0.1};
    double sum = 0;
    for (int k = 0; k < 1000; k++) {
        const double rim = sqrt(0.01 - 0.08 * 0.08), r = rim * (k + 0.5) / 1000, z = sqrt(0.01 - r * r) - 0.08;
        sum += 2 * M_PI * r * rim / 1000 * plain.k_phi * pow(z, plain.n0);
    }
    for (int k = 0; k < 3; k++) {
        const GrScmBody round = convex_body(&plain, &ball, 0.01 / (1 << k));
        scm_begin(&s, &round, NULL);
        pose = scm_pose(0.0013, 0.0041, 0.08);
        const double error = fabs(scm_step(&s, &pose, 0.01)->wrench[2] / sum - 1);
        print_message("ball, cell %g mm: error %g\n", 10.0 / (1 << k), error);
        assert_true(error < 1e-3);
        scm_end(&s);
    }
}

enum { SIDES = 120 };

/// A prism of triangles of a profile turned about y: radius at its ends and in the middle of its width.
typedef struct Prism {
    GrVec3 vertices[12 * SIDES + 2];
    int triangles[24 * SIDES][3];
    GrScmMesh mesh;
} Prism;

static void add_triangle(Prism *p, int a, int b, int c)
{
    const int corners[3] = {a, b, c};
    memcpy(p->triangles[p->mesh.triangle_count++], corners, sizeof corners);
}

static void prism_make(Prism *p, double radius, double half, double crown, int rings)
{
    const double grow = 1 + 0.75 * (1 / cos(M_PI / SIDES) - 1);
    memset(p, 0, sizeof *p);
    for (int q = 0; q < rings; q++) {
        const double part = -1 + 2.0 * q / (rings - 1), r = grow * (radius - crown * part * part);
        for (int k = 0; k < SIDES; k++) {
            const double angle = 2 * M_PI * k / SIDES;
            p->vertices[q * SIDES + k] = gr_vec3(r * sin(angle), part * half, -r * cos(angle));
        }
    }
    const int left = rings * SIDES, right = left + 1;
    p->vertices[left] = gr_vec3(0, -half, 0);
    p->vertices[right] = gr_vec3(0, half, 0);
    for (int k = 0; k < SIDES; k++) {
        const int n = (k + 1) % SIDES, far = (rings - 1) * SIDES;
        for (int q = 0; q + 1 < rings; q++) {
            const int a = q * SIDES;
            add_triangle(p, a + k, a + SIDES + k, a + n);
            add_triangle(p, a + n, a + SIDES + k, a + SIDES + n);
        }
        add_triangle(p, left, k, n);
        add_triangle(p, right, far + n, far + k);
    }
    p->mesh.vertices = p->vertices;
    p->mesh.triangles = (const int(*)[3])p->triangles;
    p->mesh.vertex_count = right + 1;
}

/// A cylinder in any position, lying, leaning or standing on a cap, against a prism of triangles.
static void test_cylinder_two_ways(void **state)
{
    (void)state;
    static Prism prism;
    GrRandom g = gr_random_stream(7, "cylinders");
    GrSoilDef soil = ishigami();
    soil.k_c = 0;
    soil.slip_sinkage = 0;
    const GrScmConvex cylinder = {.kind = GR_SCM_CYLINDER, .radius = 0.09, .half = 0.06};
    prism_make(&prism, cylinder.radius, cylinder.half, 0, 2);
    const GrScmBody round = convex_body(&soil, &cylinder, 0.005);
    GrScmBody mesh;
    assert_int_equal(gr_scm_prepare_mesh(&soil, &prism.mesh, 9.81, 0.005, &mesh, NULL), GR_OK);
    double worst = 0, mean = 0;
    for (int k = 0; k < 40; k++) {
        GrScmPose pose = random_pose(&g, &cylinder, 0.02);
        if (k < 2) { // lying, and standing on a cap
            pose.axes = gr_mat3_identity();
            pose.centre.z = (k == 0 ? cylinder.radius : cylinder.half) - 0.02;
        }
        if (k == 1) {
            pose.axes = (GrMat3){{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}};
        }
        GrScmOutput out[2];
        for (int q = 0; q < 2; q++) {
            Scm s;
            scm_begin(&s, q == 0 ? &round : &mesh, NULL);
            scm_step(&s, &pose, 0.05);
            out[q] = *scm_step(&s, &pose, 0.05);
            scm_end(&s);
        }
        const double off = difference(&out[1], &out[0], 0.09);
        worst = fmax(worst, off);
        mean += off / 40;
    }
    print_message("cylinder in closed form and as a prism: %.2g of the force in the mean, %.2g at most\n", mean, worst);
    assert_true(mean < 0.005);
    assert_true(worst < 0.02);
}

/// A crowned wheel against triangles of its profile; grousers slanted in the opposite direction are a mirror image.
static void test_treads(void **state)
{
    (void)state;
    static Prism prism;
    GrSoilDef soil = ishigami();
    soil.k_c = 0;
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    wheel.crown = 0.012;
    GrScmBody body, mesh;
    prism_make(&prism, wheel.radius, 0.5 * wheel.width, wheel.crown, 12);
    assert_int_equal(gr_scm_prepare_wheel(&soil, &wheel, 0.005, &body, NULL), GR_OK);
    assert_int_equal(gr_scm_prepare_mesh(&soil, &prism.mesh, 9.81, 0.005, &mesh, NULL), GR_OK);
    GrScmPose pose = scm_rolling(wheel.radius, 0.002, wheel.radius - 0.02, 0.05, 0.03);
    pose.velocity.y = 0.01;
    GrScmOutput out[2];
    for (int q = 0; q < 2; q++) {
        Scm s;
        scm_begin(&s, q == 0 ? &body : &mesh, NULL);
        scm_step(&s, &pose, 0.05);
        out[q] = *scm_step(&s, &pose, 0.05);
        scm_end(&s);
    }
    print_message("crowned: %.3g of the force off its triangles\n", difference(&out[1], &out[0], 0.09));
    assert_true(difference(&out[1], &out[0], 0.09) < 0.02);
    wheel.crown = 0;
    wheel.grousers = GR_GROUSER_LUGS;
    wheel.grouser_count = 18;
    wheel.grouser_height = 0.008;
    wheel.grouser_thickness = 0.003;
    for (int q = 0; q < 2; q++) {
        wheel.grouser_slant = (q == 0 ? 25 : -25) * DEGREE;
        assert_int_equal(gr_scm_prepare_wheel(&soil, &wheel, 0.005, &body, NULL), GR_OK);
        Scm s;
        scm_begin(&s, &body, NULL);
        pose = scm_rolling(wheel.radius, 0, wheel.radius - 0.01, 0.05, 0.03);
        pose.centre.y = 0; // a mirror of the grid too
        for (int k = 0; k < 60; k++) {
            pose.centre.x += 0.02 * pose.velocity.x;
            pose.wheel_angle += 0.02 * pose.spin.y;
            out[q] = *scm_step(&s, &pose, 0.02);
        }
        scm_end(&s);
    }
    print_message("slant 25 deg: f_y %g N, opposite %g N\n", out[0].wrench[1], out[1].wrench[1]);
    assert_true(fabs(out[0].wrench[1]) > 0.02 * out[0].wrench[2]); // it pushes aside
    for (int i = 0; i < 6; i++) {
        const double sign = i == 1 || i == 3 || i == 5 ? -1 : 1;
        assert_near(out[1].wrench[i], sign * out[0].wrench[i], 1e-6 * out[0].wrench[2]);
    }
}

/// A foot with cleats through the library: a plate whose lower side has ridges with steep flanks across. It carries
/// what its parts do, and pushed ahead under its load it holds more than a smooth one.
static void test_cleats(void **state)
{
    (void)state;
    enum { CLEATS = 3, STRIPS = 4 * CLEATS + 1 };
    static GrVec3 vertices[2 * (STRIPS + 1)];
    static int triangles[2 * STRIPS][3];
    const double lengths[4] = {0.045, 0.005, 0.015, 0.005}, high = 0.02; // gap, flank, cleat, flank
    GrSoilDef soil = ishigami();
    soil.k_c = 0;
    double hold[2];
    for (int q = 0; q < 2; q++) {
        double x = -0.13, flat = 0, exact = 0;
        for (int k = 0; k <= STRIPS; k++) {
            const bool low = q == 1 && (k % 4 == 2 || k % 4 == 3);
            vertices[2 * k] = gr_vec3(x, -0.1, low ? -high : 0);
            vertices[2 * k + 1] = gr_vec3(x, 0.1, low ? -high : 0);
            const int a = 2 * k, one[3] = {a, a + 1, a + 2}, two[3] = {a + 2, a + 1, a + 3};
            memcpy(triangles[k < STRIPS ? 2 * k : 0], one, k < STRIPS ? sizeof one : 0);
            memcpy(triangles[k < STRIPS ? 2 * k + 1 : 0], two, k < STRIPS ? sizeof two : 0);
            const double deep = 0.015 + (q == 0 || k % 4 == 0 ? 0 : k % 4 == 2 ? high : 0.5 * high);
            flat = k < STRIPS ? lengths[k % 4] : 0;
            exact += 0.2 * flat * soil.k_phi * pow(deep, soil.n0); // n = 1: flanks at their mean depth
            x += flat;
        }
        const GrScmMesh mesh = {vertices, (const int(*)[3])triangles, 2 * (STRIPS + 1), 2 * STRIPS};
        GrScmBody body;
        assert_int_equal(gr_scm_prepare_mesh(&soil, &mesh, 9.81, 0.005, &body, NULL), GR_OK);
        Scm s;
        scm_begin(&s, &body, NULL);
        GrScmPose pose = scm_pose(0.0012, 0.0007, -0.015);
        assert_near_rel(scm_step(&s, &pose, 0.01)->wrench[2], exact, 1e-3);
        pose.velocity = gr_vec3(0.01, 0, 0);
        double drag = 0, load = 0;
        for (int k = 0; k < 30; k++) {
            pose.centre.x += 0.15 * pose.velocity.x;
            pose.centre.z = scm_find_height(&s, pose, 0.15, 800, -0.1, 0.05);
            scm_step(&s, &pose, 0.15);
            drag -= k >= 15 ? s.out.wrench[0] : 0;
            load += k >= 15 ? s.out.wrench[2] : 0;
        }
        hold[q] = drag / load;
        scm_end(&s);
    }
    print_message("foot held back by %.3f of its load, with cleats by %.3f\n", hold[0], hold[1]);
    assert_true(hold[0] > 0.5 * tan(soil.friction_angle));
    assert_true(hold[1] > 1.1 * hold[0]);
}

static bool sloping_ground(const void *context, double x, double y, double *z, GrVec3 *normal)
{
    (void)y;
    const double slope = *(const double *)context;
    *z = slope * x;
    *normal = gr_normalize(gr_vec3(-slope, 0, 1));
    return true;
}

/// A block laid along a slope is pressed along its normal; at rest under its weight it does not move.
static void test_slope(void **state)
{
    (void)state;
    const double slope = tan(15 * DEGREE);
    GrSoilDef soil = ishigami();
    soil.k_c = 0;
    Box box;
    box_make(&box, gr_vec3(0.2, 0.15, 0.05));
    GrScmBody body = convex_body(&soil, &box.convex, 0.0025);
    body.ground = (GrScmGround){sloping_ground, &slope};
    Scm s;
    scm_begin(&s, &body, NULL);
    const GrVec3 n = gr_normalize(gr_vec3(-slope, 0, 1)), along = gr_vec3(n.z, 0, -n.x);
    GrScmPose pose = scm_pose(0, 0, 0);
    pose.axes = (GrMat3){{{along.x, 0, n.x}, {0, 1, 0}, {along.z, 0, n.z}}};
    pose.centre = gr_scale(0.05 - 0.02, n);
    const double *f = scm_step(&s, &pose, 0.01)->wrench;
    const GrVec3 force = {f[0], f[1], f[2]};
    const double exact = 0.4 * 0.3 * soil.k_phi * pow(0.02, soil.n0);
    assert_near_rel(gr_dot(force, n), exact, 5e-3);
    // The block's wall on the downhill side looks down too, and stands 2 cm in the soil.
    const double wall = 0.3 * soil.k_phi * pow(0.02, soil.n0 + 1) / (soil.n0 + 1);
    print_message("slope: %g N along it, the wall %g N\n", gr_dot(force, along), wall);
    assert_near_rel(gr_dot(force, along), wall, 0.1);
    scm_end(&s);
}

/// Derivatives against differences, of a block that has slid.
static void test_derivatives(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    soil.k_c = 0;
    soil.damping = 300;
    Box box;
    box_make(&box, gr_vec3(0.1, 0.08, 0.05));
    const GrScmBody body = convex_body(&soil, &box.convex, 0.01);
    Scm s;
    scm_begin(&s, &body, NULL);
    GrScmPose pose = scm_pose(0.0013, 0.0041, 0.035);
    pose.axes = gr_quat_to_mat3(gr_quat_normalize((GrQuat){1, 0.05, -0.03, 0.2}));
    pose.velocity = gr_vec3(0.02, 0.01, -0.001);
    pose.spin = gr_vec3(0.01, 0, 0.05);
    for (int k = 0; k < 20; k++) {
        scm_step(&s, &pose, 0.005);
    }
    const GrScmOutput out = *scm_evaluate(&s, &pose, 0.005);
    double worst[2] = {0, 0};
    for (int j = 0; j < 6; j++) {
        GrScmPose more = pose, less = pose;
        const double step = 1e-7;
        double *up[6] = {&more.velocity.x, &more.velocity.y, &more.velocity.z,
                         &more.spin.x,     &more.spin.y,     &more.spin.z};
        double *low[6] = {&less.velocity.x, &less.velocity.y, &less.velocity.z,
                          &less.spin.x,     &less.spin.y,     &less.spin.z};
        *up[j] += step;
        *low[j] -= step;
        const GrScmOutput a = *scm_evaluate(&s, &more, 0.005), b = *scm_evaluate(&s, &less, 0.005);
        for (int i = 0; i < 6; i++) {
            worst[0] = fmax(worst[0], fabs(out.d_twist[i][j] - (a.wrench[i] - b.wrench[i]) / (2 * step)));
            worst[1] = fmax(worst[1], fabs(out.d_twist[i][j]));
        }
    }
    print_message("derivatives by the twist: %g of %g\n", worst[0], worst[1]);
    assert_true(worst[0] < 1e-3 * worst[1]); // single precision
    GrScmPose more = pose, less = pose;
    more.centre.z += 1e-9;
    less.centre.z -= 1e-9;
    const GrScmOutput a = *scm_evaluate(&s, &more, 0.005), b = *scm_evaluate(&s, &less, 0.005);
    for (int i = 0; i < 6; i++) {
        assert_near(out.d_pose[i][2], (a.wrench[i] - b.wrench[i]) / 2e-9, 1e-4 * fabs(out.d_pose[2][2]));
    }
    scm_end(&s);
}

/// A tilted wheel: where its side walls start to matter, the model switches to the cylinder without a jump.
static void test_leaning_wheel(void **state)
{
    (void)state;
    const GrSoilDef soil = ishigami();
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrScmConvex lying = {
        .kind = GR_SCM_CYLINDER, .radius = wheel.radius, .half = 0.5 * wheel.width, .wheel = true};
    GrScmBody tread;
    assert_int_equal(gr_scm_prepare_wheel(&soil, &wheel, 0.005, &tread, NULL), GR_OK);
    const GrScmBody whole = convex_body(&soil, &lying, 0.005);
    for (int k = 0; k < 2; k++) {
        const double lean = asin(0.5) + (k == 0 ? -1e-6 : 1e-6);
        GrScmPose pose = scm_pose(0.001, 0.002, 0);
        pose.axes = (GrMat3){{{1, 0, 0}, {0, cos(lean), -sin(lean)}, {0, sin(lean), cos(lean)}}};
        pose.centre.z = wheel.radius * cos(lean) + 0.5 * wheel.width * sin(lean) - 0.03;
        assert_true(gr_scm_leans(&pose) == (k == 1));
        GrScmOutput out[2];
        for (int q = 0; q < 2; q++) {
            Scm s;
            scm_begin(&s, q == 0 ? &tread : &whole, NULL);
            out[q] = *scm_step(&s, &pose, 0.05);
            scm_end(&s);
        }
        print_message("leaning wheel: %g N, as a cylinder %g N\n", out[0].wrench[2], out[1].wrench[2]);
        assert_near_rel(out[1].wrench[2], out[0].wrench[2], 0.05);
    }
}

/// What cannot be is refused with the reason.
static void test_refused(void **state)
{
    (void)state;
    const GrSoilDef soil = ishigami();
    const GrScmConvex bad[] = {
        {.kind = GR_SCM_SPHERE}, {.kind = GR_SCM_CYLINDER, .radius = 0.1}, {.kind = GR_SCM_POLYHEDRON}};
    for (int k = 0; k < 3; k++) {
        GrScmBody body;
        GrErrorLog log = {0};
        assert_int_equal(gr_scm_prepare_convex(&soil, &bad[k], 9.81, 0.01, &body, &log), GR_ERROR_VALUE);
        assert_string_equal(log.items[0].field, "convex");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_two_ways),
        cmocka_unit_test(test_plate_and_ball),
        cmocka_unit_test(test_cylinder_two_ways),
        cmocka_unit_test(test_treads),
        cmocka_unit_test(test_cleats),
        cmocka_unit_test(test_slope),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_leaning_wheel),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
