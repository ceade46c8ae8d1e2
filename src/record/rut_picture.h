/// Paints ruts on a picture of the ground whose pixels are too coarse to show their shape.
#ifndef GR_RUT_PICTURE_H
#define GR_RUT_PICTURE_H

#include "hillshade.h"

/// Whether heights sampled this far apart [m] would miss the shape of ruts: then they are painted, not shaded.
bool gr_rut_picture_is_coarse(const GrRuts *ruts, double spacing);

/// Darkens pixels with ruts, deeper ones more, and lightens those with only berms.
void gr_rut_picture_paint(GrPicture *picture, const GrRuts *ruts);

#endif
