/// The 13 contact states of a wheel (LS10 fig. 10), and a count of how often they change.
#ifndef GR_CONTACT_MODE_H
#define GR_CONTACT_MODE_H

#include "rigid.h"

/// Kind of ground, state; the four or five of a kind exclude each other.
#define GR_CONTACT_MODE_LIST(X)                                                                                        \
    X(GR_RIGID_NO_CONTACT, GR_ON_RIGID, "rigid: no contact")                                                           \
    X(GR_RIGID_CONTACT, GR_ON_RIGID, "rigid: contact")                                                                 \
    X(GR_RIGID_ROLLING, GR_ON_RIGID, "rigid: rolling")                                                                 \
    X(GR_RIGID_SLIDING, GR_ON_RIGID, "rigid: sliding")                                                                 \
    X(GR_SOFT_NO_CONTACT, GR_ON_SOFT, "soft: no contact")                                                              \
    X(GR_SOFT_CONTACT, GR_ON_SOFT, "soft: contact")                                                                    \
    X(GR_SOFT_STUCK_ROLL, GR_ON_SOFT, "soft: stuck or rolling")                                                        \
    X(GR_SOFT_SLIP_ACCELERATE, GR_ON_SOFT, "soft: slipping, accelerating")                                             \
    X(GR_SOFT_SLIP_BRAKE, GR_ON_SOFT, "soft: slipping, braking")                                                       \
    X(GR_STONE_NO_COLLISION, GR_ON_STONE, "stone: no collision")                                                       \
    X(GR_STONE_COLLISION, GR_ON_STONE, "stone: collision")                                                             \
    X(GR_STONE_ROLLING, GR_ON_STONE, "stone: rolling")                                                                 \
    X(GR_STONE_SLIDING, GR_ON_STONE, "stone: sliding")

typedef enum GrContactSurface { GR_ON_RIGID, GR_ON_SOFT, GR_ON_STONE, GR_SURFACE_COUNT } GrContactSurface;

typedef enum GrContactMode {
#define GR_MODE_ENUM(name, surface, text) name,
    GR_CONTACT_MODE_LIST(GR_MODE_ENUM)
#undef GR_MODE_ENUM
        GR_CONTACT_MODE_COUNT
} GrContactMode;

const char *gr_contact_mode_text(GrContactMode mode);
GrContactSurface gr_contact_mode_surface(GrContactMode mode);

/// State of a driven body on rigid ground or stones, after an evaluation. `contact` and `collision` are the first step
/// of a touch; after it the body rolls (sticks) or slides, whichever carries more of its load.
GrContactMode gr_rigid_mode(const GrRigidWorld *w, const GrRigidState *s, int driven, GrContactSurface surface);

/// Counts changes of state. Zero-initialise it, then call gr_mode_log_start().
typedef struct GrModeLog {
    GrContactMode mode[GR_SURFACE_COUNT];
    long changes;
    double time; ///< [s]
} GrModeLog;

/// In contact with nothing.
void gr_mode_log_start(GrModeLog *log);

/// One accepted step with a state for each of `count` kinds of ground.
void gr_mode_log_add(GrModeLog *log, const GrContactMode *modes, int count, double dt);

/// Changes of state a second.
double gr_mode_log_chatter(const GrModeLog *log);

#endif
