/// A small bitmap font for text in pictures: ASCII, five pixels wide, seven high above the base line and two below it.
#ifndef GR_BITMAP_FONT_H
#define GR_BITMAP_FONT_H

#include <stdbool.h>

enum { GR_GLYPH_WIDTH = 5, GR_GLYPH_ABOVE = 7, GR_GLYPH_HEIGHT = 9 };

/// Whether the character has ink at a column from the left and a row from the top; false outside the glyph. A character
/// that is not printable ASCII is drawn as an empty box.
bool gr_glyph_bit(int character, int column, int row);

#endif
