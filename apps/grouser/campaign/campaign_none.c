/// Campaigns in a build without SQLite.
#include "campaign_file.h"
#include "command.h"
#include "from.h"
#include "options.h"
#include "report.h"

static int refuse(const GrCommand *command)
{
    gr_report_error("%s: this build has no campaigns; install libsqlite3-dev and build again", command->name);
    return GR_EXIT_FAILURE;
}

static int run_sweep(int argc, char **argv)
{
    (void)argc, (void)argv;
    return refuse(&gr_command_sweep);
}

static int run_campaign(int argc, char **argv)
{
    (void)argc, (void)argv;
    return refuse(&gr_command_campaign);
}

const GrCommand gr_command_sweep = {
    .name = "sweep",
    .summary = "run a campaign (not in this build: no SQLite)",
    .usage = "sweep CAMPAIGN",
    .details = "This build has no campaigns. Install libsqlite3-dev and build again.",
    .example = "  grouser sweep slope.yaml",
    .run = run_sweep,
};

static int run_optimize(int argc, char **argv)
{
    (void)argc, (void)argv;
    return refuse(&gr_command_optimize);
}

static int run_sensitivity(int argc, char **argv)
{
    (void)argc, (void)argv;
    return refuse(&gr_command_sensitivity);
}

const GrCommand gr_command_optimize = {
    .name = "optimize",
    .summary = "search for the best values (not in this build: no SQLite)",
    .usage = "optimize CAMPAIGN",
    .details = "This build has no campaigns. Install libsqlite3-dev and build again.",
    .example = "  grouser optimize wheel.yaml",
    .run = run_optimize,
};

const GrCommand gr_command_sensitivity = {
    .name = "sensitivity",
    .summary = "which variables matter (not in this build: no SQLite)",
    .usage = "sensitivity CAMPAIGN",
    .details = "This build has no campaigns. Install libsqlite3-dev and build again.",
    .example = "  grouser sensitivity slope.yaml",
    .run = run_sensitivity,
};

static int run_mission(int argc, char **argv)
{
    (void)argc, (void)argv;
    return refuse(&gr_command_mission);
}

const GrCommand gr_command_mission = {
    .name = "mission",
    .summary = "questions about a landing site (not in this build: no SQLite)",
    .usage = "mission CAMPAIGN",
    .details = "This build has no campaigns. Install libsqlite3-dev and build again.",
    .example = "  grouser mission placement.yaml",
    .run = run_mission,
};

const GrCommand gr_command_campaign = {
    .name = "campaign",
    .summary = "results of campaigns (not in this build: no SQLite)",
    .usage = "campaign SUBCOMMAND",
    .details = "This build has no campaigns. Install libsqlite3-dev and build again.",
    .example = "  grouser campaign show slope.db",
    .run = run_campaign,
};

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
