/// Folders of files with one fault each: the messages must be those of the .expected file beside each. With the
/// environment variable GR_WRITE_EXPECTED set, the messages are written instead, to be read before they are committed.
#ifndef GR_BAD_FILES_H
#define GR_BAD_FILES_H

#include "grouser/status.h"
#include "test.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

enum { GR_BAD_TEXT = 16384 };

/// Reads a file; `empty` tells whether nothing half-read is left. `log` may be NULL.
typedef GrStatus (*GrBadLoad)(const char *path, GrErrorLog *log, bool *empty);

static inline void gr_bad_expected(const char *name, const char *found, char *out)
{
    char path[300];
    snprintf(path, sizeof path, "%.*s.expected", (int)(strrchr(name, '.') - name), name);
    if (getenv("GR_WRITE_EXPECTED") != NULL) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(found, file);
        fclose(file);
    }
    FILE *file = fopen(path, "r");
    out[0] = '\0';
    if (file != NULL) {
        out[fread(out, 1, GR_BAD_TEXT - 1, file)] = '\0';
        fclose(file);
    }
}

/// Refused, with the expected reason, with a place, and nothing half-read; without a log as well.
static inline bool gr_bad_check(const char *name, GrBadLoad load)
{
    static GrErrorLog error_log;
    static char expected[GR_BAD_TEXT], found[GR_BAD_TEXT];
    char path[300];
    bool empty = false, again = false;
    memset(&error_log, 0, sizeof error_log);
    snprintf(path, sizeof path, "./%s", name);
    const GrStatus status = load(path, &error_log, &empty);
    found[0] = '\0';
    for (int i = 0; i < error_log.count; i++) {
        char line[1200];
        gr_error_format(&error_log.items[i], line, sizeof line);
        strcat(strcat(found, line), "\n");
    }
    gr_bad_expected(name, found, expected);
    const bool same = strcmp(found, expected) == 0;
    if (!same) {
        print_error("%s: expected\n%sfound\n%s", name, expected, found);
    }
    return same && empty && status != GR_OK && status == error_log.items[0].status &&
           error_log.items[0].file[0] != '\0' && load(path, NULL, &again) == status && again;
}

static inline bool gr_bad_is_yaml(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && strcmp(dot, ".yaml") == 0;
}

/// Checks all files of a folder of tests/bad that `is_bad`; there must be `least` of them or more.
static inline void gr_bad_folder(const char *folder, bool (*is_bad)(const char *name), GrBadLoad load, int least)
{
    char path[600];
    snprintf(path, sizeof path, "%s/tests/bad/%s", GR_TEST_SOURCE_DIR, folder);
    assert_int_equal(chdir(path), 0);
    DIR *entries = opendir(".");
    assert_non_null(entries);
    int count = 0, failures = 0;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (is_bad(entry->d_name)) {
            count++;
            if (!gr_bad_check(entry->d_name, load)) {
                print_error("%s failed\n", entry->d_name);
                failures++;
            }
        }
    }
    closedir(entries);
    assert_true(count >= least);
    assert_int_equal(failures, 0);
}

#endif
