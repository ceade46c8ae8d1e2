#include "result.h"

#include "crc32.h"

#include <string.h>

enum { RECORD_HEAD = 8 }; // length and checksum

// The bytes of a record are those of this machine's doubles, least significant byte first, as all machines of this
// project have them.
static unsigned char *put(unsigned char *at, const void *data, size_t size)
{
    memcpy(at, data, size);
    return at + size;
}

static unsigned char *put_text(unsigned char *at, const char *text)
{
    const uint16_t size = (uint16_t)strlen(text);
    return put(put(at, &size, sizeof size), text, size);
}

size_t gr_result_encode(const GrResult *r, unsigned char out[GR_RESULT_BYTES])
{
    unsigned char *at = out + RECORD_HEAD;
    const uint32_t counts[2] = {(uint32_t)r->metric_count, (uint32_t)r->warnings};
    const unsigned char succeeded = r->succeeded;
    at = put(at, &r->key, sizeof r->key);
    at = put(at, &r->state_hash, sizeof r->state_hash);
    at = put(at, &r->wall, sizeof r->wall);
    at = put(at, &r->stepping, sizeof r->stepping);
    at = put(at, &r->progress, sizeof r->progress);
    at = put(at, counts, sizeof counts);
    at = put(at, &succeeded, 1);
    at = put(at, r->metrics, sizeof r->metrics[0] * (size_t)r->metric_count);
    at = put_text(put_text(at, r->outcome), r->cause);
    const uint32_t size = (uint32_t)(at - out - RECORD_HEAD), crc = gr_crc32(0, out + RECORD_HEAD, size);
    put(put(out, &size, sizeof size), &crc, sizeof crc);
    return RECORD_HEAD + size;
}

/// What is left of a record while it is read.
typedef struct Reader {
    const unsigned char *at, *end;
    bool failed;
} Reader;

static void get(Reader *reader, void *out, size_t size)
{
    if ((size_t)(reader->end - reader->at) < size) {
        reader->failed = true;
        memset(out, 0, size);
        return;
    }
    memcpy(out, reader->at, size);
    reader->at += size;
}

static void get_text(Reader *reader, char *out, size_t room)
{
    uint16_t size = 0;
    get(reader, &size, sizeof size);
    if (size >= room) {
        reader->failed = true;
        size = 0;
    }
    get(reader, out, size);
    out[reader->failed ? 0 : size] = '\0';
}

static bool decode(const unsigned char *data, size_t size, GrResult *r)
{
    Reader reader = {data, data + size, false};
    uint32_t counts[2] = {0};
    unsigned char succeeded = 0;
    *r = (GrResult){0};
    get(&reader, &r->key, sizeof r->key);
    get(&reader, &r->state_hash, sizeof r->state_hash);
    get(&reader, &r->wall, sizeof r->wall);
    get(&reader, &r->stepping, sizeof r->stepping);
    get(&reader, &r->progress, sizeof r->progress);
    get(&reader, counts, sizeof counts);
    get(&reader, &succeeded, 1);
    if (reader.failed || counts[0] > GR_CAMPAIGN_METRICS || counts[1] > INT32_MAX) {
        return false;
    }
    r->metric_count = (int)counts[0];
    r->warnings = (int)counts[1];
    r->succeeded = succeeded != 0;
    get(&reader, r->metrics, sizeof r->metrics[0] * counts[0]);
    get_text(&reader, r->outcome, sizeof r->outcome);
    get_text(&reader, r->cause, sizeof r->cause);
    return !reader.failed && reader.at == reader.end;
}

size_t gr_result_decode(const unsigned char *data, size_t size, GrResult *out)
{
    uint32_t length, crc;
    if (size < RECORD_HEAD) {
        return 0;
    }
    memcpy(&length, data, sizeof length);
    memcpy(&crc, data + sizeof length, sizeof crc);
    const bool whole = length <= GR_RESULT_BYTES - RECORD_HEAD && size - RECORD_HEAD >= length &&
                       gr_crc32(0, data + RECORD_HEAD, length) == crc && decode(data + RECORD_HEAD, length, out);
    return whole ? RECORD_HEAD + length : 0;
}
