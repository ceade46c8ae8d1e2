/// Many grains: what is conserved, what does not depend on order, side or thread, and what a bed weighs.
#include "grain_test.h"

#include "checksum.h"
#include "random.h"

#include <sys/resource.h>

/// Grains on a lattice with random velocities and spins.
static GrBin *cloud(const GrBinDef *def, double speed)
{
    enum { SIDE = 8 };
    static GrBinStart start[SIDE * SIDE * SIDE];
    GrRandom random = gr_random_stream(1, "cloud");
    for (int k = 0; k < SIDE * SIDE * SIDE; k++) {
        start[k] = (GrBinStart){.radius = GRAIN * gr_random_uniform(&random, 0.8, 1.1)};
        double *p = &start[k].position.x, *v = &start[k].velocity.x, *w = &start[k].spin.x;
        const int at[3] = {k % SIDE, k / SIDE % SIDE, k / SIDE / SIDE};
        for (int a = 0; a < 3; a++) {
            p[a] = (at[a] + 0.5) * 0.04 / SIDE;
            v[a] = gr_random_uniform(&random, -speed, speed);
            w[a] = gr_random_uniform(&random, -speed, speed) / GRAIN;
        }
    }
    return bin_of(def, start, SIDE * SIDE * SIDE);
}

/// Energy of motion and springs. Springs store and return exactly; what a step adds is small beside what is lost.
static void test_energy_and_momentum(void **state)
{
    (void)state;
    GrBinDef def = free_box();
    def.step = 0.05;
    def.grains.restitution = 0.7;
    def.grains.friction = 0.5;
    def.grains.rolling = 0.1;
    GrBin *bin = cloud(&def, 0.3);
    const GrBinMeasure first = gr_bin_measure(bin);
    const double speed = sqrt(2 * first.kinetic * bin->mass), rounding = 1e-6;
    double energy = first.kinetic + first.elastic;
    for (int k = 0; k < 20; k++) {
        run_for(bin, 0.002);
        const GrBinMeasure m = gr_bin_measure(bin);
        assert_true(m.kinetic + m.elastic <= energy + 1e-4 * first.kinetic);
        energy = m.kinetic + m.elastic;
        assert_near(gr_norm(gr_sub(m.momentum, first.momentum)), 0, rounding * speed);
    }
    assert_true(energy < 0.5 * first.kinetic);
    gr_bin_free(bin);
}

/// Without dissipation energy stays.
static void test_energy_is_kept(void **state)
{
    (void)state;
    GrBinDef def = free_box();
    def.step = 0.02;
    GrBin *bin = cloud(&def, 0.3);
    const double first = gr_bin_measure(bin).kinetic;
    run_for(bin, 0.02);
    const GrBinMeasure m = gr_bin_measure(bin);
    assert_near_rel(m.kinetic + m.elastic, first, 2e-3);
    gr_bin_free(bin);
}

static void test_threads(void **state)
{
    (void)state;
    uint64_t hash[3];
    const int threads[3] = {1, 2, 4};
    for (int k = 0; k < 3; k++) {
        GrBinDef def = gr_default_bin_def();
        def.size[0] = 0.06, def.size[1] = 0.04, def.size[2] = 0.15;
        def.work.threads = threads[k];
        GrBin *bin = settled_bed(&def, 0.03, GR_TEST_LONG(0.08, 0.02));
        assert_true(bin->view.count > 1000 && bin->rebuilds > 3);
        hash[k] = gr_bin_measure(bin).hash;
        gr_bin_free(bin);
    }
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
}

/// The floor carries the bed's weight.
static void test_column(void **state)
{
    (void)state;
    GrBinDef def = gr_default_bin_def();
    def.size[0] = def.size[1] = 0.03, def.size[2] = 0.2;
    GrBin *bin = settled_bed(&def, 0.02, 0.25);
    run_for(bin, 0.05);
    double force = 0;
    const int steps = 2000;
    for (int k = 0; k < steps; k++) {
        run_for(bin, bin->dt);
        force -= bin->force[4].z / steps;
    }
    assert_near_rel(force, 9.81 * bin->mass, 0.005);
    gr_bin_free(bin);
}

/// Three grains that fall onto each other and the floor, seen in a mirror: the same numbers with the other sign.
static void test_mirror_and_rotation(void **state)
{
    (void)state;
    GrBin *bins[3];
    for (int k = 0; k < 3; k++) { // as it is; mirrored along x; turned by 90 degrees about z
        GrBinDef def = free_box();
        def.sides[2] = GR_SIDE_OPEN;
        def.gravity[2] = -9.81;
        def.grains.friction = 0.5, def.grains.rolling = 0.1, def.grains.restitution = 0.5;
        const double x[3] = {0.001, -0.0015, 0.0005}, y[3] = {0.0005, 0.001, -0.001};
        GrBinStart start[3] = {{.radius = GRAIN}, {.radius = 0.9 * GRAIN}, {.radius = 0.8 * GRAIN}};
        for (int i = 0; i < 3; i++) {
            const double u = k == 1 ? -x[i] : k == 2 ? -y[i] : x[i], v = k == 2 ? x[i] : y[i];
            start[i].position = gr_vec3(0.02 + u, 0.02 + v, 0.003 + 0.0042 * i);
        }
        bins[k] = bin_of(&def, start, 3);
        run_for(bins[k], 0.06);
    }
    double moved = 0;
    for (int i = 0; i < 3; i++) {
        const GrGrain *g = grain_of(bins[0], i), *m = grain_of(bins[1], i), *r = grain_of(bins[2], i);
        const double rounding = 2e-4 * sqrt((double)(g->vx * g->vx + g->vy * g->vy + g->vz * g->vz)) + 1e-7;
        assert_near((double)m->vx, -(double)g->vx, rounding);
        assert_near((double)m->vy, (double)g->vy, rounding);
        assert_near((double)m->wy, -(double)g->wy, rounding / GRAIN);
        assert_near((double)r->vx, -(double)g->vy, rounding);
        assert_near((double)r->vy, (double)g->vx, rounding);
        assert_near((double)r->vz, (double)g->vz, rounding);
        moved = fmax(moved, fmin(fabs((double)g->vx), fabs((double)g->wy) * GRAIN));
    }
    assert_true(moved > 5e-3);
    for (int k = 0; k < 3; k++) {
        gr_bin_free(bins[k]);
    }
}

/// A run that goes on from a snapshot ends with the bits of one that was not interrupted.
static void test_snapshot(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrBinDef def = gr_default_bin_def();
    def.size[0] = def.size[1] = 0.03, def.size[2] = 0.1;
    GrBin *bin = settled_bed(&def, 0.02, 0.05), *again = NULL;
    int extra = 7, back = 0;
    assert_int_equal(gr_bin_save(bin, "bin.grains", &extra, sizeof extra, &log), GR_OK);
    assert_int_equal(gr_bin_load("bin.grains", (GrBinWork){.threads = 1}, &back, sizeof back, &again, &log), GR_OK);
    assert_int_equal(back, 7);
    run_for(bin, 0.05);
    run_for(again, 0.05);
    assert_true(gr_bin_measure(bin).hash == gr_bin_measure(again).hash && bin->time == again->time);
    gr_bin_free(bin);
    gr_bin_free(again);

    FILE *file = fopen("bin.grains", "r+b");
    assert_non_null(file);
    fseek(file, -5000, SEEK_END);
    fputc(1, file);
    fputc(200, file);
    fclose(file);
    assert_int_equal(gr_bin_load("bin.grains", (GrBinWork){.threads = 1}, &back, sizeof back, &again, &log),
                     GR_ERROR_SYNTAX);
    assert_null(again);
    assert_non_null(strstr(log.items[0].text, "damaged"));
}

/// Files with the right checksum but any content: what is accepted can be stepped, and what is not has a message.
static void test_forged_snapshot(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrBinDef def = gr_default_bin_def();
    def.size[0] = def.size[1] = 0.02, def.size[2] = 0.06;
    GrBin *bin = settled_bed(&def, 0.012, 0.1), *again = NULL;
    GrBuffer good = {0};
    gr_bin_pack(bin, NULL, 0, &good);
    gr_bin_free(bin);
    const size_t body = good.size - sizeof(uint64_t);
    char *forged = gr_malloc(good.size);
    assert_non_null(forged);
    GrRandom random = gr_random_stream(1, "forged");
    int accepted = 0;
    for (int k = 0; k < GR_TEST_LONG(3000, 600); k++) {
        static const uint32_t odd[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fc00000, 0x7f800000, 58};
        memcpy(forged, good.data, good.size);
        for (int n = (int)gr_random_uniform(&random, 1, 4); n > 0; n--) {
            // numbers all over the file, and as often in its head
            const double end = n % 2 == 0 ? 2000 : (double)body;
            const size_t at = 8 + 4 * (size_t)gr_random_uniform(&random, 0, (end - 12) / 4);
            const uint32_t value = gr_random_uniform(&random, 0, 1) < 0.7
                                       ? odd[(int)gr_random_uniform(&random, 0, 8)]
                                       : (uint32_t)gr_random_uniform(&random, 0, 4294967295.0);
            memcpy(forged + at, &value, sizeof value);
        }
        const uint64_t sum = gr_checksum(0, forged, body);
        memcpy(forged + body, &sum, sizeof sum);
        memset(&log, 0, sizeof log);
        GrStatus status = gr_bin_unpack(forged, good.size, "forged", (GrBinWork){.threads = 1}, NULL, 0, &again, &log);
        assert_true((status == GR_OK) == (again != NULL && log.error_count == 0));
        accepted += status == GR_OK;
        for (int i = 0; i < 3 && status == GR_OK; i++) {
            status = gr_bin_step(again, &log);
        }
        status = status == GR_OK ? gr_bin_rebuild(again, &log) : status;
        assert_true((status == GR_OK) == (log.error_count == 0));
        gr_bin_free(again);
    }
    assert_true(accepted > 10);
    gr_free(forged);
    gr_buffer_free(&good);
}

static void check_refused(const GrBinDef *def, const GrBinStart *start, int count, const char *part)
{
    GrErrorLog log = {0};
    GrBin *bin;
    assert_int_not_equal(gr_bin_create(def, start, count, &bin, &log), GR_OK);
    assert_null(bin);
    if (strstr(log.items[0].text, part) == NULL) {
        fail_msg("'%s' is not in '%s'", part, log.items[0].text);
    }
}

static void test_bad_input(void **state)
{
    (void)state;
    GrBinDef def = free_box();
    GrBinStart two[2] = {{.position = {0.02, 0.02, 0.02}, .radius = GRAIN},
                         {.position = {0.02, 0.02, 0.0238}, .radius = GRAIN}};
    check_refused(&def, two, 2, "grains 0 and 1 overlap by 0.1 of a radius");
    two[1].radius = 0;
    check_refused(&def, two, 2, "grain 1 has the radius 0 m");
    two[1].radius = NAN;
    check_refused(&def, two, 2, "grain 1 has the radius nan m");
    two[1] = (GrBinStart){.position = {0.02, 0.05, 0.02}, .radius = GRAIN};
    check_refused(&def, two, 2, "grain 1 is at 0.05 m along y");
    def.step = 0.6;
    check_refused(&def, two, 1, "unstable");
    def = free_box();
    def.size[1] = 0.01;
    check_refused(&def, two, 1, "three times the reach");

    def = gr_default_bin_def();
    GrErrorLog log = {0};
    GrBinStart *start;
    int count;
    assert_int_not_equal(gr_bin_fill(&def, 0, 0.15, 1, &start, &count, &log), GR_OK);
    assert_non_null(strstr(log.items[0].text, "the bin is 0.2 m high"));
    assert_null(start);
}

/// More grains than memory holds are refused before any is taken.
static void test_memory(void **state)
{
    (void)state;
#ifdef GR_TEST_SANITIZED
    skip(); // their shadow is larger than any limit
#endif
    GrErrorLog log = {0};
    GrBinDef def = gr_default_bin_def();
    GrBinStart *start;
    int count;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    const struct rlimit small = {(rlim_t)8 << 30, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &small), 0);
    def.size[0] = def.size[1] = 1.35, def.size[2] = 1.3;
    const GrStatus status = gr_bin_fill(&def, 0, 0.6, 1, &start, &count, &log);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(status, GR_ERROR_VALUE);
    assert_null(start);
    assert_non_null(strstr(log.items[0].text, "GB are available; fewer or larger grains"));
}

/// A grain that leaves, or flies, is an error with its number and not a NaN.
static void test_lost(void **state)
{
    (void)state;
    GrBinDef def = gr_default_bin_def();
    GrErrorLog log = {0};
    GrBinStart one = {.position = {0.02, 0.02, 0.19}, .velocity = {0, 0, 3}, .radius = GRAIN};
    GrBin *bin = bin_of(&def, &one, 1);
    GrStatus status = GR_OK;
    for (int k = 0; k < 5000 && status == GR_OK; k++) {
        status = gr_bin_step(bin, &log);
    }
    assert_int_equal(status, GR_ERROR_NUMERIC);
    assert_non_null(strstr(log.items[0].text, "grain 0 left the bin"));
    gr_bin_free(bin);
    one.velocity.z = -300;
    assert_int_equal(gr_bin_create(&def, &one, 1, &bin, &log), GR_ERROR_NUMERIC);
    assert_non_null(strstr(log.items[1].text, "of its radius a step"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_and_momentum),
        cmocka_unit_test(test_energy_is_kept),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_column),
        cmocka_unit_test(test_mirror_and_rotation),
        cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_forged_snapshot),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
