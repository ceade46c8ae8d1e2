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
    GR_LAYER_RECESS, ///< details on the cap, in this order
    GR_LAYER_SPOKE,
    GR_LAYER_HUB,
} GrLayer;

typedef struct GrPartFace {
    int first, count; ///< its corners in `points`
    GrVec3 normal;    ///< outward, unit
    GrVec3 radial; ///< grouser: away from the axle; hidden by the surface when it points away from the viewer. Zero for
                   ///< other faces
    GrLayer layer;
    GrColor color;
    bool edged; ///< with dark edges; faces of round surfaces have none, so that they appear smooth
} GrPartFace;

/// The plane normal · p = offset; the part lies on the side below.
typedef struct GrPartPlane {
    GrVec3 normal;
    double offset;
} GrPartPlane;

typedef struct GrDrawnPart {
    int body;
    int face_first, face_count;
    int hull_first, hull_count;   ///< points whose convex hull contains the part
    int plane_first, plane_count; ///< of that hull
    GrVec3 center;
    bool outlined; ///< draw a dark line around the silhouette
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
    bool failed;         ///< an allocation failed
} GrDrawnRover;

/// `poses`: one for every body. Bodies without shapes get thin rods to the joints that they carry.
GrStatus gr_drawn_rover_make(const GrRoverDef *rover, const GrPose *poses, GrDrawnRover *out);

void gr_drawn_rover_free(GrDrawnRover *scene);

#endif
