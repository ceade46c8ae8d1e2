/// Where the soil changes along a drive: the partition into segments that is most probable.
///
/// Each stretch tells zᵀ a z − 2 zᵀ b + c of the parameters' scores z. Over a segment these add up, and the integral
/// over the prior N(0, R) of what the segment measured is closed:
///
///     −2 ln evidence = Σc − (Σb)ᵀ (Σa + R⁻¹)⁻¹ (Σb) + ln det(I + R Σa)
///
/// The determinant charges each segment for its parameters as far as they are determined, so that no penalty must be
/// chosen for them; a change point costs 2 ln(stretches) besides, for its place. Optimal partitioning (Jackson et al.
/// 2005) finds the best partition of every number of segments. Soils that differ much change the linearisation: it is
/// repeated at the soils of the segments until the partition stays.
#include "drive_problem.h"

#include "alloc.h"
#include "elementary.h"
#include "model_data.h"
#include "out_of_memory.h"
#include "text.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 4, LEAST_STRETCHES = 4 };

static const double LEAST_CORRELATION = 1e-6; // smaller ones are rounding and not written

typedef struct Partition {
    int count;
    int first[GR_DRIVE_SEGMENTS + 1]; ///< [count + 1] the last is the number of stretches
} Partition;

typedef struct Search {
    const GrDriveFitDef *def;
    int stretches;
    GrDriveInformation *sums; ///< [stretches + 1] of the stretches before
    double prior_log_det;     ///< of R⁻¹
    GrDriveProblem global;    ///< solved for the whole drive: its scores and offsets are where segments start
} Search;

/// Cholesky factor of a symmetric matrix in place, lower triangle; returns ln of its determinant.
static double factorise(int n, double *a)
{
    double log_det = 0;
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++) {
                sum -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] = i == j ? sqrt(fmax(sum, 1e-300)) : sum / a[j * n + j];
        }
        log_det += 2 * gr_log(a[j * n + j]);
    }
    return log_det;
}

/// −2 ln evidence of the stretches from `first` up to `end`, `scale` of their scatter squared, less a constant.
static double cost_of(const Search *s, int first, int end, double variance)
{
    const int n = s->global.n;
    const GrDriveInformation *from = &s->sums[first], *to = &s->sums[end];
    double a[GR_SPREAD_PARAMS * GR_SPREAD_PARAMS] = {0}, b[GR_SPREAD_PARAMS];
    double cost = (to->c - from->c) / variance;
    for (int i = 0; i < n * n; i++) {
        a[i] = (to->a[i] - from->a[i]) / variance + s->global.precision[i];
    }
    cost += factorise(n, a) - s->prior_log_det;
    for (int j = 0; j < n; j++) { // bᵀ a⁻¹ b is the square of L⁻¹ b
        b[j] = (to->b[j] - from->b[j]) / variance;
        for (int k = 0; k < j; k++) {
            b[j] -= a[j * n + k] * b[k];
        }
        b[j] /= a[j * n + j];
        cost -= b[j] * b[j];
    }
    return cost;
}

static bool long_enough(const Search *s, int first, int end)
{
    const GrStretch *items = s->def->stretches->items;
    return end - first >= LEAST_STRETCHES && items[end - 1].to - items[first].from >= s->def->shortest * (1 - 1e-9);
}

/// The variance of the scatter over the assumed one, from differences of neighbours, on which changes of the soil and
/// slow errors do not count: information of single stretches is compared at the whole drive's scores.
static double neighbour_variance(const GrDriveProblem *p)
{
    double sum = 0;
    int numbers = 0;
    const size_t size = (size_t)(p->n + 2) * GR_DRIVE_QUANTITIES;
    for (int i = 1; i < p->count; i++) {
        for (int q = 0; q < GR_DRIVE_QUANTITIES; q++) {
            const GrStretch *a = &p->def->stretches->items[p->first + i - 1], *b = a + 1;
            const double now = b->measured[q] - p->rows[(size_t)i * size + (size_t)q];
            const double before = a->measured[q] - p->rows[(size_t)(i - 1) * size + (size_t)q];
            const double r = (now - before) / p->def->noise.scatter[q];
            sum += isfinite(r) ? 0.5 * r * r : 0;
            numbers += isfinite(r);
        }
        numbers--; // the slip of each stretch is fitted
    }
    return numbers > 0 ? fmax(sum / numbers, 1) : 1;
}

/// best[k][j]: least cost of the first j stretches in k segments; from[k][j]: where the last one begins.
typedef struct Table {
    double best[GR_DRIVE_SEGMENTS + 1];
    int from[GR_DRIVE_SEGMENTS + 1];
} Table;

static void fill_table(const Search *s, double variance, int most, Table *table)
{
    const double charge = 2 * gr_log(s->stretches);
    for (int j = 0; j <= s->stretches; j++) {
        for (int k = 0; k <= GR_DRIVE_SEGMENTS; k++) {
            table[j].best[k] = k == 0 && j == 0 ? 0 : (double)INFINITY;
        }
        for (int i = 0; i < j; i++) {
            if (!long_enough(s, i, j)) {
                continue;
            }
            const double own = cost_of(s, i, j, variance);
            for (int k = 1; k <= most; k++) {
                const double cost = table[i].best[k - 1] + own + (k > 1 ? charge : 0);
                if (cost < table[j].best[k]) {
                    table[j].best[k] = cost;
                    table[j].from[k] = i;
                }
            }
        }
    }
}

/// The best partition; the number of segments is given, or the best one.
static GrStatus partition_of(const Search *s, double variance, Partition *out, GrErrorLog *log)
{
    Table *table = gr_calloc((size_t)s->stretches + 1, sizeof *table);
    const int wanted = s->def->segments;
    int best = wanted > 0 ? wanted : 1;
    if (table == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    fill_table(s, variance, wanted > 0 ? wanted : GR_DRIVE_SEGMENTS, table);
    const Table *end = &table[s->stretches];
    for (int k = 2; k <= GR_DRIVE_SEGMENTS && wanted == 0; k++) {
        best = end->best[k] < end->best[best] ? k : best;
    }
    GrStatus status = GR_OK;
    if (!isfinite(end->best[best]) && best > 1) {
        status =
            gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "--segments"},
                         "%d stretches of %g m cannot be divided into %d segments of at least %d stretches and %g m",
                         s->stretches, s->def->stretches->length, best, LEAST_STRETCHES, s->def->shortest);
    } else {
        *out = (Partition){.count = best};
        for (int k = best, j = s->stretches; k > 0; k--) {
            out->first[k] = j;
            j = isfinite(table[j].best[k]) ? table[j].from[k] : 0; // a drive shorter than a segment is one
        }
    }
    gr_free(table);
    return status;
}

/// Adds up what the stretches of a problem tell, after those before it.
static bool inform(Search *s, GrDriveProblem *p)
{
    GrDriveInformation *to = &s->sums[p->first + 1];
    if (!gr_drive_problem_inform(p, to)) {
        return false;
    }
    for (int i = 0; i < p->count; i++) {
        const GrDriveInformation *last = to + i - 1;
        for (int k = 0; k < p->n * p->n; k++) {
            to[i].a[k] += last->a[k];
        }
        for (int k = 0; k < p->n; k++) {
            to[i].b[k] += last->b[k];
        }
        to[i].c += last->c;
    }
    return true;
}

/// Fits each segment of a partition; informs the search about them unless it is the last round.
static GrStatus fit_segments(Search *s, const Partition *partition, bool again, GrDriveFit *out, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    out->count = partition->count;
    for (int k = 0; k < partition->count && status == GR_OK; k++) {
        GrDriveProblem p;
        const int first = partition->first[k];
        if (gr_drive_problem_make(s->def, first, partition->first[k + 1] - first, &p)) {
            memcpy(p.z, s->global.z, sizeof p.z);
            status = gr_drive_problem_solve(&p, log);
        } else {
            status = gr_out_of_memory(log, NULL);
        }
        if (status == GR_OK) {
            gr_drive_problem_report(&p, &out->segments[k]);
        }
        if (status == GR_OK && again) {
            p.scale = 1;
            memcpy(p.offset, s->global.offset, sizeof p.offset); // one for the whole drive
            inform(s, &p);
        }
        gr_drive_problem_free(&p);
    }
    return status;
}

static GrStatus search(Search *s, GrDriveFit *out, GrErrorLog *log)
{
    Partition partition = {.count = 1, .first = {0, s->stretches}}, last;
    GrStatus status = gr_drive_problem_solve(&s->global, log);
    if (status != GR_OK) {
        return status;
    }
    if (s->def->segments == 1) {
        gr_drive_problem_report(&s->global, &out->segments[0]);
        out->count = 1;
        return GR_OK;
    }
    s->global.scale = 1;
    if (!inform(s, &s->global)) {
        return gr_error_add(log, GR_ERROR_NUMERIC, (GrLocation){0}, "the soil cannot be linearised");
    }
    double prior[GR_SPREAD_PARAMS * GR_SPREAD_PARAMS];
    memcpy(prior, s->global.precision, sizeof prior);
    s->prior_log_det = factorise(s->global.n, prior);
    const double variance = neighbour_variance(&s->global);
    for (int i = 0; i < ROUNDS && status == GR_OK; i++) {
        last = partition;
        status = partition_of(s, variance, &partition, log);
        const bool same = i > 0 && memcmp(&last, &partition, sizeof last) == 0;
        status = status == GR_OK ? fit_segments(s, &partition, true, out, log) : status;
        if (same || partition.count == 1) {
            break;
        }
    }
    return status;
}

static GrStatus check(const GrDriveFitDef *def, GrErrorLog *log)
{
    GrDriveSoil *soil = gr_calloc(1, sizeof *soil);
    GrStatus status = soil != NULL ? gr_drive_soil_make(def->rover, def->soil, soil, log) : gr_out_of_memory(log, NULL);
    gr_free(soil);
    if (def->prior->count < 1) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "--free"}, "nothing is free");
    }
    if (def->segments < 0 || def->segments > GR_DRIVE_SEGMENTS) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "--segments"}, "found %d, allowed: 1 to %d",
                              def->segments, GR_DRIVE_SEGMENTS);
    }
    if (def->stretches->count < LEAST_STRETCHES) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "--telemetry"},
                              "%d stretches of %g m are too few; %d or more are needed (--stretch)",
                              def->stretches->count, def->stretches->length, LEAST_STRETCHES);
    }
    return status;
}

GrStatus gr_fit_drive(const GrDriveFitDef *def, GrDriveFit *out, GrErrorLog *log)
{
    Search s = {.def = def, .stretches = def->stretches->count};
    memset(out, 0, sizeof *out);
    GrStatus status = check(def, log);
    if (status != GR_OK) {
        return status;
    }
    s.sums = gr_calloc((size_t)s.stretches + 1, sizeof *s.sums);
    const bool made = gr_drive_problem_make(def, 0, s.stretches, &s.global);
    status = made && s.sums != NULL ? search(&s, out, log) : gr_out_of_memory(log, NULL);
    gr_drive_problem_free(&s.global);
    gr_free(s.sums);
    return status;
}

// ---- the soil file

static void widen(double ends[2], double value)
{
    ends[0] = fmin(ends[0], value); // fmin and fmax pass over NAN
    ends[1] = fmax(ends[1], value);
}

/// Conditions that the stretches of a segment cover.
static void range_of(const GrDriveFitDef *def, const GrDriveSegment *segment, GrConditions *out)
{
    for (int i = segment->first; i < segment->first + segment->count; i++) {
        const GrStretch *s = &def->stretches->items[i];
        widen(out->slip, s->measured[GR_DRIVE_SLIP]);
        widen(out->slip_angle, fabs(s->slip_angle));
        for (int w = 0; w < def->rover->wheel_count; w++) {
            const GrSoilWheel *wheel = &def->rover->model->soil_wheels[w];
            widen(out->load, s->loads[w]);
            widen(out->width, wheel->wheel.width);
            widen(out->radius, wheel->radius);
        }
    }
}

void gr_drive_spread(const GrDriveFitDef *def, const GrDriveSegment *segment, const char *source, GrSoilSpread *out)
{
    *out = gr_default_soil_spread();
    out->kind = GR_SPREAD_FIT;
    gr_text_copy(out->source, sizeof out->source, source);
    out->count = def->prior->count;
    for (int i = 0; i < out->count; i++) {
        const GrDistribution *before = &def->prior->distribution[i];
        const bool logarithmic = segment->logarithmic[i];
        GrDistribution *d = &out->distribution[i];
        *d = gr_default_distribution(logarithmic ? GR_DISTRIBUTION_LOG_NORMAL : GR_DISTRIBUTION_NORMAL);
        d->mean = d->median = segment->value[i];
        d->deviation = d->log_deviation = segment->deviation[i];
        const bool bounded = isfinite(before->lower) && isfinite(before->upper);
        d->lower = bounded && before->lower < segment->value[i] ? before->lower : d->lower;
        d->upper = bounded && before->upper > segment->value[i] ? before->upper : d->upper;
        out->param[i] = def->prior->param[i];
        for (int j = 0; j < out->count; j++) {
            const double r = segment->correlation[i][j];
            out->correlation[i][j] = i == j ? 1 : fabs(r) > LEAST_CORRELATION ? r : 0;
        }
    }
    out->error[GR_SPREAD_FX].residual = segment->pull_residual;
    out->error[GR_SPREAD_TORQUE].residual = segment->residual[GR_DRIVE_TORQUE];
    out->error[GR_SPREAD_SINKAGE].residual = segment->residual[GR_DRIVE_SINKAGE];
    range_of(def, segment, &out->range);
}
