#include "press_form.h"

#include "alloc.h"
#include "elementary.h"
#include "fit_spread.h"
#include "law.h"
#include "out_of_memory.h"
#include "soil_param.h"
#include "text.h"

#include <math.h>
#include <string.h>

const GrPressForm gr_press_forms[GR_PRESS_FORMS] = {
    {"bekker", {"k_c", "k_phi", "n0", NULL}},
    {"reece", {"k_phi_reece", "n0", NULL}},
    {"bearing", {"bearing_depth", "n0", "c", NULL}},
    {"bearing, surcharge", {"bearing_depth", "n0", "c", "surcharge", NULL}},
    {"rft", {"xi_n", "c", NULL}},
};
static const GrPressureForm PRESSURES[GR_PRESS_FORMS] = {GR_PRESSURE_BEKKER, GR_PRESSURE_REECE, GR_PRESSURE_BEARING,
                                                         GR_PRESSURE_BEARING, GR_PRESSURE_BEKKER};

GrStatus gr_press_form_use(const GrPressForm *form, GrFitDef *def, GrErrorLog *log)
{
    const int index = (int)(form - gr_press_forms);
    GrSoilDef *soil = &def->rig.soil;
    const bool grains = strcmp(form->name, gr_law(gr_law_with(GR_LAW_GRAINS))->name) == 0;
    soil->pressure = PRESSURES[index];
    soil->surcharge = index == 2 ? 0 : soil->surcharge;
    if (grains || gr_law_has(soil->law, GR_LAW_GRAINS)) {
        soil->law = grains ? gr_law_with(GR_LAW_GRAINS) : gr_law_of_pressure();
    }
    def->param_count = 0;
    for (int i = 0; form->free[i] != NULL; i++) {
        GrFitParam *param = &def->params[def->param_count++];
        const GrStatus status = gr_fit_param_find(form->free[i], param, log);
        if (status != GR_OK) {
            return status;
        }
        if (strcmp(param->name, "k_c") == 0) {
            param->lower = -param->upper; // pressure that rises with the plate's size
        }
    }
    return GR_OK;
}

static bool same_size(const GrPressBody *a, const GrPressBody *b)
{
    return a->kind == b->kind && a->diameter == b->diameter && a->width == b->width && a->length == b->length &&
           a->radius == b->radius;
}

/// Numbers the groups that are predicted in turn: sizes, or presses where there is one size; returns their count.
static int group_presses(const GrFitDef *def, int *group)
{
    const GrPressData *data = def->presses;
    int sizes = 0, used = 0;
    for (int i = 0; i < data->count; i++) {
        group[i] = def->press_role[i] == GR_FIT_USED ? sizes : -1;
        for (int j = 0; j < i && group[i] >= 0; j++) {
            if (group[j] >= 0 && same_size(&data->items[i].body, &data->items[j].body)) {
                group[i] = group[j];
                break;
            }
        }
        sizes += group[i] == sizes;
        used += group[i] >= 0;
    }
    for (int i = 0, n = 0; sizes == 1 && i < data->count; i++) {
        group[i] = group[i] >= 0 ? n++ : -1;
    }
    return sizes == 1 ? used : sizes;
}

static void add_score(const GrPressScore *part, GrPressScore *sum)
{
    if (part->count == 0) {
        return;
    }
    // Sums for now; the largest of the groups stands for what 90 % are below.
    sum->rms += part->rms * part->rms * part->count;
    sum->bias += part->bias * part->count;
    sum->median += part->median * part->count;
    sum->most = fmax(sum->most, part->most);
    sum->count += part->count;
}

static void finish_score(GrPressScore *sum)
{
    const int n = sum->count;
    sum->rms = n > 0 ? sqrt(sum->rms / n) : (double)INFINITY;
    sum->bias = n > 0 ? sum->bias / n : (double)NAN;
    sum->median = n > 0 ? sum->median / n : (double)NAN;
}

/// Fits the form to all used presses, then predicts each group from a fit to the others.
static GrStatus try_form(const GrFitDef *base, const GrPressForm *form, const int *group, int groups,
                         unsigned char *role, GrPressFormResult *out, GrErrorLog *log)
{
    GrFitDef def = *base;
    GrFitResult *result = gr_calloc(1, sizeof *result);
    def.evaluations = 0; // few parameters and a smooth cost: a local search finds the least
    def.folds = 0;
    *out = (GrPressFormResult){.crossed = {0}};
    if (result == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = gr_press_form_use(form, &def, log);
    const double gravity = def.rig.wheel.gravity;
    for (int g = -1; g < (groups > 1 ? groups : 0) && status == GR_OK; g++) {
        GrPressScore score;
        for (int i = 0; i < def.presses->count; i++) {
            role[i] = group[i] < 0 ? GR_FIT_SKIPPED : group[i] == g ? GR_FIT_HELD : GR_FIT_USED;
        }
        def.press_role = role;
        status = gr_fit_soil(&def, result, log);
        if (status != GR_OK) {
            break;
        }
        if (g < 0) {
            memcpy(out->value, result->value, sizeof out->value);
            status = gr_press_score(def.presses, role, GR_FIT_USED, &result->soil, gravity, &out->fit, log);
            continue;
        }
        // A form that cannot carry the held size at all (Bekker's with a negative k_c) fails by a factor of e.
        GrErrorLog quiet = {.quiet = true};
        if (gr_press_score(def.presses, role, GR_FIT_HELD, &result->soil, gravity, &score, &quiet) != GR_OK) {
            score = (GrPressScore){.median = 1, .most = 1, .rms = 1, .bias = -1, .count = 1};
        }
        add_score(&score, &out->crossed);
    }
    finish_score(&out->crossed);
    out->spread = out->crossed.rms * (groups > 1 ? gr_fit_few(groups) : 1);
    gr_free(result);
    return status;
}

static int free_count(const GrPressForm *form)
{
    int count = 0;
    while (form->free[count] != NULL) {
        count++;
    }
    return count;
}

/// Whether form `k` predicts sizes that were not fitted better than `best`. Another parameter must be worth it: a form
/// that contains the other one ties with it, and rounding would decide.
static bool better(const GrPressFormResult *out, int k, int best)
{
    const bool larger = free_count(&gr_press_forms[k]) > free_count(&gr_press_forms[best]);
    return out[k].crossed.rms < (larger ? 0.95 : 1) * out[best].crossed.rms;
}

GrStatus gr_press_form_choose(const GrFitDef *def, GrPressFormResult out[GR_PRESS_FORMS], int *best, GrErrorLog *log)
{
    const int count = def->presses->count;
    int *group = gr_calloc((size_t)count + 1, sizeof *group);
    unsigned char *role = gr_calloc((size_t)count + 1, 1);
    if (group == NULL || role == NULL) {
        gr_free(group);
        gr_free(role);
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = GR_OK;
    const int groups = group_presses(def, group);
    *best = 0;
    for (int k = 0; k < GR_PRESS_FORMS && status == GR_OK; k++) {
        status = try_form(def, &gr_press_forms[k], group, groups, role, &out[k], log);
        *best = better(out, k, *best) ? k : *best;
    }
    gr_free(group);
    gr_free(role);
    return status;
}

/// Index of a parameter in the spread, which gets it if it has room.
static int place_param(GrSoilSpread *spread, int param)
{
    for (int i = 0; i < spread->count; i++) {
        if (spread->param[i] == param) {
            return i;
        }
    }
    if (spread->count == GR_SPREAD_PARAMS) {
        return -1;
    }
    spread->param[spread->count] = param;
    spread->correlation[spread->count][spread->count] = 1;
    return spread->count++;
}

/// Deviation of the logarithm of a parameter that moves the whole curve of pressure as far as the error at another
/// size; 0: it is none of these.
static double scale_deviation(const char *name, const GrSoilDef *soil, double error)
{
    static const char *const factors[] = {"k_phi", "k_phi_reece", "xi_n"}; // F grows as the parameter
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        if (strcmp(name, factors[i]) == 0) {
            return error;
        }
    }
    return strcmp(name, "bearing_depth") == 0 ? error / soil->n0 : 0; // F ~ (z/bearing_depth)^n
}

void gr_press_form_spread(const GrFitDef *def, const GrFitResult *result, const GrPressFormResult *form,
                          GrSoilSpread *out)
{
    static const double T = 1.96; // half a 95 % interval in standard deviations
    gr_soil_spread_unknown(&result->soil, out);
    out->kind = GR_SPREAD_CLASS;
    gr_text_copy(
        out->source, sizeof out->source,
        "grouser fit soil: pressure by presses and their errors at sizes that were not fitted; what presses do "
        "not determine has the wide spread of an unknown soil");
    out->press = (GrSpreadError){form->fit.rms, (double)NAN, form->spread};
    for (int i = 0; i < def->param_count; i++) {
        const GrFitParam *p = &def->params[i];
        const double value = result->value[i], low = result->low[i], high = result->high[i];
        const double more = scale_deviation(p->name, &result->soil, form->spread);
        const bool known = isfinite(low) && isfinite(high) && !result->at_bound[i], logarithmic = p->logarithmic;
        const double own = !known ? 0 : logarithmic ? gr_log(high / low) / (2 * T) : (high - low) / (2 * T);
        const double wide = logarithmic ? more : more * value, deviation = sqrt(own * own + wide * wide);
        const int at = deviation > 0 ? place_param(out, gr_soil_param_find(p->name)) : -1;
        if (at >= 0) { // one at its bound keeps what is assumed of unknown soils, if anything
            GrDistribution *d = &out->distribution[at];
            *d = gr_default_distribution(logarithmic ? GR_DISTRIBUTION_LOG_NORMAL : GR_DISTRIBUTION_NORMAL);
            d->lower = p->lower;
            d->upper = p->upper;
            d->mean = d->median = value;
            d->deviation = d->log_deviation = deviation;
        }
    }
}
