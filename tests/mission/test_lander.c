/// Placing landers: closed forms on planes, known heights under three and four feet, a search over all tilts, and the
/// energy of small motions.
#include "test.h"

#include "grouser/lander.h"
#include "vec3.h"

#include <stdio.h>

/// Of poses found by iteration, whose feet are on the ground to 1e-12 m; the bilinear plane is exact to rounding.
static const double ANGLE = 1e-9;  // [rad]
static const double HEIGHT = 1e-9; // [m]

/// Heights on a grid of 0.5 m, 40 m wide, bilinear between nodes.
enum { NODES = 81 };

static GrTerrain *make_ground(double (*height)(double x, double y, const void *context), const void *context)
{
    static double heights[NODES * NODES];
    GrLayerDef layer = gr_default_layer_def();
    layer.interpolation = GR_BILINEAR;
    layer.frame = (GrGridFrame){NODES, NODES, -20, -20, 0.5, 0.5};
    for (int j = 0; j < NODES; j++) {
        for (int i = 0; i < NODES; i++) {
            heights[j * NODES + i] = height(-20 + 0.5 * i, -20 + 0.5 * j, context);
        }
    }
    GrTerrain *terrain = NULL;
    assert_int_equal(gr_terrain_create(&terrain, NULL), GR_OK);
    assert_int_equal(gr_terrain_add_grid(terrain, &layer, heights, NULL), GR_OK);
    return terrain;
}

static double plane(double x, double y, const void *context)
{
    const double *slope = context;
    return slope[0] * x + slope[1] * y + slope[2];
}

/// A square lander of half width 1.5 with its mass centre 1 m high, and ramps in four directions.
static GrLanderDef square(double radius)
{
    GrLanderDef d = gr_default_lander_def();
    d.com = gr_vec3(0, 0, 1);
    d.foot_count = 4;
    d.ramp_count = 4;
    for (int i = 0; i < 4; i++) {
        const double angle = (45 + 90 * i) * GR_DEGREE, toward = 90 * i * GR_DEGREE;
        d.feet[i] = (GrLanderFoot){{1.5 * sqrt(2) * cos(angle), 1.5 * sqrt(2) * sin(angle), 0}, radius};
        d.ramps[i].direction = toward;
        d.ramps[i].hinge = gr_vec3(cos(toward), sin(toward), 0.8);
        d.ramps[i].length = 2;
        d.ramps[i].width = 1;
        d.ramps[i].first = -30 * GR_DEGREE;
        snprintf(d.ramps[i].name, sizeof d.ramps[i].name, "r%d", i);
    }
    d.deck_length = d.deck_width = 2;
    d.deck_height = 0.8;
    d.corner_count = 4;
    d.underside = 0.4;
    const double corners[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    memcpy(d.corners, corners, sizeof corners);
    return d;
}

static GrLanderPlacement place(const GrLanderDef *d, const GrSite *site, GrLanderSpot spot)
{
    GrLanderPlacement p;
    assert_int_equal(gr_lander_place(d, site, spot, &p, NULL), GR_OK);
    return p;
}

/// On a plane of slope s that falls towards azimuth a, a body of heading h leans by s towards a. The centre line of a
/// ramp, whose plane with the ground is vertical to the body, falls below the horizontal by the angle of the vector
/// cos(hinge) u - sin(hinge) n, where n is the normal and u the body's direction in the plane. Its hinge angle is that
/// of level ground, since lander and ground are turned together.
static void test_tilted_plane(void **state)
{
    (void)state;
    const GrLanderDef d = square(0.25); // flat pads rest on a plane whatever their size
    const double slopes[] = {0, 5 * GR_DEGREE, 15 * GR_DEGREE, 25 * GR_DEGREE};
    const GrSite level = {0};
    const GrLanderPlacement flat = place(&d, &level, (GrLanderSpot){0});
    // the lower edge of the end: hinge height - L sin a - t cos a = 0
    const GrLanderRamp *r0 = &d.ramps[0];
    assert_near(r0->hinge.z - r0->length * sin(flat.ramps[0].hinge) - r0->thickness * cos(flat.ramps[0].hinge), 0,
                HEIGHT);
    assert_near(flat.clearance, 0.4, HEIGHT);
    assert_near(flat.stability, atan(1.5), ANGLE); // half width over height of the mass centre
    for (int k = 0; k < 4; k++) {
        const double toward = 40 * GR_DEGREE, s = tan(slopes[k]);
        const double gradient[3] = {-s * cos(toward), -s * sin(toward), 3};
        GrTerrain *terrain = make_ground(plane, gradient);
        const GrSite site = {.terrain = terrain};
        const GrVec3 n = gr_normalize(gr_vec3(-gradient[0], -gradient[1], 1));
        for (int degrees = 0; degrees < 360; degrees += 35) {
            const double heading = degrees * GR_DEGREE;
            const GrLanderPlacement p = place(&d, &site, (GrLanderSpot){2, -1, heading});
            assert_int_equal(p.stand, GR_STAND_STANDS);
            assert_int_equal(p.feet_down, 0xF);
            assert_near(p.tilt, slopes[k], ANGLE);
            assert_true(k == 0 || fabs(remainder(p.tilt_toward - toward, 2 * GR_PI)) < ANGLE);
            assert_near(p.clearance, 0.4 * cos(slopes[k]) + 0.4 * s * sin(slopes[k]), HEIGHT); // vertical distance
            const GrVec3 x = gr_normalize(
                gr_vec3(cos(heading), sin(heading), gradient[0] * cos(heading) + gradient[1] * sin(heading)));
            const GrVec3 y = gr_cross(n, x);
            for (int i = 0; i < 4; i++) {
                const double a = flat.ramps[i].hinge, e = d.ramps[i].direction;
                const GrVec3 u = gr_madd(gr_scale(cos(e), x), sin(e), y);
                assert_near(p.ramps[i].hinge, a, ANGLE);
                assert_near(p.ramps[i].slope, asin(sin(a) * n.z - cos(a) * u.z), ANGLE);
                assert_near(p.ramps[i].roll, asin(gr_cross(n, u).z), ANGLE);
                assert_int_equal(p.ramps[i].touch, GR_RAMP_END);
            }
        }
        gr_terrain_free(terrain);
    }
}

/// Three feet on known heights: the plane through the three points, by hand. The ground is terraced, flat around each
/// foot, so that the feet may move on it.
static double terraces(double x, double y, const void *context)
{
    (void)context;
    return x > 0.5 ? 0.3 : y > 0 ? 0.1 : 0;
}

static void test_three_feet(void **state)
{
    (void)state;
    GrLanderDef d = square(0);
    d.foot_count = 3;
    d.ramp_count = d.corner_count = 0;
    d.feet[0].position = gr_vec3(2, 0, 0);
    d.feet[1].position = gr_vec3(-1, 2, 0);
    d.feet[2].position = gr_vec3(-1, -2, 0);
    GrTerrain *terrain = make_ground(terraces, NULL);
    const GrSite site = {.terrain = terrain};
    const GrLanderPlacement p = place(&d, &site, (GrLanderSpot){0});
    assert_int_equal(p.stand, GR_STAND_STANDS);
    GrVec3 feet[3];
    for (int i = 0; i < 3; i++) {
        feet[i] = gr_add(p.pose.position, gr_quat_rotate(p.pose.rotation, d.feet[i].position));
    }
    assert_near(feet[0].z, 0.3, HEIGHT);
    assert_near(feet[1].z, 0.1, HEIGHT);
    assert_near(feet[2].z, 0, HEIGHT);
    // sine of the angle of each line between two feet: difference of heights over their distance in the body
    assert_near(asin((feet[1].z - feet[2].z) / gr_norm(gr_sub(feet[1], feet[2]))), asin(0.1 / 4), ANGLE);
    const GrVec3 y = gr_quat_rotate(p.pose.rotation, gr_vec3(0, 1, 0)),
                 x = gr_quat_rotate(p.pose.rotation, gr_vec3(1, 0, 0));
    assert_near(y.z, 0.1 / 4, ANGLE);        // feet 1 and 2 are 4 m apart along y
    assert_near(3 * x.z, 0.3 - 0.05, ANGLE); // foot 0 is 3 m ahead of the middle between them
    assert_near(cos(p.tilt), sqrt(1 - x.z * x.z - y.z * y.z), ANGLE);
    gr_terrain_free(terrain);
}

/// A tilted pad of 0.1 m on a rock touches beside the top: its middle is at most 0.1 sin(tilt) = 0.006 m off the height
/// of the top.
static const double PAD_ON_ROCK = 0.006; // [m]

/// Four feet with a rock under one: the mass centre decides on which side of the diagonal the lander stands.
static void test_rock_under_a_foot(void **state)
{
    (void)state;
    GrLanderDef d = square(0.1);
    d.ramp_count = 0;
    d.com.x = d.com.y = -0.2; // towards foot 2, away from foot 0
    const GrVec3 foot = gr_sub(d.feet[0].position, gr_vec3(d.com.x, d.com.y, 0));
    const GrRock rock = {foot.x, foot.y, 0.3, 0.25, 0};
    const GrSite site = {.rocks = &rock, .rock_count = 1};
    GrLanderPlacement p = place(&d, &site, (GrLanderSpot){0});
    assert_int_equal(p.stand, GR_STAND_STANDS);
    // three of 1, 2, 3 on the ground would have foot 0 in the rock: it carries, with 1 and 3 or with two neighbours
    assert_true(p.feet_down & 1);
    int down = 0;
    for (int i = 0; i < 4; i++) {
        const GrVec3 at = gr_add(p.pose.position, gr_quat_rotate(p.pose.rotation, d.feet[i].position));
        down += p.feet_down >> i & 1;
        if (i > 0 && (p.feet_down >> i & 1)) { // on its lower rim
            assert_near(at.z, 0, 0.1 * sin(p.tilt) + HEIGHT);
        }
        assert_true(at.z > -HEIGHT);
    }
    assert_int_equal(down, 3);
    // A mass centre between the diagonal of feet 1 and 3 and foot 2 would fall onto foot 2, and foot 0 leaves the
    // ground unless the rock is under it: then feet 1, 3 and 0 cannot carry, and 2 must be down with 0.
    assert_true(p.feet_down >> 2 & 1);
    // tilt about the line from foot 0 (0.25 m high, the dome under the pad) to the others, by hand: with feet 0, 2 and
    // one of 1, 3 down, the diagonal from 2 to 0 of length 3 sqrt(2) rises by 0.25
    const GrVec3 diagonal = gr_quat_rotate(p.pose.rotation, gr_sub(d.feet[0].position, d.feet[2].position));
    assert_near(diagonal.z, 0.25, PAD_ON_ROCK);
}

/// Rough ground of random heights, for properties.
typedef struct Rough {
    double size;
    uint64_t seed;
} Rough;

static double rough(double x, double y, const void *context)
{
    const Rough *r = context;
    uint64_t h = r->seed * 0x9E3779B97F4A7C15u ^ (uint64_t)(int64_t)lrint(x * 2) * 0xC2B2AE3D27D4EB4Fu ^
                 (uint64_t)(int64_t)lrint(y * 2) * 0x165667B19E3779F9u;
    h ^= h >> 31;
    h *= 0xD6E8FEB86659FD93u;
    h ^= h >> 32;
    return r->size * ((double)(h >> 11) / 9007199254740992.0 - 0.5);
}

/// Feet of a body with mass centre at (x, y), heading 0 and z axis along `up`: places, with z relative to the mass
/// centre.
static void feet_of(const GrLanderDef *d, GrVec3 up, double x, double y, GrVec3 *feet)
{
    const GrVec3 ex = gr_normalize(gr_vec3(1, 0, -up.x / up.z)), ey = gr_cross(up, ex);
    for (int i = 0; i < d->foot_count; i++) {
        const GrVec3 a = gr_sub(d->feet[i].position, d->com);
        feet[i] = gr_add(gr_vec3(x, y, 0), gr_add(gr_add(gr_scale(a.x, ex), gr_scale(a.y, ey)), gr_scale(a.z, up)));
    }
}

/// Whether the origin is in the hull of the marked points, by angles: the largest gap between their directions is at
/// most half a turn.
static bool surrounds(const GrVec3 *points, const bool *marked, int count, double x, double y)
{
    double angles[8], widest = 0;
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (marked[i]) {
            angles[n++] = atan2(points[i].y - y, points[i].x - x);
        }
    }
    for (int i = 0; i < n; i++) {
        double next = 2 * GR_PI;
        for (int k = 0; k < n; k++) {
            const double turn = angles[k] - angles[i];
            next = k != i ? fmin(next, turn < 0 ? turn + 2 * GR_PI : turn) : next;
        }
        widest = fmax(widest, next);
    }
    return n >= 3 && widest <= GR_PI + 1e-6;
}

/// Height of the mass centre of the lowest stable pose, by trying all tilts on a grid: three feet within `loose` of the
/// ground count as touching.
static double search_tilts(const GrLanderDef *d, const GrTerrain *terrain, double step, double loose)
{
    double lowest = INFINITY;
    const int n = (int)(0.45 / step);
    for (int j = -n; j <= n; j++) {
        for (int i = -n; i <= n; i++) {
            const GrVec3 up = gr_normalize(gr_vec3(i * step, j * step, 1));
            GrVec3 feet[8];
            double z = -INFINITY, heights[8];
            bool down[8];
            feet_of(d, up, 0, 0, feet);
            for (int k = 0; k < d->foot_count; k++) {
                assert_int_equal(gr_terrain_height(terrain, feet[k].x, feet[k].y, &heights[k]), GR_GROUND_OK);
                z = fmax(z, heights[k] - feet[k].z);
            }
            for (int k = 0; k < d->foot_count; k++) {
                down[k] = z + feet[k].z - heights[k] < loose;
            }
            if (z < lowest && surrounds(feet, down, d->foot_count, 0, 0)) {
                lowest = z;
            }
        }
    }
    return lowest;
}

/// The search sees every pose within half a step of tilt; feet at 2.1 m are then within 2.1 step of the ground, and the
/// mass centre moves by less than that.
static void test_against_search(void **state)
{
    (void)state;
    static const double STEP = 0.004, LOOSE = 2.2 * 0.004, WITHIN = 2 * 2.2 * 0.004;
    GrLanderDef d = square(0);
    d.ramp_count = d.corner_count = 0;
    d.com.x = 0.3;
    int stood = 0;
    for (uint64_t seed = 1; seed <= GR_TEST_LONG(40, 8); seed++) {
        const Rough ground = {0.8, seed};
        GrTerrain *terrain = make_ground(rough, &ground);
        const GrSite site = {.terrain = terrain};
        const GrLanderPlacement p = place(&d, &site, (GrLanderSpot){0});
        const double found = search_tilts(&d, terrain, STEP, LOOSE);
        if (p.stand == GR_STAND_STANDS) {
            const GrVec3 com = gr_add(p.pose.position, gr_quat_rotate(p.pose.rotation, d.com));
            assert_near(com.x, 0, HEIGHT);
            assert_near(com.z, found, WITHIN);
            stood++;
        }
        gr_terrain_free(terrain);
    }
    assert_true(stood >= GR_TEST_LONG(40, 8) - 1); // rough, but far from tipping
}

static bool is_edge(const GrVec3 *feet, unsigned down, int i, int j)
{
    bool edge = i != j && (down >> i & 1) && (down >> j & 1);
    for (int k = 0; k < 4 && edge; k++) {
        const GrVec3 across = gr_cross(gr_sub(feet[j], feet[i]), gr_sub(feet[k], feet[i]));
        edge = k == i || k == j || !(down >> k & 1) || across.z > 0;
    }
    return edge;
}

/// Angle to the top of the arc of a point about the line from a to b, by steps.
static const double ARC_STEP = 1e-3;
static double angle_to_top(GrVec3 a, GrVec3 b, GrVec3 point)
{
    const GrVec3 axis = gr_normalize(gr_sub(b, a)), arm = gr_sub(point, a);
    int k = 0;
    while (gr_quat_rotate(gr_quat_axis_angle(axis, (k + 1) * ARC_STEP), arm).z >
           gr_quat_rotate(gr_quat_axis_angle(axis, k * ARC_STEP), arm).z) {
        k++;
    }
    return k * ARC_STEP;
}

/// The mass centre rises in every rotation about an edge of the support, and the feet that do not carry are above the
/// ground: the pose is a minimum of the energy.
static void test_energy(void **state)
{
    (void)state;
    GrLanderDef d = square(0.2);
    d.ramp_count = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const Rough ground = {0.5, 100 + seed};
        GrTerrain *terrain = make_ground(rough, &ground);
        const GrSite site = {.terrain = terrain};
        const GrLanderPlacement p = place(&d, &site, (GrLanderSpot){1, 2, 0.3 * (double)seed});
        assert_int_equal(p.stand, GR_STAND_STANDS);
        const GrVec3 com = gr_add(p.pose.position, gr_quat_rotate(p.pose.rotation, d.com));
        GrVec3 feet[4];
        for (int i = 0; i < 4; i++) {
            feet[i] = gr_add(p.pose.position, gr_quat_rotate(p.pose.rotation, d.feet[i].position));
        }
        double smallest = INFINITY;
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++) {
                if (is_edge(feet, p.feet_down, i,
                            j)) { // outward: the feet to the left of the edge rise, and so does it
                    const GrVec3 axis = gr_normalize(gr_sub(feet[j], feet[i])), arm = gr_sub(com, feet[i]);
                    assert_true(gr_quat_rotate(gr_quat_axis_angle(axis, 1e-4), arm).z > arm.z);
                }
                if (is_edge(feet, 0xF, i, j)) {
                    smallest = fmin(smallest, angle_to_top(feet[i], feet[j], com));
                }
            }
        }
        assert_near(p.stability, smallest, 2 * ARC_STEP);
        gr_terrain_free(terrain);
    }
}

/// Tall and narrow on a steep plane: it tips where the mass centre is beyond the lower feet, at tan(slope) = half width
/// over height, and not where the normal through it leaves them.
static void test_tips(void **state)
{
    (void)state;
    GrLanderDef d = square(0);
    d.ramp_count = d.corner_count = 0;
    d.com.z = 3; // tips at atan(1.5 / 3), 26.6 degrees
    for (int k = 0; k < 2; k++) {
        const double gradient[3] = {tan((k == 0 ? 26 : 27) * GR_DEGREE), 0, 0};
        GrTerrain *terrain = make_ground(plane, gradient);
        const GrSite site = {.terrain = terrain};
        const GrLanderPlacement p = place(&d, &site, (GrLanderSpot){0});
        assert_int_equal(p.stand, k == 0 ? GR_STAND_STANDS : GR_STAND_TIPPED);
        assert_int_equal(place(&d, &site, (GrLanderSpot){.x = 19}).stand, GR_STAND_OFF_MAP);
        gr_terrain_free(terrain);
    }
}

/// Among rocks, whose rims are upright, a wide lander always stands: no foot is in the ground or in a rock, and a pose
/// that is not found is not taken for a lander that tips over.
static void test_among_rocks(void **state)
{
    (void)state;
    enum { ROCKS = 400, PLACES = 150 };
    GrLanderDef d = square(0.2);
    d.ramp_count = d.corner_count = 0;
    GrRock rocks[ROCKS];
    const Rough chance = {1, 77}, ground = {0.3, 78};
    for (int i = 0; i < ROCKS; i++) {
        const double x = 30 * rough(0.5 * i, 0, &chance), y = 30 * rough(0.5 * i, 0.5, &chance);
        const double diameter = 0.7 + 0.8 * rough(0.5 * i, 1, &chance);
        rocks[i] = (GrRock){x, y, diameter, diameter / 2, 0};
    }
    GrTerrain *terrain = make_ground(rough, &ground);
    const GrSite site = {terrain, rocks, ROCKS};
    int stands = 0;
    for (int k = 0; k < PLACES; k++) {
        const GrLanderSpot spot = {20 * rough(0.5 * k, 2, &chance), 20 * rough(0.5 * k, 2.5, &chance), k};
        const GrLanderPlacement p = place(&d, &site, spot);
        assert_int_not_equal(p.stand, GR_STAND_TIPPED);
        stands += p.stand == GR_STAND_STANDS;
        for (int i = 0; i < 4 && p.stand == GR_STAND_STANDS; i++) {
            const GrVec3 foot = gr_add(p.pose.position, gr_quat_rotate(p.pose.rotation, d.feet[i].position));
            assert_true(foot.z >= gr_site_height(&site, foot.x, foot.y) - 1e-6);
        }
    }
    assert_true(stands >= PLACES * 0.95);
    gr_terrain_free(terrain);
}

/// A ramp on a rock, one that hangs, and one that is blocked.
static void test_ramps(void **state)
{
    (void)state;
    GrLanderDef d = square(0);
    const GrRock rock = {2, 0, 0.6, 0.5, 0}; // 1 m from the hinge of ramp 0, higher than the ramp on level ground there
    const GrSite site = {.rocks = &rock, .rock_count = 1};
    d.ramps[1].last = 10 * GR_DEGREE;
    const GrLanderPlacement p = place(&d, &site, (GrLanderSpot){0});
    assert_int_equal(p.ramps[0].touch, GR_RAMP_MIDDLE);
    assert_true(p.ramps[0].step > 0.2);
    // the end of a ramp that hangs: hinge height - L sin
    assert_int_equal(p.ramps[1].touch, GR_RAMP_HANGS);
    assert_near(p.ramps[1].step, 0.8 - 2 * sin(10 * GR_DEGREE), HEIGHT);
    assert_near(p.ramps[1].slope, 10 * GR_DEGREE, ANGLE);
    // the end on the ground: the step is the thickness of the plate
    assert_near(p.ramps[2].step, d.ramps[2].thickness * cos(p.ramps[2].hinge), HEIGHT);
    assert_near(p.ramps[2].to_ground, p.ramps[2].slope, ANGLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tilted_plane),
        cmocka_unit_test(test_three_feet),
        cmocka_unit_test(test_rock_under_a_foot),
        cmocka_unit_test(test_against_search),
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_tips),
        cmocka_unit_test(test_ramps),
        cmocka_unit_test(test_among_rocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
