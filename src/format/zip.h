/// Writer of zip archives: entries of bytes, deflated where the build has zlib and that makes them smaller. The same
/// entries give the same bytes: every entry is dated 1980-01-01.
///
///     GrZip zip = {0};
///     gr_zip_add(&zip, "a/b.txt", data, size);
///     gr_zip_end(&zip);     // zip.out has the archive, unless zip.out.failed
///     gr_zip_free(&zip);
#ifndef GR_ZIP_H
#define GR_ZIP_H

#include "buffer.h"

typedef struct GrZip {
    GrBuffer out;       ///< the archive
    GrBuffer directory; ///< of the entries so far
    int count;
    bool failed; ///< out of memory, or beyond the limits of the format: 65535 entries, 4 GB
} GrZip;

/// `name` has forward slashes and none at its start.
void gr_zip_add(GrZip *zip, const char *name, const char *data, size_t size);

/// Writes the directory. False when something failed.
bool gr_zip_end(GrZip *zip);
void gr_zip_free(GrZip *zip);

// ---- Writer of NumPy's archives: arrays under names, as numpy.load() reads them.
//
//     GrNpz npz = {0};
//     gr_npz_add(&npz, "slip", GR_NPY_FLOAT, 1, (const size_t[]){n}, slips);
//     if (gr_npz_end(&npz)) … npz.zip.out
//     gr_npz_free(&npz);

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
