#include "file.h"

#include "shipped.h"
#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/grouser_test_file_XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void test_write_then_read(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    assert_int_equal(gr_file_write(in_folder("a.txt"), "one", 3, &log), GR_OK);
    assert_int_equal(gr_file_write(in_folder("a.txt"), "two\0!", 5, &log), GR_OK);
    char *data;
    size_t size;
    assert_int_equal(gr_file_read(in_folder("a.txt"), 5, &data, &size, &log), GR_OK);
    assert_int_equal(size, 5);
    assert_memory_equal(data, "two\0!", 6);
    free(data);
    assert_int_equal(gr_file_read(in_folder("a.txt"), 4, &data, &size, &log), GR_ERROR_FILE);
    assert_null(data);
    assert_non_null(strstr(log.items[0].text, "more than the allowed 4 bytes"));
    struct stat info;
    assert_int_equal(stat(in_folder("a.txt"), &info), 0);
    assert_int_equal(info.st_mode & 0600, 0600);
    GrNameList names;
    assert_int_equal(gr_folder_list(folder, "", &names, &log), GR_OK);
    assert_int_equal(names.count, 1); // no temporary file is left
    gr_name_list_free(&names);
}

static void test_failures_say_why(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    char *data;
    size_t size;
    assert_int_equal(gr_file_read(in_folder("none"), 100, &data, &size, &log), GR_ERROR_FILE);
    assert_string_equal(log.items[0].text, "cannot be read: No such file or directory");
    assert_string_equal(log.items[0].file, in_folder("none"));
    assert_int_equal(gr_file_read(folder, 100, &data, &size, &log), GR_ERROR_FILE);
    assert_string_equal(log.items[1].text, "cannot be read: Is a directory");
    assert_int_equal(gr_file_write(in_folder("no/such/a"), "x", 1, &log), GR_ERROR_FILE);
    assert_int_equal(gr_file_write(folder, "x", 1, &log), GR_ERROR_FILE);
    GrNameList names;
    assert_int_equal(gr_folder_list(in_folder("none"), "", &names, &log), GR_ERROR_FILE);
    assert_int_equal(gr_folder_make("/dev/null/x", &log), GR_ERROR_FILE);
    assert_int_equal(log.error_count, 6);
}

static void test_full_device(void **state)
{
    (void)state;
    if (!gr_file_exists("/dev/full")) {
        skip();
    }
    assert_int_equal(gr_file_write("/dev/full", "x", 1, NULL), GR_ERROR_WRITE);
    assert_int_equal(gr_file_write("/dev/null", "x", 1, NULL), GR_OK);
}

static void test_folders(void **state)
{
    (void)state;
    assert_int_equal(gr_folder_make(in_folder("x/y/z"), NULL), GR_OK);
    assert_int_equal(gr_folder_make(in_folder("x/y/z/"), NULL), GR_OK);
    assert_int_equal(gr_file_write(in_folder("x/b.yaml"), "", 0, NULL), GR_OK);
    assert_int_equal(gr_file_write(in_folder("x/a.yaml"), "", 0, NULL), GR_OK);
    assert_int_equal(gr_file_write(in_folder("x/.hidden.yaml"), "", 0, NULL), GR_OK);
    GrNameList names;
    assert_int_equal(gr_folder_list(in_folder("x"), ".yaml", &names, NULL), GR_OK);
    assert_int_equal(names.count, 2);
    assert_string_equal(names.names[0], "a.yaml");
    assert_string_equal(names.names[1], "b.yaml");
    gr_name_list_free(&names);
}

static void test_shipped_places(void **state)
{
    (void)state;
    assert_int_equal(gr_folder_make(in_folder("d1/things"), NULL), GR_OK);
    assert_int_equal(gr_folder_make(in_folder("d2/things"), NULL), GR_OK);
    assert_int_equal(gr_file_write(in_folder("d1/things/a.x"), "", 0, NULL), GR_OK);
    assert_int_equal(gr_file_write(in_folder("d2/things/a.x"), "", 0, NULL), GR_OK);
    assert_int_equal(gr_file_write(in_folder("d2/things/b.x"), "", 0, NULL), GR_OK);
    char places[600];
    snprintf(places, sizeof places, "%s/d1:%s/d2:/no/such/place", folder, folder);
    setenv("GROUSER_DATA", places, 1);
    char path[GR_FILE_PATH_SIZE];
    assert_true(gr_shipped_find("things", "a", ".x", path));
    assert_string_equal(path, in_folder("d1/things/a.x"));
    assert_true(gr_shipped_find("things", "b", ".x", path));
    assert_false(gr_shipped_find("things", "c", ".x", path));
    assert_false(gr_shipped_find("things", "../things/a", ".x", path));
    GrNameList names = {0};
    assert_int_equal(gr_shipped_list("things", ".x", &names, NULL), GR_OK);
    assert_int_equal(names.count, 2);
    assert_string_equal(names.names[0], "a");
    assert_string_equal(names.names[1], "b");
    gr_name_list_free(&names);
    unsetenv("GROUSER_DATA");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write_then_read), cmocka_unit_test(test_failures_say_why),
        cmocka_unit_test(test_full_device),     cmocka_unit_test(test_folders),
        cmocka_unit_test(test_shipped_places),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
