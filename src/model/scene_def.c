/// Defaults of scene definitions, and functions that append to its lists.
#include "grouser/scene.h"

#include "alloc.h"
#include "list.h"
#include "material.h"
#include "vec3.h"

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

GrMaterialPairDef gr_default_material_pair_def(void)
{
    GrMaterialPairDef pair = {.contact_law = GR_CONTACT_OF_SCENE, .friction_law = GR_FRICTION_OF_SCENE};
    for (int i = 0; i < GR_MATERIAL_PARAM_COUNT; i++) {
        *gr_material_value(&pair.values, (GrMaterialParam)i) = (double)NAN;
    }
    return pair;
}

int gr_scene_add_pair(GrSceneDef *scene, const GrMaterialPairDef *pair)
{
    return gr_list_add(&scene->pairs, &scene->pair_count, pair, sizeof *pair);
}

int gr_scene_add_made_of(GrSceneDef *scene, const GrGroupMaterial *made_of)
{
    return gr_list_add(&scene->made_of, &scene->made_of_count, made_of, sizeof *made_of);
}

int gr_scene_add_part(GrSceneDef *scene, const GrPartDef *part)
{
    return gr_list_add(&scene->parts, &scene->part_count, part, sizeof *part);
}

int gr_scene_add_stone(GrSceneDef *scene, const GrStoneDef *stone)
{
    return gr_list_add(&scene->stones, &scene->stone_count, stone, sizeof *stone);
}

int gr_scene_add_rock_zone(GrSceneDef *scene, const GrRockZone *zone)
{
    return gr_list_add(&scene->rock_zones, &scene->rock_zone_count, zone, sizeof *zone);
}

int gr_scene_add_no_contact(GrSceneDef *scene, const GrGroupPair *groups)
{
    return gr_list_add(&scene->no_contact, &scene->no_contact_count, groups, sizeof *groups);
}

bool gr_scene_copy(GrSceneDef *to, const GrSceneDef *from)
{
    bool made = true;
    *to = *from;
    to->materials = NULL;
    to->parts = NULL;
    to->stones = NULL;
    to->no_contact = NULL;
    to->pairs = NULL;
    to->made_of = NULL;
    to->rock_zones = NULL;
    to->rock_zone_count = 0;
    to->material_count = to->part_count = to->stone_count = 0;
    to->no_contact_count = to->pair_count = to->made_of_count = 0;
    for (int i = 0; i < from->material_count; i++) {
        made = gr_scene_add_material(to, &from->materials[i]) >= 0 && made;
    }
    for (int i = 0; i < from->part_count; i++) {
        made = gr_scene_add_part(to, &from->parts[i]) >= 0 && made;
    }
    for (int i = 0; i < from->stone_count; i++) {
        made = gr_scene_add_stone(to, &from->stones[i]) >= 0 && made;
    }
    for (int i = 0; i < from->pair_count; i++) {
        made = gr_scene_add_pair(to, &from->pairs[i]) >= 0 && made;
    }
    for (int i = 0; i < from->made_of_count; i++) {
        made = gr_scene_add_made_of(to, &from->made_of[i]) >= 0 && made;
    }
    for (int i = 0; i < from->rock_zone_count; i++) {
        made = gr_scene_add_rock_zone(to, &from->rock_zones[i]) >= 0 && made;
    }
    for (int i = 0; i < from->no_contact_count; i++) {
        made = gr_scene_add_no_contact(to, &from->no_contact[i]) >= 0 && made;
    }
    return made;
}

void gr_scene_def_free(GrSceneDef *scene)
{
    gr_free(scene->materials);
    gr_free(scene->parts);
    gr_free(scene->stones);
    gr_free(scene->no_contact);
    gr_free(scene->pairs);
    gr_free(scene->made_of);
    gr_free(scene->rock_zones);
    *scene = (GrSceneDef){0};
}
