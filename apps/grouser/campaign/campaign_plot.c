/// grouser campaign plot: a study as a page.
#include "campaign_command.h"
#include "campaign_job.h"
#include "options.h"
#include "report.h"
#include "study_sections.h"

#include <stdio.h>

static int run(int argc, char **argv)
{
    const char *file = NULL;
    const GrOption options[] = {{.name = "out",
                                 .letter = 'o',
                                 .value = "FILE",
                                 .text = &file,
                                 .help = "the page (default: the name of the study with .html)"}};
    const char *arguments[1];
    int exit_code;
    if (gr_options_parse(&gr_campaign_plot, options, 1, argc, argv, arguments, 1, 1, &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    char beside[GR_FILE_PATH_SIZE];
    GrStatus status = file != NULL ? GR_OK : gr_campaign_page_path(arguments[0], beside, &log);
    file = file != NULL ? file : beside;
    GrCampaign campaign;
    gr_study_load_campaign(arguments[0], &campaign, &log);
    status =
        status == GR_OK ? gr_study_page_write(arguments[0], false, gr_study_sections(&campaign), file, &log) : status;
    gr_campaign_free(&campaign);
    gr_report_log(&log);
    if (status == GR_OK) {
        printf("wrote %s\n", file);
    }
    return status == GR_OK ? GR_EXIT_OK : gr_report_exit_code(status);
}

const GrCommand gr_campaign_plot = {
    .name = "campaign plot",
    .summary = "a page with histograms, responses, correlations and the runs to look at",
    .usage = "campaign plot STUDY [-o FILE]",
    .details = "Writes one HTML page that needs nothing else: outcomes, the distribution of every measure, its rank "
               "correlations\nand responses to the variables, measures against each other, and the extreme and failed "
               "runs with the\ncommands that repeat them. Works also while the campaign runs.",
    .example = "  grouser campaign plot slope.db\n"
               "  grouser campaign plot slope.db -o page.html",
    .run = run,
};
