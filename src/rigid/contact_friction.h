/// Resistance to sliding and rotation: a vector that opposes a rate, bounded by a limit.
///
/// One element serves the tangential force (rate: sliding velocity, state: elastic travel) and the moments about the
/// contact's normal and tangents (rate: relative angular velocity, state: elastic rotation).
#ifndef GR_CONTACT_FRICTION_H
#define GR_CONTACT_FRICTION_H

#include "material.h"
#include "vec3.h"

#include <stdbool.h>

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

#endif
