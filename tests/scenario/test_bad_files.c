/// Every file of tests/bad has one fault (or says so in its name); the messages must be those of its .expected file.
#include "test.h"

#include "grouser/rover.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

enum { TEXT = 16384 };

static bool is_bad_file(const char *name)
{
    const char *dot = strrchr(name, '.');
    if (strstr(name, ".grouser.") != NULL) {
        return false; // read with its URDF
    }
    return dot != NULL && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".urdf") == 0 || strcmp(dot, ".xacro") == 0);
}

static void read_expected(const char *name, char *out)
{
    char path[300];
    snprintf(path, sizeof path, "%.*s.expected", (int)(strrchr(name, '.') - name), name);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        print_error("%s is missing\n", path);
        fail();
        return;
    }
    out[fread(out, 1, TEXT - 1, file)] = '\0';
    fclose(file);
}

static bool check(const char *name)
{
    static GrErrorLog error_log;
    static char expected[TEXT], found[TEXT];
    memset(&error_log, 0, sizeof error_log);
    GrRoverDef rover;
    const GrStatus status = gr_rover_load(name, NULL, &rover, &error_log);
    found[0] = '\0';
    for (int i = 0; i < error_log.count; i++) {
        char line[1200];
        gr_error_format(&error_log.items[i], line, sizeof line);
        strcat(strcat(found, line), "\n");
    }
    read_expected(name, expected);
    const bool same = strcmp(found, expected) == 0;
    if (!same) {
        print_error("%s: expected\n%sfound\n%s", name, expected, found);
    }
    // refused, with a reason, with a place, and nothing half-read
    const bool good = same && status != GR_OK && status == error_log.items[0].status &&
                      error_log.items[0].file[0] != '\0' && rover.body_count == 0 && rover.bodies == NULL;
    const GrStatus without_log = gr_rover_load(name, NULL, &rover, NULL);
    return good && without_log == status;
}

static void test_messages(void **state)
{
    (void)state;
    assert_int_equal(chdir(GR_TEST_SOURCE_DIR "/tests/bad"), 0);
    DIR *folder = opendir(".");
    assert_non_null(folder);
    int count = 0, failures = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (is_bad_file(entry->d_name)) {
            count++;
            if (!check(entry->d_name)) {
                print_error("%s failed\n", entry->d_name);
                failures++;
            }
        }
    }
    closedir(folder);
    assert_true(count >= 40);
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_messages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
