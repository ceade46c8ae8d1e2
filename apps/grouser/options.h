/// Reads options and arguments of a subcommand, and prints its help.
///
///     bool json = false;
///     const char *svg = NULL;
///     const GrOption options[] = {
///         {.name = "json", .flag = &json, .help = "print JSON"},
///         {.name = "svg", .value = "FILE", .text = &svg, .help = "write a drawing"},
///     };
///     const char *arguments[2];
///     int exit_code;
///     const int count = gr_options_parse(&command, options, 2, argc, argv, arguments, 1, 2, &exit_code);
///     if (count < 0) return exit_code;
///
/// `--name value`, `--name=value`, `-n value`, `-nvalue`; `--` ends the options. `--help` and `-h` always exist.
#ifndef GR_OPTIONS_H
#define GR_OPTIONS_H

#include "command.h"
#include "grouser/soil.h"

#include <stdbool.h>
#include <stddef.h>

struct GrNode;

enum { GR_OPTION_LIST_SIZE = 64 };

/// Values of an option that may be given several times; NULL-terminated.
typedef struct GrTextList {
    const char *items[GR_OPTION_LIST_SIZE + 1];
    int count;
} GrTextList;

/// One of the targets flag, text, number and list is set.
typedef struct GrOption {
    const char *name;  ///< without the dashes
    char letter;       ///< short form; 0: none
    bool optional;     ///< `text` may be "": the value is missing where the next word is not a number
    const char *value; ///< name of the value in the help; NULL for a flag
    const char *help;
    bool *flag;
    const char **text;
    double *number; ///< must be finite
    GrTextList *list;
    const char *prefix; ///< of the list's values, may be left out there: "soil:"; NULL: none
} GrOption;

/// Returns the number of arguments, between `least` and `most`; −1 when the command must end with `*exit_code`: after
/// --help, or after a message about what is wrong.
int gr_options_parse(const GrCommand *command, const GrOption *options, int option_count, int argc, char **argv,
                     const char **arguments, int least, int most, int *exit_code);

/// A finite number and nothing else; false when the text is something else.
bool gr_options_number(const char *text, double *out);

/// An error of usage in an option.
GrStatus gr_options_refuse(const char *option, const char *text, GrErrorLog *log);

/// A named gravity or a number of at least 0 [m/s²].
GrStatus gr_options_gravity(const char *text, double *out, GrErrorLog *log);

enum { GR_SAMPLES_MAX = 1024 };

/// The value of --uncertainty: 0, or 2 and more samples of a soil; NULL: `usual`.
GrStatus gr_options_samples(const char *text, int usual, int *out, GrErrorLog *log);

/// What a text must look like for gr_options_grousers().
#define GR_OPTIONS_GROUSERS "takes COUNT,HEIGHT or COUNT,HEIGHT,THICKNESS with lengths in m"

/// "N,H" or "N,H,T": count, height and thickness [m]; false when the text is something else.
bool gr_options_grousers(const char *text, GrSoilWheelDef *out);

#define GR_OPTIONS_GROUSER_MODEL "takes none, radius or lugs"

/// How the grousers of a wheel act, by name; false when the text is something else.
bool gr_options_grouser_model(const char *text, GrSoilWheelDef *out);

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
void gr_line_read(struct GrNode *mapping, GrLineOptions *out);

/// Appends a word. False: too many or too long.
bool gr_line_add_word(GrOptionLine *line, const char *prefix, const char *text, size_t length);

/// "height=100" becomes --height=100, "hard=true" --hard, "rover:a=1" `rover`a=1 and "soil:phi=30" `soil`phi=30, where
/// `rover` and `soil` are prefixes such as "--set=". NULL: not allowed.
bool gr_line_add(GrOptionLine *line, const char *text, const char *rover, const char *soil);

#endif
