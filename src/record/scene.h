/// A rover as convex parts made of flat faces, ready to be painted.
///
///     rover + poses  --gr_scene_make-->  parts (boxes, cylinders, spheres, rods, wheels)  --painter.h-->  SVG
#ifndef GR_SCENE_H
#define GR_SCENE_H

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

typedef struct GrSceneFace {
    int first, count; ///< its corners in `points`
    GrVec3 normal;    ///< outward, unit
    GrVec3 radial; ///< grouser: away from the axle; behind the surface when it points away from the viewer. Else zero
    GrLayer layer;
    GrColor color;
    bool edged; ///< with dark edges; without them the faces of a round surface melt into one
} GrSceneFace;

/// Points p with normal · p = offset; the part lies below.
typedef struct GrScenePlane {
    GrVec3 normal;
    double offset;
} GrScenePlane;

typedef struct GrScenePart {
    int body;
    int face_first, face_count;
    int hull_first, hull_count;   ///< points whose convex hull holds the part
    int plane_first, plane_count; ///< of that hull
    GrVec3 center;
    bool outlined; ///< the silhouette gets a dark line
} GrScenePart;

typedef struct GrScene {
    GrVec3 *points;
    int point_count, point_capacity;
    GrSceneFace *faces;
    int face_count, face_capacity;
    GrScenePlane *planes;
    int plane_count, plane_capacity;
    GrScenePart *parts;
    int part_count, part_capacity;
    GrVec3 lower, upper; ///< bounds of everything
    double belly;        ///< lowest point of body 0's shapes; INFINITY when it has none
    bool failed;         ///< memory was out
} GrScene;

/// `poses`: of every body. Bodies without shapes get thin rods to the joints that they carry.
GrStatus gr_scene_make(const GrRoverDef *rover, const GrPose *poses, GrScene *out);

void gr_scene_free(GrScene *scene);

#endif
