/// GrSupplyDef: light on a rover, its solar panel, its battery and what it consumes.
///
/// The battery gets the light on the panel times its efficiency, as far as it is not full. It gives the load of the
/// electronics, that of heaters in the dark, and the motor energy over the efficiency of the drives. Braking gives
/// nothing back.
///
/// Example: half a square metre of panel, and 50 Wh.
///
///     #include <grouser/mission.h>
///     GrMissionDef def = gr_default_mission_def();
///     def.sun.kind = GR_SUN_FIXED;
///     def.sun.elevation = 5 * GR_DEGREE;
///     def.supply.panel_area = 0.5;
///     def.supply.capacity = 50 * 3600;
///     printf("%g\n", def.supply.panel_efficiency); // prints: 0.28
#ifndef GROUSER_SUPPLY_H
#define GROUSER_SUPPLY_H

#include "grouser/sky.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Start from gr_default_supply_def(), which has neither a panel nor a battery.
typedef struct GrSupplyDef {
    double panel_area;       ///< [m²] ≥ 0; default 0: no panel
    double panel_efficiency; ///< 0 .. 1; default 0.28
    double panel_tilt;       ///< of its normal from the chassis' z axis [rad]; default 0: it faces up
    double panel_toward;     ///< direction of that tilt, from the chassis' x axis to the left [rad]; default 0
    bool panel_tracks;       ///< it always faces the Sun; default false
    double capacity;         ///< of the battery [J] ≥ 0; default 0: none
    double charge;           ///< at the start, as a fraction of the capacity, 0 .. 1; default 1
    double reserve;          ///< the run ends as out_of_energy at this fraction of the capacity, 0 .. 1; default 0
    double load;             ///< of electronics, always [W] ≥ 0; default 0
    double dark_load;        ///< in addition while no part of the Sun is in sight [W] ≥ 0; default 0
    double motor_efficiency; ///< mechanical over electric energy of the drives, 0 .. 1; default 0.7
} GrSupplyDef;

GR_API GrSupplyDef gr_default_supply_def(void);
GR_API GrStatus gr_supply_check(const GrSupplyDef *def, GrErrorLog *log);

/// Light and power at an instant.
typedef struct GrSupplySample {
    double azimuth, elevation; ///< of the Sun [rad]; NAN: there is none
    double light;              ///< share of its disc in sight, times the share of the panel that no rock shades, 0 .. 1
    double solar;              ///< power of the panel [W]
    double load;               ///< electric power consumed, drives included [W]
    double charge;             ///< in the battery [J]
} GrSupplySample;

/// Light and energy of a whole run.
typedef struct GrSupplySummary {
    bool given;          ///< false: neither a Sun nor a battery; the others are then 0
    double light_mean;   ///< mean share of the disc in sight
    double dark_longest; ///< longest time without any of it [s]
    double solar;        ///< energy of the panel that was used or stored [J]
    double wasted;       ///< energy of the panel while the battery was full [J]
    double load;         ///< energy consumed, drives included [J]
    double drives;       ///< the part of the drives [J]
    double capacity, charge_start, charge_end, charge_min; ///< of the battery [J]
} GrSupplySummary;

#ifdef __cplusplus
}
#endif
#endif
