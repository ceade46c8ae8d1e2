/// Memory of a rover on the law scm: how much it takes, when there is none, and when a saved state is damaged.
#include "data.h"
#include "test.h"

#include "grouser/hooks.h"

#include <malloc.h>
#include <stdlib.h>

/// Bytes in use, counted by the allocator; it fails after `left` more calls.
typedef struct Memory {
    size_t used;
    int left;
} Memory;

static Memory memory;

static void *resize(void *context, void *block, size_t size)
{
    (void)context;
    if (memory.left-- <= 0) {
        return NULL;
    }
    memory.used -= block != NULL ? malloc_usable_size(block) : 0;
    void *resized = realloc(block, size);
    memory.used += malloc_usable_size(resized != NULL ? resized : block);
    return resized;
}

static void *take(void *context, size_t size)
{
    return resize(context, NULL, size);
}

static void give_back(void *context, void *block)
{
    (void)context;
    memory.used -= block != NULL ? malloc_usable_size(block) : 0;
    free(block);
}

static const int PLENTY = 1000000000;

static int begin(void **state)
{
    (void)state;
    const GrHooks hooks = {.allocate = take, .reallocate = resize, .release = give_back};
    memory = (Memory){.left = PLENTY};
    gr_set_hooks(&hooks);
    return 0;
}

static int end(void **state)
{
    (void)state;
    const GrHooks none = {0};
    gr_set_hooks(&none);
    return memory.used == 0 ? 0 : -1; // nothing is left
}

static GrModel *model_of(const char *name)
{
    GrRoverDef rover = gr_default_rover_def();
    GrSoilDef soil = gr_default_soil_def();
    GrOptions options = gr_default_options();
    char path[512];
    snprintf(path, sizeof path, GR_TEST_SOURCE_DIR "/data/rovers/%s.yaml", name);
    assert_int_equal(gr_rover_load(path, NULL, &rover, NULL), GR_OK);
    soil.law = GR_SOIL_SCM;
    soil.damping = 400;
    options.surface.soil = &soil;
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(&rover, &options, &m, NULL), GR_OK);
    gr_rover_free(&rover);
    return m;
}

/// Puts the rover down and lets it settle, then drives it.
static void drive(const GrModel *m, GrData *d, int steps)
{
    double lowest = 1e9;
    gr_data_set_base_pose(d, (GrPose){{0, 0, 5}, {1, 0, 0, 0}});
    gr_forward(m, d);
    for (int i = 0; i < m->wheel_count; i++) {
        const GrVec3 centre = gr_add(gr_base_position(&d->tree), gr_wheel_centre(m, d, i));
        lowest = fmin(lowest, centre.z - m->wheels[i].radius);
    }
    gr_data_set_base_pose(d, (GrPose){{0, 0, 5 - lowest}, {1, 0, 0, 0}});
    assert_int_equal(gr_settle(m, d, NULL, NULL), GR_OK);
    for (int i = 0; i < gr_model_joint_count(m); i++) {
        if (gr_model_joint_role(m, i) == GR_ROLE_DRIVE) {
            gr_data_set_command(m, d, i, 0.05 / m->wheels[0].radius);
        }
    }
    for (int i = 0; i < steps; i++) {
        assert_int_equal(gr_step(m, d), GR_OK);
    }
}

/// All memory of a driving rover, which was 66 and 9 MB: working arrays were those of every body, also of those that
/// never come near the ground, lists were as long as they could ever get, and tiles were made for all of them.
static void test_a_driving_rover_takes_little(void **state)
{
    (void)state;
    const char *names[] = {"curiosity_like", "rashid_like"};
    const double most[] = {6e6, 2e6}, most_saved[] = {1e6, 1e5};
    for (int k = 0; k < 2; k++) {
        GrModel *m = model_of(names[k]);
        const size_t before = memory.used;
        GrData *d = NULL;
        gr_data_create(m, &d, NULL);
        drive(m, d, 400);
        print_message("%s: %.2f MB, saved %.2f MB\n", names[k], (double)(memory.used - before) / 1e6,
                      (double)gr_data_size(m, d) / 1e6);
        assert_true((double)(memory.used - before) < most[k]);
        assert_true((double)gr_data_size(m, d) < most_saved[k]);
        gr_data_free(d);
        gr_model_free(m);
    }
}

/// Wherever memory ends while a data is created or a belly meets the ground, there is an error and nothing leaks.
static void test_memory_runs_out(void **state)
{
    (void)state;
    GrModel *m = model_of("rashid_like");
    int failed_creations = 0, failed_steps = 0;
    for (int left = 0; left < 120; left++) {
        memory.left = left;
        GrData *d = NULL;
        gr_data_create(m, &d, NULL);
        failed_creations += d == NULL;
        gr_data_free(d);
        memory.left = PLENTY;
        assert_int_equal(gr_data_create(m, &d, NULL), GR_OK);
        gr_data_set_base_pose(d, (GrPose){{0, 0, 0}, {1, 0, 0, 0}}); // the belly is in the ground
        memory.left = left;
        const GrStatus status = gr_step(m, d);
        const bool ran_out = memory.left < 0;
        memory.left = PLENTY;
        assert_int_equal(status, ran_out ? GR_ERROR_MEMORY : GR_OK);
        failed_steps += ran_out;
        gr_data_free(d);
    }
    assert_in_range(failed_creations, 10, 119);
    assert_in_range(failed_steps, 5, 119);
    gr_model_free(m);
}

/// A saved state that ends too early, anywhere, is refused and changes nothing.
static void test_damaged_states_are_refused(void **state)
{
    (void)state;
    GrModel *m = model_of("rashid_like");
    GrData *d = NULL, *other = NULL;
    gr_data_create(m, &d, NULL);
    gr_data_create(m, &other, NULL);
    drive(m, d, 10);
    const size_t size = gr_data_size(m, d);
    unsigned char *saved = malloc(size);
    assert_int_equal(gr_data_save(m, d, saved), GR_OK);
    const uint64_t fresh = gr_data_hash(m, other);
    for (size_t at = 0; at < size; at += 97) {
        GrErrorLog log = {.quiet = true};
        assert_int_not_equal(gr_data_restore(m, other, saved, at, &log), GR_OK);
        assert_int_equal(log.error_count, 1);
        assert_true(gr_data_hash(m, other) == fresh);
    }
    // a list that claims to be longer than all that follows
    const uint64_t huge = (uint64_t)1 << 60;
    const size_t first = 24 + d->size + sizeof(uint64_t);
    memcpy(saved + first, &huge, sizeof huge);
    GrErrorLog log = {.quiet = true};
    assert_int_equal(gr_data_restore(m, other, saved, size, &log), GR_ERROR_SYNTAX);
    assert_true(gr_data_hash(m, other) == fresh);
    assert_int_equal(gr_data_save(m, d, saved), GR_OK);
    assert_int_equal(gr_data_restore(m, other, saved, size, NULL), GR_OK);
    assert_true(gr_data_hash(m, other) == gr_data_hash(m, d));
    free(saved);
    gr_data_free(d);
    gr_data_free(other);
    gr_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_driving_rover_takes_little, begin, end),
        cmocka_unit_test_setup_teardown(test_memory_runs_out, begin, end),
        cmocka_unit_test_setup_teardown(test_damaged_states_are_refused, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
