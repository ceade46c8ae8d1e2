/// Georeference of a GDAL dataset: position of its pixels, the body, and the way to longitude and latitude.
#include "raster_gdal.h"

#include "alloc.h"
#include "elementary.h"
#include "number.h"

#include <math.h>
#include <string.h>

enum {
    EDGE_POINTS = 33,
    WIDEST_DEGREES = 5, ///< widest grid that is reprojected as a whole
    SITE = 20000,       ///< half the side of the site that is cut out of a larger grid [m]
};

struct GrPlaceReader {
    OGRSpatialReferenceH projected, geographic;
    OGRCoordinateTransformationH to_lonlat, to_projected;
    double unit; ///< the projection's unit in metres
    char path[512];
};

/// Map metres may differ from ground metres by this much before a warning is given.
static const double SCALE_TOLERANCE = 0.01;

void gr_place_free(GrPlaceReader *reader)
{
    if (reader == NULL) {
        return;
    }
    OCTDestroyCoordinateTransformation(reader->to_lonlat);
    OCTDestroyCoordinateTransformation(reader->to_projected);
    OSRDestroySpatialReference(reader->geographic);
    OSRDestroySpatialReference(reader->projected);
    gr_free(reader);
}

/// Copies a path into single quotes for a shell.
static void quote(char *out, size_t size, const char *path)
{
    size_t at = 0;
    out[at++] = '\'';
    for (const char *c = path; *c != '\0' && at + 6 < size; c++) {
        if (*c == '\'') {
            memcpy(out + at, "'\\''", 4);
            at += 4;
        } else {
            out[at++] = *c;
        }
    }
    out[at++] = '\'';
    out[at] = '\0';
}

/// Refuses a grid in degrees, since degrees of longitude and latitude differ in length. A stereographic projection
/// about the centre is metric and without distortion there, at the poles too.
static GrStatus refuse_degrees(const char *path, const double gt[6], double columns, double rows, const GrRaster *out,
                               GrErrorLog *log)
{
    const double lon = gt[0] + gt[1] * columns / 2, lat = gt[3] + gt[5] * rows / 2;
    const double cell = fabs(gt[5]) * GR_DEGREE * out->place.radius;
    char quoted[300], body[80];
    quote(quoted, sizeof quoted, path);
    if (out->place.inverse_flattening > 0) {
        gr_print(body, sizeof body, "+a=%.10g +rf=%.10g", out->place.radius, out->place.inverse_flattening);
    } else {
        gr_print(body, sizeof body, "+R=%.10g", out->place.radius);
    }
    // No projection is metric over a large part of a globe, so a site is cut out.
    char box[64] = "";
    if (fmax(fabs(gt[1]) * columns, fabs(gt[5]) * rows) > WIDEST_DEGREES) {
        snprintf(box, sizeof box, " -te %d %d %d %d", -SITE, -SITE, SITE, SITE);
    }
    return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.file = path},
                        "is a grid in degrees; a terrain needs metres. Reproject it%s with: gdalwarp -t_srs "
                        "'+proj=stere +lat_0=%.6g +lon_0=%.6g %s +units=m'%s -tr %.6g %.6g -r bilinear %s metric.tif",
                        box[0] != '\0' ? " around the lat_0 and lon_0 of your site" : "", lat, lon, body, box, cell,
                        cell, quoted);
}

static GrStatus refuse_rotation(const char *path, GrErrorLog *log)
{
    char quoted[300];
    quote(quoted, sizeof quoted, path);
    return gr_error_add(
        log, GR_ERROR_UNSUPPORTED, (GrLocation){.file = path},
        "its pixels are rotated against the axes of its map. Straighten it with: gdalwarp -r bilinear %s straight.tif",
        quoted);
}

/// Pixel size and position for a file without georeference.
static GrStatus place_without(const char *path, const GrRasterOptions *options, double rows, double gt[6],
                              GrErrorLog *log)
{
    double cell = options->cell;
    if (!(cell > 0)) {
        if (!options->assume_metre) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path},
                                "has no georeference: give the size of its pixels with --cell METRES");
        }
        gr_warning_add(log, (GrLocation){.file = path},
                       "has no georeference; its pixels are taken as 1 m: give their size with --cell METRES");
        cell = 1;
    }
    // The south-west node is the origin of the world.
    gt[0] = -0.5 * cell;
    gt[1] = cell;
    gt[2] = gt[4] = 0;
    gt[3] = (rows - 0.5) * cell;
    gt[5] = -cell;
    return GR_OK;
}

static void read_body(OGRSpatialReferenceH srs, GrRaster *out)
{
    OGRErr failed = OGRERR_NONE;
    out->place.radius = OSRGetSemiMajor(srs, &failed);
    out->place.radius = failed == OGRERR_NONE ? out->place.radius : 0;
    out->place.inverse_flattening = OSRGetInvFlattening(srs, &failed);
    out->place.inverse_flattening = failed == OGRERR_NONE ? out->place.inverse_flattening : 0;
    const char *name = OSRGetAttrValue(srs, "SPHEROID", 0);
    snprintf(out->place.body, sizeof out->place.body, "%s", name != NULL ? name : "");
}

static GrPlaceReader *make_reader(OGRSpatialReferenceH srs, const char *path)
{
    GrPlaceReader *reader = gr_calloc(1, sizeof *reader);
    if (reader == NULL) {
        return NULL;
    }
    snprintf(reader->path, sizeof reader->path, "%s", path);
    reader->projected = OSRClone(srs);
    // Use the file's own datum, so that no other body is involved.
    reader->geographic = OSRCloneGeogCS(srs);
    reader->unit = OSRGetLinearUnits(srs, NULL);
    if (reader->geographic != NULL) {
        OSRSetAxisMappingStrategy(reader->projected, OAMS_TRADITIONAL_GIS_ORDER);
        OSRSetAxisMappingStrategy(reader->geographic, OAMS_TRADITIONAL_GIS_ORDER);
        gr_gdal_quiet();
        reader->to_lonlat = OCTNewCoordinateTransformation(reader->projected, reader->geographic);
        reader->to_projected = OCTNewCoordinateTransformation(reader->geographic, reader->projected);
        gr_gdal_loud();
    }
    if (reader->to_lonlat == NULL || reader->to_projected == NULL) {
        gr_place_free(reader);
        return NULL;
    }
    return reader;
}

/// Frame of the nodes from an unrotated geotransform, which refers to pixel corners, in metres.
static void set_frame(const double gt[6], double columns, double rows, GrRaster *out, bool *from_west, bool *from_north)
{
    *from_west = gt[1] > 0;
    *from_north = gt[5] < 0;
    out->frame = (GrGridFrame){
        .nx = (int64_t)columns,
        .ny = (int64_t)rows,
        .dx = fabs(gt[1]),
        .dy = fabs(gt[5]),
        .x0 = *from_west ? gt[0] + 0.5 * gt[1] : gt[0] + (columns - 0.5) * gt[1],
        .y0 = *from_north ? gt[3] + (rows - 0.5) * gt[5] : gt[3] + 0.5 * gt[5],
    };
}

static GrStatus copy_crs(OGRSpatialReferenceH srs, GrRaster *out)
{
    char *wkt = NULL;
    const char *const options[] = {"FORMAT=WKT2", NULL};
    OSRExportToWktEx(srs, &wkt, options);
    out->place.crs = gr_strdup(wkt != NULL ? wkt : "");
    CPLFree(wkt);
    return out->place.crs != NULL ? GR_OK : GR_ERROR_MEMORY;
}

GrStatus gr_place_read(GDALDatasetH dataset, const char *path, const GrRasterOptions *options, GrRaster *out,
                       bool *columns_from_west, bool *rows_from_north, GrPlaceReader **reader, GrErrorLog *log)
{
    const double columns = GDALGetRasterXSize(dataset), rows = GDALGetRasterYSize(dataset);
    double gt[6], unit = 1;
    OGRSpatialReferenceH srs = GDALGetSpatialRef(dataset);
    const bool placed = GDALGetGeoTransform(dataset, gt) == CE_None;
    GrStatus status = GR_OK;
    if (!placed) {
        status = place_without(path, options, rows, gt, log);
    }
    out->has_crs = srs != NULL && placed;
    if (status == GR_OK && out->has_crs) {
        read_body(srs, out);
        if (OSRIsGeographic(srs)) {
            return refuse_degrees(path, gt, columns, rows, out, log);
        }
        unit = OSRGetLinearUnits(srs, NULL);
        status = copy_crs(srs, out);
        *reader = make_reader(srs, path);
    } else if (status == GR_OK) {
        out->place.crs = gr_strdup("");
        status = out->place.crs != NULL ? GR_OK : GR_ERROR_MEMORY;
    }
    if (status != GR_OK) {
        return status;
    }
    if (fabs(gt[2]) > 1e-9 * fabs(gt[1]) || fabs(gt[4]) > 1e-9 * fabs(gt[5])) {
        return refuse_rotation(path, log);
    }
    for (int k = 0; k < 6; k++) {
        gt[k] *= unit;
    }
    if (placed && options->cell > 0 && fabs(options->cell / fabs(gt[1]) - 1) > 1e-6) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path},
                            "has pixels of %g m by its own georeference; a cell of %g m contradicts it", fabs(gt[1]),
                            options->cell);
    }
    if (gt[1] == 0 || gt[5] == 0 || !isfinite(gt[0]) || !isfinite(gt[3])) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path}, "its georeference gives pixels no size");
    }
    set_frame(gt, columns, rows, out, columns_from_west, rows_from_north);
    return GR_OK;
}

GrStatus gr_place_to_map(void *context, const double lonlat[4], GrBox2 *box, GrErrorLog *log)
{
    GrPlaceReader *reader = context;
    *box = (GrBox2){INFINITY, INFINITY, -INFINITY, -INFINITY};
    // The edges of the box are curves on the map, so many points on each are transformed.
    for (int k = 0; k < 4 * EDGE_POINTS; k++) {
        const double t = (double)(k % EDGE_POINTS) / (EDGE_POINTS - 1);
        const int side = k / EDGE_POINTS;
        double lon = side == 0 ? lonlat[0] : side == 1 ? lonlat[2] : lonlat[0] + t * (lonlat[2] - lonlat[0]);
        double lat = side == 2 ? lonlat[1] : side == 3 ? lonlat[3] : lonlat[1] + t * (lonlat[3] - lonlat[1]);
        gr_gdal_quiet();
        const int good = OCTTransform(reader->to_projected, 1, &lon, &lat, NULL);
        gr_gdal_loud();
        if (!good) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = reader->path},
                                "the window by longitude and latitude is outside what the file's projection covers");
        }
        box->x_lower = fmin(box->x_lower, lon * reader->unit);
        box->x_upper = fmax(box->x_upper, lon * reader->unit);
        box->y_lower = fmin(box->y_lower, lat * reader->unit);
        box->y_upper = fmax(box->y_upper, lat * reader->unit);
    }
    return GR_OK;
}

/// Ground metres between two points of the map, on a sphere of the body's radius (haversine).
static double ground_distance(GrPlaceReader *reader, double radius, double x, double y, double dx, double dy)
{
    double lon[2] = {(x - dx) / reader->unit, (x + dx) / reader->unit};
    double lat[2] = {(y - dy) / reader->unit, (y + dy) / reader->unit};
    if (!OCTTransform(reader->to_lonlat, 2, lon, lat, NULL)) {
        return 0;
    }
    const double a = gr_sin((lat[1] - lat[0]) * GR_DEGREE / 2), b = gr_sin((lon[1] - lon[0]) * GR_DEGREE / 2);
    return 2 * radius * gr_asin(sqrt(a * a + gr_cos(lat[0] * GR_DEGREE) * gr_cos(lat[1] * GR_DEGREE) * b * b));
}

/// Direction of north at a point, clockwise from the y axis: where a point a little to the north, or at a northern pole
/// against one to the south, lies on the map.
static double find_north(const GrPlaceReader *reader, double lon, double lat, double x, double y)
{
    const double step = lat < 89.9 ? 1e-4 : -1e-4; // [deg]
    double there_x = lon, there_y = lat + step;
    if (!OCTTransform(reader->to_projected, 1, &there_x, &there_y, NULL)) {
        return 0;
    }
    const double sign = step > 0 ? 1 : -1;
    return gr_atan2(sign * (there_x * reader->unit - x), sign * (there_y * reader->unit - y));
}

void gr_place_middle(GrPlaceReader *reader, GrRaster *out, const char *path, GrErrorLog *log)
{
    if (reader == NULL) {
        return;
    }
    const GrGridFrame *f = &out->frame;
    const double x = f->x0 + 0.5 * (double)(f->nx - 1) * f->dx, y = f->y0 + 0.5 * (double)(f->ny - 1) * f->dy;
    double lon = x / reader->unit, lat = y / reader->unit;
    gr_gdal_quiet();
    if (OCTTransform(reader->to_lonlat, 1, &lon, &lat, NULL)) {
        out->lon = lon;
        out->lat = lat;
        out->north = find_north(reader, lon, lat, x, y);
        const double reach = 1e-5 * out->place.radius;
        const double east = ground_distance(reader, out->place.radius, x, y, reach, 0);
        const double north = ground_distance(reader, out->place.radius, x, y, 0, reach);
        out->scale_east = east > 0 ? 2 * reach / east : 0;
        out->scale_north = north > 0 ? 2 * reach / north : 0;
    }
    gr_gdal_loud();
    if (out->scale_east > 0 &&
        (fabs(out->scale_east - 1) > SCALE_TOLERANCE || fabs(out->scale_north - 1) > SCALE_TOLERANCE)) {
        gr_warning_add(log, (GrLocation){.file = path},
                       "a metre on the ground is %.4g m of the map to the east and %.4g m to the north: distances and "
                       "slopes are off by as much; reproject it about its middle with gdalwarp -t_srs '+proj=stere "
                       "+lat_0=%.6g +lon_0=%.6g +R=%.10g +units=m'",
                       out->scale_east, out->scale_north, out->lat, out->lon, out->place.radius);
    }
}

bool gr_raster_same_crs(const char *a, const char *b)
{
    if (strcmp(a, b) == 0) {
        return true;
    }
    if (a[0] == '\0' || b[0] == '\0' || gr_gdal_start(NULL, NULL) != GR_OK) {
        return false;
    }
    OGRSpatialReferenceH first = OSRNewSpatialReference(NULL), second = OSRNewSpatialReference(NULL);
    char *wkt_first = (char *)(uintptr_t)a, *wkt_second = (char *)(uintptr_t)b; // read only, but not const in GDAL
    gr_gdal_quiet();
    const bool same = OSRImportFromWkt(first, &wkt_first) == OGRERR_NONE &&
                      OSRImportFromWkt(second, &wkt_second) == OGRERR_NONE && OSRIsSame(first, second);
    gr_gdal_loud();
    OSRDestroySpatialReference(first);
    OSRDestroySpatialReference(second);
    return same;
}

GrStatus gr_georeference_convert(const GrGeoreference *place, bool to_lonlat, double (*points)[2], int count,
                                 GrErrorLog *log)
{
    if (place->crs == NULL || place->crs[0] == '\0') {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                            "the map has no projection: places on it are x and y in metres");
    }
    GrStatus status = gr_gdal_start(NULL, log);
    if (status != GR_OK) {
        return status;
    }
    OGRSpatialReferenceH srs = OSRNewSpatialReference(NULL);
    char *wkt = (char *)(uintptr_t)place->crs; // read only, but not const in GDAL
    gr_gdal_quiet();
    const bool known = OSRImportFromWkt(srs, &wkt) == OGRERR_NONE;
    gr_gdal_loud();
    GrPlaceReader *reader = known ? make_reader(srs, "") : NULL;
    bool ok = reader != NULL;
    for (int i = 0; i < count && ok; i++) {
        double *p = points[i];
        if (to_lonlat) {
            p[0] = (p[0] + place->origin_east) / reader->unit;
            p[1] = (p[1] + place->origin_north) / reader->unit;
        }
        gr_gdal_quiet();
        ok = OCTTransform(to_lonlat ? reader->to_lonlat : reader->to_projected, 1, &p[0], &p[1], NULL) != 0;
        gr_gdal_loud();
        if (!to_lonlat) {
            p[0] = p[0] * reader->unit - place->origin_east;
            p[1] = p[1] * reader->unit - place->origin_north;
        }
    }
    gr_place_free(reader);
    OSRDestroySpatialReference(srs);
    return ok ? GR_OK
              : gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                             "the map's projection gives no longitude and latitude there");
}
