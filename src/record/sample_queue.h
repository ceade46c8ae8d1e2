/// Queue of samples from the run to a thread that writes them, so that the run waits for neither formatting nor disk.
#ifndef GR_SAMPLE_QUEUE_H
#define GR_SAMPLE_QUEUE_H

#include "grouser/sample.h"

typedef struct GrSampleQueue GrSampleQueue;

/// Processes one sample. Called from the queue's thread, in the order of gr_sample_queue_add(), until it fails.
typedef GrStatus (*GrSampleFn)(void *context, const GrSample *sample, GrErrorLog *log);

/// `rock_count`: most rocks in a sample. NULL when memory or threads are exhausted.
GrSampleQueue *gr_sample_queue_create(const GrModel *model, int rock_count, GrSampleFn take, void *context);

/// Copies the sample; waits when the queue is full. Returns the first failure of `take`, with its messages.
GrStatus gr_sample_queue_add(GrSampleQueue *queue, const GrSample *sample, GrErrorLog *log);

/// Waits until all samples are processed; the thread is then idle until the next one is added. Returns as above.
GrStatus gr_sample_queue_drain(GrSampleQueue *queue, GrErrorLog *log);

/// Drains it first; NULL is allowed.
void gr_sample_queue_free(GrSampleQueue *queue);

#endif
