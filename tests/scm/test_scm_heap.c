/// Soil that a wheel displaces, in bands around its contact: nothing is lost, both sides get as much, little goes
/// ahead, and what falls on a compacted bottom covers it.
#include "scm_grid.h"
#include "test.h"

#include <stdlib.h>

static const double CELL = 0.01, PRESSED = 3e-6, DUG = 2e-6, SUNK = 2e-4; // [m, m³, m³, m]

/// A wheel that rolls along x with slip, and the scratch around it with a sinkage of SUNK everywhere.
typedef struct Heap {
    GrScmBody body;
    GrScmPose pose;
    GrScmScratch *s;
    GrScmNodes nodes;
    GrScmBands bands;
} Heap;

static Heap make(double pressed, double dug)
{
    enum { AHEAD = 4, BEHIND = 2, HALF = 5 }; // nodes of a contact
    Heap h = {
        .pose = {.centre = {0, 0, 0.08}, .axes = gr_mat3_identity(), .velocity = {0.05, 0, 0}, .spin = {0, 1, 0}}};
    GrSoilDef soil = gr_default_soil_def();
    soil.law = GR_SOIL_SCM;
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    assert_int_equal(gr_scm_prepare_wheel(&soil, &wheel, CELL, &h.body, NULL), GR_OK);
    h.s = gr_scm_scratch_create(&h.body);
    assert_non_null(h.s);
    gr_scm_box_place(&h.body, &h.pose, h.s);
    for (int k = 0; k < h.s->side * h.s->side; k++) {
        h.s->change[k] = 0;
        h.s->sinkage[k] = SUNK;
    }
    h.nodes = gr_scm_nodes_create((AHEAD + BEHIND + 1) * (2 * HALF + 1));
    assert_non_null(h.nodes.block);
    for (int j = -HALF; j <= HALF; j++) {
        for (int i = -BEHIND; i <= AHEAD; i++) {
            gr_scm_nodes_add(&h.nodes, &(GrScmNode){.i = i, .j = j});
        }
    }
    gr_scm_bands_find(&h.body, &h.pose, &h.nodes, h.s, &h.bands);
    const GrScmHeap heap = gr_scm_heap_of(&h.pose);
    const double raised = gr_scm_bands_raise(&h.body, &heap, &h.bands, pressed, dug, h.s);
    assert_near_rel(raised, pressed + dug, 1e-12);
    return h;
}

static void destroy(Heap *h)
{
    gr_scm_nodes_free(&h->nodes);
    gr_scm_scratch_free(h->s);
}

/// Volume at nodes whose place along x (axis 0) or y (axis 1) is beyond `from` on one side of the wheel [m³].
static double volume(const Heap *h, int axis, double side, double from)
{
    double sum = 0;
    for (int k = 0; k < h->s->side * h->s->side; k++) {
        const double at = axis == 0 ? h->s->offset_x[k % h->s->side] : h->s->offset_y[k / h->s->side];
        sum += side * at > from ? h->s->change[k] * CELL * CELL : 0;
    }
    return sum;
}

static void test_nothing_is_lost(void **state)
{
    (void)state;
    Heap h = make(PRESSED, DUG);
    assert_near_rel(volume(&h, 0, 1, -1e9), PRESSED + DUG, 1e-12);
    assert_near_rel(volume(&h, 1, 1, 0), volume(&h, 1, -1, 0), 1e-12); // the wheel is over a node
    destroy(&h);
}

/// What is pressed down goes aside, and what slip digs goes behind.
static void test_where_it_goes(void **state)
{
    (void)state;
    Heap pressed = make(PRESSED, 0), dug = make(0, DUG);
    print_message("%.3f of the pressed soil goes ahead, %.3f of the dug soil behind\n",
                  volume(&pressed, 0, 1, pressed.bands.front) / PRESSED, volume(&dug, 0, -1, dug.bands.behind) / DUG);
    assert_true(volume(&pressed, 0, 1, pressed.bands.front) < 0.1 * PRESSED);
    assert_true(volume(&dug, 0, 1, dug.bands.front) < 0.01 * DUG);
    destroy(&pressed);
    destroy(&dug);
}

/// The bottom of a rut is as firm as before under the soil that covers it, and deeper by as much: z_sunk − rise, not
/// below 0.
static void test_compacted_bottom_is_covered(void **state)
{
    (void)state;
    Heap h = make(PRESSED, DUG);
    int part = 0, whole = 0;
    for (int k = 0; k < h.s->side * h.s->side; k++) {
        const double rise = h.s->change[k];
        assert_near(h.s->sinkage[k], fmax(0, SUNK - rise), 1e-15);
        part += rise > 0 && rise < SUNK;
        whole += rise > SUNK;
    }
    print_message("%d nodes are covered in part, %d wholly\n", part, whole);
    assert_true(part > 5 && whole > 5);
    destroy(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_lost),
        cmocka_unit_test(test_where_it_goes),
        cmocka_unit_test(test_compacted_bottom_is_covered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
