#include "support/embree_ground.h"

#ifdef GR_WITH_EMBREE

#include <embree3/rtcore.h>
#include <math.h>
#include <stdlib.h>

struct GrEmbreeGround {
    RTCDevice device;
    RTCScene scene;
};

GrEmbreeGround *gr_embree_create(const GrGridFrame *frame, const double *heights)
{
    GrEmbreeGround *ground = calloc(1, sizeof *ground);
    if (ground == NULL) {
        return NULL;
    }
    const size_t count = (size_t)(frame->nx * frame->ny);
    ground->device = rtcNewDevice("threads=1");
    ground->scene = rtcNewScene(ground->device);
    rtcSetSceneFlags(ground->scene, RTC_SCENE_FLAG_ROBUST);
    RTCGeometry geometry = rtcNewGeometry(ground->device, RTC_GEOMETRY_TYPE_GRID);
    float *vertices =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), count);
    struct RTCGrid *grid =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_GRID, 0, RTC_FORMAT_GRID, sizeof(struct RTCGrid), 1);
    for (size_t k = 0; k < count; k++) {
        const size_t i = k % (size_t)frame->nx, j = k / (size_t)frame->nx;
        vertices[3 * k] = (float)(frame->x0 + (double)i * frame->dx);
        vertices[3 * k + 1] = (float)(frame->y0 + (double)j * frame->dy);
        vertices[3 * k + 2] = (float)heights[k];
    }
    *grid = (struct RTCGrid){0, (unsigned)frame->nx, (unsigned short)frame->nx, (unsigned short)frame->ny};
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(ground->scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(ground->scene);
    return ground;
}

void gr_embree_free(GrEmbreeGround *ground)
{
    if (ground != NULL) {
        rtcReleaseScene(ground->scene);
        rtcReleaseDevice(ground->device);
        free(ground);
    }
}

GrRayResult gr_embree_cast(const GrEmbreeGround *ground, const GrRay *ray, double *t)
{
    struct RTCIntersectContext context;
    struct RTCRayHit hit = {.ray = {.org_x = (float)ray->from.x,
                                    .org_y = (float)ray->from.y,
                                    .org_z = (float)ray->from.z,
                                    .dir_x = (float)ray->along.x,
                                    .dir_y = (float)ray->along.y,
                                    .dir_z = (float)ray->along.z,
                                    .tnear = (float)ray->begin,
                                    .tfar = (float)ray->end,
                                    .mask = 0xffffffffu},
                            .hit = {.geomID = RTC_INVALID_GEOMETRY_ID}};
    rtcInitIntersectContext(&context);
    rtcIntersect1(ground->scene, &context, &hit);
    if (hit.hit.geomID == RTC_INVALID_GEOMETRY_ID) {
        return GR_RAY_MISS;
    }
    *t = (double)hit.ray.tfar;
    return GR_RAY_HIT;
}

#else

#include <stddef.h>

GrEmbreeGround *gr_embree_create(const GrGridFrame *frame, const double *heights)
{
    (void)frame;
    (void)heights;
    return NULL;
}

void gr_embree_free(GrEmbreeGround *ground)
{
    (void)ground;
}

GrRayResult gr_embree_cast(const GrEmbreeGround *ground, const GrRay *ray, double *t)
{
    (void)ground;
    (void)ray;
    (void)t;
    return GR_RAY_MISS;
}

#endif
