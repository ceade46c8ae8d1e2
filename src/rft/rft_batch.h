/// Forces on the pieces of a body in grains, summed to a wrench with its derivatives (rft_stress.h has the stress).
///
/// The body's motion is a vector q of six numbers: displacement and rotation, both as lengths in units of the
/// mobilisation path (rft.c). A piece at p (in units of the body's size) has moved by d = q_lin + q_ang × p. Its stress
/// has the direction-dependence of 3D-RFT with d/|d| as the direction of motion, and the size
///   ω(|d|, ρ) = ρ |d| / √(|d|² + ε² ρ²),  ρ = |q|
/// which is ρ, but for pieces near the instantaneous centre of rotation, where the direction turns over a short
/// distance. So the wrench is homogeneous in q and ρ: a spring below the limit ρ = 1 and the force of the theory at it,
/// and by Euler's theorem its derivative by ρ at constant q is (W − Σ q_i ∂W/∂q_i)/ρ.
#ifndef GR_RFT_BATCH_H
#define GR_RFT_BATCH_H

#include "rft_stress.h"

#include <stdbool.h>

/// Pieces are evaluated in batches of this size, so that a body may have any number of them.
enum { GR_RFT_BATCH = 120 };

/// A piece of surface. Loads are derived by the caller from depth and area.
typedef struct GrRftElement {
    double n[3];                 ///< unit normal, into the soil
    double p[3];                 ///< position over the body's size
    double load, load_h;         ///< ξ_n depth area [N], and its derivative by the sinkage [N/m]
    double cohesive, cohesive_h; ///< cohesion times area [N], the same
    double friction;             ///< μ_surf, or tan φ where soil slides on soil
} GrRftElement;

typedef struct GrRftBatch {
    double q[6], rho;
    double hold;      ///< 2 √N of the cohesive stress
    double ploughing; ///< of all pieces
    int count;
    double n[3][GR_RFT_BATCH], p[3][GR_RFT_BATCH], d[3][GR_RFT_BATCH];
    double load[GR_RFT_BATCH], load_h[GR_RFT_BATCH], cohesive[GR_RFT_BATCH], cohesive_h[GR_RFT_BATCH];
    double friction[GR_RFT_BATCH];
    // Sums: forces, then torques over the body's size
    double wrench[6];
    double by_h[6];
    double by_q[6][6]; ///< [column][row], at constant ρ
} GrRftBatch;

/// Starts a sum with the motion q; `hold` = 2 √N, N = tan²(π/4 + φ/2); `ploughing` 0 … 1 (rft_stress.h).
void gr_rft_begin(GrRftBatch *b, const double q[6], double hold, double ploughing);

/// Evaluates the pieces of a batch and empties it.
void gr_rft_flush(GrRftBatch *b);

/// The displacement d of a piece. False where it moves away from the soil and has no stress.
static inline bool gr_rft_meets(const GrRftBatch *b, const GrRftElement *e, double d[3])
{
    const double *q = b->q, *p = e->p, *n = e->n;
    d[0] = q[0] + q[4] * p[2] - q[5] * p[1];
    d[1] = q[1] + q[5] * p[0] - q[3] * p[2];
    d[2] = q[2] + q[3] * p[1] - q[4] * p[0];
    const double m = n[0] * d[0] + n[1] * d[1] + n[2] * d[2];
    const double least = GR_RFT_FADE * GR_RFT_FADE * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    return m > 0 || m * m < least;
}

/// Adds a piece with its displacement. Inline: a call would pass the piece through memory, which takes longer than the
/// rest.
static inline void gr_rft_push(GrRftBatch *b, const GrRftElement *e, const double d[3])
{
    const int i = b->count++;
    const double *p = e->p, *n = e->n;
    for (int c = 0; c < 3; c++) {
        b->n[c][i] = n[c];
        b->p[c][i] = p[c];
        b->d[c][i] = d[c];
    }
    b->load[i] = e->load;
    b->load_h[i] = e->load_h;
    b->cohesive[i] = e->cohesive;
    b->cohesive_h[i] = e->cohesive_h;
    b->friction[i] = e->friction;
    if (b->count == GR_RFT_BATCH) {
        gr_rft_flush(b);
    }
}

/// Adds a piece, unless it has no stress.
static inline void gr_rft_add(GrRftBatch *b, const GrRftElement *e)
{
    double d[3];
    if (gr_rft_meets(b, e, d)) {
        gr_rft_push(b, e, d);
    }
}

/// Completes the sums.
void gr_rft_end(GrRftBatch *b);

#endif
