/// Writes rasters and pictures through GDAL, to a temporary file that is renamed: completely or not at all.
#include "raster_gdal.h"

#include "alloc.h"
#include "file.h"
#include "out_of_memory.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BAND_NODES = 1 << 20 };

typedef struct Writer {
    GDALDatasetH dataset;
    GDALRasterBandH band;
    int rows;
    double scale, offset, nodata;
    bool whole; ///< stored numbers are integers
} Writer;

static GrStatus fail(GrErrorLog *log, const char *path, const char *what)
{
    return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path}, "%s: %s", what,
                        gr_gdal_message("no reason given"));
}

/// In a folder that can be written, what fails is the device's fault.
static GrStatus fail_write(GrErrorLog *log, const char *path)
{
    char folder[GR_FILE_PATH_SIZE];
    const bool allowed = gr_file_beside(path, ".", folder) && access(folder, W_OK) == 0;
    return gr_error_add(log, allowed ? GR_ERROR_WRITE : GR_ERROR_FILE, (GrLocation){.file = path},
                        "cannot be written: %s", gr_gdal_message("no space left on the device"));
}

static bool is_whole(GDALDataType type)
{
    return type != GDT_Float32 && type != GDT_Float64;
}

/// Converts heights to stored values: (height − offset) / scale, nearest for integers, the nodata value for NaN.
static void to_stored(const Writer *writer, double *values, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        double v = (values[k] - writer->offset) / writer->scale;
        v = writer->whole ? nearbyint(v) : v;
        values[k] = isnan(v) ? writer->nodata : v;
    }
}

static CPLErr put(const Writer *writer, int64_t i0, int64_t j0, int ni, int nj, double *stored)
{
    // Our rows start in the south, those of the file in the north: write backwards.
    return GDALRasterIOEx(writer->band, GF_Write, (int)i0, (int)(writer->rows - j0 - nj), ni, nj,
                          stored + (ptrdiff_t)(nj - 1) * ni, ni, nj, GDT_Float64, 8, -(GSpacing)8 * ni, NULL);
}

static GrStatus place_dataset(GDALDatasetH dataset, const GrGridFrame *f, const GrGeoreference *place)
{
    const double east = f->x0 + place->origin_east, north = f->y0 + place->origin_north;
    double gt[6] = {east - 0.5 * f->dx, f->dx, 0, north + ((double)f->ny - 0.5) * f->dy, 0, -f->dy};
    if (place->crs != NULL && place->crs[0] != '\0') {
        OGRSpatialReferenceH srs = OSRNewSpatialReference(NULL);
        char *wkt = place->crs;
        const OGRErr read = OSRImportFromWkt(srs, &wkt);
        OSRSetAxisMappingStrategy(srs, OAMS_TRADITIONAL_GIS_ORDER);
        const double unit = read == OGRERR_NONE ? OSRGetLinearUnits(srs, NULL) : 1;
        for (int k = 0; k < 6; k++) {
            gt[k] /= unit;
        }
        const CPLErr set = read == OGRERR_NONE ? GDALSetSpatialRef(dataset, srs) : CE_Failure;
        OSRDestroySpatialReference(srs);
        if (set != CE_None) {
            return GR_ERROR_FILE;
        }
    }
    return GDALSetGeoTransform(dataset, gt) == CE_None ? GR_OK : GR_ERROR_FILE;
}

/// Makes a band the one that is written, and describes it.
static void choose_band(Writer *writer, const GrRasterWrite *how, int band)
{
    writer->band = GDALGetRasterBand(writer->dataset, band + 1);
    if (!isnan(how->nodata)) {
        GDALSetRasterNoDataValue(writer->band, how->nodata);
    }
    if (how->scale != 1 || how->offset != 0) {
        GDALSetRasterScale(writer->band, how->scale);
        GDALSetRasterOffset(writer->band, how->offset);
    }
    GDALSetRasterUnitType(writer->band, how->band_count > 0 ? how->bands[band].unit : "m");
    if (how->band_count > 0) {
        GDALSetDescription(writer->band, how->bands[band].name);
    }
}

static GrStatus make_dataset(const char *path, const GrGridFrame *f, const GrGeoreference *place,
                             const GrRasterWrite *how, Writer *writer, GrErrorLog *log)
{
    const GDALDataType type = GDALGetDataTypeByName(how->type);
    if (f->nx > INT32_MAX || f->ny > INT32_MAX || type == GDT_Unknown) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path},
                            "%lld x %lld values of type %s cannot be written", (long long)f->nx, (long long)f->ny,
                            how->type);
    }
    char **options = CSLSetNameValue(NULL, "TILED", "YES");
    options = CSLSetNameValue(options, "COMPRESS", "DEFLATE");
    options = CSLSetNameValue(options, "PREDICTOR", is_whole(type) ? "2" : "3");
    options = CSLSetNameValue(options, "BIGTIFF", "IF_SAFER");
    if (how->block > 0) {
        char side[16];
        snprintf(side, sizeof side, "%d", how->block);
        options = CSLSetNameValue(options, "BLOCKXSIZE", side);
        options = CSLSetNameValue(options, "BLOCKYSIZE", side);
    }
    if (how->wanted != NULL) {
        options = CSLSetNameValue(options, "SPARSE_OK", "TRUE");
    }
    const int bands = how->band_count > 0 ? how->band_count : 1;
    writer->dataset = GDALCreate(GDALGetDriverByName("GTiff"), path, (int)f->nx, (int)f->ny, bands, type, options);
    CSLDestroy(options);
    if (writer->dataset == NULL) {
        return fail(log, path, "cannot be made");
    }
    writer->rows = (int)f->ny;
    writer->scale = how->scale;
    writer->offset = how->offset;
    writer->nodata = how->nodata;
    writer->whole = is_whole(type);
    for (int i = bands - 1; i >= 0; i--) {
        choose_band(writer, how, i);
    }
    if (how->description != NULL) {
        GDALSetMetadataItem(writer->dataset, "TIFFTAG_IMAGEDESCRIPTION", how->description, NULL);
    }
    return place_dataset(writer->dataset, f, place) == GR_OK ? GR_OK : fail(log, path, "cannot take its georeference");
}

/// Writes rows from the north, so that the blocks of the file are filled in order.
static GrStatus write_rows(Writer *writer, const char *path, const GrGridFrame *f, GrSource source,
                           GrProgressFn progress, void *context, GrErrorLog *log)
{
    const int band_rows = f->nx * 256 <= 16 * (int64_t)BAND_NODES ? 256 : 16;
    double *rows = gr_malloc((size_t)f->nx * (size_t)band_rows * sizeof *rows);
    if (rows == NULL) {
        return gr_out_of_memory(log, path);
    }
    GrStatus status = GR_OK;
    for (int64_t end = f->ny; end > 0 && status == GR_OK; end -= band_rows) {
        const int64_t j0 = end > band_rows ? end - band_rows : 0;
        const int nj = (int)(end - j0);
        status = source.read(source.context, (GrGridWindow){0, j0, (int)f->nx, nj}, rows, log);
        if (status == GR_OK) {
            to_stored(writer, rows, (size_t)f->nx * (size_t)nj);
            gr_gdal_quiet();
            const CPLErr failed = put(writer, 0, j0, (int)f->nx, nj, rows);
            gr_gdal_loud();
            status = failed == CE_None ? GR_OK : fail_write(log, path);
        }
        if (progress != NULL) {
            progress(context, (double)(f->ny - j0), (double)f->ny);
        }
    }
    gr_free(rows);
    return status;
}

/// Writes only the wanted blocks, from the north-west.
static GrStatus write_blocks(Writer *writer, const char *path, const GrGridFrame *f, GrSource source,
                             const GrRasterWrite *how, GrErrorLog *log)
{
    const int side = how->block;
    double *nodes = gr_malloc((size_t)side * (size_t)side * sizeof *nodes);
    if (nodes == NULL) {
        return gr_out_of_memory(log, path);
    }
    GrStatus status = GR_OK;
    for (int64_t row = 0; row * side < f->ny && status == GR_OK; row++) {
        for (int64_t column = 0; column * side < f->nx && status == GR_OK; column++) {
            if (!how->wanted(source.context, column, row)) {
                continue;
            }
            const int64_t i0 = column * side, end = f->ny - row * side, j0 = end > side ? end - side : 0;
            const int ni = (int)(f->nx - i0 < side ? f->nx - i0 : side), nj = (int)(end - j0);
            status = source.read(source.context, (GrGridWindow){i0, j0, ni, nj}, nodes, log);
            if (status == GR_OK) {
                to_stored(writer, nodes, (size_t)ni * (size_t)nj);
                gr_gdal_quiet();
                const CPLErr failed = put(writer, i0, j0, ni, nj, nodes);
                gr_gdal_loud();
                status = failed == CE_None ? GR_OK : fail_write(log, path);
            }
        }
    }
    gr_free(nodes);
    return status;
}

static GrStatus close_dataset(GDALDatasetH dataset, const char *path, GrErrorLog *log)
{
    gr_gdal_quiet();
    GDALFlushCache(dataset);
    const bool failed = CPLGetLastErrorType() >= CE_Failure;
    GDALClose(dataset);
    gr_gdal_loud();
    return failed || CPLGetLastErrorType() >= CE_Failure ? fail_write(log, path) : GR_OK;
}

static GrStatus move_over(const char *from, const char *to, GrErrorLog *log)
{
    if (rename(from, to) != 0) {
        const int reason = errno;
        unlink(from);
        return gr_error_add(log, gr_file_fault(reason), (GrLocation){.file = to}, "cannot be written: %s",
                            strerror(reason));
    }
    return GR_OK;
}

/// Removes side files that a driver may leave beside a temporary file.
static void unlink_sides(const char *path)
{
    char side[GR_FILE_PATH_SIZE + 16];
    snprintf(side, sizeof side, "%s.aux.xml", path);
    unlink(side);
}

/// Whether a PNG has its last chunk: GDAL's driver does not notice that the last bytes found no room.
static bool is_complete_png(const char *path)
{
    static const unsigned char END[] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};
    unsigned char tail[sizeof END] = {0};
    FILE *file = fopen(path, "rb");
    const bool read = file != NULL && fseek(file, -(long)sizeof END, SEEK_END) == 0 &&
                      fread(tail, 1, sizeof tail, file) == sizeof tail;
    if (file != NULL) {
        fclose(file);
    }
    return read && memcmp(tail, END, sizeof END) == 0;
}

/// Closes a PNG that was written to a temporary file, or is NULL where that failed, and moves it to `path`.
static GrStatus finish_copy(GDALDatasetH copy, const char *temporary, const char *path, GrErrorLog *log)
{
    GrStatus status = copy != NULL ? close_dataset(copy, path, log) : fail_write(log, path);
    unlink_sides(temporary);
    if (status == GR_OK && !is_complete_png(temporary)) {
        status = fail_write(log, path);
    }
    if (status == GR_OK) {
        status = move_over(temporary, path, log);
    }
    unlink(temporary);
    return status;
}

/// Writes PNG, which GDAL only creates as a copy of a whole raster.
static GrStatus copy_as_png(const char *from, const char *to, GrErrorLog *log)
{
    GDALDriverH format = GDALGetDriverByName("PNG");
    if (format == NULL) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.file = to}, "this GDAL cannot write PNG");
    }
    char temporary[GR_FILE_PATH_SIZE + 8];
    snprintf(temporary, sizeof temporary, "%s.copy", from);
    gr_gdal_quiet();
    GDALDatasetH source = GDALOpen(from, GA_ReadOnly);
    GDALDatasetH copy = source != NULL ? GDALCreateCopy(format, temporary, source, FALSE, NULL, NULL, NULL) : NULL;
    if (source != NULL) {
        GDALClose(source);
    }
    gr_gdal_loud();
    return finish_copy(copy, temporary, to, log);
}

GrStatus gr_raster_write(const char *path, const GrGridFrame *frame, const GrGeoreference *place, GrSource source,
                         const GrRasterWrite *how, GrProgressFn progress, void *progress_context, GrErrorLog *log)
{
    if (gr_gdal_start(path, log) != GR_OK) {
        return GR_ERROR_UNSUPPORTED;
    }
    char temporary[GR_FILE_PATH_SIZE];
    if (snprintf(temporary, sizeof temporary, "%s.%ld.part", path, (long)getpid()) >= (int)sizeof temporary) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path}, "the path is too long");
    }
    Writer writer = {0};
    gr_gdal_quiet();
    GrStatus status = make_dataset(temporary, frame, place, how, &writer, log);
    gr_gdal_loud();
    if (status == GR_OK && how->band_count == 0) {
        status = how->wanted != NULL ? write_blocks(&writer, path, frame, source, how, log)
                                     : write_rows(&writer, path, frame, source, progress, progress_context, log);
    }
    for (int i = 0; i < how->band_count && status == GR_OK; i++) {
        writer.band = GDALGetRasterBand(writer.dataset, i + 1);
        status = write_rows(&writer, path, frame, how->bands[i].source, progress, progress_context, log);
    }
    if (writer.dataset != NULL) {
        const GrStatus closed = close_dataset(writer.dataset, path, log);
        status = status == GR_OK ? closed : status;
    }
    if (status == GR_OK) {
        status =
            strcmp(how->driver, "GTiff") == 0 ? move_over(temporary, path, log) : copy_as_png(temporary, path, log);
    }
    unlink(temporary);
    return status;
}

GrStatus gr_picture_write(const char *path, const unsigned char *pixels, int width, int height, GrErrorLog *log)
{
    if (gr_gdal_start(path, log) != GR_OK) {
        return GR_ERROR_UNSUPPORTED;
    }
    GDALDriverH png = GDALGetDriverByName("PNG"), memory = GDALGetDriverByName("MEM");
    if (png == NULL || memory == NULL) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.file = path}, "this GDAL cannot write PNG");
    }
    char temporary[GR_FILE_PATH_SIZE];
    if (snprintf(temporary, sizeof temporary, "%s.%ld.part", path, (long)getpid()) >= (int)sizeof temporary) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path}, "the path is too long");
    }
    GDALDatasetH canvas = GDALCreate(memory, "", width, height, 3, GDT_Byte, NULL);
    if (canvas == NULL) {
        return fail(log, path, "cannot be painted: out of memory");
    }
    const GSpacing line = (GSpacing)width * 3;
    gr_gdal_quiet();
    const CPLErr drawn = GDALDatasetRasterIOEx(canvas, GF_Write, 0, 0, width, height, (void *)(uintptr_t)pixels, width,
                                               height, GDT_Byte, 3, NULL, 3, line, 1, NULL);
    // Shaded ground comes out one percent larger than at GDAL's own level, 6, in a fraction of the time.
    char level[] = "ZLEVEL=1", *options[] = {level, NULL};
    GDALDatasetH copy = drawn == CE_None ? GDALCreateCopy(png, temporary, canvas, FALSE, options, NULL, NULL) : NULL;
    GDALClose(canvas);
    gr_gdal_loud();
    return finish_copy(copy, temporary, path, log);
}
