#include "random_scenario.h"

#include "grouser/soil.h"
#include "random.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/// Shipped rovers with the speed that suits them and half of their length.
typedef struct Rover {
    const char *name;
    double speed; ///< [m/s]
    double reach; ///< [m]
    bool steers;
} Rover;

static const Rover ROVERS[] = {
    {"curiosity_like", 0.1, 1.5, true}, {"el_dorado2", 0.05, 0.4, true},   {"exomars_like", 0.05, 0.8, true},
    {"lrv_like", 0.5, 1.5, true},       {"rashid_like", 0.05, 0.3, false}, {"viper_like", 0.15, 0.9, true},
};

static const char *const BODIES[] = {"earth", "moon", "mars"};
static const char *const NORMAL_LAWS[] = {"hunt_crossley", "hunt_crossley_b23", "hertz", "spring_dashpot"};
static const char *const FRICTION_LAWS[] = {"spring", "tanh", "bengisu_akay", "pacejka"};

#define COUNT(array)        (int)(sizeof(array) / sizeof(array)[0])
#define PICK(random, array) (array)[gr_random_below(random, sizeof(array) / sizeof(array)[0])]

static bool chance(GrRandom *random, double share)
{
    return gr_random_unit(random) < share;
}

/// Uniform in the logarithm.
static double decade(GrRandom *random, double lower, double upper)
{
    return lower * exp(gr_random_unit(random) * log(upper / lower));
}

static void put_gravity(GrRandom *random, GrBuffer *out)
{
    if (chance(random, 0.8)) {
        gr_buffer_printf(out, "gravity: %s\n", PICK(random, BODIES));
    } else {
        gr_buffer_printf(out, "gravity: %.3g\n", gr_random_uniform(random, 0.8, 12));
    }
}

/// What later parts of a scenario depend on.
typedef struct Ground {
    bool grid;  ///< the law is the grid, which is slow
    bool rigid; ///< there is no soil
    bool rocks;
} Ground;

static Ground put_soil(GrRandom *random, const GrNameList *soils, GrBuffer *out)
{
    if (chance(random, 0.12)) {
        gr_buffer_puts(out, "soil: none\n");
        return (Ground){.rigid = true};
    }
    gr_buffer_printf(out, "soil: {use: %s", soils->names[gr_random_below(random, (uint64_t)soils->count)]);
    Ground ground = {0};
    if (chance(random, 0.6)) {
        const GrSoilLaw law = (GrSoilLaw)gr_random_below(random, GR_SOIL_LAW_COUNT);
        gr_buffer_printf(out, ", law: %s", gr_soil_law_name(law));
        ground.grid = law == GR_SOIL_SCM;
    }
    gr_buffer_puts(out, "}\n");
    if (!ground.grid && chance(random, 0.15)) {
        gr_buffer_printf(out, "ruts: %s\n", chance(random, 0.5) ? "trace" : "scm");
    }
    return ground;
}

static void put_ground(GrRandom *random, GrBuffer *out)
{
    // One draw a statement: the order of a call's arguments is the compiler's.
    const int seed = (int)gr_random_below(random, 1000);
    gr_buffer_printf(out, "terrain:\n  seed: %d\n  size_m: 60\n  add:\n", seed);
    const double toward = gr_random_uniform(random, 0, 360), slope = gr_random_uniform(random, 0, 8);
    gr_buffer_printf(out, "    - plane: {slope_deg: %.3g, toward_deg: %.3g}\n", slope, toward);
    if (chance(random, 0.6)) {
        const double rms = decade(random, 0.005, 0.04), hurst = gr_random_uniform(random, 0.6, 0.95);
        gr_buffer_printf(out, "    - fractal: {hurst: %.3g, rms_m: %.3g, lag_m: 1, smallest_m: 0.4}\n", hurst, rms);
    }
    if (chance(random, 0.2)) {
        const double wavelength = decade(random, 3, 20);
        gr_buffer_printf(out, "    - ripples: {wavelength_m: %.3g, height_m: %.3g}\n", wavelength, 0.05 * wavelength);
    }
    if (chance(random, 0.1)) {
        gr_buffer_puts(out, "    - craters: {smallest_m: 2, largest_m: 20}\n");
    }
}

static void put_rocks(GrRandom *random, GrBuffer *out)
{
    static const char *const shapes[] = {"hull", "ellipsoid", "noise"};
    const char *shape = PICK(random, shapes);
    const double largest = gr_random_uniform(random, 0.12, 0.25), k = decade(random, 0.005, 0.05);
    gr_buffer_printf(out, "  rocks: {law: golombek, k: %.3g, smallest_m: 0.1, largest_m: %.3g, shape: %s", k, largest,
                     shape);
    if (chance(random, 0.3)) {
        gr_buffer_printf(out, ", loose_below_m: %.3g", gr_random_uniform(random, 0.1, 0.2));
    }
    gr_buffer_puts(out, "}\n");
}

static void put_path(GrRandom *random, const Rover *rover, double speed, double duration, GrBuffer *out)
{
    const int points = 1 + (int)gr_random_below(random, 3);
    double x = 0, y = 0, heading = gr_random_uniform(random, 0, 2 * acos(-1));
    gr_buffer_printf(out, "start: {heading_deg: %.4g}\n", heading * 180 / acos(-1));
    gr_buffer_printf(out, "drive:\n  speed_mps: %.3g\n  path: [", speed);
    for (int i = 0; i < points; i++) {
        const double leg = fmax(2 * rover->reach, speed * duration * gr_random_uniform(random, 0.3, 1.2));
        heading += gr_random_uniform(random, -0.6, 0.6);
        x += leg * cos(heading);
        y += leg * sin(heading);
        gr_buffer_printf(out, "%s[%.4g, %.4g]", i > 0 ? ", " : "", x, y);
    }
    gr_buffer_puts(out, "]\n");
    if (chance(random, 0.2)) {
        gr_buffer_puts(out, "  compensate_slip: true\n");
    }
}

static void put_script(GrRandom *random, const Rover *rover, double speed, double duration, GrBuffer *out)
{
    gr_buffer_printf(out, "start: {heading_deg: %.4g}\n", gr_random_uniform(random, -180, 180));
    gr_buffer_puts(out, "drive:\n  script:\n");
    const int entries = 1 + (int)gr_random_below(random, 3);
    for (int i = 0; i < entries; i++) {
        const double time = duration * i / entries, forward = chance(random, 0.2) ? -speed : speed;
        const double choice = gr_random_unit(random);
        if (choice < 0.6 && rover->steers) {
            gr_buffer_printf(out, "    - {time_s: %.3g, mode: ackermann, speed_mps: %.3g, curvature_per_m: %.3g}\n",
                             time, forward, gr_random_uniform(random, -0.15, 0.15) / rover->reach);
        } else if (choice < 0.8 || !rover->steers) {
            gr_buffer_printf(out, "    - {time_s: %.3g, mode: skid, speed_mps: %.3g, yaw_rate_dps: %.3g}\n", time,
                             forward, gr_random_uniform(random, -2, 2));
        } else {
            gr_buffer_printf(out, "    - {time_s: %.3g, mode: ackermann, speed_mps: 0}\n", time);
        }
    }
}

static void put_drop(GrRandom *random, GrBuffer *out)
{
    const double pitch = gr_random_uniform(random, -5, 5), roll = gr_random_uniform(random, -5, 5);
    const double height = decade(random, 0.005, 0.2);
    gr_buffer_printf(out, "start: {height_m: %.3g, roll_deg: %.3g, pitch_deg: %.3g}\n", height, roll, pitch);
}

static void put_step(GrRandom *random, GrBuffer *out)
{
    if (chance(random, 0.1)) {
        gr_buffer_printf(out, "step: {pace: fixed, step_ms: %.3g}\n", decade(random, 1, 10));
    } else if (chance(random, 0.1)) {
        gr_buffer_puts(out, "step: {pace: error}\n");
    } else if (chance(random, 0.1)) {
        gr_buffer_puts(out, "step: {slices: 3}\n");
    }
}

/// Materials of wheels and ground, parameters of their pairs, and a zone of another ground material.
static void put_materials(GrRandom *random, bool rigid_ground, GrBuffer *out)
{
    const double tyre = gr_random_uniform(random, 0.4, 1.0), slab = gr_random_uniform(random, 0.4, 1.0);
    const double young = decade(random, 3e6, 1e8);
    gr_buffer_printf(out, "  materials: {tyre: {friction: %.3g}, slab: {friction: %.3g, young_Pa: %.3g}", tyre, slab,
                     young);
    const double icy = gr_random_uniform(random, 0.1, 0.4);
    const double x = gr_random_uniform(random, -2, 2), y = gr_random_uniform(random, -2, 2);
    const double radius = gr_random_uniform(random, 0.3, 2);
    const bool zone = rigid_ground && chance(random, 0.5);
    gr_buffer_printf(out, zone ? ", ice: {friction: %.3g}}\n" : "}\n", icy);
    gr_buffer_printf(out, "  made_of: {%s: slab, wheels: tyre}\n", rigid_ground ? "ground" : "rocks");
    if (zone) {
        gr_buffer_printf(out, "  zones:\n    - {material: ice, circle_m: [%.3g, %.3g, %.3g]}\n", x, y, radius);
    }
    if (chance(random, 0.5)) {
        const char *law = PICK(random, NORMAL_LAWS);
        const double friction = gr_random_uniform(random, 0.3, 1);
        gr_buffer_printf(out, "  pairs:\n    - {between: [tyre, slab], law: %s, friction: %.3g}\n", law, friction);
    }
}

/// What is hard in the scenario: rocks, or the ground.
static void put_hard(GrRandom *random, bool rigid_ground, GrBuffer *out)
{
    gr_buffer_puts(out, "hard:\n");
    const double friction = gr_random_uniform(random, 0.3, 0.9);
    gr_buffer_printf(out, "  friction: %.3g\n", friction);
    if (chance(random, 0.4)) {
        gr_buffer_printf(out, "  law: %s\n", PICK(random, NORMAL_LAWS));
    }
    if (chance(random, 0.5)) {
        gr_buffer_printf(out, "  friction_law: %s\n", PICK(random, FRICTION_LAWS));
    }
    if (chance(random, 0.4)) {
        put_materials(random, rigid_ground, out);
    }
    if (chance(random, 0.25)) {
        gr_buffer_puts(out, "  self_contact: true\n");
    }
}

void gr_random_scenario(uint64_t seed, int index, const GrNameList *soils, GrBuffer *yaml)
{
    char stream[32];
    snprintf(stream, sizeof stream, "scenario %d", index);
    GrRandom random = gr_random_stream(seed, stream);
    const Rover *rover = &ROVERS[gr_random_below(&random, COUNT(ROVERS))];
    gr_buffer_printf(yaml, "name: random_%d\nrover: %s\n", index, rover->name);
    put_gravity(&random, yaml);
    Ground ground = put_soil(&random, soils, yaml);
    const double duration = ground.grid ? 4 : gr_random_uniform(&random, 5, 20);
    const double speed = rover->speed * decade(&random, 0.3, 2);
    if (chance(&random, 0.7)) {
        put_ground(&random, yaml);
        ground.rocks = !ground.grid && chance(&random, 0.2);
        if (ground.rocks) {
            put_rocks(&random, yaml);
        }
    }
    const double kind = gr_random_unit(&random);
    if (kind < 0.5) {
        put_path(&random, rover, speed, duration, yaml);
    } else if (kind < 0.85) {
        put_script(&random, rover, speed, duration, yaml);
    } else if (kind < 0.93) {
        put_drop(&random, yaml);
    }
    put_step(&random, yaml);
    if ((ground.rocks || ground.rigid) && chance(&random, 0.5)) {
        put_hard(&random, ground.rigid, yaml);
    }
    gr_buffer_printf(yaml, "stop: {time_s: %.3g}\n", duration);
}
