#include "grains_soil.h"

#include "alloc.h"
#include "law.h"
#include "out_of_memory.h"
#include "soil_param.h"
#include "soil_yaml.h"
#include "statistics.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CURVE = 24, MODULI = 120, SAMPLES = 24, SAMPLES_ON_GRID = 8, PARTS_MOST = CURVE * GR_GRAINS_CASES };

typedef struct ShearPoint {
    double stress, displacement, shear;
} ShearPoint;

static int points_of(const GrGrainsStudy *study, ShearPoint *out)
{
    int n = 0;
    for (int k = 0; k < study->count; k++) {
        const GrGrainsCase *c = &study->cases[k];
        const double a = c->def.inner / 2, b = c->def.diameter / 2, arm = 2 * GR_PI / 3 * (b * b * b - a * a * a);
        const int parts = c->sample_count < CURVE ? c->sample_count : CURVE;
        for (int p = 0; p < parts; p++) {
            const int first = c->sample_count * p / parts, end = c->sample_count * (p + 1) / parts;
            ShearPoint point = {.stress = c->answer.pressure};
            for (int i = first; i < end; i++) {
                point.displacement += c->samples[i].travel / (end - first);
                point.shear -= c->samples[i].moment.z / arm / (end - first);
            }
            out[n++] = point;
        }
    }
    return n;
}

/// Least squares of c and tan φ for a modulus K; returns the sum of squares. c is at least 0.
static double line_at(const ShearPoint *points, int n, double modulus, double *cohesion, double *slope,
                      double normal[3])
{
    double aa = 0, ab = 0, bb = 0, ay = 0, by = 0, sum = 0;
    for (int k = 0; k < n; k++) {
        const double a = 1 - exp(-points[k].displacement / modulus), b = a * points[k].stress, y = points[k].shear;
        aa += a * a, ab += a * b, bb += b * b, ay += a * y, by += b * y;
    }
    const double det = aa * bb - ab * ab;
    *cohesion = det > 1e-9 * aa * bb ? (ay * bb - by * ab) / det : 0;
    *slope = det > 1e-9 * aa * bb ? (by * aa - ay * ab) / det : by / bb;
    if (*cohesion < 0) {
        *cohesion = 0, *slope = by / bb;
    }
    for (int k = 0; k < n; k++) {
        const double a = 1 - exp(-points[k].displacement / modulus);
        const double off = points[k].shear - a * (*cohesion + points[k].stress * *slope);
        sum += off * off;
    }
    normal[0] = aa, normal[1] = ab, normal[2] = bb;
    return sum;
}

/// Moduli that are tried: from a tenth of a millimetre, less than that of any soil, to the travel [m].
static double modulus_at(double travel, int k)
{
    const double least = fmin(1e-4, travel / 10);
    return least * pow(travel / least, (double)k / (MODULI - 1));
}

GrStatus gr_grains_shear_fit(const GrGrainsStudy *study, GrGrainsShear *out, GrErrorLog *log)
{
    static ShearPoint points[PARTS_MOST];
    const int n = points_of(study, points);
    const double longest = study->cases[0].def.travel;
    double best = INFINITY, sums[MODULI], slope = 0, normal[3] = {0};
    *out = (GrGrainsShear){0};
    if (n < 8) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "shear"}, "%d points of shear; at least 8", n);
    }
    for (int k = 0; k < MODULI; k++) {
        const double modulus = modulus_at(longest, k);
        double c, t, m[3];
        sums[k] = line_at(points, n, modulus, &c, &t, m);
        if (sums[k] < best) {
            best = sums[k], slope = t;
            out->cohesion = c, out->modulus = modulus;
            memcpy(normal, m, sizeof normal);
        }
    }
    const double variance = best / (n - 3), det = normal[0] * normal[2] - normal[1] * normal[1];
    out->angle = atan(slope);
    out->scatter = sqrt(variance);
    if (det > 0 && out->cohesion > 0) {
        out->cohesion_error = sqrt(variance * normal[2] / det);
        out->angle_error = sqrt(variance * normal[0] / det) / (1 + slope * slope);
    } else {
        out->angle_error = sqrt(variance / normal[2]) / (1 + slope * slope);
    }
    double low = out->modulus, high = low; // where the sum is larger by one variance
    for (int k = 0; k < MODULI; k++) {
        const double modulus = modulus_at(longest, k);
        if (sums[k] <= best + variance) {
            low = fmin(low, modulus), high = fmax(high, modulus);
        }
    }
    out->modulus_error = (high - low) / 2;
    return GR_OK;
}

/// The parameter has this value, known with this standard deviation (both in its file's unit).
static void know(GrSoilSpread *spread, const char *name, double value, double deviation)
{
    const int param = gr_soil_param_find(name);
    const GrSoilParam *p = param >= 0 ? gr_soil_param(param) : NULL;
    int at = 0;
    for (; at < spread->count && spread->param[at] != param; at++) {
    }
    if (p == NULL || !(deviation > 0) || at == GR_SPREAD_PARAMS) {
        return;
    }
    if (at == spread->count) {
        spread->param[at] = param;
        spread->correlation[at][at] = 1;
        spread->count++;
    }
    spread->distribution[at] = gr_default_distribution(GR_DISTRIBUTION_NORMAL);
    spread->distribution[at].mean = value;
    spread->distribution[at].deviation = deviation;
    spread->distribution[at].lower = p->lower + (p->open ? 1e-9 : 0);
    spread->distribution[at].upper = p->upper;
}

/// The form of pressure that predicts other sizes best among those that the law has.
static int form_for(GrSoilLaw law, const GrPressFormResult *forms)
{
    const int rft = GR_PRESS_FORMS - 1;
    int best = 0;
    if (gr_law_has(law, GR_LAW_GRAINS)) {
        return rft;
    }
    for (int k = 1; k < rft; k++) {
        best = forms[k].crossed.rms < 0.95 * forms[best].crossed.rms ? k : best;
    }
    return best;
}

/// The start of a fit: a soil with what shear, bed and walls tell.
static GrStatus start_of(const GrGrainStudyDef *def, const GrBin *bed, const GrGrainsShear *shear, bool rft,
                         GrGrainsSoil *out, GrSoilDef *soil, GrErrorLog *log)
{
    char text[5][64];
    const char *overrides[6] = {0};
    const double density = gr_bed_answer(bed).bulk_density, angle = shear->angle * 180 / GR_PI;
    snprintf(text[0], sizeof text[0], "density=%.9g", density);
    snprintf(text[1], sizeof text[1], "phi=%.9g", angle);
    snprintf(text[2], sizeof text[2], rft ? "mu_surf=%.9g" : "K_x=%.9g",
             rft ? bed->def.grains.wall_friction : shear->modulus);
    snprintf(text[3], sizeof text[3], "K_y=%.9g", shear->modulus);
    snprintf(text[4], sizeof text[4], "c=%.9g", shear->cohesion);
    for (int k = 0; k < (rft ? 3 : 5); k++) {
        overrides[k] = text[k];
    }
    return gr_soil_load(rft ? def->rft_soil : def->soil, overrides, soil, &out->sources, log);
}

GrStatus gr_grains_soil(const GrGrainStudyDef *def, const GrBin *bed, const GrGrainsShear *shear,
                        GrGrainsPresses *presses, GrSoilLaw law, GrGrainsSoil *out, GrErrorLog *log)
{
    const bool rft = gr_law_has(law, GR_LAW_GRAINS), first = presses->forms[0].fit.count == 0;
    unsigned char *role = gr_calloc((size_t)presses->data.count + 1, 1); // GR_FIT_USED is 0
    static const GrWheelData none;
    GrFitDef fit = gr_default_fit_def();
    int best;
    *out = (GrGrainsSoil){.law = law};
    GrStatus status = role != NULL ? GR_OK : gr_out_of_memory(log, NULL);
    status = status == GR_OK ? start_of(def, bed, shear, rft, out, &fit.rig.soil, log) : status;
    fit.rig.wheel.gravity = fabs(bed->def.gravity[2]);
    fit.rig.soil.fit_gravity = fit.rig.wheel.gravity;
    fit.data = &none;
    fit.role = role;
    fit.presses = &presses->data;
    fit.press_role = role;
    fit.folds = 0;
    if (status == GR_OK && first) {
        status = gr_press_form_choose(&fit, presses->forms, &best, log);
    }
    out->form = form_for(law, presses->forms);
    const double cohesion = fit.rig.soil.cohesion;
    status = status == GR_OK ? gr_press_form_use(&gr_press_forms[out->form], &fit, log) : status;
    fit.rig.soil.law = law;
    status = status == GR_OK ? gr_fit_soil(&fit, &out->fit, log) : status;
    if (status == GR_OK) {
        gr_press_form_spread(&fit, &out->fit, &presses->forms[out->form], &out->spread);
        status = gr_press_score(&presses->data, role, GR_FIT_USED, &out->fit.soil, fit.rig.wheel.gravity, &out->presses,
                                log);
    }
    if (status == GR_OK && !rft) {
        know(&out->spread, "phi", shear->angle * 180 / GR_PI, shear->angle_error * 180 / GR_PI);
        know(&out->spread, "K_x", shear->modulus, shear->modulus_error);
        if (out->form < 2) { // plates did not fit it
            out->fit.soil.cohesion = cohesion;
            know(&out->spread, "c", cohesion, shear->cohesion_error);
        }
    }
    gr_free(role);
    return status;
}

static bool predict(const GrSoilDef *soil, const GrBinRigDef *wheel, double gravity, double slip, double out[3])
{
    GrRigDef rig = gr_default_rig_def();
    GrRig made;
    GrRigPoint point;
    const GrWheelMeshDef *w = &wheel->wheel;
    rig.soil = *soil;
    rig.load = wheel->load;
    rig.cell = fmin(0.01, w->width / 5);
    rig.wheel.gravity = gravity;
    rig.wheel.radius = w->radius, rig.wheel.width = w->width;
    rig.wheel.grouser_count = w->grouser_height > 0 ? w->grouser_count : 0;
    rig.wheel.grouser_height = rig.wheel.grouser_count > 0 ? w->grouser_height : 0;
    rig.wheel.grouser_thickness = w->grouser_thickness;
    out[0] = out[1] = out[2] = (double)NAN;
    GrErrorLog quiet = {.quiet = true};
    if (gr_rig_make(&rig, &made, &quiet) != GR_OK) {
        return false;
    }
    // the slip of the grains is that of the rim, the law's that of its own radius
    const double larger = made.wheel.radius / w->radius;
    const double own = slip >= 0 ? 1 - (1 - slip) / larger : fmin(0, (1 + slip) * larger - 1);
    if (gr_rig_point(&made, fmin(1, own), 0, &point) != GR_OK) {
        return false;
    }
    out[0] = point.f_x, out[1] = point.torque, out[2] = point.sinkage;
    return true;
}

GrGrainsPrediction gr_grains_predict(const GrGrainsSoil *s, const GrBinRigDef *wheel, double gravity, double slip)
{
    GrGrainsPrediction p;
    double samples[3][SAMPLES];
    int found = 0;
    const int count = gr_soil_law_on_grid(s->law) ? SAMPLES_ON_GRID : SAMPLES; // there a point takes a second
    predict(&s->fit.soil, wheel, gravity, slip, p.value);
    for (int k = 0; k < count; k++) {
        GrSoilDef soil;
        double v[3];
        gr_soil_sample(&s->spread, NULL, &s->fit.soil, GR_SOIL_SEED, k, count, &soil);
        if (predict(&soil, wheel, gravity, slip, v)) {
            for (int q = 0; q < 3; q++) {
                samples[q][found] = v[q];
            }
            found++;
        }
    }
    for (int q = 0; q < 3; q++) {
        p.low[q] = p.high[q] = (double)NAN;
        if (found > count / 2) {
            gr_sort(samples[q], found);
            p.low[q] = gr_quantile_sorted(samples[q], found, 0.05);
            p.high[q] = gr_quantile_sorted(samples[q], found, 0.95);
        }
    }
    return p;
}
