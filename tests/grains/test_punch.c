/// A flat strip pressed into grains under a surcharge, against the bearing capacity of plasticity: p = q N_q, which is
/// exact for weightless soil (Prandtl 1921, Reissner 1924), with the friction angle that the same grains keep in plane
/// strain when their volume no longer changes. The surcharge is a thin layer of heavy grains; the soil's own weight
/// adds less than a tenth.
///
/// The bed is compacted: one as it settles shrinks where it is sheared, and the strip sinks before the ground beside it
/// yields (docs/grains.md).
///
///     grains_test_punch [WIDTH [GPU [RATE [SEED [SOLID [PRESSURE]]]]]]
///
/// without arguments runs the test; with them prints a curve: of a strip of WIDTH mean diameters, or with WIDTH 0 of
/// the biaxial test under PRESSURE. GPU 0: processors. RATE: widths, or the strain, a second.
#include "bed.h"
#include "grain_test.h"
#include "surface_mesh.h"

#include <stdio.h>
#include <stdlib.h>

static const double DIAMETER = 0.004, GRAVITY = 2; // [m], [m/s²]: overlaps stay below two hundredths of a radius
static const double FRICTION = 0.25;               // of grains
enum { PARTS = 60 };                               // of a curve

typedef struct Case {
    double width;     ///< of the strip, and of the sample whose friction is measured, in diameters
    double surcharge; ///< over γ B
    double friction;  ///< of the grains
    double solid;     ///< part of the volume to which the bed is compacted; 0: as it settles
    uint64_t seed;
    GrBinWork work;
} Case;

typedef struct Curve {
    double strain[PARTS], value[PARTS], other[PARTS];
    int count;
} Curve;

static GrStatus must(GrStatus status, const GrErrorLog *log)
{
    if (status != GR_OK) {
        fail_msg("%s", log->items[0].text);
    }
    return status;
}

/// Grains as they settle under gravity, along a periodic strip of six diameters. Round grains of moderate friction:
/// their friction angle hardly falls after its peak.
static GrBin *settled(const Case *c, double length, double depth, GrBinSide side)
{
    GrErrorLog log = {0};
    GrBedDef def = gr_default_bed_def();
    GrBin *bin = NULL;
    def.bin.size[0] = length, def.bin.size[1] = 6 * DIAMETER, def.bin.size[2] = 3 * depth;
    def.bin.gravity[2] = -GRAVITY;
    def.bin.sides[0] = side, def.bin.sides[1] = GR_SIDE_PERIODIC, def.bin.sides[2] = GR_SIDE_OPEN;
    def.bin.grains.diameter = DIAMETER, def.bin.grains.spread = 0.2;
    def.bin.grains.friction = c->friction, def.bin.grains.rolling = 0;
    def.bin.grains.wall_friction = def.bin.grains.wall_rolling = 0;
    def.bin.work = c->work;
    def.depth = depth, def.bulk_density = c->solid * def.bin.grains.density;
    def.seed = c->seed;
    must(gr_bed_prepare(&def, NULL, &bin, &log), &log);
    return bin;
}

/// The grains that `keep` takes, at rest where they are.
static GrBinStart *starts_of(const GrBin *bin, bool (*keep)(const void *, GrVec3, double), const void *context,
                             int *count)
{
    const GrGrain *grains = gr_bin_grains(bin);
    GrBinStart *start = gr_calloc((size_t)bin->view.count, sizeof *start);
    assert_non_null(start);
    *count = 0;
    for (int i = 0; i < bin->view.count; i++) {
        const GrVec3 p = gr_bin_position(bin, &grains[i]);
        const double r = (double)grains[i].radius;
        if (keep == NULL || keep(context, p, r)) {
            start[(*count)++] = (GrBinStart){.position = p, .radius = r};
        }
    }
    return start;
}

// ---- friction angle in plane strain

/// A wall's velocity that takes its pressure to `wanted` within some hundredths of a second.
static double servo(double pressure, double wanted, double gain)
{
    return fmin(fmax(gain * (pressure - wanted), -0.02), 0.02);
}

/// Biaxial test between smooth walls: the lid comes down at `rate`, the sides hold `pressure`, as if the volume stayed.
/// Value: sine of the friction angle, (σz − σx)/(σz + σx); other: growth of the volume.
static Curve biaxial(const Case *c, double pressure, double rate)
{
    GrErrorLog log = {0};
    const double side = 24 * DIAMETER;
    GrBin *bed = settled(c, side, side, GR_SIDE_WALL), *bin = NULL;
    int count;
    GrBinDef def = bed->def;
    GrBinStart *start = starts_of(bed, NULL, NULL, &count);
    def.sides[2] = GR_SIDE_WALL;
    def.size[0] = 1.4 * side; // room for the wall to draw back
    def.size[2] = gr_bin_measure(bed).top;
    def.gravity[2] = 0;
    must(gr_bin_create(&def, start, count, &bin, &log), &log);
    gr_free(start);
    gr_bin_free(bed);
    bin->plane_at[1] = side;
    Curve curve = {.count = 0};
    const double gain = side / (0.03 * 0.035 * def.grains.young), y = def.size[1];
    double high = 0, wide = 0, begin = 0, axial = 0, lateral = 0, time = 0, sheared = (double)INFINITY;
    while (curve.count < PARTS) {
        must(gr_bin_step(bin, &log), &log);
        high = bin->plane_at[5], wide = bin->plane_at[1];
        const double z = (bin->force[5].z - bin->force[4].z) / 2 / (wide * y);
        const double x = (bin->force[1].x - bin->force[0].x) / 2 / (high * y);
        const bool under_way = bin->time > sheared;
        bin->plane_velocity[1].x = servo(x, pressure, gain) + (under_way ? rate * begin * wide / high : 0);
        bin->plane_velocity[5].z = under_way ? -rate * begin : servo(z, pressure, gain);
        bin->damping = under_way ? 0 : 5;
        if (!under_way) {
            const bool there = bin->time > 0.2 && fabs(z / pressure - 1) < 0.02 && fabs(x / pressure - 1) < 0.02;
            assert_true(bin->time < 5);
            sheared = there ? bin->time : (double)INFINITY;
            begin = high, lateral = axial = time = 0;
            curve.other[0] = wide * high;
            continue;
        }
        axial += z, lateral += x, time += 1;
        if ((begin - high) / begin > 0.2 * (curve.count + 1) / PARTS) {
            curve.strain[curve.count] = (begin - high) / begin;
            curve.value[curve.count] = (axial - lateral) / (axial + lateral);
            if (curve.count > 0) {
                curve.other[curve.count] = wide * high / curve.other[0] - 1;
            }
            curve.count++;
            axial = lateral = time = 0;
        }
    }
    curve.other[0] = 0;
    gr_bin_free(bin);
    return curve;
}

// ---- the strip

typedef struct Strip {
    double middle, half, level; ///< place along x, half its width, height of its bottom at the start [m]
} Strip;

static bool beside_strip(const void *context, GrVec3 p, double r)
{
    const Strip *s = context;
    return fabs(p.x - s->middle) > s->half + r || p.z + r < s->level;
}

/// A strip that goes through the whole period: a bottom and two sides.
static int add_strip(GrBin *bin, const Strip *s)
{
    GrErrorLog log = {0};
    GrSurfaceMesh mesh = {0};
    const double x = s->half, y = bin->def.size[1] / 2, z = 8 * DIAMETER;
    const GrVec3 corners[8] = {gr_vec3(-x, -y, 0), gr_vec3(x, -y, 0), gr_vec3(x, y, 0), gr_vec3(-x, y, 0),
                               gr_vec3(-x, -y, z), gr_vec3(x, -y, z), gr_vec3(x, y, z), gr_vec3(-x, y, z)};
    for (int k = 0; k < 8; k++) {
        gr_surface_mesh_vertex(&mesh, corners[k]);
    }
    gr_surface_mesh_quad(&mesh, 3, 2, 1, 0);
    gr_surface_mesh_quad(&mesh, 0, 4, 7, 3);
    gr_surface_mesh_quad(&mesh, 1, 2, 6, 5);
    int body = 0;
    must(gr_bin_add_body(bin, &mesh, 0, 0, &body, &log), &log);
    gr_surface_mesh_free(&mesh);
    bin->bodies[body].position = gr_vec3(s->middle, y, s->level);
    return body;
}

/// Makes the grains above the strip's level heavier by a factor, before a GPU has them. Returns their weight over the
/// area beside the strip [Pa].
static double make_heavy(GrBin *bin, const Strip *s, double factor)
{
    double mass = 0;
    for (int i = 0; i < bin->view.count; i++) {
        GrGrain *g = &bin->view.now[i];
        if (gr_bin_position(bin, g).z > s->level) {
            g->light = (float)((double)g->light / factor);
            mass += 1 / (double)g->light;
        }
    }
    return mass * GRAVITY / ((bin->def.size[0] - 2 * s->half) * bin->def.size[1]);
}

/// Pressure of the strip (value) over its sinkage in parts of its width, and the surcharge and γ B beside it.
static Curve punch(const Case *c, double speed, double *surcharge, double *weight)
{
    GrErrorLog log = {0};
    const double width = c->width * DIAMETER, layer = 2 * DIAMETER;
    GrBin *bed = settled(c, 8 * width, 2.2 * width + layer, GR_SIDE_PERIODIC), *bin = NULL;
    const Strip strip = {4 * width, width / 2, gr_bed_surface(bed) - layer};
    const double solid = gr_bed_answer(bed).solid;
    int count;
    GrBinDef def = bed->def;
    GrBinStart *start = starts_of(bed, beside_strip, &strip, &count);
    gr_bin_free(bed);
    def.gravity[2] = -GRAVITY;
    def.work = (GrBinWork){.threads = c->work.threads};
    must(gr_bin_create(&def, start, count, &bin, &log), &log);
    gr_free(start);
    bin->def.work = c->work; // a GPU gets the grains at the first step, when they are heavy
    *weight = solid * def.grains.density * GRAVITY * width;
    *surcharge = make_heavy(bin, &strip, c->surcharge * c->width / 2);
    const int body = add_strip(bin, &strip);
    bin->damping = 5;
    run_for(bin, 0.4);
    bin->damping = 0;
    bin->bodies[body].velocity.z = -speed;
    Curve curve = {.count = 0};
    double sum = 0, steps = 0, from = NAN;
    while (curve.count < PARTS) {
        must(gr_bin_step(bin, &log), &log);
        const double p = bin->force[GR_PLANES + body].z / (width * def.size[1]), z = bin->bodies[body].position.z;
        from = isnan(from) && p > *surcharge / 2 ? z : from;
        sum += p, steps += 1;
        if ((from - z) / width > 0.4 * (curve.count + 1) / PARTS) {
            curve.strain[curve.count] = (from - z) / width;
            curve.value[curve.count++] = sum / steps;
            sum = steps = 0;
        }
        assert_true(strip.level - z < 0.6 * width);
    }
    gr_bin_free(bin);
    return curve;
}

// ---- the comparison

static double factor_q(double sine)
{
    const double tangent = sine / sqrt(1 - sine * sine);
    return exp(GR_PI * tangent) * (1 + sine) / (1 - sine);
}

/// Of the soil's own weight, for a smooth strip: half of Meyerhof's for a rough one.
static double factor_g(double sine)
{
    return 0.5 * (factor_q(sine) - 1) * tan(1.4 * asin(sine));
}

/// Mean of a curve between two strains.
static double mean_of(const Curve *c, double from, double to)
{
    double sum = 0;
    int n = 0;
    for (int k = 0; k < c->count; k++) {
        if (c->strain[k] >= from && c->strain[k] <= to) {
            sum += c->value[k], n++;
        }
    }
    assert_true(n > 0);
    return sum / n;
}

/// Bearing capacity with a friction angle, the strip sunk by a part of its width.
static double capacity(double sine, double surcharge, double weight, double sunk)
{
    return surcharge * factor_q(sine) + weight * (0.5 * factor_g(sine) + sunk * factor_q(sine));
}

static void print_curve(const char *name, const Curve *c, double unit)
{
    printf("%s\n", name);
    for (int k = 0; k < c->count; k++) {
        printf("%.4f %.4g %.4f\n", c->strain[k], c->value[k] / unit, c->other[k]);
    }
}

static void report(const Case *c, double pressure, double rate)
{
    if (c->width > 0) {
        double surcharge, weight;
        const Curve strip = punch(c, rate * c->width * DIAMETER, &surcharge, &weight);
        print_curve("sinkage over width, pressure over surcharge, 0", &strip, surcharge);
        printf("surcharge %.4g Pa, gamma B %.4g Pa\n", surcharge, weight);
    } else {
        const Curve shear = biaxial(c, pressure, rate);
        const double sine = mean_of(&shear, 0.15, 0.2);
        print_curve("strain, sine of the friction angle, growth of the volume", &shear, 1);
        printf("at %.4g Pa: friction angle %.2f degrees, N_q %.3f\n", pressure, asin(sine) * 180 / GR_PI,
               factor_q(sine));
    }
}

/// After 15 % of strain the angle is that of any density; the strip has come to its level after 0.2 B.
static void test_punch(void **state)
{
    (void)state;
    if (GR_TEST_LONG(0, 1)) {
        skip();
    }
    const Case c = {
        .width = 10, .surcharge = 5, .friction = FRICTION, .solid = 0.63, .seed = 1, .work = {.threads = 0}};
    double surcharge, weight;
    const Curve strip = punch(&c, 0.5 * c.width * DIAMETER, &surcharge, &weight);
    const Curve shear = biaxial(&c, 3 * surcharge, 0.5);
    const double sine = mean_of(&shear, 0.15, 0.2), p = mean_of(&strip, 0.2, 0.4);
    const double theory = capacity(sine, surcharge, weight, 0.3);
    print_message("%.4g Pa, theory %.4g Pa: ratio %.3f; N_q %.3f\n", p, theory, p / theory, factor_q(sine));
    assert_near(surcharge, 5 * weight, weight);
    assert_near_rel(p, theory, 0.2);
    assert_true(mean_of(&shear, 0.04, 0.09) > sine + 0.05); // denser than at the end
}

static double argument(int argc, char **argv, int k, double usual)
{
    return argc > k ? strtod(argv[k], NULL) : usual;
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        const Case c = {.width = argument(argc, argv, 1, 0),
                        .surcharge = 5,
                        .friction = FRICTION,
                        .solid = argument(argc, argv, 5, 0),
                        .seed = (uint64_t)argument(argc, argv, 4, 1),
                        .work = {.threads = 0, .gpu = (int)argument(argc, argv, 2, 0)}};
        report(&c, argument(argc, argv, 6, 3000), argument(argc, argv, 3, 0.25));
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_punch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
