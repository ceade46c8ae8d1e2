/// grouser campaign show: the results of a study, or one of its runs.
#include "campaign_command.h"
#include "options.h"
#include "report.h"
#include "study_print.h"

#include <stdio.h>

static int run(int argc, char **argv)
{
    bool json = false;
    const GrOption options[] = {{.name = "json", .flag = &json, .help = "print as JSON"}};
    const char *arguments[1];
    int exit_code;
    if (gr_options_parse(&gr_campaign_show, options, 1, argc, argv, arguments, 1, 1, &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrStudyTable table = {0};
    GrStudySummary summary = {0};
    GrStudyBands bands = {.variable = -1};
    GrStudy *study = gr_study_read(arguments[0], &log);
    GrStatus status = study != NULL ? gr_study_table(study, &table, &log) : GR_ERROR_FILE;
    status = status == GR_OK ? gr_study_summarise(&table, &summary, &log) : status;
    status = status == GR_OK ? gr_study_bands(&table, &bands, &log) : status;
    if (status == GR_OK && json) {
        status = gr_study_print_json(&table, &summary, &bands, stdout);
    } else if (status == GR_OK) {
        gr_study_print(&table, &summary, &bands, arguments[0], stdout);
    }
    gr_report_log(&log);
    gr_study_bands_free(&bands);
    gr_study_summary_free(&summary);
    gr_study_table_free(&table);
    gr_study_close(study);
    return status == GR_OK ? GR_EXIT_OK : gr_report_exit_code(status);
}

const GrCommand gr_campaign_show = {
    .name = "campaign show",
    .summary = "how the runs ended, statistics of every measure, and what they depend on",
    .usage = "campaign show STUDY [--json]",
    .details =
        "Prints the results of a study (also of one that is being made): outcomes, mean, spread and quantiles of "
        "every\nmeasure, and its rank correlation with every variable.",
    .example = "  grouser campaign show slope.db",
    .run = run,
};
