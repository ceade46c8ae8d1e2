#include "craters.h"

#include "alloc.h"
#include "crater_shape.h"
#include "elementary.h"
#include "out_of_memory.h"
#include "random.h"

#include <math.h>
#include <string.h>

enum { MOST_CRATERS = 5000000 };

static const GrCraterLaw LAWS[] = {
    {"moon", 2, {0, 80}, {0.029174, 0.156228}, {1.92, 2.389}},
    {"trask", 1, {0, INFINITY}, {0.07943282347242815, 0}, {2, 0}},
};

const GrCraterLaw *gr_crater_law(const char *name)
{
    for (size_t k = 0; k < sizeof LAWS / sizeof LAWS[0]; k++) {
        if (strcmp(name, LAWS[k].name) == 0) {
            return &LAWS[k];
        }
    }
    return NULL;
}

double gr_crater_law_count(const GrCraterLaw *law, double diameter)
{
    const int piece = law->pieces > 1 && diameter > law->from[1] ? 1 : 0;
    return law->coefficient[piece] * gr_pow(diameter, -law->exponent[piece]);
}

/// Poisson-distributed number: by summing waiting times up to a mean of 1000, by the normal limit beyond.
static double draw_poisson(GrRandom *random, double mean)
{
    if (mean > 1000) {
        return fmax(0, nearbyint(mean + sqrt(mean) * gr_random_normal(random)));
    }
    double count = -1, time = 0;
    do {
        time -= gr_log(1 - gr_random_unit(random));
        count++;
    } while (time < mean);
    return count;
}

/// The diameter above which a given fraction of all craters lies: bisection of the law, which decreases monotonically.
static double find_diameter(const GrCraterLaw *law, double count, double lower, double upper)
{
    double a = gr_log(lower), b = gr_log(upper);
    for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (a + b);
        if (gr_crater_law_count(law, gr_exp(middle)) > count) {
            a = middle;
        } else {
            b = middle;
        }
    }
    return gr_exp(0.5 * (a + b));
}

GrStatus gr_craters_sow(const GrCraterFieldDef *def, GrCrater **out, int *count, GrErrorLog *log)
{
    const GrCraterLaw *law = def->law;
    const GrBox2 box = def->box;
    const double lower = def->lower, upper = def->upper;
    const double most = gr_crater_law_count(law, lower), least = gr_crater_law_count(law, upper);
    const double area = (box.x_upper - box.x_lower) * (box.y_upper - box.y_lower);
    const double mean = def->density * area * fmax(0, most - least);
    *count = 0;
    *out = NULL;
    if (mean > MOST_CRATERS) {
        return gr_error_add(
            log, GR_ERROR_VALUE, (GrLocation){.field = "craters"},
            "%.0f craters of %g m and more are needed here, but at most %d are allowed; raise smallest_m", mean, lower,
            MOST_CRATERS);
    }
    GrRandom random = gr_random_stream(def->seed, "craters");
    const int wanted = (int)draw_poisson(&random, mean);
    GrCrater *craters = gr_malloc(((size_t)wanted + 1) * sizeof *craters);
    if (craters == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    for (int k = 0; k < wanted; k++) {
        GrCrater *c = &craters[k];
        c->x = gr_random_uniform(&random, box.x_lower, box.x_upper);
        c->y = gr_random_uniform(&random, box.y_lower, box.y_upper);
        c->diameter = find_diameter(law, least + gr_random_unit(&random) * (most - least), lower, upper);
        // Craters form at a constant rate, so ages are uniform up to the age of the ground.
        c->age = 4 * def->kt * gr_random_unit(&random) / (c->diameter * c->diameter);
        c->scale = c->diameter * gr_crater_depth_ratio(c->diameter) / GR_CRATER_DEPTH;
    }
    *out = craters;
    *count = wanted;
    return GR_OK;
}
