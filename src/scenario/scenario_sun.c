/// `sun:` of a scenario, and an example of `power:`: where the Sun stands, and the rover's panel and battery.
///
///     sun: {body: moon, lon_deg: 0, lat_deg: -89.5, start: "2027-03-01T00:00:00Z", north_deg: 0}
///     sun: {azimuth_deg: 90, elevation_deg: 5}
///     sun: {table: [[0, 90, 5], [3600, 90.5, 5]]}        # time [s], azimuth, elevation [deg]
///     power:
///       panel: {area_m2: 0.5, efficiency: 0.28, tilt_deg: 60, toward_deg: 90, tracks: false}
///       battery: {capacity_Wh: 50, charge: 1, reserve: 0.1}
///       load_W: 10
///       dark_load_W: 5
///       motor_efficiency: 0.7
#include "scenario_parts.h"

#include "alloc.h"

static void read_date(GrNode *node, void *scenario)
{
    char text[40] = "";
    if (gr_node_text(node, text, sizeof text) && !gr_date_parse(text, &((GrScenario *)scenario)->mission.sun.start)) {
        gr_node_error(node, GR_ERROR_VALUE,
                      "'%s' is not a date such as 2027-03-01 or 2027-03-01T06:00:00Z, from 1900 to 2100, in UTC", text);
    }
}

static void read_sun_table(GrNode *list, void *out)
{
    GrScenario *scenario = out;
    GrSunPoint *table = gr_calloc((size_t)list->count + 1, sizeof *table);
    int count = 0;
    if (table == NULL) {
        gr_node_out_of_memory(list);
        return;
    }
    for (GrNode *item = list->first; item != NULL; item = item->next) {
        double row[3];
        if (gr_node_numbers(item, GR_ANY, row, 3)) {
            table[count++] = (GrSunPoint){row[0], row[1] * GR_DEGREE, row[2] * GR_DEGREE};
        }
    }
    scenario->sun_table = table;
    scenario->mission.sun.table = table;
    scenario->mission.sun.table_count = count;
}

void gr_check_sun(GrNode *node, void *scenario)
{
    GrSunDef *sun = &((GrScenario *)scenario)->mission.sun;
    const bool table = gr_node_find(node, "table") != NULL, dated = gr_node_find(node, "start") != NULL;
    const bool fixed = gr_node_find(node, "elevation_deg") != NULL || gr_node_find(node, "azimuth_deg") != NULL;
    if (dated + fixed + table != 1) {
        gr_node_error(node, GR_ERROR_VALUE,
                      "give either start with lon_deg and lat_deg, or azimuth_deg and elevation_deg, or a table");
        return;
    }
    sun->kind = dated ? GR_SUN_DATE : table ? GR_SUN_TABLE : GR_SUN_FIXED;
    if (dated && (gr_node_find(node, "lat_deg") == NULL || gr_node_find(node, "lon_deg") == NULL)) {
        gr_node_error(node, GR_ERROR_VALUE, "a date needs a place: lon_deg and lat_deg");
    }
    GrErrorLog found = {.quiet = true};
    const GrStatus status = gr_sun_check(sun, &found);
    if (status != GR_OK && found.count > 0) {
        gr_node_error(node, status, "%s: %s", found.items[0].field, found.items[0].text);
    }
}

// ---- the keys

#define S(member)     offsetof(GrScenario, member)
#define CHOICE(array) .names = (array), .size = (int)(sizeof(array) / sizeof((array)[0]))
#define UNITY         GR_SPAN_BETWEEN(0, 1)

static const char *const SKY_BODIES[] = {"moon", "mars"};

// clang-format off
GR_WHEN(undated, s->mission.sun.kind != GR_SUN_DATE)
GR_WHEN(tracking, s->mission.supply.panel_tracks)
GR_WHEN(no_sun, s->mission.sun.kind == GR_SUN_NONE)
// clang-format on

const GrKey gr_sun_keys[] = {
    {"body", GR_KEY_CHOICE, "where the rover is", S(mission.sun.body), CHOICE(SKY_BODIES)},
    {"start", GR_KEY_TEXT, "date of time 0: \"2027-03-01T00:00:00Z\"", .read = read_date},
    {"lon_deg", GR_KEY_NUMBER, "east longitude", S(mission.sun.lon), GR_SPAN_BETWEEN(-360, 360),
     .ignored = {{undated, "it belongs to a date (start)"}}},
    {"lat_deg", GR_KEY_NUMBER, "planetocentric latitude", S(mission.sun.lat), GR_SPAN_BETWEEN(-90, 90),
     .ignored = {{undated, "it belongs to a date (start)"}}},
    {"north_deg", GR_KEY_NUMBER, "direction of north, clockwise from y", S(mission.sun.north),
     GR_SPAN_BETWEEN(-360, 360), .ignored = {{undated, "it belongs to a date (start)"}}},
    {"azimuth_deg", GR_KEY_NUMBER, "of a Sun that does not move, clockwise from y", S(mission.sun.azimuth),
     GR_SPAN_ANY},
    {"elevation_deg", GR_KEY_NUMBER, "of a Sun that does not move", S(mission.sun.elevation), GR_SPAN_BETWEEN(-90, 90)},
    {"table", GR_KEY_LIST, "of [time in s, azimuth, elevation in degrees]", .read = read_sun_table},
    {NULL}};

#define E(member) S(mission.supply.member)
static const GrKey PANEL[] = {
    {"area_m2", GR_KEY_NUMBER, "area of the solar panel", E(panel_area), GR_SPAN_BETWEEN(0, 1e4), .required = true},
    {"efficiency", GR_KEY_NUMBER, "electric power over that of the light", E(panel_efficiency), UNITY},
    {"tilt_deg", GR_KEY_NUMBER, "of its normal from the chassis' z axis", E(panel_tilt), GR_SPAN_BETWEEN(-180, 180),
     .ignored = {{tracking, "the panel tracks the Sun"}}},
    {"toward_deg", GR_KEY_NUMBER, "direction of that tilt, from x to the left", E(panel_toward),
     GR_SPAN_BETWEEN(-360, 360)},
    {"tracks", GR_KEY_BOOL, "it always faces the Sun", E(panel_tracks)},
    {NULL}};

static const GrKey BATTERY[] = {
    {"capacity_Wh", GR_KEY_NUMBER, "energy of the full battery", E(capacity), GR_SPAN_BETWEEN(0, 1e8),
     .required = true},
    {"charge", GR_KEY_NUMBER, "at the start, as a part of the capacity", E(charge), UNITY},
    {"reserve", GR_KEY_NUMBER, "the run ends as out_of_energy at this part of the capacity", E(reserve), UNITY},
    {NULL}};

const GrKey gr_power_keys[] = {
    {"panel", GR_KEY_MAPPING, "solar panel", .keys = PANEL, .ignored = {{no_sun, "there is no sun"}}},
    {"battery", GR_KEY_MAPPING, "battery", .keys = BATTERY},
    {"load_W", GR_KEY_NUMBER, "electronics, always", E(load), GR_SPAN_BETWEEN(0, 1e6)},
    {"dark_load_W", GR_KEY_NUMBER, "in addition while the Sun is not in sight", E(dark_load), GR_SPAN_BETWEEN(0, 1e6)},
    {"motor_efficiency", GR_KEY_NUMBER, "mechanical over electric energy of drives", E(motor_efficiency),
     GR_SPAN_BETWEEN(0.01, 1)},
    {NULL}};
