/// grouser view in a build without libmicrohttpd and wslay.
#include "command.h"
#include "options.h"
#include "report.h"
#include "study_server.h"

static int run(int argc, char **argv)
{
    const char *names[2];
    int exit_code;
    if (gr_options_parse(&gr_command_view, NULL, 0, argc, argv, names, 0, 2, &exit_code) < 0) {
        return exit_code;
    }
    gr_report_error(
        "view: this build has no server; build it with libmicrohttpd and wslay, or write the replay of a run as a "
        "file with grouser export replay");
    return GR_EXIT_FAILURE;
}

GrStudyServer *gr_study_server_start(int port, const GrBuffer *page, GrErrorLog *log)
{
    (void)port, (void)page;
    gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "--serve"},
                 "this build has no server; install libmicrohttpd-dev, libwslay-dev and nettle-dev, and build again");
    return NULL;
}

void gr_study_server_publish(GrStudyServer *server, const GrBuffer *page, const GrStudyState *state)
{
    (void)server, (void)page, (void)state;
}

void gr_study_server_end(GrStudyServer *server)
{
    (void)server;
}

const GrCommand gr_command_view = {
    .name = "view",
    .summary = "watch a scenario in the browser (not in this build: no server)",
    .usage = "view SCENARIO",
    .details = "This build has no server. Install libmicrohttpd-dev, libwslay-dev and nettle-dev, and build again.",
    .example = "  grouser view crossing",
    .run = run,
    .arguments = "@scenarios",
};
