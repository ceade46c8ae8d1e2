/// The rays of one frame, shared out among threads: each ray depends on its number alone, so that any number of threads
/// gives the same bits.
#include "sensor.h"

#include "alloc.h"
#include "out_of_memory.h"

#include <pthread.h>

enum { THREADS_MAX = 64 };

typedef struct Share {
    GrSensor *sensor;
    const GrMount *now;
    GrRayFn fn;
    uint64_t stream;
    int begin, end;
} Share;

static void *do_share(void *context)
{
    const Share *share = context;
    for (int i = share->begin; i < share->end; i++) {
        share->fn(share->sensor, share->now, i, share->stream);
    }
    return NULL;
}

bool gr_rays_begin(GrSensor *s, GrErrorLog *log)
{
    const size_t count = (size_t)s->pattern.columns * (size_t)s->pattern.rows;
    const bool camera = s->def->kind == GR_SENSOR_CAMERA;
    s->ranges = gr_malloc(count * sizeof *s->ranges);
    s->points = camera ? NULL : gr_malloc(3 * count * sizeof *s->points);
    s->grey = camera ? gr_malloc(count) : NULL;
    const bool shines = !camera && s->def->lidar.intensity != 0;
    s->intensities = shines ? gr_malloc(count * sizeof *s->intensities) : NULL;
    if (s->ranges == NULL || (camera ? s->grey == NULL : s->points == NULL) || (shines && s->intensities == NULL)) {
        gr_out_of_memory(log, s->def->name);
        return false;
    }
    return true;
}

void gr_rays_each(GrSensor *s, const GrMount *now, long frame, GrRayFn fn)
{
    const int count = s->pattern.columns * s->pattern.rows;
    const int threads = s->threads < 1 ? 1 : s->threads > THREADS_MAX ? THREADS_MAX : s->threads;
    const uint64_t stream = s->stream + (uint64_t)frame * 0xd1342543de82ef95u;
    Share shares[THREADS_MAX];
    pthread_t ids[THREADS_MAX];
    bool started[THREADS_MAX] = {false};
    for (int k = 0; k < threads; k++) {
        const int begin = (int)((int64_t)count * k / threads), end = (int)((int64_t)count * (k + 1) / threads);
        shares[k] = (Share){s, now, fn, stream, begin, end};
        started[k] = k > 0 && pthread_create(&ids[k], NULL, do_share, &shares[k]) == 0;
    }
    for (int k = 0; k < threads; k++) {
        if (started[k]) {
            pthread_join(ids[k], NULL);
        } else { // the caller's own share, and those without a thread
            do_share(&shares[k]);
        }
    }
}

GrRangeFigures gr_range_figures(const GrSensor *s)
{
    GrRangeFigures f = {.least = INFINITY};
    double sum = 0;
    for (int i = 0; i < s->pattern.columns * s->pattern.rows; i++) {
        const double range = (double)s->ranges[i];
        if (!isnan(range)) {
            f.count++;
            sum += range;
            f.least = range < f.least ? range : f.least;
        }
    }
    f.mean = f.count > 0 ? sum / f.count : (double)NAN;
    f.least = f.count > 0 ? f.least : (double)NAN;
    return f;
}
