/// Comparison with MuJoCo: a box that slides to rest, a ball and a cylinder that roll to rest, both of these sliding
/// until they roll, and sliding until they roll to rest.
///
/// In a contact of MuJoCo sliding and rolling share one limit, (f/μN)² + (m/rN)² ≤ 1; ours (as B23 and Ai et al. 2011)
/// have one each. Where both act at once, MuJoCo's contact therefore has sliding friction alone, and the rolling moment
/// r m g against the spin is applied to its body.
#include "support/rigid_bench.h"

#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double MU = 0.4, G = 9.80665, SPEED = 1.5, DISTANCE_TOLERANCE = 0.02, MASS = 3;
static const double STILL = 0.01; // [rad/s] where the applied moment changes its sign
static const GrVec3 UP = {0, 0, 1};

typedef struct Case {
    const char *name;
    const char *geom; ///< MuJoCo's words for the shape
    double radius;    ///< of rolling
    double height;    ///< of the centre
    double spin;      ///< at the start, over that of rolling
    double rolling;   ///< resistance
    double duration;
    bool applied; ///< MuJoCo's rolling resistance: as a moment on the body, not in the contact
} Case;

#define BALL     "type=\"sphere\" size=\"0.2\""
#define CYLINDER "type=\"cylinder\" size=\"0.2 0.1\" quat=\"0.70710678118654752 0.70710678118654752 0 0\""

static const Case CASES[] = {
    {"box slides", "type=\"box\" size=\"0.2 0.15 0.05\"", 0, 0.05, 0, 0, 3, false},
    {"ball rolls", BALL, 0.2, 0.2, 1, 0.03, 12, false},
    {"cylinder rolls", CYLINDER, 0.2, 0.2, 1, 0.03, 12, false},
    {"ball slides, then rolls", BALL, 0.2, 0.2, 0, 0, 2, false},
    {"cylinder slides, then rolls", CYLINDER, 0.2, 0.2, 0, 0, 2, false},
    {"ball slides, then rolls to rest", BALL, 0.2, 0.2, 0, 0.03, 12, true},
    {"cylinder slides, then rolls to rest", CYLINDER, 0.2, 0.2, 0, 0.03, 12, true},
    {"ball slides, then rolls to rest soon", BALL, 0.2, 0.2, 0, 0.15, 12, true},
    {"cylinder slides, then rolls to rest soon", CYLINDER, 0.2, 0.2, 0, 0.15, 12, true},
};

/// Kinds of friction of one of MuJoCo's shapes; its rolling coefficient is a length.
static void write_geom(FILE *out, const Case *c, double sliding, double rolling)
{
    fprintf(out, "<geom %s priority=\"1\" condim=\"%d\" friction=\"%.17g 1e-4 %.17g\" solref=\"0.005 1\"/>", c->geom,
            rolling > 0 ? 6 : 3, sliding, rolling > 0 ? rolling * c->radius : 1e-9);
}

/// Elliptic cones, stiff contacts.
static double their_distance(const Case *c, double inertia)
{
    char path[] = "/tmp/grouser-mujoco-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    FILE *out = fdopen(file, "w");
    assert_non_null(out);
    fprintf(out,
            "<mujoco><option timestep=\"0.0005\" cone=\"elliptic\" impratio=\"100\" gravity=\"0 0 %.17g\" "
            "tolerance=\"1e-14\"/><worldbody><geom type=\"plane\" size=\"0 0 1\"/>"
            "<body pos=\"0 0 %.17g\"><freejoint/><inertial pos=\"0 0 0\" mass=\"%.17g\" diaginertia=\"%.17g %.17g "
            "%.17g\"/>",
            -G, c->height, MASS, inertia, inertia, inertia);
    write_geom(out, c, MU, c->applied ? 0 : c->rolling);
    fputs("</body></worldbody></mujoco>", out);
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
        const double moment = c->applied ? c->rolling * c->radius * MASS * G : 0;
        data->qfrc_applied[4] = -moment * tanh(data->qvel[4] / STILL);
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
    const bool is_box = c->radius == 0, is_ball = strcmp(c->geom, BALL) == 0;
    const GrConvex shape = is_box    ? gr_convex_cuboid(gr_vec3(0.4, 0.3, 0.1))
                           : is_ball ? gr_convex_sphere(0.2)
                                     : gr_convex_cylinder(0.2, 0.2);
    const GrTwist rest = {{0, 0, 0}, {0, 0, 0}};
    gr_add_loose(&def, shape, MASS, (GrSym3){inertia, inertia, inertia, 0, 0, 0},
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
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
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
