/// Unloading along its own line, that of k_0 and A_u or by a part of the sinkage: the line itself against its
/// formula, the work that it leaves in the soil, and that rolling forgets it. Without both soil unloads along its
/// curve.
#include "support/soil_test.h"

static const double K_0 = 4e6, A_U = 3e8, DEEP = 0.02, DT = 1e-3; // [Pa/m, Pa/m², m, s]

typedef enum Kind { ELASTIC, GIVEN, REBOUND, KINDS } Kind;

static GrSoilWheel make(GrSoilLaw law, Kind kind)
{
    GrSoilDef soil = ishigami();
    soil.law = law;
    soil.n0 = 0.9;
    soil.cohesion = soil.friction_angle = 0; // normal stress alone
    soil.unloading_k0 = kind == GIVEN ? K_0 : 0;
    soil.unloading_grow = kind == GIVEN ? A_U : 0;
    soil.unloading_rebound = kind == REBOUND ? 0.1 : 0;
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    return prepared(&soil, &wheel);
}

/// Moves the wheel to sinkage `to` in `steps`, with `along` and rolling without slip; returns the work of f_z.
static double move(const GrSoilWheel *w, double *from, double to, double along, int steps, double *state,
                   GrSoilOutput *out)
{
    double work = 0, next[GR_STATE_MAX];
    for (int i = 1; i <= steps; i++) {
        const double h = *from + (to - *from) * i / steps, rise = (*from - to) / steps;
        GrSoilMotion m = {.sinkage = {h}, .twist = {along, 0, rise / DT, 0, along / w->radius, 0}};
        gr_soil_evaluate(w, &m, DT, state, next, out);
        memcpy(state, next, sizeof(double) * (size_t)w->state_size);
        work += out->wrench[2] * rise;
    }
    *from = to;
    return work;
}

/// f_z over that of virgin soil at the same sinkage: (H/h)^n (1 − U/l), l = P H^n/(k_0 + A_u H) or 0.1 H.
static void test_line(void **state)
{
    (void)state;
    static const GrSoilLaw laws[] = {GR_SOIL_WONG_REECE, GR_SOIL_BEKKER, GR_SOIL_DING, GR_SOIL_CHAIKIN};
    for (int k = 0; k < 8; k++) {
        const Kind kind = k & 1 ? GIVEN : REBOUND;
        const GrSoilWheel w = make(laws[k / 2], kind);
        const double n = w.soil.n0;
        const double line = kind == GIVEN ? w.pressure * pow(DEEP, n) / (K_0 + A_U * DEEP) : 0.1 * DEEP;
        for (int part = 1; part < 12; part++) {
            double s[GR_STATE_MAX] = {0}, virgin[GR_STATE_MAX] = {0}, h = 1e-6, fresh = 1e-6;
            const double risen = 0.1 * part * line;
            GrSoilOutput out, loaded;
            move(&w, &h, DEEP, 0, 200, s, &out);
            move(&w, &h, DEEP - risen, 0, 100, s, &out);
            move(&w, &fresh, DEEP - risen, 0, 200, virgin, &loaded);
            const double left = fmax(0, 1 - risen / line) * pow(DEEP / (DEEP - risen), n);
            assert_near(out.wrench[2], left * loaded.wrench[2], 1e-9 * loaded.wrench[2]);
        }
    }
}

/// Pressed in and drawn out: elastic soil returns the work, plastic soil only that of the line; pressed again to the
/// same depth, it takes what it returned.
static void test_work(void **state)
{
    (void)state;
    for (int law = 0; law <= GR_SOIL_CHAIKIN; law++) {
        double in[KINDS], back[KINDS], again[KINDS], deepest[KINDS];
        for (int kind = 0; kind < KINDS; kind++) {
            const GrSoilWheel w = make((GrSoilLaw)law, (Kind)kind);
            double s[GR_STATE_MAX] = {0}, h = 1e-6;
            GrSoilOutput out;
            in[kind] = -move(&w, &h, DEEP, 0, 4000, s, &out);
            deepest[kind] = out.wrench[2];
            back[kind] = move(&w, &h, 0.5 * DEEP, 0, 8000, s, &out);
            again[kind] = -move(&w, &h, DEEP, 0, 8000, s, &out);
            assert_near_rel(out.wrench[2], deepest[kind], 1e-9);
        }
        print_message("%-12s %.3f J in; returned %.3f J elastic, %.3f J by k_0 and A_u, %.3f J by a part\n",
                      gr_soil_law_name((GrSoilLaw)law), in[0], back[ELASTIC], back[GIVEN], back[REBOUND]);
        assert_near_rel(again[ELASTIC], back[ELASTIC], 1e-3);
        for (int kind = GIVEN; kind < KINDS; kind++) {
            assert_near_rel(deepest[kind], deepest[ELASTIC], 1e-12);
            assert_near_rel(in[kind], in[ELASTIC], 1e-12);
            assert_near_rel(again[kind], back[kind], 1e-2);
            assert_true(back[kind] < 0.2 * back[ELASTIC] && back[kind] > 0);
        }
    }
}

/// A wheel that has risen a little carries nothing; rolled on by a patch length it stands on new soil.
static void test_rolling_forgets(void **state)
{
    (void)state;
    const GrSoilWheel w = make(GR_SOIL_WONG_REECE, REBOUND);
    double s[GR_STATE_MAX] = {0}, rolled[GR_STATE_MAX] = {0}, h = 1e-6, other = 1e-6;
    GrSoilOutput out, new;
    move(&w, &h, DEEP, 0, 200, s, &out);
    move(&w, &h, 0.8 * DEEP, 0, 100, s, &out);
    assert_near(out.wrench[2], 0, 1e-9);
    move(&w, &h, 0.8 * DEEP, 0.1, 3000, s, &out); // 0.3 m
    move(&w, &other, 0.8 * DEEP, 0, 200, rolled, &new);
    move(&w, &other, 0.8 * DEEP, 0.1, 3000, rolled, &new);
    assert_near_rel(out.wrench[2], new.wrench[2], 1e-3);
}

/// A wheel that was evaluated beyond, on or before the line of unloading, and ends the step elsewhere, is evaluated
/// again there; on the line, where it would cross all of it. Not where it stays on the same piece.
static void test_turns(void **state)
{
    (void)state;
    const GrSoilWheel w = make(GR_SOIL_WONG_REECE, REBOUND);
    enum { LOADED, LINE, FREE };
    const double line = 0.1 * DEEP, places[] = {-0.5 * line, 0.5 * line, 1.5 * line}; // of U at the end of the step
    double s[GR_STATE_MAX] = {0}, h = 1e-6;
    GrSoilOutput out;
    move(&w, &h, DEEP, 0, 200, s, &out);
    for (int from = LOADED; from <= FREE; from++) {
        for (int to = LOADED; to <= FREE; to++) {
            const double began = places[from] / DT, end = places[to] / DT;
            double rate = 0;
            const bool turns = gr_soil_turns(&w, began, DEEP - places[from], DT, s, end, &rate);
            assert_int_equal(turns, from != to);
            const double risen = DT * rate;
            if (turns && from != LINE && to != LINE) {
                assert_true(risen > 0 && risen < line);
            } else if (turns) {
                assert_near_rel(risen, places[to], 1e-12);
            }
        }
    }
    const GrSoilWheel elastic = make(GR_SOIL_WONG_REECE, ELASTIC);
    double rate;
    assert_false(gr_soil_turns(&elastic, -1, DEEP, DT, s, 1, &rate));
}

/// A flexible wheel that is pressed in and lifted: its rim leaves the soil after a rise of l, and the hub after that
/// and the deflection, k_w u = f_z.
static void test_flexible(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    soil.n0 = 0.9;
    soil.cohesion = soil.friction_angle = 0;
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrSoilWheel rigid = prepared(&soil, &wheel);
    wheel.stiffness = 2e4;
    const GrSoilWheel flexible = prepared(&soil, &wheel);
    double s[GR_STATE_MAX] = {0}, h = 1e-6, r[GR_STATE_MAX] = {0}, sunk = 1e-6;
    GrSoilOutput out, stiff;
    move(&flexible, &h, DEEP, 0, 1000, s, &out);
    const double load = out.wrench[2], rim = DEEP - s[GR_HEAD_FLEX];
    assert_near_rel(s[GR_HEAD_FLEX], load / wheel.stiffness, 1e-9);
    move(&rigid, &sunk, rim, 0, 1000, r, &stiff);
    assert_near_rel(load, stiff.wrench[2], 1e-9);
    const double whole = 0.1 * rim + load / wheel.stiffness;
    move(&flexible, &h, DEEP - 0.5 * whole, 0, 1000, s, &out);
    assert_true(out.wrench[2] > 0.3 * load && out.wrench[2] < 0.7 * load);
    const double held = DEEP - 0.5 * whole - s[GR_HEAD_FLEX]; // depth of the rim
    double again[GR_STATE_MAX] = {0}, at = 1e-6;
    move(&rigid, &at, rim, 0, 1000, again, &stiff);
    move(&rigid, &at, held, 0, 100, again, &stiff);
    assert_near_rel(out.wrench[2], stiff.wrench[2], 1e-6);
    move(&flexible, &h, DEEP - 1.001 * whole, 0, 1000, s, &out);
    assert_near(out.wrench[2], 0, 1e-9);
    assert_near(s[GR_HEAD_FLEX], 0, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line),  cmocka_unit_test(test_work),     cmocka_unit_test(test_rolling_forgets),
        cmocka_unit_test(test_turns), cmocka_unit_test(test_flexible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
