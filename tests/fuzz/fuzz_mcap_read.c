/// Any bytes as an MCAP file: opened, and read whole. Checksums of the index and of chunks are as the bytes have them;
/// a checksum of 0 means none, so that the fuzzer reaches what is behind them.
#include "mcap_read.h"

#include "fuzz_file.h"
#include "target.h"

static void take(void *context, const GrMcapMessage *message)
{
    volatile unsigned char *last = context;
    for (size_t i = 0; i < message->size; i++) {
        *last = (unsigned char)message->data[i];
    }
}

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    volatile unsigned char last = 0;
    const char *path = gr_fuzz_file_of("", 0, data, size);
    GrErrorLog log = {.quiet = true};
    GrMcapReader *reader = gr_mcap_reader_open(path, &log);
    if ((reader == NULL) != (log.error_count > 0)) {
        abort(); // refused without a reason
    }
    if (reader != NULL) {
        const GrMcapSpan span = {.until = gr_mcap_reader_end(reader)};
        gr_mcap_reader_latest(reader, &span, take, (void *)&last, &log);
        for (int i = 0; i < gr_mcap_reader_topic_count(reader); i++) {
            gr_mcap_reader_all(reader, i, &span, take, (void *)&last, &log);
        }
        gr_mcap_reader_close(reader);
    }
}
