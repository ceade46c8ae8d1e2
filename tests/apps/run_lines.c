/// Runs command lines from a file in this process, one after another: a line is the wanted exit status and the
/// arguments, each followed by a tab.
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 40, MOST_TEXT = 4096 };

/// Cuts `line` at its tabs; how many there are.
static int cut(char *line, char *out[MOST_ARGUMENTS])
{
    int count = 0;
    for (char *end = strchr(line, '\t'); end != NULL && count < MOST_ARGUMENTS - 1; end = strchr(line, '\t')) {
        *end = '\0';
        out[count++] = line;
        line = end + 1;
    }
    out[count] = NULL;
    return count;
}

int main(int argc, char **argv)
{
    FILE *lines = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (lines == NULL || freopen("/dev/null", "w", stdout) == NULL) {
        fprintf(stderr, "run_lines: no lines\n");
        return EXIT_FAILURE;
    }
    char line[MOST_TEXT], *arguments[MOST_ARGUMENTS];
    int failed = 0;
    while (fgets(line, sizeof line, lines) != NULL) {
        const int count = cut(line, arguments);
        const int wanted = atoi(arguments[0]);
        const int status = gr_command_run_line(count, arguments);
        fprintf(stderr, "%s: exit status %d, wanted %d\n", arguments[1], status, wanted);
        failed += status != wanted;
    }
    fclose(lines);
    return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
