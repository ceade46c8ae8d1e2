/// Materials of the rigid ground by position, as queried during a run.
#ifndef GR_SCENARIO_ZONES_H
#define GR_SCENARIO_ZONES_H

#include "scenario_data.h"

/// Materials by position; owned by a world.
typedef struct GrGroundPlaces {
    const GrGroundZone *zones; ///< of the scenario
    int zone_count;
    GrSoilMap map; ///< its soils are materials
    int of_class[GR_SOIL_MAP_NAMES];
} GrGroundPlaces;

/// Resolves the materials of the classes of places->map, which must exist.
GrStatus gr_zones_resolve(const GrScenario *scenario, GrGroundPlaces *places, GrErrorLog *log);

/// GrGroundMaterialFn with a GrGroundPlaces as context.
int gr_zone_material(const void *context, double x, double y);

#endif
