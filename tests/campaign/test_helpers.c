/// Helpers of a campaign, over a link within the process: they run rows of every batch, of rows that rank 0 alone
/// knows.
#include "test.h"

#include "alloc.h"
#include "clock.h"
#include "helpers.h"
#include "runner.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RANKS = 3, RUN_US = 1000 };
/// A batch of four runs of a millisecond takes two to three of them; a helper that asks again every 0.1 s would be
/// seen.
static const double BATCH_LIMIT = 0.05, ROUNDING = 1e-12;

/// A formula that takes a while, so that helpers have something to do.
static GrStatus run_slowly(void *worker, const GrCase *c, double *terms, GrResult *result, GrErrorLog *log)
{
    const struct timespec pause = {0, RUN_US * 1000L};
    nanosleep(&pause, NULL);
    return gr_subject_function.run(worker, c, terms, result, log);
}

static const GrSubjectKind *const SUBJECTS[] = {&gr_subject_function, NULL};
static const GrCampaignKinds KINDS = {.subjects = SUBJECTS};
static const char FORMULA[] = "run: {function: {f: \"x^2 + y\"}}\n"
                              "vary: {x: {from: -1000, to: 1000}, y: {from: 0, to: 1}, z: [1.0, 2.50]}\n"
                              "sample: {method: sobol, count: 1}\n";

static GrStatus load(GrCampaign *out, GrSubjectKind *slow)
{
    GrErrorLog log = {0};
    const GrStatus status = gr_campaign_load("c.yaml", &KINDS, out, &log);
    *slow = gr_subject_function;
    slow->run = run_slowly;
    out->kind = slow;
    return status;
}

typedef struct Message {
    int from;
    size_t size;
    char *data;
    struct Message *next;
} Message;

/// The messages to one rank.
typedef struct Box {
    pthread_mutex_t mutex;
    Message *first, *last;
    Message *read; ///< the one that was read last
} Box;

typedef struct Post {
    Box boxes[RANKS];
    atomic_uint returned; ///< results that helpers have sent
} Post;

/// One end of the link.
typedef struct End {
    Post *post;
    int rank;
} End;

static bool send_message(void *context, int to, const void *data, size_t size)
{
    const End *end = context;
    Box *box = &end->post->boxes[to];
    Message *message = calloc(1, sizeof *message);
    *message = (Message){.from = end->rank, .size = size, .data = malloc(size)};
    memcpy(message->data, data, size);
    pthread_mutex_lock(&box->mutex);
    if (box->last != NULL) {
        box->last->next = message;
    } else {
        box->first = message;
    }
    box->last = message;
    if (to == 0 && size >= sizeof(GrRequest)) {
        GrRequest head;
        memcpy(&head, data, sizeof head);
        atomic_fetch_add(&end->post->returned, head.count);
    }
    pthread_mutex_unlock(&box->mutex);
    return true;
}

static void free_message(Message *message)
{
    if (message != NULL) {
        free(message->data);
        free(message);
    }
}

static bool receive_message(void *context, double seconds, int *from, const void **data, size_t *size)
{
    const End *end = context;
    Box *box = &end->post->boxes[end->rank];
    const double start = gr_wall_time();
    for (;;) {
        pthread_mutex_lock(&box->mutex);
        Message *message = box->first;
        if (message != NULL) {
            box->first = message->next;
            box->last = message->next != NULL ? box->last : NULL;
            free_message(box->read);
            box->read = message;
        }
        pthread_mutex_unlock(&box->mutex);
        if (message != NULL) {
            *from = message->from;
            *data = message->data;
            *size = message->size;
            return true;
        }
        if (gr_wall_time() - start >= seconds) {
            return false;
        }
        const struct timespec pause = {0, 100000};
        nanosleep(&pause, NULL);
    }
}

static Post *make_post(void)
{
    Post *post = calloc(1, sizeof *post);
    for (int i = 0; i < RANKS; i++) {
        pthread_mutex_init(&post->boxes[i].mutex, NULL);
    }
    return post;
}

static void free_post(Post *post)
{
    for (int i = 0; i < RANKS; i++) {
        Box *box = &post->boxes[i];
        while (box->first != NULL) {
            Message *next = box->first->next;
            free_message(box->first);
            box->first = next;
        }
        free_message(box->read);
        pthread_mutex_destroy(&box->mutex);
    }
    free(post);
}

static GrLink link_of(End *end)
{
    return (GrLink){end, end->rank, RANKS, send_message, receive_message, NULL};
}

/// A rank above 0, with a campaign of its own as in another process.
typedef struct Helper {
    End end;
    pthread_t thread;
    GrStatus status;
    bool all_here;
} Helper;

static void *serve(void *context)
{
    Helper *helper = context;
    const GrLink link = link_of(&helper->end);
    GrCampaign c;
    GrSubjectKind slow;
    GrErrorLog log = {0};
    helper->status = load(&c, &slow);
    const GrRunnerDef def = {.campaign = &c, .path = "c.db", .link = &link, .threads = 1};
    GrRunner *runner = helper->status == GR_OK ? gr_runner_open(&def, &log) : NULL;
    if (runner != NULL) {
        helper->status = gr_runner_serve(runner, &log);
        gr_runner_close(runner, &helper->all_here, &log);
    }
    gr_campaign_free(&c);
    return NULL;
}

/// Rows of a search: nothing in the campaign file says what they are.
typedef struct Points {
    const GrCampaign *campaign;
    double first;
} Points;

static void make_row(void *context, uint64_t index, GrRow *out)
{
    const Points *points = context;
    gr_variable_number(&points->campaign->variables[0], points->first + (double)index / 7, &out->values[0]);
    gr_variable_number(&points->campaign->variables[1], 0.25, &out->values[1]);
    gr_variable_at(&points->campaign->variables[2], (int)(index % 2), &out->values[2]);
    gr_row_finish(points->campaign, out);
}

/// Runs a batch and compares its results with the formula. Returns the time that it took [s].
static double run_batch(GrRunner *runner, const GrCampaign *c, double first, int count)
{
    GrResult results[100];
    GrErrorLog log = {0};
    GrRunnerProgress progress;
    bool interrupted;
    Points points = {c, first};
    const GrBatch batch = {.count = (uint64_t)count, .context = &points, .row = make_row, .results = results};
    const double start = gr_wall_time();
    assert_int_equal(gr_runner_run(runner, &batch, &progress, &interrupted, &log), GR_OK);
    const double time = gr_wall_time() - start;
    assert_int_equal(progress.done, count);
    for (int i = 0; i < count; i++) {
        const double x = first + (double)i / 7;
        assert_true(fabs(results[i].metrics[0] - (x * x + 0.25)) < ROUNDING * (x * x + 1));
    }
    return time;
}

static void test_every_batch_is_shared(void **state)
{
    (void)state;
    enum { LARGE = 100, SMALL = 4, BATCHES = 40 };
    Post *post = make_post();
    Helper helpers[RANKS] = {0};
    for (int i = 1; i < RANKS; i++) {
        helpers[i].end = (End){post, i};
        assert_int_equal(pthread_create(&helpers[i].thread, NULL, serve, &helpers[i]), 0);
    }
    unlink("c.db");
    End own = {post, 0};
    const GrLink link = link_of(&own);
    GrCampaign c;
    GrSubjectKind slow;
    GrErrorLog log = {0};
    assert_int_equal(load(&c, &slow), GR_OK);
    GrStudy *study = gr_study_open("c.db", &c, &log);
    assert_non_null(study);
    const GrRunnerDef def = {.campaign = &c, .study = study, .path = "c.db", .link = &link, .threads = 1};
    GrRunner *runner = gr_runner_open(&def, &log);
    assert_non_null(runner);
    for (int k = 0; k < 3; k++) {
        const unsigned before = atomic_load(&post->returned);
        run_batch(runner, &c, 100 * k, LARGE);
        assert_true(atomic_load(&post->returned) > before);
    }
    double time = 0;
    for (int k = 0; k < BATCHES; k++) {
        time += run_batch(runner, &c, -1000 + 10 * k, SMALL);
    }
    print_message("a batch of %d runs of %.3g ms: %.3g ms\n", (int)SMALL, 1e-3 * RUN_US, 1e3 * time / BATCHES);
    assert_true(time / BATCHES < BATCH_LIMIT);
    bool all_here = false;
    assert_int_equal(gr_runner_close(runner, &all_here, &log), GR_OK);
    assert_true(all_here);
    gr_study_close(study);
    gr_campaign_free(&c);
    for (int i = 1; i < RANKS; i++) {
        pthread_join(helpers[i].thread, NULL);
        assert_int_equal(helpers[i].status, GR_OK);
        assert_true(helpers[i].all_here);
    }
    free_post(post);
}

/// Rank 0 could not open its study: the others end, too.
static void test_dismissed_without_work(void **state)
{
    (void)state;
    Post *post = make_post();
    Helper helpers[RANKS] = {0};
    for (int i = 1; i < RANKS; i++) {
        helpers[i].end = (End){post, i};
        assert_int_equal(pthread_create(&helpers[i].thread, NULL, serve, &helpers[i]), 0);
    }
    End own = {post, 0};
    const GrLink link = link_of(&own);
    assert_true(gr_runner_end_others(&link));
    for (int i = 1; i < RANKS; i++) {
        pthread_join(helpers[i].thread, NULL);
        assert_int_equal(helpers[i].status, GR_OK);
        assert_true(helpers[i].all_here);
    }
    free_post(post);
}

static void test_rows_travel_exactly(void **state)
{
    (void)state;
    GrCampaign c;
    GrErrorLog log = {0};
    GrBuffer message = {0};
    GrRow rows[3], copy;
    GrAssignment got;
    assert_int_equal(gr_campaign_parse(FORMULA, "c.yaml", &KINDS, &c, &log), GR_OK);
    Points points = {&c, 0.1};
    gr_assignment_begin(&message, GR_ANSWER_WORK);
    for (int i = 0; i < 3; i++) {
        make_row(&points, (uint64_t)i, &rows[i]);
        gr_assignment_add(&message, &rows[i]);
    }
    assert_false(message.failed);
    assert_int_equal(gr_assignment_read(message.data, message.size, &c, &got, &log), GR_OK);
    assert_int_equal(got.count, 3);
    for (int i = 0; i < 3; i++) {
        gr_assignment_row(&got, (uint64_t)i, &copy);
        assert_int_equal(copy.key, rows[i].key);
        for (int k = 0; k < c.variable_count; k++) {
            assert_string_equal(copy.overrides[k], rows[i].overrides[k]);
            assert_memory_equal(&copy.numbers[k], &rows[i].numbers[k], sizeof copy.numbers[k]);
        }
    }
    gr_assignment_free(&got);
    for (size_t size = 0; size < message.size; size++) { // a message that was cut
        assert_int_equal(gr_assignment_read(message.data, size, &c, &got, NULL), GR_ERROR_FILE);
        gr_assignment_free(&got);
    }
    c.inputs++; // another file on this machine
    assert_int_equal(gr_assignment_read(message.data, message.size, &c, &got, NULL), GR_ERROR_VALUE);
    gr_assignment_free(&got);
    gr_buffer_free(&message);
    gr_campaign_free(&c);
}

int main(void)
{
    FILE *file = fopen("c.yaml", "w");
    fputs(FORMULA, file);
    fclose(file);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_travel_exactly),
        cmocka_unit_test(test_dismissed_without_work),
        cmocka_unit_test(test_every_batch_is_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
