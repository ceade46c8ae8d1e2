/// Pictures as PNG in memory, without a library for pictures: reports embed them, and loading GDAL for that takes
/// longer than a short run.
#ifndef GR_PNG_H
#define GR_PNG_H

#include "buffer.h"
#include "grouser/status.h"

/// Appends 8-bit RGB pixels, row by row from the top, as a PNG file. GR_ERROR_UNSUPPORTED when built without zlib.
GrStatus gr_png_put(GrBuffer *out, const unsigned char *pixels, int width, int height);

/// The same in grey, with 8 bits, or with 16, of which the first byte is the higher one.
GrStatus gr_png_put_grey(GrBuffer *out, const unsigned char *pixels, int width, int height, int bits);

#endif
