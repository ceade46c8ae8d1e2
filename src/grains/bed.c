#include "bed.h"

#include "alloc.h"
#include "bin_device.h"
#include "buffer.h"
#include "out_of_memory.h"
#include "rule.h"
#include "vec3.h"

#include <math.h>

/// Drag on all grains while they settle: without it a bed bounces for most of a second [1/s].
#define SETTLE_DRAG 20.0
/// Kinetic energy that counts as rest, over that of lifting each grain by its diameter.
#define REST 1e-6
/// Difference from the solid part that is asked for.
#define NEAR_ENOUGH 0.002

GrBedDef gr_default_bed_def(void)
{
    return (GrBedDef){.bin = gr_default_bin_def(), .depth = 0.08, .seed = 1};
}

double gr_bed_surface(const GrBin *bin)
{
    const double cell = 2 * bin->mean_radius;
    const int nx = (int)fmax(1, bin->def.size[0] / cell), ny = (int)fmax(1, bin->def.size[1] / cell);
    double *height = gr_calloc((size_t)nx * (size_t)ny, sizeof *height), sum = 0;
    if (height == NULL) {
        return gr_bin_measure(bin).top;
    }
    gr_bin_surface(bin, nx, ny, height);
    for (int k = 0; k < nx * ny; k++) {
        sum += height[k];
    }
    gr_free(height);
    return sum / (nx * (double)ny);
}

static double solid_of(const GrBin *bin)
{
    const double top = gr_bed_surface(bin);
    return gr_bin_solid(bin, 0.1 * top, 0.8 * top);
}

GrBedAnswer gr_bed_answer(const GrBin *bin)
{
    const GrBinMeasure m = gr_bin_measure(bin);
    const double solid = solid_of(bin), weight = bin->mass * fabs(bin->def.gravity[2]);
    return (GrBedAnswer){.count = gr_bin_count(bin),
                         .surface = gr_bed_surface(bin),
                         .bulk_density = solid * bin->def.grains.density,
                         .solid = solid,
                         .contacts = m.contacts,
                         .overlap = m.overlap,
                         .floor_force = weight > 0 ? -bin->force[4].z / weight : 0,
                         .time = bin->time};
}

static void tell(const GrBedWatch *watch, double done, double total)
{
    if (watch != NULL && watch->fn != NULL) {
        watch->fn(watch->context, done, total);
    }
}

static GrStatus run_for(GrBin *bin, double seconds, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (const double end = bin->time + seconds; bin->time < end && status == GR_OK;) {
        status = gr_bin_step(bin, log);
    }
    return status;
}

GrStatus gr_bed_settle(GrBin *bin, double most, const GrBedWatch *watch, GrErrorLog *log)
{
    const double g = gr_norm(gr_vec3(bin->def.gravity[0], bin->def.gravity[1], bin->def.gravity[2]));
    const double rest = REST * bin->mass * g * 2 * bin->mean_radius, start = bin->time, drag = bin->damping;
    GrStatus status = GR_OK;
    bin->damping = SETTLE_DRAG;
    while (status == GR_OK && bin->time - start < most) {
        status = run_for(bin, 0.01, log);
        tell(watch, bin->time - start, most);
        if (bin->time - start > 0.1 && gr_bin_kinetic(bin) < rest) {
            break;
        }
    }
    bin->damping = drag;
    return status;
}

/// Time to fall from the top of the loose grains, and then some.
static double settle_time(const GrBedDef *def)
{
    const double g = fmax(1e-3, fabs(def->bin.gravity[2]));
    return 3 * sqrt(2 * def->bin.size[2] / g) + 0.5;
}

/// Without friction grains pack more densely, step by step; friction returns when the part `wanted` is solid.
static GrStatus compact_once(const GrBedDef *def, GrBin *bin, double wanted, const GrBedWatch *watch, GrErrorLog *log)
{
    const float friction = bin->view.friction, rolling = bin->view.rolling;
    const double loose = solid_of(bin);
    double solid = loose, before = 0;
    GrStatus status = GR_OK;
    bin->damping = 5;
    for (int k = 0; k < 200 && solid < wanted && status == GR_OK; k++) {
        bin->view.friction *= 0.7F;
        bin->view.rolling *= 0.7F;
        status = run_for(bin, 0.005, log);
        before = k % 40 == 0 ? solid : before;
        solid = solid_of(bin);
        tell(watch, solid - loose, wanted - loose);
        if (k % 40 == 39 && solid < before + 2e-4) {
            break;
        }
    }
    bin->view.friction = friction, bin->view.rolling = rolling;
    if (status == GR_OK && solid < wanted - NEAR_ENOUGH) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "bulk_density_kg_per_m3"},
                            "%.4g kg/m³ is denser than these grains become, %.4g kg/m³", def->bulk_density,
                            solid * def->bin.grains.density);
    }
    bin->damping = 0;
    return status == GR_OK ? gr_bed_settle(bin, settle_time(def) / 2, watch, log) : status;
}

/// A bed goes on to settle when friction has returned, by a part that only trying tells: the next try from the loose
/// bed aims lower by as much.
static GrStatus compact(const GrBedDef *def, GrBin **bin, const GrBedWatch *watch, GrErrorLog *log)
{
    const double wanted = def->bulk_density / def->bin.grains.density, loose = solid_of(*bin);
    if (wanted < loose - NEAR_ENOUGH) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "bulk_density_kg_per_m3"},
                            "%.4g kg/m³ is looser than these grains settle, %.4g kg/m³; more friction or rolling "
                            "resistance makes them looser",
                            def->bulk_density, loose * def->bin.grains.density);
    }
    GrBuffer start = {0};
    gr_bin_pack(*bin, NULL, 0, &start);
    GrStatus status = start.failed ? gr_out_of_memory(log, NULL) : GR_OK;
    double aim = wanted;
    for (int k = 0; k < 4 && status == GR_OK; k++) {
        if (k > 0) {
            gr_bin_free(*bin);
            status = gr_bin_unpack(start.data, start.size, NULL, def->bin.work, NULL, 0, bin, log);
        }
        status = status == GR_OK ? compact_once(def, *bin, aim, watch, log) : status;
        const double over = status == GR_OK ? solid_of(*bin) - wanted : 0;
        if (fabs(over) < NEAR_ENOUGH) {
            break;
        }
        aim = fmax(loose, aim - over);
    }
    gr_buffer_free(&start);
    return status;
}

GrStatus gr_bed_prepare(const GrBedDef *def, const GrBedWatch *watch, GrBin **out, GrErrorLog *log)
{
    GrBinStart *start = NULL;
    int count = 0;
    *out = NULL;
    const GrRule rules[] = {
        {"depth_m", "a positive number", gr_is_positive(def->depth)},
        {"bulk_density_kg_per_m3", "0 or more", def->bulk_density >= 0 && isfinite(def->bulk_density)}};
    GrStatus status = gr_rules_check(rules, 2, log);
    GrBinDef part = def->bin;
    part.size[0] = def->filled > 0 ? fmin(def->filled, part.size[0]) : part.size[0];
    status = status == GR_OK ? gr_bin_fill(&part, 0, def->depth, def->seed, &start, &count, log) : status;
    status = status == GR_OK ? gr_bin_create(&def->bin, start, count, out, log) : status;
    gr_free(start);
    if (status == GR_OK) {
        (*out)->plane_at[1] = part.size[0]; // present where x has walls
    }
    status = status == GR_OK ? gr_bed_settle(*out, settle_time(def), watch, log) : status;
    status = status == GR_OK && def->bulk_density > 0 ? compact(def, out, watch, log) : status;
    if (status != GR_OK) {
        gr_bin_free(*out);
        *out = NULL;
    }
    return status;
}

// ---- GPUs

/// Falls, bounces and rolls: grains over a floor between walls. `hash`: of the state at the end.
static GrStatus small_case(int gpu, uint64_t *hash, GrErrorLog *log)
{
    GrBinDef def = gr_default_bin_def();
    def.work.gpu = gpu;
    def.sides[0] = GR_SIDE_WALL;
    def.size[0] = def.size[1] = 0.02, def.size[2] = 0.06;
    GrBinStart *start = NULL;
    int count = 0;
    GrBin *bin = NULL;
    GrStatus status = gr_bin_fill(&def, 0, 0.01, 1, &start, &count, log);
    status = status == GR_OK ? gr_bin_create(&def, start, count, &bin, log) : status;
    gr_free(start);
    for (int k = 0; k < 800 && status == GR_OK; k++) {
        status = gr_bin_step(bin, log);
    }
    *hash = status == GR_OK ? gr_bin_measure(bin).hash : 0;
    status = status == GR_OK ? gr_bin_device_status(bin, log) : status;
    gr_bin_free(bin);
    return status;
}

GrStatus gr_bed_device_check(int gpu, GrErrorLog *log)
{
    uint64_t here, there;
    GrStatus status = small_case(gpu, &there, log);
    status = status == GR_OK ? small_case(0, &here, log) : status;
    if (status == GR_OK && here != there) {
        return gr_error_add(log, GR_ERROR_DEVICE, (GrLocation){.field = "--device"},
                            "a small bed on cuda:%d ends with other bits than on the processor; the GPU is not used",
                            gpu - 1);
    }
    return status;
}
