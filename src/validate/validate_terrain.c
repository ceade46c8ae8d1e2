/// Generated ground: counts of rocks and craters compared with the laws published for Mars and the Moon.
#include "alloc.h"
#include "craters.h"
#include "elementary.h"
#include "grouser/assets.h"
#include "validate.h"

#include <math.h>

static const double HECTARE = 1e4; // [m²]

static GrRockFieldDef hectare_of_rocks(double lower, double upper)
{
    GrRockFieldDef def = gr_default_rock_field_def();
    def.box = (GrBox2){-50, -50, 50, 50};
    def.diameter_lower = lower;
    def.diameter_upper = upper;
    def.seed = 1;
    return def;
}

/// Number of rocks of at least a given diameter, and the fraction of the hectare that they cover.
static int count_rocks(const GrRockField *field, double diameter, double *share)
{
    int count = 0;
    *share = 0;
    for (int i = 0; i < field->count; i++) {
        if (field->rocks[i].diameter >= diameter) {
            *share += GR_PI / 4 * field->rocks[i].diameter * field->rocks[i].diameter / HECTARE;
            count++;
        }
    }
    return count;
}

/// ∫ 4 k q e^(−q x)/(π x²) dx from D to `upper`, Simpson's rule: the published law is an area fraction, not a count.
static double golombek_count(double k, double lower, double upper)
{
    enum { INTERVALS = 4000 };
    const double q = 1.79 + 0.152 / k, step = (upper - lower) / INTERVALS;
    double sum = 0;
    for (int i = 0; i <= INTERVALS; i++) {
        const double x = lower + step * i, weight = i == 0 || i == INTERVALS ? 1 : i % 2 ? 4 : 2;
        sum += weight * 4 * k * q * gr_exp(-q * x) / (GR_PI * x * x);
    }
    return sum * step / 3;
}

static GrStatus run_mars_rocks(GrFindings *out, GrErrorLog *log)
{
    static const double shares[] = {0.02, 0.05, 0.1, 0.3};
    const double upper = 3, sizes[] = {0.2, 0.5};
    GrStatus status = GR_OK;
    for (int i = 0; i < 4 && status == GR_OK; i++) {
        GrRockFieldDef def = hectare_of_rocks(sizes[0], upper);
        GrRockField field;
        def.k = shares[i];
        status = gr_rock_field_make(&def, &field, log);
        for (int j = 0; j < 2 && status == GR_OK; j++) {
            const double q = 1.79 + 0.152 / def.k, count = HECTARE * golombek_count(def.k, sizes[j], upper);
            const double area = def.k * (gr_exp(-q * sizes[j]) - gr_exp(-q * upper)), scatter = 1 / sqrt(count);
            double share;
            const int found = count_rocks(&field, sizes[j], &share);
            gr_findings_add(out, 100 * area, 100 * share, 100 * area * scatter,
                            "area under rocks of %g m and more, k = %g [%%]", sizes[j], def.k);
            gr_findings_check(out, count, found, count * scatter, "rocks of %g m and more on a hectare, k = %g",
                              sizes[j], def.k);
        }
        if (status == GR_OK) {
            gr_rock_field_free(&field);
        }
    }
    return status;
}

static GrStatus run_moon_rocks(GrFindings *out, GrErrorLog *log)
{
    static const struct {
        const char *place;
        double coefficient, exponent;
    } laws[] = {{"VIPER specification", 0.0003, 2.482}, {"between craters", 1e-4, 1.755}, {"Haworth", 0.002, 2.661}};
    const double lower = 0.15, upper = 3, sizes[] = {0.15, 0.3};
    GrStatus status = GR_OK;
    for (int i = 0; i < 3 && status == GR_OK; i++) {
        GrRockFieldDef def = hectare_of_rocks(lower, upper);
        GrRockField field;
        def.law = GR_ROCKS_POWER;
        def.coefficient = laws[i].coefficient;
        def.exponent = laws[i].exponent;
        status = gr_rock_field_make(&def, &field, log);
        for (int j = 0; j < 2 && status == GR_OK; j++) {
            double share;
            const double expected = HECTARE * laws[i].coefficient *
                                    (gr_pow(sizes[j], -laws[i].exponent) - gr_pow(upper, -laws[i].exponent));
            gr_findings_add(out, expected, count_rocks(&field, sizes[j], &share), fmax(1, sqrt(expected)),
                            "rocks of %g m and more on a hectare, %s", sizes[j], laws[i].place);
        }
        if (status == GR_OK) {
            gr_rock_field_free(&field);
        }
    }
    return status;
}

/// Craters of a square of 2 km, whose number is Poisson-distributed.
static GrStatus run_craters(GrFindings *out, GrErrorLog *log)
{
    const double side = 2000, sizes[] = {20, 50, 100};
    const GrCraterFieldDef def = {.law = gr_crater_law("moon"),
                                  .density = 1,
                                  .lower = sizes[0],
                                  .upper = 1000,
                                  .box = {0, 0, side, side},
                                  .seed = 1};
    GrCrater *craters;
    int count;
    const GrStatus status = gr_craters_sow(&def, &craters, &count, log);
    if (status != GR_OK) {
        return status;
    }
    for (int j = 0; j < 3; j++) {
        const double d = sizes[j];
        const double law = (d <= 80 ? 29174 * gr_pow(d, -1.92) : 156228 * gr_pow(d, -2.389)) / 1e6;
        const double expected = side * side * (law - 156228e-6 * gr_pow(def.upper, -2.389));
        int found = 0;
        for (int i = 0; i < count; i++) {
            found += craters[i].diameter >= d;
        }
        gr_findings_add(out, expected, found, 2 * sqrt(expected), "craters of %g m and more on 4 km²", d);
    }
    gr_free(craters);
    return GR_OK;
}

static const GrValidationCase CASES[] = {
    {"terrain/rocks_mars", "Golombek & Rapp 1997",
     "Golombek & Rapp 1997: area k exp(-q D) under rocks, q = 1.79 + 0.152/k; numbers by quadrature of that area",
     "the scatter of a count, 1/sqrt(N)", run_mars_rocks, NULL},
    {"terrain/rocks_moon", "VIPER specification",
     "cumulative rocks a square metre: VIPER specification 0.0003 D^-2.482, between craters 1e-4 D^-1.755, Haworth "
     "0.002 "
     "D^-2.661",
     "the scatter of a count, sqrt(N), and at least one rock", run_moon_rocks, NULL},
    {"terrain/craters_moon", "lunar crater law",
     "cumulative craters a square kilometre: 29174 d^-1.92 to 80 m, 156228 d^-2.389 above",
     "2 sqrt(N): the number is Poisson's", run_craters, NULL},
};

const GrValidationGroup gr_validate_terrain = {CASES, sizeof CASES / sizeof CASES[0]};
