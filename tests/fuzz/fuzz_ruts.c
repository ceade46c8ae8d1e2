/// Any bytes as saved ruts. What can be read is written as bytes that are read again as the same ruts.
#include "ruts.h"

#include "target.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    static GrErrorLog log;
    const GrRutsDef def = gr_default_ruts_def();
    GrRuts *ruts = NULL, *again = NULL;
    gr_ruts_create(&def, &ruts, NULL);
    gr_ruts_create(&def, &again, NULL);
    memset(&log, 0, sizeof log);
    if (ruts != NULL && again != NULL && gr_ruts_restore(ruts, data, size, &log) == GR_OK) {
        const size_t room = gr_ruts_size(ruts);
        void *bytes = malloc(room);
        if (bytes == NULL || gr_ruts_save(ruts, bytes) != GR_OK || gr_ruts_restore(again, bytes, room, NULL) != GR_OK ||
            gr_ruts_hash(again) != gr_ruts_hash(ruts)) {
            abort();
        }
        free(bytes);
        GrBuffer rounded = {0};
        if (gr_ruts_save_rounded(ruts, 1e-4, &rounded) == GR_OK &&
            gr_ruts_restore(again, rounded.data, rounded.size, NULL) != GR_OK) {
            abort();
        }
        gr_buffer_free(&rounded);
    } else if (log.error_count == 0) {
        abort(); // a failure without a message
    }
    gr_ruts_free(ruts);
    gr_ruts_free(again);
}
