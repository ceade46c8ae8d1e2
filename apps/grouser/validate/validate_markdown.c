/// The tables of docs/validation.md: laws against a measured wheel; and what a paper prints, what this program
/// computes, and why they differ. The second contains only published figures of cases that state their place in the
/// paper (GrValidationCase.place). Speeds differ from machine to machine, so their cells only say whether the limit is
/// met; the table is then the same on every machine, up to rounding.
#include "number.h"
#include "validate_report.h"

#include <math.h>
#include <stdio.h>

enum { DIGITS = 3 };

/// Text of a cell; a vertical bar would end it.
static void put(const char *text, FILE *file)
{
    for (; *text != '\0'; text++) {
        if (*text == '|') {
            fputc('\\', file);
        }
        fputc(*text, file);
    }
}

static void put_ours(const GrFinding *f, FILE *file)
{
    char number[GR_NUMBER_SIZE];
    if (f->timed) {
        fputs(gr_finding_verdict(f) == GR_VERDICT_PASS ? "met" : "not met", file);
        return;
    }
    gr_number_round(f->ours, DIGITS, number);
    fputs(isnan(f->ours) ? "none" : number, file);
}

static void put_why(const GrFinding *f, FILE *file)
{
    const GrVerdict verdict = gr_finding_verdict(f);
    char number[GR_NUMBER_SIZE];
    if (verdict == GR_VERDICT_PASS) {
        gr_number_round(f->allowed, 2, number);
        fprintf(file, f->allowed > 0 ? "within %s" : "met", number);
    } else {
        fputs(verdict == GR_VERDICT_KNOWN ? "known deviation: " : "OUT", file);
        put(verdict == GR_VERDICT_KNOWN ? f->reason : "", file);
    }
    if (f->note[0] != '\0') {
        fputs("; ", file);
        put(f->note, file);
    }
}

static void put_row(const GrValidationCase *from, const GrFinding *f, FILE *file)
{
    char expected[GR_EXPECTED_TEXT];
    gr_validate_expected(f, expected);
    const char *const cells[] = {from->author, from->place, f->quantity, expected};
    for (int i = 0; i < 4; i++) {
        fputs("| ", file);
        put(cells[i], file);
        fputc(' ', file);
    }
    fputs("| ", file);
    put_ours(f, file);
    fputs(" | ", file);
    put_why(f, file);
    fputs(" |\n", file);
}

void gr_validate_markdown(const GrValidateReport *report, FILE *file)
{
    gr_validate_scores_markdown(report, file);
    if (report->count == 0) {
        return;
    }
    fputs(report->score_count > 0 ? "\n" : "", file);
    fputs("| paper | section | figure | printed | ours | why they differ |\n|---|---|---|---|---|---|\n", file);
    for (int i = 0; i < report->count; i++) {
        const GrValidated *c = &report->cases[i];
        for (int j = 0; j < c->findings.count && c->from->place != NULL; j++) {
            if (c->findings.items[j].kind == GR_FINDING_PUBLISHED) {
                put_row(c->from, &c->findings.items[j], file);
            }
        }
    }
}
