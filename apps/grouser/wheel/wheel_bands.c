/// Bands of grouser wheel: the same sweep on samples of the soil.
#include "alloc.h"
#include "band.h"
#include "number.h"
#include "out_of_memory.h"
#include "processors.h"
#include "soil_param.h"
#include "wheel_study.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { SLIP, SINKAGE, FX, FY, FZ, TORQUE, EFFICIENCY, DEFLECTION };

const GrWheelFigure gr_wheel_figures[GR_WHEEL_FIGURES] = {
    {"slip", offsetof(GrRigPoint, slip), true, -1, {-1, 1}},
    {"sinkage_m", offsetof(GrRigPoint, sinkage), true, GR_SPREAD_SINKAGE, {0, INFINITY}},
    {"fx_N", offsetof(GrRigPoint, f_x), false, GR_SPREAD_FX, {-INFINITY, INFINITY}},
    {"fy_N", offsetof(GrRigPoint, f_y), false, GR_SPREAD_FY, {-INFINITY, INFINITY}},
    {"fz_N", offsetof(GrRigPoint, f_z), false, -1, {-INFINITY, INFINITY}},
    {"torque_Nm", offsetof(GrRigPoint, torque), false, GR_SPREAD_TORQUE, {-INFINITY, INFINITY}},
    {"tractive_efficiency", offsetof(GrRigPoint, efficiency), false, -1, {-INFINITY, 1}},
    {"deflection_m", offsetof(GrRigPoint, deflection), true, -1, {0, INFINITY}},
};

/// Points of interest of a slip curve; `zero`: the figure that is 0 there, −1: none.
static const struct {
    size_t offset; ///< in GrRigFeatures
    int zero;
} FEATURES[] = {
    {offsetof(GrRigFeatures, towed), TORQUE},
    {offsetof(GrRigFeatures, self_propelled), FX},
    {offsetof(GrRigFeatures, strongest), -1},
    {offsetof(GrRigFeatures, best), -1},
};
enum { FEATURE_COUNT = sizeof FEATURES / sizeof FEATURES[0] };

double gr_wheel_figure(const GrRigPoint *point, int figure)
{
    double value;
    memcpy(&value, (const char *)point + gr_wheel_figures[figure].offset, sizeof value);
    return value;
}

static void set_figure(GrRigPoint *point, int figure, double value)
{
    memcpy((char *)point + gr_wheel_figures[figure].offset, &value, sizeof value);
}

static GrRigPoint *feature_of(const GrRigFeatures *features, int feature)
{
    return (GrRigPoint *)(uintptr_t)(const void *)((const char *)features + FEATURES[feature].offset);
}

int gr_wheel_usual_samples(const GrWheelStudy *study)
{
    bool fast = true;
    for (int i = 0; i < study->run_count; i++) {
        const GrRigDef *def = &study->runs[i].rig.def;
        fast = fast && gr_soil_law_is_fast(def->soil.law) && !def->dynamic && !def->flow;
    }
    return fast ? 32 : 0;
}

bool gr_wheel_has_band(const GrWheelStudy *study, int figure)
{
    const GrRigDef *def = &study->runs[0].rig.def;
    return study->sample_count > 0 && figure != SLIP && (figure != FZ || def->by_sinkage) &&
           (figure != SINKAGE || !def->by_sinkage) && (figure != DEFLECTION || isfinite(def->wheel.stiffness));
}

double gr_wheel_outside(const GrWheelRun *run, const GrRigPoint *point)
{
    const GrSoilWheelDef *wheel = &run->rig.def.wheel;
    const GrCondition at = {point->slip, point->slip_angle, point->f_z, wheel->width, wheel->radius};
    // the errors are those of the law that was fitted
    return run->rig.def.soil.law == run->sources.law ? gr_conditions_outside(&run->spread.range, &at) : 1;
}

/// Standard deviation of a figure at a point after a fit, in its own unit.
static double error_of(const GrWheelRun *run, const GrRigPoint *point, int figure)
{
    const int quantity = gr_wheel_figures[figure].error;
    if (!gr_spread_has_errors(&run->spread)) {
        return 0;
    }
    if (figure == EFFICIENCY) { // of a product of pull and 1/torque
        const double pull = error_of(run, point, FX) / point->f_x, turn = error_of(run, point, TORQUE) / point->torque;
        const double error = fabs(point->efficiency) * sqrt(pull * pull + turn * turn);
        return isfinite(error) ? error : 0;
    }
    if (quantity < 0) {
        return 0;
    }
    const GrCondition at = {.load = point->f_z, .radius = run->rig.def.wheel.radius, .slip_angle = point->slip_angle};
    const double error =
        gr_spread_unit((GrSpreadQuantity)quantity, &at) *
        gr_spread_remains_at(&run->spread, (GrSpreadQuantity)quantity, &at, gr_wheel_outside(run, point));
    return isnan(error) ? 0 : error;
}

/// Standard deviation of the slip at which a figure is 0: its error over its slope.
static double slip_error(const GrWheelRun *run, const GrRigPoint *point, int zero)
{
    static const double h = 0.005;
    GrRig steady = run->rig;
    GrRigPoint below, above;
    const double error = error_of(run, point, zero);
    steady.def.dynamic = false;
    if (!(error > 0) || gr_rig_point(&steady, fmax(point->slip - h, -1), point->slip_angle, &below) != GR_OK ||
        gr_rig_point(&steady, fmin(point->slip + h, 1), point->slip_angle, &above) != GR_OK) {
        return 0;
    }
    const double slope = (gr_wheel_figure(&above, zero) - gr_wheel_figure(&below, zero)) / (above.slip - below.slip);
    return slope > 0 ? error / slope : 0;
}

typedef struct Samples {
    GrWheelStudy *study;
    atomic_int next;
} Samples;

static void run_samples(void *context, int share, int shares)
{
    Samples *s = context;
    GrWheelStudy *study = s->study;
    const int points = study->angle_count * study->slip_count, count = study->run_count * study->sample_count;
    (void)share;
    (void)shares;
    for (int i = atomic_fetch_add(&s->next, 1); i < count; i = atomic_fetch_add(&s->next, 1)) {
        GrWheelRun *run = &study->runs[i / study->sample_count];
        const int sample = i % study->sample_count;
        GrRigPoint *to = run->samples + (size_t)sample * (size_t)points;
        GrRigFeatures *features = run->sample_features + (size_t)sample * (size_t)study->angle_count;
        GrErrorLog log = {.quiet = true};
        GrRigDef def = run->rig.def;
        GrRig rig;
        gr_soil_sample(&run->spread, &run->sources, &run->rig.def.soil, GR_SOIL_SEED, sample, study->sample_count,
                       &def.soil);
        if (gr_rig_make(&def, &rig, &log) == GR_OK) {
            gr_wheel_sweep(study, &rig, to, features, NULL, 0);
            continue;
        }
        for (int k = 0; k < points; k++) { // the soil is not valid for this wheel
            to[k].status = GR_ERROR_NOT_CONVERGED;
        }
        for (int k = 0; k < study->angle_count; k++) {
            features[k] = gr_rig_no_features();
        }
    }
}

/// Band of one figure from the points of all samples, which are `stride` bytes apart.
static GrBand band_of(const GrRigPoint *first, size_t stride, int count, int figure, double error, double *room)
{
    const double sign = gr_wheel_figures[figure].missing_high ? 1 : -1;
    for (int i = 0; i < count; i++) {
        const GrRigPoint *p = (const void *)((const char *)first + (size_t)i * stride);
        room[i] = p->status == GR_OK ? sign * gr_wheel_figure(p, figure) : (double)NAN;
    }
    GrBand band = gr_band_of(room, count, error);
    const GrBand possible = gr_wheel_figures[figure].possible;
    band = sign > 0 ? band : (GrBand){-band.high, -band.low};
    band.low = band.low < possible.low ? possible.low : band.low; // NAN stays
    band.high = band.high > possible.high ? possible.high : band.high;
    return band;
}

static GrRigPoint no_numbers(void)
{
    GrRigPoint point = {.status = GR_OK};
    for (int f = 0; f < GR_WHEEL_FIGURES; f++) {
        set_figure(&point, f, (double)NAN);
    }
    return point;
}

static void band_points(const GrWheelStudy *study, GrWheelRun *run, double *room)
{
    const int points = study->angle_count * study->slip_count;
    for (int i = 0; i < points; i++) {
        run->low[i] = run->high[i] = no_numbers();
        for (int f = 0; f < GR_WHEEL_FIGURES && run->points[i].status == GR_OK; f++) {
            if (gr_wheel_has_band(study, f)) {
                const GrBand band = band_of(&run->samples[i], (size_t)points * sizeof *run->samples,
                                            study->sample_count, f, error_of(run, &run->points[i], f), room);
                set_figure(&run->low[i], f, band.low);
                set_figure(&run->high[i], f, band.high);
            }
        }
        for (int k = 0; k < study->sample_count && run->points[i].status == GR_OK; k++) {
            run->samples_missing += run->samples[(size_t)k * (size_t)points + (size_t)i].status != GR_OK;
        }
    }
}

static void band_features(const GrWheelStudy *study, GrWheelRun *run, double *room)
{
    const size_t stride = (size_t)study->angle_count * sizeof(GrRigFeatures);
    for (int a = 0; a < study->angle_count; a++) {
        for (int k = 0; k < FEATURE_COUNT; k++) {
            const GrRigPoint *nominal = feature_of(&run->features[a], k);
            GrRigPoint *low = feature_of(&run->features_low[a], k), *high = feature_of(&run->features_high[a], k);
            *low = *high = no_numbers();
            for (int f = 0; f < GR_WHEEL_FIGURES && nominal->status == GR_OK; f++) {
                if ((f != SLIP && !gr_wheel_has_band(study, f)) || f == FEATURES[k].zero) {
                    continue;
                }
                const double error = f == SLIP && FEATURES[k].zero >= 0 ? slip_error(run, nominal, FEATURES[k].zero)
                                                                        : error_of(run, nominal, f);
                const GrBand band =
                    band_of(feature_of(&run->sample_features[a], k), stride, study->sample_count, f, error, room);
                set_figure(low, f, band.low);
                set_figure(high, f, band.high);
            }
        }
    }
}

static bool allocate(const GrWheelStudy *study, GrWheelRun *run)
{
    const size_t points = (size_t)study->angle_count * (size_t)study->slip_count, angles = (size_t)study->angle_count;
    run->samples = gr_calloc(points * (size_t)study->sample_count, sizeof *run->samples);
    run->sample_features = gr_calloc(angles * (size_t)study->sample_count, sizeof *run->sample_features);
    run->low = gr_calloc(points, sizeof *run->low);
    run->high = gr_calloc(points, sizeof *run->high);
    run->features_low = gr_calloc(angles, sizeof *run->features_low);
    run->features_high = gr_calloc(angles, sizeof *run->features_high);
    return run->samples != NULL && run->sample_features != NULL && run->low != NULL && run->high != NULL &&
           run->features_low != NULL && run->features_high != NULL;
}

GrStatus gr_wheel_bands(GrWheelStudy *study, GrErrorLog *log)
{
    Samples s = {.study = study};
    double *room = gr_malloc(sizeof *room * (size_t)study->sample_count);
    bool ok = room != NULL;
    for (int i = 0; i < study->run_count && ok; i++) {
        ok = allocate(study, &study->runs[i]);
    }
    if (ok) {
        gr_share_out(0, run_samples, &s);
        for (int i = 0; i < study->run_count; i++) {
            GrWheelRun *run = &study->runs[i];
            band_points(study, run, room);
            band_features(study, run, room);
            if (run->samples_missing > 0) {
                gr_warning_add(log, (GrLocation){.field = "--uncertainty"},
                               "%s: %d of %d points on samples of the soil have no equilibrium; the bands count them "
                               "as deepest and as least pull",
                               run->label, run->samples_missing,
                               study->sample_count * study->angle_count * study->slip_count);
            }
        }
    }
    gr_free(room);
    return ok ? GR_OK : gr_out_of_memory(log, NULL);
}

// ---- the comparison of several runs

/// What one asks wheels first. Those with a slip are points of the sweep, if it has that slip.
static const struct {
    const char *key, *text, *unit;
    double scale;
    int figure, sense;
    int feature; ///< of FEATURES; −1: the point at slip 0.3
} COMPARED[] = {
    {"max_drawbar_pull_N", "largest pull", "N", 1, FX, 1, 2},
    {"drawbar_pull_at_slip_0.3_N", "pull at slip 30 %", "N", 1, FX, 1, -1},
    {"torque_at_slip_0.3_Nm", "torque at slip 30 %", "N m", 1, TORQUE, -1, -1},
    {"sinkage_at_slip_0.3_m", "sinkage at slip 30 %", "mm", 1000, SINKAGE, -1, -1},
    {"self_propelled_slip", "slip without a pull", "%", 100, SLIP, -1, 1},
    {"best_efficiency", "best efficiency", "%", 100, EFFICIENCY, 1, 3},
};
enum { COMPARED_COUNT = sizeof COMPARED / sizeof COMPARED[0] };

/// The slip of the sweep that is 0.3; −1: none.
static int find_slip(const GrWheelStudy *study)
{
    int found = -1;
    for (int i = 0; i < study->slip_count; i++) {
        found = fabs(study->slips[i] - 0.3) < 1e-9 ? i : found;
    }
    return found;
}

/// The point of a run, or of one of its samples (−1: the soil itself).
static const GrRigPoint *compared_point(const GrWheelStudy *study, const GrWheelRun *run, int sample, int row, int slip,
                                        int angle)
{
    const int points = study->angle_count * study->slip_count;
    if (COMPARED[row].feature >= 0) {
        const GrRigFeatures *all = sample < 0 ? run->features : run->sample_features + sample * study->angle_count;
        return feature_of(&all[angle], COMPARED[row].feature);
    }
    const GrRigPoint *all = sample < 0 ? run->points : run->samples + (size_t)sample * (size_t)points;
    return &all[angle * study->slip_count + slip];
}

static void compare_row(const GrWheelStudy *study, int row, int slip, int angle, GrWheelComparison *out)
{
    GrComparison *c = &out->comparison;
    char *key = out->texts[c->quantity_count][0], *text = out->texts[c->quantity_count][1];
    snprintf(key, GR_WHEEL_COMPARED_TEXT, "%s", COMPARED[row].key);
    snprintf(text, GR_WHEEL_COMPARED_TEXT, "%s", COMPARED[row].text);
    if (study->angle_count > 1) {
        const GrShown degrees = gr_show(study->angles[angle] / GR_DEGREE, 4, "");
        snprintf(key, GR_WHEEL_COMPARED_TEXT, "%s_at_slip_angle_%.20s_deg", COMPARED[row].key, degrees.text);
        snprintf(text, GR_WHEEL_COMPARED_TEXT, "%s at β = %.20s°", COMPARED[row].text, degrees.text);
    }
    const int q = gr_comparison_quantity(c, (GrComparedQuantity){.key = key,
                                                                 .text = text,
                                                                 .unit = COMPARED[row].unit,
                                                                 .scale = COMPARED[row].scale,
                                                                 .sense = COMPARED[row].sense});
    for (int k = 0; k < study->run_count; k++) {
        const GrWheelRun *run = &study->runs[k];
        const GrRigPoint *point = compared_point(study, run, -1, row, slip, angle);
        GrComparedValue *value = &c->values[q][k];
        if (point->status != GR_OK) {
            continue;
        }
        value->value = gr_wheel_figure(point, COMPARED[row].figure);
        value->error =
            COMPARED[row].feature == 1 ? slip_error(run, point, FX) : error_of(run, point, COMPARED[row].figure);
        if (study->sample_count > 0) {
            double *samples = out->samples + (size_t)(q * study->run_count + k) * (size_t)study->sample_count;
            for (int i = 0; i < study->sample_count; i++) {
                const GrRigPoint *p = compared_point(study, run, i, row, slip, angle);
                samples[i] = p->status == GR_OK ? gr_wheel_figure(p, COMPARED[row].figure) : (double)NAN;
            }
            value->samples = samples;
        }
    }
}

bool gr_wheel_compare(const GrWheelStudy *study, GrWheelComparison *out)
{
    const size_t room = (size_t)GR_COMPARED_QUANTITIES * (size_t)study->run_count * (size_t)study->sample_count;
    const int slip = find_slip(study);
    *out = (GrWheelComparison){.comparison.sample_count = study->sample_count};
    out->samples = gr_calloc(room + 1, sizeof *out->samples);
    if (out->samples == NULL) {
        return false;
    }
    for (int k = 0; k < study->run_count; k++) {
        gr_comparison_design(&out->comparison, study->runs[k].label, study->runs[k].rig.def.soil.name);
    }
    for (int row = 0; row < COMPARED_COUNT; row++) {
        const bool asked = COMPARED[row].feature >= 0 || slip >= 0;
        for (int a = 0; a < (row == 0 ? study->angle_count : 1) && asked; a++) {
            if (out->comparison.quantity_count < GR_COMPARED_QUANTITIES) {
                compare_row(study, row, slip, a, out);
            }
        }
    }
    return true;
}

// ---- in words

/// "21.3 N (90 %: 15 … 28)"; an end that is NAN is "no value".
static const char *say(double value, GrBand band, const char *unit, int digits, char out[120])
{
    char number[GR_NUMBER_SIZE], low[GR_NUMBER_SIZE] = "no value", high[GR_NUMBER_SIZE] = "no value";
    gr_number_round(value, digits, number);
    if (!isnan(band.low)) {
        gr_number_round(band.low, digits, low);
    }
    if (!isnan(band.high)) {
        gr_number_round(band.high, digits, high);
    }
    const int used = snprintf(out, 120, "%s%s", number, unit);
    if (!isnan(band.low) || !isnan(band.high)) {
        snprintf(out + used, (size_t)(120 - used), " (90 %%: %s … %s)", low, high);
    }
    return out;
}

void gr_wheel_answer(const GrWheelStudy *study, int run, int angle, char *out, size_t size)
{
    const GrWheelRun *r = &study->runs[run];
    const GrRigFeatures *f = &r->features[angle];
    const GrBand none = {(double)NAN, (double)NAN};
    char pull[120], slip[120], start[GR_NUMBER_SIZE + 16] = "";
    size_t used = 0;
    out[0] = '\0';
    if (study->angle_count > 1) {
        char degrees[GR_NUMBER_SIZE];
        gr_number_round(study->angles[angle] / GR_DEGREE, 4, degrees);
        snprintf(start, sizeof start, "β = %s°: ", degrees);
    }
    if (f->strongest.status == GR_OK) {
        const GrBand band = study->sample_count > 0
                                ? (GrBand){r->features_low[angle].strongest.f_x, r->features_high[angle].strongest.f_x}
                                : none;
        used = (size_t)snprintf(out, size, "%spulls at most %s at slip %s", start,
                                say(f->strongest.f_x, band, " N", 3, pull),
                                say(100 * f->strongest.slip, none, " %", 2, slip));
    }
    if (f->self_propelled.status == GR_OK && used < size) {
        const GrBand band = study->sample_count > 0 ? (GrBand){100 * r->features_low[angle].self_propelled.slip,
                                                               100 * r->features_high[angle].self_propelled.slip}
                                                    : none;
        snprintf(out + used, size - used, "%sself-propelled at slip %s", used > 0 ? "; " : start,
                 say(100 * f->self_propelled.slip, band, " %", 2, slip));
    }
}

void gr_wheel_say_range(const GrWheelStudy *study, int run, char *out, size_t size)
{
    const GrWheelRun *r = &study->runs[run];
    int outside = 0, total = 0;
    out[0] = '\0';
    if (!gr_spread_has_errors(&r->spread)) {
        return;
    }
    for (int i = 0; i < study->angle_count * study->slip_count; i++) {
        if (r->points[i].status == GR_OK) {
            outside += gr_wheel_outside(r, &r->points[i]) > 0;
            total++;
        }
    }
    if (outside == 0) {
        snprintf(out, size, "interpolated: the data of the fit cover all points");
    } else {
        snprintf(out, size, "extrapolated: %d of %d points are outside the conditions of the fitted data", outside,
                 total);
    }
}
