#include "helpers.h"

#include "alloc.h"
#include "buffer.h"
#include "clock.h"
#include "list.h"
#include "out_of_memory.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { ROWS_MAX = 200 }; // of a message, so that it is small enough to be sent at once
// [s]: a helper without a sign of life for this long is gone; so is rank 0
static const double SILENCE = 10, SIGN = 1, FAREWELL = 5, ASK_AGAIN = 0.1;

/// STOP is followed by ALL_HERE, or by SOME_GONE: then nobody may wait for all others to end.
typedef enum Answer { ANSWER_WORK, ANSWER_WAIT, ANSWER_STOP, ANSWER_ALL_HERE, ANSWER_SOME_GONE } Answer;

/// From rank 0: rows.
typedef struct Assignment {
    uint32_t answer, count;
    uint64_t rows[ROWS_MAX];
} Assignment;

/// To rank 0: a head, then results as in shards. Nothing wanted: a sign of life.
typedef struct Request {
    uint32_t wanted, count;
} Request;

GrStatus gr_helpers_begin(GrHelpers *h, const GrLink *link, const GrBatch *batch, GrErrorLog *log)
{
    *h = (GrHelpers){.link = link, .batch = batch, .heard = gr_calloc((size_t)link->size, sizeof(double))};
    for (int i = 0; h->heard != NULL && i < link->size; i++) {
        h->heard[i] = gr_wall_time();
    }
    return h->heard != NULL ? GR_OK : gr_out_of_memory(log, NULL);
}

static void reply(const GrHelpers *h, int rank, const Assignment *a)
{
    const size_t size = sizeof *a - sizeof a->rows + a->count * sizeof a->rows[0];
    h->link->send(h->link->context, rank, a, size); // one that is gone is noticed by its silence
}

/// Results that came with a request. One that has come before, from another helper, is left out.
static GrStatus take_results(GrHelpers *h, const unsigned char *data, size_t size, uint32_t count, GrErrorLog *log)
{
    for (uint32_t i = 0; i < count; i++) {
        GrResult result;
        const size_t length = gr_result_decode(data, size, &result);
        if (length == 0) {
            break; // damaged: its row is lent still, and comes back after a while
        }
        data += length;
        size -= length;
        int k = 0;
        while (k < h->lent_count && h->lent[k].key != result.key) {
            k++;
        }
        if (k < h->lent_count) {
            h->lent[k] = h->lent[--h->lent_count];
            if (gr_list_add(&h->finished, &h->finished_count, &result, sizeof result) < 0) {
                return gr_out_of_memory(log, NULL);
            }
        }
    }
    return GR_OK;
}

static GrStatus assign(GrHelpers *h, GrCrew *crew, int rank, uint32_t wanted, GrErrorLog *log)
{
    Assignment a = {.answer = ANSWER_WORK};
    a.count = gr_crew_lend(crew, wanted < ROWS_MAX ? wanted : ROWS_MAX, a.rows);
    for (uint32_t i = 0; i < a.count; i++) {
        GrRow row;
        h->batch->row(h->batch->context, a.rows[i], &row);
        const GrLent one = {a.rows[i], row.key, rank};
        if (gr_list_add(&h->lent, &h->lent_count, &one, sizeof one) < 0) {
            return gr_out_of_memory(log, NULL);
        }
    }
    a.answer = a.count > 0 ? ANSWER_WORK : ANSWER_WAIT;
    reply(h, rank, &a);
    return GR_OK;
}

/// Takes the rows back of helpers that are gone.
static GrStatus take_back(GrHelpers *h, GrErrorLog *log)
{
    const double time = gr_wall_time();
    for (int i = 0; i < h->lent_count;) {
        if (time - h->heard[h->lent[i].rank] < SILENCE) {
            i++;
            continue;
        }
        if (gr_list_add(&h->returned, &h->returned_count, &h->lent[i].row, sizeof *h->returned) < 0) {
            return gr_out_of_memory(log, NULL);
        }
        h->lent[i] = h->lent[--h->lent_count];
    }
    return GR_OK;
}

GrStatus gr_helpers_answer(GrHelpers *h, GrCrew *crew, double seconds, GrErrorLog *log)
{
    int rank;
    const void *data;
    size_t size;
    GrStatus status = GR_OK;
    while (status == GR_OK && h->link->receive(h->link->context, seconds, &rank, &data, &size)) {
        Request head;
        seconds = 0;
        h->heard[rank] = gr_wall_time();
        if (size < sizeof head) {
            continue;
        }
        memcpy(&head, data, sizeof head);
        status = take_results(h, (const unsigned char *)data + sizeof head, size - sizeof head, head.count, log);
        if (status == GR_OK && head.wanted > 0) {
            status = assign(h, crew, rank, head.wanted, log);
        }
    }
    return status == GR_OK ? take_back(h, log) : status;
}

uint64_t gr_helpers_returned(GrHelpers *h, uint64_t *rows)
{
    const int count = h->returned_count;
    for (int i = 0; i < count; i++) {
        rows[i] = h->returned[i];
    }
    gr_free(h->returned);
    h->returned = NULL;
    h->returned_count = 0;
    return (uint64_t)count;
}

bool gr_helpers_end(GrHelpers *h)
{
    const Assignment stop = {.answer = ANSWER_STOP};
    int left = h->link->size - 1, rank;
    const void *data;
    size_t size;
    const double end = gr_wall_time() + FAREWELL;
    while (left > 0 && gr_wall_time() < end) {
        Request head = {0};
        if (h->link->receive(h->link->context, 0.05, &rank, &data, &size) && size >= sizeof head) {
            memcpy(&head, data, sizeof head);
            if (head.wanted > 0) {
                reply(h, rank, &stop);
                h->heard[rank] = INFINITY; // it has stopped
                left--;
            }
        }
    }
    const Assignment last = {.answer = left == 0 ? ANSWER_ALL_HERE : ANSWER_SOME_GONE};
    for (int i = 1; i < h->link->size; i++) {
        if (isinf(h->heard[i])) {
            reply(h, i, &last);
        }
    }
    gr_free(h->lent);
    gr_free(h->returned);
    gr_free(h->heard);
    *h = (GrHelpers){0};
    return left == 0;
}

static bool send_request(const GrLink *link, uint32_t wanted, const GrResult *results, int count)
{
    GrBuffer message = {0};
    const Request head = {wanted, (uint32_t)count};
    gr_buffer_add(&message, (const char *)&head, sizeof head);
    for (int i = 0; i < count; i++) {
        unsigned char record[GR_RESULT_BYTES];
        gr_buffer_add(&message, (const char *)record, gr_result_encode(&results[i], record));
    }
    const bool sent = !message.failed && link->send(link->context, 0, message.data, message.size);
    gr_buffer_free(&message);
    return sent;
}

/// Waits for the answer to a request. False: rank 0 is gone.
static bool wait_answer(const GrLink *link, double seconds, Assignment *out)
{
    int from;
    const void *data;
    size_t size;
    const size_t head = sizeof *out - sizeof out->rows;
    if (!link->receive(link->context, seconds, &from, &data, &size) || size < head || size > sizeof *out) {
        return false;
    }
    memcpy(out, data, size);
    return out->count <= ROWS_MAX && size == head + out->count * sizeof out->rows[0];
}

/// Runs rows with the crew, with signs of life meanwhile. The results are the caller's.
static GrStatus run_rows(const GrLink *link, const GrCrew *like, const Assignment *a, GrResult **results, int *count,
                         GrErrorLog *log)
{
    GrCrew crew = {.campaign = like->campaign,
                   .batch = like->batch,
                   .workers = like->workers,
                   .threads = like->threads,
                   .pending = a->rows,
                   .pending_count = a->count};
    GrStatus status = gr_crew_start(&crew, log);
    double sign = gr_wall_time();
    while (status == GR_OK && !gr_crew_is_over(&crew)) {
        const struct timespec pause = {0, 500000};
        nanosleep(&pause, NULL);
        if (gr_wall_time() - sign > SIGN) {
            send_request(link, 0, NULL, 0);
            sign = gr_wall_time();
        }
    }
    *count = gr_crew_take(&crew, results);
    const GrStatus joined = gr_crew_join(&crew, log);
    return status != GR_OK ? status : joined;
}

GrStatus gr_helper_serve(const GrLink *link, const GrCrew *like, bool *all_here, GrErrorLog *log)
{
    GrResult *results = NULL;
    int count = 0;
    double wanted = 2.0 * like->threads;
    GrStatus status = GR_OK;
    *all_here = false;
    for (;;) {
        Assignment a;
        const bool answered =
            send_request(link, (uint32_t)fmin(wanted, ROWS_MAX), results, count) && wait_answer(link, 6 * SILENCE, &a);
        gr_free(results);
        results = NULL;
        count = 0;
        if (!answered) {
            return gr_error_add(log, GR_ERROR_FILE, (GrLocation){0}, "the first process does not answer");
        }
        if (a.answer == ANSWER_STOP) {
            *all_here = wait_answer(link, 3 * FAREWELL, &a) && a.answer == ANSWER_ALL_HERE;
            return GR_OK;
        }
        if (a.answer == ANSWER_WAIT) {
            const struct timespec pause = {0, (long)(1e9 * ASK_AGAIN)};
            nanosleep(&pause, NULL);
            continue;
        }
        const double start = gr_wall_time();
        status = run_rows(link, like, &a, &results, &count, log);
        if (status != GR_OK) {
            gr_free(results);
            return status;
        }
        // half a second of work at a time
        wanted = fmax(like->threads, fmin(2 * wanted, 0.5 * a.count / fmax(gr_wall_time() - start, 1e-4)));
    }
}
