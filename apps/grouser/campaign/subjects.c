#include "subjects.h"

#include "campaign.h"
#include "mission.h"
#include "subject_placement.h"

#include <stdio.h>
#include <string.h>

// ---- a command line made of overrides

void gr_line_read(GrNode *mapping, GrLineOptions *out)
{
    for (GrNode *child = mapping != NULL ? mapping->first : NULL; child != NULL; child = child->next) {
        child->used = true;
        const bool fits = out->count < GR_LINE_OPTIONS && child->kind == GR_NODE_SCALAR &&
                          strlen(child->key) + strlen(child->text) + 2 < GR_LINE_WORD;
        if (!fits) {
            gr_node_error(child, GR_ERROR_VALUE, "expected the value of an option");
            return;
        }
        snprintf(out->texts[out->count++], GR_LINE_WORD, "%s=%s", child->key, child->text);
    }
}

bool gr_line_add_word(GrOptionLine *line, const char *prefix, const char *text, size_t length)
{
    if (line->argc == GR_LINE_WORDS || strlen(prefix) + length >= GR_LINE_WORD) {
        return false;
    }
    char *word = line->words[line->argc];
    const size_t before = strlen(prefix);
    memcpy(word, prefix, before);
    memcpy(word + before, text, length);
    word[before + length] = '\0';
    line->argv[line->argc] = line->words[line->argc];
    line->argc++;
    line->argv[line->argc] = NULL;
    return true;
}

bool gr_line_add(GrOptionLine *line, const char *text, const char *rover, const char *soil)
{
    if (strncmp(text, "rover:", 6) == 0) {
        return rover != NULL && gr_line_add_word(line, rover, text + 6, strlen(text + 6));
    }
    if (strncmp(text, "soil:", 5) == 0) {
        return soil != NULL && gr_line_add_word(line, soil, text + 5, strlen(text + 5));
    }
    const size_t name = strcspn(text, "=");
    if (strcmp(text + name, "=true") == 0) {
        return gr_line_add_word(line, "--", text, name); // a flag
    }
    return strcmp(text + name, "=false") == 0 || gr_line_add_word(line, "--", text, strlen(text));
}

// ---- campaign files for `grouser check`

bool gr_campaign_is_file(const char *path)
{
    GrDocument *document = NULL;
    GrErrorLog quiet = {.quiet = true};
    bool is_campaign = false;
    if (gr_document_load(path, &document, &quiet) == GR_OK) {
        const GrNode *run = gr_node_find(document->root, "run");
        is_campaign = run != NULL && run->kind == GR_NODE_MAPPING && gr_node_find(document->root, "rover") == NULL;
        gr_document_free(document);
    }
    return is_campaign;
}

GrStatus gr_campaign_check_file(const char *path, GrErrorLog *log)
{
    GrCampaign campaign;
    const GrStatus status = gr_campaign_load(path, &gr_campaign_kinds, &campaign, log);
    gr_campaign_free(&campaign);
    return status;
}

// ---- the tables

static const GrSubjectKind *const SUBJECTS[] = {&gr_subject_scenario,  &gr_subject_trial,    &gr_subject_wheel,
                                                &gr_subject_placement, &gr_subject_function, NULL};

const GrCampaignKinds gr_campaign_kinds = {.subjects = SUBJECTS, .missions = gr_missions};
