/// What campaigns can run, and the kinds of missions.
#ifndef GR_SUBJECTS_H
#define GR_SUBJECTS_H

#include "campaign.h"
#include "grouser/status.h"
#include "subject.h"

extern const GrSubjectKind gr_subject_trial, gr_subject_wheel;
extern const GrCampaignKinds gr_campaign_kinds;

// A command line made of overrides, so that campaigns reach every option of a command by its own parser.

enum { GR_LINE_WORDS = 200, GR_LINE_WORD = 400, GR_LINE_OPTIONS = 32 };

typedef struct GrOptionLine {
    char words[GR_LINE_WORDS][GR_LINE_WORD];
    char *argv[GR_LINE_WORDS + 1];
    int argc;
} GrOptionLine;

/// Options of a section of a campaign file, "name=value".
typedef struct GrLineOptions {
    char texts[GR_LINE_OPTIONS][GR_LINE_WORD];
    int count;
} GrLineOptions;

/// Reads a mapping of options; NULL is empty.
void gr_line_read(GrNode *mapping, GrLineOptions *out);

/// Appends a word. False: too many or too long.
bool gr_line_add_word(GrOptionLine *line, const char *prefix, const char *text, size_t length);

/// "height=100" becomes --height=100, "hard=true" --hard, "rover:a=1" `rover`a=1 and "soil:phi=30" `soil`phi=30, where
/// `rover` and `soil` are prefixes such as "--set=". NULL: not allowed.
bool gr_line_add(GrOptionLine *line, const char *text, const char *rover, const char *soil);

// Campaign files for `grouser check`.

/// Whether a file is a campaign: YAML with the key `run`.
bool gr_campaign_is_file(const char *path);

/// Reads the campaign and tries its variables.
GrStatus gr_campaign_check_file(const char *path, GrErrorLog *log);

#endif
