/// A mission while `grouser mission` runs it, for the kinds of missions.
#ifndef GR_MISSION_H
#define GR_MISSION_H

#include "campaign_job.h"
#include "command.h"
#include "mission_kind.h"

typedef struct GrMissionRun {
    GrCampaignJob *job; ///< open, its first batch done
    const GrCampaignOptions *options;
    void *mission;    ///< of GrMissionKind.create()
    bool interrupted; ///< set it when a further batch was
    bool unanswered;  ///< set it when the question has no answer that can be used: exit code 1
    FILE *json;       ///< takes the answer where the options say json
} GrMissionRun;

/// The runs that do not depend on results of others.
GrBatch gr_mission_batch(const GrCampaign *campaign);

/// Runs the mission of a campaign file; returns the exit code. `log` NULL: messages are printed.
int gr_mission_run_file(const char *path, const GrCampaignOptions *options, FILE *json, GrErrorLog *log);

/// `grouser mission go` with the words after it, likewise.
int gr_mission_go_ask(int argc, char **argv, FILE *json, GrErrorLog *log);

/// `grouser mission go MAP`: writes such a file and runs it.
extern const GrCommand gr_command_mission_go;

// The kinds of missions, rows of gr_campaign_kinds.

extern const GrMissionKind gr_mission_placement, gr_mission_egress, gr_mission_traverse, gr_mission_go;

#endif
