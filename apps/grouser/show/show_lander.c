#include "show_lander.h"

#include "json.h"
#include "table.h"

static GrStatus place_level(const GrLanderDef *lander, GrLanderPlacement *out, GrErrorLog *log)
{
    const GrSite level = {0};
    return gr_lander_place(lander, &level, (GrLanderSpot){0}, out, log);
}

GrStatus gr_show_lander_text(const GrLanderDef *d, FILE *file, GrErrorLog *log)
{
    GrLanderPlacement p;
    const GrStatus status = place_level(d, &p, log);
    if (status != GR_OK) {
        return status;
    }
    fprintf(file, "%s: %s\n\n", d->name, d->title);
    fprintf(file, "deck          %.3g m x %.3g m, %.3g m high\n", d->deck_length, d->deck_width, d->deck_height);
    fprintf(file, "mass centre   (%.3g, %.3g, %.3g) m\n", d->com.x, d->com.y, d->com.z);
    fprintf(file, "feet          %d\n", d->foot_count);
    if (d->corner_count > 0) {
        fprintf(file, "clearance     %.3g m on level ground\n", p.clearance);
    }
    fprintf(file, "tips over at  %.3g deg\n\n", p.stability / GR_DEGREE);
    GrTable table = {0};
    gr_table_column(&table, "ramp", GR_LEFT);
    gr_table_column(&table, "direction [deg]", GR_RIGHT);
    gr_table_column(&table, "length [m]", GR_RIGHT);
    gr_table_column(&table, "width [m]", GR_RIGHT);
    gr_table_column(&table, "gap [m]", GR_RIGHT);
    gr_table_column(&table, "hinge [deg]", GR_RIGHT);
    gr_table_column(&table, "on level ground [deg]", GR_RIGHT);
    for (int i = 0; i < d->ramp_count; i++) {
        const GrLanderRamp *r = &d->ramps[i];
        gr_table_text(&table, r->name);
        gr_table_number(&table, r->direction / GR_DEGREE, 4);
        gr_table_number(&table, r->length, 3);
        gr_table_number(&table, r->width, 3);
        gr_table_number(&table, r->gap, 3);
        gr_table_printf(&table, "%.3g to %.3g", r->first / GR_DEGREE, r->last / GR_DEGREE);
        gr_table_number(&table, p.ramps[i].slope / GR_DEGREE, 3);
    }
    gr_table_print(&table, file);
    gr_table_free(&table);
    return GR_OK;
}

GrStatus gr_show_lander_json(const GrLanderDef *d, FILE *file, GrErrorLog *log)
{
    GrLanderPlacement p;
    const GrStatus status = place_level(d, &p, log);
    if (status != GR_OK) {
        return status;
    }
    GrJson json = gr_json_to_file(file, true);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "name", d->name);
    gr_json_string(&json, "title", d->title);
    gr_json_number(&json, "deck_length_m", d->deck_length);
    gr_json_number(&json, "deck_width_m", d->deck_width);
    gr_json_number(&json, "deck_height_m", d->deck_height);
    gr_json_integer(&json, "feet", d->foot_count);
    gr_json_number(&json, "clearance_m", p.clearance);
    gr_json_number(&json, "stability_deg", p.stability / GR_DEGREE);
    gr_json_begin_array(&json, "ramps");
    for (int i = 0; i < d->ramp_count; i++) {
        const GrLanderRamp *r = &d->ramps[i];
        gr_json_begin_object(&json, NULL);
        gr_json_string(&json, "name", r->name);
        gr_json_number(&json, "direction_deg", r->direction / GR_DEGREE);
        gr_json_number(&json, "length_m", r->length);
        gr_json_number(&json, "width_m", r->width);
        gr_json_number(&json, "gap_m", r->gap);
        gr_json_number(&json, "slope_deg", p.ramps[i].slope / GR_DEGREE);
        gr_json_end(&json);
    }
    gr_json_end(&json);
    gr_json_end(&json);
    return gr_json_finish(&json);
}
