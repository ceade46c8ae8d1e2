/// Grounds that contact units share by name within a process: their ruts, with a lock.
#ifndef GR_CONTACT_GROUND_H
#define GR_CONTACT_GROUND_H

#include "grouser/terrain.h"

typedef struct GrContactGround GrContactGround;

/// The ground of this name. The first unit gives it `ruts`, which it then owns; for others they must be of the same
/// kind, and remain the caller's. NULL after an error.
GrContactGround *gr_contact_ground_join(const char *name, GrRuts *ruts, GrErrorLog *log);

/// The last unit that leaves frees it.
void gr_contact_ground_leave(GrContactGround *ground);

GrRuts *gr_contact_ground_ruts(const GrContactGround *ground);

/// NULL has no lock.
void gr_contact_ground_lock(GrContactGround *ground);
void gr_contact_ground_unlock(GrContactGround *ground);

#endif
