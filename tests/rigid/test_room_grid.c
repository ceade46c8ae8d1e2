/// Circles in a grid: every query finds those that a search through all of them finds.
#include "random.h"
#include "room_grid.h"
#include "test.h"

#include <stdlib.h>

enum { ROOMS = 3000, QUERIES = GR_TEST_LONG(3000, 300) };

static GrRoom room_of(void *context, int item)
{
    return ((const GrRoom *)context)[item];
}

/// Whether the squares around the circles and a box overlap, seen from above.
static bool overlaps(const GrRoom *r, const GrBounds *box)
{
    return r->x - r->reach <= box->upper.x && r->x + r->reach >= box->lower.x && r->y - r->reach <= box->upper.y &&
           r->y + r->reach >= box->lower.y;
}

static void check_query(const GrRoomGrid *grid, const GrRoom *rooms, int count, const GrBounds *box)
{
    unsigned char *times = calloc((size_t)count + 1, 1);
    assert_non_null(times);
    GrRoomWalk walk = gr_room_walk(grid, box);
    for (const GrRoom *room; (room = gr_room_next(&walk)) != NULL;) {
        assert_in_range(room->item, 0, count - 1);
        assert_true(room->x == rooms[room->item].x && room->reach == rooms[room->item].reach);
        times[room->item]++;
    }
    for (int i = 0; i < count; i++) {
        assert_int_equal(times[i], overlaps(&rooms[i], box));
    }
    free(times);
}

/// Sizes over five orders of magnitude, some beyond the levels at either end; places in a square, on a line, at one
/// point.
static void test_finds_all(void **state)
{
    (void)state;
    static const double SIDES[][2] = {{200, 200}, {5000, 0}, {0, 0}, {3, 900}};
    GrRandom r = gr_random_stream(5, "rooms");
    for (size_t s = 0; s < sizeof SIDES / sizeof SIDES[0]; s++) {
        GrRoom *rooms = calloc(ROOMS, sizeof *rooms);
        assert_non_null(rooms);
        for (int i = 0; i < ROOMS; i++) {
            rooms[i] = (GrRoom){.x = 1e4 + SIDES[s][0] * gr_random_unit(&r),
                                .y = -2e4 + SIDES[s][1] * gr_random_unit(&r),
                                .reach = pow(10, gr_random_uniform(&r, -3.5, i % 50 == 0 ? 1.5 : 0))};
        }
        GrRoomGrid grid;
        assert_true(gr_room_grid_create(&grid, ROOMS, room_of, rooms));
        for (int q = 0; q < QUERIES / 4; q++) {
            const GrRoom *near = &rooms[gr_random_below(&r, ROOMS)];
            const double half = pow(10, gr_random_uniform(&r, -2, 1.5));
            const double x = near->x + gr_random_uniform(&r, -2, 2), y = near->y + gr_random_uniform(&r, -2, 2);
            const GrBounds box = {{x - half, y - half, 0}, {x + half, y + half, 0}};
            check_query(&grid, rooms, ROOMS, &box);
        }
        const GrBounds all = {{-INFINITY, -INFINITY, 0}, {INFINITY, INFINITY, 0}};
        check_query(&grid, rooms, ROOMS, &all);
        const GrBounds unknown = {{NAN, NAN, 0}, {NAN, NAN, 0}};
        GrRoomWalk walk = gr_room_walk(&grid, &unknown);
        assert_null(gr_room_next(&walk));
        gr_room_grid_free(&grid);
        free(rooms);
    }
}

/// A query looks at few rooms besides those that it finds, also where a few are much larger than the rest.
static void test_looks_at_few(void **state)
{
    (void)state;
    GrRandom r = gr_random_stream(6, "rooms");
    GrRoom *rooms = calloc(ROOMS, sizeof *rooms);
    assert_non_null(rooms);
    for (int i = 0; i < ROOMS; i++) {
        rooms[i] =
            (GrRoom){.x = 50 * gr_random_unit(&r), .y = 50 * gr_random_unit(&r), .reach = i % 100 == 0 ? 4 : 0.05};
    }
    GrRoomGrid grid;
    assert_true(gr_room_grid_create(&grid, ROOMS, room_of, rooms));
    long cells = 0;
    for (int k = 0; k < grid.level_count; k++) {
        cells += (long)grid.levels[k].nx * grid.levels[k].ny;
    }
    assert_in_range(cells, 1, ROOMS); // memory follows the rooms
    for (int k = 0; k < grid.level_count; k++) {
        const GrRoomLevel *level = &grid.levels[k];
        assert_true(1 / level->per_cell >= level->reach); // so that a query looks at neighbours only
        assert_true(level->reach < 1 || level->nx * level->ny < ROOMS / 50);
    }
    gr_room_grid_free(&grid);
    free(rooms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_all),
        cmocka_unit_test(test_looks_at_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
