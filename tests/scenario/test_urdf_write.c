/// Rovers written as URDF and read again: the reader does not depend on the writer.
#include "test.h"

#include "alloc.h"
#include "rover_pose.h"
#include "rover_urdf.h"
#include "urdf_write.h"
#include "vec3.h"

#include <dirent.h>

static const double ROUNDING = 1e-9; // angles go through roll, pitch, yaw; relative to metres, kilograms

static int find_body(const GrRoverDef *rover, const char *name)
{
    for (int i = 0; i < rover->body_count; i++) {
        if (strcmp(rover->bodies[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static const GrJointDef *find_joint(const GrRoverDef *rover, const char *name)
{
    for (int i = 0; i < rover->joint_count; i++) {
        if (strcmp(rover->joints[i].name, name) == 0) {
            return &rover->joints[i];
        }
    }
    return NULL;
}

static void assert_same_joint(const GrJointDef *a, const GrJointDef *b)
{
    assert_non_null(b);
    const bool simple = a->kind == GR_JOINT_FIXED || a->kind == GR_JOINT_REVOLUTE || a->kind == GR_JOINT_PRISMATIC;
    assert_int_equal(simple ? a->kind : GR_JOINT_FREE, b->kind);
    if (!simple || a->kind == GR_JOINT_FIXED) {
        return;
    }
    assert_near(gr_norm(gr_sub(gr_normalize(a->axis), gr_normalize(b->axis))), 0, ROUNDING);
    assert_true(a->lower == b->lower || fabs(a->lower - b->lower) < ROUNDING);
    assert_true(a->upper == b->upper || fabs(a->upper - b->upper) < ROUNDING);
    assert_near(a->damping, b->damping, ROUNDING);
    assert_near(a->friction, b->friction, ROUNDING);
}

/// Every body has the same mass properties and the same place, with all joints at 0.
static void assert_same_rover(const GrRoverDef *a, const GrRoverDef *b)
{
    double *zero = gr_calloc((size_t)(a->joint_count + b->joint_count) + 1, sizeof *zero);
    GrPose *at_a = gr_calloc((size_t)a->body_count, sizeof *at_a),
           *at_b = gr_calloc((size_t)b->body_count, sizeof *at_b);
    assert_int_equal(gr_rover_body_poses(a, zero, at_a, NULL), GR_OK);
    assert_int_equal(gr_rover_body_poses(b, zero, at_b, NULL), GR_OK);
    for (int i = 0; i < a->body_count; i++) {
        const int k = find_body(b, a->bodies[i].name);
        assert_true(k >= 0);
        const GrBodyDef *x = &a->bodies[i], *y = &b->bodies[k];
        assert_near(x->mass, y->mass, ROUNDING);
        const GrPose p = gr_pose_mul(gr_pose_inverse(at_a[0]), at_a[i]);
        const GrPose q = gr_pose_mul(gr_pose_inverse(at_b[find_body(b, a->bodies[0].name)]), at_b[k]);
        assert_near(gr_norm(gr_sub(p.position, q.position)), 0, ROUNDING);
        assert_near(gr_norm(gr_quat_log(gr_quat_mul(gr_quat_conjugate(p.rotation), q.rotation))), 0, 1e-7);
        assert_near(gr_norm(gr_sub(x->com, y->com)), 0, ROUNDING);
        const double *m = &x->inertia.xx, *n = &y->inertia.xx;
        for (int c = 0; c < 6; c++) {
            assert_near(m[c], n[c], ROUNDING);
        }
    }
    for (int i = 0; i < a->joint_count; i++) {
        assert_same_joint(&a->joints[i], find_joint(b, a->joints[i].name));
    }
    assert_int_equal(a->coupling_count, b->coupling_count);
    gr_free(zero);
    gr_free(at_a);
    gr_free(at_b);
}

static void test_shipped(void **state)
{
    (void)state;
    DIR *folder = opendir(GR_TEST_SOURCE_DIR "/data/rovers");
    int count = 0;
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        char path[512];
        if (dot == NULL || strcmp(dot, ".yaml") != 0) {
            continue;
        }
        snprintf(path, sizeof path, "%s/data/rovers/%s", GR_TEST_SOURCE_DIR, entry->d_name);
        GrRoverDef rover, again;
        GrErrorLog log = {0};
        GrBuffer text = {0};
        assert_int_equal(gr_rover_load(path, NULL, &rover, &log), GR_OK);
        gr_urdf_write(&rover, &text);
        assert_false(text.failed);
        memset(&log, 0, sizeof log);
        const GrStatus status = gr_rover_parse_urdf(text.data, text.size, "written.urdf", NULL, &again, &log);
        if (status != GR_OK) {
            print_error("%s: %s: %s\n", entry->d_name, log.items[0].field, log.items[0].text);
        }
        assert_int_equal(status, GR_OK);
        assert_same_rover(&rover, &again);
        gr_rover_free(&again);
        gr_rover_free(&rover);
        gr_buffer_free(&text);
        count++;
    }
    closedir(folder);
    assert_true(count >= 10);
}

static void test_base(void **state)
{
    (void)state;
    GrRoverDef rover = gr_default_rover_def();
    GrBodyDef body = gr_default_body_def();
    snprintf(body.name, sizeof body.name, "hull & deck");
    body.mass = 1;
    gr_rover_add_body(&rover, &body);
    assert_string_equal(gr_urdf_base(&rover), "base_link");
    GrBuffer text = {0};
    gr_urdf_write(&rover, &text);
    assert_non_null(strstr(text.data, "<link name=\"base_link\"/>"));
    assert_non_null(strstr(text.data, "hull &amp; deck"));
    gr_buffer_free(&text);
    snprintf(rover.bodies[0].name, GR_NAME_SIZE, "base_link"); // its own name: no second link of it
    gr_urdf_write(&rover, &text);
    assert_null(strstr(text.data, "base_joint"));
    gr_buffer_free(&text);
    gr_rover_free(&rover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shipped), cmocka_unit_test(test_base)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
