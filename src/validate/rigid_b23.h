/// The verification cases of Buse et al. 2023 (B23), 4.1.2: a cylinder (table 1) that strikes, slides, rolls, lies on
/// an incline and spins, with the closed forms it must follow; and a tower of cuboids.
#ifndef GR_RIGID_B23_H
#define GR_RIGID_B23_H

#include "rigid_trial.h"

/// B23 table 1.
static const double GR_B23_RADIUS = 0.5, GR_B23_HEIGHT = 1, GR_B23_MASS = 1, GR_B23_INERTIA = 0.25;
static const double GR_B23_FRICTION = 0.4, GR_B23_RESTITUTION = 0.6, GR_B23_GRAVITY = 9.80665;

GrMaterial gr_b23_material(void);

/// e of k δ^1.5 (1 + d δ̇) with D = d δ̇⁻ = 8 (1 − ζ)/(5 ζ): D − ln(1 + D) = −e D − ln(1 − e D). This is not ζ itself,
/// as B23 notes. 0 < zeta < 1.
double gr_b23_closed_restitution(double zeta);

/// dω/dt of the cylinder that spins on its side [rad/s²]: three points along it, at −h/2, 0 and h/2, carry m g/3 each,
/// with a spin moment each of 3π/16 μ N √(R δ).
double gr_b23_closed_spin_down(void);

/// Impact on the plane in zero gravity; gives the twist afterwards.
GrStatus gr_b23_impact(const GrMaterial *material, double tangential, double normal, GrTwist *after, GrErrorLog *log);

/// Fall onto the plane in Earth's gravity: ratio of the height of the first rebound to that of the fall.
GrStatus gr_b23_bounce(const GrMaterial *material, double height, double *rebound, GrErrorLog *log);

/// Creep on an incline [rad] with a regularised friction law, unable to rotate: its speed after 2 s and after 12 s
/// [m/s].
GrStatus gr_b23_creep(GrFrictionLaw friction_law, double angle, double *early, double *late, GrErrorLog *log);

/// Sliding distance without rotation [m].
GrStatus gr_b23_slide(GrFrictionLaw friction_law, double speed, double *distance, GrErrorLog *log);

/// From a twist at rest on the plane: twist 2 s and 10 s later.
GrStatus gr_b23_roll(GrTwist start, GrTwist *rolling, GrTwist *later, GrErrorLog *log);

/// Speed gained [m/s] and distance travelled [m] on an incline [rad] between 2 s and 2 s + `time`.
GrStatus gr_b23_incline(double angle, bool turns, double time, double *gained, double *distance, GrErrorLog *log);

/// Spins about the vertical on its side: time until it stops [s], and the remaining twist 2 s later.
GrStatus gr_b23_spin(double omega, double *stops, GrTwist *rest, GrErrorLog *log);

/// Ten cuboids of 10 kg on top of each other, every other one shifted by 10 mm: largest displacement of one in the 60 s
/// after the first 2 s, and largest sideways distance from its initial position [m].
GrStatus gr_b23_tower(double step, double *drift, double *sideways, GrErrorLog *log);

/// Five cylinders on top of each other on their mantle sides, every other one shifted by 10 mm: fraction of its height
/// that the topmost has lost after 10 s.
GrStatus gr_b23_cylinders(double *lost, GrErrorLog *log);

#endif
