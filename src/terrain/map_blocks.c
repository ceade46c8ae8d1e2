#include "map_blocks.h"

#include <stdlib.h>

/// Blocks in a row of a stripe, at most. A row of windows of doubles and the file's blocks around it take some 70 MB.
enum { WIDEST = 5 };

/// A block, and the place of its column and row in the order.
typedef struct Turn {
    int64_t key;
    int n, stripe;
} Turn;

static int64_t block_of(const GrMapBlocks *b, int n)
{
    return b->looked == b->total ? n : (int64_t)(((double)n + 0.5) * (double)b->total / (double)b->looked);
}

GrMapPlace gr_map_place(const GrMapBlocks *b, int n)
{
    const GrGridFrame *f = b->frame;
    const int64_t block = block_of(b, n);
    GrMapPlace p = {.i0 = block % b->across * GR_MAP_BLOCK, .j0 = block / b->across * GR_MAP_BLOCK};
    p.i1 = p.i0 + GR_MAP_BLOCK < f->nx ? p.i0 + GR_MAP_BLOCK : f->nx;
    p.j1 = p.j0 + GR_MAP_BLOCK < f->ny ? p.j0 + GR_MAP_BLOCK : f->ny;
    const int64_t wi = p.i0 > 0 ? p.i0 - 1 : 0, wj = p.j0 > 0 ? p.j0 - 1 : 0;
    p.window = (GrGridWindow){wi, wj, (int)((p.i1 < f->nx ? p.i1 + 1 : f->nx) - wi),
                              (int)((p.j1 < f->ny ? p.j1 + 1 : f->ny) - wj)};
    return p;
}

static int compare_turns(const void *a, const void *b)
{
    const Turn *x = a, *y = b;
    return x->stripe != y->stripe ? (x->stripe > y->stripe) - (x->stripe < y->stripe)
                                  : (x->key > y->key) - (x->key < y->key);
}

/// Stripes of which the number is a multiple of that of the threads, as far as there are columns.
static int count_stripes(int64_t across, int threads)
{
    const int64_t rounds = (across + (int64_t)WIDEST * threads - 1) / ((int64_t)WIDEST * threads);
    const int64_t wanted = rounds * threads, most = across < GR_MAP_MOST_BLOCKS ? across : GR_MAP_MOST_BLOCKS;
    return (int)(wanted < most ? wanted : most);
}

GrMapBlocks gr_map_blocks(const GrGridFrame *frame, int threads)
{
    GrMapBlocks b = {.frame = frame, .across = (frame->nx + GR_MAP_BLOCK - 1) / GR_MAP_BLOCK};
    b.total = b.across * ((frame->ny + GR_MAP_BLOCK - 1) / GR_MAP_BLOCK);
    b.looked = (int)(b.total < GR_MAP_MOST_BLOCKS ? b.total : GR_MAP_MOST_BLOCKS);
    b.stripe_count = count_stripes(b.across, threads);
    Turn turns[GR_MAP_MOST_BLOCKS] = {{0}};
    for (int n = 0; n < b.looked; n++) {
        const int64_t block = block_of(&b, n);
        turns[n] = (Turn){block, n, (int)(block % b.across * b.stripe_count / b.across)};
    }
    qsort(turns, (size_t)b.looked, sizeof *turns, compare_turns);
    for (int n = 0; n < b.looked; n++) {
        GrMapStripe *stripe = &b.stripes[turns[n].stripe];
        stripe->first = stripe->end == 0 ? n : stripe->first;
        stripe->end = n + 1;
        b.order[n] = turns[n].n;
    }
    return b;
}

/// The fullest stripe, of those without an owner or of all; −1: they are empty.
static int find_fullest(const GrMapBlocks *b, bool all)
{
    int fullest = -1, most = 0;
    for (int k = 0; k < b->stripe_count; k++) {
        const GrMapStripe *stripe = &b->stripes[k];
        if ((all || !stripe->owned) && stripe->end - stripe->first > most) {
            most = stripe->end - stripe->first;
            fullest = k;
        }
    }
    return fullest;
}

int gr_map_take(GrMapBlocks *b, int *stripe)
{
    if (*stripe < 0 || b->stripes[*stripe].first == b->stripes[*stripe].end) {
        *stripe = find_fullest(b, false);
    }
    if (*stripe >= 0) {
        b->stripes[*stripe].owned = true;
        return b->order[b->stripes[*stripe].first++];
    }
    const int fullest = find_fullest(b, true);
    return fullest < 0 ? -1 : b->order[--b->stripes[fullest].end];
}
