#include "study_bands.h"

#include "alloc.h"
#include "key_hash.h"
#include "out_of_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char gr_soil_sample_variable[] = "soil_sample";

/// A run, ordered by its design.
typedef struct Run {
    uint64_t design; ///< hash of all variables but the sample
    int row;
    bool nominal;
} Run;

static int by_design(const void *a, const void *b)
{
    const Run *x = a, *y = b;
    return x->design != y->design ? (x->design > y->design) - (x->design < y->design) : x->row - y->row;
}

static int by_row(const void *a, const void *b)
{
    return ((const GrStudyDesign *)a)->row - ((const GrStudyDesign *)b)->row;
}

static bool is_nominal(const GrStudyTable *t, int row, int variable)
{
    const char *text = t->texts[(size_t)row * (size_t)t->variable_count + (size_t)variable];
    return text != NULL && strcmp(text, "none") == 0;
}

static Run describe(const GrStudyTable *t, int row, int variable)
{
    const char *const *texts = (const char *const *)t->texts + (size_t)row * (size_t)t->variable_count;
    const double *values = t->values + (size_t)row * ((size_t)t->variable_count + (size_t)t->measure_count);
    Run run = {GR_HASH_SEED, row, is_nominal(t, row, variable)};
    for (int k = 0; k < t->variable_count; k++) {
        if (k != variable) {
            run.design = texts[k] != NULL ? gr_hash_text(run.design, texts[k])
                                          : gr_hash_bytes(run.design, &values[k], sizeof values[k]);
        }
    }
    return run;
}

/// The design of runs that have all but the sample in common.
static void summarise(const GrStudyTable *t, const Run *runs, int count, double *room, GrStudyDesign *out)
{
    const size_t columns = (size_t)t->variable_count + (size_t)t->measure_count;
    out->row = runs[0].row;
    for (int i = 0; i < count; i++) {
        if (runs[i].nominal) {
            out->row = runs[i].row;
            out->has_nominal = true;
        } else {
            out->samples++;
            out->succeeded += t->succeeded[runs[i].row];
        }
    }
    out->share = gr_proportion_banded(out->succeeded, out->samples);
    for (int m = 0; m < t->measure_count; m++) {
        int n = 0;
        for (int i = 0; i < count; i++) {
            if (!runs[i].nominal) {
                room[n++] = t->values[(size_t)runs[i].row * columns + (size_t)(t->variable_count + m)];
            }
        }
        out->bands[m] = gr_band_of(room, n, 0);
    }
}

GrStatus gr_study_bands(const GrStudyTable *table, GrStudyBands *out, GrErrorLog *log)
{
    const size_t rows = (size_t)table->row_count, measures = (size_t)table->measure_count;
    *out = (GrStudyBands){.variable = -1};
    for (int k = 0; k < table->variable_count; k++) {
        for (int i = 0; i < table->row_count && strcmp(table->columns[k].name, gr_soil_sample_variable) == 0; i++) {
            out->variable = is_nominal(table, i, k) ? k : out->variable; // otherwise samples are places of a mission
        }
    }
    if (out->variable < 0) {
        return GR_OK;
    }
    Run *runs = gr_calloc(rows + 1, sizeof *runs);
    double *room = gr_calloc(rows + 1, sizeof *room);
    out->designs = gr_calloc(rows + 1, sizeof *out->designs);
    out->bands = gr_calloc(rows * measures + 1, sizeof *out->bands);
    const bool ok = runs != NULL && room != NULL && out->designs != NULL && out->bands != NULL;
    for (int i = 0; ok && i < table->row_count; i++) {
        runs[i] = describe(table, i, out->variable);
    }
    if (ok) {
        qsort(runs, rows, sizeof *runs, by_design);
    }
    for (int i = 0, end; ok && i < table->row_count; i = end) {
        for (end = i + 1; end < table->row_count && runs[end].design == runs[i].design;) {
            end++;
        }
        GrStudyDesign *design = &out->designs[out->design_count];
        design->bands = out->bands + (size_t)out->design_count++ * measures;
        summarise(table, runs + i, end - i, room, design);
    }
    if (ok) {
        qsort(out->designs, (size_t)out->design_count, sizeof *out->designs, by_row);
    }
    gr_free(runs);
    gr_free(room);
    return ok ? GR_OK : gr_out_of_memory(log, NULL);
}

void gr_study_bands_free(GrStudyBands *bands)
{
    gr_free(bands->designs);
    gr_free(bands->bands);
    *bands = (GrStudyBands){0};
}

double gr_study_design_value(const GrStudyTable *table, const GrStudyDesign *design, int measure)
{
    const size_t columns = (size_t)table->variable_count + (size_t)table->measure_count;
    return design->has_nominal
               ? table->values[(size_t)design->row * columns + (size_t)(table->variable_count + measure)]
               : (double)NAN;
}
