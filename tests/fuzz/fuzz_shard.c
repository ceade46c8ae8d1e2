/// Shards of any content: every record that is read is whole.
#include "shard.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static GrStatus take(void *context, const GrResult *result)
{
    (void)context;
    if (strlen(result->outcome) >= sizeof result->outcome || strlen(result->cause) >= sizeof result->cause ||
        result->metric_count < 0 || result->metric_count > GR_CAMPAIGN_METRICS) {
        abort();
    }
    return GR_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    if (path[0] == '\0') {
        snprintf(path, sizeof path, "/tmp/grouser_fuzz_shard_%d", (int)getpid());
    }
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        return 0;
    }
    fwrite("GRSHARD1\1\0\0\0\0\0\0\0", 1, 16, file);
    fwrite(data, 1, size, file);
    fclose(file);
    GrErrorLog log = {.quiet = true};
    gr_shard_read(path, 1, take, NULL, &log);
    unlink(path);
    return 0;
}
