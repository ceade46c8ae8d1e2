/// One case of a standard test: its options, its run and its report. `grouser test` prints one or compares several;
/// campaigns run many.
#ifndef GR_TRIAL_CASE_H
#define GR_TRIAL_CASE_H

#include "trial_report.h"
#include "trials.h"

/// All standard tests.
extern const GrTrialKind *const gr_trial_kinds[];
extern const int gr_trial_kind_count;

/// NULL: there is none of this name; the message is printed.
const GrTrialKind *gr_trial_find(const char *name);

/// Options that every test has.
typedef struct GrTrialCommon {
    const char *soil, *model, *gravity, *step;
    GrTextList overrides, soil_overrides;
    GrTrialOutputs outputs;
    double damping, friction;
    const char *uncertainty; ///< samples of the soil; NULL: as many as the test's default
    const char *soil_sample; ///< on this sample alone, gr_soil_sample_read(); NULL: none
    bool hard;
} GrTrialCommon;

/// A command line as typed after `grouser test NAME`.
typedef struct GrTrialLine {
    GrTrialInput input;
    GrTrialCommon common, defaults;
    const char *rovers[GR_TRIAL_CASES];
    int rover_count;
} GrTrialLine;

/// Another command that runs tests, with options of its own.
typedef struct GrTrialFace {
    const GrCommand *command;
    const GrOption *options;
    int option_count;
} GrTrialFace;

enum { GR_TRIAL_FACE_OPTIONS = 4 };

/// Reads the arguments; `face` NULL: grouser test. False when the command must end with `*exit_code`: after --help, or
/// after a message.
bool gr_trial_parse(const GrTrialKind *kind, const GrTrialFace *face, int argc, char **argv, GrTrialLine *out,
                    int *exit_code);

/// Applies "soil=NAME", "law=NAME", "gravity=NAME", "soil:NAME=VALUE", "rover:PATH=VALUE" or "PATH=VALUE" of the rover.
GrStatus gr_trial_change(GrTrialCommon *o, const char *change, GrErrorLog *log);

/// One of the cases that are compared, or the only one.
typedef struct GrTrialCase {
    GrTrialInput input;
    GrTrialCommon common;
    GrTrust trust;
    GrTrialReport report;
    char label[200]; ///< distinguishes it from the others
} GrTrialCase;

/// Runs the case; free its report with gr_trial_report_free().
GrStatus gr_trial_case_run(GrTrialCase *c, GrErrorLog *log);

/// Runs all cases, prints one or compares several, and writes the files that `outputs` asks for.
GrStatus gr_trial_cases_say(GrTrialCase *cases, int count, const GrTrialOutputs *outputs, GrErrorLog *log);

/// Runs every combination of designs, soils, laws and gravities of a command line; `base` as in gr_designs_read().
GrStatus gr_trial_line_run(const GrTrialLine *line, const char *base, GrErrorLog *log);

/// The soil of a command that names none: a class with a known spread where there is one for the planet.
const char *gr_usual_soil(double gravity);

#endif
