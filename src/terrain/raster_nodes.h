/// A raster that travels without its reader: nodes as they were read from another file, with their georeference.
///
/// The file FILE.nodes stands for FILE where that is missing (gr_raster_open()). Window, scale, offset and nodata of
/// the options with which FILE was read are applied already. Numbers are little-endian, 8 bytes each:
///
///     "GRNODES1", 1.0, nx, ny (integers), x0, y0, dx, dy, origin east and north, radius, inverse flattening,
///     lengths of the three texts that follow, each padded with zeros to a multiple of 8: coordinate system, body,
///     description; then nx ny heights [m], row by row from the south, NaN: no data
#ifndef GR_RASTER_NODES_H
#define GR_RASTER_NODES_H

#include "buffer.h"
#include "file.h"
#include "raster.h"

#define GR_NODES_SUFFIX ".nodes"

/// Most nodes of such a file.
enum { GR_RASTER_NODES_MAX = 50000000 };

/// Whether a raster is missing and its nodes are there; their path.
bool gr_raster_find_nodes(const char *path, char nodes[GR_FILE_PATH_SIZE]);

/// Appends all nodes of an open raster. `path` is for messages.
GrStatus gr_raster_nodes_write(const GrRaster *raster, const char *path, GrBuffer *out, GrErrorLog *log);

#endif
