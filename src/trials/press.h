/// The plate rig: plates and wheels that are pressed into level soil without rolling, and the annulus of a bevameter,
/// which shears it.
#ifndef GR_PRESS_H
#define GR_PRESS_H

#include "soil_wheel.h"

typedef enum GrPressKind { GR_PRESS_CIRCLE, GR_PRESS_RECTANGLE, GR_PRESS_RING, GR_PRESS_WHEEL } GrPressKind;

/// What is pressed, level and straight down.
typedef struct GrPressBody {
    GrPressKind kind;
    double diameter;      ///< of a circle, outer one of a ring [m] > 0
    double inner;         ///< inner diameter of a ring [m] 0 … diameter
    double width, length; ///< of a rectangle [m] > 0; a wheel's width
    double radius;        ///< of a wheel's rim [m] > 0
    /// Of a wheel; depths are those of their tips. rft has each of them, the other laws a wheel as large as the tips.
    int grouser_count;
    double grouser_height, grouser_thickness; ///< [m] ≥ 0
} GrPressBody;

typedef struct GrPressDef {
    GrSoilDef soil;
    GrPressBody body;
    double gravity; ///< [m/s²] ≥ 0
    double cell;    ///< scm: of the grid [m] > 0; 0: a twentieth of the body's width
} GrPressDef;

/// Earth's gravity, a round plate of 100 mm, the default soil.
GrPressDef gr_default_press_def(void);

/// Area of a plate [m²]; of a wheel at the depth z: width times the chord of its contact.
double gr_press_area(const GrPressBody *body, double z);

/// Checks soil and body, and that the law has a pressure that plates can feel.
GrStatus gr_press_check(const GrPressDef *def, GrErrorLog *log);

/// Force at each of `count` depths of the deepest point, which rise and are above 0 [N]. Plates: area times pressure;
/// rft: its stress on the plate; scm: on its grid. Wheels are pressed slowly from the surface, shear along the rim
/// included. In laws with a pressure that is the integral over contact up to the surface on both sides: peak and exit
/// of the stress (a1, λ) are those of wheels that roll.
GrStatus gr_press_run(const GrPressDef *def, const double *depth, int count, double *force, GrErrorLog *log);

/// The soil with a pressure that is `factor` > 0 times as high, in any form.
GrSoilDef gr_press_firmer(const GrSoilDef *soil, double factor);

/// Half of a 90 % band, in standard deviations of a normal distribution.
static const double GR_PRESS_BAND = 1.645;

/// Depth at which a plate carries the mean pressure `pressure` [Pa]; NAN: none up to 1 m.
double gr_press_depth(const GrPressDef *def, double pressure);

/// Shear stress under a ring or plate with the normal stress σ after the displacement j [Pa]:
/// τ = (c + σ tan φ)(1 − e^(−j/K_x)) (Janosi & Hanamoto 1961).
double gr_press_shear(const GrSoilDef *soil, double stress, double displacement);

/// Torque of a ring that has turned so far that its mean radius moved by `displacement`: 2π ∫ r² τ(j r/r_mean) dr [N
/// m].
double gr_press_torque(const GrSoilDef *soil, const GrPressBody *ring, double stress, double displacement);

#endif
