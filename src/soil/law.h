/// A soil law as one descriptor, defined in the law's file. Checks, file readers, `list models`, `show model`, the
/// tables of the documentation and messages all use it.
///
/// A new law is one file that defines `gr_patch_NAME()` and `gr_law_NAME`, and one row in GR_SOIL_PATCH_LAW_LIST of
/// grouser/soil.h; docs/soil-laws.md has the steps.
#ifndef GR_LAW_H
#define GR_LAW_H

#include "patch.h"
#include "soil_param.h"

/// Traits of laws. A law reads the shared parameters that have a trait in common with it.
enum {
    GR_LAW_ANY = 1 << 0,      ///< every law
    GR_LAW_STRESS = 1 << 1,   ///< pressure and shear of soil, by sinkage and slip
    GR_LAW_PATCH = 1 << 2,    ///< the stresses of one patch under the whole wheel
    GR_LAW_ARC = 1 << 3,      ///< a contact arc that ends behind the wheel
    GR_LAW_PEAK = 1 << 4,     ///< the stress peaks at an angle that depends on slip
    GR_LAW_SPRING = 1 << 5,   ///< springs, dampers and Coulomb friction in place of stresses
    GR_LAW_RHEOLOGY = 1 << 6, ///< a choice of the normal force's form
    GR_LAW_STENCIL = 1 << 7,  ///< a choice of the derivative's form
    GR_LAW_POINTS = 1 << 8,   ///< control points of the stress
    GR_LAW_WEIGHS = 1 << 9,   ///< reads the soil's weight independently of add-ons
    GR_LAW_DAMPED = 1 << 10,  ///< damping of the normal motion is added, as for every stress law
    GR_LAW_WHEEL = 1 << 11,   ///< a patch under the wheel, to which bulldozing and lugs are added: all laws but grids
    GR_LAW_GRID = 1 << 12,    ///< presses the nodes of a grid; has no patch (scm.h)
    GR_LAW_FLOW = 1 << 14,    ///< shear at nodes along the arc, which may have two zones of flow
    GR_LAW_GRAINS = 1 << 13,  ///< stresses of grains by density and friction on each piece of a wheel of any shape
    GR_LAW_SERIES = 1 << 15,  ///< the wheel's own compliance is part of the law
};

enum { GR_LAW_OWN_PARAMS = 8 };

/// The memory of a slice as states of a differential equation (rates.h): first `followers` numbers, then states. Parts
/// of it yield: their load, 0 … 1, grows with motion outward, and stays at 1 while that goes on.
typedef struct GrLawMemory {
    int followers;
    void (*name)(const GrSoilWheel *w, int number, char *name, size_t size); ///< of a state
    int (*yields)(const GrSoilWheel *w);                                     ///< number of parts that yield
    double (*load)(const GrSoilWheel *w, int part, const double *slice);
    /// Brings a memory that a solver has left slightly outside of what it can be back into it.
    void (*admit)(const GrSoilWheel *w, double *slice);
    /// Changes it so that nothing yields in a small step; and the outward part of the motion in such a step.
    void (*release)(const GrSoilWheel *w, double *slice);
    double (*outward)(const GrSoilWheel *w, int part, const double *before, const double *after);
    void (*settle)(const GrSoilWheel *w, int part, double load, double *slice); ///< gives a part this load
    /// Strength of the soil under the slice, after a step: what was mobilised is lost when it was negligible. 0: the
    /// law has dropped it already.
    double (*strength)(const double *slice);
} GrLawMemory;

/// Margin of the event of yielding, as a part of the load.
#define GR_YIELD_MARGIN 1e-6

extern const GrLawMemory gr_memory_shear; ///< of the laws of stresses: mobilised shear at nodes, then other states

struct GrLaw {
    const char *name; ///< in files and on the command line
    const char *text; ///< one line
    unsigned traits;
    int nodes;       ///< shear nodes of a slice
    int slice_state; ///< doubles of a slice's state
    /// Parameters that no other law reads; terminated by a row without a name.
    GrSoilParam own[GR_LAW_OWN_PARAMS];
    /// Checks beyond the ranges of single parameters; NULL: none.
    GrStatus (*check)(const GrSoilDef *soil, GrErrorLog *log);
    /// Fills `own` of the wheel, after everything else is prepared; NULL: nothing.
    void (*prepare)(GrSoilWheel *w);
    /// Updates a slice's state over dt with its twist at the end of the step, where the forces were evaluated with that
    /// at its beginning; NULL: that state stays.
    void (*finish)(const GrSoilWheel *w, const double twist[6], double dt, const double *old, double *next);
    /// NULL: it advances in steps only.
    const GrLawMemory *memory;
    /// Time in which the force of a wheel that falls onto the soil builds up [s]; longer steps make it bounce. NULL: no
    /// limit.
    double (*time)(const GrSoilWheel *w);
    /// Exponent of the force with the sinkage; NULL: that of the pressure.
    double (*exponent)(const GrSoilDef *soil);
    /// The law's own stiffness of the soil as a weight per volume, which grows with gravity; NULL: it has none. Returns
    /// NULL where the soil does not give it.
    double *(*weight)(GrSoilDef *soil);
    /// Largest slip angle at which the law was compared with measurements, beyond which it warns [rad]; 0: no warning.
    double angle_checked;
};
typedef struct GrLaw GrLaw;

#define GR_LAW_DECLARE(id, name) extern const GrLaw gr_law_##name;
GR_SOIL_LAW_LIST(GR_LAW_DECLARE)
#undef GR_LAW_DECLARE
extern const GrLaw gr_law_user; ///< GR_SOIL_USER: functions of the caller

/// The descriptor of a law, GR_SOIL_USER included.
const GrLaw *gr_law(GrSoilLaw law);

/// Whether the law has one of the traits.
static inline bool gr_law_has(GrSoilLaw law, unsigned traits)
{
    return (gr_law(law)->traits & traits) != 0;
}

/// The first law with a trait, for messages that recommend one.
GrSoilLaw gr_law_with(unsigned trait);

/// The law of a static arc with the pressure of the soil: what stands for a law of stresses where a curve is enough.
GrSoilLaw gr_law_of_pressure(void);

/// Its traits and the slip angle up to which it was checked, for code that a GPU runs, too.
unsigned gr_law_traits(GrSoilLaw law);
double gr_law_angle_checked(GrSoilLaw law);

/// The law's GrLaw::time and GrLaw::finish for a wheel.
double gr_law_time(const GrSoilWheel *w);
bool gr_law_finishes(const GrSoilWheel *w);
void gr_law_finish(const GrSoilWheel *w, const double twist[6], double dt, const double *old, double *next);

/// Runs the wheel's law.
void gr_law_patch(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out);

/// A row of parameters: name, key, unit, text, member of GrSoilDef, SI value over the file's, range, whether its lower
/// end is excluded, traits of the laws that read it (0 in a law's own list).
#define GR_SOIL_ROW(name_, key_, unit_, text_, member_, scale_, lower_, upper_, open_, traits_)                        \
    .name = (name_), .key = (key_), .field = #member_, .unit = (unit_), .text = (text_),                               \
    .offset = offsetof(GrSoilDef, member_), .scale = (scale_), .lower = (lower_), .upper = (upper_), .open = (open_),  \
    .traits = (traits_)

/// The same for a parameter that has no member of its own in GrSoilDef: slot `slot_` of GrSoilDef::own, with its
/// default. Laws must not share a slot (a test checks this).
#define GR_SOIL_OWN_ROW(name_, key_, unit_, text_, slot_, scale_, lower_, upper_, open_, fallback_)                    \
    .name = (name_), .key = (key_), .field = (name_), .unit = (unit_), .text = (text_),                                \
    .offset = offsetof(GrSoilDef, own) + (slot_) * sizeof(double), .scale = (scale_), .lower = (lower_),               \
    .upper = (upper_), .open = (open_), .fallback = (fallback_)

#endif
