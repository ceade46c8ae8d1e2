/// The Sun above the Moon and Mars: dates, published almanac values, tables, and what is refused.
#include "grouser/sky.h"
#include "test.h"
#include "vec3.h"

static double day(const char *text)
{
    double days;
    assert_true(gr_date_parse(text, &days));
    return days;
}

static void test_dates(void **state)
{
    (void)state;
    assert_near(day("2000-01-01T12:00:00Z"), 0, 0);
    assert_near(day("2000-01-01"), -0.5, 0);
    assert_near(day("1999-12-31"), -1.5, 0);
    assert_near(day("2000-03-01") - day("2000-02-29"), 1, 0);
    assert_near(day("2100-03-01") - day("2100-02-28"), 1, 0); // not a leap year
    // Julian dates of the calendar in Meeus, Astronomical Algorithms, chapter 7
    assert_near(day("1987-06-19T12:00:00Z"), 2446966.0 - 2451545.0, 0);
    assert_near(day("1957-10-04T19:26:24Z"), 2436116.31 - 2451545.0, 1e-9);
    char text[32];
    for (double d = -36000.25; d < 36000; d += 97.37) {
        double again;
        gr_date_format(d, text);
        assert_true(gr_date_parse(text, &again));
        assert_near(again, d, 0.51 / 86400);
    }
    static const char *const WRONG[] = {"",           "2027",        "2027-13-01",           "2027-02-29",
                                        "2027-3-1",   "1899-01-01",  "2027-03-01T00:00:00",  "2027-03-01T24:00:00Z",
                                        "2027-03-0x", "2027-03-01 ", "2027-03-01T00:00:00Zz"};
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        double ignored;
        assert_false(gr_date_parse(WRONG[i], &ignored));
    }
}

static void assert_below(GrSkyBody body, GrSkyTarget target, const char *date, const double degrees[2],
                         double tolerance)
{
    double lon, lat;
    assert_int_equal(gr_sky_below(body, target, day(date), &lon, &lat, NULL), GR_OK);
    assert_near(remainder(lon / GR_DEGREE - degrees[0], 360), 0, tolerance);
    assert_near(lat / GR_DEGREE, degrees[1], tolerance);
}

/// Meeus, Astronomical Algorithms, example 53.a: 1992 April 12, 0 h of Dynamical Time, which is 59 s ahead of UTC. His
/// axes are the Moon's principal ones, from which those of the IAU, towards the mean Earth, differ by 0.019 and 0.022
/// deg.
static void test_moon(void **state)
{
    (void)state;
    assert_below(GR_SKY_MOON, GR_SKY_SUN, "1992-04-11T23:59:01Z", (double[]){67.89, 1.46}, 0.03);
    assert_below(GR_SKY_MOON, GR_SKY_EARTH, "1992-04-11T23:59:01Z", (double[]){-1.23, 4.20}, 0.03);
}

/// Allison & McEwen 2000, worked example of the algorithm for 2000 January 6, 0 h UTC.
static void test_mars(void **state)
{
    (void)state;
    assert_near(gr_mars_season(day("2000-01-06")) / GR_DEGREE, 277.18758, 0.01);
    double lon, lat;
    assert_int_equal(gr_sky_below(GR_SKY_MARS, GR_SKY_SUN, day("2000-01-06"), &lon, &lat, NULL), GR_OK);
    assert_near(remainder(lon / GR_DEGREE + 174.72600, 360), 0, 0.02);
    // Mars year 36 began at the equinox of 2021 February 7
    assert_true(gr_mars_season(day("2021-02-07")) > 359 * GR_DEGREE);
    assert_true(gr_mars_season(day("2021-02-08")) < 1 * GR_DEGREE);
    assert_int_equal(gr_sky_below(GR_SKY_MARS, GR_SKY_SUN, day("2021-02-07T12:00:00Z"), &lon, &lat, NULL), GR_OK);
    assert_near(lat, 0, 0.1 * GR_DEGREE);
}

/// The view from a place, against the angle between its vertical and the place below the Sun.
static void test_view(void **state)
{
    (void)state;
    const double days = day("2027-03-01");
    double lon, lat;
    assert_int_equal(gr_sky_below(GR_SKY_MOON, GR_SKY_SUN, days, &lon, &lat, NULL), GR_OK);
    for (int i = 0; i < 50; i++) {
        GrSunDef def = gr_default_sun_def();
        def.kind = GR_SUN_DATE;
        def.start = days - 3;
        def.lon = 0.13 * i;
        def.lat = (i - 25) * 0.06;
        GrSkyView view;
        assert_int_equal(gr_sky_view(&def, GR_SKY_SUN, 3 * 86400, &view, NULL), GR_OK);
        const double cosine = sin(lat) * sin(def.lat) + cos(lat) * cos(def.lat) * cos(lon - def.lon);
        assert_near(sin(view.elevation), cosine, 2e-5); // the place is off the middle by 1/86000 of the distance
        // azimuth by the spherical triangle of pole, zenith and Sun
        const double east = cos(lat) * sin(lon - def.lon);
        assert_near(sin(view.azimuth) * cos(view.elevation), east, 2e-5);
        assert_near(view.radius / GR_DEGREE, 0.267, 0.005);
        const GrVec3 towards = gr_sky_direction(&view);
        assert_near(gr_norm(towards), 1, 1e-12);
        assert_near(towards.x, east, 2e-5);
    }
}

/// `north` is the azimuth of geographic north on the map, clockwise from the map's y: all that is in the sky turns with
/// it. The direction of an azimuth: x is east, y north, z up.
static void test_north_of_the_map(void **state)
{
    (void)state;
    GrSunDef def = gr_default_sun_def();
    def.kind = GR_SUN_DATE;
    def.start = day("2027-03-01");
    def.lon = 0.3;
    def.lat = -0.8;
    GrSkyView plain, turned;
    assert_int_equal(gr_sky_view(&def, GR_SKY_SUN, 0, &plain, NULL), GR_OK);
    def.north = 30 * GR_DEGREE;
    assert_int_equal(gr_sky_view(&def, GR_SKY_SUN, 0, &turned, NULL), GR_OK);
    assert_near(remainder(turned.azimuth - plain.azimuth - 30 * GR_DEGREE, 2 * GR_PI), 0, 1e-12);
    assert_near(turned.elevation, plain.elevation, 0);
    const GrSkyView east = {.azimuth = 90 * GR_DEGREE, .elevation = 30 * GR_DEGREE}, north = {.azimuth = 0};
    assert_near(gr_sky_direction(&east).x, cos(30 * GR_DEGREE), 1e-15);
    assert_near(gr_sky_direction(&east).z, 0.5, 1e-15);
    assert_near(gr_sky_direction(&north).y, 1, 1e-15);
}

/// Right below the Earth, a place on the Moon is nearer to it than one on the far side by twice the Moon's radius R. A
/// quarter around the Moon, on the limb, the Earth stands asin(R/d) below the level.
static void test_earth_from_places_on_the_moon(void **state)
{
    (void)state;
    const double R = gr_sky_body_radius(GR_SKY_MOON);
    GrSunDef def = gr_default_sun_def();
    def.kind = GR_SUN_DATE;
    def.start = day("2027-03-01");
    double lon, lat;
    assert_int_equal(gr_sky_below(GR_SKY_MOON, GR_SKY_EARTH, def.start, &lon, &lat, NULL), GR_OK);
    GrSkyView below, far, limb;
    def.lon = lon;
    def.lat = lat;
    assert_int_equal(gr_sky_view(&def, GR_SKY_EARTH, 0, &below, NULL), GR_OK);
    def.lon = lon + GR_PI;
    def.lat = -lat;
    assert_int_equal(gr_sky_view(&def, GR_SKY_EARTH, 0, &far, NULL), GR_OK);
    def.lon = lon + GR_PI / 2;
    def.lat = 0;
    assert_int_equal(gr_sky_view(&def, GR_SKY_EARTH, 0, &limb, NULL), GR_OK);
    const double middle = below.distance + R;
    assert_true(middle > 3.5e8 && middle < 4.1e8);
    assert_near(below.elevation / GR_DEGREE, 90, 1e-3);
    assert_near(far.distance - below.distance, 2 * R, 1e-6 * R);
    assert_near_rel(limb.distance, sqrt(middle * middle + R * R), 1e-9);
    assert_near(limb.elevation, -asin(R / limb.distance), 1e-9);
}

/// On Mars the vertical leans away from the radius by up to a third of a degree.
static void test_vertical_of_mars(void **state)
{
    (void)state;
    GrSunDef def = gr_default_sun_def();
    def.kind = GR_SUN_DATE;
    def.body = GR_SKY_MARS;
    def.start = day("2021-02-07T12:00:00Z");
    double lon, lat;
    assert_int_equal(gr_sky_below(GR_SKY_MARS, GR_SKY_SUN, def.start, &lon, &lat, NULL), GR_OK);
    def.lon = lon; // noon
    def.lat = lat + 45 * GR_DEGREE;
    GrSkyView view;
    assert_int_equal(gr_sky_view(&def, GR_SKY_SUN, 0, &view, NULL), GR_OK);
    assert_near(view.elevation / GR_DEGREE, 45 - 0.337, 0.01); // of an ellipsoid with a flattening of 1/169.9
    assert_near(view.azimuth, GR_PI, 0.001);
    assert_near(gr_sunlight(view.distance), 1361 / 1.52 / 1.52, 70);
}

static void test_table(void **state)
{
    (void)state;
    static const GrSunPoint TABLE[] = {{0, 350 * GR_DEGREE, 0}, {100, 10 * GR_DEGREE, 0.1}, {200, 40 * GR_DEGREE, 0.2}};
    GrSunDef def = gr_default_sun_def();
    def.kind = GR_SUN_TABLE;
    def.table = TABLE;
    def.table_count = 3;
    static const double EXPECTED[][3] = {
        {-10, 350, 0}, {25, 355, 0.025}, {75, 5, 0.075}, {150, 25, 0.15}, {999, 40, 0.2}};
    for (int i = 0; i < 5; i++) {
        GrSkyView view;
        assert_int_equal(gr_sky_view(&def, GR_SKY_SUN, EXPECTED[i][0], &view, NULL), GR_OK);
        assert_near(view.azimuth / GR_DEGREE, EXPECTED[i][1], 1e-9);
        assert_near(view.elevation, EXPECTED[i][2], 1e-12);
    }
    GrSkyView view;
    GrErrorLog log = {0};
    assert_int_equal(gr_sky_view(&def, GR_SKY_EARTH, 0, &view, &log), GR_ERROR_VALUE);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrSunDef def = gr_default_sun_def();
    assert_int_equal(gr_sun_check(&def, &log), GR_OK);
    def.kind = GR_SUN_FIXED;
    def.elevation = 2;
    assert_int_not_equal(gr_sun_check(&def, &log), GR_OK);
    def.kind = GR_SUN_TABLE;
    assert_int_not_equal(gr_sun_check(&def, &log), GR_OK);
    static const GrSunPoint BACK[] = {{1, 0, 0}, {1, 0, 0}};
    def.table = BACK;
    def.table_count = 2;
    assert_int_not_equal(gr_sun_check(&def, &log), GR_OK);
    def = (GrSunDef){.kind = GR_SUN_DATE, .lat = 1.6};
    assert_int_not_equal(gr_sun_check(&def, &log), GR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dates),
        cmocka_unit_test(test_moon),
        cmocka_unit_test(test_mars),
        cmocka_unit_test(test_view),
        cmocka_unit_test(test_north_of_the_map),
        cmocka_unit_test(test_vertical_of_mars),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_earth_from_places_on_the_moon),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
