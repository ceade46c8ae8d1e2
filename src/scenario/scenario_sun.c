/// `sun:` and `power:` of a scenario: where the Sun stands, and the rover's panel and battery.
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

static const double HOUR = 3600; // [s]

static void read_date(GrNode *node, GrSunDef *sun)
{
    char text[40] = "";
    GrNode *start = gr_field(node, "start", GR_REQUIRED);
    if (start != NULL && gr_node_text(start, text, sizeof text) && !gr_date_parse(text, &sun->start)) {
        gr_node_error(start, GR_ERROR_VALUE,
                      "'%s' is no date as 2027-03-01 or 2027-03-01T06:00:00Z, from 1900 to 2100, in UTC", text);
    }
    gr_field_degrees(node, "lon_deg", GR_BETWEEN(-360, 360), &sun->lon);
    gr_field_degrees(node, "lat_deg", GR_BETWEEN(-90, 90), &sun->lat);
    gr_field_degrees(node, "north_deg", GR_BETWEEN(-360, 360), &sun->north);
    if (gr_field(node, "lat_deg", GR_OPTIONAL) == NULL || gr_field(node, "lon_deg", GR_OPTIONAL) == NULL) {
        gr_node_error(node, GR_ERROR_VALUE, "a date needs a place: lon_deg and lat_deg");
    }
}

static void read_table(GrNode *list, GrScenario *scenario)
{
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

/// Fields of a message are those of the file: a check names what it found wrong there.
static void check(GrNode *node, GrStatus status, const GrErrorLog *found)
{
    if (status != GR_OK && found->count > 0) {
        gr_node_error(node, status, "%s: %s", found->items[0].field, found->items[0].text);
    }
}

static void read_sun(GrNode *node, GrScenario *scenario)
{
    static const char *const BODIES[] = {"moon", "mars"};
    GrSunDef *sun = &scenario->mission.sun;
    int body = GR_SKY_MOON;
    gr_field_choice(node, "body", GR_OPTIONAL, BODIES, GR_SKY_BODY_COUNT, &body);
    sun->body = (GrSkyBody)body;
    GrNode *table = gr_field_list(node, "table", GR_OPTIONAL);
    const bool dated = gr_field(node, "start", GR_OPTIONAL) != NULL;
    const bool fixed =
        gr_field(node, "elevation_deg", GR_OPTIONAL) != NULL || gr_field(node, "azimuth_deg", GR_OPTIONAL) != NULL;
    if (dated + fixed + (table != NULL) != 1) {
        gr_node_error(node, GR_ERROR_VALUE,
                      "give either start with lon_deg and lat_deg, or azimuth_deg and elevation_deg, or a table");
        return;
    }
    if (dated) {
        sun->kind = GR_SUN_DATE;
        read_date(node, sun);
    } else if (table != NULL) {
        sun->kind = GR_SUN_TABLE;
        read_table(table, scenario);
    } else {
        sun->kind = GR_SUN_FIXED;
        gr_field_degrees(node, "azimuth_deg", GR_ANY, &sun->azimuth);
        gr_field_degrees(node, "elevation_deg", GR_BETWEEN(-90, 90), &sun->elevation);
    }
    gr_fields_end(node);
    GrErrorLog found = {.quiet = true};
    check(node, gr_sun_check(sun, &found), &found);
}

static void read_panel(GrNode *node, GrSupplyDef *supply)
{
    gr_field_number(node, "area_m2", GR_REQUIRED, GR_BETWEEN(0, 1e4), &supply->panel_area);
    gr_field_number(node, "efficiency", GR_OPTIONAL, GR_BETWEEN(0, 1), &supply->panel_efficiency);
    gr_field_degrees(node, "tilt_deg", GR_BETWEEN(-180, 180), &supply->panel_tilt);
    gr_field_degrees(node, "toward_deg", GR_BETWEEN(-360, 360), &supply->panel_toward);
    gr_field_bool(node, "tracks", GR_OPTIONAL, &supply->panel_tracks);
    gr_fields_end(node);
}

static void read_battery(GrNode *node, GrSupplyDef *supply)
{
    double hours = 0;
    gr_field_number(node, "capacity_Wh", GR_REQUIRED, GR_BETWEEN(0, 1e8), &hours);
    supply->capacity = hours * HOUR;
    gr_field_number(node, "charge", GR_OPTIONAL, GR_BETWEEN(0, 1), &supply->charge);
    gr_field_number(node, "reserve", GR_OPTIONAL, GR_BETWEEN(0, 1), &supply->reserve);
    gr_fields_end(node);
}

static void read_power(GrNode *node, GrScenario *scenario)
{
    GrSupplyDef *supply = &scenario->mission.supply;
    GrNode *panel = gr_field_mapping(node, "panel", GR_OPTIONAL),
           *battery = gr_field_mapping(node, "battery", GR_OPTIONAL);
    if (panel != NULL) {
        read_panel(panel, supply);
    }
    if (battery != NULL) {
        read_battery(battery, supply);
    }
    gr_field_number(node, "load_W", GR_OPTIONAL, GR_BETWEEN(0, 1e6), &supply->load);
    gr_field_number(node, "dark_load_W", GR_OPTIONAL, GR_BETWEEN(0, 1e6), &supply->dark_load);
    gr_field_number(node, "motor_efficiency", GR_OPTIONAL, GR_BETWEEN(0.01, 1), &supply->motor_efficiency);
    gr_fields_end(node);
    if (supply->panel_area > 0 && scenario->mission.sun.kind == GR_SUN_NONE) {
        gr_node_warning(panel, "a panel without a sun: gives no power");
    }
    if (battery == NULL && scenario->mission.sun.kind == GR_SUN_NONE) {
        gr_node_warning(node, "has no effect without a battery or a sun:");
    }
    if (panel != NULL && supply->panel_tracks && supply->panel_tilt != 0) {
        gr_node_warning(panel, "tilt_deg has no effect on a panel that tracks the Sun");
    }
}

void gr_read_sun(GrNode *root, GrScenario *scenario)
{
    GrNode *sun = gr_field_mapping(root, "sun", GR_OPTIONAL), *power = gr_field_mapping(root, "power", GR_OPTIONAL);
    if (sun != NULL) {
        read_sun(sun, scenario);
    }
    if (power != NULL) {
        read_power(power, scenario);
    }
}
