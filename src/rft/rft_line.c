#include "rft_line.h"

bool gr_rft_line_meets(const GrRftBatch *b, const GrRftLine *line, GrRftRange *range)
{
    const GrRftLine l = *line;
    const double q1 = b->q[1], q3 = b->q[3], q4 = b->q[4], q5 = b->q[5];
    const double qx = gr_fma(-q5, l.y, b->q[0]), qz = gr_fma(q3, l.y, b->q[2]);
    const int whole = gr_rft_line_padded(l.count);
    double met[GR_RFT_LINE]; // above 0 where a piece has a stress, see gr_rft_meets()
#pragma omp simd
    for (int i = 0; i < whole; i++) {
        const double ahead = l.side * l.sin[i], cos = l.cos[i], px = l.far[i] * ahead, pz = -l.far[i] * cos;
        const double dx = gr_fma(q4, pz, qx), dz = gr_fma(-q4, px, qz), dy = gr_fma(q5, px, gr_fma(-q3, pz, q1));
        const double out = gr_fma(-cos, dz, ahead * dx), along = gr_fma(cos, dx, ahead * dz);
        const double m = gr_fma(l.radial, out, gr_fma(l.tangential, along, l.axial * dy));
        const double square = gr_fma(dx, dx, gr_fma(dy, dy, dz * dz));
        met[i] = gr_max(m, gr_fma(-m, m, GR_RFT_FADE * GR_RFT_FADE * square));
    }
    int from = 0, to = l.count;
    // cppcheck-suppress uninitvar  ; the padded line is at least as long
    while (from < to && !(met[from] > 0)) {
        from++;
    }
    while (from < to && !(met[to - 1] > 0)) {
        to--;
    }
    *range = (GrRftRange){from, to};
    return from < to;
}

/// Adds pieces that fit into the batch.
static void push(GrRftBatch *b, const GrRftLine *line, const GrRftLoads *loads, int from, int count)
{
    const GrRftLine l = *line;
    const double q1 = b->q[1], q3 = b->q[3], q4 = b->q[4], q5 = b->q[5];
    const double qx = gr_fma(-q5, l.y, b->q[0]), qz = gr_fma(q3, l.y, b->q[2]);
    const int at = b->count;
#pragma omp simd
    for (int i = 0; i < count; i++) {
        const int k = from + i, e = at + i;
        const double ahead = l.side * l.sin[k], cos = l.cos[k], px = l.far[k] * ahead, pz = -l.far[k] * cos;
        b->n[0][e] = gr_fma(l.radial, ahead, l.tangential * cos);
        b->n[1][e] = l.axial;
        b->n[2][e] = gr_fma(-l.radial, cos, l.tangential * ahead);
        b->p[0][e] = px;
        b->p[1][e] = l.y;
        b->p[2][e] = pz;
        b->d[0][e] = gr_fma(q4, pz, qx);
        b->d[1][e] = gr_fma(q5, px, gr_fma(-q3, pz, q1));
        b->d[2][e] = gr_fma(-q4, px, qz);
        b->load[e] = loads->load[k];
        b->load_h[e] = loads->load_h[k];
        b->cohesive[e] = loads->cohesive[k];
        b->cohesive_h[e] = loads->cohesive_h[k];
        b->friction[e] = l.friction;
    }
    b->count += count;
    if (b->count == GR_RFT_BATCH) {
        gr_rft_flush(b);
    }
}

static bool carries(const GrRftLoads *loads, int i)
{
    return loads->load[i] > 0 || loads->cohesive[i] > 0;
}

void gr_rft_line_push(GrRftBatch *b, const GrRftLine *line, const GrRftRange *range, const GrRftLoads *loads)
{
    int from = range->from, to = range->to;
    while (from < to && !carries(loads, from)) {
        from++;
    }
    while (from < to && !carries(loads, to - 1)) {
        to--;
    }
    while (from < to) {
        const int room = GR_RFT_BATCH - b->count, count = to - from < room ? to - from : room;
        push(b, line, loads, from, count);
        from += count;
    }
}
