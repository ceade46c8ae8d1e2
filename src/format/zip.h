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

#endif
