/// What rays see: ground with ruts, rocks and parts of the scene, and the rover's own bodies.
#ifndef GR_RAY_SCENE_H
#define GR_RAY_SCENE_H

#include "grouser/sense.h"
#include "ray_ground.h"

typedef struct GrRayScene GrRayScene;

typedef enum GrRaySeen { GR_SEEN_NOTHING, GR_SEEN_GROUND, GR_SEEN_ROCK, GR_SEEN_ROVER } GrRaySeen;

typedef struct GrRayHit {
    GrRaySeen seen;
    double t;
    GrVec3 normal; ///< outward unit normal; of the ground only after gr_ray_scene_normal()
} GrRayHit;

/// `reach`: the longest ray [m]. NULL when out of memory.
GrRayScene *gr_ray_scene_create(const GrSenseDef *def, double reach);
void gr_ray_scene_free(GrRayScene *scene);

/// Takes up the state of the simulation, with these poses of the bodies of the definition, for rays from a point.
GrStatus gr_ray_scene_prepare(GrRayScene *scene, const GrData *d, const GrPose *bodies, GrVec3 from);

/// The first hit. `blind` is set where the ray reaches ground that is not in memory. Many threads may call it.
GrRayHit gr_ray_scene_cast(const GrRayScene *scene, const GrRay *ray, bool *blind);

/// Completes the normal of a hit: most rays need none of the ground.
void gr_ray_scene_normal(const GrRayScene *scene, const GrRay *ray, GrRayHit *hit);

/// The ground at a point of the map.
typedef struct GrGroundLook {
    int soil;   ///< class, from 0
    double rut; ///< change of its height by wheels [m]
} GrGroundLook;
GrGroundLook gr_ray_scene_ground(const GrRayScene *scene, double x, double y);

/// Whether something lies in a direction (unit) from a point, within the reach.
bool gr_ray_scene_hides(const GrRayScene *scene, GrVec3 from, GrVec3 direction);

#endif
