/// MuJoCo's bodies on our soil: forces on the wheels of a rover are those of our own step in the same states, and
/// MuJoCo's own steps bring a wheel to rest under its weight.
#include "grouser_mujoco.h"

#include "grouser/soil_file.h"
#include "support/referee.h"
#include "support/shipped_rover.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static const double STEP = 1e-4, FORCE_TOLERANCE = 1e-6;

/// Texts of the wheels of a rover, for the end of its MJCF file.
static void write_texts(const GrRoverDef *rover, char *out, size_t size)
{
    int used = snprintf(out, size, "<custom><text name=\"grouser\" data=\"soil=ishigami2007 damping=300\"/>");
    for (int i = 0; i < rover->wheel_count; i++) {
        const GrWheelDef *w = &rover->wheels[i];
        used += snprintf(out + used, size - (size_t)used,
                         "<text name=\"grouser.b_%s\" data=\"radius_m=%.17g width_m=%.17g grousers=%d "
                         "grouser_height_m=%.17g grouser_thickness_m=%.17g stiffness_N_per_m=%.17g "
                         "damping_Ns_per_m=%.17g\"/>",
                         rover->bodies[w->body].name, w->radius, w->width, w->grouser_count, w->grouser_height,
                         w->grouser_thickness, w->stiffness, w->damping);
    }
    snprintf(out + used, size - (size_t)used, "</custom>");
}

static void test_forces_of_a_rover(void **state)
{
    (void)state;
    GrRoverDef rover;
    GrSoilDef soil;
    GrErrorLog log = {0};
    GrData *d;
    static char texts[8192];
    load_rover("exomars_like", &rover);
    assert_int_equal(gr_soil_load("ishigami2007", NULL, &soil, NULL, &log), GR_OK);
    soil.damping = 300;
    write_texts(&rover, texts, sizeof texts);
    GrOptions options = gr_default_options();
    options.surface.soil = &soil;
    options.integrator = GR_INTEGRATOR_EULER;
    options.step = STEP;
    GrModel *m = make_model(&rover, &options, &d);
    GrReferee referee = gr_referee_create_with(&rover, m, STEP, "Euler", texts);
    gr_forward(m, d);
    double lowest = 0;
    for (int i = 0; i < m->wheel_count; i++) {
        lowest = fmin(lowest, gr_data_body_pose(m, d, rover.wheels[i].body).position.z - rover.wheels[i].radius);
    }
    gr_data_set_base_pose(d, (GrPose){{0, 0, 1e-5 - lowest}, {1, 0, 0, 0}});
    double worst = 0, largest = 0;
    for (int i = 0; i < (int)(GR_TEST_LONG(2, 0.5) / STEP); i++) {
        for (int k = 0; k < m->joint_count; k++) {
            if (m->joint_roles[k] == GR_ROLE_DRIVE) {
                gr_data_set_command(m, d, k, 0.5);
            }
        }
        gr_referee_set_state(&referee, d);
        referee.data->time = i * STEP;
        mj_forward(referee.model, referee.data);
        assert_int_equal(gr_step(m, d), GR_OK);
        for (int k = 0; k < m->wheel_count; k++) {
            GrPartForce force;
            const GrVec3 own = gr_data_wheel(m, d, k).world_force;
            assert_true(grouser_mujoco_force(referee.data, referee.body[rover.wheels[k].body], &force));
            worst = fmax(worst, gr_norm(gr_sub(force.force, own)));
            largest = fmax(largest, gr_norm(own));
        }
    }
    print_message("forces up to %.1f N, at most %.3g N apart\n", largest, worst);
    assert_true(largest > 100 && worst < FORCE_TOLERANCE * largest);
    grouser_mujoco_detach(referee.data);
    gr_referee_free(&referee);
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
}

/// NULL with MuJoCo's message after an error.
static mjModel *read_text(const char *text, char *error, int size)
{
    char path[] = "/tmp/grouser-mjcf-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    FILE *out = fdopen(file, "w");
    fputs(text, out);
    fclose(out);
    mjModel *m = mj_loadXML(path, NULL, error, size);
    unlink(path);
    return m;
}

#define WHEEL_FILE(ground, wheel)                                                                                      \
    "<mujoco><option timestep=\"0.0005\" gravity=\"0 0 -9.80665\"/><worldbody><body name=\"wheel\" pos=\"0 0 0.1\">"   \
    "<freejoint/><inertial pos=\"0 0 0\" mass=\"10\" diaginertia=\"0.03 0.05 0.03\"/></body></worldbody>"              \
    "<custom><text name=\"grouser\" data=\"" ground "\"/><text name=\"grouser.wheel\" data=\"" wheel                   \
    "\"/></custom></mujoco>"

/// Nothing but the file says that there is soil.
static void test_mujoco_steps(void **state)
{
    (void)state;
    char error[1000] = "";
    mjModel *m = read_text(WHEEL_FILE("soil=ishigami2007 damping=500 ruts=scm", "radius_m=0.1 width_m=0.08"), error,
                           sizeof error);
    assert_non_null(m);
    mjData *d = mj_makeData(m);
    for (int i = 0; i < 6000; i++) {
        mj_step(m, d);
    }
    GrPartForce force;
    assert_true(grouser_mujoco_force(d, 1, &force));
    print_message("load %.4f N, %.2f mm deep\n", force.force.z, 1000 * force.depth);
    assert_near(force.force.z, 98.0665, 0.01);
    assert_true(force.depth > 1e-3 && fabs(d->qvel[2]) < 1e-4);
    mj_resetData(m, d); // begins again in undisturbed soil
    mj_forward(m, d);
    assert_true(grouser_mujoco_force(d, 1, &force));
    assert_true(force.depth < 1e-6);
    grouser_mujoco_detach(d);
    mj_deleteData(d);
    mj_deleteModel(m);
}

static void test_messages(void **state)
{
    (void)state;
    static const struct {
        const char *file, *message;
    } BAD[] = {
        {WHEEL_FILE("soil=ishigami207", "radius_m=0.1 width_m=0.08"), "ishigami2007"},
        {WHEEL_FILE("soil=ishigami2007 rut=scm", "radius_m=0.1 width_m=0.08"), "did you mean 'ruts'"},
        {WHEEL_FILE("soil=ishigami2007", "radius_m=-1 width_m=0.08"), "grouser.wheel: radius_m: found '-1'"},
        {WHEEL_FILE("soil=ishigami2007", "width_m=0.08"), "radius_m and width_m are needed"},
        {WHEEL_FILE("soil=ishigami2007", "radius_m 0.1"), "expected KEY=VALUE"},
        {WHEEL_FILE("soil=ishigami2007", "radius_m=0.1 width_m=0.08\"/><text name=\"grouser.whel\" data=\"radius_m=1"),
         "there is no body 'whel'"},
    };
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        char error[1000] = "";
        assert_null(read_text(BAD[i].file, error, sizeof error)); // MuJoCo steps a model while it reads it
        if (strstr(error, BAD[i].message) == NULL) {
            fail_msg("found '%s', expected '%s'", error, BAD[i].message);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forces_of_a_rover),
        cmocka_unit_test(test_mujoco_steps),
        cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
