/// A rover as convex parts made of flat faces, ready to be painted.
///
///     rover + poses  --gr_drawn_rover_make-->  parts (boxes, cylinders, spheres, rods, wheels)  --painter.h-->  SVG
#ifndef GR_DRAWN_ROVER_H
#define GR_DRAWN_ROVER_H

#include "grouser/rover.h"

typedef struct GrColor {
    double r, g, b; ///< 0 .. 1
} GrColor;

/// Faces of one part are painted by layer, then from far to near.
typedef enum GrLayer {
    GR_LAYER_SURFACE,
    GR_LAYER_CAP,    ///< flat side of a wheel, over its surface
    GR_LAYER_RECESS, ///< what lies on the cap, in this order
    GR_LAYER_SPOKE,
    GR_LAYER_HUB,
} GrLayer;

typedef struct GrPartFace {
    int first, count; ///< its corners in `points`
    GrVec3 normal;    ///< outward, unit
    GrVec3 radial; ///< grouser: away from the axle; behind the surface when it points away from the viewer. Else zero
    GrLayer layer;
    GrColor color;
    bool edged; ///< with dark edges; without them the faces of a round surface melt into one
} GrPartFace;

/// Points p with normal · p = offset; the part lies below.
typedef struct GrPartPlane {
    GrVec3 normal;
    double offset;
} GrPartPlane;

typedef struct GrDrawnPart {
    int body;
    int face_first, face_count;
    int hull_first, hull_count;   ///< points whose convex hull holds the part
    int plane_first, plane_count; ///< of that hull
    GrVec3 center;
    bool outlined; ///< the silhouette gets a dark line
} GrDrawnPart;

typedef struct GrDrawnRover {
    GrVec3 *points;
    int point_count, point_capacity;
    GrPartFace *faces;
    int face_count, face_capacity;
    GrPartPlane *planes;
    int plane_count, plane_capacity;
    GrDrawnPart *parts;
    int part_count, part_capacity;
    GrVec3 lower, upper; ///< bounds of everything
    double belly;        ///< lowest point of body 0's shapes; INFINITY when it has none
    bool failed;         ///< memory was out
} GrDrawnRover;

/// `poses`: of every body. Bodies without shapes get thin rods to the joints that they carry.
GrStatus gr_drawn_rover_make(const GrRoverDef *rover, const GrPose *poses, GrDrawnRover *out);

void gr_drawn_rover_free(GrDrawnRover *scene);

#endif
