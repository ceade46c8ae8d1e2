/// Grains on a GPU that the tests make up (tests/support/made_up_gpu.c): the kernels give the bits of the threads, and
/// a GPU that is missing, too small, broken or wrong ends with a message. Real ones are measured in docs/grains.md.
#include "bed.h"
#include "bin_device.h"
#include "bin_rig.h"
#include "cuda.h"
#include "file.h"
#include "grain_test.h"

#include <stdlib.h>
#include <string.h>

static GrBin *bed_on(int gpu)
{
    GrBinDef def = gr_default_bin_def();
    def.sides[0] = GR_SIDE_WALL;
    def.size[0] = 0.06, def.size[1] = 0.05, def.size[2] = 0.08;
    def.grains.surface_energy = 0.01;
    def.work.gpu = gpu;
    return settled_bed(&def, 0.015, 0.06);
}

/// A bed settles, a wheel is lowered and driven, and a snapshot of each is written: byte by byte the same.
static void test_bits(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrBinMeasure measure[2];
    double pressed[2] = {0}; // sum of the wheel's load over the steps
    char *bytes[2];
    size_t size[2];
    for (int gpu = 0; gpu < 2; gpu++) {
        GrBin *bin = bed_on(gpu);
        GrBinRig *rig = NULL;
        GrBinRigDef def = gr_default_bin_rig_def(GR_BIN_RIG_WHEEL);
        def.wheel.radius = 0.02, def.wheel.width = 0.03, def.wheel.grouser_height = 0.003, def.load = 1,
        def.speed = 0.3;
        assert_true((bin->device != NULL) == (gpu == 1));
        if (gr_bin_rig_create(&def, NULL, bin, &rig, &log) != GR_OK) {
            fail_msg("%s", log.items[0].text);
        }
        for (int k = 0; k < 1000 && !rig->state.done; k++) {
            assert_int_equal(gr_bin_rig_step(rig, &log), GR_OK);
            pressed[gpu] += bin->force[GR_PLANES].z;
        }
        measure[gpu] = gr_bin_measure(bin);
        assert_true(bin->rebuilds > 3 && measure[gpu].contacts > 1);
        assert_int_equal(gr_bin_rig_save(rig, gpu ? "gpu.grains" : "cpu.grains", &log), GR_OK);
        assert_int_equal(gr_file_read(gpu ? "gpu.grains" : "cpu.grains", 1 << 30, &bytes[gpu], &size[gpu], &log),
                         GR_OK);
        gr_bin_rig_free(rig);
        gr_bin_free(bin);
    }
    assert_true(measure[0].hash == measure[1].hash && measure[0].elastic == measure[1].elastic);
    assert_true(pressed[0] > 1 && pressed[0] == pressed[1]);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    gr_free(bytes[0]);
    gr_free(bytes[1]);
}

/// Grains of two spheres: snapshots of the same bytes.
static void test_clumps(void **state)
{
    (void)state;
    GrBuffer packed[2] = {{0}, {0}};
    for (int gpu = 0; gpu < 2; gpu++) {
        GrBinDef def = gr_default_bin_def();
        def.size[0] = def.size[1] = 0.04, def.size[2] = 0.12;
        def.grains.clump_count = 2;
        for (int k = 0; k < 2; k++) {
            def.grains.clump_radius[k] = 1 - 0.2 * k, def.grains.clump_at[k][0] = k;
        }
        def.work.gpu = gpu;
        GrBin *bin = settled_bed(&def, 0.015, 0.12);
        assert_true(bin->rebuilds > 3 && gr_bin_measure(bin).contacts > 1);
        gr_bin_pack(bin, NULL, 0, &packed[gpu]);
        gr_bin_free(bin);
    }
    assert_int_equal(packed[0].size, packed[1].size);
    assert_memory_equal(packed[0].data, packed[1].data, packed[0].size);
    gr_buffer_free(&packed[0]);
    gr_buffer_free(&packed[1]);
}

/// What a small bed on the GPU ends with, and the message.
static GrStatus small_bed(const char *fault, char text[GR_ERROR_TEXT_SIZE])
{
    GrErrorLog log = {0};
    setenv("GROUSER_GPU_FAULT", fault, 1);
    const GrStatus status = gr_bed_device_check(1, &log);
    unsetenv("GROUSER_GPU_FAULT");
    snprintf(text, GR_ERROR_TEXT_SIZE, "%s", log.count > 0 ? log.items[0].text : "");
    return status;
}

static void test_faults(void **state)
{
    (void)state;
    char text[GR_ERROR_TEXT_SIZE];
    assert_int_equal(small_bed("", text), GR_OK);
    assert_int_equal(small_bed("none", text), GR_ERROR_UNSUPPORTED);
    assert_non_null(strstr(text, "finds no GPU; '--device cpu'"));
    assert_int_equal(small_bed("memory:100000", text), GR_ERROR_MEMORY);
    assert_non_null(strstr(text, "GB of memory left, and"));
    assert_int_equal(small_bed("launch:50", text), GR_ERROR_DEVICE);
    assert_non_null(strstr(text, "an illegal memory access"));
    assert_int_equal(small_bed("wrong", text), GR_ERROR_DEVICE);
    assert_non_null(strstr(text, "other bits than on the processor"));
}

/// A device that fails while a test runs: the step says so, and nothing is written over the snapshot.
static void test_failure_while_running(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrBin *bin = bed_on(1);
    assert_int_equal(gr_bin_save(bin, "kept.grains", NULL, 0, &log), GR_OK);
    setenv("GROUSER_GPU_FAULT", "launch:1", 1);
    int count;
    assert_int_equal(gr_cuda_count(&count, &log), GR_OK); // counts launches from here on
    GrStatus status = GR_OK;
    for (int k = 0; k < 3 && status == GR_OK; k++) {
        status = gr_bin_step(bin, &log);
    }
    assert_int_equal(status, GR_ERROR_DEVICE);
    assert_int_equal(gr_bin_save(bin, "kept.grains", NULL, 0, &log), GR_ERROR_DEVICE);
    gr_bin_free(bin);
    unsetenv("GROUSER_GPU_FAULT");
    GrBin *again = NULL;
    assert_int_equal(gr_bin_load("kept.grains", (GrBinWork){.threads = 1}, NULL, 0, &again, &log), GR_OK);
    gr_bin_free(again);
}

static void test_names(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    int gpu = -1;
    assert_int_equal(gr_device_parse(NULL, &gpu, &log), GR_OK);
    assert_int_equal(gpu, 0);
    assert_int_equal(gr_device_parse("cuda", &gpu, &log), GR_OK);
    assert_int_equal(gpu, 1);
    assert_int_equal(gr_device_parse("cuda:3", &gpu, &log), GR_OK);
    assert_int_equal(gpu, 4);
    const char *const wrong[] = {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda:99999999999999999999"};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        assert_int_equal(gr_device_parse(wrong[k], &gpu, &log), GR_ERROR_USAGE);
    }
    GrCudaInfo info;
    assert_int_equal(gr_cuda_info(0, &info, &log), GR_OK);
    assert_string_equal(info.name, "made-up GPU");
    assert_int_equal(gr_cuda_info(1, &info, &log), GR_ERROR_VALUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),   cmocka_unit_test(test_clumps),
        cmocka_unit_test(test_faults), cmocka_unit_test(test_failure_while_running),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
