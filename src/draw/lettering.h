/// Text in pictures of pixels, at any size: a font of strokes with round ends, drawn with smooth edges.
///
/// It has printable ASCII, the minus sign of axis labels, ° and ²; any other character is a box. Letters are described
/// in the program itself, so that pictures look the same on every machine, whatever fonts it has.
#ifndef GR_LETTERING_H
#define GR_LETTERING_H

#include <stdbool.h>
#include <stddef.h>

typedef struct GrPixels {
    unsigned char *data; ///< RGB, row by row from the top
    int width, height;
} GrPixels;

/// Height of a capital over the size of the text, and that of the part below the base line.
#define GR_LETTERING_CAPITAL 0.7
#define GR_LETTERING_BELOW   0.23

/// Width of a text [px]; `size`: of the text [px].
double gr_lettering_width(const char *text, double size);

/// Draws a text that begins at a point of its base line; `upward`: turned to read upwards.
void gr_lettering_draw(GrPixels pixels, double x, double y, double size, bool upward, const char *text,
                       const unsigned char color[3]);

#endif
