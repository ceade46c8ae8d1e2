/// Any bytes as a soil file. The first line, when it begins with "#set ", is also given as an override. What can be
/// read is written, and must then be read again.
#include "soil_yaml.h"

#include "fuzz_check.h"
#include "fuzz_override.h"
#include "target.h"

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    static GrErrorLog log;
    static GrSoilSources sources;
    char text[GR_FUZZ_OVERRIDE];
    const char *items[2], *const *overrides = gr_fuzz_override(data, size, text, items);
    memset(&log, 0, sizeof log);
    GrSoilDef soil;
    static GrSoilSpread spread;
    GrDocument *document;
    GrStatus status = gr_document_parse((const char *)data, size, "fuzz.yaml", &document, &log);
    if (status == GR_OK) {
        status = gr_soil_read_yaml(document, overrides, &soil, &sources, &spread);
        gr_document_free(document);
    }
    gr_fuzz_agree(status, &log);
    if (status == GR_OK) {
        GrBuffer written = {0};
        GrSoilDef again;
        gr_soil_write_yaml(&soil, &sources, &spread, &written);
        if (gr_soil_parse_yaml(written.data, written.size, "written.yaml", NULL, &again, NULL, NULL) != GR_OK) {
            abort();
        }
        gr_buffer_free(&written);
    }
}
