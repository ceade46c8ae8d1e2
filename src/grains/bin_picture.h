/// A bed as data for the viewer's page (viewer/src/grains.ts reads it).
///
///     "GRPICT01" | length of the JSON (uint32) | JSON, with spaces to a multiple of 4 bytes
///     x y z of each grain (3 uint16, over the bin) | radius, speed, force (uint8 each, one array after another)
///     | zeros to a multiple of 4 | corners of the body (3 float each) | its triangles (3 uint32 each)
///
/// Radii are over `radius_m`; speeds and forces are the roots of their part of `speed_mps` and `force_N`.
#ifndef GR_BIN_PICTURE_H
#define GR_BIN_PICTURE_H

#include "bin_rig.h"
#include "buffer.h"

typedef struct GrBinPictureDef {
    const char *title;
    int most;                  ///< grains that are shown; of more, every second, third, … by their number
    const GrSurfaceMesh *mesh; ///< of a body, or NULL
    const GrBinRigState *rig;  ///< of the body, or NULL
} GrBinPictureDef;

/// Along periodic sides the grains are shifted so that the body is in the middle. The force of a grain is the sum of
/// the normal forces of the springs between it and other grains.
GrStatus gr_bin_picture(const GrBin *bin, const GrBinPictureDef *def, GrBuffer *out, GrErrorLog *log);

#endif
