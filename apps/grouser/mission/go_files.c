/// The route of the mission `go` as files: a scenario, way-points as CSV and GeoJSON, and its drive recorded.
#include "alloc.h"
#include "campaign_job.h"
#include "go_answer.h"
#include "json.h"
#include "out_of_memory.h"
#include "raster.h"
#include "run_print.h"

#include <stdio.h>
#include <string.h>

GrStatus gr_go_file_path(const char *study, const char *end, char out[GR_FILE_PATH_SIZE], GrErrorLog *log)
{
    const GrStatus status = gr_campaign_page_path(study, out, log);
    const size_t length = strlen(out) - strlen(".html");
    if (status == GR_OK && length + strlen(end) + 1 > GR_FILE_PATH_SIZE) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = study}, "the path is too long");
    }
    if (status == GR_OK) {
        snprintf(out + length, GR_FILE_PATH_SIZE - length, "%s", end);
    }
    return status;
}

/// Way-points with the start, in world coordinates; with longitude and latitude where the map has them.
typedef struct Points {
    int count;
    double (*xy)[2], (*lonlat)[2]; ///< owned; NULL: none
} Points;

static bool take_points(const GrGoReport *r, Points *out)
{
    const GrGoTry *best = &r->answer->tries[r->answer->best];
    out->count = best->point_count + 1;
    out->xy = gr_calloc((size_t)out->count, sizeof *out->xy);
    out->lonlat = gr_calloc((size_t)out->count, sizeof *out->lonlat);
    if (out->xy == NULL || out->lonlat == NULL) {
        return false;
    }
    memcpy(out->xy[0], r->go->start.at, sizeof out->xy[0]);
    memcpy(out->xy + 1, best->points, sizeof *best->points * (size_t)best->point_count);
    memcpy(out->lonlat, out->xy, sizeof *out->xy * (size_t)out->count);
    GrErrorLog quiet = {.quiet = true};
    const bool known =
        r->go->t.terrain != NULL && gr_georeference_convert(gr_terrain_georeference(r->go->t.terrain), true,
                                                            out->lonlat, out->count, &quiet) == GR_OK;
    if (!known) {
        gr_free(out->lonlat);
        out->lonlat = NULL;
    }
    return true;
}

static GrStatus write_table(const GrGoReport *r, const Points *points, const char *path, GrErrorLog *log)
{
    const GrGeoreference *place = r->go->t.terrain != NULL ? gr_terrain_georeference(r->go->t.terrain) : NULL;
    const bool projected = place != NULL && place->crs != NULL && place->crs[0] != '\0';
    GrBuffer out = {0};
    gr_buffer_printf(&out, "x_m,y_m%s%s\n", projected ? ",east_m,north_m" : "",
                     points->lonlat != NULL ? ",lon_deg,lat_deg" : "");
    for (int i = 0; i < points->count; i++) {
        const double *p = points->xy[i];
        gr_buffer_printf(&out, "%.3f,%.3f", p[0], p[1]);
        if (projected) {
            gr_buffer_printf(&out, ",%.3f,%.3f", p[0] + place->origin_east, p[1] + place->origin_north);
        }
        if (points->lonlat != NULL) {
            gr_buffer_printf(&out, ",%.9f,%.9f", points->lonlat[i][0], points->lonlat[i][1]);
        }
        gr_buffer_puts(&out, "\n");
    }
    const GrStatus status = out.failed ? gr_out_of_memory(log, path) : gr_file_write(path, out.data, out.size, log);
    gr_buffer_free(&out);
    return status;
}

/// One line with its numbers as properties. Longitude and latitude on the map's own body; without them, metres.
static GrStatus write_geojson(const GrGoReport *r, const Points *points, const char *path, GrErrorLog *log)
{
    const GrGoTry *best = &r->answer->tries[r->answer->best];
    const GrGeoreference *place = r->go->t.terrain != NULL ? gr_terrain_georeference(r->go->t.terrain) : NULL;
    GrBuffer out = {0};
    GrJson json = gr_json_to_buffer(&out, true);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "type", "FeatureCollection");
    gr_json_begin_array(&json, "features");
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "type", "Feature");
    gr_json_begin_object(&json, "properties");
    gr_json_string(&json, "name", r->campaign->name);
    gr_json_string(&json, "coordinates_are",
                   points->lonlat != NULL ? "longitude and latitude in degrees" : "x and y in metres");
    if (points->lonlat != NULL && place->body[0] != '\0') {
        gr_json_string(&json, "body", place->body);
    }
    gr_json_number(&json, "probability", r->answer->chance.value);
    gr_json_number(&json, "length_m", best->length);
    gr_json_number(&json, "energy_J", best->used_energy.value);
    gr_json_number(&json, "time_s", best->used_time.value);
    gr_json_end(&json);
    gr_json_begin_object(&json, "geometry");
    gr_json_string(&json, "type", "LineString");
    gr_json_begin_array(&json, "coordinates");
    for (int i = 0; i < points->count; i++) {
        gr_json_numbers(&json, NULL, points->lonlat != NULL ? points->lonlat[i] : points->xy[i], 2);
    }
    gr_json_end(&json);
    gr_json_end(&json);
    gr_json_end(&json);
    gr_json_end(&json);
    gr_json_end(&json);
    GrStatus status = gr_json_finish(&json);
    gr_buffer_puts(&out, "\n");
    status = status != GR_OK || out.failed ? gr_out_of_memory(log, path) : gr_file_write(path, out.data, out.size, log);
    gr_buffer_free(&out);
    return status;
}

static GrStatus write_scenario(const GrGoReport *r, const char *path, GrErrorLog *log)
{
    const GrGoTry *best = &r->answer->tries[r->answer->best];
    char comment[200];
    GrRow row;
    snprintf(comment, sizeof comment, "The route of the mission %.60s, in a world in which it arrives.",
             r->campaign->name);
    gr_go_row(r->go, r->campaign, best, (uint64_t)best->first_arrived, &row);
    return gr_case_scenario_write(r->campaign, &row, comment, path, log);
}

/// Drives the scenario that was written: its replay shows the worst place.
static GrStatus record_drive(const GrGoFiles *files, GrErrorLog *log)
{
    static const char *const small[] = {"record.csv=false", "record.mcap=false", NULL}; // many times as large
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrRunSummary summary = {0};
    GrStatus status = gr_scenario_load(files->scenario, small, &scenario, log);
    status = status == GR_OK ? gr_world_create(scenario, &world, log) : status;
    if (status == GR_OK) {
        status = gr_run_job(world, (GrRecordedRun){.directory = files->run, .replay_page = true}, &summary, log);
    }
    gr_run_summary_free(&summary);
    gr_world_free(world);
    gr_scenario_free(scenario);
    return status;
}

GrStatus gr_go_files_write(const GrGoReport *r, GrGoFiles *out, GrErrorLog *log)
{
    *out = (GrGoFiles){0};
    GrStatus status = gr_go_file_path(r->study, "_route.yaml", out->scenario, log);
    status = status == GR_OK ? gr_go_file_path(r->study, "_route.csv", out->table, log) : status;
    status = status == GR_OK ? gr_go_file_path(r->study, "_route.geojson", out->geojson, log) : status;
    status = status == GR_OK ? gr_go_file_path(r->study, "_route.run", out->run, log) : status;
    if (status != GR_OK) {
        return status;
    }
    if (r->answer->verdict != GR_GO_ARRIVES) {
        remove(out->scenario);
        remove(out->table);
        remove(out->geojson);
        *out = (GrGoFiles){0};
        return GR_OK;
    }
    Points points = {0};
    if (take_points(r, &points)) {
        status = write_scenario(r, out->scenario, log);
        status = status == GR_OK ? write_table(r, &points, out->table, log) : status;
        status = status == GR_OK ? write_geojson(r, &points, out->geojson, log) : status;
        status = status == GR_OK ? record_drive(out, log) : status;
    } else {
        status = gr_out_of_memory(log, NULL);
    }
    gr_free(points.xy);
    gr_free(points.lonlat);
    return status;
}
