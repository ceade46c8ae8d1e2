#include "help.h"

#include "check.h"
#include "grouser/version.h"
#include "table.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

GrHelpForm gr_help_form(const char *argument)
{
    static const struct {
        const char *argument;
        GrHelpForm form;
    } forms[] = {
        {"--help", GR_HELP_TEXT}, {"-h", GR_HELP_TEXT}, {"--help=man", GR_HELP_MAN}, {"--help=words", GR_HELP_WORDS}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (strcmp(argument, forms[i].argument) == 0) {
            return forms[i].form;
        }
    }
    return GR_HELP_NONE;
}

void gr_help_add(GrHelp *help, GrHelpRow row)
{
    GR_CHECK(help->row_count < GR_HELP_ROWS);
    help->rows[help->row_count++] = row;
}

void gr_help_add_command(GrHelp *help, const GrCommand *command, const char *name, GrHelpForm form)
{
    if (command->part == NULL) {
        gr_help_add(help, (GrHelpRow){.name = name, .text = command->summary});
    } else if (form == GR_HELP_TEXT) { // nothing to complete, and no page
        gr_help_add(help, (GrHelpRow){.name = name, .text = "not in this build (grouser version)"});
    }
}

/// Writes "-o, --out DIR" for an option, or the name of a subcommand.
static void write_term(const GrHelp *help, const GrHelpRow *row, char out[GR_HELP_TERM])
{
    char letter[8] = "";
    if (row->letter != 0) {
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    }
    snprintf(out, GR_HELP_TERM, "%s%s%s%s%s", letter, help->rows_are_options ? "--" : "", row->name,
             row->value != NULL ? " " : "", row->value != NULL ? row->value : "");
}

static void print_text(const GrHelp *help)
{
    const GrCommand *command = help->command;
    printf("usage: grouser %s\n\n", command->usage);
    if (command->details != NULL) {
        printf("%s\n\n", command->details);
    }
    printf("%s:\n", help->title);
    GrTable table = {.indent = 2};
    gr_table_heads(&table, "|");
    for (int i = 0; i < help->row_count; i++) {
        char term[GR_HELP_TERM];
        write_term(help, &help->rows[i], term);
        gr_table_text(&table, term);
        gr_table_text(&table, help->rows[i].text);
    }
    gr_table_print(&table, stdout);
    gr_table_free(&table);
    if (command->example != NULL) {
        printf("\nExample:\n%s\n", command->example);
    }
}

/// roff reads a backslash as a command, a dash as a hyphen, and a dot or a quote that begins a line as a request.
static void print_roff(const char *text)
{
    bool line_begins = true;
    for (const char *c = text; *c != '\0'; c++) {
        if (line_begins && (*c == '.' || *c == '\'')) {
            fputs("\\&", stdout);
        }
        if (*c == '\\') {
            fputs("\\e", stdout);
        } else if (*c == '-') {
            fputs("\\-", stdout);
        } else {
            putchar(*c);
        }
        line_begins = *c == '\n';
    }
}

static void print_section(const char *title)
{
    fputs(".SH ", stdout);
    for (const char *c = title; *c != '\0'; c++) {
        putchar(toupper((unsigned char)*c));
    }
    putchar('\n');
}

/// The name of the page: grouser-terrain-info.
static void print_page_name(const GrCommand *command)
{
    fputs("grouser", stdout);
    if (command->name[0] != '\0') {
        fputs("\\-", stdout);
    }
    for (const char *c = command->name; *c != '\0'; c++) {
        fputs(*c == ' ' ? "\\-" : (char[2]){*c, '\0'}, stdout);
    }
}

static void print_man(const GrHelp *help)
{
    const GrCommand *command = help->command;
    fputs(".TH ", stdout);
    print_page_name(command);
    printf(" 1 \"\" \"grouser %s\" \"Grouser manual\"\n.SH NAME\n", GROUSER_VERSION);
    print_page_name(command);
    fputs(" \\- ", stdout);
    print_roff(command->summary);
    printf("\n.SH SYNOPSIS\n.B grouser\n");
    print_roff(command->usage);
    putchar('\n');
    if (command->details != NULL) {
        printf(".SH DESCRIPTION\n");
        print_roff(command->details);
        putchar('\n');
    }
    print_section(help->title);
    for (int i = 0; i < help->row_count; i++) {
        char term[GR_HELP_TERM];
        write_term(help, &help->rows[i], term);
        fputs(".TP\n.B ", stdout);
        print_roff(term);
        putchar('\n');
        print_roff(help->rows[i].text);
        putchar('\n');
    }
    if (command->example != NULL) {
        fputs(".SH EXAMPLES\n.nf\n", stdout);
        print_roff(command->example);
        fputs("\n.fi\n", stdout);
    }
    puts(".SH SEE ALSO\n\\fBgrouser\\fP(1); the manual is in docs/ of the sources.");
}

static void print_words(const GrHelp *help)
{
    for (int i = 0; i < help->row_count; i++) {
        const GrHelpRow *row = &help->rows[i];
        if (help->rows_are_options) {
            printf("option\t--%s\t%s\t%s\n", row->name, row->value != NULL ? row->value : "-", row->text);
        } else {
            printf("command\t%s\t%s\n", row->name, row->text);
        }
    }
    for (const char *word = help->command->arguments; word != NULL && *word != '\0';) {
        const size_t length = strcspn(word, " ");
        printf("argument\t%.*s\n", (int)length, word);
        word += length + strspn(word + length, " ");
    }
}

void gr_help_print(const GrHelp *help, GrHelpForm form)
{
    switch (form) {
    case GR_HELP_MAN:
        print_man(help);
        break;
    case GR_HELP_WORDS:
        print_words(help);
        break;
    case GR_HELP_TEXT:
    case GR_HELP_NONE:
        print_text(help);
        break;
    }
}
