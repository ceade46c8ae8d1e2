/// Embree (https://www.embree.org) as a referee of rays against a height field: the same bilinear patches, as a grid.
/// Where it is not installed, gr_embree_create() gives NULL.
#ifndef GR_EMBREE_GROUND_H
#define GR_EMBREE_GROUND_H

#include "ray_ground.h"

typedef struct GrEmbreeGround GrEmbreeGround;

GrEmbreeGround *gr_embree_create(const GrGridFrame *frame, const double *heights);
void gr_embree_free(GrEmbreeGround *ground);
GrRayResult gr_embree_cast(const GrEmbreeGround *ground, const GrRay *ray, double *t);

#endif
