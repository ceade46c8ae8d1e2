/// Readers of the parts of a scenario.
#ifndef GR_SCENARIO_PARTS_H
#define GR_SCENARIO_PARTS_H

#include "fields.h"

#include "grouser/scenario.h"

/// Reads a key in degrees and returns radians.
bool gr_field_degrees(GrNode *mapping, const char *key, GrRange range, double *out);

void gr_read_terrain(GrNode *node, GrTerrainPlan *plan);
/// Warns about soil parameters without effect; everything else must have been read.
void gr_warn_soil(GrNode *root, const GrScenario *scenario);
/// Warns about other keys without effect.
void gr_warn_ignored(GrNode *root, const GrScenario *scenario);
/// `wheel_soils:`; rover and soil must have been read.
void gr_read_wheel_soils(GrNode *root, GrScenario *scenario);
/// Index of the wheel that a key names; −1 after an error.
int gr_read_wheel_key(const GrNode *node, const GrRoverDef *rover);
/// `law:` of a soil map; without it, the law that the scenario names for its soil, if any.
void gr_read_map_law(GrNode *map, GrScenario *scenario);
void gr_read_soil_map(GrNode *node, GrScenario *scenario);

/// Reports what is wrong with a name in a map.
typedef void (*GrMapNameFn)(const GrNode *node, const char *name, const void *context);
/// A map by a file of classes or by rules, without keys that only soils have; does not call gr_fields_end().
void gr_read_map_plan(GrNode *node, GrSoilPlan *plan, GrMapNameFn check, const void *context);
void gr_read_hard(GrNode *root, GrScenario *scenario);
/// Laws, materials and their pairs of `hard:`; rover and parts must have been read.
void gr_read_materials(GrNode *hard, GrNode *parts, GrScenario *scenario);
/// Warns about keys there that have no effect.
void gr_warn_materials(GrNode *root, const GrScenario *scenario);
/// `zones:` and `map:` of `hard:`; materials must have been read.
void gr_read_zones(GrNode *hard, GrScenario *scenario);
/// Whether a zone or the map has a material.
bool gr_zones_use(const GrScenario *scenario, int material);
/// `no_contact:` of `hard:`; rover and parts must have been read.
void gr_read_groups(GrNode *hard, GrScenario *scenario);

/// List of allowed names.
enum { GR_NAMES_MAX = 256 };
typedef struct GrNames {
    const char *items[GR_NAMES_MAX];
    int count;
} GrNames;

/// Adds a name, unless it is "" or already in the list.
void gr_names_add(GrNames *names, const char *name);
/// Groups of the scenario; rover and parts must have been read.
void gr_group_names(const GrScenario *scenario, GrNames *names);
/// Materials of the scenario that have a name.
void gr_material_names(const GrScenario *scenario, GrNames *names);
/// Index of a material; −1: none has that name.
int gr_find_material(const GrScenario *scenario, const char *name);
/// One of `names`, into GR_NAME_SIZE bytes; `kind` is for messages. False after an error.
bool gr_node_name(GrNode *node, const char *kind, const GrNames *names, char *out);
/// A list of two such names.
bool gr_node_two_names(GrNode *node, const char *kind, const GrNames *names, char *a, char *b);
void gr_parts_free(GrPartDef *parts, int count);
void gr_read_ruts(GrNode *root, GrScenario *scenario);
void gr_read_start(GrNode *node, GrStart *start);
/// `lander:`; everything else must have been read.
void gr_read_lander(GrNode *root, GrScenario *scenario);
void gr_read_drive(GrNode *node, GrScenario *scenario);
void gr_read_stop(GrNode *node, GrMissionDef *mission);
void gr_read_step(GrNode *node, GrScenario *scenario);
/// `sun:` and `power:`.
void gr_read_sun(GrNode *root, GrScenario *scenario);

#endif
