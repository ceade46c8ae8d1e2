#include "soil_param.h"

#include <math.h>
#include <string.h>

#define DEGREE   (3.14159265358979323846 / 180)
#define BIT(law) (1u << GR_SOIL_##law)

enum {
    ARC = BIT(WONG_REECE) | BIT(DING) | BIT(CHAIKIN),
    PATCH = ARC | BIT(BEKKER) | BIT(TERRA),
    STRESS = PATCH | BIT(SCM),
    SPRING = BIT(RHEOLOGICAL) | BIT(DOUBLE_SPRING),
    ALL = STRESS | SPRING,
};

const char *const gr_pressure_names[2] = {"bekker", "reece"};
const char *const gr_shear_names[2] = {"separate", "combined"};
const char *const gr_rheology_names[2] = {"kelvin_voigt", "hunt_crossley"};
const char *const gr_side_bulldozing_names[3] = {"none", "hegedus", "mesh"};

/// name, key, unit, text, member, scale, range, laws; reordered into the struct.
#define ROW(name_, key_, unit_, text_, member_, scale_, lower_, upper_, open_, laws_)                                  \
    {                                                                                                                  \
        .name = (name_), .key = (key_), .field = #member_, .unit = (unit_), .text = (text_),                           \
        .offset = offsetof(GrSoilDef, member_), .scale = (scale_), .lower = (lower_), .upper = (upper_),               \
        .open = (open_), .laws = (laws_)                                                                               \
    }

static const GrSoilParam rows[] = {
    ROW("k_c", "k_c_N_per_m_n1", "N/m^(n+1)", "cohesive modulus of sinkage", k_c, 1, -1e15, 1e15, false, STRESS),
    ROW("k_phi", "k_phi_N_per_m_n2", "N/m^(n+2)", "frictional modulus of sinkage", k_phi, 1, -1e15, 1e15, false,
        STRESS),
    ROW("k_c_reece", "k_c_reece", "", "cohesive modulus k_c' (Reece)", k_c_reece, 1, 0, 1e9, false, STRESS),
    ROW("k_phi_reece", "k_phi_reece", "", "frictional modulus k_phi' (Reece)", k_phi_reece, 1, 0, 1e9, false, STRESS),
    ROW("n0", "n0", "", "sinkage exponent", n0, 1, 0.1, 3, false, STRESS),
    ROW("n1", "n1", "", "growth of the exponent with slip", n1, 1, -2.9, 2.9, false, PATCH),
    ROW("density", "density_kg_per_m3", "kg/m³", "bulk density", density, 1, 0, 1e5, false, ALL),
    ROW("c", "c_Pa", "Pa", "cohesion", cohesion, 1, 0, 1e9, false, ALL),
    ROW("phi", "phi_deg", "°", "angle of internal friction", friction_angle, DEGREE, 0, 60, false, ALL),
    ROW("K_x", "K_x_m", "m", "shear modulus along", shear_x, 1, 0, 10, true, ALL),
    ROW("K_x_slope", "K_x_slope_m_per_rad", "m/rad", "its growth with slip angle", shear_x_slope, 1, -10, 10, false,
        PATCH),
    ROW("K_y", "K_y_m", "m", "shear modulus across", shear_y, 1, 0, 10, true, STRESS),
    ROW("K_y_slope", "K_y_slope_m_per_rad", "m/rad", "its growth with slip angle", shear_y_slope, 1, -10, 10, false,
        PATCH),
    ROW("a1", "a1", "", "peak stress angle over entry angle", peak_a1, 1, -1, 1, false, BIT(WONG_REECE) | BIT(DING)),
    ROW("a2", "a2", "", "its growth with slip", peak_a2, 1, -1, 1, false, BIT(WONG_REECE) | BIT(DING)),
    ROW("lambda", "lambda", "", "exit depth over sinkage", exit_ratio, 1, 0, 1.5, false, PATCH | SPRING),
    ROW("damping", "damping_Ns_per_m", "N s/m", "damping of the normal motion", damping, 1, 0, 1e12, false, STRESS),
    ROW("damping_depth", "damping_depth_m", "m", "sinkage over which damping sets in", damping_depth, 1, 0, 10, true,
        STRESS | BIT(RHEOLOGICAL)),
    ROW("stiffness", "stiffness_N_per_m_n", "N/m^n", "normal stiffness", stiffness, 1, 0, 1e15, true, SPRING),
    ROW("stiffness_exponent", "stiffness_exponent", "", "exponent of the normal force", stiffness_exponent, 1, 0.5, 3,
        false, BIT(RHEOLOGICAL)),
    ROW("rheology_damping", "rheology_damping_Ns_per_m", "N s/m", "normal damping", rheology_damping, 1, 0, 1e12, false,
        SPRING),
    ROW("friction", "friction", "", "coefficient of friction", friction, 1, 0, 10, false, SPRING),
    ROW("tangential_stiffness", "tangential_stiffness_N_per_m", "N/m", "stiffness of the stiction spring",
        tangential_stiffness, 1, 0, 1e12, true, SPRING),
    ROW("tangential_damping", "tangential_damping_Ns_per_m", "N s/m", "damping of the stiction spring",
        tangential_damping, 1, 0, 1e12, false, SPRING),
    ROW("rolling_resistance", "rolling_resistance", "", "resisting torque over r f_z", rolling_resistance, 1, 0, 1,
        false, SPRING),
    ROW("terra_in", "terra_in", "", "slip sinkage gained per slipped length", terra_in, 1, 0, 10, false, BIT(TERRA)),
    ROW("terra_out", "terra_out", "", "part of it lost per patch length rolled", terra_out, 1, 0, 100, false,
        BIT(TERRA)),
    ROW("terra_limit", "terra_limit", "", "slip sinkage over r where digging stops", terra_limit, 1, 0, 2, true,
        BIT(TERRA)),
    ROW("terra_incline", "terra_incline", "", "how much a climb slows the way out", terra_incline, 1, 0, 100, false,
        BIT(TERRA)),
    ROW("rebound", "rebound", "", "part of the sinkage that comes back", rebound, 1, 0.001, 0.3, false, BIT(SCM)),
    ROW("slip_sinkage", "slip_sinkage", "", "soil dug away per slipped length", slip_sinkage, 1, 0, 1, false, BIT(SCM)),
    ROW("repose", "repose_deg", "°", "steepest slope of loose soil", repose_angle, DEGREE, 5, 80, false, BIT(SCM)),
    ROW("bulking", "bulking", "", "volume that rises over volume pressed down", bulking, 1, 0, 1.5, false, BIT(SCM)),
    ROW("side_bulldozing_drag", "side_bulldozing_drag", "", "part of the side force that resists along",
        side_bulldozing_drag, 1, 0, 1, false, ALL),
    ROW("wall_friction", "wall_friction_deg", "°", "friction angle of side wall and soil", wall_friction, DEGREE, 0, 45,
        false, ALL),
    ROW("side_drag", "side_drag_Pa", "Pa", "drag per sunk area of both sides", side_drag, 1, 0, 1e9, false,
        PATCH | SPRING),
    ROW("resistance_speed", "resistance_speed_m_per_s", "m/s", "speed over which resistances set in", resistance_speed,
        1, 0, 100, false, PATCH | SPRING),
    ROW("bearing_c", "bearing_c", "", "N_c of the front wedge; 0: Terzaghi's", bearing_c, 1, 0, 1e6, false, ALL),
    ROW("bearing_gamma", "bearing_gamma", "", "N_γ of the front wedge; 0: Terzaghi's", bearing_gamma, 1, 0, 1e6, false,
        ALL),
    ROW("slip_min", "slip_min", "", "least slip of the fit", slip_min, 1, -1, 1, false, ALL),
    ROW("slip_max", "slip_max", "", "largest slip of the fit", slip_max, 1, -1, 1, false, ALL),
    ROW("sinkage_max", "sinkage_max", "", "largest sinkage of the fit over r", sinkage_max, 1, 0, 10, true, ALL),
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

int gr_soil_param_count(void)
{
    return ROW_COUNT;
}

const GrSoilParam *gr_soil_param(int index)
{
    return &rows[index];
}

int gr_soil_param_find(const char *name)
{
    for (int i = 0; i < ROW_COUNT; i++) {
        if (strcmp(name, rows[i].name) == 0 || strcmp(name, rows[i].key) == 0) {
            return i;
        }
    }
    return -1;
}

double gr_soil_param_get(const GrSoilDef *soil, int index)
{
    double value;
    memcpy(&value, (const char *)soil + rows[index].offset, sizeof value);
    return value / rows[index].scale;
}

void gr_soil_param_set(GrSoilDef *soil, int index, double value)
{
    const double si = value * rows[index].scale;
    memcpy((char *)soil + rows[index].offset, &si, sizeof si);
}

static bool is(const GrSoilParam *row, size_t offset)
{
    return row->offset == offset;
}

#define IS(member) is(row, offsetof(GrSoilDef, member))

/// Whether the side walls also resist along the wheel.
static bool sides_resist(const GrSoilDef *soil)
{
    return soil->side_bulldozing != GR_SIDE_NONE && soil->side_bulldozing_drag > 0;
}

bool gr_soil_param_used(const GrSoilDef *soil, int index, unsigned use)
{
    const GrSoilParam *row = &rows[index];
    const bool springs = (1u << soil->law & SPRING) != 0, grid = soil->law == GR_SOIL_SCM;
    const bool reece = soil->pressure == GR_PRESSURE_REECE && !springs, steady = (use & GR_SOIL_USE_STEADY) != 0;
    const bool lugs = (use & GR_SOIL_USE_LUGS) != 0 && !grid;
    const bool sides = soil->side_bulldozing != GR_SIDE_NONE && !grid, front = soil->front_bulldozing && !grid;
    if (!(row->laws & 1u << soil->law)) {
        return false;
    }
    if (IS(k_c) || IS(k_phi)) {
        return !reece;
    }
    if (IS(k_c_reece) || IS(k_phi_reece)) {
        return reece;
    }
    if (IS(density)) {
        return reece || sides || front || lugs || soil->law == GR_SOIL_TERRA;
    }
    if (IS(exit_ratio)) {
        return (1u << soil->law & ARC) != 0 || lugs || (sides && soil->side_bulldozing == GR_SIDE_HEGEDUS);
    }
    if (IS(cohesion) || IS(friction_angle)) {
        return !springs || sides || front || lugs;
    }
    if (IS(shear_x)) {
        return !springs || lugs;
    }
    if (IS(shear_y) || IS(shear_y_slope)) {
        return soil->shear == GR_SHEAR_SEPARATE;
    }
    if (IS(side_bulldozing_drag)) {
        return sides;
    }
    if (IS(wall_friction)) {
        return false; // cos(α + ξ)/cos ξ = 1 on an upright side (LS10 eq. 3.9); only triangles of a C caller are tilted
    }
    if (IS(bearing_c) || IS(bearing_gamma)) {
        return front;
    }
    if (IS(damping) || IS(rheology_damping) || IS(tangential_stiffness) || IS(tangential_damping) ||
        IS(terra_incline)) {
        return !steady;
    }
    if (IS(damping_depth)) {
        return !steady &&
               (springs ? soil->rheology == GR_KELVIN_VOIGT : soil->damping > 0 || (use & GR_SOIL_USE_DAMPED) != 0);
    }
    if (IS(resistance_speed)) {
        // Scales resistances: those of the stress integral, or the add-ons of a spring.
        return !springs || sides_resist(soil) || front || soil->side_drag > 0;
    }
    if (IS(repose_angle) || IS(bulking)) {
        return !(use & GR_SOIL_USE_NO_FLOW);
    }
    return true;
}

/// Forms and add-ons.
static const GrSoilChoice choices[] = {
    {"pressure", STRESS},
    {"shear", STRESS},
    {"rheology", BIT(RHEOLOGICAL)},
    {"stencil", BIT(DOUBLE_SPRING)},
    {"points", BIT(CHAIKIN)},
    {"front_bulldozing", PATCH | SPRING},
    {"side_bulldozing", PATCH | SPRING},
};

_Static_assert(ROW_COUNT + sizeof choices / sizeof choices[0] <= 64, "a soil's inputs are bits of one number");

int gr_soil_choice_count(void)
{
    return (int)(sizeof choices / sizeof choices[0]);
}

const GrSoilChoice *gr_soil_choice(int index)
{
    return &choices[index];
}

bool gr_soil_choice_used(const GrSoilDef *soil, int index, unsigned use)
{
    const bool damps = strcmp(choices[index].key, "rheology") == 0 || strcmp(choices[index].key, "stencil") == 0;
    return (choices[index].laws & 1u << soil->law) != 0 && !(damps && (use & GR_SOIL_USE_STEADY));
}

const char *gr_soil_ignored_reason(const GrSoilDef *soil, int index)
{
    const unsigned law = 1u << soil->law;
    if (index >= ROW_COUNT) {
        return choices[index - ROW_COUNT].laws & law ? "steady forces do not depend on it" : "the law does not read it";
    }
    const GrSoilParam *row = &rows[index];
    if (!(row->laws & law)) {
        return "the law does not read it";
    }
    if (IS(k_c) || IS(k_phi)) {
        return "pressure: reece has k_c_reece and k_phi_reece in its place";
    }
    if (IS(k_c_reece) || IS(k_phi_reece)) {
        return "it needs pressure: reece";
    }
    if (IS(shear_y) || IS(shear_y_slope)) {
        return "shear: combined has the one modulus K_x";
    }
    if (IS(side_bulldozing_drag)) {
        return "it needs side_bulldozing";
    }
    if (IS(wall_friction)) {
        return "it acts on tilted side walls alone, and those of wheels are flat";
    }
    if (IS(bearing_c) || IS(bearing_gamma)) {
        return "it needs front_bulldozing";
    }
    if (IS(damping_depth)) {
        return "it needs damping";
    }
    if (IS(repose_angle) || IS(bulking)) {
        return "it needs the flow of soil (ruts: {flow: true}, or --flow)";
    }
    if (IS(density) || IS(cohesion) || IS(friction_angle) || IS(shear_x) || IS(exit_ratio)) {
        return "in this form the law does not read it";
    }
    return "steady forces do not depend on it";
}

bool gr_soil_param_essential(const GrSoilDef *soil, int index)
{
    const GrSoilParam *row = &rows[index];
    const bool wanted = IS(k_c) || IS(k_phi) || IS(k_phi_reece) || IS(n0) || IS(cohesion) || IS(friction_angle) ||
                        IS(shear_x) || IS(shear_y) || IS(peak_a1) || IS(peak_a2) || IS(exit_ratio) || IS(density) ||
                        IS(stiffness) || IS(friction) || IS(rheology_damping);
    return wanted && gr_soil_param_used(soil, index, GR_SOIL_USE_ALL);
}
