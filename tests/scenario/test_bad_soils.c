/// Every file of tests/bad/soils has one fault; the messages must be those of its .expected file. With the environment
/// variable GR_WRITE_EXPECTED set, the messages are written instead, to be read before they are committed.
#include "test.h"

#include "grouser/soil_file.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

enum { TEXT = 16384 };

static void expected_path(const char *name, char out[300])
{
    snprintf(out, 300, "%.*s.expected", (int)(strrchr(name, '.') - name), name);
}

static void read_expected(const char *name, char *out)
{
    char path[300];
    expected_path(name, path);
    FILE *file = fopen(path, "r");
    out[0] = '\0';
    if (file != NULL) {
        out[fread(out, 1, TEXT - 1, file)] = '\0';
        fclose(file);
    }
}

static void write_expected(const char *name, const char *text)
{
    char path[300];
    expected_path(name, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static bool check(const char *name)
{
    static GrErrorLog error_log;
    static char expected[TEXT], found[TEXT];
    char path[300];
    GrSoilDef soil;
    const GrSoilDef usual = gr_default_soil_def();
    memset(&error_log, 0, sizeof error_log);
    snprintf(path, sizeof path, "./%s", name);
    const GrStatus status = gr_soil_load(path, NULL, &soil, NULL, &error_log);
    found[0] = '\0';
    for (int i = 0; i < error_log.count; i++) {
        char line[1200];
        gr_error_format(&error_log.items[i], line, sizeof line);
        strcat(strcat(found, line), "\n");
    }
    if (getenv("GR_WRITE_EXPECTED") != NULL) {
        write_expected(name, found);
    }
    read_expected(name, expected);
    const bool same = strcmp(found, expected) == 0;
    if (!same) {
        print_error("%s: expected\n%sfound\n%s", name, expected, found);
    }
    // refused, with a reason, with a place, and nothing half-read
    return same && status != GR_OK && status == error_log.items[0].status && error_log.items[0].file[0] != '\0' &&
           memcmp(&soil, &usual, sizeof soil) == 0 && gr_soil_load(path, NULL, &soil, NULL, NULL) == status;
}

static void test_messages(void **state)
{
    (void)state;
    assert_int_equal(chdir(GR_TEST_SOURCE_DIR "/tests/bad/soils"), 0);
    DIR *folder = opendir(".");
    assert_non_null(folder);
    int count = 0, failures = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot != NULL && strcmp(dot, ".yaml") == 0) {
            count++;
            if (!check(entry->d_name)) {
                print_error("%s failed\n", entry->d_name);
                failures++;
            }
        }
    }
    closedir(folder);
    assert_true(count >= 20);
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_messages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
