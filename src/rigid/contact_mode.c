#include "contact_mode.h"

#include "world.h"

const char *gr_contact_mode_text(GrContactMode mode)
{
    static const char *const TEXTS[] = {
#define GR_MODE_TEXT(name, surface, text) text,
        GR_CONTACT_MODE_LIST(GR_MODE_TEXT)
#undef GR_MODE_TEXT
    };
    return mode >= 0 && mode < GR_CONTACT_MODE_COUNT ? TEXTS[mode] : "unknown";
}

GrContactSurface gr_contact_mode_surface(GrContactMode mode)
{
    static const GrContactSurface SURFACES[] = {
#define GR_MODE_SURFACE(name, surface, text) surface,
        GR_CONTACT_MODE_LIST(GR_MODE_SURFACE)
#undef GR_MODE_SURFACE
    };
    return SURFACES[mode];
}

GrContactMode gr_rigid_mode(const GrRigidWorld *w, const GrRigidState *s, int driven, GrContactSurface surface)
{
    const bool stone = surface == GR_ON_STONE;
    const int body = w->driven_body[driven];
    double sticking = 0, sliding = 0;
    bool old = false;
    for (int i = 0; i < s->live_count[0]; i++) {
        const GrLiveContact *c = &s->live[i];
        const int other = c->body_b == body ? c->body_a : c->body_b;
        const bool on_stone = other >= 0 && w->bodies[other].stone;
        if (other >= 0 && w->bodies[other].motion == GR_RIGID_DRIVEN) {
            continue; // contact between the rover's own parts
        }
        if ((c->body_a == body || c->body_b == body) && on_stone == stone && c->force.normal > 0) {
            *(c->force.slips ? &sliding : &sticking) += c->force.normal;
            old = old || c->kept.memory.touching;
        }
    }
    if (sticking + sliding <= 0) {
        return stone ? GR_STONE_NO_COLLISION : GR_RIGID_NO_CONTACT;
    }
    if (!old) {
        return stone ? GR_STONE_COLLISION : GR_RIGID_CONTACT;
    }
    if (sliding > sticking) {
        return stone ? GR_STONE_SLIDING : GR_RIGID_SLIDING;
    }
    return stone ? GR_STONE_ROLLING : GR_RIGID_ROLLING;
}

void gr_mode_log_start(GrModeLog *log)
{
    *log = (GrModeLog){.mode = {GR_RIGID_NO_CONTACT, GR_SOFT_NO_CONTACT, GR_STONE_NO_COLLISION}};
}

void gr_mode_log_add(GrModeLog *log, const GrContactMode *modes, int count, double dt)
{
    for (int i = 0; i < count; i++) {
        GrContactMode *last = &log->mode[gr_contact_mode_surface(modes[i])];
        log->changes += *last != modes[i];
        *last = modes[i];
    }
    log->time += dt;
}

double gr_mode_log_chatter(const GrModeLog *log)
{
    return log->time > 0 ? (double)log->changes / log->time : 0;
}
