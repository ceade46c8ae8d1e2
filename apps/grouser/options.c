#include "options.h"
#include "command.h"
#include "document.h"
#include "parts.h"

#include "grouser/model.h"

#include "help.h"
#include "report.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 32 };

/// State of the parser.
typedef struct Parse {
    const GrCommand *command;
    const GrOption *options;
    int option_count;
    int argc;
    char **argv;
    int at;
} Parse;

bool gr_options_number(const char *text, double *out)
{
    char *end;
    errno = 0;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value)) {
        return false;
    }
    *out = value;
    return true;
}

GrStatus gr_options_gravity(const char *text, double *out, GrErrorLog *log)
{
    if (gr_gravity_named(text, out) || (gr_options_number(text, out) && *out >= 0)) {
        return GR_OK;
    }
    return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--gravity"},
                        "'%s' is neither a known body (earth, moon, mars, ...) nor a number of at least 0 [m/s²]",
                        text);
}

GrStatus gr_options_refuse(const char *option, const char *text, GrErrorLog *log)
{
    return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = option}, "%s", text);
}

GrStatus gr_options_samples(const char *text, int usual, int *out, GrErrorLog *log)
{
    double number = usual;
    if (text != NULL && (!gr_options_number(text, &number) || number != floor(number) ||
                         !(number == 0 || (number >= 2 && number <= GR_SAMPLES_MAX)))) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--uncertainty"},
                            "found '%s', allowed: 0, or a whole number from 2 to %d", text, (int)GR_SAMPLES_MAX);
    }
    *out = (int)number;
    return GR_OK;
}

bool gr_options_grousers(const char *text, GrSoilWheelDef *out)
{
    double number[3] = {0};
    int n = 0;
    for (const char *at = text; at != NULL && n < 4; n++) {
        char word[64];
        const size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (n == 3 || length >= sizeof word || !gr_options_number(word, &number[n])) {
            return false;
        }
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    if (n < 2 || number[0] != floor(number[0]) || number[0] < 0 || number[0] > 10000) {
        return false;
    }
    out->grouser_count = (int)number[0];
    out->grouser_height = number[1];
    out->grouser_thickness = number[2];
    return true;
}

bool gr_options_grouser_model(const char *text, GrSoilWheelDef *out)
{
    static const char *const models[] = {"none", "radius", "lugs"}; // as in GrGrouserModel
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, models[i]) == 0) {
            out->grousers = (GrGrouserModel)i;
            return true;
        }
    }
    return false;
}

static void print_help(const Parse *parse, GrHelpForm form)
{
    GrHelp help = {.command = parse->command, .title = "Options", .rows_are_options = true};
    for (int i = 0; i < parse->option_count; i++) {
        const GrOption *option = &parse->options[i];
        gr_help_add(&help, (GrHelpRow){option->name, option->letter, option->value, option->help});
    }
    gr_help_add(&help, (GrHelpRow){"help", 'h', NULL, "print this"});
    gr_help_print(&help, form);
}

static int fail_usage(const Parse *parse)
{
    fprintf(stderr, "usage: grouser %s\n       grouser %s --help shows details\n", parse->command->usage,
            parse->command->name);
    return GR_EXIT_INPUT;
}

static int fail_unknown(const Parse *parse, const char *given)
{
    char dashed[MAX_OPTIONS + 1][64] = {"--help"};
    const char *names[MAX_OPTIONS + 1] = {dashed[0]};
    int count = 1;
    for (int i = 0; i < parse->option_count && count <= MAX_OPTIONS; i++, count++) {
        snprintf(dashed[count], sizeof dashed[count], "--%s", parse->options[i].name);
        names[count] = dashed[count];
    }
    char name[64];
    const size_t length = strcspn(given, "=");
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), given);
    gr_report_error("%s: unknown option %s%s", parse->command->name, name, gr_text_hint(name, names, count, "").text);
    return fail_usage(parse);
}

static const GrOption *find_option(const Parse *parse, const char *argument)
{
    for (int i = 0; i < parse->option_count; i++) {
        const GrOption *option = &parse->options[i];
        const size_t length = strlen(option->name);
        if (strncmp(argument, "--", 2) == 0) {
            if (strncmp(argument + 2, option->name, length) == 0 && strchr("=", argument[2 + length]) != NULL) {
                return option;
            }
        } else if (option->letter != 0 && argument[1] == option->letter &&
                   (argument[2] == '\0' || option->flag == NULL)) { // -j 4, -j4
            return option;
        }
    }
    return NULL;
}

/// Stores a value; returns an exit code.
static int store(const Parse *parse, const GrOption *option, const char *value)
{
    if (option->text != NULL) {
        *option->text = value;
    } else if (option->number != NULL && !gr_options_number(value, option->number)) {
        gr_report_error("%s: --%s takes a number, not '%s'", parse->command->name, option->name, value);
        return GR_EXIT_INPUT;
    } else if (option->list != NULL) {
        if (option->list->count == GR_OPTION_LIST_SIZE) {
            gr_report_error("%s: --%s can be given at most %d times", parse->command->name, option->name,
                            GR_OPTION_LIST_SIZE);
            return GR_EXIT_INPUT;
        }
        const size_t prefix = option->prefix != NULL ? strlen(option->prefix) : 0;
        option->list->items[option->list->count++] =
            prefix > 0 && strncmp(value, option->prefix, prefix) == 0 ? value + prefix : value;
        option->list->items[option->list->count] = NULL;
    }
    return GR_EXIT_OK;
}

/// The option at parse->at, and its value, which may be the next argument.
static int take_option(Parse *parse)
{
    const char *argument = parse->argv[parse->at];
    const GrOption *option = find_option(parse, argument);
    if (option == NULL) {
        return fail_unknown(parse, argument);
    }
    const char *equals = argument[1] == '-' ? strchr(argument, '=') : argument[2] != '\0' ? argument + 1 : NULL;
    if (option->flag != NULL) {
        if (equals != NULL) {
            gr_report_error("%s: --%s takes no value", parse->command->name, option->name);
            return GR_EXIT_INPUT;
        }
        *option->flag = true;
        return GR_EXIT_OK;
    }
    double number;
    if (option->optional && equals == NULL &&
        (parse->at + 1 == parse->argc || !gr_options_number(parse->argv[parse->at + 1], &number))) {
        return store(parse, option, "");
    }
    if (equals == NULL && parse->at + 1 == parse->argc) {
        gr_report_error("%s: --%s needs a value: %s", parse->command->name, option->name, option->value);
        return fail_usage(parse);
    }
    return store(parse, option, equals != NULL ? equals + 1 : parse->argv[++parse->at]);
}

int gr_options_parse(const GrCommand *command, const GrOption *options, int option_count, int argc, char **argv,
                     const char **arguments, int least, int most, int *exit_code)
{
    Parse parse = {command, options, option_count, argc, argv, 0};
    int count = 0;
    bool only_arguments = false;
    *exit_code = GR_EXIT_OK;
    for (; parse.at < argc; parse.at++) {
        const char *argument = argv[parse.at];
        if (only_arguments || argument[0] != '-' || argument[1] == '\0') {
            if (count == most) {
                gr_report_error("%s: unexpected argument '%s'", command->name, argument);
                *exit_code = fail_usage(&parse);
                return -1;
            }
            arguments[count++] = argument;
        } else if (strcmp(argument, "--") == 0) {
            only_arguments = true;
        } else if (gr_help_form(argument) != GR_HELP_NONE) {
            print_help(&parse, gr_help_form(argument));
            return -1;
        } else {
            *exit_code = take_option(&parse);
            if (*exit_code != GR_EXIT_OK) {
                return -1;
            }
        }
    }
    if (count < least) {
        gr_report_error("%s: missing argument", command->name);
        *exit_code = fail_usage(&parse);
        return -1;
    }
    return count;
}

// ---- commands with subcommands

enum { MAX_PARTS = 32 };

/// The word after the group's name.
static const char *part_name(const GrCommand *group, const GrCommand *part)
{
    return part->name + strlen(group->name) + 1;
}

static void print_group_help(const GrCommand *group, GrHelpForm form)
{
    GrHelp help = {.command = group, .title = "Subcommands"};
    for (int k = 0; group->parts[k] != NULL; k++) {
        gr_help_add_command(&help, group->parts[k], part_name(group, group->parts[k]), form);
    }
    gr_help_print(&help, form);
}

static int run_part(const GrCommand *group, int argc, char **argv)
{
    const GrHelpForm form = argc > 0 ? gr_help_form(argv[0]) : GR_HELP_TEXT;
    if (form != GR_HELP_NONE) {
        print_group_help(group, form);
        return argc == 0 ? GR_EXIT_INPUT : GR_EXIT_OK;
    }
    const char *names[MAX_PARTS];
    int count = 0;
    for (; count < MAX_PARTS && group->parts[count] != NULL; count++) {
        names[count] = part_name(group, group->parts[count]);
        if (strcmp(argv[0], names[count]) == 0) {
            return gr_command_call(group->parts[count], argc - 1, argv + 1);
        }
    }
    gr_report_error("%s: unknown subcommand %s%s", group->name, argv[0],
                    gr_text_hint(argv[0], names, count, NULL).text);
    return GR_EXIT_INPUT;
}

int gr_command_call(const GrCommand *command, int argc, char **argv)
{
    if (command->part != NULL) {
        gr_report_error("%s: %s", command->name, gr_part_advice(command->part).text);
        return GR_EXIT_FAILURE;
    }
    return command->parts != NULL ? run_part(command, argc, argv) : command->run(argc, argv);
}

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
