#include "grouser/scene.h"

#include "vec3.h"

#include <stdlib.h>

GrPartDef gr_default_part_def(void)
{
    return (GrPartDef){.shape = gr_default_shape_def(), .pose = gr_pose_identity()};
}

GrStoneDef gr_default_stone_def(void)
{
    return (GrStoneDef){
        .shape = GR_STONE_HULL, .diameter = 0.3, .height = 0.2, .exposed = 0.1, .seed = 1, .density = 2700};
}

GrSceneDef gr_default_scene_def(void)
{
    GrSceneDef scene = {.bodies = true};
    const GrMaterial material = gr_default_material();
    gr_scene_add_material(&scene, &material);
    return scene;
}

/// Room for one more item in an array that doubles when its count is a power of two.
static bool make_room(void **items, int count, size_t size)
{
    if (count > 0 && (count & (count - 1)) != 0) {
        return true;
    }
    void *more = realloc(*items, (count > 0 ? 2 * (size_t)count : 1) * size);
    if (more == NULL) {
        return false;
    }
    *items = more;
    return true;
}

int gr_scene_add_material(GrSceneDef *scene, const GrMaterial *material)
{
    if (!make_room((void **)&scene->materials, scene->material_count, sizeof *material)) {
        return -1;
    }
    scene->materials[scene->material_count] = *material;
    return scene->material_count++;
}

int gr_scene_add_part(GrSceneDef *scene, const GrPartDef *part)
{
    if (!make_room((void **)&scene->parts, scene->part_count, sizeof *part)) {
        return -1;
    }
    scene->parts[scene->part_count] = *part;
    return scene->part_count++;
}

int gr_scene_add_stone(GrSceneDef *scene, const GrStoneDef *stone)
{
    if (!make_room((void **)&scene->stones, scene->stone_count, sizeof *stone)) {
        return -1;
    }
    scene->stones[scene->stone_count] = *stone;
    return scene->stone_count++;
}

void gr_scene_def_free(GrSceneDef *scene)
{
    free(scene->materials);
    free(scene->parts);
    free(scene->stones);
    *scene = (GrSceneDef){0};
}
