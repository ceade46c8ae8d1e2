/// Lines of pieces at several angles about a wheel's axle, which differ in angle, distance and load alone: the rim on
/// one side of the axle, one face of all grousers. They are made, and those that move away from the soil left out,
/// several at once.
#ifndef GR_RFT_LINE_H
#define GR_RFT_LINE_H

#include "rft_batch.h"

/// A line of `count` pieces, at most GR_RFT_LINE. With e_r = (d sin, 0, −cos) away from the axle and e_t =
/// (cos, 0, d sin) along the rim, d = 1 ahead of the axle and −1 behind it:
///   p = far e_r + y ŷ,  n = radial e_r + tangential e_t + axial ŷ
enum { GR_RFT_LINE = 128 };

typedef struct GrRftLine {
    int count;
    const double *sin, *cos; ///< of the angle from the lowest point
    const double *far;       ///< distance from the axle over the body's size
    double side;             ///< d, 1 or −1
    double y;                ///< place across over the body's size
    double radial, tangential, axial;
    double friction; ///< as in GrRftElement
} GrRftLine;

/// As in GrRftElement. A piece above the ground has zeros.
typedef struct GrRftLoads {
    double load[GR_RFT_LINE], load_h[GR_RFT_LINE];
    double cohesive[GR_RFT_LINE], cohesive_h[GR_RFT_LINE];
} GrRftLoads;

/// Pieces from … to − 1.
typedef struct GrRftRange {
    int from, to;
} GrRftRange;

/// A count of pieces up to whole vectors. Rows of sines, cosines and distances have finite numbers up to there.
static inline int gr_rft_line_padded(int count)
{
    enum { LANES = 4 };
    return (count + LANES - 1) / LANES * LANES;
}

/// The range of those pieces that have a stress (gr_rft_meets()). False where there is none.
bool gr_rft_line_meets(const GrRftBatch *b, const GrRftLine *line, GrRftRange *range);

/// Adds the pieces of a line that have a stress and a load.
void gr_rft_line_push(GrRftBatch *b, const GrRftLine *line, const GrRftRange *range, const GrRftLoads *loads);

#endif
