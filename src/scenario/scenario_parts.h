/// Readers of the parts of a scenario.
#ifndef GR_SCENARIO_PARTS_H
#define GR_SCENARIO_PARTS_H

#include "schema.h"

#include "scenario_data.h"

// Tables of keys: of GrScenario, GrTerrainPlan and GrSoilPlan.
extern const GrKey gr_scenario_keys[], gr_soil_map_keys[], gr_lander_plan_keys[], gr_hard_keys[], gr_terrain_keys[];
extern const GrKey gr_map_keys[], gr_start_keys[], gr_drive_keys[], gr_sun_keys[], gr_power_keys[];

/// A condition on the scenario `s` under which a key has no effect.
#define GR_WHEN(name, condition)                                                                                       \
    static bool name(const void *definition)                                                                           \
    {                                                                                                                  \
        const GrScenario *s = definition;                                                                              \
        return condition;                                                                                              \
    }

bool gr_has_no_path(const void *scenario);

/// Without a scene, which the caller creates and frees.
void gr_default_scenario(GrScenario *out);
GrTerrainPlan gr_default_terrain_plan(void);
GrSoilPlan gr_default_soil_plan(void);

// Functions that rows of these tables name: they read, or check, one key. `definition` is that of the table.
void gr_read_soil_map(GrNode *node, void *scenario);
void gr_read_wheel_soils(GrNode *node, void *scenario);
void gr_read_parts(GrNode *list, void *scenario);
void gr_read_hard(GrNode *node, void *scenario);
void gr_read_groups(GrNode *list, void *scenario);
void gr_read_lander(GrNode *node, void *scenario);
void gr_read_drive(GrNode *node, void *scenario);
void gr_check_sun(GrNode *node, void *scenario);

/// A shipped lander, or a file beside that of the node.
bool gr_read_lander_file(GrNode *name, char path[GR_SCENARIO_PATH_SIZE], GrLanderDef *out);
/// Index of the wheel that a key names; −1 after an error.
int gr_read_wheel_key(const GrNode *node, const GrRoverDef *rover);

/// Reports what is wrong with a name in a map.
typedef void (*GrMapNameFn)(const GrNode *node, const char *name, const void *context);
/// Checks a map that was read: its names, and that it has either a file or rules.
void gr_check_map(GrNode *node, const GrSoilPlan *plan, GrMapNameFn check, const void *context);
/// Parts are in the scenario's own file, so their materials must exist.
void gr_check_part_materials(GrNode *root, const GrScenario *scenario);

/// Warns about soil parameters without effect; everything else must have been read.
void gr_warn_soil(GrNode *root, const GrScenario *scenario);
/// Warns about other keys without effect.
void gr_warn_ignored(GrNode *root, const GrScenario *scenario);
/// Warns about materials and their values that have no effect.
void gr_warn_materials(GrNode *root, const GrScenario *scenario);

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
/// One of `names`, into GR_NAME_SIZE bytes; `kind` is for messages. False after an error.
bool gr_node_name(GrNode *node, const char *kind, const GrNames *names, char *out);
/// A list of two such names.
bool gr_node_two_names(GrNode *node, const char *kind, const GrNames *names, char *a, char *b);
void gr_parts_free(GrPartDef *parts, int count);

#endif
