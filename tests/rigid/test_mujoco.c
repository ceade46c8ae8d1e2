/// MuJoCo as referee: a box that slides to rest, a ball and a cylinder that roll to rest, and both of these sliding
/// until they roll. Sliding and rolling resistance at one time are not compared: MuJoCo's elliptic cone makes them
/// share one limit, ours (as B23 and Ai et al. 2011) have one each.
#include "support/rigid_bench.h"

#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <unistd.h>

static const double MU = 0.4, G = 9.80665, SPEED = 1.5, DISTANCE_TOLERANCE = 0.02;
static const GrVec3 UP = {0, 0, 1};

typedef struct Case {
    const char *name;
    const char *geom; ///< MuJoCo's words for the shape
    double radius;    ///< of rolling
    double height;    ///< of the centre
    double spin;      ///< at the start, over that of rolling
    double rolling;   ///< resistance
    double duration;
} Case;

#define BALL     "type=\"sphere\" size=\"0.2\""
#define CYLINDER "type=\"cylinder\" size=\"0.2 0.1\" quat=\"0.70710678118654752 0.70710678118654752 0 0\""

static const Case CASES[] = {
    {"box slides", "type=\"box\" size=\"0.2 0.15 0.05\"", 0, 0.05, 0, 0, 3},
    {"ball rolls", BALL, 0.2, 0.2, 1, 0.03, 12},
    {"cylinder rolls", CYLINDER, 0.2, 0.2, 1, 0.03, 12},
    {"ball slides, then rolls", BALL, 0.2, 0.2, 0, 0, 2},
    {"cylinder slides, then rolls", CYLINDER, 0.2, 0.2, 0, 0, 2},
};

/// Elliptic cones, stiff contacts; its rolling coefficient is a length.
static double their_distance(const Case *c, double inertia)
{
    char path[] = "/tmp/grouser-mujoco-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    FILE *out = fdopen(file, "w");
    assert_non_null(out);
    fprintf(out,
            "<mujoco><option timestep=\"0.0005\" cone=\"elliptic\" impratio=\"100\" gravity=\"0 0 %.17g\" "
            "tolerance=\"1e-14\"/><default><geom condim=\"%d\" friction=\"%.17g %.17g %.17g\" "
            "solref=\"0.005 1\"/></default><worldbody><geom type=\"plane\" size=\"0 0 1\"/>"
            "<body pos=\"0 0 %.17g\"><freejoint/><inertial pos=\"0 0 0\" mass=\"3\" diaginertia=\"%.17g %.17g %.17g\"/>"
            "<geom %s/></body></worldbody></mujoco>",
            -G, c->rolling > 0 ? 6 : 3, MU, 1e-4, c->rolling > 0 ? c->rolling * c->radius : 1e-9, c->height, inertia,
            inertia, inertia, c->geom);
    fclose(out);
    char error[500] = "";
    mjModel *model = mj_loadXML(path, NULL, error, sizeof error);
    unlink(path);
    if (model == NULL) {
        print_error("MuJoCo: %s\n", error);
        fail();
    }
    mjData *data = mj_makeData(model);
    for (int i = 0; i < 1000; i++) { // settle
        mj_step(model, data);
    }
    const double start = data->qpos[0];
    data->qvel[0] = SPEED;
    data->qvel[4] = c->spin > 0 ? c->spin * SPEED / c->radius : 0;
    const int steps = (int)(c->duration / 0.0005);
    for (int i = 0; i < steps; i++) {
        mj_step(model, data);
    }
    const double distance = data->qpos[0] - start;
    mj_deleteData(data);
    mj_deleteModel(model);
    return distance;
}

static double our_distance(const Case *c, double inertia)
{
    GrRigidDef def = gr_default_rigid_def();
    def.ground = (GrRigidGround){gr_plane_ground, &UP};
    def.materials[0].friction = MU;
    def.materials[0].rolling_friction = c->rolling;
    def.sleep_time = INFINITY;
    const GrConvex ball = gr_convex_sphere(0.2), cylinder = gr_convex_cylinder(0.2, 0.2);
    const GrConvex shapes[] = {gr_convex_cuboid(gr_vec3(0.4, 0.3, 0.1)), ball, cylinder, ball, cylinder};
    const GrTwist rest = {{0, 0, 0}, {0, 0, 0}};
    gr_add_loose(&def, shapes[c - CASES], 3, (GrSym3){inertia, inertia, inertia, 0, 0, 0},
                 (GrPose){{0, 0, c->height}, {1, 0, 0, 0}}, rest, 0);
    GrRigidBench b = gr_rigid_bench(&def, 1e-3);
    gr_rigid_bench_run(&b, 1);
    const GrPose start = gr_rigid_loose_pose(b.w, b.s, 0);
    gr_rigid_set_loose(b.w, b.s, 0, start,
                       (GrTwist){{0, c->spin > 0 ? c->spin * SPEED / c->radius : 0, 0}, {SPEED, 0, 0}});
    gr_rigid_bench_run(&b, c->duration);
    const double distance = gr_rigid_loose_pose(b.w, b.s, 0).position.x - start.position.x;
    if (c->rolling > 0 || c->radius == 0) {
        assert_near(gr_norm(gr_rigid_loose_twist(b.w, b.s, 0).lin), 0, 1e-5);
    }
    gr_rigid_bench_free(&b);
    return distance;
}

static void test_distances(void **state)
{
    (void)state;
    const double inertia = 0.05;
    for (int i = 0; i < 5; i++) {
        const double ours = our_distance(&CASES[i], inertia), theirs = their_distance(&CASES[i], inertia);
        print_message("%s: %.5f m, MuJoCo %.5f m\n", CASES[i].name, ours, theirs);
        assert_near_rel(ours, theirs, DISTANCE_TOLERANCE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_distances)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
