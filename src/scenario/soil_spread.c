#include "soil_spread.h"

#include "distribution_yaml.h"
#include "number.h"
#include "sampling.h"
#include "schema.h"
#include "soil_param.h"
#include "soil_yaml.h"

#include "alloc.h"
#include "check.h"
#include "elementary.h"
#include "grouser/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const gr_spread_kind_names[GR_SPREAD_KINDS] = {"unknown", "class", "fit"};

const char *const gr_spread_quantity_names[GR_SPREAD_QUANTITIES] = {
#define GR_SPREAD_QUANTITY_NAME(constant, name) #name,
    GR_SPREAD_QUANTITY_LIST(GR_SPREAD_QUANTITY_NAME)
#undef GR_SPREAD_QUANTITY_NAME
};

/// Conditions of the range: key, offset in GrConditions, SI value over the file's.
static const struct {
    const char *key;
    size_t offset;
    double scale;
} CONDITIONS[] = {
    {"slip", offsetof(GrConditions, slip), 1},       {"slip_angle_deg", offsetof(GrConditions, slip_angle), GR_DEGREE},
    {"load_N", offsetof(GrConditions, load), 1},     {"width_m", offsetof(GrConditions, width), 1},
    {"radius_m", offsetof(GrConditions, radius), 1},
};
enum { CONDITION_COUNT = sizeof CONDITIONS / sizeof CONDITIONS[0] };

static double *condition(GrConditions *conditions, int i)
{
    return (double *)(void *)((char *)conditions + CONDITIONS[i].offset);
}

GrSoilSpread gr_default_soil_spread(void)
{
    GrSoilSpread spread = {.kind = GR_SPREAD_UNKNOWN};
    for (int i = 0; i < GR_SPREAD_QUANTITIES; i++) {
        spread.error[i] = (GrSpreadError){(double)NAN, (double)NAN, (double)NAN};
    }
    spread.press = spread.error[0];
    for (int i = 0; i < CONDITION_COUNT; i++) {
        double *ends = condition(&spread.range, i);
        ends[0] = ends[1] = (double)NAN;
    }
    return spread;
}

// ---- reading

static const char PRESS_ERROR[] = "ln_press_force";

#define E(member) offsetof(GrSpreadError, member)
static const GrKey ERROR[] = {
    {"residual", GR_KEY_NUMBER, "deviation of the fit", E(residual), GR_SPAN_NOT_NEGATIVE},
    {"repeats", GR_KEY_NUMBER, "deviation between repeated measurements", E(repeats), GR_SPAN_NOT_NEGATIVE},
    {"discrepancy", GR_KEY_NUMBER, "deviation outside the range of the fit", E(discrepancy), GR_SPAN_NOT_NEGATIVE},
    {NULL}};

const GrKey gr_soil_spread_keys[] = {
    {"kind", GR_KEY_CHOICE, "class: between soils of a class; fit: of a fit to measurements",
     .names = gr_spread_kind_names + 1, .size = GR_SPREAD_KINDS - 1, .usual = "class"},
    {"source", GR_KEY_TEXT, "where it comes from", .required = true},
    {"parameters", GR_KEY_MAPPING, "distributions by symbol: {phi: {normal: {mean: 33, deviation: 2}}}",
     .required = true},
    {"correlate", GR_KEY_LIST, "correlations: [[c, phi, -0.5]]"},
    {"errors", GR_KEY_NAMED, "of the quantities that a law computes", .keys = ERROR},
    {"range", GR_KEY_MAPPING, "conditions of the measurements: slip, slip_angle_deg, load_N, width_m, radius_m"},
    {NULL}};

/// Index among the parameters of the spread; −1: none.
static int find_param(const GrSoilSpread *spread, const char *name)
{
    for (int i = 0; i < spread->count; i++) {
        const GrSoilParam *param = gr_soil_param(spread->param[i]);
        if (strcmp(param->name, name) == 0 || strcmp(param->key, name) == 0) {
            return i;
        }
    }
    return -1;
}

static void read_param(GrNode *node, GrSoilSpread *out)
{
    double *values = NULL;
    const int index = gr_soil_param_find(node->key);
    node->used = true;
    if (index < 0) {
        gr_soil_report_param(node, GR_AT_KEY, node->key);
        return;
    }
    if (out->count == GR_SPREAD_PARAMS) {
        gr_node_error(node, GR_ERROR_VALUE, "more than %d parameters", GR_SPREAD_PARAMS);
        return;
    }
    if (!gr_node_is_mapping(node)) {
        return;
    }
    const int kind = gr_distribution_named(node);
    if (kind < 0 || gr_distribution_info((GrDistributionKind)kind)->has_values) {
        gr_node_error(node, GR_ERROR_VALUE,
                      "expected a distribution: normal, log_normal, uniform, log_uniform, triangular or beta, such as "
                      "{normal: {mean: 33, deviation: 2}}");
        return;
    }
    out->param[out->count] = index;
    if (gr_distribution_read(node, kind, &out->distribution[out->count], &values)) {
        gr_fields_end(node);
        out->count++;
    }
    gr_free(values);
}

static int find_correlated(void *context, GrNode *name)
{
    const GrSoilSpread *spread = context;
    char text[64] = "";
    const int i = gr_node_text(name, text, sizeof text) ? find_param(spread, text) : -1;
    if (i < 0) {
        gr_node_error(name, GR_ERROR_NAME, "there is no '%s' among the parameters of the spread", text);
    }
    return i;
}

static void read_correlations(GrNode *section, GrSoilSpread *out)
{
    double *matrix = gr_calloc(GR_SPREAD_PARAMS * GR_SPREAD_PARAMS, sizeof *matrix);
    GrNode *list = gr_field_list(section, "correlate", GR_OPTIONAL);
    const int n = out->count;
    if (matrix == NULL) {
        gr_node_out_of_memory(section);
        return;
    }
    if (list != NULL) {
        gr_correlations_read(list, n, find_correlated, out, matrix, NULL);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            out->correlation[i][j] = i == j ? 1 : matrix[i * n + j];
        }
    }
    gr_free(matrix);
}

static void read_errors(GrNode *section, GrSoilSpread *out)
{
    GrNode *errors = gr_field_mapping(section, "errors", GR_OPTIONAL);
    for (int i = 0; i < GR_SPREAD_QUANTITIES && errors != NULL; i++) {
        GrNode *node = gr_field_mapping(errors, gr_spread_quantity_names[i], GR_OPTIONAL);
        gr_keys_read(node, ERROR, &out->error[i]);
    }
    gr_keys_read(errors != NULL ? gr_field_mapping(errors, PRESS_ERROR, GR_OPTIONAL) : NULL, ERROR, &out->press);
    gr_fields_end(errors);
}

static void read_range(GrNode *section, GrSoilSpread *out)
{
    GrNode *range = gr_field_mapping(section, "range", GR_OPTIONAL);
    for (int i = 0; i < CONDITION_COUNT && range != NULL; i++) {
        double ends[2];
        if (gr_field_numbers(range, CONDITIONS[i].key, GR_OPTIONAL, GR_ANY, ends, 2)) {
            if (!(ends[0] <= ends[1])) {
                gr_node_error(gr_node_find(range, CONDITIONS[i].key), GR_ERROR_VALUE, "%g is above %g", ends[0],
                              ends[1]);
            }
            condition(&out->range, i)[0] = CONDITIONS[i].scale * ends[0];
            condition(&out->range, i)[1] = CONDITIONS[i].scale * ends[1];
        }
    }
    gr_fields_end(range);
}

void gr_soil_spread_read(GrNode *root, GrSoilSpread *out)
{
    int kind = GR_SPREAD_CLASS;
    GrNode *section = gr_field_mapping(root, "spread", GR_OPTIONAL);
    *out = gr_default_soil_spread();
    if (section == NULL) {
        return;
    }
    gr_field_choice(section, "kind", GR_OPTIONAL, gr_spread_kind_names + 1, GR_SPREAD_KINDS - 1, &kind);
    out->kind = (GrSpreadKind)(kind + 1);
    gr_field_text(section, "source", GR_REQUIRED, out->source, sizeof out->source);
    GrNode *params = gr_field_mapping(section, "parameters", GR_REQUIRED);
    for (GrNode *node = params != NULL ? params->first : NULL; node != NULL; node = node->next) {
        read_param(node, out);
    }
    read_correlations(section, out);
    read_errors(section, out);
    read_range(section, out);
    gr_fields_end(section);
    if (root->document->status != GR_OK) {
        *out = gr_default_soil_spread();
    }
}

// ---- writing

static void put_number(GrBuffer *out, const char *before, double value)
{
    char number[GR_NUMBER_SIZE];
    gr_number_round(value, 6, number);
    gr_buffer_printf(out, "%s%s", before, number);
}

static void put_distribution(GrBuffer *out, const GrDistribution *d)
{
    const GrDistributionInfo *info = gr_distribution_info(d->kind);
    const GrDistribution usual = gr_default_distribution(d->kind);
    gr_buffer_printf(out, "{%s: {", info->name);
    for (int i = 0; info->fields[i].name != NULL; i++) {
        double value, otherwise;
        memcpy(&value, (const char *)d + info->fields[i].offset, sizeof value);
        memcpy(&otherwise, (const char *)&usual + info->fields[i].offset, sizeof otherwise);
        if (info->fields[i].is_required || value != otherwise) { // bounds that do not truncate are infinite
            gr_buffer_printf(out, "%s%s", i > 0 ? ", " : "", info->fields[i].name);
            put_number(out, ": ", value);
        }
    }
    gr_buffer_puts(out, "}}\n");
}

static void put_correlations(GrBuffer *out, const GrSoilSpread *spread)
{
    int count = 0;
    for (int i = 0; i < spread->count; i++) {
        for (int j = 0; j < i; j++) {
            if (spread->correlation[i][j] != 0) {
                gr_buffer_printf(out, "%s[%s, %s", count++ > 0 ? ",\n              " : "  correlate: [",
                                 gr_soil_param(spread->param[j])->name, gr_soil_param(spread->param[i])->name);
                put_number(out, ", ", spread->correlation[i][j]);
                gr_buffer_puts(out, "]");
            }
        }
    }
    gr_buffer_puts(out, count > 0 ? "]\n" : "");
}

static void put_errors(GrBuffer *out, const GrSoilSpread *spread)
{
    bool any = false;
    for (int i = 0; i <= GR_SPREAD_QUANTITIES; i++) {
        const GrSpreadError *e = i < GR_SPREAD_QUANTITIES ? &spread->error[i] : &spread->press;
        const double values[] = {e->residual, e->repeats, e->discrepancy};
        static const char *const keys[] = {"residual: ", "repeats: ", "discrepancy: "};
        int count = 0;
        for (int k = 0; k < 3; k++) {
            if (isnan(values[k])) {
                continue;
            }
            if (count == 0) {
                gr_buffer_printf(out, "%s    %s: {", any ? "" : "  errors:\n",
                                 i < GR_SPREAD_QUANTITIES ? gr_spread_quantity_names[i] : PRESS_ERROR);
            }
            gr_buffer_puts(out, count++ > 0 ? ", " : "");
            put_number(out, keys[k], values[k]);
            any = true;
        }
        gr_buffer_puts(out, count > 0 ? "}\n" : "");
    }
}

void gr_soil_spread_write(const GrSoilSpread *spread, GrBuffer *out)
{
    bool any = false;
    if (spread->kind == GR_SPREAD_UNKNOWN) {
        return;
    }
    gr_buffer_printf(out, "\nspread:\n  kind: %s\n  source: ", gr_spread_kind_names[spread->kind]);
    gr_soil_put_text(out, spread->source);
    gr_buffer_puts(out, "\n  parameters:\n");
    for (int i = 0; i < spread->count; i++) {
        gr_buffer_printf(out, "    %s: ", gr_soil_param(spread->param[i])->name);
        put_distribution(out, &spread->distribution[i]);
    }
    put_correlations(out, spread);
    put_errors(out, spread);
    for (int i = 0; i < CONDITION_COUNT; i++) {
        GrConditions range = spread->range;
        const double *ends = condition(&range, i);
        if (!isnan(ends[0])) {
            gr_buffer_printf(out, "%s    %s", any ? "" : "  range:\n", CONDITIONS[i].key);
            put_number(out, ": [", ends[0] / CONDITIONS[i].scale);
            put_number(out, ", ", ends[1] / CONDITIONS[i].scale);
            gr_buffer_puts(out, "]\n");
            any = true;
        }
    }
}

// ---- sampling

/// What is assumed where nothing is known: the scatter between published sets of different soils of one kind.
static const struct {
    const char *name;
    bool logarithmic; ///< deviation of ln x, otherwise of x in the file's unit
    double deviation;
} WIDE[] = {
    {"k_c", true, 0.6},
    {"k_phi", true, 0.6},
    {"k_c_reece", true, 0.6},
    {"k_phi_reece", true, 0.6},
    {"n0", false, 0.1},
    {"c", true, 0.8},
    {"phi", false, 4},
    {"K_x", true, 0.5},
    {"K_y", true, 0.5},
    {"a1", false, 0.1},
    {"a2", false, 0.1},
    {"lambda", false, 0.15},
    {"density", true, 0.1},
    {"xi_n", true, 0.4},
    {"mu_surf", true, 0.25},
    {"stiffness", true, 0.6},
    {"friction", true, 0.25},
    {"wedge", true, 0.4},
    {"wedge_slide", true, 0.4},
    {"slip_sinkage_max", true, 0.6},
    {"slip_sinkage_length", true, 0.5},
    {"plough_sinkage", true, 0.4},
    {"lug_digging", true, 0.5},
    {"lug_digging_length", true, 0.5},
};

void gr_soil_spread_unknown(const GrSoilDef *soil, GrSoilSpread *out)
{
    *out = gr_default_soil_spread();
    gr_text_copy(out->source, sizeof out->source, "unknown spread: a wide one is assumed");
    for (size_t i = 0; i < sizeof WIDE / sizeof WIDE[0]; i++) {
        const int index = gr_soil_param_find(WIDE[i].name);
        const double value = index >= 0 ? gr_soil_param_get(soil, index) : 0;
        const bool usable = !WIDE[i].logarithmic || value > 0;
        if (index < 0 || !gr_soil_param_used(soil, index, GR_SOIL_USE_ALL) || !usable) {
            continue;
        }
        GrDistribution d =
            gr_default_distribution(WIDE[i].logarithmic ? GR_DISTRIBUTION_LOG_NORMAL : GR_DISTRIBUTION_NORMAL);
        d.mean = d.median = value;
        d.deviation = d.log_deviation = WIDE[i].deviation;
        out->param[out->count] = index;
        out->correlation[out->count][out->count] = 1;
        out->distribution[out->count++] = d;
    }
}

/// The factor of the correlations. Those of a file are checked when it is read; rounding of computed ones may leave a
/// matrix that is not quite positive definite, and is then made a little less correlated.
static void factorise(const GrSoilSpread *spread, double factor[GR_SPREAD_PARAMS * GR_SPREAD_PARAMS])
{
    double matrix[GR_SPREAD_PARAMS * GR_SPREAD_PARAMS];
    const int n = spread->count;
    for (int k = 0; k < 64; k++) {
        const double part = 1 - k / 64.0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                const double r = (spread->correlation[i][j] + spread->correlation[j][i]) / 2;
                matrix[i * n + j] = i == j ? 1 : part * r;
            }
        }
        if (gr_correlation_factor(n, matrix, factor, (GrLocation){0}, NULL) == GR_OK) {
            return;
        }
    }
    GR_CHECK(false); // independent variables always have a factor
}

// ---- errors that remain after a fit

static const double WIDE_SLIP = 0.2, WIDE_ANGLE = 15 * GR_DEGREE, WIDE_FACTOR = 1.5;

/// Distance from a range; 0 inside, and where the range is not known.
static double beyond(const double range[2], double value)
{
    return fmax(fmax(range[0] - value, value - range[1]), 0);
}

/// The same of the logarithm.
static double beyond_factor(const double range[2], double value)
{
    const double logs[2] = {gr_log(range[0]), gr_log(range[1])};
    return beyond(logs, gr_log(value));
}

double gr_conditions_outside(const GrConditions *range, const GrCondition *at)
{
    static const double rounding = 1e-4; // files have six digits
    const double factor = gr_log(WIDE_FACTOR);
    const double far[] = {
        beyond(range->slip, at->slip) / WIDE_SLIP,         beyond(range->slip_angle, fabs(at->slip_angle)) / WIDE_ANGLE,
        beyond_factor(range->load, at->load) / factor,     beyond_factor(range->width, at->width) / factor,
        beyond_factor(range->radius, at->radius) / factor,
    };
    double most = 0;
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        most = fmax(most, far[i]);
    }
    return most > rounding ? most : 0;
}

const char *gr_band_word(double outside)
{
    return outside > 0 ? "extrapolated" : "interpolated";
}

double gr_spread_remains(const GrSpreadError *error, double outside)
{
    const double residual = isnan(error->residual) ? error->discrepancy : error->residual, inner = residual * residual;
    const double outer = isnan(error->discrepancy) ? inner : error->discrepancy * error->discrepancy;
    return sqrt(inner + fmin(outside, 1) * fmax(outer - inner, 0));
}

double gr_spread_remains_at(const GrSoilSpread *spread, GrSpreadQuantity quantity, const GrCondition *at,
                            double outside)
{
    const GrSpreadError *error = &spread->error[quantity];
    const bool straight = quantity == GR_SPREAD_FY && fabs(at->slip_angle) < GR_STRAIGHT_AHEAD;
    return straight && !isnan(error->repeats) ? error->repeats : gr_spread_remains(error, outside);
}

bool gr_spread_has_errors(const GrSoilSpread *spread)
{
    bool any = false;
    for (int i = 0; i < GR_SPREAD_QUANTITIES; i++) {
        any = any || !isnan(spread->error[i].residual) || !isnan(spread->error[i].discrepancy);
    }
    return spread->kind == GR_SPREAD_FIT && any;
}

bool gr_soil_sample_read(const char *text, int *index, int *count)
{
    *index = *count = 0;
    if (strcmp(text, "none") == 0) {
        return true;
    }
    char *slash, *end = NULL;
    const long number = strtol(text, &slash, 10), of = *slash == '/' ? strtol(slash + 1, &end, 10) : 0;
    if (end == NULL || *end != '\0' || of < 1 || of > 100000 || number < 1 || number > of) {
        return false;
    }
    *index = (int)number - 1;
    *count = (int)of;
    return true;
}

void gr_soil_sample_errors(const GrSoilSpread *spread, double outside, int index, int count, GrSoilDef *soil)
{
    double *const errors[GR_SPREAD_QUANTITIES] = {&soil->error_fx, &soil->error_fy, &soil->error_torque,
                                                  &soil->error_sinkage};
    double u[GR_SPREAD_QUANTITIES];
    // a seed of their own: the parameters of a sample are the same with and without errors
    gr_sample_point(GR_SAMPLING_LATIN, (uint64_t)index, (uint64_t)count, GR_SPREAD_QUANTITIES, GR_SOIL_SEED + 1, u);
    for (int i = 0; i < GR_SPREAD_QUANTITIES && gr_spread_has_errors(spread); i++) {
        const double deviation = gr_spread_remains(&spread->error[i], outside);
        *errors[i] = isnan(deviation) ? 0 : deviation * gr_normal_quantile(u[i]);
    }
}

void gr_soil_sample(const GrSoilSpread *spread, const GrSoilSources *sources, const GrSoilDef *soil, uint64_t seed,
                    int index, int count, GrSoilDef *out)
{
    double u[GR_SPREAD_PARAMS], all[GR_SOIL_INPUTS], factor[GR_SPREAD_PARAMS * GR_SPREAD_PARAMS];
    const int n = spread->count;
    // a column for each parameter of the table, so that a parameter has the same quantile in all soils and laws
    gr_sample_point(GR_SAMPLING_LATIN, (uint64_t)index, (uint64_t)count, gr_soil_param_count(), seed, all);
    for (int i = 0; i < n; i++) {
        u[i] = all[spread->param[i]];
    }
    factorise(spread, factor);
    gr_correlate(n, factor, u);
    // a sample that violates a check of several parameters moves towards the soil itself
    double part = 1;
    for (int k = 0; k < 10; k++) {
        *out = *soil;
        for (int i = 0; i < n; i++) {
            const GrSoilParam *param = gr_soil_param(spread->param[i]);
            const double own = gr_soil_param_get(soil, spread->param[i]);
            const double value = own + part * (gr_distribution_quantile(&spread->distribution[i], u[i]) - own);
            if (sources == NULL || !sources->overridden[spread->param[i]]) {
                gr_soil_param_set(out, spread->param[i], fmin(fmax(value, param->lower), param->upper));
            }
        }
        if (gr_soil_check(out, NULL) == GR_OK) {
            return;
        }
        part /= 2;
    }
    *out = *soil;
}

void gr_soil_take_sample(const GrSoilSpread *spread, const GrSoilSources *sources, int index, int count,
                         GrSoilDef *soil)
{
    const GrSoilDef nominal = *soil;
    GrSoilSpread own;
    if (count == 0) {
        return;
    }
    if (spread->kind == GR_SPREAD_UNKNOWN) { // of what the law reads
        gr_soil_spread_unknown(&nominal, &own);
        spread = &own;
    }
    gr_soil_sample(spread, sources, &nominal, GR_SOIL_SEED, index, count, soil);
    gr_soil_sample_errors(spread, 1, index, count, soil);
}
