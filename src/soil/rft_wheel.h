/// The surface of a wheel as pieces for 3D-RFT: rim, side discs, grousers and the soil held between close grousers, in
/// flat ground.
#ifndef GR_RFT_WHEEL_H
#define GR_RFT_WHEEL_H

#include "patch.h"
#include "rft_batch.h"

/// Places of the law's own parameters in GrSoilDef::own.
enum { GR_RFT_XI, GR_RFT_FRICTION, GR_RFT_PATH, GR_RFT_SHADOW };

/// Places of the law's constants in GrSoilWheel::own.
enum {
    GR_RFT_HOLD,  ///< 2 √N of the cohesive stress
    GR_RFT_REACH, ///< of the wedge ahead of a grouser over the depth of its tip
};

/// Adds all pieces in the ground at sinkage in->h to the batch.
void gr_rft_add_wheel(const GrSoilWheel *w, const GrPatchInput *in, GrRftBatch *b);

#endif
