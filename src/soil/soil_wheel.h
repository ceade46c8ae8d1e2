/// Internals of a soil prepared for a wheel (grouser/soil_forces.h is the public part): constants, and the layout of
/// the state.
///
/// State is a flat array of doubles: GR_STATE_HEAD numbers of the wheel, then one block per slice. All zeros means a
/// wheel in the air, or one just placed on fresh soil. Nothing here allocates, recurses or has global state.
#ifndef GR_SOIL_WHEEL_H
#define GR_SOIL_WHEEL_H

#include "grouser/soil_forces.h"

enum {
    GR_PANEL_NODES = 6,                  ///< Gauss-Legendre nodes on each side of the peak
    GR_PATCH_NODES = 2 * GR_PANEL_NODES, ///< nodes of wong_reece and bekker
    GR_NODES_MAX = 18,                   ///< most nodes of any law (chaikin: 6 spans of 3)
    GR_STATE_HEAD = 13,                  ///< numbers of the wheel before the first slice
    GR_STATE_SLICE_MAX = 2 + 4 * GR_NODES_MAX,
    GR_STATE_MAX = GR_STATE_HEAD + GR_SLICES_MAX * GR_STATE_SLICE_MAX,
};

/// Smaller sinkages do not count as contact [m]; the angles of the arc would be lost in rounding.
#define GR_LEAST_SINKAGE 1e-12

/// Places in the head of the state.
enum {
    GR_HEAD_ROLL,       ///< d ∈ [−1, 1]: direction in which the patch was rolled; 0: symmetric, never rolled
    GR_HEAD_SLIP,       ///< s̄: slip, filtered over the distance rolled
    GR_HEAD_ANGLE,      ///< β̄ ≥ 0: slip angle, filtered over the distance travelled
    GR_HEAD_SIDE,       ///< sin β with sign, filtered over the distance travelled
    GR_HEAD_MODE,       ///< GrSoilMode, with hysteresis
    GR_HEAD_LUG,        ///< mobilisation of the lug wedges
    GR_HEAD_LUG_PEAK,   ///< its largest value so far
    GR_HEAD_FLEX,       ///< deflection of a flexible wheel [m]
    GR_HEAD_SINKAGE,    ///< largest sinkage, filtered over travel; determines where the ground is evaluated [m]
    GR_HEAD_ANGLE_USED, ///< β̄ of the step in which shear was mobilised
    GR_HEAD_RISEN,      ///< U: rise since the soil was loaded most [m]
    GR_HEAD_LEFT,       ///< travel since then, over the length in which it is forgotten, with play
    GR_HEAD_CLIMB,      ///< θ1 |v_x|/2: speed of rising up to which the wheel rolls onto new soil [m/s]
};

enum { GR_PRESSURE_TERMS = 3 };

/// A term of the pressure of GR_PRESSURE_BEARING (bearing.h).
typedef struct GrPressureTerm {
    double log_pressure; ///< at the length of the pressure, under a strip of the wheel's width
    double exponent;     ///< without slip
    int scale;           ///< how it changes with the wheel's contact
} GrPressureTerm;

/// A soil prepared for one wheel: everything that is constant during a run, as flat data.
struct GrSoilWheel {
    GrSoilDef soil;
    GrSoilWheelDef wheel;
    GrSoilLaw law;
    int slices;
    int nodes;                               ///< mobilisation nodes of a slice
    int slice_state;                         ///< doubles of a slice's state
    int state_size;                          ///< doubles of the whole state
    double radius;                           ///< including grousers according to the model of the soil [m]
    double inverse_radius;                   ///< [1/m]
    double slice_width;                      ///< [m]
    double pressure;                         ///< p = pressure · (z/pressure_length)^n [Pa]
    double pressure_length;                  ///< Bekker: 1; Reece: b; bearing: z_0 [m]
    double log_pressure, log_length;         ///< their logarithms
    double exponent;                         ///< n without slip
    GrPressureTerm terms[GR_PRESSURE_TERMS]; ///< of GR_PRESSURE_BEARING: the first has the pressure and exponent above
    int term_count;                          ///< 0 in the other forms
    double compaction;                       ///< exponent of the force with the sinkage
    double steeper;                          ///< how much the curve's steepest power exceeds `exponent`
    double unit_weight;                      ///< of the soil [N/m³]
    double tan_phi;
    double passive;              ///< N = tan²(π/4 + φ/2)
    double wedge_c, wedge_gamma; ///< K_c and K_γ of the front wedge
    double wedge_length;         ///< l_o / z
    double side_d1, side_d2;     ///< D1 and D2 of Hegedus
    double gamma;                ///< damping of a slice [N s/m]; 0 for laws with their own damping
    double shear_time;           ///< T of the damping of shear (mobilise.h) [s]
    double digs_exit;            ///< λ of the arc whose length counts for digging
    double lug_dug;              ///< depth that lugs dig out at most [m]
    double peak_lowest;          ///< least θ_m/θ1 of a ploughing wheel
    bool unloads;                ///< along its own line
    bool in_series;              ///< the law has the compliance of the wheel
    bool zones;                  ///< two zones of flow under a skidding wheel
    bool digs;                   ///< soil is dug out or ploughed aside
    bool wedge;                  ///< a wedge is pushed along
    bool extras;                 ///< at least one add-on is enabled
    bool errors;                 ///< the soil is a sample with errors of the law
    double own[GR_SOIL_OWN];     ///< constants of the law itself
};

/// Checks the definitions and fills `out`.
GrStatus gr_soil_wheel_prepare(const GrSoilDef *soil, const GrSoilWheelDef *wheel, GrSoilWheel *out, GrErrorLog *log);

/// Completes an evaluation `at_beginning` of a step that ends with `twist`: rolling memory, slip, mode and flags.
void gr_soil_remember(const GrSoilWheel *w, const double twist[6], double dt, const double *old_state,
                      double *new_state, GrSoilOutput *out);

/// Steady pull over load of a wheel that rolls straight without slip under `load` [N] > 0; 0 if the soil does not carry
/// it.
double gr_soil_free_pull(const GrSoilWheel *w, double load);

/// Warns if that pull is forward. Laws on a grid and laws of friction alone are not checked.
void gr_soil_warn_free_pull(const GrSoilWheel *w, double load, GrErrorLog *log);

/// The force of soil that unloads has kinks over the rise of the wheel: from the virgin curve to the line of unloading,
/// and where the contact ends. A step that is solved once with the slope on one side does not see the other: parked
/// wheels would hop. Returns whether a wheel that was evaluated with the normal velocity `from` and that largest
/// `sinkage` ends the step, with the normal velocity `end`, beyond a kink. The step must then be solved again with the
/// wheel evaluated at the normal velocity `*rate`. All of the rim, if the wheel is flexible.
bool gr_soil_turns(const GrSoilWheel *w, double from, double sinkage, double dt, const double *old_state, double end,
                   double *rate);

/// Time in which the soil's force builds up under a falling wheel [s]: steps must be shorter. INFINITY: no limit.
double gr_soil_time(const GrSoilWheel *w);

/// Damping γ of a soil whose file gives none: `ratio` of the critical damping of a wheel with its share `mass` [kg] of
/// the rover, on the soil's stiffness under that weight. Returns the soil's own damping if it has one or if ratio is 0.
double gr_soil_impact_damping(const GrSoilDef *soil, double radius, double width, double mass, double gravity,
                              double ratio);

/// Slip ratio (K23 eq. 2.13) for both signs of rω and v_x, clamped to −1 … 1; 0 at rest.
double gr_slip_ratio(double rim_speed, double v_x);

#endif
