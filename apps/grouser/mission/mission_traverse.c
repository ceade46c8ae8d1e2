/// The mission `traverse`: where a rover can drive, at what slip, energy and time, how likely it arrives, and which way
/// from A to B (docs/traverse.md).
///
///     mission: {traverse: {cell_m: 20, from: [-100, 0], to: [120, 60], routes: [energy, risk], pairs: 50}}
#include "alloc.h"
#include "csv.h"
#include "json.h"
#include "mission.h"
#include "number.h"
#include "out_of_memory.h"
#include "raster.h"
#include "report.h"
#include "study_print.h"
#include "table.h"
#include "traverse_answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the map as GeoTIFF and CSV, and the first route that arrives as a scenario

enum { BAND_NAME = 40 };

/// Fields that the GeoTIFF has for each direction, besides those of the cell.
static const GrTraverseField DIRECTED[] = {GR_TRAVERSE_FIELD_SUCCESS, GR_TRAVERSE_FIELD_ENERGY, GR_TRAVERSE_FIELD_TIME,
                                           GR_TRAVERSE_FIELD_SLIP};
enum {
    DIRECTED_COUNT = sizeof DIRECTED / sizeof DIRECTED[0],
    BANDS_MAX = GR_TRAVERSE_FIELD_COUNT + GR_ROUTE_DIRECTIONS * DIRECTED_COUNT
};

/// The study's path with another end in place of its suffix.
static GrStatus beside(const char *study, const char *end, char out[GR_FILE_PATH_SIZE], GrErrorLog *log)
{
    const char *slash = strrchr(study, '/'), *dot = strrchr(study, '.');
    const int length = dot != NULL && (slash == NULL || dot > slash + 1) ? (int)(dot - study) : (int)strlen(study);
    return snprintf(out, GR_FILE_PATH_SIZE, "%.*s%s", length, study, end) < GR_FILE_PATH_SIZE
               ? GR_OK
               : gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = study}, "the path is too long");
}

/// One band while it is read.
typedef struct Band {
    const GrTraverseMap *map;
    int nx;
    GrTraverseField field;
    int direction; ///< −1: of the cell
} Band;

static const GrTraverseEdge *edge_of(const GrTraverseMap *map, int cell, int direction)
{
    return direction < 0 ? &map->cells[cell] : &map->edges[cell * GR_ROUTE_DIRECTIONS + direction];
}

static GrStatus read_band(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    (void)log;
    const Band *b = context;
    for (int64_t j = 0; j < window.nj; j++) {
        for (int64_t i = 0; i < window.ni; i++) {
            const int cell = (int)((window.j0 + j) * b->nx + window.i0 + i);
            out[j * window.ni + i] = gr_traverse_field(edge_of(b->map, cell, b->direction), b->field);
        }
    }
    return GR_OK;
}

static GrStatus write_raster(const GrTraverseAnswer *a, const char *path, GrErrorLog *log)
{
    const GrTraverse *t = a->traverse;
    Band bands[BANDS_MAX];
    GrRasterBand rasters[BANDS_MAX];
    char names[BANDS_MAX][BAND_NAME], none[] = "";
    int count = 0;
    for (int i = 0; i < GR_TRAVERSE_FIELD_COUNT; i++) {
        bands[count++] = (Band){a->map, t->grid.nx, (GrTraverseField)i, -1};
    }
    for (int k = 0; k < GR_ROUTE_DIRECTIONS; k += GR_ROUTE_DIRECTIONS / t->directions) {
        for (int i = 0; i < DIRECTED_COUNT; i++) {
            bands[count++] = (Band){a->map, t->grid.nx, DIRECTED[i], k};
        }
    }
    for (int i = 0; i < count; i++) {
        const GrTraverseFieldInfo *info = &gr_traverse_fields[bands[i].field];
        bands[i].direction < 0
            ? snprintf(names[i], BAND_NAME, "%s", info->name)
            : snprintf(names[i], BAND_NAME, "%s heading %d deg", info->name, 45 * bands[i].direction);
        rasters[i] = (GrRasterBand){names[i], info->unit, {.context = &bands[i], .read = read_band}};
    }
    GrRasterWrite how = gr_default_raster_write();
    how.bands = rasters;
    how.band_count = count;
    how.description = "Traversability. Headings count from east to the left. Per cell: means over the directions.";
    const double half = t->grid.cell / 2;
    const GrGridFrame frame = {t->grid.nx, t->grid.ny, t->x0 + half, t->y0 + half, t->grid.cell, t->grid.cell};
    const GrGeoreference nowhere = {.crs = none};
    const GrGeoreference *place = t->terrain != NULL ? gr_terrain_georeference(t->terrain) : &nowhere;
    return gr_raster_write(path, &frame, place, (GrSource){0}, &how, NULL, NULL, log);
}

static void put_cell(double value, GrBuffer *out)
{
    gr_buffer_puts(out, ",");
    if (isfinite(value)) { // no data is an empty cell
        gr_buffer_number(out, value);
    }
}

static GrStatus write_table(const GrTraverseAnswer *a, const char *path, GrErrorLog *log)
{
    const GrTraverse *t = a->traverse;
    GrBuffer out = {0};
    gr_buffer_puts(&out, "x_m,y_m,heading_deg,arrived");
    for (int i = 0; i < GR_TRAVERSE_FIELD_COUNT; i++) {
        const GrTraverseFieldInfo *info = &gr_traverse_fields[i];
        gr_buffer_printf(&out, ",%s%s%s", info->name, info->unit[0] != '\0' ? "_" : "",
                         strcmp(info->unit, "J/m") == 0   ? "J_per_m"
                         : strcmp(info->unit, "s/m") == 0 ? "s_per_m"
                                                          : info->unit);
    }
    gr_buffer_puts(&out, "\n");
    for (int cell = 0; cell < t->grid.nx * t->grid.ny; cell++) {
        for (int k = -1; k < GR_ROUTE_DIRECTIONS; k += k < 0 ? 1 : GR_ROUTE_DIRECTIONS / t->directions) {
            const GrTraverseEdge *e = edge_of(a->map, cell, k);
            double at[2];
            gr_traverse_centre(t, cell, at);
            gr_buffer_number(&out, at[0]);
            gr_buffer_puts(&out, ",");
            gr_buffer_number(&out, at[1]);
            put_cell(k < 0 ? (double)NAN : 45.0 * k, &out);
            gr_buffer_printf(&out, ",%d", e->arrived);
            for (int i = 0; i < GR_TRAVERSE_FIELD_COUNT; i++) {
                const bool is_count = i == GR_TRAVERSE_FIELD_LEGS;
                put_cell(is_count ? e->count : gr_traverse_field(e, (GrTraverseField)i), &out);
            }
            gr_buffer_puts(&out, "\n");
        }
    }
    const GrStatus status = out.failed ? gr_out_of_memory(log, path) : gr_file_write(path, out.data, out.size, log);
    gr_buffer_free(&out);
    return status;
}

/// The first route that arrives, in the first world. Without one, that of an earlier answer is removed.
static GrStatus write_route(const GrTraverseAnswer *a, char path[GR_FILE_PATH_SIZE], GrErrorLog *log)
{
    const GrTraverseTrips *trips = a->trips;
    int found = -1;
    for (int i = 0; trips != NULL && i < trips->count && found < 0; i++) {
        found = trips->items[i].pair < 0 && gr_traverse_arrives(trips, i) ? i : -1;
    }
    const GrStatus status = beside(a->study, "_route.yaml", path, log);
    if (status != GR_OK || found < 0) {
        if (status == GR_OK && a->traverse->has_ends) {
            remove(path);
        }
        path[0] = '\0';
        return status;
    }
    char comment[200];
    GrRow row;
    snprintf(comment, sizeof comment, "The route of least %s that the mission %.60s found, in its first world.",
             gr_traverse_trip_name(a->traverse, &trips->items[found]), a->campaign->name);
    gr_traverse_trip_row(trips, found, 0, &row);
    return gr_case_scenario_write(a->campaign, &row, comment, path, log);
}

/// Writes all files. A build without GDAL warns that there is no GeoTIFF.
static GrStatus traverse_files_write(const GrTraverseAnswer *answer, GrTraverseFiles *out, GrErrorLog *log)
{
    *out = (GrTraverseFiles){0};
    GrStatus status = beside(answer->study, "_map.csv", out->table, log);
    status = status == GR_OK ? write_table(answer, out->table, log) : status;
    status = status == GR_OK ? beside(answer->study, "_map.tif", out->map, log) : status;
    if (status == GR_OK) {
        GrErrorLog why = {.quiet = true};
        status = write_raster(answer, out->map, &why);
        if (status == GR_ERROR_UNSUPPORTED) {
            gr_warning_add(log, (GrLocation){.file = out->map}, "is not written: %s",
                           why.count > 0 ? why.items[0].text : "");
            out->map[0] = '\0';
            status = GR_OK;
        } else if (status != GR_OK) {
            gr_error_add(log, status, (GrLocation){.file = out->map}, "%s",
                         why.count > 0 ? why.items[0].text : "cannot be written");
        }
    }
    return status == GR_OK ? write_route(answer, out->route, log) : status;
}

// ---- the mission

enum { DIGITS = 4 };

static void *create(GrNode *value, GrCampaign *campaign)
{
    return gr_traverse_read(value, campaign);
}

static void destroy(void *mission)
{
    gr_traverse_free(mission);
}

static void finish(void *mission, GrNode *value, GrCampaign *campaign)
{
    gr_traverse_finish(mission, value, campaign);
}

static void leg_row(void *context, uint64_t index, GrRow *out)
{
    const GrCampaign *c = context;
    gr_traverse_leg_row(c->mission, c, index, out);
}

static void legs(void *mission, const GrCampaign *campaign, GrBatch *out)
{
    *out = (GrBatch){.count = gr_traverse_size(mission), .context = (void *)(uintptr_t)campaign, .row = leg_row};
}

const char *gr_traverse_trip_name(const GrTraverse *t, const GrTraverseTrip *trip)
{
    return trip->aim < 0 ? "straight" : t->aims[trip->aim].name;
}

/// Cells with data, sorted by a field.
static int sort_cells(const GrTraverseAnswer *a, GrTraverseField field, double *out)
{
    const int cells = a->traverse->grid.nx * a->traverse->grid.ny;
    for (int i = 0; i < cells; i++) {
        out[i] = gr_traverse_shown(&a->map->cells[i], field);
    }
    const int count = gr_keep_finite(out, cells);
    gr_sort(out, count);
    return count;
}

static void print_map(const GrTraverseAnswer *a, double *room)
{
    static const GrTraverseField fields[] = {GR_TRAVERSE_FIELD_SUCCESS, GR_TRAVERSE_FIELD_ENERGY,
                                             GR_TRAVERSE_FIELD_TIME, GR_TRAVERSE_FIELD_SLIP, GR_TRAVERSE_FIELD_TILT};
    static const double points[] = {0, 0.1, 0.5, 0.9, 1};
    const GrTraverse *t = a->traverse;
    const GrEstimate share = gr_proportion(a->map->arrivals, (int)a->map->count);
    printf("%d x %d cells of %g m, %d directions, %d world%s: %d of %llu legs arrived, %.1f %% (%.1f to %.1f %%)\n",
           t->grid.nx, t->grid.ny, t->grid.cell, t->directions, t->worlds, t->worlds == 1 ? "" : "s", a->map->arrivals,
           (unsigned long long)a->map->count, 100 * share.value, 100 * share.low, 100 * share.high);
    GrTable table = {.indent = 2};
    gr_table_heads(&table, "of a cell|unit|>cells|>least|>10 %|>median|>90 %|>most");
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        const int count = sort_cells(a, fields[i], room);
        gr_table_text(&table, gr_traverse_fields[fields[i]].text);
        gr_table_text(&table, gr_traverse_shown_unit(fields[i]));
        gr_table_printf(&table, "%d", count);
        for (int k = 0; k < 5; k++) {
            gr_table_number(&table, count > 0 ? gr_quantile_sorted(room, count, points[k]) : (double)NAN, DIGITS);
        }
    }
    gr_table_print(&table, stdout);
    gr_table_free(&table);
}

static void print_table(GrTable *table)
{
    table->indent = 2;
    gr_table_print(table, stdout);
    gr_table_free(table);
}

static void print_routes(const GrTraverseAnswer *a)
{
    GrTable table = {0};
    gr_traverse_table_routes(a, &table);
    printf("\nfrom (%g, %g) to (%g, %g): predicted from the legs, and driven\n", a->traverse->from[0],
           a->traverse->from[1], a->traverse->to[0], a->traverse->to[1]);
    print_table(&table);
    for (int i = 0; i < a->trips->count; i++) {
        char reason[GR_TRAVERSE_REASON];
        gr_traverse_reason(a->trips, i, reason);
        if (reason[0] != '\0' && a->trips->items[i].pair < 0) {
            printf("  %s: %s\n", gr_traverse_trip_name(a->traverse, &a->trips->items[i]), reason);
        }
    }
}

static void print_pairs(const GrTraverseAnswer *a)
{
    const GrTraversePairs p = gr_traverse_pairs_count(a->trips);
    GrTable table = {0};
    printf("\n%d random starts and goals; by route (least %s) %d have none\n", p.count, a->traverse->aims[0].name,
           p.no_route);
    gr_traverse_table_pairs(&p, &table);
    print_table(&table);
    printf("  energy and time: means of the %d that arrive either way\n", p.both);
}

static void put_figures(GrJson *json, const char *key, const GrTraverseFigures *f)
{
    gr_json_begin_object(json, key);
    gr_json_number(json, "arrival", f->arrival);
    gr_json_number(json, "energy_J", f->energy);
    gr_json_number(json, "time_s", f->time);
    gr_json_number(json, "slip", f->slip);
    gr_json_end(json);
}

static void put_trip(GrJson *json, const GrTraverseAnswer *a, int index)
{
    const GrTraverseTrip *trip = &a->trips->items[index];
    char reason[GR_TRAVERSE_REASON];
    gr_traverse_reason(a->trips, index, reason);
    gr_json_begin_object(json, NULL);
    gr_json_string(json, "name", gr_traverse_trip_name(a->traverse, trip));
    if (reason[0] != '\0') {
        gr_json_string(json, "reason", reason);
    }
    if (trip->points != NULL) {
        gr_json_number(json, "length_m", trip->length);
        gr_json_integer(json, "drives", trip->count);
        gr_json_integer(json, "arrived", trip->arrived);
        put_figures(json, "predicted", &trip->predicted);
        put_figures(json, "driven", &trip->measured);
        gr_json_begin_array(json, "way_points");
        for (int i = 0; i < trip->point_count; i++) {
            gr_json_numbers(json, NULL, trip->points[i], 2);
        }
        gr_json_end(json);
    }
    gr_json_end(json);
}

static GrStatus print_json(const GrTraverseAnswer *a, const GrTraverseFiles *files, const GrMissionRun *run)
{
    const GrTraverse *t = a->traverse;
    const GrEstimate share = gr_proportion(a->map->arrivals, (int)a->map->count);
    GrJson json = gr_json_to_file(run->json, true);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "name", a->campaign->name);
    gr_study_put_prediction(&json, gr_study_prediction(run->job->study));
    gr_json_integer(&json, "columns", t->grid.nx);
    gr_json_integer(&json, "rows", t->grid.ny);
    gr_json_number(&json, "cell_m", t->grid.cell);
    gr_json_integer(&json, "worlds", t->worlds);
    gr_json_integer(&json, "legs", (long long)a->map->count);
    gr_json_integer(&json, "arrived", a->map->arrivals);
    gr_json_number(&json, "arrived_share", share.value);
    gr_json_number(&json, "arrived_low", share.low);
    gr_json_number(&json, "arrived_high", share.high);
    gr_json_begin_array(&json, "routes");
    for (int i = 0; i < a->trips->count; i++) {
        if (a->trips->items[i].pair < 0) {
            put_trip(&json, a, i);
        }
    }
    gr_json_end(&json);
    if (t->pairs > 0) {
        const GrTraversePairs p = gr_traverse_pairs_count(a->trips);
        gr_json_begin_object(&json, "pairs");
        gr_json_integer(&json, "count", p.count);
        gr_json_integer(&json, "no_route", p.no_route);
        gr_json_integer(&json, "straight_arrived", p.straight);
        gr_json_integer(&json, "routed_arrived", p.routed);
        gr_json_number(&json, "straight_energy_J", p.straight_energy);
        gr_json_number(&json, "routed_energy_J", p.energy);
        gr_json_end(&json);
    }
    gr_json_string(&json, "map", files->map);
    gr_json_string(&json, "table", files->table);
    gr_json_string(&json, "route", files->route);
    gr_json_end(&json);
    return gr_json_finish(&json);
}

static GrStatus print_answer(const GrTraverseAnswer *a, GrMissionRun *run, GrErrorLog *log)
{
    GrTraverseFiles files;
    GrStatus status = traverse_files_write(a, &files, log);
    run->unanswered = status == GR_OK && a->traverse->has_ends && files.route[0] == '\0';
    if (run->unanswered) {
        gr_report_error("no route is handed over: none is expected to arrive");
    }
    if (status != GR_OK || run->options->json) {
        return status == GR_OK ? print_json(a, &files, run) : status;
    }
    double *room = gr_calloc((size_t)a->traverse->grid.nx * (size_t)a->traverse->grid.ny, sizeof *room);
    if (room == NULL) {
        return GR_ERROR_MEMORY;
    }
    gr_campaign_job_print(run->job, stdout);
    print_map(a, room);
    gr_free(room);
    if (a->traverse->has_ends) {
        print_routes(a);
    }
    if (a->traverse->pairs > 0) {
        print_pairs(a);
    }
    printf("\nwrote %s%s%s%s%s\n", files.table, files.map[0] != '\0' ? ", " : "", files.map,
           files.route[0] != '\0' ? ", " : "", files.route);
    return GR_OK;
}

static GrStatus report(GrMissionRun *run, GrErrorLog *log)
{
    const GrTraverse *t = run->mission;
    const GrCampaign *c = &run->job->campaign;
    GrTraverseMap map;
    GrTraverseTrips trips = {0};
    GrStatus status = gr_traverse_map_make(t, c, run->job->study, &map, log);
    status = status == GR_OK ? gr_traverse_trips_make(t, c, &map, &trips, log) : status;
    if (status == GR_OK && trips.run_count > 0) {
        const GrBatch batch = gr_traverse_trips_batch(&trips);
        status = gr_campaign_job_run(run->job, &batch, &run->interrupted, log);
    }
    if (status == GR_OK && !run->interrupted) {
        gr_traverse_trips_measure(&trips, run->job->study);
        const GrTraverseAnswer answer = {t, c, &map, &trips, run->job->study_path};
        status = print_answer(&answer, run, log);
    }
    gr_traverse_trips_free(&trips);
    gr_traverse_map_free(&map);
    return status;
}

static GrStatus put(void *mission, const GrCampaign *campaign, GrStudyPage *page, GrPage *out, GrErrorLog *log)
{
    const GrTraverse *t = mission;
    GrStudy *study = NULL;
    GrTraverseMap map = {0};
    GrTraverseTrips trips = {0};
    GrStatus status = gr_study_peek(page->path, campaign, &study, log);
    if (status != GR_OK || study == NULL) {
        return status;
    }
    status = gr_traverse_map_make(t, campaign, study, &map, log);
    const bool whole = map.count == map.total;
    if (status == GR_OK && whole) { // routes over half a map would change with every leg
        status = gr_traverse_trips_make(t, campaign, &map, &trips, log);
        gr_traverse_trips_measure(&trips, study);
    }
    const GrTraverseAnswer answer = {t, campaign, &map, whole ? &trips : NULL, page->path};
    status = status == GR_OK ? gr_traverse_page(&answer, page, out, log) : status;
    gr_traverse_trips_free(&trips);
    gr_traverse_map_free(&map);
    gr_study_close(study);
    return status;
}

const GrMissionKind gr_mission_traverse = {
    .name = "traverse",
    .text = "where a rover can drive, at what cost, and which way",
    .create = create,
    .destroy = destroy,
    .finish = finish,
    .batch = legs,
    .report = report,
    .put = put,
    .answers = true,
};
