/// A temporary working folder for every test program.
///
/// gr_test() links this into each test. Before main() the program moves into a new, empty folder under TMPDIR (or
/// /tmp); when it ends the folder is removed. A test may therefore write to relative paths: nothing lands in the source
/// tree, wherever the test was started, and tests that run at the same time do not see each other's files.
/// GROUSER_TEST_KEEP=1 keeps the folder and prints its name.
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[512];
static pid_t owner;

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info, (void)type, (void)place;
    return remove(path);
}

static void leave_folder(void)
{
    if (getpid() != owner) { // a forked child ends before its parent
        return;
    }
    if (getenv("GROUSER_TEST_KEEP") != NULL) {
        fprintf(stderr, "files of this test: %s\n", folder);
        return;
    }
    if (chdir("/") == 0) {
        nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    }
}

__attribute__((constructor)) static void enter_folder(void)
{
    const char *parent = getenv("TMPDIR");
    const int length = snprintf(folder, sizeof folder, "%s/grouser_test_XXXXXX", parent != NULL ? parent : "/tmp");
    if (length < 0 || (size_t)length >= sizeof folder || mkdtemp(folder) == NULL || chdir(folder) != 0) {
        perror("no temporary folder for this test");
        _Exit(1);
    }
    owner = getpid();
    atexit(leave_folder);
}
