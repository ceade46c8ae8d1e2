/// Shards of any content: every record that is read is whole, and is written as it was read. The first byte says
/// whether the rest is a file as it is, or records without their heads, each after a byte with its length: these get
/// a length and a checksum that fit, so that the fuzzer reaches what is behind them.
#include "shard.h"

#include "crc32.h"
#include "fuzz_file.h"
#include "target.h"

#include <string.h>

enum { MOST = 1 << 16 };

static GrStatus take(void *context, const GrResult *result)
{
    unsigned char bytes[GR_RESULT_BYTES];
    GrResult again;
    (void)context;
    if (strlen(result->outcome) >= sizeof result->outcome || strlen(result->cause) >= sizeof result->cause ||
        result->metric_count < 0 || result->metric_count > GR_CAMPAIGN_METRICS) {
        abort();
    }
    const size_t size = gr_result_encode(result, bytes);
    if (gr_result_decode(bytes, size, &again) != size || strcmp(again.cause, result->cause) != 0) {
        abort();
    }
    return GR_OK;
}

/// Records with heads; returns their size.
static size_t seal(const uint8_t *data, size_t size, uint8_t *out)
{
    size_t used = 0;
    for (size_t at = 0; at < size;) {
        const size_t rest = size - at - 1, wanted = data[at];
        const uint32_t length = (uint32_t)(wanted < rest ? wanted : rest);
        const uint32_t crc = gr_crc32(0, data + at + 1, length);
        if (used + length + 8 > MOST) {
            break;
        }
        memcpy(out + used, &length, 4);
        memcpy(out + used + 4, &crc, 4);
        memcpy(out + used + 8, data + at + 1, length);
        used += length + 8;
        at += length + 1;
    }
    return used;
}

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    static const char HEAD[16] = "GRSHARD1\1";
    static uint8_t sealed[MOST];
    if (size == 0) {
        return;
    }
    const bool plain = data[0] % 2 == 0;
    const size_t used = plain ? size - 1 : seal(data + 1, size - 1, sealed);
    const char *path = gr_fuzz_file_of(HEAD, sizeof HEAD, plain ? data + 1 : sealed, used);
    GrErrorLog log = {.quiet = true};
    gr_shard_read(path, 1, take, NULL, &log);
}
