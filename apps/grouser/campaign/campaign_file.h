/// Campaign files for `grouser check`.
#ifndef GR_CAMPAIGN_FILE_H
#define GR_CAMPAIGN_FILE_H

#include "grouser/status.h"

/// Whether a file is a campaign: YAML with the key `run`.
bool gr_campaign_is_file(const char *path);

/// Reads the campaign and tries its variables.
GrStatus gr_campaign_check_file(const char *path, GrErrorLog *log);

#endif
