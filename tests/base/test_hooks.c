/// Hooks of the caller: a run allocates all its memory from the caller's allocator and returns all of it.
#include "check.h"
#include "grouser/hooks.h"
#include "grouser/record.h"
#include "grouser/run.h"

#include "scenario_data.h"
#include "test.h"

#include <stdatomic.h>
#include <stdlib.h>

// The linker takes the program's calls to these names here (--wrap); libraries that are linked to it keep their own.
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *memory);

static atomic_long strays; ///< calls that pass the allocator by

void *__wrap_malloc(size_t size)
{
    strays++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    strays++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    strays++;
    return __real_realloc(old, size);
}

void __wrap_free(void *memory)
{
    strays++;
    __real_free(memory);
}

/// Blocks and bytes in use. Each block begins with its size, so that one that the allocator did not give is noticed.
typedef struct Counter {
    atomic_long blocks, bytes, calls;
    atomic_int messages, assertions;
    GrError last;
    char last_field[80], last_text[80]; ///< its texts end with the call
    char expression[80];
} Counter;

enum { HEAD = 64, MARK = 0x5afe };

static void *take(void *context, size_t size)
{
    Counter *c = context;
    unsigned char *memory = __real_malloc(size + HEAD);
    if (memory == NULL) {
        return NULL;
    }
    ((size_t *)memory)[0] = size;
    ((size_t *)memory)[1] = MARK;
    memset(memory + HEAD, 0xa5, size); // whoever relies on zeros gets none
    c->blocks++;
    c->calls++;
    c->bytes += (long)size;
    return memory + HEAD;
}

static void give_back(void *context, void *memory)
{
    Counter *c = context;
    if (memory == NULL) {
        return;
    }
    size_t *head = (size_t *)((unsigned char *)memory - HEAD);
    assert_int_equal(head[1], MARK);
    head[1] = 0;
    c->blocks--;
    c->bytes -= (long)head[0];
    __real_free(head);
}

static void *resize(void *context, void *memory, size_t size)
{
    void *fresh = take(context, size);
    if (fresh != NULL && memory != NULL) {
        const size_t old = *(size_t *)((unsigned char *)memory - HEAD);
        memcpy(fresh, memory, old < size ? old : size);
        give_back(context, memory);
    }
    return fresh;
}

static void hear(void *context, const GrError *message)
{
    Counter *c = context;
    c->messages++;
    c->last = *message;
    snprintf(c->last_field, sizeof c->last_field, "%s", message->field);
    snprintf(c->last_text, sizeof c->last_text, "%s", message->text);
}

static void note_assertion(void *context, const char *expression, const char *file, int line)
{
    Counter *c = context;
    c->assertions++;
    snprintf(c->expression, sizeof c->expression, "%s", expression);
    assert_non_null(strstr(file, "test_hooks.c"));
    assert_true(line > 0);
}

static GrHooks counting(Counter *counter)
{
    return (GrHooks){.allocate = take,
                     .reallocate = resize,
                     .release = give_back,
                     .log = hear,
                     .assertion = note_assertion,
                     .context = counter};
}

static void run_scenario(const char *name, const char *const *overrides)
{
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrSample sample;
    GrRunSummary summary = {0};
    assert_int_equal(gr_scenario_load(name, overrides, &scenario, &log), GR_OK);
    assert_int_equal(gr_world_create(scenario, &world, &log), GR_OK);
    const GrRecordDef def = {.directory = "hooks.run",
                             .name = name,
                             .rover = &scenario->rover,
                             .model = world->model,
                             .csv = true,
                             .mcap = true,
                             .report = true};
    GrRecord *record = NULL;
    assert_int_equal(gr_record_open(&def, &record, &log), GR_OK);
    assert_true(gr_sample_init(world->model, gr_mission_rock_count(world->mission), &sample));
    for (int i = 1; i <= 5; i++) {
        gr_mission_advance(world->mission, 0.01 * i);
        gr_mission_sample(world->mission, &sample);
        assert_int_equal(gr_record_add(record, &sample, &log), GR_OK);
    }
    assert_int_equal(gr_mission_summary(world->mission, &summary, &log), GR_OK);
    assert_int_equal(gr_record_close(record, &summary, &log), GR_OK);
    gr_run_summary_free(&summary);
    gr_sample_free(&sample);
    gr_world_free(world);
    gr_scenario_free(scenario);
}

static void test_all_memory_comes_from_the_allocator(void **state)
{
    (void)state;
    const char *const short_run[] = {"stop={time_s: 0.05}", NULL};
    const char *const scenarios[] = {"crossing", "own_track", "mixed_soils", "ice"};
    for (int i = 0; i < 4; i++) {
        Counter counter = {0};
        const GrHooks hooks = counting(&counter);
        assert_int_equal(gr_set_hooks(&hooks), GR_OK);
        strays = 0;
        run_scenario(scenarios[i], short_run);
        print_message("%s: %ld allocations\n", scenarios[i], (long)counter.calls);
        assert_true(counter.calls > 50);
        assert_int_equal(counter.blocks, 0);
        assert_int_equal(counter.bytes, 0);
        assert_int_equal(strays, 0);
        assert_int_equal(gr_set_hooks(NULL), GR_OK);
    }
}

/// Memory that the caller hands over comes from the same allocator; without hooks it is the C library's.
static void test_memory_for_definitions(void **state)
{
    (void)state;
    Counter counter = {0};
    const GrHooks hooks = counting(&counter);
    assert_int_equal(gr_set_hooks(&hooks), GR_OK);
    gr_free(gr_malloc(100));
    assert_int_equal(counter.calls, 1);
    assert_int_equal(counter.bytes, 0);
    gr_set_hooks(NULL);
    strays = 0;
    gr_free(gr_malloc(100));
    assert_int_equal(strays, 2);
}

static void test_half_an_allocator_is_refused(void **state)
{
    (void)state;
    GrHooks hooks = {.allocate = take, .release = give_back};
    strays = 0;
    assert_int_equal(gr_set_hooks(&hooks), GR_ERROR_USAGE);
    gr_free(gr_malloc(1));
    assert_int_equal(strays, 2); // nothing was set
}

/// Every message once, also beyond the capacity of the log; none of a quiet log or without a log.
static void test_messages(void **state)
{
    (void)state;
    Counter counter = {0};
    const GrHooks hooks = {.log = hear, .context = &counter};
    assert_int_equal(gr_set_hooks(&hooks), GR_OK);
    GrErrorLog log = {0}, quiet = {.quiet = true};
    for (int i = 0; i < GR_ERROR_LOG_CAPACITY + 3; i++) {
        gr_warning_add(&log, (GrLocation){.field = "step"}, "warning %d", i);
    }
    assert_int_equal(counter.messages, GR_ERROR_LOG_CAPACITY + 3);
    assert_int_equal(counter.last.severity, GR_SEVERITY_WARNING);
    assert_string_equal(counter.last_field, "step");
    assert_string_equal(counter.last_text, "warning 34");
    gr_warning_add(&quiet, (GrLocation){0}, "quiet");
    gr_warning_add(NULL, (GrLocation){0}, "dropped");
    assert_int_equal(counter.messages, GR_ERROR_LOG_CAPACITY + 3);

    counter.messages = 0;
    log = (GrErrorLog){0};
    GrScenario *scenario = NULL;
    const char *const wrong[] = {"step.integrator=liner", "soil.law=dinge", NULL};
    assert_int_not_equal(gr_scenario_load("crossing", wrong, &scenario, &log), GR_OK);
    assert_int_equal(counter.messages, log.count + log.dropped);
    gr_set_hooks(NULL);
}

static void test_assertions(void **state)
{
    (void)state;
    Counter counter = {0};
    const GrHooks hooks = counting(&counter);
    gr_set_hooks(&hooks);
    GR_CHECK(1 + 1 == 2);
    assert_int_equal(counter.assertions, 0);
    GR_CHECK(1 + 1 == 3);
    assert_int_equal(counter.assertions, 1);
    assert_string_equal(counter.expression, "1 + 1 == 3");
    gr_set_hooks(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_memory_comes_from_the_allocator),
        cmocka_unit_test(test_memory_for_definitions),
        cmocka_unit_test(test_half_an_allocator_is_refused),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_assertions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
