/// Commands by time.
#include "control_parts.h"

GrDriveCommand gr_script_command(const GrControl *c, GrControlState *s, double time)
{
    const GrScriptEntry *script = c->def.script;
    while (s->script_entry < c->def.script_count && script[s->script_entry].time <= time) {
        s->script_entry++; // counts the entries that have begun
    }
    return s->script_entry > 0 ? script[s->script_entry - 1].command : (GrDriveCommand){.mode = GR_DRIVE_STOP};
}
