/// Every file of tests/bad/rovers has one fault (unless its name says otherwise) and is refused with the right message.
#include "support/bad_files.h"

#include "grouser/rover.h"

static bool is_bad_file(const char *name)
{
    const char *dot = strrchr(name, '.');
    if (strstr(name, ".grouser.") != NULL) {
        return false; // read with its URDF
    }
    return dot != NULL && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".urdf") == 0 || strcmp(dot, ".xacro") == 0);
}

static GrStatus load(const char *path, GrErrorLog *log, bool *empty)
{
    GrRoverDef rover;
    const GrStatus status = gr_rover_load(path + 2, NULL, &rover, log); // the .expected files name it without "./"
    *empty = rover.body_count == 0 && rover.bodies == NULL;
    return status;
}

static void test_messages(void **state)
{
    (void)state;
    gr_bad_folder("rovers", is_bad_file, load, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_messages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
