/// Undoes the predictor of TIFF for numbers with a point ("predictor 3", Adobe Photoshop TIFF technical note 3): a row
/// has first the highest bytes of all its numbers, then the next ones, …, and of each byte the difference to the one
/// before, modulo 256. In vectors; the bytes do not depend on the byte order of file or machine.
#ifndef GR_TIFF_PREDICTOR_H
#define GR_TIFF_PREDICTOR_H

#include <stdint.h>

/// Rows have a multiple of this many numbers, as TIFF demands of tiles.
enum { GR_PREDICTOR_WIDTH = 16 };

/// A row of `count` numbers of 4 or 8 bytes, from `bytes`, which are changed, to `out`: floats or doubles.
void gr_predictor_undo(uint8_t *bytes, int count, int size, void *out);

#endif
