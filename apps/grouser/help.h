/// The help of a command in three forms, from one description:
///
/// - text, for `--help`;
/// - a manual page in roff, for `--help=man` (tools/man-pages makes the installed pages with it);
/// - words, for `--help=words`: what shell completion offers, one per line, fields separated by tabs:
///   `command NAME SUMMARY`, `option --NAME VALUE TEXT` (VALUE is - for a flag), `argument WORD` (@rovers: any rover).
#ifndef GR_HELP_H
#define GR_HELP_H

#include "command.h"
#include "text.h"

#include <stdbool.h>

enum { GR_HELP_ROWS = 48, GR_HELP_TERM = 64 };

typedef enum GrHelpForm { GR_HELP_NONE, GR_HELP_TEXT, GR_HELP_MAN, GR_HELP_WORDS } GrHelpForm;

/// A subcommand, or an option with the name of its value.
typedef struct GrHelpRow {
    const char *name; ///< without dashes
    char letter;      ///< short form of an option; 0: none
    const char *value;
    const char *text;
} GrHelpRow;

/// Content of a help text; the strings belong to the caller.
typedef struct GrHelp {
    const GrCommand *command; ///< name "" for the whole program
    const char *title;        ///< of the rows: "Options", "Subcommands", …
    bool rows_are_options;    ///< else subcommands
    GrHelpRow rows[GR_HELP_ROWS];
    int row_count;
} GrHelp;

/// The form that an argument requests: --help, -h, --help=man, --help=words; GR_HELP_NONE for any other argument.
GrHelpForm gr_help_form(const char *argument);

void gr_help_add(GrHelp *help, GrHelpRow row);

/// Adds a subcommand under its name in the group. One that this build lacks is in texts only.
void gr_help_add_command(GrHelp *help, const GrCommand *command, const char *name, GrHelpForm form);

/// Shows the keys of input files that a word names ("drive.speed_mps", "speed", "scenario.drive"). Their number.
int gr_help_key(const char *word);
/// The same under a line that separates it from the help of a command of that name; nothing where there is no key.
void gr_help_also_key(const char *word);
/// Lists the names of all keys of all input files, mapping by mapping.
void gr_help_keys(void);
/// "; did you mean 'x'?" about keys.
GrHint gr_help_nearest_key(const char *word);

void gr_help_print(const GrHelp *help, GrHelpForm form);

#endif
