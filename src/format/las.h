/// Point clouds as LAS 1.4 (ASPRS 2019), uncompressed, point data record format 6: one return per pulse with its time.
///
/// Coordinates are integers of `step` from `offset`, so that a cloud far from the origin of its map keeps its
/// precision.
///
/// No library: Debian has LASlib in no package and libLAS no more. The records that scanners need are a header and one
/// struct; PDAL, which reads them, brings GDAL and 80 packages.
#ifndef GR_LAS_H
#define GR_LAS_H

#include "buffer.h"

#include <stdint.h>

typedef struct GrLas {
    const char *instrument; ///< system identifier, up to 32 bytes
    const char *crs;        ///< WKT of the coordinate system; "" or NULL: none
    double offset[3];       ///< [m]
    double step;            ///< [m]; coordinates must lie within 2^31 steps of the offset
    // written by the functions below
    size_t begin;   ///< where the file begins in the buffer
    uint64_t count; ///< of points
    int32_t least[3], most[3];
} GrLas;

enum { GR_LAS_CRS_MAX = 65534 };

/// Appends header and coordinate system. False: the text of the coordinate system is longer than GR_LAS_CRS_MAX bytes
/// and is left out.
bool gr_las_begin(GrBuffer *out, GrLas *las);

/// `intensity`: 0 … 1.
void gr_las_add(GrBuffer *out, GrLas *las, const double point[3], double intensity, double time);

/// Completes the header.
void gr_las_end(GrBuffer *out, const GrLas *las);

#endif
