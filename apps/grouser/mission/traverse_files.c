/// The map of a traverse as GeoTIFF and CSV, and its first route that arrives as a scenario.
#include "alloc.h"
#include "case_scenario.h"
#include "csv.h"
#include "number.h"
#include "out_of_memory.h"
#include "raster.h"
#include "traverse_answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

GrStatus gr_traverse_files_write(const GrTraverseAnswer *answer, GrTraverseFiles *out, GrErrorLog *log)
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
