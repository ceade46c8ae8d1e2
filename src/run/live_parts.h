/// Parts of GrLive: the panel that viewers see, and the overrides that it changes.
#ifndef GR_LIVE_PARTS_H
#define GR_LIVE_PARTS_H

#include "json.h"
#include "live.h"

/// Overrides of a scenario, in order.
typedef struct GrLiveOverrides {
    char texts[GR_LIVE_OVERRIDES][GR_LIVE_OVERRIDE_SIZE];
    const char *items[GR_LIVE_OVERRIDES + 1]; ///< NULL-terminated
    int count, given;                         ///< the first `given` ones are those of the command line
} GrLiveOverrides;

/// A value that viewers may change.
typedef struct GrPanelRow {
    char path[64]; ///< of an override
    char label[96], unit[24], group[24];
    bool is_choice;
    char choice[GR_NAME_SIZE]; ///< present value of a choice
    const char *const *names;  ///< [name_count] of a choice
    int name_count;
    double value, lower, upper; ///< of a number; NAN: no bound
} GrPanelRow;

enum { GR_PANEL_ROWS = 64, GR_PANEL_NAMES = 128 };

typedef struct GrLivePanel {
    GrPanelRow rows[GR_PANEL_ROWS];
    int count;
    char soils[GR_PANEL_NAMES][GR_NAME_SIZE];
    const char *soil_names[GR_PANEL_NAMES];
    int soil_count;
    const char *bodies[GR_PANEL_NAMES];
    int body_count;
} GrLivePanel;

/// Lists what can be changed in a scenario.
void gr_panel_fill(const GrScenario *scenario, GrLivePanel *out);

/// The panel of the present run.
const GrLivePanel *gr_live_panel(const GrLive *live);

/// Writes the member "panel".
void gr_panel_put(const GrLivePanel *panel, GrJson *json);

/// Checks "path=value" against the panel: a known path, one of the choices, or a number. The range of a number is left
/// to the reader of the scenario.
GrStatus gr_panel_check(const GrLivePanel *panel, const char *set, GrErrorLog *log);

/// Adds an override in place of an older one of the panel for the same path; a new soil also drops older values of the
/// soil. False: too many, or too long.
bool gr_live_override(GrLiveOverrides *overrides, const char *set);

/// Makes `items` point to its own texts, after a copy.
void gr_live_overrides_point(GrLiveOverrides *overrides);

#endif
