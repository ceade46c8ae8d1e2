/// Materials of the rigid ground by place, at work.
#ifndef GR_SCENARIO_ZONES_H
#define GR_SCENARIO_ZONES_H

#include "grouser/scenario.h"

/// Where the ground is of which material; a world's own.
typedef struct GrGroundPlaces {
    const GrGroundZone *zones; ///< of the scenario
    int zone_count;
    GrSoilMap map; ///< its soils are materials
    int of_class[GR_SOIL_MAP_NAMES];
} GrGroundPlaces;

/// Materials of the classes of places->map, which has been made.
GrStatus gr_zones_resolve(const GrScenario *scenario, GrGroundPlaces *places, GrErrorLog *log);

/// GrGroundMaterialFn of GrGroundPlaces.
int gr_zone_material(const void *context, double x, double y);

#endif
