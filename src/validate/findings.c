/// What a comparison finds: its figures, verdicts and curves.
#include "alloc.h"
#include "csv.h"
#include "measured.h"
#include "number.h"
#include "out_of_memory.h"
#include "shipped.h"
#include "text.h"
#include "validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Makes room for one more item, or returns NULL.
static void *grow(void *items, int count, int *capacity, size_t size)
{
    if (count < *capacity) {
        return items;
    }
    const int wanted = *capacity > 0 ? 2 * *capacity : 16;
    void *more = gr_realloc(items, (size_t)wanted * size);
    if (more != NULL) {
        *capacity = wanted;
    }
    return more;
}

static void add(GrFindings *findings, const GrFinding *figure, const char *format, va_list arguments)
{
    GrFinding *items = grow(findings->items, findings->count, &findings->capacity, sizeof *items);
    if (items == NULL) {
        findings->failed = true;
        return;
    }
    findings->items = items;
    GrFinding *f = &items[findings->count++];
    *f = *figure;
    gr_vprint(f->quantity, sizeof f->quantity, format, arguments);
}

void gr_findings_add(GrFindings *findings, double published, double ours, double allowed, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(findings, &(GrFinding){.expected = published, .ours = ours, .allowed = allowed}, format, arguments);
    va_end(arguments);
}

void gr_findings_check(GrFindings *findings, double expected, double ours, double allowed, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(findings, &(GrFinding){.kind = GR_FINDING_CHECK, .expected = expected, .ours = ours, .allowed = allowed},
        format, arguments);
    va_end(arguments);
}

/// The figure added last; NULL after running out of memory.
static GrFinding *last(GrFindings *findings)
{
    return findings->count > 0 && !findings->failed ? &findings->items[findings->count - 1] : NULL;
}

void gr_findings_known(GrFindings *findings, double bound, const char *reason)
{
    GrFinding *f = last(findings);
    if (f != NULL) {
        f->bound = bound;
        f->reason = reason;
    }
}

void gr_findings_limit(GrFindings *findings, GrFindingLimit limit)
{
    GrFinding *f = last(findings);
    if (f != NULL) {
        f->limit = limit;
    }
}

void gr_findings_timed(GrFindings *findings)
{
    GrFinding *f = last(findings);
    if (f != NULL) {
        f->timed = true;
    }
}

void gr_findings_note(GrFindings *findings, const char *note)
{
    GrFinding *f = last(findings);
    if (f != NULL) {
        gr_text_copy(f->note, sizeof f->note, note);
    }
}

void gr_findings_curve(GrFindings *findings, const GrFindingCurve *curve, const double *x, const double *y, int count)
{
    GrFindingCurve *curves =
        grow(findings->curves, findings->curve_count, &findings->curve_capacity, sizeof *findings->curves);
    double *copy = gr_calloc(2 * (size_t)count + 1, sizeof *copy);
    if (curves != NULL) {
        findings->curves = curves;
    }
    if (curves == NULL || copy == NULL) {
        gr_free(copy);
        findings->failed = true;
        return;
    }
    memcpy(copy, x, (size_t)count * sizeof *copy);
    memcpy(copy + count, y, (size_t)count * sizeof *copy);
    GrFindingCurve *c = &curves[findings->curve_count++];
    *c = *curve;
    c->x = copy;
    c->y = copy + count;
    c->count = count;
}

void gr_findings_free(GrFindings *findings)
{
    for (int i = 0; i < findings->curve_count; i++) {
        gr_free(findings->curves[i].x);
    }
    gr_free(findings->curves);
    gr_free(findings->items);
    *findings = (GrFindings){0};
}

double gr_finding_off(const GrFinding *finding)
{
    const double off = finding->ours - finding->expected;
    return finding->limit == GR_LIMIT_AT_LEAST ? -off : finding->limit == GR_LIMIT_AT_MOST ? off : fabs(off);
}

GrVerdict gr_finding_verdict(const GrFinding *finding)
{
    const double off = gr_finding_off(finding); // NAN is never within a limit
    if (off <= finding->allowed) {
        return GR_VERDICT_PASS;
    }
    return finding->reason != NULL && off <= finding->bound ? GR_VERDICT_KNOWN : GR_VERDICT_OUT;
}

const char *gr_finding_kind_text(GrFindingKind kind)
{
    static const char *const texts[GR_FINDING_KINDS] = {"published", "check"};
    return (unsigned)kind < GR_FINDING_KINDS ? texts[kind] : "unknown";
}

const char *gr_verdict_text(GrVerdict verdict)
{
    static const char *const texts[GR_VERDICT_COUNT] = {"pass", "known deviation", "OUT"};
    return (unsigned)verdict < GR_VERDICT_COUNT ? texts[verdict] : "unknown";
}

// ---- measured tables

GrStatus gr_measured_find(const char *name, char path[GR_FILE_PATH_SIZE], GrErrorLog *log)
{
    if (gr_shipped_find("measurements", name, ".csv", path)) {
        return GR_OK;
    }
    return gr_error_add(
        log, GR_ERROR_FILE, (GrLocation){0},
        "there is no table measurements/%s.csv; set GROUSER_DATA to the folder that holds measurements/", name);
}

static GrStatus read_column(const GrCsv *csv, const char *path, const char *column, double *out, GrErrorLog *log)
{
    const int k = gr_csv_find(csv, column);
    if (k < 0) {
        return gr_error_add(log, GR_ERROR_FIELD, (GrLocation){.file = path, .line = 1}, "there is no column '%s'",
                            column);
    }
    for (int i = 0; i < csv->row_count; i++) {
        const char *text = gr_csv_cell(csv, i, k);
        char *end;
        out[i] = gr_number_read(text, &end);
        if (end == text || *end != '\0' || !isfinite(out[i])) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path, .line = csv->lines[i], .field = column},
                                "found '%.40s', allowed: a number", text);
        }
    }
    return GR_OK;
}

GrStatus gr_measured_load(const char *name, const char *const *columns, int column_count, GrMeasured *out,
                          GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    GrCsv csv;
    *out = (GrMeasured){0};
    GrStatus status = gr_measured_find(name, path, log);
    if (status != GR_OK) {
        return status;
    }
    status = gr_csv_load(path, &csv, log);
    if (status != GR_OK) {
        return status;
    }
    double *values = gr_calloc((size_t)(column_count * csv.row_count) + 1, sizeof *values);
    if (values == NULL) {
        gr_csv_free(&csv);
        return gr_out_of_memory(log, path);
    }
    for (int k = 0; k < column_count && status == GR_OK; k++) {
        status = read_column(&csv, path, columns[k], values + k * csv.row_count, log);
    }
    if (status == GR_OK) {
        *out = (GrMeasured){values, csv.row_count};
    } else {
        gr_free(values);
    }
    gr_csv_free(&csv);
    return status;
}

void gr_measured_free(GrMeasured *table)
{
    gr_free(table->values);
    *table = (GrMeasured){0};
}
