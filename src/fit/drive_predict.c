#include "drive_predict.h"

#include "alloc.h"
#include "model_data.h"
#include "out_of_memory.h"
#include "sampling.h"
#include "statistics.h"

#include <math.h>
#include <string.h>

const GrPredictedInfo gr_predicted[GR_PREDICTED_QUANTITIES] = {
#define GR_PREDICTED_ROW(constant, key, name, unit, factor) {#key, name, unit, factor},
    GR_PREDICTED_LIST(GR_PREDICTED_ROW)
#undef GR_PREDICTED_ROW
};

static const double LEAST_DEVIATION = 1e-3; // of the tilt within a stretch that counts [rad]

/// Errors of one sample, in the model's units; or normal variables behind them.
typedef struct Errors {
    double slip, pull, torque, sinkage;
} Errors;

/// Files round the ends of a range to six digits.
static bool within(const double range[2], double value)
{
    const double margin = 1e-5 * fmax(fabs(range[0]), fabs(range[1]));
    return isnan(range[0]) || (value >= range[0] - margin && value <= range[1] + margin);
}

/// Whether a stretch is outside the conditions that a soil's data cover: slips, slip angles, loads, widths or radii.
static bool drive_extrapolates(const GrDriveRover *rover, const GrStretch *s, const GrConditions *range)
{
    bool inside = within(range->slip, s->measured[GR_DRIVE_SLIP]) && within(range->slip_angle, fabs(s->slip_angle));
    for (int i = 0; i < rover->wheel_count; i++) {
        const GrSoilWheel *wheel = &rover->model->soil_wheels[i];
        inside = inside && within(range->load, s->loads[i]) && within(range->width, wheel->wheel.width) &&
                 within(range->radius, wheel->radius);
    }
    return !inside;
}

/// Deviation of a quantity's errors: the soil's own, that of groups that its fit did not see outside the range of its
/// data, but no less than that of the measurement.
static double deviation_of(const GrDrivePredictDef *def, GrDriveQuantity q, GrSpreadError error, bool outside)
{
    const double scatter = def->noise.scatter[q], offset = def->noise.offset[q];
    const double own = outside ? fmax(error.residual, error.discrepancy) : error.residual;
    return fmax(sqrt(scatter * scatter + offset * offset), own); // fmax passes over NAN
}

/// Errors on a stretch from their normal variables.
static Errors errors_on(const GrDrivePredictDef *def, const GrStretch *s, const Errors *normal)
{
    const GrSpreadError *e = def->spread->error, none = {0};
    const bool outside = drive_extrapolates(def->rover, s, &def->spread->range);
    return (Errors){.slip = normal->slip * deviation_of(def, GR_DRIVE_SLIP, none, outside),
                    .pull = normal->pull * deviation_of(def, GR_DRIVE_TILT, e[GR_SPREAD_FX], outside),
                    .torque = normal->torque * deviation_of(def, GR_DRIVE_TORQUE, e[GR_SPREAD_TORQUE], outside),
                    .sinkage = normal->sinkage * deviation_of(def, GR_DRIVE_SINKAGE, e[GR_SPREAD_SINKAGE], outside)};
}

/// Normal variables of sample `index`, a Latin hypercube.
static Errors normals_of(const GrDrivePredictDef *def, int index)
{
    double u[4];
    gr_sample_point(GR_SAMPLING_LATIN, (uint64_t)index, (uint64_t)def->samples, 4, def->seed + 1, u);
    return (Errors){gr_normal_quantile(u[0]), gr_normal_quantile(u[1]), gr_normal_quantile(u[2]),
                    gr_normal_quantile(u[3])};
}

/// One tilt of a stretch on a prepared soil, in SI units; NAN where the soil cannot carry the rover.
static void predict_tilt(const GrDrivePredictDef *def, GrDriveSoil *soil, const GrStretch *s, double tilt,
                         const Errors *e, double out[GR_PREDICTED_QUANTITIES])
{
    const GrDriveRover *r = def->rover;
    GrDrivePoint p;
    const double load = r->weight / r->wheel_count;
    const double slip = gr_drive_slip(r, soil, s->loads, tilt, def->stretches->tilt_of, e->pull, s->slip_angle, &p);
    const double turns = slip >= 0 ? 1 / (1 - slip) : 1 + slip;
    const bool stuck = slip == 1;
    if (isnan(slip)) {
        for (int q = 0; q < GR_PREDICTED_QUANTITIES; q++) {
            out[q] = (double)NAN;
        }
        return;
    }
    out[GR_PREDICTED_SLIP] = stuck ? 1 : fmin(fmax(slip + e->slip, -1), 1);
    out[GR_PREDICTED_ENERGY] = stuck ? (double)INFINITY : fmax(p.energy + e->torque * r->weight * turns, 0);
    out[GR_PREDICTED_TORQUE] = (p.torque + e->torque) * load * r->radius;
    out[GR_PREDICTED_SINKAGE] = fmax(p.sinkage + e->sinkage, 0) * r->radius;
}

/// A stretch: the mean of two tilts that have its mean and its deviation, because energy, which brakes do not give
/// back, and slip grow more uphill than they fall downhill. Where one of them is stuck, the stretch is.
static void predict(const GrDrivePredictDef *def, GrDriveSoil *soil, const GrStretch *s, const Errors *e,
                    double out[GR_PREDICTED_QUANTITIES])
{
    double other[GR_PREDICTED_QUANTITIES];
    const double tilt = s->measured[GR_DRIVE_TILT], deviation = s->tilt_deviation;
    predict_tilt(def, soil, s, tilt + deviation, e, out);
    if (!(deviation > LEAST_DEVIATION) || out[GR_PREDICTED_SLIP] == 1) {
        return;
    }
    predict_tilt(def, soil, s, tilt - deviation, e, other);
    for (int q = 0; q < GR_PREDICTED_QUANTITIES; q++) {
        out[q] = 0.5 * (out[q] + other[q]);
    }
}

/// Quantile of n ascending values at the place p (n + 1), so that the share 1 − 2p of new ones is expected inside.
static double quantile(const double *sorted, int n, double p)
{
    const double place = fmin(fmax(p * (n + 1) - 1, 0), n - 1);
    const int below = (int)place < n - 1 ? (int)place : n - 2;
    const double low = sorted[n > 1 ? below : 0], high = sorted[n > 1 ? below + 1 : 0];
    return low == high ? low : low + (place - below) * (high - low); // infinite values are possible
}

static void find_band(double *values, int count, GrDriveBand *out)
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (!isnan(values[i])) {
            values[n++] = values[i];
        }
    }
    gr_sort(values, n);
    out->low = n > 0 ? quantile(values, n, 0.05) : (double)NAN;
    out->high = n > 0 ? quantile(values, n, 0.95) : (double)NAN;
}

static void set_measured(const GrDrivePredictDef *def, int i, GrDriveBand *bands)
{
    const GrDriveRover *r = def->rover;
    const GrStretch *s = &def->stretches->items[i];
    bands[GR_PREDICTED_SLIP].measured = s->measured[GR_DRIVE_SLIP];
    bands[GR_PREDICTED_ENERGY].measured = s->energy;
    bands[GR_PREDICTED_TORQUE].measured = s->measured[GR_DRIVE_TORQUE] * r->weight / r->wheel_count * r->radius;
    bands[GR_PREDICTED_SINKAGE].measured = s->measured[GR_DRIVE_SINKAGE] * r->radius;
}

/// Samples of all stretches: [stretches][quantities][samples], and of the whole drive's energy [samples].
typedef struct Samples {
    double *values, *totals;
    GrDriveSoil *soil;
} Samples;

static double length_of(const GrStretch *s)
{
    return s->to - s->from;
}

static GrStatus take_samples(const GrDrivePredictDef *def, Samples *s)
{
    for (int k = 0; k < def->samples; k++) {
        GrSoilDef soil;
        const Errors normals = normals_of(def, k);
        gr_soil_sample(def->spread, def->sources, def->soil, def->seed, k, def->samples, &soil);
        if (gr_drive_soil_make(def->rover, &soil, s->soil, NULL) != GR_OK) {
            return GR_ERROR_NUMERIC;
        }
        s->totals[k] = 0;
        for (int i = 0; i < def->stretches->count; i++) {
            double out[GR_PREDICTED_QUANTITIES];
            const GrStretch *stretch = &def->stretches->items[i];
            const Errors errors = errors_on(def, stretch, &normals);
            predict(def, s->soil, stretch, &errors, out);
            s->totals[k] += out[GR_PREDICTED_ENERGY] * length_of(stretch);
            for (int q = 0; q < GR_PREDICTED_QUANTITIES; q++) {
                s->values[(i * GR_PREDICTED_QUANTITIES + q) * def->samples + k] = out[q];
            }
        }
    }
    return GR_OK;
}

static GrStatus fill(const GrDrivePredictDef *def, Samples *s, GrDrivePrediction *out, GrErrorLog *log)
{
    const Errors none = {0};
    const GrStretches *stretches = def->stretches;
    GrStatus status = gr_drive_soil_make(def->rover, def->soil, s->soil, log);
    out->count = stretches->count;
    for (int i = 0; i < out->count && status == GR_OK; i++) {
        double own[GR_PREDICTED_QUANTITIES];
        predict(def, s->soil, &stretches->items[i], &none, own);
        out->stuck += own[GR_PREDICTED_SLIP] == 1;
        out->extrapolated += drive_extrapolates(def->rover, &stretches->items[i], &def->spread->range);
        out->total.value += own[GR_PREDICTED_ENERGY] * length_of(&stretches->items[i]);
        out->total.measured += stretches->items[i].energy * length_of(&stretches->items[i]);
        for (int q = 0; q < GR_PREDICTED_QUANTITIES; q++) {
            out->items[i][q] = (GrDriveBand){own[q], (double)NAN, (double)NAN, (double)NAN};
        }
        set_measured(def, i, out->items[i]);
    }
    status = status == GR_OK ? take_samples(def, s) : status;
    for (int i = 0; i < out->count && status == GR_OK && def->samples > 0; i++) {
        for (int q = 0; q < GR_PREDICTED_QUANTITIES; q++) {
            find_band(s->values + (size_t)(i * GR_PREDICTED_QUANTITIES + q) * (size_t)def->samples, def->samples,
                      &out->items[i][q]);
        }
    }
    out->total.low = out->total.high = (double)NAN;
    if (status == GR_OK && def->samples > 0) {
        find_band(s->totals, def->samples, &out->total);
    }
    return status;
}

GrStatus gr_drive_predict(const GrDrivePredictDef *def, GrDrivePrediction *out, GrErrorLog *log)
{
    const size_t stretches = (size_t)def->stretches->count, samples = (size_t)def->samples;
    Samples s = {.soil = gr_calloc(1, sizeof *s.soil)};
    s.values = gr_calloc((stretches * GR_PREDICTED_QUANTITIES + 1) * (samples + 1), sizeof *s.values);
    *out = (GrDrivePrediction){.items = gr_calloc(stretches, sizeof *out->items)};
    GrStatus status = GR_ERROR_MEMORY;
    if (s.soil == NULL || s.values == NULL || out->items == NULL) {
        gr_out_of_memory(log, NULL);
    } else {
        s.totals = s.values + stretches * GR_PREDICTED_QUANTITIES * samples;
        status = fill(def, &s, out, log);
    }
    gr_free(s.soil);
    gr_free(s.values);
    if (status != GR_OK) {
        gr_drive_prediction_free(out);
    }
    return status;
}

void gr_drive_prediction_free(GrDrivePrediction *prediction)
{
    gr_free(prediction->items);
    *prediction = (GrDrivePrediction){0};
}

GrCoverage gr_drive_coverage(const GrDrivePrediction *prediction, GrPredicted quantity)
{
    GrCoverage c = {0};
    for (int i = 0; i < prediction->count; i++) {
        const GrDriveBand *b = &prediction->items[i][quantity];
        const bool there = isfinite(b->measured) && !isnan(b->low);
        c.measured += there;
        c.inside += there && b->measured >= b->low && b->measured <= b->high;
    }
    return c;
}
