/// grouser: the command line.
#include "command.h"
#include "report.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); // a limit on the size of files is an error with a message, as a full disk is
    // Its threads spin, and hang at the exit where memory for them is short; what we solve with it is small.
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    const int exit_code = gr_command_run_line(argc, argv);
    // Output that could not be written, on a full disk or to a closed pipe, is a failure too.
    if (fflush(stdout) != 0 || ferror(stdout)) {
        gr_report_error("the output could not be written");
        return exit_code == GR_EXIT_OK ? GR_EXIT_FAILURE : exit_code;
    }
    return exit_code;
}
