#include "rock_mesh.h"

#include "alloc.h"
#include "mesh_shape.h"
#include "out_of_memory.h"
#include "text.h"
#include "vec3.h"

/// Lowest and highest point of an object; its parts contain all of it.
static void find_height(const GrConvexParts *parts, int object, GrPartDef *out)
{
    out->rock_lower = INFINITY;
    out->rock_upper = -INFINITY;
    for (int i = 0; i < parts->count; i++) {
        if (parts->parts[i].object == object) {
            out->rock_lower = fmin(out->rock_lower, parts->parts[i].hull->lower.z);
            out->rock_upper = fmax(out->rock_upper, parts->parts[i].hull->upper.z);
        }
    }
}

static GrStatus add_parts(const GrConvexParts *parts, GrMeshRocks *out, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    out->parts = gr_calloc((size_t)parts->count + 1, sizeof *out->parts);
    for (int i = 0; i < parts->count && out->parts != NULL && status == GR_OK; i++) {
        GrPartDef *part = &out->parts[out->count++];
        *part = gr_default_part_def();
        part->stone = true;
        gr_text_copy(part->shape.group, sizeof part->shape.group, GR_STONE_GROUP);
        find_height(parts, parts->parts[i].object, part);
        status = gr_shape_take_hull(parts->parts[i].hull, &part->shape, log);
    }
    return out->parts != NULL ? status : gr_out_of_memory(log, NULL);
}

GrStatus gr_mesh_rocks_load(const GrRockMeshPlan *plan, GrMeshRocks *out, GrErrorLog *log)
{
    if (plan->file[0] == '\0') {
        return GR_OK;
    }
    GrShapeDef shape = gr_default_shape_def();
    GrConvexParts parts = {0};
    const GrVec3 scale = gr_vec3(plan->scale, plan->scale, plan->scale);
    GrStatus status = gr_shape_read_mesh(plan->file, scale, &shape, log);
    if (status == GR_OK) {
        status = gr_shape_cut(&shape, &plan->parts, &parts, log);
    }
    if (status == GR_OK) {
        status = add_parts(&parts, out, log);
    }
    gr_convex_parts_free(&parts);
    gr_shape_free(&shape);
    return status;
}

void gr_mesh_rocks_free(GrMeshRocks *rocks)
{
    for (int i = 0; i < rocks->count; i++) {
        gr_shape_free(&rocks->parts[i].shape);
    }
    gr_free(rocks->parts);
    *rocks = (GrMeshRocks){0};
}

bool gr_mesh_rocks_add(const GrMeshRocks *rocks, GrSceneDef *scene)
{
    bool added = true;
    for (int i = 0; i < rocks->count && added; i++) {
        added = gr_scene_add_part(scene, &rocks->parts[i]) >= 0;
    }
    return added;
}
