/// A wheel on soft soil: motion of the wheel in, wrench, its derivatives and the new soil state out.
///
///   GrSoilDef + GrSoilWheelDef --gr_soil_prepare--> GrSoilWheel      once; const from then on, shared by threads
///   GrSoilWheel + GrSoilMotion + old state + dt --gr_soil_evaluate--> GrSoilOutput + new state        pure
///   caller: new state -> old state when the step is accepted                                          commit
///
/// The contact frame has z along the normal of the contact plane, y along the axle's projection onto the plane, and
/// x = y × z forward; its origin is the wheel centre. θ runs in its xz-plane from −z, positive towards +x:
///
///                 z ^        ω > 0 rolls towards +x
///                   |
///            ---.   o   .--------- soil, h above the lowest point of the rim
///      exit θ2   `.___.´  θ1 entry          θ2 ≤ 0 < θ1
///
/// State is a flat array of doubles: GR_STATE_HEAD numbers of the wheel, then one block a slice. All zeros is a wheel
/// in the air, or one set down on fresh soil. Nothing here allocates, recurses or keeps global state.
#ifndef GR_SOIL_WHEEL_H
#define GR_SOIL_WHEEL_H

#include "grouser/soil.h"

enum {
    GR_PANEL_NODES = 6,                  ///< Gauss-Legendre nodes on each side of the peak
    GR_PATCH_NODES = 2 * GR_PANEL_NODES, ///< nodes of wong_reece and bekker
    GR_NODES_MAX = 18,                   ///< most nodes of any law (chaikin: 6 spans of 3)
    GR_STATE_HEAD = 10,                  ///< numbers of the wheel before the first slice
    GR_STATE_SLICE_MAX = 2 + 4 * GR_NODES_MAX,
    GR_STATE_MAX = GR_STATE_HEAD + GR_SLICES_MAX * GR_STATE_SLICE_MAX,
};

/// Less than this is no contact with soil [m]; the angles of its arc would be lost in rounding.
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
    GR_HEAD_SINKAGE,    ///< largest sinkage, following with travel; says where the ground is looked up [m]
    GR_HEAD_ANGLE_USED, ///< β̄ of the step that made the mobilisation
};

/// LS10 fig. 10: reported, not switched by hand.
typedef enum GrSoilMode {
    GR_MODE_NONE,       ///< no contact
    GR_MODE_STUCK_ROLL, ///< at rest, or rolling with next to no slip
    GR_MODE_ACCELERATE, ///< slips forward
    GR_MODE_BRAKE,      ///< slips backward (skids)
} GrSoilMode;

/// Use outside a law's range: bits of GrSoilOutput::flags, to be counted by the caller.
enum {
    GR_FLAG_DEEP = 1 << 0,          ///< sinkage above the wheel's radius: the hub is under ground
    GR_FLAG_SINKAGE = 1 << 1,       ///< sinkage above the soil's fitted range
    GR_FLAG_SLIP = 1 << 2,          ///< slip outside the soil's fitted range
    GR_FLAG_EXPONENT = 1 << 3,      ///< the slip-dependent exponent left 0.1 … 3 and was held there
    GR_FLAG_NOT_CONVERGED = 1 << 4, ///< series stiffness: the deflection was not found
    GR_FLAG_TRACE = 1 << 5,         ///< load outside the range that wheel traces were fitted to
    GR_FLAG_COUNT = 6,
};

const char *gr_soil_mode_name(GrSoilMode mode);

/// A soil made ready for one wheel: everything that does not change in a run, flat.
typedef struct GrSoilWheel {
    GrSoilDef soil;
    GrSoilWheelDef wheel;
    GrSoilLaw law;
    int slices;
    int nodes;                       ///< mobilisation nodes of a slice
    int slice_state;                 ///< doubles of a slice's state
    int state_size;                  ///< doubles of the whole state
    double radius;                   ///< with grousers as the model says [m]
    double inverse_radius;           ///< [1/m]
    double slice_width;              ///< [m]
    double pressure;                 ///< p = pressure · (z/pressure_length)^n [Pa]
    double pressure_length;          ///< Bekker: 1; Reece: b [m]
    double log_pressure, log_length; ///< their logarithms
    double unit_weight;              ///< of the soil [N/m³]
    double tan_phi;
    double passive;              ///< N = tan²(π/4 + φ/2)
    double wedge_c, wedge_gamma; ///< K_c and K_γ of the front wedge
    double wedge_length;         ///< l_o / z
    double side_d1, side_d2;     ///< D1 and D2 of Hegedus
    double gamma;                ///< damping of a slice [N s/m]; 0 for laws that have their own
    bool extras;                 ///< any add-on is on
} GrSoilWheel;

/// Motion of the wheel in the contact frame.
typedef struct GrSoilMotion {
    double sinkage[GR_SLICES_MAX]; ///< of each slice, from −y to +y [m]; ≤ 0: no contact
    double twist[6];    ///< v_x, v_y, v_z of the wheel centre [m/s], ω_x, ω_y (rolling), ω_z (steering) [rad/s]
    double wheel_angle; ///< turn of the wheel about the axle, for lugs and side walls with holes [rad]
    double incline;     ///< climb of the contact plane along +x [rad] (terra)

    bool resting; ///< the twist is a displacement over dt that mobilises shear; it neither rolls nor digs (terra),
                  ///< and the damper of a flexible wheel does nothing

    /// The twist is that of the beginning of an implicit step. Slip, mode and rolling memory are left to
    /// gr_soil_remember() at its end: a memory that advanced with the velocity of the beginning would direct the
    /// resistances one step late, and drive a parked wheel (explicit Euler on an oscillator).
    bool at_beginning;
} GrSoilMotion;

/// Wrench on the wheel about its centre and what belongs to it, in the contact frame.
typedef struct GrSoilOutput {
    double wrench[6];     ///< f_x, f_y, f_z [N], torques about x, y, z [N m]; the motor feels −wrench[4]
    double d_twist[6][6]; ///< d_twist[i][j] = ∂wrench[i]/∂twist[j], the update of the state within dt included
    double d_sinkage[6];  ///< ∂wrench/∂h, all slices alike
    double d_roll[6];     ///< ∂wrench/∂(turn about x): slice i sinks by −y_i per rad
    double slip;          ///< K23 eq. 2.13, −1 … 1; 0 at rest
    double slip_angle;    ///< atan2(v_y, |v_x|) [rad]; 0 at rest
    double sinkage;       ///< largest of the slices [m]; ≤ 0: no contact
    double theta_front, theta_peak, theta_rear; ///< of the deepest slice [rad]
    double compaction;                          ///< part of f_x that is the normal stress's [N]
    double strength;                            ///< largest shear force of the patch [N]
    double mobilised;                           ///< part of the strength that the torque uses, 0 … 1
    GrSoilMode mode;
    int flags; ///< GR_FLAG_…
} GrSoilOutput;

/// Steady rolling at given slip, slip angle and sinkage: the papers' formulas, no state. Signs as in the papers' plots.
typedef struct GrSoilSteady {
    double sinkage;      ///< [m]
    double f_x;          ///< drawbar pull [N]
    double f_y;          ///< side force, positive against side slip with β > 0 [N]
    double f_z;          ///< [N]
    double torque;       ///< that the motor gives, positive when driving [N m]
    GrSoilOutput output; ///< the same with true directions; its derivatives are 0
} GrSoilSteady;

/// Checks, and fills `out`.
GrStatus gr_soil_prepare(const GrSoilDef *soil, const GrSoilWheelDef *wheel, GrSoilWheel *out, GrErrorLog *log);

/// Fresh soil, wheel in the air.
void gr_soil_clear(const GrSoilWheel *w, double *state);

/// The wrench after a step of dt > 0 [s] with this motion, and the state at its end. `new_state` may be NULL (nothing
/// is kept) but never `old_state`. Pure: the same input gives the same bits.
void gr_soil_evaluate(const GrSoilWheel *w, const GrSoilMotion *motion, double dt, const double *old_state,
                      double *new_state, GrSoilOutput *out);

/// Completes an evaluation `at_beginning` of a step that ends with `twist`: rolling memory, slip, mode and flags.
void gr_soil_remember(const GrSoilWheel *w, const double twist[6], double dt, const double *old_state,
                      double *new_state, GrSoilOutput *out);

/// Forces in steady rolling forward. slip −1 … 1, |slip_angle| < π/2.
void gr_soil_steady(const GrSoilWheel *w, double slip, double slip_angle, double sinkage, double wheel_angle,
                    GrSoilSteady *out);

/// The same at the sinkage that carries `load` [N] > 0, found to 1e-12 of itself. GR_ERROR_NOT_CONVERGED, with text,
/// when no sinkage up to the wheel's diameter carries it.
GrStatus gr_soil_steady_load(const GrSoilWheel *w, double slip, double slip_angle, double load, double wheel_angle,
                             GrSoilSteady *out, GrErrorLog *log);

/// Damping γ of a soil whose file gives none: `ratio` of the critical damping of a wheel with its share `mass` [kg] of
/// the rover, on the soil's stiffness under that weight. The soil's own where it has one, or where ratio is 0.
double gr_soil_impact_damping(const GrSoilDef *soil, double radius, double width, double mass, double gravity,
                              double ratio);

/// Slip ratio (K23 eq. 2.13) for both signs of rω and v_x, held in −1 … 1; 0 at rest.
double gr_slip_ratio(double rim_speed, double v_x);

#endif
