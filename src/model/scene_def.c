#include "grouser/scene.h"

#include "list.h"
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

int gr_scene_add_material(GrSceneDef *scene, const GrMaterial *material)
{
    return gr_list_add(&scene->materials, &scene->material_count, material, sizeof *material);
}

int gr_scene_add_part(GrSceneDef *scene, const GrPartDef *part)
{
    return gr_list_add(&scene->parts, &scene->part_count, part, sizeof *part);
}

int gr_scene_add_stone(GrSceneDef *scene, const GrStoneDef *stone)
{
    return gr_list_add(&scene->stones, &scene->stone_count, stone, sizeof *stone);
}

void gr_scene_def_free(GrSceneDef *scene)
{
    free(scene->materials);
    free(scene->parts);
    free(scene->stones);
    *scene = (GrSceneDef){0};
}
