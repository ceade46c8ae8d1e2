/// Compares every shipped rover with MuJoCo, which also reads the shipped URDF with its own parser.
#include "file.h"
#include "support/referee.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static const double ACCELERATION_TOLERANCE = 1e-9; // relative to the largest acceleration
static const double TRAJECTORY_TOLERANCE = 1e-6;   // [m, rad] after 10 s
static const struct {
    const char *file;
    double step; // of MuJoCo's Runge-Kutta; sprung rovers need a smaller one
} ROVERS[] = {{"el_dorado2.yaml", 2e-3},         {"curiosity_like.yaml", 2e-3}, {"exomars_like.yaml", 2e-3},
              {"viper_like.yaml", 5e-4},         {"rashid_like.yaml", 2e-3},    {"lrv_like.yaml", 5e-4},
              {"urdf_example/pebble.urdf", 2e-3}};
enum { ROVER_COUNT = sizeof ROVERS / sizeof ROVERS[0], STATES = 20 };

static GrRoverDef load(const char *name)
{
    char path[512];
    GrRoverDef rover;
    snprintf(path, sizeof path, "%s/data/rovers/%s", GR_TEST_SOURCE_DIR, name);
    assert_int_equal(gr_rover_load(path, NULL, &rover, NULL), GR_OK);
    return rover;
}

static void test_shipped_rovers_accelerate_alike(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(1, "shipped rovers");
    for (int i = 0; i < ROVER_COUNT; i++) {
        GrRoverDef rover = load(ROVERS[i].file);
        gr_referee_simplify(&rover);
        gr_referee_compare_accelerations(&rover, &random, STATES, ACCELERATION_TOLERANCE);
        gr_rover_free(&rover);
    }
}

static void test_shipped_rovers_move_alike(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(2, "shipped rovers");
    for (int i = 0; i < ROVER_COUNT; i++) {
        GrRoverDef rover = load(ROVERS[i].file);
        gr_referee_simplify(&rover);
        gr_referee_compare_trajectory(&rover, &random, GR_TEST_LONG(10, 1), ROVERS[i].step, TRAJECTORY_TOLERANCE);
        gr_rover_free(&rover);
    }
}

/// MuJoCo reads the URDF file itself; told not to fuse the base into the world, so that its mass counts.
static mjModel *mujoco_reads(const char *path)
{
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    char copy[] = "/tmp/grouser-urdf-XXXXXX.urdf";
    const int file = mkstemps(copy, 5);
    assert_true(file >= 0);
    FILE *out = fdopen(file, "w");
    char line[4096];
    while (fgets(line, sizeof line, in) != NULL) {
        fputs(line, out);
        if (strstr(line, "<robot") != NULL) {
            fputs("<mujoco><compiler fusestatic=\"false\" balanceinertia=\"false\"/></mujoco>\n", out);
        }
    }
    fclose(in);
    fclose(out);
    char error[1000] = "";
    mjModel *model = mj_loadXML(copy, NULL, error, sizeof error);
    unlink(copy);
    if (model == NULL) {
        print_error("MuJoCo: %s\n", error);
        fail();
    }
    return model;
}

static void test_urdf_means_the_same_to_both(void **state)
{
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s/data/rovers/urdf_example/pebble.urdf", GR_TEST_SOURCE_DIR);
    mjModel *model = mujoco_reads(path);
    mjData *data = mj_makeData(model);
    mj_kinematics(model, data);
    GrInertia all = {0};
    for (int b = 1; b < model->nbody; b++) {
        GrMat3 r;
        memcpy(r.m, data->ximat + 9 * b, sizeof r.m);
        const double *i = model->body_inertia + 3 * b, *c = data->xipos + 3 * b;
        const GrSym3 inertia = gr_sym3_rotate(&r, (GrSym3){i[0], i[1], i[2], 0, 0, 0});
        all = gr_inertia_add(all, gr_inertia_at(model->body_mass[b], gr_vec3(c[0], c[1], c[2]), inertia));
    }
    const GrVec3 com = gr_scale(1 / all.mass, all.h);
    const GrSym3 theirs = gr_sym3_add(all.i, gr_sym3_point(-all.mass, com));

    GrRoverDef rover = load("urdf_example/pebble.urdf");
    GrModel *m = NULL;
    gr_model_create(&rover, NULL, &m, NULL);
    GrData *d = NULL;
    gr_data_create(m, &d, NULL);
    const int base = mj_name2id(model, mjOBJ_BODY, rover.bodies[0].name); // below a root link without mass
    assert_true(base > 0);
    const double *at = data->xpos + 3 * base, *turn = data->xquat + 4 * base;
    gr_data_set_base_pose(d, (GrPose){{at[0], at[1], at[2]}, {turn[0], turn[1], turn[2], turn[3]}});
    const GrBalance ours = gr_balance(m, d);
    const double tolerance = 1e-9; // MuJoCo diagonalises inertias to about this
    assert_near_rel(ours.mass, all.mass, 1e-12);
    assert_near(gr_norm(gr_sub(ours.com, com)), 0, 1e-12);
    assert_near(ours.inertia.xx, theirs.xx, tolerance);
    assert_near(ours.inertia.yy, theirs.yy, tolerance);
    assert_near(ours.inertia.zz, theirs.zz, tolerance);
    assert_near(ours.inertia.xy, theirs.xy, tolerance);
    assert_near(ours.inertia.xz, theirs.xz, tolerance);
    assert_near(ours.inertia.yz, theirs.yz, tolerance);
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
    mj_deleteData(data);
    mj_deleteModel(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped_rovers_accelerate_alike),
        cmocka_unit_test(test_shipped_rovers_move_alike),
        cmocka_unit_test(test_urdf_means_the_same_to_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
