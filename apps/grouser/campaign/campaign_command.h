/// The subcommands of `grouser campaign`.
#ifndef GR_CAMPAIGN_COMMAND_H
#define GR_CAMPAIGN_COMMAND_H

#include "command.h"

extern const GrCommand gr_campaign_show, gr_campaign_export, gr_campaign_plot, gr_campaign_merge;

#endif
