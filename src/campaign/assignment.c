#include "assignment.h"

#include "alloc.h"
#include "out_of_memory.h"

#include <string.h>

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
