/// The parameters of a soil as one table: key and unit in files, range, offset in GrSoilDef, and the laws that read
/// them.
///
/// Readers, writers, checks, `show soil` and `fit soil` all use this table. Parameters that laws share are rows of
/// soil_param.c; those of one law are in its descriptor (law.h) and follow here, law by law.
#ifndef GR_SOIL_PARAM_H
#define GR_SOIL_PARAM_H

#include "grouser/soil.h"

#include <stddef.h>

typedef struct GrSoilParam {
    const char *name;    ///< symbol, for --free, --set and sources: "phi"
    const char *key;     ///< the same with its unit, for files: "phi_deg"
    const char *field;   ///< of GrSoilDef, as the checks of the soil report it: "friction_angle"
    const char *unit;    ///< for people: "°"
    const char *text;    ///< what it is
    size_t offset;       ///< of a double in GrSoilDef
    double scale;        ///< SI value = scale · value in a file
    double lower, upper; ///< allowed in a file, in the file's unit
    bool open;           ///< `lower` itself is not allowed
    unsigned traits;     ///< laws with one of these read it (law.h); 0 in a law's own list
    unsigned not_in;     ///< uses (GrSoilUse) in which no law reads it
    bool essential;      ///< no value is right for every soil: a file must give it where its law reads it
    double fallback;     ///< default of a parameter without a member in GrSoilDef, SI
} GrSoilParam;

/// Whether a wheel on this law takes microseconds a step, so that many samples of a soil take seconds.
bool gr_soil_law_is_fast(GrSoilLaw law);

/// Checks the parameters of a soil for deformable ground, for any law.
GrStatus gr_soil_check_grid(const GrSoilDef *soil, GrErrorLog *log);

int gr_soil_param_count(void);

/// `index` from 0 to count − 1.
const GrSoilParam *gr_soil_param(int index);

/// Index by name or by key; −1 when there is none.
int gr_soil_param_find(const char *name);

/// Value in the file's unit.
double gr_soil_param_get(const GrSoilDef *soil, int index);
void gr_soil_param_set(GrSoilDef *soil, int index, double value);

/// Whether the law can read this parameter, in some form.
bool gr_soil_param_of_law(GrSoilLaw law, int index);

/// Whether the soil's law, in the form that the soil chooses and with its add-ons, reads this parameter. A property
/// test compares this with the laws themselves: a parameter that is not read changes no output, one that is read
/// changes some.
bool gr_soil_param_used(const GrSoilDef *soil, int index, unsigned use);

/// A choice in a soil file besides numbers: forms and add-ons.
typedef struct GrSoilChoice {
    const char *key;
    unsigned traits; ///< laws with one of these read it
    unsigned not_in; ///< uses (GrSoilUse) in which no law reads it
} GrSoilChoice;

int gr_soil_choice_count(void);
const GrSoilChoice *gr_soil_choice(int index);

/// Whether the soil's law reads this choice.
bool gr_soil_choice_used(const GrSoilDef *soil, int index, unsigned use);

/// Reason why a parameter or a choice (whose indices continue those of the parameters) is not read, for a message.
const char *gr_soil_ignored_reason(const GrSoilDef *soil, int index);

/// Whether a file must give it: the law needs it, and there is no reasonable default.
bool gr_soil_param_essential(const GrSoilDef *soil, int index);

/// The soil as it is under `gravity` [m/s²]: parameters that grow with gravity are converted, and its fit_gravity is
/// that gravity, so that a second conversion changes nothing.
GrSoilDef gr_soil_under_gravity(const GrSoilDef *soil, double gravity);

/// The soil as it is under a wheel of this radius [m]: the lengths of a soil with a fit_radius are converted, and its
/// fit_radius is that radius, so that a second conversion changes nothing.
GrSoilDef gr_soil_under_wheel(const GrSoilDef *soil, double radius);

/// Whether a parameter of the soil is converted by gr_soil_under_gravity().
bool gr_soil_scales(const GrSoilDef *soil);

/// Whether the soil's law has parameters that should change with gravity, and do not in the form that the soil chooses.
bool gr_soil_ignores_gravity(const GrSoilDef *soil);

/// Warns when such a soil is used far from the gravity of its fit.
void gr_soil_warn_gravity(const GrSoilDef *soil, double gravity, GrErrorLog *log);

/// Warns where the soil does not use the mesh of a wheel, or that of its side walls; returns whether it warned.
bool gr_soil_warn_surface(const GrSoilDef *soil, GrErrorLog *log);
bool gr_soil_warn_sides(const GrSoilDef *soil, GrErrorLog *log);

/// Names of the choices of a soil, in the order of their enumerations.
extern const char *const gr_pressure_names[3];
extern const char *const gr_gravity_scaling_names[2];
extern const char *const gr_shear_names[2];
extern const char *const gr_skid_flow_names[2];
extern const char *const gr_rheology_names[2];
extern const char *const gr_side_bulldozing_names[3];

#endif
