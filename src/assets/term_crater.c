/// Term: one crater at a given position, for tests with a known obstacle. Its shape is that of the craters in a field.
#include "alloc.h"
#include "crater_shape.h"
#include "elementary.h"
#include "term.h"

#include <math.h>

static const GrTermParameter CRATER[] = {
    {"diameter_m", 10, 0.05, 1e5, "from rim to rim"},
    {"x_m", 0, -1e7, 1e7, "its middle"},
    {"y_m", 0, -1e7, 1e7, "its middle"},
    {"depth_ratio", 0, 0, 0.5, "rim above floor over the diameter; 0: that of a fresh crater of this size"},
    {"age", 0, 0, 100, "age by creep: diffusivity times time over the radius squared"},
};

typedef struct Crater {
    double x, y, radius, scale;
    GrCraterShapes shapes;
    GrCraterAge age;
} Crater;

static GrStatus prepare(const GrTermInput *input, void **state, GrErrorLog *log)
{
    (void)log;
    Crater *c = gr_malloc(sizeof *c);
    if (c == NULL) {
        return GR_ERROR_MEMORY;
    }
    const double diameter = input->values[0];
    const double ratio = input->values[3] > 0 ? input->values[3] : gr_crater_depth_ratio(diameter);
    c->x = input->values[1];
    c->y = input->values[2];
    c->radius = 0.5 * diameter;
    c->scale = diameter * ratio / GR_CRATER_DEPTH;
    gr_crater_shapes_make(&c->shapes);
    c->age = gr_crater_age(&c->shapes, input->values[4]);
    *state = c;
    return GR_OK;
}

static double height(const void *state, double x, double y)
{
    const Crater *c = state;
    const double r = gr_hypot(x - c->x, y - c->y) / c->radius;
    return r < GR_CRATER_REACH ? c->scale * gr_crater_aged(&c->shapes, r, &c->age) : 0;
}

const GrTerm gr_term_crater = {
    .info = {"crater", "one crater at a given position", CRATER, GR_TERM_COUNT(CRATER)},
    .prepare = prepare,
    .height = height,
};
