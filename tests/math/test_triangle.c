/// Triangles cut into small ones: area and orientation are kept, no edge is too long, and a piece that is not taken
/// ends the cutting.
#include "test.h"
#include "triangle.h"

typedef struct Pieces {
    GrVec3 sum; ///< of the area vectors
    double longest, limit;
    int count, most;
} Pieces;

static double stretched(GrVec3 edge)
{
    return gr_norm(gr_vec3(edge.x, 0.25 * edge.y, edge.z));
}

static double limit_of(const void *context, const GrVec3 t[3])
{
    const Pieces *p = context;
    (void)t;
    return p->limit;
}

static bool count_piece(void *context, const GrVec3 t[3])
{
    Pieces *p = context;
    p->sum = gr_madd(p->sum, 0.5, gr_cross(gr_sub(t[1], t[0]), gr_sub(t[2], t[0])));
    for (int k = 0; k < 3; k++) {
        p->longest = fmax(p->longest, stretched(gr_sub(t[(k + 1) % 3], t[k])));
    }
    return ++p->count < p->most;
}

static void test_pieces(void **state)
{
    (void)state;
    static const GrVec3 whole[3] = {{0.1, -0.3, 0.2}, {1.7, 0.4, -0.1}, {0.3, 2.2, 0.9}};
    const GrVec3 area = gr_scale(0.5, gr_cross(gr_sub(whole[1], whole[0]), gr_sub(whole[2], whole[0])));
    for (double limit = 2; limit > 0.01; limit *= 0.6) {
        Pieces p = {.limit = limit, .most = 1 << 20};
        const GrTriangleCutter cutter = {&p, stretched, limit_of, count_piece};
        assert_true(gr_triangle_cut(&cutter, whole));
        assert_true(p.longest <= limit);
        assert_true(gr_norm(gr_sub(p.sum, area)) < 1e-12 * gr_norm(area));
        // a piece is a part of a half by the longest edge: none is far smaller than needed
        assert_true(p.count <= 1 || p.longest > 0.25 * limit);
    }
}

static void test_stop(void **state)
{
    (void)state;
    static const GrVec3 whole[3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    Pieces p = {.limit = 0.01, .most = 7};
    const GrTriangleCutter cutter = {&p, stretched, limit_of, count_piece};
    assert_false(gr_triangle_cut(&cutter, whole));
    assert_int_equal(p.count, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pieces), cmocka_unit_test(test_stop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
