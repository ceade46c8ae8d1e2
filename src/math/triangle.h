/// Cutting triangles into small ones.
#ifndef GR_TRIANGLE_H
#define GR_TRIANGLE_H

#include "vec3.h"

#include <stdbool.h>

/// How triangles are cut, and what becomes of the pieces.
typedef struct GrTriangleCutter {
    void *context;
    double (*length)(GrVec3 edge);                             ///< of an edge: may weigh its directions
    double (*longest)(const void *context, const GrVec3 t[3]); ///< length an edge of this triangle may have
    bool (*add)(void *context, const GrVec3 t[3]);             ///< takes a piece; false: stop
} GrTriangleCutter;

/// Cuts a triangle through its longest edge until no edge is too long. The pieces have the orientation of the whole.
/// False when a piece was not taken.
bool gr_triangle_cut(const GrTriangleCutter *cutter, const GrVec3 whole[3]);

#endif
