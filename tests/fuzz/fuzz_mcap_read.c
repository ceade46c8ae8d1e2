/// Any bytes as an MCAP file: opened, and read whole. Checksums of the index and of chunks are as the bytes have them;
/// a checksum of 0 means none, so that the fuzzer reaches what is behind them.
#include "mcap_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take(void *context, const GrMcapMessage *message)
{
    volatile unsigned char *last = context;
    for (size_t i = 0; i < message->size; i++) {
        *last = (unsigned char)message->data[i];
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    static int fd = -1;
    volatile unsigned char last = 0;
    if (fd < 0) { // a file without a name, so that none is left behind
        char name[] = "/tmp/grouser_fuzz_mcap_XXXXXX";
        fd = mkstemp(name);
        unlink(name);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size) {
        abort();
    }
    GrErrorLog log = {.quiet = true};
    GrMcapReader *reader = gr_mcap_reader_open(path, &log);
    if ((reader == NULL) != (log.error_count > 0)) {
        __builtin_trap(); // refused without a reason
    }
    if (reader != NULL) {
        const GrMcapSpan span = {.until = gr_mcap_reader_end(reader)};
        gr_mcap_reader_latest(reader, &span, take, (void *)&last, &log);
        for (int i = 0; i < gr_mcap_reader_topic_count(reader); i++) {
            gr_mcap_reader_all(reader, i, &span, take, (void *)&last, &log);
        }
        gr_mcap_reader_close(reader);
    }
    return 0;
}
