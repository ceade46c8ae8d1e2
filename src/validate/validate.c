#include "validate.h"

#include "alloc.h"
#include "number.h"
#include "out_of_memory.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// A new group is one row here.
static const GrValidationGroup *const GROUPS[] = {&gr_validate_soil,    &gr_validate_laws,  &gr_validate_plate,
                                                  &gr_validate_wheel,   &gr_validate_rigid, &gr_validate_rover,
                                                  &gr_validate_terrain, &gr_validate_trace, &gr_validate_speed};

enum { GROUP_COUNT = sizeof GROUPS / sizeof GROUPS[0] };

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

const GrValidationCase *gr_validation_case(int index)
{
    for (int g = 0; g < GROUP_COUNT; g++) {
        if (index < GROUPS[g]->count) {
            return &GROUPS[g]->cases[index];
        }
        index -= GROUPS[g]->count;
    }
    return NULL;
}

bool gr_validation_is_measured(const GrValidationCase *which)
{
    static const char *const prefixes[] = {"wheel/", "rover/mgru3_"}; // wheels at CMU, a rover at NASA Glenn
    bool measured = false;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        measured = measured || strncmp(which->name, prefixes[i], strlen(prefixes[i])) == 0;
    }
    return measured;
}

GrStatus gr_validation_run(const GrValidationCase *which, GrFindings *findings, GrErrorLog *log)
{
    const GrStatus status = which->run(findings, log);
    if (status == GR_OK && findings->failed) {
        return gr_out_of_memory(log, NULL);
    }
    return status;
}
