/// The same bits on any number of threads: one model shared, one data each.
#include "support/random_rover.h"
#include "test.h"

#include <pthread.h>

enum { RUNS = 8, STEPS = 500, MAX_THREADS = 4 };

typedef struct Work {
    const GrModel *m;
    int first, stride;
    uint64_t *hash; ///< [RUNS]
} Work;

/// Runs differ by their commands; each writes its own hash.
static void *run_some(void *context)
{
    const Work *work = context;
    for (int run = work->first; run < RUNS; run += work->stride) {
        GrData *d = NULL;
        gr_data_create(work->m, &d, NULL);
        for (int i = 0; i < STEPS && d != NULL; i++) {
            for (int k = 0; k < work->m->joint_count; k++) {
                gr_data_set_command(work->m, d, k, sin(0.02 * i + k + run));
            }
            gr_step(work->m, d);
        }
        work->hash[run] = d != NULL ? gr_data_hash(work->m, d) : 0;
        gr_data_free(d);
    }
    return NULL;
}

static void run_all(const GrModel *m, int threads, uint64_t *hash)
{
    pthread_t thread[MAX_THREADS];
    Work work[MAX_THREADS];
    for (int i = 0; i < threads; i++) {
        work[i] = (Work){m, i, threads, hash};
        assert_int_equal(pthread_create(&thread[i], NULL, run_some, &work[i]), 0);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
    }
}

static void test_any_number_of_threads(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(11, "threads");
    GrRoverDef rover = gr_random_rover(&random, 12);
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(&rover, NULL, &m, NULL), GR_OK);
    uint64_t one[RUNS], many[RUNS];
    run_all(m, 1, one);
    for (int i = 1; i < RUNS; i++) {
        assert_true(one[i] != one[0]);
    }
    for (int threads = 1; threads <= MAX_THREADS; threads *= 2) {
        memset(many, 0, sizeof many);
        run_all(m, threads, many);
        assert_memory_equal(many, one, sizeof one);
    }
    gr_model_free(m);
    gr_rover_free(&rover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_number_of_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
