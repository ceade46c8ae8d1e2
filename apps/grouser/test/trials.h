/// Definition of a standard test. A new one is a GrTrialKind in its own file, and one row in test.c.
#ifndef GR_TRIALS_H
#define GR_TRIALS_H

#include "grouser/soil_file.h"
#include "grouser/trial.h"
#include "options.h"
#include "report.h"
#include "trial_report.h"

enum { GR_TRIAL_OPTIONS = 16 };

/// An option of one test. Text with bounds is a number, and is checked.
typedef struct GrTrialOption {
    const char *name;
    const char *value;    ///< name of the value in the help; NULL: a flag
    const char *fallback; ///< default; NULL: none
    const char *help;
    double lower, upper; ///< of a number; both 0: text
} GrTrialOption;

typedef struct GrTrialKind GrTrialKind;

/// Input of a test.
typedef struct GrTrialInput {
    const GrTrialKind *kind;
    GrTrialDef def; ///< rover, soil, gravity and step
    const char *rover_name, *soil_name;
    GrSoilSources soil_sources;   ///< sources of the soil's parameters
    double mass;                  ///< of the rover [kg]
    bool is_sample;               ///< one of many samples of the soil: speed counts more than the last digit
    const GrTrialReport *nominal; ///< of a sample: the report of the soil itself, with what the test has kept
    const char *texts[GR_TRIAL_OPTIONS];
    double numbers[GR_TRIAL_OPTIONS]; ///< NAN: not given
    bool flags[GR_TRIAL_OPTIONS];
} GrTrialInput;

struct GrTrialKind {
    const char *name;
    const char *summary; ///< one line for the overview
    const char *details;
    const char *example;
    const char *step_ms;                     ///< default step
    const char *soil;                        ///< default soil; NULL: that of the other tests
    const char *gravity;                     ///< own option that takes the place of --gravity; NULL: none does
    bool dynamic;                            ///< has --hard, --friction and --soil-damping
    int samples;                             ///< default of --uncertainty with laws that take microseconds
    GrTrialOption options[GR_TRIAL_OPTIONS]; ///< up to the first without a name
    GrStatus (*run)(const GrTrialInput *input, GrTrialReport *report, GrErrorLog *log);
};

/// Values of the test's own options; `name` must be one of them.
double gr_trial_number(const GrTrialInput *input, const char *name);
const char *gr_trial_text(const GrTrialInput *input, const char *name); ///< NULL: not given
bool gr_trial_flag(const GrTrialInput *input, const char *name);
/// "a,b,c" or "from:to:count" -> values that the caller frees, each times `scale`; count ≤ 0 after an error.
int gr_trial_values(const GrTrialInput *input, const char *name, double scale, double **out, GrErrorLog *log);

/// Gravity by name or number, given with --OPTION.
GrStatus gr_trial_gravity(const char *option, const char *text, double *out, GrErrorLog *log);

/// Progress bar for a test of `count` parts, of which `done` are finished; pass its function as the progress of the
/// test's definition.
typedef struct GrTrialWatch {
    GrProgress bar;
    int done, count;
} GrTrialWatch;
/// The definition of the test, with progress reported to the watch's bar.
GrTrialDef gr_trial_watched(const GrTrialInput *input, GrTrialWatch *watch);

/// Facts that every test begins with.
void gr_trial_begin(const GrTrialInput *input, const char *title, GrTrialReport *report);

/// A panel of quantities of trial logs against time.
typedef struct GrTrialCurve {
    GrTrialQuantity quantity;
    const char *name;
    double scale;
} GrTrialCurve;
void gr_trial_log_curve(GrTrialReport *report, int panel, const GrTrialLog *samples, GrTrialQuantity x, double x_scale,
                        GrTrialCurve curve);

extern const GrTrialKind gr_kind_mobility;
extern const GrTrialKind gr_kind_gradeability, gr_kind_drawbar;
extern const GrTrialKind gr_kind_scaling;
extern const GrTrialKind gr_kind_drop, gr_kind_skycrane;
extern const GrTrialKind gr_kind_turn;
extern const GrTrialKind gr_kind_coast, gr_kind_brake;
extern const GrTrialKind gr_kind_tip, gr_kind_rollover;
extern const GrTrialKind gr_kind_step, gr_kind_rock, gr_kind_egress;

#endif
