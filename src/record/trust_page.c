#include "trust_page.h"

#include "page.h"

#include <stdio.h>

void gr_trust_page(GrBuffer *page, const char *label, const GrTrust *trust)
{
    if (trust == NULL) {
        return;
    }
    char title[256];
    snprintf(title, sizeof title, "How far to trust this%s%s", label != NULL ? ": " : "", label != NULL ? label : "");
    gr_page_begin_box(page, title);
    gr_page_paragraph(page, trust->line);
    gr_page_end_box(page);
}

void gr_trust_json(GrJson *json, const char *key, const GrTrust *trust)
{
    if (trust == NULL) {
        return;
    }
    gr_json_begin_object(json, key);
    gr_json_string(json, "law", trust->law);
    gr_json_string(json, "parameters", trust->parameters);
    gr_json_string(json, "known_error", trust->error);
    gr_json_string(json, "gravity", trust->gravity);
    gr_json_string(json, "line", trust->line);
    gr_json_end(json);
}
