/// A side file for a URDF, guessed from its names, joints and shapes.
#ifndef GR_URDF_GUESS_H
#define GR_URDF_GUESS_H

#include "buffer.h"
#include "grouser/rover.h"

/// What was found: numbers of wheels, and of joints by their part in the rover.
typedef struct GrUrdfGuess {
    int wheels;
    int steered;   ///< joints that steer a wheel
    int pivots;    ///< passive joints of the suspension
    int held;      ///< joints that a motor holds where they are
    bool massless; ///< links without mass move, and get `massless_kg`
} GrUrdfGuess;

/// Writes the side file of the URDF at `path` as YAML. Wheels are links on joints without end that are named so or have
/// a cylinder about the joint's axis; their sizes are those of their collision shapes, else of their inertia. Lines
/// that are guesses say so. `massless`: mass of links that move without one [kg].
GrStatus gr_urdf_guess_side(const char *path, double massless, GrBuffer *out, GrUrdfGuess *found, GrErrorLog *log);

#endif
