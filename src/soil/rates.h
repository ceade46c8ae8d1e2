/// The memory of a wheel's soil as an ordinary differential equation, for hosts that integrate it themselves.
///
/// Laws advance their memory by backward Euler steps of equations of their own (mobilise.h, gr_memory_update(),
/// terra.c, rft.c). What a step adds, over its length, tends to the right-hand side as the step does to zero: rates are
/// those of a step of GR_RATE_STEP. No equation is written twice, and equilibria are exact, since a step from an
/// equilibrium adds nothing.
///
/// A number of the memory is one of three kinds:
///   a state     has a rate
///   a follower  is known from states and motion at the instant: the strength under which shear was mobilised, the
///               exit speed of the rim. In a step it is that of the step's beginning
///   a label     has no influence on forces: the contact state of the wheel
/// Rates have kinks and jumps where shear begins to yield or turns back, where soil unloads or is loaded again, and
/// where a slice touches. GrSoilModes remembers on which side they are, so that events have signs; the right-hand side
/// does not depend on it.
#ifndef GR_RATES_H
#define GR_RATES_H

#include "soil_wheel.h"

#include <stddef.h>

/// [s] Truncation is this over the shortest time in which soil at the edge of a contact is renewed, some 0.1 ms;
/// rounding is 1e-16 over it. Solvers gain nothing from tolerances below 1e-8.
#define GR_RATE_STEP 1e-9

enum { GR_YIELDS_MAX = 2 * GR_NODES_MAX };

/// Events of soil: each is positive until something happens.
enum {
    GR_EVENT_SLICE, ///< a slice touches or leaves the soil
    GR_EVENT_LOAD, ///< soil unloads, is loaded again beyond its largest sinkage, or is left behind by a wheel that rose
    GR_EVENT_SHEAR, ///< somewhere shear begins to yield, or turns back
    GR_SOIL_EVENTS
};

/// Which side of their events the parts of the soil are on.
typedef struct GrSoilModes {
    unsigned char touches[GR_SLICES_MAX];
    unsigned char yields[GR_SLICES_MAX][GR_YIELDS_MAX];
    unsigned char lugs;             ///< those of lugs yield
    unsigned char unloads, forgets; ///< the wheel has risen; it rolls away from where it did
} GrSoilModes;

/// Memory that a host integrates. Flat: copied and saved as bytes.
typedef struct GrSoilFlow {
    GrSoilModes modes;
    double state[GR_STATE_MAX]; ///< all of the memory
    double rate[GR_STATE_MAX];  ///< of its states, at the last evaluation; 0 of other numbers
    double event[GR_SOIL_EVENTS];
    GrSoilModes found; ///< modes at the last evaluation
    double deepest;    ///< sinkage there [m]
} GrSoilFlow;

/// Number of states in the memory of this wheel; 0: the law's memory advances in steps only.
int gr_soil_rate_count(const GrSoilWheel *w);

/// Place of state k in the memory, and its name, such as "slice[1].shear_x[3]".
int gr_soil_rate_place(const GrSoilWheel *w, int k);
void gr_soil_rate_name(const GrSoilWheel *w, int k, char *name, size_t size);

/// Its usual size, by which a solver scales errors: 1, or some tenths of a millimetre for lengths, over which soil
/// unloads.
double gr_soil_rate_nominal(const GrSoilWheel *w, int k);

/// Wrench, rates and events at an instant. Sets everything in `flow` but state and modes. On soil that was `compacted`
/// before.
void gr_soil_rates(const GrSoilWheel *w, double compacted, const GrSoilMotion *motion, GrSoilFlow *flow,
                   GrSoilOutput *out);

/// After an event: takes the modes that the last evaluation found. Returns whether states changed: those of soil that
/// is not touched any more are cleared.
bool gr_soil_switch(const GrSoilWheel *w, GrSoilFlow *flow);

#endif
