#include "processors.h"

#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

enum { MOST_THREADS = 64 };

int gr_processor_count(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 && count < 1024 ? (int)count : 1;
}

typedef struct Share {
    GrShareFn fn;
    void *context;
    int number, count;
} Share;

static void *do_share(void *context)
{
    const Share *share = context;
    share->fn(share->context, share->number, share->count);
    return NULL;
}

void gr_share_out(int threads, GrShareFn fn, void *context)
{
    const int wanted = threads > 0 ? threads : gr_processor_count();
    const int count = wanted < MOST_THREADS ? wanted : MOST_THREADS;
    Share shares[MOST_THREADS];
    pthread_t ids[MOST_THREADS];
    bool started[MOST_THREADS];
    for (int k = 0; k < count; k++) {
        shares[k] = (Share){fn, context, k, count};
        started[k] = k > 0 && pthread_create(&ids[k], NULL, do_share, &shares[k]) == 0;
    }
    for (int k = 0; k < count; k++) {
        if (started[k]) {
            pthread_join(ids[k], NULL);
        } else { // this thread's own part, and those without a thread
            do_share(&shares[k]);
        }
    }
}
