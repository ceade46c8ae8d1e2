#include "live_drive.h"

#include "alloc.h"
#include "drive_file.h"
#include "elementary.h"
#include "expression.h"
#include "file.h"
#include "mission_data.h"
#include "number.h"
#include "out_of_memory.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DECIMALS = 6, SHEETS_MAX = 10000 };

// ---- limits

void gr_drive_limits_fill(const GrWorld *world, GrDriveLimits *out)
{
    const GrMission *mission = world->mission;
    const GrDriveGeometry *g = &mission->control.geometry;
    const GrControlDef *c = &mission->control.def;
    *out = (GrDriveLimits){.driven = mission->driven, .best = GR_DRIVE_STOP};
    if (!out->driven) {
        return;
    }
    for (int i = 0; i < GR_DRIVE_MODE_COUNT; i++) {
        out->modes[i] = i != GR_DRIVE_FIXED && gr_drive_supports(g, (GrDriveMode)i);
    }
    out->best = gr_drive_best_mode(g);
    double speed = c->cruise_speed;
    for (int i = 0; i < c->script_count; i++) {
        speed = fmax(speed, fabs(c->script[i].command.speed));
    }
    out->speed = 2 * speed;
    out->yaw_rate = g->reach > 0 ? speed / g->reach : 0;
    // the tightest turn that steering allows; without steering, on the spot of the inner wheels
    const double tight = g->reach > 0 ? 1 / g->reach : 1;
    GrDrivePlan plan;
    gr_drive_plan(g, &(GrDriveCommand){.mode = out->best, .speed = speed, .curvature = tight}, &plan);
    out->curvature = isfinite(plan.curvature) ? fmin(fabs(plan.curvature), tight) : tight;
}

bool gr_drive_limits_allow(const GrDriveLimits *limits, GrDriveMode mode)
{
    return mode < GR_DRIVE_MODE_COUNT && limits->modes[mode];
}

void gr_drive_limits_put(const GrDriveLimits *limits, GrJson *json)
{
    gr_json_begin_array(json, "modes");
    for (int i = 0; i < GR_DRIVE_MODE_COUNT; i++) {
        if (limits->modes[i]) {
            gr_json_begin_object(json, NULL);
            gr_json_string(json, "name", gr_drive_mode_name((GrDriveMode)i));
            gr_json_string(json, "text", gr_drive_mode_text((GrDriveMode)i));
            gr_json_end(json);
        }
    }
    gr_json_end(json);
    gr_json_string(json, "mode", gr_drive_mode_name(limits->best));
    gr_json_number(json, "speed_max", limits->speed);
    gr_json_number(json, "curvature_max", limits->curvature);
    gr_json_number(json, "yaw_rate_max", limits->yaw_rate);
}

static GrStatus turn_on_spot(const GrDriveLimits *limits, double yaw_rate, GrDriveCommand *out, GrErrorLog *log)
{
    const bool point = gr_drive_limits_allow(limits, GR_DRIVE_POINT_TURN);
    if (!point && !gr_drive_limits_allow(limits, GR_DRIVE_SKID)) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){0}, "this rover cannot turn on the spot");
    }
    *out = (GrDriveCommand){.mode = point ? GR_DRIVE_POINT_TURN : GR_DRIVE_SKID, .yaw_rate = yaw_rate};
    return GR_OK;
}

static GrStatus move_sideways(const GrDriveLimits *limits, const GrDriveTwist *t, GrDriveCommand *out, GrErrorLog *log)
{
    const bool turns = gr_drive_limits_allow(limits, GR_DRIVE_DOUBLE_ACKERMANN);
    if (!turns && (t->yaw_rate != 0 || !gr_drive_limits_allow(limits, GR_DRIVE_CRAB))) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){0}, "this rover cannot move sideways%s",
                            t->yaw_rate != 0 ? " and turn" : "");
    }
    const double way = t->forward < 0 ? -1 : 1; // wheels steer to 90 degrees at most
    *out = (GrDriveCommand){.mode = turns ? GR_DRIVE_DOUBLE_ACKERMANN : GR_DRIVE_CRAB,
                            .speed = way * gr_hypot(t->forward, t->left),
                            .yaw_rate = t->yaw_rate,
                            .crab = gr_atan2(way * t->left, way * t->forward)};
    return GR_OK;
}

GrStatus gr_drive_from_twist(const GrDriveLimits *limits, const GrDriveTwist *t, GrDriveCommand *out, GrErrorLog *log)
{
    *out = (GrDriveCommand){.mode = GR_DRIVE_STOP};
    if (!limits->driven) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){0}, "this rover has no driven wheels");
    }
    if (t->left != 0) {
        return move_sideways(limits, t, out, log);
    }
    if (t->forward == 0 && t->yaw_rate != 0) {
        return turn_on_spot(limits, t->yaw_rate, out, log);
    }
    if (t->forward != 0) {
        *out = (GrDriveCommand){.mode = limits->best, .speed = t->forward, .yaw_rate = t->yaw_rate};
    }
    return GR_OK;
}

// ---- notes

/// The number that the text of `value` reads back as.
static double as_text(double value)
{
    char text[GR_NUMBER_SIZE];
    double read = 0;
    gr_number_fixed(value, DECIMALS, text);
    return gr_number_parse(text, &read) ? read : 0;
}

GrDriveCommand gr_drive_as_written(const GrDriveCommand *command)
{
    GrDriveCommand c = *command;
    c.speed = as_text(c.speed);
    c.curvature = as_text(c.curvature);
    c.yaw_rate = GR_DEGREE * as_text(c.yaw_rate / GR_DEGREE); // as the reader of scenarios computes it
    c.crab = GR_DEGREE * as_text(c.crab / GR_DEGREE);
    return c;
}

static bool same_command(const GrScriptEntry *a, const GrScriptEntry *b)
{
    const GrDriveCommand *x = &a->command, *y = &b->command;
    return x->mode == y->mode && x->speed == y->speed && x->curvature == y->curvature && x->yaw_rate == y->yaw_rate &&
           x->crab == y->crab;
}

GrStatus gr_drive_notes_add(GrDriveNotes *notes, const GrScriptEntry *entry, GrErrorLog *log)
{
    GrScriptEntry *last = notes->count > 0 ? &notes->entries[notes->count - 1] : NULL;
    if (last != NULL && last->time == entry->time) {
        *last = *entry;
        return GR_OK;
    }
    if (last != NULL && same_command(last, entry)) {
        return GR_OK;
    }
    const bool moves = entry->command.mode != GR_DRIVE_STOP && entry->command.mode != GR_DRIVE_MODE_COUNT;
    if (notes->count >= GR_LIVE_ENTRIES - (moves ? 1 : 0)) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){0},
                            "a run keeps at most %d commands; reset to drive on", GR_LIVE_ENTRIES);
    }
    if (notes->entries == NULL || notes->count == notes->capacity) {
        const int capacity = notes->capacity > 0 ? 2 * notes->capacity : 64;
        GrScriptEntry *entries = gr_realloc(notes->entries, (size_t)capacity * sizeof *entries);
        if (entries == NULL) {
            return gr_out_of_memory(log, NULL);
        }
        notes->entries = entries;
        notes->capacity = capacity;
    }
    notes->entries[notes->count++] = *entry;
    return GR_OK;
}

void gr_drive_notes_free(GrDriveNotes *notes)
{
    gr_free(notes->entries);
    *notes = (GrDriveNotes){0};
}

// ---- sheet

/// A string of YAML in double quotes.
static void put_quoted(GrBuffer *out, const char *text)
{
    gr_buffer_puts(out, "\"");
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            gr_buffer_puts(out, "\\");
        }
        gr_buffer_add(out, text, 1);
    }
    gr_buffer_puts(out, "\"");
}

static void put_number(GrBuffer *out, const char *key, double value)
{
    char text[GR_NUMBER_SIZE];
    if (value != 0) {
        gr_number_fixed(value, DECIMALS, text);
        gr_buffer_printf(out, ", %s: %s", key, text);
    }
}

static void put_entry(GrBuffer *out, const GrScriptEntry *entry)
{
    const GrDriveCommand *c = &entry->command;
    gr_buffer_puts(out, "    - {time_s: ");
    gr_buffer_number(out, entry->time);
    if (c->mode == GR_DRIVE_MODE_COUNT) {
        gr_buffer_puts(out, ", auto: true}\n");
        return;
    }
    gr_buffer_printf(out, ", mode: %s", gr_drive_mode_name(c->mode));
    put_number(out, "speed_mps", c->speed);
    put_number(out, "curvature_per_m", c->curvature);
    put_number(out, "yaw_rate_dps", c->yaw_rate / GR_DEGREE);
    put_number(out, "crab_deg", c->crab / GR_DEGREE);
    gr_buffer_puts(out, "}\n");
}

static void put_row(GrBuffer *out, const GrScriptEntry *entry)
{
    const GrDriveCommand *c = &entry->command;
    char text[GR_NUMBER_SIZE];
    gr_buffer_number(out, entry->time);
    gr_buffer_printf(out, ",%s", c->mode == GR_DRIVE_MODE_COUNT ? GR_DRIVE_FILE_AUTO : gr_drive_mode_name(c->mode));
#define PUT_CELL(name, member, unit)                                                                                   \
    gr_number_fixed(c->member / (unit), DECIMALS, text);                                                               \
    gr_buffer_printf(out, ",%s", text);
    GR_DRIVE_FILE_LIST(PUT_CELL)
#undef PUT_CELL
    gr_buffer_puts(out, "\n");
}

/// The scenario's own commands by hand and those of this drive, by time: at equal times those of the file apply last,
/// as they did.
static void put_entries(const GrDriveSheet *sheet, void (*put)(GrBuffer *out, const GrScriptEntry *entry),
                        GrBuffer *out)
{
    const GrControlDef *c = &sheet->scenario->mission.control;
    int old = 0, noted = 0;
    while (old < c->manual_count || noted < sheet->notes->count) {
        const bool first = noted == sheet->notes->count ||
                           (old < c->manual_count && c->manual[old].time < sheet->notes->entries[noted].time);
        put(out, first ? &c->manual[old++] : &sheet->notes->entries[noted++]);
    }
}

/// Whether the world is the same when the run ends earlier: rocks and soils lie where a script may lead in its time.
static bool may_end_earlier(const GrScenario *s)
{
    const GrVec3 v = s->start.velocity;
    const bool reaches = s->mission.control.script_count > 0 || v.x != 0 || v.y != 0;
    return !reaches || (!s->terrain.has_rocks && s->soil_map.rule_count == 0 && s->hard_map.rule_count == 0);
}

static void put_overrides(const GrDriveSheet *sheet, GrBuffer *out)
{
    const bool ends = !sheet->over && may_end_earlier(sheet->scenario);
    if (sheet->overrides[0] == NULL && !ends) {
        return;
    }
    gr_buffer_puts(out, "overrides:\n");
    for (int i = 0; sheet->overrides[i] != NULL; i++) {
        gr_buffer_puts(out, "  - ");
        put_quoted(out, sheet->overrides[i]);
        gr_buffer_puts(out, "\n");
    }
    if (ends) {
        gr_buffer_puts(out, "  - stop.time_s=");
        gr_buffer_number(out, sheet->time);
        gr_buffer_puts(out, "\n");
    }
}

/// `table`: name of the file that has the commands; NULL: they are in the sheet.
static void put_sheet(const GrDriveSheet *sheet, const char *table, GrBuffer *out)
{
    char room[PATH_MAX];
    const char *whole = realpath(sheet->scenario->file, room);
    const bool shipped = strpbrk(sheet->given, "./") == NULL;
    gr_buffer_printf(out, "# Driven %s, %.6g s. grouser run repeats it bit for bit.\n", sheet->how, sheet->time);
    gr_buffer_puts(out, "include: ");
    put_quoted(out, shipped || whole == NULL ? sheet->given : whole);
    gr_buffer_puts(out, "\n");
    put_overrides(sheet, out);
    gr_buffer_puts(out, "drive:\n  manual:");
    if (table != NULL) {
        gr_buffer_puts(out, " ");
        put_quoted(out, table);
        gr_buffer_puts(out, "\n");
    } else {
        gr_buffer_puts(out, "\n");
        put_entries(sheet, put_entry, out);
    }
}

static GrStatus write_file(const char *path, GrBuffer *text, GrErrorLog *log)
{
    const GrStatus status =
        text->failed ? gr_out_of_memory(log, path) : gr_file_write(path, text->data, text->size, log);
    gr_buffer_free(text);
    return status;
}

static GrStatus write_table(const GrDriveSheet *sheet, const char *path, GrErrorLog *log)
{
    GrBuffer text = {0};
    gr_buffer_puts(&text, "time_s,mode");
#define PUT_NAME(name, member, unit) gr_buffer_puts(&text, "," #name);
    GR_DRIVE_FILE_LIST(PUT_NAME)
#undef PUT_NAME
    gr_buffer_puts(&text, "\n");
    put_entries(sheet, put_row, &text);
    return write_file(path, &text, log);
}

GrStatus gr_drive_sheet_write(const GrDriveSheet *sheet, char *path, GrErrorLog *log)
{
    GrBuffer text = {0};
    char table[GR_SCENARIO_PATH_SIZE];
    const bool is_long = sheet->notes->count + sheet->scenario->mission.control.manual_count > GR_LIVE_LISTED;
    GrStatus status = GR_OK;
    int number = 1;
    do {
        char suffix[16] = "";
        if (number > 1) {
            snprintf(suffix, sizeof suffix, "_%d", number);
        }
        snprintf(path, GR_SCENARIO_PATH_SIZE, "%s_driven%s.yaml", sheet->scenario->name, suffix);
        snprintf(table, sizeof table, "%s_driven%s.csv", sheet->scenario->name, suffix);
    } while ((gr_file_exists(path) || gr_file_exists(table)) && ++number < SHEETS_MAX);
    if (is_long) {
        status = write_table(sheet, table, log);
    }
    if (status == GR_OK) {
        put_sheet(sheet, is_long ? table : NULL, &text);
        status = write_file(path, &text, log);
    }
    return status;
}
