/// Tiles of ruts in fewer bytes, without loss: nodes that are zero take a bit, the others what differs from the node
/// before, without the bytes that are zero at either end.
#ifndef GR_RUTS_PACK_H
#define GR_RUTS_PACK_H

#include <stddef.h>

/// Packed tile: the heights and each state as planes (ruts_pack.c).

/// Most bytes that a packed tile takes.
size_t gr_ruts_packed_most(int state_count);

/// Writes into `out`, which has room for gr_ruts_packed_most(); returns the size. `nodes`: as in GrRutsBlock.
size_t gr_ruts_pack(const unsigned char *nodes, int state_count, unsigned char *out);

/// Writes all of `nodes`.
void gr_ruts_unpack(const unsigned char *packed, int state_count, unsigned char *nodes);

#endif
