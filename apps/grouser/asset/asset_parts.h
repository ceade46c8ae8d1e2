/// grouser asset parts.
#ifndef GR_ASSET_PARTS_H
#define GR_ASSET_PARTS_H

#include <stdbool.h>

/// Values of the options.
typedef struct GrAssetParts {
    const char *mesh; ///< NULL: not given
    double scale, pieces, error;
} GrAssetParts;

GrAssetParts gr_asset_parts_default(void);

/// Cuts a mesh and prints the error of its parts; writes them as objects of an OBJ file where `output` is not NULL.
/// Returns an exit code.
int gr_asset_parts(const GrAssetParts *options, const char *output, bool json);

#endif
