/// Any bytes as a trace file, and as a table of traces. What can be read is written, and must then be read again.
#include "fit_trace.h"
#include "trace_yaml.h"

#include "target.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    static GrErrorLog log;
    GrTraceDef def, again;
    GrTraceData table;
    memset(&log, 0, sizeof log);
    if ((gr_trace_parse_yaml((const char *)data, size, "fuzz.yaml", &def, &log) == GR_OK) != (log.error_count == 0)) {
        abort(); // a failure without a message, or the other way round
    }
    if (log.error_count == 0) {
        GrBuffer text = {0};
        gr_trace_write_yaml(&def, &text);
        if (gr_trace_parse_yaml(text.data, text.size, "written.yaml", &again, NULL) != GR_OK) {
            abort();
        }
        gr_buffer_free(&text);
    }
    memset(&log, 0, sizeof log);
    if (gr_trace_data_parse((const char *)data, size, "fuzz.csv", &table, &log) == GR_OK) {
        GrTraceFit fit;
        gr_trace_fit(&table, &def, &fit, &log);
        gr_trace_data_free(&table);
    }
}
