/// Small SVG builder: shapes and text into a growing buffer. y points down, units are CSS pixels.
#ifndef GR_SVG_H
#define GR_SVG_H

#include "buffer.h"

typedef struct GrPoint2 {
    double x, y;
} GrPoint2;

/// Style of a shape. A zero-initialised style paints nothing: set at least one of fill and stroke.
typedef struct GrSvgStyle {
    const char *fill;    ///< CSS colour; NULL: none
    const char *stroke;  ///< CSS colour; NULL: none
    double stroke_width; ///< 0: 1
    const char *dash;    ///< stroke-dasharray; NULL: solid
    double opacity;      ///< 0: opaque
} GrSvgStyle;

typedef enum GrSvgAnchor { GR_SVG_START, GR_SVG_MIDDLE, GR_SVG_END } GrSvgAnchor;

typedef struct GrSvgFont {
    double size;       ///< [px]; 0: 12
    const char *color; ///< NULL: #222
    GrSvgAnchor anchor;
    bool bold;
    bool italic;
    double rotate; ///< about the text's position, clockwise [deg]
} GrSvgFont;

/// Opens the document; white background. `title` is for screen readers and may be NULL.
void gr_svg_begin(GrBuffer *svg, double width, double height, const char *title);
void gr_svg_end(GrBuffer *svg);

void gr_svg_line(GrBuffer *svg, GrPoint2 a, GrPoint2 b, GrSvgStyle style);
void gr_svg_polyline(GrBuffer *svg, const GrPoint2 *points, int count, GrSvgStyle style);
void gr_svg_polygon(GrBuffer *svg, const GrPoint2 *points, int count, GrSvgStyle style);
void gr_svg_rect(GrBuffer *svg, double x, double y, double width, double height, GrSvgStyle style);
void gr_svg_circle(GrBuffer *svg, GrPoint2 center, double radius, GrSvgStyle style);
void gr_svg_text(GrBuffer *svg, GrPoint2 at, GrSvgFont font, const char *text);

/// Clips what is drawn until gr_svg_end_group() to the rectangle; `id` must be unique in the document.
void gr_svg_begin_clip(GrBuffer *svg, const char *id, double x, double y, double width, double height);
void gr_svg_end_group(GrBuffer *svg);

/// Estimated width of text, for layout: fonts differ, so leave room.
double gr_svg_text_width(const char *text, double size);

#endif
