#include "bin_rig.h"

#include "alloc.h"
#include "bin_rig_parts.h"
#include "out_of_memory.h"
#include "rule.h"
#include "vec3.h"

#include <math.h>

/// A loaded body sinks freely, as one of its weight, with this drag [1/s] and at most this speed [m/s].
#define SINK_DRAG  30.0
#define SINK_SPEED 0.2
/// Lowering ends when the load has been carried for this time [s].
#define REST_TIME 0.05

const char *gr_bin_rig_name(GrBinRigKind kind)
{
#define X(id, name) #name,
    static const char *const names[] = {GR_BIN_RIG_KIND_LIST(X)};
#undef X
    return names[kind];
}

GrBinRigDef gr_default_bin_rig_def(GrBinRigKind kind)
{
    GrBinRigDef def = {
        .kind = kind,
        .speed = 0.05,
        .travel = 0.02,
        .diameter = 0.04,
        .inner = 0.02,
        .angle = 15 * GR_PI / 180,
        .vanes = 8,
        .vane = 0.005,
        .wheel = gr_default_wheel_mesh_def(),
        .slip = 0.2,
        .friction = -1,
        .rolling = -1,
    };
    def.wheel.radius = 0.05;
    def.wheel.width = 0.05;
    def.wheel.crown = 0;
    def.wheel.grouser_count = 12;
    if (kind == GR_BIN_RIG_WHEEL) {
        def.speed = 0.1;
        def.travel = 0.1;
    }
    def.load = kind == GR_BIN_RIG_PLATE || kind == GR_BIN_RIG_CONE ? 0 : 10;
    return def;
}

static bool is_pressed(const GrBinRigDef *d)
{
    return d->kind == GR_BIN_RIG_PLATE || d->kind == GR_BIN_RIG_CONE;
}

double gr_bin_rig_area(const GrBinRigDef *d)
{
    const double inner = d->kind == GR_BIN_RIG_SHEAR ? d->inner : 0;
    if (d->shape.hash != 0) {
        return d->shape.area;
    }
    return GR_PI / 4 * (d->diameter * d->diameter - inner * inner);
}

static GrStatus check(const GrBinRigDef *d, const GrBin *bin, GrErrorLog *log)
{
    const bool wheel = d->kind == GR_BIN_RIG_WHEEL, shear = d->kind == GR_BIN_RIG_SHEAR;
    const double length = 2 * (d->wheel.radius + d->wheel.grouser_height);
    const double across = d->wheel.width * gr_cos(d->slip_angle) + length * fabs(gr_sin(d->slip_angle));
    const bool plate = !wheel && d->shape.hash != 0;
    const double extent[2] = {wheel   ? length
                              : plate ? d->shape.length
                                      : d->diameter,
                              wheel   ? across
                              : plate ? d->shape.width
                                      : d->diameter};
    const GrRule rules[] = {
        {"speed_mps", "a positive number", gr_is_positive(d->speed)},
        {"travel_m", "a positive number", gr_is_positive(d->travel)},
        {"diameter_m", "a positive number", wheel || gr_is_positive(d->diameter)},
        {"inner_m", "more than 0 and less than the diameter", !shear || (d->inner > 0 && d->inner < d->diameter)},
        {"angle_deg", "5 to 85", d->kind != GR_BIN_RIG_CONE || (d->angle > 0.08 && d->angle < 1.49)},
        {"vanes", "0 to 64, of positive height", d->vanes >= 0 && d->vanes <= 64 && d->vane >= 0},
        {"load_N", "a positive number", gr_is_positive(d->load) || (is_pressed(d) && d->load == 0)},
        {"slip", "-1 to 1", !wheel || (d->slip >= -1 && d->slip <= 1)},
        {"slip_angle_deg", "-85 to 85", !wheel || fabs(d->slip_angle) <= 1.484},
    };
    const GrStatus status = gr_rules_check(rules, sizeof rules / sizeof rules[0], log);
    for (int a = 0; a < 2 && status == GR_OK; a++) {
        if (extent[a] > bin->def.size[a] * 0.95) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0}, "a body of %.4g m in a bin of %.4g m along %c",
                                extent[a], bin->def.size[a], "xy"[a]);
        }
    }
    return status;
}

static GrStatus add_body(GrBinRig *rig, const GrSurfaceMesh *given, double *lowest, GrErrorLog *log)
{
    const GrBinRigDef *d = &rig->state.def;
    const GrGrainDef *g = &rig->bin->def.grains;
    GrSurfaceMesh own = {0};
    const GrSurfaceMesh *mesh = d->shape.hash != 0 ? given : &own;
    if (mesh == NULL || (mesh != &own && mesh->triangle_count == 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0}, "the test was begun with a mesh, and has none now");
    }
    GrStatus status = gr_bin_rig_mesh(d, 2 * rig->bin->mean_radius, &own, lowest, log);
    if (status == GR_OK && own.failed) {
        status = gr_out_of_memory(log, NULL);
    }
    if (status == GR_OK) {
        status = gr_bin_add_body(rig->bin, mesh, d->friction < 0 ? g->wall_friction : d->friction,
                                 d->rolling < 0 ? g->wall_rolling : d->rolling, &rig->body, log);
    }
    gr_surface_mesh_free(&own);
    return status;
}

GrStatus gr_bin_rig_create(const GrBinRigDef *def, const GrSurfaceMesh *mesh, GrBin *bin, GrBinRig **out,
                           GrErrorLog *log)
{
    double lowest = 0;
    *out = NULL;
    GrStatus status = check(def, bin, log);
    if (status != GR_OK) {
        return status;
    }
    GrBinRig *rig = gr_calloc(1, sizeof *rig);
    if (rig == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    rig->bin = bin;
    rig->state.def = *def;
    status = add_body(rig, mesh, &lowest, log);
    if (status != GR_OK) {
        gr_free(rig);
        return status;
    }
    GrBinBody *b = &bin->bodies[rig->body];
    const double *size = bin->def.size;
    const double start = def->kind == GR_BIN_RIG_WHEEL && bin->def.sides[0] != GR_SIDE_PERIODIC
                             ? 1.2 * (def->wheel.radius + def->wheel.grouser_height)
                             : size[0] / 2;
    b->position = gr_vec3(start, size[1] / 2, gr_bin_measure(bin).top - lowest + 0.1 * bin->mean_radius);
    b->rotation = gr_quat_axis_angle(gr_vec3(0, 0, 1), -def->slip_angle);
    rig->state.surface = gr_bed_surface(bin);
    *out = rig;
    return GR_OK;
}

void gr_bin_rig_free(GrBinRig *rig)
{
    gr_free(rig);
}

GrStatus gr_bin_rig_save(const GrBinRig *rig, const char *path, GrErrorLog *log)
{
    GrBinRigState state = rig->state;
    state.body = rig->bin->bodies[rig->body];
    return gr_bin_save(rig->bin, path, &state, sizeof state, log);
}

/// Also of places in metres: the fixed-point positions of bodies have an end.
static bool finite_vector(GrVec3 v)
{
    return gr_norm(v) < 1e6;
}

/// What a step takes for granted of a state that a file gave.
static bool sound(const GrBinRigState *s)
{
    const GrQuat q = s->body.rotation;
    const double length = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    return (unsigned)s->def.kind <= GR_BIN_RIG_WHEEL && (unsigned)s->phase <= 1 && (unsigned)s->done <= 1 &&
           s->sample_count >= 0 && s->sample_count <= GR_BIN_RIG_SAMPLES && finite_vector(s->body.position) &&
           finite_vector(s->body.velocity) && finite_vector(s->body.spin) && fabs(length - 1) < 1e-6 &&
           isfinite(s->surface) && isfinite(s->began) && isfinite(s->travel) && isfinite(s->sum_time) &&
           isfinite(s->rest) && isfinite(s->def.friction) && isfinite(s->def.rolling);
}

GrStatus gr_bin_rig_read(const char *path, GrBinWork work, GrBin **bin, GrBinRigState *state, GrErrorLog *log)
{
    GrStatus status = gr_bin_load(path, work, state, sizeof *state, bin, log);
    if (status == GR_OK && !sound(state)) {
        status = gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){.file = path}, "the snapshot is damaged");
    }
    return status == GR_OK ? check(&state->def, *bin, log) : status;
}

GrStatus gr_bin_rig_load(const char *path, const GrSurfaceMesh *mesh, GrBinWork work, GrBin **bin, GrBinRig **out,
                         GrErrorLog *log)
{
    double lowest;
    *out = NULL;
    GrBinRig *rig = gr_calloc(1, sizeof *rig);
    if (rig == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = gr_bin_rig_read(path, work, bin, &rig->state, log);
    rig->bin = *bin;
    status = status == GR_OK ? add_body(rig, mesh, &lowest, log) : status;
    if (status != GR_OK) {
        gr_bin_free(*bin);
        *bin = NULL;
        gr_free(rig);
        return status;
    }
    rig->bin->bodies[rig->body] = rig->state.body;
    *out = rig;
    return GR_OK;
}

/// Turns a vector of the bin into the frame of a wheel, which does not spin with it.
static GrVec3 in_frame(const GrBinRigDef *d, GrVec3 v)
{
    const double c = gr_cos(d->slip_angle), s = gr_sin(d->slip_angle);
    return gr_vec3(c * v.x - s * v.y, s * v.x + c * v.y, v.z);
}

static double sinkage_of(const GrBinRig *rig)
{
    const GrBinRigDef *d = &rig->state.def;
    const double z = rig->bin->bodies[rig->body].position.z;
    return rig->state.surface - (d->kind == GR_BIN_RIG_WHEEL ? z - d->wheel.radius : z);
}

/// Sums of the forces until a sample's part of the travel is done.
static void observe(GrBinRig *rig)
{
    GrBinRigState *s = &rig->state;
    const GrBin *bin = rig->bin;
    const int surface = GR_PLANES + rig->body;
    s->sum_time += bin->dt;
    s->sum_force = gr_madd(s->sum_force, bin->dt, in_frame(&s->def, bin->force[surface]));
    s->sum_moment = gr_madd(s->sum_moment, bin->dt, in_frame(&s->def, bin->moment[surface]));
    if (s->travel < s->def.travel * (s->sample_count + 1) / GR_BIN_RIG_SAMPLES ||
        s->sample_count == GR_BIN_RIG_SAMPLES) {
        return;
    }
    const double each = 1 / s->sum_time;
    s->samples[s->sample_count++] = (GrBinRigSample){.time = bin->time - s->began,
                                                     .travel = s->travel,
                                                     .sinkage = sinkage_of(rig),
                                                     .force = gr_scale(each, s->sum_force),
                                                     .moment = gr_scale(each, s->sum_moment)};
    s->sum_time = 0;
    s->sum_force = s->sum_moment = gr_vec3(0, 0, 0);
}

/// Vertical motion of a body that is free to sink under its load.
static void sink(GrBinRig *rig)
{
    GrBinBody *b = &rig->bin->bodies[rig->body];
    const double g = fabs(rig->bin->def.gravity[2]), load = rig->state.def.load, mass = load / (g > 0 ? g : 9.81);
    const double push = rig->bin->force[GR_PLANES + rig->body].z - load;
    const double v = b->velocity.z + rig->bin->dt * (push / mass - SINK_DRAG * b->velocity.z);
    const double most = is_pressed(&rig->state.def) ? rig->state.def.speed : SINK_SPEED; // a plate has no momentum
    b->velocity.z = fmax(-most, fmin(most, v));
}

/// Speeds of the rim and forward, of a wheel with the slip; the larger is the speed that was asked for.
static void drive_wheel(GrBinRig *rig)
{
    const GrBinRigDef *d = &rig->state.def;
    GrBinBody *b = &rig->bin->bodies[rig->body];
    const double rim = d->slip >= 0 ? d->speed : d->speed * (1 + d->slip);
    const double forward = d->slip >= 0 ? d->speed * (1 - d->slip) : d->speed;
    const double c = gr_cos(d->slip_angle), s = gr_sin(d->slip_angle), spin = rim / d->wheel.radius;
    b->velocity.x = forward / c; // its part along the wheel's plane is `forward`
    b->spin = gr_vec3(spin * s, spin * c, 0);
}

/// Whether the load has been carried, nearly at rest, for a while.
static bool rests(GrBinRig *rig)
{
    GrBinRigState *s = &rig->state;
    const double carried = rig->bin->force[GR_PLANES + rig->body].z, speed = rig->bin->bodies[rig->body].velocity.z;
    s->rest = carried > 0.5 * s->def.load && fabs(speed) < 2e-3 ? s->rest + rig->bin->dt : 0;
    return s->rest > REST_TIME;
}

/// The body comes down: a plate until it is under way at once, a load until it is carried and nearly at rest.
static void lower(GrBinRig *rig)
{
    GrBinRigState *s = &rig->state;
    GrBin *bin = rig->bin;
    if (is_pressed(&s->def)) {
        bin->bodies[rig->body].velocity.z = -s->def.speed;
        const double carried = bin->force[GR_PLANES + rig->body].z;
        s->phase = sinkage_of(rig) > 0 || (s->def.load > 0 && carried > s->def.load);
    } else {
        sink(rig);
        s->phase = rests(rig);
    }
    if (s->phase == 1) {
        s->began = bin->time;
        s->sum_time = 0;
    }
}

GrStatus gr_bin_rig_step(GrBinRig *rig, GrErrorLog *log)
{
    GrBinRigState *s = &rig->state;
    const GrBinRigDef *d = &s->def;
    GrBin *bin = rig->bin;
    GrBinBody *b = &bin->bodies[rig->body];
    if (s->phase == 0) {
        lower(rig);
    } else if (d->kind == GR_BIN_RIG_WHEEL) {
        sink(rig);
        drive_wheel(rig);
    } else if (d->kind == GR_BIN_RIG_SHEAR) {
        sink(rig);
        b->spin = gr_vec3(0, 0, 4 * d->speed / (d->diameter + d->inner));
    } else if (d->load > 0) {
        sink(rig);
    }
    const GrStatus status = gr_bin_step(bin, log);
    if (status == GR_OK && s->phase == 1) {
        s->travel = d->kind == GR_BIN_RIG_WHEEL   ? d->speed * (bin->time - s->began)
                    : d->kind == GR_BIN_RIG_SHEAR ? d->speed * (bin->time - s->began)
                                                  : sinkage_of(rig);
        observe(rig);
        s->done = s->travel >= d->travel || (is_pressed(d) && d->load > 0 && rests(rig));
    }
    return status;
}

double gr_bin_rig_progress(const GrBinRig *rig)
{
    const GrBinRigState *s = &rig->state;
    return s->phase == 0 ? 0 : fmin(1, s->travel / s->def.travel);
}

/// Mean over the second half of the travel, and its standard error from four parts.
static double mean_of(const GrBinRigState *s, double (*of)(const GrBinRigSample *), double *error)
{
    double mean[4] = {0}, all = 0, square = 0;
    const int first = s->sample_count / 2, count = s->sample_count - first;
    for (int k = 0; k < count; k++) {
        mean[4 * k / count] += of(&s->samples[first + k]) / (count / 4.0);
    }
    for (int k = 0; k < 4; k++) {
        all += mean[k] / 4;
        square += mean[k] * mean[k] / 4;
    }
    *error = sqrt(fmax(0, square - all * all) / 3);
    return all;
}

static double of_pull(const GrBinRigSample *s)
{
    return s->force.x;
}

static double of_side(const GrBinRigSample *s)
{
    return -s->force.y;
}

static double of_drive(const GrBinRigSample *s)
{
    return -s->moment.y;
}

static double of_sinkage(const GrBinRigSample *s)
{
    return s->sinkage;
}

/// Pressure over the last twentieth of the depth.
static double end_pressure(const GrBinRigState *s)
{
    double sum = 0;
    const int count = s->sample_count, part = count >= 20 ? count / 20 : 1;
    for (int k = count - part; k < count && k >= 0; k++) {
        sum += s->samples[k].force.z / part;
    }
    return sum / gr_bin_rig_area(&s->def);
}

/// Largest torque, over eight neighbouring samples, as a stress that is equal over the annulus.
static double shear_stress(const GrBinRigDef *d, const GrBinRigState *s, double *torque)
{
    *torque = 0;
    for (int k = 8; k <= s->sample_count; k++) {
        double sum = 0;
        for (int j = k - 8; j < k; j++) {
            sum -= s->samples[j].moment.z / 8;
        }
        *torque = fmax(*torque, sum);
    }
    const double a = d->inner / 2, b = d->diameter / 2;
    return *torque / (2 * GR_PI / 3 * (b * b * b - a * a * a));
}

GrBinRigAnswer gr_bin_rig_answer(const GrBinRig *rig)
{
    const GrBinRigState *s = &rig->state;
    const GrBinRigDef *d = &s->def;
    GrBinRigAnswer a = {.sinkage = sinkage_of(rig)};
    double ignored;
    if (d->kind == GR_BIN_RIG_WHEEL) {
        a.pull = mean_of(s, of_pull, &a.pull_error);
        a.side = mean_of(s, of_side, &ignored);
        a.torque = mean_of(s, of_drive, &a.torque_error);
        a.sinkage = mean_of(s, of_sinkage, &a.sinkage_error);
    } else if (d->kind == GR_BIN_RIG_SHEAR) {
        a.pressure = d->load / gr_bin_rig_area(d);
        a.shear = shear_stress(d, s, &a.torque);
    } else {
        a.pressure = d->load > 0 ? d->load / gr_bin_rig_area(d) : end_pressure(s);
    }
    return a;
}
