/// Definition of a soil and of a wheel on it: plain structs that a file or a C caller fills.
///
/// A soil names one force law and has the parameters of all laws, so that the same soil can be used with each of them.
/// All units are SI, angles are in radians (degrees in files). docs/soil-laws.md has the equations and their sources.
///
/// Example: a value out of its range.
///
///     GrSoilDef soil = gr_default_soil_def();
///     soil.n0 = -1;
///     GrErrorLog log = {0};
///     if (gr_soil_check(&soil, &log) != GR_OK) {
///         printf("%s: %s\n", log.items[0].field, log.items[0].text); // prints: n0
///     }
#ifndef GROUSER_SOIL_H
#define GROUSER_SOIL_H

#include "grouser/rover.h"
#include "grouser/status.h"
#include "grouser/vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Laws that model the soil as one patch under the wheel: constant, name in files and on the command line. The source
/// file of each law has its description and parameters.
#define GR_SOIL_PATCH_LAW_LIST(X)                                                                                      \
    X(WONG_REECE, wong_reece)                                                                                          \
    X(BEKKER, bekker)                                                                                                  \
    X(DING, ding)                                                                                                      \
    X(CHAIKIN, chaikin)                                                                                                \
    X(RHEOLOGICAL, rheological)                                                                                        \
    X(DOUBLE_SPRING, double_spring)                                                                                    \
    X(TERRA, terra)                                                                                                    \
    X(RFT, rft)

/// All soil laws: the patch laws, and scm, which works on a grid of nodes.
#define GR_SOIL_LAW_LIST(X)                                                                                            \
    GR_SOIL_PATCH_LAW_LIST(X)                                                                                          \
    X(SCM, scm)

typedef enum GrSoilLaw {
#define GR_SOIL_LAW_ENUM(id, name) GR_SOIL_##id,
    GR_SOIL_LAW_LIST(GR_SOIL_LAW_ENUM)
#undef GR_SOIL_LAW_ENUM
        GR_SOIL_LAW_COUNT,
    GR_SOIL_USER = GR_SOIL_LAW_COUNT, ///< callbacks in GrSoilDef::user (grouser/soil_law.h); not for files
} GrSoilLaw;

/// Number of patch laws: all laws below it are in GR_SOIL_PATCH_LAW_LIST.
enum { GR_SOIL_PATCH_LAWS = GR_SOIL_SCM };

/// Pressure-sinkage relation.
typedef enum GrPressureForm {
    GR_PRESSURE_BEKKER, ///< p = (k_c/b + k_phi) z^n
    GR_PRESSURE_REECE,  ///< p = (c k_c' + γ b k_phi') (z/b)^n, γ = density · gravity
    /// p = s_c c N_c (z/z_0)^n_c + f γ z_0 N_q (z/z_0)^n_q + ½ γ B N_γ (z/z_0)^n: bearing capacity (Terzaghi 1943),
    /// mobilised at the depth z_0
    GR_PRESSURE_BEARING,
} GrPressureForm;

/// What the moduli of sinkage do under a gravity other than that of the fit, in Bekker's form.
typedef enum GrGravityScaling {
    GR_GRAVITY_NONE,    ///< they stay as fitted
    GR_GRAVITY_DENSITY, ///< k_phi grows with the weight of the soil, as in Reece's form; k_c stays
} GrGravityScaling;

/// Mobilisation of shear by slip velocity.
typedef enum GrShearForm {
    GR_SHEAR_SEPARATE, ///< longitudinal and lateral separately, with K_x and K_y (Ishigami et al. 2007)
    GR_SHEAR_COMBINED, ///< one K along the slip velocity; the shear stress stays inside a circle
} GrShearForm;

/// Flow of soil under a wheel that skids (s ≤ 0).
typedef enum GrSkidFlow {
    GR_SKID_ONE_ZONE,  ///< shear displacement from the entry to the exit, as under a driving wheel
    GR_SKID_TWO_ZONES, ///< forward before the wheel and backward under it (Wong & Reece 1967, part II)
} GrSkidFlow;

/// Normal force of the rheological law.
typedef enum GrRheology {
    GR_KELVIN_VOIGT,  ///< f = k h^n + c ḣ
    GR_HUNT_CROSSLEY, ///< f = k h^n + c ḣ h^n
} GrRheology;

/// Bulldozing on the side walls of a wheel that slips sideways.
typedef enum GrSideBulldozing {
    GR_SIDE_NONE,
    GR_SIDE_HEGEDUS, ///< closed form for a full disc (Hegedus 1960, as used by Ishigami et al. 2007)
    GR_SIDE_MESH,    ///< passive pressure over the triangles of the side wall (LS10 eq. 3.9, fig. 9)
} GrSideBulldozing;

enum { GR_CHAIKIN_POINTS = 6, GR_SLICES_MAX = 16, GR_SOIL_OWN = 8 };

/// A control point of the normal stress, across the contact arc from exit (x = 0) to entry (x = 1).
typedef struct GrStressPoint {
    double x;      ///< position on the arc, 0 … 1, increasing from point to point
    double x_slip; ///< change of x per slip
    double y;      ///< stress / pressure at full sinkage, ≥ 0
    double y_slip; ///< change of y per slip
} GrStressPoint;

typedef struct GrSoilDef {
    unsigned cookie; ///< set by gr_default_soil_def(): finds definitions that were not initialised
    char name[GR_NAME_SIZE];
    char title[GR_NOTE_SIZE];
    GrSoilLaw law; ///< default GR_SOIL_WONG_REECE

    // Pressure and sinkage: wong_reece, bekker, ding, chaikin, terra
    GrPressureForm pressure;          ///< default GR_PRESSURE_BEKKER
    double k_c;                       ///< [N/m^(n+1)] any sign; default 1370 (Ishigami et al. 2007)
    double k_phi;                     ///< [N/m^(n+2)] k_c/b + k_phi must be > 0 for the wheel used; default 814e3
    double k_c_reece;                 ///< k_c' [-] ≥ 0; default 0
    double k_phi_reece;               ///< k_phi' [-] ≥ 0; default 0
    double bearing_depth;             ///< z_0 of GR_PRESSURE_BEARING [m] > 0; default 0.02
    double bearing_n_c;               ///< n_c, exponent of its cohesive term [-] 0.1 … 3; default 0.5
    double bearing_n_q;               ///< n_q, exponent of its surcharge [-] 0.1 … 3; default 1
    double surcharge;                 ///< f, part of Terzaghi's surcharge γ z N_q that acts [-] ≥ 0; default 0
    double n0;                        ///< sinkage exponent [-] 0.1 … 3; default 1
    double n1;                        ///< increase with slip, n = n0 + n1 |s| [-]; n must stay in 0.1 … 3; default 0
    double density;                   ///< bulk density [kg/m³] ≥ 0; default 1600
    GrGravityScaling gravity_scaling; ///< default GR_GRAVITY_NONE
    double fit_gravity; ///< gravity under which the parameters were fitted, for gravity_scaling and ξ_n of rft [m/s²]
                        ///< > 0; default 9.80665
    double fit_radius;  ///< wheel radius with which the parameters were fitted: K, the depths of digging and ploughing
                        ///< and the path of digging grow with the radius; wong_reece, bekker, ding, chaikin, terra
                        ///< [m] ≥ 0; 0: they are the same for all wheels; default 0

    // Shear: wong_reece, bekker, ding, chaikin, terra
    double cohesion;       ///< c [Pa] ≥ 0; default 800
    double friction_angle; ///< φ [rad] 0 … 60°; default 37.2°
    GrShearForm shear;     ///< default GR_SHEAR_SEPARATE
    GrSkidFlow skid_flow;  ///< wong_reece, bekker, chaikin; default GR_SKID_ONE_ZONE
    double shear_x;        ///< K_x at β = 0 [m] > 0; also the one K of GR_SHEAR_COMBINED; default 0.036
    double shear_x_slope;  ///< increase of K_x with |β| [m/rad]; K must stay > 0 up to 90°; default 0
    double shear_y;        ///< K_y at β = 0 [m] > 0; default 0.013
    double shear_y_slope;  ///< increase of K_y with |β| [m/rad]; default 0

    // Contact arc: wong_reece, ding, chaikin (chaikin uses only exit_ratio)
    double peak_a1;                          ///< θ_m = (a1 + a2 s) θ1 [-] −1 < a1 + a2 s < 1; default 0.4
    double peak_a2;                          ///< [-] default 0.15
    double exit_ratio;                       ///< λ: depth at the exit / sinkage [-] 0 … 1.5; default 1
    double peak_plough;                      ///< a_u: θ_m also gets a_u u^p θ1, u as below [-] −2 … 1; default 0
    GrStressPoint points[GR_CHAIKIN_POINTS]; ///< chaikin; the default is close to wong_reece with a1 = 0.4

    // Soil that is dug out by slip or ploughed aside: it no longer presses, σ = P (z (h − D)/h)^n, D² = D_s² + D_u².
    // wong_reece, bekker, ding, chaikin; in terra it replaces the law's own digging, in scm the D_max and j0 of its own
    // (D_s alone). Off by default.
    // Both go by the rim's speed over that of the wheel's centre, ρ = rω/V, and not by slip along the rim's plane.
    double slip_sinkage_max; ///< D_max of D_s = D_max (1 − e^(−j/j0)), j = L (ρ − 1), L the arc's length [m] ≥ 0
    double slip_sinkage_length; ///< j0 [m] > 0; default 0.04
    double lug_digging;         ///< D_s of lugs in addition, over their height; not scm [-] 0 … 100; default 0
    double lug_digging_length;  ///< its j0 [m] > 0; default 0.5
    double backfill; ///< λ grows by backfill D_s/2r, to 1 at most; wong_reece, ding, chaikin [-] 0 … 100; default 0
    double plough_sinkage; ///< of D_u = plough_sinkage u^p, u² = q² + (1 − q²) (k sin β)², q = max(0, 1 − ρ) [m] ≥ 0;
                           ///< default 0
    double plough_side;  ///< k [-] 0 … 1; default 1
    double plough_power; ///< p [-] 0.5 … 5; default 2

    // Damping of the normal motion, all laws except rheological and double_spring
    double damping;       ///< γ [N s/m] ≥ 0; default 0. Never pulls: f_z ≥ 0
    double damping_depth; ///< sinkage over which damping fades in, for a continuous force at touchdown [m] > 0; default
                          ///< 1e-3

    // rheological, double_spring: friction at the lowest point of the rim
    GrRheology rheology;         ///< default GR_KELVIN_VOIGT
    double stiffness;            ///< k [N/m^n] > 0; default 2e4; double_spring: k_soil [N/m]
    double stiffness_exponent;   ///< n [-] 0.5 … 3; default 1; double_spring takes 1
    double rheology_damping;     ///< c [N s/m] or [N s/m^(n+1)] ≥ 0; default 200; double_spring: β_soil
    double friction;             ///< μ [-] ≥ 0; default 0.6
    double tangential_stiffness; ///< stiffness of the stiction spring [N/m] > 0; default 2e4
    double tangential_damping;   ///< [N s/m] ≥ 0; default 100
    double rolling_resistance;   ///< resisting torque / (r f_z) [-] ≥ 0; default 0
    int stencil;                 ///< double_spring: points of the backward stencil, 2 … 5; default 2 (backward Euler)

    // terra
    double terra_in;      ///< slip sinkage gained per slip distance [-] ≥ 0; default 0.1
    double terra_out;     ///< fraction of the slip sinkage lost per patch length rolled [-] ≥ 0; default 1.4
    double terra_limit;   ///< slip sinkage / r at which digging stops [-] > 0; default 0.2
    double terra_incline; ///< factor 1/(1 + this · max(0, sin α)) on the loss of slip sinkage when climbing [-] ≥ 0;
                          ///< default 1

    // Unloading: a straight line of the slope k_0 + A_u H from the pressure at the deepest sinkage H (Wong 2008).
    // wong_reece, bekker, ding, chaikin, terra.
    double unloading_k0;      ///< k_0 [Pa/m] ≥ 0; default 0
    double unloading_grow;    ///< A_u [Pa/m²] ≥ 0; default 0
    double unloading_rebound; ///< while both are 0, the line ends at this part of the sinkage above H [-] 0 … 1; 0:
                              ///< elastic along the virgin curve; default 0.1

    // scm
    double rebound;      ///< fraction of the sinkage that recovers on unloading [-] 0.001 … 0.3; default 0.05
    double slip_sinkage; ///< depth dug per slip distance at first, D_max/j0, where slip_sinkage_max is 0: D_max is then
                         ///< 0.2 of the radius [-] 0 … 1; default 0.1
    double shear_compacted; ///< K of soil that earlier passes have compacted over that of virgin soil [-] 0.1 … 1;
                            ///< default 0.4 (Wong: 10 mm for firm sand, 25 mm for loose)
    double repose_angle;    ///< steepest slope of loose soil [rad] 5° … 80°; default 35°
    double bulking;         ///< volume raised beside a wheel / volume displaced [-] 0 … 1.5; default 1

    // Added to any law; off by default
    bool front_bulldozing;            ///< passive wedge in front of the wheel (Bekker 1969)
    GrSideBulldozing side_bulldozing; ///< side walls; lateral, with sin β
    double side_bulldozing_drag; ///< fraction of the side force that also resists longitudinally, with cos β (LS10
                                 ///< eq. 3.8) [-] 0 … 1
    double wall_friction;        ///< ξ between side wall and soil [rad] 0 … 45°; default 0
    double side_drag;            ///< k_l: drag per submerged area of both sides (LS10 eq. 3.10) [Pa] ≥ 0; default 0
    double resistance_speed;     ///< k_r of LS10 eq. 3.13 [m/s]; 0: resistances follow the rolling memory; default 0
    double bearing_c, bearing_gamma; ///< N_c and N_γ of the front wedge and of GR_PRESSURE_BEARING [-]; 0: Terzaghi's
                                     ///< values for φ; default 0
    // Passive wedge pushed along the direction of travel by a wheel that skids or slips sideways:
    // F = (γ N h²/2 + 2 c h √N)(wedge + wedge_slide u/v_s)(chord |sin β| + b wedge_front cos β max(−s, 0))
    double wedge;       ///< factor on passive earth pressure [-] ≥ 0; default 0
    double wedge_slide; ///< the part that vanishes as the wheel spins [-] ≥ 0; default 0
    double wedge_front; ///< factor on the front's area [-] ≥ 0; default 1

    // Errors of the law that a sample of a fitted soil has, as parts of the load (pull, side force), of the load times
    // the radius (torque) and of the radius (sinkage)
    double error_fx, error_fy, error_torque, error_sinkage; ///< [-] default 0

    // Parameters of laws without members above
    double own[GR_SOIL_OWN];      ///< `grouser show model` names them
    const struct GrUserLaw *user; ///< of GR_SOIL_USER; not owned, must outlive everything made from this; default NULL

    // Range in which the parameters were fitted; use outside it is a counted warning
    double slip_min, slip_max; ///< [-] default −1 … 1
    double sinkage_max;        ///< sinkage / r [-]; default 1
} GrSoilDef;

/// Grouser model.
typedef enum GrGrouserModel {
    GR_GROUSER_NONE,   ///< ignored
    GR_GROUSER_RADIUS, ///< wheel radius up to the lug tips (K23 2.3)
    GR_GROUSER_LUGS,   ///< smooth rim plus a passive wedge at each lug in the soil: periodic in the wheel angle
} GrGrouserModel;

/// The shape of both side walls of a wheel (gr_side_wall_create()).
typedef struct GrSideWall GrSideWall;

/// The surface of a wheel of any shape, prepared for the law rft (gr_wheel_surface_create()).
typedef struct GrWheelSurface GrWheelSurface;

/// Heights of the ground beside a wheel's contact above the contact plane [m]: heaps, berms and walls of ruts.
typedef struct GrGroundAround {
    bool known;            ///< else the ground is level
    double before, behind; ///< beyond the ends of the contact along +x and −x
    double left, right;    ///< beyond the wheel's sides along +y and −y
} GrGroundAround;

/// Properties of a wheel that affect soil forces.
typedef struct GrSoilWheelDef {
    double radius;            ///< of the smooth rim [m] > 0; default 0.09
    double width;             ///< [m] > 0; default 0.11
    GrGrouserModel grousers;  ///< default GR_GROUSER_RADIUS; without effect while grouser_height is 0
    int grouser_count;        ///< default 0
    double grouser_height;    ///< [m] ≥ 0; default 0
    double grouser_thickness; ///< [m] ≥ 0; default 0
    double grouser_slant;     ///< scm: between lug and axle [rad] within ±60°; default 0
    double crown;             ///< scm: radius at the middle minus radius at the edges [m] ≥ 0; default 0
    double stiffness;         ///< radial [N/m] > 0; INFINITY: rigid; default INFINITY
    double damping;           ///< radial, used by double_spring [N s/m] ≥ 0; default 0
    int slices;               ///< across the width, 1 … GR_SLICES_MAX; default 1
    double gravity;           ///< gravity acting on the soil [m/s²] ≥ 0; default 9.80665
    /// For GR_SIDE_MESH; default NULL: a full flat side in closed form. Not owned: it must outlive every wheel prepared
    /// with it.
    const GrSideWall *side;
    /// rft: its shape, in place of a cylinder with grousers; default NULL. gr_wheel_surface_describe() sets it together
    /// with radius, width and grousers. Not owned: it must outlive every wheel prepared with it.
    const GrWheelSurface *surface;
} GrSoilWheelDef;

/// Use of a soil, as far as it determines which parameters have an effect; bits.
typedef enum GrSoilUse {
    GR_SOIL_USE_ALL = 0,          ///< a rover: every parameter may have an effect
    GR_SOIL_USE_STEADY = 1 << 0,  ///< only steady forces, no time integration (static rig)
    GR_SOIL_USE_NO_FLOW = 1 << 1, ///< scm, rft: displaced soil does not rise or slump
    GR_SOIL_USE_LUGS = 1 << 2,    ///< grousers act as lugs
    GR_SOIL_USE_DAMPED = 1 << 3,  ///< the caller adds damping if the soil has none
    GR_SOIL_USE_SIDES = 1 << 4,   ///< side walls are tilted (GrSideWall)
    GR_SOIL_USE_ANY = GR_SOIL_USE_LUGS | GR_SOIL_USE_DAMPED | GR_SOIL_USE_SIDES, ///< all that can have an effect
} GrSoilUse;

/// All fields at their defaults. Start from these, not from zero.
GR_API GrSoilDef gr_default_soil_def(void);
GR_API GrSoilWheelDef gr_default_soil_wheel_def(void);

/// Prepares a closed surface, or several closed ones that overlap, of `count` triangles, counter-clockwise seen from
/// outside, in the wheel frame: y along the axle, origin at the centre [m]. It is cut into pieces of a tenth of the
/// radius; those inside the wheel are left out.
GR_API GrStatus gr_wheel_surface_create(const GrVec3 (*triangles)[3], int count, GrWheelSurface **out, GrErrorLog *log);

/// Another owner of the same surface, which is the same pointer: each frees it once. NULL for NULL.
GR_API GrWheelSurface *gr_wheel_surface_share(GrWheelSurface *surface);

/// A copy that is `factor` > 0 times as large; NULL when out of memory.
GR_API GrWheelSurface *gr_wheel_surface_scale(const GrWheelSurface *surface, double factor);

/// Gives up one owner's part; the last one frees it. NULL is allowed.
GR_API void gr_wheel_surface_free(GrWheelSurface *surface);

/// Sets the surface of a wheel, and its radius, width, and number, height and thickness of grousers as the surface has
/// them in its middle plane.
GR_API void gr_wheel_surface_describe(const GrWheelSurface *surface, GrSoilWheelDef *wheel);

/// Prepares a side wall of `count` triangles in the wheel frame: y along the axle, origin at the centre [m]. They are
/// those of one side, and the other side is alike. Openings between them let soil pass.
GR_API GrStatus gr_side_wall_create(const GrVec3 (*triangles)[3], int count, GrSideWall **out, GrErrorLog *log);

/// Another owner of the same side wall, as of a GrWheelSurface.
GR_API GrSideWall *gr_side_wall_share(GrSideWall *side);
GR_API GrSideWall *gr_side_wall_scale(const GrSideWall *side, double factor);
GR_API void gr_side_wall_free(GrSideWall *side);

/// Largest distance from the axle [m].
GR_API double gr_side_wall_reach(const GrSideWall *side);

/// Name of a law in files; never NULL.
GR_API const char *gr_soil_law_name(GrSoilLaw law);

/// One-line description of a law; never NULL.
GR_API const char *gr_soil_law_text(GrSoilLaw law);

/// Whether a law models the soil as a grid of nodes, with its own ruts (scm).
GR_API bool gr_soil_law_on_grid(GrSoilLaw law);

/// One-line description of a warning of a law (a single bit of GrWheelView::flags); never NULL.
GR_API const char *gr_soil_flag_text(int flag);

/// Looks up a law by name. An unknown name is an error that suggests the nearest valid one.
GR_API GrStatus gr_soil_law_find(const char *name, GrSoilLaw *out, GrErrorLog *log);

/// Checks every parameter that the law and its add-ons use. All problems go to `log`.
GR_API GrStatus gr_soil_check(const GrSoilDef *soil, GrErrorLog *log);

/// Like gr_soil_check(), and also checks that the soil is valid for this wheel.
GR_API GrStatus gr_soil_check_wheel(const GrSoilDef *soil, const GrSoilWheelDef *wheel, GrErrorLog *log);

#ifdef __cplusplus
}
#endif
#endif
