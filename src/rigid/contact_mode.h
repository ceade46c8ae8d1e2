/// The contact states of a wheel (grouser/scene.h) on rigid ground and rocks, and a count of how often they change.
#ifndef GR_CONTACT_MODE_H
#define GR_CONTACT_MODE_H

#include "grouser/scene.h"
#include "rigid.h"

/// State of a driven body on rigid ground or rocks, after an evaluation. `contact` and `collision` are the first step
/// in contact; afterwards the body rolls (sticks) or slides, depending on which contacts carry more of its load.
GrContactMode gr_rigid_mode(const GrRigidWorld *w, const GrRigidState *s, int driven, GrContactSurface surface);

/// Counts changes of state. Zero-initialise it, then call gr_mode_log_start().
typedef struct GrModeLog {
    GrContactMode mode[GR_SURFACE_COUNT];
    long changes;
    double time; ///< [s]
} GrModeLog;

/// Starts the log, in contact with nothing.
void gr_mode_log_start(GrModeLog *log);

/// One accepted step with a state for each of `count` kinds of ground.
void gr_mode_log_add(GrModeLog *log, const GrContactMode *modes, int count, double dt);

/// Changes of state per second.
double gr_mode_log_chatter(const GrModeLog *log);

#endif
