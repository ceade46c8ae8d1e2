/// Plates, annuli and wheels in a bed: forces, loads and snapshots of the rigs.
#include "bin_rig.h"
#include "grain_test.h"

static GrBin *small_bed(void)
{
    GrErrorLog log = {0};
    GrBedDef def = gr_default_bed_def();
    def.bin.grains.young = 1e6;
    def.bin.grains.diameter = 0.007;
    def.bin.size[0] = def.bin.size[1] = 0.1, def.bin.size[2] = 0.1;
    def.depth = 0.03;
    GrBin *bin;
    if (gr_bed_prepare(&def, NULL, &bin, &log) != GR_OK) {
        fail_msg("%s", log.items[0].text);
    }
    return bin;
}

static GrBinRig *rig_of(const GrBinRigDef *def, GrBin *bin)
{
    GrErrorLog log = {0};
    GrBinRig *rig;
    if (gr_bin_rig_create(def, NULL, bin, &rig, &log) != GR_OK) {
        fail_msg("%s", log.items[0].text);
    }
    return rig;
}

static void finish(GrBinRig *rig, double part)
{
    GrErrorLog log = {0};
    while (!rig->state.done && gr_bin_rig_progress(rig) < part) {
        if (gr_bin_rig_step(rig, &log) != GR_OK) {
            fail_msg("%s", log.items[0].text);
        }
    }
}

/// Pressure grows with depth; a snapshot in the middle goes on with the same bits.
static void test_plate(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrBin *bin = small_bed(), *again;
    GrBinRigDef def = gr_default_bin_rig_def(GR_BIN_RIG_PLATE);
    def.travel = 0.012, def.speed = 0.2;
    GrBinRig *rig = rig_of(&def, bin), *other;
    finish(rig, 0.5);
    assert_int_equal(gr_bin_rig_save(rig, "plate.grains", &log), GR_OK);
    assert_int_equal(gr_bin_rig_load("plate.grains", NULL, (GrBinWork){.threads = 2}, &again, &other, &log), GR_OK);
    finish(rig, 2);
    finish(other, 2);
    const GrBinRigAnswer a = gr_bin_rig_answer(rig), b = gr_bin_rig_answer(other);
    assert_true(a.pressure == b.pressure && a.pressure > 0);
    assert_true(gr_bin_measure(bin).hash == gr_bin_measure(again).hash);
    const GrBinRigSample *s = rig->state.samples;
    const int count = rig->state.sample_count; // at most one a step
    assert_true(count > 300);
    assert_near(s[count - 1].sinkage, 0.012, 2e-4);
    double shallow = 0, deep = 0;
    for (int k = 0; k < count / 2; k++) {
        shallow += s[k].force.z;
        deep += s[count - 1 - k].force.z;
    }
    assert_true(shallow > 0 && deep > 1.2 * shallow);
    gr_bin_rig_free(rig);
    gr_bin_rig_free(other);
    gr_bin_free(bin);
    gr_bin_free(again);
}

/// The annulus carries its load, and shears with less than the friction of a rough body.
static void test_shear(void **state)
{
    (void)state;
    GrBin *bin = small_bed();
    GrBinRigDef def = gr_default_bin_rig_def(GR_BIN_RIG_SHEAR);
    def.diameter = 0.08, def.inner = 0.04, def.load = 1.5, def.travel = 0.02, def.speed = 0.2;
    GrBinRig *rig = rig_of(&def, bin);
    finish(rig, 2);
    double load = 0, shear = 0; // means: a few large grains make its largest value chance
    const int count = rig->state.sample_count;
    const double arm = 2 * GR_PI / 3 * (pow(def.diameter / 2, 3) - pow(def.inner / 2, 3));
    for (int k = 0; k < count; k++) {
        load += rig->state.samples[k].force.z / count;
        shear -= rig->state.samples[k].moment.z / arm / count;
    }
    const GrBinRigAnswer a = gr_bin_rig_answer(rig);
    assert_near_rel(load, def.load, 0.1);
    assert_true(shear > 0.3 * a.pressure && shear < a.pressure && a.shear > shear);
    gr_bin_rig_free(rig);
    gr_bin_free(bin);
}

/// A wheel carries its load; without slip it needs a push, with slip it pulls; a positive slip angle gives a positive
/// side force, as in the laws.
static void test_wheel(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrBinRigAnswer a[3];
    const double slip[3] = {0, 0.5, 0.5}, angle[3] = {0, 0, 0.6};
    for (int k = 0; k < 3; k++) {
        GrBin *bin = small_bed();
        GrBinRigDef def = gr_default_bin_rig_def(GR_BIN_RIG_WHEEL);
        def.wheel.radius = 0.04, def.wheel.width = 0.04, def.wheel.grouser_count = 12, def.wheel.grouser_height = 0.005;
        def.wheel.segments = 48;
        def.load = 4, def.travel = 0.05, def.speed = 0.3, def.slip = slip[k], def.slip_angle = angle[k];
        GrBinRig *rig = rig_of(&def, bin);
        const GrBinBody *b = &bin->bodies[rig->body];
        double from = 0, height = 0, speed = 0, load = 0;
        while (!rig->state.done) {
            if (rig->state.sample_count < 256) {
                from = bin->time, height = b->position.z, speed = b->velocity.z;
            }
            assert_int_equal(gr_bin_rig_step(rig, &log), GR_OK);
        }
        for (int i = 256; i < GR_BIN_RIG_SAMPLES; i++) {
            load += rig->state.samples[i].force.z / 256;
        }
        // what a body of that weight with a drag of 30/s feels while it sinks
        const double momentum = b->velocity.z - speed + 30 * (b->position.z - height);
        assert_near_rel(load, def.load + def.load / 9.81 * momentum / (bin->time - from), 0.02);
        a[k] = gr_bin_rig_answer(rig);
        assert_true(a[k].sinkage > 0 && a[k].sinkage < 0.03 && a[k].torque > 0);
        gr_bin_rig_free(rig);
        gr_bin_free(bin);
    }
    assert_true(a[1].pull > a[0].pull + 0.3);
    assert_true(a[1].torque > a[0].torque);
    assert_true(fabs(a[0].side) < 0.4 && a[2].side > fabs(a[1].side) + 0.4);
}

/// A plate under a load comes to rest where the bed carries it, deeper under more.
static void test_loaded_plate(void **state)
{
    (void)state;
    const double loads[2] = {0.5, 3};
    double sinkage[2];
    for (int k = 0; k < 2; k++) {
        GrBin *bin = small_bed();
        GrBinRigDef def = gr_default_bin_rig_def(GR_BIN_RIG_PLATE);
        def.travel = 0.02, def.speed = 0.1, def.load = loads[k];
        GrBinRig *rig = rig_of(&def, bin);
        finish(rig, 2);
        const GrBinRigAnswer a = gr_bin_rig_answer(rig);
        assert_near(bin->force[GR_PLANES + rig->body].z, loads[k], 0.1 * loads[k]);
        assert_true(fabs(bin->bodies[rig->body].velocity.z) < 2e-3);
        assert_near_rel(a.pressure, loads[k] / (GR_PI * 0.02 * 0.02), 1e-12);
        sinkage[k] = a.sinkage;
        gr_bin_rig_free(rig);
        gr_bin_free(bin);
    }
    assert_true(sinkage[1] > sinkage[0] + 5e-4 && sinkage[0] > -0.0071 && sinkage[1] < 0.015);
}

static void test_refused(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrBin *bin = small_bed();
    GrBinRigDef def = gr_default_bin_rig_def(GR_BIN_RIG_PLATE);
    GrBinRig *rig;
    def.diameter = 0.5;
    assert_int_equal(gr_bin_rig_create(&def, NULL, bin, &rig, &log), GR_ERROR_VALUE);
    assert_non_null(strstr(log.items[0].text, "a body of 0.5 m in a bin of 0.1 m"));
    def = gr_default_bin_rig_def(GR_BIN_RIG_WHEEL);
    def.slip = -1;
    assert_int_equal(gr_bin_rig_create(&def, NULL, bin, &rig, &log), GR_ERROR_VALUE);
    assert_null(rig);
    gr_bin_free(bin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plate),        cmocka_unit_test(test_shear),   cmocka_unit_test(test_wheel),
        cmocka_unit_test(test_loaded_plate), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
