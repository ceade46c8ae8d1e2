/// Contact of MuJoCo's bodies with soil, as passive forces. docs/contact.md describes the texts of the MJCF file.
///
/// The library needs no call: once it is loaded (linked, dlopen(), or LD_PRELOAD for a program that knows nothing of
/// it), every model with texts that begin with "grouser" gets its units at its first step. The functions below are for
/// programs that want messages, or the contact of a wheel.
#ifndef GROUSER_MUJOCO_H
#define GROUSER_MUJOCO_H

#include <mujoco/mujoco.h>

#include <grouser/contact.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Makes the units of the model for these data, and installs mjcb_passive; a callback that was there is called first.
/// Returns their number; −1 after an error, with the reason in `error`. Units that the data have are replaced by ones
/// in undisturbed soil.
GR_API int grouser_mujoco_attach(const mjModel *m, const mjData *d, char *error, int error_size);

/// Frees the units of these data; before mj_deleteData().
GR_API void grouser_mujoco_detach(const mjData *d);

/// What the ground does to a body at the last evaluation; false where it has no unit.
GR_API bool grouser_mujoco_force(const mjData *d, int body, GrPartForce *out);

#ifdef __cplusplus
}
#endif
#endif
