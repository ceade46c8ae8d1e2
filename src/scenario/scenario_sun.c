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

void gr_read_date(GrNode *node, void *scenario)
{
    char text[40] = "";
    if (gr_node_text(node, text, sizeof text) && !gr_date_parse(text, &((GrScenario *)scenario)->mission.sun.start)) {
        gr_node_error(node, GR_ERROR_VALUE,
                      "'%s' is not a date such as 2027-03-01 or 2027-03-01T06:00:00Z, from 1900 to 2100, in UTC", text);
    }
}

void gr_read_sun_table(GrNode *list, void *out)
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
