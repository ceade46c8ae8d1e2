/// Parts of the reader of campaign files.
#ifndef GR_CAMPAIGN_PARTS_H
#define GR_CAMPAIGN_PARTS_H

#include "campaign.h"

/// Index of the variable that a scalar names; −1 after an error.
int gr_campaign_variable(const GrCampaign *campaign, GrNode *node);

/// The sections `optimize` and `sensitivity`.
void gr_campaign_read_search(GrNode *root, GrCampaign *out);
void gr_campaign_read_sensitivity(GrNode *root, GrCampaign *out);

/// Tries every variable on the subject, and computes the hashes of all input.
GrStatus gr_campaign_check(GrCampaign *campaign);

#endif
