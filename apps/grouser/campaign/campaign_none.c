/// Campaigns in a build without SQLite.
#include "campaign_file.h"
#include "command.h"
#include "from.h"
#include "options.h"
#include "report.h"
#include "view_study.h"

/// Commands of campaigns: name, summary, argument, argument of the example.
#define COMMANDS(X)                                                                                                    \
    X(sweep, "run a campaign", "CAMPAIGN", "slope.yaml")                                                               \
    X(optimize, "search for the best values", "CAMPAIGN", "wheel.yaml")                                                \
    X(sensitivity, "which variables matter", "CAMPAIGN", "slope.yaml")                                                 \
    X(mission, "questions about a landing site", "CAMPAIGN", "placement.yaml")                                         \
    X(campaign, "results of campaigns", "SUBCOMMAND", "show slope.db")

#define DEFINE(command, about, argument, sample)                                                                       \
    static int run_##command(int argc, char **argv)                                                                    \
    {                                                                                                                  \
        (void)argc, (void)argv;                                                                                        \
        gr_report_error(#command ": this build has no campaigns; install libsqlite3-dev and build again");             \
        return GR_EXIT_FAILURE;                                                                                        \
    }                                                                                                                  \
    const GrCommand gr_command_##command = {                                                                           \
        .name = #command,                                                                                              \
        .summary = about " (not in this build: no SQLite)",                                                            \
        .usage = #command " " argument,                                                                                \
        .details = "This build has no campaigns. Install libsqlite3-dev and build again.",                             \
        .example = "  grouser " #command " " sample,                                                                   \
        .run = run_##command,                                                                                          \
    };
COMMANDS(DEFINE)

bool gr_view_is_study(const char *path)
{
    (void)path;
    return false;
}

GrStatus gr_view_study_page(const char *path, GrBuffer *page, GrErrorLog *log)
{
    (void)page;
    return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.file = path}, "this build has no campaigns");
}

void gr_view_study_follow(struct GrServer *server, const char *path, double seconds)
{
    (void)server, (void)path, (void)seconds;
}

bool gr_campaign_is_file(const char *path)
{
    (void)path;
    return false;
}

GrStatus gr_campaign_check_file(const char *path, GrErrorLog *log)
{
    return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.file = path}, "this build has no campaigns");
}

GrStatus gr_run_from(const char *text, const GrTextList *overrides, GrScenario *out, uint64_t *hash, GrErrorLog *log)
{
    (void)text, (void)overrides, (void)out, (void)hash;
    return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "--from"},
                        "this build has no campaigns; install libsqlite3-dev and build again");
}
