#include "stones.h"

#include "rock.h"

static GrRockDef rock_of(const GrStoneDef *stone)
{
    GrRockDef def = gr_default_rock_def();
    def.kind = stone->shape == GR_STONE_HULL ? GR_ROCK_HULL : GR_ROCK_NOISE;
    def.diameter = stone->diameter;
    def.height = stone->height;
    def.density = stone->density;
    def.seed = stone->seed;
    def.refinement = 2;
    if (stone->shape == GR_STONE_ELLIPSOID) {
        def.roughness = 0;
        def.detail = 0;
    }
    return def;
}

GrStatus gr_stone_check(const GrStoneDef *def, GrErrorLog *log)
{
    const GrRockDef rock = rock_of(def);
    return gr_rock_check(&rock, log);
}

GrStatus gr_stone_make(const GrStoneDef *def, GrStone *out, GrErrorLog *log)
{
    const GrRockDef shape = rock_of(def);
    GrRockMesh rock;
    const GrStatus status = gr_rock_create(&shape, &rock, log);
    if (status != GR_OK) {
        return status;
    }
    out->mesh = rock.hull;
    rock.hull = NULL;
    GrRigidBodyDef *body = &out->body;
    *body = gr_default_rigid_body_def(def->loose ? GR_RIGID_LOOSE : GR_RIGID_FIXED);
    body->pose.rotation = gr_quat_axis_angle(gr_vec3(0, 0, 1), def->yaw);
    body->pose.position = def->place;
    body->pose.position.z += def->loose ? -out->mesh->lower.z : def->exposed - out->mesh->upper.z;
    body->stone = true;
    body->mass = rock.mass;
    body->inertia = rock.inertia;
    gr_rock_free(&rock);
    return GR_OK;
}

GrBounds gr_stone_bounds(const GrStoneDef *def)
{
    const GrRockDef rock = rock_of(def);
    const GrRockExtent extent = gr_rock_extent(&rock);
    const double top = def->place.z + def->exposed, round = 1e-9 * (1 + fabs(top) + extent.height);
    return (GrBounds){{def->place.x - extent.reach, def->place.y - extent.reach, top - extent.height - round},
                      {def->place.x + extent.reach, def->place.y + extent.reach, top + round}};
}

bool gr_stones_make_late(void *context, int shape, const GrConvexMesh **mesh, GrPose *pose)
{
    GrRigidScene *rigid = context;
    GrStone stone;
    GrErrorLog log = {.quiet = true};
    if (gr_stone_make(&rigid->late_stones[shape - rigid->first_late], &stone, &log) != GR_OK) {
        return false;
    }
    rigid->meshes[rigid->mesh_count++] = stone.mesh;
    *mesh = stone.mesh;
    *pose = stone.body.pose;
    return true;
}

GrStatus gr_stones_prefetch(const GrModel *m, double x, double y, double radius)
{
    return m->rigid.world != NULL ? gr_rigid_make_late(m->rigid.world, x, y, radius) : GR_OK;
}
