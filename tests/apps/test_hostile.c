/// The command under attack: folders in use, full disks, signals, names that are paths or terminal escapes. Nothing is
/// written where it should not be, nothing is mixed, and the exit code and the message say what happened.
#include "run_command.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

static const char SHORT[] =
    "rover: el_dorado2\nsoil: ishigami2007\ndrive: {speed_mps: 0.1, path: [[5, 0]]}\nstop: {time_s: 1}\n";

/// A run refuses a folder into which another one writes, and leaves it as it is.
static void test_folder_in_use(void **state)
{
    (void)state;
    gr_run_write("short.yaml", SHORT);
    assert_int_equal(gr_run("run short.yaml -o used.run")->exit_code, 0);
    struct stat before, after;
    assert_int_equal(stat("used.run/run.csv", &before), 0);
    const int lock = open("used.run", O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(lock, LOCK_EX | LOCK_NB), 0);
    const GrRun *run = gr_run("run short.yaml -o used.run");
    assert_int_equal(run->exit_code, 1);
    assert_has(run->err, "used.run: error: another run writes into this folder");
    assert_int_equal(stat("used.run/run.csv", &after), 0);
    assert_int_equal(after.st_ino, before.st_ino);
    close(lock);
    assert_int_equal(gr_run("run short.yaml -o used.run")->exit_code, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folder_in_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
