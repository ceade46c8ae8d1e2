/// Runs the built command as a user would, and captures its output.
#ifndef GR_RUN_COMMAND_H
#define GR_RUN_COMMAND_H

#include "test.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct GrRun {
    int exit_code;
    char out[262144];
    char err[16384];
} GrRun;

/// Reads a file that a command wrote, and deletes it.
static inline void gr_run_take(const char *path, char *out, size_t size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    out[fread(out, 1, size - 1, file)] = '\0';
    fclose(file);
    unlink(path);
}

/// `arguments` as typed after "grouser "; the folder of the test is the working folder.
static inline const GrRun *gr_run(const char *arguments)
{
    static GrRun run;
    char out[64], err[64], line[4096];
    snprintf(out, sizeof out, "grouser_run_%d.out", (int)getpid());
    snprintf(err, sizeof err, "grouser_run_%d.err", (int)getpid());
    snprintf(line, sizeof line, "'%s' %s >%s 2>%s", GR_TEST_COMMAND, arguments, out, err);
    const int status = system(line);
    assert_true(WIFEXITED(status));
    run.exit_code = WEXITSTATUS(status);
    gr_run_take(out, run.out, sizeof run.out);
    gr_run_take(err, run.err, sizeof run.err);
    return &run;
}

/// A file in the working folder, for commands to read.
static inline void gr_run_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static inline void gr_assert_has(const char *text, const char *part, const char *file, int line)
{
    if (strstr(text, part) == NULL) {
        print_error("%s:%d: '%s' is not in:\n%s\n", file, line, part, text);
        _fail(file, line);
    }
}

#define assert_has(text, part) gr_assert_has((text), (part), __FILE__, __LINE__)

/// Every line of `text`, if there is one, has this part.
static inline void gr_assert_only(const char *text, const char *part, const char *file, int line)
{
    for (const char *at = text; *at != '\0';) {
        const char *end = strchr(at, '\n'), *found = strstr(at, part);
        if (found == NULL || end == NULL || found > end) {
            print_error("%s:%d: a line without '%s' is in:\n%s\n", file, line, part, text);
            _fail(file, line);
        }
        at = end + 1;
    }
}

#define assert_only(text, part) gr_assert_only((text), (part), __FILE__, __LINE__)

/// The text after "key": in JSON, up to the end of its line.
static inline void value_of(const char *json, const char *key, char *out, size_t size)
{
    char wanted[80];
    snprintf(wanted, sizeof wanted, "\"%s\": ", key);
    const char *at = strstr(json, wanted);
    assert_non_null(at);
    at += strlen(wanted);
    snprintf(out, size, "%.*s", (int)strcspn(at, ",\n"), at);
}

/// The number after "key": in JSON, from a place on.
static inline double json_number(const char *json, const char *key)
{
    char wanted[80];
    snprintf(wanted, sizeof wanted, "\"%s\": ", key);
    gr_assert_has(json, wanted, __FILE__, __LINE__);
    return strtod(strstr(json, wanted) + strlen(wanted), NULL);
}

#endif
