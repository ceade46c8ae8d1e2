/// The shared parameters and choices of soils, and which law reads what.
#include "law.h"

#include <math.h>
#include <string.h>

const char *const gr_pressure_names[3] = {"bekker", "reece", "bearing"};
const char *const gr_gravity_scaling_names[2] = {"none", "density"};
const char *const gr_shear_names[2] = {"separate", "combined"};
const char *const gr_skid_flow_names[2] = {"one_zone", "two_zones"};
const char *const gr_rheology_names[2] = {"kelvin_voigt", "hunt_crossley"};
const char *const gr_side_bulldozing_names[3] = {"none", "hegedus", "mesh"};

/// Parameters that several laws read.
static const GrSoilParam rows[] = {
    {GR_SOIL_ROW("k_c", "k_c_N_per_m_n1", "N/m^(n+1)", "cohesive modulus of sinkage", k_c, 1, -1e15, 1e15, false,
                 GR_LAW_STRESS),
     .essential = true},
    {GR_SOIL_ROW("k_phi", "k_phi_N_per_m_n2", "N/m^(n+2)", "frictional modulus of sinkage", k_phi, 1, -1e15, 1e15,
                 false, GR_LAW_STRESS),
     .essential = true},
    {GR_SOIL_ROW("k_c_reece", "k_c_reece", "", "cohesive modulus k_c' (Reece)", k_c_reece, 1, 0, 1e9, false,
                 GR_LAW_STRESS)},
    {GR_SOIL_ROW("k_phi_reece", "k_phi_reece", "", "frictional modulus k_phi' (Reece)", k_phi_reece, 1, 0, 1e9, false,
                 GR_LAW_STRESS),
     .essential = true},
    {GR_SOIL_ROW("bearing_depth", "bearing_depth_m", "m", "depth z_0 that mobilises the bearing capacity",
                 bearing_depth, 1, 0, 1, true, GR_LAW_STRESS),
     .essential = true},
    {GR_SOIL_ROW("bearing_n_c", "bearing_n_c", "", "exponent of the cohesive term of bearing", bearing_n_c, 1, 0.1, 3,
                 false, GR_LAW_STRESS)},
    {GR_SOIL_ROW("bearing_n_q", "bearing_n_q", "", "exponent of the surcharge of bearing", bearing_n_q, 1, 0.1, 3,
                 false, GR_LAW_STRESS)},
    {GR_SOIL_ROW("surcharge", "surcharge", "", "part of Terzaghi's surcharge that acts in bearing", surcharge, 1, 0, 10,
                 false, GR_LAW_STRESS)},
    {GR_SOIL_ROW("n0", "n0", "", "sinkage exponent", n0, 1, 0.1, 3, false, GR_LAW_STRESS), .essential = true},
    {GR_SOIL_ROW("n1", "n1", "", "growth of the exponent with slip", n1, 1, -2.9, 2.9, false, GR_LAW_PATCH)},
    {GR_SOIL_ROW("density", "density_kg_per_m3", "kg/m³", "bulk density", density, 1, 0, 1e5, false, GR_LAW_ANY),
     .essential = true},
    {GR_SOIL_ROW("c", "c_Pa", "Pa", "cohesion", cohesion, 1, 0, 1e9, false, GR_LAW_ANY), .essential = true},
    {GR_SOIL_ROW("phi", "phi_deg", "°", "angle of internal friction", friction_angle, GR_DEGREE, 0, 60, false,
                 GR_LAW_ANY),
     .essential = true},
    {GR_SOIL_ROW("K_x", "K_x_m", "m", "longitudinal shear deformation modulus", shear_x, 1, 0, 10, true, GR_LAW_ANY),
     .essential = true},
    {GR_SOIL_ROW("K_x_slope", "K_x_slope_m_per_rad", "m/rad", "growth of K_x with slip angle", shear_x_slope, 1, -10,
                 10, false, GR_LAW_PATCH)},
    {GR_SOIL_ROW("K_y", "K_y_m", "m", "lateral shear deformation modulus", shear_y, 1, 0, 10, true, GR_LAW_STRESS),
     .essential = true},
    {GR_SOIL_ROW("K_y_slope", "K_y_slope_m_per_rad", "m/rad", "growth of K_y with slip angle", shear_y_slope, 1, -10,
                 10, false, GR_LAW_PATCH)},
    {GR_SOIL_ROW("a1", "a1", "", "peak stress angle over entry angle", peak_a1, 1, -1, 1, false, GR_LAW_PEAK),
     .essential = true},
    {GR_SOIL_ROW("a2", "a2", "", "growth of a1 with slip", peak_a2, 1, -1, 1, false, GR_LAW_PEAK), .essential = true},
    {GR_SOIL_ROW("lambda", "lambda", "", "exit depth over sinkage", exit_ratio, 1, 0, 1.5, false, GR_LAW_WHEEL),
     .essential = true},
    {GR_SOIL_ROW("a_plough", "a_plough", "", "shift of the peak by ploughing, over entry angle", peak_plough, 1, -2, 1,
                 false, GR_LAW_PEAK)},
    {GR_SOIL_ROW("slip_sinkage_max", "slip_sinkage_max_m", "m", "depth dug out by a spinning wheel; 0: none",
                 slip_sinkage_max, 1, 0, 1, false, GR_LAW_PATCH | GR_LAW_GRID)},
    {GR_SOIL_ROW("slip_sinkage_length", "slip_sinkage_length_m", "m", "slip path over which digging saturates",
                 slip_sinkage_length, 1, 0, 100, true, GR_LAW_PATCH | GR_LAW_GRID)},
    {GR_SOIL_ROW("lug_digging", "lug_digging", "", "depth that grousers dig out in addition, over their height",
                 lug_digging, 1, 0, 100, false, GR_LAW_PATCH)},
    {GR_SOIL_ROW("lug_digging_length", "lug_digging_length_m", "m", "slip path over which their digging saturates",
                 lug_digging_length, 1, 0, 100, true, GR_LAW_PATCH)},
    {GR_SOIL_ROW("backfill", "backfill", "", "growth of lambda with the depth dug out over the wheel's diameter",
                 backfill, 1, 0, 100, false, GR_LAW_ARC)},
    {GR_SOIL_ROW("plough_sinkage", "plough_sinkage_m", "m", "depth ploughed aside by a locked or sideways wheel",
                 plough_sinkage, 1, 0, 1, false, GR_LAW_PATCH | GR_LAW_GRID)},
    {GR_SOIL_ROW("plough_side", "plough_side", "", "part of the sideways travel that ploughs", plough_side, 1, 0, 1,
                 false, GR_LAW_WHEEL | GR_LAW_GRID)},
    {GR_SOIL_ROW("plough_power", "plough_power", "", "power of the ploughing fraction", plough_power, 1, 0.5, 5, false,
                 GR_LAW_PATCH | GR_LAW_GRID)},
    {GR_SOIL_ROW("k_0", "k_0_N_per_m3", "N/m³", "stiffness of unloading at no sinkage", unloading_k0, 1, 0, 1e15, false,
                 GR_LAW_PATCH),
     .not_in = GR_SOIL_USE_STEADY},
    {GR_SOIL_ROW("A_u", "A_u_N_per_m4", "N/m⁴", "growth of that stiffness with sinkage", unloading_grow, 1, 0, 1e15,
                 false, GR_LAW_PATCH),
     .not_in = GR_SOIL_USE_STEADY},
    {GR_SOIL_ROW("unloading_rebound", "unloading_rebound", "",
                 "part of the sinkage that rebounds, without k_0 and A_u; 0: elastic", unloading_rebound, 1, 0, 1,
                 false, GR_LAW_PATCH),
     .not_in = GR_SOIL_USE_STEADY},
    {GR_SOIL_ROW("damping", "damping_Ns_per_m", "N s/m", "damping of the normal motion", damping, 1, 0, 1e12, false,
                 GR_LAW_STRESS | GR_LAW_DAMPED),
     .not_in = GR_SOIL_USE_STEADY},
    {GR_SOIL_ROW("damping_depth", "damping_depth_m", "m", "sinkage over which damping sets in", damping_depth, 1, 0, 10,
                 true, GR_LAW_STRESS | GR_LAW_DAMPED | GR_LAW_RHEOLOGY),
     .not_in = GR_SOIL_USE_STEADY},
    {GR_SOIL_ROW("stiffness", "stiffness_N_per_m_n", "N/m^n", "normal stiffness", stiffness, 1, 0, 1e15, true,
                 GR_LAW_SPRING),
     .essential = true},
    {GR_SOIL_ROW("rheology_damping", "rheology_damping_Ns_per_m", "N s/m", "normal damping", rheology_damping, 1, 0,
                 1e12, false, GR_LAW_SPRING),
     .not_in = GR_SOIL_USE_STEADY, .essential = true},
    {GR_SOIL_ROW("friction", "friction", "", "coefficient of friction", friction, 1, 0, 10, false, GR_LAW_SPRING),
     .essential = true},
    {GR_SOIL_ROW("tangential_stiffness", "tangential_stiffness_N_per_m", "N/m", "stiffness of the stiction spring",
                 tangential_stiffness, 1, 0, 1e12, true, GR_LAW_SPRING),
     .not_in = GR_SOIL_USE_STEADY},
    {GR_SOIL_ROW("tangential_damping", "tangential_damping_Ns_per_m", "N s/m", "damping of the stiction spring",
                 tangential_damping, 1, 0, 1e12, false, GR_LAW_SPRING),
     .not_in = GR_SOIL_USE_STEADY},
    {GR_SOIL_ROW("rolling_resistance", "rolling_resistance", "", "resisting torque over r f_z", rolling_resistance, 1,
                 0, 1, false, GR_LAW_SPRING)},
    {GR_SOIL_ROW("side_bulldozing_drag", "side_bulldozing_drag", "",
                 "fraction of the side force that resists forward motion", side_bulldozing_drag, 1, 0, 1, false,
                 GR_LAW_ANY)},
    {GR_SOIL_ROW("wall_friction", "wall_friction_deg", "°", "friction angle of side wall and soil", wall_friction,
                 GR_DEGREE, 0, 45, false, GR_LAW_ANY)},
    {GR_SOIL_ROW("side_drag", "side_drag_Pa", "Pa", "drag per sunk area of the side walls", side_drag, 1, 0, 1e9, false,
                 GR_LAW_WHEEL)},
    {GR_SOIL_ROW("resistance_speed", "resistance_speed_m_per_s", "m/s", "speed over which resistances build up",
                 resistance_speed, 1, 0, 100, false, GR_LAW_WHEEL)},
    {GR_SOIL_ROW("bearing_c", "bearing_c", "", "N_c of front wedge and bearing; 0: Terzaghi's", bearing_c, 1, 0, 1e6,
                 false, GR_LAW_ANY)},
    {GR_SOIL_ROW("bearing_gamma", "bearing_gamma", "", "N_γ of front wedge and bearing; 0: Terzaghi's", bearing_gamma,
                 1, 0, 1e6, false, GR_LAW_ANY)},
    {GR_SOIL_ROW("wedge", "wedge", "", "wedge pushed along the travel, over passive earth pressure", wedge, 1, 0, 100,
                 false, GR_LAW_WHEEL | GR_LAW_GRID)},
    {GR_SOIL_ROW("wedge_slide", "wedge_slide", "", "its part that vanishes as the wheel spins", wedge_slide, 1, 0, 100,
                 false, GR_LAW_WHEEL | GR_LAW_GRID)},
    {GR_SOIL_ROW("wedge_front", "wedge_front", "", "factor on the front area of that wedge", wedge_front, 1, 0, 100,
                 false, GR_LAW_WHEEL | GR_LAW_GRID)},
    {GR_SOIL_ROW("fit_radius", "fit_radius_m", "m", "wheel radius of the fit, with which lengths grow; 0: none",
                 fit_radius, 1, 0, 100, false, GR_LAW_PATCH)},
    {GR_SOIL_ROW("slip_min", "slip_min", "", "smallest slip of the fit", slip_min, 1, -1, 1, false, GR_LAW_ANY)},
    {GR_SOIL_ROW("slip_max", "slip_max", "", "largest slip of the fit", slip_max, 1, -1, 1, false, GR_LAW_ANY)},
    {GR_SOIL_ROW("sinkage_max", "sinkage_max", "", "largest sinkage of the fit over r", sinkage_max, 1, 0, 10, true,
                 GR_LAW_ANY)},
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

static int own_count(const GrLaw *law)
{
    int count = 0;
    while (count < GR_LAW_OWN_PARAMS && law->own[count].name != NULL) {
        count++;
    }
    return count;
}

int gr_soil_param_count(void)
{
    int count = ROW_COUNT;
    for (int law = 0; law < GR_SOIL_LAW_COUNT; law++) {
        count += own_count(gr_law((GrSoilLaw)law));
    }
    return count;
}

/// A row, and the law that it belongs to; GR_SOIL_LAW_COUNT for shared parameters.
static const GrSoilParam *find_row(int index, GrSoilLaw *owner)
{
    *owner = GR_SOIL_LAW_COUNT;
    if (index < ROW_COUNT) {
        return &rows[index];
    }
    index -= ROW_COUNT;
    for (int law = 0; law < GR_SOIL_LAW_COUNT; law++) {
        const int count = own_count(gr_law((GrSoilLaw)law));
        if (index < count) {
            *owner = (GrSoilLaw)law;
            return &gr_law((GrSoilLaw)law)->own[index];
        }
        index -= count;
    }
    return NULL;
}

const GrSoilParam *gr_soil_param(int index)
{
    GrSoilLaw owner;
    return find_row(index, &owner);
}

int gr_soil_param_find(const char *name)
{
    const int count = gr_soil_param_count();
    for (int i = 0; i < count; i++) {
        const GrSoilParam *row = gr_soil_param(i);
        if (strcmp(name, row->name) == 0 || strcmp(name, row->key) == 0) {
            return i;
        }
    }
    return -1;
}

double gr_soil_param_get(const GrSoilDef *soil, int index)
{
    const GrSoilParam *row = gr_soil_param(index);
    double value;
    memcpy(&value, (const char *)soil + row->offset, sizeof value);
    return value / row->scale;
}

void gr_soil_param_set(GrSoilDef *soil, int index, double value)
{
    const GrSoilParam *row = gr_soil_param(index);
    const double si = value * row->scale;
    memcpy((char *)soil + row->offset, &si, sizeof si);
}

bool gr_soil_param_of_law(GrSoilLaw law, int index)
{
    GrSoilLaw owner;
    const GrSoilParam *row = find_row(index, &owner);
    return owner == law || (row->traits & gr_law(law)->traits) != 0;
}

#define IS(member) (row->offset == offsetof(GrSoilDef, member))

/// Whether the side walls also cause resistance along the wheel.
static bool sides_resist(const GrSoilDef *soil)
{
    return soil->side_bulldozing != GR_SIDE_NONE && soil->side_bulldozing_drag > 0;
}

static bool pushes_wedge(const GrSoilDef *soil)
{
    return soil->wedge > 0 || soil->wedge_slide > 0;
}

/// Whether the soil digs by slip_sinkage_max, lug_digging or plough_sinkage, which replace the digging of terra.
static bool digs(const GrSoilDef *soil)
{
    return soil->slip_sinkage_max > 0 || soil->lug_digging > 0 || soil->plough_sinkage > 0;
}

/// Whether the soil gives its own line of unloading.
static bool has_line(const GrSoilDef *soil)
{
    return soil->unloading_k0 > 0 || soil->unloading_grow > 0;
}

/// Whether a parameter of digging, ploughing or unloading has no effect because another one is 0, or is replaced.
static bool idle(const GrSoilDef *soil, const GrSoilParam *row)
{
    const bool terra = IS(terra_in) || IS(terra_out) || IS(terra_limit) || IS(terra_incline);
    const bool shifts = soil->peak_plough != 0 && (gr_law(soil->law)->traits & GR_LAW_PEAK) != 0;
    const bool sinks = soil->plough_sinkage > 0 && (gr_law(soil->law)->traits & (GR_LAW_PATCH | GR_LAW_GRID)) != 0;
    const bool ploughs = sinks || shifts, dug = soil->slip_sinkage_max > 0 || soil->lug_digging > 0;
    return (IS(slip_sinkage_length) && !(soil->slip_sinkage_max > 0)) ||
           (IS(lug_digging_length) && !(soil->lug_digging > 0)) || (IS(backfill) && !(dug && soil->exit_ratio < 1)) ||
           (IS(plough_side) && !(ploughs || soil->wedge_slide > 0)) ||
           (IS(slip_sinkage) && soil->slip_sinkage_max > 0) || (IS(plough_power) && !ploughs) ||
           (IS(wedge_front) && !pushes_wedge(soil)) || (terra && digs(soil)) ||
           (IS(unloading_rebound) && has_line(soil));
}

bool gr_soil_param_used(const GrSoilDef *soil, int index, unsigned use)
{
    const GrSoilParam *row = gr_soil_param(index);
    const unsigned traits = gr_law(soil->law)->traits;
    const bool stress = (traits & GR_LAW_STRESS) != 0, added = (traits & GR_LAW_WHEEL) != 0;
    GrSoilDef copy = *soil;
    const GrLaw *law = gr_law(soil->law);
    const bool grains = (traits & GR_LAW_GRAINS) != 0, given = law->weight != NULL && law->weight(&copy) != NULL;
    const bool reece = soil->pressure == GR_PRESSURE_REECE && stress;
    const bool bearing = soil->pressure == GR_PRESSURE_BEARING && stress;
    const bool has_lugs = (use & GR_SOIL_USE_LUGS) != 0, lugs = has_lugs && added;
    const bool grips = has_lugs && (traits & GR_LAW_GRID) != 0;
    const bool sides = soil->side_bulldozing != GR_SIDE_NONE && added, front = soil->front_bulldozing && added;
    const bool wedge = pushes_wedge(soil) && (traits & (GR_LAW_WHEEL | GR_LAW_GRID)) != 0;
    if (!gr_soil_param_of_law(soil->law, index) || (row->not_in & use) != 0 || idle(soil, row)) {
        return false;
    }
    if (IS(k_c) || IS(k_phi)) {
        return !reece && !bearing;
    }
    if (IS(k_c_reece) || IS(k_phi_reece)) {
        return reece;
    }
    if (IS(bearing_depth) || IS(surcharge)) {
        return bearing;
    }
    if (IS(bearing_n_c)) {
        return bearing && soil->cohesion > 0;
    }
    if (IS(bearing_n_q)) {
        return bearing && soil->surcharge > 0;
    }
    if (IS(density)) {
        return reece || bearing || sides || front || wedge || lugs || grips || (traits & GR_LAW_WEIGHS) != 0 ||
               (grains && !given);
    }
    if (IS(exit_ratio)) {
        return (traits & GR_LAW_ARC) != 0 || lugs || (sides && soil->side_bulldozing == GR_SIDE_HEGEDUS);
    }
    if (IS(cohesion) || IS(friction_angle)) {
        return stress || sides || front || wedge || lugs || grains;
    }
    if (IS(shear_x)) {
        return stress || lugs;
    }
    if (IS(shear_y) || IS(shear_y_slope)) {
        return soil->shear == GR_SHEAR_SEPARATE;
    }
    if (IS(side_bulldozing_drag)) {
        return sides;
    }
    if (IS(wall_friction)) {
        // cos(α + ξ)/cos ξ = 1 on an upright side (LS10 eq. 3.9)
        return sides && soil->side_bulldozing == GR_SIDE_MESH && (use & GR_SOIL_USE_SIDES) != 0;
    }
    if (IS(bearing_c) || IS(bearing_gamma)) {
        return front || (bearing && (IS(bearing_gamma) || soil->cohesion > 0));
    }
    if (IS(damping_depth)) {
        return traits & GR_LAW_RHEOLOGY ? soil->rheology == GR_KELVIN_VOIGT
                                        : soil->damping > 0 || (use & GR_SOIL_USE_DAMPED) != 0;
    }
    if (IS(resistance_speed)) {
        // It scales resistances: those of the stress integral, or the add-ons of a spring law.
        return stress || sides_resist(soil) || front || soil->side_drag > 0;
    }
    return true;
}

/// Forms and add-ons.
static const GrSoilChoice choices[] = {
    {"pressure", GR_LAW_STRESS, 0},
    {"gravity_scaling", GR_LAW_STRESS, 0},
    {"shear", GR_LAW_STRESS, 0},
    {"skid_flow", GR_LAW_FLOW, 0},
    {"rheology", GR_LAW_RHEOLOGY, GR_SOIL_USE_STEADY},
    {"stencil", GR_LAW_STENCIL, GR_SOIL_USE_STEADY},
    {"points", GR_LAW_POINTS, 0},
    {"front_bulldozing", GR_LAW_WHEEL, 0},
    {"side_bulldozing", GR_LAW_WHEEL, 0},
};

int gr_soil_choice_count(void)
{
    return (int)(sizeof choices / sizeof choices[0]);
}

const GrSoilChoice *gr_soil_choice(int index)
{
    return &choices[index];
}

/// Reece's form and bearing have the weight of the soil in them already.
static bool weighs_already(const GrSoilDef *soil, int choice)
{
    return soil->pressure != GR_PRESSURE_BEKKER && strcmp(choices[choice].key, "gravity_scaling") == 0;
}

bool gr_soil_choice_used(const GrSoilDef *soil, int index, unsigned use)
{
    return !weighs_already(soil, index) && (choices[index].traits & gr_law(soil->law)->traits) != 0 &&
           (choices[index].not_in & use) == 0;
}

static const char *choice_reason(const GrSoilDef *soil, int choice)
{
    const unsigned traits = gr_law(soil->law)->traits;
    if (!(choices[choice].traits & traits)) {
        return "the law does not use it";
    }
    return weighs_already(soil, choice) ? soil->pressure == GR_PRESSURE_REECE
                                              ? "pressure: reece has the weight of the soil already"
                                              : "pressure: bearing has the weight of the soil already"
                                        : "steady forces do not depend on it";
}

/// What a parameter waits for, where that is one thing.
static const struct {
    size_t offset; ///< of the parameter in GrSoilDef
    const char *reason;
} NEEDS[] = {
    {offsetof(GrSoilDef, k_c_reece), "it needs pressure: reece"},
    {offsetof(GrSoilDef, k_phi_reece), "it needs pressure: reece"},
    {offsetof(GrSoilDef, shear_y), "shear: combined has the one modulus K_x"},
    {offsetof(GrSoilDef, shear_y_slope), "shear: combined has the one modulus K_x"},
    {offsetof(GrSoilDef, side_bulldozing_drag), "it needs side_bulldozing"},
    {offsetof(GrSoilDef, slip_sinkage_length), "it needs slip_sinkage_max_m"},
    {offsetof(GrSoilDef, lug_digging_length), "it needs lug_digging"},
    {offsetof(GrSoilDef, backfill), "it needs slip_sinkage_max_m or lug_digging, and lambda below 1"},
    {offsetof(GrSoilDef, plough_side), "it needs plough_sinkage_m, a_plough or wedge_slide"},
    {offsetof(GrSoilDef, slip_sinkage), "slip_sinkage_max_m replaces it"},
    {offsetof(GrSoilDef, plough_power), "it needs plough_sinkage_m or a_plough"},
    {offsetof(GrSoilDef, wedge_front), "it needs wedge or wedge_slide"},
    {offsetof(GrSoilDef, wall_friction), "it needs side_bulldozing: mesh, and wheels with a side_mesh"},
    {offsetof(GrSoilDef, bearing_c), "it needs front_bulldozing or pressure: bearing"},
    {offsetof(GrSoilDef, bearing_gamma), "it needs front_bulldozing or pressure: bearing"},
    {offsetof(GrSoilDef, damping_depth), "it needs damping"},
};

const char *gr_soil_ignored_reason(const GrSoilDef *soil, int index)
{
    const int numbers = gr_soil_param_count();
    if (index >= numbers) {
        return choice_reason(soil, index - numbers);
    }
    const GrSoilParam *row = gr_soil_param(index);
    if (!gr_soil_param_of_law(soil->law, index)) {
        return "the law does not use it";
    }
    if (IS(k_c) || IS(k_phi)) {
        return soil->pressure == GR_PRESSURE_REECE
                   ? "pressure: reece uses k_c_reece and k_phi_reece instead"
                   : "pressure: bearing uses density, phi, c and bearing_depth_m instead";
    }
    if (IS(bearing_depth) || IS(bearing_n_c) || IS(bearing_n_q) || IS(surcharge)) {
        return soil->pressure != GR_PRESSURE_BEARING ? "it needs pressure: bearing"
               : IS(bearing_n_c)                     ? "it needs c_Pa"
                                                     : "it needs surcharge";
    }
    for (size_t i = 0; i < sizeof NEEDS / sizeof NEEDS[0]; i++) {
        if (row->offset == NEEDS[i].offset) {
            return NEEDS[i].reason;
        }
    }
    if (idle(soil, row)) {
        return "slip_sinkage_max_m and plough_sinkage_m replace it";
    }
    if (row->not_in & GR_SOIL_USE_NO_FLOW) {
        return "it needs the flow of soil (ruts: {flow: true}, or --flow)";
    }
    if (IS(density) && gr_law(soil->law)->traits & GR_LAW_GRAINS) {
        return "xi_n replaces it";
    }
    if (IS(density) || IS(cohesion) || IS(friction_angle) || IS(shear_x) || IS(exit_ratio)) {
        return "the law does not use it in this form";
    }
    return "steady forces do not depend on it";
}

bool gr_soil_param_essential(const GrSoilDef *soil, int index)
{
    return gr_soil_param(index)->essential && gr_soil_param_used(soil, index, GR_SOIL_USE_ALL);
}

bool gr_soil_warn_surface(const GrSoilDef *soil, GrErrorLog *log)
{
    if (gr_law_has(soil->law, GR_LAW_GRAINS)) {
        return false;
    }
    gr_warning_add(log, (GrLocation){.field = "soil_mesh"},
                   "has no effect: soil of the law %s takes wheels as cylinders; the law %s uses their mesh",
                   gr_soil_law_name(soil->law), gr_law(gr_law_with(GR_LAW_GRAINS))->name);
    return true;
}

bool gr_soil_warn_sides(const GrSoilDef *soil, GrErrorLog *log)
{
    // wall_friction is read where side walls are
    if (gr_soil_param_used(soil, gr_soil_param_find("wall_friction"), GR_SOIL_USE_SIDES)) {
        return false;
    }
    gr_warning_add(log, (GrLocation){.field = "side_mesh"},
                   "has no effect: the soil has no side_bulldozing: mesh, or its law no side walls");
    return true;
}
