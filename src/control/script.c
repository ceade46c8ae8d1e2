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

void gr_manual_update(const GrControl *c, GrControlState *s, double time)
{
    const GrScriptEntry *manual = c->def.manual;
    for (; s->manual_entry < c->def.manual_count && manual[s->manual_entry].time <= time; s->manual_entry++) {
        const GrDriveCommand *command = &manual[s->manual_entry].command;
        s->by_hand = command->mode != GR_DRIVE_MODE_COUNT;
        s->manual = s->by_hand ? *command : (GrDriveCommand){.mode = GR_DRIVE_STOP};
    }
}
