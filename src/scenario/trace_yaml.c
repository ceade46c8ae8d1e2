#include "trace_yaml.h"

#include "fields.h"
#include "file.h"
#include "out_of_memory.h"
#include "soil_yaml.h"
#include "trace_wheel.h"

static GrStatus read_document(GrDocument *document, GrTraceDef *out)
{
    GrNode *root = document->root;
    gr_document_prepare(document, NULL);
    const GrTraceField *f;
    for (int i = 0; (f = gr_trace_field(i)) != NULL; i++) {
        const GrRange range = {f->lower, f->upper, f->open, false, false};
        double value;
        if (gr_field_number(root, f->key, f->required ? GR_REQUIRED : GR_OPTIONAL, range, &value)) {
            gr_trace_field_set(out, f, value);
        }
    }
    out->source[0] = '\0';
    gr_field_text(root, "source", GR_OPTIONAL, out->source, sizeof out->source);
    gr_fields_end(root);
    if (document->status == GR_OK && !(out->load_max > out->load_min)) {
        gr_node_error(gr_node_find(root, "load_max_N"), GR_ERROR_VALUE, "%g is not above load_min_N, %g", out->load_max,
                      out->load_min);
    }
    return document->status;
}

static GrStatus finish(GrDocument *document, GrStatus status, GrTraceDef *out)
{
    if (status == GR_OK) {
        status = read_document(document, out);
    }
    gr_document_free(document);
    if (status != GR_OK) {
        *out = gr_default_trace_def();
    }
    return status;
}

GrStatus gr_trace_parse_yaml(const char *text, size_t length, const char *file, GrTraceDef *out, GrErrorLog *log)
{
    GrDocument *document = NULL;
    *out = gr_default_trace_def();
    const GrStatus status = gr_document_parse(text, length, file, &document, log);
    return finish(document, status, out);
}

GrStatus gr_trace_load(const char *path, GrTraceDef *out, GrErrorLog *log)
{
    GrDocument *document = NULL;
    *out = gr_default_trace_def();
    const GrStatus status = gr_document_load(path, &document, log);
    return finish(document, status, out);
}

void gr_trace_write_yaml(const GrTraceDef *def, GrBuffer *out)
{
    gr_buffer_puts(out, "# Wheel traces: mean height and crest to trough as straight lines over load and slip.\n");
    if (def->source[0] != '\0') {
        gr_buffer_puts(out, "source: ");
        gr_soil_put_text(out, def->source);
        gr_buffer_puts(out, "\n");
    }
    const GrTraceField *f;
    for (int i = 0; (f = gr_trace_field(i)) != NULL; i++) {
        gr_buffer_printf(out, "%s: ", f->key);
        gr_buffer_number(out, gr_trace_field_get(def, f));
        gr_buffer_puts(out, "\n");
    }
}

GrStatus gr_trace_save(const char *path, const GrTraceDef *def, GrErrorLog *log)
{
    GrBuffer out = {0};
    gr_trace_write_yaml(def, &out);
    const GrStatus status = out.failed ? gr_out_of_memory(log, path) : gr_file_write(path, out.data, out.size, log);
    gr_buffer_free(&out);
    return status;
}
