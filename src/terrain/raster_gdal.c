/// Rasters through GDAL: georeference, meaning of the numbers, windows.
#include "raster_gdal.h"

#include "alloc.h"
#include "out_of_memory.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct GdalSource {
    char *path;
    GDALDatasetH dataset;
    GDALRasterBandH band;
    bool rows_from_north, columns_from_west;
    int file_columns, file_rows;
    int64_t i0, j0; ///< of the window, in nodes of the whole file
    double scale, offset;
    double nodata; ///< NAN: none
    bool single;   ///< stored as Float32: compare as such
    bool masked;   ///< validity comes from a mask band
    bool sparse;   ///< blocks that were never written have no data
} GdalSource;

static void free_source(void *context)
{
    GdalSource *source = context;
    if (source->dataset != NULL) {
        GDALClose(source->dataset);
    }
    gr_free(source->path);
    gr_free(source);
}

/// First column and row in the file for a window of nodes.
static void place_window(const GdalSource *source, GrGridWindow window, int *column, int *row)
{
    const int64_t i = source->i0 + window.i0, j = source->j0 + window.j0;
    *column = (int)(source->columns_from_west ? i : source->file_columns - i - window.ni);
    *row = (int)(source->rows_from_north ? source->file_rows - j - window.nj : j);
}

/// One window of a band as double; `out` row by row from the south, columns from the west.
static CPLErr read_band(const GdalSource *source, GDALRasterBandH band, GrGridWindow window, double *out)
{
    int column, row;
    place_window(source, window, &column, &row);
    // Negative spacing reverses the order while reading.
    const GSpacing pixel = source->columns_from_west ? 8 : -8, line = (GSpacing)8 * window.ni;
    double *first = out + (source->rows_from_north ? (ptrdiff_t)(window.nj - 1) * window.ni : 0) +
                    (source->columns_from_west ? 0 : window.ni - 1);
    return GDALRasterIOEx(band, GF_Read, column, row, window.ni, window.nj, first, window.ni, window.nj, GDT_Float64,
                          pixel, source->rows_from_north ? -line : line, NULL);
}

/// Whether a window lies in blocks that a sparse file never wrote. Asking takes no time, reading them does.
static bool is_unwritten(const GdalSource *source, GrGridWindow window)
{
    int column, row;
    place_window(source, window, &column, &row);
    return source->sparse &&
           GDALGetDataCoverageStatus(source->band, column, row, window.ni, window.nj, GDAL_DATA_COVERAGE_STATUS_DATA,
                                     NULL) == GDAL_DATA_COVERAGE_STATUS_EMPTY;
}

/// Heights from the numbers of the file; NAN where it has none.
///
/// ISIS and similar programs mark missing and saturated pixels by values about −3.4e38, and not every file made by them
/// declares this. They are given as doubles that differ slightly from the float in the file.
static void find_heights(const GdalSource *source, const double *mask, double *out, size_t count)
{
    const double scale = source->scale, offset = source->offset;
    const double nodata = source->single ? (double)(float)source->nodata : source->nodata;
    for (size_t k = 0; k < count; k++) {
        const double value = out[k], compared = source->single ? (double)(float)value : value;
        const bool masked = mask != NULL && mask[k] == 0;
        const bool known = (fabs(value) < 1e30) & !(compared == nodata) & !masked;
        out[k] = known ? value * scale + offset : (double)NAN;
    }
}

static GrStatus read_window(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    const GdalSource *source = context;
    const size_t count = (size_t)window.ni * (size_t)window.nj;
    if (is_unwritten(source, window)) {
        for (size_t k = 0; k < count; k++) {
            out[k] = NAN;
        }
        return GR_OK;
    }
    double *mask = source->masked ? gr_calloc(count, sizeof *mask) : NULL;
    if (source->masked && mask == NULL) {
        return gr_out_of_memory(log, source->path);
    }
    gr_gdal_quiet();
    CPLErr failed = read_band(source, source->band, window, out);
    if (failed == CE_None && source->masked) {
        failed = read_band(source, GDALGetMaskBand(source->band), window, mask);
    }
    gr_gdal_loud();
    GrStatus status = GR_OK;
    if (failed != CE_None) {
        status = gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = source->path},
                              "a window of %d x %d pixels cannot be read; the file may be cut off: %s", window.ni,
                              window.nj, gr_gdal_message("no reason given"));
    }
    if (status == GR_OK) {
        find_heights(source, mask, out, count);
    }
    gr_free(mask);
    return status;
}

/// Unit of the heights in metres; 0 when unknown.
static double height_unit(const char *unit)
{
    static const struct {
        const char *name;
        double metres;
    } UNITS[] = {{"", 1},
                 {"m", 1},
                 {"metre", 1},
                 {"meter", 1},
                 {"metres", 1},
                 {"meters", 1},
                 {"METERS", 1},
                 {"METER", 1},
                 {"km", 1000},
                 {"KM", 1000},
                 {"kilometer", 1000},
                 {"kilometers", 1000},
                 {"KILOMETER", 1000},
                 {"cm", 0.01},
                 {"mm", 0.001},
                 {"ft", 0.3048},
                 {"foot", 0.3048},
                 {"feet", 0.3048}};
    for (size_t k = 0; k < sizeof UNITS / sizeof UNITS[0]; k++) {
        if (strcmp(unit, UNITS[k].name) == 0) {
            return UNITS[k].metres;
        }
    }
    return 0;
}

/// A photograph opens like a map of heights: its brightness would become ground.
static void warn_colour(const GdalSource *source, int band, GrErrorLog *log)
{
    const GDALColorInterp colour = GDALGetRasterColorInterpretation(source->band);
    const int bands = GDALGetRasterCount(source->dataset);
    if (colour != GCI_Undefined && colour != GCI_GrayIndex) {
        gr_warning_add(log, (GrLocation){.file = source->path},
                       "band %d of %d has colours (%s), not heights: is this a picture of the ground? --band N, or "
                       "'band' in a scenario, takes another band",
                       band, bands, GDALGetColorInterpretationName(colour));
    }
}

/// scale, offset, nodata and mask of the band, from the file and the options.
static GrStatus read_meaning(GdalSource *source, const GrRasterOptions *options, GrRaster *out, GrErrorLog *log)
{
    const GrLocation at = {.file = source->path};
    const GDALDataType type = GDALGetRasterDataType(source->band);
    if (GDALDataTypeIsComplex(type)) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "band %d has complex numbers; heights are real", options->band);
    }
    snprintf(out->type, sizeof out->type, "%s", GDALGetDataTypeName(type));
    if (!options->classes) {
        warn_colour(source, options->band, log);
    }
    source->single = type == GDT_Float32;
    int given;
    source->nodata = GDALGetRasterNoDataValue(source->band, &given);
    source->sparse = given && isnan(options->nodata);
    if (!given) {
        source->nodata = NAN;
    }
    if (!isnan(options->nodata)) {
        source->nodata = options->nodata;
    }
    const int flags = GDALGetMaskFlags(source->band);
    source->masked = (flags & (GMF_ALL_VALID | GMF_NODATA)) == 0;
    source->scale = GDALGetRasterScale(source->band, &given);
    source->scale = given && source->scale != 0 ? source->scale : 1;
    source->offset = GDALGetRasterOffset(source->band, &given);
    source->offset = given ? source->offset : 0;
    const char *unit = GDALGetRasterUnitType(source->band);
    const double metres = height_unit(unit != NULL ? unit : "");
    if (metres == 0) {
        gr_warning_add(log, at, "the unit of the heights, '%s', is unknown; taken as metres", unit);
    } else {
        source->scale *= metres;
        source->offset *= metres;
    }
    source->scale = isnan(options->height_scale) ? source->scale : options->height_scale;
    source->offset = isnan(options->height_offset) ? source->offset : options->height_offset;
    if (options->subtract_radius) {
        if (!(out->place.radius > 0)) {
            return gr_error_add(log, GR_ERROR_VALUE, at, "has no datum whose radius could be subtracted");
        }
        source->offset -= out->place.radius;
    }
    if (!(isfinite(source->scale) && isfinite(source->offset) && source->scale != 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "scale %g and offset %g of the heights are not usable",
                            source->scale, source->offset);
    }
    out->scale = source->scale;
    out->offset = source->offset;
    out->nodata = source->nodata;
    return GR_OK;
}

/// Archives put labels beside their images, with the same base name.
static bool find_label(const char *path, char *label, size_t size)
{
    static const char *const ENDINGS[] = {"lbl", "LBL", "xml", "XML"};
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    if (dot == NULL || (slash != NULL && dot < slash)) {
        return false;
    }
    for (size_t k = 0; k < sizeof ENDINGS / sizeof ENDINGS[0]; k++) {
        snprintf(label, size, "%.*s.%s", (int)(dot - path), path, ENDINGS[k]);
        if (strcmp(label, path) != 0 && access(label, R_OK) == 0) {
            return true;
        }
    }
    return false;
}

/// Reads a grid of text once, from its first row on. GDAL finds a row by all rows before it, and where one of these
/// cannot be read it tries all of them again for each: twice as long for every row that is missing. A grid cannot have
/// more values than half its bytes, a digit and a space each.
static GrStatus check_text_rows(const GdalSource *source, const char *path, GrErrorLog *log)
{
    const GrLocation at = {.file = path};
    const char *driver = GDALGetDriverShortName(GDALGetDatasetDriver(source->dataset));
    const double values = (double)source->file_columns * source->file_rows;
    struct stat info;
    if ((strcmp(driver, "AAIGrid") != 0 && strcmp(driver, "GSAG") != 0) || stat(path, &info) != 0) {
        return GR_OK;
    }
    if (2 * values > (double)info.st_size + 1) {
        return gr_error_add(log, GR_ERROR_SYNTAX, at,
                            "its header says %d x %d values, more than %lld bytes of text can hold: it is cut off, or "
                            "the header is wrong",
                            source->file_columns, source->file_rows, (long long)info.st_size);
    }
    for (int row = 0; row < source->file_rows; row++) {
        double value;
        gr_gdal_quiet();
        const bool good =
            GDALRasterIOEx(source->band, GF_Read, 0, row, 1, 1, &value, 1, 1, GDT_Float64, 0, 0, NULL) == CE_None;
        gr_gdal_loud();
        if (!good) {
            return gr_error_add(log, GR_ERROR_SYNTAX, at, "row %d of %d cannot be read; the file may be cut off: %s",
                                row + 1, source->file_rows, gr_gdal_message("no reason given"));
        }
    }
    return GR_OK;
}

static GrStatus open_dataset(GdalSource *source, const char *path, int band, const char *const *open_options,
                             GrErrorLog *log)
{
    const GrLocation at = {.file = path};
    gr_gdal_quiet();
    source->dataset = GDALOpenEx(path, GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR,
                                 gr_hook_network() ? NULL : gr_raster_drivers, open_options, NULL);
    gr_gdal_loud();
    char label[1024];
    if (source->dataset == NULL && find_label(path, label, sizeof label)) {
        return gr_error_add(log, GR_ERROR_SYNTAX, at, "cannot be read alone: give its label, %s", label);
    }
    struct stat info;
    if (source->dataset == NULL && stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        return gr_error_add(log, GR_ERROR_FILE, at, "is a folder, not a raster: name the file in it");
    }
    if (source->dataset == NULL) {
        return gr_error_add(log, GR_ERROR_SYNTAX, at, "is not a raster that can be read: %s",
                            gr_gdal_message("unknown format"));
    }
    if (gr_raster_guard_files(source->dataset, path, log) != GR_OK) {
        return GR_ERROR_VALUE;
    }
    // Some formats read their georeference only on request; a broken one must not count as missing.
    gr_gdal_quiet();
    double gt[6];
    GDALGetGeoTransform(source->dataset, gt);
    GDALGetSpatialRef(source->dataset);
    gr_gdal_loud();
    if (CPLGetLastErrorType() >= CE_Warning) {
        gr_warning_add(log, at, "its georeference may be damaged: %s", gr_gdal_message("no reason given"));
    }
    const int bands = GDALGetRasterCount(source->dataset);
    if (bands == 0) {
        return gr_error_add(log, GR_ERROR_SYNTAX, at,
                            "has no heights in its own bands; gdalinfo lists its subdatasets");
    }
    if (band > bands) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "has %d band%s; band %d is not among them", bands,
                            bands == 1 ? "" : "s", band);
    }
    source->band = GDALGetRasterBand(source->dataset, band);
    source->file_columns = GDALGetRasterXSize(source->dataset);
    source->file_rows = GDALGetRasterYSize(source->dataset);
    if (source->file_columns < 2 || source->file_rows < 2) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "has %d x %d pixels; a terrain needs 2 x 2 or more",
                            source->file_columns, source->file_rows);
    }
    return check_text_rows(source, path, log);
}

/// Converts a window in pixels of the file to the covering window in whole pixels of its overview.
static GrWindow scale_window(GrWindow window, double columns, double rows)
{
    if (window.kind == GR_WINDOW_PIXEL) {
        for (int k = 0; k < 2; k++) {
            const double factor = k == 0 ? columns : rows, last = window.v[k] + window.v[k + 2];
            window.v[k] = floor(window.v[k] / factor + 1e-9);
            window.v[k + 2] = ceil(last / factor - 1e-9) - window.v[k];
        }
    }
    return window;
}

/// Replaces the file by its coarsest overview whose cells are not larger than requested. GDAL gives it a georeference
/// of its own: the same box in fewer pixels.
static GrStatus use_overview(GdalSource *source, const GrRasterOptions *options, GrRaster *out, GrErrorLog *log)
{
    double gt[6];
    OGRSpatialReferenceH srs = GDALGetSpatialRef(source->dataset);
    out->overviews = GDALGetOverviewCount(source->band);
    if (!(options->coarsest > 0) || GDALGetGeoTransform(source->dataset, gt) != CE_None) {
        return GR_OK;
    }
    const double cell = fabs(gt[1]) * (srs != NULL ? OSRGetLinearUnits(srs, NULL) : 1);
    int chosen = -1, columns = source->file_columns;
    for (int k = 0; k < out->overviews; k++) {
        GDALRasterBandH level = GDALGetOverview(source->band, k);
        const int nx = GDALGetRasterBandXSize(level), ny = GDALGetRasterBandYSize(level);
        if (nx >= 2 && ny >= 2 && nx < columns && cell * source->file_columns / nx <= options->coarsest * (1 + 1e-9)) {
            chosen = k;
            columns = nx;
        }
    }
    if (chosen < 0) {
        return GR_OK;
    }
    out->overview = (double)source->file_columns / columns;
    char level[32];
    snprintf(level, sizeof level, "OVERVIEW_LEVEL=%d", chosen);
    const char *const open_options[] = {level, NULL};
    GDALClose(source->dataset);
    return open_dataset(source, source->path, options->band, open_options, log);
}

void gr_raster_expect_readers(int count)
{
    enum { EACH = 96 << 20 }; // such windows of doubles in blocks of 512 x 512
    gr_gdal_cache((GIntBig)count * EACH);
}

GrStatus gr_raster_open_gdal(const char *path, const GrRasterOptions *options, GrRaster *out, GrErrorLog *log)
{
    if (gr_gdal_start(path, log) != GR_OK) {
        return GR_ERROR_UNSUPPORTED;
    }
    GdalSource *source = gr_calloc(1, sizeof *source);
    char *name = gr_strdup(path);
    if (source == NULL || name == NULL) {
        gr_free(source);
        gr_free(name);
        return gr_out_of_memory(log, path);
    }
    source->path = name;
    out->is_gdal = true;
    out->source = (GrSource){.read = read_window, .free = free_source, .context = source};
    GrStatus status = gr_raster_guard_path(path, log);
    if (status == GR_OK) {
        status = open_dataset(source, path, options->band, NULL, log);
    }
    const double file_columns = source->file_columns, file_rows = source->file_rows;
    if (status == GR_OK) {
        gr_gdal_quiet();
        status = use_overview(source, options, out, log);
        gr_gdal_loud();
    }
    if (status != GR_OK) {
        return status;
    }
    snprintf(out->driver, sizeof out->driver, "%s", GDALGetDriverShortName(GDALGetDatasetDriver(source->dataset)));
    out->file_columns = source->file_columns;
    out->file_rows = source->file_rows;
    const char *kind = GDALGetMetadataItem(source->dataset, "AREA_OR_POINT", NULL);
    out->pixel_is_point = kind != NULL && strcmp(kind, "Point") == 0;
    const char *description = GDALGetMetadataItem(source->dataset, "TIFFTAG_IMAGEDESCRIPTION", NULL);
    snprintf(out->description, sizeof out->description, "%s", description != NULL ? description : "");
    const GrWindow window =
        scale_window(options->window, file_columns / source->file_columns, file_rows / source->file_rows);
    GrPlaceReader *place = NULL;
    status = gr_place_read(source->dataset, path, options, out, &source->columns_from_west, &source->rows_from_north,
                           &place, log);
    if (status == GR_OK) {
        status = read_meaning(source, options, out, log);
    }
    GrGridFrame cut;
    if (status == GR_OK) {
        status = gr_raster_cut(out, path, &window, place != NULL ? gr_place_to_map : NULL, place, &source->i0,
                               &source->j0, &cut, log);
    }
    if (status == GR_OK) {
        out->frame = cut;
        gr_place_middle(place, out, path, log);
    }
    gr_place_free(place);
    return status;
}
