/// Shards of any content: every record that is read is whole.
#include "shard.h"

#include "fuzz_file.h"

#include <string.h>

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
    static const char HEAD[16] = "GRSHARD1\1";
    const char *path = gr_fuzz_file_of(HEAD, sizeof HEAD, data, size);
    GrErrorLog log = {.quiet = true};
    gr_shard_read(path, 1, take, NULL, &log);
    return 0;
}
