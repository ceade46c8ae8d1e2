/// Inverse dynamics of motions from files: forward motions under known torques, read back; a held arm by hand; faults.
#include "grouser/analysis.h"
#include "integrator.h"
#include "messages.h"
#include "support/random_rover.h"
#include "test.h"

#include <unistd.h>

enum { TREES = 6, SAMPLES = 200, MOST = 64 };
static const double INTERVAL = 0.002, TOLERANCE = 5e-5; // [s], [N, N m]

static const char FILE_NAME[] = "inverse_motion.csv";

static double command_at(int joint, double time)
{
    return 3 * sin(2 * time + joint);
}

static void write_header(FILE *out, const GrModel *m)
{
    fprintf(out, "time_s,x_m,y_m,z_m,qw,qx,qy,qz");
    for (int i = 0; i < gr_model_joint_count(m); i++) {
        fprintf(out, ",joint.%s.%s", gr_model_joint_name(m, i),
                gr_model_joint_slides(m, i) ? "position_m" : "angle_deg");
    }
    fprintf(out, "\n");
}

static void write_row(FILE *out, const GrModel *m, const GrData *d)
{
    const GrPose p = gr_data_base_pose(d);
    fprintf(out, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g", gr_data_time(d), p.position.x, p.position.y,
            p.position.z, p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z);
    for (int i = 0; i < gr_model_joint_count(m); i++) {
        fprintf(out, ",%.17g", gr_data_joint_position(m, d, i) * (gr_model_joint_slides(m, i) ? 1 : 1 / GR_DEGREE));
    }
    fprintf(out, "\n");
}

/// A floating tree with springs, dampers and couplings moves under known motor torques, exactly integrated. Its motion
/// alone gives these torques back, and says that nothing pushes the chassis.
static void test_gives_back_the_torques(void **state)
{
    (void)state;
    if (!gr_integrator_is_built(GR_INTEGRATOR_CVODE)) {
        skip(); // nothing else is exact enough to differentiate twice
    }
    GrRandom random = gr_random_stream(1, "inverse motion");
    for (int tree = 0; tree < TREES; tree++) {
        GrRoverDef rover = gr_random_rover(&random, 3 + tree);
        for (int i = 0; i < rover.joint_count; i++) {
            rover.joints[i].motor = gr_default_motor_def();
            rover.joints[i].motor.kind = rover.joints[i].kind == GR_JOINT_FIXED ? GR_MOTOR_NONE : GR_MOTOR_TORQUE;
            rover.joints[i].lower = -INFINITY, rover.joints[i].upper = INFINITY;
            rover.joints[i].friction = 0;
        }
        GrOptions options = gr_default_options();
        GrModel *m = NULL;
        GrData *d = NULL;
        options.integrator = GR_INTEGRATOR_CVODE;
        options.tolerance = 1e-12;
        assert_int_equal(gr_model_create(&rover, &options, &m, NULL), GR_OK);
        assert_int_equal(gr_data_create(m, &d, NULL), GR_OK);
        gr_random_state(m, d, &random, 0.3);
        FILE *out = fopen(FILE_NAME, "wb");
        assert_non_null(out);
        write_header(out, m);
        write_row(out, m, d);
        const double start = gr_data_time(d);
        for (int i = 0; i < m->joint_count; i++) {
            gr_data_set_command(m, d, i, command_at(i, 0)); // constant over the motion
        }
        for (int k = 1; k < SAMPLES; k++) {
            assert_int_equal(gr_step_by(m, d, INTERVAL), GR_OK);
            write_row(out, m, d);
        }
        fclose(out);
        GrInverseMotion motion;
        GrErrorLog log = {0};
        const GrStatus status = gr_inverse_motion(m, FILE_NAME, &motion, &log);
        assert_int_equal(status, GR_OK);
        assert_int_equal(motion.count, SAMPLES);
        assert_near(motion.time[0], start, 0);
        double expected[MOST] = {0}, worst = 0;
        for (int i = 0; i < m->joint_count; i++) {
            const GrJoint *j = &m->tree.joints[m->joint_body[i]];
            expected[j->dof] += j->ratio * command_at(i, 0);
        }
        for (int k = 2; k < SAMPLES - 2; k++) { // at the ends the derivative is one-sided
            for (int i = 0; i < m->joint_count; i++) {
                const double torque = motion.torque[k * m->joint_count + i];
                if (!isnan(torque)) {
                    worst = fmax(worst, fabs(torque - expected[m->tree.joints[m->joint_body[i]].dof]));
                }
            }
            for (int i = 0; i < 6; i++) {
                worst = fmax(worst, fabs(motion.base[6 * k + i]));
            }
        }
        print_message("tree of %d: torques off by %.2g N m\n", rover.body_count, worst);
        assert_true(worst < TOLERANCE);
        gr_inverse_motion_free(&motion);
        gr_data_free(d);
        gr_model_free(m);
        gr_rover_free(&rover);
    }
    unlink(FILE_NAME);
}

/// A chassis with one arm about y: mass 2 kg at 0.5 m, inertia 0.1 kg m² about its centre.
static GrModel *make_arm(GrRoverDef *rover)
{
    *rover = gr_default_rover_def();
    GrBodyDef body = gr_default_body_def();
    snprintf(body.name, sizeof body.name, "chassis");
    body.mass = 10;
    body.inertia = (GrSym3){1, 1, 1, 0, 0, 0};
    gr_rover_add_body(rover, &body);
    snprintf(body.name, sizeof body.name, "arm");
    body.mass = 2;
    body.com = gr_vec3(0.5, 0, 0);
    body.inertia = (GrSym3){0.1, 0.1, 0.1, 0, 0, 0};
    gr_rover_add_body(rover, &body);
    GrJointDef joint = gr_default_joint_def();
    snprintf(joint.name, sizeof joint.name, "shoulder");
    joint.kind = GR_JOINT_REVOLUTE;
    joint.parent = 0;
    joint.child = 1;
    joint.axis = gr_vec3(0, 1, 0);
    joint.damping = 0.5;
    gr_rover_add_joint(rover, &joint);
    GrModel *m = NULL;
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, -3.71);
    assert_int_equal(gr_model_create(rover, &options, &m, NULL), GR_OK);
    return m;
}

/// Torque (I + m r²) q̈ − m g r cos q + c q̇ of a pendulum that swings as q = 0.4 sin 3t about y, where positive q lowers
/// the arm; a payload of 5 N down at the arm's origin has no moment.
static void test_arm_by_hand(void **state)
{
    (void)state;
    GrRoverDef rover;
    GrModel *m = make_arm(&rover);
    FILE *out = fopen(FILE_NAME, "wb");
    assert_non_null(out);
    fprintf(out, "time_s,joint.shoulder.angle_deg,external.arm.fz_N,note\n");
    for (int k = 0; k < SAMPLES; k++) {
        fprintf(out, "%.17g,%.17g,-5,x\n", 0.005 * k, 0.4 * sin(3 * 0.005 * k) / GR_DEGREE);
    }
    fclose(out);
    GrInverseMotion motion;
    assert_int_equal(gr_inverse_motion(m, FILE_NAME, &motion, NULL), GR_OK);
    for (int k = 2; k < SAMPLES - 2; k++) {
        const double t = 0.005 * k, q = 0.4 * sin(3 * t), rate = 1.2 * cos(3 * t), second = -3.6 * sin(3 * t);
        const double torque = (0.1 + 2 * 0.25) * second - 2 * 3.71 * 0.5 * cos(q) + 0.5 * rate;
        assert_near(motion.torque[k], torque, 1e-6);
        assert_near(motion.rate[k], rate, 1e-7);
        const double lift = 12 * 3.71 + 5 + 2 * 0.5 * (-second * cos(q) + rate * rate * sin(q));
        assert_near(motion.base[6 * k + 2], lift, 1e-5);
    }
    gr_inverse_motion_free(&motion);
    gr_model_free(m);
    gr_rover_free(&rover);
    unlink(FILE_NAME);
}

static void test_faults(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"time_s,joint.sholder.angle_deg\n0,1\n1,2\n2,3\n", "did you mean 'shoulder'"},
        {"time_s,joint.shoulder.position_m\n0,1\n1,2\n2,3\n", "this joint turns"},
        {"time_s,joint.shoulder.angle_deg\n0,1\n1,2\n1,3\n", "times must increase"},
        {"time_s,joint.shoulder.angle_deg\n0,1\n1,x\n2,3\n", "is not a number"},
        {"time_s,joint.shoulder.angle_deg\n0,1\n1,2\n", "three samples"},
        {"t,joint.shoulder.angle_deg\n0,1\n1,2\n2,3\n", "there is no such column"},
        {"time_s,x_m\n0,1\n1,2\n2,3\n", "some of them are missing"},
        {"time_s,qw,qx,qy,qz\n0,1,0,0,0\n1,3,0,0,0\n2,1,0,0,0\n", "unit length"},
    };
    GrRoverDef rover;
    GrModel *m = make_arm(&rover);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        FILE *out = fopen(FILE_NAME, "wb");
        assert_non_null(out);
        fputs(rows[i].text, out);
        fclose(out);
        GrErrorLog log = {0};
        GrInverseMotion motion;
        assert_int_not_equal(gr_inverse_motion(m, FILE_NAME, &motion, &log), GR_OK);
        char text[1024];
        gr_error_format(gr_messages_at(&log, 0), text, sizeof text);
        if (strstr(text, rows[i].message) == NULL || strstr(text, FILE_NAME) == NULL) {
            print_error("'%s' is not in: %s\n", rows[i].message, text);
            fail();
        }
    }
    gr_model_free(m);
    gr_rover_free(&rover);
    unlink(FILE_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gives_back_the_torques),
                                       cmocka_unit_test(test_arm_by_hand), cmocka_unit_test(test_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
