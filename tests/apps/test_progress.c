/// The progress bar of long tests, on a pseudo-terminal: `tip` and `drop` show their progress, and none of it appears
/// in a redirected file.
#include "run_command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

static const double PATIENCE = 60; // [s] the bar comes after two; the rest is for a busy machine

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// A bare container may come without /dev/pts.
static bool has_terminals(void)
{
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    const char *name = master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0 ? ptsname(master) : NULL;
    const int slave = name != NULL ? open(name, O_RDWR | O_NOCTTY) : -1;
    if (slave >= 0) {
        close(slave);
    }
    if (master >= 0) {
        close(master);
    }
    return slave >= 0;
}

/// Starts the command with its messages on a new terminal, whose other end is returned.
static int start(const char *line, pid_t *child)
{
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    const char *name = ptsname(master);
    assert_non_null(name);
    const int slave = open(name, O_RDWR | O_NOCTTY);
    assert_true(slave >= 0);
    *child = fork();
    assert_true(*child >= 0);
    if (*child == 0) {
        dup2(slave, STDERR_FILENO);
        close(master);
        close(slave);
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
    close(slave);
    return master;
}

/// Whether a bar with a share in percent is shown; the command is then stopped.
static bool shows_progress(const char *arguments)
{
    char line[4096], text[65536] = "";
    size_t used = 0;
    pid_t child;
    bool found = false;
    snprintf(line, sizeof line, "exec '%s' %s >/dev/null", GR_TEST_COMMAND, arguments);
    const int master = start(line, &child);
    for (const double end = now() + PATIENCE; !found && now() < end && used + 1 < sizeof text;) {
        struct pollfd wait = {.fd = master, .events = POLLIN};
        if (poll(&wait, 1, 100) <= 0) {
            continue;
        }
        const ssize_t got = read(master, text + used, sizeof text - 1 - used);
        if (got <= 0) {
            break; // it has ended
        }
        used += (size_t)got;
        text[used] = '\0';
        found = strstr(text, "\xe2\x96\x91") != NULL && strstr(text, " %") != NULL;
    }
    if (!found) {
        print_error("%s: no progress in '%s'\n", arguments, text);
    }
    int status;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    close(master);
    return found;
}

/// Both take longer than the two seconds after which a bar appears: by short steps, and by many directions.
static void test_terminal(void **state)
{
    (void)state;
    if (!has_terminals()) {
        print_message("this system gives no pseudo-terminals: the progress bar is not tested\n");
        skip();
    }
    assert_true(shows_progress("test drop curiosity_like --heights 100:225:20 --step 0.005"));
    assert_true(shows_progress("test tip rashid_like --directions 72 --step 1"));
}

static void test_no_terminal(void **state)
{
    (void)state;
    const GrRun *run = gr_run("test drop rashid_like --heights 175 --step 0.05");
    assert_int_equal(run->exit_code, 0);
    assert_null(strstr(run->err, "\xe2\x96\x91"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_terminal), cmocka_unit_test(test_no_terminal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
