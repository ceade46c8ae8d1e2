#include "score.h"

#include "alloc.h"
#include "band.h"
#include "fit_spread.h"
#include "grouser/soil_file.h"
#include "measured.h"
#include "out_of_memory.h"
#include "statistics.h"

#include <math.h>
#include <string.h>

const char *const gr_score_kind_names[GR_SCORE_KINDS] = {"pull", "side", "sinkage"};

static const GrSpreadQuantity OF[GR_SCORE_KINDS] = {GR_SPREAD_FX, GR_SPREAD_FY, GR_SPREAD_SINKAGE};

static const double RADIUS = 0.058, WIDTH = 0.05;
static const double ANGLES[] = {0, 15, 45, 75}; // [°]

enum { ANGLE_COUNT = sizeof ANGLES / sizeof ANGLES[0] };

/// Published: as it is. Rotated: fitted without each slip angle in turn. Shipped: fitted at 0° and 45°. Computed
/// before, for hours: read from a table of data/measurements.
enum { PUBLISHED, ROTATED_PLOUGHING, ROTATED_RFT, SHIPPED, COMPUTED };

static const GrScoreCase CASES[] = {
    {"score/wong_reece", "wong_reece, published parameters", "nothing; its range begins at slip 0", "cmu_soildirect90",
     PUBLISHED},
    {"score/wong_reece_fitted", "wong_reece with digging and ploughing, fitted",
     "17 parameters, to three of the four slip angles", "cmu_smooth_fit", ROTATED_PLOUGHING},
    {"score/rft", "rft, fitted", "two parameters, to three of the four slip angles", "cmu_soildirect90_rft",
     ROTATED_RFT},
    {"score/scm", "scm with digging and ploughing, fitted", "12 parameters, to slip angles of 0° and 45°",
     "cmu_smooth_scm", SHIPPED},
    {"score/grains", "grains of 3 mm, calibrated to a plate", "friction and rolling resistance, to the plate of 60 mm",
     "cmu_smooth_in_grains", COMPUTED},
};

const GrScoreCase *gr_score_case(int index)
{
    return index >= 0 && index < (int)(sizeof CASES / sizeof CASES[0]) ? &CASES[index] : NULL;
}

// ---- fits

/// The wheel, its data, and what is free.
typedef struct Subject {
    GrFitDef def;
    GrWheelData data, computed;
    unsigned char *role;
} Subject;

typedef struct Free {
    const char *name;
    double lower, upper; ///< both 0: default bounds
} Free;

/// As for the soils cmu_smooth_fit and cmu_grouser_fit.
static const Free PLOUGHING[] = {
    {"k_phi", 0, 0},
    {"n0", 0, 0},
    {"c", 0, 1000},
    {"phi", 20, 40},
    {"K_x", 0, 0},
    {"a1", 0, 0},
    {"a2", 0, 0},
    {"a_plough", 0, 0},
    {"lambda", 0, 0.5},
    {"wedge", 0, 0},
    {"wedge_slide", 0, 0},
    {"wedge_front", 0, 0},
    {"slip_sinkage_max", 0, 0},
    {"slip_sinkage_length", 0, 0},
    {"backfill", 0, 0},
    {"plough_sinkage", 0, 0},
    {"plough_power", 0, 0},
};
static const Free RFT[] = {{"xi_n", 0, 0}, {"mu_surf", 0, 0}};

static GrStatus set_free(GrFitDef *def, const Free *free, int count, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (int i = 0; i < count && status == GR_OK; i++) {
        GrFitParam *p = &def->params[def->param_count++];
        status = gr_fit_param_find(free[i].name, p, log);
        p->lower = free[i].upper > 0 ? free[i].lower : p->lower;
        p->upper = free[i].upper > 0 ? free[i].upper : p->upper;
    }
    return status;
}

static GrStatus load_subject(const GrScoreCase *c, Subject *s, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    *s = (Subject){.def = gr_default_fit_def()};
    GrStatus status = gr_measured_find("cmu_smooth", path, log);
    status = status == GR_OK ? gr_wheel_data_load(path, NULL, &s->data, log) : status;
    if (c->mode == COMPUTED) {
        status = status == GR_OK ? gr_measured_find(c->soil, path, log) : status;
        return status == GR_OK ? gr_wheel_data_load(path, NULL, &s->computed, log) : status;
    }
    status = status == GR_OK ? gr_soil_load(c->soil, NULL, &s->def.rig.soil, NULL, log) : status;
    if (status != GR_OK) {
        return status;
    }
    s->role = gr_calloc((size_t)s->data.count + 1, 1);
    s->def.rig.wheel.radius = RADIUS;
    s->def.rig.wheel.width = WIDTH;
    s->def.data = &s->data;
    s->def.role = s->role;
    s->def.descend = true;
    s->def.weights[GR_SINKAGE] = 0.33; // 3 mm count like 1 N
    if (c->mode == ROTATED_PLOUGHING) {
        status = set_free(&s->def, PLOUGHING, sizeof PLOUGHING / sizeof PLOUGHING[0], log);
    } else if (c->mode == ROTATED_RFT) {
        status = set_free(&s->def, RFT, sizeof RFT / sizeof RFT[0], log);
    }
    return s->role == NULL ? gr_out_of_memory(log, NULL) : status;
}

static bool is_at(const GrWheelDatum *datum, double degrees)
{
    return fabs(datum->value[GR_SLIP_ANGLE] / GR_DEGREE - degrees) < 0.5;
}

/// Adds one measured condition and its prediction; `known`: NULL where there is no band.
static void add_point(const Subject *s, const GrSoilDef *soil, const GrSoilSpread *known, int i, bool held,
                      GrScore *out)
{
    static const GrSoilSpread none = {.count = 0};
    const GrWheelDatum *d = &s->data.items[i];
    GrRigDef rig = gr_wheel_datum_rig(&s->def.rig, d);
    GrWheelBand band;
    rig.soil = *soil;
    const bool good =
        gr_band_predict(&rig, known != NULL ? known : &none, d->value[GR_SLIP], d->value[GR_SLIP_ANGLE], &band);
    GrScorePoint *p = &out->points[out->count++];
    *p = (GrScorePoint){.slip = d->value[GR_SLIP], .slip_angle = d->value[GR_SLIP_ANGLE], .held = held};
    for (int k = 0; k < GR_SCORE_KINDS; k++) {
        const GrQuantity quantity = gr_spread_quantity_of(OF[k]);
        const double unit = k == GR_SCORE_SINKAGE ? 1 : rig.load;
        p->measured[k] = d->value[quantity] / unit;
        p->scatter[k] = d->scatter[quantity] / unit;
        p->predicted[k] = good ? band.value[OF[k]] / unit : (double)NAN;
        p->half[k] = good && known != NULL ? GR_BAND_HALF * band.deviation[OF[k]] / unit : (double)NAN;
    }
}

/// Adds one measured condition and what a table has for it, if it has.
static void add_computed(const Subject *s, int i, GrScore *out)
{
    const GrWheelDatum *d = &s->data.items[i], *found = NULL;
    for (int k = 0; k < s->computed.count; k++) {
        const GrWheelDatum *c = &s->computed.items[k];
        if (fabs(c->value[GR_SLIP] - d->value[GR_SLIP]) < 1e-6 &&
            fabs(c->value[GR_SLIP_ANGLE] - d->value[GR_SLIP_ANGLE]) < 1e-6) {
            found = c;
        }
    }
    if (found == NULL) {
        return;
    }
    GrScorePoint *p = &out->points[out->count++];
    *p = (GrScorePoint){.slip = d->value[GR_SLIP], .slip_angle = d->value[GR_SLIP_ANGLE], .held = true};
    for (int k = 0; k < GR_SCORE_KINDS; k++) {
        const GrQuantity quantity = gr_spread_quantity_of(OF[k]);
        const double unit = k == GR_SCORE_SINKAGE ? 1 : d->value[GR_FZ];
        p->measured[k] = d->value[quantity] / unit;
        p->scatter[k] = d->scatter[quantity] / unit;
        p->predicted[k] = found->value[quantity] / unit;
        p->half[k] = (double)NAN;
    }
}

/// Fits without one slip angle, and adds that angle as held back and the others as fitted.
static GrStatus add_rotation(Subject *s, double degrees, GrScore *out, GrErrorLog *log)
{
    static GrFitResult result; // too large for the stack
    static GrFitSpread known;
    for (int i = 0; i < s->data.count; i++) {
        s->role[i] = is_at(&s->data.items[i], degrees) ? GR_FIT_HELD : GR_FIT_USED;
    }
    GrStatus status = gr_fit_soil(&s->def, &result, log);
    status = status == GR_OK ? gr_fit_spread(&s->def, &result, &known, log) : status;
    for (int i = 0; i < s->data.count && status == GR_OK; i++) {
        add_point(s, &result.soil, &known.spread, i, s->role[i] == GR_FIT_HELD, out);
    }
    return status;
}

static GrStatus add_points(const GrScoreCase *c, Subject *s, GrScore *out, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    const bool rotated = c->mode == ROTATED_PLOUGHING || c->mode == ROTATED_RFT;
    for (int a = 0; a < ANGLE_COUNT && rotated && status == GR_OK; a++) {
        status = add_rotation(s, ANGLES[a], out, log);
    }
    for (int i = 0; i < s->data.count && c->mode == COMPUTED; i++) {
        add_computed(s, i, out);
    }
    for (int i = 0; i < s->data.count && (c->mode == PUBLISHED || c->mode == SHIPPED); i++) {
        const GrWheelDatum *d = &s->data.items[i];
        const bool held = c->mode == PUBLISHED || (!is_at(d, 0) && !is_at(d, 45));
        add_point(s, &s->def.rig.soil, NULL, i, held, out);
    }
    return status;
}

// ---- figures

/// Size of an error; infinite where nothing was predicted.
static double off(const GrScorePoint *p, int k)
{
    return isnan(p->predicted[k]) ? (double)INFINITY : fabs(p->predicted[k] - p->measured[k]);
}

/// Share of pairs in the order of the measurements.
static double order(const GrScore *s, bool held, int k)
{
    int right = 0, all = 0;
    for (int i = 0; i < s->count; i++) {
        for (int j = 0; j < i; j++) {
            const GrScorePoint *a = &s->points[i], *b = &s->points[j];
            const double measured = a->measured[k] - b->measured[k];
            const double scatter = sqrt(a->scatter[k] * a->scatter[k] + b->scatter[k] * b->scatter[k]);
            if (a->held == held && b->held == held && fabs(measured) > 2 * scatter) {
                all++;
                right += measured * (a->predicted[k] - b->predicted[k]) > 0;
            }
        }
    }
    return all > 0 ? (double)right / all : (double)NAN;
}

static void figure(const GrScore *s, bool held, double *scratch, GrScoreFigures *out)
{
    int banded = 0, inside = 0;
    *out = (GrScoreFigures){0};
    for (int k = 0; k < GR_SCORE_KINDS; k++) {
        int n = 0;
        double width = 0;
        for (int i = 0; i < s->count; i++) {
            const GrScorePoint *p = &s->points[i];
            const double e = off(p, k);
            if (p->held != held) {
                continue;
            }
            scratch[n++] = e;
            out->strict += e <= 2 * p->scatter[k];
            out->engineering += e <= (k == GR_SCORE_SINKAGE ? GR_SCORE_SINKAGE_M : GR_SCORE_FORCE);
            banded += isfinite(p->half[k]);
            inside += e <= p->half[k];
            width += p->half[k];
        }
        gr_sort(scratch, n);
        out->conditions = n;
        out->numbers += n;
        out->median[k] = n > 0 ? (scratch[(n - 1) / 2] + scratch[n / 2]) / 2 : (double)NAN;
        out->most[k] = n > 0 ? scratch[(9 * n + 9) / 10 - 1] : (double)NAN;
        out->ordered[k] = order(s, held, k);
        out->width[k] = n > 0 ? width / n : (double)NAN;
    }
    out->covered = banded > 0 ? (double)inside / out->numbers : (double)NAN;
}

double gr_score_ordered(const GrScoreFigures *figures)
{
    double sum = 0;
    for (int k = 0; k < GR_SCORE_KINDS; k++) {
        sum += figures->ordered[k] / GR_SCORE_KINDS;
    }
    return sum;
}

GrStatus gr_score_run(const GrScoreCase *which, GrScore *out, GrErrorLog *log)
{
    Subject subject;
    *out = (GrScore){.from = which};
    GrStatus status = load_subject(which, &subject, log);
    const size_t most = (size_t)subject.data.count * ANGLE_COUNT + 1;
    out->points = gr_calloc(most, sizeof *out->points);
    double *scratch = gr_calloc(most, sizeof *scratch);
    if (out->points == NULL || scratch == NULL) {
        status = gr_out_of_memory(log, NULL);
    } else if (status == GR_OK) {
        status = add_points(which, &subject, out, log);
        figure(out, false, scratch, &out->fitted);
        figure(out, true, scratch, &out->held);
    }
    gr_free(scratch);
    gr_wheel_data_free(&subject.data);
    gr_wheel_data_free(&subject.computed);
    gr_free(subject.role);
    return status;
}

void gr_score_free(GrScore *score)
{
    gr_free(score->points);
    *score = (GrScore){0};
}
