/// Grains of two or three spheres: their shape, what a rigid body keeps, how they rest, and that threads and snapshots
/// do not change them.
#include "bin_rig.h"
#include "grain_test.h"
#include "random.h"

/// Two spheres whose centres are `apart` of their radius from each other.
static void make_dimer(GrGrainDef *g, double apart)
{
    g->clump_count = 2;
    for (int k = 0; k < 2; k++) {
        g->clump_radius[k] = 1;
        g->clump_at[k][0] = g->clump_at[k][1] = g->clump_at[k][2] = 0;
        g->clump_at[k][1] = (k - 0.5) * apart; // not along the frame's first axis
    }
}

static void make_trimer(GrGrainDef *g)
{
    static const double at[3][3] = {{0, 0, 0}, {1.2, 0, 0}, {0.5, 0.9, 0.3}}, radius[3] = {1, 0.8, 0.6};
    g->clump_count = 3;
    memcpy(g->clump_at, at, sizeof at);
    memcpy(g->clump_radius, radius, sizeof radius);
}

/// Volume and inertia against closed forms: two spheres that just touch, and two in one place.
static void test_shape(void **state)
{
    (void)state;
    GrGrainDef g = gr_default_grain_def();
    make_dimer(&g, 2);
    GrClumpShape s = gr_clump_shape(&g);
    const double r = pow(2, -1.0 / 3); // of the two, for the volume of one of radius 1
    assert_near_rel(s.radius[0], r, 1e-4);
    assert_near_rel(s.reach, 2 * r, 1e-4);
    assert_near_rel(s.crowd, 1.0, 1e-3);
    double inertia[3] = {s.inertia[0], s.inertia[1], s.inertia[2]};
    int along = 0;
    for (int a = 1; a < 3; a++) {
        along = inertia[a] < inertia[along] ? a : along;
    }
    for (int a = 0; a < 3; a++) {
        assert_near_rel(inertia[a], a == along ? 0.4 * r * r : 1.4 * r * r, 1e-3);
    }
    make_dimer(&g, 1e-9);
    s = gr_clump_shape(&g);
    assert_near_rel(s.radius[0], 1.0, 1e-4);
    assert_near_rel(s.crowd, 2.0, 1e-3);
    assert_near_rel(s.inertia[0], 0.4, 1e-3);

    make_trimer(&g);
    s = gr_clump_shape(&g);
    assert_true(s.inertia[0] + s.inertia[1] > s.inertia[2] && s.crowd > 1.1);
    for (int i = 0; i < 3; i++) { // turned and moved, but not bent
        const double *p = g.clump_at[i], *q = g.clump_at[(i + 1) % 3], scale = g.clump_radius[0] / s.radius[0];
        const double d = gr_norm(gr_vec3(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
        assert_near_rel(gr_norm(gr_sub(s.at[i], s.at[(i + 1) % 3])) * scale, d, 1e-9);
    }
}

/// A clump that turns about no principal axis, alone: angular momentum to the last bit, energy, and precession.
static void test_free_spin(void **state)
{
    (void)state;
    GrBinDef def = free_box();
    make_trimer(&def.grains);
    const GrBinStart start = {.position = {0.02, 0.02, 0.02},
                              .radius = GRAIN,
                              .velocity = {0.1, 0, 0},
                              .spin = {60, 100, -40},
                              .rotation = {0.6, 0.2, -0.5, 0.3}};
    GrBin *bin = bin_of(&def, &start, 1);
    const GrClump first = bin->view.clump[0];
    const double kinetic = gr_bin_measure(bin).kinetic;
    double turned = 1;
    for (int k = 0; k < 20; k++) {
        run_for(bin, 0.01);
        const GrClump *b = &bin->view.clump[0];
        double same = 0;
        for (int a = 0; a < 4; a++) {
            same += (double)(b->q[a] * first.q[a]);
        }
        turned = fmin(turned, fabs(same));
        assert_true(b->lx == first.lx && b->ly == first.ly && b->lz == first.lz);
        assert_near_rel(gr_bin_measure(bin).kinetic, kinetic, 2e-4);
        const GrGrain *g = grain_of(bin, 0), *h = grain_of(bin, 1);
        const GrVec3f apart = gr_grain_diff(&bin->view, g, h);
        const double d = sqrt((double)gr_v3f_dot(apart, apart));
        assert_near_rel(d, GRAIN * gr_norm(gr_sub(bin->shape.at[0], bin->shape.at[1])), 1e-5);
    }
    assert_true(turned < 0.5);
    gr_bin_free(bin);
}

static GrVec3 angular_momentum(const GrBin *bin)
{
    GrVec3 sum = gr_vec3(0, 0, 0);
    for (int c = 0; c < gr_bin_count(bin); c++) {
        const GrClump *b = &bin->view.clump[c];
        const GrGrain middle = {.x = b->x, .y = b->y, .z = b->z};
        const GrVec3 p = gr_sub(gr_bin_position(bin, &middle), gr_vec3(0.02, 0.02, 0.02));
        const GrVec3 v = gr_vec3((double)b->vx, (double)b->vy, (double)b->vz);
        sum = gr_add(sum, gr_scale(1 / (double)b->light, gr_cross(p, v)));
        sum = gr_add(sum, gr_vec3((double)b->lx, (double)b->ly, (double)b->lz));
    }
    return sum;
}

/// Two clumps that hit each other off-centre: what both have together stays, and energy too without dissipation. With
/// friction kinetic energy alone never grows: springs along a contact have no potential (test_contact, test_oblique).
static void test_impact(void **state)
{
    (void)state;
    for (int lossy = 0; lossy < 2; lossy++) {
        GrBinDef def = free_box();
        make_dimer(&def.grains, 1.4);
        def.step = 0.02;
        if (lossy) {
            def.grains.restitution = 0.5, def.grains.friction = 0.5, def.grains.rolling = 0.2;
        }
        const GrBinStart start[2] = {{.position = {0.015, 0.02, 0.02},
                                      .velocity = {0.4, 0, 0},
                                      .radius = GRAIN,
                                      .rotation = {0.9, 0.1, 0.3, 0.2}},
                                     {.position = {0.025, 0.0213, 0.0192},
                                      .velocity = {-0.3, 0.02, 0},
                                      .spin = {5, 20, -10},
                                      .radius = 0.8 * GRAIN,
                                      .rotation = {0.2, 0.7, -0.4, 0.5}}};
        GrBin *bin = bin_of(&def, start, 2);
        const GrBinMeasure first = gr_bin_measure(bin);
        const GrVec3 whole = angular_momentum(bin);
        double energy = first.kinetic, most = 0;
        for (int k = 0; k < 60; k++) {
            run_for(bin, 2.5e-4);
            const GrBinMeasure m = gr_bin_measure(bin);
            most = fmax(most, m.elastic);
            assert_true(m.kinetic <= first.kinetic * (1 + 1e-3));
            energy = m.kinetic + m.elastic;
            assert_near(gr_norm(gr_sub(m.momentum, first.momentum)), 0, 2e-6 * gr_norm(first.momentum) + 1e-9);
            assert_near(gr_norm(gr_sub(angular_momentum(bin), whole)), 0, 1e-4 * gr_norm(whole));
        }
        assert_true(most > 0.05 * first.kinetic);
        assert_true(lossy ? energy < 0.95 * first.kinetic : fabs(energy / first.kinetic - 1) < 3e-3);
        gr_bin_free(bin);
    }
}

/// Any number of threads, and a snapshot in between, end with the same bits; the floor carries the weight.
static void test_bed_bits(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    uint64_t hash[3];
    for (int k = 0; k < 3; k++) {
        GrBinDef def = gr_default_bin_def();
        def.size[0] = def.size[1] = 0.04, def.size[2] = 0.2;
        make_trimer(&def.grains);
        def.work.threads = k == 1 ? 3 : 1;
        GrBin *bin = settled_bed(&def, 0.02, 0.1), *again = NULL;
        assert_true(bin->view.count == 3 * gr_bin_count(bin) && gr_bin_count(bin) > 300);
        if (k == 2) {
            assert_int_equal(gr_bin_save(bin, "clumps.grains", NULL, 0, &log), GR_OK);
            gr_bin_free(bin);
            assert_int_equal(gr_bin_load("clumps.grains", (GrBinWork){.threads = 2}, NULL, 0, &again, &log), GR_OK);
            bin = again;
        }
        run_for(bin, 0.05);
        hash[k] = gr_bin_measure(bin).hash;
        if (k == 0) {
            bin->damping = 5;
            run_for(bin, GR_TEST_LONG(0.2, 0.05));
            double force = 0;
            const int steps = 1000;
            for (int i = 0; i < steps; i++) {
                run_for(bin, bin->dt / 2);
                force -= bin->force[4].z / steps;
            }
            assert_near_rel(force, 9.81 * bin->mass, 0.03);
        }
        gr_bin_free(bin);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

/// A heap of pairs is steeper than one of spheres, with the same friction and no rolling resistance.
static void test_repose(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrBedDef bed = gr_default_bed_def();
    GrGrainDef *g = &bed.bin.grains;
    g->diameter = 0.005, g->spread = 0.1, g->young = 1e6;
    g->friction = 0.4, g->rolling = 0, g->wall_friction = 0.9, g->wall_rolling = 0.3;
    bed.bin.size[0] = 0.2, bed.bin.size[1] = 0.03, bed.bin.size[2] = 0.4;
    bed.depth = 0.05, bed.filled = 0.08;
    double angle[2];
    for (int pairs = 0; pairs < 2; pairs++) {
        if (pairs) {
            make_dimer(g, 1.6);
        }
        GrReposeDef def = gr_default_repose_def(&bed);
        GrReposeAnswer answer;
        GrBin *bin;
        def.speed = 0.1;
        if (gr_repose_run(&def, NULL, &bin, &answer, &log) != GR_OK) {
            fail_msg("%s", log.items[0].text);
        }
        angle[pairs] = answer.angle * 180 / GR_PI;
        gr_bin_free(bin);
    }
    print_message("repose: spheres %.1f, pairs %.1f degrees\n", angle[0], angle[1]);
    assert_true(angle[1] > angle[0] + 3);
}

static void test_refused(void **state)
{
    (void)state;
    GrBinDef def = free_box();
    const GrBinStart start = {.position = {0.02, 0.02, 0.02}, .radius = GRAIN};
    GrErrorLog log = {0};
    GrBin *bin;
    make_dimer(&def.grains, 2.1);
    assert_int_not_equal(gr_bin_create(&def, &start, 1, &bin, &log), GR_OK);
    assert_non_null(strstr(log.items[0].text, "2 or 3 spheres"));
    make_dimer(&def.grains, 1);
    def.grains.clump_radius[1] = 0;
    assert_int_not_equal(gr_bin_create(&def, &start, 1, &bin, &log), GR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape),    cmocka_unit_test(test_free_spin), cmocka_unit_test(test_impact),
        cmocka_unit_test(test_bed_bits), cmocka_unit_test(test_repose),    cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
