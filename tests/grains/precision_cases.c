#include "precision_cases.h"

#include "bin_rig.h"
#include "grain_test.h"
#include "random.h"

static GrBin *cloud(const GrBinDef *def)
{
    enum { SIDE = 8 };
    static GrBinStart start[SIDE * SIDE * SIDE];
    GrRandom random = gr_random_stream(1, "cloud");
    for (int k = 0; k < SIDE * SIDE * SIDE; k++) {
        start[k] = (GrBinStart){.radius = GRAIN * (1 - 0x1p-3 * (k % 3))};
        double *p = &start[k].position.x, *v = &start[k].velocity.x;
        const int at[3] = {k % SIDE, k / SIDE % SIDE, k / SIDE / SIDE};
        for (int a = 0; a < 3; a++) {
            p[a] = (at[a] + 0.5) * 0.04 / SIDE;
            v[a] = gr_random_uniform(&random, -0.3, 0.3);
        }
    }
    return bin_of(def, start, SIDE * SIDE * SIDE);
}

static void collide(GrPrecision *out)
{
    GrBinDef def = free_box();
    def.step = 0.02;
    GrBin *bin = cloud(&def);
    const GrBinMeasure first = gr_bin_measure(bin);
    const double speed = sqrt(2 * first.kinetic * bin->mass);
    out->length = def.size[0];
    for (int k = 0; k < 20; k++) {
        run_for(bin, 0.001);
        const GrBinMeasure m = gr_bin_measure(bin);
        out->energy = fmax(out->energy, fabs((m.kinetic + m.elastic) / first.kinetic - 1));
        out->momentum = fmax(out->momentum, gr_norm(gr_sub(m.momentum, first.momentum)) / speed);
        for (int i = 0; i < bin->view.count && k == 4; i++) {
            const GrVec3 p = gr_bin_position(bin, grain_of(bin, i));
            out->place[3 * i] = p.x, out->place[3 * i + 1] = p.y, out->place[3 * i + 2] = p.z;
        }
    }
    gr_bin_free(bin);
}

static double press(uint64_t seed, GrPrecision *out)
{
    GrErrorLog log = {0};
    GrBedDef bed = gr_default_bed_def();
    bed.bin.grains.diameter = 0.006;
    bed.bin.grains.young = 1e6;
    bed.bin.size[0] = bed.bin.size[1] = 0.1, bed.bin.size[2] = 0.1;
    bed.depth = 0.03;
    bed.seed = seed;
    GrBin *bin;
    GrBinRig *rig;
    if (gr_bed_prepare(&bed, NULL, &bin, &log) != GR_OK) {
        fail_msg("%s", log.items[0].text);
    }
    if (out != NULL) {
        const double before = gr_bed_surface(bin);
        run_for(bin, 0.1);
        out->rest = gr_bin_measure(bin).kinetic / (bin->mass * 9.81 * 2 * bin->mean_radius);
        out->crept = before - gr_bed_surface(bin);
    }
    GrBinRigDef def = gr_default_bin_rig_def(GR_BIN_RIG_PLATE);
    def.travel = 0.01, def.speed = 0.2, def.diameter = 0.06;
    if (gr_bin_rig_create(&def, NULL, bin, &rig, &log) != GR_OK) {
        fail_msg("%s", log.items[0].text);
    }
    while (!rig->state.done) {
        if (gr_bin_rig_step(rig, &log) != GR_OK) {
            fail_msg("%s", log.items[0].text);
        }
    }
    const int count = rig->state.sample_count;
    double mean = 0;
    for (int k = 0; k < count; k++) {
        const double force = rig->state.samples[k].force.z;
        mean += force / count;
        if (out != NULL) {
            out->force[k * GR_PRECISION_CURVE / count] += force * GR_PRECISION_CURVE / count;
        }
    }
    gr_bin_rig_free(rig);
    gr_bin_free(bin);
    return mean;
}

void gr_precision_cases(GrPrecision *out)
{
    *out = (GrPrecision){.energy = 0};
    collide(out);
    out->mean_force = press(1, out);
    out->repeats[0] = press(2, NULL);
    out->repeats[1] = press(3, NULL);
}
