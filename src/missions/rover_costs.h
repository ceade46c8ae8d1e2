/// What slopes and steps cost a rover, measured in drives of its own on planes of the soils that it may meet.
///
///     a soil, a slope, an angle between heading and uphill  ->  gr_steady_drive()  ->  slip, energy and time a metre
///
/// Soils of further worlds are driven by the steady formulas of the wheels where the law has some (static_drive.h),
/// with the wheel loads of the first world. What the rover looks like from below comes from its definition.
#ifndef GR_ROVER_COSTS_H
#define GR_ROVER_COSTS_H

#include "grouser/analysis.h"
#include "grouser/scenario.h"

enum { GR_COST_SLOPES = 7, GR_COST_HEADINGS = 3, GR_COST_WORLDS = 8, GR_COST_WHEELS = 16 };

/// Slopes 0, 5, …, 30 deg; headings uphill, across, downhill.
#define GR_COST_SLOPE_STEP (5 * GR_DEGREE)

/// Three numbers: of the first world, and least and most of all worlds that drive on.
typedef struct GrCostBand {
    double value, low, high; ///< NAN: no world drives on
} GrCostBand;

/// A drive on a plane.
typedef struct GrRoverCost {
    int worlds, driven; ///< soils, and those in which it drives on
    GrCostBand slip;
    GrCostBand energy; ///< of the motors a metre [J/m]
    GrCostBand time;   ///< a metre [s/m]
} GrRoverCost;

/// What a rover is and can do, whatever the soil.
typedef struct GrRoverShape {
    int wheel_count;
    double wheels[GR_COST_WHEELS][2]; ///< places relative to the chassis' origin, x ahead and y to the left [m]
    double radius, width;             ///< of the smallest wheel [m]
    double front, rear,
        half_width;   ///< outline of the wheels: x of the foremost and rearmost rim, half of the width [m]
    double clearance; ///< lowest point of the chassis over level ground [m]; 0: unknown
    double step;      ///< highest step that it crosses [m]
} GrRoverShape;

/// On one soil.
typedef struct GrRoverCosts {
    GrRoverCost at[GR_COST_HEADINGS][GR_COST_SLOPES];
    double steepest[GR_COST_HEADINGS]; ///< slope up to which four of five worlds drive on [rad]
    double speed;                      ///< of the rims [m/s]
} GrRoverCosts;

/// Measures slopes. `soils` [count]: one for each world, the first of which is driven in full; NULL: rigid ground,
/// which holds up to the angle of `friction`.
GrStatus gr_rover_costs_measure(const GrRoverDef *rover, const GrSoilDef *const *soils, int count, double gravity,
                                double speed, double friction, GrRoverCosts *out, GrErrorLog *log);

/// Takes the outline from the definition and measures the highest step on a soil (NULL: rigid ground).
GrStatus gr_rover_shape_measure(const GrRoverDef *rover, const GrSoilDef *soil, double gravity, GrRoverShape *out,
                                GrErrorLog *log);

/// Costs on a slope [rad] at an angle to uphill [rad], 0 … π, between those measured; beyond the steepest slope that
/// was driven those of that one.
typedef struct GrCostAt {
    double slip, energy, time;
    double share; ///< slope over the steepest that is held in this direction: above 1 it is not
} GrCostAt;
GrCostAt gr_rover_costs_at(const GrRoverCosts *costs, double slope, double angle);

#endif
