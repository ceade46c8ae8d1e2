/// Force and moment at one contact point: resistance to sliding and rotation, and the law along the normal.
#ifndef GR_CONTACT_LAW_H
#define GR_CONTACT_LAW_H

#include "material.h"
#include "spatial.h"
#include "vec3.h"

#include <stdbool.h>

// Resistance to sliding and rotation: a vector that opposes a rate, bounded by a limit.
//
// One element serves the tangential force (rate: sliding velocity, state: elastic travel) and the moments about the
// contact's normal and tangents (rate: relative angular velocity, state: elastic rotation).

typedef struct GrSlider {
    GrVec3 state;      ///< elastic part of the displacement, in the plane of the rate
    GrVec3 rate;       ///< what is opposed
    GrMat3 plane;      ///< projector onto the directions in which it acts
    double limit;      ///< largest resistance, at sliding
    double coming;     ///< estimate of the limit at the end of the step, ≥ limit; below it, the contact sticks
    double stiffness;  ///< resistance per state
    double damping;    ///< resistance per rate while it sticks
    const GrVec3 *end; ///< rate at the end of the step from a first solution; NULL: the present rate
    bool hold;         ///< sticks, regardless of the end of the step
    double slip_rate;  ///< scale of the rate in the regularised laws
    double stiction;   ///< ratio of the resistance at break-away to that at sliding, ≥ 1
    double stribeck;   ///< decay of that excess with the rate
    double magic_b, magic_c, magic_e; ///< of the magic formula
} GrSlider;

/// Resistance and its derivatives by its arguments.
typedef struct GrSliderForce {
    GrVec3 force;
    GrMat3 drate, dstate;
    GrVec3 dlimit, dstiffness, ddamping, dslip_rate;
    GrVec3 towards; ///< unit vector of the slip that it opposes; zero while it sticks
    bool slips;
} GrSliderForce;

/// `dt`: the step over which the state changes, which decides whether it sticks; 0: the present instant.
typedef GrSliderForce (*GrSliderLaw)(const GrSlider *s, double dt);

#ifdef GR_DEVICE
GrSliderForce gr_call_slider(GrSliderLaw law, const GrSlider *s, double dt);
#endif

/// Spring and damper inside the circle of radius `limit` (LS10 3.1, fig. 3b): holds without creep, rolls, slides.
GrSliderForce gr_slider_spring(const GrSlider *s, double dt);

/// limit tanh(|rate|/slip_rate) (B23 eq. 4): no memory; creeps under load.
GrSliderForce gr_slider_tanh(const GrSlider *s, double dt);

/// Bengisu & Akay (1994) as in B23 eq. 5: rises to `stiction` at slip_rate, decays to 1; no memory, creeps slower.
GrSliderForce gr_slider_bengisu_akay(const GrSlider *s, double dt);

/// The magic formula over the rate (after Pacejka's tyre curves, which LS10 5 names): with s = |rate|/slip_rate,
/// sin(C atan(B s − E (B s − atan(B s)))): rises, may have a peak, and falls to sin(C π/2); no memory, creeps.
GrSliderForce gr_slider_pacejka(const GrSlider *s, double dt);

typedef struct GrFrictionLawRow {
    const char *text;
    GrSliderLaw force;  ///< tangential force
    GrSliderLaw moment; ///< spin and rolling moments
    bool remembers;     ///< has an elastic state
    unsigned reads;     ///< bits of GrMaterialParam
} GrFrictionLawRow;

/// By GrFrictionLaw.
extern const GrFrictionLawRow gr_friction_laws[GR_FRICTION_LAW_COUNT];
extern const char *const gr_friction_law_names[GR_FRICTION_LAW_COUNT];

// Force and moment at one contact point, and their derivatives.
//
// Bodies a and b touch at a point; the normal points from a to b. Everything refers to b: `velocity` and `spin` are
// those of b relative to a, force and moment act on b (and with opposite sign on a).

/// k δ^1.5 (1 + d δ̇), or k δ + c δ̇. `damping` gives d δ̇⁻ for a restitution in (0, 1]; NULL: none.
typedef struct GrContactLawRow {
    const char *text;
    double (*damping)(double restitution);
    bool linear;    ///< k δ + c δ̇
    unsigned reads; ///< bits of GrMaterialParam
} GrContactLawRow;

/// By GrContactLaw.
extern const GrContactLawRow gr_contact_laws[GR_CONTACT_LAW_COUNT];
extern const char *const gr_contact_law_names[GR_CONTACT_LAW_COUNT];

/// Sets the laws of a pair and the values derived from its parameters.
void gr_pair_set_laws(GrPairMaterial *pair, GrContactLaw normal, GrFrictionLaw friction);

/// Depth and force of a contact when a flexible wheel takes part of the deformation (flexible.c).
typedef struct GrFlexShare {
    bool given;    ///< false: both bodies are rigid
    double depth;  ///< of the contact alone [m]
    double force;  ///< N ≥ 0
    double ddepth; ///< derivative of N by the total depth of spring and contact in series
    double drate;  ///< derivative of N by the closing speed
} GrFlexShare;

typedef struct GrContactMotion {
    double depth;      ///< δ; no force where it is ≤ 0 [m]
    GrVec3 normal;     ///< unit
    GrVec3 velocity;   ///< of b's material point relative to a's [m/s]
    GrVec3 spin;       ///< ω_b − ω_a [rad/s]
    GrFlexShare share; ///< for a flexible wheel
} GrContactMotion;

/// Memory of a contact between steps; zero when it begins.
typedef struct GrContactMemory {
    GrVec3 travel; ///< elastic tangential displacement [m], world axes
    GrVec3 turn;   ///< elastic relative rotation [rad], world axes
    double impact; ///< δ̇⁻: closing speed when the bodies met [m/s]
    bool touching; ///< there was a force at the last commit
    bool parting;  ///< δ̇ < 0 at the last commit
} GrContactMemory;

typedef struct GrContactForce {
    double normal;        ///< N ≥ 0
    GrVec3 force, moment; ///< on b
    GrMat6 dtwist, dpose; ///< derivatives of (moment; force) by (spin; velocity) and by displacements, at the point
    double travel_limit;  ///< largest elastic travel [m]
    double spin_limit;    ///< largest elastic rotation about the normal [rad]
    double roll_limit;    ///< largest elastic rotation about the tangents [rad]
    double ddepth, drate; ///< derivatives of N by depth and closing speed
    double stiffness, damping, friction; ///< of the tangential spring [N/m, N s/m]; largest force over N
    GrVec3 towards;                      ///< unit vector of the slip; zero while it sticks
    bool slips;
} GrContactForce;

/// Derivative of N by the closing speed at this depth of the contact alone.
double gr_contact_damping(const GrPairMaterial *pair, const GrContactMotion *motion, const GrContactMemory *memory,
                          double depth);

/// Has no side effects. `dt`: the force is that at the end of a step of this length; 0: the present instant. See
/// gr_slider_spring().
void gr_contact_force(const GrPairMaterial *pair, const GrContactMotion *motion, const GrContactMemory *memory,
                      double dt, GrContactForce *out);

/// Revises a contact after a first solution of the step, which ended with `end`, b's velocity relative to a's. If the
/// contact then slips although it was assumed to stick, or sticks or slips back although it was assumed to slip,
/// evaluates it again accordingly. Returns whether it did; `first` is the force in that solution.
bool gr_contact_revise(const GrPairMaterial *pair, const GrContactMotion *motion, const GrContactMemory *memory,
                       GrVec3 end, double dt, const GrContactForce *first, GrContactForce *out);

/// The memory after a step: `motion` has the velocities at its end, `force` is the one evaluated for it.
GrContactMemory gr_contact_advance(const GrPairMaterial *pair, const GrContactMotion *motion,
                                   const GrContactForce *force, const GrContactMemory *memory, double dt);

#endif
