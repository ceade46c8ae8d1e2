#include "trust_page.h"

#include <stdio.h>

void gr_trust_page(GrPage *page, const char *label, const GrTrust *trust)
{
    const GrPlace place = page->place;
    char title[256];
    if (trust == NULL) {
        return;
    }
    if (place != GR_PLACE_TERMINAL) {
        page->place = GR_PLACE_PAGE;
        snprintf(title, sizeof title, "How far to trust this%s%s", label != NULL ? ": " : "",
                 label != NULL ? label : "");
        gr_page_note(page, title, trust->line);
    }
    if (place != GR_PLACE_PAGE) {
        page->place = GR_PLACE_TERMINAL;
        gr_page_text(page, "trust%s%s%s: %s", label != NULL ? " (" : "", label != NULL ? label : "",
                     label != NULL ? ")" : "", trust->line);
    }
    page->place = place;
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
