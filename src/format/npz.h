/// Writer of NumPy's archives: arrays under names, as numpy.load() reads them.
///
///     GrNpz npz = {0};
///     gr_npz_add(&npz, "slip", GR_NPY_FLOAT, 1, (const size_t[]){n}, slips);
///     if (gr_npz_end(&npz)) … npz.zip.out
///     gr_npz_free(&npz);
#ifndef GR_NPZ_H
#define GR_NPZ_H

#include "zip.h"

typedef struct GrNpz {
    GrZip zip;
} GrNpz;

/// Types of elements; texts have a fixed length in bytes, padded with zeros.
typedef enum GrNpyType { GR_NPY_FLOAT, GR_NPY_DOUBLE, GR_NPY_BYTE, GR_NPY_INT, GR_NPY_TEXT } GrNpyType;
enum { GR_NPY_TEXT_SIZE = 64 };

enum { GR_NPY_DIMENSIONS = 4 };

/// Adds an array in C order: float, double, unsigned char, int32_t or char[GR_NPY_TEXT_SIZE].
void gr_npz_add(GrNpz *npz, const char *name, GrNpyType type, int dimensions, const size_t *shape, const void *data);

/// False: out of memory, or beyond the limits of the format.
bool gr_npz_end(GrNpz *npz);
void gr_npz_free(GrNpz *npz);

#endif
