/// The surface of a wheel as pieces for 3D-RFT: rim, side discs, grousers and the soil held between close grousers.
///
/// The ground is level before the wheel, or as GrGroundAround says. A wheel that ploughs, skidding or sideways, leaves
/// a trench behind it, as deep as itself: soil under its rear part can move into the trench and carries less. The
/// depth of a piece is measured from a surface that falls from the level at the front of the contact to the bottom of
/// the wheel at its rear,
///   depth = h − U h (1 − σ) n_z² − (height above the wheel's lowest point)
/// where σ = 0 … 1 along the direction of ploughing from the rear of the contact to its front, and U is the square of
/// the ploughing vector. The factor n_z² leaves upright pieces alone: those push against soil that has not moved yet.
#ifndef GR_RFT_WHEEL_H
#define GR_RFT_WHEEL_H

#include "patch.h"
#include "rft_batch.h"

/// Places of the law's own parameters in GrSoilDef::own.
enum { GR_RFT_XI, GR_RFT_FRICTION, GR_RFT_PATH, GR_RFT_SHADOW, GR_RFT_PLOUGHING, GR_RFT_HEAP };

/// Places of the law's constants in GrSoilWheel::own.
enum {
    GR_RFT_HOLD,  ///< 2 √N of the cohesive stress
    GR_RFT_REACH, ///< of the wedge ahead of a grouser over the depth of its tip
};

/// Share of a wheel's own heap that counts, 0 … 1; 0 for other laws.
static inline double gr_rft_heap(const GrSoilDef *soil)
{
    return soil->law == GR_SOIL_RFT ? soil->own[GR_RFT_HEAP] : 0;
}

/// The part of a wheel's travel in which its rim is dragged through the soil, over the whole travel, from the rolling
/// memory: (d cos β s⁻, sin β), s⁻ = max(−s, 0). It is 0 for a wheel that drives straight ahead, and (1, 0) for a
/// locked one.
typedef struct GrRftPloughing {
    double x, y;
    double square; ///< U = `ploughing` of the soil · (x² + y²)
} GrRftPloughing;

GrRftPloughing gr_rft_ploughing(const GrSoilWheel *w, const GrPatchInput *in);

/// Adds all pieces in the ground at sinkage in->h to the batch.
void gr_rft_add_wheel(const GrSoilWheel *w, const GrPatchInput *in, const GrRftPloughing *ploughing, GrRftBatch *b);

#endif
