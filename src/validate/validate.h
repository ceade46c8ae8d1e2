/// Compares results of this program with published figures, and with our own checks.
///
/// A case is one row in the table of its group (validate_soil.c, validate_rigid.c, …): a name, its source, where the
/// allowance comes from, and a function that computes findings. A finding is one figure of one of two kinds:
///
///     published  the expected value is printed in the source, or follows from a formula printed there with the numbers
///                printed there
///     check      the expected value is ours: a quadrature, a closed form of mechanics, a second method. It guards the
///                program, and says nothing about the real world.
///
/// and it has one of three verdicts:
///
///     pass    |ours − expected| ≤ allowed. `allowed` is the source's own scatter, or the accuracy of its print.
///     known   further off than that, but by no more than `bound`, which was measured, for a documented reason. It is
///             never counted as a pass.
///     out     anything else; also a known deviation that grew beyond its bound.
#ifndef GR_VALIDATE_H
#define GR_VALIDATE_H

#include "grouser/status.h"

enum { GR_FINDING_TEXT = 96 };

typedef enum GrFindingKind { GR_FINDING_PUBLISHED, GR_FINDING_CHECK, GR_FINDING_KINDS } GrFindingKind;

/// published, check.
const char *gr_finding_kind_text(GrFindingKind kind);

/// Meaning of the expected value.
typedef enum GrFindingLimit { GR_LIMIT_NONE, GR_LIMIT_AT_LEAST, GR_LIMIT_AT_MOST } GrFindingLimit;

typedef struct GrFinding {
    char quantity[GR_FINDING_TEXT]; ///< with its unit
    GrFindingKind kind;
    GrFindingLimit limit;
    double expected; ///< by the source, or by our own second method
    double ours;     ///< NAN: none
    double allowed;
    double bound;       ///< of a known deviation; 0: none is known
    const char *reason; ///< of a known deviation; NULL: none is known
    char note[256];     ///< difference from the source although the figure passes; "": none
    bool timed;         ///< a speed, which differs from machine to machine
} GrFinding;

/// Points to draw beside the figures; those of one `panel` go into one plot.
typedef struct GrFindingCurve {
    char panel[GR_FINDING_TEXT];
    const char *x_label, *y_label;
    bool measured; ///< drawn as points, else as a line
    double *x, *y; ///< [count], owned
    int count;
} GrFindingCurve;

/// Findings of a case. Zero-initialise; free with gr_findings_free(). A failed allocation is remembered.
typedef struct GrFindings {
    GrFinding *items;
    int count, capacity;
    GrFindingCurve *curves;
    int curve_count, curve_capacity;
    bool failed;
} GrFindings;

/// Adds a published figure; `format`: the quantity with its unit.
void gr_findings_add(GrFindings *findings, double published, double ours, double allowed, const char *format, ...)
    GR_PRINTF(5, 6);

/// Adds a check of this program.
void gr_findings_check(GrFindings *findings, double expected, double ours, double allowed, const char *format, ...)
    GR_PRINTF(5, 6);

/// Makes the figure added last a known deviation. `reason` must outlive the findings.
void gr_findings_known(GrFindings *findings, double bound, const char *reason);

/// Makes the expected value of the figure added last a limit.
void gr_findings_limit(GrFindings *findings, GrFindingLimit limit);

/// Marks the figure added last as a speed of this machine.
void gr_findings_timed(GrFindings *findings);

/// Notes how the figure added last differs from the source. The text is copied.
void gr_findings_note(GrFindings *findings, const char *note);

/// Adds a copy of a curve's points; `curve` gives the texts and the kind.
void gr_findings_curve(GrFindings *findings, const GrFindingCurve *curve, const double *x, const double *y, int count);

void gr_findings_free(GrFindings *findings);

typedef enum GrVerdict { GR_VERDICT_PASS, GR_VERDICT_KNOWN, GR_VERDICT_OUT, GR_VERDICT_COUNT } GrVerdict;

/// Distance of a figure from its expected value, or beyond its limit (≤ 0 within it); NAN when there is none.
double gr_finding_off(const GrFinding *finding);

GrVerdict gr_finding_verdict(const GrFinding *finding);

/// pass, known deviation, OUT.
const char *gr_verdict_text(GrVerdict verdict);

typedef struct GrValidationCase {
    const char *name;      ///< group/case
    const char *author;    ///< with the year, short enough for a column
    const char *source;    ///< author, year, equation or table
    const char *allowance; ///< origin of `allowed`
    GrStatus (*run)(GrFindings *findings, GrErrorLog *log);
    const char *place; ///< section, equation, figure or table of the source, for docs/validation.md; NULL: not listed
} GrValidationCase;

typedef struct GrValidationGroup {
    const GrValidationCase *cases;
    int count;
} GrValidationGroup;

extern const GrValidationGroup gr_validate_soil, gr_validate_laws, gr_validate_wheel, gr_validate_rigid,
    gr_validate_rover, gr_validate_terrain, gr_validate_trace, gr_validate_speed, gr_validate_plate;

/// All cases, group after group; NULL beyond the last.
const GrValidationCase *gr_validation_case(int index);

/// Whether the figures of a case were measured on a wheel or a rover.
bool gr_validation_is_measured(const GrValidationCase *which);

/// Runs a case. GR_ERROR_MEMORY also if adding findings failed.
GrStatus gr_validation_run(const GrValidationCase *which, GrFindings *findings, GrErrorLog *log);

#endif
