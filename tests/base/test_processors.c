/// Work that is shared out: every part is done once, at any number of threads.
#include "processors.h"
#include "test.h"

#include <stdatomic.h>

enum { MOST = 64 };

typedef struct Counts {
    atomic_int done[MOST];
    atomic_int shares;
} Counts;

static void count(void *context, int share, int shares)
{
    Counts *counts = context;
    counts->done[share]++;
    counts->shares = shares;
}

static void test_every_share_once(void **state)
{
    (void)state;
    static const int THREADS[] = {0, 1, 2, 7, 64, 1000};
    for (int k = 0; k < 6; k++) {
        Counts counts = {0};
        gr_share_out(THREADS[k], count, &counts);
        const int wanted = THREADS[k] > 0 ? THREADS[k] : gr_processor_count();
        assert_int_equal(counts.shares, wanted < MOST ? wanted : MOST);
        for (int i = 0; i < MOST; i++) {
            assert_int_equal(counts.done[i], i < counts.shares);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_share_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
