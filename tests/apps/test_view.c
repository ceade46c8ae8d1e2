/// grouser view, as a user types it.
#include "run_command.h"

#include "support/socket_client.h"

#include <signal.h>

static void test_wrong_use(void **state)
{
    (void)state;
    static const struct {
        const char *line, *text;
    } wrong[] = {
        {"view", "SCENARIO"},
        {"view crossin", "crossing"},
        {"view crossing --port 99999", "--port"},
        {"view crossing --speed 5000", "--speed"},
        {"view crossing --seconds 0", "--seconds"},
        {"view crossing gradeability", "one scenario"},
        {"view . --once", "for scenarios"},
        {"view . --uncertainty 3", "for scenarios"},
        {"view gradeability --uncertainty 1.5", "--uncertainty"},
        {"view .", "replay"},
        {"view crossing --set soil:phi=99", "allowed: 0 to 60"},
        {"view crossing --host 192.0.2.1", "cannot listen"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char line[256];
        snprintf(line, sizeof line, "%s --no-browser", wrong[i].line);
        const GrRun *run = gr_run(line);
        assert_true(run->exit_code == 2 || run->exit_code == 1);
        assert_has(run->err, wrong[i].text);
    }
}

/// A folder that has the name of a shipped scenario: neither is guessed.
static void test_two_of_a_name(void **state)
{
    (void)state;
    assert_int_equal(system("mkdir crossing"), 0);
    const GrRun *run = gr_run("view crossing --no-browser --port 0 --seconds 0.1");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "write ./crossing for the folder");
    assert_has(run->err, "crossing.yaml for the scenario");
    run = gr_run("view ./crossing --no-browser --port 0 --seconds 0.1");
    assert_has(run->err, "not the folder of a run");
    assert_int_equal(system("rmdir crossing"), 0);
}

/// The editor opens files, shipped scenarios and maps, and writes nothing by itself.
static void test_edit(void **state)
{
    (void)state;
    static const struct {
        const char *line, *text;
    } wrong[] = {
        {"edit", "SCENARIO"},
        {"edit crossin", "crossing"},
        {"edit crossing --seconds 0", "--seconds"},
        {"edit ./missing.yaml", "missing.yaml"},
        {"edit ./missing.tif", "missing.tif"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char line[256];
        snprintf(line, sizeof line, "%s --no-browser", wrong[i].line);
        const GrRun *run = gr_run(line);
        assert_true(run->exit_code == 2 || run->exit_code == 1);
        assert_has(run->err, wrong[i].text);
    }
    const GrRun *run = gr_run("edit gradeability --no-browser --port 0 --seconds 0.3");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "http://127.0.0.1:");
    assert_has(run->out, "state_hash ");
    assert_int_equal(system("test ! -e gradeability.yaml && echo 'rover: nothing' > broken.yaml"), 0);
    run = gr_run("edit ./broken.yaml --no-browser --port 0 --seconds 0.3"); // to be corrected on the page
    assert_int_equal(run->exit_code, 0);
    assert_int_equal(system("touch gradeability.yaml"), 0);
    run = gr_run("edit gradeability --no-browser --port 0 --seconds 0.3");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "exists");
    assert_int_equal(system("rm gradeability.yaml broken.yaml"), 0);
}

/// The hash of a viewed run is that of grouser run, and its recording is whole.
static void test_once(void **state)
{
    (void)state;
    char expected[64] = "", line[128];
    const GrRun *run = gr_run("run gradeability --set stop.time_s=3 -o run --json");
    assert_int_equal(run->exit_code, 0);
    assert_int_equal(sscanf(strstr(run->out, "\"state_hash\": "), "\"state_hash\": \"%16[0-9a-f]", expected), 1);
    run = gr_run(
        "view gradeability --set stop.time_s=3 --uncertainty 2 --once --speed 0 --no-browser --port 0 -o viewed");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "http://127.0.0.1:");
    snprintf(line, sizeof line, "state_hash %s\n", expected);
    assert_has(run->out, line);
    assert_int_equal(system("cmp run/run.csv viewed/run.csv"), 0);
    assert_int_equal(system("grep -q '\"outcome\": \"finished\"' viewed/summary.json"), 0);
    assert_int_equal(system("grep -q '\"distance_m_low\": ' viewed/summary.json"), 0);
    run = gr_run("view run viewed --no-browser --port 0 --seconds 0.3");
    assert_int_equal(run->exit_code, 0);
    assert_int_equal(system("rm -r run viewed"), 0);
}

/// Starts the command, its output through a pipe, and returns its port.
static int start(const char *const *arguments, pid_t *process, FILE **pipe_out)
{
    char address[256];
    int ends[2], port = 0;
    assert_int_equal(pipe(ends), 0);
    *process = fork();
    if (*process == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        execv(GR_TEST_COMMAND, (char *const *)arguments);
        _exit(127);
    }
    close(ends[1]);
    *pipe_out = fdopen(ends[0], "r");
    assert_non_null(fgets(address, sizeof address, *pipe_out));
    assert_int_equal(sscanf(address, "http://127.0.0.1:%d/", &port), 1);
    return port;
}

/// Driven, run to its end, reset, paused, and ended by a signal.
static void test_live(void **state)
{
    (void)state;
    static const char *const line[] = {"grouser", "view", "gradeability", "--no-browser", "--port", "0",
                                       "-o",      "live", "--seconds",    "60",           NULL};
    FILE *output;
    pid_t process;
    char text[65536];
    const int port = start(line, &process, &output);
    assert_int_equal(gr_client_get(port, "/hello.json", "Host: localhost\r\n", text, sizeof text), 200);
    assert_has(text, "live");
    const int fd = gr_client_open(port);
    GrClientMessage m;
    assert_true(gr_client_hear(fd, &m));
    assert_memory_equal(m.data, "HEAD", 4);
    free(m.data);
    gr_client_say(fd, "{\"op\":\"drive\",\"mode\":\"skid\",\"speed\":0.02}");
    gr_client_say(fd, "{\"op\":\"speed\",\"value\":0}");
    for (bool done = false; !done; free(m.data)) {
        assert_true(gr_client_hear(fd, &m));
        done = memcmp(m.data, "DONE", 4) == 0;
    }
    gr_client_say(fd, "{\"op\":\"reset\"}");
    for (bool reset = false; !reset; free(m.data)) {
        assert_true(gr_client_hear(fd, &m));
        reset = memcmp(m.data, "RSET", 4) == 0;
    }
    assert_int_equal(access("gradeability_driven.yaml", F_OK), 0); // it was driven
    gr_client_say(fd, "{\"op\":\"pause\"}");
    assert_int_equal(kill(process, SIGTERM), 0);
    gr_client_closed(fd);
    int status = -1;
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    fclose(output);
    assert_int_equal(system("grep -q interrupted live/summary.json"), 0);
    const GrRun *run = gr_run("run gradeability_driven.yaml -o again --json");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "\"outcome\": \"finished\"");
    assert_int_equal(system("rm -r live again gradeability_driven.yaml"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_use), cmocka_unit_test(test_two_of_a_name), cmocka_unit_test(test_edit),
        cmocka_unit_test(test_once),      cmocka_unit_test(test_live),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
