#include "las.h"

#include <math.h>
#include <string.h>

enum {
    HEADER = 375,
    RECORD_HEADER = 54,
    POINT = 30,
    POINT_FORMAT = 6,
    IS_WKT = 1 << 4, ///< of the global encoding: required for this format of points
    WKT_RECORD = 2112,
    ONE_OF_ONE = 1 | 1 << 4, ///< number of the return, of returns
    RETURNS = 15,
    INTENSITY_MAX = 65535,
    BOUNDS_AT = 179, ///< in the header
    COUNT_AT = 247,
};

static void write_bits(unsigned char *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        to[i] = (unsigned char)(value >> 8 * i);
    }
}

static void put(GrBuffer *out, uint64_t value, int bytes)
{
    unsigned char text[8];
    write_bits(text, value, bytes);
    gr_buffer_add(out, (const char *)text, (size_t)bytes);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/// Text in a field of fixed width, filled up with zeros.
static void put_text(GrBuffer *out, const char *text, size_t width)
{
    char field[32] = {0};
    const size_t length = strlen(text);
    memcpy(field, text, length < width ? length : width);
    gr_buffer_add(out, field, width);
}

static void put_zeros(GrBuffer *out, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        put(out, 0, 1);
    }
}

/// The public header. Bounds and numbers of points follow in gr_las_end(); the creation date is left out, so that equal
/// runs give equal bytes.
static void put_header(GrBuffer *out, const GrLas *las, size_t crs_size)
{
    gr_buffer_puts(out, "LASF");
    put(out, 0, 2); // file source
    put(out, IS_WKT, 2);
    put_zeros(out, 16); // project
    put(out, 1, 1);
    put(out, 4, 1);
    put_text(out, las->instrument, 32);
    put_text(out, "Grouser", 32);
    put(out, 0, 2); // day and year
    put(out, 0, 2);
    put(out, HEADER, 2);
    put(out, HEADER + (crs_size > 0 ? RECORD_HEADER + crs_size : 0), 4);
    put(out, crs_size > 0, 4);
    put(out, POINT_FORMAT, 1);
    put(out, POINT, 2);
    put_zeros(out, 4 + 5 * 4); // numbers of points of older versions
    for (int k = 0; k < 3; k++) {
        put(out, bits_of(las->step), 8);
    }
    for (int k = 0; k < 3; k++) {
        put(out, bits_of(las->offset[k]), 8);
    }
    put_zeros(out, 6 * 8 + 8 + 8 + 4 + 8 + RETURNS * 8);
}

bool gr_las_begin(GrBuffer *out, GrLas *las)
{
    const size_t length = las->crs != NULL ? strlen(las->crs) : 0;
    const bool fits = length <= GR_LAS_CRS_MAX;
    const size_t size = length > 0 && fits ? length + 1 : 0; // with a zero at the end
    las->begin = out->size;
    las->count = 0;
    put_header(out, las, size);
    if (size > 0) {
        put(out, 0, 2);
        put_text(out, "LASF_Projection", 16);
        put(out, WKT_RECORD, 2);
        put(out, size, 2);
        put_text(out, "coordinate system", 32);
        gr_buffer_add(out, las->crs, size);
    }
    return fits;
}

void gr_las_add(GrBuffer *out, GrLas *las, const double point[3], double intensity, double time)
{
    for (int k = 0; k < 3; k++) {
        const int32_t n = (int32_t)rint((point[k] - las->offset[k]) / las->step);
        las->least[k] = las->count == 0 || n < las->least[k] ? n : las->least[k];
        las->most[k] = las->count == 0 || n > las->most[k] ? n : las->most[k];
        put(out, (uint32_t)n, 4);
    }
    put(out, (uint64_t)rint(INTENSITY_MAX * fmin(1, fmax(0, intensity))), 2);
    put(out, ONE_OF_ONE, 1);
    put_zeros(out, 1 + 1 + 1 + 2 + 2); // flags, class, user data, scan angle, source
    put(out, bits_of(time), 8);
    las->count++;
}

void gr_las_end(GrBuffer *out, const GrLas *las)
{
    if (out->failed) {
        return;
    }
    unsigned char *header = (unsigned char *)out->data + las->begin;
    for (int k = 0; k < 3 && las->count > 0; k++) {
        write_bits(header + BOUNDS_AT + 16 * k, bits_of(las->offset[k] + las->step * las->most[k]), 8);
        write_bits(header + BOUNDS_AT + 16 * k + 8, bits_of(las->offset[k] + las->step * las->least[k]), 8);
    }
    write_bits(header + COUNT_AT, las->count, 8);
    write_bits(header + COUNT_AT + 8, las->count, 8); // of first returns
}
