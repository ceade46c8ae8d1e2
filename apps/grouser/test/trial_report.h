/// Report of a `grouser test`: facts, a table and plots, and their output as text, JSON, CSV, SVG and HTML.
///
///     GrTrialReport report = {0};
///     gr_trial_title(&report, "Drop", "rashid_like on ishigami2007");
///     gr_trial_fact(&report, "mass_kg", "mass", "kg", 1, 10);
///     gr_trial_column(&report, "height_m", "height [mm]", 1000);
///     gr_trial_cell(&report, 0.2);
///     gr_trial_curve(&report, panel, "", GR_SERIES_LINE, x, y, count);
///     gr_trial_say(&report, &outputs, log);
///     gr_trial_report_free(&report);
///
/// Values are SI; `scale` of a column converts them for display. A failed allocation is remembered and reported at the
/// end.
#ifndef GR_TRIAL_REPORT_H
#define GR_TRIAL_REPORT_H

#include "buffer.h"
#include "grouser/trust.h"
#include "plot.h"

#include <stdio.h>

enum {
    GR_TRIAL_TEXT = 64,
    GR_TRIAL_VERDICT = 1600,
    GR_TRIAL_FACTS = 48,
    GR_TRIAL_COLUMNS = 24,
    GR_TRIAL_PANELS = 6,
    GR_TRIAL_CURVES = 16 ///< of a panel
};

/// One number about the whole test. Strings are copied, except for the key.
typedef struct GrTrialFact {
    const char *key;           ///< in JSON, with its unit
    char label[GR_TRIAL_TEXT]; ///< for display; "": in JSON only
    const char *unit;
    double value; ///< SI
    double scale; ///< factor for display
    char text[GR_TRIAL_TEXT * 2];
    bool is_text;
    bool at_least;      ///< the limit is beyond the tested range
    double low, high;   ///< 5 % and 95 % over samples of the soil (trial_case.c); NAN: no band
    bool open;          ///< `high` is the end of the tested range
    double *samples;    ///< value of each sample, owned; NULL: no band
    const char *list;   ///< facts with the same list and `at` are one object of a JSON array of this name; NULL: none
    const char *at_key; ///< condition of that object, such as "slip"
    double at;
    int sense;       ///< in comparisons: +1: more is better; −1: less is; 0: not compared
    bool of_design;  ///< known exactly, whatever the soil: a mass
    double accuracy; ///< differences up to this come from the search, not from the designs
} GrTrialFact;

typedef struct GrTrialColumn {
    const char *key;  ///< in JSON and CSV, with its unit
    const char *head; ///< for display; NULL: not in the displayed table
    double scale;     ///< factor for display; 0: text
} GrTrialColumn;

typedef struct GrTrialCell {
    double number;
    char text[GR_TRIAL_TEXT];
    const char *shown; ///< displayed in place of the text, or of a number that is NAN; NULL: the text, –
    double low, high;  ///< 5 % and 95 % over samples of the soil; NAN: no band
    bool at_least;     ///< the number is a lower bound
} GrTrialCell;

typedef struct GrTrialPanel {
    GrPanel panel;
    GrSeries series[GR_TRIAL_CURVES];
    char names[GR_TRIAL_CURVES][GR_TRIAL_TEXT];
    double *values[GR_TRIAL_CURVES]; ///< x, then y of each series, owned
    double *bands[GR_TRIAL_CURVES];  ///< its lower edge, then its upper one, owned; NULL: no band
} GrTrialPanel;

struct GrTrialCompared;
struct GrComparison;

typedef struct GrTrialReport {
    char title[GR_TRIAL_TEXT];
    char about[400];
    char verdict[GR_TRIAL_VERDICT]; ///< one or more sentences; {N} stands for fact N with its band
    char doubts[1200];              ///< why the answer may be wrong, and what to change; one line each
    const char *rows;               ///< key of the table in JSON; NULL: "points"
    GrTrialFact facts[GR_TRIAL_FACTS];
    GrTrialColumn columns[GR_TRIAL_COLUMNS];
    GrTrialCell *cells; ///< row after row, owned
    int *left_out;      ///< rows beyond the first failure, which are not printed, owned
    GrTrialPanel panels[GR_TRIAL_PANELS];
    int fact_count, column_count, cell_count, cell_capacity, left_out_count, panel_count;
    int sample_count;       ///< samples of the soil behind the bands; 0: no bands
    const char *prediction; ///< interpolated or extrapolated from the data of the soil's fit; NULL: it has none
    bool square;            ///< panels are as high as wide
    bool failed;            ///< an allocation failed
    const GrTrust *trust;   ///< how far to trust it; NULL: no statement
    void *kept;             ///< what the test keeps for its samples (trial_case.c), owned
    void (*release)(void *kept);
    // Of a comparison (below):
    const struct GrTrialReport *cases;     ///< a table with a row for each case, before the others; NULL: no comparison
    const struct GrTrialCompared *parts;   ///< the reports that are compared
    const struct GrComparison *comparison; ///< of what they compare; NULL: nothing
    int part_count, not_drawn;             ///< curves for which panels have no room
    char heads[GR_TRIAL_COLUMNS][GR_TRIAL_TEXT * 2]; ///< of the table of cases
} GrTrialReport;

void gr_trial_report_free(GrTrialReport *report);

void gr_trial_title(GrTrialReport *report, const char *title, const char *format, ...) GR_PRINTF(3, 4);
void gr_trial_verdict(GrTrialReport *report, const char *format, ...) GR_PRINTF(2, 3);
/// Adds a line on why the answer is doubtful and what to change.
void gr_trial_doubt(GrTrialReport *report, const char *format, ...) GR_PRINTF(2, 3);

/// `scale` converts the SI value to the displayed number. Returns the number of the fact, for verdicts.
int gr_trial_fact(GrTrialReport *report, const char *key, const char *label, const char *unit, double scale,
                  double value);
/// The last fact is a lower bound: the limit was not reached. JSON then has KEY_at_least: true.
void gr_trial_at_least(GrTrialReport *report);
/// Comparisons compare this fact; the first one is their headline. `sense` as in GrTrialFact.
void gr_trial_compared(GrTrialReport *report, int fact, int sense, double accuracy);
/// The last fact holds under a condition: in JSON it is in the object of the array `list` with `key`: `at`.
void gr_trial_fact_at(GrTrialReport *report, const char *list, const char *key, double at);
void gr_trial_fact_text(GrTrialReport *report, const char *key, const char *label, const char *text);

/// Add all columns before the first cell; cells are filled from left to right.
void gr_trial_column(GrTrialReport *report, const char *key, const char *head, double scale);
void gr_trial_column_text(GrTrialReport *report, const char *key, const char *head);
void gr_trial_cell(GrTrialReport *report, double value);
void gr_trial_cells(GrTrialReport *report, const double *values, size_t count);
void gr_trial_cell_text(GrTrialReport *report, const char *text);
/// A slip: a number between −1 and 1. Whatever slides has none: "slides" in tables, null in JSON.
void gr_trial_cell_slip(GrTrialReport *report, double slip, bool slides);
/// `shown` is displayed in place of the name; it is not copied.
void gr_trial_cell_name(GrTrialReport *report, const char *name, const char *shown);

/// The row just filled is beyond the first failure: neither printed nor written, but kept for the bands.
void gr_trial_leave_out_row(GrTrialReport *report);
bool gr_trial_is_left_out(const GrTrialReport *report, int row);

/// Returns the panel's index.
int gr_trial_panel(GrTrialReport *report, const char *title, const char *x_label, const char *y_label);
/// x and y are copied.
void gr_trial_curve(GrTrialReport *report, int panel, const char *name, GrSeriesKind kind, const double *x,
                    const double *y, int count);

/// Destinations of a report.
typedef struct GrTrialOutputs {
    bool json;
    const char *html, *svg, *csv; ///< paths; NULL: none
} GrTrialOutputs;

/// The verdict with its facts filled in.
const char *gr_trial_print_verdict(const GrTrialReport *report, char out[GR_TRIAL_VERDICT]);

/// Prints the report as JSON.
void gr_trial_json(const GrTrialReport *report, FILE *file);

/// Prints the report and writes its files.
GrStatus gr_trial_say(const GrTrialReport *report, const GrTrialOutputs *outputs, GrErrorLog *log);

// Several cases of one test side by side: rovers, soils, laws, gravities. One table, one plot per quantity, one JSON
// object.

enum { GR_TRIAL_CASES = 24 };

/// A report and its distinguishing label, such as "exomars_like / mars".
typedef struct GrTrialCompared {
    const GrTrialReport *report;
    const char *label;
    const char *soil; ///< cases on the same one see the same samples of it
} GrTrialCompared;

/// Prints the comparison of two or more reports of one test and writes its files.
GrStatus gr_trial_compare(const GrTrialCompared *cases, int count, const GrTrialOutputs *outputs, GrErrorLog *log);

/// Splits "a,b,c" into up to GR_TRIAL_CASES pieces stored in `room`; returns their number, −1 when there are more or
/// one is empty.
int gr_trial_split(const char *list, char *room, size_t size, const char *pieces[GR_TRIAL_CASES]);

#endif
