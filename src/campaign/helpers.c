#include "helpers.h"

#include "alloc.h"
#include "clock.h"
#include "list.h"
#include "out_of_memory.h"

#include <math.h>
#include <string.h>

// ---- which runs a helper has

/// Begins an assignment.
typedef struct Head {
    uint32_t answer, count;
} Head;

void gr_assignment_begin(GrBuffer *out, GrAnswer answer)
{
    const Head head = {(uint32_t)answer, 0};
    out->size = 0;
    gr_buffer_add(out, (const char *)&head, sizeof head);
}

void gr_assignment_add(GrBuffer *out, const GrRow *row)
{
    Head head;
    gr_buffer_add(out, (const char *)&row->key, sizeof row->key);
    for (int i = 0; i < row->count; i++) {
        const uint16_t length = (uint16_t)strlen(row->values[i].text);
        gr_buffer_add(out, (const char *)&row->values[i].number, sizeof row->values[i].number);
        gr_buffer_add(out, (const char *)&length, sizeof length);
        gr_buffer_add(out, row->values[i].text, length);
    }
    if (!out->failed) {
        memcpy(&head, out->data, sizeof head);
        head.count++;
        memcpy(out->data, &head, sizeof head);
    }
}

/// Reads one value; returns the offset after it, 0 when the message is damaged.
static size_t read_value(const unsigned char *data, size_t size, size_t at, GrValue *out)
{
    uint16_t length;
    if (size - at < sizeof out->number + sizeof length) {
        return 0;
    }
    memcpy(&out->number, data + at, sizeof out->number);
    memcpy(&length, data + at + sizeof out->number, sizeof length);
    at += sizeof out->number + sizeof length;
    if (length >= sizeof out->text || size - at < length) {
        return 0;
    }
    memcpy(out->text, data + at, length);
    out->text[length] = '\0';
    return at + length;
}

/// Reads one row; returns the offset after it, 0 when the message is damaged.
static size_t read_row(const unsigned char *data, size_t size, size_t at, const GrCampaign *campaign, uint64_t *key,
                       GrRow *out)
{
    if (size - at < sizeof *key) {
        return 0;
    }
    memcpy(key, data + at, sizeof *key);
    at += sizeof *key;
    for (int i = 0; i < campaign->variable_count && at > 0; i++) {
        at = read_value(data, size, at, &out->values[i]);
    }
    if (at > 0) {
        gr_row_finish(campaign, out);
    }
    return at;
}

GrStatus gr_assignment_read(const void *data, size_t size, const GrCampaign *campaign, GrAssignment *out,
                            GrErrorLog *log)
{
    Head head = {GR_ANSWER_COUNT, 0};
    *out = (GrAssignment){.campaign = campaign};
    if (size >= sizeof head) {
        memcpy(&head, data, sizeof head);
    }
    if (head.answer >= GR_ANSWER_COUNT || head.count > GR_ASSIGNMENT_ROWS) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){0}, "a message of the first process is damaged");
    }
    out->answer = (GrAnswer)head.answer;
    out->data = gr_malloc(size);
    out->at = gr_calloc((size_t)head.count + 1, sizeof *out->at);
    if (out->data == NULL || out->at == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    memcpy(out->data, data, size);
    size_t at = sizeof head;
    for (; (uint32_t)out->count < head.count; out->count++) {
        GrRow row;
        uint64_t key = 0;
        out->at[out->count] = at;
        at = read_row(out->data, size, at, campaign, &key, &row);
        if (at == 0) {
            return gr_error_add(log, GR_ERROR_FILE, (GrLocation){0}, "a message of the first process is damaged");
        }
        if (key != row.key) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                                "the program or the input files of this process differ from those of the first one");
        }
    }
    return at == size ? GR_OK
                      : gr_error_add(log, GR_ERROR_FILE, (GrLocation){0}, "a message of the first process is damaged");
}

void gr_assignment_free(GrAssignment *assignment)
{
    gr_free(assignment->data);
    gr_free(assignment->at);
    *assignment = (GrAssignment){0};
}

void gr_assignment_row(const GrAssignment *assignment, uint64_t index, GrRow *out)
{
    uint64_t key;
    read_row(assignment->data, SIZE_MAX, assignment->at[index], assignment->campaign, &key, out); // checked before
}

// ---- helpers

// [s]: a helper without a sign of life for SILENCE is lost. Rank 0 tells idle helpers every REMINDER that it is there,
// and has not fallen silent for PATIENCE: between batches it may be writing a report.
static const double SILENCE = 10, SIGN = 1, REMINDER = 20, PATIENCE = 900, FAREWELL = 5;
static const double CREW_TICK = 0.0005; // how soon a helper sees that its rows are done

GrStatus gr_helpers_begin(GrHelpers *h, const GrLink *link, GrErrorLog *log)
{
    const double now = gr_wall_time();
    *h = (GrHelpers){.link = link, .listened = now, .all = gr_calloc((size_t)link->size, sizeof *h->all)};
    for (int i = 0; h->all != NULL && i < link->size; i++) {
        h->all[i] = (GrHelper){.last_received = now, .last_sent = now};
    }
    return h->all != NULL ? GR_OK : gr_out_of_memory(log, NULL);
}

void gr_helpers_turn_to(GrHelpers *h, const GrBatch *batch)
{
    h->batch = batch;
    h->lent_count = h->returned_count = 0;
    gr_free(h->lent);
    gr_free(h->returned);
    h->lent = NULL;
    h->returned = NULL;
}

/// Sends a message; a helper that is gone is noticed by its silence.
static void tell(GrHelpers *h, int rank, const GrBuffer *message)
{
    if (!message->failed && h->link->send(h->link->context, rank, message->data, message->size)) {
        h->all[rank].last_sent = gr_wall_time();
    }
}

/// Sends a message without rows.
static void tell_briefly(GrHelpers *h, int rank, GrAnswer answer)
{
    GrBuffer message = {0};
    gr_assignment_begin(&message, answer);
    tell(h, rank, &message);
    gr_buffer_free(&message);
}

/// Results that came with a request. One that has come before, from another helper, is left out.
static GrStatus take_results(GrHelpers *h, const unsigned char *data, size_t size, uint32_t count, GrErrorLog *log)
{
    for (uint32_t i = 0; i < count; i++) {
        GrResult result;
        const size_t length = gr_result_decode(data, size, &result);
        if (length == 0) {
            break; // damaged
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

/// Takes the rows of a helper back.
static GrStatus take_back(GrHelpers *h, int rank, GrErrorLog *log)
{
    for (int i = 0; i < h->lent_count;) {
        if (h->lent[i].rank != rank) {
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

/// Reads a message of a helper.
static GrStatus read_request(GrHelpers *h, int rank, const void *data, size_t size, GrErrorLog *log)
{
    GrRequest head;
    GrHelper *helper = &h->all[rank];
    helper->last_received = gr_wall_time();
    helper->lost = false;
    if (size < sizeof head) {
        return GR_OK;
    }
    memcpy(&head, data, sizeof head);
    helper->left = helper->left || head.leaves != 0;
    GrStatus status = take_results(h, (const unsigned char *)data + sizeof head, size - sizeof head, head.count, log);
    if (status == GR_OK && head.wanted > 0) {
        helper->wanted = head.wanted;
        helper->threads = head.threads;
        status = take_back(h, rank, log); // it has none any more: a result that is missing was damaged
    }
    return status;
}

/// How many of `rest` rows a helper gets: half of its share by threads, so that the last ones end together, but one for
/// each of its threads if that is no more than its share.
static uint32_t share_of(const GrHelpers *h, const GrCrew *crew, const GrHelper *helper, uint64_t rest)
{
    double threads = crew->threads;
    for (int i = 1; i < h->link->size; i++) {
        threads += h->all[i].lost ? 0 : h->all[i].threads;
    }
    const double fair = (double)rest * helper->threads / threads;
    const double share = fmax(ceil(fair / 2), fmin(helper->threads, ceil(fair)));
    return (uint32_t)fmin(share, fmin(helper->wanted, GR_ASSIGNMENT_ROWS));
}

/// The next row for a helper: one that came back, or one of the crew.
static bool take_row(GrHelpers *h, GrCrew *crew, uint64_t *out)
{
    if (h->returned_count > 0) {
        *out = h->returned[--h->returned_count];
        return true;
    }
    return gr_crew_lend(crew, out);
}

/// Hands rows out to a helper that waits for some. It keeps waiting when there are none.
static GrStatus assign(GrHelpers *h, GrCrew *crew, int rank, GrErrorLog *log)
{
    GrHelper *helper = &h->all[rank];
    GrBuffer message = {0};
    uint64_t number;
    uint32_t count = 0;
    GrStatus status = GR_OK;
    const uint32_t most = share_of(h, crew, helper, gr_crew_rest(crew) + (uint64_t)h->returned_count);
    gr_assignment_begin(&message, GR_ANSWER_WORK);
    while (status == GR_OK && count < most && message.size < GR_ASSIGNMENT_BYTES && take_row(h, crew, &number)) {
        GrRow row;
        h->batch->row(h->batch->context, number, &row);
        gr_assignment_add(&message, &row);
        const GrLent one = {number, row.key, rank};
        const bool kept = gr_list_add(&h->lent, &h->lent_count, &one, sizeof one) >= 0 && !message.failed;
        status = kept ? GR_OK : gr_out_of_memory(log, NULL);
        count++;
    }
    if (status == GR_OK && count > 0) {
        helper->wanted = 0;
        tell(h, rank, &message);
    }
    gr_buffer_free(&message);
    return status;
}

/// Hands out rows, and takes those back of helpers that are lost.
static GrStatus attend_to(GrHelpers *h, GrCrew *crew, int rank, GrErrorLog *log)
{
    GrHelper *helper = &h->all[rank];
    const double now = gr_wall_time();
    if (now - helper->last_received > SILENCE) {
        helper->lost = true;
        return take_back(h, rank, log);
    }
    const GrStatus status = helper->wanted > 0 ? assign(h, crew, rank, log) : GR_OK;
    if (now - helper->last_sent > REMINDER) {
        tell_briefly(h, rank, GR_ANSWER_WAIT);
    }
    return status;
}

/// While rank 0 did something else, it could receive nothing.
static void forgive_silence(GrHelpers *h)
{
    const double away = gr_wall_time() - h->listened;
    for (int i = 1; i < h->link->size && away > SIGN; i++) {
        h->all[i].last_received += h->all[i].lost ? 0 : away;
    }
}

GrStatus gr_helpers_answer(GrHelpers *h, GrCrew *crew, double seconds, GrErrorLog *log)
{
    int rank;
    const void *data;
    size_t size;
    GrStatus status = GR_OK;
    forgive_silence(h);
    while (status == GR_OK && h->link->receive(h->link->context, seconds, &rank, &data, &size)) {
        seconds = 0;
        status = read_request(h, rank, data, size, log);
    }
    for (int i = 1; i < h->link->size && status == GR_OK; i++) {
        status = attend_to(h, crew, i, log);
    }
    h->listened = gr_wall_time();
    return status;
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

/// Helpers that have not confirmed that they end.
static int count_staying(const GrHelpers *h, bool with_lost)
{
    int count = 0;
    for (int i = 1; i < h->link->size; i++) {
        count += !h->all[i].left && (with_lost || !h->all[i].lost);
    }
    return count;
}

bool gr_helpers_end(GrHelpers *h)
{
    int rank;
    const void *data;
    size_t size;
    for (int i = 1; i < h->link->size; i++) {
        tell_briefly(h, i, GR_ANSWER_STOP);
    }
    gr_helpers_turn_to(h, NULL);
    const double end = gr_wall_time() + FAREWELL;
    while (count_staying(h, false) > 0 && gr_wall_time() < end) {
        if (h->link->receive(h->link->context, 0.05, &rank, &data, &size)) {
            read_request(h, rank, data, size, NULL);
        }
    }
    const bool all_here = count_staying(h, true) == 0;
    for (int i = 1; i < h->link->size; i++) {
        tell_briefly(h, i, all_here ? GR_ANSWER_ALL_HERE : GR_ANSWER_SOME_GONE);
    }
    gr_free(h->finished);
    gr_free(h->all);
    *h = (GrHelpers){0};
    return all_here;
}

/// A helper, as it sees itself.
typedef struct Self {
    const GrLink *link;
    const GrCrew *like;
    GrAssignment work;
    GrResult *results; ///< [count] owned, not yet sent
    int count;
    double wanted; ///< rows
    bool stopped;  ///< rank 0 has sent it home
} Self;

static bool send_request(Self *self, uint32_t wanted, bool leaves)
{
    GrBuffer message = {0};
    const GrRequest head = {wanted, (uint32_t)self->like->threads, wanted > 0 ? (uint32_t)self->count : 0, leaves};
    gr_buffer_add(&message, (const char *)&head, sizeof head);
    for (uint32_t i = 0; i < head.count; i++) {
        unsigned char record[GR_RESULT_BYTES];
        gr_buffer_add(&message, (const char *)record, gr_result_encode(&self->results[i], record));
    }
    const bool sent = !message.failed && self->link->send(self->link->context, 0, message.data, message.size);
    gr_buffer_free(&message);
    return sent;
}

static GrStatus fail_silence(GrErrorLog *log)
{
    return gr_error_add(log, GR_ERROR_FILE, (GrLocation){0}, "the first process does not answer");
}

/// Waits for rows, or for the end. Signs of life are sent meanwhile.
static GrStatus wait_work(Self *self, double patience, GrErrorLog *log)
{
    double last_received = gr_wall_time();
    while (gr_wall_time() - last_received < patience) {
        int from;
        const void *data;
        size_t size;
        if (!self->link->receive(self->link->context, SIGN, &from, &data, &size)) {
            send_request(self, 0, false);
            continue;
        }
        last_received = gr_wall_time();
        gr_assignment_free(&self->work);
        const GrStatus status = gr_assignment_read(data, size, self->like->campaign, &self->work, log);
        if (status != GR_OK || self->work.answer != GR_ANSWER_WAIT) {
            self->stopped = status == GR_OK && self->work.answer != GR_ANSWER_WORK;
            return status;
        }
    }
    return fail_silence(log);
}

/// Looks for a message while rows are run: only the end of all matters.
static void listen(Self *self, double seconds)
{
    int from;
    const void *data;
    size_t size;
    if (self->link->receive(self->link->context, seconds, &from, &data, &size)) {
        GrAssignment message;
        const GrStatus status = gr_assignment_read(data, size, self->like->campaign, &message, NULL);
        self->stopped = status == GR_OK && message.answer == GR_ANSWER_STOP;
        gr_assignment_free(&message);
    }
}

static void work_row(void *context, uint64_t index, GrRow *out)
{
    gr_assignment_row(context, index, out);
}

/// Runs the rows with a crew, with signs of life meanwhile.
static GrStatus run_rows(Self *self, GrErrorLog *log)
{
    uint64_t pending[GR_ASSIGNMENT_ROWS];
    const GrBatch batch = {.count = (uint64_t)self->work.count, .context = &self->work, .row = work_row};
    GrCrew crew = {.campaign = self->like->campaign,
                   .batch = &batch,
                   .workers = self->like->workers,
                   .threads = self->like->threads,
                   .pending = pending,
                   .pending_count = batch.count};
    for (uint64_t i = 0; i < batch.count; i++) {
        pending[i] = i;
    }
    const GrStatus status = gr_crew_start(&crew, log);
    double sign = gr_wall_time();
    while (status == GR_OK && !gr_crew_is_over(&crew)) {
        listen(self, CREW_TICK);
        if (self->stopped) {
            gr_crew_stop(&crew);
        }
        if (gr_wall_time() - sign > SIGN) {
            send_request(self, 0, false);
            sign = gr_wall_time();
        }
    }
    self->count = gr_crew_take(&crew, &self->results);
    const GrStatus joined = gr_crew_join(&crew, log);
    return status != GR_OK ? status : joined;
}

/// One request and what follows it.
static GrStatus serve_once(Self *self, GrErrorLog *log)
{
    const bool sent = send_request(self, (uint32_t)fmin(self->wanted, GR_ASSIGNMENT_ROWS), false);
    gr_free(self->results);
    self->results = NULL;
    self->count = 0;
    GrStatus status = sent ? wait_work(self, PATIENCE, log) : fail_silence(log);
    if (status == GR_OK && !self->stopped) {
        const double start = gr_wall_time();
        status = run_rows(self, log);
        // half a second of work at a time
        const double rate = self->work.count / fmax(gr_wall_time() - start, 1e-4);
        self->wanted = fmax(self->like->threads, fmin(2 * self->wanted, 0.5 * rate));
    }
    return status;
}

GrStatus gr_helper_serve(const GrLink *link, const GrCrew *like, bool *all_here, GrErrorLog *log)
{
    Self self = {.link = link, .like = like, .wanted = 2.0 * like->threads};
    GrStatus status = GR_OK;
    *all_here = false;
    while (status == GR_OK && !self.stopped) {
        status = serve_once(&self, log);
    }
    if (status == GR_OK && send_request(&self, 0, true)) {
        *all_here = wait_work(&self, 3 * FAREWELL, NULL) == GR_OK && self.work.answer == GR_ANSWER_ALL_HERE;
    }
    gr_assignment_free(&self.work);
    gr_free(self.results);
    return status;
}
