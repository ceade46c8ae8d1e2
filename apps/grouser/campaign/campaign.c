/// grouser campaign: results of campaigns. One row per subcommand; each is defined in the file of its name.
#include "campaign_command.h"
#include "group.h"

static const GrCommand *const PARTS[] = {&gr_campaign_show, &gr_campaign_export, &gr_campaign_plot, &gr_campaign_merge};

enum { PART_COUNT = sizeof PARTS / sizeof PARTS[0] };

static int run(int argc, char **argv)
{
    return gr_group_run(&gr_command_campaign, PARTS, PART_COUNT, argc, argv);
}

const GrCommand gr_command_campaign = {
    .name = "campaign",
    .summary = "show, plot and export the results of a campaign",
    .usage = "campaign SUBCOMMAND [OPTION]...",
    .details = "Reads the study of a campaign, also while it is running.",
    .example = "  grouser campaign show slope.db\n"
               "  grouser campaign plot slope.db\n"
               "  grouser campaign export slope.db -o slope.csv",
    .run = run,
};
