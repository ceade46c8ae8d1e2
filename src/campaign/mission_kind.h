/// A kind of mission: a question about a landing site, such as the statistics of lander placements, that a campaign
/// answers with runs of its own choice and with sections of its own in the report. It is the section `mission` of a
/// campaign file:
///
///     mission: {placement: {limits: {tilt_deg: {below: 20}}}}
///
/// A new kind is a GrMissionKind in a file of its own, and one row in the table of the program
/// (apps/grouser/mission/mission.c).
#ifndef GR_MISSION_KIND_H
#define GR_MISSION_KIND_H

#include "fields.h"
#include "page.h"
#include "subject.h"

struct GrBatch;      // runner.h
struct GrCampaign;   // campaign.h
struct GrMissionRun; // apps/grouser/mission/mission.h
struct GrStudyPage;  // study_page.h

typedef struct GrMissionKind {
    const char *name; ///< key in the section `mission`
    const char *text;
    /// Reads that key, after `run` and `vary`. It may add variables (gr_campaign_add_range). NULL after an error, which
    /// is in the document's log.
    void *(*create)(GrNode *value, struct GrCampaign *campaign);
    void (*destroy)(void *mission);
    /// Reads what needs the names of measures. It may add measures (gr_campaign_add_measure). Errors go to the
    /// document's log. NULL: nothing to do.
    void (*finish)(void *mission, GrNode *value, struct GrCampaign *campaign);
    /// The runs that do not depend on results of others: what `--dry-run` and `--shard` work on. NULL: those of a
    /// sweep.
    void (*batch)(void *mission, const struct GrCampaign *campaign, struct GrBatch *out);
    /// Called when all of them are done: prints the answer, after further batches where the kind needs some.
    GrStatus (*report)(struct GrMissionRun *run, GrErrorLog *log);
    /// Adds sections to the page, computed from the study alone: also for `grouser campaign plot`, and while runs are
    /// missing. NULL: none.
    GrStatus (*put)(void *mission, const struct GrCampaign *campaign, struct GrStudyPage *page, GrPage *out,
                    GrErrorLog *log);
    bool answers; ///< these sections begin with the answer
} GrMissionKind;

#endif
